//! Bytes that a step has to move between the worlds' arenas and the kernels, counted from the model.
//!
//! For every dispatch each arena field that its kernels read counts once, and each that they write counts once:
//! four bytes an element, all elements of the field. Some things are left out or taken smaller than the arena:
//!
//! - An axis of contact slots (`nconmax`) has the mean number of contacts, one of constraint rows (`njmax`) the
//!   mean number of rows, not the capacity: kernels stop at the counts. Every other axis counts whole, also where a
//!   kernel reads only the part of it that a body or a joint needs.
//! - Fields of the model that all worlds share, or that stand in the kernels' text, are not counted: caches hold
//!   them. Model fields with a value per world are counted.
//! - Fields that kernels keep in registers or workgroup memory are not counted.
//! - What only the reset of a broken world accesses is not counted. Other conditions are not looked at: a field
//!   that a kernel reads or writes under any of them counts.
//! - A field that is read many times within a dispatch (the solver's, in every iteration) counts once, and so does
//!   a solver that is dispatched once per iteration (lavapipe): what a perfect cache of unlimited size would leave.
//!
//! A field that one stage of a dispatch writes and a later one of the same dispatch reads counts twice, as a write
//! and as a read. The figure is therefore what the partition asks of memory, a yardstick: real traffic is larger
//! where caches are too small, and smaller where they keep a field from one stage to the next.

use std::collections::BTreeSet;

use crate::gpu::codegen::compose::Composer;
use crate::gpu::codegen::layout::{AddressSpace, Layout};
use crate::schema::stages::Stage;
use crate::schema::{Dim, Field, Size, Sizes};

/// Bytes of an element on the GPU.
const ELEMENT_BYTES: f64 = 4.0;

/// What worlds hold on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanLoad {
    /// Contacts of a world.
    pub contacts: f64,
    /// Constraint rows of a world.
    pub rows: f64,
}

/// What one dispatch moves per world and step.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Its stages, in order.
    pub stages: Vec<Stage>,
    /// Bytes that are read.
    pub read: f64,
    /// Bytes that are written.
    pub written: f64,
}

impl Traffic {
    /// Bytes in both directions.
    pub fn bytes(&self) -> f64 {
        self.read + self.written
    }

    /// Names of the stages, joined as in [`stage_times`](crate::batch::Batch::stage_times).
    pub fn name(&self) -> String {
        self.stages.iter().map(|s| s.name()).collect::<Vec<_>>().join("+")
    }
}

/// What each group of stages moves when it is one dispatch.
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

/// Bytes of those fields that lie in the arena.
fn bytes(fields: &BTreeSet<&'static str>, layout: &Layout, load: MeanLoad) -> f64 {
    let slots = fields.iter().filter_map(|name| layout.slot(name)).filter(|s| s.space == AddressSpace::World);
    slots.map(|s| ELEMENT_BYTES * elements(&s.field, &layout.sizes, load)).sum()
}

/// Elements of a field that are in use.
fn elements(field: &Field, sizes: &Sizes, load: MeanLoad) -> f64 {
    let length = |dim: &Dim| match *dim {
        Dim::Of(Size::nconmax | Size::nadhesive) => load.contacts,
        Dim::Of(Size::njmax | Size::ndual) => load.rows,
        Dim::Of(size) => sizes.get(size) as f64,
        Dim::Const(n) => n as f64,
    };
    field.dims.iter().map(length).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::codegen::layout::WorkingSet;
    use crate::gpu::codegen::tiling::{Tiling, WorkingSetSpace};
    use crate::model::Model;
    use crate::model::data::Data;
    use crate::model::plan;

    const TILING: Tiling = Tiling { lanes: 1, tile: 8, placement: WorkingSetSpace::Storage };
    const LOAD: MeanLoad = MeanLoad { contacts: 2.5, rows: 10.0 };

    fn model(name: &str) -> Model {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name);
        crate::compile::load(&path).expect("our own model")
    }

    /// Bytes of a step with the stages cut as `starts` says.
    fn of_step(model: &Model, load: MeanLoad, starts: impl Fn(Stage) -> bool) -> (f64, Vec<Traffic>) {
        let sizes = Sizes { nconmax: 24, njmax: 76, ..model.sizes };
        let composer = Composer::new(model, TILING, false).expect("our own kernels");
        let used = composer.fields(&plan::stages(model).collect::<Vec<_>>());
        let layout = Layout::new(model, sizes, 8, &used, &BTreeSet::new(), &WorkingSet::NONE);
        let mut groups: Vec<Vec<Stage>> = Vec::new();
        for stage in plan::step(model) {
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
        let sizes = Sizes { nv: 6, nq: 7, nconmax: 24, njmax: 76, ..Sizes::default() };
        let of = |name: &str| {
            let field = Data::<f64>::FIELDS.iter().find(|f| f.name == name).expect("a field");
            elements(field, &sizes, LOAD)
        };
        assert_eq!([of("qpos"), of("time"), of("contact_frame"), of("efc_J")], [7.0, 1.0, 22.5, 60.0]);
    }

    #[test]
    fn fields_of_the_model_are_free() {
        let model = model("pendulum.xml");
        let composer = Composer::new(&model, TILING, false).expect("our own kernels");
        let used = composer.fields(&plan::stages(&model).collect::<Vec<_>>());
        let layout = Layout::new(&model, model.sizes, 8, &used, &BTreeSet::new(), &WorkingSet::NONE);
        // one coordinate of a world; the masses and the gravity of all worlds
        let fields = BTreeSet::from(["qpos", "body_mass", "opt_gravity", "no_such_field"]);
        assert_eq!(bytes(&fields, &layout, LOAD), 4.0);
        let layout =
            Layout::new(&model, model.sizes, 8, &used, &BTreeSet::from(["body_mass"]), &WorkingSet::NONE);
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
        // qpos, qvel and status; status; what a reset would write is not there
        assert_eq!(of("check_state"), (nq + nv + 1.0, 1.0));
        // cdof, cvel and qvel; cdof_dot and cvel
        assert_eq!(of("com_vel"), (6.0 * nv + 6.0 * nbody + nv, 6.0 * nv + 6.0 * nbody));
        // ten rows of efc_J, efc_KBIP, efc_margin, efc_pos; nefc; qvel; ten rows of efc_aref and efc_vel
        assert_eq!(of("reference_constraint"), (10.0 * (nv + 4.0 + 2.0) + 1.0 + nv, 20.0));
    }

    #[test]
    fn larger_dispatches_move_less() {
        let model = model("humanoid.xml");
        let grouped = |s| matches!(s, Stage::collision | Stage::com_vel | Stage::solve | Stage::euler);
        let (split, apart) = of_step(&model, LOAD, |_| true);
        let (some, _) = of_step(&model, LOAD, grouped);
        let (fused, one) = of_step(&model, LOAD, |_| false);
        assert!(split > some && some > fused && fused > 0.0, "{split} {some} {fused}");
        assert_eq!((apart.len(), one.len()), (plan::step(&model).count(), 1));
        // contacts and rows cost something, and only those
        let (none, _) = of_step(&model, MeanLoad::default(), |_| false);
        assert!(fused > none && none > 0.0, "{fused} {none}");
    }
}
