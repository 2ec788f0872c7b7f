//! Worlds that a call concerns.

use std::ops::{Range, RangeFull};

use crate::error::{Error, Result};

/// Worlds that a call concerns: `..` for all, a range, a list in ascending order, or a mask with an entry for each world.
///
/// ```
/// use manyworlds::prelude::*;
/// # let model = load_str("<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body></worldbody></mujoco>")?;
/// let mut batch = Batch::new(&model, 4, &BatchOptions::on(Backend::Cpu))?;
/// assert_eq!(batch.get("qpos", ..)?.shape, [4, 7]);
/// assert_eq!(batch.get("qpos", 1..3)?.shape, [2, 7]);
/// assert_eq!(batch.get("qpos", &[0, 3])?.shape, [2, 7]);
/// assert_eq!(batch.get("qpos", &[true, false, false, false])?.shape, [1, 7]);
/// assert!(batch.get("qpos", 4).is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Worlds<'a> {
    /// All worlds.
    All,
    /// Worlds from the first to before the last.
    Range(Range<usize>),
    /// Worlds in ascending order, each once.
    List(&'a [usize]),
    /// True for each world that is meant.
    Mask(&'a [bool]),
}

impl Worlds<'_> {
    /// The worlds in ascending order, of a batch of so many.
    ///
    /// # Errors
    /// [`Error::Argument`] for a world that the batch does not have, a list in another order, or a mask of another length.
    pub fn resolve(self, count: usize) -> Result<Vec<usize>> {
        match self {
            Self::All => Ok((0..count).collect()),
            Self::Range(range) => {
                check(range.end.checked_sub(1).filter(|_| !range.is_empty()), count)?;
                Ok(range.collect())
            }
            Self::List(list) => {
                check(list.iter().max().copied(), count)?;
                match list.windows(2).find(|pair| pair[0] >= pair[1]) {
                    Some(pair) => Err(Error::Argument(format!(
                        "world {} follows world {} in a list of worlds; it has to be in ascending order, each world once",
                        pair[1], pair[0]
                    ))),
                    None => Ok(list.to_vec()),
                }
            }
            Self::Mask(mask) if mask.len() != count => {
                let got = mask.len();
                Err(Error::Argument(format!("the mask has {got} elements; the batch has {count} worlds")))
            }
            Self::Mask(mask) => Ok((0..count).filter(|&w| mask[w]).collect()),
        }
    }
}

/// Rejects a world beyond the last of a batch.
pub(super) fn check(world: Option<usize>, count: usize) -> Result<()> {
    match world {
        Some(world) if world >= count => {
            Err(Error::Argument(format!("there is no world {world}: the batch has {count}")))
        }
        _ => Ok(()),
    }
}

impl From<RangeFull> for Worlds<'_> {
    fn from(_: RangeFull) -> Self {
        Self::All
    }
}

impl From<Range<usize>> for Worlds<'_> {
    fn from(range: Range<usize>) -> Self {
        Self::Range(range)
    }
}

/// One world.
impl From<usize> for Worlds<'_> {
    fn from(world: usize) -> Self {
        Self::Range(world..world.saturating_add(1))
    }
}

/// A mask, or all worlds without one.
impl<'a> From<Option<&'a [bool]>> for Worlds<'a> {
    fn from(mask: Option<&'a [bool]>) -> Self {
        mask.map_or(Self::All, Self::Mask)
    }
}

macro_rules! from_slices {
    ($($element:ty: $variant:ident;)*) => {$(
        impl<'a> From<&'a [$element]> for Worlds<'a> {
            fn from(slice: &'a [$element]) -> Self {
                Self::$variant(slice)
            }
        }
        impl<'a> From<&'a Vec<$element>> for Worlds<'a> {
            fn from(slice: &'a Vec<$element>) -> Self {
                Self::$variant(slice)
            }
        }
        impl<'a, const N: usize> From<&'a [$element; N]> for Worlds<'a> {
            fn from(slice: &'a [$element; N]) -> Self {
                Self::$variant(slice)
            }
        }
    )*};
}

from_slices! {
    usize: List;
    bool: Mask;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_say_worlds_gives_the_same_list() {
        let all = |worlds: Worlds<'_>| worlds.resolve(4);
        assert_eq!(all((..).into()).ok(), Some(vec![0, 1, 2, 3]));
        let mask = [false, true, true, false];
        for worlds in [Worlds::from(1..3), (&[1, 2]).into(), (&mask).into(), Some(mask.as_slice()).into()] {
            assert_eq!(all(worlds).ok(), Some(vec![1, 2]));
        }
        assert_eq!(all(3.into()).ok(), Some(vec![3]));
        assert_eq!(all((7..7).into()).ok(), Some(vec![]));
    }

    #[test]
    fn what_is_no_selection_is_named() {
        let why = |worlds: Worlds<'_>| worlds.resolve(4).err().map(|e| e.to_string()).unwrap_or_default();
        assert_eq!(why((2..5).into()), "there is no world 4: the batch has 4");
        assert_eq!(why((&[0, 9]).into()), "there is no world 9: the batch has 4");
        assert!(why((&[2, 1]).into()).starts_with("world 1 follows world 2"));
        assert!(why((&[1, 1]).into()).starts_with("world 1 follows world 1"));
        assert_eq!(why((&[true]).into()), "the mask has 1 elements; the batch has 4 worlds");
    }
}
