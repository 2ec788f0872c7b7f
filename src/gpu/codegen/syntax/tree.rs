//! The tree of a function.

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
        /// What is assigned to.
        target: Expression,
        /// Of a compound assignment.
        operator: Option<BinaryOperator>,
        /// The right-hand side.
        value: Expression,
    },
    /// `target++;` or `target--;`, as the operator says.
    Step {
        /// What is counted.
        target: Expression,
        /// [`BinaryOperator::Add`] or [`BinaryOperator::Subtract`].
        operator: BinaryOperator,
    },
    /// A call whose value, if any, is not used.
    Call(Call),
    /// A branch. `else if` is a branch alone in `reject`.
    If {
        /// What decides.
        condition: Expression,
        /// Where it holds.
        accept: Block,
        /// Elsewhere.
        reject: Option<Block>,
    },
    /// A loop that counts.
    For(Box<ForLoop>),
    /// A loop with a condition.
    While {
        /// Evaluated before each turn.
        condition: Expression,
        /// The turn.
        body: Block,
    },
    /// A loop without a condition.
    Loop(Block),
    /// A branch over values.
    Switch {
        /// What decides.
        selector: Expression,
        /// In order.
        cases: Vec<Case>,
    },
    /// A scope.
    Block(Block),
    /// With a value, if any.
    Return(Option<Expression>),
    /// Leaves a loop or a case.
    Break,
    /// Begins the next turn.
    Continue,
}

/// What a declaration makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// A value with a name.
    Let,
    /// A variable.
    Var,
    /// A value that is known before the shader runs.
    Const,
}

/// A declaration in a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// What it makes.
    pub keyword: Keyword,
    /// Its name.
    pub name: String,
    /// Its type, where that is written.
    pub type_text: Option<String>,
    /// Its value; only a variable may have none.
    pub value: Option<Expression>,
}

/// A `for` loop.
#[derive(Clone, Debug, PartialEq)]
pub struct ForLoop {
    /// Whether it is marked to be written out.
    pub unroll: bool,
    /// Before the first turn.
    pub start: Option<Statement>,
    /// Before each turn.
    pub condition: Option<Expression>,
    /// After each turn.
    pub update: Option<Statement>,
    /// The turn.
    pub body: Block,
}

/// A case of a `switch`.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its values; `default` is the name of that.
    pub values: Vec<Expression>,
    /// Its statements.
    pub body: Block,
}

/// An expression. Parentheses are in its shape alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A number, `true` or `false`, as text.
    Literal(String),
    /// A name of something.
    Name(String),
    /// `value.member`.
    Member(Box<Expression>, String),
    /// `value[index]`.
    Index(Box<Expression>, Box<Expression>),
    /// A call of a function or a constructor.
    Call(Call),
    /// An operator before its operand.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator between two operands.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name of a function, or text of a type.
    pub function: String,
    /// In order.
    pub arguments: Vec<Expression>,
}

impl Expression {
    /// A name of something.
    pub fn name(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    /// `left operator right`.
    pub fn binary(operator: BinaryOperator, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Whether `test` holds for this expression or one inside of it.
    pub fn any(&self, test: &dyn Fn(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::Literal(_) | Self::Name(_) => false,
                Self::Member(value, _) | Self::Unary(_, value) => value.any(test),
                Self::Index(a, b) | Self::Binary(_, a, b) => a.any(test) || b.any(test),
                Self::Call(call) => call.arguments.iter().any(|a| a.any(test)),
            }
    }

    /// The name of what this is, or is a part of.
    pub fn root(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Member(value, _) | Self::Index(value, _) => value.root(),
            _ => None,
        }
    }
}
