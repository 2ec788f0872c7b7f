// Fluid forces on all degrees of freedom. Twin: crates/cpu/src/smooth/fluid.rs.

import package::math::spatial::{dot6, Spatial, spatial_add, spatial_add_scaled, spatial_zero};
import package::runtime::group::{lane, sync};
import package::smooth::fluid::{
    self, Ellipsoid, ellipsoid_of, flow_areas, flow_around, FluidFrame, geoms_of, has_ellipsoids, has_fluid_force,
    inertia_box_of,
};

// Fluid forces of all bodies, projected to qfrc_fluid.
fn fluid() {
    // sums over subtrees, leaves first
    for (var up = 0u; up < nlevel; up++) {
        let level = nlevel - 1u - up;
        let adr = u32(level_adr(level));
        let end = adr + u32(level_num(level));
        for (var k = adr + lane; k < end; k += lanes) {
            let body = u32(level_body(k));
            var sum = body_fluid_force(body);
            let first = u32(body_childadr(body));
            let last = first + u32(body_childnum(body));
            for (var c = first; c < last; c++) {
                sum = spatial_add(sum, fluid_force_spatial(u32(child_body(c))));
            }
            set_fluid_force_spatial(body, sum);
        }
        sync();
    }
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_fluid(dof, dot6(cdof_spatial(dof), fluid_force_spatial(u32(dof_bodyid(dof)))));
    }
}

// Fluid force on one body about its tree's centre of mass.
fn body_fluid_force(body: u32) -> Spatial {
    var sum = spatial_zero();
    if (!has_fluid_force(body)) {
        return sum;
    }
    if (!has_ellipsoids(body)) {
        let frame = fluid::frame_at(body, xipos_vec3(body), ximat_mat3(body));
        let drag = inertia_box_of(body);
        let w = frame.ang_vel;
        let v = frame.velocity;
        let torque = -(drag.visc_torque_coef * w + drag.drag_torque_coef * abs(w) * w);
        return force_about_root(frame, torque, -(drag.visc_force_coef * v + drag.drag_force_coef * abs(v) * v));
    }
    let geoms = geoms_of(body);
    for (var g = geoms.x; g < geoms.y; g++) {
        if (geom_fluid(12u * g) > 0.0) {
            let frame = fluid::frame_at(body, geom_xpos_vec3(g), geom_xmat_mat3(g));
            sum = spatial_add_scaled(sum, wrench(frame, ellipsoid_of(g)), geom_fluid(12u * g));
        }
    }
    return sum;
}

// A force in a local frame, moved to the tree's centre of mass.
fn force_about_root(frame: FluidFrame, torque: vec3f, force: vec3f) -> Spatial {
    let there = frame.axes * force;
    return Spatial(frame.axes * torque + cross(frame.offset, there), there);
}

// Force on an ellipsoid in its frame.
fn wrench(frame: FluidFrame, e: Ellipsoid) -> Spatial {
    let w = frame.ang_vel;
    let v = frame.velocity;
    // added mass
    let momentum = e.mass * v;
    var torque = cross(momentum, v) + cross(e.inertia * w, w);
    var force = cross(momentum, w);
    // Magnus and Kutta lift
    let flow = flow_around(e, v);
    let areas = flow_areas(e, flow);
    force += cross(w, v) * e.magnus_lift;
    force += (flow.along * flow.alpha - flow.normal) * (areas.y * flow.speed * flow.speed);
    // drag
    let fast = flow.speed * (e.blunt_drag * areas.x + e.slender_drag * (e.area_max - areas.x));
    let moment = e.angular_drag * w;
    force -= v * (e.visc_force_coef + fast);
    torque -= w * (e.visc_torque_coef + sqrt(dot(moment, moment)));
    return force_about_root(frame, torque, force);
}
