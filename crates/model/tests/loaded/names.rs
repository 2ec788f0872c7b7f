//! Objects and their elements by name.

use std::ops::Range;

use manyworlds_model::error::Result;
use manyworlds_model::schema::Kind;

#[test]
fn objects_are_found_by_name() {
    let text = "<mujoco><worldbody><body name='a' mocap='true'><geom size='0.1'/></body>\
        <body name='b'><joint name='ball' type='ball'/><geom name='g' size='0.1'/><site name='s'/>\
        <body name='c'><joint name='hinge'/><geom size='0.1'/></body></body></worldbody>\
        <actuator><motor name='m1' joint='hinge'/><general name='m2' joint='hinge' dyntype='integrator'/></actuator>\
        <sensor><framepos name='p' objtype='site' objname='s'/><jointpos name='q' joint='hinge'/></sensor></mujoco>";
    let m = manyworlds_mjcf::load_str(text).expect("a model");
    for (field, kind, name, want) in [
        ("qpos", Kind::Joint, "ball", 0..4),
        ("qvel", Kind::Joint, "hinge", 3..4),
        ("qvel", Kind::Body, "b", 0..3),
        ("qvel", Kind::Body, "a", 0..0),
        ("xquat", Kind::Body, "c", 12..16),
        ("body_inertia", Kind::Body, "b", 6..9),
        ("ctrl", Kind::Actuator, "m2", 1..2),
        ("act", Kind::Actuator, "m1", 0..0),
        ("act", Kind::Actuator, "m2", 0..1),
        ("sensordata", Kind::Sensor, "q", 3..4),
        ("geom_friction", Kind::Geom, "g", 3..6),
        ("mocap_pos", Kind::Body, "a", 0..3),
    ] {
        assert_eq!(m.elements(field, kind, name).expect("elements"), want, "{field} of {name}");
    }
    assert_eq!((m.id(Kind::Geom, "g").ok(), m.name(Kind::Geom, 1)), (Some(1), Some("g")));
    assert_eq!((m.name(Kind::Geom, 0), m.name(Kind::Geom, 99)), (None, None));
    let says = |done: Result<Range<usize>>, part: &str| {
        let text = done.expect_err("an error").to_string();
        assert!(text.contains(part), "{text}");
    };
    says(m.elements("qpos", Kind::Joint, "hing"), "no joint 'hing'; did you mean 'hinge'?");
    says(m.elements("qpos", Kind::Joint, ""), "no joint ''");
    says(m.elements("qpoz", Kind::Joint, "hinge"), "did you mean 'qpos'?");
    says(m.elements("qpos", Kind::Site, "s"), "no elements of a site");
    says(m.elements("time", Kind::Body, "a"), "no elements of a body");
}
