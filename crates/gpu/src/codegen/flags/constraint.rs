//! Flags of constraint types.

use super::{Room, any_of, constrains, has_contacts, some};
use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::{disable, enable, equality, object};

/// Equality constraints of flexes.
const FLEXES: [i32; 3] = [equality::FLEX, equality::FLEXVERT, equality::FLEXSTRAIN];

pub(super) fn flags(model: &Model) -> Room {
    let on = |bit: i32| constrains(model, bit);
    let limited = |v: &[i32]| v.iter().any(|x| *x != 0);
    let equal = on(disable::EQUALITY) && model.sizes.neq > 0;
    let dof_friction = on(disable::FRICTIONLOSS) && some(&model.dof_frictionloss);
    let tendon_friction = on(disable::FRICTIONLOSS) && some(&model.tendon_frictionloss);
    vec![
        ("EQUALITY", equal),
        ("CONNECT_WELD", equal && any_of(&model.eq_type, &[equality::CONNECT, equality::WELD])),
        ("EQUALITY_SITES", equal && model.eq_objtype.contains(&object::SITE)),
        ("FLEX_EQUALITY", equal && any_of(&model.eq_type, &FLEXES)),
        ("FLEX_STRAIN", equal && any_of(&model.eq_type, &[equality::FLEXSTRAIN])),
        ("TENDON_EQUALITY", equal && any_of(&model.eq_type, &[equality::TENDON])),
        ("LIMIT", on(disable::LIMIT) && limited(&model.jnt_limited)),
        ("TENDON_LIMIT", on(disable::LIMIT) && limited(&model.tendon_limited)),
        ("FRICTIONLOSS", dof_friction),
        ("TENDON_FRICTIONLOSS", tendon_friction),
        ("FRICTION", dof_friction || tendon_friction),
        ("ELLIPTIC", is_elliptic(model)),
        ("SURFACE_VELOCITY", has_contacts(model) && some(&model.geom_surfacevel)),
        ("ADHESION", model.has_adhesion()),
        ("PASSIVE_CONTACT", has_passive_contacts(model)),
        ("DIAGEXACT", model.enabled(enable::DIAGEXACT)),
    ]
}

/// True if contacts of flexes can be springs: not those of lines, nor of interpolated flexes.
pub(super) fn has_passive_contacts(model: &Model) -> bool {
    let is_soft = |f: usize| model.flex_passive[f] != 0 && model.flex_dim[f] > 1 && model.flex_interp[f] == 0;
    has_contacts(model) && model.sizes.nflexpair > 0 && (0..model.sizes.nflex).any(is_soft)
}

/// True if any contact can have an elliptic cone.
pub(super) fn is_elliptic(model: &Model) -> bool {
    model.has_elliptic_cones() && has_contacts(model)
}
