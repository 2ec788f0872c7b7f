//! Deformable bodies against closed forms: the shape of a hanging rope, forces as derivatives of an energy, momentum and energy
//! of a body in free flight, pairs of a body that touches itself; and what a world with a torn body does to others.

use std::collections::BTreeSet;

use manyworlds_cpu::{forward, step};
use manyworlds_model::model::Model;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::schema::enums::selfcollide;

/// A model without gravity, unless the options say otherwise, and a world of it.
fn world(text: &str) -> (Model, Data) {
    let m: Model = manyworlds_mjcf::load_str(text).unwrap();
    let mut d = Data::new(&m, Capacity::NONE);
    d.capacity_limit = max_capacity(&m);
    (m, d)
}

/// A body of tetrahedra in free flight, one of triangles, and a rod.
const ELASTIC: [&str; 3] = [
    "<flexcomp name='s' type='grid' dim='3' count='3 3 2' spacing='.1 .1 .1' mass='1' radius='.001'>
       <contact contype='0' conaffinity='0'/><elasticity young='2e3' poisson='.3'/></flexcomp>",
    "<flexcomp name='s' type='grid' dim='2' count='4 4 1' spacing='.1 .1 .1' mass='1' radius='.001'>
       <contact contype='0' conaffinity='0'/>
       <elasticity young='2e4' poisson='.2' thickness='.01' elastic2d='both'/></flexcomp>",
    "<flexcomp name='s' type='grid' dim='1' count='7 1 1' spacing='.1 .1 .1' mass='1' radius='.02'>
       <contact contype='0' conaffinity='0'/><edge stiffness='300'/><elasticity young='2e6'/></flexcomp>",
];

/// One of these bodies, bent and stretched, without gravity.
fn deformed(k: usize, option: &str) -> (Model, Data) {
    let (m, mut d) = world(&format!(
        "<mujoco><option gravity='0 0 0' {option}/><worldbody>{}</worldbody></mujoco>",
        ELASTIC[k]
    ));
    for (i, x) in d.qpos.iter_mut().enumerate() {
        *x += 0.02 * (1.7 * i as f64).sin();
    }
    (m, d)
}

/// Elastic energy of the flex, from its constants.
fn elastic_energy(m: &Model, d: &Data) -> f64 {
    let x = |v: usize| [0, 1, 2].map(|k| d.flexvert_xpos[3 * v + k]);
    let sub = |a: [f64; 3], b: [f64; 3]| [0, 1, 2].map(|k| a[k] - b[k]);
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
    };
    let mut sum = 0.0;
    for e in 0..m.sizes.nflexedge {
        sum += 0.5 * m.flex_edgestiffness[0] * (d.flexedge_length[e] - m.flexedge_length0[e]).powi(2);
    }
    // a quarter of s' G s
    let (count, stride) = if m.flex_dim[0] == 2 { (3, 21) } else { (6, 24) };
    for elem in 0..if m.flex_stiffnessadr[0] >= 0 { m.sizes.nflexelem } else { 0 } {
        let edges = &m.flex_elemedge[count * elem..count * (elem + 1)];
        let s: Vec<f64> = edges
            .iter()
            .map(|e| d.flexedge_length[*e as usize].powi(2) - m.flexedge_length0[*e as usize].powi(2))
            .collect();
        let mut g = m.flex_stiffness[stride * elem..].iter();
        for i in 0..count {
            for j in i..count {
                sum += 0.25 * g.next().unwrap() * s[i] * s[j] * if i == j { 1.0 } else { 2.0 };
            }
        }
    }
    if m.flex_bendingadr[0] >= 0 && m.flex_dim[0] == 2 {
        // half of x' B x: flat at rest
        for e in (0..m.sizes.nflexedge).filter(|e| m.flex_edgeflap[2 * e + 1] >= 0) {
            let ends = [
                m.flex_edge[2 * e],
                m.flex_edge[2 * e + 1],
                m.flex_edgeflap[2 * e],
                m.flex_edgeflap[2 * e + 1],
            ];
            let b = &m.flex_bending[17 * e..17 * e + 16];
            for i in 0..4 {
                for j in 0..4 {
                    sum += 0.5 * b[4 * i + j] * dot(x(ends[i] as usize), x(ends[j] as usize));
                }
            }
        }
    } else if m.flex_bendingadr[0] >= 0 {
        for bend in m.flex_bending[1..].chunks(4) {
            let [a, b, c] = [0, 1, 2].map(|k| x(bend[k] as usize));
            let (e0, e1) = (sub(b, a), sub(c, b));
            let below = (dot(e0, e0) * dot(e1, e1)).sqrt() + dot(e0, e1);
            let kappa = cross(e0, e1).map(|y| 2.0 * y / below);
            sum += bend[3] * dot(kappa, kappa);
        }
    }
    sum
}

#[test]
fn elastic_forces_are_the_slope_of_their_energy() {
    for k in 0..ELASTIC.len() {
        let (m, mut d) = deformed(k, "");
        forward(&m, &mut d);
        assert!(m.flex_stiffnessadr[0] >= 0 || m.flex_bendingadr[0] >= 0, "{k}: not elastic");
        let force = d.qfrc_spring.clone();
        let size = force.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
        let h = 1e-6;
        for i in 0..m.sizes.nv {
            let mut energy = [0.0; 2];
            for (side, energy) in [-h, h].into_iter().zip(&mut energy) {
                let mut moved = d.clone();
                moved.qpos[i] += side;
                forward(&m, &mut moved);
                *energy = elastic_energy(&m, &moved);
            }
            let slope = -(energy[1] - energy[0]) / (2.0 * h);
            assert!((force[i] - slope).abs() < 1e-5 * size, "{k}, {i}: {} {slope}", force[i]);
        }
    }
}

#[test]
fn a_free_body_keeps_its_momenta_and_energy() {
    for k in 0..ELASTIC.len() {
        let (m, mut d) = deformed(k, "integrator='RK4' timestep='.0005'");
        d.qvel.iter_mut().enumerate().for_each(|(i, v)| *v = 0.3 * (2.3 * i as f64).cos());
        let mass = m.body_mass[m.flex_vertbodyid[0] as usize];
        // mass times velocity, and its moment about the origin
        let momenta = |d: &Data| {
            let mut sum = [0.0; 6];
            for v in 0..m.sizes.nflexvert {
                let x = &d.flexvert_xpos[3 * v..3 * v + 3];
                let dof = m.body_dofadr[m.flex_vertbodyid[v] as usize] as usize;
                let p = [0, 1, 2].map(|i| mass * d.qvel[dof + i]);
                for i in 0..3 {
                    sum[i] += p[i];
                    sum[3 + i] += x[(i + 1) % 3] * p[(i + 2) % 3] - x[(i + 2) % 3] * p[(i + 1) % 3];
                }
            }
            sum
        };
        let energy =
            |d: &Data| elastic_energy(&m, d) + d.qvel.iter().map(|v| 0.5 * mass * v * v).sum::<f64>();
        forward(&m, &mut d);
        let (first, begin) = (momenta(&d), energy(&d));
        for _ in 0..1000 {
            step(&m, &mut d);
        }
        forward(&m, &mut d);
        let (last, end) = (momenta(&d), energy(&d));
        assert!(d.status[0] == 0 && begin > 1e-3, "{k}: {begin}");
        // the integrator keeps linear momentum to rounding
        for i in 0..6 {
            let within = if i < 3 { 1e-11 } else { 1e-6 };
            assert!((first[i] - last[i]).abs() < within, "{k}: momentum {first:?} {last:?}");
        }
        assert!((begin - end).abs() < 1e-4 * begin, "{k}: energy {begin} {end}");
    }
}

/// In equilibrium the horizontal force is the same everywhere, and the vertical one grows by the weight of each vertex: slopes
/// of the links of a hanging rope differ by the same amount.
#[test]
fn a_hanging_rope_is_a_catenary() {
    // a zigzag of eleven points, whose ends are nearer to each other than the rope is long
    let body = |k: i32| {
        let (x, z) = (0.06 * f64::from(k), 0.08 * f64::from(k % 2));
        let joints = ["1 0 0", "0 1 0", "0 0 1"]
            .map(|axis| format!("<joint type='slide' axis='{axis}' damping='.3'/>"))
            .concat();
        let geom = "<geom size='.02' mass='.1' contype='0' conaffinity='0'/>";
        let inside = if k % 10 == 0 { String::new() } else { joints + geom };
        format!("<body name='v{k}' pos='{x} 0 {z}'>{inside}</body>")
    };
    let bodies: String = (0..11).map(body).collect();
    let names: String = (0..11).map(|k| format!("v{k} ")).collect();
    let elements: String = (0..10).map(|k| format!("{k} {} ", k + 1)).collect();
    let (m, mut d) = world(&format!(
        "<mujoco><option timestep='.002' tolerance='1e-12'/><worldbody>{bodies}</worldbody><deformable>
         <flex name='r' dim='1' body='{names}' element='{elements}' radius='.005'><contact contype='0' conaffinity='0'/>
         </flex></deformable><equality><flex flex='r' solref='.004 1'/></equality></mujoco>"
    ));
    for _ in 0..6000 {
        step(&m, &mut d);
    }
    assert_eq!(d.status[0], 0);
    assert!(d.qvel.iter().all(|v| v.abs() < 1e-4), "still moving");
    let slope: Vec<f64> = (0..10)
        .map(|k| {
            let at = |v: usize, axis: usize| d.flexvert_xpos[3 * v + axis];
            (at(k + 1, 2) - at(k, 2)) / (at(k + 1, 0) - at(k, 0))
        })
        .collect();
    let steps: Vec<f64> = slope.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = steps.iter().sum::<f64>() / steps.len() as f64;
    assert!(mean > 0.0 && steps.iter().all(|s| (s - mean).abs() < 0.02 * mean), "{slope:?}");
}

/// Elements of flex 0 that touch each other: all pairs, each tested.
fn touching(d: &Data) -> BTreeSet<[i32; 2]> {
    let n = d.ncon[0] as usize;
    (0..n)
        .filter(|con| d.contact_flex[2 * con] == 0 && d.contact_flex[2 * con + 1] == 0)
        .map(|con| [d.contact_elem[2 * con], d.contact_elem[2 * con + 1]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect()
}

#[test]
fn the_sweep_finds_the_pairs_of_all_pairs() {
    for dim in 1..4 {
        let count = ["24 1 1", "6 6 1", "4 4 3"][dim - 1];
        let (mut m, mut d) = world(&format!(
            "<mujoco><worldbody><flexcomp name='s' type='grid' dim='{dim}' count='{count}' spacing='.05 .05 .05' mass='1'
             radius='.012'><contact selfcollide='sap'/></flexcomp></worldbody></mujoco>"
        ));
        let mut found = 0;
        for k in 0..20 {
            for (i, x) in d.qpos.iter_mut().enumerate() {
                *x = 0.15 * (1.7 * (i * i) as f64 + f64::from(k)).sin();
            }
            let pairs = [selfcollide::SAP, selfcollide::NARROW].map(|kind| {
                m.flex_selfcollide[0] = kind;
                forward(&m, &mut d);
                touching(&d)
            });
            assert_eq!(pairs[0], pairs[1], "{dim}, {k}");
            // none of neighbours
            for pair in &pairs[0] {
                let corners = |e: i32| &m.flex_elem[(dim + 1) * e as usize..(dim + 1) * (e as usize + 1)];
                assert!(corners(pair[0]).iter().all(|v| !corners(pair[1]).contains(v)), "{pair:?}");
            }
            found += pairs[0].len();
        }
        assert!(found > 30, "{dim}: {found}");
    }
}

#[test]
fn a_stack_of_vertices_rests_on_the_floor_with_its_weight() {
    let (m, mut d) = world(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/>
         <flexcomp name='s' type='grid' dim='2' count='3 3 1' spacing='.1 .1 .1' pos='0 0 .02' mass='.9' radius='.02'>
         <contact selfcollide='none'/><edge equality='true' damping='1'/></flexcomp></worldbody></mujoco>",
    );
    for _ in 0..2000 {
        step(&m, &mut d);
    }
    forward(&m, &mut d);
    // contacts carry the weight
    let up: f64 = (2..m.sizes.nv).step_by(3).map(|dof| d.qfrc_constraint[dof]).sum();
    assert!((up - 0.9 * 9.81).abs() < 1e-3, "{up}");
    assert_eq!(d.ncon[0], 9);
    assert!(
        d.contact_flex[..18].chunks(2).all(|f| f == [-1, 0])
            && d.contact_geom[..18].chunks(2).all(|g| g == [0, -1])
    );
}

#[test]
fn a_torn_body_is_reset_by_itself() {
    let (m, mut d) = world(&format!("<mujoco><worldbody>{}</worldbody></mujoco>", ELASTIC[0]));
    d.qvel[4] = f64::NAN;
    step(&m, &mut d);
    assert!(d.status[0] != 0 && d.qpos.iter().all(|x| x.is_finite()));
}

#[test]
fn newton_solves_a_quadratic_at_once() {
    // rows of equality constraints alone: the cost is a quadratic, so that the first direction ends at its minimum
    let (m, mut d) = world(
        "<mujoco><option integrator='discrete' solver='Newton' timestep='.005'/><worldbody>
           <flexcomp name='s' type='grid' dim='3' count='3 3 2' spacing='.1 .1 .1' mass='1' radius='.001'>
             <contact contype='0' conaffinity='0'/><elasticity young='1e5' poisson='.3'/></flexcomp>
         </worldbody><equality><connect body1='s_0' anchor='0 0 0'/></equality></mujoco>",
    );
    for k in 0..20 {
        step(&m, &mut d);
        assert_eq!((d.nefc[0], d.solver_niter[0]), (3, 1), "step {k}");
    }
}

#[test]
fn a_sheet_rests_on_springs_in_the_place_of_constraints() {
    let sheet = "<geom type='plane' size='1 1 .1'/>
        <flexcomp name='s' type='grid' dim='2' count='4 4 1' spacing='.1 .1 .1' mass='1.6' radius='.01' pos='0 0 .01'>
        <contact passive='true' selfcollide='none'/><edge equality='true' damping='2'/></flexcomp>";
    let (m, mut d) = world(&format!(
        "<mujoco><option integrator='discrete' solver='CG' timestep='.002'/><worldbody>{sheet}</worldbody></mujoco>"
    ));
    for _ in 0..1500 {
        step(&m, &mut d);
    }
    forward(&m, &mut d);
    // no rows of contacts; each vertex sinks until its spring of 5e7 N/m for a kilogram holds its weight
    assert_eq!((d.ncon[0], d.nefc[0] as usize), (16, m.sizes.nflexedge));
    let depth = 9.81 / 5e7;
    for con in 0..16 {
        assert!(d.contact_efc_address[con] < 0);
        assert!((d.contact_dist[con] + depth).abs() < 1e-3 * depth, "{}", d.contact_dist[con]);
    }
}

#[test]
fn shells_and_solids_between_nodes_keep_their_momentum() {
    for (order, cells, elastic) in [
        ("trilinear", "2 1 2", ""),
        ("quadratic", "1 1 2", ""),
        ("trilinear", "2 2 2", "elastic2d='both' thickness='.01'"),
        ("quadratic", "1 1 1", "elastic2d='stretch' thickness='.01'"),
    ] {
        let (m, mut d) = world(&format!(
            "<mujoco><option gravity='0 0 0' timestep='.0005'/><worldbody>
               <flexcomp name='s' type='grid' dim='3' count='4 3 4' spacing='.1 .1 .1' mass='1' radius='.001'
                 dof='{order}' cellcount='{cells}'><contact contype='0' conaffinity='0'/>
                 <elasticity young='2e3' poisson='.3' damping='.01' {elastic}/></flexcomp></worldbody></mujoco>"
        ));
        for (i, x) in d.qpos.iter_mut().enumerate() {
            *x += 0.02 * (1.7 * i as f64).sin();
        }
        forward(&m, &mut d);
        assert!(d.qfrc_spring.iter().any(|f| f.abs() > 1e-3), "{order}: not elastic");
        // the nodes slide along the axes of the world, so that their momenta are those of their coordinates; moments vanish only to
        // first order of the strain, as rotations of cells count as fixed
        let momentum = |d: &Data| {
            let mut sum = [0.0; 3];
            for body in (1..m.sizes.nbody).filter(|b| m.body_dofnum[*b] == 3) {
                let dof = m.body_dofadr[body] as usize;
                (0..3).for_each(|k| sum[k] += m.body_mass[body] * d.qvel[dof + k]);
            }
            sum
        };
        for _ in 0..200 {
            step(&m, &mut d);
        }
        forward(&m, &mut d);
        assert!(d.qvel.iter().any(|v| v.abs() > 1e-3), "{order}: at rest");
        assert!(momentum(&d).iter().all(|sum| sum.abs() < 1e-12), "{order} {cells}: {:?}", momentum(&d));
    }
}

#[test]
fn a_triangle_on_the_rim_of_a_cylinder_is_pushed_across_its_axis() {
    // normals of MuJoCo 3.17: two on a rim, which are across the axis, and one near a cap, which is not; degrees
    let poses = [
        ([0.02, 0.07, 0.08], [-40, -10, 150], [-0.199100, 0.727659, -0.656407]),
        ([0.06, -0.07, 0.01], [-80, -130, 120], [-0.587286, 0.759854, -0.278777]),
        ([-0.05, -0.02, -0.06], [-160, 180, 30], [0.786888, 0.579881, 0.211059]),
    ];
    for ([x, y, z], [a, b, c], normal) in poses {
        let (m, mut d) = world(&format!(
            "<mujoco><worldbody><geom type='cylinder' size='.06 .05' pos='{x} {y} {z}' euler='{a} {b} {c}'/>
            <flexcomp name='t' type='direct' dim='2' point='0 0 0 .2 0 0 0 .2 0' element='0 1 2' radius='.01' mass='1'>
            <contact selfcollide='none'/></flexcomp></worldbody></mujoco>"
        ));
        forward(&m, &mut d);
        assert_eq!(d.ncon[0], 1);
        for (got, want) in d.contact_frame[..3].iter().zip(normal) {
            assert!((got - want).abs() < 2e-3, "{:?} {normal:?}", &d.contact_frame[..3]);
        }
    }
}
