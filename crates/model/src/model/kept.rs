//! What a world keeps of its sleeping trees: for which of them the results of a stage are those that it would compute again.

use std::ops::Range;

use super::Model;
use crate::real::Real;
use crate::schema::Sizes;
use crate::schema::stages::Stage;

/// Elements that follow each other: whole trees with all that belongs to them, and the static bodies between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// First body, joint, degree of freedom, geom and site.
    pub begin: [u32; 5],
    /// One past the last of each.
    pub end: [u32; 5],
}

impl Run {
    /// All elements of a model.
    #[inline(always)]
    pub fn all(s: &Sizes) -> Self {
        Self { begin: [0; 5], end: [s.nbody, s.njnt, s.nv, s.ngeom, s.nsite].map(|n| n as u32) }
    }

    #[inline(always)]
    fn range(&self, k: usize) -> Range<usize> {
        self.begin[k] as usize..self.end[k] as usize
    }

    /// Bodies.
    #[inline(always)]
    pub fn bodies(&self) -> Range<usize> {
        self.range(0)
    }

    /// Bodies but the world.
    #[inline(always)]
    pub fn bodies_but_world(&self) -> Range<usize> {
        let bodies = self.range(0);
        bodies.start.max(1)..bodies.end
    }

    /// Joints.
    #[inline(always)]
    pub fn joints(&self) -> Range<usize> {
        self.range(1)
    }

    /// Degrees of freedom.
    #[inline(always)]
    pub fn dofs(&self) -> Range<usize> {
        self.range(2)
    }

    /// Geoms.
    #[inline(always)]
    pub fn geoms(&self) -> Range<usize> {
        self.range(3)
    }

    /// Sites.
    #[inline(always)]
    pub fn sites(&self) -> Range<usize> {
        self.range(4)
    }
}

/// What a world knows of its trees, so that stages leave out those that sleep. Made by [`Data::keep_asleep`](super::data::Data::keep_asleep).
#[derive(Debug, Default)]
pub struct Kept<T> {
    /// For each tree the stages, a bit each, whose results follow from the state as it is; only of sleeping trees.
    pub valid: Vec<u16>,
    /// Positions from which the results of sleeping trees follow.
    pub qpos: Vec<T>,
    /// First moment of mass of each tree about the origin.
    pub moment: Vec<[T; 3]>,
    /// Elements that a stage has to compute, in ascending order.
    pub runs: Vec<Run>,
    /// Options from which the results follow, as bits.
    pub options: [u64; 6],
    /// Elements of each tree.
    pub trees: Vec<Run>,
    /// One past the last of the trees from this one on between which no static bodies stand.
    pub together: Vec<u32>,
    /// First position coordinate of each tree, and one past the last of all.
    pub coordinates: Vec<u32>,
    /// True if results of a tree depend on its own state alone, as long as it sleeps.
    pub alone: Vec<bool>,
    /// True if an actuator moves a tree.
    pub driven: Vec<bool>,
    /// True if some joint of the model is damped, as far as that is known.
    pub has_joint_damping: Option<bool>,
}

// a copy has as much memory, so that its steps allocate nothing either; its model may become another, so it knows nothing
impl<T: Copy> Clone for Kept<T> {
    fn clone(&self) -> Self {
        let mut runs = Vec::with_capacity(self.runs.capacity());
        runs.extend_from_slice(&self.runs);
        Self {
            valid: vec![0; self.valid.len()],
            qpos: self.qpos.clone(),
            moment: self.moment.clone(),
            runs,
            options: self.options,
            trees: self.trees.clone(),
            together: self.together.clone(),
            coordinates: self.coordinates.clone(),
            alone: self.alone.clone(),
            driven: self.driven.clone(),
            has_joint_damping: None,
        }
    }
}

impl<T: Real> Kept<T> {
    /// Nothing is known yet of the trees of a model.
    pub fn new(m: &Model<T>) -> Self {
        let ntree = m.sizes.ntree;
        let trees: Vec<Run> = (0..ntree).map(|tree| elements(m, tree)).collect();
        let mut together = vec![ntree as u32; ntree];
        for t in (1..ntree).rev() {
            together[t - 1] = if trees[t - 1].end == trees[t].begin { together[t] } else { t as u32 };
        }
        let first = |tree: usize| m.jnt_qposadr[m.dof_jntid[m.tree_dofadr[tree] as usize] as usize] as u32;
        // sites may stand in any order in a compiled model
        let in_order = m.site_bodyid.is_sorted();
        let mut alone: Vec<bool> = (0..ntree).map(|tree| in_order && is_alone(m, tree)).collect();
        m.ten_J_colind.iter().for_each(|dof| alone[m.dof_treeid[*dof as usize] as usize] = false);
        let mut driven = vec![false; ntree];
        m.moment_colind.iter().for_each(|dof| driven[m.dof_treeid[*dof as usize] as usize] = true);
        Self {
            valid: vec![0; ntree],
            qpos: vec![T::ZERO; m.sizes.nq],
            moment: vec![[T::ZERO; 3]; ntree],
            runs: Vec::with_capacity(ntree + 1),
            options: [0; 6],
            trees,
            together,
            coordinates: (0..ntree).map(first).chain([m.sizes.nq as u32]).collect(),
            alone,
            driven,
            has_joint_damping: None,
        }
    }

    /// Bytes that a world of these sizes needs.
    pub fn bytes(sizes: &Sizes) -> usize {
        let per_tree =
            3 * size_of::<T>() + 2 * size_of::<Run>() + 2 * size_of::<u32>() + size_of::<[u16; 3]>();
        sizes.ntree * per_tree + sizes.nq * size_of::<T>()
    }

    /// Forgets which results are valid: stages compute all of them again.
    pub fn forget(&mut self) {
        self.valid.fill(0);
        self.has_joint_damping = None;
    }

    /// Forgets the results of one stage.
    pub fn forget_stage(&mut self, stage: Stage) {
        self.valid.iter_mut().for_each(|valid| *valid &= !stage_bit(stage));
    }

    /// Forgets everything if an option has changed from which results follow.
    pub fn check_options(&mut self, m: &Model<T>) {
        let bits = |x: T| x.f64().to_bits();
        let [x, y, z] = [0, 1, 2].map(|k| bits(m.opt_gravity[k]));
        let flags = [m.opt_disableflags[0], m.opt_enableflags[0]].map(|flags| flags as u64);
        let options = [x, y, z, flags[0], flags[1], bits(m.opt_o_margin[0])];
        if options != self.options {
            self.options = options;
            self.forget();
        }
    }
}

/// Bit of a stage that leaves out sleeping trees; zero for others. Of `collision` it stands for the bounding boxes.
pub const fn stage_bit(stage: Stage) -> u16 {
    match stage {
        Stage::kinematics => 1,
        Stage::com_pos => 1 << 1,
        Stage::crb => 1 << 2,
        Stage::factor_m => 1 << 3,
        Stage::collision => 1 << 4,
        Stage::com_vel => 1 << 5,
        Stage::passive => 1 << 6,
        Stage::rne => 1 << 7,
        Stage::acceleration => 1 << 8,
        Stage::actuation => 1 << 9,
        _ => 0,
    }
}

/// Bits of a stage and of those that read its results.
pub const fn following_bits(stage: Stage) -> u16 {
    let own = stage_bit(stage);
    match stage {
        Stage::kinematics => u16::MAX,
        Stage::com_pos => !(stage_bit(Stage::kinematics) | stage_bit(Stage::collision)),
        Stage::crb => own | stage_bit(Stage::factor_m) | stage_bit(Stage::acceleration),
        Stage::factor_m => own | stage_bit(Stage::acceleration),
        Stage::com_vel => own | stage_bit(Stage::rne),
        Stage::passive => own | stage_bit(Stage::actuation),
        _ => own,
    }
}

/// Elements of a tree.
fn elements<T: Real>(m: &Model<T>, tree: usize) -> Run {
    let first = m.tree_bodyadr[tree];
    let end = first + m.tree_bodynum[tree];
    let of = |bodies: &[i32]| [first, end].map(|limit| bodies.partition_point(|body| *body < limit) as u32);
    let [joints, dofs] = [of(&m.jnt_bodyid), of(&m.dof_bodyid)];
    let [geoms, sites] = [of(&m.geom_bodyid), of(&m.site_bodyid)];
    Run {
        begin: [first as u32, joints[0], dofs[0], geoms[0], sites[0]],
        end: [end as u32, joints[1], dofs[1], geoms[1], sites[1]],
    }
}

/// True if a tree hangs on the world itself: static bodies above it may be moved by the caller, and add up what is below.
fn is_alone<T: Real>(m: &Model<T>, tree: usize) -> bool {
    let first = m.tree_bodyadr[tree] as usize;
    let mut bodies = first..first + m.tree_bodynum[tree] as usize;
    m.body_parentid[first] == 0 && bodies.all(|body| m.body_treeid[body] == tree as i32)
}
