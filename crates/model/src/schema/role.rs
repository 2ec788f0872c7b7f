//! What a field is to a step: part of the state, and of which kind, memory, or the result of a stage.

use super::stages::Stage;

/// What a field is to a step. In the table of fields it stands before the name: a word of the state (`motion qpos`), or the
/// stage that writes the field (`kinematics xpos`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A Model field: the same in every step.
    Constant,
    /// State: the simulation time.
    Time,
    /// State: what rounding left of the time.
    Remainder,
    /// State: positions, velocities and activations.
    Motion,
    /// State: where the solver starts.
    Warmstart,
    /// State: buffers of delayed controls and sensors.
    History,
    /// State: what rounding left of the times in these buffers.
    HistoryRemainder,
    /// State that the caller sets: controls.
    Control,
    /// State that the caller sets: applied forces.
    Force,
    /// State that the caller sets: poses of mocap bodies, and which equality constraints are active.
    Scene,
    /// State: which trees sleep, and where they fell asleep.
    Sleep,
    /// State that only counts and warns: nothing is computed from it.
    Counter,
    /// What the agent of a task does next, set by the caller.
    Action,
    /// What a task remembers between its steps.
    Task,
    /// Memory of the stages, which is no result.
    Scratch,
    /// The result of whichever integrator the model has.
    Integrator,
    /// The result of a stage.
    Result(Stage),
}

impl Role {
    /// True for what a caller may set: the state, with its counters, and the action of a task.
    pub fn is_state(self) -> bool {
        !matches!(self, Role::Constant | Role::Task | Role::Scratch | Role::Integrator | Role::Result(_))
    }

    /// Word for people: `state`, `task`, `scratch`, or what writes the field; empty for Model fields.
    pub fn name(self) -> &'static str {
        match self {
            Role::Constant => "",
            Role::Task => "task",
            Role::Scratch => "scratch",
            Role::Integrator => "integrator",
            Role::Result(stage) => stage.name(),
            _ => "state",
        }
    }
}

/// The role that a word of the table stands for.
macro_rules! role {
    (time) => {
        $crate::schema::Role::Time
    };
    (remainder) => {
        $crate::schema::Role::Remainder
    };
    (motion) => {
        $crate::schema::Role::Motion
    };
    (warmstart) => {
        $crate::schema::Role::Warmstart
    };
    (history) => {
        $crate::schema::Role::History
    };
    (history_remainder) => {
        $crate::schema::Role::HistoryRemainder
    };
    (control) => {
        $crate::schema::Role::Control
    };
    (force) => {
        $crate::schema::Role::Force
    };
    (scene) => {
        $crate::schema::Role::Scene
    };
    (asleep) => {
        $crate::schema::Role::Sleep
    };
    (counter) => {
        $crate::schema::Role::Counter
    };
    (action) => {
        $crate::schema::Role::Action
    };
    (task) => {
        $crate::schema::Role::Task
    };
    (scratch) => {
        $crate::schema::Role::Scratch
    };
    (integrator) => {
        $crate::schema::Role::Integrator
    };
    ($stage:ident) => {
        $crate::schema::Role::Result($crate::schema::stages::Stage::$stage)
    };
}
pub(crate) use role;
