//! A task with every operation, and the text of its functions.

use super::*;
use manyworlds_model::model::Model;
use manyworlds_model::model::task::{LawForce, LawTarget, Laws, Node, Task, Term, Variable, Write};
use manyworlds_model::schema::Sizes;

/// Operations on one argument, element by element.
const UNARY: [Op; 11] = [
    Op::Neg,
    Op::Abs,
    Op::Sqrt,
    Op::Exp,
    Op::Log,
    Op::Sin,
    Op::Cos,
    Op::Tanh,
    Op::Floor,
    Op::Not,
    Op::IsFinite,
];

/// Operations on two arguments, element by element.
const BINARY: [Op; 13] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Min,
    Op::Max,
    Op::Lt,
    Op::Le,
    Op::Eq,
    Op::Ne,
    Op::And,
    Op::Or,
    Op::Atan2,
];

/// A task with every operation, on short and long vectors.
pub(crate) fn everything() -> Task {
    let mut nodes: Vec<Node> = Vec::new();
    let mut add = |op: Op, size: usize, args: &[usize]| {
        nodes.push(Node { op, size, args: args.to_vec() });
        nodes.len() - 1
    };
    let field = |name: &str, n: usize| Op::Field { name: name.to_owned(), elements: (0..n).collect() };
    let qpos = add(field("qpos", 2), 2, &[]);
    let long = add(field("cinert", 20), 20, &[]);
    let flag = add(field("jnt_type", 2), 2, &[]);
    let action = add(Op::Action { elements: vec![0, 1] }, 2, &[]);
    let kept = add(Op::Variable { name: "kept".to_owned(), elements: vec![1, 0] }, 2, &[]);
    let two = add(Op::Const { values: vec![0.5, 2.0] }, 2, &[]);
    let steps = add(Op::Steps, 1, &[]);
    let drawn = add(Op::Uniform, 20, &[]);
    let normal = add(Op::Normal, 2, &[]);
    let mut sum = qpos;
    for op in UNARY {
        sum = add(op, 2, &[sum]);
    }
    for op in BINARY {
        sum = add(op, 2, &[sum, two]);
    }
    let sum = add(Op::Select, 2, &[flag, sum, normal]);
    let product = add(Op::Mul, 20, &[long, drawn]);
    let picked = add(Op::Pick { elements: (0..20).rev().collect() }, 20, &[product]);
    let total = add(Op::Sum, 1, &[product]);
    let least = add(Op::Smallest, 1, &[picked]);
    let most = add(Op::Largest, 1, &[sum]);
    let joined = add(Op::Concat, 22, &[sum, picked]);
    // rows by number: of a field, of the task's table, of what it remembers
    let rows = |first, width, count| Rows { first, width, count };
    let row = |name: &str, rows: Rows, elements: &[usize]| Op::Row {
        name: name.to_owned(),
        rows,
        elements: elements.to_vec(),
    };
    let of_field = add(row("cinert", rows(0, 10, 0), &[2, 4]), 2, &[steps]);
    let of_table = add(row("task_table", rows(1, 2, 3), &[0, 1]), 2, &[total]);
    let recalled = Op::Recall { name: "kept".to_owned(), rows: rows(0, 1, 0), elements: vec![0] };
    let recalled = add(recalled, 1, &[steps]);
    let looked_up = add(Op::Concat, 5, &[of_field, of_table, recalled]);
    // rays from places that differ, all down
    let places = add(Op::Const { values: (0..20).map(f64::from).collect() }, 20, &[]);
    let down = add(Op::Const { values: vec![-1.0] }, 1, &[]);
    let ray = Op::Ray { geoms: vec![1, 0], most: 10.0 };
    let cast = add(ray, 20, &[places, total, least, steps, steps, down]);
    let term = |name: &str, value: usize| Term { name: name.to_owned(), value };
    let write = |field: &str, value: usize| Write { field: field.to_owned(), elements: vec![0, 1], value };
    Task {
        frame_skip: 2,
        max_episode_steps: Some(5),
        autoreset: true,
        action: 2,
        variables: vec![Variable { name: "kept".to_owned(), reset: sum, update: kept }],
        writes: vec![write("ctrl", action)],
        resets: vec![write("qpos", sum), write("qvel", normal)],
        observation: vec![
            term("all", joined),
            term("long", product),
            term("kept", kept),
            term("rows", looked_up),
            term("cast", cast),
        ],
        reward: vec![term("total", total), term("steps", steps)],
        termination: vec![term("least", least)],
        metrics: vec![term("most", most)],
        table: vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
        nodes,
        ..Task::default()
    }
}

/// Laws of every kind: forces on all kinds of targets, and all that laws set.
pub(crate) fn every_law(model: &Model) -> TaskProgram {
    let op = Op::Field { name: "qvel".to_owned(), elements: vec![0, 1] };
    let nodes = vec![Node { op, size: 2, args: Vec::new() }];
    let write = |field: &str| Write { field: field.to_owned(), elements: vec![0, 1], value: 0 };
    let on = [LawTarget::Dofs(0, 2), LawTarget::Tendon(1), LawTarget::Body(1), LawTarget::Site(0)];
    let laws = Laws {
        writes: ["law_force", "law_gain", "law_bias", "law_act_dot", "ctrl"].map(write).to_vec(),
        forces: on.map(|on| LawForce { on, adr: 0 }).to_vec(),
        states: vec![(1, 0)],
        contacts: Vec::new(),
        fields: Vec::new(),
    };
    TaskProgram::of_formulas(model, nodes, &[], laws).expect("laws")
}

fn program() -> TaskProgram {
    let sizes = Sizes { nq: 2, nv: 2, nu: 2, nbody: 2, njnt: 2, ngeom: 2, ..Sizes::default() };
    let mut model = Model::zeroed(sizes);
    model.set_task(&everything()).expect("a task");
    model.task.as_deref().cloned().expect("a task")
}

#[test]
fn lanes_share_long_vectors() {
    let text = function("task_observation", Some(&program()), None).unwrap_or_default();
    assert!(text.contains("for (var i = lane; i < 20u; i += lanes) {"), "{text}");
    assert!(
        text.contains("set_observation(22u + i, (cinert(i) * evaluate::draw_uniform(i, 7u)));"),
        "{text}"
    );
    assert!(text.contains("let v8_1 = evaluate::draw_normal(1u, 8u);"), "{text}");
    let of_table = "task_table(2u * evaluate::row_number(v36_0, 3u) + 1u)";
    assert!(text.contains(of_table), "{text}");
    let ray = "evaluate::first_hit(vec3f(task_table(7u + i), v36_0, v37_0), ";
    assert!(text.contains(ray) && text.contains("-1.0f), 27u, 2u, 10.0f)"), "{text}");
    let kept = "task_variable(1u * evaluate::row_number(f32(episode_steps), 2u) + 0u)";
    assert!(text.contains(kept), "{text}");
    assert!(function("task_nothing", None, None).is_none());
}
