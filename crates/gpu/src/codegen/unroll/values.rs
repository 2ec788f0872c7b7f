//! Statements without blocks: known integers are propagated, values of variables and registers get names.

use super::Element;
use super::evaluate::integer;
use super::scope::{Binding, Unroller};
use super::substitute::Registers;
use crate::codegen::syntax::{BinaryOperator, Block, Call, Declaration, Expression, Keyword, Statement};

impl Unroller<'_> {
    /// A fresh name.
    pub(super) fn new_name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}_v{}", self.names)
    }

    pub(super) fn push(&mut self, statement: Statement, out: &mut Block) {
        self.written += 1;
        out.push(statement);
    }

    /// Writes every value back to its variable, before code that may run more or less than once.
    pub(super) fn write_back(&mut self, out: &mut Block) {
        for (variable, (now, changed)) in std::mem::take(&mut self.values) {
            if changed {
                let (target, value) = (Expression::Name(variable), Expression::Name(now));
                self.push(Statement::Assignment { target, operator: None, value }, out);
            }
        }
        for binding in self.scope.bindings_mut() {
            if let Binding::Value { now, variable, .. } = binding {
                let (name, value) = (variable.clone(), Some(Expression::name(now.as_str())));
                let declaration = Declaration { keyword: Keyword::Var, name, type_text: None, value };
                out.push(Statement::Declaration(declaration));
                self.written += 1;
                *binding = Binding::Renamed(std::mem::take(variable));
            }
        }
    }

    /// An expression with known values substituted. If it calls a function that accesses registers, their values are
    /// written back first.
    fn value(&mut self, expression: &Expression, out: &mut Block) -> Expression {
        let value = self.substitute(expression, &mut Registers::Before(out));
        let accesses = |e: &Expression| matches!(e, Expression::Call(c) if self.known.accesses(&c.function));
        if expression.any(&accesses) {
            self.write_back(out);
        }
        value
    }

    /// Declaration: a known `let` disappears into the scope, and a local variable stays a value as long as possible.
    pub(super) fn declaration(&mut self, declaration: &Declaration, out: &mut Block) {
        let Declaration { keyword, name, type_text, value } = declaration;
        let Some(value) = value else {
            // zero-initialised, afresh in each copy
            let own = self.new_name(name);
            self.push(Statement::Declaration(Declaration { name: own.clone(), ..declaration.clone() }), out);
            return self.scope.bind(name, Binding::Renamed(own));
        };
        if *keyword != Keyword::Var
            && type_text.is_none()
            && let Some(known) = integer(value, &self.scope, self.known)
        {
            return self.scope.bind(name, Binding::Known(known));
        }
        let value = self.value(value, out);
        let now = self.declare_value(name, type_text.clone(), value, out);
        let binding = match keyword {
            Keyword::Var => {
                Binding::Value { variable: format!("{now}_var"), now, type_text: type_text.clone() }
            }
            Keyword::Let | Keyword::Const => Binding::Renamed(now),
        };
        self.scope.bind(name, binding);
    }

    pub(super) fn assignment(
        &mut self,
        target: &Expression,
        operator: Option<BinaryOperator>,
        value: &Expression,
        out: &mut Block,
    ) {
        // assignment to a whole local variable: its next value
        if let Expression::Name(name) = target
            && self.scope.is_value(target)
        {
            let value = self.value(value, out);
            if let Some((now, type_text)) = self.scope.value_mut(name) {
                let now = Expression::name(now.as_str());
                let value = operator.map_or(value.clone(), |o| Expression::binary(o, now, value));
                let next = self.declare_value(name, type_text, value, out);
                if let Some((now, _)) = self.scope.value_mut(name) {
                    *now = next;
                }
            } else {
                let target = self.substitute(target, &mut Registers::Before(out));
                self.push(Statement::Assignment { target, operator, value }, out);
            }
            return;
        }
        // assignment to a component needs the variable itself
        if self.scope.is_value(target) {
            self.write_back(out);
        }
        let target = self.substitute(target, &mut Registers::Before(out));
        let value = self.value(value, out);
        self.push(Statement::Assignment { target, operator, value }, out);
    }

    pub(super) fn step(&mut self, target: &Expression, operator: BinaryOperator, out: &mut Block) {
        if self.scope.is_value(target) {
            return self.assignment(target, Some(operator), &Expression::Literal("1".into()), out);
        }
        let target = self.substitute(target, &mut Registers::Before(out));
        self.push(Statement::Step { target, operator }, out);
    }

    /// Call statement: a register's setter defines its next value, a barrier of a single lane disappears, any other
    /// call stays.
    pub(super) fn call(&mut self, call: &Call, out: &mut Block) {
        if call.function == "sync" && self.known.integer("lanes", &[]).is_some_and(|l| l.value == 1) {
            return;
        }
        if let [index, value] = call.arguments.as_slice()
            && let Some(index) = integer(index, &self.scope, self.known)
            && let Some(Element::Register(variable)) = self.known.element(&call.function, index.value)
        {
            let value = self.value(value, out);
            let now = self.declare_value(&variable, None, value, out);
            self.values.insert(variable, (now, true));
            return;
        }
        if let Expression::Call(call) = self.value(&Expression::Call(call.clone()), out) {
            self.push(Statement::Call(call), out);
        }
    }
}
