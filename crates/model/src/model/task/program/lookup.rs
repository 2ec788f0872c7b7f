//! What nodes look up by a number that is computed: rows of fields, variables and tables, and numbers of a task that stand in the
//! model.

use super::{Op, SHORT, Source};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::task::node::{Node, Rows};
use crate::model::task::{Task, Variable};
use crate::schema::stages::Stage;
use crate::schema::{Field, Sizes};

/// Most geoms that a ray may hit.
const MOST_GEOMS: usize = 1 << 12;

/// Numbers of a task's nodes that are looked up, behind those of the task, and where each node has its first.
pub(super) fn tabulate(task: &Task, model: &Model, nodes: &[Node]) -> Result<(Vec<f64>, Vec<Option<usize>>)> {
    let (mut table, mut first) = (task.table.clone(), vec![None; nodes.len()]);
    for (k, node) in nodes.iter().enumerate() {
        let numbers: Vec<f64> = match &node.op {
            Op::Const { values } if values.len() > SHORT && values.iter().any(|x| *x != values[0]) => {
                values.clone()
            }
            Op::Ray { geoms, most } => {
                if let Some(g) = geoms.iter().find(|g| **g >= model.sizes.ngeom) {
                    let n = model.sizes.ngeom;
                    return Err(Error::Argument(format!(
                        "node {k} of the task: there is no geom {g}: the model has {n}"
                    )));
                }
                if geoms.is_empty() || geoms.len() > MOST_GEOMS || !(*most > 0.0 && most.is_finite()) {
                    let n = geoms.len();
                    return Err(Error::Argument(format!(
                        "node {k} of the task: a ray may hit 1 to {MOST_GEOMS} geoms at a finite distance, got {n} and {most}"
                    )));
                }
                geoms.iter().map(|g| *g as f64).collect()
            }
            _ => continue,
        };
        first[k] = Some(table.len());
        table.extend(numbers);
    }
    Ok((table, first))
}

/// True for a field of the world whose elements have their places in each step, and are known in one.
pub(super) fn is_in_place(field: &Field) -> bool {
    field.counted_by().is_none() && ![Stage::inverse, Stage::fwdinv].iter().any(|stage| field.is_of(*stage))
}

/// True if so many numbers have the given rows.
pub(super) fn have_rows(len: usize, rows: &Rows) -> bool {
    let behind = len.checked_sub(rows.first).filter(|n| *n > 0 && rows.width > 0);
    behind.is_some_and(|n| match rows.count {
        0 => n.is_multiple_of(rows.width),
        count => count.checked_mul(rows.width).is_some_and(|all| all <= n),
    })
}

pub(super) fn no_rows(name: &str, Rows { first, width, count }: &Rows) -> String {
    let count = if *count == 0 { String::new() } else { format!("{count} ") };
    format!("'{name}' has no {count}rows of {width} numbers from number {first} on")
}

/// Counts the rows of nodes that take one of all that there are.
pub(super) fn count_rows(
    nodes: &mut [Node],
    sources: &[Source],
    sizes: &Sizes,
    variables: &[(&Variable, usize, usize)],
) {
    for (node, source) in nodes.iter_mut().zip(sources) {
        let len = match (source, &node.op) {
            (Source::Data(_, field) | Source::Model(_, field), _) => field.len(sizes),
            (_, Op::Recall { name, .. }) => {
                variables.iter().find(|(v, ..)| v.name == *name).map_or(0, |(.., len)| *len)
            }
            _ => continue,
        };
        if let Op::Row { rows, .. } | Op::Recall { rows, .. } = &mut node.op
            && rows.count == 0
        {
            rows.count = (len - rows.first) / rows.width;
        }
    }
}
