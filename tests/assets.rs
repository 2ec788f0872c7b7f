//! Models whose files are in memory.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use manyworlds::assets::Assets;
use manyworlds::spec::{Part, Spec};
use manyworlds::{load_str_with, load_with};

/// A tetrahedron of a size as an OBJ file.
fn tetrahedron(size: f64) -> Vec<u8> {
    let points = format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\n");
    (points + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n").into_bytes()
}

/// A model with one mesh.
const ARM: &str = "<mujoco><compiler meshdir='meshes'/><asset><mesh name='m' file='arm.obj'/></asset>
    <worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>";

/// Volume of a tetrahedron of a size times the density of water.
fn mass(size: f64) -> f64 {
    1000.0 * size.powi(3) / 6.0
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * b.abs()
}

#[test]
fn meshes_are_found_in_memory_as_the_reference_finds_them() {
    // MuJoCo 3.17.0 loads all of these by from_xml_string
    for name in ["meshes/arm.obj", "arm.obj", "./arm.obj", "ARM.OBJ", "/robot/meshes/arm.obj"] {
        let assets = Assets::from_iter([(name, tetrahedron(0.1))]);
        let model = load_str_with(ARM, &assets).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(close(model.body_mass[1], mass(0.1)), "{name}");
    }
    let missing = load_str_with(ARM, &Assets::from_iter([("leg.obj", tetrahedron(0.1))]));
    let said = missing.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(said.starts_with("model.xml:1:") && said.contains("'meshes/arm.obj'"), "{said}");
}

#[test]
fn a_whole_folder_is_loaded_from_memory() {
    let mut assets = Assets::new();
    assets.insert("robot/scene.xml", &b"<mujoco><include file='parts/arm.xml'/></mujoco>"[..]);
    assets.insert("robot/parts/arm.xml", ARM.as_bytes());
    assets.insert("robot/meshes/arm.obj", tetrahedron(0.1));
    // another of that name, farther away
    assets.insert("robot/old/meshes/arm.obj", tetrahedron(0.3));
    let model = load_with(Path::new("robot/scene.xml"), &assets).unwrap();
    assert!(close(model.body_mass[1], mass(0.1)));
    // the same as a compiled file
    let compiled = Assets::from_iter([("arm.mwb", model.to_mwb())]);
    assert_eq!(load_with(Path::new("arm.mwb"), &compiled).unwrap(), model);
    assert!(load_with(Path::new("lost.mwb"), &compiled).is_err());
}

#[test]
fn an_include_of_itself_is_seen_in_memory() {
    let mut assets = Assets::new();
    assets.insert("a.xml", &b"<mujoco><include file='./A.xml'/></mujoco>"[..]);
    let said = load_with(Path::new("a.xml"), &assets).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(said.contains("already included"), "{said}");
}

#[test]
fn attached_models_keep_their_own_files_of_the_same_name() {
    let small = Spec::from_text_with(ARM, &Assets::from_iter([("arm.obj", tetrahedron(0.1))])).unwrap();
    let large = Spec::from_text_with(ARM, &Assets::from_iter([("arm.obj", tetrahedron(0.2))])).unwrap();
    let mut both = Spec::new();
    both.attach(&small, Part::World, 0, "small_", "").unwrap();
    both.attach(&large, Part::World, 0, "large_", "").unwrap();
    both.attach(&small, Part::World, 0, "again_", "").unwrap();
    let model = both.compile().unwrap();
    for (body, size) in [(1, 0.1), (2, 0.2), (3, 0.1)] {
        assert!(close(model.body_mass[body], mass(size)), "{body}: {}", model.body_mass[body]);
    }
}

#[test]
fn packages_of_a_robot_are_folders_in_memory() {
    let robot = "<robot name='r'><mujoco><compiler discardvisual='false'/></mujoco><link name='base'><collision><geometry>
        <mesh filename='package://arm_description/meshes/arm.obj'/></geometry></collision></link></robot>";
    for folder in ["arm_description", "src/arm_description", "other_name"] {
        let mut assets = Assets::new();
        assets.insert(format!("{folder}/urdf/arm.urdf"), robot.as_bytes());
        assets.insert(format!("{folder}/meshes/arm.obj"), tetrahedron(0.1));
        let model = load_with(Path::new(&format!("{folder}/urdf/arm.urdf")), &assets);
        assert_eq!(model.unwrap_or_else(|e| panic!("{folder}: {e}")).sizes.nmeshvert, 4);
    }
}

#[test]
fn textures_are_read_from_memory() {
    let mut pixels = Vec::new();
    let mut encoder = png::Encoder::new(&mut pixels, 4, 2);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[7; 24]).unwrap();
    let text = "<mujoco><compiler texturedir='looks'/><asset><texture name='t' type='2d' file='t.png'/></asset></mujoco>";
    let assets = Assets::from_iter([("looks/t.png", pixels)]);
    let model = load_str_with(text, &assets).unwrap();
    assert_eq!((model.tex_width[0], model.tex_height[0]), (4, 2));
    let known = format!("{:?}", model.textures[0].source);
    assert!(known.starts_with("File"), "{known}");
}
