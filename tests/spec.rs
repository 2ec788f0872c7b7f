//! Models built, changed and saved in code.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use manyworlds::mjcf;
use manyworlds::model::Model;
use manyworlds::schema::enums::{GeomType, JointType};
use manyworlds::spec::*;

fn ball(name: &str) -> Geom {
    Geom { size: [0.1, 0.0, 0.0], ..Geom::default() }.named(name)
}

#[test]
fn bodies_can_be_added_in_any_order() {
    let mut spec = Spec::new();
    let a = spec.add_body(0, Body::default().at([1.0, 0.0, 0.0]).named("a")).unwrap();
    let b = spec.add_body(0, Body::default().named("b")).unwrap();
    let child = spec.add_body(a, Body::default().named("child")).unwrap();
    for (body, name) in [(child, "in child"), (b, "in b"), (a, "in a")] {
        spec.add_geom(body, ball(name)).unwrap();
        spec.add_joint(body, Joint::default()).unwrap();
    }
    let model = spec.compile().unwrap();
    assert_eq!(model.names.body, ["world", "a", "child", "b"]);
    assert_eq!(model.names.geom, ["in a", "in child", "in b"]);
    assert_eq!(model.body_parentid, [0, 0, 1, 0]);
}

#[test]
fn elements_are_put_in_frames_and_at_sites() {
    let mut spec = Spec::new();
    let pose = Pose { pos: [0.0, 0.0, 1.0].into(), ..Pose::default() };
    let frame = spec.add_frame(0, Frame { pose, ..Frame::default() }).unwrap();
    let site = spec.add_site(Parent::Frame(frame), Site { pose, ..Site::default() }).unwrap();
    spec.add_geom(Parent::Site(site), ball("up")).unwrap();
    spec.add_body(Parent::Frame(frame), Body::default()).unwrap();
    let model = spec.compile().unwrap();
    assert_eq!(model.geom_pos, [0.0, 0.0, 2.0]);
    assert_eq!(model.body_pos[3..], [0.0, 0.0, 1.0]);
    // a missing parent is an error
    assert!(spec.add_geom(7, ball("lost")).unwrap_err().to_string().contains("Body(7)"));
}

#[test]
fn an_empty_spec_is_an_error_and_not_a_crash() {
    assert!(Spec::default().compile().is_err());
    assert_eq!(Spec::new().compile().unwrap().sizes.nbody, 1);
    // bodies whose parent comes later or is missing: they hang on the world
    let mut spec = Spec::new();
    let a = spec.add_body(0, Body::default()).unwrap();
    let b = spec.add_body(a, Body::default()).unwrap();
    spec.bodies[a].parent = b;
    spec.bodies[b].parent = 99;
    assert_eq!(spec.compile().unwrap().sizes.nbody, 3);
}

#[test]
fn removing_follows_ids_and_keyframes() {
    let mut spec = Spec::from_text(
        "<mujoco><worldbody>
           <body name='a'><joint name='j'/><geom size='.1'/><body name='b'><joint name='k'/><geom size='.1'/></body></body>
           <body name='c'><joint name='l'/><geom name='last' size='.1'/></body>
         </worldbody>
         <actuator><motor name='mk' joint='k'/><motor name='ml' joint='l'/></actuator>
         <sensor><actuatorfrc name='s' actuator='mk'/></sensor>
         <keyframe><key qpos='1 2 3' ctrl='4 5'/></keyframe></mujoco>",
    )
    .unwrap();
    let b = spec.find(Kind::Body, "b").unwrap();
    let told = spec.remove(Kind::Body, b).unwrap_err().to_string();
    assert!(told.contains("actuator 'mk'"), "{told}");
    assert_eq!(spec.bodies.len(), 4);
    spec.remove_with_referrers(Kind::Body, b).unwrap();
    let model = spec.compile().unwrap();
    assert_eq!(model.names.body, ["world", "a", "c"]);
    assert_eq!((model.sizes.nsensor, model.names.actuator.clone()), (0, vec!["ml".to_owned()]));
    assert_eq!((model.key_qpos, model.key_ctrl), (vec![1.0, 3.0], vec![5.0]));
    assert!(spec.remove(Kind::Body, 0).is_err());
}

#[test]
fn attached_models_keep_their_parts_apart() {
    let child = Spec::from_text(
        "<mujoco><asset><material name='red'/></asset>
         <worldbody><frame name='f' pos='0 0 1'><body name='b'><joint name='j'/><geom size='.1' material='red'/></body></frame>
         <body name='other'><joint name='o'/><geom size='.1'/></body></worldbody>
         <actuator><motor name='m' joint='j'/><motor name='n' joint='o'/></actuator>
         <keyframe><key name='k' qpos='1 2' ctrl='3 4'/></keyframe></mujoco>",
    )
    .unwrap();
    let mut spec = Spec::new();
    let hand = spec.add_body(0, Body::default().at([5.0, 0.0, 0.0])).unwrap();
    spec.add_geom(hand, ball("")).unwrap();
    let frame = child.find(Kind::Frame, "f").unwrap();
    spec.attach(&child, Part::Frame(frame), hand, "x_", "").unwrap();
    let body = spec.attach(&child, Part::Body(1), 0, "", "_y").unwrap();
    assert_eq!(spec.name(Kind::Body, body), "b_y");
    spec.attach(&child, Part::World, 0, "z_", "").unwrap();
    let model = spec.compile().unwrap();
    assert_eq!(model.names.actuator, ["x_m", "m_y", "z_m", "z_n"]);
    assert_eq!(model.names.material, ["x_red", "red_y", "z_red"]);
    assert_eq!(model.names.key, ["x_k", "k_y", "z_k"]);
    // bodies x_b, b_y, z_b, z_other
    assert_eq!(model.key_qpos, [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0]);
    assert_eq!(model.key_ctrl[8..], [0.0, 0.0, 3.0, 4.0]);
    // duplicate names are reported
    spec.attach(&child, Part::World, 0, "z_", "").unwrap();
    assert!(spec.compile().unwrap_err().to_string().contains("'z_b' is used twice"));
}

/// Two joints with a motor each, and a keyframe.
const TWO: &str = "<mujoco><worldbody>
    <body name='a'><joint name='ja'/><geom size='.1'/></body>
    <body name='b'><joint name='jb'/><geom size='.1'/></body></worldbody>
    <actuator><motor joint='ja'/><motor joint='jb'/></actuator>
    <keyframe><key name='k' qpos='.1 .2' qvel='1 2' ctrl='3 4'/></keyframe></mujoco>";

/// A slide with a motor and a keyframe, to be attached.
const ONE: &str = "<mujoco model='c'><worldbody>
    <body name='x'><joint name='jx' ref='7' type='slide'/><geom size='.1'/></body></worldbody>
    <actuator><motor joint='jx'/></actuator>
    <keyframe><key name='kc' qpos='.5' qvel='.6' ctrl='.7'/></keyframe></mujoco>";

fn read(text: &str) -> Spec {
    Spec::from_text(text).unwrap()
}

/// Attaches the first body of a model.
fn attach(spec: &mut Spec, child: &str, place: &str, prefix: &str) {
    let place = spec.find(Kind::Body, place).unwrap();
    spec.attach(&read(child), Part::Body(1), place, prefix, "").unwrap();
}

/// Name of a keyframe and three of its vectors.
type Numbers<'a> = (&'a str, &'a [f64], &'a [f64], &'a [f64]);

/// Keyframes of a compiled model: qpos, qvel and ctrl of each, by name.
#[track_caller]
fn keys(spec: &Spec, want: &[Numbers<'_>]) {
    let m = spec.compile().unwrap();
    assert_eq!(m.names.key, want.iter().map(|w| w.0).collect::<Vec<_>>());
    let all = |part: fn(&Numbers<'_>) -> Vec<f64>| want.iter().flat_map(part).collect::<Vec<f64>>();
    assert_eq!(m.key_qpos, all(|w| w.1.to_vec()));
    assert_eq!(m.key_qvel, all(|w| w.2.to_vec()));
    assert_eq!(m.key_ctrl, all(|w| w.3.to_vec()));
}

#[test]
fn keyframes_stay_with_their_joints_when_others_are_attached() {
    // all numbers are those of MuJoCo 3.17.0's MjSpec
    let child: (&str, &[f64], &[f64], &[f64]) =
        ("p_kc", &[0.0, 0.5, 0.0], &[0.0, 0.6, 0.0], &[0.0, 0.0, 0.7]);
    let mut spec = read(TWO);
    attach(&mut spec, ONE, "a", "p_");
    keys(&spec, &[("k", &[0.1, 7.0, 0.2], &[1.0, 0.0, 2.0], &[3.0, 4.0, 0.0]), child]);
    // twice
    let mut twice = spec.clone();
    attach(&mut twice, ONE, "b", "q_");
    keys(
        &twice,
        &[
            ("k", &[0.1, 7.0, 0.2, 7.0], &[1.0, 0.0, 2.0, 0.0], &[3.0, 4.0, 0.0, 0.0]),
            ("p_kc", &[0.0, 0.5, 0.0, 7.0], &[0.0, 0.6, 0.0, 0.0], &[0.0, 0.0, 0.7, 0.0]),
            ("q_kc", &[0.0, 7.0, 0.0, 0.5], &[0.0, 0.0, 0.0, 0.6], &[0.0, 0.0, 0.0, 0.7]),
        ],
    );
    // one within the other
    let mut inner = read(ONE);
    attach(&mut inner, &ONE.replace("jx", "jg").replace("'x'", "'g'").replace("kc", "kg"), "x", "g_");
    let mut nested = read(TWO);
    let a = nested.find(Kind::Body, "a").unwrap();
    nested.attach(&inner, Part::Body(1), a, "p_", "").unwrap();
    keys(
        &nested,
        &[
            ("k", &[0.1, 7.0, 7.0, 0.2], &[1.0, 0.0, 0.0, 2.0], &[3.0, 4.0, 0.0, 0.0]),
            ("p_kc", &[0.0, 0.5, 7.0, 0.0], &[0.0, 0.6, 0.0, 0.0], &[0.0, 0.0, 0.7, 0.0]),
            ("g_kg", &[0.0, 7.0, 0.5, 0.0], &[0.0, 0.0, 0.6, 0.0], &[0.0, 0.0, 0.0, 0.7]),
        ],
    );
    // what is removed afterwards takes its numbers along
    for (body, qpos, ctrl) in
        [("a", vec![0.2, 0.0], vec![4.0, 0.0]), ("p_x", vec![0.1, 0.2, 0.0, 0.0], vec![3.0, 4.0, 0.0, 0.0])]
    {
        let mut less = spec.clone();
        let id = less.find(Kind::Body, body).unwrap();
        less.remove_with_referrers(Kind::Body, id).unwrap();
        let m = less.compile().unwrap();
        assert_eq!((m.key_qpos, m.key_ctrl), (qpos, ctrl), "{body}");
    }
}

#[test]
fn keyframes_of_all_kinds_of_joints_follow() {
    // all numbers are those of MuJoCo 3.17.0's MjSpec
    let mut spec = read(
        "<mujoco><worldbody><body name='m0' mocap='true' pos='1 0 0'><geom size='.1'/></body>
           <body name='a'><freejoint name='ja'/><geom size='.1'/>
             <body name='a2' pos='0 0 1'><joint name='ja2' type='ball'/><geom size='.1'/></body></body>
           <body name='m1' mocap='true' pos='2 0 0'><geom size='.1'/></body>
           <body name='b' pos='3 0 0'><joint name='jb' type='slide'/><joint name='jb2'/><geom size='.1'/></body></worldbody>
         <actuator><general joint='jb' dyntype='integrator'/><motor joint='jb2'/>
           <general joint='jb2' dyntype='user' actdim='2'/></actuator>
         <keyframe><key name='k' qpos='1 2 3 1 0 0 0 .5 .5 .5 .5 8 9' qvel='1 2 3 4 5 6 7 8 9 10 11' act='1 2 3'
             ctrl='1 2 3' mpos='1 2 3 4 5 6' mquat='0 1 0 0 0 0 1 0'/>
           <key name='short' qpos='1 2 3 1 0 0 0 1 0' mpos='1 2 3 4' act='1 2'/></keyframe></mujoco>",
    );
    let child = read(
        "<mujoco model='c'><worldbody><body name='mc' mocap='true' pos='5 0 0' quat='0 0 0 1'><geom size='.1'/></body>
           <body name='y' pos='0 2 0'><joint name='jy' type='ball'/><geom size='.1'/>
             <body name='z'><joint name='jz' type='slide' ref='.3'/><geom size='.1'/></body></body></worldbody>
         <actuator><general joint='jz' dyntype='filter' dynprm='1'/><motor joint='jy' gear='1 0 0 0 0 0'/></actuator>
         <keyframe><key name='kc' qpos='0 0 1 0 .7' act='.9' ctrl='.7 .8' mpos='9 9 9' mquat='0 1 0 0'/></keyframe></mujoco>",
    );
    let (y, mc) = (child.find(Kind::Body, "y").unwrap(), child.find(Kind::Body, "mc").unwrap());
    let a2 = spec.find(Kind::Body, "a2").unwrap();
    spec.attach(&child, Part::Body(y), a2, "p_", "").unwrap();
    let m = spec.compile().unwrap();
    assert_eq!(m.names.key, ["k", "short", "p_kc"]);
    let free = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let qpos = [
        &[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 0.0, 0.3, 8.0, 9.0][..],
        &[1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0],
        &[&free[..], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.7, 0.0, 0.0]].concat(),
    ];
    assert_eq!(m.key_qpos, qpos.concat());
    assert_eq!(
        m.key_qvel[..15],
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 0.0, 0.0, 0.0, 10.0, 11.0]
    );
    assert_eq!(m.key_act, [1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.9]);
    assert_eq!(m.key_ctrl, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.7, 0.8]);
    // a part of a pose of a mocap body is none
    assert_eq!(
        m.key_mpos,
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]
    );
    // a mocap body with its own
    spec.attach(&child, Part::Body(mc), 0, "q_", "").unwrap();
    let m = spec.compile().unwrap();
    assert_eq!(m.names.key, ["k", "short", "p_kc", "q_kc"]);
    assert_eq!(m.key_mpos[..9], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0, 0.0, 0.0]);
    assert_eq!(m.key_mpos[27..], [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 9.0, 9.0, 9.0]);
    assert_eq!(m.key_mquat[..12], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(m.key_mquat[36..], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn keyframes_follow_what_is_added_and_moved() {
    // a joint and a body in front of others; MuJoCo's MjSpec does so only once a model has been attached
    let mut spec = read(TWO);
    let a = spec.find(Kind::Body, "a").unwrap();
    let hinge = || Joint { kind: JointType::HINGE, ..Joint::default() };
    spec.add_joint(a, Joint { reference: 0.5, ..hinge() }).unwrap();
    keys(&spec, &[("k", &[0.1, 0.5, 0.2], &[1.0, 0.0, 2.0], &[3.0, 4.0])]);
    let inner = spec.add_body(a, Body::default()).unwrap();
    spec.add_geom(inner, ball("")).unwrap();
    spec.add_joint(inner, hinge()).unwrap();
    keys(&spec, &[("k", &[0.1, 0.5, 0.0, 0.2], &[1.0, 0.0, 0.0, 2.0], &[3.0, 4.0])]);
    // a keyframe of the model as it is now, then another joint
    spec.add_key(Key { whole: vec![("qpos", vec![1.0, 2.0, 3.0, 4.0])], ..Key::default() }.named("l"));
    spec.add_joint(inner, hinge()).unwrap();
    spec.add_actuator(Actuator::motor("ja"));
    let zeros = [0.0; 5];
    keys(
        &spec,
        &[
            ("k", &[0.1, 0.5, 0.0, 0.0, 0.2], &[1.0, 0.0, 0.0, 0.0, 2.0], &[3.0, 4.0, 0.0]),
            ("l", &[1.0, 2.0, 3.0, 0.0, 4.0], &zeros, &zeros[..3]),
        ],
    );
    // the same by a text
    let mut spec = read(TWO);
    let hinge = [("name", "new"), ("ref", "0.5")];
    mjcf::element::add(&mut spec, "joint", Parent::Body(1), &hinge, "").unwrap();
    keys(&spec, &[("k", &[0.1, 0.5, 0.2], &[1.0, 0.0, 2.0], &[3.0, 4.0])]);
    mjcf::element::add(&mut spec, "key", Parent::Body(0), &[("name", "l"), ("qpos", "1 2 3")], "").unwrap();
    attach(&mut spec, ONE, "a", "p_");
    let m = spec.compile().unwrap();
    assert_eq!(
        (m.names.key.as_slice(), &m.key_qpos[..8]),
        (
            &["k".to_owned(), "l".to_owned(), "p_kc".to_owned()][..],
            &[0.1, 0.5, 7.0, 0.2, 1.0, 2.0, 7.0, 3.0][..]
        )
    );
    // a body that moves behind another one takes its joint along
    let mut spec = read(TWO);
    let (a, b) = (spec.find(Kind::Body, "a").unwrap(), spec.find(Kind::Body, "b").unwrap());
    spec.bodies[a].parent = b;
    keys(&spec, &[("k", &[0.2, 0.1], &[2.0, 1.0], &[3.0, 4.0])]);
    assert_eq!(spec.compile().unwrap().names.joint, ["jb", "ja"]);
    // and a keyframe of a model that is still to be built waits for it
    let mut spec = Spec::new();
    spec.add_key(Key { whole: vec![("qpos", vec![1.0, 2.0])], ..Key::default() }.named("first"));
    for name in ["u", "v"] {
        let body = spec.add_body(0, Body::default()).unwrap();
        spec.add_geom(body, ball("")).unwrap();
        spec.add_joint(body, Joint::default().named(name)).unwrap();
    }
    assert_eq!(spec.compile().unwrap().key_qpos, [1.0, 2.0]);
}

#[test]
fn keyframes_that_are_too_long_are_not_attached() {
    let mut spec = read(TWO);
    let before = spec.compile().unwrap();
    let child = read(&ONE.replace("qpos='.5'", "qpos='.5 .6'"));
    let told = spec.attach(&child, Part::Body(1), 1, "p_", "").unwrap_err().to_string();
    assert!(told.contains("keyframe has 2 numbers in qpos, the model 1"), "{told}");
    assert_eq!(spec.compile().unwrap(), before);
}

#[test]
fn options_that_contradict_change_nothing() {
    let mut spec =
        read(&TWO.replacen("<mujoco>", "<mujoco><compiler conflict='merge'/><option integrator='RK4'/>", 1));
    let before = spec.compile().unwrap();
    let child = read(&ONE.replacen("<worldbody>", "<option density='3' integrator='Euler'/><worldbody>", 1));
    assert!(spec.attach(&child, Part::Body(1), 1, "p_", "").unwrap_err().to_string().contains("integrator"));
    assert_eq!(spec.compile().unwrap(), before);
}

#[test]
fn text_reads_back_the_same() {
    let mut spec = Spec::new();
    let arm = spec.add_body(0, Body::default().named("a<&\"\n>")).unwrap();
    spec.add_joint(arm, Joint { range: [-0.1, 1.0 / 3.0], ..Joint::default() }.named("j")).unwrap();
    let ends = Some([0.0, 0.0, 0.0, 0.3, 0.1, 1e-7]);
    spec.add_geom(arm, Geom { kind: GeomType::CAPSULE, fromto: ends, ..ball("") }).unwrap();
    spec.add_actuator(Actuator::motor("j"));
    let text = spec.to_xml(Path::new(".")).unwrap();
    assert_eq!(Spec::from_text(&text).unwrap().compile().unwrap(), spec.compile().unwrap(), "{text}");
}

/// Bytes with a correct checksum, whatever their content.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let (length, crc) = ((bytes.len() - 28) as u64, crc32fast::hash(&bytes[28..]));
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    bytes[24..28].copy_from_slice(&crc.to_le_bytes());
    bytes
}

#[test]
fn damaged_binary_models_are_errors() {
    let text = "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
    let model = Spec::from_text(text).unwrap().compile().unwrap();
    let bytes = model.to_mwb();
    assert_eq!(Model::from_mwb(&bytes).unwrap(), model);
    let says = |bytes: &[u8], part: &str| {
        let said = Model::from_mwb(bytes).unwrap_err().to_string();
        assert!(said.contains(part), "{said}");
    };
    says(b"", "does not start like one");
    says(&bytes[..bytes.len() - 1], "cut short");
    let with = |at: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        bytes
    };
    says(&with(8, &[9]), "version 9, newer than 3");
    says(&with(8, &[1]), "another version");
    says(&with(12, &[1, 2, 3, 4]), "another version");
    says(&sealed(with(28, &u64::MAX.to_le_bytes())), "absurd size");
    says(&sealed(with(28, &(1_u64 << 30).to_le_bytes())), "more bytes than there are");
    says(&sealed([bytes.clone(), vec![0]].concat()), "too many");
    // no corrupted byte causes a panic
    for at in 28..bytes.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let _ = Model::from_mwb(&sealed(with(at, &[value])));
        }
    }
}
