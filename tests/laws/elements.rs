//! Laws that say what built-in elements do.

use super::{BACKENDS, Backend, Batch, get, near, open, tolerance};

/// Two arms, a ball joint and a slider, with elements in braces.
const SCENE: &str = r#"<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.002" gravity="{gravity}"><flag eulerdamp="disable"/></option>
  {custom}
  <worldbody>
    <site name="anchor" pos="0.3 0.1 1.4"/>
    <body name="arm" pos="0 0 1"><joint name="shoulder" axis="0 1 0" {shoulder}/>
      <geom size=".05" fromto="0 0 0 0 0 -.4" type="capsule"/>
      <body name="fore" pos="0 0 -.4"><joint name="elbow" axis="0 1 0.2"/>
        <geom size=".04" fromto="0 0 0 0 0 -.3" type="capsule"/><site name="tip" pos="0 0.02 -.3" euler="0.3 0.2 0"/></body>
    </body>
    <body name="top" pos="1 0 1"><joint name="swivel" type="ball" {swivel}/><geom type="box" size=".1 .05 .08" pos=".2 0 0"/></body>
    <body name="cart" pos="2 0 1"><joint name="rail" type="slide" axis="1 0 0"/><geom size=".1"/>
      <site name="middle"/></body>
  </worldbody>
  <tendon><spatial name="string" {string}><site site="anchor"/><site site="tip"/></spatial></tendon>
  <actuator>
    <general name="servo" joint="elbow" {servo}/>
    <motor name="drive" joint="rail"/>
    {push}
  </actuator>
  <keyframe><key name="moving" qpos="0.4 -0.7 0.9 0.1 -0.2 0.3 0.1" qvel="0.5 -1 0.3 0.2 -0.8 0.4"/></keyframe>
</mujoco>"#;

/// What stands in the braces: of the elements, of the laws.
const PARTS: [(&str, &str, &str); 7] = [
    ("gravity", "0 0 -9.81", "0 0 0"),
    ("shoulder", r#"stiffness="3" springref="0.2" damping="0.4""#, ""),
    ("swivel", r#"damping="0.02""#, ""),
    ("string", r#"stiffness="20" springlength="0.5" damping="0.3""#, ""),
    (
        "servo",
        r#"gaintype="affine" gainprm="5 0.3 -0.1" biastype="affine" biasprm="0.2 -4 -0.3" dyntype="filter" dynprm="0.05""#,
        r#"gaintype="user" biastype="user" dyntype="user" actdim="1""#,
    ),
    (
        "push",
        r#"<general name="push" site="tip" gear="0 0 1 0.1 0 0" gaintype="fixed" gainprm="0" biastype="affine" biasprm="0.7 0 0"/>"#,
        "",
    ),
    ("custom", "", LAWS),
];

const LAWS: &str = r#"<custom>
  <text name="let:down" data="[0, 0, -9.81]"/>
  <text name="force:body:arm" data="body_mass(arm)*down"/>
  <text name="force:body:fore" data="body_mass(fore)*down"/>
  <text name="force:body:top" data="[body_mass(top)*down + [0.1, 0.2, -0.3], 0.01, 0.02, 0.03]"/>
  <text name="force:site:middle" data="body_mass(cart)*down + [0.5, 0, 0]"/>
  <text name="force:joint:shoulder" data="-3*(position - 0.2) - 0.4*velocity"/>
  <text name="force:joint:swivel" data="-0.02*qvel(swivel)"/>
  <text name="force:tendon:string" data="-20*(length - 0.5) - 0.3*velocity"/>
  <text name="force:site:tip" data="[rotate(site_xmat(tip), [0, 0, 0.7]), rotate(site_xmat(tip), [0.07, 0, 0])]"/>
  <text name="gain:servo" data="5 + 0.3*length - 0.1*velocity"/>
  <text name="bias:servo" data="0.2 - 4*length - 0.3*velocity"/>
  <text name="dynamics:servo" data="(control - activation)/0.05"/>
  <text name="control:drive" data="0.3*sin(5*time) - 2*position_of_cart"/>
  <text name="let:position_of_cart" data="qpos(rail)"/>
</custom>"#;

fn filled(scene: &str, laws: bool) -> manyworlds::model::Model {
    let mut text = scene.to_owned();
    for (name, of_elements, of_laws) in PARTS {
        text = text.replace(&format!("{{{name}}}"), if laws { of_laws } else { of_elements });
    }
    manyworlds::load_str(&text).unwrap()
}

#[test]
fn laws_act_as_the_elements_whose_formulas_they_say() {
    for (integrator, flag) in [("Euler", "disable"), ("RK4", "enable")] {
        let scene = SCENE
            .replace("timestep=", &format!("integrator='{integrator}' timestep="))
            .replace("eulerdamp=\"disable\"", &format!("eulerdamp=\"{flag}\""));
        let (elements, laws) = (filled(&scene, false), filled(&scene, true));
        let mut reference = open(&elements, 1, Backend::Cpu);
        let start = |batch: &mut Batch| {
            batch.reset(.., Some(0)).unwrap();
            batch.set("act", .., &[0.15]).unwrap();
        };
        start(&mut reference);
        let outer = [[0.1, 0.2, -0.3, 0.01, 0.02, 0.03], [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]];
        // bodies: world, arm, fore, top, cart
        let applied: Vec<f64> = [0.0; 18].into_iter().chain(outer.into_iter().flatten()).collect();
        reference.set("xfrc_applied", .., &applied).unwrap();
        let mut others: Vec<_> = BACKENDS.iter().map(|b| (*b, open(&laws, 1, *b))).collect();
        for (_, batch) in &mut others {
            start(batch);
            batch.set("ctrl", .., &[0.6, 0.0]).unwrap();
        }
        // the drive's control is held within a step by the caller, but not by a law
        let by_law = |reference: &mut Batch| {
            let (time, rail) = (get(reference, "time")[0], get(reference, "qpos")[6]);
            0.3 * (5.0 * time).sin() - 2.0 * rail
        };
        let drives = integrator == "Euler";
        for _ in 0..100 {
            let drive = by_law(&mut reference);
            reference.set("ctrl", .., &[0.6, drive, 0.0]).unwrap();
            reference.step(1).unwrap();
            others.iter_mut().for_each(|(_, batch)| batch.step(1).unwrap());
        }
        // the cart moves apart from the others, as the last coordinate
        let (nq, nv) = if drives { (7, 6) } else { (6, 5) };
        let (qpos, qvel, act) =
            (get(&mut reference, "qpos"), get(&mut reference, "qvel"), get(&mut reference, "act"));
        assert!(qvel.iter().all(|v| v.abs() > 1e-3), "everything moves: {qvel:?}");
        for (backend, batch) in &mut others {
            let bound = tolerance(*backend, 1e-12, 1e-4);
            let what = |field: &str| format!("{field} by {integrator} on {}", backend.name());
            near(&get(batch, "qpos")[..nq], &qpos[..nq], bound, &what("qpos"));
            near(&get(batch, "qvel")[..nv], &qvel[..nv], bound, &what("qvel"));
            near(&get(batch, "act"), &act, bound, &what("act"));
            assert!(batch.status().unwrap().iter().all(|bits| *bits == 0), "{}", what("status"));
        }
    }
}

/// A force or a torque at a site is what MuJoCo's `mj_applyFT` gives: the Jacobian of the point, transposed.
#[test]
fn forces_at_sites_are_those_of_their_jacobian() {
    let text = |custom: &str| {
        format!(
            r#"<mujoco><option gravity="0 0 0"/><custom>{custom}</custom><worldbody>
                 <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/>
                   <body pos="0.3 0 0"><joint axis="1 2 3"/><geom size=".1"/><site name="s" pos=".1 .2 .3"/></body></body>
               </worldbody></mujoco>"#
        )
    };
    let model =
        manyworlds::load_str(&text(r#"<text name="force:site:s" data="[1, -2, 3, 0.4, 0.5, -0.6]"/>"#))
            .unwrap();
    for backend in BACKENDS {
        let mut batch = open(&model, 1, *backend);
        batch.set("qpos", .., &[0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5, 0.7]).unwrap();
        batch.forward().unwrap();
        let (force, torque) = ([1.0, -2.0, 3.0], [0.4, 0.5, -0.6]);
        let (point, base) = (get(&mut batch, "site_xpos"), get(&mut batch, "xpos")[3..6].to_vec());
        let (anchor, axis) = (get(&mut batch, "xanchor"), get(&mut batch, "xaxis"));
        let turning = |about: &[f64]| {
            let r: Vec<f64> = (0..3).map(|k| point[k] - about[k]).collect();
            let moment = [
                r[1] * force[2] - r[2] * force[1],
                r[2] * force[0] - r[0] * force[2],
                r[0] * force[1] - r[1] * force[0],
            ];
            [moment[0] + torque[0], moment[1] + torque[1], moment[2] + torque[2]]
        };
        // angular velocities of a free joint are in the body's frame, whose axes are columns
        let frame = get(&mut batch, "xmat")[9..18].to_vec();
        let about = turning(&base);
        let local = (0..3).map(|k| (0..3).map(|j| frame[3 * j + k] * about[j]).sum());
        let hinge: f64 = turning(&anchor[3..6]).iter().zip(&axis[3..6]).map(|(a, b)| a * b).sum();
        let want: Vec<f64> = force.into_iter().chain(local).chain([hinge]).collect();
        near(&get(&mut batch, "qfrc_passive"), &want, tolerance(*backend, 1e-12, 1e-5), backend.name());
    }
}

/// With no formula, types of users are what they are without callbacks; one formula leaves the others so.
#[test]
fn user_types_without_formulas_have_gain_one_no_bias_and_rest() {
    let text = |custom: &str| {
        format!(
            r#"<mujoco><custom>{custom}</custom><worldbody><body><joint name="a" type="slide"/><geom size=".1"/></body>
               </worldbody><actuator>
                 <general name="gained" joint="a" gaintype="user" biastype="user"/>
                 <general name="kept" joint="a" gaintype="user" dyntype="user" actdim="1"/>
                 <general name="biased" joint="a" gaintype="user" biastype="user"/></actuator></mujoco>"#
        )
    };
    for (custom, want) in [
        ("", [2.0, 0.5, 3.0]),
        (r#"<text name="bias:biased" data="10"/>"#, [2.0, 0.5, 13.0]),
        (r#"<text name="gain:gained" data="0"/>"#, [0.0, 0.5, 3.0]),
        (r#"<text name="force:joint:a" data="1"/>"#, [2.0, 0.5, 3.0]),
    ] {
        let model = manyworlds::load_str(&text(custom)).unwrap();
        for backend in BACKENDS {
            let mut batch = open(&model, 1, *backend);
            batch.set("ctrl", .., &[2.0, 7.0, 3.0]).unwrap();
            batch.set("act", .., &[0.5]).unwrap();
            batch.step(1).unwrap();
            assert_eq!(get(&mut batch, "actuator_force"), want, "{custom} on {}", backend.name());
            assert_eq!(get(&mut batch, "act"), [0.5], "{custom} on {}", backend.name());
        }
    }
}

/// What a law makes of a control is what every other formula of that step sees.
#[test]
fn controls_of_laws_are_those_of_the_same_step() {
    let model = manyworlds::load_str(
        r#"<mujoco><option timestep="0.01"/><custom>
             <text name="force:joint:b" data="100*ctrl(first)"/>
             <text name="dynamics:first" data="control"/>
             <text name="control:first" data="1 + time"/>
             <text name="control:second" data="2*ctrl(first)"/>
             <text name="formula:seen" data="ctrl"/>
           </custom><worldbody>
             <body><joint name="a" type="slide"/><geom size=".1"/></body>
             <body pos="1 0 0"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body></worldbody>
           <actuator><general name="first" joint="a" dyntype="user" actdim="1"/><motor name="second" joint="a"/></actuator>
           <sensor><user name="seen" dim="2"/></sensor></mujoco>"#,
    )
    .unwrap();
    for backend in BACKENDS {
        let mut batch = open(&model, 1, *backend);
        // of no effect: the laws set them
        batch.set("ctrl", .., &[-5.0, -5.0]).unwrap();
        let bound = tolerance(*backend, 1e-12, 1e-5);
        let mut act = 0.0;
        for k in 0..5 {
            batch.step(1).unwrap();
            let control = 1.0 + 0.01 * f64::from(k);
            act += 0.01 * control;
            near(&get(&mut batch, "sensordata"), &[control, 2.0 * control], bound, backend.name());
            near(&get(&mut batch, "qfrc_passive"), &[0.0, 100.0 * control], bound, backend.name());
            near(&get(&mut batch, "act"), &[act], bound, backend.name());
        }
    }
}

/// As other passive forces, those of laws go where springs and dampers do; controls and rates do not.
#[test]
fn laws_are_disabled_with_springs_and_dampers() {
    for (flags, want) in [
        (r#"spring="disable""#, [3.0, 1.0]),
        (r#"spring="disable" damper="disable""#, [0.0, 1.0]),
        (r#"actuation="disable""#, [3.0, 1.0]),
    ] {
        let model = manyworlds::load_str(&format!(
            r#"<mujoco><option timestep="0.5"><flag {flags}/></option><custom><numeric name="x" data="0.5"/>
                 <text name="force:joint:a" data="3"/><text name="rate:x" data="1"/></custom>
               <worldbody><body><joint name="a" type="slide"/><geom size=".1"/></body></worldbody></mujoco>"#
        ))
        .unwrap();
        for backend in BACKENDS {
            let mut batch = open(&model, 1, *backend);
            batch.step(1).unwrap();
            let got = [get(&mut batch, "qfrc_passive")[0], get(&mut batch, "act")[0]];
            assert_eq!(got, want, "{flags} on {}", backend.name());
        }
    }
}
