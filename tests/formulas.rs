//! User sensors with formulas: the same on both backends, with cutoff, views and histories.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::batch::{Backend, Batch, BatchOptions};

const MODEL: &str = r#"<mujoco>
  <custom>
    <numeric name="goal" data="0.5 -1 2"/>
    <text name="formula:reach" data="tip - goal"/>
    <text name="formula:cost" data="norm(reach)^2 + 0.1*sum(ctrl*ctrl)"/>
    <text name="formula:drift" data="subtree_linvel(arm)[0:2]"/>
    <text name="formula:pull" data="cfrc_int(fore)"/>
    <text name="formula:clipped" data="4*qpos(elbow)"/>
    <text name="formula:all" data="select(qvel > 0, tanh(qvel), exp(qvel) - 1)"/>
  </custom>
  <worldbody>
    <body name="arm"><joint name="shoulder" axis="0 1 0"/><geom size=".05" fromto="0 0 0 0 0 -.4" type="capsule"/>
      <body name="fore" pos="0 0 -.4"><joint name="elbow" axis="0 1 0"/>
        <geom size=".04" fromto="0 0 0 0 0 -.3" type="capsule"/><site name="tip" pos="0 0 -.3"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="shoulder"/><motor joint="elbow"/></actuator>
  <sensor>
    <user name="reach" dim="3"/>
    <framepos name="tip" objtype="site" objname="tip"/>
    <user name="cost" dim="1" user="0 2.5"/>
    <user name="drift" dim="2"/>
    <user name="pull" dim="6"/>
    <user name="clipped" dim="1" cutoff="3"/>
    <user name="all" dim="2"/>
    <user name="none" dim="2"/>
  </sensor>
</mujoco>"#;

#[test]
fn user_sensors_agree_on_both_backends() {
    let model = manyworlds::load_str(MODEL).unwrap();
    assert_eq!(model.sizes.nuser_sensor, 2);
    assert_eq!(model.sensor_user[4..6], [0.0, 2.5]);
    let both = [Backend::Cpu, Backend::Gpu].map(|backend| {
        let mut batch = Batch::new(&model, 5, &BatchOptions::on(backend)).unwrap();
        let values: Vec<f64> = (0..10).map(|k| (1.7 * f64::from(k)).sin()).collect();
        batch.set("qpos", .., &values).unwrap();
        batch.set("qvel", .., &values.iter().map(|x| -2.0 * x).collect::<Vec<_>>()).unwrap();
        batch.set("ctrl", .., &values).unwrap();
        batch.step(3).unwrap();
        batch.get("sensordata", ..).unwrap().data.to_f64()
    });
    let n = model.sizes.nsensordata;
    assert_eq!(n, 20);
    for (k, (cpu, gpu)) in both[0].iter().zip(&both[1]).enumerate() {
        assert!(
            (cpu - gpu).abs() < 1e-4 * (1.0 + cpu.abs()),
            "world {}, output {}: {cpu}, {gpu}",
            k / n,
            k % n
        );
    }
    for row in both[0].chunks(n) {
        let reach: f64 = row[..3].iter().map(|x| x * x).sum();
        assert!((0..3).all(|k| (row[k] - row[3 + k] + [0.5, -1.0, 2.0][k]).abs() < 1e-12));
        assert!(row[6] >= reach && row[7] != 0.0 && row[9..15].iter().any(|x| x.abs() > 0.1));
        assert!(row[15].abs() <= 3.0 && row[18..] == [0.0, 0.0]);
    }
    assert!(
        both[0].chunks(n).any(|row| row[15].abs() == 3.0) && both[0].chunks(n).any(|row| row[15].abs() < 3.0)
    );
}

#[test]
fn goals_are_read_from_the_model() {
    let mut model = manyworlds::load_str(MODEL).unwrap();
    let first = {
        let mut batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
        batch.forward().unwrap();
        batch.get("sensordata", ..).unwrap().data.to_f64()[0]
    };
    model.numeric_data[0] += 1.0;
    let mut batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
    batch.forward().unwrap();
    assert_eq!(batch.get("sensordata", ..).unwrap().data.to_f64()[0], first - 1.0);
}
