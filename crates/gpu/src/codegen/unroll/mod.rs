//! Loop unrolling of WGSL functions, with everything known of the model substituted.
//!
//! A line `//#unroll` above a `for` loop asks for it. The loop is unrolled if its bounds are known: sizes, integer
//! tables of the model, `lane` and `lanes` with one lane per world, enclosing unrolled loops. Otherwise it stays a
//! loop, so that one text serves worlds of one lane and of many. In unrolled code, `let` names of known integers
//! disappear, and accessors get literal indices, as registers require. The copies are not blocks, because drivers
//! take several times longer over a text in many blocks: instead, their names are numbered.
//!
//! Between two changes of control flow, registers and local variables are values in single-assignment form: they are
//! read from their variables at the first use and written back at the end. Drivers that run several worlds in step
//! mask every assignment to a variable inside a loop, and take a multiple of the time for it.
//!
//! The passes work on the syntax tree of a function: `evaluate` finds known integers and conditions, `substitute`
//! puts known values into expressions, `expand` handles control flow and `values` the other statements.

mod evaluate;
mod expand;
mod header;
mod scope;
mod substitute;
#[cfg(test)]
mod tests;
mod values;

use self::evaluate::integer;
use self::scope::Unroller;
use self::scope::{Binding, Scope};
use super::syntax::{SyntaxError, expression, items, print_function};
use manyworlds_model::error::{Error, Result};

pub use super::syntax::UNROLL_DIRECTIVE;

/// Constants, tables and registers known when a text is expanded.
pub trait Known {
    /// Value of a constant, or of an integer table or pure function at the given arguments.
    fn integer(&self, name: &str, arguments: &[i64]) -> Option<ConstInt>;
    /// Replacement of the call `name(index…`: for a getter the whole call, for a setter its left-hand side.
    fn element(&self, name: &str, index: i64) -> Option<Element>;
    /// True if a function, or one that it calls, reads or writes registers.
    fn accesses(&self, name: &str) -> bool;
}

/// A known integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstInt {
    /// Its value.
    pub value: i64,
    /// True for an `i32`, false for a `u32`.
    pub signed: bool,
}

/// Replacement of an element of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A literal number in place of a getter's call.
    Value(String),
    /// A register, read by a getter and written by a setter.
    Register(String),
}

/// Variables that are constants in an expanded text.
const LANE_CONSTANTS: [&str; 2] = ["lane", "lanes"];

/// Most iterations of an unrolled loop.
pub const MAX_TRIP_COUNT: usize = 512;

/// Most statements of one function: beyond that no driver compiles it in reasonable time.
const MAX_LINES: usize = 60_000;

/// Unrolls the marked loops of a declaration of a module.
///
/// # Errors
/// [`Error::Device`] for a malformed function or loop, or a text that grows beyond all bounds: defects of a kernel.
pub fn unroll(text: &str, known: &dyn Known) -> Result<String> {
    if !text.contains(UNROLL_DIRECTIVE) {
        return Ok(text.to_string());
    }
    let malformed = |e: SyntaxError| Error::device(format!("a function with {UNROLL_DIRECTIVE}: {e}"));
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
