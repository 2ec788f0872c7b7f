//! Control flow: loops are unrolled, branches with known conditions taken.

use super::evaluate::{condition, integer};
use super::header::{exit, header};
use super::scope::{Binding, Unroller};
use super::substitute::Registers;
use super::{ConstInt, MAX_LINES, MAX_TRIP_COUNT, UNROLL_DIRECTIVE};
use crate::codegen::syntax::{Block, Case, Declaration, Expression, ForLoop, Function, Statement};
use manyworlds_model::error::{Error, Result};

impl Unroller<'_> {
    pub(super) fn function(mut self, function: &Function) -> Result<Function> {
        for name in &function.parameters {
            self.scope.bind(name, Binding::Renamed(name.clone()));
        }
        Ok(Function { body: self.block(&function.body)?, ..function.clone() })
    }

    /// Statements in a block of their own, at whose end all values are written back.
    fn block(&mut self, statements: &[Statement]) -> Result<Block> {
        let (outer, mut out) = (self.scope.open(), Block::new());
        statements.iter().try_for_each(|s| self.statement(s, &mut out))?;
        self.write_back(&mut out);
        self.scope.close(outer);
        Ok(out)
    }

    /// Statements in the open block, as a scope of their own.
    fn inline(&mut self, statements: &[Statement], out: &mut Block) -> Result<()> {
        let outer = self.scope.open();
        statements.iter().try_for_each(|s| self.statement(s, out))?;
        self.scope.close(outer);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, out: &mut Block) -> Result<()> {
        if self.written > MAX_LINES {
            let message = format!("a kernel grows beyond {MAX_LINES} lines; use more lanes");
            return Err(Error::device(message));
        }
        match statement {
            Statement::If { condition, accept, reject } => {
                self.branch(condition, accept, reject.as_deref(), out)?
            }
            Statement::For(counted) => match self.turns(counted)? {
                Some(turns) => self.write_out(counted, turns, out)?,
                None => self.for_loop(counted, out)?,
            },
            Statement::While { condition, body } => {
                self.write_back(out);
                let condition = self.substitute(condition, &mut Registers::InPlace);
                let body = self.block(body)?;
                self.push(Statement::While { condition, body }, out);
            }
            Statement::Loop(body) => {
                self.write_back(out);
                let body = self.block(body)?;
                self.push(Statement::Loop(body), out);
            }
            Statement::Switch { selector, cases } => {
                let selector = self.substitute(selector, &mut Registers::Before(out));
                self.write_back(out);
                let case = |c: &Case| Ok(Case { values: c.values.clone(), body: self.block(&c.body)? });
                let cases = cases.iter().map(case).collect::<Result<_>>()?;
                self.push(Statement::Switch { selector, cases }, out);
            }
            Statement::Block(body) => {
                self.write_back(out);
                let body = self.block(body)?;
                self.push(Statement::Block(body), out);
            }
            Statement::Return(value) => {
                let value = value.as_ref().map(|v| self.substitute(v, &mut Registers::Before(out)));
                self.write_back(out);
                self.push(Statement::Return(value), out);
            }
            Statement::Break | Statement::Continue => {
                self.write_back(out);
                self.push(statement.clone(), out);
            }
            Statement::Declaration(declaration) => self.declaration(declaration, out),
            Statement::Assignment { target, operator, value } => {
                self.assignment(target, *operator, value, out)
            }
            Statement::Step { target, operator } => self.step(target, *operator, out),
            Statement::Call(call) => self.call(call, out),
        }
        Ok(())
    }

    /// A branch, or only the part that runs if its condition is known.
    fn branch(
        &mut self,
        decides: &Expression,
        accept: &[Statement],
        reject: Option<&[Statement]>,
        out: &mut Block,
    ) -> Result<()> {
        if let Some(holds) = condition(decides, &self.scope, self.known) {
            return self.inline(if holds { accept } else { reject.unwrap_or(&[]) }, out);
        }
        let condition = self.substitute(decides, &mut Registers::Before(out));
        self.write_back(out);
        let accept = self.block(accept)?;
        let reject = reject.map(|r| self.block(r)).transpose()?;
        self.push(Statement::If { condition, accept, reject }, out);
        Ok(())
    }

    /// Values of a marked loop's counter, if they are known and not too many.
    fn turns(&self, counted: &ForLoop) -> Result<Option<Vec<ConstInt>>> {
        if !counted.unroll {
            return Ok(None);
        }
        let header = header(counted).ok_or_else(|| {
            Error::device(format!("{UNROLL_DIRECTIVE} is not followed by a for loop that can be read"))
        })?;
        let integer = |e| integer(e, &self.scope, self.known);
        let bounds = || {
            let (first, last) = (integer(header.first)?, integer(header.last)?.value);
            let step = header.step.map_or(Some(1), |s| integer(s).map(|s| s.value))?;
            Some((first, last.checked_add(i64::from(header.inclusive))?, usize::try_from(step).ok()?))
        };
        let Some((first, last, step)) = bounds().filter(|(.., step)| *step > 0) else {
            return Ok(None);
        };
        let values = (first.value..last).step_by(step).map(|value| ConstInt { value, ..first });
        let values: Vec<ConstInt> = values.take(MAX_TRIP_COUNT + 1).collect();
        Ok(Some(values).filter(|v| v.len() <= MAX_TRIP_COUNT))
    }

    fn write_out(&mut self, counted: &ForLoop, turns: Vec<ConstInt>, out: &mut Block) -> Result<()> {
        if let Some(word) = exit(&counted.body, true) {
            let what = format!("a loop that is written out has '{word}'");
            return Err(Error::device(format!("{what}, which would leave another one")));
        }
        let name = header(counted).map_or("", |h| h.name);
        let outer = self.scope.open();
        for value in turns {
            self.scope.bind(name, Binding::Known(value));
            self.inline(&counted.body, out)?;
            self.scope.close(outer);
        }
        Ok(())
    }

    /// A loop that is not unrolled: its header is evaluated from variables in each iteration.
    fn for_loop(&mut self, counted: &ForLoop, out: &mut Block) -> Result<()> {
        self.write_back(out);
        let outer = self.scope.open();
        let start = counted.start.as_ref().map(|s| self.substitute_head(s));
        if let Some(Statement::Declaration(Declaration { name, .. })) = &start {
            self.scope.bind(name, Binding::Renamed(name.clone()));
        }
        let condition = counted.condition.as_ref().map(|c| self.substitute(c, &mut Registers::InPlace));
        let update = counted.update.as_ref().map(|u| self.substitute_head(u));
        let body = self.block(&counted.body)?;
        self.scope.close(outer);
        self.push(Statement::For(Box::new(ForLoop { unroll: false, start, condition, update, body })), out);
        Ok(())
    }
}
