//! Where every field lives on the GPU, made from the table of fields.
//!
//! Worlds are tiled: element i of a field of world w is at `(w / tile) * stride * tile + (offset + i) * tile
//! + w % tile` of the arena of its element type. Only fields that some kernel names get a place.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Model;
use crate::model::data::Data;
use crate::schema::{Elem, Field, Sizes, Values};

/// The kind of memory that holds a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The arena of all worlds: one value per world.
    World,
    /// The read-only model buffer: one value for all worlds.
    Model,
    /// Variables of an invocation, one an element: only elements known when the text is made can be accessed.
    Register,
    /// Memory of the workgroup, worlds side by side.
    Workgroup,
    /// Written into the kernel's text.
    Literal(Vec<f64>),
}

/// Place of one field.
#[derive(Clone, Debug)]
pub struct Slot {
    /// What the table says.
    pub field: Field,
    /// First element in its buffer (of one world).
    pub offset: usize,
    /// Number of elements of one world.
    pub len: usize,
    /// The kind of memory.
    pub place: Place,
}

/// Fields that kernels keep to themselves: nothing outside of a dispatch sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Where: [`Place::Register`] or [`Place::Workgroup`].
    pub place: Place,
    /// Which.
    pub fields: BTreeSet<&'static str>,
}

impl Local {
    /// No field.
    pub const NONE: Self = Self { place: Place::Register, fields: BTreeSet::new() };
}

/// Places of all fields that kernels use.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Lengths of the axes, capacities included.
    pub sizes: Sizes,
    /// Worlds side by side.
    pub tile: usize,
    /// Real elements per world.
    pub stride_f: usize,
    /// Integer elements per world.
    pub stride_i: usize,
    /// Real elements of the model buffer.
    pub model_f: usize,
    /// Integer elements of the model buffer.
    pub model_i: usize,
    slots: BTreeMap<&'static str, Slot>,
}

impl Layout {
    /// Places every field of `used`; model fields in `expanded` get a value per world.
    pub fn new(
        model: &Model,
        sizes: Sizes,
        tile: usize,
        used: &BTreeSet<&'static str>,
        expanded: &BTreeSet<&'static str>,
        local: &Local,
    ) -> Self {
        let mut layout =
            Self { sizes, tile, stride_f: 0, stride_i: 0, model_f: 0, model_i: 0, slots: BTreeMap::new() };
        // what steps on its own, in the order of the table
        for field in Data::<f64>::FIELDS.iter().filter(|f| used.contains(f.name)) {
            let here = local.fields.contains(field.name);
            layout.place(*field, if here { local.place.clone() } else { Place::World });
        }
        // what is the same for all worlds, unless it was expanded
        for field in Model::<f64>::FIELDS.iter().filter(|f| used.contains(f.name)) {
            let place = if expanded.contains(field.name) { Place::World } else { constant(model, field) };
            layout.place(*field, place);
        }
        layout
    }

    fn place(&mut self, field: Field, place: Place) {
        let len = field.len(&self.sizes);
        let end = match (&place, field.elem) {
            (Place::World, Elem::Real) => &mut self.stride_f,
            (Place::World, Elem::Int) => &mut self.stride_i,
            (Place::Model, Elem::Real) => &mut self.model_f,
            (Place::Model, Elem::Int) => &mut self.model_i,
            (Place::Literal(_) | Place::Register | Place::Workgroup, _) => &mut 0,
        };
        let offset = *end;
        *end += len;
        self.slots.insert(field.name, Slot { field, offset, len, place });
    }

    /// Place of a field that kernels use.
    pub fn slot(&self, name: &str) -> Option<&Slot> {
        self.slots.get(name)
    }

    /// Places of all fields.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots.values()
    }

    /// The same with some fields elsewhere; they keep their room in the arena.
    pub fn moved(&self, fields: &BTreeSet<&'static str>, place: &Place) -> Self {
        let mut layout = self.clone();
        for slot in layout.slots.values_mut().filter(|s| fields.contains(s.field.name)) {
            slot.place = place.clone();
        }
        layout
    }

    /// Bytes of workgroup memory that fields take.
    pub fn workgroup_bytes(&self) -> usize {
        let here = self.slots().filter(|s| s.place == Place::Workgroup);
        here.map(|s| (4 * s.len * self.tile).max(4).next_multiple_of(16)).sum()
    }

    /// Bytes of arena per world.
    pub fn bytes_per_world(&self) -> usize {
        4 * (self.stride_f + self.stride_i)
    }

    /// Contents of the model buffers: real, integer.
    #[allow(clippy::cast_possible_truncation)]
    pub fn model_buffers(&self, model: &Model) -> (Vec<f32>, Vec<i32>) {
        let (mut reals, mut ints) = (vec![0.0; self.model_f], vec![0; self.model_i]);
        for slot in self.slots().filter(|s| s.place == Place::Model) {
            match model.get(slot.field.name) {
                Some(Values::Real(v)) => {
                    for (to, from) in reals[slot.offset..].iter_mut().zip(v) {
                        *to = *from as f32;
                    }
                }
                Some(Values::Int(v)) => ints[slot.offset..slot.offset + v.len()].copy_from_slice(v),
                None => {}
            }
        }
        (reals, ints)
    }
}

/// Options and statistics go into the text of the kernels; other model fields into the model buffer.
fn constant(model: &Model, field: &Field) -> Place {
    let short = field.name.starts_with("opt_") || field.name.starts_with("stat_");
    match model.get(field.name) {
        Some(values) if short => Place::Literal(values.to_f64()),
        _ => Place::Model,
    }
}
