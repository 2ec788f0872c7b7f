//! Flags of the integrators and their derivatives, and of sleep.

use super::Room;
use manyworlds_model::model::features::{has_joint_damping, is_single_free_body};
use manyworlds_model::model::{Model, schedule};
use manyworlds_model::schema::enums::{disable, integrator};

pub(super) fn flags(model: &Model) -> Room {
    let fast = model.opt_integrator[0] == integrator::IMPLICITFAST;
    let damping = !model.disabled(disable::EULERDAMP) && !model.disabled(disable::DAMPER);
    let free = (0..model.sizes.ntree).any(|t| is_single_free_body(model, t as i32));
    vec![
        ("DERIVATIVE", schedule::is_implicit(model)),
        ("IMPLICIT", model.opt_integrator[0] == integrator::IMPLICIT),
        ("IMPLICITFAST", fast),
        ("SINGLE_FREE_BODY", (fast || model.is_discrete()) && free),
        // the metric of the integrator discrete has the damping
        ("EULERDAMP", damping && !model.is_discrete() && has_joint_damping(model)),
        ("SLEEP", model.has_sleep()),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds_cpu as cpu;
    use manyworlds_model::model::data::{Capacity, Data};
    use manyworlds_model::schema::stages::Stage;

    #[test]
    fn kernels_and_the_cpu_solve_again_for_dampers_of_joints_only() {
        let joint = |own: &str, actuator: &str| {
            format!(
                "<mujoco><worldbody><site name='w'/><body><joint name='j' {own}/><geom size='.1' pos='1 0 0'/><site name='s' pos='0 1 1'/>
                </body></worldbody><tendon><spatial name='t'><site site='w'/><site site='s'/></spatial></tendon>
                <actuator>{actuator}</actuator></mujoco>"
            )
        };
        for (own, actuator, damped) in [
            ("", "<motor joint='j' armature='1'/>", false),
            ("", "<motor tendon='t' damping='1'/>", false),
            ("", "<motor tendon='t' armature='1' damping='1 2 3'/>", false),
            ("", "<motor joint='j' damping='1'/>", true),
            ("", "<motor jointinparent='j' damping='0 1'/>", true),
            ("damping='1'", "<motor joint='j' armature='1'/>", true),
            // at rest these do not act yet
            ("damping='0 0 1'", "", true),
        ] {
            let model = manyworlds_mjcf::load_str(&joint(own, actuator)).unwrap();
            let flag = flags(&model).into_iter().find(|f| f.0 == "EULERDAMP").unwrap().1;
            let mut data = Data::new(&model, Capacity::NONE);
            data.reset(&model, None);
            cpu::forward(&model, &mut data);
            data.qacc_damped.fill(f64::NAN);
            cpu::run_stage(Stage::euler, &model, &mut data);
            assert_eq!((flag, data.qacc_damped[0].is_finite()), (damped, damped), "{own} {actuator}");
        }
    }
}
