//! Convex polytopes: the hull of a mesh, and a prism under a triangle of a height field.
//!
//! Vertices and polygons are numbered within the mesh. The support vertex is one of a few that a table lists for a cell of
//! directions; where many are nearly equally far, it is found by hill climbing along hull edges (Dobkin and Kirkpatrick, *A
//! linear algorithm for determining the separation of convex polyhedra*, 1985, climb a hierarchy instead); small hulls are
//! searched exhaustively.

use crate::math::{Vec3, cross, dot, length, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;
use manyworlds_model::schema::{CELLS, CELLS_SIDE};

/// Fewest vertices of a mesh of which only some are looked at.
const TABLE_MIN: usize = 10;

/// Most vertices of a polygon used for clipping; larger polygons are subsampled evenly.
pub const MAX_POLYGON_CORNERS: usize = 60;

/// A convex polytope.
#[derive(Clone, Copy)]
pub enum Hull<'a, T: Real> {
    /// A shape that is not a polytope.
    None,
    /// The convex hull of a mesh.
    Mesh(MeshHull<'a, T>),
    /// A prism: the vertices of its base, then those of its top above them, relative to its centre.
    Prism([Vec3<T>; 6]),
    /// A triangle or a tetrahedron with a radius around it: its first three or four vertices, relative to its centre.
    Simplex {
        /// Vertices.
        corners: [Vec3<T>; 4],
        /// Number of vertices.
        count: usize,
        /// Radius around it.
        radius: T,
    },
}

/// The convex hull of a mesh: where the model has its vertices and polygons.
#[derive(Clone, Copy)]
pub struct MeshHull<'a, T: Real> {
    /// Vertices of the mesh.
    vertices: &'a [[T; 3]],
    /// Normals of the polygons.
    normals: &'a [T],
    /// For each polygon: its first entry in `corners`, and its number of vertices.
    polygons: [&'a [i32]; 2],
    /// Vertices of the polygons of all meshes.
    corners: &'a [i32],
    /// For each vertex: its first entry in `rings`, and its number of polygons.
    around: [&'a [i32]; 2],
    /// Polygons at the vertices of all meshes.
    rings: &'a [i32],
    /// Where the farthest vertices are; none for a small hull.
    table: Option<SupportTable<'a>>,
}

impl<'a, T: Real> MeshHull<'a, T> {
    /// The hull of a mesh.
    #[inline(always)]
    pub fn of(m: &'a Model<T>, mesh: usize) -> Self {
        let (first, count) = (m.mesh_vertadr[mesh] as usize, m.mesh_vertnum[mesh] as usize);
        let polygon = m.mesh_polyadr[mesh] as usize;
        let graph = usize::try_from(m.mesh_graphadr[mesh]).ok().filter(|_| count >= TABLE_MIN);
        Self {
            vertices: &m.mesh_vert.as_chunks().0[first..first + count],
            normals: &m.mesh_polynormal[3 * polygon..],
            polygons: [&m.mesh_polyvertadr[polygon..], &m.mesh_polyvertnum[polygon..]],
            corners: &m.mesh_polyvert,
            around: [&m.mesh_polymapadr[first..], &m.mesh_polymapnum[first..]],
            rings: &m.mesh_polymap,
            table: graph.map(|adr| SupportTable::of(m, mesh, &m.mesh_graph[adr..])),
        }
    }

    /// First entry and number of the vertices of a polygon.
    #[inline(always)]
    fn polygon_range(&self, polygon: usize) -> (usize, usize) {
        let [first, count] = self.polygons.map(|of| of[polygon] as usize);
        (first, count)
    }
}

/// The support vertices of a hull by direction, and its graph.
#[derive(Clone, Copy)]
struct SupportTable<'a> {
    /// Where the list of each cell of directions begins, and the last one ends.
    begins: &'a [i32],
    /// Lists of support vertices, of this mesh first.
    lists: &'a [i32],
    /// The number of vertices, which the graph numbers by themselves, and that of faces; for each vertex its first neighbour;
    /// the vertices of the mesh; lists of neighbours, each of which ends with a negative number.
    graph: &'a [i32],
}

impl<'a> SupportTable<'a> {
    /// The table of a mesh whose graph begins with `graph`.
    #[inline(always)]
    fn of<T: Real>(m: &'a Model<T>, mesh: usize, graph: &'a [i32]) -> Self {
        let (begins, lists) = m.mesh_support[m.mesh_supportadr[mesh] as usize..].split_at(CELLS + 1);
        Self { begins, lists, graph }
    }

    /// Support vertices in a cell of directions.
    #[inline(always)]
    fn cell(&self, cell: usize) -> &'a [i32] {
        &self.lists[self.begins[cell] as usize..self.begins[cell + 1] as usize]
    }
}

/// Three vertices of each polygon of a prism: base, top, sides.
const PRISM: [[usize; 3]; 5] = [[0, 1, 2], [3, 4, 5], [0, 1, 4], [1, 2, 5], [2, 0, 3]];

impl<T: Real> Hull<'_, T> {
    /// Position of a vertex.
    pub fn vertex(&self, v: usize) -> Vec3<T> {
        match self {
            Self::None => Vec3::ZERO,
            Self::Mesh(hull) => Vec3(hull.vertices[v]),
            Self::Prism(corners) => corners[v],
            Self::Simplex { corners, .. } => corners[v],
        }
    }

    /// Number of vertices.
    fn vertices(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Mesh(hull) => hull.vertices.len(),
            Self::Prism(_) => 6,
            Self::Simplex { count, .. } => *count,
        }
    }

    /// Support vertex in direction `l`, the first of equals that the search meets.
    #[inline(always)]
    pub fn support(&self, l: Vec3<T>) -> usize {
        match self {
            Self::Mesh(MeshHull { vertices, table: Some(table), .. }) => {
                let listed = table.cell(direction_cell(l));
                match listed[0] {
                    start if start < 0 => hill_climb(vertices, table.graph, (-1 - start) as usize, l),
                    _ => farthest(listed.iter().map(|v| *v as usize), |v| dot(Vec3(vertices[v]), l)),
                }
            }
            Self::Mesh(MeshHull { vertices, .. }) => {
                farthest(0..vertices.len(), |v| dot(Vec3(vertices[v]), l))
            }
            _ => farthest(0..self.vertices(), |v| dot(self.vertex(v), l)),
        }
    }

    /// Outward unit normal of a polygon.
    #[inline(always)]
    pub fn normal(&self, polygon: usize) -> Vec3<T> {
        match self {
            Self::None => Vec3::ZERO,
            Self::Mesh(hull) => vec3(hull.normals, polygon),
            Self::Prism(corners) => {
                let [p, q, r] = PRISM[polygon].map(|k| corners[k]);
                let across = cross(q - p, r - p);
                let length = length(across).max(T::MINVAL);
                // away from the centre
                across * if dot(across, p) < T::ZERO { -T::ONE / length } else { T::ONE / length }
            }
            Self::Simplex { corners, count, .. } => {
                // of a tetrahedron, the face opposite to a vertex; of a triangle, both sides
                let first = if *count == 4 { polygon + 1 } else { 0 };
                let [p, q, r] = [0, 1, 2].map(|k| corners[(first + k) % count]);
                let across = cross(q - p, r - p);
                let length = length(across).max(T::MINVAL);
                let inside =
                    if *count == 4 { dot(across, corners[polygon] - p) > T::ZERO } else { polygon > 0 };
                across * if inside { -T::ONE / length } else { T::ONE / length }
            }
        }
    }

    /// Number of polygons at a vertex.
    pub fn valence(&self, v: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Mesh(hull) => hull.around[1][v] as usize,
            Self::Prism(_) => 3,
            Self::Simplex { count, .. } => count - 1,
        }
    }

    /// Polygon `k` at a vertex.
    #[inline(always)]
    pub fn ring_polygon(&self, v: usize, k: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Mesh(hull) => hull.rings[hull.around[0][v] as usize + k] as usize,
            Self::Prism(_) => {
                let around = [v / 3, 2 + v % 3, 2 + (v + 2) % 3];
                around[k]
            }
            Self::Simplex { count, .. } => {
                if *count == 4 {
                    (v + 1 + k) % 4
                } else {
                    k
                }
            }
        }
    }

    /// Neighbour of a vertex along its edge `k`: the preceding vertex of polygon `k` at it.
    #[inline(always)]
    pub fn ring_vertex(&self, v: usize, k: usize) -> usize {
        match self {
            Self::None => v,
            Self::Mesh(hull) => {
                let (adr, count) = hull.polygon_range(self.ring_polygon(v, k));
                let corners = &hull.corners[adr..adr + count];
                let at = corners.iter().position(|c| *c as usize == v).unwrap_or(0);
                corners[if at == 0 { count } else { at } - 1] as usize
            }
            Self::Prism(_) => [(v + 3) % 6, v / 3 * 3 + (v + 1) % 3, v / 3 * 3 + (v + 2) % 3][k],
            Self::Simplex { count, .. } => (v + 1 + k) % count,
        }
    }

    /// Number of vertices of a mesh polygon.
    pub fn sides(&self, polygon: usize) -> usize {
        match self {
            Self::Mesh(hull) => hull.polygon_range(polygon).1,
            _ => 0,
        }
    }

    /// Vertex `c` of a mesh polygon, counterclockwise from outside.
    pub fn polygon_vertex(&self, polygon: usize, c: usize) -> usize {
        match self {
            Self::Mesh(hull) => hull.corners[hull.polygon_range(polygon).0 + c] as usize,
            _ => 0,
        }
    }

    /// True if a vertex is one of a polygon's; of a prism's, any is.
    pub fn has_vertex(&self, polygon: usize, v: usize) -> bool {
        let Self::Mesh(hull) = self else { return true };
        let (adr, count) = hull.polygon_range(polygon);
        hull.corners[adr..adr + count].iter().any(|c| *c as usize == v)
    }

    /// Number of vertices of a mesh polygon used for clipping.
    pub fn corners(&self, polygon: usize) -> usize {
        self.sides(polygon).min(MAX_POLYGON_CORNERS)
    }

    /// Vertex `c` used for clipping, clockwise from outside.
    pub fn corner(&self, polygon: usize, c: usize) -> usize {
        let count = self.sides(polygon);
        // each of a polygon that is not subsampled
        let at = if count > MAX_POLYGON_CORNERS { c * count / MAX_POLYGON_CORNERS } else { c };
        self.polygon_vertex(polygon, count - 1 - at)
    }
}

/// The first of the highest of some vertices.
#[inline(always)]
fn farthest<T: Real>(mut vertices: impl Iterator<Item = usize>, height: impl Fn(usize) -> T) -> usize {
    let Some(mut best) = vertices.next() else { return 0 };
    let mut most = height(best);
    for v in vertices {
        let value = height(v);
        if value > most {
            most = value;
            best = v;
        }
    }
    best
}

/// Cell of a cube's faces that a direction goes through, as `mesh_support` numbers them.
fn direction_cell<T: Real>(l: Vec3<T>) -> usize {
    let [x, y, z] = l.0;
    let size = l.map(T::abs);
    // the component along the axis, and the two after it
    let (axis, [along, one, two]) = if size[0] >= size[1] && size[0] >= size[2] {
        (0, [x, y, z])
    } else if size[2] > size[1] {
        (2, [z, x, y])
    } else {
        (1, [y, z, x])
    };
    let half = T::of(0.5 * CELLS_SIDE as f64);
    let scale = half / along.abs();
    // a direction that is not a number is in the first cell
    let cell = |x: T| ((half + x * scale).f64() as usize).min(CELLS_SIDE - 1);
    let face = 2 * axis + usize::from(along < T::ZERO);
    CELLS_SIDE * (CELLS_SIDE * face + cell(one)) + cell(two)
}

/// Support vertex of the hull of a mesh by hill climbing from vertex `start` of its graph.
fn hill_climb<T: Real>(vertices: &[[T; 3]], graph: &[i32], start: usize, l: Vec3<T>) -> usize {
    let count = graph[0] as usize;
    let (lists, graph) = graph[2..].split_at(count);
    let (corners, edges) = graph.split_at(count);
    let height = |k: usize| dot(Vec3(vertices[corners[k] as usize]), l);
    let mut best = start;
    let mut most = height(best);
    loop {
        let from = best;
        for &next in &edges[lists[from] as usize..] {
            if next < 0 {
                break;
            }
            let value = height(next as usize);
            if value > most {
                most = value;
                best = next as usize;
            }
        }
        if best == from {
            return corners[best] as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::collision::collision::collision;
    use crate::collision::convex::convex_distance;
    use crate::collision::pair::convex_shape;
    use crate::collision::support_map::ConvexShape;
    use crate::math::random::Random;
    use crate::math::{Mat3, Quat, quat_to_mat, set_mat3, set_vec3};
    use manyworlds_model::model::data::{Capacity, Data};

    /// A box and a mesh of the same shape, a mesh with many vertices, a ball, a floor and a flat height field.
    const SHAPES: &str = "<mujoco><asset>
        <mesh name='cube' vertex='-.1 -.12 -.08 .1 -.12 -.08 -.1 .12 -.08 .1 .12 -.08
          -.1 -.12 .08 .1 -.12 .08 -.1 .12 .08 .1 .12 .08'/>
        <mesh name='ball' builtin='sphere' params='2'/>
        <mesh name='disc' builtin='cone' params='60 .9'/>
        <hfield name='flat' nrow='3' ncol='4' size='2 2 1 .5' elevation='0 0 0 0 0 0 0 0 0 0 0 0'/></asset>
        <worldbody><geom type='plane' size='1 1 1'/><geom type='hfield' hfield='flat'/>
        <body><freejoint/><geom type='box' size='.1 .12 .08'/></body>
        <body><freejoint/><geom type='mesh' mesh='cube'/></body>
        <body><freejoint/><geom type='mesh' mesh='ball'/></body>
        <body><freejoint/><geom size='.1'/></body>
        <body><freejoint/><geom type='mesh' mesh='disc'/></body></worldbody></mujoco>";
    const PLANE: usize = 0;
    const FIELD: usize = 1;
    const CUBOID: usize = 2;
    const CUBE: usize = 3;
    const BALL: usize = 4;
    const SPHERE: usize = 5;
    const DISC: usize = 6;

    fn shapes() -> (Model, Data) {
        let model = manyworlds_mjcf::load_str(SHAPES).unwrap();
        let data = Data::new(&model, Capacity { nconmax: 64, njmax: 64 });
        (model, data)
    }

    fn place(d: &mut Data, g: usize, pose: (Vec3<f64>, Mat3<f64>)) {
        set_vec3(&mut d.geom_xpos, g, pose.0);
        set_mat3(&mut d.geom_xmat, g, pose.1);
    }

    /// Inertial axes of the cube in the frame that its vertices were given in.
    fn own_axes(m: &Model) -> Mat3<f64> {
        let at = 4 * m.geom_dataid[CUBE] as usize;
        quat_to_mat(Quat([m.mesh_quat[at], m.mesh_quat[at + 1], m.mesh_quat[at + 2], m.mesh_quat[at + 3]]))
    }

    #[test]
    fn a_table_finds_what_a_look_at_all_vertices_does() {
        let (m, _) = shapes();
        let mut random = Random(1);
        let mut climbing = 0;
        for geom in [BALL, DISC] {
            let mesh = m.geom_dataid[geom] as usize;
            let hull = MeshHull::of(&m, mesh);
            let Some(table) = hull.table else { panic!("no table of mesh {mesh}") };
            let (hull, verts) = (Hull::Mesh(hull), 0..m.mesh_vertnum[mesh] as usize);
            assert!(verts.len() > TABLE_MIN);
            for k in 0..600 {
                // everywhere, and near the axes, where the disc has its rims
                let mut l = random.vector();
                l[k % 3] *= if k % 2 == 0 { 1.0 } else { 1e3 };
                climbing += usize::from(table.cell(direction_cell(l))[0] < 0);
                let all = verts.clone().map(|v| dot(hull.vertex(v), l));
                let most = all.fold(f64::MIN, f64::max);
                assert!((dot(hull.vertex(hull.support(l)), l) - most).abs() < 1e-12 * length(l));
            }
        }
        assert!(climbing > 20, "{climbing}");
    }

    #[test]
    fn a_cube_as_a_mesh_is_a_box() {
        let (m, mut d) = shapes();
        let mut random = Random(2);
        for other in [BALL, SPHERE] {
            for _ in 0..60 {
                place(&mut d, CUBOID, random.pose(0.05));
                place(&mut d, other, random.pose(0.3));
                let known = convex_shape(&m, &d, CUBOID);
                let mut meshed = ConvexShape { shape: known.shape, ..convex_shape(&m, &d, CUBE) };
                meshed.shape.mat = known.shape.mat * own_axes(&m);
                let against = convex_shape(&m, &d, other);
                let (x, y) = (
                    convex_distance(&known, &against, 9.0).unwrap(),
                    convex_distance(&meshed, &against, 9.0).unwrap(),
                );
                assert!((x.dist - y.dist).abs() < 1e-6, "{other}: {x:?} {y:?}");
            }
        }
    }

    #[test]
    fn distances_of_meshes_are_along_the_normal_turn_around_and_move_with_them() {
        let (m, mut d) = shapes();
        let mut random = Random(3);
        let (mut deep, mut other) = (0, 0);
        for _ in 0..300 {
            for g in [CUBE, BALL] {
                place(&mut d, g, random.pose(0.8));
            }
            let (a, b) = (convex_shape(&m, &d, CUBE), convex_shape(&m, &d, BALL));
            let (there, back) =
                (convex_distance(&a, &b, 9.0).unwrap(), convex_distance(&b, &a, 9.0).unwrap());
            let apart = there.to - there.from;
            assert!(length(apart - there.normal * there.dist) < 1e-9, "{there:?}");
            deep += usize::from(there.dist < 0.0);
            let (shift, turn) = random.pose(1.0);
            let (mut c, mut e) = (a, b);
            for s in [&mut c, &mut e] {
                *s = s.at(turn * s.shape.pos + shift);
                s.shape.mat = turn * s.shape.mat;
            }
            let moved = convex_distance(&c, &e, 9.0).unwrap();
            // another of several minima that are nearly as deep
            let same = (there.dist - back.dist).abs() < 1e-9 && (there.dist - moved.dist).abs() < 1e-9;
            other += usize::from(!same);
            assert!(same || there.dist < 0.0, "{there:?} {back:?} {moved:?}");
        }
        assert!(deep > 100 && other * 25 < deep, "{other} of {deep}");
    }

    #[test]
    fn a_cube_stands_on_four_corners_and_a_sphere_lies_on_a_flat_field_as_on_a_plane() {
        let (m, mut d) = shapes();
        let upright = Mat3::IDENTITY;
        let far = |k: usize| (Vec3([9.0 * k as f64, 50.0, 50.0]), upright);
        for g in 0..m.sizes.ngeom {
            place(&mut d, g, far(g));
        }
        place(&mut d, PLANE, (Vec3::ZERO, upright));
        place(&mut d, CUBE, (Vec3([0.0, 0.0, 0.0799]), own_axes(&m)));
        collision(&m, &mut d);
        assert_eq!(d.ncon[0], 4);
        for k in 0..4 {
            assert!((d.contact_dist[k] + 1e-4).abs() < 1e-7);
            assert!((d.contact_pos[3 * k].abs() - 0.1).abs() < 1e-7);
        }
        // the plane far below
        place(&mut d, PLANE, (Vec3([0.0, 0.0, -9.0]), upright));
        place(&mut d, CUBE, far(CUBE));
        place(&mut d, FIELD, (Vec3::ZERO, upright));
        place(&mut d, SPHERE, (Vec3([0.35, 0.15, 0.095]), upright));
        collision(&m, &mut d);
        assert!(d.ncon[0] >= 1);
        assert!((d.contact_dist[0] + 0.005).abs() < 1e-9, "{}", d.contact_dist[0]);
        assert!(length(vec3(&d.contact_frame, 0) - Vec3::Z) < 1e-9);
    }
}
