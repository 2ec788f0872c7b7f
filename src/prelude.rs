//! What most programs need: `use manyworlds::prelude::*;`.

pub use crate::batch::{Backend, Batch, BatchOptions, Draw, Randomization, Snapshot, View};
pub use crate::error::{Error, Result};
pub use crate::formats::npz::{Array, ArrayData};
pub use crate::model::Model;
pub use crate::model::data::{Capacity, Data};
pub use crate::schema::Kind;
pub use crate::{load, load_str};
