//! Convergence of the solvers: suboptimality of the cost after given numbers of iterations.
//!
//!     cargo run --example convergence -- [--single] [MODEL.xml …]
//!
//! Without models: the humanoid after a fall and a leaning tower of 30 blocks. Every solver starts from the
//! unconstrained acceleration, in one island; costs are relative to the inertia, as in the solver's convergence test.

#![allow(clippy::print_stdout, reason = "this is a command-line tool")]
#![allow(clippy::unwrap_used, reason = "a development tool may stop on bad input")]

use manyworlds::cpu::constraint::cone::cone_of;
use manyworlds::cpu::constraint::constraint_cost::{cost_parameters, row_cost};
use manyworlds::cpu::constraint::islands;
use manyworlds::cpu::smooth::factor_m;
use manyworlds::cpu::solver::solve::solve;
use manyworlds::cpu::{forward, step};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::real::Real;
use manyworlds::schema::enums::{disable, solver};

const SOLVERS: [(&str, i32); 3] = [("Newton", solver::NEWTON), ("CG", solver::CG), ("PGS", solver::PGS)];

/// Iteration counts at which the cost is evaluated.
const COUNTS: [i32; 10] = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500];

/// Steps before the state that is solved.
const STEPS: usize = 300;

const CAPACITY: Capacity = Capacity { nconmax: 256, njmax: 2048 };

/// A tower of 30 blocks, each offset from the one below: it leans as far as it can without falling.
fn tower() -> Model {
    let boxes: String = (0..30)
        .map(|k| {
            let (x, z) = (0.005 * f64::from(k), 0.1 + 0.2 * f64::from(k));
            format!("<body pos='{x} 0 {z}'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>")
        })
        .collect();
    manyworlds::load_str(&format!(
        "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='5 5 1'/>{boxes}</worldbody></mujoco>"
    ))
    .unwrap()
}

/// Primal cost, minimised by all solvers, at the acceleration found.
fn cost(m: &Model, d: &Data) -> f64 {
    let nv = m.sizes.nv;
    let apart: Vec<f64> = (0..nv).map(|i| d.qacc[i] - d.qacc_smooth[i]).collect();
    let mut product = vec![0.0; nv];
    factor_m::mul_m(m, &d.M, &apart, &mut product);
    let mut sum: f64 = apart.iter().zip(&product).map(|(a, b)| 0.5 * a * b).sum();
    let residual: Vec<f64> = (0..d.nefc[0] as usize)
        .map(|r| (0..nv).map(|i| d.efc_J[r * nv + i] * d.qacc[i]).sum::<f64>() - d.efc_aref[r])
        .collect();
    let mut r = 0;
    while r < residual.len() {
        if let Some(cone) = cone_of(m, d, r) {
            sum += cone.cost(&residual[r..r + cone.dim]);
            r += cone.dim;
        } else {
            sum += row_cost(&cost_parameters(d, r), residual[r]);
            r += 1;
        }
    }
    sum
}

/// Cost of a state after some iterations of a solver.
fn after<T: Real>(model: &Model, from: &Data, kind: i32, count: i32) -> f64 {
    let mut m = model.clone();
    m.opt_solver[0] = kind;
    m.opt_iterations[0] = count;
    m.opt_tolerance[0] = 0.0;
    m.opt_disableflags[0] |= disable::WARMSTART | disable::ISLAND;
    let (single, mut d) = (m.cast::<T>(), Data::<T>::new(&m.cast::<T>(), CAPACITY));
    let own = d.sizes;
    d.clone_from(&from.cast::<T>());
    // memory of this solver
    let fresh = Data::<T>::zeroed(own);
    (d.sizes, d.dual_MinvJT, d.dual_A) = (own, fresh.dual_MinvJT, fresh.dual_A);
    islands::islands(&single, &mut d);
    solve(&single, &mut d);
    cost(&m, &d.cast::<f64>())
}

fn table<T: Real>(name: &str, model: &Model, d: &Data) {
    let inertia: f64 =
        (0..model.sizes.nv).map(|i| d.M[(model.M_rowadr[i] + model.M_rownnz[i]) as usize - 1]).sum();
    let least = after::<f64>(model, d, solver::NEWTON, 200);
    println!("{name}: {} degrees of freedom, {} contacts, {} rows", model.sizes.nv, d.ncon[0], d.nefc[0]);
    println!("| iterations | {} |", SOLVERS.map(|s| s.0).join(" | "));
    println!("|--:|--:|--:|--:|");
    for count in COUNTS {
        let cells = SOLVERS.map(|(_, kind)| {
            format!("{:.1e}", (after::<T>(model, d, kind, count) - least).max(0.0) / inertia)
        });
        println!("| {count} | {} |", cells.join(" | "));
    }
    println!();
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let single = given.iter().any(|a| a == "--single");
    let mut models: Vec<(String, Model)> = given
        .iter()
        .filter(|a| *a != "--single")
        .map(|path| (path.clone(), manyworlds::load(&path).unwrap()))
        .collect();
    if models.is_empty() {
        let humanoid = concat!(env!("CARGO_MANIFEST_DIR"), "/models/humanoid.xml");
        models.push(("humanoid".to_owned(), manyworlds::load(&humanoid).unwrap()));
        models.push(("leaning tower".to_owned(), tower()));
    }
    for (name, model) in models {
        for cone in [0, 1] {
            let mut model = model.clone();
            model.opt_cone[0] = cone;
            let mut d = Data::new(&model, CAPACITY);
            for _ in 0..STEPS {
                step(&model, &mut d);
            }
            forward(&model, &mut d);
            let title = format!("{name}, {} cones", ["pyramidal", "elliptic"][cone as usize]);
            if single {
                table::<f32>(&title, &model, &d);
            } else {
                table::<f64>(&title, &model, &d);
            }
        }
    }
}
