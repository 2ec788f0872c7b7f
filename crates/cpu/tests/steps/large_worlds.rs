//! Worlds of many bodies: what the solver finds in packed rows and in a Hessian of many nodes is the minimum of the cost,
//! which whole rows and the inertia alone prove, and memory follows contacts.

use std::time::Duration;

use manyworlds_cpu::constraint::constraint_cost::{cost_parameters, force};
use manyworlds_cpu::smooth::factor_m::mul_m;
use manyworlds_cpu::{forward, run_stage, step};
use manyworlds_model::model::Model;
use manyworlds_model::model::capacity::max_capacity;
use manyworlds_model::model::data::{Capacity, Data};
use manyworlds_model::schema::stages::Stage;

/// Columns of boxes on a plane, `k` in each direction.
fn columns(k: usize, option: &str) -> Model {
    let mut bodies = String::new();
    for i in 0..k * k * k {
        let (x, y, z) = (i % k, i / k % k, i / k / k);
        let place = format!("{} {} {}", 0.12 * x as f64, 0.12 * y as f64, 0.05 + 0.1 * z as f64);
        bodies += &format!("<body pos='{place}'><freejoint/><geom type='box' size='.05 .05 .05'/></body>");
    }
    load(&format!("<option tolerance='1e-15' {option}/>"), &bodies, "")
}

/// A heap in a corner: boxes, spheres and capsules that touch in one island, two of them held together, arms that reach
/// into it, and a tendon between the arms.
fn heap(option: &str) -> Model {
    let mut bodies = String::new();
    for i in 0..30 {
        let size =
            ["type='sphere' size='.05'", "type='box' size='.05 .04 .06'", "type='capsule' size='.03 .05'"];
        let (x, y, z) = (i % 3, i / 3 % 2, i / 6);
        let place = format!("{} {} {}", 0.09 * x as f64, 0.09 * y as f64, 0.06 + 0.1 * z as f64);
        let turn = format!("{} {} 0", 17 * i % 90, 31 * i % 90);
        let geom = size[i % 3];
        bodies +=
            &format!("<body name='b{i}' pos='{place}' euler='{turn}'><freejoint/><geom {geom}/></body>");
    }
    for i in 0..2 {
        bodies += &format!(
            "<body pos='{} -0.2 0.5'><joint name='a{i}' axis='1 0 0' range='-30 30' frictionloss='.1'/>\
             <geom type='capsule' fromto='0 0 0 0 .2 0' size='.03'/>\
             <body pos='0 .2 0'><joint axis='1 0 0'/><geom type='capsule' fromto='0 0 0 0 .2 0' size='.03'/></body></body>",
            0.09 * i as f64
        );
    }
    let more = "<equality><connect body1='b3' body2='b27' anchor='0 0 0'/></equality>\
                <tendon><fixed range='-.01 .01' limited='true'><joint joint='a0' coef='1'/><joint joint='a1' coef='-1'/>\
                </fixed></tendon>";
    load(&format!("<option tolerance='1e-15' {option}/>"), &bodies, more)
}

fn load(option: &str, bodies: &str, more: &str) -> Model {
    let walls = "<geom type='plane' size='0 0 1'/>\
                 <geom type='plane' size='0 0 1' pos='-.1 0 0' zaxis='1 0 0'/>\
                 <geom type='plane' size='0 0 1' pos='.3 0 0' zaxis='-1 0 0'/>";
    let text = format!("<mujoco>{option}<worldbody>{walls}{bodies}</worldbody>{more}</mujoco>");
    manyworlds_mjcf::load_str(&text).unwrap()
}

/// `M a - qfrc_smooth - J' f` is zero up to `error`, and the force of each row that is no cone is that of its cost at `J a - aref`.
fn assert_minimum(m: &Model, d: &Data, error: f64, what: &str) {
    let (nv, nefc) = (m.sizes.nv, d.nefc[0] as usize);
    let jacobian = d.whole_rows();
    let row = |r: usize| &jacobian[r * nv..(r + 1) * nv];
    let mut gradient = vec![0.0; nv];
    mul_m(m, &d.M, &d.qacc, &mut gradient);
    let mut scale = vec![1.0; nv];
    for i in 0..nv {
        scale[i] += gradient[i].abs() + d.qfrc_smooth[i].abs();
        gradient[i] -= d.qfrc_smooth[i];
    }
    for r in 0..nefc {
        let f = d.efc_force[r];
        for (i, x) in row(r).iter().enumerate() {
            gradient[i] -= f * x;
            scale[i] += (f * x).abs();
        }
        if !m.has_elliptic_cones() {
            let x: f64 = row(r).iter().zip(&d.qacc).map(|(x, a)| x * a).sum::<f64>() - d.efc_aref[r];
            let expected = force(&cost_parameters(d, r), x);
            assert!((f - expected).abs() <= error * (1.0 + f.abs()), "{what}, row {r}: {f} and {expected}");
        }
    }
    for i in 0..nv {
        assert!(gradient[i].abs() < error * scale[i], "{what}, {i}: {} of {}", gradient[i], scale[i]);
    }
}

#[test]
fn forces_of_many_bodies_minimise_the_cost() {
    // conjugate gradients come near, and stop where nothing is gained
    for (option, error) in [("", 1e-7), ("cone='elliptic'", 1e-7), ("solver='CG' iterations='1000'", 1e-5)] {
        for (name, m) in [("columns", columns(4, option)), ("heap", heap(option))] {
            let mut d = Data::new(&m, Capacity::NONE);
            d.capacity_limit = max_capacity(&m);
            let mut nodes = 0;
            for k in 0..150 {
                step(&m, &mut d);
                if k % 30 == 29 {
                    forward(&m, &mut d);
                    assert_minimum(&m, &d, error, &format!("{name} {option}, step {k}"));
                    nodes = nodes.max(d.hessian.as_ref().map_or(0, |h| h.nodes.len()));
                }
            }
            assert!(d.jacobian.is_packed && d.nefc[0] > 100, "{name}: {} rows", d.nefc[0]);
            assert!(nodes > 10 || option.contains("CG"), "{name}: {nodes} nodes");
            assert!(d.status[0] == 0, "{name}: status {}", d.status[0]);
        }
    }
}

/// Dual solvers find the same forces where rows are packed and where they are whole.
#[test]
fn packed_rows_of_the_dual_problem_are_the_whole_ones() {
    let options = ["solver='PGS'", "noslip_iterations='5'"];
    for option in
        options.into_iter().flat_map(|option| [option.to_owned(), format!("{option} cone='elliptic'")])
    {
        for (name, m) in [("columns", columns(3, &option)), ("heap", heap(&option))] {
            let mut d = Data::new(&m, Capacity::NONE);
            d.capacity_limit = max_capacity(&m);
            for k in 0..60 {
                step(&m, &mut d);
                forward(&m, &mut d);
                let mut whole = d.clone();
                whole.forget_spans();
                assert!(d.jacobian.is_packed && !whole.jacobian.is_packed && d.nefc[0] > 50);
                run_stage(Stage::solve, &m, &mut whole);
                run_stage(Stage::solve, &m, &mut d);
                let what = format!("{name} {option}, step {k}");
                for (a, b) in d.efc_force.iter().zip(&whole.efc_force) {
                    assert!((a - b).abs() < 1e-7 * (1.0 + b.abs()), "{what}: {a} {b}");
                }
                let rows = d.nefc[0] as usize * m.sizes.nv;
                let packed = d.get("dual_MinvJT").unwrap().to_f64();
                for (a, b) in packed[..rows].iter().zip(&whole.dual_MinvJT[..rows]) {
                    assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{what}: {a} {b}");
                }
                // they stay what they are where rows become whole
                let mut opened = d.clone();
                opened.get_mut("efc_J").unwrap();
                assert_eq!(opened.get("dual_MinvJT").unwrap().to_f64(), packed, "{what}");
                assert_eq!(opened.efc_J[..rows], d.whole_rows()[..rows], "{what}");
            }
        }
    }
}

/// Bodies of all kinds of shapes on a height field and a field of distances, in several heaps.
fn yard(option: &str) -> Model {
    let shapes = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh' mesh='cube"];
    let mut bodies = String::new();
    for i in 0..120 {
        let (x, y, z) = (i % 8, i / 8 % 5, i / 40);
        let place = format!("{} {} {}", 0.22 * x as f64, 0.3 * y as f64, 0.2 + 0.13 * z as f64);
        let (kind, turn) = (shapes[i % 6], format!("{} {} 0", 17 * i % 90, 31 * i % 90));
        let size = if kind.starts_with("mesh") { "" } else { "size='.05 .05 .05'" };
        bodies +=
            &format!("<body pos='{place}' euler='{turn}'><freejoint/><geom type='{kind}' {size}/></body>");
    }
    let text = format!(
        "<mujoco><option {option}/><extension><plugin plugin='mujoco.sdf.torus'><instance name='t'>\
         <config key='radius1' value='.3'/><config key='radius2' value='.08'/></instance></plugin></extension>\
         <asset><mesh name='cube' vertex='-.05 -.05 -.05 .05 -.05 -.05 0 .06 0 0 0 .07'/>\
         <mesh name='t'><plugin instance='t'/></mesh>\
         <hfield name='h' nrow='4' ncol='4' size='2 2 .1 .1' elevation='0 1 0 1 1 0 1 0 0 1 0 1 1 0 1 0'/></asset>\
         <worldbody><geom type='hfield' hfield='h' pos='.8 .6 0'/>\
         <geom type='sdf' mesh='t' pos='.4 .4 .2'><plugin instance='t'/></geom>{bodies}</worldbody></mujoco>"
    );
    manyworlds_mjcf::load_str(&text).unwrap()
}

/// Threads that share a world, its candidates and its islands, change no bit of it.
#[test]
fn threads_of_a_world_change_no_bit() {
    let models = [
        ("columns", columns(5, "")),
        ("columns of cones", columns(5, "cone='elliptic' solver='CG'")),
        ("yard", yard("")),
        ("few slots", yard("solver='CG'")),
    ];
    for (name, m) in models {
        let world = |threads: usize| {
            let mut d = Data::new(&m, Capacity::NONE);
            // the deepest contacts stay where slots end
            d.capacity_limit =
                if name == "few slots" { Capacity { nconmax: 100, njmax: 300 } } else { max_capacity(&m) };
            d.threads = threads;
            d
        };
        let (mut alone, mut shared) = (world(1), [world(2), world(7)]);
        let mut most = 0;
        for k in 0..40 {
            step(&m, &mut alone);
            most = most.max(alone.nefc[0]);
            for d in &mut shared {
                // as if they had taken long
                d.near_pairs.as_mut().unwrap().busy = Duration::MAX;
                d.helpers.effort.total = Duration::MAX;
                step(&m, d);
                for (field, read) in Data::<f64>::FIELDS.iter().zip(Data::<f64>::READS) {
                    let same = read(d).to_f64() == read(&alone).to_f64();
                    assert!(same, "{name}, {} threads, step {k}: {}", d.threads, field.name);
                }
            }
        }
        // candidates and islands were shared
        assert!(most > 600 || name == "few slots" && most == 300, "{name}: {most}");
        let [two, _] = &shared;
        assert!(two.near_pairs.as_ref().is_some_and(|near| !near.shares.is_empty()), "{name}");
        assert!(two.helpers.all.len() == 2 || name == "few slots", "{name}: {} islands", two.nisland[0]);
    }
}

/// A body takes as much memory in a large world as in a small one, where each has as many contacts.
#[test]
fn memory_follows_contacts() {
    let bytes = |m: &Model| {
        let mut d = Data::new(m, Capacity::NONE);
        d.capacity_limit = max_capacity(m);
        (0..20).for_each(|_| step(m, &mut d));
        let used = d.jacobian.used as f64 / f64::from(d.nefc[0]);
        // four rows of a contact of two bodies have twelve elements, one of a body and the floor six
        assert!((6.0..=12.0).contains(&used), "{used} elements in a row");
        (d.efc_J.len() + d.hessian.as_ref().map_or(0, |h| h.entries.len())) as f64 / m.sizes.nbody as f64
    };
    let (small, large) = (bytes(&columns(4, "")), bytes(&columns(6, "")));
    assert!(large < 2.0 * small, "{small} and {large} numbers for a body");
}

/// A world is solved by itself: another one that is copied in the middle goes on with the same bits.
#[test]
fn a_copy_goes_on_alike() {
    let m = heap("");
    let mut d = Data::new(&m, Capacity::NONE);
    d.capacity_limit = max_capacity(&m);
    (0..50).for_each(|_| step(&m, &mut d));
    let mut other = d.clone();
    // without the pattern of the last step
    let mut fresh = d.clone();
    fresh.hessian = None;
    for _ in 0..50 {
        [&mut d, &mut other, &mut fresh].into_iter().for_each(|d| step(&m, d));
        assert_eq!(d.qpos, other.qpos);
        assert_eq!(d.qpos, fresh.qpos);
    }
}

/// What is over-constrained, unequal, or wide: finite, at the minimum, and not flagged.
#[test]
fn hard_worlds_have_their_minimum() {
    let grid = |k: usize| (0..k * k).map(move |i| (i % k, i / k));
    let node = |(x, y): (usize, usize)| {
        format!(
            "<body name='n{x}_{y}' pos='{} {} 1'><freejoint/><geom size='.02' mass='.01'/></body>",
            0.1 * x as f64,
            0.1 * y as f64
        )
    };
    let tie = |kind: &str, (x, y): (usize, usize), (u, v): (usize, usize)| {
        format!("<{kind} body1='n{x}_{y}' body2='n{u}_{v}'/>")
            .replace("<connect ", "<connect anchor='0 0 0' ")
    };
    // a net whose neighbours are welded and connected twice
    let net: String = grid(6).map(node).collect();
    let ties: String = grid(6)
        .flat_map(|(x, y)| [((x, y), (x + 1, y)), ((x, y), (x, y + 1))])
        .filter(|(_, (x, y))| *x < 6 && *y < 6)
        .flat_map(|(a, b)| [tie("weld", a, b), tie("connect", a, b), tie("connect", a, b)])
        .collect();
    // a heap of which every third body has a million times the mass
    let masses: String = (0..36)
        .map(|i| {
            let (x, y, z) = (i % 3, i / 3 % 2, i / 6);
            let mass = if i % 3 == 0 { 1e3 } else { 1e-3 };
            format!(
                "<body pos='{} {} {}' euler='{} 20 0'><freejoint/><geom type='box' size='.05 .04 .045' mass='{mass}'/></body>",
                0.1 * f64::from(x),
                0.1 * f64::from(y),
                0.06 + 0.1 * f64::from(z),
                7 * i
            )
        })
        .collect();
    // one body on more than a thousand contacts, beside twelve others
    let feet: String = (0..16 * 16)
        .map(|i| {
            format!(
                "<geom type='box' size='.02 .02 .02' pos='{} {} 0'/>",
                0.05 * f64::from(i % 16),
                0.05 * f64::from(i / 16)
            )
        })
        .collect();
    let others: String = (0..12)
        .map(|i| format!("<body pos='{} 2 .05'><freejoint/><geom size='.05'/></body>", 0.2 * f64::from(i)))
        .collect();
    let table = format!("<body pos='0 0 .019'><freejoint/>{feet}</body>{others}");
    let option = "<option tolerance='1e-15' iterations='400' ls_iterations='100'/>";
    let cases = [
        ("net", load(option, &net, &format!("<equality>{ties}</equality>")), 0, 1e-6),
        ("masses", load(option, &masses, ""), 100, 1e-6),
        ("table", load(option, &table, ""), 4000, 1e-7),
    ];
    for (name, m, rows, error) in cases {
        let mut d = Data::new(&m, Capacity::NONE);
        d.capacity_limit = max_capacity(&m);
        let mut most = 0;
        for k in 0..60 {
            step(&m, &mut d);
            most = most.max(d.nefc[0]);
            assert!(d.qpos.iter().chain(&d.qvel).all(|x| x.is_finite()), "{name}, step {k}");
            if k % 20 == 19 {
                forward(&m, &mut d);
                assert_minimum(&m, &d, error, &format!("{name}, step {k}"));
            }
        }
        assert!(d.jacobian.is_packed && most > rows, "{name}: {most} rows");
        assert_eq!(d.status[0], 0, "{name}");
    }
}

/// Bodies that are apart have no rows, and a pattern that differs in each step is made anew.
#[test]
fn patterns_come_and_go() {
    let m = columns(3, "");
    let mut d = Data::new(&m, Capacity::NONE);
    d.capacity_limit = max_capacity(&m);
    for k in 0..40 {
        // each step other bodies are in the air, in every fifth all of them
        d.reset(&m, None);
        for (i, q) in d.qpos.chunks_mut(7).enumerate() {
            let lift = if k % 5 == 4 { 10.0 * (1 + i) as f64 } else { 10.0 * ((i * 7 + k) % 3) as f64 };
            q[2] += lift - 0.001 * (1 + i % 3) as f64;
        }
        forward(&m, &mut d);
        assert_eq!(d.nefc[0] == 0, k % 5 == 4, "step {k}");
        assert_minimum(&m, &d, 1e-7, &format!("step {k}"));
    }
    assert_eq!(d.status[0], 0);
}
