// Derivatives of the forces of the medium by the velocity of the body. Twin: src/cpu/integrate/fluid_derivative.rs.

// Derivative of a torque and a force by angular and linear velocity: of the torque by both, of the force by both.
struct Slope {
    ww: mat3x3f,
    wv: mat3x3f,
    vw: mat3x3f,
    vv: mat3x3f,
}

fn slope_zero() -> Slope {
    let zero = diagonal(vec3f(0.0));
    return Slope(zero, zero, zero, zero);
}

// a + s b
fn slope_add_scaled(a: Slope, b: Slope, s: f32) -> Slope {
    return Slope(a.ww + b.ww * s, a.wv + b.wv * s, a.vw + b.vw * s, a.vv + b.vv * s);
}

fn slope_transposed(a: Slope) -> Slope {
    return Slope(transpose(a.ww), transpose(a.vw), transpose(a.wv), transpose(a.vv));
}

// Mean of a slope and its mirror image.
fn slope_symmetric(a: Slope) -> Slope {
    return slope_add_scaled(slope_add_scaled(slope_zero(), a, 0.5), slope_transposed(a), 0.5);
}

fn slope_mul(a: Slope, v: Spatial) -> Spatial {
    return Spatial(a.ww * v.ang + a.wv * v.lin, a.vw * v.ang + a.vv * v.lin);
}

// Slope of the subtree of a body, and its setter.
fn subtree_slope(body: u32) -> Slope {
    let b = 4u * body;
    return Slope(fluid_slope_mat3(b), fluid_slope_mat3(b + 1u), fluid_slope_mat3(b + 2u), fluid_slope_mat3(b + 3u));
}

fn set_subtree_slope(body: u32, a: Slope) {
    set_fluid_slope_mat3(4u * body, a.ww);
    set_fluid_slope_mat3(4u * body + 1u, a.wv);
    set_fluid_slope_mat3(4u * body + 2u, a.vw);
    set_fluid_slope_mat3(4u * body + 3u, a.vv);
}

// From the frame at a place to forces and velocities about the tree's centre of mass.
fn slope_about_root(place: Place, a: Slope) -> Slope {
    let back = transpose(place.axes);
    let wv = place.axes * a.wv * back;
    let vv = place.axes * a.vv * back;
    // a turn moves the place, and a force there makes a torque
    let arm = skew(place.offset);
    let vw = place.axes * a.vw * back - vv * arm;
    let ww = place.axes * a.ww * back - wv * arm;
    return Slope(ww + arm * vw, wv + arm * vv, vw, vv);
}

// Derivatives of the force on every subtree by its velocity, about the tree's centre of mass.
fn fluid_slopes() {
    // leaves first
    for (var up = 0u; up < nlevel; up++) {
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            let body = u32(level_body(k));
            var sum = body_slope(body);
            let first = u32(body_childadr(body));
            let last = first + u32(body_childnum(body));
            for (var c = first; c < last; c++) {
                sum = slope_add_scaled(sum, subtree_slope(u32(child_body(c))), 1.0);
            }
            set_subtree_slope(body, sum);
        }
        sync();
    }
}

// Derivative of the force on one body.
fn body_slope(body: u32) -> Slope {
    var sum = slope_zero();
    if (!is_wet(body)) {
        return sum;
    }
    if (!has_ellipsoids(body)) {
        let place = place_at(body, xipos_vec3(body), ximat_mat3(body));
        let drag = box_of(body);
        sum.ww = diagonal(-(vec3f(drag.slow_turning) + 2.0 * drag.fast_turning * abs(place.turning)));
        sum.vv = diagonal(-(vec3f(drag.slow_velocity) + 2.0 * drag.fast_velocity * abs(place.velocity)));
        return slope_about_root(place, sum);
    }
    let geoms = geoms_of(body);
    for (var g = geoms.x; g < geoms.y; g++) {
        if (geom_fluid(12u * g) > 0.0) {
            let place = place_at(body, geom_xpos_vec3(g), geom_xmat_mat3(g));
            let slope = ellipsoid_slope(ellipsoid_of(g), place.turning, place.velocity);
            sum = slope_add_scaled(sum, slope_about_root(place, slope), geom_fluid(12u * g));
        }
    }
    return sum;
}

// Derivative of the force on an ellipsoid in its frame.
fn ellipsoid_slope(e: Ellipsoid, w: vec3f, v: vec3f) -> Slope {
    let identity = diagonal(vec3f(1.0));
    // the medium that is carried along, and lift by spin
    let momentum = skew(e.mass * v);
    var ww = skew(e.inertia * w) - skew(w) * diagonal(e.inertia);
    let wv = momentum - skew(v) * diagonal(e.mass);
    let vw = momentum - skew(v) * e.magnus;
    var vv = skew(w) * diagonal(vec3f(e.magnus) - e.mass);
    // drag of turning
    let moment = e.angular * w;
    let strength = sqrt(dot(moment, moment));
    ww -= identity * (e.slow_turning + strength);
    if (strength > MINVAL) {
        ww -= outer(w, e.angular * moment) * (1.0 / strength);
    }
    vv -= identity * e.slow_velocity;
    let flow = flow_around(e, v);
    let areas = flow_areas(e, flow);
    if (areas.x > 0.0) {
        // lift by camber: a ratio of forms of the velocity
        let along = flow.along;
        let normal = flow.normal;
        let bend = normal * (1.0 / flow.alpha) - e.squares * normal * (1.0 / flow.beta);
        let turned = along * flow.alpha - normal;
        var lift = identity * flow.alpha - diagonal(e.squares);
        lift += (outer(along, normal) - outer(normal, along)) * 2.0;
        lift += outer(turned, bend - along);
        vv += lift * (areas.y * flow.speed);
        // drag: of the velocity itself, and as the projected area changes
        let fast = flow.speed * (e.blunt * areas.x + e.slender * (e.widest - areas.x));
        vv -= (identity + outer(along, along)) * fast;
        vv += outer(along, bend) * (flow.speed * (e.blunt - e.slender) * areas.x);
    }
    return Slope(ww, wv, vw, vv);
}
