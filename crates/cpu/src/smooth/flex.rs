//! Deformable bodies: positions of vertices, lengths of edges and their Jacobians.
//!
//! A vertex is a point of a body, and moves with it, or stands between nodes that do. An edge is a straight line between two
//! vertices: its length changes by the difference of their velocities along it. Edges have no length in a flex of which all
//! vertices are on one body, or between nodes.

use std::ops::Range;

use super::body_point::{add_point_force, body_point, point_velocity, slides};
use super::cells::patch_rotations;
use super::flex_mesh::{edge_ends, edge_vector, edges_of, vertices_of};
use super::jacobian::{last_dof, moving_column};
use super::nodes::{NodeGrid, interpolated_position, node_positions};
use super::vertex_strain::strain_vertices;
use crate::math::{Vec3, dot, length, set_vec3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::edgeequality;

/// `flexvert_xpos`, `flexedge_length` and `flexedge_J` of all flexes.
pub fn flex<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for f in 0..m.sizes.nflex {
        let grid = NodeGrid::of(m, f);
        if let Some(grid) = &grid {
            node_positions(m, d, f, grid);
            patch_rotations(m, d, f);
        }
        for vert in vertices_of(m, f) {
            let pos = match &grid {
                Some(grid) => interpolated_position(m, d, grid, vert),
                None => body_point(d, m.flex_vertbodyid[vert] as usize, vec3(&m.flex_vert, vert)),
            };
            set_vec3(&mut d.flexvert_xpos, vert, pos);
        }
        match m.flex_dim[f] {
            1 => bound_elements::<T, 2>(m, d, f),
            2 => bound_elements::<T, 3>(m, d, f),
            _ => bound_elements::<T, 4>(m, d, f),
        }
        // edges between nodes have no length
        if grid.is_some() {
            d.flexedge_length[edges_of(m, f)].fill(T::ZERO);
            no_strain(m, d, f);
            continue;
        }
        let acts = has_edge_rows(m, f);
        if acts && is_upright(m, d, f) {
            stretch_upright_edges(m, d, f);
        } else {
            edges_of(m, f).for_each(|edge| stretch_edge(m, d, f, edge, acts));
        }
        let is_sheet = m.flex_dim[f] == 2 && m.flex_rigid[f] == 0;
        if m.flex_edgeequality[f] == edgeequality::VERTICES && is_sheet {
            strain_vertices(m, d, f);
        } else {
            no_strain(m, d, f);
        }
    }
    // rows that nothing needs take elements behind all others
    let used: i32 = m.flexedge_J_rownnz.iter().sum();
    d.flexedge_J[used as usize..].fill(T::ZERO);
}

/// Strain around the vertices of a flex that does not keep it.
fn no_strain<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) {
    let verts = vertices_of(m, f);
    d.flexvert_length[2 * verts.start..2 * verts.end].fill(T::ZERO);
}

/// True if the Jacobian of the edges of a flex is computed: as in the reference not where only the strain of vertices is kept.
fn has_edge_rows<T: Real>(m: &Model<T>, f: usize) -> bool {
    let numbers = [m.flex_edgestiffness[f], m.flex_edgedamping[f], m.flex_damping[f]];
    m.flex_edgeequality[f] != edgeequality::VERTICES || numbers.iter().any(|x| *x != T::ZERO)
}

/// Bounding boxes of the elements of a flex, of `N` vertices each, with its radius.
fn bound_elements<T: Real, const N: usize>(m: &Model<T>, d: &mut Data<T>, f: usize) {
    let (first, count) = (m.flex_elemadr[f] as usize, m.flex_elemnum[f] as usize);
    let adr = m.flex_elemdataadr[f] as usize;
    let elements = m.flex_elem[adr..adr + N * count].as_chunks::<N>().0;
    let places = d.flexvert_xpos[3 * m.flex_vertadr[f] as usize..].as_chunks::<3>().0;
    let boxes = d.flexelem_aabb[6 * first..6 * (first + count)].as_chunks_mut::<6>().0;
    let (half, radius) = (T::of(0.5), m.flex_radius[f]);
    for (bounds, element) in boxes.iter_mut().zip(elements) {
        let corners = element.map(|vert| places[vert as usize]);
        for k in 0..3 {
            let (mut low, mut high) = (corners[0][k], corners[0][k]);
            for corner in &corners[1..] {
                low = if corner[k] < low { corner[k] } else { low };
                high = if corner[k] > high { corner[k] } else { high };
            }
            bounds[k] = (low + high) * half;
            bounds[3 + k] = (high - low) * half + radius;
        }
    }
}

/// Length of an edge, and its Jacobian: the motion of the second vertex along the edge less that of the first.
fn stretch_edge<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize, edge: usize, acts: bool) {
    if m.flex_rigid[f] != 0 {
        d.flexedge_length[edge] = T::ZERO;
        return;
    }
    let ends = edge_ends(m, f, edge);
    let along = edge_vector(d, ends);
    d.flexedge_length[edge] = length(along);
    let adr = m.flexedge_J_rowadr[edge] as usize;
    let end = adr + m.flexedge_J_rownnz[edge] as usize;
    if !acts {
        return d.flexedge_J[adr..end].fill(T::ZERO);
    }
    let direction = direction_of(along, d.flexedge_length[edge]);
    let [b1, b2] = ends.map(|vert| m.flex_vertbodyid[vert] as usize);
    if let (Some(one), Some(two)) = (slides(m, b1), slides(m, b2)) {
        return stretch_between_slides(m, d, edge, direction, [one, two]);
    }
    let (mut i1, mut i2) = (last_dof(m, b1), last_dof(m, b2));
    // from both ends towards the root until they meet; the row's columns ascend, and hold all that is passed
    let mut k = end;
    while k > adr {
        k -= 1;
        let column = m.flexedge_J_colind[k];
        let mut moment = T::ZERO;
        if i1 != i2 && column == i1.max(i2) {
            let (dof, vert, body, sign) =
                if i1 > i2 { (i1, ends[0], b1, -T::ONE) } else { (i2, ends[1], b2, T::ONE) };
            let point = vec3(&d.flexvert_xpos, vert);
            moment = sign * dot(direction, moving_column(m, d, dof as usize, body, point).lin);
            let next = m.dof_parentid[dof as usize];
            if i1 > i2 {
                i1 = next;
            } else {
                i2 = next;
            }
        }
        d.flexedge_J[k] = moment;
    }
}

/// True if every vertex of a flex slides along the axes of the world, as most do, and every edge has a row over both of its
/// vertices.
fn is_upright<T: Real>(m: &Model<T>, d: &Data<T>, f: usize) -> bool {
    let axes = d.cdof.as_chunks::<6>().0;
    let is_unit = |dof: usize, k: usize| axes[dof][3..] == Vec3::<T>::unit(k).0;
    m.flex_rigid[f] == 0
        && m.flexedge_J_rownnz[edges_of(m, f)].iter().all(|count| *count == 6)
        && m.flex_vertbodyid[vertices_of(m, f)].iter().all(|body| {
            let dofs = slides(m, *body as usize).unwrap_or(0..0);
            dofs.len() == 3 && dofs.enumerate().all(|(k, dof)| is_unit(dof, k))
        })
}

/// Lengths and Jacobians of the edges of a flex whose vertices slide along the axes of the world: the Jacobian is the direction,
/// and minus the direction for the first vertex.
fn stretch_upright_edges<T: Real>(m: &Model<T>, d: &mut Data<T>, f: usize) {
    let all = edges_of(m, f);
    let places = d.flexvert_xpos[3 * m.flex_vertadr[f] as usize..].as_chunks::<3>().0;
    let bodies = &m.flex_vertbodyid[vertices_of(m, f)];
    let ends = m.flex_edge[2 * all.start..2 * all.end].as_chunks::<2>().0;
    let (addresses, lengths) = (&m.flexedge_J_rowadr[all.clone()], &mut d.flexedge_length[all]);
    for ((ends, adr), to) in ends.iter().zip(addresses).zip(lengths) {
        let [one, two] = ends.map(|vert| vert as usize);
        let along = Vec3(places[two]) - Vec3(places[one]);
        *to = length(along);
        let direction = direction_of(along, *to);
        // the degrees of freedom of the lower body come first
        let upper = if bodies[one] < bodies[two] { direction } else { -direction };
        let row = &mut d.flexedge_J[*adr as usize..*adr as usize + 6];
        row[..3].copy_from_slice(&(-upper).0);
        row[3..].copy_from_slice(&upper.0);
    }
}

/// Unit vector along a vector whose length is known; x where that is zero.
#[inline(always)]
pub(super) fn direction_of<T: Real>(along: Vec3<T>, length: T) -> Vec3<T> {
    if length < T::MINVAL { Vec3::X } else { along * (T::ONE / length) }
}

/// Jacobian of an edge between two bodies that only slide: the row holds the degrees of freedom of both, the lower ones first.
fn stretch_between_slides<T: Real>(
    m: &Model<T>,
    d: &mut Data<T>,
    edge: usize,
    direction: Vec3<T>,
    [one, two]: [Range<usize>; 2],
) {
    let adr = m.flexedge_J_rowadr[edge] as usize;
    let row = &mut d.flexedge_J[adr..adr + m.flexedge_J_rownnz[edge] as usize];
    let axes = d.cdof.as_chunks::<6>().0;
    // nothing reads the rows of some flexes
    if row.is_empty() {
        return;
    }
    // of two vertices on one body, neither moves against the other
    if one == two {
        return row.fill(T::ZERO);
    }
    let (lower, upper, pull) =
        if one.start < two.start { (one, two, -direction) } else { (two, one, direction) };
    let (moments, others) = row.split_at_mut(lower.len());
    for (moments, dofs, pull) in [(moments, lower, pull), (others, upper, -pull)] {
        slide_moments(&axes[dofs], pull, moments);
    }
}

/// Moments of a pull along axes on which a body slides: three of them, as a rule, for which the loop has a fixed length.
#[inline(always)]
fn slide_moments<T: Real>(axes: &[[T; 6]], pull: Vec3<T>, moments: &mut [T]) {
    let moment = |axis: &[T; 6]| pull[0] * axis[3] + pull[1] * axis[4] + pull[2] * axis[5];
    if let (Ok(axes), Ok(moments)) = (<&[_; 3]>::try_from(axes), <&mut [_; 3]>::try_from(&mut *moments)) {
        (0..3).for_each(|k| moments[k] = moment(&axes[k]));
    } else {
        moments.iter_mut().zip(axes).for_each(|(to, axis)| *to = moment(axis));
    }
}

/// `flexedge_J` of an edge times a vector.
#[inline(always)]
pub fn mul_edge_jac<T: Real>(m: &Model<T>, d: &Data<T>, edge: usize, x: &[T]) -> T {
    let adr = m.flexedge_J_rowadr[edge] as usize;
    let row = adr..adr + m.flexedge_J_rownnz[edge] as usize;
    let (moments, columns) = (&d.flexedge_J[row.clone()], &m.flexedge_J_colind[row]);
    // of two vertices that slide, as a rule, for which the loop has a fixed length
    if let (Ok(moments), Ok(columns)) = (<&[_; 6]>::try_from(moments), <&[_; 6]>::try_from(columns)) {
        return (0..6).fold(T::ZERO, |sum, k| sum + moments[k] * x[columns[k] as usize]);
    }
    let elements = moments.iter().zip(columns);
    elements.fold(T::ZERO, |sum, (moment, column)| sum + *moment * x[*column as usize])
}

/// Velocity of a vertex.
pub fn vertex_velocity<T: Real>(m: &Model<T>, d: &Data<T>, vert: usize) -> Vec3<T> {
    point_velocity(m, d, m.flex_vertbodyid[vert] as usize, vec3(&d.flexvert_xpos, vert))
}

/// Adds a force at a vertex to generalised forces.
pub fn add_vertex_force<T: Real>(m: &Model<T>, d: &Data<T>, vert: usize, force: Vec3<T>, to: &mut [T]) {
    let at = (m.flex_vertbodyid[vert] as usize, vec3(&d.flexvert_xpos, vert));
    add_point_force(m, d, at, force, to);
}
