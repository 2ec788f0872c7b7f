//! Rays and deformable bodies: the first surface of a flex that a ray meets, its radius around all elements included.

use super::ray_mesh::{nearer, ray_triangle};
use super::ray_shape::{Hit, ray_shape};
use crate::math::{Mat3, Vec3, cross, dot, length, make_frame, mat_row, normalize3, transpose, vec3};
use crate::smooth::flex_mesh::{element_vertices, nodes_of, vertices_of};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// Nearest hit of a ray from `point` along `direction` on the lines, the triangles or the outer triangles of a flex. Requires the
/// computed positions of its vertices.
pub fn ray_flex<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    f: usize,
    point: Vec3<T>,
    direction: Vec3<T>,
) -> Option<Hit<T>> {
    let (first, radius) = (m.flex_vertadr[f] as usize, m.flex_radius[f]);
    let corner = |vert: usize| vec3(&d.flexvert_xpos, vert) - point;
    let mut best = None;
    if m.flex_dim[f] < 3 {
        for elem in 0..m.flex_elemnum[f] as usize {
            let mut corners = [Vec3::ZERO; 3];
            let verts = element_vertices(m, f, elem);
            corners.iter_mut().zip(verts).for_each(|(to, vert)| *to = corner(vert));
            let hit = if m.flex_dim[f] == 1 {
                ray_line([corners[0], corners[1]], radius, direction)
            } else {
                ray_rounded(corners, radius, direction)
            };
            best = nearer(best, hit);
        }
        return best;
    }
    let shell = m.flex_shelldataadr[f].max(0) as usize;
    for face in 0..m.flex_shellnum[f] as usize {
        let corners = [0, 1, 2].map(|k| corner(first + m.flex_shell[shell + 3 * face + k] as usize));
        best = nearer(best, ray_rounded(corners, radius, direction));
    }
    best
}

/// Hit of a ray from the origin on a triangle with a radius around it: both of its sides, and its edges.
fn ray_rounded<T: Real>(corners: [Vec3<T>; 3], radius: T, direction: Vec3<T>) -> Option<Hit<T>> {
    let [a, b, c] = corners;
    let normal = normalize3(cross(b - a, c - a));
    let mut best = None;
    for side in [normal, -normal] {
        let hit = ray_triangle(corners.map(|x| x + side * radius), Vec3::ZERO, direction);
        best = nearer(best, hit.map(|hit| Hit { normal: side, ..hit }));
    }
    for ends in [[a, b], [b, c], [c, a]] {
        best = nearer(best, ray_line(ends, radius, direction));
    }
    best
}

/// Hit of a ray from the origin on a line with a radius around it.
fn ray_line<T: Real>([a, b]: [Vec3<T>; 2], radius: T, direction: Vec3<T>) -> Option<Hit<T>> {
    let [axis, one, two] = [0, 1, 2].map(|k| mat_row(make_frame(normalize3(b - a)), k));
    let mat = transpose(Mat3::from_rows(one, two, axis));
    let half = T::of(0.5);
    let size = Vec3([radius, half * length(b - a), T::ZERO]);
    let hit = ray_shape(geom::CAPSULE, size, -(a + b) * half * mat, direction * mat)?;
    Some(Hit { normal: mat * hit.normal, ..hit })
}

/// Body whose vertex or node is the nearest one of a flex to a point; none of a flex without any.
pub fn nearest_flex_body<T: Real>(m: &Model<T>, d: &Data<T>, f: usize, point: Vec3<T>) -> Option<usize> {
    let between = m.flex_interp[f] != 0;
    let (range, bodies, places) = if between {
        (nodes_of(m, f), &m.flex_nodebodyid, &d.flexnode_xpos)
    } else {
        (vertices_of(m, f), &m.flex_vertbodyid, &d.flexvert_xpos)
    };
    let mut nearest: Option<(T, usize)> = None;
    for i in range {
        let offset = vec3(places, i) - point;
        let square = dot(offset, offset);
        if nearest.is_none_or(|(least, _)| square < least) {
            nearest = Some((square, bodies[i] as usize));
        }
    }
    nearest.map(|(_, body)| body)
}
