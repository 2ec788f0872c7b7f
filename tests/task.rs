//! Tasks: both backends alike, episodes, draws, and what is refused.

#![allow(clippy::unwrap_used, reason = "tests")]

use manyworlds::batch::{Backend, Batch, BatchOptions, Numbers, TypedArray};
use manyworlds::model::Model;
use manyworlds::model::data::Capacity;
use manyworlds::model::task::Task;

/// A hinge with a motor. The reward is the turn of a step, an episode ends beyond half a radian or after six steps.
const TASK: &str = r#"{
    "frame_skip": 3, "max_episode_steps": 6, "autoreset": true, "action": 1,
    "nodes": [
        {"op": "field", "name": "qpos", "elements": [0], "size": 1},
        {"op": "variable", "name": "before", "elements": [0], "size": 1},
        {"op": "sub", "args": [0, 1], "size": 1},
        {"op": "abs", "args": [0], "size": 1},
        {"op": "const", "values": [0.5], "size": 1},
        {"op": "lt", "args": [4, 3], "size": 1},
        {"op": "action", "elements": [0], "size": 1},
        {"op": "uniform", "size": 1},
        {"op": "mul", "args": [7, 4], "size": 1},
        {"op": "field", "name": "xpos", "elements": [3, 4, 5], "size": 3},
        {"op": "steps", "size": 1},
        {"op": "concat", "args": [0, 1, 9, 10], "size": 6},
        {"op": "cos", "args": [0], "size": 1}
    ],
    "variables": [{"name": "before", "reset": 0, "update": 0}],
    "writes": [{"field": "ctrl", "elements": [0], "value": 6}],
    "resets": [{"field": "qpos", "elements": [0], "value": 8}],
    "observation": [{"name": "all", "value": 11}],
    "reward": [{"name": "turn", "value": 2}],
    "termination": [{"name": "far", "value": 5}],
    "metrics": [{"name": "cosine", "value": 12}]
}"#;

fn model() -> Model {
    manyworlds::load_str(
        r#"<mujoco>
             <option timestep="0.01"/>
             <worldbody>
               <body name="arm"><joint name="hinge" axis="0 1 0" damping="0.1"/><geom size="0.1" pos="0 0 -0.5"/></body>
             </worldbody>
             <actuator><motor joint="hinge"/></actuator>
           </mujoco>"#,
    )
    .unwrap()
}

fn batch(worlds: usize, backend: Backend) -> Batch {
    let mut model = model();
    model.set_task(&Task::from_json(TASK).unwrap()).unwrap();
    let mut batch = Batch::new(&model, worlds, &BatchOptions::on(backend)).unwrap();
    batch.seed_task(.., &vec![3; worlds], &(0..worlds as u32).collect::<Vec<_>>()).unwrap();
    batch.begin_episodes(..).unwrap();
    batch
}

/// Observation, reward, terms and ends of one world after each of some steps; the first row is the begin.
fn run(batch: &mut Batch, world: usize, steps: usize) -> Vec<Vec<f64>> {
    let worlds = batch.worlds();
    let mut rows = Vec::new();
    for step in 0..=steps {
        let mut row = Vec::new();
        for field in ["observation", "reward", "task_term", "terminated", "truncated"] {
            let values = batch.get(field, ..).unwrap().data.to_f64();
            let len = values.len() / worlds;
            row.extend(&values[world * len..(world + 1) * len]);
        }
        rows.push(row);
        let action = |w: usize| if w.is_multiple_of(2) { 0.2 } else { 60.0 * (step as f64 + 1.0) };
        batch.set("action", .., &(0..worlds).map(action).collect::<Vec<_>>()).unwrap();
        batch.step_task().unwrap();
    }
    rows
}

#[test]
fn episodes_end_and_begin() {
    let mut batch = batch(2, Backend::Cpu);
    let rows = run(&mut batch, 0, 14);
    // columns: angle, angle before, position of the body, steps, reward, two terms, ends
    let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<_>>();
    let steps = [0., 1., 2., 3., 4., 5., 6., 0., 1., 2., 3., 4., 5., 6., 0.];
    assert_eq!(column(5), steps);
    assert_eq!(column(10), steps.map(|n| f64::from(n == 6.0)));
    // the turn of each step; none where an episode begins
    for pair in rows.windows(2).filter(|pair| pair[1][5] > 0.0) {
        assert!((pair[1][6] - (pair[1][0] - pair[0][0])).abs() < 1e-12, "{pair:?}");
        assert!((pair[1][8] - pair[1][0].cos()).abs() < 1e-12);
    }
    assert_eq!((rows[7][6], rows[14][6]), (0.0, 0.0));
    // new draws begin each episode
    assert!(rows[0][0] != rows[7][0] && (0.0..0.5).contains(&rows[7][0]));
    // the other world turns too far, and ends early
    let rows = run(&mut self::batch(2, Backend::Cpu), 1, 4);
    assert!(rows.iter().any(|row| row[9] == 1.0 && row[0].abs() > 0.5));
}

#[test]
fn worlds_do_not_depend_on_the_batch() {
    let (mut few, mut many) = (batch(2, Backend::Cpu), batch(9, Backend::Cpu));
    assert_eq!(run(&mut few, 1, 9), run(&mut many, 1, 9));
    // begun anew with the same seed, they are the same
    let again = run(&mut batch(2, Backend::Cpu), 1, 9);
    assert_eq!(run(&mut batch(5, Backend::Cpu), 1, 9), again);
}

#[test]
fn kernels_compute_the_same() {
    for world in [0, 1] {
        let (mut cpu, mut gpu) = (batch(3, Backend::Cpu), batch(3, Backend::Gpu));
        for (a, b) in run(&mut cpu, world, 14).iter().zip(run(&mut gpu, world, 14)) {
            let worst = a.iter().zip(&b).map(|(x, y)| (x - y).abs() / (1.0 + x.abs())).fold(0.0, f64::max);
            assert!(worst < 2e-5, "{a:?} {b:?}");
        }
    }
}

/// Bits of what the last step has shown.
fn shown(batch: &mut Batch) -> Vec<u64> {
    let of = |array: TypedArray| match array.data {
        Numbers::F32(v) => v.into_iter().map(|x| f64::from(x).to_bits()).collect::<Vec<_>>(),
        Numbers::F64(v) => v.into_iter().map(f64::to_bits).collect(),
        Numbers::I32(v) => v.into_iter().map(|x| f64::from(x).to_bits()).collect(),
    };
    batch.observed().unwrap().into_iter().flat_map(of).collect()
}

#[test]
fn a_step_under_an_action_is_that_action_and_a_step_in_one_submission() {
    for backend in [Backend::Cpu, Backend::Gpu] {
        let (mut apart, mut at_once) = (batch(3, backend), batch(3, backend));
        for step in 0..9 {
            let action = [0.2, 20.0 * f64::from(step), -3.0];
            apart.set("action", .., &action).unwrap();
            apart.step_task().unwrap();
            let before = at_once.transfer_stats();
            at_once.act(&action).unwrap();
            let seen = shown(&mut at_once);
            let sent = at_once.transfer_stats().submissions - before.submissions;
            assert_eq!(sent, u64::from(backend == Backend::Gpu));
            assert_eq!(seen, shown(&mut apart));
            // seen twice, it is read
            assert_eq!(seen, shown(&mut at_once));
        }
        assert_eq!(apart.get("qpos", ..).unwrap(), at_once.get("qpos", ..).unwrap());
        assert!(at_once.act(&[1.0, 2.0]).is_err_and(|e| e.to_string().contains("need 3, got 2")));
        // what other calls have changed is shown, not what was on its way
        let everything = [true; 3];
        let changes: [&dyn Fn(&mut Batch); 6] = [
            &|batch| batch.begin_episodes(&everything).unwrap(),
            &|batch| batch.reset(.., None).unwrap(),
            &|batch| batch.clear_status(&everything).unwrap(),
            &|batch| batch.step_task().unwrap(),
            &|batch| batch.set("qpos", .., &[0.1; 3]).unwrap(),
            &|batch| drop(batch.rollout(2, None, &["qpos"], 1).unwrap()),
        ];
        for change in changes {
            // one world is to be flagged
            at_once.set("qvel", .., &[f64::NAN, 0.0, 0.0]).unwrap();
            at_once.act(&[1.0; 3]).unwrap();
            change(&mut at_once);
            let seen = shown(&mut at_once);
            assert_eq!(seen, shown(&mut at_once));
            let status = at_once.status().unwrap().into_iter().map(|bits| f64::from(bits).to_bits());
            assert_eq!(seen[seen.len() - 3..], status.collect::<Vec<_>>());
        }
    }
}

#[test]
fn worlds_that_grow_show_what_they_would_with_room() {
    // a box that falls on its face wants more contacts than there is room for
    let mut model = manyworlds::load_str(
        "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='5 5 1'/>
           <body pos='0 0 0.11'><joint name='z' type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .1'/></body>
         </worldbody><actuator><motor joint='z'/></actuator></mujoco>",
    )
    .unwrap();
    model
        .set_task(
            &Task::from_json(&TASK.replace("\"max_episode_steps\": 6", "\"max_episode_steps\": 60")).unwrap(),
        )
        .unwrap();
    let run = |nconmax: usize, njmax: usize, calls_between: bool| {
        let capacity = Some(Capacity { nconmax, njmax });
        let options = BatchOptions { capacity, ..BatchOptions::on(Backend::Gpu) };
        let mut batch = Batch::new(&model, 3, &options).unwrap();
        batch.begin_episodes(&[true; 3]).unwrap();
        let mut seen = Vec::new();
        for step in 0..30 {
            batch.act(&[0.0, -0.1 * f64::from(step), 0.1]).unwrap();
            // most steps are seen; some calls come in between
            match step % 4 * i32::from(calls_between) {
                1 => batch.set("qfrc_applied", .., &[0.0, -1.0, 0.0]).unwrap(),
                2 => continue,
                3 => batch.step(1).unwrap(),
                _ => {}
            }
            seen.extend(shown(&mut batch));
            assert!(seen.ends_with(&shown(&mut batch)));
        }
        seen.extend(batch.get("qpos", ..).unwrap().data.to_f64().into_iter().map(f64::to_bits));
        let contacts = batch.get("ncon_peak", ..).unwrap().data.to_f64();
        (seen, batch.growth().len(), contacts)
    };
    for calls_between in [false, true] {
        let (small, large) = (run(1, 4, calls_between), run(8, 40, calls_between));
        assert_eq!((&small.0, &small.2), (&large.0, &large.2), "{calls_between}");
        assert!(small.1 > 0 && large.1 == 0, "{} and {}", small.1, large.1);
        assert_eq!(large.2, [4.0; 3]);
    }
}

#[test]
fn one_world_begins_alone() {
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut batch = batch(3, backend);
        batch.set("action", .., &[0.2; 3]).unwrap();
        batch.step_task().unwrap();
        let before = batch.get("observation", ..).unwrap().data.to_f64();
        batch.begin_episodes(&[false, true, false]).unwrap();
        let after = batch.get("observation", ..).unwrap().data.to_f64();
        assert_eq!((&before[..6], &before[12..]), (&after[..6], &after[12..]));
        assert_eq!((before[11], after[11]), (1.0, 0.0));
        assert_eq!(batch.get("task_steps", ..).unwrap().data.to_f64(), [1.0, 0.0, 1.0]);
    }
}

#[test]
fn wrong_tasks_are_refused_with_a_reason() {
    let refused = |from: &str, to: &str, why: &str| {
        assert!(TASK.contains(from), "{from}");
        let task = Task::from_json(&TASK.replacen(from, to, 1));
        let text = task.and_then(|task| model().set_task(&task)).unwrap_err().to_string();
        assert!(text.contains(why), "{text}");
    };
    refused("\"qpos\", \"elements\"", "\"qpso\", \"elements\"", "did you mean 'qpos'?");
    refused("\"elements\": [3, 4, 5]", "\"elements\": [3, 4, 6]", "no element 6");
    refused("\"args\": [0, 1]", "\"args\": [0, 9]", "not before it");
    refused("{\"op\": \"cos\", \"args\": [0]", "{\"op\": \"cos\", \"args\": [9]", "lengths [3]");
    refused("\"value\": 2", "\"value\": 9", "'turn' is a single number");
    refused("\"field\": \"ctrl\"", "\"field\": \"xpos\"", "no field that a task may set");
    refused("\"frame_skip\": 3", "\"frame_skip\": 0", "frame_skip is 0");
    refused("\"frame_skip\": 3", "\"frame_skips\": 3", "unknown field");
    // a value that reads another field that is set with it
    refused(
        "\"resets\": [",
        "\"resets\": [{\"field\": \"qvel\", \"elements\": [0], \"value\": 3}, ",
        "let a variable remember it",
    );
    // what is computed differs between the two resets of a step
    refused(
        "{\"op\": \"uniform\", \"size\": 1}",
        "{\"op\": \"field\", \"name\": \"xpos\", \"elements\": [5], \"size\": 1}",
        "'xpos', which is not known where an episode begins",
    );
    // lanes set elements in no order
    refused(
        "\"resets\": [",
        "\"resets\": [{\"field\": \"qpos\", \"elements\": [0], \"value\": 4}, ",
        "element 0 of 'qpos' is set twice",
    );
    refused(
        "\"name\": \"qpos\", \"elements\": [0]",
        "\"name\": \"qfrc_inverse\", \"elements\": [0]",
        "inverse dynamics",
    );
    refused(
        "\"op\": \"uniform\", \"size\": 1",
        "\"op\": \"uniform\", \"size\": 18446744073709551615",
        "length 18446744073709551615",
    );
    // what laws of contacts alone are computed for
    let drawn = "{\"op\": \"uniform\", \"size\": 1}";
    refused(drawn, "{\"op\": \"argument\", \"elements\": [0], \"size\": 1}", "no element 0: it has 0");
    refused(
        drawn,
        "{\"op\": \"row\", \"name\": \"xpos\", \"width\": 3, \"elements\": [0], \"args\": [4], \"size\": 1}",
        "'xpos', which is not known where an episode begins",
    );
    // rows that are not there
    let row = |name: &str, rest: &str| {
        format!("{{\"op\": \"row\", \"name\": \"{name}\", {rest}, \"args\": [0], \"size\": 1}}")
    };
    refused(drawn, &row("qpos", "\"width\": 2, \"elements\": [0]"), "no rows of 2 numbers");
    refused(drawn, &row("numeric_data", "\"width\": 1, \"elements\": [0]"), "no rows of 1 numbers");
    refused(
        drawn,
        &row("xpos", "\"width\": 3, \"first\": 3, \"count\": 2, \"elements\": [0]"),
        "no 2 rows of 3 numbers",
    );
    refused(drawn, &row("task_table", "\"width\": 1, \"elements\": [1]"), "does not go with");
    refused("\"frame_skip\": 3", "\"frame_skip\": 3, \"table\": [1e999]", "the task");
    // in a kernel this would be no number
    let of_constant = |op: &str| format!("\"op\": \"{op}\", \"args\": [4]");
    for op in ["log", "sqrt"] {
        let text =
            TASK.replace("[0.5]", "[-0.5]").replace("\"op\": \"cos\", \"args\": [0]", &of_constant(op));
        let error = model().set_task(&Task::from_json(&text).unwrap()).unwrap_err().to_string();
        assert!(error.contains("node 12") && error.contains("of constants is NaN"), "{error}");
    }
    refused(
        drawn,
        &row("before", "\"width\": 1, \"elements\": [0]").replace("row", "recall").replace("before", "after"),
        "no variable 'after'",
    );
    refused("\"action\": 1,", "\"action\": 18446744073709551615,", "at most");
    assert!(batch(1, Backend::Cpu).set("task_key", .., &[0.0; 3]).is_err());
    assert!(Batch::new(&model(), 1, &BatchOptions::on(Backend::Cpu)).unwrap().step_task().is_err());
}

/// A clock whose last readings are remembered, newest first, and looked up by rows that exist and that do not; and pairs from a
/// table behind a number that is not theirs.
const ROWS: &str = r#"{
    "frame_skip": 1, "max_episode_steps": 9, "autoreset": true, "action": 1,
    "table": [-1, 10, 11, 20, 21, 30, 31],
    "nodes": [
        {"op": "steps", "size": 1},
        {"op": "variable", "name": "past", "elements": [0, 1, 2], "size": 3},
        {"op": "concat", "args": [0, 1], "size": 4},
        {"op": "const", "values": [100, 100, 100, 100], "size": 4},
        {"op": "action", "elements": [0], "size": 1},
        {"op": "recall", "name": "past", "width": 1, "elements": [0], "args": [4], "size": 1},
        {"op": "row", "name": "task_table", "first": 1, "width": 2, "elements": [1, 0], "args": [4], "size": 2},
        {"op": "row", "name": "xipos", "width": 3, "elements": [2], "args": [4], "size": 1},
        {"op": "log", "args": [0], "size": 1},
        {"op": "row", "name": "task_table", "first": 1, "width": 2, "count": 2, "elements": [0], "args": [8], "size": 1},
        {"op": "concat", "args": [5, 6, 7, 9], "size": 5}
    ],
    "variables": [{"name": "past", "reset": 3, "update": 2}],
    "writes": [], "resets": [], "reward": [], "termination": [], "metrics": [],
    "observation": [{"name": "all", "value": 10}]
}"#;

#[test]
fn rows_are_looked_up_by_numbers_that_are_computed() {
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut model = model();
        model.set_task(&Task::from_json(ROWS).unwrap()).unwrap();
        let mut batch = Batch::new(&model, 1, &BatchOptions::on(backend)).unwrap();
        batch.seed_task(.., &[1], &[0]).unwrap();
        batch.begin_episodes(..).unwrap();
        let mut past = [100.0; 4];
        for (step, row) in [-7.0, 0.0, 0.4, 1.0, 1.99, 2.0, 3.0, 1e30].into_iter().enumerate() {
            batch.set("action", .., &[row]).unwrap();
            batch.step_task().unwrap();
            let time = step as f64 + 1.0;
            past = [time, past[0], past[1], past[2]];
            let of = |most: f64| f64::floor(row).clamp(0.0, most) as usize;
            let (pair, body) = (10.0 * (of(2.0) as f64 + 1.0), of(1.0) as f64);
            // the logarithm of the step is a row of two
            let logarithm = if f64::ln(time) < 1.0 { 10.0 } else { 20.0 };
            let seen = batch.get("observation", ..).unwrap().data.to_f64();
            assert_eq!(seen[..3], [past[of(3.0)], pair + 1.0, pair], "{backend:?}, row {row}");
            assert!((seen[3] + 0.5 * body).abs() < 0.1 * body + 1e-9 && seen[4] == logarithm, "{seen:?}");
        }
    }
}

/// What the first episode of [`ROWS`] shows after a step, in which a number is the action and the argument of `op`.
fn shown_of(op: &str, x: f64, value: usize, backend: Backend) -> Vec<f64> {
    let text = ROWS.replacen("\"steps\"", "\"action\", \"elements\": [0]", 1);
    let text = text.replacen("\"log\"", &format!("\"{op}\""), 1);
    let text = text.replacen("\"value\": 10", &format!("\"value\": {value}"), 1);
    let mut model = model();
    model.set_task(&Task::from_json(&text).unwrap()).unwrap();
    let mut batch = Batch::new(&model, 1, &BatchOptions::on(backend)).unwrap();
    batch.begin_episodes(..).unwrap();
    batch.set("action", .., &[x]).unwrap();
    batch.step_task().unwrap();
    batch.get("observation", ..).unwrap().data.to_f64()
}

#[test]
fn what_is_not_finite_is_the_first_row() {
    for backend in [Backend::Cpu, Backend::Gpu] {
        // infinity and NaN
        for (x, op) in [(1e9, "exp"), (-1.0, "log")] {
            assert_eq!(shown_of(op, x, 10, backend)[4], 10.0, "{backend:?}, {op} of {x}");
        }
    }
}

#[test]
fn logarithm_and_exponential_are_what_they_are_at_their_ends() {
    let (log, exp) = ([0.0, -1.0, 1e-30, 3.0], [88.5, 89.0, -88.0, -200.0]);
    let text = r#"{
        "frame_skip": 1, "action": 8,
        "nodes": [
            {"op": "action", "elements": [0, 1, 2, 3], "size": 4}, {"op": "log", "args": [0], "size": 4},
            {"op": "action", "elements": [4, 5, 6, 7], "size": 4}, {"op": "exp", "args": [2], "size": 4}
        ],
        "observation": [{"name": "logarithm", "value": 1}, {"name": "exponential", "value": 3}]
    }"#;
    let given = [log, exp].concat();
    let expected = log.iter().map(|x: &f64| x.ln()).chain(exp.iter().map(|x: &f64| x.exp()));
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut model = model();
        model.set_task(&Task::from_json(text).unwrap()).unwrap();
        let mut batch = Batch::new(&model, 1, &BatchOptions::on(backend)).unwrap();
        batch.set("action", .., &given).unwrap();
        batch.step_task().unwrap();
        let seen = batch.get("observation", ..).unwrap().data.to_f64();
        for ((x, seen), expected) in given.iter().zip(seen).zip(expected.clone()) {
            // in single precision; what is less than a normal number may be zero
            let (seen, expected) = (seen as f32, expected as f32);
            let is_same = seen == expected || (seen.is_nan() && expected.is_nan());
            let is_near = (seen - expected).abs() < 4e-6 * expected.abs() + f32::MIN_POSITIVE;
            assert!(is_same || is_near, "{backend:?} {x}: {seen}, {expected}");
        }
    }
}

#[test]
fn a_ray_of_constants_is_cast() {
    // from below, at the ball of the arm that hangs
    let text = r#"{
        "frame_skip": 1, "action": 0,
        "nodes": [
            {"op": "const", "values": [0], "size": 1}, {"op": "const", "values": [-2], "size": 1},
            {"op": "const", "values": [1], "size": 1},
            {"op": "ray", "geoms": [0], "most": 9, "args": [0, 0, 1, 0, 0, 2], "size": 1}
        ],
        "observation": [{"name": "distance", "value": 3}]
    }"#;
    let mut model = model();
    model.set_task(&Task::from_json(text).unwrap()).unwrap();
    let mut batch = Batch::new(&model, 1, &BatchOptions::on(Backend::Cpu)).unwrap();
    batch.begin_episodes(..).unwrap();
    let seen = batch.get("observation", ..).unwrap().data.to_f64();
    assert!((seen[0] - 1.4).abs() < 1e-12, "{seen:?}");
    let missing = Task::from_json(&text.replace("[0], \"most\"", "[7], \"most\"")).unwrap();
    assert!(model.set_task(&missing).unwrap_err().to_string().contains("no geom 7"));
}

#[test]
fn nothing_is_left_of_episodes_before_a_seed() {
    // what is remembered goes up by one with each episode
    let text = ROWS.replacen("\"reset\": 3", "\"reset\": 11", 1).replacen(
        "\"size\": 5}",
        "\"size\": 5}, {\"op\": \"add\", \"args\": [1, 0], \"size\": 3}",
        1,
    );
    let text = text.replacen(
        "{\"op\": \"steps\", \"size\": 1}",
        "{\"op\": \"const\", \"values\": [1], \"size\": 1}",
        1,
    );
    let text = text.replacen("\"update\": 2", "\"update\": 1", 1).replacen(
        "\"args\": [0, 1], \"size\": 4",
        "\"args\": [0, 1, 1], \"size\": 7",
        1,
    );
    for backend in [Backend::Cpu, Backend::Gpu] {
        let mut model = model();
        model.set_task(&Task::from_json(&text).unwrap()).unwrap();
        let mut batch = Batch::new(&model, 2, &BatchOptions::on(backend)).unwrap();
        let variables = |batch: &mut Batch| batch.get("task_variable", ..).unwrap().data.to_f64();
        batch.begin_episodes(..).unwrap();
        batch.begin_episodes(..).unwrap();
        assert_eq!(variables(&mut batch), [2.0; 6]);
        batch.seed_task(&[1], &[4], &[0]).unwrap();
        batch.begin_episodes(..).unwrap();
        assert_eq!(variables(&mut batch), [3.0, 3.0, 3.0, 1.0, 1.0, 1.0], "{backend:?}");
    }
}

#[test]
fn files_keep_the_task() {
    let mut model = model();
    model.set_task(&Task::from_json(&TASK.replace("0.5", "0.12345678901234567")).unwrap()).unwrap();
    let again = Model::from_mwb(&model.to_mwb()).unwrap();
    assert!(again.task.is_some() && again == model);
    model.set_task(&Task::from_json(ROWS).unwrap()).unwrap();
    let again = Model::from_mwb(&model.to_mwb()).unwrap();
    assert!(again.task_table == [-1.0, 10.0, 11.0, 20.0, 21.0, 30.0, 31.0] && again == model);
}

/// What observes a goal and passes it on, with a policy of three layers and a command.
const FOLLOWS: &str = r#"{
    "frame_skip": 2, "max_episode_steps": 40, "autoreset": true, "action": 1,
    "nodes": [
        {"op": "variable", "name": "goal", "elements": [0, 1], "size": 2},
        {"op": "field", "name": "qpos", "elements": [0], "size": 1},
        {"op": "action", "elements": [0], "size": 1},
        {"op": "uniform", "size": 2},
        {"op": "variable", "name": "left", "elements": [0], "size": 1},
        {"op": "const", "values": [0.05], "size": 1},
        {"op": "lt", "args": [4, 5], "size": 1},
        {"op": "select", "args": [6, 3, 0], "size": 2},
        {"op": "const", "values": [0.2], "size": 1},
        {"op": "sub", "args": [4, 5], "size": 1},
        {"op": "select", "args": [6, 8, 9], "size": 1}
    ],
    "variables": [{"name": "left", "reset": 8, "update": 10}, {"name": "goal", "reset": 3, "update": 7}],
    "writes": [{"field": "ctrl", "elements": [0], "value": 2}],
    "observation": [{"name": "x", "value": 1}, {"name": "goal", "value": 0}],
    "policy": {"mean": [0.1, 0, 0.5], "deviation": [0.5, 1, 2], "limit": 3, "low": [-1], "high": [2],
        "layers": [{"weights": [1, -1, 0.5, 0, 0.3, 0.2], "biases": [0.1, -0.2]}, {"weights": [0.7, -0.4], "biases": [0.05]}]},
    "commands": [{"name": "goal", "timer": "left", "numbers": [
        {"name": "a", "low": 0, "high": 1}, {"name": "b", "low": -1, "high": 1}]}]
}"#;

#[test]
fn policies_act_and_commands_stay_until_they_are_released() {
    let mut model = model();
    model.set_task(&Task::from_json(FOLLOWS).unwrap()).unwrap();
    // the policy by hand
    let act = |o: &[f64]| {
        let x = [(o[0] - 0.1) / 0.5, o[1], (o[2] - 0.5) / 2.0].map(|x| x.clamp(-3.0, 3.0));
        let a = (0.1 + x[0] - x[1] + 0.5 * x[2]).tanh();
        let b = (-0.2 + 0.3 * x[1] + 0.2 * x[2]).tanh();
        -1.0 + 1.5 * ((0.05 + 0.7 * a - 0.4 * b).clamp(-1.0, 1.0) + 1.0)
    };
    for backend in [Backend::Cpu, Backend::Gpu] {
        let worlds = 3;
        let mut batch = Batch::new(&model, worlds, &BatchOptions::on(backend)).unwrap();
        batch.seed_task(.., &[5; 3], &[0, 1, 2]).unwrap();
        batch.begin_episodes(..).unwrap();
        let get = |batch: &mut Batch, name: &str| batch.get(name, ..).unwrap().data.to_f64();
        let goals =
            |batch: &mut Batch| get(batch, "observation").chunks(3).map(|o| [o[1], o[2]]).collect::<Vec<_>>();
        let mut changed = 0;
        for _ in 0..12 {
            let (seen, before) = (get(&mut batch, "observation"), goals(&mut batch));
            batch.follow_policy().unwrap();
            for (o, got) in seen.chunks(3).zip(get(&mut batch, "action")) {
                assert!((act(o) - got).abs() < 1e-6, "{}: {got}, not {}", backend.name(), act(o));
            }
            batch.step_task().unwrap();
            changed += usize::from(goals(&mut batch)[0] != before[0]);
        }
        assert!((2..5).contains(&changed), "drawn every four or five steps: {changed}");
        // one world is given a command; the others go on
        batch.command(1, "goal", Some(&[0.25, -0.5])).unwrap();
        for _ in 0..10 {
            batch.step_task().unwrap();
            let all = goals(&mut batch);
            assert_eq!(all[1], [0.25, -0.5]);
            assert!(all[0][0] != 0.25 && all[2][0] != 0.25);
        }
        batch.command(1, "goal", None).unwrap();
        batch.step_task().unwrap();
        assert!(goals(&mut batch)[1] != [0.25, -0.5]);
    }
}

#[test]
fn policies_and_commands_that_do_not_fit_are_refused() {
    let told = |from: &str, to: &str| {
        assert!(FOLLOWS.contains(from), "{from}");
        let task = Task::from_json(&FOLLOWS.replacen(from, to, 1)).unwrap();
        model().set_task(&task).unwrap_err().to_string()
    };
    assert!(told("\"mean\": [0.1, 0, 0.5]", "\"mean\": [0.1, 0]").contains("the policy of the task: "));
    assert!(told("[0.7, -0.4]", "[0.7]").contains("layer 1 has 1 weights; 1 units of 2 are 2"));
    assert!(
        told("\"name\": \"goal\", \"timer\"", "\"name\": \"gaol\", \"timer\"").contains("command 'gaol'")
    );
    assert!(told("\"timer\": \"left\"", "\"timer\": \"goal\"").contains("its timer 'goal'"));
    assert!(told("\"low\": 0, \"high\": 1", "\"low\": 2, \"high\": 1").contains("'a' has no range"));
    assert!(
        Task::from_json(&FOLLOWS.replace("\"limit\"", "\"limits\""))
            .unwrap_err()
            .to_string()
            .contains("limits")
    );
    let mut batch = batch(1, Backend::Cpu);
    assert!(batch.follow_policy().unwrap_err().to_string().contains("has no policy"));
    assert!(batch.command(.., "goal", None).unwrap_err().to_string().contains("no command 'goal'"));
}
