//! State that goes on in a changed model: what belongs to objects of the same name, or of the same place without one.

use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::model::state::keyframe_fields;
use manyworlds::schema::Kind;

/// Fields of a keyframe with the kind of objects to which their elements belong: all but the time.
fn parts() -> impl Iterator<Item = (&'static str, Kind)> {
    keyframe_fields().filter_map(|(field, _)| Some((field.name, field.owner()?)))
}

/// The object of another model that an object is: that of its name, or, where both have none, the one of its place.
pub(super) fn counterpart(from: &Model, to: &Model, kind: Kind, id: usize) -> Option<usize> {
    match from.name(kind, id) {
        Some(name) => to.id(kind, name).ok(),
        None => (id < to.names.of(kind).len() && to.name(kind, id).is_none()).then_some(id),
    }
}

/// Copies as much of a state as fits from a world of one model to one of another. Objects of another size, as a hinge that
/// has become a ball, keep the state that they have.
pub(super) fn carry(from: (&Model, &Data), to: (&Model, &mut Data)) {
    let ((old, source), (new, target)) = (from, to);
    target.time.copy_from_slice(&source.time);
    for (field, kind) in parts() {
        let Some(values) = source.get(field).map(|v| v.to_f64()) else { continue };
        for id in 0..old.names.of(kind).len() {
            let Some(other) = counterpart(old, new, kind, id) else { continue };
            let ranges = (old.elements_of(field, kind, id), new.elements_of(field, kind, other));
            let (Ok(here), Ok(there)) = ranges else { continue };
            let is_same = kind != Kind::Joint || old.jnt_type[id] == new.jnt_type[other];
            if here.len() == there.len() && is_same {
                write(target, field, there.start, &values[here]);
            }
        }
    }
}

/// Writes numbers into a field of a world from a place on.
fn write(data: &mut Data, field: &str, first: usize, values: &[f64]) {
    if let Some(manyworlds::schema::ValuesMut::Real(to)) = data.get_mut(field) {
        to.iter_mut().skip(first).zip(values).for_each(|(to, x)| *to = *x);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use manyworlds::model::data::Capacity;

    #[test]
    fn a_state_goes_on_in_the_joints_and_actuators_of_its_names() {
        let model = |bodies: &str, actuators: &str| {
            let text =
                format!("<mujoco><worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>");
            manyworlds::load_str(&text).unwrap()
        };
        let body = |joint: &str| format!("<body>{joint}<geom size='.1'/></body>");
        let hinge = |name: &str| body(&format!("<joint name='{name}'/>"));
        let old = model(
            &(hinge("a") + &hinge("b") + &body("<joint/>")),
            "<motor name='m' joint='a'/><motor name='n' joint='b'/>",
        );
        let ball = body("<joint name='b' type='ball'/>");
        let new = model(
            &(body("<freejoint name='c'/>") + &ball + &hinge("a")),
            "<motor name='n' joint='a'/><motor name='o' joint='a'/>",
        );
        let none = Capacity::NONE;
        let (mut before, mut after) = (Data::new(&old, none), Data::new(&new, none));
        before.time[0] = 3.0;
        before.qpos.copy_from_slice(&[1.0, 2.0, 3.0]);
        before.qvel.copy_from_slice(&[4.0, 5.0, 6.0]);
        before.ctrl.copy_from_slice(&[7.0, 8.0]);
        carry((&old, &before), (&new, &mut after));
        assert_eq!(after.time, [3.0]);
        assert_eq!(after.qpos, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(after.qvel, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0]);
        assert_eq!(after.ctrl, [8.0, 0.0]);
        assert_eq!(counterpart(&old, &new, Kind::Joint, 2), None);
        assert_eq!(counterpart(&old, &old, Kind::Joint, 2), Some(2));
    }
}
