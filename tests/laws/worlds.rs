//! Worlds with laws of their own numbers, and faults that stay in one of them.

use super::{BACKENDS, get, near, open, tolerance};
use manyworlds::schema::enums::status;

/// A spring and an actuator whose numbers are numerics, and a state.
const SPRING: &str = r#"<mujoco><option timestep="0.002" gravity="0 0 0"/>
  <custom><numeric name="stiffness" data="{k}"/><numeric name="wear" data="{w}"/>
    <text name="force:joint:a" data="-stiffness*position"/>
    <text name="gain:drive" data="stiffness/10"/>
    <text name="rate:wear" data="-stiffness*wear"/></custom>
  <worldbody><body><joint name="a" type="slide"/><geom size=".1" mass="1"/></body></worldbody>
  <actuator><general name="drive" joint="a" gaintype="user"/></actuator></mujoco>"#;

fn spring(k: f64, wear: f64) -> manyworlds::model::Model {
    let text = SPRING.replace("{k}", &k.to_string()).replace("{w}", &wear.to_string());
    manyworlds::load_str(&text).unwrap()
}

#[test]
fn worlds_have_laws_of_their_own_numbers() {
    let numbers = [(5.0, 1.0), (20.0, 2.0), (80.0, -1.0)];
    let mut want = [Vec::new(), Vec::new()];
    for (k, wear) in numbers {
        let mut one = open(&spring(k, wear), 1, super::Backend::Cpu);
        one.set("qpos", .., &[0.3]).unwrap();
        one.set("ctrl", .., &[2.0]).unwrap();
        one.step(100).unwrap();
        want[0].extend(get(&mut one, "qpos"));
        want[1].extend(get(&mut one, "act"));
    }
    for backend in BACKENDS {
        let mut batch = open(&spring(1.0, 0.0), 3, *backend);
        batch.expand(&["numeric_data"]).unwrap();
        let values: Vec<f64> = numbers.iter().flat_map(|(k, wear)| [*k, *wear]).collect();
        batch.set_model("numeric_data", .., &values).unwrap();
        // states begin at the numerics of their world
        batch.reset(.., None).unwrap();
        assert_eq!(get(&mut batch, "act"), [1.0, 2.0, -1.0], "{}", backend.name());
        batch.set("qpos", .., &[0.3; 3]).unwrap();
        batch.set("ctrl", .., &[2.0; 3]).unwrap();
        batch.step(100).unwrap();
        let bound = tolerance(*backend, 1e-12, 1e-4);
        near(&get(&mut batch, "qpos"), &want[0], bound, backend.name());
        near(&get(&mut batch, "act"), &want[1], bound, backend.name());
    }
}

/// A division by zero in one world is that world's: a status bit, and the others keep their bits.
#[test]
fn what_a_law_cannot_compute_stays_in_its_world() {
    let text = r#"<mujoco><custom><numeric name="length" data="1"/>
        <text name="force:joint:a" data="{law}"/></custom>
      <worldbody><body><joint name="a" axis="0 1 0"/><geom size=".1" pos="0 0 -.3"/></body></worldbody></mujoco>"#;
    for law in ["0.01/length", "(length - length)/length"] {
        let model = manyworlds::load_str(&text.replace("{law}", law)).unwrap();
        for backend in BACKENDS {
            let run = |broken: Option<usize>| {
                let mut batch = open(&model, 4, *backend);
                batch.expand(&["numeric_data"]).unwrap();
                let lengths: Vec<f64> = (0..4).map(|w| if broken == Some(w) { 0.0 } else { 2.0 }).collect();
                batch.set_model("numeric_data", .., &lengths).unwrap();
                batch.set("qvel", .., &[0.5, 1.0, 1.5, 2.0]).unwrap();
                batch.step(5).unwrap();
                (batch.status().unwrap(), get(&mut batch, "qpos"), get(&mut batch, "nreset"))
            };
            let what = format!("{law} on {}", backend.name());
            let (clean, broken) = (run(None), run(Some(2)));
            assert_eq!(clean.0, [0; 4], "{what}");
            assert!(broken.0[2] & status::BAD_QACC != 0 && broken.2[2] >= 1.0, "{what}: {:?}", broken.0);
            for world in [0, 1, 3] {
                assert_eq!(broken.0[world], 0, "{what}: world {world}");
                assert_eq!(broken.1[world].to_bits(), clean.1[world].to_bits(), "{what}: world {world}");
            }
        }
    }
}
