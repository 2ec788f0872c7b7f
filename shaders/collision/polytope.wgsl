// Convex polytopes: the hull of a mesh, a prism under a triangle of a height field, and an element of a flex.
// Twin: crates/cpu/src/collision/polytope.rs. Vertices and polygons are numbered within the mesh. The support vertex is
// one of a few that a table lists for a cell of directions; where many are nearly equally far, it is found by hill climbing
// along hull edges; small hulls are searched exhaustively.

// In place of a mesh: shapes without vertices, the prism, and the simplices of elements: the first side of a pair, or below it
// the second.
const NO_HULL: i32 = -1;
const PRISM_HULL: i32 = -2;
const SIMPLEX_HULL: i32 = -3;

// Fewest vertices of a mesh of which only some are looked at.
const TABLE_MIN: u32 = 10u;

// Most vertices of a polygon used for clipping; larger polygons are subsampled evenly.
const MAX_POLYGON_CORNERS: u32 = 60u;

// Below every height.
const LOWEST_F32: f32 = -3.4e38;

// Vertices of the prism: its base, then its top, relative to its centre.
var<private> prism_points: array<vec3f, 6>;

//#if FLEX_HULL
// Vertices of the simplices of both sides, relative to their centres; their number, and the radius around them.
var<private> simplex_points: array<vec3f, 8>;
var<private> simplex_count: array<u32, 2>;
var<private> simplex_radius: array<f32, 2>;

// Side of a simplex.
fn simplex_side(mesh: i32) -> u32 {
    return u32(SIMPLEX_HULL - mesh);
}

// Outward unit normal of a side of a triangle, or of the face of a tetrahedron opposite to a vertex.
fn simplex_normal(side: u32, polygon: u32) -> vec3f {
    let count = simplex_count[side];
    let first = select(0u, polygon + 1u, count == 4u);
    let p = simplex_points[4u * side + first % count];
    let q = simplex_points[4u * side + (first + 1u) % count];
    let r = simplex_points[4u * side + (first + 2u) % count];
    let across = cross(q - p, r - p);
    var inside = polygon > 0u;
    if (count == 4u) {
        inside = dot(across, simplex_points[4u * side + polygon] - p) > 0.0;
    }
    return across * (select(1.0, -1.0, inside) / max(sqrt(dot(across, across)), MINVAL));
}
//#endif

// True for an element of a flex.
fn is_simplex(mesh: i32) -> bool {
//#if FLEX_HULL
    return mesh <= SIMPLEX_HULL;
//#else
    return false;
//#endif
}

// Position of a vertex in the frame of the mesh.
fn vertex(mesh: i32, v: u32) -> vec3f {
//#if FLEX_HULL
    if (mesh <= SIMPLEX_HULL) {
        return simplex_points[4u * simplex_side(mesh) + v];
    }
//#endif
//#if HFIELD
    if (mesh == PRISM_HULL) {
        return prism_points[v];
    }
//#endif
    return mesh_vert_vec3(u32(mesh_vertadr(u32(mesh))) + v);
}

// Number of vertices.
fn vertices(mesh: i32) -> u32 {
//#if FLEX_HULL
    if (mesh <= SIMPLEX_HULL) {
        return simplex_count[simplex_side(mesh)];
    }
//#endif
//#if HFIELD
    if (mesh == PRISM_HULL) {
        return 6u;
    }
//#endif
    return u32(mesh_vertnum(u32(mesh)));
}

// Cell of a cube's faces that a direction goes through.
fn direction_cell(l: vec3f) -> u32 {
    let size = abs(l);
    let third = select(1u, 2u, size.z > size.y);
    let axis = select(third, 0u, size.x >= size.y && size.x >= size.z);
    // the component along the axis, and the two after it
    let turned = select(select(l.zxy, l.yzx, axis == 1u), l, axis == 0u);
    let half = 0.5 * f32(cells_side);
    // whatever becomes of a number that is none, the cell exists
    let cell = min(vec2u(max(half + turned.yz * (half / abs(turned.x)), vec2f(0.0))), vec2u(cells_side - 1u));
    let face = 2u * axis + u32(turned.x < 0.0);
    return cells_side * (cells_side * face + cell.x) + cell.y;
}

// Support vertex in direction l, the first of equals in search order.
fn support(mesh: i32, l: vec3f) -> u32 {
    var count = vertices(mesh);
    var graph = -1;
    if (mesh >= 0 && count >= TABLE_MIN) {
        graph = mesh_graphadr(u32(mesh));
    }
    // the vertices that are listed for the direction, or the one from which a search climbs
    var listed = 0u;
    var start = -1;
    if (graph >= 0) {
        let begins = u32(mesh_supportadr(u32(mesh)));
        let cell = begins + direction_cell(l);
        let lists = begins + 6u * cells_side * cells_side + 1u;
        listed = lists + u32(mesh_support(cell));
        start = -1 - mesh_support(listed);
        count = select(lists + u32(mesh_support(cell + 1u)) - listed, 0u, start >= 0);
    }
    // all vertices of a small mesh, or those of a cell
    var farthest = 0u;
    var top = LOWEST_F32;
    for (var k = 0u; k < count; k++) {
        var v = k;
        if (graph >= 0) {
            v = u32(mesh_support(listed + k));
        }
        let value = dot(vertex(mesh, v), l);
        if (value > top) {
            top = value;
            farthest = v;
        }
    }
    if (start >= 0) {
        return hill_climb(mesh, u32(graph), u32(start), l);
    }
    return farthest;
}

// Support vertex of the hull of a mesh by hill climbing from vertex `start` of its graph.
fn hill_climb(mesh: i32, graph: u32, start: u32, l: vec3f) -> u32 {
    let corners = u32(mesh_graph(graph));
    let lists = graph + 2u;
    var best = start;
    var farthest = u32(mesh_graph(lists + corners + start));
    var top = dot(vertex(mesh, farthest), l);
    // every step is higher, so there are no more steps than vertices
    for (var turn = 0u; turn < corners; turn++) {
        let before = best;
        let edge = lists + 2u * corners + u32(mesh_graph(lists + best));
        for (var k = 0u; k < corners; k++) {
            let next = mesh_graph(edge + k);
            if (next < 0) {
                break;
            }
            let v = u32(mesh_graph(lists + corners + u32(next)));
            let value = dot(vertex(mesh, v), l);
            if (value > top) {
                top = value;
                best = u32(next);
                farthest = v;
            }
        }
        if (best == before) {
            break;
        }
    }
    return farthest;
}

// First entry and number of the vertices of a mesh polygon.
fn polygon_range(mesh: i32, polygon: u32) -> vec2u {
    let id = u32(mesh_polyadr(u32(mesh))) + polygon;
    return vec2u(u32(mesh_polyvertadr(id)), u32(mesh_polyvertnum(id)));
}

// Vertex k of three of a prism polygon: base, top, sides.
fn prism_corner(polygon: u32, k: u32) -> vec3f {
    if (polygon < 2u) {
        return prism_points[3u * polygon + k];
    }
    let side = polygon - 2u;
    let base = select((side + 1u) % 3u, side, k == 0u);
    return prism_points[base + select(0u, 3u, k == 2u)];
}

// Outward unit normal of a polygon.
fn normal(mesh: i32, polygon: u32) -> vec3f {
//#if FLEX_HULL
    if (mesh <= SIMPLEX_HULL) {
        return simplex_normal(simplex_side(mesh), polygon);
    }
//#endif
//#if HFIELD
    if (mesh == PRISM_HULL) {
        let p = prism_corner(polygon, 0u);
        let across = cross(prism_corner(polygon, 1u) - p, prism_corner(polygon, 2u) - p);
        let length = max(sqrt(dot(across, across)), MINVAL);
        // away from the centre
        return across * (select(1.0, -1.0, dot(across, p) < 0.0) / length);
    }
//#endif
    return mesh_polynormal_vec3(u32(mesh_polyadr(u32(mesh))) + polygon);
}

// Number of polygons at a vertex.
fn valence(mesh: i32, v: u32) -> u32 {
//#if FLEX_HULL
    if (mesh <= SIMPLEX_HULL) {
        return simplex_count[simplex_side(mesh)] - 1u;
    }
//#endif
//#if HFIELD
    if (mesh == PRISM_HULL) {
        return 3u;
    }
//#endif
    return u32(mesh_polymapnum(u32(mesh_vertadr(u32(mesh))) + v));
}

// Polygon k at a vertex.
fn ring_polygon(mesh: i32, v: u32, k: u32) -> u32 {
//#if FLEX_HULL
    if (mesh <= SIMPLEX_HULL) {
        return select(k, (v + 1u + k) % 4u, simplex_count[simplex_side(mesh)] == 4u);
    }
//#endif
//#if HFIELD
    if (mesh == PRISM_HULL) {
        return select(2u + (v + 2u * (k - 1u)) % 3u, v / 3u, k == 0u);
    }
//#endif
    return u32(mesh_polymap(u32(mesh_polymapadr(u32(mesh_vertadr(u32(mesh))) + v)) + k));
}

// Neighbour of a vertex along its edge k: the preceding vertex of polygon k at it.
fn ring_vertex(mesh: i32, v: u32, k: u32) -> u32 {
//#if FLEX_HULL
    if (mesh <= SIMPLEX_HULL) {
        return (v + 1u + k) % simplex_count[simplex_side(mesh)];
    }
//#endif
//#if HFIELD
    if (mesh == PRISM_HULL) {
        return select(v / 3u * 3u + (v + k) % 3u, (v + 3u) % 6u, k == 0u);
    }
//#endif
    let outline = polygon_range(mesh, ring_polygon(mesh, v, k));
    var before = u32(mesh_polyvert(outline.x + outline.y - 1u));
    for (var c = 0u; c < outline.y; c++) {
        let corner = u32(mesh_polyvert(outline.x + c));
        if (corner == v) {
            break;
        }
        before = corner;
    }
    return before;
}

// True if a vertex is one of a polygon's; of a prism's, any is.
fn has_vertex(mesh: i32, polygon: u32, v: u32) -> bool {
//#if FLEX_HULL
    if (mesh <= SIMPLEX_HULL) {
        return true;
    }
//#endif
//#if HFIELD
    if (mesh == PRISM_HULL) {
        return true;
    }
//#endif
    let outline = polygon_range(mesh, polygon);
    for (var c = 0u; c < outline.y; c++) {
        if (u32(mesh_polyvert(outline.x + c)) == v) {
            return true;
        }
    }
    return false;
}

// Number of vertices of a mesh polygon used for clipping.
fn corners(mesh: i32, polygon: u32) -> u32 {
    return min(polygon_range(mesh, polygon).y, MAX_POLYGON_CORNERS);
}

// The c-th vertex used for clipping, clockwise from outside.
fn corner(mesh: i32, polygon: u32, c: u32) -> u32 {
    let outline = polygon_range(mesh, polygon);
    return u32(mesh_polyvert(outline.x + outline.y - 1u - c * outline.y / min(outline.y, MAX_POLYGON_CORNERS)));
}
