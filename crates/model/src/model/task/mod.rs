//! Tasks: what an agent sees, what it is paid for and when an episode ends, as expressions over the fields of a world.
//!
//! A [`Task`] is plain data, written by hand, in JSON, or by the Python package. [`Model::set_task`] compiles it to a
//! [`Program`], which kernels and their twins on the CPU run where the worlds are.

mod arithmetic;
mod network;
mod node;
mod policy;
mod program;

pub use arithmetic::{binary, binary_of_all, tanh, unary};
pub use network::{Activation, DEEPEST, MOST_INPUTS, Network, WIDEST};
pub use node::{Node, Op, Rows, SHORT};
pub use policy::{Command, CommandNumber, Layer, Policy};
pub use program::{Assignment, Place, Source};
pub use program::{CONTACT_ARGUMENTS, ContactLaw, ContactPart, LawForce, LawTarget, Laws, Part, Program};

use serde::{Deserialize, Serialize};

use super::Model;
use crate::error::{Error, Result};

/// Fields of a world that a step of a task shows, in the order in which callers unpack them: results of the task, without its
/// terms, and the status.
pub const STEP_OUTPUTS: [&str; 5] = ["observation", "reward", "terminated", "truncated", "status"];

/// A name and the node of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// Name.
    pub name: String,
    /// Node.
    pub value: usize,
}

/// Numbers that a world remembers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Node of what they are where an episode begins.
    pub reset: usize,
    /// Node of what they are after each step.
    pub update: usize,
}

/// Elements of a field of the state that get values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// The field.
    pub field: String,
    /// Places of the elements.
    pub elements: Vec<usize>,
    /// Node of the values.
    pub value: usize,
}

/// A task.
///
/// In a step of the environment, the fields of `writes` are set, from the action and the variables; the model is stepped;
/// rewards, terminations and metrics are computed from the variables as they were; variables are renewed; the observation
/// is computed from the new ones. Where an episode begins, the world is reset, to a keyframe where one is given, the fields
/// of `resets` are set, and forward dynamics is computed; then the variables begin anew.
///
/// Values of a part are computed before any of its fields is set: see [`Model::set_task`] for what follows from this.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Task {
    /// Steps of the model per step of the environment.
    pub frame_skip: usize,
    /// Steps of the environment after which an episode is truncated.
    pub max_episode_steps: Option<usize>,
    /// Keyframe at which an episode begins.
    pub keyframe: Option<usize>,
    /// True if a world whose episode has ended begins a new one in the next step, whose action it ignores.
    pub autoreset: bool,
    /// Numbers of an action.
    pub action: usize,
    /// What a world remembers.
    pub variables: Vec<Variable>,
    /// Fields set before the model is stepped: controls, forces, mocap poses.
    pub writes: Vec<Write>,
    /// Fields set where an episode begins.
    pub resets: Vec<Write>,
    /// Observation, one vector after the other.
    pub observation: Vec<Term>,
    /// Terms of the reward, single numbers.
    pub reward: Vec<Term>,
    /// Conditions that end an episode, single numbers: where one is not zero.
    pub termination: Vec<Term>,
    /// Single numbers to report.
    pub metrics: Vec<Term>,
    /// Numbers of tables, of which nodes take rows: elements of `task_table`.
    pub table: Vec<f64>,
    /// Expressions, each after those that it uses.
    pub nodes: Vec<Node>,
    /// Commands that a user may give.
    pub commands: Vec<Command>,
    /// A policy that acts where nobody else does: in a window, in a page.
    pub policy: Option<Policy>,
}

impl Task {
    /// A task from JSON, as the Python package writes it.
    ///
    /// # Errors
    /// [`Error::Argument`] with the place in the text.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|e| Error::Argument(format!("the task: {e}")))
    }

    /// The task as JSON.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number that JSON cannot hold.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|e| Error::Argument(format!("the task: {e}")))
    }
}

impl Model {
    /// Gives the model a task: a batch then keeps action, observation and reward for each world.
    ///
    /// # Errors
    /// [`Error::Argument`], with the name of the term, for an unknown field or element, lengths that do not go together, a
    /// field that cannot be set, or a value that reads another element of a field that is set with it: lanes of a kernel
    /// set fields in no particular order, so that a variable has to remember it.
    pub fn set_task(&mut self, task: &Task) -> Result<()> {
        let program = Program::new(task, self)?;
        self.sizes.ntask = 1;
        self.sizes.naction = task.action;
        self.sizes.nobservation = program.observation_size();
        self.sizes.ntaskvariable = program.variables_size();
        self.sizes.ntaskterm = task.reward.len() + task.metrics.len();
        self.sizes.ntaskwork = program.work_size();
        self.sizes.ntasktable = program.table().len();
        self.task_table = program.table().to_vec();
        self.task = Some(std::sync::Arc::new(program));
        Ok(())
    }
}
