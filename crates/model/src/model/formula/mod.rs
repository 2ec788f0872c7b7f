//! Formulas: what user sensors measure and what acts on worlds, as text in the model.
//!
//! A custom text `formula:NAME` is the formula of the user sensor `NAME`; texts with the prefixes of [`LAW_PREFIXES`] are laws.
//! MuJoCo leaves such things to callbacks; a formula is computed where the worlds are, by kernels and by their twins, so that costs, goals and whatever else is a function of the
//! state are outputs like others: recorded, differentiated, read in batches.
//!
//! ```
//! # mod manyworlds { pub use manyworlds_cpu as cpu; pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
//! use manyworlds::model::data::{Capacity, Data};
//!
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
//! let mut data = Data::new(&model, Capacity::NONE);
//! manyworlds::cpu::forward(&model, &mut data);
//! // tip, reach, effort
//! assert!((data.sensordata[3] - 0.29f64.sqrt()).abs() < 1e-6);
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

mod expressions;
mod field;
mod functions;
mod laws;
mod parse;

use super::Model;
use super::task::{LawTarget, Node, Program};
use crate::error::Error;
use crate::schema::sensors::sensor;
use crate::schema::{Kind, Size};

pub use field::{FIELD_SETTINGS, FieldFormula, MOST_NUMBERS, MOST_PARAMETERS};
pub use laws::{LAW_PREFIXES, law_states};

/// What the names of formulas begin with.
pub const PREFIX: &str = "formula:";

/// A formula that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
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

    /// Compiles the formulas of user sensors and of laws.
    pub fn compile_formulas(&mut self) -> Result<(), FormulaError> {
        let mut made = expressions::Expressions::default();
        let texts: Vec<(usize, String)> =
            self.names.text.iter().take(self.sizes.ntext).cloned().enumerate().collect();
        let states = laws::states(self, &texts)?;
        made.states = states.iter().map(|state| (state.name.clone(), state.elements.clone())).collect();
        made.named = laws::named_texts(self, &texts)?;
        let mut roots = Vec::new();
        // laws first: what they need of named values is computed before that of sensors
        let mut laws = laws::laws(self, &texts, &mut made, &mut roots)?;
        laws.states =
            states.into_iter().flat_map(|state| state.elements.into_iter().zip(state.begin)).collect();
        made.named = laws::named_texts(self, &texts)?;
        let outputs = self.outputs(&texts, &mut made, &mut roots)?;
        laws::check_named(self, &texts, &mut made)?;
        self.formulas = None;
        for size in [Size::nformula, Size::nlawforce, Size::nlawactuator, Size::nlawact] {
            *self.sizes.get_mut(size) = 0;
        }
        let fields = field::fields(self).map_err(|message| FormulaError { text: 0, message })?;
        if roots.is_empty() && fields.is_empty() {
            return Ok(());
        }
        laws.fields = fields;
        let program = Program::of_formulas(self, made.nodes, &outputs, laws).map_err(|(node, message)| {
            // the formula that is the first to need the node
            let text = roots.iter().find(|(_, root)| *root >= node).map_or(0, |(text, _)| *text);
            FormulaError { text, message }
        })?;
        self.sizes.nformula = program.work_size();
        if program.has_laws() {
            let numbers = |on: LawTarget| match on {
                LawTarget::Dofs(_, count) => count,
                LawTarget::Tendon(_) => 1,
                LawTarget::Body(_) | LawTarget::Site(_) => 6,
            };
            self.sizes.nlawforce = program.forces().iter().map(|force| numbers(force.on)).sum();
            self.sizes.nlawactuator = self.sizes.nactuator;
            self.sizes.nlawact = self.sizes.na;
        }
        self.formulas = Some(std::sync::Arc::new(program));
        Ok(())
    }

    /// Outputs of user sensors, `[(sensor, node)]`, in the order of the sensors; roots are texts with their nodes.
    fn outputs(
        &self,
        texts: &[(usize, String)],
        made: &mut expressions::Expressions,
        roots: &mut Vec<(usize, usize)>,
    ) -> Result<Vec<(usize, usize)>, FormulaError> {
        made.reader = expressions::ReaderKind::Sensor;
        let of = |(text, name): &(usize, String)| Some((*text, name.strip_prefix(PREFIX)?.to_owned()));
        let formulas: Vec<(usize, String)> = texts.iter().filter_map(of).collect();
        // each belongs to a user sensor
        let is_user = |s: &usize| self.sensor_type[*s] == sensor::USER;
        for (text, name) in &formulas {
            let names = (0..self.sizes.nsensor).filter(is_user).map(|s| self.names.sensor[s].as_str());
            if !names.clone().any(|n| n == name) {
                let near = crate::error::suggest(name, names);
                let message = format!("there is no user sensor '{name}'{near}");
                return Err(FormulaError { text: *text, message });
            }
        }
        let mut outputs = Vec::new();
        for s in (0..self.sizes.nsensor).filter(is_user) {
            let name = &self.names.sensor[s];
            let Some((text, _)) = formulas.iter().find(|(_, of)| of == name) else { continue };
            let dim = self.sensor_dim[s] as usize;
            let node = parse::parse(&self.text(*text), self, made)
                .and_then(|node| match made.size(node) {
                    size if size == dim => Ok(node),
                    1 => Err(format!("it has one number, the sensor has dim {dim}")),
                    size => Err(format!("it has {size} numbers, the sensor has dim {dim}")),
                })
                .map_err(|message| FormulaError { text: *text, message })?;
            made.sensors.insert(name.clone(), node);
            roots.push((*text, node));
            outputs.push((s, node));
        }
        Ok(outputs)
    }

    /// [`Model::expression`] with nodes as JSON: a list of nodes in, the longer list and the number of the value out.
    ///
    /// # Errors
    /// As [`Model::expression`], and for JSON that is no list of nodes.
    pub fn expression_json(
        &self,
        text: &str,
        nodes: &str,
        names: &[(String, usize)],
    ) -> crate::error::Result<(String, usize)> {
        let wrong = |e: serde_json::Error| Error::Argument(format!("nodes: {e}"));
        let (nodes, value) = self.expression(text, serde_json::from_str(nodes).map_err(wrong)?, names)?;
        Ok((serde_json::to_string(&nodes).map_err(wrong)?, value))
    }

    /// An expression as text, for a task: nodes that follow those given, whose last one is its value. `names` are values
    /// that it may name, by their nodes.
    ///
    /// # Errors
    /// [`Error::Argument`] with the place in the text.
    pub fn expression(
        &self,
        text: &str,
        nodes: Vec<Node>,
        names: &[(String, usize)],
    ) -> crate::error::Result<(Vec<Node>, usize)> {
        let mut made =
            expressions::Expressions { nodes, locals: names.to_vec(), ..expressions::Expressions::default() };
        made.reader = expressions::ReaderKind::Task;
        let texts: Vec<(usize, String)> = self.names.text.iter().cloned().enumerate().collect();
        if let Some((name, node)) = names.iter().find(|(_, node)| *node >= made.nodes.len()) {
            return Err(Error::Argument(format!("'{name}' is node {node}, which is not there")));
        }
        let wrong = |message: String| Error::Argument(format!("'{text}': {message}"));
        made.named = laws::named_texts(self, &texts).map_err(|e| wrong(e.message))?;
        let states = laws::states(self, &texts).map_err(|e| wrong(e.message))?;
        made.states = states.into_iter().map(|state| (state.name, state.elements)).collect();
        let node = parse::parse(text, self, &mut made).map_err(wrong)?;
        Ok((made.nodes, node))
    }
}
