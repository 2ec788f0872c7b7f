//! Printer of syntax trees.

use std::fmt;

use super::{
    BinaryOperator, Block, Declaration, Expression, ForLoop, Function, Keyword, Statement, UNROLL_DIRECTIVE,
};

/// Text of a function, one statement a line.
pub fn print_function(function: &Function) -> String {
    let mut printer = Printer { out: function.signature.clone(), depth: 0 };
    printer.out.push(' ');
    printer.block(&function.body);
    printer.out
}

struct Printer {
    out: String,
    depth: usize,
}

impl Printer {
    fn line(&mut self) {
        self.out.push('\n');
        (0..self.depth).for_each(|_| self.out.push_str("    "));
    }

    fn block(&mut self, block: &Block) {
        self.out.push('{');
        self.depth += 1;
        for statement in block {
            self.line();
            self.statement(statement);
        }
        self.depth -= 1;
        self.line();
        self.out.push('}');
    }

    fn head(&mut self, head: &str, body: &Block) {
        self.out.push_str(head);
        self.out.push(' ');
        self.block(body);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::If { condition, accept, reject } => {
                self.head(&format!("if ({condition})"), accept);
                match reject.as_deref() {
                    Some([branch @ Statement::If { .. }]) => {
                        self.out.push_str(" else ");
                        self.statement(branch);
                    }
                    Some(_) => self.head(" else", reject.as_ref().unwrap_or(&Vec::new())),
                    None => {}
                }
            }
            Statement::For(counted) => self.for_loop(counted),
            Statement::While { condition, body } => self.head(&format!("while ({condition})"), body),
            Statement::Loop(body) => self.head("loop", body),
            Statement::Switch { selector, cases } => {
                self.out.push_str(&format!("switch ({selector}) {{"));
                self.depth += 1;
                for case in cases {
                    self.line();
                    let is_default =
                        matches!(case.values.as_slice(), [Expression::Name(name)] if name == "default");
                    let keyword = if is_default { "" } else { "case " };
                    self.head(&format!("{keyword}{}:", separated(&case.values)), &case.body);
                }
                self.depth -= 1;
                self.line();
                self.out.push('}');
            }
            Statement::Block(block) => self.block(block),
            simple => {
                self.simple(simple);
                self.out.push(';');
            }
        }
    }

    fn for_loop(&mut self, counted: &ForLoop) {
        if counted.unroll {
            self.out.push_str(UNROLL_DIRECTIVE);
            self.line();
        }
        self.out.push_str("for (");
        counted.start.iter().for_each(|s| self.simple(s));
        self.out.push_str("; ");
        counted.condition.iter().for_each(|c| self.out.push_str(&c.to_string()));
        self.out.push_str("; ");
        counted.update.iter().for_each(|s| self.simple(s));
        self.head(")", &counted.body);
    }

    /// A statement without a block, and without its semicolon.
    fn simple(&mut self, statement: &Statement) {
        let text = match statement {
            Statement::Declaration(declaration) => declaration.to_string(),
            Statement::Assignment { target, operator, value } => {
                format!("{target} {}= {value}", operator.map_or("", BinaryOperator::text))
            }
            Statement::Step { target, operator } => format!("{target}{0}{0}", operator.text()),
            Statement::Call(call) => format!("{}({})", call.function, separated(&call.arguments)),
            Statement::Return(Some(value)) => format!("return {value}"),
            Statement::Return(None) => "return".to_string(),
            Statement::Break => "break".to_string(),
            Statement::Continue => "continue".to_string(),
            _ => String::new(),
        };
        self.out.push_str(&text);
    }
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keyword = match self.keyword {
            Keyword::Let => "let",
            Keyword::Var => "var",
            Keyword::Const => "const",
        };
        write!(f, "{keyword} {}", self.name)?;
        if let Some(type_text) = &self.type_text {
            write!(f, ": {type_text}")?;
        }
        self.value.as_ref().map_or(Ok(()), |value| write!(f, " = {value}"))
    }
}

fn separated(list: &[Expression]) -> String {
    list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) | Self::Name(text) => f.write_str(text),
            Self::Member(value, member) => {
                enclosed(f, value, !is_operand(value))?;
                write!(f, ".{member}")
            }
            Self::Index(value, index) => {
                enclosed(f, value, !is_operand(value))?;
                write!(f, "[{index}]")
            }
            Self::Call(call) => {
                write!(f, "{}(", call.function)?;
                for (k, argument) in call.arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if k > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Self::Unary(operator, value) => {
                f.write_str(operator.text())?;
                enclosed(f, value, !is_operand(value))
            }
            Self::Binary(operator, left, right) => {
                enclosed(f, left, needs_parentheses(*operator, left, false))?;
                write!(f, " {} ", operator.text())?;
                enclosed(f, right, needs_parentheses(*operator, right, true))
            }
        }
    }
}

fn enclosed(f: &mut fmt::Formatter<'_>, value: &Expression, parentheses: bool) -> fmt::Result {
    if parentheses { write!(f, "({value})") } else { write!(f, "{value}") }
}

/// True if a prefix operator or a member access applies to the whole expression without parentheses.
fn is_operand(value: &Expression) -> bool {
    match value {
        Expression::Literal(text) => !text.starts_with('-'),
        Expression::Unary(..) | Expression::Binary(..) => false,
        _ => true,
    }
}

/// True if an operand needs parentheses. WGSL mixes sums, products and comparisons without parentheses, comparisons
/// in one kind of logical chain, and nothing else.
fn needs_parentheses(outer: BinaryOperator, value: &Expression, right: bool) -> bool {
    use BinaryOperator as B;
    let Expression::Binary(inner, ..) = value else {
        return false;
    };
    let arithmetic = inner.level() >= B::Add.level();
    let comparison = (B::Equal.level()..=B::GreaterEqual.level()).contains(&inner.level());
    match outer {
        B::Add | B::Subtract | B::Multiply | B::Divide | B::Remainder => {
            !arithmetic || inner.level() < outer.level() + u8::from(right)
        }
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => !arithmetic,
        B::Or | B::And => !arithmetic && !comparison && (right || *inner != outer),
        B::BitOr | B::BitXor | B::BitAnd => right || *inner != outer,
        B::ShiftLeft | B::ShiftRight => true,
    }
}
