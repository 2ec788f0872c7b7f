//! Pictures of worlds: what they show, that they are the same twice, and what is below a pixel.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::schema::Kind;
use manyworlds_render::{
    BatchRenderer, Camera, Content, Flag, Images, Orbit, RenderBatch, Shape, Subject, View, Visuals,
};

/// A red box of 1 m on a floor, seen by a camera 3 m in front of it, and a green ball that falls.
const BOX: &str = include_str!("box.xml");

const SIZE: [u32; 2] = [80, 60];

fn batch(text: &str, worlds: usize, backend: Backend) -> Batch {
    let model = manyworlds::load_str(text).unwrap();
    let mut batch = Batch::new(&model, worlds, &BatchOptions::on(backend)).unwrap();
    batch.forward().unwrap();
    batch
}

fn front(batch: &Batch) -> Camera {
    Camera::parse("front", batch.model()).unwrap()
}

fn pixel(bytes: &[u8], world: usize, x: u32, y: u32) -> [u8; 3] {
    let at = 3 * ((world as u32 * SIZE[1] + y) * SIZE[0] + x) as usize;
    [bytes[at], bytes[at + 1], bytes[at + 2]]
}

#[test]
fn a_box_is_where_its_camera_sees_it() {
    let mut batch = batch(BOX, 1, Backend::Cpu);
    let camera = front(&batch);
    let bytes = batch.render(&[0], camera, SIZE[0], SIZE[1]).unwrap();
    assert_eq!(pixel(&bytes, 0, 40, 30), [255, 0, 0]);
    assert_eq!(pixel(&bytes, 0, 40, 59), [51, 51, 51]);
    assert_eq!(pixel(&bytes, 0, 2, 2), [0, 0, 0]);
    // a second time the same bits
    assert_eq!(batch.render(&[0], camera, SIZE[0], SIZE[1]).unwrap(), bytes);
}

#[test]
fn depths_are_metres_and_objects_have_their_ids() {
    let mut batch = batch(BOX, 1, Backend::Cpu);
    let camera = front(&batch);
    let mut batch_renderer = BatchRenderer::new(&mut batch).unwrap();
    let Images::Depth(depths) = batch_renderer.take(&mut batch, &[0], camera, SIZE, Content::Depth).unwrap()
    else {
        panic!("no depths")
    };
    let at = |x: usize, y: usize| y * SIZE[0] as usize + x;
    // the near side of the box, along the axis of the camera
    assert!((depths[at(40, 30)] - 3.0).abs() < 1e-4, "{}", depths[at(40, 30)]);
    assert!((depths[at(45, 33)] - 3.0).abs() < 1e-4);
    assert!(depths[at(2, 2)].is_infinite());
    let Images::Objects(objects) =
        batch_renderer.take(&mut batch, &[0], camera, SIZE, Content::Objects).unwrap()
    else {
        panic!("no objects")
    };
    assert_eq!(objects[at(40, 30)], Some((Kind::Geom, 1)));
    assert_eq!(objects[at(40, 59)], Some((Kind::Geom, 0)));
    assert_eq!(objects[at(2, 2)], None);
    assert!(objects.contains(&Some((Kind::Geom, 2))));
}

#[test]
fn rays_of_a_rangefinder_go_through_the_pixels_of_a_picture() {
    // one lens has its principal point from the middle for pictures, left and up, and from the upper left corner for rays
    let lens = "resolution='40 30' sensorsize='0.04 0.03' focal='0.03 0.035'";
    let text = format!(
        "<mujoco><worldbody><geom type='plane' size='4 4 1'/><geom type='box' size='.2 .3 .4' pos='.4 .5 .4' euler='0 0 20'/>
         <geom size='.3' pos='-.4 -.2 .9'/><body pos='0 -3 0.8'>
         <camera name='angle' xyaxes='1 0 0 0 0.2 1' resolution='40 30' fovy='50'/>
         <camera name='level' xyaxes='1 0 0 0 0.2 1' resolution='30 30' projection='orthographic' fovy='2'/>
         <camera name='lens' xyaxes='1 0 0 0 0.2 1' {lens} principal='0.004 0.006'/>
         <camera name='rays' xyaxes='1 0 0 0 0.2 1' {lens} principal='0.016 0.009'/>
         </body></worldbody><sensor><rangefinder camera='angle' data='depth'/><rangefinder camera='level' data='depth'/>
         <rangefinder camera='rays' data='depth'/></sensor></mujoco>"
    );
    let mut batch = batch(&text, 1, Backend::Cpu);
    let sensed = batch.world(0).unwrap().sensordata.to_vec();
    let mut batch_renderer = BatchRenderer::new(&mut batch).unwrap();
    let mut first = 0;
    for (name, size) in [("angle", [40, 30]), ("level", [30, 30]), ("lens", [40, 30])] {
        let camera = Camera::parse(name, batch.model()).unwrap();
        let Images::Depth(depths) =
            batch_renderer.take(&mut batch, &[0], camera, size, Content::Depth).unwrap()
        else {
            panic!("no depths")
        };
        let rays = &sensed[first..first + depths.len()];
        first += depths.len();
        let row = size[0] as usize;
        let agree = |i: usize| {
            let (d, r) = (f64::from(depths[i]), rays[i]);
            // drivers may draw what is up to an eighth of a pixel away, which is much on the ground
            let beside = [i.checked_sub(row), Some(i + row)];
            let beside = beside.into_iter().flatten().filter_map(|k| rays.get(k)).filter(|b| **b > 0.0);
            let slope = beside.map(|b| (b - r).abs()).fold(f64::INFINITY, f64::min);
            let slope = if slope.is_finite() { slope } else { 0.0 };
            (d.is_infinite() && r < 0.0) || (r > 0.0 && (d - r).abs() < 0.01 * r + slope / 8.0)
        };
        let same = (0..rays.len()).filter(|i| agree(*i)).count();
        // all but pixels on edges; the sphere is one of triangles
        assert!(100 * same >= 98 * depths.len(), "{name}: {same} of {}", depths.len());
        assert!(rays.iter().any(|r| *r > 0.0) && rays.iter().any(|r| *r < 0.0), "{name}");
    }
}

#[test]
fn worlds_on_a_device_are_drawn_from_its_buffers_as_those_of_the_host() {
    let mut pictures = Vec::new();
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut batch = batch(BOX, 3, backend);
        let ball = |z: f64| [1.0, 0.0, z, 1.0, 0.0, 0.0, 0.0];
        batch.set("qpos", .., &[ball(1.0), ball(0.7), ball(0.3)].concat()).unwrap();
        batch.forward().unwrap();
        let camera = front(&batch);
        let before = batch.transfer_stats();
        // the order is that of the list
        let bytes = batch.render(&[2, 0], camera, SIZE[0], SIZE[1]).unwrap();
        // no pose has passed through the host
        assert_eq!(batch.transfer_stats(), before);
        pictures.push(bytes);
    }
    let apart = pictures[0].iter().zip(&pictures[1]).filter(|(a, b)| a.abs_diff(**b) > 2).count();
    assert!(apart <= pictures[0].len() / 2000, "{apart} of {} bytes", pictures[0].len());
    let green = |bytes: &[u8], world: usize| {
        let rows = (0..SIZE[1]).filter(|y| (0..SIZE[0]).any(|x| pixel(bytes, world, x, *y) == [0, 255, 0]));
        rows.min().unwrap()
    };
    assert!(green(&pictures[1], 0) > green(&pictures[1], 1) + 5);
}

#[test]
fn many_worlds_fit_into_one_submission() {
    let mut batch = batch(BOX, 256, Backend::Cpu);
    let camera = front(&batch);
    let worlds: Vec<usize> = (0..256).collect();
    let bytes = batch.render(&worlds, camera, 32, 24).unwrap();
    assert_eq!(bytes.len(), 256 * 32 * 24 * 3);
    let (first, rest) = bytes.split_at(32 * 24 * 3);
    assert!(rest.chunks(first.len()).all(|picture| picture == first));
}

#[test]
fn a_pixel_tells_what_is_below_it() {
    let mut batch = batch(BOX, 1, Backend::Cpu);
    let data = batch.world(0).unwrap();
    let mut batch_renderer = BatchRenderer::new(&mut batch).unwrap();
    let renderer = batch_renderer.renderer();
    renderer.upload(&[&data]).unwrap();
    let canvas = manyworlds_render::Canvas::new(renderer.gpu(), SIZE[0], SIZE[1], 1).unwrap();
    for camera in [front(&batch), Camera::parse("free", batch.model()).unwrap()] {
        let mut view = View::new([0, 0, SIZE[0], SIZE[1]], camera, 0);
        if let Camera::Free(orbit) = &mut view.camera {
            *orbit = Orbit { distance: 3.5, elevation: 0.0, azimuth: 90.0, ..*orbit };
        }
        let hit = renderer.pick(&canvas, &view, 44, 30, &Visuals::default()).unwrap().unwrap();
        assert_eq!((hit.object, hit.body, hit.world), ((Kind::Geom, 1), 1, 0));
        assert!((hit.pos.y + 0.5).abs() < 1e-3, "{}", hit.pos);
        assert!(hit.pos.x > 0.05 && hit.pos.x < 0.35, "{}", hit.pos);
        assert_eq!(renderer.pick(&canvas, &view, 1, 1, &Visuals::default()).unwrap(), None);
    }
}

#[test]
fn worlds_are_laid_over_each_other_and_tinted() {
    let mut batch = batch(BOX, 2, Backend::Cpu);
    let camera = front(&batch);
    let mut batch_renderer = BatchRenderer::new(&mut batch).unwrap();
    batch_renderer.samples = 1;
    batch_renderer.aim(&mut batch, &[0, 1]).unwrap();
    let whole = View::new([0, 0, SIZE[0], SIZE[1]], camera, 0);
    let blue = [0.0, 0.0, 1.0, 1.0];
    let subjects = vec![Subject { tint: blue, ..Subject::plain(0) }];
    let tinted = View { subjects, ..whole.clone() };
    let subjects = vec![Subject { alpha: 0.25, ..Subject::plain(1) }];
    let ghost = View { subjects, ..whole.clone() };
    let shapes = vec![Shape::sphere([0.0, -1.5, 0.5].into(), 0.1, [1.0, 1.0, 0.0, 1.0])];
    let marked = View { shapes, ..whole };
    let mut color =
        |view: &View| match batch_renderer.develop(std::slice::from_ref(view), SIZE, Content::Color) {
            Ok(Images::Color(bytes)) => pixel(&bytes, 0, 40, 30),
            other => panic!("{other:?}"),
        };
    assert_eq!(color(&tinted), [0, 0, 255]);
    let ghostly = color(&ghost);
    assert!(ghostly[0] > 40 && ghostly[0] < 255, "{ghostly:?}");
    assert_eq!(color(&marked), [255, 255, 0]);
}

#[test]
fn flags_and_groups_decide_what_is_drawn() {
    let mut batch = batch(BOX, 1, Backend::Cpu);
    let camera = front(&batch);
    let mut batch_renderer = BatchRenderer::new(&mut batch).unwrap();
    let mut take = |visuals: Visuals| {
        batch_renderer.visuals = visuals;
        match batch_renderer.take(&mut batch, &[0], camera, SIZE, Content::Color).unwrap() {
            Images::Color(bytes) => bytes,
            other => panic!("{other:?}"),
        }
    };
    let usual = take(Visuals::default());
    // the frame of the world is within the box, which has no joint
    let framed = take(Visuals::default().with(Flag::Static, false).with(Flag::WorldFrame, true));
    let moving = take(Visuals::default().with(Flag::Static, false));
    assert_eq!(pixel(&moving, 0, 40, 30), [0, 0, 0]);
    assert_ne!(framed, moving);
    let mut nothing = Visuals::default();
    nothing.geoms = [false; 6];
    let none = take(nothing);
    assert!(none.iter().all(|b| *b == 0));
    for flag in [Flag::Joint, Flag::Inertia, Flag::Com, Flag::BodyFrame, Flag::GeomFrame, Flag::Bounds] {
        let shown = take(Visuals::default().with(flag, true));
        assert!(shown != usual, "{} shows nothing", flag.word());
    }
}

#[test]
fn a_skin_follows_its_bone_and_a_texture_is_on_its_mesh() {
    // a square skin on a body that the keyframe moves to the left, and a mesh with a texture of two halves
    let text = r#"<mujoco>
      <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
      <statistic extent="1" center="0 0 0"/>
      <asset>
        <texture name="halves" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"/>
        <material name="halves" texture="halves" specular="0"/>
        <mesh name="plate" vertex="-1 0 -1  1 0 -1  1 0 1  -1 0 1  0 0.5 0" face="0 1 2 0 2 3 1 0 4 2 1 4 3 2 4 0 3 4"
              texcoord="0 1  1 1  1 0  0 0  0.5 0.5"/>
      </asset>
      <worldbody>
        <camera name="front" pos="0 -4 0" xyaxes="1 0 0 0 0 1"/>
        <geom type="mesh" mesh="plate" material="halves" pos="0 0.2 0"/>
        <body name="bone"><joint name="slide" type="slide" axis="1 0 0"/><geom size="0.01" group="5"/></body>
      </worldbody>
      <deformable>
        <skin name="flag" rgba="0 1 0 1" vertex="-0.2 -1 -0.2  0.2 -1 -0.2  0.2 -1 0.2  -0.2 -1 0.2" face="0 1 2 0 2 3">
          <bone body="bone" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2 3" vertweight="1 1 1 1"/>
        </skin>
      </deformable>
    </mujoco>"#;
    let mut batch = batch(text, 2, Backend::Cpu);
    batch.set("qpos", .., &[0.0, -0.7]).unwrap();
    batch.forward().unwrap();
    let camera = front(&batch);
    let bytes = batch.render(&[0, 1], camera, SIZE[0], SIZE[1]).unwrap();
    let green = |world| {
        let seen = (0..SIZE[0]).filter(|x| pixel(&bytes, world, *x, 30) == [0, 255, 0]);
        let all: Vec<u32> = seen.collect();
        all.iter().sum::<u32>() / all.len() as u32
    };
    assert!(green(0).abs_diff(40) <= 1, "{}", green(0));
    assert!(green(1) < 30, "{}", green(1));
    // the quarters of the checker
    let colors: Vec<[u8; 3]> =
        [(30, 20), (50, 20), (30, 40), (50, 40)].map(|(x, y)| pixel(&bytes, 0, x, y)).into();
    assert_eq!(colors, [[255, 0, 0], [0, 0, 255], [0, 0, 255], [255, 0, 0]]);
}

#[test]
fn flexes_are_capsules_sheets_and_surfaces_that_follow_their_vertices() {
    // a line, a square and a tetrahedron on a body that the second world has moved to the left
    let none = r#"<contact contype="0" conaffinity="0" selfcollide="none"/>"#;
    let text = format!(
        r#"<mujoco>
      <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
      <statistic extent="1" center="0 0 0"/>
      <worldbody>
        <camera name="front" pos="0 -4 0" xyaxes="1 0 0 0 0 1"/>
        <body name="b"><joint type="slide" axis="1 0 0"/>
          <geom size="0.01" group="5" contype="0" conaffinity="0"/></body>
      </worldbody>
      <deformable>
        <flex name="line" dim="1" body="b" radius="0.1" rgba="1 0 0 1" vertex="-0.8 0 -0.3  -0.8 0 0.3"
              element="0 1">{none}</flex>
        <flex name="square" dim="2" body="b" radius="0.1" rgba="0 1 0 1" element="0 1 2 0 2 3"
              vertex="-0.2 0 -0.2  0.2 0 -0.2  0.2 0 0.2  -0.2 0 0.2">{none}</flex>
        <flex name="block" dim="3" body="b" radius="0.01" rgba="0 0 1 1" element="0 1 2 3"
              vertex="0.5 0 -0.3  1.1 0 -0.3  0.8 0 0.4  0.8 0.3 0">{none}</flex>
      </deformable>
    </mujoco>"#
    );
    let mut batch = batch(&text, 2, Backend::Cpu);
    batch.set("qpos", .., &[0.0, -0.5]).unwrap();
    batch.forward().unwrap();
    let camera = front(&batch);
    let bytes = batch.render(&[0, 1], camera, SIZE[0], SIZE[1]).unwrap();
    let [red, green, blue, black] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]];
    // 18 pixels are a metre
    for (world, shift) in [(0, 0), (1, 9)] {
        let row = [25, 40, 54].map(|x| pixel(&bytes, world, x - shift, 30));
        assert_eq!(row, [red, green, blue], "world {world}");
    }
    // the line has a round end, and nothing is beyond
    assert_eq!([23, 21].map(|y| pixel(&bytes, 0, 25, y)), [red, black]);
    let mut batch_renderer = BatchRenderer::new(&mut batch).unwrap();
    let at = |x: usize, y: usize| y * SIZE[0] as usize + x;
    let taken = batch_renderer.take(&mut batch, &[0], camera, SIZE, Content::Objects).unwrap();
    let Images::Objects(objects) = taken else { panic!("no objects") };
    assert_eq!([25, 40, 54].map(|x| objects[at(x, 30)]), [0, 1, 2].map(|id| Some((Kind::Flex, id))));
    // the near side of the square is a radius in front of its vertices
    let taken = batch_renderer.take(&mut batch, &[0], camera, SIZE, Content::Depth).unwrap();
    let Images::Depth(depths) = taken else { panic!("no depths") };
    assert!((depths[at(40, 30)] - 3.9).abs() < 1e-3, "{}", depths[at(40, 30)]);
    // switched off, by the flag or by their group
    let mut without = Visuals::default();
    without.flexes = [false; 6];
    for visuals in [Visuals::default().with(Flag::Flex, false), without] {
        batch_renderer.visuals = visuals;
        let taken = batch_renderer.take(&mut batch, &[0], camera, SIZE, Content::Color).unwrap();
        let Images::Color(bytes) = taken else { panic!("no colours") };
        assert!(bytes.iter().all(|b| *b == 0));
    }
}

#[test]
fn every_model_of_ours_can_be_drawn() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "xml") {
            continue;
        }
        let model = manyworlds::load(&path).unwrap();
        let mut batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
        batch.forward().unwrap();
        let bytes = batch.render(&[0], Camera::initial(&model), 64, 48).unwrap();
        let colors: std::collections::BTreeSet<&[u8]> = bytes.chunks(3).collect();
        assert!(colors.len() > 3, "{}: {} colours", path.display(), colors.len());
    }
}
