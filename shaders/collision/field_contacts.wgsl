// Contacts of signed distance fields. Twin: crates/cpu/src/collision/field_contacts.rs, which explains the method.
// The schedule differs: a contact has the number of the search that finds it, so that lanes share the searches of a
// pair, and all steps of a search are turns of one loop, in which the fields have one call. This call has gradients,
// which backtracking does not need. What spares the twin steps, bounds of fields and what a search knows of a point,
// is left out: lanes of a group take their steps together.
//
// The tolerances are those of the twin. Gradients are of order one and their rounding 1e-7, so that a square of 1e-12
// is still none; the shortest step, halved from one, is 2^-14, along which a value falls by more than its rounding.

import package::collision::field::{self, Field, of_geom};
import package::collision::height_field::{Prisms, prisms_under, surface};
import package::collision::pair::{convex_shape, shape};
import package::collision::polytope::prism_points;
import package::collision::primitives::{ContactPoint, Shape};
import package::math::vector::{is_finite, normalize3};

// Share of the expected descent that a step has to make, and the shortest step relative to the gradient.
const ARMIJO: f32 = 0.1;
const SHORTEST: f32 = 1e-4;

// Most turns of a descent: the fields where it begins, and at steps of 1 to 2^-14.
const DESCENT_TURNS: u32 = 16u;

// Square of a gradient that is none.
const FLAT: f32 = 1e-12;

// Beyond every coordinate, turned too.
const BEYOND: f32 = 1e30;

// Searches of a pair, each for one contact: the pose of the first geom in the frame of the second, and the box in the
// frame of the first in which descents start.
struct Searches {
    g1: u32,
    g2: u32,
    pose: Shape,
    low: vec3f,
    high: vec3f,
    count: u32,
}

//#if FIELD_HFIELD
// Prisms of the height field of the current pair.
var<private> field_prisms: Prisms;
//#endif

// Starting points of a pair, or of a triangle.
fn initial_points() -> u32 {
    return u32(max(opt_sdf_initpoints(0u), 0));
}

// Steps of a search.
fn search_steps() -> u32 {
    return u32(max(opt_sdf_iterations(0u), 0));
}

// Searches of a triangle: the starts decide at which corner one begins.
fn corner_searches() -> u32 {
    return select(initial_points(), min(initial_points(), 3u), search_steps() > 0u);
}

// The searches of two geoms of which the second is a signed distance field.
fn searches(g1: u32, g2: u32) -> Searches {
    let a = shape(g1);
    var pair = Searches(g1, g2, relative(a, shape(g2)), vec3f(0.0), vec3f(0.0), 0u);
    let kind = geom_type(g1);
//#if FIELD_TRIANGLES
    if (kind == GEOM_MESH) {
        pair.count = corner_searches() * u32(mesh_facenum(u32(geom_dataid(g1))));
    }
//#endif
//#if FIELD_HFIELD
    if (kind == GEOM_HFIELD) {
        field_prisms = prisms_under(u32(geom_dataid(g1)), a, convex_shape(g2), 0.0);
        pair.count = corner_searches() * field_prisms.count;
    }
//#endif
//#if FIELD_OVERLAP
    if (kind != GEOM_MESH && kind != GEOM_HFIELD) {
        let bounds = common_box(g1, g2, pair.pose);
        pair.low = bounds[0];
        pair.high = bounds[1];
        // boxes that only the frame of the second separates are apart too
        let others = common_box(g2, g1, relative(shape(g2), a));
        let meet = all(bounds[0] <= bounds[1]) && all(others[0] <= others[1]);
        pair.count = select(0u, initial_points(), meet);
    }
//#endif
    return pair;
}

// The contact of a search; without penetration there is none.
fn search(s: Searches, index: u32) -> ContactPoint {
    var met = no_contact();
    let kind = geom_type(s.g1);
//#if FIELD_TRIANGLES
    if (kind == GEOM_MESH || kind == GEOM_HFIELD) {
        let triangle = index / corner_searches();
        var corners = mat3x3f();
        if (kind == GEOM_MESH) {
            corners = mesh_field(s.g1, triangle);
        }
//#if FIELD_HFIELD
        if (kind == GEOM_HFIELD) {
            corners = hfield_field(s.g1, triangle);
        }
//#endif
        let pos = s.pose.pos;
        let turned = s.pose.mat * corners;
        corners = mat3x3f(pos + turned[0], pos + turned[1], pos + turned[2]);
        met = triangle_field(s.g2, corners, index % corner_searches());
    }
//#endif
//#if FIELD_OVERLAP
    if (kind != GEOM_MESH && kind != GEOM_HFIELD) {
        met = field_field(s, index);
    }
//#endif
    return placed(met, shape(s.g2));
}

// No contact.
fn no_contact() -> ContactPoint {
    return ContactPoint(0.0, vec3f(0.0), vec3f(0.0), vec3f(0.0));
}

// Pose of a shape in the frame of another.
fn relative(a: Shape, b: Shape) -> Shape {
    return Shape((a.pos - b.pos) * b.mat, transpose(b.mat) * a.mat, a.size);
}

// A contact in the world.
fn placed(met: ContactPoint, frame: Shape) -> ContactPoint {
    return ContactPoint(met.dist, frame.pos + frame.mat * met.pos, frame.mat * met.normal, met.tangent);
}

// Number `i` of the low-discrepancy sequence of a base.
fn halton(i: u32, base: u32) -> f32 {
    var share = 1.0;
    var sum = 0.0;
    for (var left = i; left > 0u; left /= base) {
        share /= f32(base);
        sum += share * f32(left % base);
    }
    return sum;
}

// Common part of the bounding boxes of two geoms, in the frame of the first, from its lowest to its highest corner;
// these are exchanged along some axis if the boxes are apart.
fn common_box(g1: u32, g2: u32, pose: Shape) -> mat2x3f {
    let centre = geom_aabb_vec3(2u * g1);
    let half = geom_aabb_vec3(2u * g1 + 1u);
    var least = vec3f(BEYOND);
    var most = vec3f(-BEYOND);
    for (var k = 0u; k < 8u; k++) {
        // a corner of the second geom's box
        let up = vec3<bool>((k & 1u) != 0u, (k & 2u) != 0u, (k & 4u) != 0u);
        let size = geom_aabb_vec3(2u * g2 + 1u);
        let corner = (geom_aabb_vec3(2u * g2) + select(-size, size, up) - pose.pos) * pose.mat;
        least = min(least, corner);
        most = max(most, corner);
    }
    return mat2x3f(max(centre - half, least), min(centre + half, most));
}

// Two fields, in the frame of the second.
struct Overlap {
    one: Field,
    two: Field,
    // of the first geom in the frame of the second
    pose: Shape,
}

// Both fields at a point.
fn at(o: Overlap, x: vec3f) -> mat2x4f {
    var both = mat2x4f();
    for (var side = 0u; side < 2u; side++) {
        var f = o.two;
        var p = x;
        if (side == 0u) {
            f = o.one;
            p = (x - o.pose.pos) * o.pose.mat;
        }
        let here = field::at(f, p);
        if (side == 0u) {
            both[0] = vec4f(o.pose.mat * here.xyz, here.w);
        } else {
            both[1] = here;
        }
    }
    return both;
}

// The function that decides how deep a point is inside both: the larger of the two fields.
fn depth(both: mat2x4f) -> vec4f {
    return select(both[1], both[0], both[0].w > both[1].w);
}

// The function that leads points to both surfaces.
fn closeness(both: mat2x4f) -> vec4f {
    let larger = depth(both);
    return both[0] + both[1] + larger * sign(larger.w);
}

// Contact of the point to which a start descends, if both fields are negative there: along the closeness, then by one
// descent of the depth.
fn contact(o: Overlap, start: vec3f, iterations: u32) -> ContactPoint {
    var x = start;
    var both = mat2x4f();
    // the function at x, and its value where the last descent ended
    var here = vec4f(0.0);
    var dist = 0.0;
    // share of the gradient that is tried; zero where the fields are those at x
    var length = 0.0;
    var descents = 0u;
    for (var turn = 0u; turn <= DESCENT_TURNS * (iterations + 1u); turn++) {
        let next = select(x - here.xyz * length, x, length == 0.0);
        both = at(o, next);
        if (descents > iterations) {
            break;
        }
        var now = closeness(both);
        if (descents == iterations) {
            now = depth(both);
        }
        // a step down by backtracking: it arrives, or the function leads no further
        var ends = false;
        var arrives = false;
        if (length == 0.0) {
            here = now;
            length = 1.0;
            ends = dot(here.xyz, here.xyz) < FLAT;
        } else if (now.w - here.w <= -ARMIJO * length * dot(here.xyz, here.xyz) || length <= SHORTEST) {
            ends = now.w > here.w;
            arrives = !ends;
        } else if (!is_finite(now.w)) {
            ends = true;
        } else {
            length *= 0.5;
        }
        if (ends || arrives) {
            dist = select(now.w, here.w, ends);
            x = select(next, x, ends);
            length = 0.0;
            descents = select(descents + 1u, iterations, ends && descents < iterations);
        }
    }
    if (dist >= 0.0 || !is_finite(dist)) {
        return no_contact();
    }
    let normal = normalize3(normalize3(both[0].xyz) - normalize3(both[1].xyz));
    return ContactPoint(dist, x + normal * (0.5 * dist), normal, vec3f(0.0));
}

// Contact of two geoms of which one is a signed distance field, and the other one too or a primitive, from one start.
fn field_field(s: Searches, index: u32) -> ContactPoint {
    let share = vec3f(halton(index, 2u), halton(index, 3u), halton(index, 5u));
    let start = s.pose.pos + s.pose.mat * (s.low + (s.high - s.low) * share);
    return contact(Overlap(of_geom(s.g1), of_geom(s.g2), s.pose), start, search_steps());
}

// Corners of a triangle of a mesh, for its contacts with a signed distance field.
fn mesh_field(g1: u32, triangle: u32) -> mat3x3f {
    let mesh = u32(geom_dataid(g1));
    let face = 3u * (u32(mesh_faceadr(mesh)) + triangle);
    let vert = u32(mesh_vertadr(mesh));
    return mat3x3f(
        mesh_vert_vec3(vert + u32(mesh_face(face))),
        mesh_vert_vec3(vert + u32(mesh_face(face + 1u))),
        mesh_vert_vec3(vert + u32(mesh_face(face + 2u))));
}

//#if FIELD_HFIELD
// Corners of a triangle of a height field, likewise; they are beyond every box where the geom lies above it.
fn hfield_field(g1: u32, triangle: u32) -> mat3x3f {
    if (!surface(u32(geom_dataid(g1)), field_prisms, triangle)) {
        return mat3x3f(vec3f(BEYOND), vec3f(BEYOND), vec3f(BEYOND));
    }
    return mat3x3f(prism_points[3], prism_points[4], prism_points[5]);
}
//#endif

// The corner to which a function falls most: 0, 1 or 2.
fn downhill(gradient: vec3f, corners: mat3x3f) -> u32 {
    let slopes = gradient * corners;
    let least = select(0u, 1u, slopes.y < slopes.x);
    return select(least, 2u, slopes.z < min(slopes.x, slopes.y));
}

// One of three corners.
fn corner_at(corners: mat3x3f, k: u32) -> vec3f {
    return select(select(corners[0], corners[1], k == 1u), corners[2], k == 2u);
}

// Point `i` of a triangle at which a search starts.
fn triangle_start(corners: mat3x3f, i: u32) -> vec3f {
    let u = halton(i, 2u);
    let v = halton(i, 3u);
    return corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v;
}

// Contact of a triangle and the field of a geom, in the frame of the geom, from the corner that is number `part` of
// those at which the starts begin.
fn triangle_field(g: u32, corners: mat3x3f, part: u32) -> ContactPoint {
    // a triangle beside the box of the field is outside
    let centre = geom_aabb_vec3(2u * g);
    let half = geom_aabb_vec3(2u * g + 1u);
    let low = min(corners[0], min(corners[1], corners[2])) - centre;
    let high = max(corners[0], max(corners[1], corners[2])) - centre;
    if (any(low > half) || any(high < -half)) {
        return no_contact();
    }
    let two = of_geom(g);
    let iterations = search_steps();
    // without steps each start is a search; otherwise starts choose the corner first
    var i = select(1u, part + 1u, iterations == 0u);
    var x = triangle_start(corners, i);
    var seeks = iterations > 0u;
    // corners so far as bits, and their number
    var begun = 0u;
    var before = 0u;
    var k = 1u;
    for (var turn = 0u; turn <= initial_points() + iterations; turn++) {
        let here = field::at(two, x);
        let lowest = downhill(here.xyz, corners);
        if (seeks) {
            let is_new = (begun & (1u << lowest)) == 0u;
            begun = begun | (1u << lowest);
            if (is_new && before == part) {
                x = corner_at(corners, lowest);
                seeks = false;
                continue;
            }
            before += u32(is_new);
            i++;
            if (i > initial_points()) {
                return no_contact();
            }
            x = triangle_start(corners, i);
            continue;
        }
        if (k >= iterations) {
            if (here.w >= 0.0 || !is_finite(here.w)) {
                return no_contact();
            }
            let normal = -normalize3(here.xyz);
            return ContactPoint(here.w, x + normal * (0.5 * here.w), normal, vec3f(0.0));
        }
        x += (corner_at(corners, lowest) - x) * (2.0 / (f32(k) + 2.0));
        k++;
    }
    return no_contact();
}
