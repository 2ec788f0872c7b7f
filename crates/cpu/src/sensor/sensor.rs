//! Sensor outputs; MuJoCo's XML reference, section "sensor", defines the sensor types.

use super::enclosed::enclosed;
use super::object_frames::{Frame, acceleration_of, frame_of, quat_of, velocity_of};
use super::output::cut_off;
use super::sensor_contact::{contact_sensor, touch_force};
use super::sensor_distance::distance_sensor;
use super::sensor_ray::{focal_lengths, rangefinder};
use super::tactile::tactile;
use super::touch_grid::touch_grid;
use crate::actuation::history::delay_sensors;
use crate::collision::ray_shape::is_inside;
use crate::math::{
    Vec3, cross, mat_column, quat_at, quat_conj, quat_mul, quat_normalize, spatial, vec3, vec3_at,
};
use crate::sleep::asleep::tree_sleeps;
use crate::task::evaluate::user_sensors;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{constraint, disable, object, transmission};
use manyworlds_model::schema::sensors::sensor as kind;

/// Outputs of all sensors, with cutoff.
pub fn sensor<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    for s in 0..m.sizes.nsensor {
        if sensor_asleep(m, d, s) {
            continue;
        }
        let adr = m.sensor_adr[s] as usize;
        let end = adr + m.sensor_dim[s] as usize;
        match m.sensor_type[s] {
            kind::RANGEFINDER => rangefinder(m, d, s),
            kind::CONTACT => contact_sensor(m, d, s),
            kind::DISTANCE | kind::NORMAL | kind::FROMTO => distance_sensor(m, d, s),
            kind::TACTILE => tactile(m, d, s),
            kind::PLUGIN => touch_grid(m, d, s),
            kind::USER => d.sensordata[adr..end].fill(T::ZERO),
            _ => {
                let values = measure(m, d, s);
                d.sensordata[adr..end].copy_from_slice(&values[..end - adr]);
            }
        }
        let whole = [kind::CONTACT, kind::FROMTO].contains(&m.sensor_type[s]);
        if m.sensor_cutoff[s] > T::ZERO && !whole {
            for i in adr..end {
                d.sensordata[i] = cut_off(m, s, d.sensordata[i]);
            }
        }
    }
    // user sensors may read the others
    if let Some(program) = m.formulas.as_ref().filter(|program| program.has_outputs()) {
        user_sensors(program, m, d);
    }
    delay_sensors(m, d);
    // disabled sensors still have histories
    if m.disabled(disable::SENSOR) {
        d.sensordata.fill(T::ZERO);
    }
}

/// True if the measured object and its reference sleep: the output then keeps its value.
fn sensor_asleep<T: Real>(m: &Model<T>, d: &Data<T>, s: usize) -> bool {
    let (tree, other) = (m.sensor_treeid[2 * s], m.sensor_treeid[2 * s + 1]);
    tree_sleeps(d, tree) && (other < 0 || tree_sleeps(d, other))
}

/// Outputs of a sensor that has at most four.
fn measure<T: Real>(m: &Model<T>, d: &Data<T>, s: usize) -> [T; 4] {
    let id = m.sensor_objid[s].max(0) as usize;
    let one = |x: T| [x, T::ZERO, T::ZERO, T::ZERO];
    let three = |x: Vec3<T>| [x[0], x[1], x[2], T::ZERO];
    let joint = || m.jnt_qposadr[id] as usize;
    let dof = || m.jnt_dofadr[id] as usize;
    match m.sensor_type[s] {
        kind::TOUCH => one(touch_force(m, d, id)),
        kind::ACCELEROMETER
        | kind::VELOCIMETER
        | kind::GYRO
        | kind::FORCE
        | kind::TORQUE
        | kind::MAGNETOMETER => three(site_sensor(m, d, m.sensor_type[s], id)),
        kind::CAMPROJECTION => projection(m, d, id, m.sensor_refid[s] as usize),
        kind::JOINTPOS => one(d.qpos[joint()]),
        kind::JOINTVEL => one(d.qvel[dof()]),
        kind::TENDONPOS => one(d.ten_length[id]),
        kind::TENDONVEL => one(d.ten_velocity[id]),
        kind::ACTUATORPOS => actuator_outputs(m, &d.actuator_length, id),
        kind::ACTUATORVEL => actuator_outputs(m, &d.actuator_velocity, id),
        kind::ACTUATORFRC => actuator_outputs(m, &d.actuator_force, id),
        kind::JOINTACTUATORFRC => one(d.qfrc_actuator[dof()]),
        kind::TENDONACTUATORFRC => one(tendon_actuator_force(m, d, id)),
        kind::BALLQUAT => quat_normalize(quat_at(&d.qpos, joint())).0,
        kind::BALLANGVEL => three(vec3_at(&d.qvel, dof())),
        k if (kind::JOINTLIMITPOS..=kind::TENDONLIMITFRC).contains(&k) => one(limit_sensor(d, k, id)),
        k if (kind::FRAMEPOS..=kind::FRAMEANGACC).contains(&k) => frame_sensor(m, d, s),
        kind::SUBTREECOM => three(vec3(&d.subtree_com, id)),
        kind::SUBTREELINVEL => three(vec3(&d.subtree_linvel, id)),
        kind::SUBTREEANGMOM => three(vec3(&d.subtree_angmom, id)),
        kind::INSIDESITE if m.sensor_intprm[3 * s] != 0 => one(enclosed(m, d, s)),
        kind::INSIDESITE => one(inside_site(m, d, s)),
        kind::E_POTENTIAL => one(d.energy[0]),
        kind::E_KINETIC => one(d.energy[1]),
        kind::CLOCK => one(d.time[0]),
        _ => [T::ZERO; 4],
    }
}

/// Elements of an array for an actuator's outputs, of which there are one or three.
fn actuator_outputs<T: Real>(m: &Model<T>, x: &[T], a: usize) -> [T; 4] {
    let (first, count) = (m.actuator_outadr[a] as usize, m.actuator_outnum[a] as usize);
    [0, 1, 2, 3].map(|i| if i < count { x[first + i] } else { T::ZERO })
}

/// Output of a sensor at a site, in the site's frame.
fn site_sensor<T: Real>(m: &Model<T>, d: &Data<T>, what: i32, site: usize) -> Vec3<T> {
    let frame = frame_of(m, d, object::SITE, site);
    let global = match what {
        kind::ACCELEROMETER => acceleration_of(m, d, &frame).lin,
        kind::VELOCIMETER => velocity_of(m, d, &frame).lin,
        kind::GYRO => velocity_of(m, d, &frame).ang,
        kind::MAGNETOMETER => vec3(&m.opt_magnetic, 0),
        _ => {
            // interaction force, its torque moved to the site
            let f = spatial(&d.cfrc_int, frame.body);
            let arm = frame.pos - vec3(&d.subtree_com, m.body_rootid[frame.body] as usize);
            if what == kind::FORCE { f.lin } else { f.ang - cross(arm, f.lin) }
        }
    };
    global * frame.mat
}

/// Projection of a site to a camera image, in pixels from the upper left corner.
fn projection<T: Real>(m: &Model<T>, d: &Data<T>, site: usize, cam: usize) -> [T; 4] {
    let frame = frame_of(m, d, object::CAMERA, cam);
    let seen = (vec3(&d.site_xpos, site) - frame.pos) * frame.mat;
    let focal = focal_lengths(m, cam);
    let mut depth = seen[2];
    if depth.abs() < T::MINVAL {
        depth = if depth < T::ZERO { -T::MINVAL } else { T::MINVAL };
    }
    let half = |k: usize| T::of(0.5 * f64::from(m.cam_resolution[2 * cam + k]));
    [half(0) - focal[0] * seen[0] / depth, half(1) + focal[1] * seen[1] / depth, T::ZERO, T::ZERO]
}

/// Sum of the actuator forces on a tendon.
fn tendon_actuator_force<T: Real>(m: &Model<T>, d: &Data<T>, tendon: usize) -> T {
    let mut sum = T::ZERO;
    for a in 0..m.sizes.nactuator {
        if m.actuator_trntype[a] == transmission::TENDON && m.actuator_trnid[2 * a] == tendon as i32 {
            sum += d.actuator_force[m.actuator_outadr[a] as usize];
        }
    }
    sum
}

/// Limit sensor: distance less margin, velocity or force; zero where no limit is active.
fn limit_sensor<T: Real>(d: &Data<T>, what: i32, id: usize) -> T {
    let of_joint = what < kind::TENDONLIMITPOS;
    let wanted = if of_joint { constraint::LIMIT_JOINT } else { constraint::LIMIT_TENDON };
    let first = (d.ne[0] + d.nf[0]) as usize;
    for r in first..(first + d.nl[0] as usize).min(d.nefc[0] as usize) {
        if d.efc_type[r] == wanted && d.efc_id[r] == id as i32 {
            return match what {
                kind::JOINTLIMITPOS | kind::TENDONLIMITPOS => d.efc_pos[r] - d.efc_margin[r],
                kind::JOINTLIMITVEL | kind::TENDONLIMITVEL => d.efc_vel[r],
                _ => d.efc_force[r],
            };
        }
    }
    T::ZERO
}

/// Pose or motion of a frame, relative to a reference frame if there is one. Accelerations are global.
fn frame_sensor<T: Real>(m: &Model<T>, d: &Data<T>, s: usize) -> [T; 4] {
    let three = |x: Vec3<T>| [x[0], x[1], x[2], T::ZERO];
    let (object, id) = (m.sensor_objtype[s], m.sensor_objid[s].max(0) as usize);
    let reference = usize::try_from(m.sensor_refid[s]).ok();
    let relative = m.sensor_reftype[s];
    let what = m.sensor_type[s];
    if what == kind::FRAMEQUAT {
        let q = quat_of(m, d, object, id);
        return reference.map_or(q, |r| quat_mul(quat_conj(quat_of(m, d, relative, r)), q)).0;
    }
    let frame = frame_of(m, d, object, id);
    let from = reference.map(|r| frame_of(m, d, relative, r));
    let global = match what {
        kind::FRAMEPOS => from.map_or(frame.pos, |f| frame.pos - f.pos),
        kind::FRAMEXAXIS => mat_column(frame.mat, 0),
        kind::FRAMEYAXIS => mat_column(frame.mat, 1),
        kind::FRAMEZAXIS => mat_column(frame.mat, 2),
        kind::FRAMELINVEL => linear_velocity(m, d, &frame, from.as_ref()),
        kind::FRAMEANGVEL => {
            let turn = velocity_of(m, d, &frame).ang;
            from.map_or(turn, |f| turn - velocity_of(m, d, &f).ang)
        }
        kind::FRAMELINACC => return three(acceleration_of(m, d, &frame).lin),
        _ => return three(acceleration_of(m, d, &frame).ang),
    };
    three(from.map_or(global, |f| global * f.mat))
}

/// Linear velocity of a frame as seen from a reference frame, which may rotate; global axes.
fn linear_velocity<T: Real>(m: &Model<T>, d: &Data<T>, frame: &Frame<T>, from: Option<&Frame<T>>) -> Vec3<T> {
    let velocity = velocity_of(m, d, frame).lin;
    let Some(f) = from else { return velocity };
    let moving = velocity_of(m, d, f);
    velocity - moving.lin - cross(moving.ang, frame.pos - f.pos)
}

/// One if an object's origin is inside a site, else zero.
fn inside_site<T: Real>(m: &Model<T>, d: &Data<T>, s: usize) -> T {
    let (object, id) = (m.sensor_objtype[s], m.sensor_objid[s].max(0) as usize);
    let mut pos = frame_of(m, d, object, id).pos;
    // a massless body is located at its subtree's centre of mass
    let massless = object == object::BODY
        && id > 0
        && m.body_mass[id] < T::MINVAL
        && m.body_subtreemass[id] >= T::MINVAL;
    if massless {
        pos = vec3(&d.subtree_com, id);
    }
    let site = m.sensor_refid[s] as usize;
    let frame = frame_of(m, d, object::SITE, site);
    let local = (pos - frame.pos) * frame.mat;
    if is_inside(m.site_type[site], vec3(&m.site_size, site), local) { T::ONE } else { T::ZERO }
}
