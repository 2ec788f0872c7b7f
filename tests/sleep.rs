//! Sleeping trees: bodies at rest stay in place to the bit until disturbed. `tests/parity/sleep.py` compares when
//! trees sleep with the reference.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::batch::{Backend, Batch, BatchOptions};
use manyworlds::load_str;
use manyworlds::model::Model;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Gpu];

/// Two stacked boxes and one beside them, with a touch sensor each.
fn boxes(sleep: [&str; 3]) -> Model {
    let body = |k: usize, pos: &str| {
        let policy = sleep[k];
        let sleep = if policy.is_empty() { String::new() } else { format!("sleep='{policy}'") };
        format!(
            "<body name='b{k}' pos='{pos}' {sleep}><freejoint/><geom type='box' size='.1 .1 .1'/>\
             <site name='s{k}' type='box' size='.12 .12 .12'/></body>"
        )
    };
    load_str(&format!(
        "<mujoco><option><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>{}{}{}</worldbody>\
         <sensor><touch site='s0'/><touch site='s1'/><touch site='s2'/></sensor></mujoco>",
        body(0, "0 0 .1"),
        body(1, "0 0 .3"),
        body(2, "1 0 .1"),
    ))
    .unwrap()
}

fn open(model: &Model, worlds: usize, backend: Backend) -> Batch {
    Batch::new(model, worlds, &BatchOptions::on(backend)).unwrap()
}

fn numbers(batch: &mut Batch, field: &str) -> Vec<f64> {
    batch.get(field, ..).unwrap().data.to_f64()
}

#[test]
fn boxes_at_rest_sleep_until_one_is_pushed() {
    let model = boxes([""; 3]);
    for backend in BACKENDS {
        let mut batch = open(&model, 2, backend);
        batch.step(300).unwrap();
        // the two in contact sleep in one cycle
        assert_eq!(numbers(&mut batch, "tree_asleep"), [1.0, 0.0, 2.0, 1.0, 0.0, 2.0], "{backend:?}");
        let (place, felt) = (numbers(&mut batch, "qpos"), numbers(&mut batch, "sensordata"));
        assert!(felt.iter().all(|f| *f > 0.0), "{felt:?}");
        batch.step(100).unwrap();
        assert_eq!(numbers(&mut batch, "qpos"), place, "{backend:?}");
        assert_eq!(numbers(&mut batch, "sensordata"), felt, "{backend:?}");
        assert_eq!(numbers(&mut batch, "nefc"), [0.0; 2]);
        // a push wakes both boxes in one world, and none in the others
        let mut push = vec![0.0; 2 * model.sizes.nbody * 6];
        push[(model.sizes.nbody + 2) * 6] = 1.0;
        batch.set("xfrc_applied", .., &push).unwrap();
        batch.step(1).unwrap();
        assert_eq!(numbers(&mut batch, "tree_asleep"), [1.0, 0.0, 2.0, -10.0, -11.0, 2.0], "{backend:?}");
        assert_eq!(numbers(&mut batch, "ncon"), [0.0, 8.0]);
        batch.step(20).unwrap();
        assert_eq!(numbers(&mut batch, "qpos")[..21], place[..21], "{backend:?}");
        assert_ne!(numbers(&mut batch, "qpos")[21..], place[21..], "{backend:?}");
    }
}

#[test]
fn what_falls_on_a_sleeper_wakes_it() {
    let model = boxes(["", "", ""]);
    for backend in BACKENDS {
        let mut batch = open(&model, 1, backend);
        batch.step(300).unwrap();
        // the lone sleeper is lifted above the stack: this wakes it, and its fall wakes the others
        let mut place = numbers(&mut batch, "qpos");
        place[14..17].copy_from_slice(&[0.0, 0.0, 0.55]);
        batch.set("qpos", .., &place).unwrap();
        batch.step(5).unwrap();
        let early = numbers(&mut batch, "tree_asleep");
        assert!(early[..2] == [1.0, 0.0] && early[2] < 0.0, "{backend:?} {early:?}");
        batch.step(100).unwrap();
        assert!(numbers(&mut batch, "tree_asleep").iter().all(|t| *t < 0.0), "{backend:?}");
        batch.step(1000).unwrap();
        assert_eq!(numbers(&mut batch, "tree_asleep"), [1.0, 2.0, 0.0], "{backend:?}");
        let heights: Vec<f64> = numbers(&mut batch, "qpos").chunks(7).map(|q| q[2]).collect();
        assert!(heights.iter().zip([0.1, 0.3, 0.5]).all(|(z, want)| (z - want).abs() < 0.01), "{heights:?}");
    }
}

#[test]
fn trees_sleep_from_the_start_where_all_that_they_touch_does() {
    let model = boxes(["init", "init", "never"]);
    assert_eq!(model.tree_asleep0, [1, 0, -11]);
    assert!(model.warnings.is_empty());
    let model = boxes(["init", "", "init"]);
    assert_eq!(model.tree_asleep0, [-11, -10, 2]);
    let said: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    assert!(said.len() == 1 && said[0].contains("'b0' starts awake"), "{said:?}");
}

#[test]
fn cycles_of_sleepers_that_end_nowhere_are_refused() {
    let mut batch = Batch::new(&boxes(["", "", ""]), 1, &BatchOptions::on(Backend::Cpu)).expect("a batch");
    for cycle in [[1.0, 3.0, 0.0], [1.0, -2.0, -1.0]] {
        let said = batch.set("tree_asleep", .., &cycle).expect_err("an error").to_string();
        assert!(said.contains("'tree_asleep' of world 0"), "{said}");
    }
}
