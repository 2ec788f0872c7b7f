//! Sensors of the distance between geoms or bodies: how far, which way, and from where to where.

use crate::cpu::collision::distance::geom_distance;
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::object;
use crate::schema::sensors::sensor as kind;

/// Writes the outputs of a sensor of distances: of the nearest pair of geoms that is nearer than the cutoff. Where there
/// is none, the distance is the cutoff, and all else zero.
pub fn distance_sensor<T: Real>(m: &Model<T>, d: &mut Data<T>, s: usize) {
    let mut dist = m.sensor_cutoff[s];
    let mut nearest = None;
    for g1 in sensed_geoms(m, m.sensor_objtype[s], m.sensor_objid[s]) {
        for g2 in sensed_geoms(m, m.sensor_reftype[s], m.sensor_refid[s]) {
            if let Some(gap) = geom_distance(m, d, g1, g2, dist) {
                dist = gap.dist;
                nearest = Some(gap);
            }
        }
    }
    let adr = m.sensor_adr[s] as usize;
    let out = &mut d.sensordata[adr..adr + m.sensor_dim[s] as usize];
    match (m.sensor_type[s], nearest) {
        (kind::DISTANCE, _) => out[0] = dist,
        (_, None) => out.fill(T::ZERO),
        // from point to point: against the normal where they overlap, nowhere where they touch
        (kind::NORMAL, Some(gap)) => out.copy_from_slice(&(gap.normal * sign(gap.dist)).0),
        (_, Some(gap)) => {
            out[..3].copy_from_slice(&gap.from.0);
            out[3..].copy_from_slice(&gap.to.0);
        }
    }
}

/// The geoms of what is measured: one, or all of a body.
fn sensed_geoms<T: Real>(m: &Model<T>, kind: i32, id: i32) -> std::ops::Range<usize> {
    let id = id.max(0) as usize;
    if kind == object::GEOM {
        return id..id + 1;
    }
    let first = m.body_geomadr[id].max(0) as usize;
    first..first + m.body_geomnum[id].max(0) as usize
}

/// Pairs of geoms whose distance is sensed, the lower type first.
pub fn sensed_pairs<T: Real>(m: &Model<T>) -> impl Iterator<Item = (usize, usize)> {
    let of_distance = |s: &usize| (kind::DISTANCE..=kind::FROMTO).contains(&m.sensor_type[*s]);
    (0..m.sizes.nsensor).filter(of_distance).flat_map(move |s| {
        sensed_geoms(m, m.sensor_objtype[s], m.sensor_objid[s]).flat_map(move |g1| {
            let others = sensed_geoms(m, m.sensor_reftype[s], m.sensor_refid[s]);
            others.map(move |g2| if m.geom_type[g1] > m.geom_type[g2] { (g2, g1) } else { (g1, g2) })
        })
    })
}

/// One, minus one, or zero.
fn sign<T: Real>(x: T) -> T {
    if x > T::ZERO {
        T::ONE
    } else if x < T::ZERO {
        -T::ONE
    } else {
        T::ZERO
    }
}
