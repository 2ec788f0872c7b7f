//! Kernel options: partition and tiling, chosen from model and device or set explicitly.

use crate::codegen::flags::{has_convex_pairs, is_coupled, is_coupled_by_flexes};
use crate::codegen::tiling::{HessianTiles, Tiling, WorkingSetSpace};
use crate::codegen::unroll::MAX_TRIP_COUNT;
use crate::runtime::device::Adapter;
use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::schema::enums::solver;
use manyworlds_model::schema::stages::Stage;

/// Grouping of a step's stages into dispatches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partition {
    /// By device: small kernels for drivers that compile large ones slowly.
    #[default]
    Auto,
    /// One dispatch per stage.
    Split,
    /// A few groups: kinematics, constraints, smooth forces, solver, integrator.
    Grouped,
    /// A single dispatch.
    Fused,
}

impl Partition {
    /// `auto`, `split`, `grouped` or `fused`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Split => "split",
            Self::Grouped => "grouped",
            Self::Fused => "fused",
        }
    }
}

impl std::str::FromStr for Partition {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(Self::Auto),
            "split" => Ok(Self::Split),
            "grouped" => Ok(Self::Grouped),
            "fused" => Ok(Self::Fused),
            other => Err(Error::Argument(format!(
                "unknown partition '{other}'; expected auto, split, grouped or fused"
            ))),
        }
    }
}

/// Options of a batch's kernels.
#[derive(Clone, Debug, Default)]
pub struct KernelOptions {
    /// Grouping of the stages.
    pub partition: Partition,
    /// Lanes per world, a power of two; `None`: from the model's size and the number of worlds.
    pub lanes: Option<usize>,
    /// Worlds per workgroup; `None`: chosen automatically.
    pub worlds_per_group: Option<usize>,
    /// Memory of the kernels' working set; `None`: chosen automatically.
    pub placement: Option<WorkingSetSpace>,
    /// Cache of tuning results (see [`crate::tuning::tune`]) for the options left open. `None`: no cache.
    pub tuning_file: Option<std::path::PathBuf>,
    /// Bounds checks inside the kernels, for tests.
    pub checks: bool,
    /// Whether the steps of a call before its last one run kernels with reduced stores: these store the state and what
    /// a later stage or the next step reads, in less memory, but no other results. `None`: on hardware, where memory is
    /// slower than arithmetic, and with [`Partition::Fused`], where a dispatch runs several steps only with them. Never
    /// on lavapipe.
    pub reduced_stores: Option<bool>,
    /// Whether a model that asks for Newton's method gets it. Otherwise conjugate gradients find the same forces, within
    /// its tolerance, without a Hessian. `None`: but in large worlds of small trees.
    pub newton: Option<bool>,
    /// Most worlds of a chunk. A call takes all its steps for one chunk before it begins with the next, so that the
    /// memory of a chunk may stay in the device's cache. `None`: on hardware 8192 until the batch has found a faster
    /// number (see `tune`), else as many as a buffer holds.
    pub chunk: Option<usize>,
    /// Whether a batch measures during its first steps which `chunk` is fastest, if it is left open. This changes no
    /// result. `None`: on hardware.
    pub tune: Option<bool>,
    /// Worlds of the batch: few of them get more lanes each. `None`: many. A batch sets it.
    pub worlds: Option<usize>,
    /// Model fields with a value for each world. A batch sets it, see `Batch::expand`.
    pub per_world: std::collections::BTreeSet<&'static str>,
}

/// Upper bound on worlds of a workgroup.
pub(crate) const MAX_WORLDS_PER_GROUP: usize = 32;

/// Most dofs of a world whose Hessian is in the variables of lanes, and most tiles of a lane.
const MAX_TILES_DOFS: usize = 124;
const MAX_TILES_OF_LANE: usize = 4;

/// Fewest dofs of a world whose Hessian may be tiles in storage, fewest of a tree on average, and lanes of a world there:
/// decision 97.
const MIN_STORED_TILES_DOFS: usize = 48;
pub(super) const MIN_DOFS_OF_TREE: usize = 12;
const STORED_TILES_LANES: usize = 32;

/// Most rows of tiles: a stored tile has row and column in one word.
const MAX_TILE_ROWS: usize = 1 << 15;

/// Lanes of a world, and of a group, where the group shares its pairs: decision 54.
const COLLISION_LANES: usize = 4;
const COLLISION_GROUP: usize = 64;

/// Up to so many worlds leave a large GPU idle with few lanes each, so that more lanes are faster: decision 55.
const FEW_WORLDS: usize = 4096;

/// Worlds that fill a large GPU, and whose memory may stay in its cache: decision 56.
const CHUNK_WORLDS: usize = 8192;

/// Most dofs of a world with its Hessian in registers: the size of the kernel text is cubic in them.
const MAX_REGISTER_DOFS: usize = 40;

impl KernelOptions {
    /// Lanes and worlds per group for a model on a device.
    ///
    /// # Errors
    /// [`Error::Argument`] for a count that is not a power of two or out of range, with the limit.
    pub fn tiling(&self, model: &Model, adapter: &Adapter) -> Result<Tiling> {
        let most = (adapter.invocations as usize).min(256);
        let lanes = self.lanes.unwrap_or(if adapter.software {
            1
        } else {
            let few = self.worlds.is_some_and(|worlds| worlds <= FEW_WORLDS);
            (model.sizes.nv / 2).next_power_of_two().clamp(1, if few { 32 } else { 8 })
        });
        let tile = self.worlds_per_group.unwrap_or(if adapter.software {
            8
        } else {
            (64 / lanes.max(1)).clamp(1, MAX_WORLDS_PER_GROUP)
        });
        for (what, value, limit) in
            [("lanes", lanes, 64.min(most)), ("worlds per group", tile, MAX_WORLDS_PER_GROUP)]
        {
            if !value.is_power_of_two() || value > limit {
                return Err(Error::Argument(format!(
                    "{what}: {value} is not a power of two from 1 to {limit}"
                )));
            }
        }
        if lanes * tile > most {
            return Err(Error::Argument(format!(
                "{lanes} lanes x {tile} worlds per group exceed the {most} invocations of a group"
            )));
        }
        if adapter.limits_loops() && !(lanes * tile).is_multiple_of(8) {
            return Err(Error::Argument(format!(
                "{lanes} lanes x {tile} worlds per group: lavapipe is wrong unless groups are a multiple of 8"
            )));
        }
        Ok(Tiling { lanes, tile, placement: self.placement(model, adapter, lanes)? })
    }

    /// Memory of the working set for a given number of lanes.
    fn placement(&self, model: &Model, adapter: &Adapter, lanes: usize) -> Result<WorkingSetSpace> {
        let (nv, bytes) = (model.sizes.nv, adapter.workgroup_bytes);
        let s = &model.sizes;
        let one = !is_coupled(model)
            && lanes == 1
            && nv <= MAX_REGISTER_DOFS
            && s.ncandidate.max(s.ngeom).max(s.nC) <= MAX_TRIP_COUNT;
        match self.placement {
            Some(WorkingSetSpace::Registers) if !one => Err(Error::Argument(format!(
                "placement registers: {nv} degrees of freedom, {} candidate pairs and {lanes} lanes; at most \
                 {MAX_REGISTER_DOFS}, {MAX_TRIP_COUNT} and 1 fit",
                s.ncandidate
            ))),
            // the solver runs one dispatch per iteration, beyond the lifetime of workgroup memory
            Some(WorkingSetSpace::Workgroup) if adapter.limits_loops() => Err(Error::Argument(
                "placement workgroup: not on lavapipe, whose limit of loop iterations cuts the solver".into(),
            )),
            Some(WorkingSetSpace::Workgroup) if lanes == 1 => Err(Error::Argument(format!(
                "placement workgroup: the {bytes} bytes of a group are shared by lanes, and a world has one; use registers or storage"
            ))),
            Some(chosen) => Ok(chosen),
            None if one => Ok(WorkingSetSpace::Registers),
            None if lanes == 1 || adapter.limits_loops() => Ok(WorkingSetSpace::Storage),
            None => Ok(WorkingSetSpace::Workgroup),
        }
    }

    /// Tiling of collision where pairs are solved by support functions: many worlds a group, whose lanes share the
    /// pairs, so that long searches run side by side.
    pub(crate) fn collision_tiling(
        &self,
        model: &Model,
        adapter: &Adapter,
        tiling: Tiling,
    ) -> Option<Tiling> {
        let lanes = tiling.lanes.min(COLLISION_LANES);
        let tile = (COLLISION_GROUP.min(adapter.invocations as usize) / lanes).min(MAX_WORLDS_PER_GROUP);
        let fits = lanes > 1
            && tile > tiling.tile
            && self.partition(adapter) != Partition::Fused
            && has_convex_pairs(model);
        fits.then_some(Tiling { lanes, tile, ..tiling })
    }

    /// Tilings of the solver with tiles of the Hessian, the preferred one first, if a model allows them: for Newton's method
    /// with a working set in workgroup memory. Tiles are in the variables of lanes up to [`MAX_TILES_DOFS`] degrees of
    /// freedom, otherwise in storage, unless trees are small: the packed Hessian lets worlds share a subgroup.
    pub(crate) fn solver_tilings(&self, model: &Model, adapter: &Adapter, tiling: Tiling) -> Vec<Tiling> {
        let nv = model.sizes.nv;
        let tiles = HessianTiles::new(model);
        let suits = tiling.placement == WorkingSetSpace::Workgroup
            && self.partition(adapter) != Partition::Fused
            && model.opt_solver[0] == solver::NEWTON
            && !is_coupled_by_flexes(model)
            && nv >= 2
            && tiles.rows <= MAX_TILE_ROWS;
        let of =
            |lanes: usize, placement| Tiling { lanes, tile: (32 / lanes).max(1).min(tiling.tile), placement };
        let most = tiles.count().div_ceil(MAX_TILES_OF_LANE).next_power_of_two();
        let lanes = most.max(tiles.rows.next_power_of_two()).max(nv.min(32).next_power_of_two());
        let mut fitting = Vec::new();
        if suits && nv <= MAX_TILES_DOFS && lanes <= adapter.invocations as usize {
            fitting.push(of(lanes, WorkingSetSpace::Tiles));
        }
        if suits
            && nv >= MIN_STORED_TILES_DOFS
            && nv >= MIN_DOFS_OF_TREE * model.sizes.ntree
            && STORED_TILES_LANES <= adapter.invocations as usize
        {
            fitting.push(of(STORED_TILES_LANES, WorkingSetSpace::StoredTiles));
        }
        fitting
    }

    /// Upper bound on the worlds of a chunk.
    ///
    /// # Errors
    /// [`Error::Argument`] for none.
    pub(crate) fn chunk(&self, adapter: &Adapter) -> Result<usize> {
        match self.chunk {
            Some(0) => Err(Error::Argument("chunk: 0 worlds; expected at least 1".into())),
            Some(worlds) => Ok(worlds),
            None if adapter.software => Ok(usize::MAX),
            None => Ok(CHUNK_WORLDS),
        }
    }

    /// True if a batch measures which size of chunks is fastest.
    pub(crate) fn tunes_chunk(&self, adapter: &Adapter) -> bool {
        self.chunk.is_none() && self.tune.unwrap_or(!adapter.software)
    }

    /// True if the steps of a call before its last one have reduced stores. Not where trees sleep, whose results stay
    /// from step to step, nor where the driver cuts the solver into several dispatches.
    pub(crate) fn reduces_stores(&self, model: &Model, adapter: &Adapter) -> bool {
        let fused = self.partition(adapter) == Partition::Fused;
        self.reduced_stores.unwrap_or(!adapter.software || fused)
            && !adapter.limits_loops()
            && !model.has_sleep()
    }

    /// The partition on a device: never [`Partition::Auto`].
    pub fn partition(&self, adapter: &Adapter) -> Partition {
        match self.partition {
            // lavapipe's compile time is quadratic in kernel size
            Partition::Auto if adapter.limits_loops() => Partition::Split,
            Partition::Auto => Partition::Grouped,
            chosen => chosen,
        }
    }

    /// Groups of the given stages, in order.
    pub fn groups(&self, stages: impl Iterator<Item = Stage>, adapter: &Adapter) -> Vec<Vec<Stage>> {
        let partition = self.partition(adapter);
        let mut groups: Vec<Vec<Stage>> = Vec::new();
        for stage in stages {
            let starts = match partition {
                Partition::Split => true,
                Partition::Fused => false,
                _ => starts_group(stage, groups.last().and_then(|g| g.last()).copied()),
            };
            match groups.last_mut() {
                Some(last) if !starts => last.push(stage),
                _ => groups.push(vec![stage]),
            }
        }
        groups
    }
}

/// True if a group begins at a stage: at the largest working set, and after the solver.
pub(crate) fn starts_group(stage: Stage, before: Option<Stage>) -> bool {
    matches!(stage, Stage::check_state | Stage::kinematics | Stage::collision | Stage::solve)
        && before != Some(Stage::check_state)
        || before == Some(Stage::solve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::tune::tests::adapter;

    /// Placements of the solver's tilings for trees of a box with some links, the preferred one first, on a hardware adapter.
    fn placements(trees: usize, links_of_tree: usize, option: &str) -> Vec<WorkingSetSpace> {
        let hinge = "<body><joint/><geom type='box' size='.1 .1 .1'/>";
        let links = |n: usize| hinge.repeat(n) + &"</body>".repeat(n);
        let tree =
            format!("<body><freejoint/><geom type='box' size='.1 .1 .1'/>{}</body>", links(links_of_tree));
        let bodies = tree.repeat(trees);
        let text = format!("<mujoco><option {option}/><worldbody>{bodies}</worldbody></mujoco>");
        let model = manyworlds_mjcf::load_str(&text).expect("a model");
        let adapter = Adapter { software: false, ..adapter("hardware") };
        let options = KernelOptions::default();
        let tiling = options.tiling(&model, &adapter).expect("a tiling");
        options.solver_tilings(&model, &adapter, tiling).iter().map(|tiling| tiling.placement).collect()
    }

    #[test]
    fn the_hessian_of_a_large_world_is_tiles_in_storage() {
        use WorkingSetSpace::{StoredTiles, Tiles};
        assert_eq!(placements(2, 9, ""), [Tiles]);
        assert_eq!(placements(4, 9, ""), [Tiles, StoredTiles]);
        assert_eq!(placements(10, 9, ""), [StoredTiles]);
        // small trees share a subgroup with other worlds
        assert_eq!(placements(30, 0, ""), []);
        // conjugate gradients have no Hessian
        assert_eq!(placements(10, 9, "solver='CG'"), []);
    }
}
