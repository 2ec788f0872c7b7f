//! Elements that expand to many: composites, replicates and includes.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use manyworlds::model::Model;
use manyworlds::{load, load_str};

fn world(inside: &str, rest: &str) -> Model {
    let text = format!("<mujoco><worldbody>{inside}</worldbody>{rest}</mujoco>");
    load_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn refused(inside: &str, rest: &str) -> String {
    let text = format!("<mujoco><worldbody>{inside}</worldbody>{rest}</mujoco>");
    load_str(&text).map(|_| ()).unwrap_err().to_string()
}

#[track_caller]
fn near(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{got:?} {want:?}");
    for (a, b) in got.iter().zip(want) {
        assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{got:?} is not {want:?}");
    }
}

const GEOM: &str = "<geom type='capsule' size='.01'/>";

#[test]
fn keyframes_beside_attached_models_are_of_the_whole_model() {
    let child = "<mujoco model='c'><worldbody><body name='x'><joint name='jx' ref='7' type='slide'/><geom size='.1'/></body></worldbody>
        <keyframe><key name='kc' qpos='.5' qvel='.6'/></keyframe></mujoco>";
    let read = |own: &str, child: &str| {
        let text = format!(
            "<mujoco><asset><model name='c' file='c.xml'/></asset><worldbody>
             <body><joint/><geom size='.1'/><attach model='c' body='x' prefix='p_'/></body>
             <body><joint/><geom size='.1'/></body></worldbody><keyframe><key qpos='{own}' qvel='1 2'/></keyframe></mujoco>"
        );
        let mut assets = manyworlds::assets::Assets::new();
        assets.insert("c.xml", child.as_bytes());
        manyworlds::load_str_with(&text, &assets)
    };
    // all numbers are those of MuJoCo 3.17.0
    for (own, qpos) in [(".1 .2 .3", [0.1, 0.2, 0.3]), (".1 .2", [0.1, 0.2, 0.0]), (".1", [0.1, 7.0, 0.0])] {
        let m = read(own, child).unwrap();
        assert_eq!((&m.key_qpos[..3], &m.key_qpos[3..]), (&qpos[..], &[0.0, 0.5, 0.0][..]));
        assert_eq!(m.key_qvel, [1.0, 2.0, 0.0, 0.0, 0.6, 0.0]);
    }
    // too long: in the model, or in the one that is attached
    let told = read("1 2 3 4", child).unwrap_err().to_string();
    assert!(told.contains("keyframe has 4 numbers in qpos, the model 3"), "{told}");
    let told = read(".1", &child.replace("qpos='.5'", "qpos='.5 .6'")).unwrap_err().to_string();
    assert!(
        told.contains("keyframe has 2 numbers in qpos, the model 1") && told.contains("c.xml:2:"),
        "{told}"
    );
}

#[test]
fn a_mesh_of_a_flexcomp_has_the_vertices_of_its_faces() {
    let text = "<mujoco><worldbody><body name='b'><flexcomp name='f' type='mesh' dim='2' mass='1' file='a.obj'/></body></worldbody></mujoco>";
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let read = |faces: &str| {
        let mut assets = manyworlds::assets::Assets::new();
        assets.insert("a.obj", format!("{vertices}{faces}").into_bytes());
        manyworlds::load_str_with(text, &assets)
    };
    // a polygon with a vertex that is not there is dropped, as in MuJoCo 3.17.0; a triangle is an error
    assert_eq!(read("f 1 2 3 99\nf 1 2 4\n").unwrap().flex_elem, [0, 1, 2]);
    let told = read("f 1 2 4\nf 1 2 99\n").unwrap_err().to_string();
    assert!(told.contains("face 1 has vertex 98, but there are only 4"), "{told}");
}

#[test]
fn lines_of_a_file_are_a_flex_of_dimension_1() {
    let read = |dim: i32, lines: &str| {
        let text = format!(
            "<mujoco><worldbody><flexcomp name='f' type='mesh' dim='{dim}' radius='.1' file='a.obj'/></worldbody></mujoco>"
        );
        let mut assets = manyworlds::assets::Assets::new();
        let vertices = "v 0 0 0\nv 2 0 0\nv 1 0 0\nv 3 0 1\nv 1 0 0\n";
        assets.insert("a.obj", format!("{vertices}{lines}").into_bytes());
        manyworlds::load_str_with(&text, &assets)
    };
    // elements and places are those of MuJoCo 3.17.0; equal vertices are one, those without a line are left out
    let m = read(1, "l 1 3 2\nl 2 4\n").unwrap();
    assert_eq!((m.flex_dim[0], &m.flex_elem[..]), (1, &[0, 2, 2, 1, 1, 3][..]));
    assert_eq!(read(1, "l 1 3\nl 5 4\nl 4 2\n").unwrap().flex_elem, [0, 2, 2, 3, 3, 1]);
    let m = read(1, "l 1/7 3\n").unwrap();
    assert_eq!((&m.flex_elem[..], &m.body_pos[3..]), (&[0, 1][..], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0][..]));
    // faces go before lines
    assert_eq!(read(1, "f 1 3 4\nl 2 4\n").unwrap().flex_elem, [0, 1]);
    for (dim, lines, told) in [
        (2, "l 1 3 2\n", "lines need dim=\"1\""),
        (1, "l 1 9\n", "a line has the vertex 9, but there are 5"),
        (1, "l 1 x\n", "line 6 of the OBJ file has a line with the corner 'x'"),
        (1, "l 1\n", "the mesh has no faces"),
    ] {
        let error = read(dim, lines).unwrap_err();
        let said = format!("{error} {error:?}");
        assert!(said.contains(told) || said.contains(&told.replace('"', "\\\"")), "{said}");
    }
}

#[test]
fn a_cable_along_a_line() {
    let m = world(
        &format!(
            "<composite type='cable' prefix='c' count='5' curve='s' size='2' offset='0 0 1'>{GEOM}</composite>"
        ),
        "",
    );
    assert_eq!(m.names.body[1..], ["cB_first", "cB_1", "cB_2", "cB_last"]);
    assert_eq!(m.names.joint, ["cJ_first", "cJ_1", "cJ_2", "cJ_last"]);
    assert_eq!(m.names.site, ["cS_first", "cS_last"]);
    assert_eq!(m.jnt_type, [1; 4]);
    assert_eq!(m.sizes.nexclude, 3);
    near(&m.body_pos[3..], &[0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0]);
    near(&m.geom_size[..3], &[0.01, 0.25, 0.0]);
}

#[test]
fn defaults_do_not_reach_into_cables() {
    let text = "<mujoco><default><geom rgba='1 0 0 1'/><joint damping='3'/></default><worldbody>\
        <composite type='cable' vertex='0 0 0 1 0 0 1 1 0 1 1 1' initial='free'><geom type='cylinder' size='.01'/>\
        <joint kind='main' armature='.5'/></composite></worldbody></mujoco>";
    let m = load_str(text).unwrap();
    assert_eq!(m.jnt_type, [0, 1, 1]);
    near(&m.dof_damping, &[0.0; 12]);
    near(&m.dof_armature[6..], &[0.5; 6]);
    near(&m.geom_rgba[..4], &[0.5, 0.5, 0.5, 1.0]);
}

#[test]
fn composites_that_are_wrong() {
    for (attributes, inside, part) in [
        ("type='rope'", GEOM, "cable"),
        ("type='particle'", GEOM, "replicate"),
        ("type='grid'", GEOM, "flexcomp"),
        ("type='cable' curve='s'", GEOM, "count"),
        ("type='cable' curve='t' count='5'", GEOM, "cos(s)"),
        ("type='cable' curve='s' count='5'", "", "geom"),
        ("type='cable' curve='s' count='3'", GEOM, "three points"),
        ("type='cable' curve='s' count='999999999'", GEOM, "lower the count"),
        ("type='cable' vertex='0 0 0 1 1'", GEOM, "three numbers"),
        ("type='cable' vertex='0 0 0 1 1 1' count='3'", GEOM, "both"),
    ] {
        let error = refused(&format!("<composite {attributes}>{inside}</composite>"), "");
        assert!(error.contains(part) && error.contains("model.xml:1:"), "expected '{part}' in: {error}");
    }
}

#[test]
fn angles_of_replicates_grow_one_by_one() {
    let m = world("<replicate count='3' offset='1 0 0' euler='90 0 90'><geom size='.1'/></replicate>", "");
    // the second copy is rotated about x, then z; the third by half turns about both
    near(&m.geom_pos, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
    near(&m.geom_quat[4..8], &[0.5, 0.5, -0.5, 0.5]);
    let last: Vec<f64> = m.geom_quat[8..].iter().map(|x| x.abs()).collect();
    near(&last, &[0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn what_refers_into_replicates_is_copied() {
    let body = "<replicate count='2' offset='1 0 0'><body name='b'><joint name='j'/><geom size='.1'/>\
        <replicate count='2' offset='0 0 1'><body name='c'><joint name='k'/><geom size='.1'/></body></replicate>\
        </body></replicate>";
    let m = world(
        body,
        "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed></tendon>\
         <actuator><motor name='m' tendon='t'/></actuator><sensor><actuatorfrc name='s' actuator='m'/></sensor>",
    );
    assert_eq!(m.names.body[1..], ["b0", "c00", "c10", "b1", "c01", "c11"]);
    assert_eq!(m.names.tendon, ["t00", "t10", "t01", "t11"]);
    assert_eq!(m.names.actuator, ["m00", "m10", "m01", "m11"]);
    assert_eq!(m.names.sensor, ["s00", "s10", "s01", "s11"]);
    assert_eq!(m.wrap_objid, [0, 1, 0, 2, 3, 4, 3, 5]);
}

#[test]
fn half_of_what_is_named_cannot_be_copied() {
    let body = "<replicate count='2'><body name='b'><joint name='j'/><geom size='.1'/></body></replicate>\
        <body><joint name='k'/><geom size='.1'/></body>";
    let error = refused(body, "<equality><joint joint1='j' joint2='k'/></equality>");
    assert!(error.contains("unknown joint 'j'"), "{error}");
    let error = refused("<body><replicate count='2'><joint/></replicate></body>", "");
    assert!(error.contains("without its body"), "{error}");
    let error = refused("<replicate count='1000000000'><geom size='1'/></replicate>", "");
    assert!(error.contains("lower the count"), "{error}");
}

#[test]
fn includes_are_relative_to_the_model_then_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir_all(folder.path().join("sub/deep")).unwrap();
    write("sub/a.xml", "<mujocoinclude><include file='x.xml'/><include file='deep/y.xml'/></mujocoinclude>");
    write("x.xml", "<any><geom name='top' size='1'/></any>");
    write("sub/x.xml", "<mujoco><geom name='sub' size='1'/></mujoco>");
    write("sub/deep/y.xml", "<mujoco><geom name='deep' size='1'/></mujoco>");
    write("empty.xml", "<mujoco/>");
    write("main.xml", "<mujoco><worldbody><body><include file='sub/a.xml'/></body></worldbody></mujoco>");
    assert_eq!(load(&folder.path().join("main.xml")).unwrap().names.geom, ["top", "deep"]);
    for (text, part) in [
        ("<include file='x.xml'/><include file='sub/../x.xml'/>", "already included"),
        ("<include file='empty.xml'/>", "no elements"),
        ("<include file='none.xml'/>", "cannot read"),
    ] {
        write("main.xml", &format!("<mujoco><worldbody>{text}</worldbody></mujoco>"));
        let error = load(&folder.path().join("main.xml")).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "expected '{part}' in: {error}");
    }
}
