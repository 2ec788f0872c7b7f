//! Deformable bodies: validation, and everything derived from vertices and elements.

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "what is not a number is wrong too")]

mod elastic;
mod interpolated;
mod jacobian;
mod mesh;
mod modes;
mod options;
mod plane;
pub(super) mod reach;
mod stability;
mod store;
pub(super) mod weights;

use std::collections::HashMap;

use glam::{DMat3, DQuat, DVec3};

use crate::spec::{Flex, Kind, Ref, Spec};
use manyworlds_model::schema::enums::{EqualityType, JointType};

use super::Build;
use interpolated::Grid;
use mesh::Mesh;

/// Constraints of `flex_edgeequality`.
const EDGES: i32 = 1;
const VERTICES: i32 = 2;
const STRAIN: i32 = 3;

/// Elastic forces of 2D elements and shells.
const BEND: i32 = 1;
const BOTH: i32 = 3;

/// Upper bound on numbers of an interpolated flex's stiffness.
const MAX_STIFFNESS: usize = 1 << 27;

/// Body data for validation and vertex positions.
struct Setting {
    /// World poses at qpos0.
    poses: Vec<(DVec3, DQuat)>,
    /// Bodies with only damped slide joints.
    damped: Vec<bool>,
}

/// A resolved flex.
#[derive(Debug, Default)]
pub(crate) struct CompiledFlex {
    /// Bodies of vertices and nodes.
    pub(crate) vert_body: Vec<usize>,
    pub(crate) node_body: Vec<usize>,
    pub(crate) rigid: bool,
    pub(crate) centered: bool,
    /// World positions of vertices and nodes; nodes are rotated back into the axes of their grid.
    pub(crate) vert: Vec<DVec3>,
    pub(crate) node: Vec<DVec3>,
    /// Rotation of the node grid, or of the plane of constrained vertices.
    pub(crate) turn: DQuat,
    /// Equality constraint, as `flex_edgeequality`.
    tied: i32,
    mesh: Mesh,
    /// Element stiffness and edge bending.
    stiffness: Vec<f64>,
    bending: Vec<f64>,
}

impl Build<'_> {
    /// Resolves and validates all flexes.
    pub(crate) fn compiled_flexes(&mut self) {
        if self.spec.flexes.is_empty() {
            return;
        }
        let setting = Setting::new(self.spec);
        for f in 0..self.spec.flexes.len() {
            if self.log.is_full() {
                return;
            }
            let compiled_flex = self.compiled_flex(f, &setting).unwrap_or_default();
            self.compiled_flexes.push(compiled_flex);
        }
    }

    fn compiled_flex(&self, f: usize, setting: &Setting) -> Option<CompiledFlex> {
        let flex = &self.spec.flexes[f];
        self.check_numbers(flex)?;
        let count = if flex.vert.is_empty() { flex.vert_body.len() } else { flex.vert.len() / 3 };
        self.check_elements(flex, count)?;
        self.check_nodes(flex)?;
        let bodies = |list: &[Ref]| -> Option<Vec<usize>> {
            list.iter().map(|b| self.resolve(Kind::Body, b, flex.base.scope)).collect()
        };
        let mut vert_body = bodies(&flex.vert_body)?;
        let node_body = bodies(&flex.node_body)?;
        let one = vert_body.iter().all(|b| *b == vert_body[0]);
        vert_body.resize(count, vert_body[0]);
        let rigid = one && !flex.interpolated();
        let offsets = if flex.interpolated() { &flex.node } else { &flex.vert };
        let centered = offsets.iter().all(|&x| x == 0.0);
        if !rigid {
            let bodies = if flex.interpolated() { &node_body } else { &vert_body };
            self.check_bodies(flex, bodies, setting);
        }
        let poses = &setting.poses;
        let place = |body: &[usize], local: &[f64]| -> Vec<DVec3> {
            let at = |i: usize| local.get(3 * i..3 * i + 3).map_or(DVec3::ZERO, DVec3::from_slice);
            body.iter().enumerate().map(|(i, &b)| poses[b].0 + poses[b].1 * at(i)).collect()
        };
        let vert = place(&vert_body, &flex.vert);
        let mut node = place(&node_body, &flex.node);
        let turn = self.grid_turn(flex, &node)?;
        node.iter_mut().for_each(|n| *n = turn.conjugate() * *n);
        let mut mesh = Mesh::new(&flex.elem, flex.dim as usize, &vert);
        let tied = self.constraint_of(f);
        let mut turn = turn;
        if tied == VERTICES && flex.dim == 2 && !rigid && !flex.interpolated() {
            turn = self.vertex_plane(flex, &mesh, &vert)?;
        }
        let place: Vec<DVec3> = vert.iter().map(|&v| turn.conjugate() * v).collect();
        let (stiffness, bending) = if flex.interpolated() {
            self.interpolated(flex, &place, &node, tied)?
        } else {
            self.elastic(flex, &mesh, &vert)?
        };
        if stiffness.iter().chain(&bending).any(|x| !x.is_finite()) {
            let message = format!("the stiffness of {} is not a finite number", self.flex_name(flex));
            self.bad(flex, "name", message, "young=\"…\" or the sizes are too large or too small");
            return None;
        }
        // only bending uses the vertices opposite to edges
        if bending.is_empty() {
            mesh.flap.fill([-1; 2]);
        }
        Some(CompiledFlex {
            vert_body,
            node_body,
            rigid,
            centered,
            vert,
            node,
            turn,
            tied,
            mesh,
            stiffness,
            bending,
        })
    }

    /// Element stiffness and bending of a flex with vertices on bodies.
    fn elastic(&self, flex: &Flex, mesh: &Mesh, vert: &[DVec3]) -> Option<(Vec<f64>, Vec<f64>)> {
        let (e, name) = (&flex.elasticity, self.flex_name(flex));
        if e.young > 0.0
            && (mesh.dim == 3 || mesh.dim == 2 && e.elastic2d != 0)
            && let Some(element) = elastic::flat(mesh, vert)
        {
            let corners = &mesh.elem[(mesh.dim + 1) * element..(mesh.dim + 1) * (element + 1)];
            let message =
                format!("element {element} of {name} is flat, vertices {corners:?}: it has no stiffness");
            self.bad(flex, "element", message, "move its vertices apart, or remove young=\"…\"");
            return None;
        }
        let bending = match elastic::rods(mesh, vert, e, flex.radius) {
            Ok(rods) if mesh.dim == 1 => rods,
            Ok(_) => elastic::bending(mesh, vert, e),
            Err(elastic::Fault::Bent(v)) => {
                let message = format!("{name} is elastic, but bent at vertex {v}");
                self.bad(flex, "vertex", message, "an elastic flex of lines must be straight at qpos0");
                return None;
            }
            Err(elastic::Fault::Short(v)) => {
                let message = format!("an edge of {name} at vertex {v} has no length");
                self.bad(flex, "vertex", message, "move its ends apart, or remove young=\"…\"");
                return None;
            }
        };
        if mesh.dim == 2 && !bending.is_empty() {
            self.check_fans(flex, mesh);
        }
        Some((elastic::stiffness(mesh, vert, e), bending))
    }

    /// Warns of an edge of more than two triangles: it bends between two of them.
    fn check_fans(&self, flex: &Flex, mesh: &Mesh) {
        let mut triangles = vec![0; mesh.edge.len()];
        mesh.elem_edge.iter().for_each(|&e| triangles[e as usize] += 1);
        if let Some(e) = triangles.iter().position(|&n| n > 2) {
            let (name, [a, b]) = (self.flex_name(flex), mesh.edge[e]);
            let message =
                format!("{} triangles of {name} meet at the edge of vertices {a} and {b}", triangles[e]);
            let help = "it bends only between the first and the last of them";
            self.log.warn(flex.base.at.of("element"), message, help);
        }
    }

    /// Stiffness and bending of an interpolated flex, from vertices and nodes along the axes of its grid.
    fn interpolated(
        &self,
        flex: &Flex,
        vert: &[DVec3],
        node: &[DVec3],
        tied: i32,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let (e, shell, strained) = (&flex.elasticity, flex.is_shell(), tied == STRAIN);
        let (elastic, grid) = (e.young > 0.0, Grid::new(flex, node));
        let stiff = strained || elastic && !(shell && e.elastic2d == BEND);
        if stiff && grid.stiffness_len(shell) > MAX_STIFFNESS {
            let message = format!("the stiffness of {} takes too much memory", self.flex_name(flex));
            self.bad(flex, "cellcount", message, "use fewer cells");
            return None;
        }
        let empty = || flex.empty_cells(vert, box_of(node));
        let stiffness = match (stiff, strained, shell) {
            (false, ..) => Vec::new(),
            (true, true, true) => grid.shell_modes(e),
            (true, true, false) => grid.solid_modes(&empty()),
            (true, false, true) => grid.shell(e),
            (true, false, false) => grid.solid(e, &empty()),
        };
        let bends = shell && elastic && matches!(e.elastic2d, BEND | BOTH);
        Some((stiffness, if bends { grid.bending(e) } else { Vec::new() }))
    }

    /// Rotation of the plane of constrained vertices.
    fn vertex_plane(&self, flex: &Flex, mesh: &Mesh, vert: &[DVec3]) -> Option<DQuat> {
        let plane = plane::plane(mesh, vert);
        if plane.is_none() {
            let message = format!("the vertices of {} do not span one plane", self.flex_name(flex));
            self.bad(flex, "vertex", message, "a constraint of vertices needs a flat flex at qpos0");
        }
        plane
    }

    /// Equality constraint of a flex: 0 none, 1 edges, 2 vertices, 3 strain.
    fn constraint_of(&self, f: usize) -> i32 {
        let number = |kind: EqualityType| match kind {
            EqualityType::FLEX => Some(EDGES),
            EqualityType::FLEXVERT => Some(VERTICES),
            EqualityType::FLEXSTRAIN => Some(STRAIN),
            EqualityType::CONNECT | EqualityType::WELD | EqualityType::JOINT | EqualityType::TENDON => None,
        };
        let mut kinds = self.spec.equalities.iter().filter_map(|equality| {
            let (kind, (_, target)) = (number(equality.kind)?, equality.targets.first()?);
            let found = self.index.resolve(self.spec, Kind::Flex, &target.name, equality.base.scope);
            (found == Some(f)).then_some(kind)
        });
        kinds.next().unwrap_or(0)
    }

    /// Name of a flex in messages.
    fn flex_name(&self, flex: &Flex) -> String {
        self.called("flex", &flex.base)
    }

    /// Reports a problem with an attribute; returns `None` for `?` chains.
    fn bad(&self, flex: &Flex, attr: &str, message: impl Into<String>, help: &str) -> Option<()> {
        self.wrong(flex.base.at.of(attr), message, help);
        None
    }

    /// Checks scalars and list lengths.
    fn check_numbers(&self, flex: &Flex) -> Option<()> {
        let (name, e) = (self.flex_name(flex), &flex.elasticity);
        if !(1..=3).contains(&flex.dim) {
            return self.bad(flex, "dim", format!("'dim' is {}", flex.dim), "1, 2 or 3");
        }
        if flex.vert_body.is_empty() {
            return self.bad(flex, "body", format!("{name} names no bodies"), "name one, or one per vertex");
        }
        if !flex.vert.len().is_multiple_of(3) || !flex.node.len().is_multiple_of(3) {
            let attr = if flex.vert.len().is_multiple_of(3) { "nodecoord" } else { "vertex" };
            let message = format!("'{attr}' of {name} is no list of points");
            return self.bad(flex, attr, message, "three numbers for each point");
        }
        if flex.edge_stiffness > 0.0 && flex.dim > 1 {
            let message = format!("{name} has stiff edges, but is not of dimension 1");
            return self.bad(flex, "element", message, "use <elasticity>");
        }
        if flex.dim == 3 && flex.contact.activelayers < 1 {
            let message = format!("'activelayers' of {name} is {}", flex.contact.activelayers);
            return self.bad(flex, "name", message, "at least 1: only elements of active layers collide");
        }
        if flex.dim == 1 && e.young > 0.0 && e.section == 0 && flex.radius <= 0.0 {
            let message = format!("{name} is elastic, but its radius is not positive");
            return self.bad(
                flex,
                "radius",
                message,
                "the section of an elastic flex of lines has the radius",
            );
        }
        for (attr, value) in [("young", e.young), ("damping", e.damping)] {
            if value < 0.0 {
                let message = format!("'{attr}' of {name} is negative");
                self.log.warn(
                    flex.base.at.of("name"),
                    message,
                    "it is meant to be positive, or zero for none",
                );
            }
        }
        let checked = e.young > 0.0 || e.elastic2d != 0;
        if checked && !(0.0..0.5).contains(&e.poisson) {
            let message = format!("Poisson's ratio {} of {name} is out of range", e.poisson);
            return self.bad(flex, "name", message, "from 0 to less than 0.5");
        }
        if e.elastic2d != 0 && e.thickness <= 0.0 {
            let message = format!("the thickness of {name} is not positive");
            return self.bad(flex, "name", message, "elastic2d needs thickness=\"…\" in <elasticity>");
        }
        if e.elastic2d != 0 && flex.dim != 2 && !flex.interpolated() {
            let message = format!("{name} has elastic2d, but is not of dimension 2");
            return self.bad(flex, "dim", message, "remove elastic2d");
        }
        if flex.dim == 1 && e.young > 0.0 && e.section == 1 && e.sectionsize.iter().any(|&s| s <= 0.0) {
            let message = format!("the section of {name} has no size");
            return self.bad(flex, "name", message, "give sectionsize=\"…\" two positive numbers");
        }
        Some(())
    }

    /// Checks elements and their attributes.
    fn check_elements(&self, flex: &Flex, count: usize) -> Option<()> {
        let (name, dim) = (self.flex_name(flex), flex.dim as usize);
        if !flex.vert.is_empty() && ![1, count].contains(&flex.vert_body.len()) {
            let message = format!("{name} has {} bodies for {count} vertices", flex.vert_body.len());
            return self.bad(flex, "body", message, "name one body, or one for each vertex");
        }
        if flex.elem.is_empty() || !flex.elem.len().is_multiple_of(dim + 1) {
            let message = format!("the elements of {name} have {} vertices", flex.elem.len());
            return self.bad(flex, "element", message, "dim + 1 for each element");
        }
        if count < dim + 1 {
            let message = format!("{name} has {count} vertices");
            return self.bad(flex, "body", message, "at least dim + 1");
        }
        let known = |e: i32| usize::try_from(e).is_ok_and(|e| e < count);
        if let Some(e) = flex.elem.iter().find(|e| !known(**e)) {
            let message = format!("an element of {name} has the vertex {e}, but there are {count}");
            return self.bad(flex, "element", message, "vertices are counted from 0");
        }
        let repeats = |e: &&[i32]| (1..e.len()).any(|i| e[..i].contains(&e[i]));
        if let Some(element) = flex.elem.chunks_exact(dim + 1).find(repeats) {
            let message = format!("an element of {name} has a vertex twice: {element:?}");
            return self.bad(flex, "element", message, "name different vertices");
        }
        if !flex.texcoord.is_empty() && flex.texcoord.len() != 2 * count && flex.elemtexcoord.is_empty() {
            let message = format!("{name} has {} texture coordinates", flex.texcoord.len());
            return self.bad(flex, "texcoord", message, "two for each vertex, or name them by elemtexcoord");
        }
        Some(())
    }

    /// Checks the node grid.
    fn check_nodes(&self, flex: &Flex) -> Option<()> {
        let (name, nodes) = (self.flex_name(flex), flex.node_body.len());
        if flex.order == 0 {
            if nodes > 0 {
                let message = format!("{name} has nodes, but no interpolation");
                return self.bad(flex, "node", message, "add dof=\"trilinear\" or dof=\"quadratic\"");
            }
            return Some(());
        }
        if flex.cellcount.contains(&0) {
            let message = format!("{name} has no cells along an axis");
            return self.bad(flex, "cellcount", message, "at least 1 along each axis");
        }
        let along = flex.cellcount.map(|c| i64::from(c) * i64::from(flex.order) + 1);
        let expected = along.iter().fold(1_i64, |n, &c| n.saturating_mul(c));
        if expected != nodes as i64 || along.iter().any(|&c| c < 1) {
            let message = format!("{name} has {nodes} nodes, its cells have {expected}");
            return self.bad(flex, "node", message, "one for each corner of the cells");
        }
        if !flex.node.is_empty() && flex.node.len() != 3 * nodes {
            let message = format!("{name} has {} numbers for {nodes} nodes", flex.node.len());
            return self.bad(flex, "nodecoord", message, "three for each node");
        }
        Some(())
    }

    /// Checks bodies: those of free vertices have no damping of their own, mocap bodies carry no elasticity.
    fn check_bodies(&self, flex: &Flex, bodies: &[usize], setting: &Setting) {
        let (spec, name) = (self.spec, self.flex_name(flex));
        let called = |b: usize| self.called("body", &spec.bodies[b].base);
        // rods only with damping
        let e = &flex.elasticity;
        if e.young > 0.0 && (flex.dim > 1 || e.damping > 0.0) && !flex.interpolated() {
            let mut carried = vec![false; spec.bodies.len()];
            for (b, body) in spec.bodies.iter().enumerate().skip(1) {
                carried[b] = body.mocap || carried[body.parent];
            }
            if let Some(&b) = bodies.iter().find(|b| carried[**b]) {
                let message = format!("{name} is elastic, but {} moves with a mocap body", called(b));
                self.bad(flex, "body", message, "a mocap body carries a flex only without elasticity");
            }
        }
        let mut own = HashMap::new();
        for &b in bodies {
            *own.entry(b).or_insert(0) += 1;
        }
        if let Some(&b) = bodies.iter().find(|b| own[b] == 1 && setting.damped[**b]) {
            let message = format!("{} of a vertex of {name} has joint damping", called(b));
            self.bad(flex, "body", message, "use damping of <elasticity> or <edge>");
        }
    }

    /// Rotation of the node grid, whose axes must be orthogonal.
    fn grid_turn(&self, flex: &Flex, node: &[DVec3]) -> Option<DQuat> {
        if flex.order == 0 {
            return Some(DQuat::IDENTITY);
        }
        let (order, cells) =
            (flex.order as usize, flex.cellcount.map(|c| c as usize * flex.order as usize + 1));
        let along = [order * cells[1] * cells[2], order * cells[2], order];
        let axes = along.map(|i| (node[i] - node[0]).normalize_or_zero());
        let mat = DMat3::from_cols(axes[0], axes[1], axes[2]);
        let off = (mat.transpose() * mat - DMat3::IDENTITY).to_cols_array();
        if off.iter().any(|x| !(x.abs() <= 1e-8)) {
            let message = format!("the nodes of {} are no grid with right angles", self.flex_name(flex));
            self.bad(flex, "node", message, "order them z fastest, then y, then x");
            return None;
        }
        Some(DQuat::from_mat3(&mat))
    }
}

/// Corners of the bounding box of points.
fn box_of(points: &[DVec3]) -> (DVec3, DVec3) {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.iter().fold(start, |(low, high), &p| (low.min(p), high.max(p)))
}

impl Setting {
    fn new(spec: &Spec) -> Self {
        let mut poses = vec![(DVec3::ZERO, DQuat::IDENTITY); spec.bodies.len()];
        for (b, body) in spec.bodies.iter().enumerate().skip(1) {
            let (pos, quat) = poses[body.parent];
            poses[b] = (pos + quat * body.pose.pos, (quat * body.pose.quat).normalize());
        }
        let mut damped = vec![false; spec.bodies.len()];
        let damps = |j: &crate::spec::Joint| {
            j.damping.iter().any(|&d| d != 0.0) || j.springdamper.iter().all(|&s| s > 0.0)
        };
        spec.joints.iter().filter(|j| damps(j)).for_each(|j| damped[j.body] = true);
        spec.joints.iter().filter(|j| j.kind != JointType::SLIDE).for_each(|j| damped[j.body] = false);
        spec.geoms.iter().for_each(|g| damped[g.body] = false);
        spec.bodies.iter().for_each(|b| damped[b.parent] = false);
        Self { poses, damped }
    }
}
