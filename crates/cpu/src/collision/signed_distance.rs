//! Signed distances of shapes, negative inside, with their gradients: a function for each field.
//!
//! Those of sphere, capsule, cylinder and torus are exact, a box's outside. That of an ellipsoid is exact to first order; those of bolt,
//! nut and gear are bounds whose zeros are the surfaces. A field of a plugin has a function here, its row in
//! [`field_distance`], and its numbers in `plugin_prm`.

use crate::math::graded::Graded;
use crate::math::{Vec3, normalize3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{geom, plugin};

/// Numbers of a plugin in a model.
const NUMBERS: usize = 6;

/// Signed distance of a primitive: `kind` as in `geom_type`.
#[inline(always)]
pub fn primitive_distance<T: Real>(kind: i32, size: Vec3<T>, p: Vec3<T>) -> Graded<T> {
    let [x, y, z] = Graded::coordinates(p);
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

/// Distance of an ellipsoid to first order: k₀(k₀ − 1)/k₁ with k₀ = |p/s|, k₁ = |p/s²|.
#[inline(always)]
fn ellipsoid_distance<T: Real>(size: Vec3<T>, p: [Graded<T>; 3]) -> Graded<T> {
    let [x, y, z] = [0, 1, 2].map(|k| p[k].per(size[k]));
    let [u, v, w] = [x.per(size[0]), y.per(size[1]), z.per(size[2])];
    let (k0, k1) = (x.hypot(y).hypot(z), u.hypot(v).hypot(w));
    if k1.value < T::MINVAL {
        // the centre
        return Graded::constant(-size[0].min(size[1]).min(size[2]));
    }
    (k0 * k0.plus(-T::ONE)).over(k1)
}

/// Distance of a box: exact outside. Inside it is that to the nearest wall along a direction that leans away from the middle,
/// towards the walls in inverse proportion to the relative distances from them, as the reference has it: the exact one would
/// send every point to the nearest wall.
#[inline(always)]
fn box_distance<T: Real>(size: Vec3<T>, p: Vec3<T>) -> Graded<T> {
    let room = Vec3::from_fn(|k| size[k] - p[k].abs());
    let [x, y, z] = Graded::coordinates(p);
    if room[0] <= T::ZERO || room[1] <= T::ZERO || room[2] <= T::ZERO {
        let zero = Graded::constant(T::ZERO);
        let off = [x.abs().plus(-size[0]), y.abs().plus(-size[1]), z.abs().plus(-size[2])];
        return off[0].max(zero).hypot(off[1].max(zero)).hypot(off[2].max(zero));
    }
    let lean = normalize3(size / room);
    let reach = room / lean;
    let signed = |k: usize| if p[k] < T::ZERO { -lean[k] } else { lean[k] };
    Graded { gradient: Vec3::from_fn(signed), value: -reach[0].min(reach[1]).min(reach[2]) }
}

/// Distance of a shape that is `across` away in its plane and `along` away from the ends of its axis.
#[inline(always)]
fn extruded<T: Real>(across: Graded<T>, along: Graded<T>) -> Graded<T> {
    let zero = Graded::constant(T::ZERO);
    across.max(along).min(zero) + across.max(zero).hypot(along.max(zero))
}

/// Signed distance of the field of a plugin: `kind` as in `plugin`, with its numbers.
#[inline(always)]
pub fn field_distance<T: Real>(kind: i32, prm: &[T], p: Vec3<T>) -> Graded<T> {
    let p = Graded::coordinates(p);
    match kind {
        plugin::BOLT => bolt_distance(prm[0], p),
        plugin::BOWL => bowl_distance(prm[0], prm[1], prm[2], p),
        plugin::GEAR => gear_distance(prm, p),
        plugin::NUT => nut_distance(prm[0], p),
        _ => torus_distance(prm[0], prm[1], p),
    }
}

/// Signed distance of a plugin instance of a model.
#[inline(always)]
pub fn plugin_distance<T: Real>(m: &Model<T>, id: usize, p: Vec3<T>) -> Graded<T> {
    field_distance(m.plugin[id], &m.plugin_prm[NUMBERS * id..NUMBERS * (id + 1)], p)
}

/// A torus around z: radii of its circle and of its tube.
fn torus_distance<T: Real>(radius1: T, radius2: T, [x, y, z]: [Graded<T>; 3]) -> Graded<T> {
    x.hypot(y).plus(-radius1).hypot(z).plus(-radius2)
}

/// A bowl open towards z: the part of a sphere below `height`, with walls of twice the thickness and a round rim; the whole
/// sphere where the height is beyond it.
fn bowl_distance<T: Real>(height: T, radius: T, thickness: T, [x, y, z]: [Graded<T>; 3]) -> Graded<T> {
    let square = radius * radius - height * height;
    let rim = square.max(T::ZERO).sqrt();
    let r = x.hypot(y);
    let middle = if square >= T::ZERO && height * r.value < rim * z.value {
        r.plus(-rim).hypot(z.plus(-height))
    } else {
        r.hypot(z).plus(-radius).abs()
    };
    middle.plus(-thickness)
}

/// Turns of a thread in a metre.
const TURNS: f64 = 12.0;

/// Half the square root of two: sine and cosine of the slants of bolt and nut.
const SLANT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Distance from a thread, and from the cone that ends it.
fn thread<T: Real>(radius: T, [x, y, z]: [Graded<T>; 3]) -> (Graded<T>, Graded<T>) {
    let over = x.hypot(y).plus(-radius);
    // a wave along the helix
    let turn = z.times(T::of(TURNS)) - y.atan2(x).per(T::of(2.0 * std::f64::consts::PI));
    let wave = turn.modulo(T::ONE).plus(T::of(-0.5)).abs();
    ((over - wave.per(T::of(TURNS))).times(T::of(SLANT)), (z - over).times(T::of(SLANT)))
}

/// A hexagonal head with a chamfer.
fn hexagon<T: Real>(radius: T, [x, y, z]: [Graded<T>; 3]) -> Graded<T> {
    // along the nearest of six directions, of which x is one
    let pi = T::of(std::f64::consts::PI);
    let sector = (y.value.atan2(x.value) * T::of(3.0) / pi).round() * pi / T::of(3.0);
    let across = (x.times(sector.cos()) + y.times(sector.sin())).plus(T::of(-0.5));
    let chamfer = (z + x.hypot(y)).plus(-radius).plus(T::of(-0.22)).times(T::of(SLANT));
    let height = z.plus(T::of(0.25)).abs().plus(T::of(-0.25));
    across.max(height).max(chamfer)
}

/// A bolt along z, its head below the origin.
fn bolt_distance<T: Real>(radius: T, p: [Graded<T>; 3]) -> Graded<T> {
    let (thread, cone) = thread(radius, p);
    let length = p[2].plus(T::of(0.5)).abs().plus(T::of(-0.5));
    hexagon(radius, p).min(thread.max(length).max((-cone).plus(T::of(-SLANT))))
}

/// A nut that fits a bolt.
fn nut_distance<T: Real>(radius: T, p: [Graded<T>; 3]) -> Graded<T> {
    let (thread, cone) = thread(radius, p);
    let hole = thread.max((-cone).plus(T::of(-0.5 * SLANT))).min((-cone).plus(T::of(-0.05 * SLANT)));
    hexagon(radius, p).max(-hole)
}

/// Proportions of a gear.
struct GearSize<T> {
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
    fn new(diameter: T, teeth: T, inner_diameter: T) -> Self {
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
        Self { hole, base, foot: tip - depth, tip, step, gap }
    }
}

/// Distance from the tips beyond which the teeth of a gear are a disc, m.
const FAR_FROM_TEETH: f64 = 0.2;

/// A gear around z with involute teeth: turned by an angle (rad), diameter, teeth, thickness, inner diameter.
fn gear_distance<T: Real>(prm: &[T], [x, y, z]: [Graded<T>; 3]) -> Graded<T> {
    let size = GearSize::new(prm[1], prm[2], prm[4]);
    let r = x.hypot(y);
    let across = if r.value < size.hole {
        (-r).plus(size.hole)
    } else if r.value > size.tip + T::of(FAR_FROM_TEETH) {
        r.plus(-size.tip)
    } else {
        toothed(&size, T::of(0.0035) * prm[1], r, y.atan2(x).plus(prm[0]))
    };
    extruded(across, z.abs().plus(-prm[3] / T::of(2.0)))
}

/// Distance in the plane of a gear near its teeth, at radius `r` and an angle; `round` blends the tips.
fn toothed<T: Real>(size: &GearSize<T>, round: T, r: Graded<T>, angle: Graded<T>) -> Graded<T> {
    // angles from the two flanks of the nearest tooth
    let half = size.gap / T::of(2.0);
    let one = angle.plus(half).modulo(size.step).plus(-half);
    let other = (-angle).plus(-size.gap).plus(half).modulo(size.step).plus(-half);
    let gap = size.step - size.gap;
    let mut teeth = one.plus(-gap).max(other.plus(-gap));
    if r.value > size.base {
        // beyond the base circle: along its tangent, which the involute unrolls
        let tangent = (r * r).plus(-size.base * size.base).sqrt();
        let unrolled = Graded::constant(size.base).over(r).acos();
        let flank = |turn: Graded<T>| tangent - (turn + unrolled).times(size.base);
        teeth = teeth.max(flank(one).max(flank(other)));
    }
    let tip = r.plus(-size.tip);
    let teeth = tip.max(teeth).max(-blended(tip.max(-teeth), teeth.max(-tip), round));
    let gear = blended(r.plus(-size.foot), teeth, size.base - size.foot);
    gear.max((-r).plus(size.hole))
}

/// Union of two fields with a fillet of size `k`.
fn blended<T: Real>(a: Graded<T>, b: Graded<T>, k: T) -> Graded<T> {
    let share = (b - a).times(T::of(0.5)).per(k).plus(T::of(0.5)).clamp(T::ZERO, T::ONE);
    let rest = (-share).plus(T::ONE);
    b * rest + a * share - (share * rest).times(k)
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn agreement(of: impl Fn(Vec3<f64>) -> Graded<f64>, reach: f64) -> f64 {
        let mut random = Random(5);
        let step = 1e-6;
        let fits = |p: Vec3<f64>| {
            let slope = |k: usize| {
                (of(p + Vec3::unit(k) * step).value - of(p - Vec3::unit(k) * step).value) / (2.0 * step)
            };
            length(Vec3::from_fn(slope) - of(p).gradient) < 1e-5 * (1.0 + length(of(p).gradient))
        };
        let points = (0..10_000).map(|_| random.vector() * reach);
        points.filter(|p| fits(*p)).count() as f64 / 10_000.0
    }

    #[test]
    fn gradients_are_slopes() {
        for (kind, prm, reach) in FIELDS {
            let share = agreement(|p| field_distance(kind, &prm, p), reach);
            assert!(share > 0.999, "plugin {kind}: {share}");
        }
        for kind in [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER] {
            let share = agreement(|p| primitive_distance(kind, Vec3([0.2, 0.3, 0.4]), p), 0.6);
            assert!(share > 0.999, "type {kind}: {share}");
        }
    }

    #[test]
    fn distances_are_those_of_closed_forms() {
        let mut random = Random(8);
        for _ in 0..1000 {
            let p = random.vector();
            let torus = field_distance(plugin::TORUS, &[0.5, 0.1], p).value;
            let circle = Vec3([p[0], p[1], 0.0]) * (0.5 / p[0].hypot(p[1]));
            assert!((torus - (length(p - circle) - 0.1)).abs() < 1e-15, "{torus}");
            // a bowl is as thick as twice its thickness where it is a sphere
            let bowl = field_distance(plugin::BOWL, &[0.4, 1.0, 0.02], p * (1.0 / length(p))).value;
            assert!(p[2] > 0.0 || (bowl + 0.02).abs() < 1e-15, "{bowl}");
        }
        // outside of a box at its corner, and half way to a wall inside
        let size = Vec3([0.1, 0.2, 0.3]);
        let corner = primitive_distance(geom::BOX, size, Vec3([0.4, -0.6, 0.3]));
        assert!((corner.value - 0.5).abs() < 1e-15 && (corner.gradient[0] - 0.6).abs() < 1e-15);
        let near = primitive_distance(geom::BOX, size, Vec3([0.1 - 1e-9, 0.0, 0.0]));
        assert!((near.value + 1e-9).abs() < 1e-16 && near.gradient[0] > 1.0 - 1e-15);
    }

    #[test]
    fn fields_are_finite_where_nothing_is_steep() {
        let flat = [Vec3::ZERO, Vec3::Z, Vec3([0.0, 0.0, -3.0])];
        for (p, (kind, prm, _)) in flat.iter().flat_map(|p| FIELDS.map(|field| (*p, field))) {
            let at = field_distance(kind, &prm, p);
            assert!(at.value.is_finite() && at.gradient.0.iter().all(|x| x.is_finite()), "{kind} {p:?}");
        }
        for kind in [geom::SPHERE, geom::CAPSULE, geom::ELLIPSOID, geom::CYLINDER, geom::BOX] {
            let at = primitive_distance(kind, Vec3([0.1, 0.2, 0.3]), Vec3::<f64>::ZERO);
            assert!(at.value.is_finite() && at.gradient.0.iter().all(|x| x.is_finite()), "{kind}");
        }
    }
}
