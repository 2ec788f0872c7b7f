//! Figures 2 and 3 of Todorov, Convex and analytically-invertible dynamics with contacts and constraints (ICRA 2014), and
//! its timings, with the impulse formulation.
//!
//!     cargo run --release --example soft_gauss -- soft_gauss.npz
//!     python benches/compare/soft_gauss.py soft_gauss.npz
//!
//! The first command measures, prints tables, and writes the numbers; the second draws them into docs/images/.

#![allow(clippy::print_stdout, reason = "this is a command-line tool")]
#![allow(clippy::unwrap_used, reason = "a development tool may stop on bad input")]

use std::path::Path;
use std::time::Instant;

use manyworlds::batch::control::uniform;
use manyworlds::batch::max_capacity;
use manyworlds::cpu;
use manyworlds::formats::npz::{Array, ArrayData, write};
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::enums::cone;
use manyworlds::schema::stages::Stage;
use manyworlds_control::impulse::{Formulation, Parameters, Softness};

/// Softness in all measurements.
const SOFT: Softness = Softness { epsilon: 0.1, kappa: 0.04 };

/// Time step of the paper, in s.
const TIMESTEP: f64 = 0.01;

/// Steps of the mechanism, and of the humanoid for each kind of contact.
const STEPS: usize = 300;
const DRAGS: usize = 20_000;

/// Steps after which the humanoid starts again from another pose.
const EPISODE: usize = 100;

/// Figure 1, left: a joint with dry friction whose link hits the ground.
const MECHANISM: &str = "<mujoco><option cone='elliptic' timestep='0.01'/><worldbody>
    <geom type='plane' size='2 2 1' pos='0 0 -.3'/>
    <body><joint name='hinge' axis='0 1 0' frictionloss='1'/>
      <geom type='capsule' fromto='0 0 0 .5 0 0' size='.05' mass='1'/></body></worldbody>
    <actuator><motor joint='hinge'/></actuator></mujoco>";

/// A number from -1 to 1.
fn number(draw: usize, index: usize) -> f64 {
    2.0 * uniform(14, 0, draw as u64, index as u64) - 1.0
}

/// A copy of the state and its inputs.
fn copy_state(from: &Data, to: &mut Data) {
    for (to, from) in [
        (&mut to.qpos, &from.qpos),
        (&mut to.qvel, &from.qvel),
        (&mut to.ctrl, &from.ctrl),
        (&mut to.xfrc_applied, &from.xfrc_applied),
        (&mut to.qacc_warmstart, &from.qacc_warmstart),
    ] {
        to.copy_from_slice(from);
    }
}

/// Impulses of the mechanism while it is perturbed: time, friction and contact by forward and by inverse dynamics.
fn figure_2() -> [Vec<f64>; 5] {
    let m = manyworlds::load_str(MECHANISM).unwrap();
    let (mut d, mut other) = (Data::new(&m, max_capacity(&m)), Data::new(&m, max_capacity(&m)));
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    let mut out: [Vec<f64>; 5] = Default::default();
    for step in 0..STEPS {
        // perturbations that last a tenth of a second
        d.ctrl[0] = 6.0 * number(step / 10, 0);
        copy_state(&d, &mut other);
        let next = f.forward(&m, &mut d).unwrap().to_vec();
        // friction first, then the contact's normal, if there is one
        let pair = |f: &Formulation| [f.impulses()[0], f.impulses().get(1).copied().unwrap_or_default()];
        let forward = pair(&f);
        f.inverse(&m, &mut other, &next).unwrap();
        let inverse = pair(&f);
        for (list, x) in out.iter_mut().zip([d.time[0], forward[0], inverse[0], forward[1], inverse[1]]) {
            list.push(x);
        }
        f.step(&m, &mut d).unwrap();
    }
    out
}

/// One measured state of the humanoid; times in µs.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    contacts: f64,
    rows: f64,
    forward_5: f64,
    forward_50: f64,
    inverse: f64,
    /// Stages that forward and inverse dynamics share, and of these collision detection.
    shared: f64,
    collision: f64,
    /// Newton's method, and the inverse of the continuous-time formulation.
    newton: f64,
    continuous: f64,
    /// Difference of the force after 5 and 50 sweeps and the force that the inverse finds, relative to the largest.
    error_5: f64,
    error_50: f64,
}

/// Names of the numbers of a sample.
const COLUMNS: [&str; 11] = [
    "contacts",
    "rows",
    "forward_5",
    "forward_50",
    "inverse",
    "shared",
    "collision",
    "newton",
    "continuous",
    "error_5",
    "error_50",
];

impl Sample {
    fn columns(&self) -> [f64; 11] {
        [
            self.contacts,
            self.rows,
            self.forward_5,
            self.forward_50,
            self.inverse,
            self.shared,
            self.collision,
            self.newton,
            self.continuous,
            self.error_5,
            self.error_50,
        ]
    }
}

/// Time in µs of a call; the second of two, which finds its memory in the cache.
fn time(mut call: impl FnMut()) -> f64 {
    call();
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64() * 1e6
}

/// Stages that inverse dynamics needs before its own part.
const SHARED: [Stage; 9] = [
    Stage::kinematics,
    Stage::com_pos,
    Stage::tendon,
    Stage::collision,
    Stage::make_constraint,
    Stage::transmission,
    Stage::com_vel,
    Stage::passive,
    Stage::reference_constraint,
];

/// Relative difference of the force that was applied and the one that the inverse finds.
fn mismatch(m: &Model, f: &mut Formulation, d: &mut Data, other: &mut Data) -> f64 {
    let next = f.forward(m, d).unwrap().to_vec();
    let found = f.inverse(m, other, &next).unwrap();
    let (mut worst, mut largest) = (0.0_f64, 1.0_f64);
    for i in 0..m.sizes.nv {
        let applied = d.qfrc_smooth[i] - d.qfrc_passive[i] + d.qfrc_bias[i];
        worst = worst.max((applied - found[i]).abs());
        largest = largest.max(d.qfrc_constraint[i].abs());
    }
    worst / largest
}

/// The humanoid, dragged about with contacts of this many rows.
fn figure_3(condim: i32) -> Vec<Sample> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/humanoid.xml");
    let mut m = manyworlds::load(&path).unwrap();
    (m.opt_cone[0], m.opt_timestep[0]) = (cone::ELLIPTIC, TIMESTEP);
    m.geom_condim.fill(condim);
    let mut d = Data::new(&m, max_capacity(&m));
    let mut f = Formulation::new(&m, Parameters::Uniform(SOFT)).unwrap();
    f.tolerance = 0.0;
    let (mut a, mut b) = (d.clone(), d.clone());
    let mut samples = Vec::new();
    for step in 0..DRAGS {
        let episode = step / EPISODE;
        if step % EPISODE == 0 {
            d.reset(&m, Some(episode % m.sizes.nkey));
        }
        // the mouse: a slowly changing force on one body of each episode, and controls
        let body = 1 + (uniform(1, 0, episode as u64, 0) * (m.sizes.nbody - 1) as f64) as usize;
        d.xfrc_applied.fill(0.0);
        for k in 0..3 {
            d.xfrc_applied[6 * body + k] = 400.0 * number(step / 20, k) - if k == 2 { 400.0 } else { 0.0 };
        }
        for (i, u) in d.ctrl.iter_mut().enumerate() {
            *u = 0.5 * number(step / 20, 10 + i);
        }
        copy_state(&d, &mut a);
        copy_state(&d, &mut b);
        let mut sample = Sample::default();
        for (sweeps, time_of, error) in [
            (5, &mut sample.forward_5, &mut sample.error_5),
            (50, &mut sample.forward_50, &mut sample.error_50),
        ] {
            f.iterations = sweeps;
            *time_of = time(|| {
                f.forward(&m, &mut a).unwrap();
            });
            *error = mismatch(&m, &mut f, &mut a, &mut b);
        }
        let next = f.forward(&m, &mut a).unwrap().to_vec();
        sample.inverse = time(|| {
            f.inverse(&m, &mut b, &next).unwrap();
        });
        (sample.contacts, sample.rows) = (f64::from(b.ncon[0]), f64::from(b.nefc[0]));
        sample.shared = time(|| SHARED.iter().for_each(|&stage| cpu::run_stage(stage, &m, &mut b)));
        sample.collision = time(|| cpu::run_stage(Stage::collision, &m, &mut b));
        // all stages but sensors and views, which neither of the others computes
        sample.newton = time(|| {
            for stage in manyworlds::model::schedule::part_of_step(&m, 0) {
                if stage != Stage::euler && stage != Stage::check_state {
                    cpu::run_stage(stage, &m, &mut b);
                }
            }
        });
        sample.continuous = time(|| cpu::inverse(&m, &mut b));
        samples.push(sample);
        f.step(&m, &mut d).unwrap();
    }
    samples
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    x[x.len() / 2]
}

/// Medians over the samples of each number of contacts.
fn table(title: &str, samples: &[Sample]) {
    println!("\n{title}\n");
    println!(
        "| contacts | states | rows | forward, 5 sweeps | forward, 50 | inverse | ratio, 5 | ratio, 50 | shared stages \
         | collision | Newton forward | continuous inverse | mismatch, 5 | mismatch, 50 |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for contacts in 0..40 {
        let own: Vec<[f64; 11]> =
            samples.iter().filter(|s| s.contacts == f64::from(contacts)).map(Sample::columns).collect();
        if own.len() < 15 {
            continue;
        }
        let mid: Vec<f64> = (0..11).map(|k| median(own.iter().map(|s| s[k]).collect())).collect();
        println!(
            "| {contacts} | {} | {:.0} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0e} \
             | {:.0e} |",
            own.len(),
            mid[1],
            mid[2],
            mid[3],
            mid[4],
            mid[2] / mid[4],
            mid[3] / mid[4],
            mid[5],
            mid[6],
            mid[7],
            mid[8],
            mid[9],
            mid[10],
        );
    }
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| "soft_gauss.npz".to_owned());
    let mut arrays: Vec<(String, Array)> = Vec::new();
    let mut add = |name: String, data: Vec<f64>| {
        arrays.push((name, Array { shape: vec![data.len()], data: ArrayData::F64(data) }));
    };
    // correctness
    let names = ["time", "friction_forward", "friction_inverse", "contact_forward", "contact_inverse"];
    let series = figure_2();
    for (forward, inverse, what) in [(1, 2, "friction"), (3, 4, "contact")] {
        let apart = series[forward].iter().zip(&series[inverse]).map(|(a, b)| (a - b).abs());
        println!("figure 2, {what}: forward and inverse are within {:.1e} N s", apart.fold(0.0, f64::max));
    }
    for (name, data) in names.into_iter().zip(series) {
        add(name.to_owned(), data);
    }
    // speed
    for condim in [3, 6] {
        let samples = figure_3(condim);
        let which = if condim == 3 { "sliding friction" } else { "all friction directions" };
        table(
            &format!("Medians in µs, humanoid of 27 degrees of freedom, {which} ({condim} rows a contact)"),
            &samples,
        );
        for (k, name) in COLUMNS.iter().enumerate() {
            add(format!("{name}_{condim}"), samples.iter().map(|s| s.columns()[k]).collect());
        }
    }
    write(Path::new(&path), &arrays).unwrap();
    println!("\nwritten: {path}");
}
