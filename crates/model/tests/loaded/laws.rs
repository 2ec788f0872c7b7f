//! Laws: their functions, and what is said of wrong ones.

use manyworlds_model::error::{Error, Result};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};

/// A model with these texts: names and formulas.
fn model(texts: &[(&str, &str)]) -> Result<Model> {
    let escaped = |formula: &str| formula.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let texts: String = texts
        .iter()
        .map(|(name, formula)| format!(r#"<text name="{name}" data="{}"/>"#, escaped(formula)))
        .collect();
    manyworlds_mjcf::load_str(&format!(
        r#"<mujoco><custom><numeric name="goal" data="0.5 -1 2"/>{texts}</custom><worldbody>
           <geom name="floor" type="plane" size="1 1 1"/>
           <body name="arm"><joint name="a" axis="0 1 0"/><joint name="b" axis="1 0 0"/><geom name="bar" size=".1"/>
             <site name="tip" pos="0 0 1"/></body></worldbody>
           <tendon><fixed name="rope"><joint joint="a" coef="1"/></fixed></tendon>
           <actuator><motor name="m" joint="a"/>
             <general name="own" joint="a" gaintype="user" biastype="user" dyntype="user" actdim="2"/></actuator>
           <sensor><jointpos name="angle" joint="a"/></sensor></mujoco>"#
    ))
}

#[test]
fn wrong_laws_are_named_with_what_would_be_right() {
    let long = "sum([goal,goal,goal,goal,goal,goal])";
    for (name, formula, part) in [
        // objects
        ("force:joint:aa", "1", "there is no joint 'aa'; did you mean 'a'?"),
        ("force:tendon:ropes", "1", "there is no tendon 'ropes'; did you mean 'rope'?"),
        ("force:site:tipp", "goal", "there is no site 'tipp'; did you mean 'tip'?"),
        ("force:body:arn", "goal", "there is no body 'arn'; did you mean 'arm'?"),
        ("control:mm", "1", "there is no actuator 'mm'; did you mean 'm'?"),
        ("gain:owm", "1", "there is no actuator 'owm'; did you mean 'own'?"),
        ("keep:flor", "1", "there is no geom 'flor'; did you mean 'floor'?"),
        ("solref:bark", "[1, 1]", "there is no geom 'bark'; did you mean 'bar'?"),
        (
            "rate:gaol",
            "goal",
            "there is no numeric 'gaol', at whose data the state begins; did you mean 'goal'?",
        ),
        (
            "force:geom:bar",
            "goal",
            "a force acts on a joint, tendon, site or body: name it 'force:site:NAME'",
        ),
        ("force:tip", "goal", "a force acts on a joint, tendon, site or body"),
        ("force:", "1", "a force acts on a joint, tendon, site or body"),
        // numbers
        ("force:joint:a", "[1, 2]", "it has 2 numbers; 'a' takes one number"),
        ("force:tendon:rope", "goal", "it has 3 numbers; 'rope' takes one number"),
        ("force:site:tip", "[1, 2]", "it has 2 numbers; a force on 'tip' has 3, with a torque 6"),
        ("force:body:arm", "1", "it has one number; a force on 'arm' has 3, with a torque 6"),
        ("control:own", "[1, 2]", "it has 2 numbers; 'own' takes one number"),
        ("dynamics:own", "1", "it has one number; 'own' takes 2 numbers"),
        ("rate:goal", "-goal[0:2]", "it has 2 numbers; 'goal' takes 3 numbers"),
        ("keep:bar", "[1, 0]", "it has 2 numbers; a condition is one"),
        ("friction:bar", "[1, 2, 3, 4]", "sliding, torsional and rolling friction are 1 to 3, or 5"),
        ("solref:bar", "1", "it has one number; solref has 2"),
        ("solimp:bar", "[1, 2]", "it has 2 numbers; solimp has 3 or 5"),
        // actuators with laws of their own
        ("gain:m", "1", "actuator 'm' has a law of its own; give it gaintype='user'"),
        ("bias:m", "1", "actuator 'm' has a law of its own; give it biastype='user'"),
        ("dynamics:m", "1", "actuator 'm' has a law of its own; give it dyntype='user'"),
        // names
        ("let:goal", "1", "'goal' is a sensor, a numeric or a field already: choose another name"),
        ("let:qpos", "1", "'qpos' is a sensor, a numeric or a field already"),
        ("let:angle", "1", "'angle' is a sensor, a numeric or a field already"),
        ("let:position", "1", "'position' is a name that laws have for themselves"),
        ("let:two words", "1", "'two words' is no name that a formula can say"),
        ("let:", "1", "'' is no name that a formula can say"),
        ("let:self", "self + 1", "'self' needs itself"),
        ("force:site:tip", "position*goal", "nothing is called 'position'"),
        ("force:joint:b", "length", "nothing is called 'length'"),
        ("control:m", "control", "nothing is called 'control'"),
        ("control:m", "ctrl(m)", "kept by a state"),
        ("force:joint:a", "other", "nothing is called 'other'"),
        ("force:joint:a", "velocity(nope)[0]", "there is no site, body or geom 'nope'"),
        // what is computed later
        ("keep:bar", "qacc[0]", "'qacc' is not known where contacts are found"),
        ("keep:bar", "sensordata[0]", "'sensordata' is not known where contacts are found"),
        ("keep:bar", "angle", "'sensordata' is not known where contacts are found"),
        ("friction:bar", "velocity(arm)[0]", "'cvel' is not known where contacts are found"),
        ("force:joint:a", "qacc[0]", "'qacc' is not known before actuators act"),
        ("gain:own", "actuator_force(m)", "'actuator_force' is not known before actuators act"),
        ("force:joint:a", "contact_dist[0]", "use a contact sensor"),
        ("keep:bar", "xpos(other)[0]", "'xpos' has no elements of a geom"),
        // what is too much for a contact, or for the same bits
        ("keep:bar", long, "a vector of 18 numbers; take parts of at most 16"),
        ("force:joint:a", "normal()", "'normal' draws numbers, which only tasks do"),
        ("rate:goal", "uniform(0, 1)*goal", "'uniform' draws numbers, which only tasks do"),
        ("let:noise", "uniform(0, 1)", "'uniform' draws numbers, which only tasks do"),
        // functions
        ("force:joint:a", "rotate(1, goal)", "'rotate' has a quaternion or a matrix of nine numbers"),
        ("force:joint:a", "clip(1, 2)", "'clip' has 3 arguments, 2 are given"),
        ("force:joint:a", "1 +", "the formula ends where a value is expected"),
    ] {
        let Err(error) = model(&[(name, formula)]) else { panic!("accepted: {name} = {formula}") };
        let Error::Model(problems) = &error else { panic!("another kind of error: {error}") };
        let said = &problems[0].message;
        assert!(said.contains(part), "{name} = {formula}: {said}");
        assert!(said.starts_with(&format!("the formula '{name}'")) && problems[0].line == 1, "{said}");
    }
}

/// Several texts: what is wrong is named where it is.
#[test]
fn wrong_laws_among_others_are_named() {
    type Row<'a> = (&'a [(&'a str, &'a str)], [&'a str; 2]);
    let rows: [Row<'_>; 6] = [
        (&[("let:p", "q + 1"), ("let:q", "p")], ["let:p", "'p' needs itself"]),
        (
            &[("let:p", "q + 1"), ("let:q", "p"), ("force:joint:a", "p")],
            ["force:joint:a", "'p' needs itself"],
        ),
        // right in the first, wrong in the second
        (
            &[("let:wind", "velocity(tip)[0]"), ("force:joint:a", "wind"), ("keep:bar", "wind")],
            ["keep:bar", "'cvel' is not known where contacts are found"],
        ),
        (&[("control:own", "ctrl(m)"), ("control:m", "1")], ["control:own", "put that text before this one"]),
        (&[("force:joint:a", "1"), ("force:joint:a", "2")], ["'force:joint:a'", "used twice"]),
        (&[("rate:goal", "-goal"), ("let:goal", "1")], ["let:goal", "already"]),
    ];
    for (texts, parts) in rows {
        let said = model(texts).unwrap_err().to_string();
        assert!(parts.iter().all(|part| said.contains(part)), "{texts:?}: {said}");
    }
    // what stands alone
    assert!(model(&[("let:speed", "velocity(tip)"), ("note", "1 +"), ("author:me", "1 +")]).is_ok());
    assert_eq!(model(&[("let:speed", "velocity(tip)")]).unwrap().sizes.nlawact, 0);
    assert!(model(&[("control:m", "1"), ("control:own", "ctrl(m)")]).is_ok());
}

/// Texts that look like laws and do nothing are warned of.
#[test]
fn texts_that_are_nearly_laws_are_warned_of() {
    for (name, part) in [
        ("forces:joint:a", "'forces:joint:a' is no law and does nothing; did you mean 'force'?"),
        ("Force:joint:a", "did you mean 'force'?"),
        ("Keep:bar", "did you mean 'keep'?"),
        ("dynamic:own", "did you mean 'dynamics'?"),
        ("formulas:angle", "did you mean 'formula'?"),
    ] {
        let warnings = model(&[(name, "1")]).unwrap().warnings;
        assert!(warnings.len() == 1 && warnings[0].message.contains(part), "{name}: {warnings:?}");
    }
    for name in ["author:me", "note:x", "force", "date:1", "version: 2"] {
        assert!(model(&[(name, "1")]).unwrap().warnings.is_empty(), "{name}");
    }
    let child = r#"<mujoco model="c"><custom><text name="force:joint:a" data="1"/></custom><worldbody>
        <body name="arm"><joint name="a"/><geom size=".1"/></body></worldbody></mujoco>"#;
    let parent = r#"<mujoco><asset><model name="c" file="c.xml"/></asset><worldbody><frame>
        <attach model="c" body="arm" prefix="x_"/></frame></worldbody></mujoco>"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("c.xml"), child).unwrap();
    std::fs::write(folder.path().join("p.xml"), parent).unwrap();
    let model = manyworlds_mjcf::load(&folder.path().join("p.xml")).unwrap();
    let said = "the formula 'force:joint:a' does nothing as 'x_force:joint:a'";
    assert!(model.warnings.iter().any(|warning| warning.message.contains(said)), "{:?}", model.warnings);
    assert!(model.formulas.is_none());
}

/// Values of forces on a joint, at a position and velocity of the arm.
fn value(texts: &[(&str, &str)]) -> f64 {
    let m = model(texts).unwrap();
    let mut d = Data::new(&m, Capacity { nconmax: 4, njmax: 16 });
    d.qpos.copy_from_slice(&[0.3, 0.0]);
    d.qvel.copy_from_slice(&[2.0, 0.0]);
    d.ctrl.copy_from_slice(&[0.25, 0.5]);
    manyworlds_cpu::forward(&m, &mut d);
    d.qfrc_passive[0]
}

#[test]
fn laws_have_the_values_that_one_reads() {
    let (s, c) = 0.3f64.sin_cos();
    for (formula, want) in [
        ("position", 0.3),
        ("velocity", 2.0),
        // the tip is one metre above the hinge, about which it turns
        ("velocity(tip)[0]", 2.0 * c),
        ("velocity(tip)[2]", -2.0 * s),
        ("norm(velocity(arm))", 0.0),
        ("velocity(bar)[0]", 0.0),
        ("angular_velocity(tip)[1]", 2.0),
        ("norm(angular_velocity(bar) - [0, 2, 0])", 0.0),
        ("rotate_inverse(xmat(arm), velocity(tip))[0]", 2.0),
        ("rotate_inverse(xquat(arm), velocity(tip))[0]", 2.0),
        ("norm(rotate(site_xmat(tip), rotate_inverse(xquat(arm), goal)) - goal)", 0.0),
        ("rotate(xmat(arm), [0, 0, 1])[0]", s),
        ("clip(5, -1, 1) + 10*clip(-0.5, -1, 1) + 100*clip(-5, -1, 1)", 1.0 - 5.0 - 100.0),
        ("clip(goal, 0, 1)[1] + clip(goal, 0, 1)[2]", 1.0),
        ("mean(goal)", 0.5),
        ("every([1, 2, 3]) + 2*every([1, 0])", 1.0),
        ("some([0, 0]) + 2*some([0, -3])", 2.0),
        ("sign(goal[1]) + 2*sign(goal[0]) + 4*sign(0)", 1.0),
        ("ctrl(m) + 2*ctrl(own)", 1.25),
        // sensors are those of the step before
        ("angle", 0.0),
        ("twice + twice[0]", 1.2),
    ] {
        let got = value(&[("let:twice", "2*qpos(a)"), ("force:joint:a", formula)]);
        assert!((got - want).abs() < 1e-12, "{formula}: {got}, not {want}");
    }
    // a control of a law is that of the same step
    assert_eq!(value(&[("force:joint:a", "ctrl(m) + ctrl[1]"), ("control:m", "7")]), 7.5);
}
