//! Substitution of known values into expressions.

use super::evaluate::{integer, literal};
use super::scope::{Binding, Unroller};
use super::{Element, LANE_CONSTANTS};
use crate::codegen::syntax::{Block, Call, Declaration, Expression, Keyword, Statement, UnaryOperator};

/// Place where the registers of an expression are read.
pub(super) enum Registers<'b> {
    /// In the statements before the expression, once each.
    Before(&'b mut Block),
    /// In place: the expression is evaluated again in each iteration of a loop.
    InPlace,
}

impl Unroller<'_> {
    /// An expression with known names and elements replaced.
    pub(super) fn substitute(
        &mut self,
        expression: &Expression,
        registers: &mut Registers<'_>,
    ) -> Expression {
        let mut boxed = |e: &Expression| Box::new(self.substitute(e, registers));
        match expression {
            Expression::Literal(_) => expression.clone(),
            Expression::Name(name) => self.substitute_name(name),
            Expression::Member(value, member) => Expression::Member(boxed(value), member.clone()),
            Expression::Index(value, index) => Expression::Index(boxed(value), boxed(index)),
            Expression::Binary(operator, a, b) => Expression::Binary(*operator, boxed(a), boxed(b)),
            Expression::Unary(operator, value) => {
                // only a variable has an address
                if let (UnaryOperator::AddressOf, Registers::Before(out)) = (operator, &mut *registers)
                    && self.scope.is_value(value)
                {
                    self.write_back(out);
                }
                Expression::Unary(*operator, Box::new(self.substitute(value, registers)))
            }
            Expression::Call(call) => self.substitute_call(call, registers),
        }
    }

    fn substitute_name(&self, name: &str) -> Expression {
        match self.scope.lookup(name) {
            Some(Binding::Known(value)) => literal(*value),
            Some(Binding::Renamed(now) | Binding::Value { now, .. }) => Expression::name(now),
            None => {
                let constant =
                    LANE_CONSTANTS.contains(&name).then(|| self.known.integer(name, &[])).flatten();
                constant.map_or_else(|| Expression::name(name), literal)
            }
        }
    }

    /// A call, with its first argument as a literal if that is known; reads of constant tables become their value,
    /// field elements the literal or register that stands for them.
    pub(super) fn substitute_call(&mut self, call: &Call, registers: &mut Registers<'_>) -> Expression {
        let index = call.arguments.first().and_then(|first| integer(first, &self.scope, self.known));
        if let (Some(index), [_]) = (index, call.arguments.as_slice()) {
            if let Some(value) = self.known.integer(&call.function, &[index.value]) {
                return literal(value);
            }
            match self.known.element(&call.function, index.value) {
                Some(Element::Value(text)) => return Expression::Literal(text),
                Some(Element::Register(variable)) => return self.read(variable, registers),
                None => {}
            }
        }
        let substituted = call.arguments.iter().enumerate().map(|(k, argument)| match index {
            Some(index) if k == 0 => literal(index),
            _ => self.substitute(argument, registers),
        });
        Expression::Call(Call { arguments: substituted.collect(), function: call.function.clone() })
    }

    /// Present value of a register.
    fn read(&mut self, variable: String, registers: &mut Registers<'_>) -> Expression {
        let Registers::Before(out) = registers else {
            return Expression::Name(variable);
        };
        if let Some((now, _)) = self.values.get(&variable) {
            return Expression::name(now);
        }
        let now = self.declare_value(&variable, None, Expression::name(&variable), out);
        self.values.insert(variable, (now.clone(), false));
        Expression::Name(now)
    }

    /// Declares a fresh name for a value.
    pub(super) fn declare_value(
        &mut self,
        of: &str,
        type_text: Option<String>,
        value: Expression,
        out: &mut Block,
    ) -> String {
        let name = self.new_name(of);
        let declaration =
            Declaration { keyword: Keyword::Let, name: name.clone(), type_text, value: Some(value) };
        self.push(Statement::Declaration(declaration), out);
        name
    }

    /// A statement in the header of a loop: its registers are read in place.
    pub(super) fn substitute_head(&mut self, statement: &Statement) -> Statement {
        let mut head = |e: &Expression| self.substitute(e, &mut Registers::InPlace);
        match statement {
            Statement::Declaration(declaration) => Statement::Declaration(Declaration {
                value: declaration.value.as_ref().map(head),
                ..declaration.clone()
            }),
            Statement::Assignment { target, operator, value } => {
                Statement::Assignment { target: head(target), operator: *operator, value: head(value) }
            }
            Statement::Step { target, operator } => {
                Statement::Step { target: head(target), operator: *operator }
            }
            Statement::Call(call) => match self.substitute_call(call, &mut Registers::InPlace) {
                Expression::Call(call) => Statement::Call(call),
                _ => statement.clone(),
            },
            other => other.clone(),
        }
    }
}
