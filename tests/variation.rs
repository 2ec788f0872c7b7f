//! Worlds that differ in fields of the model: equal to worlds of separately compiled models. Constants that follow from
//! other fields: equal bits to those of a fresh compile.

use std::borrow::Cow;

use manyworlds::batch::{Backend, Batch, BatchOptions, Draw, Randomization};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
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
    <body name="ball" pos="0 0 0.29"><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="0.1 0.1 0.1"/>
      <geom size="{size}"/><site name="on_ball"/></body>
    <body name="slider" pos="1 0 0.25"><joint type="slide" axis="1 0 0" armature="0.1"/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/><geom type="box" size="0.1 {size} 0.1" margin="0.01"/></body>
    <body name="stone" pos="-0.5 -0.5 0.25"><freejoint/><geom type="box" size="0.1 {size} 0.1" mass="{mass}"/></body>
    <body name="upper" pos="0 1 {height}"><joint name="shoulder" type="ball"/>
      <inertial pos="0.1 0 {offset}" mass="1" diaginertia="0.2 {inertia} 0.3"/>
      <geom type="capsule" size="0.05 {size}" pos="0.2 0 0"/><geom type="cylinder" size="0.04 0.1"/>
      <geom type="ellipsoid" size="0.1 {size} 0.05" pos="0 0.1 0"/>
      <body name="lower" pos="0.4 0 0"><joint name="elbow" axis="0 1 0" armature="{armature}" frictionloss="{loss}"/>
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

/// Numbers of the scene: of the first model, and the change from one model to the next.
const NUMBERS: [(&str, f64, f64); 10] = [
    ("friction", 1.0, -0.002),
    ("mass", 1.0, 0.01),
    ("size", 0.1, 0.0003),
    ("height", 1.0, 0.002),
    ("offset", 0.02, 0.0002),
    ("inertia", 0.25, 0.0002),
    ("armature", 0.01, 0.001),
    ("gear", 1.0, 0.01),
    ("kp", 10.0, 0.1),
    // the first model has none
    ("loss", 0.0, 0.0005),
];

/// Fields in which those models differ, but for what follows from them.
const GIVEN: [&str; 12] = [
    "geom_friction",
    "body_mass",
    "body_inertia",
    "body_ipos",
    "geom_size",
    "body_pos",
    "dof_armature",
    "dof_frictionloss",
    "site_pos",
    "actuator_gear",
    "actuator_gainprm",
    "actuator_biasprm",
];

/// Worlds of the large tests.
const WORLDS: usize = 256;

/// The scene with the numbers of a world, those in `fixed` as in the first.
fn scene_with(world: usize, fixed: &[&str]) -> Model {
    numbered(SCENE, world, fixed)
}

/// The scene with shapes whose kernels are small.
fn plain_scene(world: usize) -> Model {
    let round = SCENE
        .replace("type=\"cylinder\"", "type=\"capsule\"")
        .replace("type=\"ellipsoid\"", "type=\"capsule\"");
    let flat =
        round.replace("type=\"hfield\" hfield=\"hills\"", "type=\"plane\" size=\"3 3 1\" pos=\"0 0 0.14\"");
    numbered(&flat, world, &[])
}

fn numbered(scene: &str, world: usize, fixed: &[&str]) -> Model {
    let mut text = scene.to_owned();
    for (name, first, step) in NUMBERS {
        let k = if fixed.contains(&name) { 0 } else { world };
        text = text.replace(&format!("{{{name}}}"), &(first + step * k as f64).to_string());
    }
    manyworlds::load_str(&text).expect("the scene compiles")
}

fn scene(world: usize) -> Model {
    scene_with(world, &[])
}

fn real<'a>(model: &'a Model, name: &str) -> &'a [f64] {
    match model.get(name) {
        Some(Values::Real(Cow::Borrowed(v))) => v,
        _ => panic!("{name} is no real field"),
    }
}

/// A batch of the first model, with the fields of the models in its worlds.
fn varied(models: &[Model], given: &[&str], backend: Backend) -> Batch {
    let options = BatchOptions { capacity: Some(CAPACITY), ..BatchOptions::on(backend) };
    let mut batch = Batch::new(&models[0], models.len(), &options).expect("a batch");
    batch.expand(given).expect("fields that may differ");
    for name in given {
        let values: Vec<f64> = models.iter().flat_map(|m| real(m, name)).copied().collect();
        batch.set_model(name, .., &values).expect("values of compiled models");
    }
    batch
}

const CAPACITY: Capacity = Capacity { nconmax: 24, njmax: 120 };

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
        manyworlds::compile::set_const(&mut again);
        assert_eq!(differences(&model, &again), Vec::<&str>::new(), "{}", model.names.model);
    }
}

#[test]
fn constants_of_a_changed_model_are_those_of_a_fresh_compile() {
    let (mut model, fresh) = (scene(0), scene(WORLDS));
    let before = differences(&model, &fresh);
    for name in GIVEN {
        match (model.get_mut(name), fresh.get(name)) {
            (Some(ValuesMut::Real(to)), Some(Values::Real(from))) => to.copy_from_slice(&from),
            _ => panic!("{name} is no real field"),
        }
    }
    // the reference pose of the free joint is given, the rest length of the spring is that of the first compile
    let derived = ["body_subtreemass", "geom_rbound", "geom_aabb", "body_invweight0", "dof_M0", "dof_length"];
    assert!(
        derived.iter().chain(&["eq_data", "tendon_length0", "actuator_acc0"]).all(|d| before.contains(d))
    );
    manyworlds::compile::set_const(&mut model);
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
        manyworlds::compile::set_const(model);
    }
    assert_eq!((given.stat_meaninertia[0], given.stat_extent[0]), (7.0, 3.0));
    assert_eq!(free.stat_meaninertia[0], free.dof_M0[0]);
    assert_eq!(given.stat_meanmass, free.stat_meanmass);
}

/// Equal bits in all fields of worlds, after some steps and a reset in between.
#[test]
fn worlds_that_differ_equal_separately_compiled_models() {
    // a position of the mass that varies would make blocks of the inertia matrix full that are diagonal in the model
    let models: Vec<Model> = (0..WORLDS).map(|w| scene_with(w, &["offset"])).collect();
    let given: Vec<&str> = GIVEN.into_iter().filter(|n| !["body_ipos", "site_pos"].contains(n)).collect();
    let mut batch = varied(&models, &given, Backend::Cpu);
    let rest = |m: &Model| m.tendon_lengthspring.clone();
    batch.expand(&["tendon_lengthspring"]).expect("a field that may differ");
    batch
        .set_model("tendon_lengthspring", .., &models.iter().flat_map(rest).collect::<Vec<_>>())
        .expect("lengths");
    let control: Vec<f64> = (0..WORLDS).flat_map(|w| [0.001 * w as f64, 0.3, -0.2]).collect();
    batch.set("ctrl", .., &control).expect("controls");
    batch.step(40).expect("steps");
    let mask: Vec<bool> = (0..WORLDS).map(|w| w % 3 == 0).collect();
    batch.reset(&mask, None).expect("a reset");
    batch.step(30).expect("steps");
    let mut contacts = 0;
    for (w, model) in models.iter().enumerate() {
        let mut data = Data::new(model, CAPACITY);
        // a reset clears the controls
        let steps = if mask[w] {
            30
        } else {
            data.ctrl.copy_from_slice(&control[3 * w..3 * w + 3]);
            70
        };
        (0..steps).for_each(|_| manyworlds::cpu::step(model, &mut data));
        let world = batch.world(w).expect("a world");
        for name in
            ["qpos", "qvel", "qacc", "xipos", "contact_dist", "efc_force", "actuator_force", "ten_length"]
        {
            assert_eq!(world.get(name), data.get(name), "{name} of world {w}");
        }
        assert_eq!(differences(&batch.model_of(w).expect("a model"), model), Vec::<&str>::new(), "world {w}");
        contacts += data.ncon[0];
    }
    assert!(contacts > 0, "worlds that touch nothing show little");
}

/// Deformable bodies of all kinds: a rope, a cloth, tetrahedra, cells. Numbers in braces vary.
const SOFT: &str = r#"<mujoco>
  <option timestep="0.001" tolerance="1e-10"/>
  <worldbody>
    <geom type="plane" size="3 3 1" pos="0 0 -0.012"/>
    <flexcomp name="rope" type="grid" dim="1" count="5 1 1" spacing=".1 .1 .1" radius=".02" mass="{mass}" pos="0 1 .3">
      <pin id="0"/><edge stiffness="{stiffness}" damping="{loss}"/><contact selfcollide="none"/></flexcomp>
    <flexcomp name="cloth" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" radius=".01" mass="{mass}" euler="0 5 0">
      <contact selfcollide="none" friction="{friction}"/>
      <elasticity young="{young}" poisson=".2" thickness=".01" elastic2d="both" damping="{damping}"/></flexcomp>
    <flexcomp name="solid" type="grid" dim="3" count="2 2 2" spacing=".1 .1 .1" radius=".01" mass="{mass}" pos="1 0 .05">
      <contact selfcollide="none"/><elasticity young="{young}" poisson=".2" damping="{damping}"/></flexcomp>{cells}
  </worldbody>
</mujoco>"#;

/// Vertices between nodes.
const CELLS: &str = r#"
    <flexcomp name="cells" type="grid" dim="3" count="3 3 3" spacing=".1 .1 .1" radius=".01" mass="{mass}" pos="2 0 .1"
              dof="trilinear"><contact selfcollide="none"/>
      <elasticity young="{young}" poisson=".2" damping="{damping}"/></flexcomp>"#;

/// A world of deformable bodies with numbers of its own.
fn soft(world: usize, cells: &str) -> Model {
    let mut text = SOFT.replace("{cells}", cells);
    for (name, first, step) in [
        ("mass", 1.0, 0.02),
        ("stiffness", 500.0, 20.0),
        ("loss", 1.0, 0.1),
        ("friction", 1.0, -0.01),
        ("young", 4e3, 100.0),
        ("damping", 0.01, 0.001),
    ] {
        text = text.replace(&format!("{{{name}}}"), &(first + step * world as f64).to_string());
    }
    manyworlds::load_str(&text).expect("the scene compiles")
}

/// Fields in which worlds of deformable bodies differ, but for what follows from them.
const SOFT_GIVEN: [&str; 8] = [
    "flex_stiffness",
    "flex_bending",
    "flex_damping",
    "flex_edgestiffness",
    "flex_edgedamping",
    "flex_friction",
    "body_mass",
    "body_inertia",
];

#[test]
fn soft_bodies_that_differ_equal_separately_compiled_ones() {
    let models: Vec<Model> = (0..16).map(|w| soft(w, CELLS)).collect();
    let changed = differences(&models[0], &models[9]);
    assert!(SOFT_GIVEN.iter().all(|name| changed.contains(name)), "{changed:?}");
    let mut batch = varied(&models, &SOFT_GIVEN, Backend::Cpu);
    batch.step(60).expect("steps");
    for (w, model) in models.iter().enumerate() {
        assert_eq!(differences(&batch.model_of(w).expect("a model"), model), Vec::<&str>::new(), "world {w}");
        let mut data = Data::new(model, CAPACITY);
        (0..60).for_each(|_| manyworlds::cpu::step(model, &mut data));
        let world = batch.world(w).expect("a world");
        for name in ["qpos", "qvel", "flexvert_xpos", "flexedge_length", "qfrc_passive", "efc_force"] {
            assert_eq!(world.get(name), data.get(name), "{name} of world {w}");
        }
        assert!(data.ncon[0] > 0, "world {w} touches nothing");
    }
}

#[test]
fn soft_bodies_that_differ_step_in_kernels_as_on_the_cpu() {
    let models: Vec<Model> = (0..6).map(|w| soft(w, "")).collect();
    let mut cpu = varied(&models, &SOFT_GIVEN, Backend::Cpu);
    let mut gpu = varied(&models, &SOFT_GIVEN, Backend::Gpu);
    cpu.step(60).expect("steps");
    for field in ["qpos", "qvel", "qacc_warmstart"] {
        let values = cpu.get(field, ..).expect("a field").data.to_f64();
        gpu.set(field, .., &values).expect("a state");
    }
    cpu.step(3).expect("steps");
    gpu.step(3).expect("steps");
    for field in ["qpos", "qvel", "qfrc_spring", "qfrc_damper"] {
        let [a, b] = [&mut cpu, &mut gpu].map(|b| b.get(field, ..).expect("a field").data.to_f64());
        let far = distance(&a, &b);
        assert!(far < 1e-4, "{field}: {far}");
    }
}

#[test]
fn positions_of_masses_may_differ() {
    let models: Vec<Model> = (0..8).map(scene).collect();
    let mut batch = varied(&models, &GIVEN, Backend::Cpu);
    batch.step(20).expect("steps");
    for (w, model) in models.iter().enumerate() {
        let mut model = model.clone();
        model.tendon_lengthspring.clone_from(&models[0].tendon_lengthspring);
        let mut data = Data::new(&model, CAPACITY);
        (0..20).for_each(|_| manyworlds::cpu::step(&model, &mut data));
        let world = batch.world(w).expect("a world");
        let far = world.qpos.iter().zip(&data.qpos).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-12, "world {w}: {far}");
    }
}

/// No world affects another: alone or among others, a world has the same bits.
#[test]
fn a_world_that_differs_has_the_same_bits_in_every_batch() {
    let models: Vec<Model> = (0..5).map(scene).collect();
    let last = |models: &[Model]| {
        let mut batch = varied(models, &GIVEN, Backend::Cpu);
        batch.set("qvel", .., &vec![0.1; models.len() * models[0].sizes.nv]).expect("velocities");
        batch.step(25).expect("steps");
        batch.world(models.len() - 1).expect("a world").qpos
    };
    let mut reordered = models.clone();
    reordered.swap(0, 2);
    let alone = vec![models[0].clone(), models[4].clone()];
    assert_eq!(last(&models), last(&alone));
    assert_ne!(last(&models), last(&models[..4]));
}

#[test]
fn invalid_values_leave_the_batch_as_it_is() {
    let model = scene(0);
    let options = BatchOptions { capacity: Some(CAPACITY), ..BatchOptions::on(Backend::Cpu) };
    let mut batch = Batch::new(&model, 3, &options).expect("a batch");
    let mut refused = |work: &mut dyn FnMut(&mut Batch) -> manyworlds::error::Result<()>, parts: &[&str]| {
        let before = batch.expanded();
        let text = work(&mut batch).expect_err("an error").to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert_eq!(batch.expanded(), before);
    };
    refused(&mut |b| b.expand(&["geom_type"]), &["geom_type", "structure"]);
    refused(&mut |b| b.expand(&["body_mass", "body_subtreemass"]), &["follows from body_mass"]);
    refused(&mut |b| b.expand(&["geom_fricton"]), &["did you mean 'geom_friction'"]);
    refused(&mut |b| b.expand(&["geom_adhesion"]), &["no geom of the model has adhesion"]);
    refused(&mut |b| b.set_model("body_mass", .., &[1.0; 18]), &["expand it first"]);
    batch
        .expand(&["body_mass", "body_inertia", "body_quat", "jnt_range", "geom_size", "hfield_data"])
        .expect("fields");
    let mut refused = |name: &str, place: usize, value: f64, parts: &[&str]| {
        let before = batch.get_model(name, ..).expect("a field");
        let mut values = before.data.to_f64();
        values[place] = value;
        let text = batch.set_model(name, .., &values).expect_err("an error").to_string();
        assert!(parts.iter().chain(&[name]).all(|part| text.contains(part)), "{text}");
        assert_eq!(batch.get_model(name, ..).expect("a field").data, before.data);
    };
    let nbody = model.sizes.nbody;
    refused("body_mass", nbody + 1, -1.0, &["world 1", "-1", "zero or greater"]);
    refused("body_mass", 2 * nbody + 1, f64::NAN, &["world 2", "not finite"]);
    refused("body_mass", 1, 1e300, &["world 0", "single precision"]);
    refused("body_inertia", 3, 9.0, &["triangle"]);
    refused("jnt_range", 0, 1.0, &["reversed"]);
    refused("geom_size", 3, 0.0, &["geom 1", "positive"]);
    refused("hfield_data", 0, 1.5, &["from 0 to 1"]);
    let mut zero = batch.get_model("body_quat", ..).expect("a field").data.to_f64();
    zero[4..8].fill(0.0);
    let text = batch.set_model("body_quat", .., &zero).expect_err("an error").to_string();
    assert!(text.contains("quaternion 1 is zero"), "{text}");
    // numbers of values and of masks
    let text = batch.set_model("body_mass", .., &[1.0]).expect_err("an error").to_string();
    assert!(text.contains("3 worlds need 18, got 1"), "{text}");
    let text = batch.set_model("body_mass", &[true], &[1.0]).expect_err("an error").to_string();
    assert!(text.contains("the mask has 1 elements; the batch has 3 worlds"), "{text}");
    batch.step(3).expect("the batch still steps");
}

/// Largest difference of two lists, relative to one plus the largest number.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let size = b.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) / size
}

#[test]
fn kernels_of_worlds_that_differ_agree_with_the_cpu() {
    let models: Vec<Model> = (0..WORLDS).map(plain_scene).collect();
    let mut cpu = varied(&models, &GIVEN, Backend::Cpu);
    let mut gpu = varied(&models, &GIVEN, Backend::Gpu);
    // what follows from the fields, as the kernels read it
    for (field, model) in cpu.expanded().iter().map(|f| (*f, &models)) {
        let values = gpu.get_model(field, ..).expect("a field").data.to_f64();
        let fresh: Vec<f64> = model.iter().flat_map(|m| m.get(field).expect("a field").to_f64()).collect();
        let far = distance(&values, &fresh);
        assert!(far < 1e-5, "{field}: {far}");
    }
    // the same states, well into contact
    cpu.step(40).expect("steps");
    for field in ["qpos", "qvel", "act", "ctrl", "qacc_warmstart"] {
        let values = cpu.get(field, ..).expect("a field").data.to_f64();
        gpu.set(field, .., &values).expect("values");
    }
    cpu.forward().expect("forward");
    gpu.forward().expect("forward");
    assert!(cpu.mean("ncon").expect("contacts") > 1.0);
    for (field, tolerance) in
        [("xipos", 1e-5), ("M", 1e-5), ("qfrc_bias", 1e-5), ("actuator_force", 1e-4), ("qacc", 2e-3)]
    {
        let [a, b] = [&mut gpu, &mut cpu].map(|batch| batch.get(field, ..).expect("a field").data.to_f64());
        let far = distance(&a, &b);
        assert!(far < tolerance, "{field}: {far}");
    }
    // a single world of the first model is another world
    let [first, last] = [0, WORLDS - 1].map(|w| gpu.world(w).expect("a world").qacc);
    assert_ne!(first, last);
}

#[test]
fn kernels_reset_each_world_to_its_own_state() {
    let text = r#"<mujoco><worldbody><body mocap="true" pos="0 0 1"><geom size="0.1"/></body>
      <body><joint type="slide" axis="0 0 1"/><geom size="0.1"/></body></worldbody></mujoco>"#;
    let model = manyworlds::load_str(text).expect("a model");
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut batch = Batch::new(&model, 3, &BatchOptions::on(backend)).expect("a batch");
        batch.set("qvel", .., &[1.0, 2.0, 3.0]).expect("velocities");
        batch.expand(&["qpos0", "body_pos", "opt_gravity"]).expect("fields");
        // worlds keep their states
        assert_eq!(batch.get("qvel", ..).expect("velocities").data.to_f64(), [1.0, 2.0, 3.0]);
        batch.set_model("qpos0", .., &[0.25, 0.5, 0.75]).expect("positions");
        let mut poses = batch.get_model("body_pos", ..).expect("a field").data.to_f64();
        poses[3 + 2] = 4.0;
        batch.set_model("body_pos", .., &poses).expect("positions");
        batch.set_model("opt_gravity", &[false, false, true], &[0.0, 0.0, 1.0]).expect("gravity");
        batch.reset(&[true, false, true], None).expect("a reset");
        assert_eq!(batch.get("qpos", ..).expect("positions").data.to_f64(), [0.25, 0.0, 0.75]);
        assert_eq!(batch.get("mocap_pos", ..).expect("positions").data.to_f64()[2], 4.0);
        batch.step(1).expect("a step");
        let qvel = batch.get("qvel", ..).expect("velocities").data.to_f64();
        let want = [-9.81 * 0.002, 2.0 - 9.81 * 0.002, 0.002];
        assert!(distance(&qvel, &want) < 1e-6, "{backend:?}: {qvel:?}");
    }
}

fn randomizations(texts: &[&str]) -> Vec<Randomization> {
    texts.iter().map(|text| text.parse().expect("a randomization")).collect()
}

/// A batch of the plain scene with drawn fields.
fn drawn(backend: Backend, worlds: usize, texts: &[&str], draw: Draw) -> Batch {
    let options = BatchOptions { capacity: Some(CAPACITY), ..BatchOptions::on(backend) };
    let mut batch = Batch::new(&plain_scene(0), worlds, &options).expect("a batch");
    batch.randomize(&randomizations(texts), draw, ..).expect("draws");
    batch
}

fn column(batch: &mut Batch, field: &str) -> Vec<f64> {
    batch.get_model(field, ..).expect("a field").data.to_f64()
}

#[test]
fn draws_depend_on_seed_world_stream_and_episode_only() {
    let texts = ["geom_friction=scale:0.5..1.5", "qvel=add:normal:0:0.1", "opt_gravity=add:-0.5..0.5"];
    let draw = Draw { seed: 7, ..Draw::default() };
    let mut cpu = drawn(Backend::Cpu, 6, &texts, draw);
    let mut gpu = drawn(Backend::Gpu, 6, &texts, draw);
    // as far as single precision reaches, the same numbers on both backends
    for field in ["geom_friction", "opt_gravity"] {
        let single: Vec<f64> = column(&mut cpu, field).iter().map(|x| f64::from(*x as f32)).collect();
        assert_eq!(single, column(&mut gpu, field), "{field}");
    }
    let [a, b] = [&mut cpu, &mut gpu].map(|batch| batch.get("qvel", ..).expect("velocities").data.to_f64());
    assert!(distance(&a, &b) < 1e-7);
    // world 4 of this batch is world 1 of one that begins at 3, without the other fields
    let mut part = drawn(Backend::Cpu, 2, &texts[..1], Draw { first_world: 3, ..draw });
    let len = column(&mut cpu, "geom_friction").len() / 6;
    let all = column(&mut cpu, "geom_friction");
    assert_eq!(column(&mut part, "geom_friction"), all[3 * len..5 * len]);
    // other seeds, episodes and worlds have other numbers; a draw starts from the model, not from the last draw
    for other in [Draw { seed: 8, ..draw }, Draw { seed: 7 + (1 << 32), ..draw }, Draw { episode: 1, ..draw }]
    {
        cpu.randomize(&randomizations(&texts[..1]), other, &[true; 6]).expect("draws");
        assert_ne!(column(&mut cpu, "geom_friction"), all);
    }
    assert_ne!(all[..len], all[len..2 * len]);
    cpu.randomize(&randomizations(&texts[..1]), draw, &[true; 6]).expect("draws");
    assert_eq!(column(&mut cpu, "geom_friction"), all);
}

#[test]
fn draws_have_their_distributions() {
    let worlds = 4000;
    let texts = [
        "body_mass=scale:0.5..1.5@body",
        "body_inertia=scale:0.5..1.5@body",
        "dof_damping=set:log:0.01..1",
        "opt_wind=add:normal:2:0.5",
    ];
    let mut batch = drawn(Backend::Cpu, worlds, &texts, Draw { seed: 3, ..Draw::default() });
    let model = batch.model().clone();
    let n = model.sizes.nbody;
    let mass: Vec<f64> =
        column(&mut batch, "body_mass").chunks(n).map(|row| row[1] / model.body_mass[1]).collect();
    let inertia = column(&mut batch, "body_inertia");
    let damping: Vec<f64> = column(&mut batch, "dof_damping").iter().map(|x| x.log10()).collect();
    let wind = column(&mut batch, "opt_wind");
    let statistics = |v: &[f64]| {
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        (mean, v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / v.len() as f64)
    };
    // Kolmogorov and Smirnov's distance from the uniform distribution, at the level of one in ten thousand
    let uniform = |v: &[f64], low: f64, high: f64| {
        let mut sorted = v.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len() as f64;
        let far = |(i, x): (usize, &f64)| ((x - low) / (high - low) - (i as f64 + 0.5) / n).abs() + 0.5 / n;
        let most = sorted.iter().enumerate().map(far).fold(0.0, f64::max);
        assert!(most < 2.23 / n.sqrt(), "{most}");
    };
    uniform(&mass, 0.5, 1.5);
    uniform(&damping, -2.0, 0.0);
    let (mean, variance) = statistics(&wind);
    assert!((mean - 2.0).abs() < 0.02 && (variance - 0.25).abs() < 0.01, "{mean} {variance}");
    // a body keeps the shape of its inertia, and the ratio to its mass, as both have one stream
    for (w, scale) in mass.iter().enumerate() {
        for k in 3..6 {
            assert!((inertia[3 * n * w + k] / model.body_inertia[k] - scale).abs() < 1e-12);
        }
    }
    // neighbours in an array are independent
    let products: f64 = wind.windows(2).map(|p| (p[0] - mean) * (p[1] - mean)).sum();
    assert!((products / (wind.len() as f64 * variance)).abs() < 0.04);
}

#[test]
fn draws_leave_the_sizes_of_height_fields() {
    let model = scene(0);
    let mut batch = Batch::new(&model, 2, &BatchOptions::on(Backend::Cpu)).expect("a batch");
    let all = randomizations(&["geom_size=scale:1.2..1.3"]);
    batch.randomize(&all, Draw::default(), &[true; 2]).expect("draws");
    let sizes = column(&mut batch, "geom_size");
    assert_eq!(sizes[..3], model.geom_size[..3]);
    assert!(sizes[3] > 1.19 * model.geom_size[3]);
    // the bounds follow
    let bounds = column(&mut batch, "geom_rbound");
    assert!(bounds[0] == model.geom_rbound[0] && bounds[1] > 1.19 * model.geom_rbound[1]);
}

#[test]
fn draws_that_no_world_can_have_change_nothing() {
    let mut batch = drawn(Backend::Cpu, 3, &["body_mass=scale:0.9..1.1"], Draw::default());
    let before = column(&mut batch, "body_mass");
    for (texts, part) in [
        (vec!["body_mass=scale:0.9..1.1", "geom_friction=set:-1..-0.5"], "geom_friction"),
        (vec!["body_mass=scale:2..1"], "reversed"),
        (vec!["body_mass=scale:1..2", "body_mass=add:0..1"], "drawn twice"),
        (vec!["wrap_prm=scale:1..2"], "cannot be expanded"),
        (vec!["actuator_armature=set:1..2"], "cannot be expanded"),
        (vec!["body_mass=scale:log:0..1"], "no logarithm"),
        (vec!["body_mass=add:normal:0:-1"], "standard deviation"),
        (vec!["body_mas=scale:1..2"], "did you mean 'body_mass'"),
        (vec!["geom_type=set:1..2"], "structure"),
    ] {
        let draw = Draw { seed: 1, ..Draw::default() };
        let text =
            batch.randomize(&randomizations(&texts), draw, &[true; 3]).expect_err("an error").to_string();
        assert!(text.contains(part), "{text}");
        assert_eq!(column(&mut batch, "body_mass"), before, "{texts:?}");
        assert!(!batch.expanded().contains(&"geom_friction"));
    }
    for text in
        ["body_mass", "body_mass=2..3", "body_mass=scale:1", "body_mass=scale:a..b", "body_mass=scale"]
    {
        let said = text.parse::<Randomization>().expect_err("an error").to_string();
        assert!(said.contains("LOW..HIGH"), "{said}");
    }
}

/// Whatever is expanded alone, its constants are those of a model with the same values.
#[test]
fn what_follows_is_recomputed_for_every_field() {
    let (base, other) = (scene(0), scene(WORLDS));
    for name in GIVEN.into_iter().filter(|n| *n != "body_ipos") {
        let options = BatchOptions { capacity: Some(CAPACITY), ..BatchOptions::on(Backend::Cpu) };
        let mut model = base.clone();
        // gears count in the inertia matrix by the armature of actuators
        model.actuator_armature.fill(0.1);
        model.tendon_armature.fill(0.2);
        manyworlds::compile::set_const(&mut model);
        let mut batch = Batch::new(&model, 1, &options).expect("a batch");
        batch.expand(&[name]).expect("a field");
        batch.set_model(name, .., real(&other, name)).expect("values");
        if let Some(ValuesMut::Real(to)) = model.get_mut(name) {
            to.copy_from_slice(real(&other, name));
        }
        manyworlds::compile::set_const(&mut model);
        let world = batch.model_of(0).expect("a model");
        assert_eq!(differences(&world, &model), Vec::<&str>::new(), "{name}");
    }
}

#[test]
fn measured_capacities_have_room_for_friction_that_only_worlds_have() {
    let text =
        "<mujoco><worldbody><body><joint/><geom size='0.1' pos='0 0.3 0'/></body></worldbody></mujoco>";
    let model = manyworlds::load_str(text).expect("a model");
    let mut batch = Batch::new(&model, 2, &BatchOptions::on(Backend::Cpu)).expect("a batch");
    batch.expand(&["dof_frictionloss"]).expect("a field");
    batch.set_model("dof_frictionloss", .., &[0.0, 0.5]).expect("values");
    batch.step(1).expect("a step");
    assert_eq!(batch.get("nefc", ..).expect("rows").data.to_f64(), [0.0, 1.0]);
    assert_eq!(batch.status().expect("status"), [0, 0]);
}

#[test]
fn what_is_read_can_be_written_back() {
    let model = scene(0);
    for backend in [Backend::Cpu, Backend::Gpu] {
        let options = BatchOptions { capacity: Some(CAPACITY), ..BatchOptions::on(backend) };
        let mut batch = Batch::new(&model, 2, &options).expect("a batch");
        batch.expand(&["geom_size", "hfield_size", "eq_data", "body_pos"]).expect("fields");
        for name in ["geom_size", "eq_data", "hfield_size", "body_pos"] {
            let values = column(&mut batch, name);
            batch.set_model(name, .., &values).unwrap_or_else(|e| panic!("{backend:?}: {e}"));
        }
    }
}

#[test]
fn relative_poses_that_a_caller_gives_are_kept() {
    let model = scene(0);
    let options = BatchOptions { capacity: Some(CAPACITY), ..BatchOptions::on(Backend::Cpu) };
    let mut batch = Batch::new(&model, 2, &options).expect("a batch");
    batch.expand(&["eq_data", "body_pos"]).expect("fields");
    let mut data = column(&mut batch, "eq_data");
    // of the second constraint, whose pose was computed at qpos0, in world 1
    let at = data.len() / 2 + 12;
    data[at + 3..at + 10].copy_from_slice(&[0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5]);
    batch.set_model("eq_data", .., &data).expect("values");
    let mut poses = column(&mut batch, "body_pos");
    poses.iter_mut().for_each(|x| *x += 0.01);
    poses[8] += 0.1;
    let half = poses.len() / 2;
    poses[half + 8] += 0.1;
    batch.set_model("body_pos", .., &poses).expect("values");
    let now = column(&mut batch, "eq_data");
    assert_eq!(now[at + 3..at + 10], data[at + 3..at + 10]);
    // in the other world it follows the bodies, as does the second anchor of the first constraint
    assert_ne!(now[12 + 3..12 + 6], data[12 + 3..12 + 6]);
    let mut wrong = now.clone();
    wrong[4] += 1.0;
    let said = batch.set_model("eq_data", .., &wrong).expect_err("an error").to_string();
    assert!(said.contains("follow from numbers 0 to 2"), "{said}");
    wrong = now;
    wrong[at + 6..at + 10].fill(0.0);
    let said = batch.set_model("eq_data", .., &wrong).expect_err("an error").to_string();
    assert!(said.contains("world 1") && said.contains("cannot be zero"), "{said}");
}

#[test]
fn damping_ratios_of_worlds_become_damping() {
    let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1' pos='0 0.3 0'/></body></worldbody>\
        <actuator><position joint='j' kp='10' {}/></actuator></mujoco>";
    let compiled = |ratio: &str| manyworlds::load_str(&text.replace("{}", ratio)).expect("a model");
    let (plain, damped) = (compiled(""), compiled("dampratio='0.7'"));
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut batch = Batch::new(&plain, 2, &BatchOptions::on(backend)).expect("a batch");
        batch.expand(&["actuator_biasprm"]).expect("a field");
        let mut values = column(&mut batch, "actuator_biasprm");
        values[12] = 0.7;
        batch.set_model("actuator_biasprm", .., &values).expect("values");
        let now = column(&mut batch, "actuator_biasprm");
        assert!(distance(&now[10..], &damped.actuator_biasprm) < 1e-6, "{backend:?}: {now:?}");
        assert!(now[2] == 0.0);
    }
}

#[test]
fn bodies_that_move_keep_a_mass() {
    let mut batch = Batch::new(&scene(0), 2, &BatchOptions::on(Backend::Cpu)).expect("a batch");
    batch.expand(&["body_mass", "body_inertia", "geom_size"]).expect("fields");
    for (name, place, value, part) in [
        ("body_mass", 1, 0.0, "body 1 moves"),
        ("body_inertia", 3, 0.0, "body 1 moves"),
        ("geom_size", 3, 1e-60, "positive sizes"),
    ] {
        let before = column(&mut batch, name);
        let mut values = before.clone();
        values[place] = value;
        if name == "body_inertia" {
            values[4] = values[5];
        }
        let said = batch.set_model(name, .., &values).expect_err("an error").to_string();
        assert!(said.contains(part), "{said}");
        assert_eq!(column(&mut batch, name), before);
    }
}

#[test]
fn snapshots_of_worlds_that_differ_are_restored_in_a_fresh_batch() {
    let sleeping = "<mujoco><option><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>\
        <body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>\
        <body pos='1 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>";
    let sleeping = manyworlds::load_str(sleeping).expect("a model");
    for (model, fields) in [
        (scene(0), vec!["hfield_size", "body_pos", "eq_data"]),
        // blocks of the inertia matrix that are diagonal in the model
        (sleeping, vec!["body_ipos"]),
    ] {
        let options = BatchOptions { capacity: Some(CAPACITY), ..BatchOptions::on(Backend::Cpu) };
        let mut batch = Batch::new(&model, 2, &options).expect("a batch");
        batch.step(200).expect("steps");
        batch.expand(&fields).expect("fields");
        for name in &fields {
            let mut values = column(&mut batch, name);
            let half = values.len() / 2;
            if *name != "eq_data" {
                values[half..].iter_mut().for_each(|x| *x += 0.001);
            }
            batch.set_model(name, .., &values).expect("values");
        }
        batch.step(10).expect("steps");
        let snapshot = batch.snapshot().expect("a snapshot");
        let mut fresh = Batch::new(&model, 2, &options).expect("a batch");
        fresh.restore(&snapshot).expect("restored");
        for batch in [&mut batch, &mut fresh] {
            batch.step(50).expect("steps");
        }
        for name in ["qpos", "qvel", "xpos"] {
            let [a, b] =
                [&mut batch, &mut fresh].map(|batch| batch.get(name, ..).expect("a field").data.to_f64());
            assert!(a.iter().zip(&b).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
        }
    }
}

#[test]
fn elements_that_are_not_drawn_keep_what_they_have() {
    let model = scene(0);
    let mut batch = varied(&vec![model.clone(); 3], &[], Backend::Cpu);
    let all: Randomization = "geom_friction=set:2..3".parse().expect("a randomisation");
    let some = Randomization { elements: Some(vec![0, 4]), ..all.clone() };
    let draw = Draw { seed: 3, ..Draw::default() };
    batch.randomize(std::slice::from_ref(&some), draw, &[true, true, false]).expect("draws");
    let part = batch.get_model("geom_friction", ..).expect("a field").data.to_f64();
    let len = part.len() / 3;
    let before = real(&model, "geom_friction");
    for (i, x) in part.iter().enumerate() {
        let drawn = i / len < 2 && [0, 4].contains(&(i % len));
        assert!(if drawn { (2.0..=3.0).contains(x) } else { *x == before[i % len] }, "number {i} is {x}");
    }
    // an element draws the same number whatever others are drawn
    batch.randomize(&[all], draw, &[true; 3]).expect("draws");
    let whole = batch.get_model("geom_friction", ..).expect("a field").data.to_f64();
    assert_eq!((whole[0], whole[len + 4]), (part[0], part[len + 4]));
    let wrong = Randomization { elements: Some(vec![len]), ..some };
    let told = batch.randomize(&[wrong], draw, &[true; 3]).expect_err("no such element").to_string();
    assert!(told.contains("has no element"), "{told}");
}
