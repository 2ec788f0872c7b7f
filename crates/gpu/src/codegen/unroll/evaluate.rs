//! Constant evaluation of integers and conditions: sums, products, conversions, tables of the model.

use super::scope::{Binding, Scope};
use super::{ConstInt, Known};
use crate::codegen::syntax::{BinaryOperator, Call, Expression};

/// Value of an integer expression, if known.
pub(super) fn integer(expression: &Expression, scope: &Scope, known: &dyn Known) -> Option<ConstInt> {
    match expression {
        Expression::Literal(text) => {
            let value = text.trim_end_matches(['u', 'i']).parse().ok()?;
            Some(ConstInt { value, signed: text.ends_with('i') })
        }
        Expression::Name(name) => match scope.lookup(name) {
            Some(Binding::Known(value)) => Some(*value),
            Some(Binding::Renamed(_) | Binding::Value { .. }) => None,
            None => known.integer(name, &[]),
        },
        Expression::Binary(operator, left, right) => {
            let (left, right) = (integer(left, scope, known)?, integer(right, scope, known)?.value);
            let value = match operator {
                BinaryOperator::Add => left.value.checked_add(right),
                BinaryOperator::Subtract => left.value.checked_sub(right),
                BinaryOperator::Multiply => left.value.checked_mul(right),
                BinaryOperator::Divide => left.value.checked_div(right),
                BinaryOperator::Remainder => left.value.checked_rem(right),
                _ => None,
            }?;
            // a negative unsigned number would wrap in WGSL: never an intended value
            (left.signed || value >= 0).then_some(ConstInt { value, ..left })
        }
        Expression::Call(call) => called(call, scope, known),
        _ => None,
    }
}

fn called(call: &Call, scope: &Scope, known: &dyn Known) -> Option<ConstInt> {
    let values: Option<Vec<ConstInt>> = call.arguments.iter().map(|a| integer(a, scope, known)).collect();
    match (call.function.as_str(), values?.as_slice()) {
        (_, []) => None,
        ("u32", [a]) if a.value >= 0 => Some(ConstInt { signed: false, ..*a }),
        ("i32", [a]) => Some(ConstInt { signed: true, ..*a }),
        ("min", [a, b]) => Some(ConstInt { value: a.value.min(b.value), ..*a }),
        ("max", [a, b]) => Some(ConstInt { value: a.value.max(b.value), ..*a }),
        (name, values) => known.integer(name, &values.iter().map(|v| v.value).collect::<Vec<_>>()),
    }
}

/// Value of an equality of two integers, if both are known.
pub(super) fn condition(expression: &Expression, scope: &Scope, known: &dyn Known) -> Option<bool> {
    let Expression::Binary(operator, left, right) = expression else { return None };
    let sides = || Some((integer(left, scope, known)?.value, integer(right, scope, known)?.value));
    match operator {
        BinaryOperator::Equal => sides().map(|(a, b)| a == b),
        BinaryOperator::Less => sides().map(|(a, b)| a < b),
        _ => None,
    }
}

/// A known integer as an expression.
pub(super) fn literal(value: ConstInt) -> Expression {
    Expression::Literal(format!("{}{}", value.value, if value.signed { "i" } else { "u" }))
}
