//! States read from a file.

use std::collections::BTreeMap;
use std::path::Path;

use manyworlds::batch;
use manyworlds::error::{Error, Result};
use manyworlds::formats::npz;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::model::state::names;
use manyworlds::schema::{Field, Role};

/// State that may be given, and `qacc` for inverse dynamics; the rest is the model's initial state.
fn inputs() -> impl Iterator<Item = &'static str> + Clone {
    let left_out = [Role::Counter, Role::Action, Role::Remainder, Role::HistoryRemainder];
    let given = move |f: &&Field| f.role.is_state() && !left_out.contains(&f.role);
    Data::<f64>::FIELDS.iter().filter(given).map(|f| f.name).chain(["qacc"])
}

/// True for state that a step checks, or whose effect on accelerations it checks: numbers that are too large reset the world
/// and are flagged. An activation may be too large without an effect.
fn is_checked_by_steps(name: &str) -> bool {
    name != "act" && names(&[Role::Motion, Role::Control, Role::Force]).any(|checked| checked == name)
}

/// Number of states, and the checked arrays of the input file by name.
pub(crate) fn read(model: &Model, path: &Path) -> Result<(usize, BTreeMap<&'static str, Vec<f64>>)> {
    let fail = |text: String| Error::Argument(format!("{}: {text}", path.display()));
    let arrays = npz::read(path)?;
    let count = arrays.get("qpos").and_then(|a| a.shape.first().copied()).unwrap_or(0);
    if count == 0 {
        let nq = model.sizes.nq;
        return Err(fail(format!(
            "needs an array 'qpos' with one row of {nq} positions for each state, and at least one state: shape [states, {nq}]"
        )));
    }
    let sizes = Capacity::NONE.sizes(model);
    let mut states = BTreeMap::new();
    for (name, array) in &arrays {
        let known = inputs().find(|n| *n == name.as_str());
        let Some(known) = known else {
            let near = batch::suggest(name, inputs());
            return Err(fail(format!(
                "array '{name}' is no state (valid: {}){near}",
                inputs().collect::<Vec<_>>().join(" ")
            )));
        };
        let mut want = vec![count];
        want.extend(field(known).map(|f| f.shape(&sizes)).unwrap_or_default());
        // fields with one number per state may lack that axis
        if array.shape != want && !(want.len() == 2 && want[1] == 1 && array.shape == [count]) {
            return Err(fail(format!(
                "array '{name}' has shape {:?}; the model needs {want:?} for {count} states",
                array.shape
            )));
        }
        let values = array.data.to_f64();
        // in single precision on every backend, so that a file serves both
        let by_step = is_checked_by_steps(known);
        let good = |x: &f64| x.is_finite() && (by_step || (*x as f32).is_finite());
        if let Some(i) = values.iter().position(|x| !good(x)) {
            let len = (values.len() / count).max(1);
            let precision = if by_step || !values[i].is_finite() { "" } else { " in single precision" };
            return Err(fail(format!(
                "array '{name}' holds {:?} in state {}, element {}; it has to be finite{precision}",
                values[i],
                i / len,
                i % len
            )));
        }
        states.insert(known, values);
    }
    Ok((count, states))
}

fn field(name: &str) -> Option<&'static Field> {
    Data::<f64>::FIELDS.iter().find(|f| f.name == name)
}
