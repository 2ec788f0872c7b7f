//! Kernels of a caller's own: WGSL that reads and writes fields by the accessors that the engine's kernels have.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::access;
use super::compose::{Composer, valid_module};
use super::layout::{AddressSpace, Layout};
use manyworlds_model::error::{Error, Result};

/// Import path of the caller's text.
const MODULE: &str = "package::own";

impl Composer {
    /// The module that runs the function `name` of a caller's text for the worlds of an arena, of which the first one has
    /// the number `first_world`.
    ///
    /// # Errors
    /// [`Error::Argument`] for text that is malformed, that lacks the function, or that uses a field that these kernels do
    /// not store: with the report of naga, which has the lines concerned.
    pub(crate) fn own_module(
        &self,
        name: &str,
        text: &str,
        first_world: usize,
        layout: &Layout,
    ) -> Result<naga::Module> {
        let fail = |why: String| Error::Argument(format!("kernel '{name}': {why}"));
        let mut library = self.library().clone();
        library.add(MODULE, text).map_err(&fail)?;
        if !library.has_function(MODULE, name) {
            return Err(fail(format!("the text has no function '{name}'")));
        }
        // the text sees what the engine's kernels see, and the number of its world
        let absent = RefCell::new(BTreeSet::new());
        let provide = |word: &str| {
            if word == "world_number" {
                return Some(world_number(first_world));
            }
            if let Some(found) = access::parse(word) {
                let slot = layout.slot(found.field.name);
                if slot.is_none_or(|s| {
                    !matches!(s.space, AddressSpace::World | AddressSpace::Model | AddressSpace::Literal(_))
                }) {
                    absent.borrow_mut().insert(found.field.name);
                    return None;
                }
            }
            self.provided(word, layout)
        };
        let Ok(linked) =
            library.link(&[self.entry(&[&format!("own::{name}")], 1)], provide, super::link::identity);
        if let Some(field) = absent.borrow().first() {
            return Err(fail(format!("the kernels of this model do not keep the field '{field}'")));
        }
        valid_module(&linked).map_err(fail)
    }
}

/// The number of this invocation's world in its batch.
fn world_number(first: usize) -> String {
    format!(
        "fn world_number() -> u32 {{\n    \
         return {first}u + base_f / (stride_f * worlds_per_group) * worlds_per_group + slot;\n}}"
    )
}
