//! Kernels for one model: stages grouped into modules, each linked from the shared WGSL and validated.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::access;
use super::access::ValueType;
use super::layout::{AddressSpace, Layout, WorkingSet};
use super::link::{Item, Library, identity, preprocess};
use super::unroll::{ConstInt, Element, Known, evaluate, unroll};
use crate::cpu::integrate::velocity_derivative::is_single_free_body;
use crate::cpu::sensor::sensor_distance::sensed_pairs;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::plan;
use crate::model::plan::has_fluid;
use crate::model::unsupported::CONVEX;
use crate::schema::enums::{
    self, bias, cone, disable, dynamics, enable, equality, gain, geom, integrator, joint, object, solver,
    transmission, wrap,
};
use crate::schema::sensors::SENSORS;
use crate::schema::stages::{Stage, stage_table};
use crate::schema::{Field, Size, Sizes, Values};

/// The shared library.
const SHADERS: &[(&str, &str)] = &[
    ("group", include_str!("../../../shaders/runtime/group.wgsl")),
    ("options", include_str!("../../../shaders/runtime/options.wgsl")),
    ("trig", include_str!("../../../shaders/math/trig.wgsl")),
    ("math", include_str!("../../../shaders/math/vector.wgsl")),
    ("spatial", include_str!("../../../shaders/math/spatial.wgsl")),
    ("dynamics", include_str!("../../../shaders/smooth/factor_m.wgsl")),
    ("reflected_inertia", include_str!("../../../shaders/smooth/reflected_inertia.wgsl")),
    ("springs", include_str!("../../../shaders/smooth/passive.wgsl")),
    ("jacobian", include_str!("../../../shaders/smooth/jacobian.wgsl")),
    ("wrap", include_str!("../../../shaders/smooth/wrap.wgsl")),
    ("muscle", include_str!("../../../shaders/actuation/muscle.wgsl")),
    ("servo", include_str!("../../../shaders/actuation/servo.wgsl")),
    ("dcmotor", include_str!("../../../shaders/actuation/dcmotor.wgsl")),
    ("pid", include_str!("../../../shaders/actuation/pid.wgsl")),
    ("orientation", include_str!("../../../shaders/actuation/orientation.wgsl")),
    ("history", include_str!("../../../shaders/actuation/history.wgsl")),
    ("activation", include_str!("../../../shaders/actuation/activation.wgsl")),
    ("integrate", include_str!("../../../shaders/integrate/advance.wgsl")),
    ("fluid", include_str!("../../../shaders/smooth/fluid.wgsl")),
    ("fluid_derivative", include_str!("../../../shaders/integrate/fluid_derivative.wgsl")),
    ("derivative", include_str!("../../../shaders/integrate/velocity_derivative.wgsl")),
    ("geometry", include_str!("../../../shaders/collision/primitives.wgsl")),
    ("capsule_box", include_str!("../../../shaders/collision/capsule_box.wgsl")),
    ("box_box", include_str!("../../../shaders/collision/box_box.wgsl")),
    ("support_map", include_str!("../../../shaders/collision/support_map.wgsl")),
    ("hull", include_str!("../../../shaders/collision/polytope.wgsl")),
    ("plane_mesh", include_str!("../../../shaders/collision/plane_mesh.wgsl")),
    ("height_field", include_str!("../../../shaders/collision/height_field.wgsl")),
    ("gjk", include_str!("../../../shaders/collision/gjk.wgsl")),
    ("shell", include_str!("../../../shaders/collision/penetration_bound.wgsl")),
    ("convex", include_str!("../../../shaders/collision/convex.wgsl")),
    ("manifold", include_str!("../../../shaders/collision/multi_contact.wgsl")),
    ("path", include_str!("../../../shaders/smooth/tendon_path.wgsl")),
    ("surface", include_str!("../../../shaders/constraint/surface_velocity.wgsl")),
    ("adhesion", include_str!("../../../shaders/constraint/adhesion.wgsl")),
    ("asleep", include_str!("../../../shaders/sleep/asleep.wgsl")),
    ("islands", include_str!("../../../shaders/constraint/islands.wgsl")),
    ("equality", include_str!("../../../shaders/constraint/equality.wgsl")),
    ("sparse_rows", include_str!("../../../shaders/solver/sparse_rows.wgsl")),
    ("frames", include_str!("../../../shaders/sensor/object_frames.wgsl")),
    ("contact_force", include_str!("../../../shaders/constraint/contact_force.wgsl")),
    ("constraint_cost", include_str!("../../../shaders/constraint/constraint_cost.wgsl")),
    ("hessian", include_str!("../../../shaders/solver/hessian.wgsl")),
    ("line_search", include_str!("../../../shaders/solver/line_search.wgsl")),
    ("cg", include_str!("../../../shaders/solver/cg.wgsl")),
    ("qcqp", include_str!("../../../shaders/solver/qcqp.wgsl")),
    ("pgs", include_str!("../../../shaders/solver/pgs.wgsl")),
    ("noslip", include_str!("../../../shaders/solver/noslip.wgsl")),
    ("ray", include_str!("../../../shaders/collision/ray.wgsl")),
    ("sensor_ray", include_str!("../../../shaders/sensor/sensor_ray.wgsl")),
    ("sensor_contact", include_str!("../../../shaders/sensor/sensor_contact.wgsl")),
    ("distance", include_str!("../../../shaders/collision/distance.wgsl")),
    ("sensor_distance", include_str!("../../../shaders/sensor/sensor_distance.wgsl")),
];

macro_rules! kernel_sources {
    ($($name:ident $group:ident $room:ident $doc:literal;)*) => {
        /// The kernel of each stage, in order.
        const KERNELS: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("../../../kernels/", stringify!($name), ".wgsl"))),)*];
    };
}
stage_table!(kernel_sources);

/// The solver where its iterations are dispatches of their own: what comes first, and an iteration; the same of what holds back
/// slip; what follows from forces.
const SPLIT_SOLVE: [&str; 5] = ["solve_first", "solve_next", "noslip_first", "noslip_next", "dual_last"];

/// How worlds are spread over invocations and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tiling {
    /// Lanes per world, a power of two.
    pub lanes: usize,
    /// Worlds per workgroup, side by side in memory.
    pub tile: usize,
    /// Where kernels keep what only they use.
    pub placement: WorkingSetSpace,
}

/// Where kernels keep the fields that only they use and use most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkingSetSpace {
    /// With all other fields.
    Storage,
    /// In the memory of the workgroup, as far as it goes.
    Workgroup,
    /// In variables of the one lane of a world, with the loops over them written out.
    Registers,
}

impl WorkingSetSpace {
    /// `storage`, `workgroup` or `registers`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Workgroup => "workgroup",
            Self::Registers => "registers",
        }
    }
}

impl std::str::FromStr for WorkingSetSpace {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Storage, Self::Workgroup, Self::Registers];
        let found = all.into_iter().find(|p| p.name() == text);
        found.ok_or_else(|| {
            Error::Argument(format!("unknown placement '{text}'; expected storage, workgroup or registers"))
        })
    }
}

/// Fields of a model by name.
type Tables<T> = BTreeMap<&'static str, Vec<T>>;

/// Everything that the text of a kernel depends on.
#[derive(Debug)]
pub struct Composer {
    library: Library,
    tiling: Tiling,
    limited: bool,
    tables: Tables<i32>,
    reals: Tables<f64>,
    registers: Vec<&'static str>,
    group: Vec<&'static str>,
    transient: Vec<&'static str>,
}

impl Composer {
    /// Reads the library and all kernels with the blocks that `model` needs.
    ///
    /// # Errors
    /// A malformed block in a WGSL file, by name.
    ///
    /// `limited`: the driver ends loops early and in silence, so that kernels have to look for it.
    pub fn new(model: &Model, tiling: Tiling, limited: bool) -> Result<Self> {
        let mut flags = flags(model, tiling);
        flags.insert("LOOP_LIMIT", limited);
        flags.insert("SPLIT_SOLVE", limited && tiling.placement != WorkingSetSpace::Registers);
        let (tables, reals) = numbers(model);
        Ok(Self { limited, tables, reals, ..Self::with_flags(&flags, tiling)? })
    }

    fn with_flags(flags: &BTreeMap<&'static str, bool>, tiling: Tiling) -> Result<Self> {
        let mut library = Library::default();
        let (mut registers, mut group, mut transient) = (Vec::new(), Vec::new(), Vec::new());
        for (name, source) in SHADERS.iter().chain(KERNELS) {
            registers.extend(fields_of_directive(source, "//#registers "));
            group.extend(fields_of_directive(source, "//#group "));
            transient.extend(fields_of_directive(source, "//#transient "));
            let text = preprocess(source, flags).map_err(|e| Error::Device(format!("{name}.wgsl: {e}")))?;
            library.add(&text);
        }
        Ok(Self {
            library,
            tiling,
            limited: false,
            tables: BTreeMap::new(),
            reals: BTreeMap::new(),
            registers,
            group,
            transient,
        })
    }

    /// Fields that live outside of storage with these sizes, in `room` bytes of workgroup memory.
    pub fn working_set(&self, sizes: &Sizes, room: usize) -> WorkingSet {
        match self.tiling.placement {
            WorkingSetSpace::Storage => WorkingSet::NONE,
            WorkingSetSpace::Registers => {
                WorkingSet { space: AddressSpace::Register, fields: self.registers.iter().copied().collect() }
            }
            WorkingSetSpace::Workgroup => {
                let room = room.saturating_sub(self.reduction_bytes());
                WorkingSet {
                    space: AddressSpace::Workgroup,
                    fields: self.fit_workgroup_memory(&self.group, sizes, room),
                }
            }
        }
    }

    /// The layout of kernels that run many steps: more of what the kernels of `layout` use in workgroup memory, of
    /// which there are `room` bytes. Nothing else changes its space.
    pub fn transient(&self, layout: &Layout, room: usize) -> Layout {
        if self.tiling.placement != WorkingSetSpace::Workgroup {
            return layout.clone();
        }
        let taken = self.reduction_bytes() + layout.workgroup_bytes();
        let used: Vec<_> = self.transient.iter().copied().filter(|f| layout.slot(f).is_some()).collect();
        layout.relocated(
            &self.fit_workgroup_memory(&used, &layout.sizes, room.saturating_sub(taken)),
            &AddressSpace::Workgroup,
        )
    }

    /// The first of these fields that fit into `left` bytes of workgroup memory.
    fn fit_workgroup_memory(
        &self,
        names: &[&'static str],
        sizes: &Sizes,
        mut left: usize,
    ) -> BTreeSet<&'static str> {
        // an array has at least one element
        let bytes = |f: &Field| (4 * f.len(sizes) * self.tiling.tile).max(4).next_multiple_of(16);
        let listed = names.iter().filter_map(|n| access::parse(n)).map(|a| a.field);
        let fits = listed.filter(|f| {
            let fits = bytes(f) <= left;
            left -= if fits { bytes(f) } else { 0 };
            fits
        });
        fits.map(|f| f.name).collect()
    }

    /// Bytes of workgroup memory that sums and votes over lanes take, each array aligned.
    fn reduction_bytes(&self) -> usize {
        let Tiling { lanes, tile, .. } = self.tiling;
        if lanes > 1 { 16 * 32 * tile + (4 * lanes * tile).next_multiple_of(16) + 16 } else { 0 }
    }

    /// Whether the solver, alone in a group, runs in dispatches of one iteration.
    fn splits_solve(&self) -> bool {
        self.limited && self.tiling.placement != WorkingSetSpace::Registers
    }

    /// Fields that the kernels of these stages name, directly or through the library.
    pub fn fields(&self, stages: &[Stage]) -> BTreeSet<&'static str> {
        let mut used = BTreeSet::new();
        let mut calls = names(stages);
        if self.splits_solve() && stages.contains(&Stage::solve) {
            calls.extend(SPLIT_SOLVE);
        }
        let root = self.entry(&calls, 1);
        let note = |name: &str| {
            used.extend(access::parse(name).map(|a| a.field.name));
            None
        };
        let Ok(_) = self.library.link(&[root], note, identity);
        used
    }

    /// Fields that the kernel of a stage writes.
    pub fn writes(&self, stage: Stage) -> BTreeSet<&'static str> {
        let mut used = BTreeSet::new();
        let note = |name: &str| {
            used.extend(access::parse(name).filter(|a| a.set).map(|a| a.field.name));
            None
        };
        let Ok(_) = self.library.link(&[self.entry(&[stage.name()], 1)], note, identity);
        used
    }

    /// Fields that the kernel of a stage reads, or with `set` writes, in a step that resets no world.
    pub fn accesses(&self, stage: Stage, set: bool) -> BTreeSet<&'static str> {
        // nothing in the space of the function that resets: what it reaches is left out
        let reset = Item { name: "reset_world".into(), text: String::new() };
        let mut used = BTreeSet::new();
        let note = |name: &str| {
            used.extend(access::parse(name).filter(|a| a.set == set).map(|a| a.field.name));
            None
        };
        let Ok(_) = self.library.link(&[self.entry(&[stage.name()], 1), reset], note, identity);
        used
    }

    /// The functions that a group of stages runs, as dispatches with how often each is repeated.
    pub fn dispatches(&self, stages: &[Stage], model: &Model) -> Vec<(Vec<&'static str>, u32)> {
        // a solver that may iterate long is cut where the driver would cut it
        if self.splits_solve() && stages == [Stage::solve] {
            // the last only looks where the one before has led
            let count = |n: i32| u32::try_from(n).unwrap_or(0);
            let [first, next, noslip_first, noslip_next, last] = SPLIT_SOLVE.map(|name| vec![name]);
            let mut cut = vec![(first, 1), (next, count(model.opt_iterations[0]).saturating_add(1))];
            if model.opt_noslip_iterations[0] > 0 {
                cut.extend([(noslip_first, 1), (noslip_next, count(model.opt_noslip_iterations[0]))]);
            }
            if model.is_dual() {
                cut.push((last, 1));
            }
            return cut;
        }
        vec![(names(stages), 1)]
    }

    /// The module that runs `calls` one after the other, `steps` times, and its text.
    ///
    /// # Errors
    /// What naga says of the text, with the lines that it concerns: a defect of the kernels, not of the model.
    pub fn module(&self, calls: &[&str], steps: usize, layout: &Layout) -> Result<(naga::Module, String)> {
        let known = ModelConstants { composer: self, layout, register_access: RefCell::default() };
        let provide = |name: &str| {
            constant(name, self.tiling, layout)
                .or_else(|| access::enumeration(name))
                .or_else(|| access::size(layout, name))
                .or_else(|| access::working_set(layout, name))
                .or_else(|| access::parse(name).and_then(|a| access::text(a, name, layout)))
        };
        let write = |text: &str| match self.tiling.placement {
            WorkingSetSpace::Registers => unroll(text, &known),
            _ => Ok(text.to_string()),
        };
        let text = self.library.link(&[self.entry(calls, steps)], provide, write)?;
        let fail = |what: String| Error::Device(format!("kernel {}: {what}", calls.join("+")));
        let module = naga::front::wgsl::parse_str(&text).map_err(|e| fail(e.emit_to_string(&text)))?;
        let (flags, caps) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
        naga::valid::Validator::new(flags, caps)
            .validate(&module)
            .map_err(|e| fail(e.emit_to_string(&text)))?;
        Ok((module, text))
    }

    /// The entry point: calls in order, `steps` times, synchronised in between.
    fn entry(&self, calls: &[&str], steps: usize) -> Item {
        let size = self.tiling.lanes * self.tiling.tile;
        let calls: Vec<String> = calls.iter().map(|call| format!("    {call}();\n")).collect();
        let mut calls = calls.join("    sync();\n");
        if steps > 1 {
            calls =
                format!("    for (var turn = 0u; turn < {steps}u; turn++) {{\n{calls}    sync();\n    }}\n");
        }
        let text = format!(
            "@compute @workgroup_size({size})\nfn main(@builtin(workgroup_id) group: vec3u, \
             @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) index: u32) {{\n    \
             let tile_index = group.x + group.y * groups.x;\n    \
             if (tile_index * stride_f * tile >= arrayLength(&data_f)) {{\n        return;\n    }}\n    \
             init_invocation(tile_index, index);\n{}    check_loop_limit();\n}}",
            calls
        );
        Item { name: "main".into(), text }
    }
}

/// What is known of a model when the loops of its kernels are written out.
struct ModelConstants<'a> {
    composer: &'a Composer,
    layout: &'a Layout,
    /// Whether functions touch registers, as far as it was asked for.
    register_access: RefCell<BTreeMap<String, bool>>,
}

impl Known for ModelConstants<'_> {
    fn integer(&self, name: &str, arguments: &[i64]) -> Option<ConstInt> {
        let unsigned =
            |value: usize| i64::try_from(value).ok().map(|value| ConstInt { value, signed: false });
        match arguments {
            [] => {
                let size = Size::ALL.iter().find(|s| s.name() == name);
                match name {
                    "lane" => unsigned(0),
                    "lanes" => unsigned(1),
                    _ if size.is_some() => size.and_then(|s| unsigned(self.layout.sizes.get(*s))),
                    _ => {
                        if let Some(value) = enums::constant(name) {
                            return Some(ConstInt { value: i64::from(value), signed: true });
                        }
                        let text = self.composer.library.constant(name)?;
                        let value = text.trim_end_matches(['u', 'i']).parse().ok()?;
                        Some(ConstInt { value, signed: !text.ends_with('u') })
                    }
                }
            }
            [index] => {
                // a table of the model that is the same for all worlds
                let shared = self.layout.slot(name).is_some_and(|s| s.space == AddressSpace::Model);
                let entry = self.composer.tables.get(name).filter(|_| shared);
                if let Some(value) = entry.and_then(|t| t.get(usize::try_from(*index).ok()?)) {
                    return Some(ConstInt { value: i64::from(*value), signed: true });
                }
                let (parameter, formula) = self.composer.library.pure_function(name)?;
                evaluate(formula, parameter, *index, self)
            }
            _ => None,
        }
    }

    fn element(&self, name: &str, index: i64) -> Option<Element> {
        let access = access::parse(name).filter(|a| a.row == ValueType::Scalar)?;
        let slot = self.layout.slot(access.field.name)?;
        // a number of the model that is the same for all worlds
        if slot.space == AddressSpace::Model && !access.set {
            let value = self.composer.reals.get(access.field.name)?.get(usize::try_from(index).ok()?)?;
            return Some(Element::Value(access::real(*value)));
        }
        let index =
            usize::try_from(index).ok().filter(|i| slot.space == AddressSpace::Register && *i < slot.len)?;
        Some(Element::Register(access::register(access.field.name, index)))
    }

    fn accesses(&self, name: &str) -> bool {
        if let Some(known) = self.register_access.borrow().get(name) {
            return *known;
        }
        let mut found = false;
        let note = |word: &str| {
            let slot = access::parse(word).and_then(|a| self.layout.slot(a.field.name));
            found |= slot.is_some_and(|s| s.space == AddressSpace::Register);
            None
        };
        // accessors are no functions that control passes to
        if access::parse(name).is_none() {
            let root = Item { name: String::new(), text: format!("{name}()") };
            let Ok(_) = self.composer.library.link(&[root], note, identity);
        }
        self.register_access.borrow_mut().insert(name.to_string(), found);
        found
    }
}

/// Numbers of the model that loops which are written out may ask for: integers and reals.
fn numbers(model: &Model) -> (Tables<i32>, Tables<f64>) {
    let (mut tables, mut reals) = (BTreeMap::new(), BTreeMap::new());
    for field in Model::<f64>::FIELDS {
        match model.get(field.name) {
            Some(Values::Int(v)) => drop(tables.insert(field.name, v.to_vec())),
            Some(Values::Real(v)) => drop(reals.insert(field.name, v.to_vec())),
            None => {}
        }
    }
    (tables, reals)
}

/// Names of fields that the directives of a kernel list.
fn fields_of_directive(source: &'static str, mark: &str) -> Vec<&'static str> {
    let lines = source.lines().filter_map(|l| l.trim().strip_prefix(mark));
    lines.flat_map(str::split_whitespace).collect()
}

fn names(stages: &[Stage]) -> Vec<&'static str> {
    stages.iter().map(|s| s.name()).collect()
}

/// Constants of a module that are not sizes of the model.
fn constant(name: &str, tiling: Tiling, layout: &Layout) -> Option<String> {
    let value = match name {
        "lanes" => tiling.lanes,
        "tile" => tiling.tile,
        "group_size" => tiling.lanes * tiling.tile,
        "partial_count" => 32 * tiling.tile,
        "stride_f" => layout.stride_f,
        "stride_i" => layout.stride_i,
        _ => return None,
    };
    Some(format!("const {name}: u32 = {value}u;"))
}

/// Which optional blocks of the kernels a model needs.
fn flags(model: &Model, tiling: Tiling) -> BTreeMap<&'static str, bool> {
    let s = &model.sizes;
    let has_joint = |t: i32| model.jnt_type.contains(&t);
    let moves = |kinds: &[i32], kind: i32| kinds.contains(&kind);
    let kind = |g: i32| usize::try_from(g).map_or(-1, |g| model.geom_type[g]);
    let ends = model.candidate_geom1.iter().zip(&model.candidate_geom2);
    let met: BTreeSet<(i32, i32)> = ends.map(|(g1, g2)| (kind(*g1), kind(*g2))).collect();
    let collides = |a: i32, b: i32| met.contains(&(a, b));
    let has_sensors = |block: &str| plan::has_sensors(model, |rule| rule.block == block);
    let sensed: BTreeSet<(i32, i32)> = if has_sensors("DISTANCE_SENSOR") {
        sensed_pairs(model).map(|(g1, g2)| (model.geom_type[g1], model.geom_type[g2])).collect()
    } else {
        BTreeSet::new()
    };
    let pair = |a: i32, b: i32| collides(a, b) || sensed.contains(&(a, b));
    let hfield = (geom::SPHERE..=geom::MESH).any(|kind| collides(geom::HFIELD, kind));
    let hull = hfield || (geom::PLANE..=geom::MESH).any(|kind| pair(kind, geom::MESH));
    let on = |bit: i32| !model.disabled(bit) && !model.disabled(disable::CONSTRAINT);
    let some = |v: &[f64]| v.iter().any(|x| *x != 0.0);
    let limited = |v: &[i32]| v.iter().any(|x| *x != 0);
    let equal = on(disable::EQUALITY) && s.neq > 0;
    let ties = |kinds: &[i32]| model.eq_type.iter().any(|kind| kinds.contains(kind));
    let elliptic = model.opt_cone[0] == cone::ELLIPTIC && on(disable::CONTACT) && s.ncandidate > 0;
    let friction =
        on(disable::FRICTIONLOSS) && (some(&model.dof_frictionloss) || some(&model.tendon_frictionloss));
    let passive = !model.disabled(disable::SPRING) || !model.disabled(disable::DAMPER);
    let spatial = model.wrap_type.contains(&wrap::SITE);
    let heavy = some(&model.tendon_armature) || model.tendon_actuatorid.iter().any(|id| *id != -1);
    let shaped = |kind: i32| has_sensors("RANGEFINDER") && model.geom_type.contains(&kind);
    let overridden = model.enabled(enable::OVERRIDE);
    let reflected_inertia = model.jnt_actuatorid.iter().chain(&model.tendon_actuatorid).any(|id| *id != -1);
    let mut flags = BTreeMap::from([
        ("LANES", tiling.lanes > 1),
        ("REGISTERS", tiling.placement == WorkingSetSpace::Registers),
        (
            "BODY_PAIRS",
            tiling.placement != WorkingSetSpace::Registers
                && !overridden
                && model.bodypair_body.iter().any(|b| *b >= 0),
        ),
        ("LOCAL_WORKING_SET", tiling.placement != WorkingSetSpace::Storage),
        ("SPARSE", tiling.placement != WorkingSetSpace::Registers && s.ntree > 1),
        ("SPLIT_SOLVE", true),
        ("LOOP_LIMIT", true),
        ("FREE", has_joint(joint::FREE)),
        ("BALL", has_joint(joint::BALL)),
        ("SLIDE", has_joint(joint::SLIDE)),
        ("HINGE", has_joint(joint::HINGE)),
        ("MOCAP", s.nmocap > 0),
        ("TENDON", s.ntendon > 0),
        ("SPATIAL_TENDON", spatial),
        ("TENDON_ARMATURE", spatial && heavy),
        ("WRAP", model.wrap_type.iter().any(|w| [wrap::SPHERE, wrap::CYLINDER].contains(w))),
        ("CONTACT", on(disable::CONTACT) && s.ncandidate > 0),
        ("PAIR", s.npair > 0),
        ("OVERRIDE", overridden),
        ("PAIR_MARGINS", s.npair > 0 || overridden),
        ("PLANE_SPHERE", pair(geom::PLANE, geom::SPHERE)),
        ("PLANE_CAPSULE", pair(geom::PLANE, geom::CAPSULE)),
        ("PLANE_ELLIPSOID", pair(geom::PLANE, geom::ELLIPSOID)),
        ("PLANE_CYLINDER", pair(geom::PLANE, geom::CYLINDER)),
        ("PLANE_BOX", pair(geom::PLANE, geom::BOX)),
        ("SPHERE_SPHERE", pair(geom::SPHERE, geom::SPHERE)),
        ("SPHERE_CAPSULE", pair(geom::SPHERE, geom::CAPSULE)),
        ("SPHERE_CYLINDER", pair(geom::SPHERE, geom::CYLINDER)),
        ("SPHERE_BOX", pair(geom::SPHERE, geom::BOX)),
        ("CAPSULE_CAPSULE", pair(geom::CAPSULE, geom::CAPSULE)),
        ("CAPSULE_BOX", pair(geom::CAPSULE, geom::BOX)),
        ("PLANE_MESH", pair(geom::PLANE, geom::MESH)),
        ("POLYTOPE", hull),
        ("HFIELD", hfield),
        ("BOX_BOX", collides(geom::BOX, geom::BOX)),
        ("PRIMITIVE_PAIRS", met.iter().any(|p| p.0 != geom::HFIELD && !CONVEX.contains(p))),
        ("CONVEX", hfield || CONVEX.iter().any(|(a, b)| collides(*a, *b))),
        ("CONVEX_DISTANCE", sensed.iter().any(|p| CONVEX.contains(p) || *p == (geom::BOX, geom::BOX))),
        ("MULTICCD", !model.disabled(disable::MULTICCD)),
        ("SURFACE_VELOCITY", some(&model.geom_surfacevel) && on(disable::CONTACT) && s.ncandidate > 0),
        ("SLEEP", model.has_sleep()),
        ("ADHESION", model.has_adhesion()),
        ("PASSIVE_ADHESION", model.has_adhesion() && passive),
        ("ELLIPTIC", elliptic),
        ("CG", model.opt_solver[0] == solver::CG),
        ("PGS", model.opt_solver[0] == solver::PGS),
        ("NOSLIP", model.opt_noslip_iterations[0] > 0),
        ("DUAL", model.is_dual()),
        ("DUAL_PYRAMIDAL", model.is_dual() && on(disable::CONTACT) && s.ncandidate > 0),
        ("DUAL_ELLIPTIC", model.is_dual() && elliptic),
        ("EQUALITY", equal),
        ("CONNECT_WELD", equal && ties(&[equality::CONNECT, equality::WELD])),
        ("EQUALITY_SITES", equal && model.eq_objtype.contains(&object::SITE)),
        ("TENDON_EQUALITY", equal && ties(&[equality::TENDON])),
        ("LIMIT", on(disable::LIMIT) && limited(&model.jnt_limited)),
        ("TENDON_LIMIT", on(disable::LIMIT) && limited(&model.tendon_limited)),
        ("FRICTIONLOSS", on(disable::FRICTIONLOSS) && some(&model.dof_frictionloss)),
        ("TENDON_FRICTIONLOSS", on(disable::FRICTIONLOSS) && some(&model.tendon_frictionloss)),
        ("REFLECTED_INERTIA", reflected_inertia),
        ("FRICTION", friction),
        ("GRAVCOMP", passive && !model.disabled(disable::GRAVITY) && some(&model.body_gravcomp)),
        ("SPRING", !model.disabled(disable::SPRING)),
        ("DAMPER", !model.disabled(disable::DAMPER)),
        ("INVDISCRETE", model.enabled(enable::INVDISCRETE)),
        ("ACTUATION", s.nactuator > 0 && !model.disabled(disable::ACTUATION)),
        ("ACTIVATION", s.na > 0 && !model.disabled(disable::ACTUATION)),
        (
            "MUSCLE",
            moves(&model.actuator_gaintype, gain::MUSCLE)
                || moves(&model.actuator_biastype, bias::MUSCLE)
                || moves(&model.actuator_dyntype, dynamics::MUSCLE),
        ),
        ("PID", moves(&model.actuator_gaintype, gain::PID)),
        ("SO3", moves(&model.actuator_gaintype, gain::SO3)),
        ("HISTORY", s.nhistory > 0),
        ("DCMOTOR", moves(&model.actuator_gaintype, gain::DCMOTOR)),
        ("ORIENTATION", has_joint(joint::BALL) || moves(&model.actuator_trntype, transmission::SITE)),
        ("ENERGY", plan::needs_energy(model)),
        ("CAMERA_SENSOR", plan::has_camera_sensors(model) && plan::has_sensors(model, |_| true)),
        ("FORCE_SENSOR", plan::senses_view(model, Stage::rne_post)),
        ("RAY_MESH", shaped(geom::MESH)),
        ("RAY_HFIELD", shaped(geom::HFIELD)),
        ("TRN_SLIDERCRANK", moves(&model.actuator_trntype, transmission::SLIDERCRANK)),
        ("TRN_SITE", moves(&model.actuator_trntype, transmission::SITE)),
        ("TRN_BODY", moves(&model.actuator_trntype, transmission::BODY)),
        ("FLUID", has_fluid(model)),
        ("DERIVATIVE", plan::is_implicit(model)),
        ("IMPLICIT", model.opt_integrator[0] == integrator::IMPLICIT),
        ("IMPLICITFAST", model.opt_integrator[0] == integrator::IMPLICITFAST),
        (
            "SINGLE_FREE_BODY",
            model.opt_integrator[0] == integrator::IMPLICITFAST
                && (0..s.ntree).any(|t| is_single_free_body(model, t as i32)),
        ),
        (
            "EULERDAMP",
            !model.disabled(disable::EULERDAMP)
                && !model.disabled(disable::DAMPER)
                && (some(&model.dof_damping) || some(&model.dof_dampingpoly) || reflected_inertia),
        ),
    ]);
    // a block for each group of sensors, but that of cameras, which other sensors need too
    for rule in SENSORS.iter().filter(|rule| !rule.block.is_empty() && rule.block != "CAMERA_SENSOR") {
        flags.insert(rule.block, has_sensors(rule.block));
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Size, Sizes};

    /// A model in which every size is 2 and every optional block is needed, those of other solvers aside.
    fn everything(lanes: usize, placement: WorkingSetSpace) -> (Composer, Layout) {
        with_solver(lanes, placement, &[])
    }

    /// Blocks of solvers.
    const SOLVERS: [&str; 6] = ["CG", "PGS", "NOSLIP", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"];

    /// The same with blocks of another solver.
    fn with_solver(lanes: usize, placement: WorkingSetSpace, solver: &[&str]) -> (Composer, Layout) {
        let mut sizes = Sizes::default();
        for size in Size::ALL {
            *sizes.get_mut(*size) = 2;
        }
        *sizes.get_mut(Size::nH) = 3;
        let mut model = Model::<f64>::zeroed(sizes);
        // a diagonal inertia matrix
        (model.M_rowadr, model.M_rownnz, model.M_colind) = (vec![0, 1], vec![1, 1], vec![0, 1]);
        (model.F_rowadr, model.F_rownnz, model.F_colind) = (vec![0, 1], vec![1, 1], vec![0, 1]);
        (model.D_rowadr, model.D_rownnz, model.D_colind) = (vec![0, 1], vec![1, 1], vec![0, 1]);
        let tiling = Tiling { lanes, tile: 4, placement };
        let exclusive = |k: &str| {
            (k == "LANES" && lanes == 1)
                || (k == "REGISTERS" && placement != WorkingSetSpace::Registers)
                || (["SPARSE", "BODY_PAIRS"].contains(&k) && placement == WorkingSetSpace::Registers)
                || (k == "LOCAL_WORKING_SET" && placement == WorkingSetSpace::Storage)
                || (SOLVERS.contains(&k) && !solver.contains(&k))
        };
        let on = flags(&model, tiling).into_keys().map(|k| (k, !exclusive(k))).collect();
        let (tables, reals) = numbers(&model);
        let composer = Composer {
            tables,
            reals,
            limited: true,
            ..Composer::with_flags(&on, tiling).expect("well-formed blocks")
        };
        let used = composer.fields(Stage::ALL);
        let working_set = composer.working_set(&sizes, 1 << 14);
        let layout = Layout::new(&model, sizes, tiling.tile, &used, &BTreeSet::new(), &working_set);
        (composer, layout)
    }

    #[test]
    fn every_kernel_is_valid_alone_and_together() {
        for (lanes, placement) in [
            (1, WorkingSetSpace::Storage),
            (1, WorkingSetSpace::Registers),
            (8, WorkingSetSpace::Storage),
            (8, WorkingSetSpace::Workgroup),
        ] {
            let (composer, layout) = everything(lanes, placement);
            let cut = if composer.splits_solve() { &SPLIT_SOLVE[..2] } else { &[] };
            for name in names(Stage::ALL).iter().chain(cut) {
                let made = composer.module(&[name], 1, &layout);
                assert!(made.is_ok(), "{}", made.err().map(|e| e.to_string()).unwrap_or_default());
            }
            for (steps, layout) in [(1, &layout), (8, &composer.transient(&layout, 1 << 15))] {
                let all = composer.module(&names(Stage::ALL), steps, layout);
                assert!(all.is_ok(), "{}", all.err().map(|e| e.to_string()).unwrap_or_default());
            }
        }
    }

    #[test]
    fn functions_that_reach_registers_are_known() {
        let (composer, layout) = with_solver(1, WorkingSetSpace::Registers, &["PGS", "DUAL"]);
        let known =
            ModelConstants { composer: &composer, layout: &layout, register_access: RefCell::default() };
        assert!(known.accesses("set_residuals") && known.accesses("pgs_warmstart"));
        assert!(!known.accesses("friction_kind") && !known.accesses("nowhere"));
    }

    #[test]
    fn every_solver_is_valid() {
        for solver in [
            &["CG"][..],
            &["CG", "NOSLIP", "DUAL", "DUAL_PYRAMIDAL"],
            &["PGS", "DUAL"],
            &["PGS", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"],
            &["NOSLIP", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"],
        ] {
            for (lanes, placement) in [
                (1, WorkingSetSpace::Storage),
                (1, WorkingSetSpace::Registers),
                (8, WorkingSetSpace::Workgroup),
            ] {
                let (composer, layout) = with_solver(lanes, placement, solver);
                let mut calls = vec!["solve"];
                if composer.splits_solve() {
                    calls.extend(&SPLIT_SOLVE[..2]);
                    calls.extend(
                        solver.contains(&"NOSLIP").then_some(&SPLIT_SOLVE[2..4]).into_iter().flatten(),
                    );
                    calls.extend(solver.contains(&"DUAL").then_some(SPLIT_SOLVE[4]));
                }
                for name in calls {
                    let made = composer.module(&[name], 1, &layout);
                    let error = made.err().map(|e| e.to_string()).unwrap_or_default();
                    assert!(error.is_empty(), "{solver:?} {name}: {error}");
                }
            }
        }
    }

    #[test]
    fn transient_fields_are_results_that_fit() {
        let (composer, layout) = everything(8, WorkingSetSpace::Workgroup);
        let transient =
            composer.transient(&layout, 2 * layout.workgroup_bytes() + composer.reduction_bytes());
        assert!(transient.workgroup_bytes() > layout.workgroup_bytes());
        assert!(transient.workgroup_bytes() <= 2 * layout.workgroup_bytes());
        // what a step starts from is never transient
        for name in &composer.transient {
            let field = crate::model::data::Data::<f64>::FIELDS.iter().find(|f| f.name == *name);
            assert!(field.is_some_and(|f| f.stage != "state"), "{name}");
        }
    }

    #[test]
    fn kernels_write_the_fields_of_their_stage() {
        let (composer, _) = everything(1, WorkingSetSpace::Storage);
        for stage in Stage::ALL {
            let writes = composer.writes(*stage);
            let owned = crate::model::data::Data::<f64>::FIELDS.iter().filter(|f| f.is_of(*stage));
            for field in owned {
                assert!(writes.contains(field.name), "{} does not write {}", stage.name(), field.name);
            }
            for name in writes {
                let of = crate::model::data::Data::<f64>::FIELDS.iter().find(|f| f.name == name);
                assert!(
                    of.is_some_and(|f| f.is_of(*stage) || matches!(f.stage, "state" | "scratch"))
                        // inverse dynamics says what forward dynamics would
                        || (matches!(stage, Stage::inverse | Stage::fwdinv)
                            && of.is_some_and(|f| f.is_of(Stage::solve) || f.is_of(Stage::implicit)))
                        || (*stage == Stage::fwdinv && of.is_some_and(|f| f.is_of(Stage::inverse)))
                        // what falls asleep is relocated by nothing
                        || (*stage == Stage::sleep
                            && of.is_some_and(|f| f.is_of(Stage::solve) || f.is_of(Stage::acceleration))),
                    "{} writes {name}, a field of {:?}",
                    stage.name(),
                    of.map(|f| f.stage)
                );
            }
        }
    }
}
