//! Kernels whose rows of the Jacobian have elements for the trees of their two sides alone.
//!
//! Needs a GPU adapter, hardware or software; without one these tests fail.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use manyworlds::analysis::check::{self, CheckOptions};
use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions, WorkingSetSpace};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::schema::enums::{cone, enable, solver};

fn crowd() -> Model {
    manyworlds::load("tests/parity/models/crowd.xml").unwrap()
}

fn tiled(lanes: usize, worlds_per_group: usize, placement: WorkingSetSpace) -> KernelOptions {
    KernelOptions {
        lanes: Some(lanes),
        worlds_per_group: Some(worlds_per_group),
        placement: Some(placement),
        ..KernelOptions::default()
    }
}

/// Fields that differ between kernels and CPU, over all stages.
fn differing(model: &Model, kernels: &KernelOptions) -> Vec<String> {
    differing_with(model, kernels, Capacity { nconmax: 64, njmax: 256 })
}

/// [`differing`] with a capacity, at least.
fn differing_with(model: &Model, kernels: &KernelOptions, least: Capacity) -> Vec<String> {
    let options = CheckOptions { worlds: 2, steps: 40, seed: 3, from: None };
    let capacity = check::needed_capacity(model, least, &options);
    let gpu = Gpu::open(AdapterPreference::Any).unwrap();
    let mut batch = GpuBatch::new(&gpu, model.clone(), 2, capacity, kernels).unwrap();
    let report = check::run(model, capacity, &mut batch, &options).unwrap();
    assert!(report.rows.iter().any(|row| row.field == "efc_J"));
    report.rows.iter().filter(|row| row.over()).map(|row| format!("{row:?}")).collect()
}

#[test]
fn one_lane_agrees_with_the_cpu() {
    assert_eq!(differing(&crowd(), &tiled(1, 8, WorkingSetSpace::Storage)), [""; 0]);
}

#[test]
fn many_lanes_agree_with_the_cpu() {
    assert_eq!(differing(&crowd(), &tiled(16, 2, WorkingSetSpace::Workgroup)), [""; 0]);
}

#[test]
fn tiles_in_storage_agree_with_the_cpu() {
    // stacks of two boxes, whose links that touch nothing make the trees large
    let link = "<body pos='0 0 .01'><joint damping='.1'/><geom size='.02' contype='0' conaffinity='0'/>";
    let links = link.repeat(8) + &"</body>".repeat(8);
    let body = |k: usize| {
        let (x, z) = (0.3 * (k % 5) as f64, 0.0999 + 0.1998 * (k / 5) as f64);
        format!(
            "<body pos='{x} 0 {z}'><freejoint/><geom type='box' size='.1 .1 .1' euler='0 0 {}'/>{links}</body>",
            7 * k
        )
    };
    let bodies: String = (0..10).map(body).collect();
    let text = format!("<mujoco><worldbody><geom type='plane' size='3 3 1'/>{bodies}</worldbody></mujoco>");
    let mut model = manyworlds::load_str(&text).unwrap();
    let kernels = tiled(8, 4, WorkingSetSpace::Workgroup);
    for (cone, njmax) in [(cone::PYRAMIDAL, 256), (cone::ELLIPTIC, 256), (cone::PYRAMIDAL, 2000)] {
        model.opt_cone[0] = cone;
        // of many rows, several share a bit of those that touch a tile
        assert_eq!(
            differing_with(&model, &kernels, Capacity { nconmax: 100, njmax }),
            [""; 0],
            "{cone} {njmax}"
        );
    }
}

#[test]
fn gradients_in_place_of_a_hessian_agree_with_the_cpu() {
    // stacks of boxes, of which kernels factor no Hessian, and of fewer, of which they are told not to
    for (boxes, newton) in [(82, None), (66, Some(false)), (12, Some(false))] {
        let body = |k: usize| {
            let (x, y, z) =
                (0.3 * (k % 6) as f64, 0.3 * (k / 6 % 4) as f64, 0.0999 + 0.1998 * (k / 24) as f64);
            format!(
                "<body pos='{x} {y} {z}'><freejoint/><geom type='box' size='.1 .1 .1' euler='0 0 {}'/></body>",
                7 * k
            )
        };
        let bodies: String = (0..boxes).map(body).collect();
        let text = format!(
            "<mujoco><option iterations='10'/><worldbody><geom type='plane' size='3 3 1'/>{bodies}</worldbody></mujoco>"
        );
        let model = manyworlds::load_str(&text).unwrap();
        assert_eq!(model.opt_solver[0], solver::NEWTON);
        let kernels = KernelOptions { newton, ..tiled(4, 2, WorkingSetSpace::Workgroup) };
        let least = Capacity { nconmax: 400, njmax: 1600 };
        assert_eq!(differing_with(&model, &kernels, least), [""; 0], "{boxes} boxes");
    }
}

#[test]
fn elliptic_cones_agree_with_the_cpu() {
    let mut model = crowd();
    model.opt_cone[0] = cone::ELLIPTIC;
    for (lanes, placement) in [(8, WorkingSetSpace::Storage), (16, WorkingSetSpace::Workgroup)] {
        assert_eq!(differing(&model, &tiled(lanes, 2, placement)), [""; 0]);
    }
}

#[test]
fn conjugate_gradients_agree_with_the_cpu() {
    let mut model = crowd();
    model.opt_solver[0] = solver::CG;
    // what is compared is rounding, not where each of them stops
    (model.opt_tolerance[0], model.opt_iterations[0]) = (1e-10, 200);
    assert_eq!(differing(&model, &tiled(8, 2, WorkingSetSpace::Storage)), [""; 0]);
}

#[test]
fn exact_diagonals_agree_with_the_cpu() {
    let mut model = crowd();
    model.opt_enableflags[0] |= enable::DIAGEXACT;
    for (lanes, placement) in [(1, WorkingSetSpace::Storage), (16, WorkingSetSpace::Workgroup)] {
        assert_eq!(differing(&model, &tiled(lanes, 2, placement)), [""; 0]);
    }
}

#[test]
fn rows_are_whole_on_the_host() {
    let model = crowd();
    let gpu = Gpu::open(AdapterPreference::Any).unwrap();
    let capacity = Capacity { nconmax: 64, njmax: 256 };
    let options = tiled(8, 2, WorkingSetSpace::Storage);
    let mut batch = GpuBatch::new(&gpu, model.clone(), 3, capacity, &options).unwrap();
    batch.step(20).unwrap();
    batch.forward().unwrap();
    let (rows, counts) = (batch.get("efc_J").unwrap(), batch.get("nefc").unwrap());
    assert_eq!(rows.len(), 3 * capacity.njmax * model.sizes.nv);
    assert_eq!(batch.get_later("efc_J", &[0, 1, 2]).unwrap().wait().unwrap(), rows);
    // efc_vel = J qvel, by whole rows
    let (velocities, along) = (batch.get("qvel").unwrap(), batch.get("efc_vel").unwrap());
    for (world, count) in counts.iter().enumerate() {
        assert!(*count > 20.0, "{count} rows");
        for r in world * capacity.njmax..world * capacity.njmax + *count as usize {
            let row = &rows[r * model.sizes.nv..][..model.sizes.nv];
            let qvel = &velocities[world * model.sizes.nv..][..model.sizes.nv];
            let product: f64 = row.iter().zip(qvel).map(|(a, b)| a * b).sum();
            assert!(
                (product - along[r]).abs() < 1e-4 * (1.0 + along[r].abs()),
                "row {r}: {product} {}",
                along[r]
            );
        }
    }
    // what is written comes back, and only the device does not see whole rows
    batch.set("efc_J", &rows).unwrap();
    assert_eq!(batch.get("efc_J").unwrap(), rows);
    assert!(batch.layout_of("efc_J").unwrap_err().to_string().contains("many trees"));
    assert!(batch.copy_to_buffer("efc_J", &[0]).unwrap_err().to_string().contains("many trees"));
}
