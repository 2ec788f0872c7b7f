//! Scaled frames against closed forms: what a change of units, and one of shapes alone, makes of a model.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::f64::consts::PI;
use std::path::Path;

use manyworlds::error::Error;
use manyworlds::load_str;
use manyworlds::model::Model;
use manyworlds::spec::{Frame, Geom, Scaling, Spec};

/// A model of a frame with attributes and contents, and more sections.
fn frame(attributes: &str, inside: &str, rest: &str) -> Model {
    let text = format!("<mujoco><worldbody><frame {attributes}>{inside}</frame></worldbody>{rest}</mujoco>");
    load_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[track_caller]
fn near(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{got:?} {want:?}");
    for (a, b) in got.iter().zip(want) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{got:?} is not {want:?}");
    }
}

const BALL: &str = "<body pos='1 2 3'><freejoint/><geom size='.1'/></body>";

#[test]
fn a_sphere_has_the_mass_and_inertia_of_its_new_radius() {
    let m = frame("scale='2' pos='1 0 0'", BALL, "");
    let mass = 1000.0 * 4.0 / 3.0 * PI * 0.2_f64.powi(3);
    near(&m.geom_size, &[0.2, 0.0, 0.0]);
    near(&m.body_mass[1..], &[mass]);
    near(&m.body_inertia[3..], &[0.4 * mass * 0.04; 3]);
    near(&m.qpos0, &[3.0, 4.0, 6.0, 1.0, 0.0, 0.0, 0.0]);
    // torsional and rolling friction, and the width of the impedance, are lengths
    near(&m.geom_friction, &[1.0, 0.01, 0.0002]);
    near(&m.geom_solimp, &[0.9, 0.95, 0.002, 0.5, 2.0]);
}

#[test]
fn masses_have_their_own_factor() {
    let plain = 1000.0 * 4.0 / 3.0 * PI * 0.001;
    for scaling in ["similar", "geometry"] {
        let m = frame(&format!("scale='2' massscale='3' scaling='{scaling}'"), BALL, "");
        near(&m.body_mass[1..], &[3.0 * plain]);
        near(&m.body_inertia[3..], &[0.4 * 3.0 * plain * 0.04; 3]);
    }
    near(&frame("massscale='3'", BALL, "").body_mass[1..], &[3.0 * plain]);
    near(&frame("massscale='0'", BALL, "").body_mass[1..], &[plain]);
}

const JOINTS: &str =
    "<body><joint name='s' type='slide' stiffness='1 1 1' damping='1' frictionloss='1' armature='1'
        range='-1 1' ref='.5' margin='.1'/><geom size='.1'/>
      <body><joint name='h' stiffness='1 1 1' damping='1' frictionloss='1' armature='1' range='-10 10'/>
    <geom size='.1'/></body></body>";

#[test]
fn gains_change_with_units_and_not_with_shapes() {
    let m = frame("scale='2' massscale='3'", JOINTS, "");
    near(&m.jnt_stiffness, &[3.0, 12.0]);
    near(&m.jnt_stiffnesspoly, &[1.5, 0.75, 12.0, 12.0]);
    near(&m.dof_damping, &[3.0, 12.0]);
    near(&m.dof_armature, &[3.0, 12.0]);
    near(&m.dof_frictionloss, &[6.0, 12.0]);
    let shapes = frame("scale='2' massscale='3' scaling='geometry'", JOINTS, "");
    near(&shapes.jnt_stiffness, &[1.0, 1.0]);
    near(&shapes.dof_damping, &[1.0, 1.0]);
    for m in [m, shapes] {
        near(&m.jnt_range, &[-2.0, 2.0, -10.0_f64.to_radians(), 10.0_f64.to_radians()]);
        near(&m.qpos0, &[1.0, 0.0]);
        near(&m.jnt_margin, &[0.2, 0.0]);
    }
}

#[test]
fn actuators_have_the_units_of_what_they_move() {
    let rest = "<actuator>
        <position joint='s' kp='5' kv='2' ctrlrange='-1 1' forcerange='-1 1'/>
        <motor joint='h' ctrlrange='-1 1'/>
        <cylinder joint='s' timeconst='1' area='1' bias='1 0 0' ctrlrange='0 1'/></actuator>
      <keyframe><key qpos='1 1' qvel='1 1' ctrl='1 1 1' act='1'/></keyframe>";
    let m = frame("scale='2' massscale='3'", JOINTS, rest);
    near(&[m.actuator_gainprm[0], m.actuator_gainprm[10], m.actuator_gainprm[20]], &[15.0, 12.0, 4.0]);
    near(&m.actuator_biasprm[..3], &[0.0, -15.0, -6.0]);
    near(&m.actuator_ctrlrange, &[-2.0, 2.0, -1.0, 1.0, 0.0, 1.5]);
    near(&m.actuator_forcerange[..2], &[-6.0, 6.0]);
    near(&m.key_qpos, &[2.0, 1.0]);
    near(&m.key_qvel, &[2.0, 1.0]);
    near(&m.key_ctrl, &[2.0, 1.0, 1.5]);
    near(&m.key_act, &[1.5]);
}

#[test]
fn factors_of_nested_frames_multiply() {
    let inside = format!(
        "<body pos='1 0 0'><frame scale='3' scaling='geometry' pos='1 0 0'>{JOINTS}</frame>
        <site name='t' pos='1 0 0' size='.1'/></body>"
    );
    let m = frame("scale='2'", &inside, "");
    near(&m.body_pos[3..9], &[2.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    near(&m.geom_size, &[0.6, 0.0, 0.0, 0.6, 0.0, 0.0]);
    near(&m.site_size[..1], &[0.2]);
    // masses by 8 in units, lengths by 2; the inner frame changes no gains
    near(&m.jnt_stiffness, &[8.0, 32.0]);
    near(&m.jnt_range[..2], &[-6.0, 6.0]);
}

#[test]
fn copies_are_scaled_with_their_distances() {
    let m = frame(
        "scale='2' pos='1 0 0'",
        "<replicate count='2' offset='1 0 0'><site pos='0 1 0'/></replicate>",
        "",
    );
    near(&m.site_pos, &[1.0, 2.0, 0.0, 3.0, 2.0, 0.0]);
}

#[test]
fn three_factors_are_those_of_the_axes() {
    let inside =
        "<body euler='0 0 90'><freejoint/><geom type='box' size='.1 .2 .3' mass='1' margin='.1'/></body>";
    let m = frame("scale='2 3 5' scaling='geometry'", inside, "");
    near(&m.geom_size, &[0.3, 0.4, 1.5]);
    near(&m.body_mass[1..], &[30.0]);
    near(&m.geom_margin, &[0.1 * 30.0_f64.cbrt()]);
    // an explicit inertia becomes that of the stretched box
    let moments = |x: f64, y: f64, z: f64| [y * y + z * z, x * x + z * z, x * x + y * y].map(|i| i / 3.0);
    let [a, b, c] = moments(0.1, 0.2, 0.3);
    let inside = format!(
        "<body><freejoint/><inertial pos='1 1 1' mass='1' diaginertia='{a} {b} {c}'/><site size='.1'/></body>"
    );
    let m = frame("scale='2 3 5' scaling='geometry'", &inside, "");
    let mut want = moments(0.2, 0.6, 1.5).map(|i| 30.0 * i);
    want.sort_by(|a, b| b.total_cmp(a));
    near(&m.body_inertia[3..], &want);
    near(&m.body_ipos[3..], &[2.0, 3.0, 5.0]);
    near(&m.site_size[..1], &[0.1 * 30.0_f64.cbrt()]);
}

#[test]
fn assets_have_a_copy_for_each_scale() {
    let asset = "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>";
    let inside = "<geom type='mesh' mesh='m'/><frame scale='3'><geom type='mesh' mesh='m'/></frame>
        <geom type='mesh' mesh='m'/>";
    let m = frame("scale='2'", inside, asset);
    assert_eq!(m.names.mesh, ["m", "m@1"]);
    assert_eq!(m.geom_dataid, [0, 1, 0]);
    near(&m.mesh_scale, &[2.0, 2.0, 2.0, 6.0, 6.0, 6.0]);
}

#[test]
fn tendons_have_the_scale_of_the_frame_around_their_paths() {
    let inside = format!("{JOINTS}<site name='a'/><site name='b' pos='1 0 0'/>");
    let rest = "<worldbody><site name='o' pos='0 1 0'/></worldbody><tendon>
        <spatial stiffness='1' range='0 1'><site site='a'/><site site='b'/></spatial>
        <spatial stiffness='1' range='0 1'><site site='a'/><site site='o'/></spatial>
        <fixed stiffness='1' range='0 1'><joint joint='s' coef='1'/><joint joint='h' coef='1'/></fixed>
        <fixed stiffness='1' range='0 1'><joint joint='h' coef='1'/></fixed></tendon>
      <equality><joint joint1='s' joint2='h' polycoef='1 1 1 1 1'/></equality>";
    let m = frame("scale='2' massscale='3'", &inside, rest);
    near(&m.tendon_stiffness, &[3.0, 1.0, 3.0, 12.0]);
    near(&m.tendon_range, &[0.0, 2.0, 0.0, 1.0, 0.0, 2.0, 0.0, 1.0]);
    near(&m.wrap_prm[4..], &[1.0, 2.0, 1.0]);
    near(&m.eq_data[..5], &[2.0; 5]);
}

#[test]
fn saved_models_have_the_scaled_numbers() {
    let text = format!(
        "<mujoco><worldbody><frame scale='2 2 2' massscale='3' pos='1 0 0'>{JOINTS}{BALL}</frame></worldbody></mujoco>"
    );
    let spec = Spec::from_text(&text).unwrap();
    let saved = spec.to_xml(Path::new(".")).unwrap();
    assert!(!saved.contains("massscale") && !saved.contains("<frame"), "{saved}");
    let (first, again) = (spec.compile().unwrap(), load_str(&saved).unwrap());
    near(&again.body_mass, &first.body_mass);
    near(&again.jnt_stiffness, &first.jnt_stiffness);
    near(&again.qpos0, &first.qpos0);
}

#[test]
fn frames_built_in_code_are_scaled() {
    let mut spec = Spec::new();
    let scaled = Frame { scale: Some([3.0; 3]), scaling: Scaling::Geometry, ..Frame::default() };
    let place = spec.add_frame(0, scaled).unwrap();
    spec.add_geom(manyworlds::spec::Parent::Frame(place), Geom { size: [0.1, 0.0, 0.0], ..Geom::default() })
        .unwrap();
    near(&spec.compile().unwrap().geom_size, &[0.3, 0.0, 0.0]);
    let broken = Frame { scale: Some([f64::NAN; 3]), ..Frame::default() };
    spec.add_frame(0, broken).unwrap();
    assert!(matches!(spec.compile(), Err(Error::Model(problems)) if problems[0].message.contains("NaN")));
}

/// What a frame holds, more sections, and parts of the message.
const REFUSED: &[(&str, &str, &[&str])] = &[
    (
        "<body><joint name='j'/><geom size='.1'/></body>",
        "<actuator><dcmotor name='m' joint='j' motorconst='1' resistance='1'/></actuator>",
        &["actuator 'm'", "units", "geometry"],
    ),
    (
        "<body name='b'><joint/><geom size='.1'/><plugin plugin='mujoco.elasticity.cable'/></body>",
        "<extension><plugin plugin='mujoco.elasticity.cable'/></extension>",
        &["body 'b'", "plugin", "out of the frame"],
    ),
    (
        "<body name='b'/>",
        "<worldbody><body name='o'/></worldbody><deformable><skin name='s' vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'>
          <bone body='b' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1' vertweight='1 1'/>
          <bone body='o' bindpos='0 0 0' bindquat='1 0 0 0' vertid='2' vertweight='1'/></skin></deformable>",
        &["skin 's'", "different scales"],
    ),
];

#[test]
fn what_has_no_units_is_refused() {
    for (inside, rest, parts) in REFUSED {
        let text = format!("<mujoco><worldbody><frame scale='2'>{inside}</frame></worldbody>{rest}</mujoco>");
        let Err(Error::Model(problems)) = load_str(&text) else {
            panic!("accepted: {text}");
        };
        let said = format!("{} {}", problems[0].message, problems[0].help);
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        assert!(problems[0].line > 0, "{said}");
    }
    // shapes alone change no gains
    let motor = "<actuator><dcmotor joint='h' motorconst='1' resistance='1'/></actuator>";
    frame("scale='2' scaling='geometry'", JOINTS, motor);
}

#[test]
fn meshes_are_not_stretched_obliquely() {
    let text = "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>
      <frame scale='1 2 3' scaling='geometry'><geom type='mesh' mesh='m' euler='0 0 30'/></frame></worldbody></mujoco>";
    let Err(Error::Model(problems)) = load_str(text) else {
        panic!("accepted");
    };
    assert!(problems[0].message.contains("mesh 'm' would be stretched obliquely"), "{}", problems[0].message);
}
