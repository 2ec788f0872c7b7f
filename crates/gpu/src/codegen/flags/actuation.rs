//! Flags of transmissions, activations, actuator forces and histories.

use super::{Room, any_of};
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::enums::{bias, disable, dynamics, gain, joint, transmission};

pub(super) fn flags(model: &Model) -> Room {
    let (m, on) = (model, !model.disabled(disable::ACTUATION));
    let muscle = any_of(&m.actuator_gaintype, &[gain::MUSCLE])
        || any_of(&m.actuator_biastype, &[bias::MUSCLE])
        || any_of(&m.actuator_dyntype, &[dynamics::MUSCLE]);
    let orientation = m.jnt_type.contains(&joint::BALL) || any_of(&m.actuator_trntype, &[transmission::SITE]);
    vec![
        ("ACTUATION", m.sizes.nactuator > 0 && on),
        ("ACTIVATION", m.sizes.na > 0 && on),
        ("MUSCLE", muscle),
        ("PID", any_of(&m.actuator_gaintype, &[gain::PID])),
        ("PID_PLUGIN", m.actuator_plugin.iter().any(|&p| p >= 0)),
        ("SO3", any_of(&m.actuator_gaintype, &[gain::SO3])),
        ("DCMOTOR", any_of(&m.actuator_gaintype, &[gain::DCMOTOR])),
        ("ORIENTATION", orientation),
        ("TRN_SLIDERCRANK", any_of(&m.actuator_trntype, &[transmission::SLIDERCRANK])),
        ("TRN_SITE", any_of(&m.actuator_trntype, &[transmission::SITE])),
        ("TRN_BODY", any_of(&m.actuator_trntype, &[transmission::BODY])),
        ("HISTORY", m.sizes.nhistory > 0),
        ("STAGE_TIME", schedule::parts_have_times(m)),
        ("LAWS", m.formulas.as_ref().is_some_and(|formulas| formulas.has_laws())),
        ("LEAVES", !m.leaves.is_empty()),
        ("LAW_STATES", m.formulas.as_ref().is_some_and(|formulas| !formulas.states().is_empty())),
    ]
}
