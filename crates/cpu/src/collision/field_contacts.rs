//! Contacts of signed distance fields.
//!
//! Where two fields are both negative the geoms overlap. Points of a low-discrepancy sequence (Halton, 1960) in the common
//! part of both bounding boxes descend along gradients, first of A + B + |max(A, B)|, then of max(A, B), and those that end
//! inside both are contacts (MuJoCo documentation, Computation, "SDF collisions"). Each point takes a bounded number of steps.
//! Of a mesh, each triangle looks for its points deepest in the other field (Frank and Wolfe, 1956).

use super::field::Field;
use super::field_bounds::{Horizon, Overlap};
use super::height_field::prisms_under;
use super::primitives::{ContactPoint, Shape};
use super::support_map::ConvexShape;
use crate::math::graded::{Graded, Number, Plain};
use crate::math::{Vec3, dot, normalize3, transpose, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;

/// Share of the expected descent that a step has to make, and the shortest step relative to the gradient.
const ARMIJO: f64 = 0.1;
const SHORTEST: f64 = 1e-4;

/// Square of a gradient that is none.
const FLAT: f64 = 1e-12;

impl<T: Real> Overlap<'_, T> {
    /// The values of both fields at a point; none if the first is above `most`.
    #[inline(always)]
    fn values(&self, x: Vec3<T>, most: T) -> Option<[Plain<T>; 2]> {
        let one = self.one.value(self.turned(x));
        if one > most { None } else { Some([Plain(one), Plain(self.two.value(x))]) }
    }

    /// Both fields at a point.
    fn at(&self, x: Vec3<T>) -> [Graded<T>; 2] {
        let one = self.one.at(self.turned(x));
        let gradient = self.pose.mat * one.gradient;
        [Graded { gradient, ..one }, self.two.at(x)]
    }

    /// Contact of the point to which a start descends, if both fields are negative there.
    fn contact(&self, start: Vec3<T>, iterations: usize) -> Option<ContactPoint<T>> {
        let mut x = start;
        let mut both = self.at(x);
        for _ in 0..iterations {
            let here = closeness(both);
            let horizon = self.close_horizon(x, here.gradient, here.value);
            let of = |x, most| self.values(x, most).map(|both| closeness(both).value());
            match descend(x, here, &horizon, of) {
                Ok((next, _)) => x = next,
                Err(_) => break,
            }
            both = self.at(x);
        }
        let here = depth(both);
        let horizon = self.horizon(x, here.gradient, here.value);
        let of = |x, most| self.values(x, most).map(|both| depth(both).value());
        let end = descend(x, here, &horizon, of);
        let (Ok((_, dist)) | Err(dist)) = end;
        if dist >= T::ZERO || !dist.is_finite() {
            return None;
        }
        if let Ok((next, _)) = end {
            x = next;
            both = self.at(x);
        }
        let normal = normalize3(normalize3(both[0].gradient) - normalize3(both[1].gradient));
        let pos = x + normal * (dist * T::of(0.5));
        Some(ContactPoint { dist, pos, normal, tangent: Vec3::ZERO })
    }
}

/// The function that decides how deep a point is inside both: the larger of the two fields.
#[inline(always)]
fn depth<T: Real, N: Number<T>>(both: [N; 2]) -> N {
    let [a, b] = both;
    if a.value() > b.value() { a } else { b }
}

/// The function that leads points to both surfaces.
#[inline(always)]
fn closeness<T: Real, N: Number<T>>(both: [N; 2]) -> N {
    let larger = depth(both);
    let size = if larger.value() > T::ZERO { larger } else { -larger };
    both[0] + both[1] + if larger.value() == T::ZERO { N::constant(T::ZERO) } else { size }
}

/// A step from `x` down a function that is `here` there and has values `of`, by backtracking: the next point and the value
/// there, or the value at `x` where it is flat or no step leads down. The function is larger than `here` beyond the
/// `horizon`, and where `of` has none for a field above what the horizon says.
#[inline(always)]
fn descend<T: Real>(
    x: Vec3<T>,
    here: Graded<T>,
    horizon: &Horizon<T>,
    of: impl Fn(Vec3<T>, T) -> Option<T>,
) -> Result<(Vec3<T>, T), T> {
    let square = dot(here.gradient, here.gradient);
    if square < T::of(FLAT) {
        return Err(here.value);
    }
    let (mut share, shortest) = (T::ONE, T::of(SHORTEST));
    while share > shortest && horizon.is_passed(share) {
        share *= T::of(0.5);
    }
    loop {
        let next = x - here.gradient * share;
        let is_shortest = share <= shortest;
        // the shortest step counts whatever its value
        if let Some(value) = of(next, if is_shortest { T::of(f64::INFINITY) } else { horizon.most }) {
            if value - here.value <= -T::of(ARMIJO) * share * square || is_shortest {
                return if value > here.value { Err(here.value) } else { Ok((next, value)) };
            }
            if !value.is_finite() {
                return Err(here.value);
            }
        }
        share *= T::of(0.5);
    }
}

/// Bases of the low-discrepancy sequence, one for each axis.
const BASES: [usize; 3] = [2, 3, 5];

/// Its first points.
const FIRST: [[f64; 3]; 64] = {
    let mut points = [[0.0; 3]; 64];
    let mut k = 0;
    while k < 3 * points.len() {
        points[k / 3][k % 3] = halton(k / 3, BASES[k % 3]);
        k += 1;
    }
    points
};

/// Number `i` of the low-discrepancy sequence of a base.
const fn halton(mut i: usize, base: usize) -> f64 {
    let (mut share, mut sum) = (1.0, 0.0);
    while i > 0 {
        share /= base as f64;
        sum += share * (i % base) as f64;
        i /= base;
    }
    sum
}

/// Point `i` of the sequence.
fn initial_point<T: Real>(i: usize) -> Vec3<T> {
    let point = FIRST.get(i).copied().unwrap_or_else(|| BASES.map(|base| halton(i, base)));
    Vec3(point.map(T::of))
}

/// Common part of the bounding boxes of two geoms, in the frame of the first; none if they are apart.
fn common_box<T: Real>(m: &Model<T>, g1: usize, g2: usize, pose: &Shape<T>) -> Option<(Vec3<T>, Vec3<T>)> {
    let (centre, half) = (vec3(&m.geom_aabb, 2 * g1), vec3(&m.geom_aabb, 2 * g1 + 1));
    let (other, size) = (vec3(&m.geom_aabb, 2 * g2), vec3(&m.geom_aabb, 2 * g2 + 1));
    let (mut low, mut high) = (centre - half, centre + half);
    let (mut least, mut most) = (Vec3([T::of(f64::MAX); 3]), Vec3([T::of(f64::MIN); 3]));
    for k in 0..8_usize {
        // a corner of the second geom's box
        let sign = |axis: usize| if k >> axis & 1 == 1 { T::ONE } else { -T::ONE };
        let corner = (other + size * Vec3::from_fn(sign) - pose.pos) * pose.mat;
        least = Vec3::from_fn(|a| least[a].min(corner[a]));
        most = Vec3::from_fn(|a| most[a].max(corner[a]));
    }
    low = Vec3::from_fn(|a| low[a].max(least[a]));
    high = Vec3::from_fn(|a| high[a].min(most[a]));
    (0..3).all(|a| low[a] <= high[a]).then_some((low, high))
}

/// Pose of a shape in the frame of another.
fn relative<T: Real>(a: &Shape<T>, b: &Shape<T>) -> Shape<T> {
    Shape { pos: (a.pos - b.pos) * b.mat, mat: transpose(b.mat) * a.mat, size: a.size }
}

/// A contact in the world.
fn placed<T: Real>(contact: ContactPoint<T>, frame: &Shape<T>) -> ContactPoint<T> {
    let (pos, normal) = (frame.pos + frame.mat * contact.pos, frame.mat * contact.normal);
    ContactPoint { pos, normal, ..contact }
}

/// Contacts of two geoms of which one is a signed distance field, and the other one too or a primitive, each once.
pub fn field_field<T: Real>(
    m: &Model<T>,
    (g1, a): (usize, &Shape<T>),
    (g2, b): (usize, &Shape<T>),
    mut each: impl FnMut(ContactPoint<T>),
) {
    let (Some(one), Some(two)) = (Field::of_geom(m, g1), Field::of_geom(m, g2)) else { return };
    let pose = relative(a, b);
    let Some((low, high)) = common_box(m, g1, g2, &pose) else { return };
    // boxes that only the frame of the second separates are apart too, for the reference as well
    if common_box(m, g2, g1, &relative(b, a)).is_none() {
        return;
    }
    let overlap = Overlap::new(one, two, pose);
    if !overlap.may_meet() {
        return;
    }
    let iterations = m.opt_sdf_iterations[0].max(0) as usize;
    for i in 0..m.opt_sdf_initpoints[0].max(0) as usize {
        let start = low + (high - low) * initial_point(i);
        let start = overlap.pose.pos + overlap.pose.mat * start;
        if let Some(contact) = overlap.contact(start, iterations) {
            each(placed(contact, b));
        }
    }
}

/// Contacts of a mesh and a signed distance field: the deepest points of triangles.
pub fn mesh_field<T: Real>(
    m: &Model<T>,
    (g1, a): (usize, &Shape<T>),
    (g2, b): (usize, &Shape<T>),
    mut each: impl FnMut(ContactPoint<T>),
) {
    let Ok(mesh) = usize::try_from(m.geom_dataid[g1]) else { return };
    let pose = relative(a, b);
    let (first, vert) = (m.mesh_faceadr[mesh] as usize, m.mesh_vertadr[mesh] as usize);
    for face in first..first + m.mesh_facenum[mesh] as usize {
        let corners = [0, 1, 2].map(|k| {
            let v = vec3(&m.mesh_vert, vert + m.mesh_face[3 * face + k] as usize);
            pose.pos + pose.mat * v
        });
        triangle_field(m, g2, corners, |contact| each(placed(contact, b)));
    }
}

/// Contacts of a height field and a signed distance field: the deepest points of the triangles below it.
pub fn hfield_field<T: Real>(
    m: &Model<T>,
    (g1, a): (usize, &Shape<T>),
    (g2, other): (usize, &ConvexShape<'_, T>),
    mut each: impl FnMut(ContactPoint<T>),
) {
    let Ok(field) = usize::try_from(m.geom_dataid[g1]) else { return };
    let Some(prisms) = prisms_under(m, field, *a, other, T::ZERO) else { return };
    let b = &other.shape;
    let pose = relative(a, b);
    for corners in (0..prisms.count()).filter_map(|k| prisms.surface(k)) {
        let turned = corners.map(|c| pose.pos + pose.mat * c);
        triangle_field(m, g2, turned, |contact| each(placed(contact, b)));
    }
}

/// Contacts of a triangle and the field of a geom, in the frame of the geom. A start decides at which corner the search
/// begins, so that there are three at most.
pub(super) fn triangle_field<T: Real>(
    m: &Model<T>,
    g: usize,
    corners: [Vec3<T>; 3],
    mut each: impl FnMut(ContactPoint<T>),
) {
    // a triangle beside the box of the field is outside
    let (centre, half) = (vec3(&m.geom_aabb, 2 * g), vec3(&m.geom_aabb, 2 * g + 1));
    let beside = |k: usize| {
        let off = corners.map(|c| c[k] - centre[k]);
        off[0].min(off[1]).min(off[2]) > half[k] || off[0].max(off[1]).max(off[2]) < -half[k]
    };
    let Some(field) = Field::of_geom(m, g).filter(|_| !(0..3).any(beside)) else { return };
    // the corner to which the field falls most
    let downhill = |x: Vec3<T>| {
        let gradient = field.at(x).gradient;
        let slopes = corners.map(|c| dot(gradient, c));
        let least = if slopes[1] < slopes[0] { 1 } else { 0 };
        if slopes[2] < slopes[least] { 2 } else { least }
    };
    let iterations = m.opt_sdf_iterations[0].max(0) as usize;
    let mut begun = [false; 3];
    for i in 1..=m.opt_sdf_initpoints[0].max(0) as usize {
        let [u, v, _] = initial_point::<T>(i).0;
        let mut x = corners[0] * (T::ONE - u - v) + corners[1] * u + corners[2] * v;
        if iterations > 0 {
            let corner = downhill(x);
            if begun[corner] {
                continue;
            }
            begun[corner] = true;
            x = corners[corner];
        }
        for k in 1..iterations {
            x += (corners[downhill(x)] - x) * (T::of(2.0) / T::of(k as f64 + 2.0));
        }
        let end = field.at(x);
        if end.value < T::ZERO {
            let normal = -normalize3(end.gradient);
            let pos = x + normal * (end.value * T::of(0.5));
            each(ContactPoint { dist: end.value, pos, normal, tangent: Vec3::ZERO });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::math::length;
    use crate::position;
    use manyworlds_model::model::capacity::max_capacity;
    use manyworlds_model::model::data::Data;

    const TORUS: &str = "<extension><plugin plugin='mujoco.sdf.torus'><instance name='t'>
        <config key='radius1' value='.3'/><config key='radius2' value='.1'/></instance></plugin></extension>
        <option sdf_initpoints='40'/>
        <asset><mesh name='t'><plugin instance='t'/></mesh>
        <mesh name='plate' vertex='-.5 -.5 -.1 .5 -.5 -.1 -.5 .5 -.1 .5 .5 -.1 -.5 -.5 0 .5 -.5 0 -.5 .5 0 .5 .5 0'/>
        <hfield name='flat' nrow='8' ncol='8' size='.5 .5 .1 .1'/></asset>";

    /// Contacts of a torus at the origin, or `lifted`, with another geom.
    fn contacts(other: &str, lifted: f64) -> (Vec<f64>, Vec<Vec3<f64>>, Vec<Vec3<f64>>) {
        let text = format!(
            "<mujoco>{TORUS}<worldbody>{other}<body pos='0 0 {lifted}'><freejoint/>
            <geom type='sdf' mesh='t'><plugin instance='t'/></geom></body></worldbody></mujoco>"
        );
        let m = manyworlds_mjcf::load_str(&text).unwrap();
        let mut d = Data::new(&m, max_capacity(&m));
        position(&m, &mut d);
        let n = d.ncon[0] as usize;
        let normals = (0..n).map(|k| vec3(&d.contact_frame, 3 * k)).collect();
        (d.contact_dist[..n].to_vec(), (0..n).map(|k| vec3(&d.contact_pos, k)).collect(), normals)
    }

    #[test]
    fn a_sphere_in_the_tube_of_a_torus_is_as_deep_as_both_radii() {
        // the surfaces are 0.05 inside each other, and midway both fields are half of it
        let (dist, pos, normal) = contacts("<geom size='.06' pos='.3 0 .11'/>", 0.0);
        assert!(dist.len() > 10);
        let deepest = (0..dist.len()).reduce(|a, b| if dist[b] < dist[a] { b } else { a }).unwrap();
        assert!(dist[deepest] < -0.0125 && dist[deepest] > -0.025 - 1e-9, "{}", dist[deepest]);
        assert!((pos[deepest][0] - 0.3).abs() < 0.02 && pos[deepest][1].abs() < 0.02);
        assert!(normal[deepest][2] < -0.9, "{:?}", normal[deepest]);
        // a ball in the hole touches nothing
        assert!(contacts("<geom size='.19'/>", 0.0).0.is_empty());
    }

    /// Contacts of MuJoCo 3.17.0: `mj_forward` of the model that [`contacts`] makes.
    #[test]
    fn searches_on_an_ellipsoid_end_where_those_of_the_reference_do() {
        let ellipsoid = "<geom type='ellipsoid' size='.09 .06 .05' pos='.29 .03 .13' euler='20 30 40'/>";
        let (dist, pos, _) = contacts(ellipsoid, 0.0);
        let first = [-0.008_519_742_59, -0.007_392_966_66, -0.005_344_766_45, -0.008_524_613_3];
        assert_eq!(dist.len(), 40);
        assert!(dist.iter().zip(first).all(|(a, b)| (a - b).abs() < 1e-9), "{dist:?}");
        assert!((dist.iter().sum::<f64>() + 0.302_367_568_01).abs() < 1e-9, "{dist:?}");
        assert!(length(pos[0] - Vec3([0.302_627_11, 0.027_197_38, 0.088_556_78])) < 1e-7, "{pos:?}");
    }

    #[test]
    fn triangles_of_meshes_and_height_fields_find_the_underside() {
        for other in ["<geom type='mesh' mesh='plate'/>", "<geom type='hfield' hfield='flat'/>"] {
            let (dist, _, normal) = contacts(other, 0.09);
            let deepest = dist.iter().copied().fold(0.0, f64::min);
            assert!(!dist.is_empty() && deepest > -0.0101 && deepest < -0.002, "{other}: {dist:?}");
            assert!(normal.iter().all(|n| n[2] > 0.5), "{other}: {normal:?}");
            assert!(contacts(other, 0.11).0.is_empty());
        }
    }
}
