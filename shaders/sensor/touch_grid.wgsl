// Sensor of MuJoCo's plugin mujoco.sensor.touch_grid: forces of contacts, sorted into the cells of a grid by the
// direction in which a site sees them. Frame, channels and parameters as in the twin: crates/cpu/src/sensor/touch_grid.rs.

import package::constraint::contact_force::contact_force;
import package::constraint::contact_side::has_flex;
import package::math::trig::arctan2;
import package::sensor::object_frames::frame_of;
import package::sensor::output::cut_off;

// Writes the outputs of a touch grid: channels by rows by columns.
fn touch_grid(s: u32) {
    let adr = u32(sensor_adr(s));
    let end = adr + u32(sensor_dim(s));
    for (var i = adr; i < end; i++) {
        set_sensordata(i, 0.0);
    }
    let prm = 6u * u32(sensor_plugin(s));
    let channels = u32(plugin_prm(prm));
    let columns = u32(plugin_prm(prm + 1u));
    let rows = u32(plugin_prm(prm + 2u));
    let site = u32(sensor_objid(s));
    let frame = frame_of(OBJECT_SITE, site);
    let body = body_weldid(u32(site_bodyid(site)));
    for (var con = 0u; con < u32(ncon(0u)); con++) {
//#if FLEX_CONTACT
        if (has_flex(con)) {
            continue;
        }
//#endif
        let first = geom_bodyid(u32(contact_geom(2u * con)));
        let second = geom_bodyid(u32(contact_geom(2u * con + 1u)));
        if (body_weldid(u32(first)) != body && body_weldid(u32(second)) != body) {
            continue;
        }
        // direction from the site to the contact
        let p = (contact_pos_vec3(con) - frame.pos) * frame.mat;
        let azimuth = arctan2(p.x, -p.z);
        let elevation = arctan2(p.y, length(p.xz));
        let column = cell(azimuth, columns, plugin_prm(prm + 3u), plugin_prm(prm + 5u));
        let row = cell(elevation, rows, plugin_prm(prm + 4u), plugin_prm(prm + 5u));
        if (column == columns || row == rows) {
            continue;
        }
        // contacts push the body of higher id
        let sign = select(1.0, -1.0, body < max(first, second));
        let total = contact_force(con);
        let axes = contact_frame_mat3(con);
        let push = total.lin * axes * frame.mat * sign;
        let twist = total.ang * axes * frame.mat * sign;
        for (var k = 0u; k < channels; k++) {
            let part = select(twist[(k + 2u) % 3u], push[(k + 2u) % 3u], k < 3u);
            let at = adr + (k * rows + row) * columns + column;
            set_sensordata(at, sensordata(at) + part);
        }
    }
    for (var i = adr; i < end; i++) {
        set_sensordata(i, cut_off(s, sensordata(i)));
    }
}

// Cell of an angle among those that divide a view, wider or narrower by foveation: lower edges are outside. The number
// of cells if it is out of view.
fn cell(angle: f32, cells: u32, view: f32, fovea: f32) -> u32 {
    var at = -1.0;
    for (var edge = 0u; edge <= cells; edge++) {
        let fifth = at * at * at * at * at;
        if (angle <= (fovea * fifth + (1.0 - fovea) * at) * view) {
            return select(edge - 1u, cells, edge == 0u);
        }
        at += 2.0 / f32(cells);
    }
    return cells;
}
