//! What follows from the tree of bodies: levels, kinematic trees, degrees of freedom, and the columns of sparse
//! matrices. The compiler fills these fields here; a compiled model from a file has to have the same.

use super::Model;
use crate::schema::enums::{TransmissionType, WrapType, joint, joint_widths, wrap};
use crate::schema::kinds::Kind;

/// Offsets below this are zero.
const SAME: f64 = 1e-6;

/// Parts of a unit axis below this are zero.
const ALONG: f64 = 1e-14;

/// Fields that [`Model::derive_tree`] fills.
pub const TREE: &[&str] = &[
    "body_rootid",
    "body_weldid",
    "body_treeid",
    "body_jntadr",
    "body_jntnum",
    "body_dofadr",
    "body_dofnum",
    "body_childadr",
    "body_childnum",
    "child_body",
    "level_adr",
    "level_num",
    "level_body",
    "tree_bodyadr",
    "tree_bodynum",
    "tree_dofadr",
    "tree_dofnum",
    "jnt_qposadr",
    "jnt_dofadr",
    "dof_bodyid",
    "dof_jntid",
    "dof_parentid",
    "dof_treeid",
];

/// Fields that [`Model::derive_matrices`] fills.
pub const MATRICES: &[&str] = &[
    "M_rownnz", "M_rowadr", "M_colind", "F_rownnz", "F_rowadr", "F_colind", "mapM2F", "D_rownnz", "D_rowadr",
    "D_diag", "D_colind", "mapM2D", "mapD2M",
];

impl Model {
    /// Fills what follows from `body_parentid`, `body_mocapid`, `jnt_bodyid` and `jnt_type`, and the sizes of these
    /// fields. Bodies stand in depth-first order, joints in that of their bodies.
    pub fn derive_tree(&mut self) {
        self.derive_joints();
        self.derive_trees();
        self.derive_levels();
        self.derive_dofs();
    }

    /// Joints and degrees of freedom of each body.
    fn derive_joints(&mut self) {
        let (nbody, njnt) = (self.body_parentid.len(), self.jnt_bodyid.len());
        for adr in [&mut self.body_jntadr, &mut self.body_dofadr] {
            *adr = vec![-1; nbody];
        }
        for num in [&mut self.body_jntnum, &mut self.body_dofnum] {
            *num = vec![0; nbody];
        }
        let (mut q, mut v) = (0, 0);
        (self.jnt_qposadr, self.jnt_dofadr) = (Vec::with_capacity(njnt), Vec::with_capacity(njnt));
        (self.dof_bodyid, self.dof_jntid) = (Vec::new(), Vec::new());
        for j in 0..njnt {
            let b = self.jnt_bodyid[j] as usize;
            let (nq, nv) = joint_widths(self.jnt_type[j]);
            if self.body_jntnum[b] == 0 {
                self.body_jntadr[b] = j as i32;
                self.body_dofadr[b] = v as i32;
            }
            self.body_jntnum[b] += 1;
            self.body_dofnum[b] += nv as i32;
            self.jnt_qposadr.push(q as i32);
            self.jnt_dofadr.push(v as i32);
            self.dof_bodyid.extend((0..nv).map(|_| b as i32));
            self.dof_jntid.extend((0..nv).map(|_| j as i32));
            (q, v) = (q + nq, v + nv);
        }
        (self.sizes.nq, self.sizes.nv) = (q, v);
    }

    /// Roots, welds and kinematic trees.
    fn derive_trees(&mut self) {
        let nbody = self.body_parentid.len();
        for id in [&mut self.body_rootid, &mut self.body_weldid, &mut self.body_treeid] {
            *id = Vec::with_capacity(nbody);
        }
        (self.tree_bodyadr, self.tree_bodynum) = (Vec::new(), Vec::new());
        for b in 0..nbody {
            let p = self.body_parentid[b] as usize;
            let moves = self.body_jntnum[b] > 0;
            let stays = !moves && self.body_mocapid[b] < 0 && b > 0;
            let root = if b == 0 || p == 0 { b as i32 } else { self.body_rootid[p] };
            let weld = if stays { self.body_weldid[p] } else { b as i32 };
            // a kinematic tree starts at the first moving body below the world
            let mut tree = if b > 0 { self.body_treeid[p] } else { -1 };
            if tree < 0 && moves {
                tree = self.tree_bodyadr.len() as i32;
                self.tree_bodyadr.push(b as i32);
                self.tree_bodynum.push(0);
            }
            if let Ok(t) = usize::try_from(tree) {
                self.tree_bodynum[t] += 1;
            }
            self.body_rootid.push(root);
            self.body_weldid.push(weld);
            self.body_treeid.push(tree);
        }
        self.sizes.ntree = self.tree_bodyadr.len();
    }

    /// Bodies by level, and children in decreasing id.
    fn derive_levels(&mut self) {
        let nbody = self.body_parentid.len();
        let mut level = vec![0; nbody];
        self.body_childnum = vec![0; nbody];
        self.level_num = vec![1];
        for b in 1..nbody {
            let p = self.body_parentid[b] as usize;
            level[b] = level[p] + 1;
            self.body_childnum[p] += 1;
            if level[b] == self.level_num.len() {
                self.level_num.push(0);
            }
            self.level_num[level[b]] += 1;
        }
        self.sizes.nlevel = self.level_num.len();
        self.level_adr = starts(&self.level_num);
        let mut next = self.level_adr.clone();
        self.level_body = vec![0; nbody];
        for b in 0..nbody {
            let place = &mut next[level[b]];
            self.level_body[*place as usize] = b as i32;
            *place += 1;
        }
        self.body_childadr = starts(&self.body_childnum);
        let mut next = self.body_childadr.clone();
        // the world is no child, so the last entry is unused
        self.child_body = vec![0; nbody];
        for b in (1..nbody).rev() {
            let place = &mut next[self.body_parentid[b] as usize];
            self.child_body[*place as usize] = b as i32;
            *place += 1;
        }
    }

    /// Parents and trees of degrees of freedom.
    fn derive_dofs(&mut self) {
        let nv = self.dof_bodyid.len();
        self.dof_treeid = self.dof_bodyid.iter().map(|&b| self.body_treeid[b as usize]).collect();
        let ntree = self.tree_bodyadr.len();
        (self.tree_dofadr, self.tree_dofnum) = (vec![0; ntree], vec![0; ntree]);
        for d in 0..nv {
            let t = self.dof_treeid[d] as usize;
            if self.tree_dofnum[t] == 0 {
                self.tree_dofadr[t] = d as i32;
            }
            self.tree_dofnum[t] += 1;
        }
        // last degree of freedom of every body or of its nearest moving ancestor
        let mut last = vec![-1; self.body_parentid.len()];
        self.dof_parentid = vec![-1; nv];
        for b in 1..last.len() {
            last[b] = last[self.body_parentid[b] as usize];
            for k in 0..self.body_dofnum[b] {
                let d = self.body_dofadr[b] + k;
                self.dof_parentid[d as usize] = last[b];
                last[b] = d;
            }
        }
    }

    /// Fills `body_geomadr` and `body_geomnum` from `geom_bodyid`.
    pub fn derive_geoms(&mut self) {
        let nbody = self.body_parentid.len();
        (self.body_geomadr, self.body_geomnum) = (vec![-1; nbody], vec![0; nbody]);
        for g in 0..self.geom_bodyid.len() {
            let b = self.geom_bodyid[g] as usize;
            if self.body_geomnum[b] == 0 {
                self.body_geomadr[b] = g as i32;
            }
            self.body_geomnum[b] += 1;
        }
    }

    /// Fills `dof_simplenum`, the lengths of runs of degrees of freedom of simple bodies.
    pub fn derive_simple_runs(&mut self) {
        self.dof_simplenum = vec![0; self.dof_bodyid.len()];
        let mut run = 0;
        for d in (0..self.dof_bodyid.len()).rev() {
            run = if self.body_simple[self.dof_bodyid[d] as usize] == 0 { 0 } else { run + 1 };
            self.dof_simplenum[d] = run;
        }
    }

    /// Sparsity of the inertia matrix, the ancestors of every dof, or only the diagonal for some bodies; of the same
    /// matrix with both triangles; of velocity derivatives.
    pub fn derive_matrices(&mut self, simple: impl Fn(&Model, usize) -> bool) {
        let nv = self.dof_parentid.len();
        self.M_colind.clear();
        (self.M_rowadr, self.M_rownnz) = (Vec::with_capacity(nv), Vec::with_capacity(nv));
        for d in 0..nv {
            let mut row = vec![d as i32];
            while !simple(self, self.dof_bodyid[d] as usize)
                && self.dof_parentid[row[row.len() - 1] as usize] >= 0
            {
                row.push(self.dof_parentid[row[row.len() - 1] as usize]);
            }
            row.reverse();
            self.M_rowadr.push(self.M_colind.len() as i32);
            self.M_rownnz.push(row.len() as i32);
            self.M_colind.extend(row);
        }
        self.sizes.nC = self.M_colind.len();
        self.symmetric_structure();
        self.derivative_structure();
    }

    /// Symmetric sparsity of the inertia matrix, with the index of each nonzero in the lower triangle.
    fn symmetric_structure(&mut self) {
        let nv = self.dof_parentid.len();
        let mut rows: Vec<Vec<(i32, i32)>> = vec![Vec::new(); nv];
        // row by row, so that column indices ascend
        for i in 0..nv {
            let first = self.M_rowadr[i];
            for k in first..first + self.M_rownnz[i] {
                let j = self.M_colind[k as usize];
                rows[i].push((j, k));
                if j as usize != i {
                    rows[j as usize].push((i as i32, k));
                }
            }
        }
        self.F_colind.clear();
        self.mapM2F.clear();
        (self.F_rowadr, self.F_rownnz) = (Vec::with_capacity(nv), Vec::with_capacity(nv));
        for row in &rows {
            self.F_rowadr.push(self.F_colind.len() as i32);
            self.F_rownnz.push(row.len() as i32);
            self.F_colind.extend(row.iter().map(|(j, _)| j));
            self.mapM2F.extend(row.iter().map(|(_, k)| k));
        }
        self.sizes.nF = self.F_colind.len();
    }

    /// Sparsity of velocity derivatives: all ancestors of every dof, itself, all descendants.
    fn derivative_structure(&mut self) {
        let nv = self.dof_parentid.len();
        let mut rows: Vec<Vec<i32>> = vec![Vec::new(); nv];
        self.D_diag = Vec::with_capacity(nv);
        // dof by dof, so that every row ascends
        for i in 0..nv {
            let mut chain = vec![i as i32];
            while self.dof_parentid[chain[chain.len() - 1] as usize] >= 0 {
                chain.push(self.dof_parentid[chain[chain.len() - 1] as usize]);
            }
            self.D_diag.push(chain.len() as i32 - 1);
            rows[i].extend(chain.iter().rev());
            for &j in &chain[1..] {
                rows[j as usize].push(i as i32);
            }
        }
        // nonzeros of M: the lower triangle and its mirror image
        self.D_colind.clear();
        self.mapM2D.clear();
        (self.D_rowadr, self.D_rownnz) = (Vec::with_capacity(nv), Vec::with_capacity(nv));
        self.mapD2M = vec![0; self.M_colind.len()];
        for (i, row) in rows.iter().enumerate() {
            self.D_rowadr.push(self.D_colind.len() as i32);
            self.D_rownnz.push(row.len() as i32);
            for &j in row {
                let (low, high) = (j.min(i as i32), (j as usize).max(i));
                let first = self.M_rowadr[high] as usize;
                let columns = &self.M_colind[first..first + self.M_rownnz[high] as usize];
                let entry = columns.binary_search(&low).ok().map(|k| first + k);
                if let Some(k) = entry.filter(|_| j as usize <= i) {
                    self.mapD2M[k] = self.D_colind.len() as i32;
                }
                self.mapM2D.push(entry.map_or(-1, |k| k as i32));
                self.D_colind.push(j);
            }
        }
        self.sizes.nD = self.D_colind.len();
    }

    /// Gives all bodies whole rows in the inertia matrix, those too whose blocks are diagonal at their present values;
    /// true if that changes a row.
    pub fn drop_shortcuts(&mut self) -> bool {
        let before = self.sizes.nC;
        self.dof_simplenum.fill(0);
        self.derive_matrices(|_, _| false);
        self.sizes.nC != before
    }

    /// True if the block of a body in the inertia matrix is diagonal in every configuration; `coupled` are the bodies
    /// along tendons with armature.
    pub fn is_simple(&self, b: usize, coupled: &[bool]) -> bool {
        let parent = self.body_parentid[b] as usize;
        let near_zero = |v: &[f64]| v.iter().all(|x| x.abs() < SAME);
        let centered =
            near_zero(&self.body_ipos[3 * b..3 * b + 3]) && near_zero(&self.body_iquat[4 * b + 1..4 * b + 4]);
        // child of the world, or of a static child of the world
        let near = parent == 0 || (self.body_parentid[parent] == 0 && self.body_jntnum[parent] == 0);
        let alone = near && self.body_childnum[b] == 0;
        if !centered || !alone || coupled[b] {
            return false;
        }
        let mut turns = false;
        for j in self.joints_of(b) {
            let rotates = matches!(self.jnt_type[j], joint::BALL | joint::HINGE);
            let at_center = near_zero(&self.jnt_pos[3 * j..3 * j + 3]);
            let aligned = self.jnt_axis[3 * j..3 * j + 3].iter().filter(|x| x.abs() > ALONG).count() == 1;
            if turns || !at_center || !aligned {
                return false;
            }
            turns = rotates;
        }
        true
    }

    /// True if a body has only slide joints, and at least one.
    pub fn only_slides(&self, b: usize) -> bool {
        let joints = self.joints_of(b);
        !joints.is_empty() && self.jnt_type[joints].iter().all(|&t| t == joint::SLIDE)
    }

    /// Joints of a body.
    fn joints_of(&self, b: usize) -> std::ops::Range<usize> {
        let first = self.body_jntadr[b].max(0) as usize;
        first..first + self.body_jntnum[b] as usize
    }

    /// Bodies along a tendon with armature, which couples their degrees of freedom.
    pub fn coupled_bodies(&self) -> Vec<bool> {
        let mut coupled = vec![false; self.sizes.nbody];
        for t in (0..self.sizes.ntendon).filter(|&t| self.tendon_armature[t] > 0.0) {
            for w in self.path_of(t) {
                if let Some(body) = self.body_of_wrap(w).filter(|_| self.wrap_type[w] != wrap::JOINT) {
                    coupled[body] = true;
                }
            }
        }
        coupled
    }

    /// Path elements of a tendon.
    pub fn path_of(&self, t: usize) -> std::ops::Range<usize> {
        let first = self.tendon_adr[t] as usize;
        first..first + self.tendon_num[t] as usize
    }

    /// Body of a path element; none for pulleys.
    pub fn body_of_wrap(&self, w: usize) -> Option<usize> {
        let id = usize::try_from(self.wrap_objid[w]).ok()?;
        match WrapType::of(self.wrap_type[w])? {
            WrapType::JOINT => self.body_of(Kind::Joint, id),
            WrapType::SITE => self.body_of(Kind::Site, id),
            WrapType::SPHERE | WrapType::CYLINDER => self.body_of(Kind::Geom, id),
            WrapType::PULLEY => None,
        }
    }

    /// Body of an element of the tree; none for other objects.
    pub fn body_of(&self, kind: Kind, id: usize) -> Option<usize> {
        let body = match kind {
            Kind::Body => return (id < self.sizes.nbody).then_some(id),
            Kind::Joint => self.jnt_bodyid.get(id),
            Kind::Geom => self.geom_bodyid.get(id),
            Kind::Site => self.site_bodyid.get(id),
            Kind::Camera => self.cam_bodyid.get(id),
            Kind::Light => self.light_bodyid.get(id),
            _ => None,
        };
        body.and_then(|b| usize::try_from(*b).ok())
    }

    /// Kind of the objects that an actuator acts on.
    pub fn target_kind(&self, a: usize) -> Option<Kind> {
        let second = self.actuator_trnid[2 * a + 1];
        TransmissionType::of(self.actuator_trntype[a]).map(|kind| match kind {
            TransmissionType::JOINT | TransmissionType::JOINTINPARENT => Kind::Joint,
            TransmissionType::SLIDERCRANK | TransmissionType::SITE => Kind::Site,
            TransmissionType::TENDON => Kind::Tendon,
            TransmissionType::BODY => Kind::Body,
            // an orientation servo turns a ball joint, or one site against another
            TransmissionType::SO3 if second >= 0 => Kind::Site,
            TransmissionType::SO3 => Kind::Joint,
        })
    }

    /// Kind of the objects to which an actuator may add armature and damping; none if it acts on others.
    pub fn reflected_kind(&self, a: usize) -> Option<Kind> {
        match TransmissionType::of(self.actuator_trntype[a])? {
            TransmissionType::JOINT | TransmissionType::JOINTINPARENT => Some(Kind::Joint),
            TransmissionType::TENDON => Some(Kind::Tendon),
            TransmissionType::SLIDERCRANK
            | TransmissionType::SITE
            | TransmissionType::BODY
            | TransmissionType::SO3 => None,
        }
    }

    /// Degrees of freedom that move a body, root first.
    pub(crate) fn dofs_of(&self, body: usize) -> Vec<usize> {
        let mut at = body;
        while self.body_dofnum[at] == 0 && at > 0 {
            at = self.body_parentid[at] as usize;
        }
        let mut dof =
            if self.body_dofnum[at] == 0 { -1 } else { self.body_dofadr[at] + self.body_dofnum[at] - 1 };
        let mut dofs = Vec::new();
        while let Ok(d) = usize::try_from(dof) {
            dofs.push(d);
            dof = self.dof_parentid[d];
        }
        dofs.reverse();
        dofs
    }

    /// Columns of a tendon's Jacobian: the degrees of freedom of its joints, one listed twice with both entries; or, once
    /// each, all that move a site or geom of its path.
    pub fn tendon_columns(&self, t: usize) -> Vec<i32> {
        let mut dofs = Vec::new();
        let mut bodies = Vec::new();
        for w in self.path_of(t) {
            match (self.wrap_type[w], self.body_of_wrap(w)) {
                (wrap::JOINT, Some(_)) => dofs.push(self.jnt_dofadr[self.wrap_objid[w] as usize]),
                (_, body) => bodies.extend(body),
            }
        }
        bodies.sort_unstable();
        bodies.dedup();
        // chains towards the roots, until they meet one that was taken
        let mut taken = std::collections::BTreeSet::new();
        for body in bodies {
            for d in self.dofs_of(body).into_iter().rev() {
                if !taken.insert(d as i32) {
                    break;
                }
            }
        }
        dofs.extend(taken);
        dofs.sort_unstable();
        dofs
    }

    /// Number of kinematic trees along a tendon, and the first two; -1 for none.
    pub fn tendon_trees(&self, t: usize) -> (i32, [i32; 2]) {
        let mut trees: Vec<i32> = Vec::new();
        for w in self.path_of(t) {
            let tree = self.body_of_wrap(w).map_or(-1, |body| self.body_treeid[body]);
            if tree >= 0 && !trees.contains(&tree) {
                trees.push(tree);
            }
        }
        let first = [0, 1].map(|k| trees.get(k).copied().unwrap_or(-1));
        (trees.len() as i32, first)
    }

    /// `dof_momentbegin` and `dof_momentend` of the columns of the actuator moments.
    pub fn dof_moments(&self) -> [Vec<i32>; 2] {
        let (mut begin, mut end) = (vec![0; self.sizes.nv], vec![0; self.sizes.nv]);
        for (k, &dof) in self.moment_colind.iter().enumerate() {
            let dof = dof as usize;
            if end[dof] == 0 {
                begin[dof] = k as i32;
            }
            end[dof] = k as i32 + 1;
        }
        [begin, end]
    }

    /// Columns of the moment of one output of an actuator.
    pub fn moment_columns(&self, a: usize, row: usize) -> Vec<i32> {
        let id = |i: usize| usize::try_from(self.actuator_trnid[2 * a + i]).ok();
        let Some(target) = id(0) else {
            return Vec::new();
        };
        let site = |s: usize| self.dofs_of(self.site_bodyid[s] as usize);
        let ids = |dofs: Vec<usize>| dofs.into_iter().map(|d| d as i32).collect();
        let Some(kind) = TransmissionType::of(self.actuator_trntype[a]) else {
            return Vec::new();
        };
        match (kind, id(1)) {
            (TransmissionType::TENDON, _) => {
                let adr = self.ten_J_rowadr[target] as usize;
                self.ten_J_colind[adr..adr + self.ten_J_rownnz[target] as usize].to_vec()
            }
            (TransmissionType::SITE | TransmissionType::SO3, Some(reference)) => {
                // dofs common to both sites cancel: the chains are equal from the root to where they part
                let (one, two) = (site(target), site(reference));
                let common = one.iter().zip(&two).take_while(|(a, b)| a == b).count();
                let mut dofs = [&one[common..], &two[common..]].concat();
                dofs.sort_unstable();
                ids(dofs)
            }
            (TransmissionType::SITE, None) => ids(site(target)),
            (TransmissionType::SLIDERCRANK, slider) => {
                let mut dofs = site(target);
                dofs.extend(slider.map(site).unwrap_or_default());
                dofs.sort_unstable();
                dofs.dedup();
                ids(dofs)
            }
            (TransmissionType::SO3, None) => vec![self.jnt_dofadr[target] + row as i32],
            // adhesion: any body may be in contact
            (TransmissionType::BODY, _) => (0..self.sizes.nv as i32).collect(),
            (TransmissionType::JOINT | TransmissionType::JOINTINPARENT, _) => {
                let count = joint_widths(self.jnt_type[target]).1 as i32;
                (self.jnt_dofadr[target]..self.jnt_dofadr[target] + count).collect()
            }
        }
    }
}

/// First places of runs of given lengths.
fn starts(lengths: &[i32]) -> Vec<i32> {
    let mut next = 0;
    let start = |n: &i32| {
        let start = next;
        next += n;
        start
    };
    lengths.iter().map(start).collect()
}
