// Signed distances of shapes, negative inside, with their gradients: a function for each field.
// Twin: crates/cpu/src/collision/signed_distance.rs, which says which of them are exact, and has values without
// gradients by the same formulas. A model holds those it has.

import package::math::graded::{self, constant, coordinates, hypot, modulo, mul, over, plus};
import package::math::trig::{arctan2, PI, sincos};
import package::math::vector::normalize3;

// Numbers of a plugin in a model.
const NUMBERS: u32 = 6u;

// Signed distance of a primitive: `kind` as in `geom_type`.
fn primitive_distance(kind: i32, size: vec3f, p: vec3f) -> vec4f {
    let c = coordinates(p);
//#if FIELD_SPHERE
    if (kind == GEOM_SPHERE) {
        return plus(hypot(hypot(c[0], c[1]), c[2]), -size.x);
    }
//#endif
//#if FIELD_CAPSULE
    if (kind == GEOM_CAPSULE) {
        // from the nearest point of the axis
        let along = c[2] - graded::clamp(c[2], -size.y, size.y);
        return plus(hypot(hypot(c[0], c[1]), along), -size.x);
    }
//#endif
//#if FIELD_ELLIPSOID
    if (kind == GEOM_ELLIPSOID) {
        return ellipsoid_distance(size, c);
    }
//#endif
//#if FIELD_CYLINDER
    if (kind == GEOM_CYLINDER) {
        return extruded(plus(hypot(c[0], c[1]), -size.x), plus(graded::abs(c[2]), -size.y));
    }
//#endif
//#if FIELD_BOX
    if (kind == GEOM_BOX) {
        return box_distance(size, p);
    }
//#endif
    // of a plane
    return c[2];
}

// Distance of an ellipsoid to first order: k0 (k0 - 1) / k1 with k0 = |p / s|, k1 = |p / s^2|. Its gradient has length one,
// as the twin explains.
fn ellipsoid_distance(size: vec3f, c: mat3x4f) -> vec4f {
    let x = c[0] / size.x;
    let y = c[1] / size.y;
    let z = c[2] / size.z;
    let k0 = hypot(hypot(x, y), z);
    let k1 = hypot(hypot(x / size.x, y / size.y), z / size.z);
    if (k1.w < MINVAL) {
        // the centre
        return constant(-min(size.x, min(size.y, size.z)));
    }
    let f = over(mul(k0, plus(k0, -1.0)), k1);
    return vec4f(normalize3(f.xyz), f.w);
}

// Distance of a box: exact outside. Inside it is that to the nearest wall along a direction that leans away from the
// middle, as the twin explains.
fn box_distance(size: vec3f, p: vec3f) -> vec4f {
    let room = size - abs(p);
    if (any(room <= vec3f(0.0))) {
        let off = max(-room, vec3f(0.0));
        let square = dot(off, off);
        if (square < MINVAL * MINVAL) {
            return vec4f(0.0);
        }
        let share = inverseSqrt(square);
        return vec4f(off * sign(p) * share, square * share);
    }
    let lean = normalize3(size / room);
    let reach = room / lean;
    return vec4f(select(lean, -lean, p < vec3f(0.0)), -min(reach.x, min(reach.y, reach.z)));
}

// Distance of a shape that is `across` away in its plane and `along` away from the ends of its axis.
fn extruded(across: vec4f, along: vec4f) -> vec4f {
    let zero = vec4f(0.0);
    let outside = hypot(graded::max(across, zero), graded::max(along, zero));
    return graded::min(graded::max(across, along), zero) + outside;
}

// Signed distance of the field of a plugin: `kind` as in `plugin`, with the place of its first number.
fn field_distance(kind: i32, prm: u32, p: vec3f) -> vec4f {
    let c = coordinates(p);
//#if FIELD_BOLT
    if (kind == PLUGIN_BOLT) {
        return bolt_distance(plugin_prm(prm), c);
    }
//#endif
//#if FIELD_BOWL
    if (kind == PLUGIN_BOWL) {
        return bowl_distance(plugin_prm(prm), plugin_prm(prm + 1u), plugin_prm(prm + 2u), c);
    }
//#endif
//#if FIELD_GEAR
    if (kind == PLUGIN_GEAR) {
        return gear_distance(prm, c);
    }
//#endif
//#if FIELD_NUT
    if (kind == PLUGIN_NUT) {
        return nut_distance(plugin_prm(prm), c);
    }
//#endif
//#if FIELD_TORUS
    if (kind == PLUGIN_TORUS) {
        return torus_distance(plugin_prm(prm), plugin_prm(prm + 1u), c);
    }
//#endif
    return c[2];
}

// Signed distance of a plugin instance of a model.
fn plugin_distance(id: u32, p: vec3f) -> vec4f {
//#if FIELD_FORMULA
    if (plugin(id) == PLUGIN_FORMULA) {
        return formula_distance(id, p);
    }
//#endif
    return field_distance(plugin(id), NUMBERS * id, p);
}

// A torus around z: radii of its circle and of its tube.
fn torus_distance(radius1: f32, radius2: f32, c: mat3x4f) -> vec4f {
    return plus(hypot(plus(hypot(c[0], c[1]), -radius1), c[2]), -radius2);
}

// A bowl open towards z: the part of a sphere below `height`, with walls of twice the thickness and a round rim; the
// whole sphere where the height is beyond it.
fn bowl_distance(height: f32, radius: f32, thickness: f32, c: mat3x4f) -> vec4f {
    let square = radius * radius - height * height;
    let rim = sqrt(max(square, 0.0));
    let r = hypot(c[0], c[1]);
    var middle = graded::abs(plus(hypot(r, c[2]), -radius));
    if (square >= 0.0 && height * r.w < rim * c[2].w) {
        middle = hypot(plus(r, -rim), plus(c[2], -height));
    }
    return plus(middle, -thickness);
}

// Turns of a thread in a metre.
const TURNS: f32 = 12.0;

// Half the square root of two: sine and cosine of the slants of bolt and nut.
const SLANT: f32 = 0.707106781186548;

// Distance from a thread, and from the cone that ends it, at an angle around z.
fn thread(radius: f32, angle: vec4f, c: mat3x4f) -> mat2x4f {
    let beyond = plus(hypot(c[0], c[1]), -radius);
    // a wave along the helix
    let turn = c[2] * TURNS - angle / (2.0 * PI);
    let wave = graded::abs(plus(modulo(turn, 1.0), -0.5));
    return mat2x4f((beyond - wave / TURNS) * SLANT, (c[2] - beyond) * SLANT);
}

// A hexagonal head with a chamfer, at an angle around z.
fn hexagon(radius: f32, angle: f32, c: mat3x4f) -> vec4f {
    // along the nearest of six directions, of which x is one
    let sector = sincos(round(angle * (3.0 / PI)) * (PI / 3.0));
    let across = plus(c[0] * sector.y + c[1] * sector.x, -0.5);
    let chamfer = plus(c[2] + hypot(c[0], c[1]), -radius - 0.22) * SLANT;
    let height = plus(graded::abs(plus(c[2], 0.25)), -0.25);
    return graded::max(graded::max(across, height), chamfer);
}

// A bolt along z, its head below the origin.
fn bolt_distance(radius: f32, c: mat3x4f) -> vec4f {
    let angle = graded::atan2(c[1], c[0]);
    let both = thread(radius, angle, c);
    let length = plus(graded::abs(plus(c[2], 0.5)), -0.5);
    let shaft = graded::max(graded::max(both[0], length), plus(-both[1], -SLANT));
    return graded::min(hexagon(radius, angle.w, c), shaft);
}

// A nut that fits a bolt.
fn nut_distance(radius: f32, c: mat3x4f) -> vec4f {
    let angle = graded::atan2(c[1], c[0]);
    let both = thread(radius, angle, c);
    let hole = graded::min(graded::max(both[0], plus(-both[1], -0.5 * SLANT)), plus(-both[1], -0.05 * SLANT));
    return graded::max(hexagon(radius, angle.w, c), -hole);
}

// Proportions of a gear.
struct GearSize {
    // radii of the hole, of the base circle, of the feet and of the tips of the teeth, m
    hole: f32,
    base: f32,
    foot: f32,
    tip: f32,
    // angle from a tooth to the next, and of the gap that the involutes leave, rad
    step: f32,
    gap: f32,
}

// Proportions by diameter, teeth and inner diameter.
fn gear_size(diameter: f32, teeth: f32, inner_diameter: f32) -> GearSize {
    let radius = 0.5 * diameter;
    // pressure angle by the number of teeth
    let sc = sincos(3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551);
    let addendum = diameter / teeth;
    let depth = 2.2 * addendum;
    let tip = radius + addendum;
    let hole = select(tip - depth - 0.14 * diameter, 0.5 * inner_diameter, inner_diameter >= 0.0);
    let step = 2.0 * PI / teeth;
    // the arc cosine of base / radius, which is the cosine
    let roll = arctan2(abs(sc.x), sc.y);
    let gap = 0.5 * step - 2.0 * (abs(sc.x) / sc.y - roll);
    return GearSize(hole, radius * sc.y, tip - depth, tip, step, gap);
}

// Distance from the tips beyond which the teeth of a gear are a disc, m.
const FAR_FROM_TEETH: f32 = 0.2;

// A gear around z with involute teeth: turned by an angle (rad), diameter, teeth, thickness, inner diameter.
fn gear_distance(prm: u32, c: mat3x4f) -> vec4f {
    let size = gear_size(plugin_prm(prm + 1u), plugin_prm(prm + 2u), plugin_prm(prm + 4u));
    let r = hypot(c[0], c[1]);
    var across = plus(-r, size.hole);
    if (r.w > size.tip + FAR_FROM_TEETH) {
        across = plus(r, -size.tip);
    } else if (r.w >= size.hole) {
        across = toothed(size, 0.0035 * plugin_prm(prm + 1u), r, plus(graded::atan2(c[1], c[0]), plugin_prm(prm)));
    }
    return extruded(across, plus(graded::abs(c[2]), -0.5 * plugin_prm(prm + 3u)));
}

// Distance in the plane of a gear near its teeth, at radius `r` and an angle; `fillet` blends the tips.
fn toothed(size: GearSize, fillet: f32, r: vec4f, angle: vec4f) -> vec4f {
    // angles from the two flanks of the nearest tooth
    let half = 0.5 * size.gap;
    let one = plus(modulo(plus(angle, half), size.step), -half);
    let other = plus(modulo(plus(-angle, half - size.gap), size.step), -half);
    let gap = size.step - size.gap;
    var teeth = graded::max(plus(one, -gap), plus(other, -gap));
    if (r.w > size.base) {
        // beyond the base circle: along its tangent, which the involute unrolls
        let tangent = graded::sqrt(plus(mul(r, r), -size.base * size.base));
        let unrolled = graded::acos(over(constant(size.base), r));
        let flank1 = tangent - (one + unrolled) * size.base;
        let flank2 = tangent - (other + unrolled) * size.base;
        teeth = graded::max(teeth, graded::max(flank1, flank2));
    }
    let tip = plus(r, -size.tip);
    let corner = blended(graded::max(tip, -teeth), graded::max(teeth, -tip), fillet);
    teeth = graded::max(graded::max(tip, teeth), -corner);
    let gear = blended(plus(r, -size.foot), teeth, size.base - size.foot);
    return graded::max(gear, plus(-r, size.hole));
}

// Union of two fields with a fillet of size `k`.
fn blended(a: vec4f, b: vec4f, k: f32) -> vec4f {
    let share = graded::clamp(plus((b - a) * (0.5 / k), 0.5), 0.0, 1.0);
    let rest = plus(-share, 1.0);
    return mul(b, rest) + mul(a, share) - mul(share, rest) * k;
}
