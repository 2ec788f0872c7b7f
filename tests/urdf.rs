//! URDF: the compiled meaning of robots, and messages for broken ones.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::f64::consts::FRAC_1_SQRT_2;

use manyworlds::assets::Assets;
use manyworlds::error::Error;
use manyworlds::model::Model;
use manyworlds::{load_str, load_str_with};

const INERTIAL: &str = "<inertial><mass value='1'/>\
    <inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' izz='.1'/></inertial>";

fn robot(inside: &str) -> String {
    format!("<robot name='r'><link name='a'/><link name='b'>{INERTIAL}</link>{inside}</robot>")
}

fn joint(kind: &str, inside: &str) -> Model {
    let text = format!("<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>{inside}</joint>");
    let text = robot(&text);
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
fn joints_of_every_type() {
    for (kind, types) in [
        ("revolute", &[3][..]),
        ("continuous", &[3]),
        ("prismatic", &[2]),
        ("spherical", &[1]),
        ("floating", &[0]),
        ("planar", &[2, 2, 3]),
        ("fixed", &[]),
    ] {
        assert_eq!(joint(kind, "").jnt_type, types, "{kind}");
    }
    // the axis is x by default; a planar joint slides across it
    near(&joint("revolute", "").jnt_axis, &[1.0, 0.0, 0.0]);
    let planar = joint("planar", "<axis xyz='0 0 2'/><dynamics damping='.5' friction='.2'/>");
    near(&planar.jnt_axis, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(planar.names.joint, ["j_TX", "j_TY", "j_RZ"]);
    near(&planar.dof_frictionloss, &[0.2; 3]);
}

#[test]
fn limits_are_in_radians_and_need_both_ends() {
    let m = joint("revolute", "<limit lower='-1' upper='2' effort='-30' velocity='1'/>");
    assert_eq!((m.jnt_limited[0], m.jnt_actfrclimited[0]), (1, 1));
    near(&m.jnt_range, &[-1.0, 2.0]);
    near(&m.jnt_actfrcrange, &[-30.0, 30.0]);
    for limit in ["lower='-1'", "upper='2'", "lower='2' upper='-2'", "lower='' upper=''", "effort='0'"] {
        let m = joint("revolute", &format!("<limit {limit}/>"));
        assert_eq!((m.jnt_limited[0], m.jnt_actfrclimited[0]), (0, 0), "{limit}");
    }
}

#[test]
fn frames_turn_by_fixed_angles() {
    // roll, then pitch, about fixed axes: y goes to z, and z to x
    let m = joint("revolute", "<origin xyz='1 2 3' rpy='1.5707963267948966 1.5707963267948966 0'/>");
    near(&m.body_pos[3..], &[1.0, 2.0, 3.0]);
    near(&m.body_quat[4..], &[0.5, 0.5, 0.5, -0.5]);
}

#[test]
fn inertias_are_turned_to_their_axes() {
    let text = "<robot><link name='a'/><link name='b'><inertial><origin xyz='0 0 1'/><mass value='2'/>\
        <inertia ixx='2' ixy='1' ixz='0' iyy='2' iyz='0' izz='2'/></inertial></link>\
        <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint></robot>";
    let m = load_str(text).unwrap();
    near(&m.body_inertia[3..], &[3.0, 2.0, 1.0]);
    near(&m.body_ipos[3..], &[0.0, 0.0, 1.0]);
    // the largest moment is about the diagonal
    let [w, x, y, z] = [4, 5, 6, 7].map(|i| m.body_iquat[i]);
    let axis = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
    near(&axis.map(f64::abs), &[FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0]);
}

#[test]
fn visuals_go_and_colours_stay() {
    let text = |settings: &str| {
        format!(
            "<robot>{settings}<material name='red'><color rgba='1 0 0 1'/></material><link name='a'>\
             <visual name='v'><geometry><sphere radius='1'/></geometry><material name='red'/></visual>\
             <collision name='c'><geometry><box size='2 4 6'/></geometry></collision></link></robot>"
        )
    };
    let m = load_str(&text("")).unwrap();
    assert_eq!(m.names.geom, ["c"]);
    near(&m.geom_size, &[1.0, 2.0, 3.0]);
    near(&m.geom_rgba, &[1.0, 0.0, 0.0, 1.0]);
    let m = load_str(&text("<mujoco><compiler discardvisual='false'/></mujoco>")).unwrap();
    assert_eq!(m.names.geom, ["v", "c"]);
    assert_eq!((m.geom_group[0], m.geom_contype[0], m.geom_contype[1]), (1, 0, 1));
}

#[test]
fn mimics_are_constraints() {
    let text = format!(
        "<robot><link name='a'/><link name='b'>{INERTIAL}</link><link name='c'>{INERTIAL}</link>\
         <joint name='j' type='revolute'><parent link='a'/><child link='b'/>\
         <mimic joint='k' multiplier='2' offset='.3'/></joint>\
         <joint name='k' type='prismatic'><parent link='b'/><child link='c'/></joint></robot>"
    );
    let m = load_str(&text).unwrap();
    assert_eq!((m.eq_obj1id[0], m.eq_obj2id[0]), (0, 1));
    near(&m.eq_data[..5], &[0.3, 2.0, 0.0, 0.0, 0.0]);
}

#[test]
fn unknown_elements_and_foreign_names_are_ignored() {
    let text = robot(
        "<gazebo reference='a'><sensor:x/></gazebo><transmission/><!-- a -- b -->\
         <joint name='j' type='fixed'><parent link='a'/><child link='b'/><calibration rising='0'/></joint>",
    );
    assert_eq!(load_str(&text).unwrap().sizes.nv, 0);
}

#[test]
fn broken_robots() {
    let moving = "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>";
    let cases: Vec<(String, Vec<&str>)> = vec![
        (
            robot(&format!(
                "{moving}</joint><joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"
            )),
            vec!["loop: a -> b -> a", "model.xml:1:"],
        ),
        (
            robot(&format!(
                "{moving}</joint><joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>"
            )),
            vec!["link 'b' has two parents", "'j'", "'k'"],
        ),
        (
            robot("<joint name='j' type='fixed'><parent link='a'/><child link='bb'/></joint>"),
            vec!["unknown link 'bb'", "'b'"],
        ),
        (robot("<joint name='j' type='fixed'><parent link='a'/></joint>"), vec!["no element 'child'"]),
        (
            robot("<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>"),
            vec!["hinge", "revolute"],
        ),
        (robot("<link name='a'/>"), vec!["link 'a' is there twice"]),
        (
            robot(&format!("{moving}<limit lower='x'/></joint>")),
            vec!["'x' in attribute 'lower' is not a number"],
        ),
        (robot(&format!("{moving}<axis xyz='0 1'/></joint>")), vec!["2 of 3"]),
        (robot(&format!("{moving}<axis xyz='0 0 0'/></joint>")), vec!["axis"]),
        (robot("<link name='c'><collision/></link>"), vec!["collision has no element 'geometry'"]),
        (
            robot("<link name='c'><collision><geometry><cone/></geometry></collision></link>"),
            vec!["no shape", "capsule"],
        ),
        (
            robot(
                "<link name='c'><collision><geometry><mesh filename='package://q/m.stl'/></geometry></collision></link>",
            ),
            vec!["package://q/m.stl", "not found", "strippath"],
        ),
        (robot("<link name='c'><inertial><mass value='1'/></inertial></link>"), vec!["no element 'inertia'"]),
        (
            format!(
                "{}</robot>",
                robot(&format!("{moving}</joint>")).replace(INERTIAL, "").trim_end_matches("</robot>")
            ),
            vec!["'b'", "mass"],
        ),
        (robot(&format!("{moving}</joint>")).replace("value='1'", "value='-1'"), vec!["'b'", "no mass"]),
    ];
    for (text, parts) in cases {
        let error = load_str(&text).map(|_| ()).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "expected '{part}' in: {error}\n{text}");
        }
    }
}

#[test]
fn a_mesh_that_is_not_there_is_missing_each_time() {
    let mesh = |file: &str, scale: &str| {
        format!("<collision><geometry><mesh filename='{file}' {scale}/></geometry></collision>")
    };
    let (p, q) = ("package://q/m.stl", "package://r/m.stl");
    for (meshes, wanted) in [
        (vec![mesh(p, ""), mesh(p, "")], vec![p, p]),
        (vec![mesh(p, ""), mesh(p, "scale='1 1 1'"), mesh(q, "scale='2 2 2'")], vec![p, p, q]),
    ] {
        let text = robot(&format!("<link name='c'>{}</link>", meshes.concat()));
        let Err(Error::Model(problems)) = load_str(&text) else { panic!("{text} loads") };
        let told: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
        let wanted: Vec<String> = wanted.iter().map(|file| format!("mesh '{file}' is not found")).collect();
        assert_eq!(told, wanted);
    }
}

#[test]
fn meshes_after_one_that_is_missing_keep_their_names() {
    // the good ones are listed though another of their stem is missing: as without it
    let mut assets = Assets::new();
    assets
        .insert("q/m.obj", &b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"[..]);
    let mesh = |scale: &str| {
        format!("<collision><geometry><mesh filename='package://q/m.obj' {scale}/></geometry></collision>")
    };
    let text = robot(&format!(
        "<link name='c'>{}{}{}</link>",
        mesh(""),
        mesh("scale='2 2 2'"),
        mesh("scale='1 1 1'")
    ));
    let m = load_str_with(&text, &assets).unwrap();
    assert_eq!(
        (m.names.mesh.as_slice(), m.geom_dataid.as_slice()),
        (&["m".to_owned(), "m1".to_owned()][..], &[0, 1, 0][..])
    );
}

#[test]
fn a_robot_can_be_attached() {
    let folder = tempfile::tempdir().unwrap();
    let text = robot("<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>");
    std::fs::write(folder.path().join("r.urdf"), text).unwrap();
    let main = folder.path().join("main.xml");
    let text = "<mujoco><asset><model name='r' file='r.urdf'/></asset><worldbody><frame pos='0 0 1'>\
        <attach model='r' body='b' prefix='p_'/></frame></worldbody></mujoco>";
    std::fs::write(&main, text).unwrap();
    let m = manyworlds::load(&main).unwrap();
    assert_eq!(m.names.joint, ["p_j"]);
    near(&m.body_pos[3..], &[0.0, 0.0, 1.0]);
}
