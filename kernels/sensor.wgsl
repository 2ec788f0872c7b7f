// Sensor outputs. Twin: crates/cpu/src/sensor/sensor.rs.

import package::actuation::history::delay_sensors;
import package::collision::ray_shape::is_inside;
import package::math::quaternion::{quat_at, quat_conj, quat_mul, quat_normalize};
import package::runtime::group::{lane, sync};
import package::sensor::enclosed::enclosed;
import package::sensor::object_frames::{acceleration_of, frame_of, quat_of, velocity_of};
import package::sensor::output::cut_off;
import package::sensor::sensor_contact::{contact_sensor, touch_force};
import package::sensor::sensor_distance::distance_sensor;
import package::sensor::sensor_ray::{focal_lengths, rangefinder};
import package::sensor::tactile::tactile;
import package::sensor::touch_grid::touch_grid;
import package::sleep::asleep::tree_sleeps;

// Outputs of all sensors of one world.
fn sensor() {
    // all sensors but rangefinders and tactile ones, one for each lane
    for (var s = lane; s < nsensor; s += lanes) {
        let kind = sensor_type(s);
        if (kind == SENSOR_RANGEFINDER || kind == SENSOR_TACTILE || sensor_asleep(s)) {
            continue;
        }
//#if CONTACT_SENSOR
        if (kind == SENSOR_CONTACT) {
            contact_sensor(s);
            continue;
        }
//#endif
//#if TOUCH_GRID
        if (kind == SENSOR_PLUGIN) {
            touch_grid(s);
            continue;
        }
//#endif
//#if DISTANCE_SENSOR
        if (kind >= SENSOR_DISTANCE && kind <= SENSOR_FROMTO) {
            distance_sensor(s, kind);
            continue;
        }
//#endif
        let values = measure(s, kind);
        let adr = u32(sensor_adr(s));
        for (var k = 0u; k < u32(sensor_dim(s)); k++) {
            // user sensors may have more than four outputs
            set_sensordata(adr + k, cut_off(s, select(0.0, values[min(k, 3u)], k < 4u)));
        }
    }
//#if RANGEFINDER
    // rangefinders: the lanes share the rays
    for (var s = 0u; s < nsensor; s++) {
        if (sensor_type(s) == SENSOR_RANGEFINDER && !sensor_asleep(s)) {
            rangefinder(s);
        }
    }
//#endif
//#if TACTILE_SENSOR
    // tactile sensors: the lanes share the vertices
    for (var s = 0u; s < nsensor; s++) {
        if (sensor_type(s) == SENSOR_TACTILE && !sensor_asleep(s)) {
            tactile(s);
        }
    }
//#endif
//#if USER_SENSOR
    // user sensors may read the others
    sync();
    user_sensors();
//#endif
//#if HISTORY
    sync();
    delay_sensors();
//#endif
}

// True if the measured object and its reference sleep: the output then keeps its value.
fn sensor_asleep(s: u32) -> bool {
//#if SLEEP
    let other = sensor_treeid(2u * s + 1u);
    return tree_sleeps(sensor_treeid(2u * s)) && (other < 0 || tree_sleeps(other));
//#else
    return false;
//#endif
}

// Outputs of a sensor that has at most four.
fn measure(s: u32, kind: i32) -> vec4f {
    let id = u32(max(sensor_objid(s), 0));
//#if TOUCH_SENSOR
    if (kind == SENSOR_TOUCH) {
        return vec4f(touch_force(id), 0.0, 0.0, 0.0);
    }
//#endif
//#if SITE_SENSOR
    if ((kind > SENSOR_TOUCH && kind <= SENSOR_MAGNETOMETER)) {
        return vec4f(site_sensor(kind, id), 0.0);
    }
//#endif
//#if CAMERA_SENSOR
    if (kind == SENSOR_CAMPROJECTION) {
        return vec4f(projection(id, u32(sensor_refid(s))), 0.0, 0.0);
    }
//#endif
//#if FRAME_SENSOR
    if (kind >= SENSOR_FRAMEPOS && kind <= SENSOR_FRAMEANGACC) {
        return frame_sensor(s, kind, id);
    }
//#endif
//#if JOINT_SENSOR
    if (kind == SENSOR_JOINTPOS) {
        return vec4f(qpos(u32(jnt_qposadr(id))), 0.0, 0.0, 0.0);
    }
    if (kind == SENSOR_JOINTVEL) {
        return vec4f(qvel(u32(jnt_dofadr(id))), 0.0, 0.0, 0.0);
    }
    if (kind == SENSOR_JOINTACTUATORFRC) {
        return vec4f(qfrc_actuator(u32(jnt_dofadr(id))), 0.0, 0.0, 0.0);
    }
    if (kind == SENSOR_BALLQUAT) {
        return quat_normalize(quat_at__qpos(u32(jnt_qposadr(id))));
    }
    if (kind == SENSOR_BALLANGVEL) {
        let dof = u32(jnt_dofadr(id));
        return vec4f(qvel(dof), qvel(dof + 1u), qvel(dof + 2u), 0.0);
    }
//#endif
//#if TENDON_SENSOR
    if (kind == SENSOR_TENDONPOS) {
        return vec4f(ten_length(id), 0.0, 0.0, 0.0);
    }
    if (kind == SENSOR_TENDONVEL) {
        return vec4f(ten_velocity(id), 0.0, 0.0, 0.0);
    }
    if (kind == SENSOR_TENDONACTUATORFRC) {
        return vec4f(tendon_actuator_force(id), 0.0, 0.0, 0.0);
    }
//#endif
//#if ACTUATOR_SENSOR
    if (kind == SENSOR_ACTUATORPOS) {
        return actuator_outputs__actuator_length(id);
    }
    if (kind == SENSOR_ACTUATORVEL) {
        return actuator_outputs__actuator_velocity(id);
    }
    if (kind == SENSOR_ACTUATORFRC) {
        return actuator_outputs__actuator_force(id);
    }
//#endif
//#if LIMIT_SENSOR
    if (kind >= SENSOR_JOINTLIMITPOS && kind <= SENSOR_TENDONLIMITFRC) {
        return vec4f(limit_sensor(kind, i32(id)), 0.0, 0.0, 0.0);
    }
//#endif
//#if SUBTREE_SENSOR
    if (kind == SENSOR_SUBTREECOM) {
        return vec4f(subtree_com_vec3(id), 0.0);
    }
    if (kind == SENSOR_SUBTREELINVEL) {
        return vec4f(subtree_linvel_vec3(id), 0.0);
    }
    if (kind == SENSOR_SUBTREEANGMOM) {
        return vec4f(subtree_angmom_vec3(id), 0.0);
    }
//#endif
//#if INSIDE_SENSOR
    if (kind == SENSOR_INSIDESITE) {
//#if ENCLOSED_SENSOR
        if (sensor_intprm(3u * s) != 0) {
            return vec4f(enclosed(s), 0.0, 0.0, 0.0);
        }
//#endif
        return vec4f(inside_site(s, id), 0.0, 0.0, 0.0);
    }
//#endif
//#if ENERGY_SENSOR
    if (kind == SENSOR_E_POTENTIAL) {
        return vec4f(energy(0u), 0.0, 0.0, 0.0);
    }
    if (kind == SENSOR_E_KINETIC) {
        return vec4f(energy(1u), 0.0, 0.0, 0.0);
    }
//#endif
    if (kind == SENSOR_CLOCK) {
        return vec4f(time(0u), 0.0, 0.0, 0.0);
    }
    return vec4f(0.0);
}

// Elements of field X for an actuator's outputs, of which there are one or three.
fn actuator_outputs__X(a: u32) -> vec4f {
    let first = u32(actuator_outadr(a));
    var values = vec4f(X(first), 0.0, 0.0, 0.0);
    if (actuator_outnum(a) == 3) {
        values.y = X(first + 1u);
        values.z = X(first + 2u);
    }
    return values;
}

// Output of a sensor at a site, in the site's frame.
fn site_sensor(kind: i32, site: u32) -> vec3f {
    let frame = frame_of(OBJECT_SITE, site);
    var global = opt_magnetic_vec3(0u);
    if (kind == SENSOR_VELOCIMETER || kind == SENSOR_GYRO) {
        let v = velocity_of(frame);
        global = select(v.ang, v.lin, kind == SENSOR_VELOCIMETER);
    }
//#if FORCE_SENSOR
    if (kind == SENSOR_ACCELEROMETER) {
        global = acceleration_of(frame).lin;
    }
    if (kind == SENSOR_FORCE || kind == SENSOR_TORQUE) {
        // interaction force, its torque moved to the site
        let f = cfrc_int_spatial(frame.body);
        let arm = frame.pos - subtree_com_vec3(u32(body_rootid(frame.body)));
        global = select(f.ang - cross(arm, f.lin), f.lin, kind == SENSOR_FORCE);
    }
//#endif
    return global * frame.mat;
}

// Projection of a site to a camera image, in pixels from the upper left corner.
fn projection(site: u32, cam: u32) -> vec2f {
    let frame = frame_of(OBJECT_CAMERA, cam);
    let seen = (site_xpos_vec3(site) - frame.pos) * frame.mat;
    let focal = focal_lengths(cam);
    var depth = seen.z;
    if (abs(depth) < MINVAL) {
        depth = select(MINVAL, -MINVAL, depth < 0.0);
    }
    let half = 0.5 * vec2f(f32(cam_resolution(2u * cam)), f32(cam_resolution(2u * cam + 1u)));
    return half + vec2f(-focal.x * seen.x, focal.y * seen.y) / depth;
}

// Sum of the actuator forces on a tendon.
fn tendon_actuator_force(ten: u32) -> f32 {
    var sum = 0.0;
    for (var a = 0u; a < nactuator; a++) {
        if (actuator_trntype(a) == TRANSMISSION_TENDON && actuator_trnid(2u * a) == i32(ten)) {
            sum += actuator_force(u32(actuator_outadr(a)));
        }
    }
    return sum;
}

// Limit sensor: distance less margin, velocity or force; zero where no limit is active.
fn limit_sensor(kind: i32, id: i32) -> f32 {
    let wanted = select(CONSTRAINT_LIMIT_TENDON, CONSTRAINT_LIMIT_JOINT, kind < SENSOR_TENDONLIMITPOS);
    let first = u32(ne(0u) + nf(0u));
    let end = min(first + u32(nl(0u)), u32(nefc(0u)));
    for (var r = first; r < end; r++) {
        if (efc_type(r) != wanted || efc_id(r) != id) {
            continue;
        }
        if (kind == SENSOR_JOINTLIMITPOS || kind == SENSOR_TENDONLIMITPOS) {
            return efc_pos(r) - efc_margin(r);
        }
        if (kind == SENSOR_JOINTLIMITVEL || kind == SENSOR_TENDONLIMITVEL) {
            return efc_vel(r);
        }
        return efc_force(r);
    }
    return 0.0;
}

// Pose or motion of a frame, relative to a reference frame if there is one. Accelerations are global.
fn frame_sensor(s: u32, kind: i32, id: u32) -> vec4f {
    let relative = sensor_refid(s) >= 0;
    let other = u32(max(sensor_refid(s), 0));
    // without a reference, the world frame
    let reference = select(OBJECT_NONE, sensor_reftype(s), relative);
    if (kind == SENSOR_FRAMEQUAT) {
        let q = quat_of(sensor_objtype(s), id);
        if (!relative) {
            return q;
        }
        return quat_mul(quat_conj(quat_of(reference, other)), q);
    }
    let frame = frame_of(sensor_objtype(s), id);
//#if FORCE_SENSOR
    if (kind >= SENSOR_FRAMELINACC) {
        let a = acceleration_of(frame);
        return vec4f(select(a.ang, a.lin, kind == SENSOR_FRAMELINACC), 0.0);
    }
//#endif
    let base = frame_of(reference, other);
    var global = frame.pos - base.pos;
    if (kind >= SENSOR_FRAMEXAXIS && kind <= SENSOR_FRAMEZAXIS) {
        global = frame.mat[kind - SENSOR_FRAMEXAXIS];
    }
    if (kind >= SENSOR_FRAMELINVEL) {
        // seen from a reference frame that may rotate
        let v = velocity_of(frame);
        let w = velocity_of(base);
        let seen = v.lin - w.lin - cross(w.ang, frame.pos - base.pos);
        global = select(v.ang - w.ang, seen, kind == SENSOR_FRAMELINVEL);
    }
    return vec4f(global * base.mat, 0.0);
}

// 1 if an object's origin is inside a site, else 0.
fn inside_site(s: u32, id: u32) -> f32 {
    let kind = sensor_objtype(s);
    var pos = frame_of(kind, id).pos;
    // a massless body is located at its subtree's centre of mass
    if (kind == OBJECT_BODY && id > 0u && body_mass(id) < MINVAL && body_subtreemass(id) >= MINVAL) {
        pos = subtree_com_vec3(id);
    }
    let site = u32(sensor_refid(s));
    let local = (pos - site_xpos_vec3(site)) * site_xmat_mat3(site);
    return select(0.0, 1.0, is_inside(site_type(site), site_size_vec3(site), local));
}
