//! When a world on the CPU keeps the results of sleeping trees.

use super::Model;
use super::data::Data;
use super::kept::Kept;
use crate::real::Real;

impl<T: Real> Data<T> {
    /// From now on, stages leave out what belongs to sleeping trees, as long as its results would be the same to the bit.
    /// The state may change at any time, and so may gravity and the flags of the options. Whoever changes other numbers of the
    /// model, or writes results in place but by [`Data::get_mut`], calls [`Data::forget_asleep`]; for a model of another
    /// structure, this again. Copies of the world compute everything once. Nothing happens in a model without sleep.
    pub fn keep_asleep(&mut self, model: &Model<T>) {
        let sleeps = !self.tree_asleep.is_empty();
        self.kept = sleeps.then(|| Box::new(Kept::new(model)));
    }

    /// Takes no result of sleeping trees for valid any more: each stage computes them once more.
    pub fn forget_asleep(&mut self) {
        if let Some(kept) = &mut self.kept {
            kept.forget();
        }
    }
}
