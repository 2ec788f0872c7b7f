//! Expressions of a task: a list of nodes, each after those that it uses.

use serde::{Deserialize, Serialize};

use super::network::Network;

/// Longest vector whose elements kernels keep in variables; longer ones are written where they are used.
pub const SHORT: usize = 16;

/// What a node computes. Vectors go element by element; a single number goes with a vector of any length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Op {
    /// Finite numbers.
    Const {
        /// The numbers.
        values: Vec<f64>,
    },
    /// Elements of a field of the world or of the model.
    Field {
        /// Name of the field.
        name: String,
        /// Places of the elements.
        elements: Vec<usize>,
    },
    /// Elements of the action; zeros where an episode begins, whatever action that step was given.
    Action {
        /// Places of the elements.
        elements: Vec<usize>,
    },
    /// Elements of what the task remembers.
    Variable {
        /// Name of the variable.
        name: String,
        /// Places of the elements.
        elements: Vec<usize>,
    },
    /// Elements of what a formula is computed for: a contact, or a point of a field.
    Argument {
        /// Places of the elements.
        elements: Vec<usize>,
    },
    /// Elements of a row of a field: the argument is its number, which is rounded down and taken between the first row and the
    /// last; of a number that is not finite, the first row.
    Row {
        /// Name of the field; `task_table` for the numbers of the task.
        name: String,
        /// The rows.
        #[serde(flatten)]
        rows: Rows,
        /// Places of the elements in the row.
        elements: Vec<usize>,
    },
    /// Elements of a row of what the task remembers, as of a field.
    Recall {
        /// Name of the variable.
        name: String,
        /// The rows.
        #[serde(flatten)]
        rows: Rows,
        /// Places of the elements in the row.
        elements: Vec<usize>,
    },
    /// Distance along a ray to the first of some geoms that it hits, in units of its direction's length. Arguments are the
    /// coordinates of its origin and of its direction, x, y and z of each.
    Ray {
        /// The geoms.
        geoms: Vec<usize>,
        /// The distance where it hits none, or where that is farther.
        most: f64,
    },
    /// Output of a small network, element by element of its inputs, which are the arguments.
    Network(Network),
    /// Steps of the environment since the episode began, this one included; 0 where it begins.
    Steps,
    /// Numbers between 0 and 1, drawn anew in each step.
    Uniform,
    /// Numbers of the standard normal distribution, drawn anew in each step.
    Normal,
    /// The negative.
    Neg,
    /// Absolute value.
    Abs,
    /// Square root.
    Sqrt,
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Log,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Hyperbolic tangent.
    Tanh,
    /// Greatest integer that is not greater.
    Floor,
    /// 1 for zero, else 0.
    Not,
    /// 1 for numbers, 0 for NaN and infinities.
    IsFinite,
    /// Sum of two.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Smaller of two.
    Min,
    /// Larger of two.
    Max,
    /// 1 where the first is less, else 0.
    Lt,
    /// 1 where the first is not greater, else 0.
    Le,
    /// 1 where both are equal, else 0.
    Eq,
    /// 1 where both are not equal, else 0.
    Ne,
    /// 1 where both are not zero, else 0.
    And,
    /// 1 where one is not zero, else 0.
    Or,
    /// Arc tangent of the first over the second, in four quadrants.
    Atan2,
    /// The second where the first is not zero, else the third.
    Select,
    /// Sum of all elements.
    Sum,
    /// Largest element.
    Largest,
    /// Smallest element.
    Smallest,
    /// One vector after the other.
    Concat,
    /// Elements of a vector.
    Pick {
        /// Places of the elements.
        elements: Vec<usize>,
    },
}

/// Rows of numbers that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Place of the first number of the first row.
    #[serde(default)]
    pub first: usize,
    /// Numbers of a row.
    pub width: usize,
    /// Number of rows; 0 for all that there are.
    #[serde(default)]
    pub count: usize,
}

/// How the length of a node follows from those of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// No arguments: the length is given.
    Leaf,
    /// So many arguments, of equal length or length one.
    Elementwise(usize),
    /// One argument, one number.
    Reduction,
    /// Any number of arguments; their lengths add up.
    Concat,
    /// One argument, of which some elements are taken.
    Pick,
    /// One number, by which a row is taken.
    Row,
}

impl Op {
    /// True for a leaf whose numbers are read where they are used: constants, fields, and what callers give; draws are not.
    pub fn is_read(&self) -> bool {
        self.form() == Form::Leaf && !matches!(self, Op::Uniform | Op::Normal)
    }

    /// What arguments the operation takes.
    pub fn form(&self) -> Form {
        match self {
            Op::Const { .. }
            | Op::Field { .. }
            | Op::Action { .. }
            | Op::Variable { .. }
            | Op::Argument { .. }
            | Op::Steps
            | Op::Uniform
            | Op::Normal => Form::Leaf,
            Op::Neg
            | Op::Abs
            | Op::Sqrt
            | Op::Exp
            | Op::Log
            | Op::Sin
            | Op::Cos
            | Op::Tanh
            | Op::Floor
            | Op::Not
            | Op::IsFinite => Form::Elementwise(1),
            Op::Select => Form::Elementwise(3),
            Op::Ray { .. } => Form::Elementwise(6),
            Op::Network(network) => Form::Elementwise(network.inputs),
            Op::Sum | Op::Largest | Op::Smallest => Form::Reduction,
            Op::Concat => Form::Concat,
            Op::Pick { .. } => Form::Pick,
            Op::Row { .. } | Op::Recall { .. } => Form::Row,
            _ => Form::Elementwise(2),
        }
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// What it computes.
    #[serde(flatten)]
    pub op: Op,
    /// Number of its elements.
    pub size: usize,
    /// Nodes that it uses, all before it.
    #[serde(default)]
    pub args: Vec<usize>,
}
