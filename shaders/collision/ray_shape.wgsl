// Rays against shapes with a closed form. Twin: crates/cpu/src/collision/ray_shape.rs.

import package::math::vector::normalize3;

// Distance in units of the direction's length, negative for a miss, and outward unit normal.
struct Hit {
    dist: f32,
    normal: vec3f,
}

// A miss.
fn no_hit() -> Hit {
    return Hit(-1.0, vec3f(0.0));
}

// Stands for infinity.
const FAR: f32 = 1e30;

// Hit on a primitive, in the frame of the shape.
fn ray_shape(kind: i32, size: vec3f, p: vec3f, v: vec3f) -> Hit {
    var dist = -1.0;
    var normal = vec3f(0.0, 0.0, 1.0);
    if (kind == GEOM_PLANE) {
        return ray_plane(size, p, v);
    }
    if (kind == GEOM_CAPSULE) {
        return ray_capsule(size, p, v);
    }
    if (kind == GEOM_SPHERE || kind == GEOM_ELLIPSOID) {
        // unit sphere in scaled space
        let radii = select(size.xxx, size, kind == GEOM_ELLIPSOID);
        dist = first_ahead(sphere_interval(p / radii, v / radii, 1.0));
        normal = (p + v * dist) / (radii * radii);
    }
    if (kind == GEOM_CYLINDER) {
        let ends = slab_interval(p.z, v.z, size.y);
        dist = first_ahead(intersect(sphere_interval(vec3f(p.xy, 0.0), vec3f(v.xy, 0.0), size.x), ends));
        let at = p + v * dist;
        normal = select(vec3f(at.xy, 0.0), vec3f(0.0, 0.0, at.z), dist == ends.x || dist == ends.y);
    }
    if (kind == GEOM_BOX) {
        let x = slab_interval(p.x, v.x, size.x);
        let y = slab_interval(p.y, v.y, size.y);
        let z = slab_interval(p.z, v.z, size.z);
        dist = first_ahead(intersect(intersect(x, y), z));
        let at = p + v * dist;
        normal = vec3f(0.0, 0.0, at.z);
        if (dist == x.x || dist == x.y) {
            normal = vec3f(at.x, 0.0, 0.0);
        } else if (dist == y.x || dist == y.y) {
            normal = vec3f(0.0, at.y, 0.0);
        }
    }
    if (dist < 0.0) {
        return no_hit();
    }
    return Hit(dist, normalize3(normal));
}

// Parameter interval [x, y] of a ray inside a convex shape, empty if x > y: the whole line, or nothing.
fn all_or_none(all: bool) -> vec2f {
    return select(vec2f(FAR, -FAR), vec2f(-FAR, FAR), all);
}

// Intersection of two intervals.
fn intersect(a: vec2f, b: vec2f) -> vec2f {
    return vec2f(max(a.x, b.x), min(a.y, b.y));
}

// First surface ahead; negative if there is none.
fn first_ahead(interval: vec2f) -> f32 {
    if (interval.x > interval.y || interval.y < 0.0) {
        return -1.0;
    }
    return select(interval.y, interval.x, interval.x >= 0.0);
}

// Interval of a ray inside a sphere at the origin, relative to the point closest to the centre to avoid cancellation.
fn sphere_interval(p: vec3f, v: vec3f, radius: f32) -> vec2f {
    let square = dot(v, v);
    if (square < MINVAL) {
        return all_or_none(dot(p, p) <= radius * radius);
    }
    let middle = -dot(p, v) / square;
    let nearest = p + v * middle;
    let left = radius * radius - dot(nearest, nearest);
    if (left <= 0.0) {
        return all_or_none(false);
    }
    let half = sqrt(left / square);
    return vec2f(middle - half, middle + half);
}

// Interval of a ray within a slab of half width `half` about the origin.
fn slab_interval(p: f32, v: f32, half: f32) -> vec2f {
    if (abs(v) < MINVAL) {
        return all_or_none(abs(p) <= half);
    }
    let side = select(-half, half, v > 0.0);
    return vec2f((-side - p) / v, (side - p) / v);
}

// Hit on the upper side of a plane, of limited size where size is positive.
fn ray_plane(size: vec3f, p: vec3f, v: vec3f) -> Hit {
    if (v.z > -MINVAL) {
        return no_hit();
    }
    let dist = -p.z / v.z;
    let at = abs(p + v * dist);
    if (dist < 0.0 || (size.x > 0.0 && at.x > size.x) || (size.y > 0.0 && at.y > size.y)) {
        return no_hit();
    }
    return Hit(dist, vec3f(0.0, 0.0, 1.0));
}

// Nearest hit on the side of a capsule and the outer hemispheres at its ends.
fn ray_capsule(size: vec3f, p: vec3f, v: vec3f) -> Hit {
    var dist = -1.0;
    var normal = vec3f(0.0);
    // the cylindrical side, then the spheres at the upper and lower end
    for (var part = 0u; part < 3u; part++) {
        let shift = select(select(-size.y, size.y, part == 1u), p.z, part == 0u);
        let center = vec3f(0.0, 0.0, shift);
        var along = v;
        if (part == 0u) {
            along.z = 0.0;
        }
        let interval = sphere_interval(p - center, along, size.x);
        if (interval.x > interval.y || dot(along, along) < MINVAL) {
            continue;
        }
        // entry and exit, if they belong to this part of the surface
        for (var end = 0u; end < 2u; end++) {
            let x = select(interval.x, interval.y, end == 1u);
            let at = p + v * x;
            var here = abs(at.z) <= size.y;
            if (part > 0u) {
                here = select(at.z <= -size.y, at.z >= size.y, part == 1u);
            }
            if (here && x >= 0.0 && (dist < 0.0 || x < dist)) {
                dist = x;
                normal = select(at - center, vec3f(at.xy, 0.0), part == 0u);
            }
        }
    }
    if (dist < 0.0) {
        return no_hit();
    }
    return Hit(dist, normalize3(normal));
}

// True if a point in the frame of a primitive is inside it, or below it for a plane.
fn is_inside(kind: i32, size: vec3f, p: vec3f) -> bool {
    let square = dot(p.xy, p.xy);
    if (kind == GEOM_PLANE) {
        return p.z < 0.0;
    }
    if (kind == GEOM_SPHERE) {
        return dot(p, p) < size.x * size.x;
    }
    if (kind == GEOM_CAPSULE) {
        let over = p.z - clamp(p.z, -size.y, size.y);
        return square + over * over < size.x * size.x;
    }
    if (kind == GEOM_ELLIPSOID) {
        let q = p / size;
        return dot(q, q) < 1.0;
    }
    if (kind == GEOM_CYLINDER) {
        return abs(p.z) < size.y && square < size.x * size.x;
    }
    return kind == GEOM_BOX && abs(p.x) < size.x && abs(p.y) < size.y && abs(p.z) < size.z;
}
