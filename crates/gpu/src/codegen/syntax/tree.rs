//! Syntax tree of a function.

use super::{BinaryOperator, UnaryOperator};

/// Statements in a scope.
pub type Block = Vec<Statement>;

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Everything before its body, as text.
    pub signature: String,
    /// Names of its parameters.
    pub parameters: Vec<String>,
    /// Its statements.
    pub body: Block,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `let`, `var` or `const`.
    Declaration(Declaration),
    /// `target = value;`, or with an operator `target += value;`.
    Assignment {
        /// Left-hand side.
        target: Expression,
        /// Operator of a compound assignment.
        operator: Option<BinaryOperator>,
        /// Right-hand side.
        value: Expression,
    },
    /// `target++;` or `target--;`, by the operator.
    Step {
        /// Variable to count.
        target: Expression,
        /// [`BinaryOperator::Add`] or [`BinaryOperator::Subtract`].
        operator: BinaryOperator,
    },
    /// A call whose result, if any, is discarded.
    Call(Call),
    /// A branch. `else if` is a single branch in `reject`.
    If {
        /// Condition.
        condition: Expression,
        /// Statements if it holds.
        accept: Block,
        /// Statements if it does not.
        reject: Option<Block>,
    },
    /// A `for` loop.
    For(Box<ForLoop>),
    /// A `while` loop.
    While {
        /// Evaluated before each iteration.
        condition: Expression,
        /// Body of the loop.
        body: Block,
    },
    /// A loop without a condition.
    Loop(Block),
    /// A branch over values.
    Switch {
        /// Value to compare.
        selector: Expression,
        /// Cases in order.
        cases: Vec<Case>,
    },
    /// A scope.
    Block(Block),
    /// `return`, with a value if any.
    Return(Option<Expression>),
    /// Leaves a loop or a case.
    Break,
    /// Begins the next iteration.
    Continue,
}

/// Keyword of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// A named value.
    Let,
    /// A variable.
    Var,
    /// A constant known at compile time.
    Const,
}

/// A declaration in a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Keyword.
    pub keyword: Keyword,
    /// Its name.
    pub name: String,
    /// Its type, if written.
    pub type_text: Option<String>,
    /// Its value; only a variable may have none.
    pub value: Option<Expression>,
}

/// A `for` loop.
#[derive(Clone, Debug, PartialEq)]
pub struct ForLoop {
    /// True if the loop is marked for unrolling.
    pub unroll: bool,
    /// Before the first iteration.
    pub start: Option<Statement>,
    /// Before each iteration.
    pub condition: Option<Expression>,
    /// After each iteration.
    pub update: Option<Statement>,
    /// Body of the loop.
    pub body: Block,
}

/// A case of a `switch`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its values; `default` is a name among them.
    pub values: Vec<Expression>,
    /// Its statements.
    pub body: Block,
}

/// An expression. Parentheses exist only as the shape of the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number, `true` or `false`, as text.
    Literal(String),
    /// An identifier.
    Name(String),
    /// `value.member`.
    Member(Box<Expression>, String),
    /// `value[index]`.
    Index(Box<Expression>, Box<Expression>),
    /// A call of a function or a constructor.
    Call(Call),
    /// A prefix operator with its operand.
    Unary(UnaryOperator, Box<Expression>),
    /// A binary operator with its operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name of a function, or text of a type.
    pub function: String,
    /// Arguments in order.
    pub arguments: Vec<Expression>,
}

impl Expression {
    /// An identifier.
    pub fn name(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    /// `left operator right`.
    pub fn binary(operator: BinaryOperator, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// True if `test` holds for this expression or one inside it.
    pub fn any(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::Literal(_) | Self::Name(_) => false,
                Self::Member(value, _) | Self::Unary(_, value) => value.any(test),
                Self::Index(a, b) | Self::Binary(_, a, b) => a.any(test) || b.any(test),
                Self::Call(call) => call.arguments.iter().any(|a| a.any(test)),
            }
    }

    /// Name of the variable that this is, or is a component of.
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Member(value, _) | Self::Index(value, _) => value.root(),
            _ => None,
        }
    }
}
