//! Kernels in the metric of the integrator `discrete`, stage by stage against the CPU.
//!
//! Needs a GPU adapter, hardware or software; without one these tests fail.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use manyworlds::analysis::check::{self, CheckOptions};
use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions, WorkingSetSpace};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::schema::enums::{cone, enable, solver};

/// One lane a world in storage, and several with workgroup memory, where Newton's method has tiles.
const TILINGS: [(usize, usize, WorkingSetSpace); 2] =
    [(1, 8, WorkingSetSpace::Storage), (8, 2, WorkingSetSpace::Workgroup)];

/// Fields that differ between kernels and CPU, over all stages, with a tiling.
fn differing(model: &Model, (lanes, worlds, placement): (usize, usize, WorkingSetSpace)) -> Vec<String> {
    let options = CheckOptions { worlds: 2, steps: 40, seed: 3, from: None };
    let capacity = check::needed_capacity(model, Capacity { nconmax: 8, njmax: 32 }, &options);
    let gpu = Gpu::open(AdapterPreference::Any).unwrap();
    let kernels = KernelOptions {
        lanes: Some(lanes),
        worlds_per_group: Some(worlds),
        placement: Some(placement),
        ..KernelOptions::default()
    };
    let mut batch = GpuBatch::new(&gpu, model.clone(), 2, capacity, &kernels).unwrap();
    let report = check::run(model, capacity, &mut batch, &options).unwrap();
    assert!(["qacc_smooth", "qacc"].iter().all(|name| report.rows.iter().any(|row| row.field == *name)));
    report.rows.iter().filter(|row| row.over()).map(|row| format!("{row:?}")).collect()
}

/// A model of the parity tests.
fn parity_model(name: &str) -> Model {
    manyworlds::load(&format!("tests/parity/models/{name}.xml")).unwrap()
}

#[test]
fn joints_tendons_and_actuators_agree_with_the_cpu() {
    for name in ["discrete", "discrete_servos"] {
        assert_eq!(differing(&parity_model(name), TILINGS[0]), [""; 0], "{name}");
    }
}

#[test]
fn tiles_agree_with_the_cpu() {
    assert_eq!(differing(&parity_model("discrete"), TILINGS[1]), [""; 0]);
}

#[test]
fn gradients_agree_with_the_cpu() {
    let mut model = parity_model("discrete");
    (model.opt_solver[0], model.opt_iterations[0]) = (solver::CG, 400);
    assert_eq!(differing(&model, TILINGS[0]), [""; 0]);
}

#[test]
fn other_solvers_and_exact_diagonals_agree_with_the_cpu() {
    for (name, solver, cone, sweeps, flags) in [
        ("cones", solver::NEWTON, cone::ELLIPTIC, 3, enable::DIAGEXACT),
        ("dual", solver::PGS, cone::PYRAMIDAL, 0, 0),
    ] {
        let mut model = parity_model("discrete");
        model.opt_solver[0] = solver;
        model.opt_cone[0] = cone;
        model.opt_noslip_iterations[0] = sweeps;
        model.opt_enableflags[0] |= flags;
        assert_eq!(differing(&model, TILINGS[0]), [""; 0], "{name}");
    }
}

#[test]
fn a_tree_alone_and_what_spins_agree_with_the_cpu() {
    // all on the pattern of the inertia: in registers too
    let arm = "<mujoco><option integrator='discrete' timestep='.004'/><worldbody>
        <body><joint name='a' axis='0 1 0' stiffness='500' damping='.2'/><geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/>
        <body pos='.3 0 0'><joint type='ball' stiffness='40' damping='.1'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/>
        </body></body></worldbody><actuator><position joint='a' kp='300' kv='4'/></actuator></mujoco>";
    // spinning in water, one of them tied
    let body = |x: f64, name: &str| {
        format!(
            "<body pos='{x} 0 1'><freejoint/><geom type='box' size='.1 .06 .02'/><site name='{name}' pos='.1 0 0'/></body>"
        )
    };
    let spin = format!(
        "<mujoco><option integrator='discrete' timestep='.004' density='1.2' viscosity='.01'/><worldbody>
        <site name='w' pos='0 0 1.5'/>{}{}</worldbody><tendon><spatial stiffness='400' damping='2' springlength='.1'>
        <site site='w'/><site site='tied'/></spatial></tendon><keyframe>
        <key qvel='1 0 0 9 -7 12 0 .3 0 8 11 -3'/></keyframe></mujoco>",
        body(0.0, "tied"),
        body(1.0, "free")
    );
    for (text, tiling) in [(arm, (1, 8, WorkingSetSpace::Registers)), (arm, TILINGS[1]), (&spin, TILINGS[0])]
    {
        let model = manyworlds::load_str(text).unwrap();
        assert_eq!(differing(&model, tiling), [""; 0], "{text} {tiling:?}");
    }
}

/// A sheet that hangs by a corner, a solid on a floor, and a rod whose edges keep their lengths, all damped.
fn soft_scene() -> Model {
    let text = "<mujoco><option integrator='discrete' timestep='.004' tolerance='1e-12' iterations='100'/><worldbody>
        <geom type='plane' size='1 1 .1'/>
        <flexcomp name='sheet' type='grid' dim='2' count='3 3 1' spacing='.06 .06 .06' pos='0 0 .2' mass='.2' radius='.01'>
        <contact contype='0' conaffinity='0' selfcollide='none'/><pin id='0'/>
        <elasticity young='5e4' poisson='.2' thickness='.005' elastic2d='both' damping='.005'/></flexcomp>
        <flexcomp name='solid' type='grid' dim='3' count='2 2 3' spacing='.06 .06 .06' pos='.5 0 .1' euler='10 20 0' mass='.4'
        radius='.005'><contact selfcollide='none'/><elasticity young='4e4' poisson='.3' damping='.01'/></flexcomp>
        <flexcomp name='rod' type='grid' dim='1' count='6 1 1' spacing='.06 .06 .06' pos='-.6 0 .4' mass='.2' radius='.01'>
        <contact contype='0' conaffinity='0' selfcollide='none'/><edge equality='true'/><pin id='0 1'/>
        <elasticity young='3e6' damping='.001'/></flexcomp></worldbody></mujoco>";
    manyworlds::load_str(text).unwrap()
}

#[test]
fn flexes_agree_with_the_cpu() {
    for tiling in TILINGS {
        assert_eq!(differing(&soft_scene(), tiling), [""; 0], "{tiling:?}");
    }
}

#[test]
fn flexes_on_arms_agree_with_the_cpu() {
    // vertices on links that turn, several on one, and on bodies that slide within a plane
    let text = "<mujoco><option integrator='discrete' timestep='.004' solver='CG' tolerance='1e-10' iterations='200'/>
        <worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/><geom size='.03'/>
        <body name='b' pos='.1 0 0'><joint axis='0 0 1' damping='.01'/><joint axis='1 0 0' stiffness='1'/><geom size='.03'/></body></body>
        <body name='c' pos='.1 .1 1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><geom size='.02'/></body>
        <body name='d' pos='0 .1 1'><freejoint/><geom size='.03'/></body></worldbody>
        <deformable><flex name='f' dim='2' body='a b b c d' vertex='0 0 0  0 0 0  .05 .05 0  0 0 0  0 0 0' element='0 1 2  0 2 4  2 3 4'>
        <contact contype='0' conaffinity='0'/><elasticity young='2e4' poisson='.3' thickness='.01' elastic2d='both' damping='.01'/>
        </flex></deformable></mujoco>";
    assert_eq!(differing(&manyworlds::load_str(text).unwrap(), TILINGS[1]), [""; 0]);
}

#[test]
fn flexes_between_nodes_agree_with_the_cpu() {
    // a solid and a shell, of both orders
    let text = "<mujoco><option integrator='discrete' timestep='.004' tolerance='1e-12' iterations='100'/><worldbody>
        <geom type='plane' size='1 1 .1'/>
        <flexcomp name='beam' type='grid' dim='3' count='3 3 3' spacing='.05 .05 .05' pos='0 0 .1' euler='10 20 0' mass='.4'
        radius='.01' dof='trilinear' cellcount='2 1 1'><contact selfcollide='none'/><pin id='0'/>
        <elasticity young='4e4' poisson='.2' damping='.01'/></flexcomp>
        <flexcomp name='bent' type='grid' dim='3' count='3 3 3' spacing='.05 .05 .05' pos='.4 0 .08' mass='.3' radius='.01'
        dof='quadratic' cellcount='1 1 1'><contact selfcollide='none'/>
        <elasticity young='3e4' poisson='.2' thickness='.02' elastic2d='stretch' damping='.005'/></flexcomp></worldbody></mujoco>";
    // conjugate gradients, and other memory: on arms
    assert_eq!(differing(&manyworlds::load_str(text).unwrap(), TILINGS[1]), [""; 0]);
}

#[test]
fn flexes_between_nodes_on_arms_agree_with_the_cpu() {
    let text = "<mujoco><option integrator='discrete' timestep='.004' solver='CG' tolerance='1e-10' iterations='200'/>
        <worldbody><body name='arm' pos='0 0 .3'><joint axis='0 1 0' damping='.1'/><geom type='capsule' size='.01'
        fromto='0 0 0 .1 0 0'/><body name='tip' pos='.1 0 0'><joint axis='0 0 1' stiffness='1'/><geom size='.02'/>
        <flexcomp name='beam' type='grid' dim='3' count='3 2 2' spacing='.05 .05 .05' pos='.06 0 0' mass='.2' radius='.005'
        dof='trilinear' cellcount='1 1 1'><contact contype='0' conaffinity='0'/><pin id='0 2'/>
        <elasticity young='3e4' poisson='.2' damping='.01'/></flexcomp></body></body></worldbody></mujoco>";
    assert_eq!(differing(&manyworlds::load_str(text).unwrap(), TILINGS[0]), [""; 0]);
}

#[test]
fn passive_contacts_agree_with_the_cpu() {
    // two sheets on each other, on a plane and on a ball that stands still; one is carried by links that turn
    let text = "<mujoco><option integrator='discrete' timestep='.002' tolerance='1e-12' iterations='100'/><worldbody>
        <geom type='plane' size='1 1 .1'/><geom type='sphere' size='.08' pos='.05 .05 .02'/>
        <flexcomp name='low' type='grid' dim='2' count='4 4 1' spacing='.05 .05 .05' pos='.05 .05 .125' mass='.2' radius='.01'>
        <contact passive='true' selfcollide='none'/><elasticity young='5e4' poisson='.2' thickness='.005' elastic2d='both'/></flexcomp>
        <flexcomp name='high' type='grid' dim='2' count='3 3 1' spacing='.06 .06 .05' pos='.06 .05 .143' mass='.1' radius='.01'>
        <contact selfcollide='none'/><edge equality='true' damping='2'/></flexcomp>
        <flexcomp name='loose' type='grid' dim='2' count='3 3 1' spacing='.05 .05 .05' pos='-.3 0 .008' mass='.1' radius='.01'>
        <contact passive='true' selfcollide='none'/><edge equality='true'/></flexcomp></worldbody></mujoco>";
    // conjugate gradients, and other memory: on arms
    assert_eq!(differing(&manyworlds::load_str(text).unwrap(), TILINGS[1]), [""; 0]);
}

#[test]
fn passive_contacts_on_arms_agree_with_the_cpu() {
    // vertices on links that turn, several on one, above a plane
    let text = "<mujoco><option integrator='discrete' timestep='.004' solver='CG' tolerance='1e-10' iterations='200'/>
        <worldbody><geom type='plane' size='1 1 .1'/>
        <body name='a' pos='0 0 .01'><joint axis='0 1 0'/><geom size='.005'/>
        <body name='b' pos='.1 0 0'><joint axis='0 0 1' damping='.01'/><joint axis='1 0 0' stiffness='1'/><geom size='.005'/></body></body>
        <body name='c' pos='.1 .1 .01'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><geom size='.005'/></body>
        <body name='d' pos='0 .1 .01'><freejoint/><geom size='.005'/></body></worldbody>
        <deformable><flex name='f' dim='2' radius='.012' body='a b b c d' vertex='0 0 0  0 0 0  .05 .05 0  0 0 0  0 0 0'
        element='0 1 2  0 2 4  2 3 4'><contact passive='true' selfcollide='none'/>
        <elasticity young='2e4' poisson='.3' thickness='.01' elastic2d='both' damping='.01'/></flex></deformable></mujoco>";
    assert_eq!(differing(&manyworlds::load_str(text).unwrap(), TILINGS[0]), [""; 0]);
}
