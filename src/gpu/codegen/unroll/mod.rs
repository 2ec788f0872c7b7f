//! Loops of WGSL functions written out, with everything that is known of the model put in.
//!
//! A line `//#unroll` above a `for` loop asks for it. The loop is written out where its bounds are known: sizes,
//! integer tables of the model, `lane` and `lanes` with one lane per world, enclosing loops that were written out.
//! Elsewhere it stays a loop, so that one text serves worlds of one lane and of many. In what is written out,
//! `let` names of known integers disappear, and accessors get literal indices, which registers need. No blocks are
//! left behind: drivers take several times longer over a text in many blocks, so that names get a number instead.
//!
//! Between two changes of control flow, registers and local variables are values with names of their own, each given
//! once: they are read from their variables at the first use and written back at the end. Drivers that run several
//! worlds in step mask every assignment to a variable inside of a loop, and take a multiple of the time for it.
//!
//! The work is done on the tree of a function: `evaluate` says what integers and conditions are known, `substitute` puts
//! what is known into expressions, `expand` goes through control flow and `values` through the other statements.

mod evaluate;
mod expand;
mod header;
mod scope;
mod substitute;
#[cfg(test)]
mod tests;
mod values;

use self::evaluate::integer;
use self::expand::Unroller;
use self::scope::{Binding, Scope};
use super::syntax::{SyntaxError, expression, items, print_function};
use crate::error::{Error, Result};

pub use super::syntax::UNROLL_DIRECTIVE;

/// What is known when a text is expanded.
pub trait Known {
    /// Value of a constant, or of an integer table or pure function at the given arguments.
    fn integer(&self, name: &str, arguments: &[i64]) -> Option<ConstInt>;
    /// What replaces the call `name(index…`: for a getter the whole call, for a setter its left-hand side.
    fn element(&self, name: &str, index: i64) -> Option<Element>;
    /// Whether a function, or one that it calls, reads or writes registers.
    fn accesses(&self, name: &str) -> bool;
}

/// A known integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstInt {
    /// Its value.
    pub value: i64,
    /// Whether it is an `i32`; else a `u32`.
    pub signed: bool,
}

/// What stands for an element of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A literal number in the place of the call of a getter.
    Value(String),
    /// A register, read by a getter and written by a setter.
    Register(String),
}

/// Variables that are constants in the texts that are expanded.
const LANE_CONSTANTS: [&str; 2] = ["lane", "lanes"];

/// Most turns of a loop that is written out.
pub const MAX_TRIP_COUNT: usize = 512;

/// Most statements that one function may grow to: beyond that no driver compiles it in time.
const MAX_LINES: usize = 60_000;

/// Writes out the marked loops of a declaration of a module.
///
/// # Errors
/// [`Error::Device`] for a malformed function or loop, or a text that grows beyond all bounds: defects of a kernel.
pub fn unroll(text: &str, known: &dyn Known) -> Result<String> {
    if !text.contains(UNROLL_DIRECTIVE) {
        return Ok(text.to_string());
    }
    let malformed = |e: SyntaxError| Error::Device(format!("a function with {UNROLL_DIRECTIVE}: {e}"));
    let mut written = Vec::new();
    for item in items(text).map_err(malformed)? {
        let function = item.function().map_err(malformed)?;
        written.push(print_function(&Unroller::new(known).function(&function)?));
    }
    Ok(written.join("\n\n"))
}

/// Value of an integer expression in which `name` stands for `value`.
pub fn evaluate(text: &str, name: &str, value: i64, known: &dyn Known) -> Option<ConstInt> {
    let mut scope = Scope::default();
    scope.bind(name, Binding::Known(ConstInt { value, signed: false }));
    integer(&expression(text).ok()?, &scope, known)
}
