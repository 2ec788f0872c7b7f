// Spatial tendon paths: segments between sites, around geoms and over pulleys. Twin: crates/cpu/src/smooth/tendon_path.rs.

import package::sensor::object_frames::motion_at;
import package::smooth::wrap::{Obstacle, Straight, straight_between, wrap_around};

// A point of the path and the body to which it is fixed.
struct PathPoint {
    pos: vec3f,
    body: u32,
}

// A straight segment: both ends, direction and length from the first to the second, and the divisor of the pulley before.
struct StraightSegment {
    begin: PathPoint,
    stop: PathPoint,
    line: Straight,
    divisor: f32,
}

// Calls P_straight(ten, segment) and P_arc(ten, length) for the segments of a tendon's path in order.
// After a pulley, lengths are divided by its divisor.
fn for_each_segment__P(ten: u32) {
    var w = u32(tendon_adr(ten));
    let end = w + u32(tendon_num(ten));
    var divisor = 1.0;
    while (w + 1u < end) {
        if (wrap_type(w) == WRAP_PULLEY) {
            divisor = wrap_prm(w);
            w += 1u;
        } else if (wrap_type(w + 1u) == WRAP_PULLEY) {
            w += 1u;
        } else if (wrap_type(w + 1u) == WRAP_SITE) {
            P_straight(ten, segment_between(path_site(w), path_site(w + 1u), divisor));
            w += 1u;
        } else {
//#if WRAP
            wrapped_segment__P(ten, w, divisor);
//#endif
            w += 2u;
        }
    }
}

// Site of a path element.
fn path_site(w: u32) -> PathPoint {
    let id = u32(wrap_objid(w));
    return PathPoint(site_xpos_vec3(id), u32(site_bodyid(id)));
}

// Path from the site at w around the following geom to the next site.
fn wrapped_segment__P(ten: u32, w: u32, divisor: f32) {
    let begin = path_site(w);
    let stop = path_site(w + 2u);
    let geom = u32(wrap_objid(w + 1u));
    let side = wrap_prm(w + 1u);
    var obstacle = Obstacle(
        geom_xpos_vec3(geom),
        geom_xmat_mat3(geom),
        geom_size(3u * geom),
        wrap_type(w + 1u) == WRAP_CYLINDER,
        side >= 0.0,
        vec3f(0.0),
    );
    if (side >= 0.0) {
        obstacle.side = site_xpos_vec3(u32(side));
    }
    let arc = wrap_around(begin.pos, stop.pos, obstacle);
    if (!arc.touches) {
        P_straight(ten, segment_between(begin, stop, divisor));
        return;
    }
    let body = u32(geom_bodyid(geom));
    P_straight(ten, StraightSegment(begin, PathPoint(arc.first, body), arc.before, divisor));
    P_arc(ten, arc.length / divisor);
    P_straight(ten, StraightSegment(PathPoint(arc.last, body), stop, arc.behind, divisor));
}

// Straight segment between two sites.
fn segment_between(begin: PathPoint, stop: PathPoint, divisor: f32) -> StraightSegment {
    return StraightSegment(begin, stop, straight_between(begin.pos, stop.pos), divisor);
}

// Second time derivative of a straight segment's length for body accelerations M. The share of gravity in M is the
// same at both ends.
fn segment_length_acceleration__M(segment: StraightSegment) -> f32 {
    let begin = segment.begin;
    let stop = segment.stop;
    let length = segment.line.length;
    if (begin.body == stop.body || length < MINVAL) {
        return 0.0;
    }
    let direction = segment.line.direction;
    let v1 = motion_at__cvel(begin.body, begin.pos);
    let v2 = motion_at__cvel(stop.body, stop.pos);
    let a1 = motion_at__M(begin.body, begin.pos).lin + cross(v1.ang, v1.lin);
    let a2 = motion_at__M(stop.body, stop.pos).lin + cross(v2.ang, v2.lin);
    let velocity = v2.lin - v1.lin;
    let across = velocity - dot(direction, velocity) * direction;
    return (dot(direction, a2 - a1) + dot(across, across) / length) / segment.divisor;
}
