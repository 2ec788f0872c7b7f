//! Lifetimes of fields in a step whose results the host does not read: which fields no stage reads, and which can share
//! memory.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::layout::{AddressSpace, Layout, Slot, end};
use super::schedule::StageAccess;
use manyworlds_model::schema::Elem;

/// Stages of a step, by their place in it, that need the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Longer than a step: state, sensors, or a field that is read before it is written.
    Lasting,
    /// From the stage that first writes the field to the last one that reads or writes it.
    Within(usize, usize),
    /// Some stage writes the field, and none reads it.
    None,
    /// No stage knows the field: what it holds was computed on demand.
    Untouched,
}

/// Lifetime of a field in repeated steps of the given stages. A first stage that both reads and writes a field is taken
/// to write it first, unless the table says that the field is carried from step to step.
pub fn lifetime(slot: &Slot, step: &[StageAccess]) -> Lifetime {
    if slot.field.outlasts_a_step() {
        return Lifetime::Lasting;
    }
    let name = slot.field.name;
    let read = |a: &StageAccess| a.reads.contains(name);
    let written = |a: &StageAccess| a.writes.contains(name);
    match (step.iter().position(written), step.iter().position(read)) {
        (None, None) => Lifetime::Untouched,
        (Some(_), None) => Lifetime::None,
        (Some(write), Some(first)) if write <= first => {
            let last = step.iter().rposition(|a| read(a) || written(a));
            Lifetime::Within(write, last.unwrap_or(write))
        }
        _ => Lifetime::Lasting,
    }
}

impl Layout {
    /// The layout of steps whose results the host does not read, with reduced stores: fields that no stage reads lose their
    /// memory, fields that are never needed in the same stage share it, and those of [`Lifetime::Lasting`] and
    /// [`Lifetime::Untouched`] keep it. Only fields of the worlds' arena move, within it. `None` if they would not fit.
    pub fn reduced(&self, step: &[StageAccess]) -> Option<Self> {
        let mut moving: Vec<Occupied> = Vec::new();
        let mut placed: Vec<Occupied> = Vec::new();
        let (mut discarded, mut untouched) = (BTreeSet::new(), BTreeSet::new());
        for slot in self.slots().filter(|s| s.space == AddressSpace::World) {
            match lifetime(slot, step) {
                Lifetime::None => {
                    discarded.insert(slot.field.name);
                }
                Lifetime::Untouched => {
                    untouched.insert(slot.field.name);
                    placed.push(Occupied { slot: slot.clone(), first: 0, last: step.len() });
                }
                Lifetime::Within(first, last) => moving.push(Occupied { slot: slot.clone(), first, last }),
                Lifetime::Lasting => {
                    placed.push(Occupied { slot: slot.clone(), first: 0, last: step.len() });
                }
            }
        }
        // those that live longest first, then the largest, each at the lowest place that is free while it lives
        moving.sort_by_key(|field| {
            (Reverse(field.last - field.first), Reverse(field.slot.len), field.slot.field.name)
        });
        for mut field in moving {
            placed.sort_by_key(|other| other.slot.offset);
            let mut free = 0;
            for other in placed.iter().filter(|other| field.meets(other)).map(|other| &other.slot) {
                if free + field.slot.len > other.offset {
                    free = free.max(other.offset + other.len);
                }
            }
            field.slot.offset = free;
            placed.push(field);
        }
        let end = |elem| end(placed.iter().map(|p| &p.slot), elem);
        let fits = end(Elem::Real) <= self.stride_f && end(Elem::Int) <= self.stride_i;
        // these kernels do not name untouched fields, which keep their memory
        placed.retain(|p| !untouched.contains(p.slot.field.name));
        discarded.append(&mut untouched);
        fits.then(|| self.replaced(placed.into_iter().map(|p| p.slot), &discarded))
    }
}

/// A field's place, and the stages in which it needs it.
struct Occupied {
    slot: Slot,
    first: usize,
    last: usize,
}

impl Occupied {
    /// True if both need their places at once, in the same arena.
    fn meets(&self, other: &Self) -> bool {
        self.slot.field.elem == other.slot.field.elem && self.first <= other.last && other.first <= self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::layout::WorkingSet;
    use crate::codegen::tiling::{Tiling, WorkingSetSpace};
    use manyworlds_model::model::Model;

    /// A stage that reads and writes the fields named in two lists.
    fn stage(reads: &'static str, writes: &'static str) -> StageAccess {
        let of = |names: &'static str| names.split_whitespace().collect();
        StageAccess { reads: of(reads), writes: of(writes) }
    }

    /// A step of five stages.
    fn step() -> Vec<StageAccess> {
        vec![
            stage("qpos", "xpos xquat"),
            stage("xpos qvel", "cvel"),
            stage("cvel qacc_warmstart", "qacc"),
            stage("qacc qM", "qvel solver_niter"),
            stage("qvel", "qpos sensordata"),
        ]
    }

    fn layout() -> Layout {
        let model = manyworlds_mjcf::load_str(
            "<mujoco><worldbody><body name='b'><joint/><geom size='0.1'/></body></worldbody>\
             <sensor><subtreecom body='b'/></sensor></mujoco>",
        );
        let model: Model = model.expect("a model");
        let used = ["qpos", "qvel", "xpos", "xquat", "cvel", "qacc", "qacc_warmstart", "sensordata"];
        let tiling = Tiling { lanes: 1, tile: 8, placement: WorkingSetSpace::Storage };
        Layout::new(&model, model.sizes, tiling, &BTreeSet::from(used), &BTreeSet::new(), &WorkingSet::NONE)
    }

    #[test]
    fn lifetimes_run_from_the_first_writer_to_the_last_reader() {
        let layout = layout();
        let of = |name| lifetime(layout.slot(name).expect("used"), &step());
        assert_eq!([of("qpos"), of("qvel"), of("sensordata")], [Lifetime::Lasting; 3]);
        assert_eq!((of("xpos"), of("cvel"), of("qacc")), {
            (Lifetime::Within(0, 1), Lifetime::Within(1, 2), Lifetime::Within(2, 3))
        });
        assert_eq!(of("xquat"), Lifetime::None);
    }

    #[test]
    fn a_field_that_is_read_first_lasts() {
        let layout = layout();
        let late = [stage("", ""), stage("cvel", ""), stage("", "cvel")];
        let slot = layout.slot("cvel").expect("used");
        assert_eq!(lifetime(slot, &late), Lifetime::Lasting);
        assert_eq!(lifetime(slot, &late[..1]), Lifetime::Untouched);
        // so does one that is never written
        assert_eq!(lifetime(slot, &late[..2]), Lifetime::Lasting);
    }

    #[test]
    fn fields_share_memory_unless_they_live_at_once() {
        let (layout, step) = (layout(), step());
        let reduced = layout.reduced(&step).expect("smaller");
        let within = |slot: &&Slot| matches!(lifetime(slot, &step), Lifetime::Within(..));
        for a in reduced.slots().filter(within) {
            for b in reduced.slots().filter(|b| b.field.name != a.field.name && b.field.elem == a.field.elem)
            {
                let apart = a.offset + a.len <= b.offset || b.offset + b.len <= a.offset;
                let at_once = match (lifetime(a, &step), lifetime(b, &step)) {
                    (Lifetime::Within(a0, a1), Lifetime::Within(b0, b1)) => a0 <= b1 && b0 <= a1,
                    (_, Lifetime::Lasting) => true,
                    _ => false,
                };
                assert!(apart || !at_once, "{} and {}", a.field.name, b.field.name);
            }
        }
        // state stays, a field without a reader goes, and less memory is touched
        let place = |layout: &Layout, name| layout.slot(name).map(|s| (s.offset, s.space.clone()));
        assert_eq!(place(&reduced, "qvel"), place(&layout, "qvel"));
        assert_eq!(place(&reduced, "xquat").map(|p| p.1), Some(AddressSpace::Discarded));
        assert!(reduced.touched_bytes() < layout.touched_bytes());
        assert_eq!((reduced.stride_f, reduced.stride_i), (layout.stride_f, layout.stride_i));
    }
}
