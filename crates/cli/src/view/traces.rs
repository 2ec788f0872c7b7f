//! Traces of a plan: where points of bodies and sites will be.

use glam::DVec3;
use manyworlds::cpu;
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::Kind;
use manyworlds::schema::enums::object;
use manyworlds::schema::stages::Stage;

/// Most points of a trace.
const POINTS: usize = 40;

/// Most traces.
const TRACES: usize = 8;

/// A point that is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traced {
    /// Centre of mass of a body.
    Body(usize),
    /// A site.
    Site(usize),
}

/// Points of a model to trace: the objects of sensors whose names begin with `trace`, as in MuJoCo MPC, else the bodies
/// that float and those at the ends of the trees; and the selected body.
pub(super) fn points(model: &Model, selected: usize) -> Vec<Traced> {
    let mut found: Vec<Traced> = (0..model.sizes.nsensor)
        .filter(|s| model.name(Kind::Sensor, *s).is_some_and(|name| name.starts_with("trace")))
        .filter_map(|s| match (model.sensor_objtype[s], usize::try_from(model.sensor_objid[s]).ok()?) {
            (object::SITE, id) => Some(Traced::Site(id)),
            (object::BODY | object::XBODY, id) => Some(Traced::Body(id)),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        let moves = |b: &usize| model.body_weldid[*b] != 0;
        let is_end = |b: &usize| !model.body_parentid.iter().skip(1).any(|p| *p == *b as i32);
        let floats = |b: &usize| model.body_parentid[*b] == 0;
        found = (1..model.sizes.nbody)
            .filter(|b| moves(b) && (is_end(b) || floats(b)))
            .map(Traced::Body)
            .collect();
    }
    found.truncate(TRACES);
    let selected = Some(Traced::Body(selected)).filter(|t| *t != Traced::Body(0) && !found.contains(t));
    found.extend(selected);
    found
}

/// Positions of points along planned positions `[knots, nq]`, a list for each point. `data` has the poses of mocap bodies.
pub(super) fn traces(model: &Model, data: &Data, path: &[f64], points: &[Traced]) -> Vec<Vec<DVec3>> {
    let nq = model.sizes.nq;
    let knots = path.len().checked_div(nq).unwrap_or(0);
    let mut world = Data::new(model, Capacity::NONE);
    world.mocap_pos.copy_from_slice(&data.mocap_pos);
    world.mocap_quat.copy_from_slice(&data.mocap_quat);
    let mut all = vec![Vec::new(); points.len()];
    let count = knots.min(POINTS);
    for k in 0..count {
        // the first and the last knot, and some between
        let knot = k * (knots - 1) / (count - 1).max(1);
        world.qpos.copy_from_slice(&path[nq * knot..nq * (knot + 1)]);
        cpu::run_stage(Stage::kinematics, model, &mut world);
        for (line, point) in all.iter_mut().zip(points) {
            let at = match *point {
                Traced::Body(id) => &world.xipos[3 * id..],
                Traced::Site(id) => &world.site_xpos[3 * id..],
            };
            line.push(DVec3::from_slice(at));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn traces_follow_the_ends_of_a_plan_or_what_sensors_name() {
        let text = |sensors: &str| {
            format!(
                "<mujoco><worldbody><body name='a'><joint type='slide' axis='1 0 0'/><geom size='.1'/>\
                 <body name='b' pos='0 0 1'><joint axis='0 1 0'/><geom size='.1'/><body name='c' pos='0 0 1'>\
                 <geom size='.1'/><site name='tip' pos='0 0 .5'/></body></body></body></worldbody>\
                 <sensor>{sensors}</sensor></mujoco>"
            )
        };
        let model = manyworlds::load_str(&text("")).unwrap();
        assert_eq!(points(&model, 0), [Traced::Body(1), Traced::Body(3)]);
        assert_eq!(points(&model, 2), [Traced::Body(1), Traced::Body(3), Traced::Body(2)]);
        let named =
            manyworlds::load_str(&text("<framepos name='trace0' objtype='site' objname='tip'/>")).unwrap();
        assert_eq!(points(&named, 0), [Traced::Site(0)]);

        // a hundred knots from 0 to 1, then a quarter turn
        let path: Vec<f64> = (0..100)
            .flat_map(|k| [f64::from(k) / 99.0, 0.5 * std::f64::consts::PI * f64::from(k / 99)])
            .collect();
        let data = Data::new(&model, Capacity::NONE);
        let lines = traces(&model, &data, &path, &[Traced::Body(1), Traced::Site(0)]);
        assert_eq!((lines.len(), lines[0].len()), (2, POINTS));
        assert!(lines[0][0].length() < 1e-12 && (lines[0][POINTS - 1] - DVec3::X).length() < 1e-12);
        assert!(
            (lines[1][POINTS - 1] - DVec3::new(2.5, 0.0, 1.0)).length() < 1e-9,
            "{}",
            lines[1][POINTS - 1]
        );
        assert_eq!(traces(&model, &data, &[], &[Traced::Body(1)]), [Vec::new()]);
    }
}
