//! Laws in code: the same on both backends, compared by `check`, refused where they are no law.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::analysis::check::{self, CheckOptions};
use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions};
use manyworlds::model::Model;
use manyworlds::model::data::{Capacity, Data};
use manyworlds::model::leaf::LeafLaw;
use manyworlds::real::Real;

const MODEL: &str = "<mujoco><option timestep='0.001'/><worldbody>
    <body pos='0 0 1'><joint name='a' axis='0 1 0'/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/>
    <body pos='.3 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/></body></body>
    </worldbody><actuator><motor joint='a'/></actuator></mujoco>";

/// A damper that grows with the square of the velocity, and a control that follows the position.
struct Drag {
    coefficient: f64,
}

impl LeafLaw for Drag {
    fn run<T: Real>(&self, m: &Model<T>, d: &mut Data<T>) {
        for dof in 0..m.sizes.nv {
            let v = d.qvel[dof];
            d.qfrc_passive[dof] -= T::of(self.coefficient) * v * v.abs();
        }
        d.ctrl[0] = -d.qpos[0];
    }
}

const DRAG: &str = "
    fn drag() {
        for (var dof = lane; dof < nv; dof += lanes) {
            set_qfrc_passive(dof, qfrc_passive(dof) - drag_of(qvel(dof)));
        }
        if (lane == 0u) {
            set_ctrl(0u, -qpos(0u));
        }
    }
    fn drag_of(v: f32) -> f32 {
        return 0.05 * v * abs(v);
    }";

fn model(coefficient: f64) -> Model {
    let mut model = manyworlds::load_str(MODEL).unwrap();
    model.add_leaf("drag", DRAG, Drag { coefficient }).unwrap();
    model
}

fn run(model: &Model, backend: Backend) -> Vec<f64> {
    let mut batch = Batch::new(model, 3, &BatchOptions::on(backend)).unwrap();
    batch.set("qvel", .., &[1.0, 0.5, -2.0, 1.0, 0.0, 3.0]).unwrap();
    batch.step(200).unwrap();
    batch.get("qpos", ..).unwrap().data.to_f64()
}

#[test]
fn a_law_in_code_is_the_same_on_both_backends() {
    let model = model(0.05);
    let (cpu, gpu) = (run(&model, Backend::Cpu), run(&model, Backend::Gpu));
    let without = run(&manyworlds::load_str(MODEL).unwrap(), Backend::Cpu);
    for ((a, b), free) in cpu.iter().zip(&gpu).zip(&without) {
        assert!((a - b).abs() < 1e-4 && (a - free).abs() > 1e-3, "{a} {b} {free}");
    }
    // the formula of the same law has the same motion
    let text =
        |joint: &str| format!("<text name='force:joint:{joint}' data='-0.05*velocity*abs(velocity)'/>");
    let formulas = MODEL.replace("<joint axis", "<joint name='b' axis").replace(
        "<worldbody>",
        &format!(
            "<custom>{}{}<text name='control:motor' data='-qpos(a)'/></custom><worldbody>",
            text("a"),
            text("b")
        ),
    );
    let formulas = formulas.replace("<motor joint", "<motor name='motor' joint");
    let other = run(&manyworlds::load_str(&formulas).unwrap(), Backend::Cpu);
    assert!(cpu.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-12), "{cpu:?} {other:?}");
}

#[test]
fn a_twin_that_differs_is_found() {
    let over = |coefficient: f64| {
        let (model, options) =
            (model(coefficient), CheckOptions { worlds: 2, steps: 30, seed: 1, from: None });
        let gpu = Gpu::open(AdapterPreference::Any).unwrap();
        let kernels = KernelOptions::default();
        let mut batch = GpuBatch::new(&gpu, model.clone(), 2, Capacity::NONE, &kernels).unwrap();
        let report = check::run(&model, Capacity::NONE, &mut batch, &options).unwrap();
        report.rows.iter().filter(|row| row.over()).map(|row| row.stage.name()).collect::<Vec<_>>()
    };
    assert_eq!(over(0.05), Vec::<&str>::new());
    assert!(over(0.06).contains(&"laws"), "{:?}", over(0.06));
}

/// A force that grows with time.
struct Push;

impl LeafLaw for Push {
    fn run<T: Real>(&self, _: &Model<T>, d: &mut Data<T>) {
        d.qfrc_passive[0] += d.time[0];
    }
}

/// Each part of a Runge-Kutta step has its own time, so that the velocity under a force t is t^2 / 2, without an error.
#[test]
fn laws_in_code_see_the_time_of_their_part_of_a_step() {
    let text = "<mujoco><option timestep='.125' integrator='RK4' gravity='0 0 0'/><worldbody><body><joint type='slide'/>
        <geom size='.1' mass='1'/></body></worldbody></mujoco>";
    let mut model = manyworlds::load_str(text).unwrap();
    let wgsl = "fn push() { if (lane == 0u) { set_qfrc_passive(0u, qfrc_passive(0u) + time(0u)); } }";
    model.add_leaf("push", wgsl, Push).unwrap();
    for (backend, bound) in [(Backend::Cpu, 1e-14), (Backend::Gpu, 1e-6)] {
        let mut batch = Batch::new(&model, 1, &BatchOptions::on(backend)).unwrap();
        batch.step(8).unwrap();
        let velocity = batch.get("qvel", ..).unwrap().data.to_f64()[0];
        assert!((velocity - 0.5).abs() < bound, "{}: {velocity}", backend.name());
    }
}

#[test]
fn what_is_no_law_is_refused() {
    let mut model = model(0.05);
    let said = |result: manyworlds::error::Result<()>| result.unwrap_err().to_string();
    assert!(said(model.add_leaf("drag", DRAG, Drag { coefficient: 0.0 })).contains("already"));
    assert!(said(model.add_leaf("Drag", DRAG, Drag { coefficient: 0.0 })).contains("small letter"));
    assert!(said(model.add_leaf("other", DRAG, Drag { coefficient: 0.0 })).contains("'fn other()'"));
    model.add_leaf("bad", "fn bad() { set_ctrl(0u, nothing); }", Drag { coefficient: 0.0 }).unwrap();
    let batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Gpu));
    let said = batch.and_then(|mut batch| batch.step(1)).unwrap_err().to_string();
    assert!(said.contains("nothing"), "{said}");
}
