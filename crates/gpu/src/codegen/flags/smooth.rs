//! Flags of joints, tendons and passive forces.

use super::{Room, any_of, has_reflected_inertia, some};
use manyworlds_model::model::Model;
use manyworlds_model::model::schedule::{self, has_fluid};
use manyworlds_model::schema::enums::{disable, edgeequality, joint, wrap};

pub(super) fn flags(model: &Model) -> Room {
    let has_joint = |kind: i32| model.jnt_type.contains(&kind);
    let passive = !model.disabled(disable::SPRING) || !model.disabled(disable::DAMPER);
    let spatial = model.wrap_type.contains(&wrap::SITE);
    let armature = some(&model.tendon_armature) || model.tendon_actuatorid.iter().any(|id| *id != -1);
    let flex = |of: &dyn Fn(usize) -> bool| (0..model.sizes.nflex).any(of);
    let soft = |of: &dyn Fn(usize) -> bool| {
        flex(&|f| model.flex_rigid[f] == 0 && model.flex_interp[f] == 0 && of(f))
    };
    let between = |of: &dyn Fn(usize) -> bool| flex(&|f| model.flex_interp[f] != 0 && of(f));
    let (stretches, bends) =
        (|f: usize| model.flex_stiffnessadr[f] >= 0, |f: usize| model.flex_bendingadr[f] >= 0);
    let strained = |f: usize| model.flex_edgeequality[f] == edgeequality::STRAIN;
    vec![
        ("FREE", has_joint(joint::FREE)),
        ("BALL", has_joint(joint::BALL)),
        ("SLIDE", has_joint(joint::SLIDE)),
        ("HINGE", has_joint(joint::HINGE)),
        ("MOCAP", model.sizes.nmocap > 0),
        ("TENDON", model.sizes.ntendon > 0),
        ("SPATIAL_TENDON", spatial),
        ("TENDON_ARMATURE", spatial && armature),
        ("WRAP", any_of(&model.wrap_type, &[wrap::SPHERE, wrap::CYLINDER])),
        ("REFLECTED_INERTIA", has_reflected_inertia(model)),
        ("FLEX", model.sizes.nflex > 0),
        ("FLEX_SPARE_ROWS", model.flexedge_J_rownnz.iter().sum::<i32>() < model.sizes.nJfe as i32),
        ("FLEX_FORCE", passive && soft(&|f| acts_on_vertices(model, f))),
        ("FLEX_STRETCH", soft(&stretches)),
        ("FLEX_BEND", soft(&bends)),
        ("FLEX_VERTEX", model.sizes.nJfv > 0),
        ("FLEX_NODES", between(&|_| true)),
        ("FLEX_SHELL", flex(&|f| model.flex_interp[f] < 0)),
        ("FLEX_PATCH", between(&|f| stretches(f) || bends(f))),
        ("FLEX_CELLS", passive && between(&|f| bends(f) || (stretches(f) && !strained(f)))),
        ("FLEX_FOLD", passive && between(&bends)),
        ("FLEX_DAMPER", soft(&|f| model.flex_edgedamping[f] != 0.0)),
        ("GRAVCOMP", passive && !model.disabled(disable::GRAVITY) && some(&model.body_gravcomp)),
        ("SPRING", !model.disabled(disable::SPRING)),
        ("DAMPER", !model.disabled(disable::DAMPER)),
        ("PASSIVE_ADHESION", model.has_adhesion() && passive),
        ("FLUID", has_fluid(model)),
        ("CABLE", passive && model.sizes.ncable > 0),
        ("ENERGY", schedule::needs_energy(model)),
    ]
}

/// True if springs, dampers or elasticity act on the vertices of a flex.
fn acts_on_vertices(model: &Model, f: usize) -> bool {
    let springs = model.flex_edgestiffness[f] != 0.0 || model.flex_edgedamping[f] != 0.0;
    springs || model.flex_stiffnessadr[f] >= 0 || model.flex_bendingadr[f] >= 0
}
