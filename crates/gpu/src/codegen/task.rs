//! Functions of a task and of the formulas of user sensors, written from their expressions. Twin of `crates/cpu/src/task/evaluate.rs`.
//!
//! Every lane of a world computes the numbers that the elements of a vector have in common, and short vectors; lanes share
//! the elements of long ones. Nothing here waits for other lanes.

use super::access::real;
use manyworlds_model::model::task::{Assignment, Op, Part, Place, Program, SHORT, Source};
use manyworlds_model::schema::Elem;

/// The functions, the parts of which they hold the values, and what they take and return.
const FUNCTIONS: [(&str, Part, &str); 8] = [
    ("task_inputs", Part::Begin, "()"),
    ("task_keyframe", Part::Keyframe, "()"),
    ("task_resets", Part::Restart, "()"),
    ("task_outcome", Part::Outcome, "(silent: bool) -> vec2f"),
    ("task_renewals", Part::Renew, "()"),
    ("task_first_values", Part::First, "()"),
    ("task_observation", Part::Observe, "()"),
    ("user_sensors", Part::Sense, "()"),
];

/// Text of a function or a constant of a task, or of formulas; `None` for other names.
pub(crate) fn function(name: &str, task: Option<&Program>, formulas: Option<&Program>) -> Option<String> {
    match name {
        "task_max_steps" => {
            let most = task.and_then(|t| t.task().max_episode_steps).unwrap_or(0);
            return Some(format!("const task_max_steps: i32 = {most}i;"));
        }
        "task_autoreset" => {
            let on = task.is_some_and(|t| t.task().autoreset);
            return Some(format!("const task_autoreset: bool = {on};"));
        }
        _ => {}
    }
    let (_, part, head) = FUNCTIONS.iter().find(|f| f.0 == name)?;
    let mut body = String::new();
    match if *part == Part::Sense { formulas } else { task } {
        Some(program) => Writer { program, out: &mut body }.part(*part),
        None if *part == Part::Outcome => body.push_str("    return vec2f(0.0);\n"),
        None => {}
    }
    Some(format!("fn {name}{head} {{\n{body}}}"))
}

/// Places of elements: so many from the first, in steps, with the loop's `i`.
#[derive(Clone, Copy, Debug)]
enum At {
    /// One place.
    One(usize),
    /// The place `first + step * i`.
    Each { first: usize, step: usize },
}

impl At {
    /// The places that these are in a list.
    fn of(self, list: &[usize]) -> Option<At> {
        match self {
            At::One(k) => list.get(k).map(|k| At::One(*k)),
            At::Each { first, step } => {
                let (start, stride) = progression(list)?;
                Some(At::Each { first: start + stride * first, step: stride * step })
            }
        }
    }

    /// The places behind others.
    fn behind(self, offset: usize) -> At {
        match self {
            At::One(k) => At::One(offset + k),
            At::Each { first, step } => At::Each { first: offset + first, step },
        }
    }

    fn text(self) -> String {
        match self {
            At::One(k) => format!("{k}u"),
            At::Each { first: 0, step: 1 } => "i".to_owned(),
            At::Each { first, step: 1 } => format!("{first}u + i"),
            At::Each { first, step } => format!("{first}u + {step}u * i"),
        }
    }
}

/// First element and distance of evenly spaced elements.
fn progression(list: &[usize]) -> Option<(usize, usize)> {
    let (first, second) = (*list.first()?, *list.get(1).unwrap_or(list.first()?));
    let step = second.checked_sub(first)?;
    list.windows(2).all(|w| w[1].checked_sub(w[0]) == Some(step)).then_some((first, step))
}

/// A value that an assignment stores: outputs of sensors have a cutoff.
fn cut(to: &Assignment, value: &str) -> String {
    match to.place {
        Place::Sensor(sensor) => format!("cut_off({sensor}u, {value})"),
        _ => value.to_owned(),
    }
}

struct Writer<'a> {
    program: &'a Program,
    out: &'a mut String,
}

impl Writer<'_> {
    /// Values of a part, then what it assigns.
    fn part(&mut self, part: Part) {
        for &node in self.program.order(part) {
            self.compute(node);
        }
        let mut terms = Vec::new();
        let mut ends = Vec::new();
        for to in self.program.assignments(part) {
            match to.place {
                Place::Term => terms.push(self.one(to.value, 0)),
                Place::Termination => ends.push(self.one(to.value, 0)),
                Place::Field(_, field) => self.assign(field.name, to),
                Place::Next => self.assign("task_next", to),
                Place::Observation => self.assign("observation", to),
                Place::Sensor(_) => self.assign("sensordata", to),
            }
        }
        if part == Part::Outcome {
            self.outcome(&terms, &ends);
        }
    }

    /// Stores terms, and returns their sum and whether a condition holds.
    fn outcome(&mut self, terms: &[String], ends: &[String]) {
        self.line("    if (lane == 0u) {");
        for (k, term) in terms.iter().enumerate() {
            self.line(&format!("        set_task_term({k}u, select({term}, 0.0, silent));"));
        }
        self.line("    }");
        let rewards = &terms[..self.program.task().reward.len()];
        let sum = rewards.iter().fold("0.0".to_owned(), |sum, term| format!("({sum} + {term})"));
        let any: Vec<String> = ends.iter().map(|end| format!("({end}) != 0.0")).collect();
        let any = if any.is_empty() { "false".to_owned() } else { any.join(" || ") };
        self.line(&format!("    return vec2f(select({sum}, 0.0, silent), select(0.0, 1.0, {any}));"));
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// True if the elements of a node are variables.
    fn is_short(&self, node: usize) -> bool {
        let of = &self.program.nodes()[node];
        let computed = !matches!(
            of.op,
            Op::Const { .. } | Op::Field { .. } | Op::Action { .. } | Op::Variable { .. } | Op::Steps
        );
        computed && of.size <= SHORT
    }

    /// Variables for the elements of a short vector.
    fn compute(&mut self, node: usize) {
        if !self.is_short(node) {
            return;
        }
        let of = &self.program.nodes()[node];
        if matches!(of.op, Op::Sum | Op::Largest | Op::Smallest) {
            self.reduce(node);
            return;
        }
        for k in 0..of.size {
            let text = self.value(node, At::One(k)).unwrap_or_else(|| "0.0".to_owned());
            self.line(&format!("    let v{node}_{k} = {text};"));
        }
    }

    /// A sum, or the largest or smallest element.
    fn reduce(&mut self, node: usize) {
        let of = &self.program.nodes()[node];
        let (arg, len) = (of.args[0], self.program.nodes()[of.args[0]].size);
        let join = |a: &str, b: &str| match of.op {
            Op::Sum => format!("{a} + {b}"),
            Op::Largest => format!("max({a}, {b})"),
            _ => format!("min({a}, {b})"),
        };
        let first = self.one(arg, 0);
        let each = self.text(arg, At::Each { first: 0, step: 1 }).filter(|_| len > SHORT);
        match each {
            // evenly spaced elements
            Some(each) => {
                self.line(&format!("    var v{node}_0 = {first};"));
                self.line(&format!("    for (var i = 1u; i < {len}u; i++) {{"));
                let joined = join(&format!("v{node}_0"), &format!("({each})"));
                self.line(&format!("        v{node}_0 = {joined};\n    }}"));
            }
            None => {
                // one statement each: parsers limit how deep expressions nest
                self.line(&format!("    var v{node}_0 = {first};"));
                for k in 1..len {
                    let joined = join(&format!("v{node}_0"), &format!("({})", self.one(arg, k)));
                    self.line(&format!("    v{node}_0 = {joined};"));
                }
            }
        }
    }

    /// Sets elements: lanes share them.
    fn assign(&mut self, field: &str, to: &Assignment) {
        let len = to.elements.len();
        // in a loop, where the elements are evenly spaced
        let each = At::Each { first: 0, step: 1 };
        if len > 1
            && let (Some(at), Some(value)) = (each.of(&to.elements), self.text(to.value, each))
        {
            self.line(&format!("    for (var i = lane; i < {len}u; i += lanes) {{"));
            let value = cut(to, &value);
            self.line(&format!("        set_{field}({}, {value});\n    }}", at.text()));
            return;
        }
        // else one by one
        for (k, element) in to.elements.iter().enumerate() {
            let value = cut(to, &self.one(to.value, k));
            self.line(&format!("    if (lane == {k}u % lanes) {{"));
            self.line(&format!("        set_{field}({element}u, {value});\n    }}"));
        }
    }

    /// One element of a node.
    fn one(&self, node: usize, k: usize) -> String {
        // a single place is always known
        self.text(node, At::One(k)).unwrap_or_else(|| "0.0".to_owned())
    }

    /// Elements of a node; `None` where they are not evenly spaced in what they come from.
    fn text(&self, node: usize, at: At) -> Option<String> {
        let size = self.program.nodes()[node].size;
        let at = if size == 1 { At::One(0) } else { at };
        match at {
            _ if !self.is_short(node) => self.value(node, at),
            At::One(k) => Some(format!("v{node}_{k}")),
            At::Each { first, step: 0 } => Some(format!("v{node}_{first}")),
            At::Each { .. } => None,
        }
    }

    /// Elements of a node, computed where they are used.
    fn value(&self, node: usize, at: At) -> Option<String> {
        let of = &self.program.nodes()[node];
        let arg = |a: usize| self.text(of.args[a], at);
        let call = |f: &str| Some(format!("{f}({})", arg(0)?));
        let infix = |op: &str| Some(format!("({} {op} {})", arg(0)?, arg(1)?));
        let truth = |op: &str| Some(format!("select(0.0, 1.0, {} {op} {})", arg(0)?, arg(1)?));
        match &of.op {
            // leaves
            Op::Const { values } => match at {
                At::One(k) => values.get(k).map(|x| real(*x)),
                At::Each { .. } => {
                    let first = values.first()?;
                    values.iter().all(|x| x.to_bits() == first.to_bits()).then(|| real(*first))
                }
            },
            Op::Field { elements, .. } | Op::Action { elements } => {
                let (Source::Data(_, field) | Source::Model(_, field)) = self.program.source(node) else {
                    return None;
                };
                let read = format!("{}({})", field.name, at.of(elements)?.text());
                Some(if field.elem == Elem::Int { format!("f32({read})") } else { read })
            }
            Op::Variable { elements, .. } => match self.program.source(node) {
                Source::Variable(first) => {
                    Some(format!("task_variable({})", at.of(elements)?.behind(*first).text()))
                }
                _ => None,
            },
            Op::Steps => Some("f32(episode_steps)".to_owned()),
            Op::Uniform => Some(format!("task_uniform({}, {node}u)", at.text())),
            Op::Normal => Some(format!("task_normal({}, {node}u)", at.text())),
            // one argument
            Op::Neg => call("-"),
            Op::Abs => call("abs"),
            Op::Sqrt => call("sqrt"),
            Op::Exp => call("exponential"),
            Op::Log => call("logarithm"),
            Op::Sin => Some(format!("sincos({}).x", arg(0)?)),
            Op::Cos => Some(format!("sincos({}).y", arg(0)?)),
            Op::Tanh => call("task_tanh"),
            Op::Floor => call("floor"),
            Op::Not => Some(format!("select(0.0, 1.0, {} == 0.0)", arg(0)?)),
            Op::IsFinite => Some(format!("select(0.0, 1.0, is_finite({}))", arg(0)?)),
            // two arguments
            Op::Add => infix("+"),
            Op::Sub => infix("-"),
            Op::Mul => infix("*"),
            Op::Div => infix("/"),
            Op::Min => Some(format!("min({}, {})", arg(0)?, arg(1)?)),
            Op::Max => Some(format!("max({}, {})", arg(0)?, arg(1)?)),
            Op::Lt => truth("<"),
            Op::Le => truth("<="),
            Op::Eq => truth("=="),
            Op::Ne => truth("!="),
            Op::And => Some(format!("select(0.0, 1.0, {} != 0.0 && {} != 0.0)", arg(0)?, arg(1)?)),
            Op::Or => Some(format!("select(0.0, 1.0, {} != 0.0 || {} != 0.0)", arg(0)?, arg(1)?)),
            Op::Atan2 => Some(format!("arctan2({}, {})", arg(0)?, arg(1)?)),
            Op::Select => Some(format!("select({}, {}, {} != 0.0)", arg(2)?, arg(1)?, arg(0)?)),
            // places
            Op::Pick { elements } => self.text(of.args[0], at.of(elements)?),
            Op::Concat => {
                let At::One(mut k) = at else { return None };
                let sizes = of.args.iter().map(|a| (*a, self.program.nodes()[*a].size));
                for (a, size) in sizes {
                    if k < size {
                        return Some(self.one(a, k));
                    }
                    k -= size;
                }
                None
            }
            // always variables
            Op::Sum | Op::Largest | Op::Smallest => Some(format!("v{node}_0")),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use manyworlds_model::model::Model;
    use manyworlds_model::model::task::{Node, Task, Term, Variable, Write};
    use manyworlds_model::schema::Sizes;

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
        for op in [
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
        ] {
            sum = add(op, 2, &[sum]);
        }
        for op in [
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
        ] {
            sum = add(op, 2, &[sum, two]);
        }
        let sum = add(Op::Select, 2, &[flag, sum, normal]);
        let product = add(Op::Mul, 20, &[long, drawn]);
        let picked = add(Op::Pick { elements: (0..20).rev().collect() }, 20, &[product]);
        let total = add(Op::Sum, 1, &[product]);
        let least = add(Op::Smallest, 1, &[picked]);
        let most = add(Op::Largest, 1, &[sum]);
        let joined = add(Op::Concat, 22, &[sum, picked]);
        let term = |name: &str, value: usize| Term { name: name.to_owned(), value };
        let write =
            |field: &str, value: usize| Write { field: field.to_owned(), elements: vec![0, 1], value };
        Task {
            frame_skip: 2,
            max_episode_steps: Some(5),
            autoreset: true,
            action: 2,
            variables: vec![Variable { name: "kept".to_owned(), reset: sum, update: kept }],
            writes: vec![write("ctrl", action)],
            resets: vec![write("qpos", sum), write("qvel", normal)],
            observation: vec![term("all", joined), term("long", product), term("kept", kept)],
            reward: vec![term("total", total), term("steps", steps)],
            termination: vec![term("least", least)],
            metrics: vec![term("most", most)],
            nodes,
            ..Task::default()
        }
    }

    fn program() -> Program {
        let sizes = Sizes { nq: 2, nv: 2, nu: 2, nbody: 2, njnt: 2, ..Sizes::default() };
        let mut model = Model::zeroed(sizes);
        model.set_task(&everything()).expect("a task");
        model.task.as_deref().cloned().expect("a task")
    }

    #[test]
    fn lanes_share_long_vectors() {
        let text = function("task_observation", Some(&program()), None).unwrap_or_default();
        assert!(text.contains("for (var i = lane; i < 20u; i += lanes) {"), "{text}");
        assert!(text.contains("set_observation(22u + i, (cinert(i) * task_uniform(i, 7u)));"), "{text}");
        assert!(text.contains("let v8_1 = task_normal(1u, 8u);"), "{text}");
        assert!(function("task_nothing", None, None).is_none());
    }

    #[test]
    fn evenly_spaced_elements_are_found() {
        assert_eq!(progression(&[3, 5, 7]), Some((3, 2)));
        assert_eq!(progression(&[3]), Some((3, 0)));
        assert_eq!((progression(&[3, 4, 6]), progression(&[3, 2]), progression(&[])), (None, None, None));
        assert_eq!(At::Each { first: 2, step: 3 }.text(), "2u + 3u * i");
    }
}
