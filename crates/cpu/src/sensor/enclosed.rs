//! The attribute `enclosed` of sensors `insidesite`: the largest signed distance of an object's surface to a site, m.
//! It is negative where the whole object is inside.
//!
//! The signed distance to a convex shape is a convex function of the point: it is the largest of those to the half
//! spaces around the shape. Its maximum over a convex object is at a corner, an end, a vertex, or on a rim. On rims of
//! cylinders and on ellipsoids the point that lies farthest along the gradient is never closer than the last (Frank and
//! Wolfe, 1956): the search follows these points from 14 starts, and jumps to where the series of steps would end.

use super::object_frames::{Frame, frame_of};
use crate::collision::primitives::Shape;
use crate::math::graded::Graded;
use crate::math::{Mat3, Vec3, clip, diagonal, dot, length, mat_column, normalize3, transpose, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::is_sensed_part;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{geom, object};

/// Starts of a search: the corners of a cube, then the middles of its faces.
const STARTS: usize = 14;

/// Most distances that a search looks at.
const ROUNDS: usize = 60;

/// Longest jump of a search, in steps.
const LONGEST_JUMP: f64 = 50.0;

/// Most steps of Newton's method to the nearest point of an ellipsoid.
const ELLIPSOID_STEPS: usize = 20;

/// Deeper than any point, m.
const DEEPEST: f64 = -1e30;

/// Largest signed distance of the surface of a sensor's object to its site, m.
pub fn enclosed<T: Real>(m: &Model<T>, d: &Data<T>, s: usize) -> T {
    let (what, id) = (m.sensor_objtype[s], m.sensor_objid[s].max(0) as usize);
    let site = m.sensor_refid[s].max(0) as usize;
    let frame = frame_of(m, d, object::SITE, site);
    let (kind, size) = (m.site_type[site], vec3(&m.site_size, site));
    // an object in the frame of the site
    let seen = |own: Frame<T>, size: Vec3<T>| Shape {
        pos: (own.pos - frame.pos) * frame.mat,
        mat: transpose(frame.mat) * own.mat,
        size,
    };
    if what == object::SITE {
        let other = seen(frame_of(m, d, object::SITE, id), vec3(&m.site_size, id));
        return largest_distance(kind, size, m.site_type[id], &other);
    }
    let mut most = T::of(DEEPEST);
    for g in 0..m.sizes.ngeom {
        if !is_sensed_part(m, what, id, g) {
            continue;
        }
        let part = seen(frame_of(m, d, object::GEOM, g), vec3(&m.geom_size, g));
        // no point is farther than its bounding sphere
        if site_distance(kind, size, part.pos).value + m.geom_rbound[g] > most {
            let mesh = usize::try_from(m.geom_dataid[g]).ok().filter(|_| m.geom_type[g] == geom::MESH);
            most = most.max(match mesh {
                Some(mesh) => largest_of_vertices(m, kind, size, mesh, &part),
                None => largest_distance(kind, size, m.geom_type[g], &part),
            });
        }
    }
    most
}

/// Largest distance of the vertices of a mesh to a site: `kind` and `size` as in `site_type` and `site_size`.
fn largest_of_vertices<T: Real>(m: &Model<T>, kind: i32, size: Vec3<T>, mesh: usize, part: &Shape<T>) -> T {
    let first = m.mesh_vertadr[mesh] as usize;
    let mut most = T::of(DEEPEST);
    for v in first..first + m.mesh_vertnum[mesh] as usize {
        let p = part.pos + part.mat * vec3(&m.mesh_vert, v);
        most = most.max(site_distance(kind, size, p).value);
    }
    most
}

/// Largest distance of a primitive of type `what` to a site.
fn largest_distance<T: Real>(kind: i32, size: Vec3<T>, what: i32, part: &Shape<T>) -> T {
    let (points, radius) = match what {
        geom::SPHERE => (1, part.size[0]),
        geom::CAPSULE => (2, part.size[0]),
        geom::ELLIPSOID | geom::CYLINDER => return largest_on_rims(kind, size, what, part),
        _ => (8, T::ZERO),
    };
    let mut most = T::of(DEEPEST);
    for k in 0..points {
        let p = part.pos + part.mat * extreme_point(what, part.size, k);
        most = most.max(site_distance(kind, size, p).value);
    }
    most + radius
}

/// Extreme point `k` of a primitive without curved edges, less the radius of round ones: a centre, an end, a corner.
fn extreme_point<T: Real>(what: i32, own: Vec3<T>, k: usize) -> Vec3<T> {
    let direction = start_direction::<T>(k);
    match what {
        geom::SPHERE => Vec3::ZERO,
        geom::CAPSULE => Vec3([T::ZERO, T::ZERO, own[1] * direction[0]]),
        _ => own * direction,
    }
}

/// Largest distance of an ellipsoid, or of both rims of a cylinder.
fn largest_on_rims<T: Real>(kind: i32, size: Vec3<T>, what: i32, part: &Shape<T>) -> T {
    let own = part.size;
    // an ellipsoid has its middle for an end
    let (radii, ends, height) = match what {
        geom::ELLIPSOID => (own, 1, T::ZERO),
        _ => (Vec3([own[0], own[0], T::ZERO]), 2, own[1]),
    };
    let (axis, axes) = (mat_column(part.mat, 2) * height, part.mat * diagonal(radii));
    let mut most = T::of(DEEPEST);
    for end in 0..ends {
        let centre = part.pos + axis * start_direction::<T>(end)[0];
        most = most.max(farthest(kind, size, centre, axes));
    }
    most
}

/// Largest distance of the points `centre + axes u`, where u is a unit vector.
fn farthest<T: Real>(kind: i32, size: Vec3<T>, centre: Vec3<T>, axes: Mat3<T>) -> T {
    let mut most = T::of(DEEPEST);
    for k in 0..STARTS {
        let start = normalize3(start_direction(k) * axes);
        most = most.max(ascend(kind, size, centre, axes, start));
    }
    most
}

/// Direction `k` of [`STARTS`]: a corner of a cube, or the middle of a face.
fn start_direction<T: Real>(k: usize) -> Vec3<T> {
    let sign = |bit: usize| if k >> bit & 1 == 1 { T::ONE } else { -T::ONE };
    if k < 8 { Vec3([sign(0), sign(1), sign(2)]) } else { Vec3::unit((k - 8) / 2) * sign(0) }
}

/// Distance at the end of a search from the unit vector `start`.
fn ascend<T: Real>(kind: i32, size: Vec3<T>, centre: Vec3<T>, axes: Mat3<T>, start: Vec3<T>) -> T {
    // the distance reached, where the search goes from there, how far that is, and where it looks now
    let (mut value, mut next, mut step) = (T::of(DEEPEST), start, T::ZERO);
    let (mut u, mut jumps) = (start, false);
    for _ in 0..ROUNDS {
        let (risen, after) = aim(kind, size, centre, axes, u);
        let jumped = jumps;
        jumps = false;
        if jumped && risen <= value {
            // too far: on without the jump
            u = next;
            continue;
        }
        if !jumped && risen - value <= T::EPSILON * (value.abs() + size[0]) {
            return value.max(risen);
        }
        let reach = length(after - u);
        let ratio = reach / step.max(T::MINVAL);
        (value, next, step) = (risen, after, reach);
        // the end of a geometric series of steps
        jumps = !jumped && ratio > T::of(0.1) && ratio < T::ONE;
        let jump = (T::ONE / (T::ONE - ratio)).min(T::of(LONGEST_JUMP));
        u = if jumps { normalize3(u + (after - u) * jump) } else { after };
    }
    value
}

/// Distance at `centre + axes u`, and the u of the point that lies farthest along the gradient there.
fn aim<T: Real>(kind: i32, size: Vec3<T>, centre: Vec3<T>, axes: Mat3<T>, u: Vec3<T>) -> (T, Vec3<T>) {
    let here = site_distance(kind, size, centre + axes * u);
    (here.value, normalize3(here.gradient * axes))
}

/// Signed distance to the shape of a site, with its gradient; exact, unlike those of
/// [`signed_distance`](crate::collision::signed_distance), inside too.
fn site_distance<T: Real>(kind: i32, size: Vec3<T>, p: Vec3<T>) -> Graded<T> {
    let sign = p.map(|x| if x < T::ZERO { -T::ONE } else { T::ONE });
    match kind {
        geom::SPHERE => round_distance(size[0], p),
        geom::CAPSULE => {
            let over = p[2] - clip(p[2], -size[1], size[1]);
            round_distance(size[0], Vec3([p[0], p[1], over]))
        }
        geom::ELLIPSOID => ellipsoid_distance(size, p),
        geom::CYLINDER => {
            let across = Vec3([p[0], p[1], T::ZERO]);
            // the third wall is out of reach
            let over = Vec3([length(across) - size[0], p[2].abs() - size[1], -size[0] - size[1]]);
            let ways = Mat3::from_rows(normalize3(across), Vec3::Z * sign[2], Vec3::ZERO);
            walls_distance(over, transpose(ways))
        }
        _ => walls_distance(p.map(T::abs) - size, diagonal(sign)),
    }
}

/// Signed distance to a sphere around the origin.
fn round_distance<T: Real>(radius: T, p: Vec3<T>) -> Graded<T> {
    Graded { gradient: normalize3(p), value: length(p) - radius }
}

/// Signed distance to what three walls at right angles enclose: how far a point is beyond each, and the ways out as
/// columns.
fn walls_distance<T: Real>(over: Vec3<T>, ways: Mat3<T>) -> Graded<T> {
    let beyond = over.map(|x| x.max(T::ZERO));
    let value = length(beyond);
    if value > T::ZERO {
        return Graded { gradient: ways * beyond * (T::ONE / value), value };
    }
    // inside: the nearest wall
    let mut k = usize::from(over[1] > over[0]);
    if over[2] > over[k] {
        k = 2;
    }
    Graded { gradient: mat_column(ways, k), value: over[k] }
}

/// Signed distance to an ellipsoid. The nearest point x to p is where p - x = t x / size², with the t above minus the
/// square of the least radius that puts x on the ellipsoid: Newton's method finds it from below, where the function is
/// convex (Eberly, Distance from a Point to an Ellipse, 2013).
fn ellipsoid_distance<T: Real>(size: Vec3<T>, p: Vec3<T>) -> Graded<T> {
    let least = size[0].min(size[1]).min(size[2]);
    // in units of the least radius; `over` is by how much squares of radii exceed one
    let radii = size / least;
    let one = Vec3([T::ONE; 3]);
    let over = (radii - one) * (radii + one);
    // off the planes of symmetry, where two points would be nearest
    let z = p.map(|x| (x.abs() / least).max(T::EPSILON));
    // 1 + t, at which no coordinate is beyond the ellipsoid
    let bound = z * radii - over;
    let mut at = bound[0].max(bound[1]).max(bound[2]);
    for _ in 0..ELLIPSOID_STEPS {
        let depth = over + one * at;
        let x = z * radii / depth;
        let excess = dot(x, x) - T::ONE;
        let step = excess / (T::of(2.0) * dot(x, x / depth));
        if step <= T::EPSILON * at {
            break;
        }
        at += step;
    }
    let normal = z / (over + one * at);
    let steepness = length(normal);
    let signed = |k: usize| if p[k] < T::ZERO { -normal[k] } else { normal[k] };
    Graded {
        gradient: Vec3::from_fn(signed) * (T::ONE / steepness),
        value: (at - T::ONE) * least * steepness,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// Types of sites and objects.
    const KINDS: [i32; 5] = [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX];

    /// A point of the surface of a primitive of a unit size vector, in direction `n`, by its support function.
    fn support(kind: i32, size: Vec3<f64>, n: Vec3<f64>) -> Vec3<f64> {
        let end = Vec3::Z * (size[1] * n[2].signum());
        match kind {
            geom::SPHERE => normalize3(n) * size[0],
            geom::CAPSULE => normalize3(n) * size[0] + end,
            geom::ELLIPSOID => normalize3(n * size) * size,
            geom::CYLINDER => normalize3(Vec3([n[0], n[1], 0.0])) * size[0] + end,
            _ => Vec3::from_fn(|k| size[k] * n[k].signum()),
        }
    }

    fn size(random: &mut Random) -> Vec3<f64> {
        random.vector().map(|x| 0.11 + 0.09 * x)
    }

    #[test]
    fn gradients_of_sites_are_slopes_and_have_unit_length() {
        let mut random = Random(3);
        let (mut smooth, mut points) = (0, 0);
        for _ in 0..2000 {
            let (size, p) = (size(&mut random), random.vector() * 0.3);
            for kind in KINDS {
                let at = |p| site_distance(kind, size, p);
                let step = 1e-6;
                let slope = |k: usize| {
                    let ahead = at(p + Vec3::unit(k) * step).value;
                    (ahead - at(p - Vec3::unit(k) * step).value) / (2.0 * step)
                };
                assert!((length(at(p).gradient) - 1.0).abs() < 1e-12);
                points += 1;
                smooth += usize::from(length(Vec3::from_fn(slope) - at(p).gradient) < 1e-4);
            }
        }
        // the others are at edges inside
        assert!(smooth * 1000 > points * 997, "{smooth} of {points}");
    }

    #[test]
    fn the_distance_of_an_ellipsoid_is_along_its_normal() {
        let mut random = Random(4);
        for _ in 0..2000 {
            let size = size(&mut random);
            let p = support(geom::ELLIPSOID, size, random.vector());
            let normal = normalize3(p / (size * size));
            let least = size[0].min(size[1]).min(size[2]);
            let most = size[0].max(size[1]).max(size[2]);
            // outside, and inside up to the least radius of curvature
            for t in [0.0, 0.3, 1e-6, -0.99 * least * least / most] {
                let at = ellipsoid_distance(size, p + normal * t);
                assert!((at.value - t).abs() < 1e-12 && length(at.gradient - normal) < 1e-5, "{t} {at:?}");
            }
        }
        let centre = ellipsoid_distance(Vec3([0.3, 0.1, 0.2]), Vec3::ZERO);
        assert!((centre.value + 0.1).abs() < 1e-14 && centre.gradient[1].abs() > 1.0 - 1e-12, "{centre:?}");
        let single = ellipsoid_distance(Vec3([0.3_f32, 0.1, 0.2]), Vec3([0.0, 1e-9, 0.0]));
        assert!((single.value + 0.1).abs() < 1e-6, "{single:?}");
    }

    #[test]
    fn no_point_of_a_surface_is_farther_and_some_point_is_as_far() {
        let mut random = Random(6);
        for _ in 0..40 {
            let (site, own, (pos, mat)) = (size(&mut random), size(&mut random), random.pose(0.2));
            let part = Shape { pos, mat, size: own };
            for (kind, what) in KINDS.iter().flat_map(|kind| KINDS.map(|what| (*kind, what))) {
                let found = largest_distance(kind, site, what, &part);
                // a fall of at most a half of the square of the angle to the next sample
                let mut sampled = f64::MIN;
                for _ in 0..2000 {
                    let p = pos + mat * support(what, own, random.vector());
                    sampled = sampled.max(site_distance(kind, site, p).value);
                }
                let fits = found > sampled - 1e-12 && found < sampled + 0.01;
                assert!(fits, "{what} in {kind}: {found} {sampled}");
            }
        }
    }

    #[test]
    fn a_sphere_as_an_ellipsoid_is_as_far_as_a_sphere() {
        let mut random = Random(7);
        for _ in 0..200 {
            let (site, (pos, mat)) = (size(&mut random), random.pose(0.2));
            let part = Shape { pos, mat, size: Vec3([0.08; 3]) };
            for kind in KINDS {
                let round = largest_distance(kind, site, geom::SPHERE, &part);
                let same = largest_distance(kind, site, geom::ELLIPSOID, &part);
                assert!((round - same).abs() < 1e-9, "{kind}: {round} {same}");
            }
        }
    }

    #[test]
    fn disks_in_round_sites_have_closed_forms() {
        let mut random = Random(8);
        for _ in 0..200 {
            let (own, (pos, mat)) = (size(&mut random), random.pose(0.2));
            let part = Shape { pos, mat, size: own };
            let found = largest_distance(geom::SPHERE, Vec3([0.1; 3]), geom::CYLINDER, &part);
            // the far point of a rim: across the axis and along it
            let local = pos * mat;
            let across = local[0].hypot(local[1]) + own[0];
            let wanted = across.hypot(local[2].abs() + own[1]) - 0.1;
            assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
        }
    }

    #[test]
    fn single_precision_finds_the_same() {
        let mut random = Random(9);
        let single = |v: Vec3<f64>| Vec3(v.0.map(f32::of));
        for _ in 0..100 {
            let (site, own, (pos, mat)) = (size(&mut random), size(&mut random), random.pose(0.2));
            let part = Shape { pos, mat, size: own };
            let rounded = Shape { pos: single(pos), mat: Mat3(mat.0.map(f32::of)), size: single(own) };
            for (kind, what) in KINDS.iter().flat_map(|kind| KINDS.map(|what| (*kind, what))) {
                let double = largest_distance(kind, site, what, &part);
                let found = largest_distance(kind, single(site), what, &rounded);
                assert!((double - f64::from(found)).abs() < 1e-6, "{what} in {kind}: {double} {found}");
            }
        }
    }
}
