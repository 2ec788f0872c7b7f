//! Elastic bodies against the strength of materials: a cube that is compressed, beams that bend, a sheet that is stretched.

use manyworlds_cpu::{forward, step};
use manyworlds_model::model::Model;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::{Capacity, Data};

/// A model without gravity and contacts, and a world of it.
fn world(option: &str, flex: &str) -> (Model, Data) {
    let text = format!(
        "<mujoco><option gravity='0 0 0' {option}><flag contact='disable'/></option>
         <worldbody>{flex}</worldbody></mujoco>"
    );
    let m: Model = manyworlds_mjcf::load_str(&text).unwrap();
    let mut d = Data::new(&m, Capacity::NONE);
    d.capacity_limit = max_capacity(&m);
    (m, d)
}

/// Steps until nothing moves faster than `slow`.
fn settle(m: &Model, d: &mut Data, most: usize, slow: f64) {
    for _ in 0..most {
        step(m, d);
        if d.qvel.iter().all(|v| v.abs() < slow) {
            return;
        }
    }
    panic!("it still moves: {:?}", d.qvel.iter().fold(0.0_f64, |most, v| most.max(v.abs())));
}

/// Position of a body.
fn place(d: &Data, body: i32) -> [f64; 3] {
    [0, 1, 2].map(|k| d.xpos[3 * body as usize + k])
}

#[test]
fn a_compressed_cube_widens_by_poissons_ratio() {
    let (young, poisson, side, squeeze) = (2e5, 0.3, 0.2, 1e-6);
    for (dof, cells) in [("trilinear", "1 1 1"), ("trilinear", "2 1 2"), ("quadratic", "1 1 1")] {
        let (m, mut d) = world(
            "",
            &format!(
                "<flexcomp name='s' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' mass='1' radius='.001'
                   dof='{dof}' cellcount='{cells}'><elasticity young='{young}' poisson='{poisson}'/></flexcomp>"
            ),
        );
        // uniaxial stress along z: every point moves in proportion to its place
        let strain = [poisson * squeeze, poisson * squeeze, -squeeze];
        forward(&m, &mut d);
        for node in 0..m.sizes.nflexnode {
            let body = m.flex_nodebodyid[node];
            let at = place(&d, body);
            let dof = m.body_dofadr[body as usize] as usize;
            for k in 0..3 {
                d.qpos[dof + k] = strain[k] * at[k];
            }
        }
        forward(&m, &mut d);
        // forces only on both ends, and there those of the stress
        let stress = young * squeeze * side * side;
        let (mut upper, mut across) = (0.0, 0.0_f64);
        for node in 0..m.sizes.nflexnode {
            let body = m.flex_nodebodyid[node];
            let dof = m.body_dofadr[body as usize] as usize;
            let force = &d.qfrc_spring[dof..dof + 3];
            across = across.max(force[0].abs()).max(force[1].abs());
            upper += if place(&d, body)[2] > 0.4 * side { force[2] } else { 0.0 };
        }
        assert!((upper - stress).abs() < 1e-5 * stress, "{dof} {cells}: {upper} {stress}");
        assert!(across < 1e-5 * stress, "{dof} {cells}: {across} across");
    }
}

#[test]
fn a_beam_of_quadratic_cells_bends_as_euler_and_bernoulli_say() {
    let (length, height, young, poisson, load) = (1.0_f64, 0.1_f64, 1e7, 0.25, 1.0);
    let (m, mut d) = world(
        "timestep='.02' integrator='discrete' solver='CG' tolerance='1e-12' iterations='500'",
        &format!(
            "<flexcomp name='s' type='grid' dim='3' count='9 2 2' spacing='.125 .1 .1' mass='1' radius='.001'
               dof='quadratic' cellcount='4 1 1'><elasticity young='{young}' poisson='{poisson}' damping='.05'/>
               <pin id='0 1 2 3 4 5 6 7 8'/></flexcomp>"
        ),
    );
    forward(&m, &mut d);
    let ends: Vec<i32> =
        m.flex_nodebodyid.iter().copied().filter(|b| place(&d, *b)[0] > 0.49 * length).collect();
    assert_eq!(ends.len(), 9);
    for body in &ends {
        d.qfrc_applied[m.body_dofadr[*body as usize] as usize + 2] = -load / ends.len() as f64;
    }
    settle(&m, &mut d, 3000, 1e-9);
    let sunk = ends.iter().map(|b| -place(&d, *b)[2]).sum::<f64>() / ends.len() as f64;
    let inertia = height * height.powi(3) / 12.0;
    let expected = load * length.powi(3) / (3.0 * young * inertia);
    assert!((sunk / expected - 1.0).abs() < 0.02, "{sunk} {expected}");
}

#[test]
fn a_rod_bends_as_euler_and_bernoulli_say() {
    let (length, radius, young, load, count) = (1.0, 0.02, 1e8, 0.05, 21);
    let (m, mut d) = world(
        "timestep='.01' integrator='discrete' solver='CG' tolerance='1e-12' iterations='500'",
        &format!(
            "<flexcomp name='s' type='grid' dim='1' count='{count} 1 1' spacing='{0} .1 .1' mass='.2' radius='{radius}'>
               <edge equality='true' solref='.02 1'/><elasticity young='{young}' damping='.1'/><pin id='0 1'/></flexcomp>",
            length / f64::from(count - 1)
        ),
    );
    forward(&m, &mut d);
    let tip = m.flex_vertbodyid[m.sizes.nflexvert - 1];
    d.qfrc_applied[m.body_dofadr[tip as usize] as usize + 2] = -load;
    let before = place(&d, tip)[2];
    // on the way to 1.3 mm, at a period of a quarter of a second
    settle(&m, &mut d, 6000, 5e-5);
    let sunk = before - place(&d, tip)[2];
    // clamped in the middle of the pinned edge
    let free = length - 0.5 * length / f64::from(count - 1);
    let expected = load * free.powi(3) / (3.0 * young * std::f64::consts::PI * f64::powi(radius, 4) / 4.0);
    assert!((sunk / expected - 1.0).abs() < 0.02, "{sunk} {expected}");
}

#[test]
fn a_stretched_sheet_pulls_as_its_law_says() {
    // all vertices in proportion to their places: uniform strain, so that inner vertices feel nothing
    let (young, poisson, thickness, strain) = (1e5, 0.3, 0.01, 1e-6);
    let (m, mut d) = world(
        "",
        &format!(
            "<flexcomp name='s' type='grid' dim='2' count='5 5 1' spacing='.05 .05 .1' mass='1' radius='.001'>
               <elasticity young='{young}' poisson='{poisson}' thickness='{thickness}' elastic2d='stretch'/></flexcomp>"
        ),
    );
    forward(&m, &mut d);
    let places: Vec<[f64; 3]> = m.flex_vertbodyid.iter().map(|b| place(&d, *b)).collect();
    for (at, body) in places.iter().zip(&m.flex_vertbodyid) {
        d.qpos[m.body_dofadr[*body as usize] as usize] = strain * at[0];
    }
    forward(&m, &mut d);
    // law of MuJoCo 3.17: a quarter of the shear modulus and half of Lamé's first constant
    let shear = young / (2.0 * (1.0 + poisson)) / 4.0;
    let first = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) / 2.0;
    let expected = (2.0 * shear + first) * strain * thickness * 0.2;
    let (mut edge, mut inner) = (0.0, 0.0_f64);
    for (at, body) in places.iter().zip(&m.flex_vertbodyid) {
        let force = d.qfrc_spring[m.body_dofadr[*body as usize] as usize];
        if at[0] > 0.09 {
            edge += force;
        } else if at[0] > -0.09 {
            inner = inner.max(force.abs());
        }
    }
    assert!((-edge / expected - 1.0).abs() < 1e-3, "{edge} {expected}");
    assert!(inner < 1e-6 * expected, "{inner}");
}
