//! Memory traffic of a step between the worlds' arenas and the kernels, counted from the model.
//!
//! For every dispatch, each arena field that its kernels read counts once, and each that they write counts once:
//! four bytes per element, all elements of the field. Exceptions:
//!
//! - An axis of contacts (`nconmax`) counts the mean number of contacts, one of constraint rows (`njmax`) the
//!   mean number of rows, not the capacity: kernels stop at the counts. Every other axis counts in full, even if a
//!   kernel reads only the part that a body or a joint needs.
//! - Model fields shared by all worlds, or constant in the kernel text, are not counted: caches hold them.
//!   Model fields with a value per world are counted.
//! - Fields in registers or workgroup memory are not counted.
//! - Accesses of the reset of a broken world are not counted. Other conditions are ignored: a field that a kernel
//!   reads or writes under any of them counts.
//! - A field that is read many times within a dispatch (the solver's, in every iteration) counts once, as does
//!   a solver that is dispatched once per iteration (lavapipe): the compulsory misses of an infinite cache.
//!
//! A field that one stage of a dispatch writes and a later stage of it reads counts twice, as a write and as a read.
//! The figure is therefore the memory demand of the partition, a yardstick: real traffic is larger if caches are
//! too small, and smaller if they keep a field from one stage to the next.

use std::collections::BTreeSet;

use crate::codegen::compose::Composer;
use crate::codegen::layout::{AddressSpace, Layout, Slot};
use manyworlds_model::schema::stages::Stage;
use manyworlds_model::schema::{Dim, Elem, Size, Sizes};

/// Bytes per element on the GPU.
const ELEMENT_BYTES: f64 = 4.0;

/// Mean load of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanLoad {
    /// Contacts per world.
    pub contacts: f64,
    /// Constraint rows per world.
    pub rows: f64,
}

/// Traffic of one dispatch per world and step.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Stages, in order.
    pub stages: Vec<Stage>,
    /// Bytes read.
    pub read: f64,
    /// Bytes written.
    pub written: f64,
}

impl Traffic {
    /// Bytes in both directions.
    pub fn bytes(&self) -> f64 {
        self.read + self.written
    }

    /// Names of the stages, joined as in `Batch::stage_times`.
    pub fn name(&self) -> String {
        self.stages.iter().map(|s| s.name()).collect::<Vec<_>>().join("+")
    }
}

/// Traffic of each group of stages as one dispatch.
pub fn traffic(composer: &Composer, layout: &Layout, groups: &[Vec<Stage>], load: MeanLoad) -> Vec<Traffic> {
    let all = |stages: &[Stage], set: bool| {
        let fields = stages.iter().flat_map(|s| composer.accesses(*s, set)).collect();
        bytes(&fields, layout, load)
    };
    let of = |stages: &Vec<Stage>| Traffic {
        stages: stages.clone(),
        read: all(stages, false),
        written: all(stages, true),
    };
    groups.iter().map(of).collect()
}

/// Bytes of a world's arena that kernels of a layout touch at a mean load. Fields may share memory, of which each
/// touches the leading part.
pub fn touched(layout: &Layout, load: MeanLoad) -> f64 {
    let of = |elem| {
        let slots = layout.slots().filter(|s| s.space == AddressSpace::World && s.field.elem == elem);
        let part = |s: &Slot| (s.offset as f64, s.offset as f64 + elements(s, &layout.sizes, load));
        let mut parts: Vec<(f64, f64)> = slots.map(part).collect();
        parts.sort_by(|a, b| a.0.total_cmp(&b.0));
        // length of the union
        let (mut sum, mut reached) = (0.0, 0.0_f64);
        for (from, to) in parts {
            sum += (to - from.max(reached)).max(0.0);
            reached = reached.max(to);
        }
        sum
    };
    ELEMENT_BYTES * (of(Elem::Real) + of(Elem::Int))
}

/// Bytes of those fields that are in the arena.
fn bytes(fields: &BTreeSet<&'static str>, layout: &Layout, load: MeanLoad) -> f64 {
    let slots = fields.iter().filter_map(|name| layout.slot(name)).filter(|s| s.space == AddressSpace::World);
    slots.map(|s| ELEMENT_BYTES * elements(s, &layout.sizes, load)).sum()
}

/// Elements of a field in use, of those that the layout has room for: rows of the Jacobian may be narrower than a world
/// has degrees of freedom.
fn elements(slot: &Slot, sizes: &Sizes, load: MeanLoad) -> f64 {
    slot.field.dims.iter().fold(slot.len as f64, |elements, dim| {
        let used = match *dim {
            Dim::Of(Size::nconmax | Size::nadhesive | Size::nflexcon) => load.contacts,
            Dim::Of(Size::njmax | Size::ndual) => load.rows,
            _ => return elements,
        };
        elements * used / dim.length(sizes).unwrap_or(usize::MAX).max(1) as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codegen::layout::{WorkingSet, stored_len};
    use crate::codegen::schedule::StageAccess;
    use crate::codegen::tiling::{Tiling, WorkingSetSpace};
    use manyworlds_model::model::Model;
    use manyworlds_model::model::data::Data;
    use manyworlds_model::model::schedule;

    const TILING: Tiling = Tiling { lanes: 1, tile: 8, placement: WorkingSetSpace::Storage };
    const LOAD: MeanLoad = MeanLoad { contacts: 2.5, rows: 10.0 };

    fn model(name: &str) -> Model {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
        manyworlds_mjcf::load(&path).expect("our own model")
    }

    /// Bytes of a step with groups that begin where `starts` is true.
    fn of_step(model: &Model, load: MeanLoad, starts: impl Fn(Stage) -> bool) -> (f64, Vec<Traffic>) {
        let sizes = Sizes { nconmax: 24, njmax: 76, ..model.sizes };
        let composer = Composer::new(model, TILING, false).expect("our own kernels");
        let used = composer.fields(&schedule::stages(model).collect::<Vec<_>>());
        let layout = Layout::new(model, sizes, TILING, &used, &BTreeSet::new(), &WorkingSet::NONE);
        let mut groups: Vec<Vec<Stage>> = Vec::new();
        for stage in schedule::step(model) {
            match groups.last_mut() {
                Some(last) if !starts(stage) => last.push(stage),
                _ => groups.push(vec![stage]),
            }
        }
        let all = traffic(&composer, &layout, &groups, load);
        (all.iter().map(Traffic::bytes).sum(), all)
    }

    #[test]
    fn only_slots_in_use_count() {
        let mut sizes = Sizes { nv: 6, nq: 7, nconmax: 24, njmax: 76, ..Sizes::default() };
        let of = |name: &str, sizes: &Sizes| {
            let field = *Data::<f64>::FIELDS.iter().find(|f| f.name == name).expect("a field");
            let len = stored_len(&field, sizes);
            elements(&Slot { field, offset: 0, len, space: AddressSpace::World }, sizes, LOAD)
        };
        let all = ["qpos", "time", "contact_frame", "efc_J"].map(|name| of(name, &sizes));
        assert_eq!(all, [7.0, 1.0, 22.5, 60.0]);
        // rows as wide as four of the six degrees of freedom
        sizes.nvrow = 4;
        assert_eq!(of("efc_J", &sizes), 40.0);
    }

    #[test]
    fn fields_of_the_model_are_free() {
        let model = model("pendulum.xml");
        let composer = Composer::new(&model, TILING, false).expect("our own kernels");
        let used = composer.fields(&schedule::stages(&model).collect::<Vec<_>>());
        let layout = Layout::new(&model, model.sizes, TILING, &used, &BTreeSet::new(), &WorkingSet::NONE);
        // one coordinate of a world; masses and gravity of all worlds
        let fields = BTreeSet::from(["qpos", "body_mass", "opt_gravity", "no_such_field"]);
        assert_eq!(bytes(&fields, &layout, LOAD), 4.0);
        let layout = Layout::new(
            &model,
            model.sizes,
            TILING,
            &used,
            &BTreeSet::from(["body_mass"]),
            &WorkingSet::NONE,
        );
        assert_eq!(bytes(&fields, &layout, LOAD), 4.0 + 4.0 * model.sizes.nbody as f64);
    }

    #[test]
    fn a_dispatch_counts_a_field_once_each_way() {
        let model = model("humanoid.xml");
        let (_, all) = of_step(&model, LOAD, |_| true);
        let of = |name: &str| {
            let found = all.iter().find(|t| t.name() == name).expect("a stage");
            (found.read / ELEMENT_BYTES, found.written / ELEMENT_BYTES)
        };
        let (nq, nv, nbody) = (28.0, 27.0, model.sizes.nbody as f64);
        // reads qpos, qvel, status; writes status; the reset is not counted
        assert_eq!(of("check_state"), (nq + nv + 1.0, 1.0));
        // reads cdof, cvel, qvel; writes cdof_dot, cvel
        assert_eq!(of("com_vel"), (6.0 * nv + 6.0 * nbody + nv, 6.0 * nv + 6.0 * nbody));
        // ten rows of efc_J, efc_KBIP, efc_margin, efc_pos; nefc; qvel; ten rows of efc_aref and efc_vel
        assert_eq!(of("reference_constraint"), (10.0 * (nv + 4.0 + 2.0) + 1.0 + nv, 20.0));
    }

    #[test]
    fn shared_memory_is_touched_once() {
        let model = model("humanoid.xml");
        let composer = Composer::new(&model, TILING, false).expect("our own kernels");
        let stages: Vec<Stage> = schedule::step(&model).collect();
        let used = composer.fields(&stages);
        let sizes = Sizes { nconmax: 24, njmax: 76, ..model.sizes };
        let layout = Layout::new(&model, sizes, TILING, &used, &BTreeSet::new(), &WorkingSet::NONE);
        let full = MeanLoad { contacts: 24.0, rows: 76.0 };
        assert_eq!(touched(&layout, full), layout.bytes_per_world() as f64);
        // sharing takes less than half of it, and loads below capacity less still
        let access = |s: &Stage| StageAccess {
            reads: composer.accesses(*s, false),
            writes: composer.accesses(*s, true),
        };
        let reduced = layout.reduced(&stages.iter().map(access).collect::<Vec<_>>()).expect("fits");
        let (most, usual) = (touched(&reduced, full), touched(&reduced, LOAD));
        assert!(usual < most && most < 0.6 * touched(&layout, full), "{usual} {most}");
    }

    #[test]
    fn larger_dispatches_move_less() {
        let model = model("humanoid.xml");
        let grouped = |s| matches!(s, Stage::collision | Stage::com_vel | Stage::solve | Stage::euler);
        let (split, apart) = of_step(&model, LOAD, |_| true);
        let (some, _) = of_step(&model, LOAD, grouped);
        let (fused, one) = of_step(&model, LOAD, |_| false);
        assert!(split > some && some > fused && fused > 0.0, "{split} {some} {fused}");
        assert_eq!((apart.len(), one.len()), (schedule::step(&model).count(), 1));
        // contacts and rows add traffic, and nothing else depends on them
        let (none, _) = of_step(&model, MeanLoad::default(), |_| false);
        assert!(fused > none && none > 0.0, "{fused} {none}");
    }
}
