//! Kernels of deformable bodies beside the CPU, stage by stage: what constraints keep, what meets itself, what is between
//! nodes, and which contacts stay.
//!
//! Needs a GPU adapter, hardware or software; without one these tests fail.
#![cfg(feature = "gpu")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use manyworlds::analysis::check::{self, CheckOptions};
use manyworlds::gpu::{AdapterPreference, Gpu, GpuBatch, KernelOptions, WorkingSetSpace};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;

/// A model above a plane.
fn scene(options: &str, bodies: &str) -> Model {
    manyworlds::load_str(&format!(
        "<mujoco>{options}<worldbody><geom type='plane' size='1 1 .1'/>{bodies}</worldbody></mujoco>"
    ))
    .unwrap()
}

/// Asserts that kernels with some lanes for each world agree with the CPU in all stages, which finds at least `contacts` in some
/// state.
fn agree(model: &Model, contacts: usize, lanes: usize) {
    let kernels = KernelOptions {
        lanes: Some(lanes),
        worlds_per_group: Some(2),
        placement: Some(if lanes > 1 { WorkingSetSpace::Workgroup } else { WorkingSetSpace::Storage }),
        ..KernelOptions::default()
    };
    let options = CheckOptions { worlds: 2, steps: 30, seed: 3, from: None };
    let capacity = check::needed_capacity(model, Capacity { nconmax: 1, njmax: 1 }, &options);
    assert!(capacity.nconmax >= contacts, "{capacity:?}");
    let gpu = Gpu::open(AdapterPreference::Any).unwrap();
    let mut batch = GpuBatch::new(&gpu, model.clone(), 2, capacity, &kernels).unwrap();
    let report = check::run(model, capacity, &mut batch, &options).unwrap();
    let over: Vec<_> = report.rows.iter().filter(|row| row.over()).collect();
    assert!(report.passed(), "{over:?}");
    // rounding may decide a few contacts, not many
    assert!(report.borderline * 10 <= report.compared, "{} of {}", report.borderline, report.compared);
}

/// Numbers of a list as an attribute.
fn attribute(numbers: impl IntoIterator<Item = f64>) -> String {
    numbers.into_iter().map(|x| format!("{x:.5} ")).collect()
}

/// A rope in narrow turns, whose pieces touch.
fn coil(selfcollide: &str) -> String {
    let point = |k: usize| {
        let (turn, k) = (1.1 * k as f64, k as f64);
        [0.03 * turn.cos() * (1.0 + 0.01 * k), 0.03 * turn.sin(), 0.1 + 0.0035 * k]
    };
    let pieces = (0..13).flat_map(|k| [k, k + 1]).map(f64::from);
    format!(
        "<flexcomp name='coil' type='direct' dim='1' radius='.012' mass='.1' point='{}' element='{}'>
        <edge equality='true' solref='.01 1'/><contact selfcollide='{selfcollide}'/></flexcomp>",
        attribute((0..14).flat_map(point)),
        pieces.map(|x| format!("{x} ")).collect::<String>()
    )
}

/// A strip folded over, whose halves touch.
fn fold(selfcollide: &str) -> String {
    let point = |k: usize| {
        let (at, height) = if k < 4 { (k, 0.0) } else { (6 - k, 0.009) };
        let k = k as f64;
        [0.0, 0.06].map(|y| [0.05 * at as f64 + 0.004 * k, y + 0.002 * k, 0.1 + height + 0.0015 * k])
    };
    let triangles = (0..6).map(|k| 2 * k).flat_map(|a| [a, a + 1, a + 2, a + 1, a + 3, a + 2]);
    format!(
        "<flexcomp name='fold' type='direct' dim='2' radius='.008' mass='.1' pos='.3 0 0' point='{}' element='{}'>
        <edge equality='true' solref='.01 1'/><contact selfcollide='{selfcollide}'/></flexcomp>",
        attribute((0..7).flat_map(point).flatten()),
        triangles.map(|x: usize| format!("{x} ")).collect::<String>()
    )
}

/// A box of elements on a grid, with more attributes and elements.
fn grid(name: &str, count: &str, pos: &str, more: &str, elements: &str) -> String {
    format!(
        "<flexcomp name='{name}' type='grid' dim='3' count='{count}' spacing='.05 .05 .05' pos='{pos}' mass='.4'
        radius='.01' {more}>{elements}</flexcomp>"
    )
}

const ALONE: &str = "<contact selfcollide='none'/>";
const SOFT: &str = "<contact selfcollide='none'/><elasticity young='2e3' poisson='.2' damping='.001'/>";

#[test]
fn vertices_keep_the_strain_around_them() {
    // two immovable vertices next to each other, and one by itself
    let sheet =
        "<geom size='.1' pos='.02 .01 .1'/><flexcomp name='v' type='grid' dim='2' count='5 4 1' mass='.3'
        spacing='.05 .06 .1' radius='.005' pos='0 0 .22'><edge equality='vert' solref='.01 1'/>
        <contact selfcollide='none'/><pin id='0 1 4'/></flexcomp>";
    let m = scene("", sheet);
    assert_eq!(m.flex_tiedvertnum, [20]);
    agree(&m, 5, 1);
}

#[test]
#[ignore = "SwiftShader compiles it for minutes: by hand, after a change of kernels"]
fn a_flex_meets_itself_in_the_order_of_its_mode() {
    agree(&scene("", &coil("auto")), 15, 8);
    agree(&scene("", &fold("bvh")), 15, 1);
}

#[test]
#[ignore = "SwiftShader compiles it for minutes: by hand, after a change of kernels"]
fn flexes_on_bodies_and_between_nodes_meet() {
    let on_bodies = grid("t", "3 2 2", ".02 .01 .2", "", SOFT);
    let between = grid("i", "3 3 2", ".03 0 .045", "dof='trilinear'", SOFT);
    agree(&scene("<option timestep='.001'/>", &(coil("narrow") + &on_bodies + &between)), 15, 8);
}

#[test]
fn solids_stand_between_nodes() {
    let a = grid(
        "a",
        "5 3 3",
        "0 0 .14",
        "dof='trilinear' cellcount='2 1 1'",
        "<contact selfcollide='narrow'/><elasticity young='2e3' poisson='.2' damping='.002'/><pin id='0 1'/>",
    );
    let b = grid("b", "3 3 3", ".3 0 .06", "euler='10 25 0' dof='quadratic'", SOFT);
    agree(&scene("<option timestep='.0005'/>", &format!("<geom size='.05' pos='0 0 .05'/>{a}{b}")), 8, 8);
}

#[test]
fn shells_stretch_and_bend_between_nodes() {
    let thin = "<contact selfcollide='none'/><elasticity young='2e3' poisson='.2' thickness='.01' elastic2d='both'/>";
    let a = grid("a", "4 4 4", "0 0 .08", "dof='trilinear' cellcount='2 2 2'", thin);
    let b = grid("b", "3 3 3", ".4 0 .065", "euler='10 5 0' dof='quadratic'", thin);
    agree(&scene("<option timestep='.0002'/>", &(a + &b)), 4, 1);
}

#[test]
fn cells_and_faces_keep_their_strain() {
    let strain = format!("{ALONE}<edge equality='strain' solref='.01 1'/>");
    let a = grid(
        "a",
        "3 3 3",
        "0 0 .055",
        "dof='trilinear' cellcount='2 1 1'",
        &(strain.clone() + "<pin id='0'/>"),
    );
    let b = grid(
        "b",
        "3 3 3",
        ".4 0 .055",
        "dof='trilinear'",
        &(strain + "<elasticity thickness='.01' elastic2d='both'/>"),
    );
    agree(&scene("", &(a + &b)), 8, 8);
}

#[test]
fn contacts_of_a_rigid_flex_are_spread() {
    let rigid = grid("r", "8 8 2", "0 0 0", "rigid='true'", ALONE);
    let body = format!(
        "<body name='b' pos='0 0 .034' euler='1 2 0'><freejoint/>
        <inertial pos='0 0 0' mass='.5' diaginertia='2e-3 2e-3 2e-3'/>{rigid}</body>"
    );
    let between = grid("i", "8 8 2", ".6 0 .034", "euler='1 2 0' dof='trilinear'", SOFT);
    // more are found than stay
    agree(&scene("", &(body + &between)), 90, 8);
}

#[test]
fn a_sheet_meets_a_signed_distance_field() {
    let options =
        "<extension><plugin plugin='mujoco.sdf.torus'><instance name='t'><config key='radius1' value='.15'/>
        <config key='radius2' value='.06'/></instance></plugin></extension><option sdf_initpoints='20'/>
        <asset><mesh name='t'><plugin instance='t'/></mesh></asset>";
    let sheet = "<geom type='sdf' mesh='t' pos='0 0 .06'><plugin instance='t'/></geom>
        <flexcomp name='c' type='grid' dim='2' count='6 5 1' spacing='.06 .06 .06' pos='.02 .01 .125' mass='.3'
        radius='.005'><contact selfcollide='none'/><edge equality='true' solref='.01 1'/></flexcomp>";
    agree(&scene(options, sheet), 10, 8);
}

#[test]
#[ignore = "SwiftShader compiles it for minutes: by hand, after a change of kernels"]
fn sheets_and_solids_lie_on_a_height_field() {
    let options = "<option timestep='.001'/><asset><hfield name='h' nrow='4' ncol='4' size='.4 .4 .1 .05'
        elevation='0 .2 .3 0 .2 .5 .6 .1 .1 1 .4 .2 0 .1 .2 0'/></asset>";
    let sheet = "<geom type='hfield' hfield='h' pos='0 0 .01'/><flexcomp name='c' type='grid' dim='2' count='3 3 1'
        spacing='.06 .06 .06' pos='0 0 .095' radius='.01' mass='.5'><contact selfcollide='none'/><edge equality='true'/>
        </flexcomp>";
    let solid = grid("s", "2 2 3", ".2 .2 .1", "", SOFT);
    agree(&scene(options, &(sheet.to_owned() + &solid)), 10, 1);
}

#[test]
fn a_piece_of_a_rope_touches_a_face_once() {
    // on a cap, slightly askew, and within
    let rope = |name: &str, pos: &str| {
        format!(
            "<flexcomp name='{name}' type='grid' dim='1' count='4 1 1' spacing='.04 .1 .1' mass='.1' radius='.01'
            pos='{pos}'><edge equality='true' solref='.01 1'/>{ALONE}</flexcomp>"
        )
    };
    let drum = "<geom type='cylinder' size='.08 .05' pos='0 0 .1' euler='2 3 0'/>";
    let m = scene("", &(drum.to_owned() + &rope("on", "0 .02 .157") + &rope("within", ".01 -.03 .13")));
    agree(&m, 6, 1);
}

#[test]
fn what_is_kept_sleeps_and_wakes() {
    let sheet =
        "<flexcomp name='v' type='grid' dim='2' count='3 3 1' spacing='.06 .06 .06' pos='0 0 .1' mass='.2'
        radius='.01'><contact selfcollide='none'/><edge equality='vert' solref='.01 1'/></flexcomp>";
    let strain = format!("{ALONE}<edge equality='strain' solref='.01 1'/>");
    let solid = grid("s", "2 2 2", ".3 0 .1", "dof='trilinear'", &strain);
    let elastic = grid("e", "2 2 2", ".6 0 .1", "dof='trilinear'", SOFT);
    // at rest, as nothing pulls
    let options =
        "<option sleep_tolerance='.01' gravity='0 0 0'><flag sleep='enable' contact='disable'/></option>";
    agree(&scene(options, &format!("{sheet}{solid}{elastic}")), 0, 8);
}
