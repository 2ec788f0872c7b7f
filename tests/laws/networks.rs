//! Networks in formulas, against a plain evaluation.

use super::{BACKENDS, get, near, open, tolerance};
use manyworlds::model::task::Activation;

/// Units of the layers, the inputs first.
const LAYERS: [usize; 4] = [2, 5, 3, 1];

/// Numbers that stand for weights.
fn weights() -> Vec<f64> {
    let count: usize = LAYERS.windows(2).map(|w| (w[0] + 1) * w[1]).sum();
    (0..count).map(|k| ((k * 37 + 11) % 29) as f64 / 14.0 - 1.0).collect()
}

/// What a network makes of two inputs: a row of bias and weights for each unit.
fn output(activation: Activation, inputs: [f64; 2]) -> f64 {
    let of = |x: f64| match activation {
        Activation::Tanh => x.tanh(),
        Activation::Relu => x.max(0.0),
        Activation::Elu => {
            if x < 0.0 {
                x.exp_m1()
            } else {
                x
            }
        }
        Activation::Softsign => x / (1.0 + x.abs()),
        Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Activation::Silu => x / (1.0 + (-x).exp()),
    };
    let (numbers, mut layer, mut at) = (weights(), inputs.to_vec(), 0);
    for units in &LAYERS[1..] {
        let row = |u: usize| &numbers[at + u * (1 + layer.len())..][..=layer.len()];
        let sum = |u: usize| row(u)[0] + row(u)[1..].iter().zip(&layer).map(|(w, x)| w * x).sum::<f64>();
        let sums: Vec<f64> = (0..*units).map(sum).collect();
        at += units * (1 + layer.len());
        layer = if *units == 1 { sums } else { sums.into_iter().map(of).collect() };
    }
    layer[0]
}

fn numbers(all: impl IntoIterator<Item = f64>) -> String {
    all.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" ")
}

/// Three joints whose motors are a network each of control and velocity, with softsign; a sensor for each activation, and one
/// of more elements.
fn scene() -> String {
    let net = |activation: Activation| {
        let head = [activation.code(), LAYERS[0], 2, LAYERS[1], LAYERS[2]].map(|x| x as f64);
        numbers(head.into_iter().chain(weights()))
    };
    let nets = Activation::ALL.map(|a| format!(r#"<numeric name="{a:?}" data="{}"/>"#, net(a))).concat();
    let ones = Activation::ALL
        .map(|a| format!(r#"<text name="formula:of_{a:?}" data="2*network({a:?}, qpos(a), qvel(b))"/>"#));
    let sensors = Activation::ALL.map(|a| format!(r#"<user name="of_{a:?}" dim="1"/>"#)).concat();
    let many = (0..20).map(|k| format!("{}", f64::from(k) / 10.0 - 1.0)).collect::<Vec<_>>().join(", ");
    let part = |text: &str| ["a", "b", "c"].map(|name| text.replace('%', name)).concat();
    format!(
        r#"<mujoco><option gravity="0 0 0"/><custom>{nets}
        <text name="let:torque" data="clip(network(Softsign, ctrl - qpos, qvel), -0.4, 0.4)"/>
        <text name="bias:a" data="torque[0]"/><text name="bias:b" data="torque[1]"/><text name="bias:c" data="torque[2]"/>
        {gains}<text name="formula:many" data="network(Tanh, [{many}], 0.3)"/>{ones}</custom>
        <worldbody>{bodies}</worldbody><actuator>{motors}</actuator>
        <sensor><user name="many" dim="20"/>{sensors}</sensor>
        <keyframe><key qpos="0.1 -0.2 0.5" qvel="1 0.4 -0.7" ctrl="0.3 0.9 -1.2"/></keyframe></mujoco>"#,
        ones = ones.concat(),
        bodies = part(r#"<body><joint name="%" type="slide"/><geom size=".1" contype="0"/></body>"#),
        gains = part(r#"<text name="gain:%" data="0*control"/>"#),
        motors = part(r#"<general name="%" joint="%" gaintype="user" biastype="user"/>"#),
    )
}

#[test]
fn motors_and_sensors_are_what_a_network_says() {
    let (qpos, qvel, ctrl) = ([0.1, -0.2, 0.5], [1.0, 0.4, -0.7], [0.3, 0.9, -1.2]);
    let model = manyworlds::load_str(&scene()).unwrap();
    let wanted = [0, 1, 2].map(|k| output(Activation::Softsign, [ctrl[k] - qpos[k], qvel[k]]));
    assert!(wanted.iter().any(|x| x.abs() < 0.4) && wanted.iter().any(|x| x.abs() > 0.4), "{wanted:?}");
    let forces = wanted.map(|x| x.clamp(-0.4, 0.4));
    let many = (0..20).map(|k| output(Activation::Tanh, [f64::from(k) / 10.0 - 1.0, 0.3]));
    let ones = Activation::ALL.map(|activation| 2.0 * output(activation, [qpos[0], qvel[1]]));
    let sensed: Vec<f64> = many.chain(ones).collect();
    for backend in BACKENDS {
        let mut batch = open(&model, 3, *backend);
        batch.reset(.., Some(0)).unwrap();
        batch.forward().unwrap();
        let bound = tolerance(*backend, 1e-12, 1e-5);
        near(&get(&mut batch, "actuator_force"), &forces.repeat(3), bound, backend.name());
        near(&get(&mut batch, "sensordata"), &sensed.repeat(3), bound, backend.name());
    }
}

#[test]
fn each_world_may_have_weights_of_its_own() {
    let model = manyworlds::load_str(&scene()).unwrap();
    let mut data = model.numeric_data.repeat(2);
    // the bias of the output of the last network, in the second world
    let bias = data.len() - 1 - LAYERS[2];
    data[bias] += 0.25;
    for backend in BACKENDS {
        let mut batch = open(&model, 2, *backend);
        batch.expand(&["numeric_data"]).unwrap();
        batch.set_model("numeric_data", .., &data).unwrap();
        batch.reset(.., Some(0)).unwrap();
        batch.forward().unwrap();
        let sensed = get(&mut batch, "sensordata");
        near(&[sensed[51] - sensed[25]], &[0.5], tolerance(*backend, 1e-12, 1e-5), backend.name());
    }
}

#[test]
fn what_is_no_network_is_refused_with_its_numeric() {
    let whole = scene();
    let refused = |from: &str, to: &str, words: &str| {
        assert!(whole.contains(from), "{from}");
        let told = manyworlds::load_str(&whole.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(told.contains(words), "{told}");
    };
    refused("data=\"0 2 2", "data=\"9 2 2", "number 0 is a whole number up to 5");
    refused("data=\"0 2 2", "data=\"0 2.5 2", "number 1 is a whole number");
    refused("data=\"0 2 2 5", "data=\"0 2 2 6", "weights and biases; a network of its layers has");
    refused("data=\"0 2 2 5", "data=\"0 2 2 65", "number 3 is a whole number up to 64");
    refused(
        "network(Softsign, ctrl - qpos, qvel)",
        "network(Softsign, ctrl)",
        "'Softsign' has 2 inputs, 1 are given",
    );
    refused("network(Softsign, ctrl", "network(nut, ctrl", "nut");
    refused("network(Softsign, ctrl", "network('Softsign, ctrl", "a quoted name does not end");
    // what is made of an output is text within text in kernels
    let links =
        (1..70).map(|k| format!(r#"<text name="let:t{k}" data="sin(t{})"/>"#, k - 1)).collect::<String>();
    let deep = format!(
        r#"<text name="let:t0" data="network(Softsign, ctrl - qpos, qvel)"/>{links}<text name="let:torque" data="cos(t69)"/>"#
    );
    let whole_text =
        r#"<text name="let:torque" data="clip(network(Softsign, ctrl - qpos, qvel), -0.4, 0.4)"/>"#;
    refused(whole_text, &deep, "too many operations");
    refused("network(Softsign, ctrl - qpos, qvel)", "network(Softsign, ctrl, [1, 2])", "lengths 3 and 2");
}
