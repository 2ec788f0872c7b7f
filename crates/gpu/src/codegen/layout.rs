//! GPU memory layout of every field, from the field table.
//!
//! Worlds are tiled: element i of a field of world w is at `(w / tile) * stride * tile + (offset + i) * tile + w %
//! tile` in the arena of its element type. With one lane per world the worlds of a group are side by side (a tile is a
//! group), so that neighbouring invocations read neighbouring addresses; with several lanes, each world is by itself (a
//! tile is one world). Only fields named by a kernel are placed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::tiling::Tiling;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::schema::{Elem, Field, Sizes, Values};

/// Banks of workgroup memory, on every GPU that we know.
const BANKS: usize = 32;

/// Address space of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum AddressSpace {
    /// The arena of all worlds: one value per world.
    World,
    /// The read-only model buffer: one value for all worlds.
    Model,
    /// Variables of an invocation, one for each element; indices must be known at generation time.
    Register,
    /// Memory of the workgroup, one world after the other.
    Workgroup,
    /// Literals in the kernel's text.
    Literal(Vec<f64>),
    /// Nowhere: what kernels write is lost, and none of them reads it.
    Discarded,
}

/// Placement of one field.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Entry in the field table.
    pub field: Field,
    /// First element in its buffer (of one world).
    pub offset: usize,
    /// Number of elements of one world.
    pub len: usize,
    /// The address space.
    pub space: AddressSpace,
}

/// Working set: fields private to a dispatch, kept outside storage.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkingSet {
    /// [`AddressSpace::Register`] or [`AddressSpace::Workgroup`].
    pub space: AddressSpace,
    /// Names of the fields.
    pub fields: BTreeSet<&'static str>,
}

impl WorkingSet {
    /// The empty working set.
    pub const NONE: Self = Self { space: AddressSpace::Register, fields: BTreeSet::new() };
}

/// Placement of all fields that kernels use.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Lengths of the axes, capacities included.
    pub sizes: Sizes,
    /// Worlds side by side.
    pub tile: usize,
    /// Lanes per world.
    pub lanes: usize,
    /// Worlds per workgroup.
    pub worlds_per_group: usize,
    /// Buffers hold a multiple of this number of worlds, so that every kernel finds whole workgroups.
    pub world_multiple: usize,
    /// Real elements per world.
    pub stride_f: usize,
    /// Integer elements per world.
    pub stride_i: usize,
    /// Real elements that a reset zeroes.
    pub zeroed_f: Range<usize>,
    /// Integer elements that a reset zeroes.
    pub zeroed_i: Range<usize>,
    /// Real elements of the model buffer.
    pub model_f: usize,
    /// Integer elements of the model buffer.
    pub model_i: usize,
    group_f: usize,
    group_i: usize,
    slots: BTreeMap<&'static str, Slot>,
}

impl Layout {
    /// Places every field of `used`; model fields in `per_world` get a value for each world.
    pub fn new(
        model: &Model,
        sizes: Sizes,
        tiling: Tiling,
        used: &BTreeSet<&'static str>,
        per_world: &BTreeSet<&'static str>,
        working_set: &WorkingSet,
    ) -> Self {
        let mut layout = Self {
            sizes,
            tile: if tiling.lanes == 1 { tiling.tile } else { 1 },
            lanes: tiling.lanes,
            worlds_per_group: tiling.tile,
            world_multiple: tiling.tile,
            stride_f: 0,
            stride_i: 0,
            zeroed_f: 0..0,
            zeroed_i: 0..0,
            model_f: 0,
            model_i: 0,
            group_f: 0,
            group_i: 0,
            slots: BTreeMap::new(),
        };
        // Data fields, in table order: first those that outlast a step, since layouts with reduced stores move the others, and of them first
        // those that outlast a reset
        let mut fields: Vec<&Field> = Data::<f64>::FIELDS.iter().filter(|f| used.contains(f.name)).collect();
        fields.sort_by_key(|f| (f.is_zeroed_by_reset(), !f.outlasts_a_step()));
        let (zeroed, count) = (fields.partition_point(|f| !f.is_zeroed_by_reset()), fields.len());
        for (k, field) in fields.into_iter().enumerate() {
            if k == zeroed {
                (layout.zeroed_f.start, layout.zeroed_i.start) = (layout.stride_f, layout.stride_i);
            }
            let here = working_set.fields.contains(field.name);
            layout.space(*field, if here { working_set.space.clone() } else { AddressSpace::World });
        }
        (layout.zeroed_f.end, layout.zeroed_i.end) = (layout.stride_f, layout.stride_i);
        if zeroed == count {
            (layout.zeroed_f.start, layout.zeroed_i.start) = (layout.stride_f, layout.stride_i);
        }
        // model fields: shared by all worlds, except those in `per_world`
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
        let len = stored_len(&field, &self.sizes);
        let end = match (&space, field.elem) {
            (AddressSpace::World, Elem::Real) => &mut self.stride_f,
            (AddressSpace::World, Elem::Int) => &mut self.stride_i,
            (AddressSpace::Model, Elem::Real) => &mut self.model_f,
            (AddressSpace::Model, Elem::Int) => &mut self.model_i,
            (AddressSpace::Workgroup, Elem::Real) => &mut self.group_f,
            (AddressSpace::Workgroup, Elem::Int) => &mut self.group_i,
            (AddressSpace::Literal(_) | AddressSpace::Register | AddressSpace::Discarded, _) => &mut 0,
        };
        let offset = *end;
        *end += len;
        self.slots.insert(field.name, Slot { field, offset, len, space });
    }

    /// Placement of a field; `None` if no kernel uses it.
    pub fn slot(&self, name: &str) -> Option<&Slot> {
        self.slots.get(name)
    }

    /// Placements of all fields.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots.values()
    }

    /// A copy with some fields in another address space; their place in the arena stays reserved.
    pub fn relocated(&self, fields: &BTreeSet<&'static str>, space: &AddressSpace) -> Self {
        let mut layout = self.clone();
        for name in fields {
            if let Some(field) = layout.slots.get(name).map(|s| s.field) {
                layout.space(field, space.clone());
            }
        }
        layout
    }

    /// A copy with other places for some fields of the arena, and none for others.
    pub(super) fn replaced(
        &self,
        places: impl Iterator<Item = Slot>,
        discarded: &BTreeSet<&'static str>,
    ) -> Self {
        let layout = self.relocated(discarded, &AddressSpace::Discarded);
        let slots = layout.slots.into_iter().chain(places.map(|slot| (slot.field.name, slot))).collect();
        Self { slots, ..layout }
    }

    /// A copy in which workgroup memory holds the `used` fields only.
    pub fn compacted(&self, used: &BTreeSet<&'static str>) -> Self {
        let mut layout = self.clone();
        (layout.group_f, layout.group_i) = (0, 0);
        let here: Vec<Field> =
            self.slots().filter(|s| s.space == AddressSpace::Workgroup).map(|s| s.field).collect();
        for field in here.into_iter().filter(|f| used.contains(f.name)) {
            layout.space(field, AddressSpace::Workgroup);
        }
        layout
    }

    /// Elements from one world to the next in the workgroup's array of reals or integers: padded, so that the lanes
    /// of neighbouring worlds read different banks.
    pub fn group_stride(&self, elem: Elem) -> usize {
        let len = if elem == Elem::Int { self.group_i } else { self.group_f };
        let banks = |n: &usize| n % BANKS == self.lanes % BANKS;
        if len == 0 || self.worlds_per_group == 1 { len } else { (len..).find(banks).unwrap_or(len) }
    }

    /// The layout of kernels with another tiling of the same arena, and a working set of their own.
    pub fn retiled(&self, tiling: Tiling, working_set: &WorkingSet) -> Self {
        let layout = Self { lanes: tiling.lanes, worlds_per_group: tiling.tile, ..self.clone() };
        layout.relocated(&working_set.fields, &working_set.space)
    }

    /// Bytes of workgroup memory used by fields.
    pub fn workgroup_bytes(&self) -> usize {
        let stride = self.group_stride(Elem::Real) + self.group_stride(Elem::Int);
        4 * stride * self.worlds_per_group
    }

    /// Words of the reals or integers, whichever are more, of as many worlds as an arena has at least.
    pub fn words_of_group(&self) -> u64 {
        self.stride_f.max(self.stride_i).max(1) as u64 * self.world_multiple as u64
    }

    /// Bytes of arena per world.
    pub fn bytes_per_world(&self) -> usize {
        4 * (self.stride_f + self.stride_i)
    }

    /// Bytes of a world's arena up to the last field of each type: what kernels of this layout touch at most.
    pub fn touched_bytes(&self) -> usize {
        let slots = || self.slots().filter(|s| s.space == AddressSpace::World);
        4 * (end(slots(), Elem::Real) + end(slots(), Elem::Int))
    }

    /// Contents of the model buffers: real, integer.
    #[allow(clippy::cast_possible_truncation)]
    pub fn model_buffers(&self, model: &Model) -> (Vec<f32>, Vec<i32>) {
        let (mut reals, mut ints) = (vec![0.0; self.model_f], vec![0; self.model_i]);
        for slot in self.slots().filter(|s| s.space == AddressSpace::Model) {
            match model.get(slot.field.name) {
                Some(Values::Real(v)) => {
                    for (to, from) in reals[slot.offset..].iter_mut().zip(v.iter()) {
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

/// Elements of a field of one world as kernels keep it: rows of the Jacobian without what lies outside of their trees,
/// where a row has a width of its own.
pub(crate) fn stored_len(field: &Field, sizes: &Sizes) -> usize {
    if field.name == "efc_J" && sizes.nvrow > 0 { sizes.njmax * sizes.nvrow } else { field.len(sizes) }
}

/// End of the last slot of a type.
pub(super) fn end<'a>(slots: impl Iterator<Item = &'a Slot>, elem: Elem) -> usize {
    slots.filter(|s| s.field.elem == elem).map(|s| s.offset + s.len).max().unwrap_or(0)
}

/// Options and statistics become literals; other model fields go to the model buffer.
fn shared_field_space(model: &Model, field: &Field) -> AddressSpace {
    let short = field.name.starts_with("opt_") || field.name.starts_with("stat_");
    match model.get(field.name) {
        Some(values) if short => AddressSpace::Literal(values.to_f64()),
        _ => AddressSpace::Model,
    }
}
