//! The stages of a step.

use manyworlds_model::model::Model;
use manyworlds_model::model::schedule::*;
use manyworlds_model::schema::stages::{Phase, Stage};

fn model(option: &str) -> Model {
    let text = format!(
        r#"<mujoco><option {option}/><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>"#
    );
    manyworlds_mjcf::load_str(&text).expect("a model")
}

#[test]
fn a_step_has_one_integrator_and_one_check_of_the_state() {
    for (option, name, times) in [
        (r#"integrator="Euler""#, "euler", 1),
        (r#"integrator="RK4""#, "rk4", 4),
        (r#"integrator="implicit""#, "implicit", 1),
        (r#"integrator="implicitfast""#, "implicit", 1),
    ] {
        let m = model(option);
        let count = |stage: &str| step(&m).filter(|s| s.name() == stage).count();
        let integrators: Vec<&str> =
            step(&m).map(Stage::name).filter(|n| ["euler", "rk4", "implicit"].contains(n)).collect();
        assert_eq!(integrators, vec![name; times]);
        assert_eq!((count("check_state"), count("kinematics"), count("energies")), (1, times, 0));
        assert!(stages(&m).all(|s| step(&m).chain(forward(&m)).chain(inverse(&m)).any(|t| t == s)));
    }
}

#[test]
fn a_medium_is_part_of_a_step_where_it_resists() {
    let count = |option: &str| step(&model(option)).filter(|&s| s == Stage::fluid).count();
    assert_eq!([count(""), count(r#"density="1""#), count(r#"viscosity="1""#)], [0, 1, 1]);
}

#[test]
fn energy_is_part_of_a_step_where_it_is_asked_for() {
    let text = r#"<mujoco><option><flag energy="enable"/></option><worldbody/></mujoco>"#;
    let m = manyworlds_mjcf::load_str(text).expect("a model");
    assert_eq!(step(&m).filter(|&s| s == Stage::energies).count(), 1);
}

#[test]
fn a_step_has_the_on_demand_stages_that_its_sensors_read() {
    for (made, disabled, views) in [
        ("<gyro site='s'/>", "", vec!["sensor"]),
        ("<force site='s'/>", "", vec!["rne_post", "sensor"]),
        ("<subtreeangmom body='b'/>", "", vec!["subtree_vel", "sensor"]),
        ("<e_kinetic/>", "", vec!["energies", "sensor"]),
        ("<framepos objtype='camera' objname='c'/>", "", vec!["camlight", "sensor"]),
        ("<force site='s'/>", "<option><flag sensor='disable'/></option>", vec![]),
    ] {
        let text = format!(
            "<mujoco>{disabled}<worldbody><body name='b'><joint/><geom size='0.1'/><site name='s'/>\
             <camera name='c'/></body></worldbody><sensor>{made}</sensor></mujoco>"
        );
        let m = manyworlds_mjcf::load_str(&text).expect("a model");
        let names: Vec<&str> = step(&m).filter(|s| s.phase() == Phase::OnDemand).map(Stage::name).collect();
        assert_eq!(names, views, "{made}");
    }
}
