//! Distance sensors between geoms or bodies: distance, normal, and closest points.

use crate::collision::distance::geom_distance;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::model::features::sensed_geoms;
use manyworlds_model::real::Real;
use manyworlds_model::schema::sensors::sensor as kind;

/// Writes the outputs of a distance sensor for the closest pair of geoms within the cutoff. If there is none, the
/// distance is the cutoff and everything else is zero.
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
        // from point to point: against the normal in penetration, zero at touch
        (kind::NORMAL, Some(gap)) => out.copy_from_slice(&(gap.normal * sign(gap.dist)).0),
        (_, Some(gap)) => {
            out[..3].copy_from_slice(&gap.from.0);
            out[3..].copy_from_slice(&gap.to.0);
        }
    }
}

/// Sign: one, minus one, or zero.
fn sign<T: Real>(x: T) -> T {
    if x > T::ZERO {
        T::ONE
    } else if x < T::ZERO {
        -T::ONE
    } else {
        T::ZERO
    }
}
