//! Kernels of one model: stages grouped into modules, each linked from the shared WGSL and validated.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::access;
use super::conditions::preprocess;
use super::constants::{ModelConstants, Tables};
use super::flags::{self, Flags};
use super::items::Item;
use super::layout::Layout;
use super::link::{Library, identity};
use super::namespace::File;
use super::tiling::{HessianTiles, Tiling, WorkingSetSpace};
use super::unroll::unroll;
use super::{joints, narrow_phase, task};
use manyworlds_kernels::KERNELS;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::model::features::is_single_free_body;
use manyworlds_model::model::task::Program as TaskProgram;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::CELLS_SIDE;
use manyworlds_model::schema::shape_pairs::ShapePair;
use manyworlds_model::schema::stages::Stage;
use manyworlds_shaders::LIBRARY;

/// Entry functions of a split solver: the first dispatch, then one for each iteration; the same for noslip; the results of
/// the dual solver; and free bodies with the integrator discrete.
pub(super) const SPLIT_SOLVE: [&str; 6] =
    ["solve_first", "solve_next", "noslip_first", "noslip_next", "dual_last", "free_last"];

/// Everything on which the text of a kernel depends.
#[derive(Debug)]
pub struct Composer {
    library: Library,
    pub(super) tiling: Tiling,
    pub(super) tiles: HessianTiles,
    limited: bool,
    /// Shape pairs of the narrow phase.
    pairs: Vec<&'static ShapePair>,
    /// Most bodies that a side of a contact of a flex moves with.
    side_bodies: usize,
    tables: Tables,
    task: Option<Arc<TaskProgram>>,
    formulas: Option<Arc<TaskProgram>>,
    /// Names of the laws in code, whose texts the library has.
    leaves: Vec<String>,
}

impl Composer {
    /// Preprocesses the library and all kernels with the blocks that `model` needs.
    ///
    /// # Errors
    /// A malformed block in a WGSL file, by name.
    ///
    /// `limited`: the driver cuts long loops short without an error, so kernels must check for it.
    pub fn new(model: &Model, tiling: Tiling, limited: bool) -> Result<Self> {
        let mut flags = flags::flags(model, tiling);
        flags.insert("LOOP_LIMIT", limited);
        flags.insert("SPLIT_SOLVE", limited && tiling.placement != WorkingSetSpace::Registers);
        let mut library = library(&flags)?;
        for leaf in &model.leaves {
            let wrong = |why| Error::Argument(format!("leaf '{}': {why}", leaf.name()));
            library.add(&leaf_module(leaf.name()), leaf.wgsl()).map_err(wrong)?;
        }
        let leaves = model.leaves.iter().map(|leaf| leaf.name().to_owned()).collect();
        let (pairs, tables) = (flags::shape_pairs(model), Tables::new(model));
        let (tiles, task) = (HessianTiles::new(model), model.task.clone());
        let (formulas, side_bodies) = (model.formulas.clone(), flags::side_bodies(model));
        Ok(Self { library, tiling, tiles, limited, pairs, side_bodies, tables, task, formulas, leaves })
    }

    /// Lanes, worlds per group and placement.
    pub(crate) fn tiling(&self) -> Tiling {
        self.tiling
    }

    /// True if the solver, when alone in a group, runs in dispatches of one iteration.
    fn splits_solve(&self) -> bool {
        self.limited && self.tiling.placement != WorkingSetSpace::Registers
    }

    /// Fields named by the kernels of these stages, directly or through the library.
    pub fn fields(&self, stages: &[Stage]) -> BTreeSet<&'static str> {
        let mut calls = names(stages);
        if self.splits_solve() && stages.contains(&Stage::solve) {
            calls.extend(SPLIT_SOLVE);
        }
        self.named(&[self.entry(&calls, 1)], |_| true)
    }

    /// Fields that the kernel of a stage writes.
    pub fn writes(&self, stage: Stage) -> BTreeSet<&'static str> {
        self.named(&[self.entry(&[stage.name()], 1)], |set| set)
    }

    /// Fields that the kernel of a stage reads, or writes if `set`, in a step that resets no world.
    pub fn accesses(&self, stage: Stage, set: bool) -> BTreeSet<&'static str> {
        // an empty reset function excludes all items that only it reaches
        let reset = Item { name: "reset_world".into(), text: String::new() };
        self.named(&[self.entry(&[stage.name()], 1), reset], |writes| writes == set)
    }

    /// Fields named by the wanted accessors in the texts reached from `roots`.
    fn named(&self, roots: &[Item], wanted: impl Fn(bool) -> bool) -> BTreeSet<&'static str> {
        let mut used = BTreeSet::new();
        let note = |name: &str| {
            used.extend(access::parse(name).filter(|a| wanted(a.set)).map(|a| a.field.name));
            self.generated(name)
        };
        let Ok(_) = self.library.link(roots, note, identity);
        used
    }

    /// Text of a function that is written for the model.
    pub(super) fn generated(&self, name: &str) -> Option<String> {
        narrow_phase::function(name, &self.pairs)
            .or_else(|| joints::function(name))
            .or_else(|| task::function(name, self.task.as_deref(), self.formulas.as_deref()))
            .or_else(|| (name == "law_leaves").then(|| self.call_leaves()))
    }

    /// Calls of the laws in code, in their order.
    fn call_leaves(&self) -> String {
        let call = |name: &String| format!("    sync();\n    leaf_{name}::{name}();\n");
        format!("fn law_leaves() {{\n{}}}", self.leaves.iter().map(call).collect::<String>())
    }

    /// Functions of a group of stages, as dispatches with their repeat counts.
    pub fn dispatches(&self, stages: &[Stage], model: &Model) -> Vec<(Vec<&'static str>, u32)> {
        // a long solve is split where the driver would cut its loop
        if self.splits_solve() && stages == [Stage::solve] {
            // the last iteration only evaluates the previous step
            let count = |n: i32| u32::try_from(n).unwrap_or(0);
            let [first, next, noslip_first, noslip_next, last, free] = SPLIT_SOLVE.map(|name| vec![name]);
            let mut cut = vec![(first, 1)];
            if !model.is_smooth() {
                cut.push((next, count(model.opt_iterations[0]).saturating_add(1)));
            }
            if model.opt_noslip_iterations[0] > 0 {
                cut.extend([(noslip_first, 1), (noslip_next, count(model.opt_noslip_iterations[0]))]);
            }
            if model.is_dual() {
                cut.push((last, 1));
            }
            if model.is_discrete() && (0..model.sizes.ntree).any(|t| is_single_free_body(model, t as i32)) {
                cut.push((free, 1));
            }
            return cut;
        }
        vec![(names(stages), 1)]
    }

    /// The module that runs `calls` in order, `steps` times, and its text.
    ///
    /// # Errors
    /// The report of naga, with the lines concerned: a defect of the kernels, not of the model.
    pub fn module(&self, calls: &[&str], steps: usize, layout: &Layout) -> Result<(naga::Module, String)> {
        let text = self.text(calls, steps, layout)?;
        Ok((module_of(calls, &text)?, text))
    }

    /// The text of a module that runs `calls` in order, `steps` times.
    ///
    /// # Errors
    /// [`Error::Device`] for a call that no kernel defines.
    pub fn text(&self, calls: &[&str], steps: usize, layout: &Layout) -> Result<String> {
        // workgroup memory for what these kernels use
        let layout = &layout.compacted(&self.named(&[self.entry(calls, steps)], |_| true));
        let Tiling { lanes, .. } = self.tiling;
        let of_lane = [self.tiles.per_lane(lanes), layout.sizes.nv.div_ceil(lanes)];
        let known = ModelConstants::new(&self.library, &self.tables, layout, of_lane);
        let provide = |name: &str| self.provided(name, layout);
        let write = |text: &str| match self.tiling.placement {
            WorkingSetSpace::Registers | WorkingSetSpace::Tiles => {
                unroll(&self.library.fold_constant_calls(text), &known)
            }
            _ => Ok(text.to_string()),
        };
        self.library.link(&[self.entry(calls, steps)], provide, write)
    }

    /// Text of what no file defines: constants, functions that are written for the model, accessors of fields.
    pub(super) fn provided(&self, name: &str, layout: &Layout) -> Option<String> {
        self.constant(name, layout)
            .or_else(|| self.generated(name))
            .or_else(|| access::enumeration(name))
            .or_else(|| access::size(layout, name))
            .or_else(|| access::working_set(layout, name))
            .or_else(|| access::parse(name).and_then(|a| access::text(a, name, layout)))
    }

    /// The library and all kernels, preprocessed.
    pub(super) fn library(&self) -> &Library {
        &self.library
    }

    /// Constants of a module other than model sizes.
    fn constant(&self, name: &str, layout: &Layout) -> Option<String> {
        let (Tiling { lanes, tile: worlds, placement }, tiles) = (self.tiling, &self.tiles);
        let value = match name {
            "MINVAL" => return Some(format!("const MINVAL: f32 = {MINVAL:e};")),
            "lanes" => lanes,
            "worlds_per_group" => worlds,
            "group_size" => lanes * worlds,
            "partial_totals" => 4 * worlds,
            "tile_rows" => tiles.rows,
            "tile_rows_length" => worlds * tiles.rows,
            "tile_count" => tiles.count(),
            "tile_count_length" => worlds * tiles.count(),
            "near_tiles" => tiles.near(),
            "near_tiles_length" => worlds * tiles.near(),
            "tiles_per_lane" => tiles.per_lane(lanes),
            "tile_vectors" => 4 * tiles.per_lane(lanes),
            "rows_per_lane" => layout.sizes.nv.div_ceil(lanes).max(1),
            "cone_rows" => tiles.cone_rows,
            "sliding_at_once" => tiles.sliding_at_once(),
            "sliding_length" => worlds * tiles.sliding_at_once(),
            "sliding_rows_length" => worlds * tiles.sliding_at_once() * tiles.cone_rows * tiles.rows,
            "inertia_tiles" => tiles.of_tree,
            "inertia_length" => worlds * layout.sizes.nv,
            "tree_length" => worlds * layout.sizes.ntree,
            "rows_per_bit" => tiles.rows_per_bit(placement, layout.sizes.njmax),
            "row_words" => tiles.row_words(placement, layout.sizes.njmax),
            "row_words_length" => worlds * tiles.row_words(placement, layout.sizes.njmax),
            "side_bodies" => self.side_bodies,
            "cells_side" => CELLS_SIDE,
            "arena_tile" => layout.tile,
            "zeroed_f" => layout.zeroed_f.start,
            "zeroed_f_end" => layout.zeroed_f.end,
            "zeroed_i" => layout.zeroed_i.start,
            "zeroed_i_end" => layout.zeroed_i.end,
            "stride_f" => layout.stride_f,
            "stride_i" => layout.stride_i,
            _ => return None,
        };
        Some(format!("const {name}: u32 = {value}u;"))
    }

    /// The entry point: calls in order, `steps` times, with barriers in between.
    pub(super) fn entry(&self, calls: &[&str], steps: usize) -> Item {
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
             if (tile_index * stride_f * worlds_per_group >= arrayLength(&data_f)) {{\n        return;\n    }}\n    \
             init_invocation(tile_index, index);\n{}{}    check_loop_limit();\n}}",
            if self.limited { "    begin_loop_limit();\n" } else { "" },
            calls
        );
        Item { name: "main".into(), text }
    }
}

/// The module of a kernel's text, which runs `calls`.
///
/// # Errors
/// As [`Composer::module`].
pub(crate) fn module_of(calls: &[&str], text: &str) -> Result<naga::Module> {
    valid_module(text).map_err(|what| Error::device(format!("kernel {}: {what}", calls.join("+"))))
}

/// The module of a text, or the report of naga with the lines concerned.
pub(super) fn valid_module(text: &str) -> std::result::Result<naga::Module, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let (flags, caps) = (naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    let checked = naga::valid::Validator::new(flags, caps).validate(&module);
    checked.map_err(|e| e.emit_to_string(text))?;
    Ok(module)
}

/// Import path of a law in code.
fn leaf_module(name: &str) -> String {
    format!("package::leaf_{name}")
}

/// The library and all kernels, preprocessed.
fn library(flags: &Flags) -> Result<Library> {
    let mut texts = Vec::new();
    for source in LIBRARY.iter().chain(KERNELS) {
        let text = source.text().map_err(Error::device)?;
        let kept = preprocess(&text, flags).map_err(|e| Error::device(format!("{}: {e}", source.path)))?;
        texts.push((source.path, text, kept));
    }
    let files: Vec<File<'_>> = texts.iter().map(|(path, source, text)| File { path, source, text }).collect();
    Library::new(&files).map_err(Error::device)
}

fn names(stages: &[Stage]) -> Vec<&'static str> {
    stages.iter().map(|s| s.name()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::codegen::unroll::Known;
    use manyworlds_model::schema::enums::cone;
    use manyworlds_model::schema::shape_pairs::SHAPE_PAIRS;
    use manyworlds_model::schema::{Size, Sizes};

    /// A model in which every size is 2 and every optional block is needed, except those of other solvers and of a metric.
    pub(in crate::codegen) fn everything(lanes: usize, placement: WorkingSetSpace) -> (Composer, Layout) {
        with_solver(lanes, placement, &[])
    }

    /// Blocks of the solvers, and of the metric in which they may solve.
    pub(in crate::codegen) const SOLVERS: [&str; 14] = [
        "CG",
        "PGS",
        "SMOOTH",
        "NOSLIP",
        "DUAL",
        "DUAL_PYRAMIDAL",
        "DUAL_ELLIPTIC",
        "DISCRETE",
        "METRIC_COUPLED",
        "METRIC_FLEX",
        "METRIC_NODES",
        "METRIC_PASSIVE",
        "METRIC_TERMS",
        "PASSIVE_CONTACT",
    ];

    /// Those of the metric.
    pub(in crate::codegen) const METRIC: [&str; 7] = [
        "DISCRETE",
        "METRIC_COUPLED",
        "METRIC_FLEX",
        "METRIC_NODES",
        "METRIC_PASSIVE",
        "METRIC_TERMS",
        "PASSIVE_CONTACT",
    ];

    /// The same model with the blocks of another solver.
    pub(in crate::codegen) fn with_solver(
        lanes: usize,
        placement: WorkingSetSpace,
        solver: &[&str],
    ) -> (Composer, Layout) {
        let mut sizes = Sizes::default();
        for size in Size::ALL {
            *sizes.get_mut(*size) = 2;
        }
        *sizes.get_mut(Size::nH) = 3;
        let mut model = Model::<f64>::zeroed(sizes);
        model.opt_cone = vec![cone::ELLIPTIC];
        // a diagonal inertia matrix
        (model.M_rowadr, model.M_rownnz, model.M_colind) = (vec![0, 1], vec![1, 1], vec![0, 1]);
        (model.F_rowadr, model.F_rownnz, model.F_colind) = (vec![0, 1], vec![1, 1], vec![0, 1]);
        (model.D_rowadr, model.D_rownnz, model.D_colind) = (vec![0, 1], vec![1, 1], vec![0, 1]);
        model.set_task(&task::tests::everything()).expect("a task");
        model.formulas = Some(Arc::new(task::tests::every_law(&model)));
        let sizes = model.sizes;
        let tiling = Tiling { lanes, tile: 4, placement };
        let exclusive = |k: &str| {
            (["LANES", "BY_TREE"].contains(&k) && lanes == 1)
                || (k == "REGISTERS" && placement != WorkingSetSpace::Registers)
                || (["SPARSE", "NARROW_ROWS", "BODY_PAIRS", "TREE_BOUNDS"].contains(&k)
                    && placement == WorkingSetSpace::Registers)
                || (k.starts_with("METRIC_") && placement == WorkingSetSpace::Registers)
                || (["METRIC_FLEX", "METRIC_NODES", "METRIC_PASSIVE"].contains(&k) && placement.has_tiles())
                || (k == "TILES" && !placement.has_tiles())
                || (k == "LANE_TILES" && placement != WorkingSetSpace::Tiles)
                || (k == "STORED_TILES" && placement != WorkingSetSpace::StoredTiles)
                || (k == "LOCAL_WORKING_SET" && placement == WorkingSetSpace::Storage)
                || (SOLVERS.contains(&k) && !solver.contains(&k))
        };
        let on = flags::flags(&model, tiling).into_keys().map(|k| (k, !exclusive(k))).collect();
        let composer = Composer {
            library: library(&on).expect("well-formed blocks"),
            tiling,
            limited: true,
            pairs: SHAPE_PAIRS.iter().collect(),
            tiles: HessianTiles::new(&model),
            side_bodies: 27,
            tables: Tables::new(&model),
            task: model.task.clone(),
            formulas: model.formulas.clone(),
            leaves: Vec::new(),
        };
        assert_eq!(composer.library.check(), Vec::<String>::new());
        // accessors of fields are no items; a stage may have the name of its field
        let is_accessor =
            |name: &&str| access::parse(name).is_some() && Stage::ALL.iter().all(|s| s.name() != *name);
        assert_eq!(composer.library.names().find(is_accessor), None);
        let used = composer.fields(Stage::ALL);
        let working_set = composer.working_set(&sizes, &used, 1 << 14);
        let layout = Layout::new(&model, sizes, tiling, &used, &BTreeSet::new(), &working_set);
        (composer, layout)
    }

    impl Composer {
        /// The same composer, without what a task and formulas compute.
        pub(in crate::codegen) fn without_task(self) -> Self {
            let formulas = self.formulas.map(|formulas| Arc::new(formulas.without_values()));
            Self { task: None, formulas, ..self }
        }

        /// Fields that the function of a stage reads, or writes if `set`, without what all kernels do where they begin and
        /// end; with `resets` also where it resets a world.
        pub(in crate::codegen) fn of_function(
            &self,
            stage: Stage,
            set: bool,
            resets: bool,
        ) -> BTreeSet<&'static str> {
            let mut roots =
                vec![Item { name: "main".into(), text: format!("fn main() {{ {}(); }}", stage.name()) }];
            if !resets {
                let empty = |name: &str| Item { name: name.into(), text: String::new() };
                roots.extend(["reset_world", "reset_state", "clear_results"].map(empty));
            }
            self.named(&roots, |writes| writes == set)
        }
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
    fn a_solver_with_tiles_is_valid() {
        for solver in [&[][..], &["NOSLIP", "DUAL", "DUAL_PYRAMIDAL"]] {
            let (composer, layout) = with_solver(8, WorkingSetSpace::Tiles, solver);
            let made = composer.module(&["solve"], 1, &layout);
            assert!(made.is_ok(), "{}", made.err().map(|e| e.to_string()).unwrap_or_default());
            // tiles are variables, and the packed Hessian is gone
            let text = made.map(|(_, text)| text).unwrap_or_default();
            assert!(text.contains("hessian[") && !text.contains("fn solver_H("));
            let (composer, layout) = with_solver(8, WorkingSetSpace::StoredTiles, solver);
            let made = composer.module(&["solve"], 1, &layout);
            assert!(made.is_ok(), "{}", made.err().map(|e| e.to_string()).unwrap_or_default());
            let text = made.map(|(_, text)| text).unwrap_or_default();
            assert!(text.contains("fn solver_tiles_vec4(") && !text.contains("fn solver_H("));
        }
    }

    #[test]
    fn every_kernel_is_valid_in_a_metric() {
        use WorkingSetSpace::{Registers, Storage, StoredTiles, Tiles, Workgroup};
        let noslip = ["NOSLIP", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"];
        let pgs = ["PGS", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"];
        let plain = [(1, Storage), (1, Registers), (8, Workgroup)];
        // tiles are for Newton's method
        let tiled = [(8, Tiles), (8, StoredTiles)];
        for (solver, tilings) in [
            (&[][..], [&plain[..], &tiled].concat()),
            (&noslip[..], [&plain[..], &tiled].concat()),
            (&["CG"][..], plain.to_vec()),
            (&pgs[..], plain.to_vec()),
        ] {
            for (lanes, placement) in tilings {
                let (composer, layout) = with_solver(lanes, placement, &[solver, &METRIC].concat());
                let mut calls = if placement.has_tiles() { vec!["solve"] } else { names(Stage::ALL) };
                if composer.splits_solve() {
                    calls.extend([SPLIT_SOLVE[0], SPLIT_SOLVE[1], SPLIT_SOLVE[5]]);
                }
                for name in calls {
                    let made = composer.module(&[name], 1, &layout);
                    let error = made.err().map(|e| e.to_string()).unwrap_or_default();
                    assert!(error.is_empty(), "{solver:?} {placement:?} {name}: {error}");
                }
            }
        }
    }

    #[test]
    fn functions_that_reach_registers_are_known() {
        let (composer, layout) = with_solver(1, WorkingSetSpace::Registers, &["PGS", "DUAL"]);
        let known = ModelConstants::new(&composer.library, &composer.tables, &layout, [1, 1]);
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
            &["SMOOTH", "DUAL", "DUAL_PYRAMIDAL", "DUAL_ELLIPTIC"],
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
}
