//! Models built, changed and saved in code.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use manyworlds::model::Model;
use manyworlds::schema::enums::geom;
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

#[test]
fn text_reads_back_the_same() {
    let mut spec = Spec::new();
    let arm = spec.add_body(0, Body::default().named("a<&\"\n>")).unwrap();
    spec.add_joint(arm, Joint { range: [-0.1, 1.0 / 3.0], ..Joint::default() }.named("j")).unwrap();
    let ends = Some([0.0, 0.0, 0.0, 0.3, 0.1, 1e-7]);
    spec.add_geom(arm, Geom { kind: geom::CAPSULE, fromto: ends, ..ball("") }).unwrap();
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
