//! Compiled fields against closed forms and the format's definition.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};

use manyworlds::model::Model;
use manyworlds::{load, load_str};

fn world(inside: &str, rest: &str) -> Model {
    let text = format!("<mujoco><worldbody>{inside}</worldbody>{rest}</mujoco>");
    load_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[track_caller]
fn near(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{got:?} {want:?}");
    for (a, b) in got.iter().zip(want) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{got:?} is not {want:?}");
    }
}

#[test]
fn masses_and_inertias_of_shapes() {
    // density 1000: a sphere, a box, a cylinder, an ellipsoid
    for (geom, mass, inertia) in [
        ("size='.1'", 4.0 / 3.0 * PI, [0.4, 0.4, 0.4].map(|x: f64| x * 4.0 / 3.0 * PI * 0.01)),
        ("type='box' size='.1 .2 .3'", 48.0, [16.0 * 0.13, 16.0 * 0.1, 16.0 * 0.05]),
        (
            "type='cylinder' size='.1 .5'",
            10.0 * PI,
            [10.0 * PI * (0.03 + 1.0) / 12.0, 10.0 * PI * (0.03 + 1.0) / 12.0, 10.0 * PI * 0.005],
        ),
        (
            "type='ellipsoid' size='.1 .2 .3'",
            8.0 * PI,
            [8.0 * PI * 0.13 / 5.0, 8.0 * PI * 0.1 / 5.0, 8.0 * PI * 0.05 / 5.0],
        ),
    ] {
        let m = world(&format!("<body><freejoint/><geom {geom}/></body>"), "");
        near(&m.body_mass[1..], &[mass]);
        near(&m.body_inertia[3..], &inertia);
        near(&m.body_iquat[4..], &[1.0, 0.0, 0.0, 0.0]);
    }
}

#[test]
fn two_balls_make_a_dumbbell() {
    let m = world(
        "<body><freejoint/><geom size='.1' mass='1' pos='-1 0 0'/><geom size='.1' mass='1' pos='1 0 0'/></body>",
        "",
    );
    let own = 0.4 * 0.01;
    near(&m.body_inertia[3..], &[2.0 * own + 2.0, 2.0 * own + 2.0, 2.0 * own]);
    near(&m.body_ipos[3..], &[0.0, 0.0, 0.0]);
}

#[test]
fn end_points_give_length_place_and_direction() {
    let m = world("<geom type='capsule' size='.1' fromto='0 0 0 2 0 0'/>", "");
    near(&m.geom_size, &[0.1, 1.0, 0.0]);
    near(&m.geom_pos, &[1.0, 0.0, 0.0]);
    // the z axis points from the second end to the first
    near(&m.geom_quat, &[FRAC_1_SQRT_2, 0.0, -FRAC_1_SQRT_2, 0.0]);
    near(&m.geom_rbound, &[1.1]);
}

#[test]
fn orientations_in_all_spellings() {
    let half = FRAC_1_SQRT_2;
    for spelling in [
        "euler='0 0 90'",
        "axisangle='0 0 3 90'",
        "xyaxes='0 1 0 -1 0 0'",
        "quat='1 0 0 1'",
        "euler='0 0 90' mocap='true'",
    ] {
        let m = world(&format!("<body {spelling}/>"), "");
        near(&m.body_quat[4..], &[half, 0.0, 0.0, half]);
    }
    near(&world("<body zaxis='0 -1 0'/>", "").body_quat[4..], &[half, half, 0.0, 0.0]);
    near(
        &world("<body euler='0 0 1.5707963267948966'/>", "<compiler angle='radian'/>").body_quat[4..],
        &[half, 0.0, 0.0, half],
    );
    // intrinsic axes against extrinsic ones in the opposite order
    let moving = world("<body euler='10 20 30'/>", "<compiler eulerseq='xyz'/>");
    let fixed = world("<body euler='30 20 10'/>", "<compiler eulerseq='ZYX'/>");
    near(&moving.body_quat, &fixed.body_quat);
}

#[test]
fn frames_are_dissolved() {
    let m = world(
        "<frame pos='1 0 0' euler='0 0 90'><body pos='1 0 0'><joint axis='1 0 0'/><frame pos='0 0 1'><geom size='.1'/></frame></body></frame>",
        "",
    );
    near(&m.body_pos[3..], &[1.0, 1.0, 0.0]);
    near(&m.geom_pos, &[0.0, 0.0, 1.0]);
    near(&m.jnt_axis, &[1.0, 0.0, 0.0]);
}

#[test]
fn classes_nest_and_partial_vectors_keep_the_rest() {
    let m = world(
        "<geom/><body childclass='a'><geom/><geom class='b' solimp='.1'/><geom class='main'/></body>",
        "<default><geom size='.1' solimp='.8 .9 .01'/><default class='a'><geom friction='2'/>\
         <default class='b'><geom size='.2'/></default></default></default>",
    );
    near(&m.geom_size.iter().step_by(3).copied().collect::<Vec<_>>(), &[0.1, 0.1, 0.2, 0.1]);
    near(&m.geom_friction.iter().step_by(3).copied().collect::<Vec<_>>(), &[1.0, 2.0, 2.0, 1.0]);
    near(&m.geom_solimp[10..15], &[0.1, 0.9, 0.01, 0.5, 2.0]);
}

#[test]
fn angles_are_degrees_for_hinges_only() {
    let m = world(
        "<body><joint range='-90 90' ref='90' springref='180'/><joint type='slide' range='-90 90' ref='1'/><geom size='.1'/></body>",
        "",
    );
    near(&m.jnt_range, &[-FRAC_PI_2, FRAC_PI_2, -90.0, 90.0]);
    near(&m.qpos0, &[FRAC_PI_2, 1.0]);
    near(&m.qpos_spring, &[PI, 0.0]);
    assert_eq!(m.jnt_limited, [1, 1]);
}

#[test]
fn replicate_names_places_and_copies_what_refers_to_it() {
    let m = world(
        "<replicate count='10' offset='1 0 0' sep='-'><body name='b'><joint name='j'/><geom size='.1'/></body></replicate>\
         <body><joint name='k'/><geom size='.1' contype='0' conaffinity='0'/></body>",
        "<actuator><motor name='m' joint='j'/><motor name='n' joint='k'/></actuator>",
    );
    assert_eq!(m.names.body[1], "b-00");
    assert_eq!(m.names.body[10], "b-09");
    near(&m.body_pos[30..33], &[9.0, 0.0, 0.0]);
    assert_eq!(m.names.actuator[..3], ["n", "m-00", "m-01"]);
    assert_eq!(m.actuator_trnid[..6], [10, -1, 0, -1, 1, -1]);
}

#[test]
fn attached_models_keep_their_own_settings() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("sub.xml"),
        "<mujoco model='sub'><compiler angle='radian'/><default><geom size='.3'/></default><worldbody><geom/>\
         <body name='r' pos='1 0 0'><joint name='j' range='-1 1'/><geom/></body></worldbody>\
         <actuator><motor name='m' joint='j'/></actuator><keyframe><key name='k' qpos='.5' ctrl='2'/></keyframe></mujoco>",
    )
    .unwrap();
    let path = folder.path().join("main.xml");
    std::fs::write(
        &path,
        "<mujoco><asset><model file='sub.xml'/></asset><worldbody><frame pos='0 2 0'><attach model='sub' body='r' prefix='p_'/></frame>\
         <body name='own'><joint name='o' range='-90 90'/><geom size='.1'/></body></worldbody>\
         <actuator><motor joint='o'/></actuator></mujoco>",
    )
    .unwrap();
    let m = load(&path).unwrap();
    assert_eq!(m.names.body, ["world", "p_r", "own"]);
    assert_eq!(m.names.actuator, ["", "p_m"]);
    near(&m.body_pos[3..6], &[1.0, 2.0, 0.0]);
    near(&m.jnt_range, &[-1.0, 1.0, -FRAC_PI_2, FRAC_PI_2]);
    near(&m.geom_size[..1], &[0.3]);
    near(&m.key_qpos, &[0.5, 0.0]);
    near(&m.key_ctrl, &[0.0, 2.0]);
}

#[test]
fn candidates_follow_the_filters() {
    let body = |name: &str, geom: &str, inside: &str| {
        format!("<body name='{name}'><joint/><geom name='g{name}' size='.1' {geom}/>{inside}</body>")
    };
    let chain = body("a", "", &body("b", "", &body("c", "", "")));
    let pairs = |m: &Model| -> Vec<(i32, i32)> {
        m.candidate_geom1.iter().copied().zip(m.candidate_geom2.iter().copied()).collect()
    };
    // the plane collides with all; parents do not collide with children
    let m = world(&format!("<geom type='plane' size='0 0 1'/>{chain}"), "");
    assert_eq!(pairs(&m), [(0, 1), (0, 2), (0, 3), (1, 3)]);
    // excluded pairs, and the filter disabled
    let m = world(
        &chain,
        "<option><flag filterparent='disable'/></option><contact><exclude body1='c' body2='a'/></contact>",
    );
    assert_eq!(pairs(&m), [(0, 1), (1, 2)]);
    // an explicit pair ignores filters and replaces the dynamic one
    let m = world(
        &chain,
        "<contact><pair geom1='gb' geom2='ga' condim='1'/><pair geom1='ga' geom2='gc'/></contact>",
    );
    assert_eq!(pairs(&m), [(0, 1), (0, 2)]);
    assert_eq!(m.candidate_pair, [0, 1]);
    assert_eq!(m.pair_dim, [1, 3]);
}

#[test]
fn levels_and_children() {
    let m = world("<body><body/><body><body/></body></body><body/>", "");
    assert_eq!(m.level_adr, [0, 1, 3, 5]);
    assert_eq!(m.level_num, [1, 2, 2, 1]);
    assert_eq!(m.level_body, [0, 1, 5, 2, 3, 4]);
    assert_eq!(m.body_childnum, [2, 2, 0, 1, 0, 0]);
    assert_eq!(m.child_body[..5], [5, 1, 3, 2, 4]);
}

#[test]
fn weights_of_a_pendulum() {
    let m = world(
        "<body><joint name='h' axis='0 1 0'/><geom size='.1' mass='2' pos='0 0 -3'/></body>",
        "<actuator><position joint='h' kp='4' dampratio='1' gear='2'/></actuator>",
    );
    let inertia = 2.0 * 9.0 + 0.4 * 2.0 * 0.01;
    near(&m.dof_M0, &[inertia]);
    near(&m.dof_invweight0, &[1.0 / inertia]);
    near(&m.body_invweight0[2..], &[9.0 / inertia / 3.0, 1.0 / inertia / 3.0]);
    near(&m.actuator_acc0, &[2.0 / inertia]);
    near(&m.actuator_biasprm[..3], &[0.0, -4.0, -2.0 * (4.0 * inertia / 4.0).sqrt()]);
    near(&m.dof_length, &[3.0]);
}

#[test]
fn visual_elements_are_kept() {
    let spec = manyworlds::mjcf::parse_str(
        "<mujoco><visual><global fovy='30'/></visual><asset><texture name='t' builtin='checker' width='9' height='9'/>\
         <material name='m' texture='t'/></asset><custom><text name='x' data='y'/></custom></mujoco>",
        "m.xml",
    )
    .unwrap();
    assert_eq!(spec.visual.reals("global_fovy"), [30.0]);
    assert_eq!((spec.textures.len(), spec.materials.len()), (1, 1));
    assert_eq!(spec.materials[0].base.name, "m");
    assert_eq!(spec.texts[0].data, "y");
}

#[test]
fn a_tendon_around_a_cylinder_and_over_pulleys() {
    // over the top of a wheel of radius 1, at distance 2 on both sides; then half of a straight line
    let m = world(
        "<site name='a' pos='-2 0 0'/><site name='b' pos='2 0 0'/><site name='top' pos='0 0 3'/>
         <body><joint name='j' axis='0 1 0'/><geom name='g' type='cylinder' size='1 1' euler='90 0 0'/></body>",
        "<tendon><spatial><site site='a'/><geom geom='g' sidesite='top'/><site site='b'/>
         <pulley divisor='2'/><site site='a'/><site site='top'/></spatial></tendon>",
    );
    let around = 2.0 * 3.0_f64.sqrt() + (PI - 2.0 * (0.5_f64).acos());
    near(&m.tendon_length0, &[around + 13.0_f64.sqrt() / 2.0]);
    assert_eq!(m.wrap_type, [3, 5, 3, 2, 3, 3]);
    assert_eq!(m.wrap_prm, [0.0, 2.0, 0.0, 2.0, 0.0, 0.0]);
    assert_eq!((m.tendon_treenum[0], &m.ten_J_colind[..]), (1, &[0][..]));
}

#[test]
fn shortcuts_go_on_with_the_nearest_class_of_their_own() {
    let m = world(
        "<body><joint name='j'/><geom size='.1'/></body>",
        "<default><velocity kv='4'/><default class='x'><position kp='7'/></default></default>
         <actuator><velocity class='x' joint='j'/><position class='x' joint='j' kv='2'/><general class='x' joint='j'/>
         <motor class='x' joint='j'/></actuator>",
    );
    near(&m.actuator_gainprm[..31].iter().step_by(10).copied().collect::<Vec<_>>(), &[4.0, 7.0, 7.0, 1.0]);
    near(&m.actuator_biasprm[10..13], &[0.0, -7.0, -2.0]);
    assert_eq!(m.actuator_ctrlspec, [2, 1, 1, 0]);
}

#[test]
fn a_muscle_reaches_both_limits() {
    let m = world(
        "<body><joint name='j' type='slide' range='-1 2' solreflimit='.01 1'/><geom size='.1'/></body>",
        "<compiler><lengthrange accel='1e-6' timeconst='.1' inttotal='30' uselimit='true'/></compiler>
         <actuator><muscle joint='j'/></actuator>",
    );
    near(&m.actuator_lengthrange, &[-1.0, 2.0]);
}

#[test]
fn surface_velocities_turn_with_the_frame_of_a_mesh() {
    let m = world(
        "<geom type='mesh' mesh='m' surfacevel='.1 .2 .3 .4 .5 .6'/>",
        "<asset><mesh name='m' vertex='0 0 0 .3 0 0 0 .1 0 .1 0 .2'/></asset>",
    );
    let (p, q) = (&m.geom_pos, &m.geom_quat);
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [0, 1, 2].map(|k: usize| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
    };
    let turned = |v: [f64; 3]| {
        let axis = [q[1], q[2], q[3]];
        let t = cross(axis, v).map(|x| 2.0 * x);
        let u = cross(axis, t);
        [0, 1, 2].map(|k| v[k] + q[0] * t[k] + u[k])
    };
    let part = |k: usize| [0, 1, 2].map(|i| m.geom_surfacevel[k + i]);
    assert!(p[0] > 0.05 && q[0] < 0.99);
    // the field as given, at the origin of the mesh's frame
    near(&turned(part(3)), &[0.4, 0.5, 0.6]);
    let moved = cross([0.4, 0.5, 0.6], [p[0], p[1], p[2]]);
    near(&turned(part(0)), &[0.1 + moved[0], 0.2 + moved[1], 0.3 + moved[2]]);
}

#[test]
fn frames_coincide_by_component() {
    // two components of the quaternion off by 0.9e-6 each, and one by 1.1e-6
    let geom = |quat: &str, pos: &str| format!("<geom size='.1' quat='{quat}' pos='{pos}'/>");
    let inside = geom("1 9e-7 9e-7 0", "9e-7 9e-7 0")
        + &geom("1 1.1e-6 0 0", "0 0 0")
        + &geom("-1 0 0 0", "0 0 1.1e-6")
        + &geom("-1 0 0 0", "0 0 0");
    assert_eq!(world(&inside, "").geom_sameframe, [1, 0, 3, 1]);
}

#[test]
fn primitives_are_fitted_to_the_bounding_box_of_a_mesh() {
    // half sizes 1/8, 1/4 and 1/2 in any order of axes: the inertial frame is the mesh's, turned
    let fitted = |kind: &str| {
        let m = world(
            &format!("<geom type='{kind}' mesh='m'/>"),
            "<compiler fitaabb='true'/><asset><mesh name='m' vertex='-.125 -.25 -.5 .125 -.25 -.5 -.125 .25 -.5 .125 .25 -.5
             -.125 -.25 .5 .125 -.25 .5 -.125 .25 .5 .125 .25 .5'/></asset>",
        );
        m.geom_size
    };
    near(&fitted("sphere"), &[0.5, 0.0, 0.0]);
    let half = fitted("box");
    let across = half[0].max(half[1]);
    near(&fitted("cylinder"), &[across, half[2], 0.0]);
    near(&fitted("capsule"), &[across, half[2] - across, 0.0]);
    assert!(half[2] > across);
}

#[test]
fn keyframes_that_only_a_size_counts_survive_a_compiled_model() {
    let text = "<mujoco><size nkey='3'/><worldbody><body><joint/><geom size='.1'/></body></worldbody>
                <keyframe><key name='a'/></keyframe></mujoco>";
    let model = manyworlds::load_str(text).unwrap();
    assert_eq!(model.names.key, ["a", "", ""]);
    assert_eq!(Model::from_mwb(&model.to_mwb()).unwrap(), model);
}

#[test]
fn a_direction_is_the_z_axis_within_the_reference_s_limit() {
    let quat = |axis: &str| world(&format!("<geom size='1' zaxis='{axis}'/>"), "").geom_quat;
    // half a turn about x, as of MuJoCo 3.17.0; π in single precision leaves 8.7e-8
    near(&quat("-8.7e-8 0 -1"), &[0.0, 1.0, 0.0, 0.0]);
    near(&quat("0 9.9e-8 -1"), &[0.0, 1.0, 0.0, 0.0]);
    near(&quat("9.9e-8 0 1"), &[1.0, 0.0, 0.0, 0.0]);
    // the shortest rotation beyond
    near(&quat("2e-7 0 1"), &[1.0, 0.0, 1e-7, 0.0]);
    near(&quat("-1.1e-7 0 -1"), &[5.5e-8, 0.0, -1.0, 0.0]);
}

#[test]
fn actuators_keep_the_trees_that_they_act_on_awake() {
    // policies of five trees as MuJoCo 3.17.0 gives them: 1 never, 2 allowed
    let bodies = "<site name='w'/>
        <body><freejoint/><geom size='.1'/><site name='a'/></body>
        <body pos='1 0 0'><joint name='hinge'/><geom size='.1'/><site name='b'/></body>
        <body name='C' pos='2 0 0'><joint name='ball' type='ball'/><geom size='.1'/><site name='c'/></body>
        <body pos='3 0 0'><joint type='slide'/><geom name='g' size='.1'/><site name='d'/></body>
        <body pos='4 0 0'><joint/><geom size='.1'/><site name='e' pos='.1 0 0'/></body>";
    for (actuator, policies) in [
        ("<motor joint='hinge'/>", [2, 1, 2, 2, 2]),
        ("<motor jointinparent='ball'/>", [2, 2, 1, 2, 2]),
        ("<motor tendon='bd'/>", [2, 1, 2, 1, 2]),
        ("<motor tendon='wd'/>", [2, 2, 2, 1, 1]),
        ("<motor site='a'/>", [1, 2, 2, 2, 2]),
        ("<motor site='a' refsite='d'/>", [1, 2, 2, 1, 2]),
        ("<general cranksite='b' slidersite='e' cranklength='1'/>", [2, 1, 2, 2, 1]),
        ("<adhesion body='C' ctrlrange='0 1'/>", [2, 2, 1, 2, 2]),
        ("<orientation joint='ball' kp='4' kv='0.5'/>", [2, 2, 1, 2, 2]),
        ("<orientation site='c' refsite='d' kp='4'/>", [2, 2, 1, 1, 2]),
        ("<orientation site='c' refsite='w' kp='4'/>", [2, 2, 1, 2, 2]),
    ] {
        let rest = format!(
            "<tendon><spatial name='bd'><site site='b'/><site site='d'/></spatial>
            <spatial name='wd'><site site='w'/><geom geom='g'/><site site='e'/></spatial></tendon>
            <actuator>{actuator}</actuator>"
        );
        assert_eq!(world(bodies, &rest).tree_sleep_policy, policies, "{actuator}");
    }
}

#[test]
fn an_orientation_servo_reflects_no_armature() {
    let law = "gaintype='so3' biastype='so3' gainprm='4' biasprm='0 -4' armature='1' damping='1'";
    let m = world(
        "<body><joint name='j' type='ball'/><geom size='.1' mass='1'/></body>",
        &format!("<actuator><general joint='j' {law}/></actuator>"),
    );
    assert_eq!(m.jnt_actuatorid, [-1]);
    near(&m.dof_M0, &[0.004; 3]);
}

#[test]
fn limits_follow_the_settings_of_the_model_that_an_element_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let read = |own: &str, outer: &str| {
        let child = format!(
            "<mujoco model='c'><compiler autolimits='{own}'/><worldbody><body><joint name='j' limited='true' range='-30 60'/>
            <geom size='1'/></body></worldbody><actuator><position joint='j' kp='2' inheritrange='1'/></actuator></mujoco>"
        );
        let parent = format!(
            "<mujoco><compiler autolimits='{outer}'/><asset><model name='c' file='child.xml'/></asset>
            <worldbody><attach model='c' prefix='p'/></worldbody></mujoco>"
        );
        std::fs::write(dir.join("child.xml"), child).unwrap();
        std::fs::write(dir.join("parent.xml"), parent).unwrap();
        load(&dir.join("parent.xml"))
    };
    for outer in ["true", "false"] {
        assert_eq!(read("true", outer).unwrap().actuator_ctrllimited, [1]);
        let error = read("false", outer).unwrap_err().to_string();
        assert!(error.contains("inheritrange is given, but not whether it limits"), "{error}");
        assert!(error.contains("write ctrllimited"), "{error}");
    }
}

#[test]
fn keyframes_with_few_numbers_go_on_with_the_initial_state() {
    let mocap = "<body mocap='true' pos='1 2 3'><geom size='1'/></body>";
    let hinges =
        "<replicate count='3' offset='1 0 0'><body><joint ref='30'/><geom size='.1'/></body></replicate>";
    let m =
        world(&format!("{mocap}{hinges}"), "<keyframe><key qpos='1' mpos='7 8' mquat='0 1 0'/></keyframe>");
    near(&m.key_qpos, &[1.0, PI / 6.0, PI / 6.0]);
    // poses of mocap bodies are whole
    near(&m.key_mpos, &[1.0, 2.0, 3.0]);
    near(&m.key_mquat, &[1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn kinds_that_do_not_exist_are_reported() {
    let text = "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='1'/></body></worldbody></mujoco>";
    let mut spec = manyworlds::spec::Spec::from_text(text).unwrap();
    spec.bodies[1].sleep = 77;
    let error = spec.compile().unwrap_err().to_string();
    assert!(error.contains("sleep 77 of 'b' is no kind"), "{error}");
}
