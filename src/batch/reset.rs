//! Worlds in another state: resets, and copies of one to others.

use super::{Batch, Worlds, selection};
use crate::error::{Error, Result};

/// Where worlds go when they are reset: `None` is the initial state of their model, a number a keyframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys<'a> {
    /// All worlds to the same one.
    Common(Option<usize>),
    /// Each world to its own.
    Each(&'a [Option<usize>]),
}

impl From<Option<usize>> for Keys<'_> {
    fn from(key: Option<usize>) -> Self {
        Self::Common(key)
    }
}

impl<'a> From<&'a [Option<usize>]> for Keys<'a> {
    fn from(keys: &'a [Option<usize>]) -> Self {
        Self::Each(keys)
    }
}

impl<'a> From<&'a Vec<Option<usize>>> for Keys<'a> {
    fn from(keys: &'a Vec<Option<usize>>) -> Self {
        Self::Each(keys)
    }
}

impl<'a, const N: usize> From<&'a [Option<usize>; N]> for Keys<'a> {
    fn from(keys: &'a [Option<usize>; N]) -> Self {
        Self::Each(keys)
    }
}

impl Batch {
    /// Resets some worlds to their initial state or to keyframes, and clears their status.
    ///
    /// ```
    /// use manyworlds::prelude::*;
    /// # let model = load_str(
    /// #     "<mujoco><worldbody><body><joint/><geom size='0.1' pos='1 0 0'/></body></worldbody>\
    /// #      <keyframe><key qpos='1'/></keyframe></mujoco>")?;
    /// let mut batch = Batch::new(&model, 3, &BatchOptions::on(Backend::Cpu))?;
    /// batch.reset(.., Some(0))?;
    /// batch.reset(1..3, &[None, Some(0)])?;
    /// assert_eq!(batch.get("qpos", ..)?.data.to_f64(), [1.0, 0.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for another number of keyframes than worlds, or a keyframe out of range; as
    /// [`Worlds::resolve`].
    pub fn reset<'w, 'k>(&mut self, worlds: impl Into<Worlds<'w>>, keys: impl Into<Keys<'k>>) -> Result<()> {
        let (worlds, nkey) = (self.resolve(worlds)?, self.sizes().nkey);
        let keys = match keys.into() {
            Keys::Common(key) => vec![key; worlds.len()],
            Keys::Each(keys) => keys.to_vec(),
        };
        if keys.len() != worlds.len() {
            let (got, want) = (keys.len(), worlds.len());
            return Err(Error::Argument(format!("{got} keyframes are given for {want} worlds")));
        }
        if let Some(k) = keys.iter().flatten().find(|k| **k >= nkey) {
            return Err(Error::Argument(format!(
                "keyframe {k} does not exist: the model has {nkey}, from 0"
            )));
        }
        self.engine.reset(&worlds, &keys)
    }

    /// Copies world `from`, results included, to some worlds. Where fields of the model differ, these are copied too.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world out of range; as [`Worlds::resolve`].
    pub fn broadcast<'w>(&mut self, from: usize, worlds: impl Into<Worlds<'w>>) -> Result<()> {
        selection::check(Some(from), self.worlds)?;
        let worlds = self.resolve(worlds)?;
        let others: Vec<usize> = worlds.into_iter().filter(|w| *w != from).collect();
        self.engine.broadcast(from, &others)
    }
}
