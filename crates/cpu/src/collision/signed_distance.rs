//! Signed distances of shapes, negative inside: a function for each field, of values with their gradients or without.
//!
//! Those of sphere, capsule, cylinder and torus are exact, a box's outside. That of an ellipsoid is exact to first order; those of bolt,
//! nut and gear are bounds whose zeros are the surfaces. A field of a plugin has a function here, its rows in
//! [`Formula`], and its numbers in `plugin_prm`.

use crate::math::graded::Number;
use crate::math::{Vec3, normalize3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{geom, plugin};

/// Numbers of a plugin in a model.
const NUMBERS: usize = 6;

/// Signed distance of a primitive: `kind` as in `geom_type`.
#[inline(always)]
pub fn primitive_distance<T: Real, N: Number<T>>(kind: i32, size: Vec3<T>, p: Vec3<T>) -> N {
    let [x, y, z] = N::coordinates(p);
    match kind {
        geom::PLANE => z,
        geom::SPHERE => x.hypot(y).hypot(z).plus(-size[0]),
        geom::CAPSULE => {
            // from the nearest point of the axis
            let along = z - z.clamp(-size[1], size[1]);
            x.hypot(y).hypot(along).plus(-size[0])
        }
        geom::ELLIPSOID => ellipsoid_distance(size, [x, y, z]),
        geom::CYLINDER => extruded(x.hypot(y).plus(-size[0]), z.abs().plus(-size[1])),
        _ => box_distance(size, p),
    }
}

/// Distance of an ellipsoid to first order: k₀(k₀ − 1)/k₁ with k₀ = |p/s|, k₁ = |p/s²|. Its gradient has length one, as the
/// reference has it, by which searches for contacts end at the same points.
#[inline(always)]
fn ellipsoid_distance<T: Real, N: Number<T>>(size: Vec3<T>, p: [N; 3]) -> N {
    let (x, y, z) = (p[0].per(size[0]), p[1].per(size[1]), p[2].per(size[2]));
    let [u, v, w] = [x.per(size[0]), y.per(size[1]), z.per(size[2])];
    let (k0, k1) = (x.hypot(y).hypot(z), u.hypot(v).hypot(w));
    if k1.value() < T::MINVAL {
        // the centre
        return N::constant(-size[0].min(size[1]).min(size[2]));
    }
    (k0 * k0.plus(-T::ONE)).over(k1).steepened()
}

/// Distance of a box: exact outside. Inside it is that to the nearest wall along a direction that leans away from the middle,
/// towards the walls in inverse proportion to the relative distances from them, as the reference has it: the exact one would
/// send every point to the nearest wall.
#[inline(always)]
fn box_distance<T: Real, N: Number<T>>(size: Vec3<T>, p: Vec3<T>) -> N {
    let room = Vec3::from_fn(|k| size[k] - p[k].abs());
    let [x, y, z] = N::coordinates(p);
    if room[0] <= T::ZERO || room[1] <= T::ZERO || room[2] <= T::ZERO {
        let zero = N::constant(T::ZERO);
        let off = [x.abs().plus(-size[0]), y.abs().plus(-size[1]), z.abs().plus(-size[2])];
        return off[0].max(zero).hypot(off[1].max(zero)).hypot(off[2].max(zero));
    }
    let lean = normalize3(size / room);
    let reach = room / lean;
    let signed = |k: usize| if p[k] < T::ZERO { -lean[k] } else { lean[k] };
    N::known(-reach[0].min(reach[1]).min(reach[2]), || Vec3::from_fn(signed))
}

/// Distance of a shape that is `across` away in its plane and `along` away from the ends of its axis.
#[inline(always)]
fn extruded<T: Real, N: Number<T>>(across: N, along: N) -> N {
    let zero = N::constant(T::ZERO);
    across.max(along).min(zero) + across.max(zero).hypot(along.max(zero))
}

/// The field of a plugin with the numbers that do not depend on the point.
#[derive(Clone, Copy, Debug)]
pub enum Formula<T> {
    /// A bolt.
    Bolt(ThreadSize<T>),
    /// A bowl.
    Bowl(BowlSize<T>),
    /// A gear.
    Gear(GearSize<T>),
    /// A nut.
    Nut(ThreadSize<T>),
    /// A torus: radii of its circle and of its tube, m.
    Torus(T, T),
}

impl<T: Real> Formula<T> {
    /// The field of a plugin: `kind` as in `plugin`, with its numbers.
    pub fn new(kind: i32, prm: &[T]) -> Self {
        match kind {
            plugin::BOLT => Self::Bolt(ThreadSize::new(prm[0])),
            plugin::BOWL => Self::Bowl(BowlSize::new(prm[0], prm[1], prm[2])),
            plugin::GEAR => Self::Gear(GearSize::new(prm)),
            plugin::NUT => Self::Nut(ThreadSize::new(prm[0])),
            _ => Self::Torus(prm[0], prm[1]),
        }
    }

    /// The field of a plugin instance of a model.
    pub fn of_plugin(m: &Model<T>, id: usize) -> Self {
        Self::new(m.plugin[id], &m.plugin_prm[NUMBERS * id..NUMBERS * (id + 1)])
    }

    /// Half sizes of the box beyond which a field is at least the distance from there, and how deep it is at most, m; none
    /// of bolts, nuts and gears, which are no distances.
    pub fn bound(&self) -> Option<(Vec3<T>, T)> {
        match self {
            Self::Bowl(size) => Some((Vec3([size.radius + size.thickness; 3]), size.thickness)),
            Self::Torus(radius1, radius2) => {
                let radius = *radius1 + *radius2;
                Some((Vec3([radius, radius, *radius2]), *radius2))
            }
            _ => None,
        }
    }

    /// Signed distance at a point.
    #[inline(always)]
    pub fn plugin_distance<N: Number<T>>(&self, p: Vec3<T>) -> N {
        let p = N::coordinates(p);
        match self {
            Self::Bolt(size) => bolt_distance(size, p),
            Self::Bowl(size) => bowl_distance(size, p),
            Self::Gear(size) => gear_distance(size, p),
            Self::Nut(size) => nut_distance(size, p),
            Self::Torus(radius1, radius2) => torus_distance(*radius1, *radius2, p),
        }
    }
}

/// Signed distance of the field of a plugin: `kind` as in `plugin`, with its numbers.
pub fn field_distance<T: Real, N: Number<T>>(kind: i32, prm: &[T], p: Vec3<T>) -> N {
    Formula::new(kind, prm).plugin_distance(p)
}

/// A torus around z: radii of its circle and of its tube.
#[inline(always)]
fn torus_distance<T: Real, N: Number<T>>(radius1: T, radius2: T, [x, y, z]: [N; 3]) -> N {
    x.hypot(y).plus(-radius1).hypot(z).plus(-radius2)
}

/// Proportions of a bowl, m.
#[derive(Clone, Copy, Debug)]
pub struct BowlSize<T> {
    height: T,
    radius: T,
    thickness: T,
    /// Radius of the rim, and its square, which is negative where the height is beyond the sphere.
    rim: T,
    square: T,
}

impl<T: Real> BowlSize<T> {
    fn new(height: T, radius: T, thickness: T) -> Self {
        let square = radius * radius - height * height;
        Self { height, radius, thickness, rim: square.max(T::ZERO).sqrt(), square }
    }
}

/// A bowl open towards z: the part of a sphere below `height`, with walls of twice the thickness and a round rim; the whole
/// sphere where the height is beyond it.
#[inline(always)]
fn bowl_distance<T: Real, N: Number<T>>(size: &BowlSize<T>, [x, y, z]: [N; 3]) -> N {
    let r = x.hypot(y);
    let middle = if size.square >= T::ZERO && size.height * r.value() < size.rim * z.value() {
        r.plus(-size.rim).hypot(z.plus(-size.height))
    } else {
        r.hypot(z).plus(-size.radius).abs()
    };
    middle.plus(-size.thickness)
}

/// Turns of a thread in a metre.
const TURNS: f64 = 12.0;

/// Half the square root of two: sine and cosine of the slants of bolt and nut.
const SLANT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Numbers of bolt and nut.
#[derive(Clone, Copy, Debug)]
pub struct ThreadSize<T> {
    radius: T,
    /// Cosine and sine of the directions of a hexagon, from the opposite of x around to it.
    sector: [[T; 2]; 7],
}

impl<T: Real> ThreadSize<T> {
    fn new(radius: T) -> Self {
        let sector = std::array::from_fn(|k| {
            let angle = T::of(k as f64 - 3.0) * T::of(std::f64::consts::PI) / T::of(3.0);
            [angle.cos(), angle.sin()]
        });
        Self { radius, sector }
    }
}

/// Distance from a thread, and from the cone that ends it, at an angle around z.
#[inline(always)]
fn thread<T: Real, N: Number<T>>(radius: T, angle: N, [x, y, z]: [N; 3]) -> (N, N) {
    let over = x.hypot(y).plus(-radius);
    // a wave along the helix
    let turn = z.times(T::of(TURNS)) - angle.per(T::of(2.0 * std::f64::consts::PI));
    let wave = turn.modulo(T::ONE).plus(T::of(-0.5)).abs();
    ((over - wave.per(T::of(TURNS))).times(T::of(SLANT)), (z - over).times(T::of(SLANT)))
}

/// A hexagonal head with a chamfer, at an angle around z.
#[inline(always)]
fn hexagon<T: Real, N: Number<T>>(size: &ThreadSize<T>, angle: T, [x, y, z]: [N; 3]) -> N {
    // along the nearest of six directions, of which x is one
    let nearest = (angle * T::of(3.0) / T::of(std::f64::consts::PI)).round();
    let [cos, sin] = size.sector[((nearest.f64() + 3.0) as usize).min(6)];
    let across = (x.times(cos) + y.times(sin)).plus(T::of(-0.5));
    let chamfer = (z + x.hypot(y)).plus(-size.radius).plus(T::of(-0.22)).times(T::of(SLANT));
    let height = z.plus(T::of(0.25)).abs().plus(T::of(-0.25));
    across.max(height).max(chamfer)
}

/// A bolt along z, its head below the origin.
#[inline(always)]
fn bolt_distance<T: Real, N: Number<T>>(size: &ThreadSize<T>, p: [N; 3]) -> N {
    let angle = p[1].atan2(p[0]);
    let (thread, cone) = thread(size.radius, angle, p);
    let length = p[2].plus(T::of(0.5)).abs().plus(T::of(-0.5));
    hexagon(size, angle.value(), p).min(thread.max(length).max((-cone).plus(T::of(-SLANT))))
}

/// A nut that fits a bolt.
#[inline(always)]
fn nut_distance<T: Real, N: Number<T>>(size: &ThreadSize<T>, p: [N; 3]) -> N {
    let angle = p[1].atan2(p[0]);
    let (thread, cone) = thread(size.radius, angle, p);
    let hole = thread.max((-cone).plus(T::of(-0.5 * SLANT))).min((-cone).plus(T::of(-0.05 * SLANT)));
    hexagon(size, angle.value(), p).max(-hole)
}

/// Proportions of a gear.
#[derive(Clone, Copy, Debug)]
pub struct GearSize<T> {
    /// Angle by which it is turned, rad.
    turned: T,
    /// Half its thickness, and what blends the tips of its teeth, m.
    half: T,
    round: T,
    /// Radii of the hole, of the base circle, of the feet and of the tips of the teeth, m.
    hole: T,
    base: T,
    foot: T,
    tip: T,
    /// Angle from a tooth to the next, and of the gap that the involutes leave, rad.
    step: T,
    gap: T,
}

impl<T: Real> GearSize<T> {
    /// Proportions by the angle, diameter, teeth, thickness and inner diameter.
    fn new(prm: &[T]) -> Self {
        let (diameter, teeth, inner_diameter) = (prm[1], prm[2], prm[4]);
        let radius = diameter / T::of(2.0);
        // pressure angle by the number of teeth
        let angle = T::of(3.096e-5) * teeth * teeth - T::of(6.557e-3) * teeth + T::of(0.551);
        let addendum = diameter / teeth;
        let depth = T::of(2.2) * addendum;
        let tip = radius + addendum;
        let hole = if inner_diameter >= T::ZERO {
            inner_diameter / T::of(2.0)
        } else {
            tip - depth - T::of(0.14) * diameter
        };
        let base = radius * angle.cos();
        let step = T::of(2.0 * std::f64::consts::PI) / teeth;
        let roll = (base / radius).acos();
        let gap = step / T::of(2.0) - T::of(2.0) * (roll.tan() - roll);
        let (half, round) = (prm[3] / T::of(2.0), T::of(0.0035) * diameter);
        Self { turned: prm[0], half, round, hole, base, foot: tip - depth, tip, step, gap }
    }
}

/// Distance from the tips beyond which the teeth of a gear are a disc, m.
const FAR_FROM_TEETH: f64 = 0.2;

/// A gear around z with involute teeth.
#[inline(always)]
fn gear_distance<T: Real, N: Number<T>>(size: &GearSize<T>, [x, y, z]: [N; 3]) -> N {
    let r = x.hypot(y);
    let across = if r.value() < size.hole {
        (-r).plus(size.hole)
    } else if r.value() > size.tip + T::of(FAR_FROM_TEETH) {
        r.plus(-size.tip)
    } else {
        toothed(size, r, y.atan2(x).plus(size.turned))
    };
    extruded(across, z.abs().plus(-size.half))
}

/// Distance in the plane of a gear near its teeth, at radius `r` and an angle.
fn toothed<T: Real, N: Number<T>>(size: &GearSize<T>, r: N, angle: N) -> N {
    // angles from the two flanks of the nearest tooth
    let half = size.gap / T::of(2.0);
    let one = angle.plus(half).modulo(size.step).plus(-half);
    let other = (-angle).plus(-size.gap).plus(half).modulo(size.step).plus(-half);
    let gap = size.step - size.gap;
    let mut teeth = one.plus(-gap).max(other.plus(-gap));
    if r.value() > size.base {
        // beyond the base circle: along its tangent, which the involute unrolls
        let tangent = (r * r).plus(-size.base * size.base).sqrt();
        let unrolled = N::constant(size.base).over(r).acos();
        let flank = |turn: N| tangent - (turn + unrolled).times(size.base);
        teeth = teeth.max(flank(one).max(flank(other)));
    }
    let tip = r.plus(-size.tip);
    let teeth = tip.max(teeth).max(-blended(tip.max(-teeth), teeth.max(-tip), size.round));
    let gear = blended(r.plus(-size.foot), teeth, size.base - size.foot);
    gear.max((-r).plus(size.hole))
}

/// Union of two fields with a fillet of size `k`.
#[inline(always)]
fn blended<T: Real, N: Number<T>>(a: N, b: N, k: T) -> N {
    let share = (b - a).times(T::of(0.5)).per(k).plus(T::of(0.5)).clamp(T::ZERO, T::ONE);
    let rest = (-share).plus(T::ONE);
    b * rest + a * share - (share * rest).times(k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::graded::{Graded, Plain};
    use crate::math::length;
    use crate::math::random::Random;

    /// Fields with their numbers, and a length within which points are interesting.
    const FIELDS: [(i32, [f64; 6], f64); 6] = [
        (plugin::BOLT, [0.26, 0.0, 0.0, 0.0, 0.0, 0.0], 0.7),
        (plugin::NUT, [0.26, 0.0, 0.0, 0.0, 0.0, 0.0], 0.7),
        (plugin::BOWL, [0.4, 1.0, 0.02, 0.0, 0.0, 0.0], 1.1),
        (plugin::GEAR, [0.1, 2.8, 25.0, 0.2, -1.0, 0.0], 1.6),
        (plugin::GEAR, [0.0, 1.4, 12.0, 0.3, 0.5, 0.0], 0.9),
        (plugin::TORUS, [0.35, 0.15, 0.0, 0.0, 0.0, 0.0], 0.6),
    ];

    /// Share of points at which the gradient is that of central differences; the others are at edges.
    fn agreement(of: impl Fn(Vec3<f64>) -> Graded<f64>, reach: f64, is_unit: bool) -> f64 {
        let mut random = Random(5);
        let step = 1e-6;
        let fits = |p: Vec3<f64>| {
            let slope = |k: usize| {
                (of(p + Vec3::unit(k) * step).value - of(p - Vec3::unit(k) * step).value) / (2.0 * step)
            };
            let slope = Vec3::from_fn(slope);
            let slope = if is_unit { normalize3(slope) } else { slope };
            length(slope - of(p).gradient) < 1e-5 * (1.0 + length(of(p).gradient))
        };
        let points = (0..10_000).map(|_| random.vector() * reach);
        points.filter(|p| fits(*p)).count() as f64 / 10_000.0
    }

    #[test]
    fn gradients_are_slopes() {
        for (kind, prm, reach) in FIELDS {
            let share = agreement(|p| field_distance(kind, &prm, p), reach, false);
            assert!(share > 0.999, "plugin {kind}: {share}");
        }
        for kind in [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER] {
            let share = agreement(
                |p| primitive_distance(kind, Vec3([0.2, 0.3, 0.4]), p),
                0.6,
                kind == geom::ELLIPSOID,
            );
            assert!(share > 0.999, "type {kind}: {share}");
        }
    }

    #[test]
    fn distances_are_those_of_closed_forms() {
        let mut random = Random(8);
        for _ in 0..1000 {
            let p = random.vector();
            let torus = field_distance::<f64, Plain<f64>>(plugin::TORUS, &[0.5, 0.1], p).0;
            let circle = Vec3([p[0], p[1], 0.0]) * (0.5 / p[0].hypot(p[1]));
            assert!((torus - (length(p - circle) - 0.1)).abs() < 1e-15, "{torus}");
            // a bowl is as thick as twice its thickness where it is a sphere
            let on_sphere = p * (1.0 / length(p));
            let bowl = field_distance::<f64, Plain<f64>>(plugin::BOWL, &[0.4, 1.0, 0.02], on_sphere).0;
            assert!(p[2] > 0.0 || (bowl + 0.02).abs() < 1e-15, "{bowl}");
        }
        // outside of a box at its corner, and half way to a wall inside
        let size = Vec3([0.1, 0.2, 0.3]);
        let corner: Graded<f64> = primitive_distance(geom::BOX, size, Vec3([0.4, -0.6, 0.3]));
        assert!((corner.value - 0.5).abs() < 1e-15 && (corner.gradient[0] - 0.6).abs() < 1e-15);
        let near: Graded<f64> = primitive_distance(geom::BOX, size, Vec3([0.1 - 1e-9, 0.0, 0.0]));
        assert!((near.value + 1e-9).abs() < 1e-16 && near.gradient[0] > 1.0 - 1e-15);
    }

    #[test]
    fn fields_are_finite_where_nothing_is_steep() {
        let flat = [Vec3::ZERO, Vec3::Z, Vec3([0.0, 0.0, -3.0])];
        for (p, (kind, prm, _)) in flat.iter().flat_map(|p| FIELDS.map(|field| (*p, field))) {
            let at: Graded<f64> = field_distance(kind, &prm, p);
            assert!(at.value.is_finite() && at.gradient.0.iter().all(|x| x.is_finite()), "{kind} {p:?}");
        }
        for kind in [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX] {
            let at: Graded<f64> = primitive_distance(kind, Vec3([0.1, 0.2, 0.3]), Vec3::<f64>::ZERO);
            assert!(at.value.is_finite() && at.gradient.0.iter().all(|x| x.is_finite()), "{kind}");
        }
    }
}
