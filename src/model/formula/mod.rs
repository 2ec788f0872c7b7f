//! Formulas: what user sensors measure, as text in the model.
//!
//! A custom text `formula:NAME` is the formula of the user sensor `NAME`. MuJoCo leaves such sensors to a callback; a formula
//! is computed where the worlds are, by kernels and by their twins, so that costs, goals and whatever else is a function of the
//! state are outputs like others: recorded, differentiated, read in batches.
//!
//! ```
//! let model = manyworlds::load_str(
//!     "<mujoco>
//!        <custom>
//!          <numeric name='goal' data='0.5 0 1.2'/>
//!          <text name='formula:reach' data='norm(tip - goal)'/>
//!          <text name='formula:effort' data='0.1*ctrl(motor)'/>
//!        </custom>
//!        <worldbody>
//!          <body><joint name='hinge'/><geom size='0.1'/><site name='tip' pos='0 0 1'/></body>
//!        </worldbody>
//!        <actuator><motor name='motor' joint='hinge'/></actuator>
//!        <sensor>
//!          <framepos name='tip' objtype='site' objname='tip'/>
//!          <user name='reach' dim='1'/>
//!          <user name='effort' dim='1'/>
//!        </sensor>
//!      </mujoco>",
//! )?;
//! let mut batch = manyworlds::batch::Batch::new(&model, 1, &Default::default())?;
//! batch.forward()?;
//! // tip, reach, effort
//! let outputs = batch.get("sensordata")?.data.to_f64();
//! assert!((outputs[3] - 0.29f64.sqrt()).abs() < 1e-6);
//! # Ok::<(), manyworlds::error::Error>(())
//! ```
//!
//! A formula has numbers, `+ - * / ^` (whole exponents), comparisons and `&& || !` (1 for true, 0 for false), parentheses,
//! `[a, b]` for vectors one after the other, `x[2]` and `x[0:3]` for elements, and functions: `sin cos tan exp log sqrt tanh abs
//! floor sum norm largest smallest min max atan2 dot cross select rotate`. Operations go element by element; a single number goes
//! with a vector of any length. `select(c, a, b)` is a where c is not zero, else b; `rotate(q, v)` turns a vector by a quaternion.
//! Names are those of sensors, of custom numerics, and of fields of the world and of the model: `tip`, `goal`, `qpos`,
//! `opt_timestep`; `qpos(knee)` and `xpos(torso)` are the elements of an object. Names with other signs are quoted:
//! `sensor("left-foot")`, `numeric("left-goal")`. A formula may use user sensors before its own.

mod parse;

use super::Model;
use super::task::Program;
use crate::schema::Kind;
use crate::schema::sensors::sensor;

/// What the names of formulas begin with.
pub const PREFIX: &str = "formula:";

/// A formula that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Custom text that holds it.
    pub text: usize,
    /// What is wrong, and a way out.
    pub message: String,
}

impl Model {
    /// A custom text.
    pub fn text(&self, id: usize) -> String {
        let first = self.text_adr.get(id).map_or(0, |&adr| usize::try_from(adr).unwrap_or(0));
        let size = self.text_size.get(id).map_or(0, |&n| usize::try_from(n).unwrap_or(0));
        let bytes = self.text_data.iter().skip(first).take(size.saturating_sub(1));
        let bytes: Vec<u8> = bytes.map(|&b| b as u8).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The numbers of a custom numeric, if there is one of this name.
    pub fn numeric(&self, name: &str) -> Option<&[f64]> {
        let id = self.id(Kind::Numeric, name).ok()?;
        let first = usize::try_from(self.numeric_adr[id]).ok()?;
        self.numeric_data.get(first..first + usize::try_from(self.numeric_size[id]).ok()?)
    }

    /// Compiles the formulas of the user sensors.
    pub(crate) fn compile_formulas(&mut self) -> Result<(), Wrong> {
        let mut made = parse::Expressions::default();
        let formulas: Vec<(usize, String)> = (0..self.sizes.ntext)
            .filter_map(|t| Some((t, self.names.text.get(t)?.strip_prefix(PREFIX)?.to_owned())))
            .collect();
        let wrong = |text: usize, message: String| Err(Wrong { text, message });
        // each belongs to a user sensor
        let is_user = |s: &usize| self.sensor_type[*s] == sensor::USER;
        for (text, name) in &formulas {
            let names = (0..self.sizes.nsensor).filter(is_user).map(|s| self.names.sensor[s].as_str());
            if !names.clone().any(|n| n == name) {
                let near = crate::error::suggest(name, names);
                return wrong(*text, format!("there is no user sensor '{name}'{near}"));
            }
        }
        // in the order of the sensors
        let mut outputs = Vec::new();
        for s in (0..self.sizes.nsensor).filter(is_user) {
            let name = &self.names.sensor[s];
            let Some((text, _)) = formulas.iter().find(|(_, of)| of == name) else { continue };
            let dim = self.sensor_dim[s] as usize;
            let node = parse::parse(&self.text(*text), self, &mut made)
                .and_then(|node| match made.size(node) {
                    size if size == dim => Ok(node),
                    size => Err(format!("it has {size} numbers, the sensor has dim {dim}")),
                })
                .map_err(|message| Wrong { text: *text, message })?;
            made.sensors.insert(name.clone(), node);
            outputs.push((s, node));
        }
        self.formulas = None;
        self.sizes.nformula = 0;
        if let Some(&(_, last)) = outputs.last() {
            let text = formulas.first().map_or(0, |f| f.0);
            debug_assert!(last < made.nodes.len());
            let program = Program::of_sensors(self, made.nodes, &outputs)
                .map_err(|e| Wrong { text, message: e.to_string() })?;
            self.sizes.nformula = program.work_size();
            self.formulas = Some(std::sync::Arc::new(program));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use crate::model::Model;
    use crate::model::data::{Capacity, Data};

    /// A model with a user sensor for each formula, of so many numbers.
    fn model(formulas: &[(&str, usize)]) -> crate::error::Result<Model> {
        let (mut texts, mut sensors) = (String::new(), String::new());
        for (k, (formula, dim)) in formulas.iter().enumerate() {
            let formula = formula.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
            texts += &format!(r#"<text name="formula:u{k}" data="{formula}"/>"#);
            sensors += &format!(r#"<user name="u{k}" dim="{dim}"/>"#);
        }
        crate::load_str(&format!(
            r#"<mujoco><custom><numeric name="goal" data="0.5 -1 2"/>{texts}</custom><worldbody>
               <body name="arm"><joint name="a" axis="0 1 0"/><joint name="b-c" axis="1 0 0"/><geom size=".1"/>
               <site name="tip" pos="0 0 1"/></body></worldbody><actuator><motor name="m" joint="a"/></actuator>
               <sensor><framepos name="tip" objtype="site" objname="tip"/><jointpos name="time" joint="a"/>{sensors}
               </sensor></mujoco>"#
        ))
    }

    fn outputs(formulas: &[(&str, usize)]) -> Vec<f64> {
        let m = model(formulas).unwrap();
        let mut d = Data::new(&m, Capacity::NONE);
        d.qpos.copy_from_slice(&[0.3, 0.0]);
        d.ctrl[0] = 0.25;
        crate::cpu::forward(&m, &mut d);
        d.sensordata[4..].to_vec()
    }

    #[test]
    fn formulas_have_the_values_that_one_reads() {
        let (s, c) = 0.3f64.sin_cos();
        for (formula, want) in [
            ("1 + 2*3 - 4/8", vec![6.5]),
            ("-2^2 + 2^-1", vec![-3.5]),
            ("(1 + 2)*3", vec![9.0]),
            ("tip", vec![s, 0.0, c]),
            ("tip[0]^2 + tip[2]^2", vec![1.0]),
            ("tip[0:2] - goal[1:3]", vec![s + 1.0, -2.0]),
            ("norm(tip)", vec![1.0]),
            ("[qpos(a), 2*ctrl(m), 1e-1]", vec![0.3, 0.5, 0.1]),
            ("qpos(\"b-c\")", vec![0.0]),
            ("numeric(goal)[1] + sensor(\"time\")", vec![-0.7]),
            ("select(tip[0] > 0.2 && !(goal[0] >= 1), 7, 8)", vec![7.0]),
            ("min(goal, 1)", vec![0.5, -1.0, 1.0]),
            ("cross([1,0,0], [0,1,0])", vec![0.0, 0.0, 1.0]),
            ("dot(goal, goal)", vec![5.25]),
            ("rotate(xquat(arm), [0,0,1]) - tip", vec![0.0; 3]),
            ("atan2(tip[0], tip[2])", vec![0.3]),
            ("sum(abs(goal)) + largest(goal) - smallest(goal)", vec![6.5]),
            ("tan(0.3) - s_over_c", vec![]),
        ] {
            if want.is_empty() {
                assert!(model(&[(formula, 1)]).is_err(), "{formula}");
                continue;
            }
            let got = outputs(&[(formula, want.len())]);
            let near = got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near && got.len() == want.len(), "{formula}: {got:?}, not {want:?}");
        }
        // one uses another
        assert_eq!(outputs(&[("[1, 2]", 2), ("3*u0[1]", 1)]), [1.0, 2.0, 6.0]);
        assert_eq!(outputs(&[("[1, 2]", 2), ("3*sensordata(u0)[1] + sum(goal^0)", 1)]), [1.0, 2.0, 9.0]);
    }

    #[test]
    fn wrong_formulas_are_named_with_the_place() {
        for (formula, part) in [
            ("1 +", "formula ends"),
            ("tipp", "nothing is called 'tipp'; did you mean 'tip'?"),
            ("time", "'time' is a sensor and a field: write sensor(time)"),
            ("qpos(aa)", "no object 'aa'"),
            ("qpos(a", "')' is expected"),
            ("tip[3]", "no element 3"),
            ("tip[2:1]", "no elements 2:1"),
            ("tip + [1, 2]", "lengths 3 and 2"),
            ("sine(1)", "no function or field 'sine'; did you mean 'sin'?"),
            ("min(1)", "'min' has 2 arguments"),
            ("2^0.5", "whole number"),
            ("contact_dist", "use a contact sensor"),
            ("sum(qfrc_inverse)", "inverse dynamics"),
            ("sum(task_steps)", "no elements"),
            ("u1", "'u1' has no formula before this one"),
            ("1 $ 2", "'$'"),
            ("[1, 2]", "it has 2 numbers, the sensor has dim 1"),
            ("1 2", "'2' is not expected"),
        ] {
            let said = model(&[(formula, 1), ("1", 1)]).unwrap_err().to_string();
            assert!(said.contains(part), "{formula}: {said}");
        }
        let lost = "<mujoco><custom><text name='formula:x' data='1'/></custom><worldbody/><sensor><clock name='x'/></sensor>\
            </mujoco>";
        let said = crate::load_str(lost).unwrap_err().to_string();
        assert!(said.contains("there is no user sensor 'x'"), "{said}");
        // what is computed with it has a name
        let said = model(&[("sum(sensordata)", 1)]).unwrap_err().to_string();
        assert!(said.contains("name the sensors"), "{said}");
        // nothing overflows, and nothing explodes
        let long = "[numeric_data,numeric_data,numeric_data,numeric_data,numeric_data,numeric_data]";
        let powers = format!("sum(({long}^16)^16)");
        let signs = format!("sum({}text_data)", "-".repeat(5000));
        for wild in [powers, signs] {
            let said = model(&[(&wild, 1)]).unwrap_err().to_string();
            assert!(said.contains("too many operations") || said.contains("numbers together"), "{said}");
        }
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(model(&[(&deep, 1)]).unwrap_err().to_string().contains("too deep"));
    }

    #[test]
    fn models_keep_their_formulas() {
        let m = model(&[("2*tip", 3)]).unwrap();
        let read = Model::from_mwb(&m.to_mwb()).unwrap();
        assert!(read == m && read.formulas.is_some());
        assert_eq!(m.numeric("goal"), Some(&[0.5, -1.0, 2.0][..]));
        assert_eq!(m.numeric("gaol"), None);
    }
}
