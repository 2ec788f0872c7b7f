//! Flags of the integrators and their derivatives.

use super::{Room, has_reflected_inertia, some};
use crate::model::features::is_single_free_body;
use crate::model::{Model, plan};
use crate::schema::enums::{disable, integrator};

pub(super) fn flags(model: &Model) -> Room {
    let fast = model.opt_integrator[0] == integrator::IMPLICITFAST;
    let damped = some(&model.dof_damping) || some(&model.dof_dampingpoly) || has_reflected_inertia(model);
    let damping = !model.disabled(disable::EULERDAMP) && !model.disabled(disable::DAMPER);
    let free = (0..model.sizes.ntree).any(|t| is_single_free_body(model, t as i32));
    vec![
        ("DERIVATIVE", plan::is_implicit(model)),
        ("IMPLICIT", model.opt_integrator[0] == integrator::IMPLICIT),
        ("IMPLICITFAST", fast),
        ("SINGLE_FREE_BODY", fast && free),
        ("EULERDAMP", damping && damped),
    ]
}
