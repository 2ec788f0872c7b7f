//! Formulas of user sensors: their values, and what is said of wrong ones.

use manyworlds_model::model::Model;
use manyworlds_model::model::data::{Capacity, Data};

/// A model with a user sensor for each formula, of so many numbers.
fn model(formulas: &[(&str, usize)]) -> manyworlds_model::error::Result<Model> {
    let (mut texts, mut sensors) = (String::new(), String::new());
    for (k, (formula, dim)) in formulas.iter().enumerate() {
        let formula = formula.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        texts += &format!(r#"<text name="formula:u{k}" data="{formula}"/>"#);
        sensors += &format!(r#"<user name="u{k}" dim="{dim}"/>"#);
    }
    manyworlds_mjcf::load_str(&format!(
        r#"<mujoco><custom><numeric name="goal" data="0.5 -1 2"/>{texts}</custom><worldbody>
           <body name="arm"><joint name="a" axis="0 1 0"/><joint name="b-c" axis="1 0 0"/><geom size=".1"/>
           <site name="tip" pos="0 0 1"/></body></worldbody><actuator><motor name="m" joint="a"/></actuator>
           <sensor><framepos name="tip" objtype="site" objname="tip"/><jointpos name="time" joint="a"/>{sensors}
           </sensor></mujoco>"#
    ))
}

fn outputs(formulas: &[(&str, usize)]) -> Vec<f64> {
    let m = model(formulas).unwrap();
    let mut d = Data::new(&m, Capacity::NONE);
    d.qpos.copy_from_slice(&[0.3, 0.0]);
    d.ctrl[0] = 0.25;
    manyworlds_cpu::forward(&m, &mut d);
    d.sensordata[4..].to_vec()
}

#[test]
fn formulas_have_the_values_that_one_reads() {
    let (s, c) = 0.3f64.sin_cos();
    for (formula, want) in [
        ("1 + 2*3 - 4/8", vec![6.5]),
        ("-2^2 + 2^-1", vec![-3.5]),
        ("(1 + 2)*3", vec![9.0]),
        ("tip", vec![s, 0.0, c]),
        ("tip[0]^2 + tip[2]^2", vec![1.0]),
        ("tip[0:2] - goal[1:3]", vec![s + 1.0, -2.0]),
        ("norm(tip)", vec![1.0]),
        ("[qpos(a), 2*ctrl(m), 1e-1]", vec![0.3, 0.5, 0.1]),
        ("qpos(\"b-c\")", vec![0.0]),
        ("numeric(goal)[1] + sensor(\"time\")", vec![-0.7]),
        ("select(tip[0] > 0.2 && !(goal[0] >= 1), 7, 8)", vec![7.0]),
        ("min(goal, 1)", vec![0.5, -1.0, 1.0]),
        ("cross([1,0,0], [0,1,0])", vec![0.0, 0.0, 1.0]),
        ("dot(goal, goal)", vec![5.25]),
        ("rotate(xquat(arm), [0,0,1]) - tip", vec![0.0; 3]),
        ("atan2(tip[0], tip[2])", vec![0.3]),
        ("sum(abs(goal)) + largest(goal) - smallest(goal)", vec![6.5]),
        ("tan(0.3) - s_over_c", vec![]),
    ] {
        if want.is_empty() {
            assert!(model(&[(formula, 1)]).is_err(), "{formula}");
            continue;
        }
        let got = outputs(&[(formula, want.len())]);
        let near = got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near && got.len() == want.len(), "{formula}: {got:?}, not {want:?}");
    }
    // one uses another
    assert_eq!(outputs(&[("[1, 2]", 2), ("3*u0[1]", 1)]), [1.0, 2.0, 6.0]);
    assert_eq!(outputs(&[("[1, 2]", 2), ("3*sensordata(u0)[1] + sum(goal^0)", 1)]), [1.0, 2.0, 9.0]);
}

#[test]
fn wrong_formulas_are_named_with_the_place() {
    for (formula, part) in [
        ("1 +", "formula ends"),
        ("tipp", "nothing is called 'tipp'; did you mean 'tip'?"),
        ("time", "'time' is a sensor and a field: write sensor(time)"),
        ("qpos(aa)", "no object 'aa'"),
        ("qpos(a", "')' is expected"),
        ("tip[3]", "no element 3"),
        ("tip[2:1]", "no elements 2:1"),
        ("tip + [1, 2]", "lengths 3 and 2"),
        ("sine(1)", "no function or field 'sine'; did you mean 'sin'?"),
        ("min(1)", "'min' has 2 arguments"),
        ("2^0.5", "whole number"),
        ("contact_dist", "use a contact sensor"),
        ("sum(qfrc_inverse)", "inverse dynamics"),
        ("sum(task_steps)", "no elements"),
        ("u1", "'u1' has no formula before this one"),
        ("1 $ 2", "'$'"),
        ("[1, 2]", "it has 2 numbers, the sensor has dim 1"),
        ("1 2", "'2' is not expected"),
    ] {
        let said = model(&[(formula, 1), ("1", 1)]).unwrap_err().to_string();
        assert!(said.contains(part), "{formula}: {said}");
    }
    let lost = "<mujoco><custom><text name='formula:x' data='1'/></custom><worldbody/><sensor><clock name='x'/></sensor>\
        </mujoco>";
    let said = manyworlds_mjcf::load_str(lost).unwrap_err().to_string();
    assert!(said.contains("there is no user sensor 'x'"), "{said}");
    // what is computed with it has a name
    let said = model(&[("sum(sensordata)", 1)]).unwrap_err().to_string();
    assert!(said.contains("name the sensors"), "{said}");
    // nothing overflows, and nothing explodes
    let long = "[numeric_data,numeric_data,numeric_data,numeric_data,numeric_data,numeric_data]";
    let powers = format!("sum(({long}^16)^16)");
    let signs = format!("sum({}text_data)", "-".repeat(5000));
    for wild in [powers, signs] {
        let said = model(&[(&wild, 1)]).unwrap_err().to_string();
        assert!(said.contains("too many operations") || said.contains("numbers together"), "{said}");
    }
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(model(&[(&deep, 1)]).unwrap_err().to_string().contains("too deep"));
}

#[test]
fn models_keep_their_formulas() {
    let m = model(&[("2*tip", 3)]).unwrap();
    let read = Model::from_mwb(&m.to_mwb()).unwrap();
    assert!(read == m && read.formulas.is_some());
    assert_eq!(m.numeric("goal"), Some(&[0.5, -1.0, 2.0][..]));
    assert_eq!(m.numeric("gaol"), None);
}
