//! Laws of contacts, against the same parameters of geoms.

use super::{BACKENDS, Backend, Batch, get, near, open, tolerance};
use manyworlds::batch::BatchOptions;
use manyworlds::model::data::Capacity;

/// A block that slides and a ball that bounces, by attributes of geoms or by laws.
fn scene(custom: &str, geom: &str) -> manyworlds::model::Model {
    let text = format!(
        r#"<mujoco><option timestep="0.002" cone="elliptic"/><custom>{custom}</custom>
           <default><geom condim="6" {geom}/></default>
           <worldbody><geom name="floor" type="plane" size="0 0 1"/>
             <body name="block" pos="0 0 0.05"><freejoint/><geom type="box" size=".1 .08 .05"/></body>
             <body name="ball" pos="1 0 0.3"><freejoint/><geom size=".1"/></body></worldbody>
           <keyframe><key qvel="1 0.3 0 0 0 0.5 0 0.2 -1 3 0 1"/></keyframe></mujoco>"#
    );
    manyworlds::load_str(&text).unwrap()
}

fn batch_of(model: &manyworlds::model::Model, worlds: usize, backend: Backend) -> Batch {
    let capacity = Some(Capacity { nconmax: 12, njmax: 72 });
    Batch::new(model, worlds, &BatchOptions { capacity, ..BatchOptions::on(backend) }).unwrap()
}

#[test]
fn parameters_by_laws_are_those_of_geoms() {
    let by_geoms = r#"friction="0.3 0.01 0.002" solref="0.03 0.8" solimp="0.8 0.9 0.002 0.4 3""#;
    let by_laws = r#"
        <text name="friction:floor" data="[0.3, 0.01, 0.002]"/>
        <text name="solref:floor" data="[0.03, 0.8]"/>
        <text name="solimp:floor" data="[0.8, 0.9, 0.002, 0.4, 3]"/>"#;
    let (reference, laws) = (scene("", by_geoms), scene(by_laws, ""));
    let mut first = batch_of(&reference, 1, Backend::Cpu);
    first.reset(.., Some(0)).unwrap();
    first.step(100).unwrap();
    let names = ["contact_friction", "contact_solref", "contact_solimp"];
    for backend in BACKENDS {
        let mut batch = batch_of(&laws, 1, *backend);
        batch.reset(.., Some(0)).unwrap();
        batch.step(100).unwrap();
        let bound = tolerance(*backend, 1e-12, 1e-4);
        for field in ["ncon", "qpos", "qvel"] {
            near(&get(&mut batch, field), &get(&mut first, field), bound, field);
        }
        assert!(get(&mut batch, "ncon")[0] >= 4.0, "the block is in contact");
        for field in names {
            let used = 5 * get(&mut batch, "ncon")[0] as usize;
            let (got, want) = (get(&mut batch, field), get(&mut first, field));
            let used = if field == "contact_solref" { used / 5 * 2 } else { used };
            near(&got[..used], &want[..used], 1e-6, field);
        }
    }
}

/// Where both geoms have a law, that whose text is last is the one that counts; fewer numbers leave the others as they are.
#[test]
fn laws_of_both_geoms_follow_each_other() {
    let custom = r#"
        <text name="friction:floor" data="[0.5, 0.02, 0.003]"/>
        <text name="friction:stone" data="0.25"/>
        <text name="solimp:stone" data="[0.7, 0.8, 0.01]"/>"#;
    let text = format!(
        r#"<mujoco><custom>{custom}</custom><worldbody><geom name="floor" type="plane" size="0 0 1"/>
           <body pos="0 0 .09"><freejoint/><geom name="stone" size=".1" condim="6" solimp="0.9 0.95 0.001 0.4 3"/></body>
           </worldbody></mujoco>"#
    );
    let model = manyworlds::load_str(&text).unwrap();
    for backend in BACKENDS {
        let mut batch = batch_of(&model, 1, *backend);
        batch.forward().unwrap();
        near(
            &get(&mut batch, "contact_friction")[..5],
            &[0.25, 0.25, 0.02, 0.003, 0.003],
            1e-6,
            backend.name(),
        );
        // the rest is that of both geoms, mixed
        near(&get(&mut batch, "contact_solimp")[..3], &[0.7, 0.8, 0.01], 1e-6, backend.name());
        near(&get(&mut batch, "contact_solimp")[3..5], &[0.45, 2.5], 1e-6, backend.name());
    }
}

/// A law sees a contact as its geom does: the normal points away from it, and `other` is the other geom.
#[test]
fn laws_see_contacts_from_their_geom() {
    // the plane is geom 0, so that the normal of MuJoCo points from it to the ball
    let text = |custom: &str| {
        format!(
            r#"<mujoco><custom>{custom}</custom><worldbody><geom name="floor" type="plane" size="0 0 1"/>
               <body pos="0.3 0 .09"><freejoint/><geom name="ball" size=".1" rgba="1 0 0 1"/></body>
               <body pos="-0.3 0 .19"><freejoint/><geom name="large" size=".2" rgba="0 1 0 1"/></body></worldbody></mujoco>"#
        )
    };
    for (law, want) in [
        ("keep:floor = 1", 2.0),
        ("keep:floor = 0", 0.0),
        ("keep:ball = 0", 1.0),
        ("keep:floor = normal[2] > 0.99", 2.0),
        ("keep:ball = normal[2] > 0.99", 1.0),
        ("keep:ball = normal[2] &lt; -0.99", 2.0),
        ("keep:floor = dist > -0.005", 0.0),
        ("keep:floor = abs(dist + 0.01) &lt; 1e-6", 2.0),
        ("keep:floor = pos[0] > 0", 1.0),
        ("keep:floor = abs(pos[2] + 0.005) &lt; 1e-6", 2.0),
        ("keep:floor = geom_xpos(other)[0] > 0", 1.0),
        ("keep:floor = geom_size(other)[0] > 0.15", 1.0),
        ("keep:floor = geom_rgba(other)[0:2] == [1, 1] ", -1.0),
        ("keep:floor = geom_rgba(other)[1]", 1.0),
        ("keep:floor = geom_bodyid(other) == 2", 1.0),
        ("keep:floor = other == 1", 1.0),
        ("keep:ball = other == 0", 2.0),
        ("keep:ball = other != 0", 1.0),
        ("keep:ball = geom_type(other) != 0", 1.0),
        // several at once, which kernels are asked too
        (
            "keep:ball = normal[2] &lt; -0.99 &amp;&amp; other == 0 &amp;&amp; geom_type(other) == 0 &amp;&amp; abs(dist + 0.01) &lt; 1e-6",
            2.0,
        ),
        (
            "keep:floor = normal[2] > 0.99 &amp;&amp; geom_xpos(other)[0] > 0 &amp;&amp; geom_size(other)[0] &lt; 0.15",
            1.0,
        ),
    ] {
        let (name, formula) = law.split_once(" = ").unwrap();
        let made = manyworlds::load_str(&text(&format!(r#"<text name="{name}" data="{formula}"/>"#)));
        if want < 0.0 {
            assert!(made.is_err(), "{law}");
            continue;
        }
        let model = made.unwrap();
        for backend in BACKENDS.iter().filter(|b| **b == Backend::Cpu || law.contains("&amp;&amp;")) {
            let mut batch = batch_of(&model, 1, *backend);
            batch.forward().unwrap();
            assert_eq!(get(&mut batch, "ncon"), [want], "{law} on {}", backend.name());
        }
    }
}

/// A block on ice is slowed by friction alone.
#[test]
fn a_block_on_ice_slows_down_by_its_friction() {
    let text = r#"<mujoco><option timestep="0.002" cone="elliptic"/>
      <custom><numeric name="ice" data="0.05"/>
        <text name="friction:floor" data="select(pos[0] > 0, ice, 0.4)"/></custom>
      <worldbody><geom name="floor" type="plane" size="0 0 1"/>
        <body pos="1 0 0.01"><freejoint/><geom type="box" size=".1 .1 .01"/></body>
        <body pos="-1 0 0.01"><freejoint/><geom type="box" size=".1 .1 .01"/></body></worldbody>
      <keyframe><key qvel="0 2 0 0 0 0 0 2 0 0 0 0"/></keyframe></mujoco>"#;
    let model = manyworlds::load_str(text).unwrap();
    for backend in BACKENDS {
        let mut batch = batch_of(&model, 1, *backend);
        batch.reset(.., Some(0)).unwrap();
        batch.step(50).unwrap();
        let before = get(&mut batch, "qvel");
        batch.step(100).unwrap();
        let after = get(&mut batch, "qvel");
        for (dof, mu) in [(1, 0.05), (7, 0.4)] {
            let change = |dof: usize| (after[dof] - before[dof]) / 0.2;
            let slowed = -change(dof);
            // the floor carries the weight, and what the block is still lifted by
            let want = mu * (9.81 + change(dof + 1));
            assert!((slowed - want).abs() < 1e-3 * want, "{slowed}, not {want} on {}", backend.name());
        }
    }
}

/// Friction by laws is never below MuJoCo's least one, and worlds have their own numbers.
#[test]
fn contacts_of_worlds_follow_their_own_numbers() {
    let text = r#"<mujoco><custom><numeric name="grip" data="0.5"/>
        <text name="friction:floor" data="grip"/><text name="keep:floor" data="grip &lt; 2"/></custom>
      <worldbody><geom name="floor" type="plane" size="0 0 1"/>
        <body pos="0 0 0.09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#;
    let model = manyworlds::load_str(text).unwrap();
    for backend in BACKENDS {
        let mut batch = batch_of(&model, 4, *backend);
        batch.expand(&["numeric_data"]).unwrap();
        batch.set_model("numeric_data", .., &[0.5, -1.0, 3.0, 1.5]).unwrap();
        batch.forward().unwrap();
        assert_eq!(get(&mut batch, "ncon"), [1.0, 1.0, 0.0, 1.0], "{}", backend.name());
        let friction = get(&mut batch, "contact_friction");
        let width = friction.len() / 4;
        near(&[friction[0], friction[width], friction[3 * width]], &[0.5, 1e-5, 1.5], 1e-6, backend.name());
    }
}

/// A ball that a platform lets pass from below lands on it and stays; one that falls is caught; a slow one falls back.
#[test]
fn a_platform_lets_balls_pass_from_below_and_holds_them_above() {
    let model = super::example("one_way.xml");
    for backend in BACKENDS {
        let mut batch = open(&model, 1, *backend);
        batch.reset(.., Some(0)).unwrap();
        batch.step(100).unwrap();
        // the first has passed without being slowed: free flight
        let (time, speed) = (get(&mut batch, "time")[0], get(&mut batch, "qvel")[2]);
        let want = 3.9 - 9.81 * time;
        assert!((speed - want).abs() < 1e-3, "{speed}, not {want} on {}", backend.name());
        batch.step(1400).unwrap();
        let heights = get(&mut batch, "qpos");
        for (ball, want) in [(0, 0.55), (1, 0.55), (2, 0.05), (3, 0.55)] {
            let height = heights[7 * ball + 2];
            assert!(
                (height - want).abs() < 1e-3,
                "ball {ball} at {height}, not {want} on {}",
                backend.name()
            );
        }
        assert!(get(&mut batch, "qvel").iter().all(|v| v.abs() < 1e-2), "{}", backend.name());
    }
}
