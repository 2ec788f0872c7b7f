// Contacts of primitive pairs in closed form: normal from the first geom (of lower type) to the second, position
// midway between the surfaces. Twin: crates/cpu/src/collision/primitives.rs. Each function appends to `found`.
//
// Drivers inline every call, so each helper is called from as few places as possible.

import package::math::vector::normalize3;

// Distance of two centres, as a share of their coordinates, up to which they coincide: 16 times rounding.
const SAME_CENTER: f32 = 1.9e-6;

// Pose and size of a geom; the columns of mat are its axes.
struct Shape {
    pos: vec3f,
    mat: mat3x3f,
    size: vec3f,
}

// Geometry of a contact, before its parameters are set. A short tangent leaves the choice of tangent free.
struct ContactPoint {
    dist: f32,
    pos: vec3f,
    normal: vec3f,
    tangent: vec3f,
}

// Most contacts of one primitive pair.
//#if BOX_BOX
const MAX_PAIR_CONTACTS: u32 = 8u;
//#else
const MAX_PAIR_CONTACTS: u32 = 4u;
//#endif

// Most contacts of a plane and a box.
const MAX_CORNERS: u32 = 4u;

var<private> found: array<ContactPoint, MAX_PAIR_CONTACTS>;
var<private> nfound: u32;

// Appends a contact if there is room.
fn append(contact: ContactPoint) {
    if (nfound < MAX_PAIR_CONTACTS) {
        found[nfound] = contact;
        nfound++;
    }
}

// Plane-sphere contact.
fn plane_sphere(plane: Shape, sphere: Shape, margin: f32) {
    plane_sphere_at(plane, sphere.pos, sphere.size.x, vec3f(0.0), margin);
}

// Contact of a plane and a sphere at `center`, with the first tangent given.
fn plane_sphere_at(plane: Shape, center: vec3f, radius: f32, tangent: vec3f, margin: f32) {
    let normal = plane.mat[2];
    let dist = dot(center - plane.pos, normal) - radius;
    if (dist > margin) {
        return;
    }
    append(ContactPoint(dist, center - normal * (0.5 * dist + radius), normal, tangent));
}

// Plane-capsule: a sphere at each end, the first tangent along the capsule.
fn plane_capsule(plane: Shape, capsule: Shape, margin: f32) {
    let axis = capsule.mat[2];
    for (var end = 0u; end < 2u; end++) {
        let along = select(-capsule.size.y, capsule.size.y, end == 0u);
        plane_sphere_at(plane, capsule.pos + axis * along, capsule.size.x, axis, margin);
    }
}

// Plane-box: the first four corners within the margin.
fn plane_box(plane: Shape, cuboid: Shape, margin: f32) {
    let normal = plane.mat[2];
    let center = dot(cuboid.pos - plane.pos, normal);
    for (var corner = 0u; corner < 8u; corner++) {
        // corner relative to the centre, and its height above it
        let up = vec3<bool>((corner & 1u) != 0u, (corner & 2u) != 0u, (corner & 4u) != 0u);
        let arm = cuboid.mat * select(-cuboid.size, cuboid.size, up);
        let height = dot(normal, arm);
        let dist = center + height;
        if (dist > margin || height > 0.0 || nfound == MAX_CORNERS) {
            continue;
        }
        append(ContactPoint(dist, cuboid.pos + arm - normal * (0.5 * dist), normal, vec3f(0.0)));
    }
}

// Plane-ellipsoid: the deepest point, from the normal in the space where the ellipsoid is a unit sphere.
fn plane_ellipsoid(plane: Shape, ellipsoid: Shape, margin: f32) {
    let direction = normalize3((plane.mat[2] * ellipsoid.mat) * ellipsoid.size);
    let point = ellipsoid.pos - ellipsoid.mat * (direction * ellipsoid.size);
    plane_sphere_at(plane, point, 0.0, vec3f(0.0), margin);
}

// Plane-cylinder: the deepest point of each rim, and two more on the lower rim, a third of a turn away.
fn plane_cylinder(plane: Shape, cylinder: Shape, margin: f32) {
    let normal = plane.mat[2];
    let radius = cylinder.size.x;
    // the axis that points towards the plane
    var axis = cylinder.mat[2];
    if (dot(axis, normal) > 0.0) {
        axis = -axis;
    }
    let slope = dot(axis, normal);
    // radial direction to the deepest point of a rim, orthogonal to the axis despite rounding; arbitrary if the axis
    // is upright
    var down = cross(axis, cross(axis, normal));
    let length = sqrt(dot(down, down));
    if (length * length < MINVAL) {
        down = cylinder.mat[0] * radius;
    } else {
        down = down * (radius / length);
    }
    let center = dot(cylinder.pos - plane.pos, normal);
    let lower = axis * cylinder.size.y;
    let fall = cylinder.size.y * slope;
    let deeper = dot(down, normal);
    let across = normalize3(cross(down, lower)) * (radius * 0.866025404);
    // no point is deeper than the first
    if (center + fall + deeper > margin) {
        return;
    }
    for (var k = 0u; k < 4u; k++) {
        var arm = lower + down;
        var height = fall + deeper;
        if (k == 1u) {
            arm = down - lower;
            height = deeper - fall;
        }
        if (k >= 2u) {
            arm = lower - 0.5 * down + select(-across, across, k == 2u);
            height = fall - 0.5 * deeper;
        }
        let dist = center + height;
        if (dist <= margin) {
            append(ContactPoint(dist, cylinder.pos + arm - normal * (0.5 * dist), normal, vec3f(0.0)));
        }
    }
}

// Sphere-cylinder: the closest of the side, a cap and a rim.
fn sphere_cylinder(sphere: Shape, cylinder: Shape, margin: f32) {
    let axis = cylinder.mat[2];
    let radius = cylinder.size.x;
    let half = cylinder.size.y;
    let apart = sphere.pos - cylinder.pos;
    let along = dot(apart, axis);
    let aside = apart - along * axis;
    let off = sqrt(dot(aside, aside));
    var beside = abs(along) < half;
    var above = off < radius;
    // centre inside: out along the shorter way
    if (beside && above) {
        if (half - abs(along) < radius - off) {
            beside = false;
        } else {
            above = false;
        }
    }
    let up = select(-1.0, 1.0, along > 0.0);
    let cap = cylinder.pos + axis * (half * up);
    if (above) {
        // the normal points from the sphere into the cap
        let normal = -up * axis;
        let dist = -dot(sphere.pos - cap, normal) - sphere.size.x;
        if (dist <= margin) {
            append(ContactPoint(dist, sphere.pos + normal * (sphere.size.x + 0.5 * dist), normal, vec3f(0.0)));
        }
        return;
    }
    var nearest = cylinder.pos + axis * along;
    var reach = radius;
    if (!beside) {
        nearest = cap + aside * (radius / off);
        reach = 0.0;
    }
    sphere_sphere_at(sphere.pos, sphere.size.x, nearest, reach, fallback_normal(sphere, cylinder), margin);
}

// Sphere-box: the closest point of the box; a centre inside leaves through the closest face.
fn sphere_box(sphere: Shape, cuboid: Shape, margin: f32) {
    let center = (sphere.pos - cuboid.pos) * cuboid.mat;
    let nearest = clamp(center, -cuboid.size, cuboid.size);
    var normal = nearest - center;
    let length = sqrt(dot(normal, normal));
    var dist = length - sphere.size.x;
    if (dist > margin) {
        return;
    }
    if (length > MINVAL) {
        normal = normal * (1.0 / length);
    } else {
        // ties between opposite faces go to the lower one
        let low = cuboid.size + center;
        let high = cuboid.size - center;
        var least = low.x;
        normal = vec3f(1.0, 0.0, 0.0);
        if (high.x < least) {
            least = high.x;
            normal = vec3f(-1.0, 0.0, 0.0);
        }
        if (low.y < least) {
            least = low.y;
            normal = vec3f(0.0, 1.0, 0.0);
        }
        if (high.y < least) {
            least = high.y;
            normal = vec3f(0.0, -1.0, 0.0);
        }
        if (low.z < least) {
            least = low.z;
            normal = vec3f(0.0, 0.0, 1.0);
        }
        if (high.z < least) {
            least = high.z;
            normal = vec3f(0.0, 0.0, -1.0);
        }
        dist = -(least + sphere.size.x);
    }
    normal = cuboid.mat * normal;
    append(ContactPoint(dist, sphere.pos + normal * (sphere.size.x + 0.5 * dist), normal, vec3f(0.0)));
}

// Sphere-sphere contact.
fn sphere_sphere(a: Shape, b: Shape, margin: f32) {
    sphere_sphere_at(a.pos, a.size.x, b.pos, b.size.x, fallback_normal(a, b), margin);
}

// Contact of two spheres at given centres; `fallback` is the normal if the centres coincide.
fn sphere_sphere_at(center1: vec3f, radius1: f32, center2: vec3f, radius2: f32, fallback: vec3f, margin: f32) {
    let between = center2 - center1;
    let length = sqrt(dot(between, between));
    let dist = length - (radius1 + radius2);
    if (dist > margin) {
        return;
    }
    // centres that coincide but for rounding have no direction between them
    var normal = fallback;
    if (length >= max(MINVAL, SAME_CENTER * (abs(center1.x) + abs(center1.y) + abs(center1.z)))) {
        normal = between * (1.0 / length);
    }
    append(ContactPoint(dist, center1 + normal * (radius1 + 0.5 * dist), normal, vec3f(0.0)));
}

// Normal of two round shapes with coincident centres: perpendicular to both axes.
fn fallback_normal(a: Shape, b: Shape) -> vec3f {
    return normalize3(cross(a.mat[2], b.mat[2]));
}

// Sphere-capsule: the closest point of the capsule's segment.
fn sphere_capsule(sphere: Shape, capsule: Shape, margin: f32) {
    let axis = capsule.mat[2];
    let along = clamp(dot(axis, sphere.pos - capsule.pos), -capsule.size.y, capsule.size.y);
    sphere_sphere_at(sphere.pos, sphere.size.x, capsule.pos + axis * along, capsule.size.x, fallback_normal(sphere, capsule), margin);
}

// Capsule-capsule: the closest points of two segments, or both ends of their overlap if they are parallel.
// Stationarity of the squared distance gives x1 = u + c x2 and x2 = v + c x1 (Ericson, Real-Time Collision Detection,
// 5.1.9). Points on the segments are pos + axis x.
fn capsule_capsule(a: Shape, b: Shape, margin: f32) {
    let axis1 = a.mat[2];
    let axis2 = b.mat[2];
    let half1 = a.size.y;
    let half2 = b.size.y;
    let apart = a.pos - b.pos;
    let u = -dot(axis1, apart);
    let v = dot(axis2, apart);
    let c = dot(axis1, axis2);
    // unlike 1 - c c, the cross product does not cancel for nearly parallel axes
    let normal = cross(axis1, axis2);
    let sine2 = dot(normal, normal);
    let crossing = sine2 >= PARALLEL;
    let fallback = fallback_normal(a, b);
    for (var side = 0u; side < 2u; side++) {
        // parallel axes: ends of the second projected on the first, in the direction of the first
        let forward = (side == 1u) == (c > 0.0);
        var x2 = select(-half2, half2, forward);
        var x1 = u + c * x2;
        if (crossing) {
            // skew axes: the stationary point, clamped to the segments
            x1 = (u + c * v) / sine2;
            x2 = (v + c * u) / sine2;
        }
        if (x1 > half1 || x1 < -half1) {
            x1 = clamp(x1, -half1, half1);
            x2 = v + c * x1;
        }
        if (x2 > half2 || x2 < -half2) {
            x2 = clamp(x2, -half2, half2);
            x1 = select(x1, clamp(u + c * x2, -half1, half1), crossing);
        }
        sphere_sphere_at(a.pos + axis1 * x1, a.size.x, b.pos + axis2 * x2, b.size.x, fallback, margin);
        if (crossing) {
            break;
        }
    }
}

// Squared sine of the angle below which two axes count as parallel.
const PARALLEL: f32 = 1e-8;
