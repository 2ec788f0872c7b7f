// Fluid forces: inertia-box model for bodies, ellipsoid model for geoms. Twin: crates/cpu/src/smooth/fluid.rs.

import package::math::trig::PI;

// A frame on a body and its motion through the fluid: axes as columns, offset from the tree's centre of mass, angular
// velocity, and velocity relative to the fluid, both in the frame.
struct FluidFrame {
    axes: mat3x3f,
    offset: vec3f,
    ang_vel: vec3f,
    velocity: vec3f,
}

// Frame with the given axes at a point of a body.
fn frame_at(body: u32, point: vec3f, axes: mat3x3f) -> FluidFrame {
    let v = cvel_spatial(body);
    let offset = point - subtree_com_vec3(u32(body_rootid(body)));
    let velocity = v.lin + cross(v.ang, offset) - opt_wind_vec3(0u);
    return FluidFrame(axes, offset, v.ang * axes, velocity * axes);
}

// True if the fluid acts on a body: not on the world, nor on massless bodies.
fn has_fluid_force(body: u32) -> bool {
    return body > 0u && body_mass(body) >= MINVAL;
}

// First geom of a body, and one past the last.
fn geoms_of(body: u32) -> vec2u {
    let first = u32(max(body_geomadr(body), 0));
    return vec2u(first, first + u32(body_geomnum(body)));
}

// True if a body uses the ellipsoid model of its geoms instead of its inertia box.
fn has_ellipsoids(body: u32) -> bool {
    let geoms = geoms_of(body);
    var any = false;
    for (var g = geoms.x; g < geoms.y; g++) {
        any = any || geom_fluid(12u * g) > 0.0;
    }
    return any;
}

// Equivalent inertia box of a body: viscous drag coefficients for rotation and translation, and quadratic drag by
// axis.
struct InertiaBox {
    visc_torque_coef: f32,
    visc_force_coef: f32,
    drag_torque_coef: vec3f,
    drag_force_coef: vec3f,
}

// Inertia box of a body with its drag coefficients.
fn inertia_box_of(body: u32) -> InertiaBox {
    let i = body_inertia_vec3(body);
    let total = i.x + i.y + i.z;
    let e = sqrt(max(vec3f(total) - i - i, vec3f(MINVAL)) * (6.0 / body_mass(body)));
    let diameter = (e.x + e.y + e.z) / 3.0;
    let unit = PI * diameter * max(opt_viscosity(0u), 0.0);
    let density = max(opt_density(0u), 0.0);
    let fourth = e * e * e * e;
    let ends = vec3f(fourth.y + fourth.z, fourth.x + fourth.z, fourth.x + fourth.y);
    return InertiaBox(
        unit * diameter * diameter,
        3.0 * unit,
        e * ends * (density / 64.0),
        vec3f(e.y * e.z, e.x * e.z, e.x * e.y) * (0.5 * density),
    );
}

// Ellipsoid equivalent to a geom, with its fluid coefficients, density and viscosity included.
struct Ellipsoid {
    // squared products of pairs of semi-axes, over the fourth power of the largest
    squares: vec3f,
    // projected area of the circumscribed sphere, and the largest projected area of the ellipsoid
    sphere_area: f32,
    area_max: f32,
    // drag of the projected area, and of the remainder of the largest one
    blunt_drag: f32,
    slender_drag: f32,
    // rotational drag by axis
    angular_drag: vec3f,
    // Kutta lift for unit area, and Magnus lift
    kutta_lift: f32,
    magnus_lift: f32,
    // added mass and added inertia by axis
    mass: vec3f,
    inertia: vec3f,
    // viscous drag
    visc_torque_coef: f32,
    visc_force_coef: f32,
}

// Semi-axes of the ellipsoid equivalent to a geom.
fn semi_axes(g: u32) -> vec3f {
    let size = geom_size_vec3(g);
    let kind = geom_type(g);
    if (kind == GEOM_SPHERE) {
        return vec3f(size.x);
    }
    if (kind == GEOM_CAPSULE) {
        return vec3f(size.x, size.x, size.x + size.y);
    }
    if (kind == GEOM_CYLINDER) {
        return vec3f(size.x, size.x, size.y);
    }
    return size;
}

// Ellipsoid of a geom with its fluid coefficients.
fn ellipsoid_of(g: u32) -> Ellipsoid {
    let s = semi_axes(g);
    let c = 12u * g;
    let density = max(opt_density(0u), 0.0);
    let viscosity = max(opt_viscosity(0u), 0.0);
    let most = max(max(s.x, s.y), s.z);
    let middle = s.x + s.y + s.z - most - min(min(s.x, s.y), s.z);
    let r = s / max(most, MINVAL);
    let products = vec3f(r.y * r.z, r.z * r.x, r.x * r.y);
    // moments of drag about each axis, and the largest
    let wide = vec3f(max(s.y, s.z), max(s.z, s.x), max(s.x, s.y));
    let moments = s * (wide * wide * (wide * wide));
    let greatest = middle * (most * most * (most * most));
    let unit = 8.0 / 15.0 * PI * density;
    let diameter = 2.0 / 3.0 * (s.x + s.y + s.z);
    let slender_drag = geom_fluid(c + 2u);
    return Ellipsoid(
        products * products,
        PI * (most * most),
        PI * most * middle,
        geom_fluid(c + 1u) * density,
        slender_drag * density,
        unit * (geom_fluid(c + 3u) * moments + slender_drag * (vec3f(greatest) - moments)),
        geom_fluid(c + 4u) * density,
        geom_fluid(c + 5u) * density * (4.0 / 3.0) * PI * s.x * s.y * s.z,
        vec3f(geom_fluid(c + 6u), geom_fluid(c + 7u), geom_fluid(c + 8u)) * density,
        vec3f(geom_fluid(c + 9u), geom_fluid(c + 10u), geom_fluid(c + 11u)) * density,
        viscosity * PI * diameter * diameter * diameter,
        viscosity * 3.0 * PI * diameter,
    );
}

// Flow direction around an ellipsoid: unit velocity, surface normal at the stagnation point (not of unit length),
// their cross product, and the squared norm of the normal.
struct Flow {
    speed: f32,
    along: vec3f,
    normal: vec3f,
    alpha: f32,
    beta: f32,
}

// Flow for a relative velocity v.
fn flow_around(e: Ellipsoid, v: vec3f) -> Flow {
    let speed = sqrt(dot(v, v));
    var along = vec3f(0.0);
    if (speed > MINVAL) {
        along = v * (1.0 / speed);
    }
    let normal = e.squares * along;
    return Flow(speed, along, normal, dot(normal, along), dot(normal, normal));
}

// Projected area along the flow, and the scale of Kutta lift.
fn flow_areas(e: Ellipsoid, flow: Flow) -> vec2f {
    if (flow.alpha <= 0.0 || flow.beta <= 0.0) {
        return vec2f(0.0);
    }
    let ratio = sqrt(flow.beta / flow.alpha);
    return vec2f(e.sphere_area * ratio, e.kutta_lift * e.sphere_area / ratio);
}
