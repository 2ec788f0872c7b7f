// The attribute enclosed of sensors insidesite: the largest signed distance of an object's surface to a site, m;
// negative where the whole object is inside. Twin: crates/cpu/src/sensor/enclosed.rs.
//
// Distances to convex shapes are convex functions of the point: the largest is at a corner, an end, a vertex, or on a
// rim, along which a search follows the points that lie farthest along gradients.

import package::collision::primitives::Shape;
import package::collision::support_map::EPSILON;
import package::math::vector::normalize3;
import package::sensor::object_frames::frame_of;

// Starts of a search: the corners of a cube, then the middles of its faces.
const STARTS: u32 = 14u;

// Most distances that a search looks at.
const ROUNDS: u32 = 60u;

// Longest jump of a search, in steps.
const LONGEST_JUMP: f32 = 50.0;

// Most steps of Newton's method to the nearest point of an ellipsoid.
const ELLIPSOID_STEPS: u32 = 20u;

// Deeper than any point, m.
const DEEPEST: f32 = -1e30;

// Largest signed distance of the surface of a sensor's object to its site, m.
fn enclosed(s: u32) -> f32 {
    let what = sensor_objtype(s);
    let id = u32(max(sensor_objid(s), 0));
    let site = u32(max(sensor_refid(s), 0));
    let frame = frame_of(OBJECT_SITE, site);
    let turn = transpose(frame.mat);
    let kind = site_type(site);
    let size = site_size_vec3(site);
    // objects in the frame of the site
    if (what == OBJECT_SITE) {
        let other = frame_of(OBJECT_SITE, id);
        let part = Shape((other.pos - frame.pos) * frame.mat, turn * other.mat, site_size_vec3(id));
        return largest_distance(kind, size, site_type(id), part);
    }
    var most = DEEPEST;
    for (var g = 0u; g < ngeom; g++) {
        if (!is_sensed_part(what, id, g)) {
            continue;
        }
        let other = frame_of(OBJECT_GEOM, g);
        let part = Shape((other.pos - frame.pos) * frame.mat, turn * other.mat, geom_size_vec3(g));
        // no point is farther than its bounding sphere
        if (site_distance(kind, size, part.pos).w + geom_rbound(g) <= most) {
            continue;
        }
//#if ENCLOSED_MESH
        if (geom_type(g) == GEOM_MESH) {
            most = max(most, largest_of_vertices(kind, size, u32(geom_dataid(g)), part));
            continue;
        }
//#endif
        most = max(most, largest_distance(kind, size, geom_type(g), part));
    }
    return most;
}

// True if geom g belongs to a sensed object: it is the geom, or of the body, or for a body frame of a body below it.
fn is_sensed_part(what: i32, id: u32, g: u32) -> bool {
    if (what == OBJECT_GEOM) {
        return g == id;
    }
    var body = u32(geom_bodyid(g));
    // parents have lower ids
    while (what == OBJECT_XBODY && body > id) {
        body = u32(body_parentid(body));
    }
    return body == id;
}
//#if ENCLOSED_MESH

// Largest distance of the vertices of a mesh to a site: kind and size as in site_type and site_size.
fn largest_of_vertices(kind: i32, size: vec3f, mesh: u32, part: Shape) -> f32 {
    let first = u32(mesh_vertadr(mesh));
    let end = first + u32(mesh_vertnum(mesh));
    var most = DEEPEST;
    for (var v = first; v < end; v++) {
        most = max(most, site_distance(kind, size, part.pos + part.mat * mesh_vert_vec3(v)).w);
    }
    return most;
}
//#endif

// Largest distance of a primitive of type `what` to a site.
fn largest_distance(kind: i32, size: vec3f, what: i32, part: Shape) -> f32 {
    if (what == GEOM_ELLIPSOID || what == GEOM_CYLINDER) {
        return largest_on_rims(kind, size, what, part);
    }
    let is_box = what != GEOM_SPHERE && what != GEOM_CAPSULE;
    let points = select(select(2u, 1u, what == GEOM_SPHERE), 8u, is_box);
    var most = DEEPEST;
    for (var k = 0u; k < points; k++) {
        let p = part.pos + part.mat * extreme_point(what, part.size, k);
        most = max(most, site_distance(kind, size, p).w);
    }
    return most + select(part.size.x, 0.0, is_box);
}

// Extreme point k of a primitive without curved edges, less the radius of round ones: a centre, an end, a corner.
fn extreme_point(what: i32, own: vec3f, k: u32) -> vec3f {
    let direction = start_direction(k);
    if (what == GEOM_SPHERE) {
        return vec3f(0.0);
    }
    if (what == GEOM_CAPSULE) {
        return vec3f(0.0, 0.0, own.y * direction.x);
    }
    return own * direction;
}

// Largest distance of an ellipsoid, or of both rims of a cylinder.
fn largest_on_rims(kind: i32, size: vec3f, what: i32, part: Shape) -> f32 {
    let own = part.size;
    // an ellipsoid has its middle for an end
    let is_round = what == GEOM_ELLIPSOID;
    let radii = select(vec3f(own.xx, 0.0), own, is_round);
    let axis = part.mat[2] * select(own.y, 0.0, is_round);
    let axes = mat3x3f(part.mat[0] * radii.x, part.mat[1] * radii.y, part.mat[2] * radii.z);
    var most = DEEPEST;
    for (var end = 0u; end < select(2u, 1u, is_round); end++) {
        let centre = part.pos + axis * start_direction(end).x;
        most = max(most, farthest(kind, size, centre, axes));
    }
    return most;
}

// Largest distance of the points centre + axes u, where u is a unit vector.
fn farthest(kind: i32, size: vec3f, centre: vec3f, axes: mat3x3f) -> f32 {
    var most = DEEPEST;
    for (var k = 0u; k < STARTS; k++) {
        let start = normalize3(start_direction(k) * axes);
        most = max(most, ascend(kind, size, centre, axes, start));
    }
    return most;
}

// Direction k of STARTS: a corner of a cube, or the middle of a face.
fn start_direction(k: u32) -> vec3f {
    let upper = vec3<bool>((k & 1u) != 0u, (k & 2u) != 0u, (k & 4u) != 0u);
    let corner = select(vec3f(-1.0), vec3f(1.0), upper);
    if (k < 8u) {
        return corner;
    }
    let axis = (k - 8u) / 2u;
    return vec3f(f32(axis == 0u), f32(axis == 1u), f32(axis == 2u)) * corner.x;
}

// Distance at the end of a search from the unit vector `start`.
fn ascend(kind: i32, size: vec3f, centre: vec3f, axes: mat3x3f, start: vec3f) -> f32 {
    // the distance reached, where the search goes from there, how far that is, and where it looks now
    var value = DEEPEST;
    var next = start;
    var last = 0.0;
    var u = start;
    var jumps = false;
    for (var round = 0u; round < ROUNDS; round++) {
        let here = aim(kind, size, centre, axes, u);
        let jumped = jumps;
        jumps = false;
        if (jumped && here.w <= value) {
            // too far: on without the jump
            u = next;
            continue;
        }
        if (!jumped && here.w - value <= EPSILON * (abs(value) + size.x)) {
            return max(value, here.w);
        }
        let reach = length(here.xyz - u);
        let ratio = reach / max(last, MINVAL);
        value = here.w;
        next = here.xyz;
        last = reach;
        // the end of a geometric series of steps
        jumps = !jumped && ratio > 0.1 && ratio < 1.0;
        if (jumps) {
            u = normalize3(u + (next - u) * min(1.0 / (1.0 - ratio), LONGEST_JUMP));
        } else {
            u = next;
        }
    }
    return value;
}

// The u of the point that lies farthest along the gradient at centre + axes u, and the distance there.
fn aim(kind: i32, size: vec3f, centre: vec3f, axes: mat3x3f, u: vec3f) -> vec4f {
    let here = site_distance(kind, size, centre + axes * u);
    return vec4f(normalize3(here.xyz * axes), here.w);
}

// Gradient of the signed distance to the shape of a site, and the distance; exact, inside too.
fn site_distance(kind: i32, size: vec3f, p: vec3f) -> vec4f {
    let ways = select(vec3f(1.0), vec3f(-1.0), p < vec3f(0.0));
    if (kind == GEOM_SPHERE) {
        return round_distance(size.x, p);
    }
    if (kind == GEOM_CAPSULE) {
        return round_distance(size.x, vec3f(p.xy, p.z - clamp(p.z, -size.y, size.y)));
    }
    if (kind == GEOM_ELLIPSOID) {
        return ellipsoid_distance(size, p);
    }
    if (kind == GEOM_CYLINDER) {
        // the third wall is out of reach
        let across = vec3f(p.xy, 0.0);
        let over = vec3f(length(across) - size.x, abs(p.z) - size.y, -size.x - size.y);
        return walls_distance(over, mat3x3f(normalize3(across), vec3f(0.0, 0.0, ways.z), vec3f(0.0)));
    }
    let sides = mat3x3f(ways.x, 0.0, 0.0, 0.0, ways.y, 0.0, 0.0, 0.0, ways.z);
    return walls_distance(abs(p) - size, sides);
}

// Signed distance to a sphere around the origin, after its gradient.
fn round_distance(radius: f32, p: vec3f) -> vec4f {
    return vec4f(normalize3(p), length(p) - radius);
}

// Signed distance to what three walls at right angles enclose, after its gradient: how far a point is beyond each, and
// the ways out as columns.
fn walls_distance(over: vec3f, ways: mat3x3f) -> vec4f {
    let beyond = max(over, vec3f(0.0));
    let value = length(beyond);
    if (value > 0.0) {
        return vec4f(ways * beyond * (1.0 / value), value);
    }
    // inside: the nearest wall
    var best = vec4f(ways[0], over.x);
    if (over.y > best.w) {
        best = vec4f(ways[1], over.y);
    }
    if (over.z > best.w) {
        best = vec4f(ways[2], over.z);
    }
    return best;
}

// Signed distance to an ellipsoid, after its gradient: Newton's method, from below, for the factor of which the twin
// tells.
fn ellipsoid_distance(size: vec3f, p: vec3f) -> vec4f {
    let least = min(size.x, min(size.y, size.z));
    // in units of the least radius; `over` is by how much squares of radii exceed one
    let radii = size / least;
    let over = (radii - 1.0) * (radii + 1.0);
    // off the planes of symmetry, where two points would be nearest
    let z = max(abs(p) / least, vec3f(EPSILON));
    let bound = z * radii - over;
    var at = max(bound.x, max(bound.y, bound.z));
    for (var k = 0u; k < ELLIPSOID_STEPS; k++) {
        let depth = over + at;
        let x = z * radii / depth;
        let excess = dot(x, x) - 1.0;
        let rise = excess / (2.0 * dot(x, x / depth));
        if (rise <= EPSILON * at) {
            break;
        }
        at += rise;
    }
    let normal = z / (over + at);
    let steepness = length(normal);
    let outwards = select(normal, -normal, p < vec3f(0.0));
    return vec4f(outwards * (1.0 / steepness), (at - 1.0) * least * steepness);
}
