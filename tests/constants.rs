//! Constants that follow from other fields, recomputed: equal bits to those of a fresh compile.

use manyworlds::model::Model;
use manyworlds::schema::{Values, ValuesMut};

/// A model with everything that has constants at the reference pose. Numbers in braces vary.
const SCENE: &str = r#"<mujoco>
  <option timestep="0.002"/>
  <asset><hfield name="hills" nrow="3" ncol="3" size="1 1 0.2 0.1" elevation="0 0 1 0 1 0 1 0 0"/></asset>
  <default><geom friction="{friction} 0.01 0.001"/></default>
  <worldbody>
    <geom type="hfield" hfield="hills"/>
    <light pos="0 0 3"/>
    <camera name="eye" mode="track" pos="0 -3 1"/>
    <body name="ball" pos="0 0 1"><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="0.1 0.1 0.1"/>
      <geom size="{size}"/><site name="on_ball"/></body>
    <body name="slider" pos="1 0 0.5"><joint type="slide" axis="1 0 0" armature="0.1"/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/><geom type="box" size="0.1 {size} 0.1" margin="0.01"/></body>
    <body name="upper" pos="0 1 {height}"><joint name="shoulder" type="ball"/>
      <inertial pos="0.1 0 {offset}" mass="1" diaginertia="0.2 {inertia} 0.3"/>
      <geom type="capsule" size="0.05 {size}" pos="0.2 0 0"/><geom type="cylinder" size="0.04 0.1"/>
      <geom type="ellipsoid" size="0.1 {size} 0.05" pos="0 0.1 0"/>
      <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" armature="{armature}"/>
        <inertial pos="0.1 0 0" mass="{mass}" diaginertia="0.1 0.1 0.1"/>
        <geom type="capsule" size="0.04 0.1" mass="1"/><site name="on_lower" pos="0 0.1 {offset}"/></body></body>
  </worldbody>
  <contact><exclude body1="ball" body2="slider"/></contact>
  <equality><connect body1="ball" body2="lower" anchor="0 0 0.1"/><weld body1="slider" body2="upper"/>
    <weld body1="slider" body2="lower" relpose="0 0 1 0.3 0.4 0.5 0.6"/></equality>
  <tendon><spatial name="rope" stiffness="1"><site site="on_ball"/><site site="on_lower"/></spatial>
    <fixed name="sum"><joint joint="elbow" coef="0.5"/></fixed></tendon>
  <actuator><motor tendon="rope" gear="{gear}"/><position joint="elbow" kp="{kp}"/><velocity tendon="sum"/></actuator>
</mujoco>"#;

/// The numbers of two models.
const NUMBERS: [(&str, [&str; 2]); 9] = [
    ("friction", ["1", "0.4"]),
    ("mass", ["1", "2.7"]),
    ("size", ["0.1", "0.13"]),
    ("height", ["1", "1.3"]),
    ("offset", ["0.02", "0.07"]),
    ("inertia", ["0.25", "0.31"]),
    ("armature", ["0.01", "0.05"]),
    ("gear", ["1", "3"]),
    ("kp", ["10", "20"]),
];

/// Fields that a change of those numbers gives.
const GIVEN: [&str; 12] = [
    "geom_friction",
    "body_mass",
    "body_inertia",
    "body_ipos",
    "body_iquat",
    "geom_size",
    "body_pos",
    "dof_armature",
    "site_pos",
    "actuator_gear",
    "actuator_gainprm",
    "actuator_biasprm",
];

fn scene(which: usize) -> Model {
    let mut text = SCENE.to_owned();
    for (name, values) in NUMBERS {
        text = text.replace(&format!("{{{name}}}"), values[which]);
    }
    manyworlds::load_str(&text).expect("the scene compiles")
}

/// Fields in which two models differ in a bit.
fn differences(a: &Model, b: &Model) -> Vec<&'static str> {
    let bits = |m: &Model, name: &str| match m.get(name) {
        Some(Values::Real(v)) => v.iter().map(|x| x.to_bits()).collect(),
        Some(Values::Int(v)) => v.iter().map(|x| u64::from(x.cast_unsigned())).collect::<Vec<_>>(),
        None => Vec::new(),
    };
    let fields = Model::<f64>::FIELDS.iter().map(|f| f.name);
    fields.filter(|name| bits(a, name) != bits(b, name)).collect()
}

#[test]
fn constants_of_an_unchanged_model_keep_their_bits() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let files = std::fs::read_dir(folder).expect("the models").map(|f| f.expect("a file").path());
    let files = files.filter(|p| p.extension().is_some_and(|e| e == "xml"));
    let mut models: Vec<Model> = files.map(|p| manyworlds::load(&p).expect("a model")).collect();
    models.push(scene(0));
    assert!(models.len() > 5);
    for model in models {
        let mut again = model.clone();
        again.set_const();
        assert_eq!(differences(&model, &again), Vec::<&str>::new(), "{}", model.names.model);
    }
}

#[test]
fn constants_of_a_changed_model_are_those_of_a_fresh_compile() {
    let (mut model, fresh) = (scene(0), scene(1));
    let before = differences(&model, &fresh);
    for name in GIVEN {
        match (model.get_mut(name), fresh.get(name)) {
            (Some(ValuesMut::Real(to)), Some(Values::Real(from))) => to.copy_from_slice(from),
            _ => panic!("{name} is no real field"),
        }
    }
    let derived = ["body_subtreemass", "geom_rbound", "geom_aabb", "body_invweight0", "dof_M0", "dof_length"];
    assert!(derived.iter().chain(&["eq_data", "tendon_length0", "actuator_acc0"]).all(|d| before.contains(d)));
    model.set_const();
    // the rest length of the spring is that of the first compile, the reference pose of the free joint is given
    let left = differences(&model, &fresh);
    assert_eq!(left, ["tendon_lengthspring"]);
}

#[test]
fn statistics_of_the_file_stay() {
    let text = |stat: &str| {
        format!(
            r#"<mujoco><statistic {stat}/><worldbody><body><joint/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"#
        )
    };
    let mut given = manyworlds::load_str(&text(r#"meaninertia="7" extent="3""#)).expect("a model");
    let mut free = manyworlds::load_str(&text("")).expect("a model");
    for model in [&mut given, &mut free] {
        model.body_inertia.iter_mut().for_each(|x| *x *= 2.0);
        model.set_const();
    }
    assert_eq!((given.stat_meaninertia[0], given.stat_extent[0]), (7.0, 3.0));
    assert_eq!(free.stat_meaninertia[0], free.dof_M0[0]);
    assert_eq!(given.stat_meanmass, free.stat_meanmass);
}
