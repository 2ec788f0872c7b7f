//! Worlds that leave out sleeping trees have the bits of those that compute everything.

use manyworlds_cpu::step;
use manyworlds_model::model::Model;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::model::kept::stage_bit;
use manyworlds_model::schema::Values;
use manyworlds_model::schema::stages::Stage;

/// Boxes apart that fall asleep, arms with springs, gravity compensation and motors, one of them on a static body, trees
/// that a weld and a tendon couple, and a ball that falls onto a box.
fn scene(integrator: &str) -> Model {
    let boxes: String = (0..8)
        .map(|k| {
            format!(
                "<body name='b{k}' pos='{k} 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/>
                <site name='s{k}'/></body>"
            )
        })
        .collect();
    let arm = |name: &str| {
        format!(
            "<joint name='{name}' axis='0 1 0' stiffness='20' damping='2'/><geom type='capsule' size='.03' \
             fromto='0 0 0 0 0 -.3'/><body pos='0 0 -.3' gravcomp='.5'><joint axis='1 0 0' damping='1'/>\
             <geom size='.05'/></body>"
        )
    };
    let text = format!(
        "<mujoco><option integrator='{integrator}' sleep_tolerance='.01'><flag sleep='enable' energy='enable'/></option>
        <worldbody><geom type='plane' size='0 0 1'/>{boxes}<body name='ball' pos='3 0 2'><freejoint/><geom size='.1'/></body>
        <body pos='0 3 1'>{}</body><body pos='1 3 1'><geom size='.05'/><body>{}</body></body></worldbody>
        <equality><weld body1='b5' body2='b6'/></equality>
        <tendon><spatial limited='true' range='0 1.2'><site site='s6'/><site site='s7'/></spatial></tendon>
        <actuator><motor joint='one' gear='.1'/></actuator>
        <sensor><accelerometer site='s1'/><subtreecom body='b2'/><framelinacc objtype='body' objname='b3'/></sensor></mujoco>",
        arm("one"),
        arm("two")
    );
    manyworlds_mjcf::load_str(&text).unwrap()
}

/// Names of fields whose bits differ.
fn differing(a: &Data, b: &Data) -> Vec<&'static str> {
    let bits = |d: &Data, name: &str| match d.get(name).unwrap() {
        Values::Real(values) => values.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        Values::Int(values) => values.iter().map(|x| *x as u64).collect(),
    };
    let names = Data::<f64>::FIELDS.iter().map(|field| field.name);
    names.filter(|name| bits(a, name) != bits(b, name)).collect()
}

#[test]
fn what_is_left_out_would_be_the_same() {
    for integrator in ["Euler", "RK4", "implicit", "implicitfast"] {
        let mut m = scene(integrator);
        let mut all = Data::new(&m, Capacity::NONE);
        all.capacity_limit = max_capacity(&m);
        let mut some = all.clone();
        some.keep_asleep(&m);
        let mut left_out = 0;
        for k in 0..1200 {
            // what a caller may do to a sleeping tree
            for d in [&mut all, &mut some] {
                match k {
                    600 => d.qpos[0] += 1e-3,
                    650 => d.qvel[7] = 0.1,
                    700 => d.xfrc_applied[6 * 3] = 5.0,
                    710 => d.xfrc_applied.fill(0.0),
                    800 => d.ctrl[0] = 1.0,
                    1000 => d.reset(&m, None),
                    _ => {}
                }
            }
            if k == 900 {
                m.opt_gravity[2] = -9.0;
            }
            if k == 950 {
                m.body_mass[2] *= 1.5;
                some.forget_asleep();
            }
            step(&m, &mut all);
            step(&m, &mut some);
            assert!(differing(&all, &some).is_empty(), "{integrator} step {k}: {:?}", differing(&all, &some));
            let valid = &some.kept.as_ref().unwrap().valid;
            left_out += valid.iter().filter(|bits| **bits & stage_bit(Stage::rne) != 0).count();
        }
        assert!(left_out > 1000, "{integrator}: {left_out}");
    }
}
