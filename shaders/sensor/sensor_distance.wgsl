// Distance sensors between geoms or bodies: distance, normal, and closest points.
// Twin: crates/cpu/src/sensor/sensor_distance.rs.

import package::collision::convex::GeomDistance;
import package::collision::distance::geom_distance;
import package::sensor::output::cut_off;

// Writes the outputs of a distance sensor for the closest pair of geoms within the cutoff. If there is none, the
// distance is the cutoff and everything else is zero.
fn distance_sensor(s: u32, kind: i32) {
    var nearest = GeomDistance(sensor_cutoff(s), vec3f(0.0), vec3f(0.0), vec3f(0.0), false);
    let one = sensed_geoms(sensor_objtype(s), u32(sensor_objid(s)));
    let two = sensed_geoms(sensor_reftype(s), u32(sensor_refid(s)));
    for (var g1 = one.x; g1 < one.y; g1++) {
        for (var g2 = two.x; g2 < two.y; g2++) {
            let gap = geom_distance(g1, g2, nearest.dist);
            if (gap.any) {
                nearest = gap;
            }
        }
    }
    let adr = u32(sensor_adr(s));
    if (kind == SENSOR_DISTANCE) {
        set_sensordata(adr, cut_off(s, nearest.dist));
        return;
    }
    var first = nearest.p;
    if (kind == SENSOR_NORMAL) {
        // from point to point: against the normal in penetration, zero at touch
        first = nearest.normal * sign(nearest.dist);
    }
    for (var k = 0u; k < 3u; k++) {
        set_sensordata(adr + k, first[k]);
        if (kind == SENSOR_FROMTO) {
            set_sensordata(adr + 3u + k, nearest.q[k]);
        }
    }
}

// Range of geoms of a sensed object: a single geom, or all geoms of a body.
fn sensed_geoms(kind: i32, id: u32) -> vec2u {
    if (kind == OBJECT_GEOM) {
        return vec2u(id, id + 1u);
    }
    let first = u32(max(body_geomadr(id), 0));
    return vec2u(first, first + u32(body_geomnum(id)));
}
