//! Checks of the actuator data that simulation stages index, in a model from a file.

use crate::model::Model;
use crate::model::history::is_quaternion;
use crate::schema::enums::{bias, dynamics, gain, input, joint, transmission};

use super::ReadResult;

/// Checks all actuators.
pub(crate) fn check(m: &Model) -> ReadResult<()> {
    match (0..m.sizes.nactuator).find(|&a| !is_sound(m, a)) {
        Some(a) => Err(format!("has actuator {a} with controls, states or outputs that do not fit its law")),
        None => Ok(()),
    }
}

/// True if an actuator has all that its law reads and writes.
fn is_sound(m: &Model, a: usize) -> bool {
    let (ctrls, outs, acts) = (m.actuator_ctrlnum[a], m.actuator_outnum[a], m.actuator_actnum[a]);
    let inputs = (m.actuator_ctrlspec[a] & input::COUNTED).count_ones() as i32;
    let on = |x: f64| i32::from(x > 0.0);
    let (g, d) = (&m.actuator_gainprm[10 * a..10 * a + 10], &m.actuator_dynprm[10 * a..10 * a + 10]);
    let (gains, rule) = (m.actuator_gaintype[a], m.actuator_dyntype[a]);
    let motor =
        gains == gain::DCMOTOR || rule == dynamics::DCMOTOR || m.actuator_biastype[a] == bias::DCMOTOR;
    let controller = gains == gain::PID || rule == dynamics::PID;
    // states of motors and controllers: one for each parameter that is on
    let mut states = if rule == dynamics::PID { on(g[0]) + on(d[1]) } else { 0 };
    if motor {
        states = states.max(on(d[7]) + on(g[5]) + on(d[2]) + on(d[5]) + on(d[0]));
    }
    // those of a plugin, which is a controller of its own kind
    let plugin = usize::try_from(m.actuator_plugin[a]).ok();
    if let Some(p) = plugin {
        let prm = &m.plugin_prm[6 * p..6 * p + 6];
        states = i32::from(prm[1] != 0.0) + i32::from(prm[4] >= 0.0) + i32::from(rule != dynamics::NONE);
    }
    let law = match gains {
        _ if m.actuator_trntype[a] == transmission::SO3 && gains != gain::SO3 => false,
        _ if plugin.is_some() => {
            outs == 1 && ctrls == 1 && acts >= states && !motor && !controller && gains != gain::SO3
        }
        gain::SO3 => {
            let controls = if is_quaternion(m, a) { 4 } else { 3 };
            outs == 3 && ctrls == controls && (acts == 0 || acts == 3) && !motor && !controller && turns(m, a)
        }
        _ if motor || controller => outs == 1 && ctrls == inputs && acts >= states,
        _ => outs == 1 && ctrls == 1,
    };
    let [target, other] = [m.actuator_trnid[2 * a], m.actuator_trnid[2 * a + 1]];
    let aimed = target >= 0 && (other >= 0 || m.actuator_trntype[a] != transmission::SLIDERCRANK);
    let kept = (m.actuator_actadr[a] < 0) == (acts == 0);
    law && aimed && kept
}

/// True if an orientation servo acts on a ball joint, or on a site relative to another.
fn turns(m: &Model, a: usize) -> bool {
    let (Ok(target), one) = (usize::try_from(m.actuator_trnid[2 * a]), m.actuator_trnid[2 * a + 1] < 0)
    else {
        return false;
    };
    let first = m.actuator_outadr[a] as usize;
    let rows = &m.moment_rownnz[first..first + 3];
    m.actuator_trntype[a] == transmission::SO3
        && (!one || (m.jnt_type[target] == joint::BALL && rows.iter().all(|&n| n == 1)))
}
