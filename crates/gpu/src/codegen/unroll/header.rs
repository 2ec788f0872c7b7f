//! Form of the loops that can be unrolled.

use crate::codegen::syntax::{BinaryOperator, Declaration, Expression, ForLoop, Keyword, Statement};

/// `for (var name = first; name < last; name += step)`; the step is one if absent.
pub(super) struct Header<'a> {
    pub(super) name: &'a str,
    pub(super) first: &'a Expression,
    pub(super) last: &'a Expression,
    /// True for `<=` instead of `<`.
    pub(super) inclusive: bool,
    pub(super) step: Option<&'a Expression>,
}

/// Header of a counted loop; none if the loop has another form.
pub(super) fn header(counted: &ForLoop) -> Option<Header<'_>> {
    let Some(Statement::Declaration(Declaration { keyword: Keyword::Var, name, value: Some(first), .. })) =
        &counted.start
    else {
        return None;
    };
    let counts = |e: &Expression| matches!(e, Expression::Name(n) if n == name);
    let (inclusive, last) = match &counted.condition {
        Some(Expression::Binary(BinaryOperator::Less, n, last)) if counts(n) => (false, &**last),
        Some(Expression::Binary(BinaryOperator::LessEqual, n, last)) if counts(n) => (true, &**last),
        _ => return None,
    };
    let step = match &counted.update {
        Some(Statement::Step { target, operator: BinaryOperator::Add }) if counts(target) => None,
        Some(Statement::Assignment { target, operator: Some(BinaryOperator::Add), value })
            if counts(target) =>
        {
            Some(value)
        }
        _ => return None,
    };
    Some(Header { name, first, last, inclusive, step })
}

/// The statement by which a loop body can leave an iteration early. `leaves`: true if `break` belongs to this loop.
pub(super) fn exit(block: &[Statement], leaves: bool) -> Option<&'static str> {
    block.iter().find_map(|statement| match statement {
        Statement::Break => leaves.then_some("break;"),
        Statement::Continue => Some("continue;"),
        Statement::If { accept, reject, .. } => {
            exit(accept, leaves).or_else(|| reject.as_ref().and_then(|r| exit(r, leaves)))
        }
        Statement::Block(body) => exit(body, leaves),
        Statement::Switch { cases, .. } => cases.iter().find_map(|c| exit(&c.body, false)),
        _ => None,
    })
}
