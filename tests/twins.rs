//! Twins: what kernels and the CPU both compute has one name on both floors, in files of one stem; and which WGSL lies in
//! `kernels/` and which in `shaders/`.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use manyworlds::schema::stages::Stage;

/// WGSL that has no file of the same room and stem on the CPU: what a device needs to run kernels.
const ALONE: &[(&str, &str)] = &[
    ("runtime/group", "lanes and barriers"),
    ("runtime/options", "options of the model as constants"),
    ("runtime/roofline", "measures a device"),
    ("runtime/status", "bits of a world in shared memory"),
    ("runtime/transfer", "copies fields"),
    ("math/trig", "sines and cosines that do not depend on the driver"),
    ("solver/links", "stiffness between vertices: coupling.rs has blocks of bodies"),
    ("solver/skyline", "sparsity of a Hessian of all islands"),
    ("solver/state", "what a split solve carries from one dispatch to the next"),
    ("solver/stored_tiles", "tiles of the Hessian in storage: hessian.rs factors nodes of trees"),
    ("solver/tile_rows", "places of tiles"),
    ("solver/tiles", "tiles of the Hessian in registers: hessian.rs factors whole rows"),
    ("solver/tree_rows", "rows by tree: solve.rs adds row after row, without zeros"),
];

/// WGSL whose twins lie in files of other rooms or stems.
const ELSEWHERE: &[(&str, &[&str])] = &[
    ("actuation/history_buffer", &["crates/model/src/model/history.rs"]),
    ("collision/flex_pair", &["crates/cpu/src/collision/flex_contacts.rs"]),
    ("constraint/row_place", &["crates/model/src/model/jacobian.rs"]),
    ("integrate/reset", &["crates/model/src/model/state.rs", "crates/cpu/src/integrate/check_state.rs"]),
    ("solver/primal", &["crates/cpu/src/solver/solve.rs"]),
    (
        "solver/update",
        &[
            "crates/cpu/src/solver/solve.rs",
            "crates/cpu/src/solver/hessian.rs",
            "crates/cpu/src/solver/hessian_terms.rs",
            "crates/cpu/src/solver/cone_hessian.rs",
        ],
    ),
];

/// WGSL whose schedule differs from its twin's, as the head of the file says: levels, queues, tiles, and what a lane gathers.
const SCHEDULES: &[&str] = &[
    "kernels/actuation.wgsl",
    "kernels/collision.wgsl",
    "kernels/flex.wgsl",
    "kernels/implicit.wgsl",
    "kernels/make_constraint.wgsl",
    "kernels/rk4.wgsl",
    "kernels/rne_post.wgsl",
    "kernels/solve.wgsl",
    "shaders/collision/broad_phase.wgsl",
    "shaders/collision/contacts.wgsl",
    "shaders/collision/expanding_polytope.wgsl",
    "shaders/collision/field_contacts.wgsl",
    "shaders/collision/flex_contacts.wgsl",
    "shaders/collision/narrow_phase.wgsl",
    "shaders/collision/penetration.wgsl",
    "shaders/collision/spread.wgsl",
    "shaders/constraint/adhesion.wgsl",
    "shaders/constraint/flex_rows.wgsl",
    "shaders/constraint/islands.wgsl",
    "shaders/constraint/passive_contact.wgsl",
    "shaders/constraint/row_parameters.wgsl",
    "shaders/constraint/row_place.wgsl",
    "shaders/constraint/row_span.wgsl",
    "shaders/integrate/velocity_derivative.wgsl",
    "shaders/smooth/cells.wgsl",
    "shaders/smooth/elasticity.wgsl",
    "shaders/smooth/factor_m.wgsl",
    "shaders/solver/hessian.wgsl",
    "shaders/solver/line_search.wgsl",
    "shaders/solver/metric.wgsl",
    "shaders/solver/metric_cells.wgsl",
    "shaders/solver/metric_flex.wgsl",
    "shaders/solver/metric_solve.wgsl",
    "shaders/solver/noslip.wgsl",
    "shaders/solver/pgs.wgsl",
    "shaders/solver/primal.wgsl",
    "shaders/solver/update.wgsl",
];

/// Functions that have one name in both files of a stem, in WGSL with the kernel of that name. A pair that drifts apart makes
/// them fewer; a new one makes them more, and then its number follows.
const PAIRS: &[(&str, usize)] = &[
    ("actuation/activation", 2),
    ("actuation/actuation", 7),
    ("actuation/control", 5),
    ("actuation/dcmotor", 13),
    ("actuation/history", 6),
    ("actuation/history_buffer", 9),
    ("actuation/laws", 6),
    ("actuation/muscle", 12),
    ("actuation/next_activation", 2),
    ("actuation/orientation", 9),
    ("actuation/pid", 3),
    ("actuation/pid_plugin", 3),
    ("actuation/servo", 3),
    ("actuation/setpoint", 3),
    ("actuation/transmission", 9),
    ("collision/box_box", 8),
    ("collision/broad_phase", 1),
    ("collision/capsule_box", 7),
    ("collision/collision", 3),
    ("collision/contact_face", 6),
    ("collision/contact_parameters", 5),
    ("collision/contacts", 5),
    ("collision/convex", 4),
    ("collision/distance", 2),
    ("collision/expanding_polytope", 5),
    ("collision/field", 4),
    ("collision/field_contacts", 12),
    ("collision/flex_contacts", 18),
    ("collision/flex_pair", 2),
    ("collision/gjk", 4),
    ("collision/height_field", 3),
    ("collision/multi_contact", 6),
    ("collision/narrow_phase", 1),
    ("collision/octree", 2),
    ("collision/pair", 5),
    ("collision/penetration", 5),
    ("collision/plane_mesh", 2),
    ("collision/polytope", 13),
    ("collision/primitives", 13),
    ("collision/ray", 3),
    ("collision/ray_hfield", 3),
    ("collision/ray_mesh", 3),
    ("collision/ray_shape", 9),
    ("collision/signed_distance", 15),
    ("collision/spread", 2),
    ("collision/support_map", 10),
    ("collision/triangle", 4),
    ("collision/witness", 4),
    ("constraint/adhesion", 2),
    ("constraint/cone", 10),
    ("constraint/constraint_cost", 5),
    ("constraint/contact_force", 1),
    ("constraint/contact_jacobian", 4),
    ("constraint/contact_side", 4),
    ("constraint/equality", 17),
    ("constraint/exact_diagonal", 5),
    ("constraint/flex_rows", 10),
    ("constraint/islands", 7),
    ("constraint/make_constraint", 9),
    ("constraint/passive_contact", 4),
    ("constraint/reference_constraint", 2),
    ("constraint/row_parameters", 10),
    ("constraint/row_place", 0),
    ("constraint/row_span", 5),
    ("constraint/surface_velocity", 2),
    ("integrate/advance", 2),
    ("integrate/check_state", 1),
    ("integrate/euler", 2),
    ("integrate/fluid_derivative", 12),
    ("integrate/implicit", 10),
    ("integrate/reset", 3),
    ("integrate/rk4", 1),
    ("integrate/velocity_derivative", 12),
    ("math/graded", 15),
    ("math/matrix", 5),
    ("math/philox", 3),
    ("math/polar", 2),
    ("math/quaternion", 10),
    ("math/spatial", 6),
    ("math/vector", 3),
    ("sensor/enclosed", 13),
    ("sensor/object_frames", 6),
    ("sensor/output", 1),
    ("sensor/sensor", 10),
    ("sensor/sensor_contact", 8),
    ("sensor/sensor_distance", 1),
    ("sensor/sensor_ray", 5),
    ("sensor/tactile", 3),
    ("sensor/touch_grid", 2),
    ("sleep/asleep", 10),
    ("sleep/sleep", 5),
    ("sleep/wake", 8),
    ("smooth/acceleration", 1),
    ("smooth/applied_force", 2),
    ("smooth/cable", 1),
    ("smooth/camlight", 4),
    ("smooth/cells", 10),
    ("smooth/com_pos", 5),
    ("smooth/com_vel", 2),
    ("smooth/crb", 6),
    ("smooth/elasticity", 6),
    ("smooth/energies", 5),
    ("smooth/factor_m", 4),
    ("smooth/flex", 5),
    ("smooth/flex_mesh", 3),
    ("smooth/fluid", 13),
    ("smooth/jacobian", 4),
    ("smooth/kinematics", 9),
    ("smooth/nodes", 11),
    ("smooth/passive", 10),
    ("smooth/reflected_inertia", 7),
    ("smooth/rne", 4),
    ("smooth/rne_post", 6),
    ("smooth/subtree_vel", 2),
    ("smooth/tendon", 5),
    ("smooth/tendon_path", 5),
    ("smooth/vertex_strain", 8),
    ("smooth/wrap", 13),
    ("solver/cg", 1),
    ("solver/fwdinv", 1),
    ("solver/hessian", 3),
    ("solver/inverse", 2),
    ("solver/line_search", 3),
    ("solver/metric", 13),
    ("solver/metric_cells", 1),
    ("solver/metric_flex", 5),
    ("solver/metric_solve", 2),
    ("solver/noslip", 5),
    ("solver/pgs", 12),
    ("solver/primal", 2),
    ("solver/qcqp", 3),
    ("solver/smooth_contact", 7),
    ("solver/solve", 1),
    ("solver/update", 5),
    ("task/evaluate", 5),
    ("task/network", 3),
    ("task/task_begin", 1),
    ("task/task_observe", 1),
    ("task/task_restart", 1),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// Texts of the files with an ending in the rooms of a folder, by `room/stem`; all shaders but those of pictures.
fn files(folder: &str, ending: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for room in std::fs::read_dir(root().join(folder)).unwrap().map(|r| r.unwrap().path()) {
        if !room.is_dir() || room.ends_with("render") {
            continue;
        }
        for file in std::fs::read_dir(&room).unwrap().map(|f| f.unwrap().path()) {
            if file.extension().is_some_and(|e| e == ending) && !file.ends_with("mod.rs") {
                let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
                found.insert(format!("{}/{}", name(&room), name(&file)), read(&file));
            }
        }
    }
    found
}

/// Texts of the kernels by stem.
fn kernels() -> BTreeMap<String, String> {
    let all = std::fs::read_dir(root().join("kernels")).unwrap().map(|f| f.unwrap().path());
    let wgsl = all.filter(|f| f.extension().is_some_and(|e| e == "wgsl"));
    wgsl.map(|f| (f.file_stem().unwrap().to_string_lossy().into_owned(), read(&f))).collect()
}

/// Functions of a text, but for its tests, with the names of their parameters; the name of a template is before its
/// arguments.
fn signatures(text: &str) -> BTreeMap<String, Vec<String>> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap()).collect();
    let code = code.join("\n").replace("->", "");
    let mut found = BTreeMap::new();
    for rest in code.split("fn ").skip(1) {
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
        let Some(open) = rest.find('(').filter(|_| !name.is_empty()) else { continue };
        let (mut depth, mut parameters) = (0, vec![String::new()]);
        for c in rest[open..].chars() {
            depth += i32::from("([{<".contains(c)) - i32::from(")]}>".contains(c));
            match c {
                ',' if depth == 1 => parameters.push(String::new()),
                _ => parameters.last_mut().unwrap().push(c),
            }
            if depth == 0 {
                break;
            }
        }
        let word = |p: String| p.split(':').next().unwrap().trim_matches(['(', ')', ' ', '\n']).to_owned();
        let short = name.split("__").next().unwrap().to_owned();
        found.entry(short).or_insert(parameters.into_iter().map(word).collect());
    }
    found
}

/// Names of the functions of a text.
fn functions(text: &str) -> BTreeSet<String> {
    signatures(text).into_keys().collect()
}

/// Functions of a stem on the CPU, and in WGSL, with their parameters.
#[derive(Default)]
struct Pair {
    host: BTreeMap<String, Vec<String>>,
    device: BTreeMap<String, Vec<String>>,
}

impl Pair {
    /// Names that both floors have, or only the CPU, or only WGSL.
    fn names(&self) -> [Vec<&str>; 3] {
        let (host, device) = (self.host.keys(), self.device.keys());
        let both = host.clone().filter(|name| self.device.contains_key(*name));
        let alone = host.filter(|name| !self.device.contains_key(*name));
        let other = device.filter(|name| !self.host.contains_key(*name));
        [
            both.map(String::as_str).collect(),
            alone.map(String::as_str).collect(),
            other.map(String::as_str).collect(),
        ]
    }
}

/// All stems that both floors have.
fn pairs() -> BTreeMap<String, Pair> {
    let cpu = files("crates/cpu/src", "rs");
    let mut found: BTreeMap<String, Pair> = BTreeMap::new();
    for (name, text) in files("shaders", "wgsl") {
        let elsewhere = ELSEWHERE.iter().find(|(stem, _)| *stem == name).map(|(_, files)| *files);
        let host = match (elsewhere, cpu.get(&name)) {
            (Some(files), _) => files.iter().flat_map(|file| signatures(&read(file))).collect(),
            (None, Some(text)) => signatures(text),
            (None, None) => continue,
        };
        found.insert(name, Pair { host, device: signatures(&text) });
    }
    for (stem, text) in kernels() {
        let name = cpu.keys().find(|name| name.ends_with(&format!("/{stem}"))).unwrap();
        let pair = found.entry(name.clone()).or_default();
        pair.host.extend(signatures(&cpu[name]));
        pair.device.extend(signatures(&text));
    }
    found
}

#[test]
fn every_file_of_kernels_has_its_twin() {
    let cpu = files("crates/cpu/src", "rs");
    for name in files("shaders", "wgsl").keys() {
        let alone = ALONE.iter().any(|(stem, _)| stem == name);
        let elsewhere = ELSEWHERE.iter().any(|(stem, _)| stem == name);
        assert_eq!(1, [cpu.contains_key(name), alone, elsewhere].iter().filter(|x| **x).count(), "{name}");
    }
    for stem in kernels().keys() {
        assert_eq!(cpu.keys().filter(|name| name.ends_with(&format!("/{stem}"))).count(), 1, "{stem}");
    }
}

#[test]
fn functions_keep_their_twins() {
    let pairs = pairs();
    let mut wrong = Vec::new();
    for (stem, pair) in &pairs {
        let [both, host, device] = pair.names();
        let wanted = PAIRS.iter().find(|(name, _)| name == stem).map(|(_, count)| *count);
        if wanted != Some(both.len()) {
            let (both, host, device) = (both.len(), host.join(" "), device.join(" "));
            wrong.push(format!(
                "(\"{stem}\", {both}), not {wanted:?}; only on the CPU: {host}; only in WGSL: {device}"
            ));
        }
    }
    let gone = PAIRS.iter().filter(|(stem, _)| !pairs.contains_key(*stem));
    wrong.extend(gone.map(|(stem, _)| format!("{stem} has no twins")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let both: usize = pairs.values().map(|pair| pair.names()[0].len()).sum();
    let all: usize = pairs.values().map(|pair| pair.device.len()).sum();
    assert!(4 * both > 3 * all, "{both} of {all} functions have a twin");
}

/// What a function on the CPU has besides, the model, its data and results, is in fields or variables of a kernel.
#[test]
fn arguments_have_one_order() {
    let mut compared = 0;
    for (stem, pair) in pairs() {
        for name in &pair.names()[0] {
            let (host, device) = (&pair.host[*name], &pair.device[*name]);
            let host: Vec<&String> = host.iter().filter(|word| device.contains(word)).collect();
            let device: Vec<&String> = device.iter().filter(|word| host.contains(word)).collect();
            assert_eq!(host, device, "arguments of {name} in {stem}");
            compared += usize::from(host.len() > 1);
        }
    }
    assert!(compared > 100, "only {compared} functions were compared");
}

#[test]
fn schedules_that_differ_say_so() {
    let named = |folder: &str, name: &str| format!("{folder}/{name}.wgsl");
    let shaders = files("shaders", "wgsl").into_iter().map(|(name, text)| (named("shaders", &name), text));
    let all = shaders.chain(kernels().into_iter().map(|(stem, text)| (named("kernels", &stem), text)));
    let says = |text: &str| {
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//")).collect();
        head.join(" ").replace("// ", "").contains("The schedule differs")
    };
    let found: Vec<String> = all.filter(|(_, text)| says(text)).map(|(file, _)| file).collect();
    let listed: BTreeSet<&str> = SCHEDULES.iter().copied().collect();
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
}

/// A kernel holds what is dispatched, a function of the name of its stage or one for a part of that, and helpers of it
/// alone; what several import lies in a room of `shaders/`. A stage may run a whole other one (`fwdinv` runs `inverse`).
#[test]
fn kernels_hold_what_is_dispatched() {
    let kernels = kernels();
    let stages: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
    assert_eq!(kernels.keys().map(String::as_str).collect::<BTreeSet<_>>(), stages.iter().copied().collect());
    for (stem, text) in &kernels {
        assert!(text.contains(&format!("\nfn {stem}() {{\n")), "{stem} has no function of its name");
    }
    for (name, text) in files("shaders", "wgsl").iter().chain(&kernels) {
        let imported = text.lines().filter_map(|line| line.strip_prefix("import package::kernels::"));
        for stage in imported {
            let whole = stages.iter().any(|s| stage == format!("{s}::{s};"));
            assert!(whole && stages.contains(&name.as_str()), "{name} imports a part of a kernel: {stage}");
        }
        let whole = ["runtime/transfer", "runtime/roofline"].contains(&name.as_str());
        assert!(whole || !text.contains("@compute"), "{name} has an entry point, which `compose` writes");
    }
    // a split solve is dispatched part by part
    let solve = functions(&kernels["solve"]);
    let compose = read("crates/gpu/src/codegen/compose.rs");
    let parts = compose.split("const SPLIT_SOLVE: [&str; 6] =").nth(1).unwrap().split(']').next().unwrap();
    let parts: Vec<&str> = parts.split('"').skip(1).step_by(2).collect();
    assert_eq!(parts.len(), 6);
    assert!(parts.iter().all(|part| solve.contains(*part)), "{parts:?} are not all in {solve:?}");
}
