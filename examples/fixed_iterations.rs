//! Accuracy of a step with a fixed number of solver iterations, along a motion of the converged solver.
//!
//!     cargo run --release --example fixed_iterations -- [--cone elliptic] [MODEL.xml …]
//!
//! At every fifth of 400 steps, the solver starts from the acceleration of the previous step, as in simulation, and
//! performs the given number of iterations with zero tolerance, as worlds in lockstep do. Printed are the root mean
//! square and the largest error of the velocity after the step, over all degrees of freedom, against the converged
//! solver in double precision.

#![allow(clippy::print_stdout, reason = "this is a command-line tool")]
#![allow(clippy::unwrap_used, reason = "a development tool may stop on bad input")]

use manyworlds::cpu::{forward, step};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::schema::enums::{cone, solver};

/// Solvers and their numbers of iterations.
const MODES: [(&str, i32, &[i32]); 3] = [
    ("Newton", solver::NEWTON, &[1, 2, 3, 4, 6, 10]),
    ("CG", solver::CG, &[3, 5, 10, 20, 50]),
    ("PGS", solver::PGS, &[3, 5, 10, 20, 50, 100]),
];

const STEPS: usize = 400;
const EVERY: usize = 5;
const CAPACITY: Capacity = Capacity { nconmax: 512, njmax: 4096 };

/// A copy of a model with a converged solver.
fn exact(model: &Model) -> Model {
    let mut m = model.clone();
    m.opt_solver[0] = solver::NEWTON;
    m.opt_iterations[0] = 100;
    m.opt_tolerance[0] = 1e-14;
    m
}

/// States of a motion, and their accelerations.
fn motion(m: &Model) -> Vec<(Data, Vec<f64>)> {
    let mut d = Data::new(m, CAPACITY);
    let mut states = Vec::new();
    for k in 0..STEPS {
        if k % EVERY == EVERY - 1 {
            let mut at = d.clone();
            forward(m, &mut at);
            states.push((d.clone(), at.qacc));
        }
        step(m, &mut d);
    }
    states
}

fn table(name: &str, model: &Model) {
    let exact = exact(model);
    let states = motion(&exact);
    let h = model.opt_timestep[0];
    let rows: i32 = states.iter().map(|(d, _)| d.nefc[0]).max().unwrap_or(0);
    println!("{name}: {} degrees of freedom, up to {rows} rows, step {h} s", model.sizes.nv);
    println!("| solver | iterations | rms error (m/s, rad/s) | largest |");
    println!("|---|--:|--:|--:|");
    for (label, kind, counts) in MODES {
        for &count in counts {
            let mut m = model.clone();
            (m.opt_solver[0], m.opt_iterations[0], m.opt_tolerance[0]) = (kind, count, 0.0);
            let mut own = Data::new(&m, CAPACITY);
            let (mut sum, mut most, mut number) = (0.0, 0.0_f64, 0);
            for (from, want) in &states {
                // the state, in a world with memory for this solver
                for (to, of) in [
                    (&mut own.qpos, &from.qpos),
                    (&mut own.qvel, &from.qvel),
                    (&mut own.act, &from.act),
                    (&mut own.ctrl, &from.ctrl),
                    (&mut own.qacc_warmstart, &from.qacc_warmstart),
                ] {
                    to.copy_from_slice(of);
                }
                forward(&m, &mut own);
                for (got, want) in own.qacc.iter().zip(want) {
                    let error = h * (got - want).abs();
                    sum += error * error;
                    most = most.max(error);
                    number += 1;
                }
            }
            println!("| {label} | {count} | {:.1e} | {most:.1e} |", (sum / f64::from(number.max(1))).sqrt());
        }
    }
    println!();
}

fn main() {
    let mut given: Vec<String> = std::env::args().skip(1).collect();
    let elliptic = given.iter().position(|a| a == "--cone").map(|k| given.drain(k..k + 2).next_back());
    let elliptic = elliptic.flatten().is_some_and(|kind| kind == "elliptic");
    if given.is_empty() {
        given =
            ["humanoid", "pile"].map(|n| format!("{}/models/{n}.xml", env!("CARGO_MANIFEST_DIR"))).to_vec();
    }
    for path in given {
        let mut model = manyworlds::load(&path).unwrap();
        if elliptic {
            model.opt_cone[0] = cone::ELLIPTIC;
        }
        table(path.rsplit('/').next().unwrap_or(&path), &model);
    }
}
