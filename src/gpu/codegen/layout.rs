//! Where every field lives on the GPU, made from the table of fields.
//!
//! Worlds are tiled: element i of a field of world w is at `(w / tile) * stride * tile + (offset + i) * tile
//! + w % tile` of the arena of its element type. Only fields that some kernel names get a space.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Model;
use crate::model::data::Data;
use crate::schema::{Elem, Field, Sizes, Values};

/// The kind of memory that holds a field.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressSpace {
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

/// AddressSpace of one field.
#[derive(Clone, Debug)]
pub struct Slot {
    /// What the table says.
    pub field: Field,
    /// First element in its buffer (of one world).
    pub offset: usize,
    /// Number of elements of one world.
    pub len: usize,
    /// The kind of memory.
    pub space: AddressSpace,
}

/// Fields that kernels keep to themselves: nothing outside of a dispatch sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkingSet {
    /// Where: [`AddressSpace::Register`] or [`AddressSpace::Workgroup`].
    pub space: AddressSpace,
    /// Which.
    pub fields: BTreeSet<&'static str>,
}

impl WorkingSet {
    /// No field.
    pub const NONE: Self = Self { space: AddressSpace::Register, fields: BTreeSet::new() };
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
    /// Places every field of `used`; model fields in `per_world` get a value per world.
    pub fn new(
        model: &Model,
        sizes: Sizes,
        tile: usize,
        used: &BTreeSet<&'static str>,
        per_world: &BTreeSet<&'static str>,
        working_set: &WorkingSet,
    ) -> Self {
        let mut layout =
            Self { sizes, tile, stride_f: 0, stride_i: 0, model_f: 0, model_i: 0, slots: BTreeMap::new() };
        // what steps on its own, in the order of the table
        for field in Data::<f64>::FIELDS.iter().filter(|f| used.contains(f.name)) {
            let here = working_set.fields.contains(field.name);
            layout.space(*field, if here { working_set.space.clone() } else { AddressSpace::World });
        }
        // what is the same for all worlds, unless it was per_world
        for field in Model::<f64>::FIELDS.iter().filter(|f| used.contains(f.name)) {
            let space = if per_world.contains(field.name) {
                AddressSpace::World
            } else {
                shared_field_space(model, field)
            };
            layout.space(*field, space);
        }
        layout
    }

    fn space(&mut self, field: Field, space: AddressSpace) {
        let len = field.len(&self.sizes);
        let end = match (&space, field.elem) {
            (AddressSpace::World, Elem::Real) => &mut self.stride_f,
            (AddressSpace::World, Elem::Int) => &mut self.stride_i,
            (AddressSpace::Model, Elem::Real) => &mut self.model_f,
            (AddressSpace::Model, Elem::Int) => &mut self.model_i,
            (AddressSpace::Literal(_) | AddressSpace::Register | AddressSpace::Workgroup, _) => &mut 0,
        };
        let offset = *end;
        *end += len;
        self.slots.insert(field.name, Slot { field, offset, len, space });
    }

    /// AddressSpace of a field that kernels use.
    pub fn slot(&self, name: &str) -> Option<&Slot> {
        self.slots.get(name)
    }

    /// Places of all fields.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots.values()
    }

    /// The same with some fields elsewhere; they keep their room in the arena.
    pub fn relocated(&self, fields: &BTreeSet<&'static str>, space: &AddressSpace) -> Self {
        let mut layout = self.clone();
        for slot in layout.slots.values_mut().filter(|s| fields.contains(s.field.name)) {
            slot.space = space.clone();
        }
        layout
    }

    /// Bytes of workgroup memory that fields take.
    pub fn workgroup_bytes(&self) -> usize {
        let here = self.slots().filter(|s| s.space == AddressSpace::Workgroup);
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
        for slot in self.slots().filter(|s| s.space == AddressSpace::Model) {
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
fn shared_field_space(model: &Model, field: &Field) -> AddressSpace {
    let short = field.name.starts_with("opt_") || field.name.starts_with("stat_");
    match model.get(field.name) {
        Some(values) if short => AddressSpace::Literal(values.to_f64()),
        _ => AddressSpace::Model,
    }
}
