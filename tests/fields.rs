//! Signed distance fields on both backends: contacts, rays and distances of kernels are those of the CPU, at poses at
//! which rounding decides nothing.
//!
//! Needs a GPU adapter, hardware or software; without one these tests fail.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::analysis::check::{self, CheckOptions};
use manyworlds::batch::{Backend, Batch, BatchOptions, max_capacity};
use manyworlds::cpu::collision::field::Field;
use manyworlds::cpu::math::{Vec3, dot, mat3, quat, quat_rotate, vec3};
use manyworlds::cpu::{self, Precision};
use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions, WorkingSetSpace};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::enums::status;
use manyworlds::schema::stages::Stage;

/// Poses of a scene.
const WORLDS: usize = 24;

/// Runs of the CPU in each precision for each pose: at the pose itself, and at draws within rounding of it.
const DRAWS: usize = 8;

/// Largest difference in double precision at a pose at which rounding decides nothing.
const SETTLED: f64 = 1e-4;

/// Factor on the largest difference in single precision, of which kernels are one more draw; and the largest error with
/// it, of normals near the middle of a shape.
const MARGIN: f64 = 8.0;
const MOST: f64 = 0.1;

/// The largest error where one is an octree: the CPU in single precision takes differences of its values.
const MOST_OF_OCTREE: f64 = 1e-3;

/// Positions and orientations of two bodies in all worlds.
type Poses = (Vec<f64>, Vec<f64>);

/// Fields, meshes and a height field.
const ASSETS: &str = "<extension>
    <plugin plugin='mujoco.sdf.torus'><instance name='torus'><config key='radius1' value='.3'/>
    <config key='radius2' value='.1'/></instance></plugin>
    <plugin plugin='mujoco.sdf.bolt'><instance name='bolt'><config key='radius' value='.255'/></instance></plugin>
    <plugin plugin='mujoco.sdf.nut'><instance name='nut'/></plugin>
    <plugin plugin='mujoco.sdf.bowl'><instance name='bowl'><config key='height' value='.2'/>
    <config key='radius' value='.45'/></instance></plugin>
    <plugin plugin='mujoco.sdf.gear'><instance name='gear'><config key='teeth' value='20'/>
    <config key='diameter' value='1'/><config key='thickness' value='.1'/></instance></plugin></extension>
    <option sdf_initpoints='12' sdf_iterations='4'/>
    <asset><mesh name='torus'><plugin instance='torus'/></mesh><mesh name='bolt'><plugin instance='bolt'/></mesh>
    <mesh name='nut'><plugin instance='nut'/></mesh><mesh name='bowl'><plugin instance='bowl'/></mesh>
    <mesh name='gear'><plugin instance='gear'/></mesh>
    <mesh name='wedge' vertex='0 0 0 .6 0 0 0 .3 0 0 0 .3 .6 .3 0'
    face='0 2 4 0 4 1 0 1 3 1 4 3 4 2 3 2 0 3'/>
    <hfield name='flat' nrow='6' ncol='6' size='.6 .6 .1 .1' elevation='
    0 .2 0 .1 .3 0 .1 0 .5 .2 0 .3 0 .1 .2 0 .4 .1 .3 0 .1 .5 0 .2 0 .2 .1 0 .3 0 .1 0 .2 .4 0 .1'/></asset>";

/// A geom with the field of a plugin.
fn field(name: &str) -> String {
    format!("<geom type='sdf' mesh='{name}'><plugin instance='{name}'/></geom>")
}

/// A model of two geoms on bodies that are moved by hand, with a ray on each and their distance.
fn scene(one: &str, two: &str) -> Model {
    let named =
        |geom: &str, name: &str| geom.replacen("<geom", &format!("<geom name='{name}' condim='1'"), 1);
    let (one, two) = (named(one, "one"), named(two, "two"));
    let distance = if one.contains("hfield") { "" } else { "<distance geom1='one' geom2='two' cutoff='1'/>" };
    let text = format!(
        "<mujoco>{ASSETS}<worldbody><body mocap='true'>{one}</body><body mocap='true'>{two}</body>
        <site name='above' pos='.25 .05 2' zaxis='0 .03 -1'/><site name='beside' pos='2 .1 .02' zaxis='-1 .02 .03'/>
        </worldbody><contact><pair geom1='one' geom2='two'/></contact><sensor><rangefinder site='above'/>
        <rangefinder site='beside'/>{distance}</sensor></mujoco>"
    );
    manyworlds::load_str(&text).unwrap()
}

/// A number in [-1, 1] (splitmix64).
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Positions and orientations of both bodies in all worlds: the second within `reach` of the first.
fn poses(reach: f64, seed: u64) -> Poses {
    let (mut pos, mut quat, mut state) = (Vec::new(), Vec::new(), seed);
    for _ in 0..WORLDS {
        for far in [0.1, reach] {
            pos.extend([0; 3].map(|_| far * random(&mut state)));
            let q = [0; 4].map(|_| random(&mut state));
            let size = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            // single precision on both backends
            quat.extend(q.map(|x| f64::from((x / size) as f32)));
        }
    }
    (pos.iter().map(|x| f64::from(*x as f32)).collect(), quat)
}

/// What a world has found: geoms, distances, places and normals of contacts, and its sensors.
#[derive(Debug, Default)]
struct Found {
    geoms: Vec<f64>,
    numbers: Vec<f64>,
}

impl Found {
    /// Largest difference of two; infinite where contacts are others.
    fn difference(&self, other: &Self) -> f64 {
        if self.geoms != other.geoms {
            return f64::INFINITY;
        }
        self.numbers.iter().zip(&other.numbers).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

/// Contacts and sensors of a world from the arrays of its fields.
fn collected(n: usize, geom: &[f64], dist: &[f64], place: &[f64], frame: &[f64], sensed: &[f64]) -> Found {
    let normals = frame.chunks(9).take(n).flat_map(|rows| &rows[..3]);
    let numbers = dist[..n].iter().chain(&place[..3 * n]).chain(normals).chain(sensed);
    Found { geoms: geom[..2 * n].to_vec(), numbers: numbers.copied().collect() }
}

/// The device of a test, for which kernels are built once as long as the test holds it.
fn device() -> Gpu {
    Gpu::shared(None, AdapterPreference::Any).unwrap()
}

/// What kernels with a number of lanes find in all worlds at given poses, and the status of the worlds.
fn in_kernels(
    model: &Model,
    capacity: Capacity,
    (pos, quat): &Poses,
    lanes: usize,
) -> (Vec<Found>, Vec<i32>) {
    let options = KernelOptions {
        lanes: Some(lanes),
        worlds_per_group: Some(8),
        placement: Some(WorkingSetSpace::Storage),
        ..KernelOptions::default()
    };
    let mut batch = GpuBatch::new(&device(), model.clone(), WORLDS, capacity, &options).unwrap();
    batch.set("mocap_pos", pos).unwrap();
    batch.set("mocap_quat", quat).unwrap();
    // what contacts, rays and distances need: the driver compiles kernels for longer than they run
    batch.run_stages(&[Stage::kinematics, Stage::collision, Stage::sensor]).unwrap();
    let get = |field: &str| batch.get(field).unwrap();
    let names = ["contact_geom", "contact_dist", "contact_pos", "contact_frame", "sensordata"];
    let (ncon, found) = (get("ncon"), names.map(get));
    let of_world = |w: usize| {
        let part = |values: &Vec<f64>| values.chunks(values.len() / WORLDS).nth(w).unwrap().to_vec();
        let [geom, dist, place, frame, sensed] = found.each_ref().map(part);
        collected(ncon[w] as usize, &geom, &dist, &place, &frame, &sensed)
    };
    let status = get("status").iter().map(|bits| *bits as i32).collect();
    ((0..WORLDS).map(of_world).collect(), status)
}

/// What the CPU finds in a world at a pose.
fn on_cpu<T: Precision>(model: &Model<T>, capacity: Capacity, pos: &[f64], quat: &[f64]) -> Found {
    let mut data = Data::<T>::new(model, capacity);
    data.mocap_pos = pos.iter().map(|x| T::of(*x)).collect();
    data.mocap_quat = quat.iter().map(|x| T::of(*x)).collect();
    cpu::forward(model, &mut data);
    let data = data.cast::<f64>();
    let geom: Vec<f64> = data.contact_geom.iter().map(|g| f64::from(*g)).collect();
    let n = data.ncon[0] as usize;
    collected(n, &geom, &data.contact_dist, &data.contact_pos, &data.contact_frame, &data.sensordata)
}

/// What the CPU finds in a world, and how far rounding moves it in double and in single precision.
struct Reference {
    found: Found,
    double: f64,
    single: f64,
}

impl Reference {
    /// Of world `w`.
    fn new(models: (&Model, &Model<f32>), capacity: Capacity, (pos, quat): &Poses, w: usize) -> Self {
        let (pos, quat) = (&pos[6 * w..6 * w + 6], &quat[8 * w..8 * w + 8]);
        let found = on_cpu(models.0, capacity, pos, quat);
        let (mut state, mut double, mut single) = (77, 0.0_f64, 0.0_f64);
        for draw in 0..DRAWS {
            let size = if draw == 0 { 0.0 } else { 2.0 * f64::from(f32::EPSILON) };
            let mut changed = |values: &[f64]| -> Vec<f64> {
                values.iter().map(|x| x * (1.0 + size * random(&mut state))).collect()
            };
            let (pos, quat) = (changed(pos), changed(quat));
            double = double.max(on_cpu(models.0, capacity, &pos, &quat).difference(&found));
            single = single.max(on_cpu(models.1, capacity, &pos, &quat).difference(&found));
        }
        Self { found, double, single }
    }

    /// True if kernels agree, or if rounding decides; asserts it.
    fn check(&self, name: &str, got: &Found, most: f64) -> bool {
        let (error, allowed) = (got.difference(&self.found), 1e-5 + (MARGIN * self.single).min(most));
        let settled = self.double <= SETTLED;
        let spreads = (self.double, self.single);
        assert!(!settled || error < allowed, "{name}: {error}, {spreads:?}\n{got:?}\n{:?}", self.found);
        settled
    }
}

/// Compares a scene on both backends; returns how many contacts were compared in how many worlds.
fn compare(name: &str, model: &Model, reach: f64) -> (usize, usize) {
    let most = if model.sizes.noct > 0 { MOST_OF_OCTREE } else { MOST };
    let capacity = max_capacity(model);
    let capacity = Capacity { nconmax: capacity.nconmax.min(400), njmax: capacity.njmax.min(400) };
    let (poses, single) = (poses(reach, 5), model.cast::<f32>());
    let (got, status) = in_kernels(model, capacity, &poses, 1);
    // lanes that share searches; software devices take minutes for those of octrees
    let lanes = if model.sizes.noct > 0 { 1 } else { 4 };
    let (shared, _) = in_kernels(model, capacity, &poses, lanes);
    assert!(status.iter().all(|bits| *bits == 0), "{name}: {status:?}");
    let (mut contacts, mut worlds) = (0, 0);
    for (w, got) in got.iter().enumerate() {
        let want = Reference::new((model, &single), capacity, &poses, w);
        want.check(&format!("{name}, world {w}, {lanes} lanes"), &shared[w], most);
        if want.check(&format!("{name}, world {w}"), got, most) {
            contacts += got.geoms.len() / 2;
            worlds += 1;
        }
    }
    (contacts, worlds)
}

/// Rays of a scene of one field, from all around, in each of some worlds.
const RAYS: usize = 40;
const TURNS: usize = 50;

/// Ten thousand rays on each backend end where the field of their geom is zero.
#[test]
fn rays_end_on_the_surface_of_a_field() {
    let mut state = 31;
    let mut vector = |size: f64| [0; 3].map(|_| size * random(&mut state));
    let sites: String = (0..RAYS)
        .map(|k| {
            let (from, to) = (vector(1.0), vector(0.3));
            let length = from.iter().map(|x| x * x).sum::<f64>().sqrt();
            let from = from.map(|x| 1.5 * x / length);
            let aim = [0, 1, 2].map(|axis| to[axis] - from[axis]);
            let text = |x: [f64; 3]| x.map(|x| x.to_string()).join(" ");
            format!("<site name='{k}' pos='{}' zaxis='{}'/>", text(from), text(aim))
        })
        .collect();
    let sensors: String = (0..RAYS).map(|k| format!("<rangefinder site='{k}'/>")).collect();
    let mut turns = vec![0.0; 4 * TURNS];
    for q in turns.chunks_mut(4) {
        let [x, y, z] = vector(0.5);
        q.copy_from_slice(&[(1.0 - x * x - y * y - z * z).sqrt(), x, y, z]);
    }
    let wedge = "<geom type='sdf' mesh='wedge'/>".to_owned();
    let scenes = ["torus", "bolt", "nut", "bowl", "gear"].map(field).into_iter().chain([wedge]);
    let (mut rays, mut hits) = (0, 0);
    for geom in scenes {
        let text = format!(
            "<mujoco>{ASSETS}<worldbody><body mocap='true'>{geom}</body>{sites}</worldbody>
            <sensor>{sensors}</sensor></mujoco>"
        );
        let model = manyworlds::load_str(&text).unwrap();
        let of_geom = Field::of_geom(&model, 0).unwrap();
        for backend in [Backend::Cpu, Backend::Gpu] {
            let mut batch = Batch::new(&model, TURNS, &BatchOptions::on(backend)).unwrap();
            batch.set("mocap_quat", .., &turns).unwrap();
            batch.forward().unwrap();
            let mut get = |field: &str| batch.get(field, ..).unwrap().data.to_f64();
            let (found, pos, mat) = (get("sensordata"), get("geom_xpos"), get("geom_xmat"));
            for w in 0..TURNS {
                let (pos, mat) = (vec3(&pos, w), mat3(&mat, w));
                for (k, dist) in found[RAYS * w..RAYS * (w + 1)].iter().enumerate() {
                    rays += 1;
                    if *dist < 0.0 {
                        continue;
                    }
                    hits += 1;
                    let aim = quat_rotate(quat(&model.site_quat, k), Vec3::Z);
                    let from = vec3(&model.site_pos, k);
                    let at = of_geom.at((from + aim * *dist - pos) * mat);
                    let slope = dot(mat * at.gradient, aim).abs();
                    let bound = match backend {
                        // a ray that grazes ends where the reference's does
                        Backend::Cpu if slope > 0.11 => 1e-9,
                        Backend::Cpu => 1e-7,
                        Backend::Gpu | Backend::Auto => 1e-5,
                    };
                    assert!(at.value.abs() < bound, "{geom}, {}: {at:?} {slope}", backend.name());
                }
            }
        }
    }
    assert!(rays == 24_000 && hits > 10_000, "{hits} of {rays}");
}

#[test]
fn fields_touch_shapes_as_on_the_cpu() {
    let _held = device();
    for shape in ["sphere", "capsule", "ellipsoid", "cylinder", "box"] {
        let other = format!("<geom type='{shape}' size='.15 .12 .1'/>");
        let mut model = scene(&other, &field("torus"));
        // the field of a box has edges inside, at which rounding decides after a few steps
        let is_box = shape == "box";
        if is_box {
            model.opt_sdf_iterations[0] = 0;
        }
        let (contacts, worlds) = compare(shape, &model, 0.4);
        let least = if is_box { 5 } else { WORLDS / 2 };
        assert!(contacts > 30 && worlds > least, "{shape}: {contacts} in {worlds}");
    }
}

#[test]
fn fields_touch_each_other_as_on_the_cpu() {
    let _held = device();
    for (one, two, reach) in
        [("torus", "torus", 0.5), ("bolt", "nut", 0.6), ("gear", "gear", 0.7), ("bowl", "torus", 0.5)]
    {
        let (contacts, worlds) = compare(one, &scene(&field(one), &field(two)), reach);
        assert!(contacts > 30 && worlds > WORLDS / 2, "{one} {two}: {contacts} in {worlds}");
    }
}

#[test]
fn meshes_and_planes_touch_fields_as_on_the_cpu() {
    let _held = device();
    let (octree, plane) = ("<geom type='sdf' mesh='wedge'/>", "<geom type='plane' size='1 1 1'/>");
    for (name, one, two, reach) in [
        ("octree", octree.to_owned(), field("torus"), 0.4),
        ("octree and sphere", "<geom size='.15'/>".to_owned(), octree.to_owned(), 0.3),
        ("mesh", "<geom type='mesh' mesh='wedge'/>".to_owned(), field("torus"), 0.4),
        ("hfield", "<geom type='hfield' hfield='flat'/>".to_owned(), field("torus"), 0.4),
        ("plane", plane.to_owned(), field("torus"), 0.3),
        ("plane and mesh", plane.to_owned(), "<geom type='mesh' mesh='wedge'/>".to_owned(), 0.3),
    ] {
        let (contacts, worlds) = compare(name, &scene(&one, &two), reach);
        assert!(contacts > 20 && worlds > WORLDS / 2, "{name}: {contacts} in {worlds}");
    }
}

#[test]
fn the_deepest_stay_where_slots_end() {
    let _held = device();
    let model = scene("<geom size='.15'/>", &field("torus"));
    let (poses, single) = (poses(0.25, 9), model.cast::<f32>());
    let capacity = Capacity { nconmax: 3, njmax: 400 };
    for lanes in [1, 4] {
        let (got, statuses) = in_kernels(&model, capacity, &poses, lanes);
        let mut full = 0;
        for (w, bits) in statuses.iter().enumerate() {
            let want = Reference::new((&model, &single), capacity, &poses, w);
            let settled = want.check(&format!("world {w}, {lanes} lanes"), &got[w], MOST);
            if settled && *bits & status::CONTACT_OVERFLOW != 0 {
                assert_eq!(got[w].geoms.len(), 6);
                full += 1;
            }
        }
        assert!(full > 4, "{full}");
    }
}

/// Compares every stage of a model in tests/parity/models after some steps, without and with lanes that share a world.
fn compare_stages(name: &str, steps: usize, field: &str) {
    let model = manyworlds::load(&format!("tests/parity/models/{name}.xml")).unwrap();
    let options = CheckOptions { worlds: 2, steps, seed: 3, from: None };
    let capacity = check::needed_capacity(&model, Capacity { nconmax: 64, njmax: 256 }, &options);
    let gpu = Gpu::open(AdapterPreference::Any).unwrap();
    for (lanes, worlds, placement) in [(1, 8, WorkingSetSpace::Storage), (16, 2, WorkingSetSpace::Workgroup)]
    {
        let kernels = KernelOptions {
            lanes: Some(lanes),
            worlds_per_group: Some(worlds),
            placement: Some(placement),
            ..KernelOptions::default()
        };
        let mut batch = GpuBatch::new(&gpu, model.clone(), 2, capacity, &kernels).unwrap();
        let report = check::run(&model, capacity, &mut batch, &options).unwrap();
        assert!(report.rows.iter().any(|row| row.field == field));
        let over: Vec<String> =
            report.rows.iter().filter(|row| row.over()).map(|row| format!("{row:?}")).collect();
        assert_eq!(over, [""; 0], "{name}, {lanes} lanes");
    }
}

#[test]
fn every_stage_agrees_with_the_cpu() {
    compare_stages("fields", 10, "contact_dist");
}

#[test]
fn tactile_sensors_feel_as_on_the_cpu() {
    // until all skins are pressed
    compare_stages("tactile", 80, "sensordata");
}

/// The torus of the plugin, written as a formula: the same surface, contacts and motion, but for rounding.
#[test]
fn a_formula_is_the_field_that_it_says() {
    const FORMULA: &str = "<plugin plugin='manyworlds.sdf.formula'><instance name='torus'>
        <config key='formula' value='sqrt((sqrt(x^2 + y^2) - radius1)^2 + z^2) - radius2'/>
        <config key='box' value='.4 .4 .1'/><config key='radius1' value='.3'/><config key='radius2' value='.1'/>
        </instance></plugin>";
    const PLUGIN: &str =
        "<plugin plugin='mujoco.sdf.torus'><instance name='torus'><config key='radius1' value='.3'/>
        <config key='radius2' value='.1'/></instance></plugin>";
    let model = |plugin: &str| {
        manyworlds::load_str(&format!(
            "<mujoco><extension>{plugin}</extension><option timestep='.001' sdf_initpoints='20'/>
            <asset><mesh name='torus'><plugin instance='torus'/></mesh></asset><worldbody>
            <geom type='plane' size='0 0 1'/><body pos='0 0 .12'><freejoint/><geom type='sdf' mesh='torus' density='300'>
            <plugin instance='torus'/></geom></body><body pos='.28 .05 .3'><freejoint/><geom size='.06'/></body>
            <site name='eye' pos='.31 .02 1' zaxis='0 .01 -1'/></worldbody>
            <sensor><rangefinder site='eye'/></sensor></mujoco>"
        ))
        .unwrap()
    };
    let (written, built_in) = (model(FORMULA), model(PLUGIN));
    assert_eq!(written.mesh_face, built_in.mesh_face);
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart(&written.mesh_vert, &built_in.mesh_vert) < 1e-12);
    for (backend, steps, bound) in [(Backend::Cpu, 100, 1e-9), (Backend::Gpu, 100, 1e-3)] {
        let moved = |model: &Model| {
            let mut batch = Batch::new(model, 1, &BatchOptions::on(backend)).unwrap();
            let mut met = 0.0;
            for _ in 0..steps / 10 {
                batch.step(10).unwrap();
                met += batch.get("ncon", ..).unwrap().data.to_f64()[0];
            }
            let mut all = batch.get("qpos", ..).unwrap().data.to_f64();
            all.extend(batch.get("sensordata", ..).unwrap().data.to_f64());
            (all, met)
        };
        let ((one, met), (two, _)) = (moved(&written), moved(&built_in));
        assert!(met > 5.0 && apart(&one, &two) < bound, "{}: {met} {one:?} {two:?}", backend.name());
    }
}

/// A ball with hills made of all functions: what a ray from above and a ball at rest on it meet is the same on both backends.
#[test]
fn functions_of_formulas_have_their_twins() {
    let hills = [
        "0.02*tanh(3*x)*exp(-abs(y)) + 0.01*log(2 + z^2)*sin(3*x) - 0.01*cos(4*y)*sqrt(1 + x^2) + 0.003*tan(x) \
         + 0.005*atan2(y, 2 + x) + 0.004*min(x, y) - 0.004*max(y, z) + 0.002*floor(0.5 + 0*x) + 0.003*sign(2 + x)*clip(y, -1, 1)",
        "select(x &gt; 5 || !(y &lt; 9 &amp;&amp; z != 8), 1, 0.002*sum(p)) + 0.002*largest(p) - 0.001*smallest(p) \
         + 0.01*dot(p, [1, 2, 3]) + 0.002*isfinite(x) + 0.001*mean(cross(p, [0, 1, 0]))",
    ];
    hills.into_iter().for_each(compare_formula);
}

/// What a ray and a ball meet on both backends, on a ball with hills.
fn compare_formula(hills: &str) {
    let model = manyworlds::load_str(&format!(
        "<mujoco><extension><plugin plugin='manyworlds.sdf.formula'><instance name='hills'>
        <config key='formula' value='norm(p) - r + {hills}'/><config key='box' value='.5 .5 .5'/><config key='r' value='.3'/>
        </instance></plugin></extension><option timestep='.001' sdf_initpoints='20'/>
        <asset><mesh name='hills'><plugin instance='hills'/></mesh></asset><worldbody>
        <geom type='sdf' mesh='hills'><plugin instance='hills'/></geom>
        <body pos='.05 .02 .42'><freejoint/><geom size='.16'/></body>
        <body mocap='true' pos='.21 .11 1'><site name='eye' zaxis='0 .01 -1'/></body></worldbody>
        <sensor><rangefinder site='eye'/></sensor></mujoco>"
    ))
    .unwrap();
    let seen = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut batch = Batch::new(&model, 1, &BatchOptions::on(backend)).unwrap();
        batch.step(20).unwrap();
        let get = |batch: &mut Batch, name: &str| batch.get(name, ..).unwrap().data.to_f64();
        let (met, mut all) = (get(&mut batch, "ncon")[0], get(&mut batch, "qpos"));
        all.extend(get(&mut batch, "sensordata"));
        assert!(met > 0.0 && all[7] > 0.0, "{}: {met} {all:?}", backend.name());
        all
    });
    let apart = seen[0].iter().zip(&seen[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-4, "{hills}: {seen:?}");
}

#[test]
fn more_triangles_than_kernels_tell_apart_are_refused() {
    // the surface of a torus has some ninety thousand
    let model = scene("<geom type='mesh' mesh='torus'/>", &field("torus"));
    let capacity = Some(Capacity { nconmax: 10, njmax: 40 });
    let refused =
        Batch::new(&model, 1, &BatchOptions { capacity, ..BatchOptions::on(Backend::Gpu) }).unwrap_err();
    let told = refused.to_string();
    assert!(told.contains("triangles") && told.contains("on the CPU"), "{told}");
    Batch::new(&model, 1, &BatchOptions { capacity, ..BatchOptions::on(Backend::Cpu) }).unwrap();
}
