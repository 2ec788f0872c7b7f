//! Kernels for one model: stages grouped into modules, each linked from the shared WGSL and validated.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::gpu::access;
use crate::gpu::layout::Layout;
use crate::gpu::link::{Item, Library, preprocess};
use crate::model::{Model, disable, geom, joint};
use crate::stages::{Stage, stage_table};

/// The shared library.
const SHADERS: &[(&str, &str)] = &[
    ("group", include_str!("../../shaders/group.wgsl")),
    ("enums", include_str!("../../shaders/enums.wgsl")),
    ("trig", include_str!("../../shaders/trig.wgsl")),
    ("math", include_str!("../../shaders/math.wgsl")),
    ("spatial", include_str!("../../shaders/spatial.wgsl")),
    ("dynamics", include_str!("../../shaders/dynamics.wgsl")),
    ("reflected", include_str!("../../shaders/reflected.wgsl")),
    ("springs", include_str!("../../shaders/springs.wgsl")),
    ("geometry", include_str!("../../shaders/geometry.wgsl")),
];

macro_rules! kernel_sources {
    ($($name:ident $group:ident $doc:literal;)*) => {
        /// The kernel of each stage, in order.
        const KERNELS: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("../../kernels/", stringify!($name), ".wgsl"))),)*];
    };
}
stage_table!(kernel_sources);

/// How worlds are spread over invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Lanes per world, a power of two.
    pub lanes: usize,
    /// Worlds per workgroup, side by side in memory.
    pub tile: usize,
}

/// Everything that the text of a kernel depends on.
#[derive(Debug)]
pub struct Composer {
    library: Library,
    shape: Shape,
    limited: bool,
}

impl Composer {
    /// Reads the library and all kernels with the blocks that `model` needs.
    ///
    /// # Errors
    /// A malformed block in a WGSL file, by name.
    ///
    /// `limited`: the driver ends loops early and in silence, so that kernels have to look for it.
    pub fn new(model: &Model, shape: Shape, limited: bool) -> Result<Self> {
        let mut flags = flags(model, shape);
        flags.insert("LOOP_LIMIT", limited);
        Ok(Self { limited, ..Self::with_flags(&flags, shape)? })
    }

    fn with_flags(flags: &BTreeMap<&'static str, bool>, shape: Shape) -> Result<Self> {
        let mut library = Library::default();
        for (name, source) in SHADERS.iter().chain(KERNELS) {
            let text = preprocess(source, flags).map_err(|e| Error::Device(format!("{name}.wgsl: {e}")))?;
            library.add(&text);
        }
        Ok(Self { library, shape, limited: false })
    }

    /// Fields that the kernels of these stages name, directly or through the library.
    pub fn fields(&self, stages: &[Stage]) -> BTreeSet<&'static str> {
        let mut used = BTreeSet::new();
        let root = self.entry(&names(stages));
        self.library.link(&[root], |name| {
            used.extend(access::parse(name).map(|a| a.field.name));
            None
        });
        used
    }

    /// Fields that the kernel of a stage writes.
    pub fn writes(&self, stage: Stage) -> BTreeSet<&'static str> {
        let mut used = BTreeSet::new();
        self.library.link(&[self.entry(&[stage.name()])], |name| {
            used.extend(access::parse(name).filter(|a| a.set).map(|a| a.field.name));
            None
        });
        used
    }

    /// Fields that the kernel of a stage reads, or with `set` writes, in a step that resets no world.
    pub fn touches(&self, stage: Stage, set: bool) -> BTreeSet<&'static str> {
        // nothing in the place of the function that resets: what it reaches is left out
        let reset = Item { name: "reset_world".into(), text: String::new() };
        let mut used = BTreeSet::new();
        self.library.link(&[self.entry(&[stage.name()]), reset], |name| {
            used.extend(access::parse(name).filter(|a| a.set == set).map(|a| a.field.name));
            None
        });
        used
    }

    /// The functions that a group of stages runs, as dispatches with how often each is repeated.
    pub fn dispatches(&self, stages: &[Stage], model: &Model) -> Vec<(Vec<&'static str>, u32)> {
        // a solver that may iterate long is cut where the driver would cut it
        if self.limited && stages == [Stage::solve] {
            let most = u32::try_from(model.opt_iterations[0]).unwrap_or(0);
            return vec![(vec!["solve_first"], 1), (vec!["solve_next"], most)];
        }
        vec![(names(stages), 1)]
    }

    /// The module that runs `calls` one after the other, and its text.
    ///
    /// # Errors
    /// What naga says of the text, with the lines that it concerns: a defect of the kernels, not of the model.
    pub fn module(&self, calls: &[&str], layout: &Layout) -> Result<(naga::Module, String)> {
        let text = self.library.link(&[self.entry(calls)], |name| {
            constant(name, self.shape, layout)
                .or_else(|| access::size(layout, name))
                .or_else(|| access::parse(name).and_then(|a| access::text(a, name, layout)))
        });
        let fail = |what: String| Error::Device(format!("kernel {}: {what}", calls.join("+")));
        let module = naga::front::wgsl::parse_str(&text).map_err(|e| fail(e.emit_to_string(&text)))?;
        let (flags, caps) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
        naga::valid::Validator::new(flags, caps)
            .validate(&module)
            .map_err(|e| fail(e.emit_to_string(&text)))?;
        Ok((module, text))
    }

    /// The entry point: calls in order, synchronised in between.
    fn entry(&self, calls: &[&str]) -> Item {
        let size = self.shape.lanes * self.shape.tile;
        let calls: Vec<String> = calls.iter().map(|call| format!("    {call}();\n")).collect();
        let text = format!(
            "@compute @workgroup_size({size})\nfn main(@builtin(workgroup_id) group: vec3u, \
             @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) index: u32) {{\n    \
             let tile_index = group.x + group.y * groups.x;\n    \
             if (tile_index * stride_f * tile >= arrayLength(&data_f)) {{\n        return;\n    }}\n    \
             enter(tile_index, index);\n{}    check_loops();\n}}",
            calls.join("    sync();\n")
        );
        Item { name: "main".into(), text }
    }
}

fn names(stages: &[Stage]) -> Vec<&'static str> {
    stages.iter().map(|s| s.name()).collect()
}

/// Constants of a module that are not sizes of the model.
fn constant(name: &str, shape: Shape, layout: &Layout) -> Option<String> {
    let value = match name {
        "lanes" => shape.lanes,
        "tile" => shape.tile,
        "group_size" => shape.lanes * shape.tile,
        "part_count" => 32 * shape.tile,
        "stride_f" => layout.stride_f,
        "stride_i" => layout.stride_i,
        _ => return None,
    };
    Some(format!("const {name}: u32 = {value}u;"))
}

/// Which optional blocks of the kernels a model needs.
fn flags(model: &Model, shape: Shape) -> BTreeMap<&'static str, bool> {
    let s = &model.sizes;
    let has_joint = |t: i32| model.jnt_type.contains(&t);
    let pair = |a: i32, b: i32| {
        (0..s.ncandidate).any(|c| {
            let kind = |g: i32| usize::try_from(g).map_or(-1, |g| model.geom_type[g]);
            (kind(model.candidate_geom1[c]), kind(model.candidate_geom2[c])) == (a, b)
        })
    };
    let on = |bit: i32| !model.disabled(bit) && !model.disabled(disable::CONSTRAINT);
    let some = |v: &[f64]| v.iter().any(|x| *x != 0.0);
    let limited = |v: &[i32]| v.iter().any(|x| *x != 0);
    let friction =
        on(disable::FRICTIONLOSS) && (some(&model.dof_frictionloss) || some(&model.tendon_frictionloss));
    let passive = !model.disabled(disable::SPRING) || !model.disabled(disable::DAMPER);
    let reflected = model.jnt_actuatorid.iter().chain(&model.tendon_actuatorid).any(|id| *id != -1);
    BTreeMap::from([
        ("LANES", shape.lanes > 1),
        ("LOOP_LIMIT", true),
        ("FREE", has_joint(joint::FREE)),
        ("BALL", has_joint(joint::BALL)),
        ("SLIDE", has_joint(joint::SLIDE)),
        ("HINGE", has_joint(joint::HINGE)),
        ("MOCAP", s.nmocap > 0),
        ("TENDON", s.ntendon > 0),
        ("CONTACT", on(disable::CONTACT) && s.ncandidate > 0),
        ("PAIR", s.npair > 0),
        ("PLANE_SPHERE", pair(geom::PLANE, geom::SPHERE)),
        ("PLANE_CAPSULE", pair(geom::PLANE, geom::CAPSULE)),
        ("PLANE_BOX", pair(geom::PLANE, geom::BOX)),
        ("SPHERE_SPHERE", pair(geom::SPHERE, geom::SPHERE)),
        ("SPHERE_CAPSULE", pair(geom::SPHERE, geom::CAPSULE)),
        ("CAPSULE_CAPSULE", pair(geom::CAPSULE, geom::CAPSULE)),
        ("LIMIT", on(disable::LIMIT) && limited(&model.jnt_limited)),
        ("TENDON_LIMIT", on(disable::LIMIT) && limited(&model.tendon_limited)),
        ("FRICTIONLOSS", on(disable::FRICTIONLOSS) && some(&model.dof_frictionloss)),
        ("TENDON_FRICTIONLOSS", on(disable::FRICTIONLOSS) && some(&model.tendon_frictionloss)),
        ("REFLECTED", reflected),
        ("FRICTION", friction),
        ("GRAVCOMP", passive && !model.disabled(disable::GRAVITY) && some(&model.body_gravcomp)),
        ("SPRING", !model.disabled(disable::SPRING)),
        ("DAMPER", !model.disabled(disable::DAMPER)),
        ("ACTUATION", s.nactuator > 0 && !model.disabled(disable::ACTUATION)),
        (
            "EULERDAMP",
            !model.disabled(disable::EULERDAMP)
                && !model.disabled(disable::DAMPER)
                && (some(&model.dof_damping) || some(&model.dof_dampingpoly) || reflected),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{Size, Sizes};

    /// A model in which every size is 2 and every optional block is needed.
    fn everything(lanes: usize) -> (Composer, Layout) {
        let mut sizes = Sizes::default();
        for size in Size::ALL {
            *sizes.get_mut(*size) = 2;
        }
        let model = Model::<f64>::zeroed(sizes);
        let shape = Shape { lanes, tile: 4 };
        let on = flags(&model, shape).into_keys().map(|k| (k, k != "LANES" || lanes > 1)).collect();
        let composer = Composer::with_flags(&on, shape).expect("well-formed blocks");
        let used = composer.fields(Stage::ALL);
        let layout = Layout::new(&model, sizes, shape.tile, &used, &BTreeSet::new());
        (composer, layout)
    }

    #[test]
    fn every_kernel_is_valid_alone_and_together() {
        for lanes in [1, 8] {
            let (composer, layout) = everything(lanes);
            for stage in Stage::ALL {
                let made = composer.module(&[stage.name()], &layout);
                assert!(made.is_ok(), "{}", made.err().map(|e| e.to_string()).unwrap_or_default());
            }
            let all = composer.module(&names(Stage::ALL), &layout);
            assert!(all.is_ok(), "{}", all.err().map(|e| e.to_string()).unwrap_or_default());
        }
    }

    #[test]
    fn kernels_write_the_fields_of_their_stage() {
        let (composer, _) = everything(1);
        for stage in Stage::ALL {
            let writes = composer.writes(*stage);
            let owned = crate::data::Data::<f64>::FIELDS.iter().filter(|f| f.stage == stage.name());
            for field in owned {
                assert!(writes.contains(field.name), "{} does not write {}", stage.name(), field.name);
            }
            for name in writes {
                let of = crate::data::Data::<f64>::FIELDS.iter().find(|f| f.name == name).map(|f| f.stage);
                assert!(
                    of == Some(stage.name()) || matches!(of, Some("state" | "scratch")),
                    "{} writes {name}, a field of {of:?}",
                    stage.name()
                );
            }
        }
    }
}
