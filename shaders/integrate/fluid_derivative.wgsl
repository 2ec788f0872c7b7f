// Derivatives of the fluid forces with respect to the body's velocity. Twin: crates/cpu/src/integrate/fluid_derivative.rs.

import package::math::matrix::{diagonal, outer, skew};
import package::math::spatial::Spatial;
import package::runtime::group::{lane, sync};
import package::smooth::fluid::{
    self, Ellipsoid, ellipsoid_of, Flow, flow_areas, flow_around, FluidFrame, geoms_of, has_ellipsoids, has_fluid_force,
    inertia_box_of,
};

// Derivative of a wrench with respect to angular and linear velocity: of the torque by both, then of the force by
// both.
struct ForceDerivative {
    ww: mat3x3f,
    wv: mat3x3f,
    vw: mat3x3f,
    vv: mat3x3f,
}

// The zero derivative.
fn zero() -> ForceDerivative {
    let zero = diagonal(vec3f(0.0));
    return ForceDerivative(zero, zero, zero, zero);
}

// a + s b
fn add_scaled(a: ForceDerivative, b: ForceDerivative, s: f32) -> ForceDerivative {
    return ForceDerivative(a.ww + b.ww * s, a.wv + b.wv * s, a.vw + b.vw * s, a.vv + b.vv * s);
}

// Transpose of a derivative, as a 6 x 6 matrix.
fn transposed(a: ForceDerivative) -> ForceDerivative {
    return ForceDerivative(transpose(a.ww), transpose(a.vw), transpose(a.wv), transpose(a.vv));
}

// Symmetric part of a derivative.
fn symmetric(a: ForceDerivative) -> ForceDerivative {
    return add_scaled(add_scaled(zero(), a, 0.5), transposed(a), 0.5);
}

// Product of a derivative and a spatial velocity.
fn mul(a: ForceDerivative, v: Spatial) -> Spatial {
    return Spatial(a.ww * v.ang + a.wv * v.lin, a.vw * v.ang + a.vv * v.lin);
}

// Derivative of a subtree's fluid force.
fn subtree_force_derivative(body: u32) -> ForceDerivative {
    let b = 4u * body;
    return ForceDerivative(fluid_force_derivative_mat3(b), fluid_force_derivative_mat3(b + 1u), fluid_force_derivative_mat3(b + 2u), fluid_force_derivative_mat3(b + 3u));
}

// Writes the derivative of a subtree's fluid force.
fn set_subtree_force_derivative(body: u32, a: ForceDerivative) {
    set_fluid_force_derivative_mat3(4u * body, a.ww);
    set_fluid_force_derivative_mat3(4u * body + 1u, a.wv);
    set_fluid_force_derivative_mat3(4u * body + 2u, a.vw);
    set_fluid_force_derivative_mat3(4u * body + 3u, a.vv);
}

// Moves a derivative from a local frame to the tree's centre of mass.
fn about_root(frame: FluidFrame, a: ForceDerivative) -> ForceDerivative {
    let back = transpose(frame.axes);
    let wv = frame.axes * a.wv * back;
    let vv = frame.axes * a.vv * back;
    // rotation moves the frame's origin, and a force there makes a torque about the centre of mass
    let arm = skew(frame.offset);
    let vw = frame.axes * a.vw * back - vv * arm;
    let ww = frame.axes * a.ww * back - wv * arm;
    return ForceDerivative(ww + arm * vw, wv + arm * vv, vw, vv);
}

// Derivatives of each subtree's fluid force with respect to its velocity, about the tree's centre of mass.
fn fluid_force_derivatives() {
    // leaves first
    for (var up = 0u; up < nlevel; up++) {
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            let body = u32(level_body(k));
            var sum = body_force_derivative(body);
            let first = u32(body_childadr(body));
            let last = first + u32(body_childnum(body));
            for (var c = first; c < last; c++) {
                sum = add_scaled(sum, subtree_force_derivative(u32(child_body(c))), 1.0);
            }
            set_subtree_force_derivative(body, sum);
        }
        sync();
    }
}

// Derivative of the fluid force on one body.
fn body_force_derivative(body: u32) -> ForceDerivative {
    var sum = zero();
    if (!has_fluid_force(body)) {
        return sum;
    }
    if (!has_ellipsoids(body)) {
        let frame = fluid::frame_at(body, xipos_vec3(body), ximat_mat3(body));
        let drag = inertia_box_of(body);
        sum.ww = diagonal(-(vec3f(drag.visc_torque_coef) + 2.0 * drag.drag_torque_coef * abs(frame.ang_vel)));
        sum.vv = diagonal(-(vec3f(drag.visc_force_coef) + 2.0 * drag.drag_force_coef * abs(frame.velocity)));
        return about_root(frame, sum);
    }
    let geoms = geoms_of(body);
    for (var g = geoms.x; g < geoms.y; g++) {
        if (geom_fluid(12u * g) > 0.0) {
            let frame = fluid::frame_at(body, geom_xpos_vec3(g), geom_xmat_mat3(g));
            let ellipsoid = ellipsoid_of(g);
            var force_derivative = drag_derivative(ellipsoid, frame.ang_vel, frame.velocity);
//#if !DISCRETE
            // the metric of `discrete` has drag alone
            force_derivative = add_scaled(force_derivative, lift_derivative(ellipsoid, frame.ang_vel, frame.velocity), 1.0);
//#endif
            sum = add_scaled(sum, about_root(frame, force_derivative), geom_fluid(12u * g));
        }
    }
    return sum;
}

// Derivative of drag on an ellipsoid, in its frame.
fn drag_derivative(e: Ellipsoid, w: vec3f, v: vec3f) -> ForceDerivative {
    var sum = zero();
    let identity = diagonal(vec3f(1.0));
    // of rotation
    let moment = e.angular_drag * w;
    let strength = sqrt(dot(moment, moment));
    sum.ww = identity * -(e.visc_torque_coef + strength);
    if (strength > MINVAL) {
        sum.ww -= outer(w, e.angular_drag * moment) * (1.0 / strength);
    }
    // of translation: with respect to the velocity, and to the projected area
    sum.vv = identity * -e.visc_force_coef;
    let flow = flow_around(e, v);
    let areas = flow_areas(e, flow);
    if (areas.x > 0.0) {
        let along = flow.along;
        let fast = flow.speed * (e.blunt_drag * areas.x + e.slender_drag * (e.area_max - areas.x));
        sum.vv -= (identity + outer(along, along)) * fast;
        sum.vv += outer(along, area_derivative(e, flow)) * (flow.speed * (e.blunt_drag - e.slender_drag) * areas.x);
    }
    return sum;
}

//#if !DISCRETE
// Derivative of added mass, Magnus lift and Kutta lift on an ellipsoid, in its frame.
fn lift_derivative(e: Ellipsoid, w: vec3f, v: vec3f) -> ForceDerivative {
    // added mass and Magnus lift
    let momentum = skew(e.mass * v);
    let ww = skew(e.inertia * w) - skew(w) * diagonal(e.inertia);
    let wv = momentum - skew(v) * diagonal(e.mass);
    let vw = momentum - skew(v) * e.magnus_lift;
    var vv = skew(w) * diagonal(vec3f(e.magnus_lift) - e.mass);
    // Kutta lift: a ratio of forms in the velocity
    let flow = flow_around(e, v);
    let areas = flow_areas(e, flow);
    if (areas.x > 0.0) {
        let along = flow.along;
        let normal = flow.normal;
        let turned = along * flow.alpha - normal;
        var lift = diagonal(vec3f(flow.alpha) - e.squares);
        lift += (outer(along, normal) - outer(normal, along)) * 2.0;
        lift += outer(turned, area_derivative(e, flow) - along);
        vv += lift * (areas.y * flow.speed);
    }
    return ForceDerivative(ww, wv, vw, vv);
}
//#endif

// Relative change of the area that the flow sees by the direction of the flow.
fn area_derivative(e: Ellipsoid, flow: Flow) -> vec3f {
    return flow.normal * (1.0 / flow.alpha) - e.squares * flow.normal * (1.0 / flow.beta);
}
