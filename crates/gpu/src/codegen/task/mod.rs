//! Functions of a task and of the formulas of user sensors, written from their expressions. Twin of `crates/cpu/src/task/evaluate.rs`.
//!
//! Every lane of a world computes the numbers that the elements of a vector have in common, and short vectors; lanes share
//! the elements of long ones. Nothing here waits for other lanes.

mod contacts;
mod fields;
mod laws;
mod places;

use self::places::At;
use super::access::real;
use manyworlds_model::model::task::{
    Assignment, CONTACT_ARGUMENTS, DEEPEST, MOST_INPUTS, Network, Op, Part, Place, Program as TaskProgram,
    Rows, SHORT, Source,
};
use manyworlds_model::schema::Elem;

/// The functions, the parts of which they hold the values, and what they take and return.
const FUNCTIONS: [(&str, Part, &str); 9] = [
    ("task_inputs", Part::Begin, "()"),
    ("task_keyframe", Part::Keyframe, "()"),
    ("task_resets", Part::Restart, "()"),
    ("task_outcome", Part::Outcome, "(silent: bool) -> vec2f"),
    ("task_renewals", Part::Renew, "()"),
    ("task_first_values", Part::First, "()"),
    ("task_observation", Part::Observe, "()"),
    ("user_sensors", Part::Sense, "()"),
    ("law_values", Part::Law, "()"),
];

/// Text of a function or a constant of a task, or of formulas; `None` for other names.
pub(crate) fn function(
    name: &str,
    task: Option<&TaskProgram>,
    formulas: Option<&TaskProgram>,
) -> Option<String> {
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
    let others = laws::function(name, formulas).or_else(|| contacts::function(name, formulas));
    if let Some(text) = others.or_else(|| fields::function(name, formulas)) {
        return Some(text);
    }
    let (_, part, head) = FUNCTIONS.iter().find(|f| f.0 == name)?;
    let mut body = String::new();
    match if matches!(part, Part::Sense | Part::Law) { formulas } else { task } {
        Some(program) => Writer { program, out: &mut body }.part(*part),
        None if *part == Part::Outcome => body.push_str("    return vec2f(0.0);\n"),
        None => {}
    }
    Some(format!("fn {name}{head} {{\n{body}}}"))
}

/// A value that an assignment stores: outputs of sensors have a cutoff.
fn cut(to: &Assignment, value: &str) -> String {
    match to.place {
        Place::Sensor(sensor) => format!("cut_off({sensor}u, {value})"),
        _ => value.to_owned(),
    }
}

/// What a law of contacts sees of a contact, in the words of its function.
const CONTACT_WORDS: [&str; CONTACT_ARGUMENTS] =
    ["dist", "pos.x", "pos.y", "pos.z", "away.x", "away.y", "away.z", "f32(other)"];

struct Writer<'a> {
    program: &'a TaskProgram,
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
                Place::Contact => {}
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
        !of.op.is_read() && of.size <= SHORT && !self.program.is_shared(node)
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
        match &of.op {
            op if op.is_read() => self.leaf(node, at),
            Op::Row { rows, elements, .. } | Op::Recall { rows, elements, .. } => {
                self.row(node, *rows, at.of(elements)?)
            }
            Op::Uniform => Some(format!("evaluate::draw_uniform({}, {node}u)", at.text())),
            Op::Normal => Some(format!("evaluate::draw_normal({}, {node}u)", at.text())),
            Op::Pick { elements } => self.text(of.args[0], at.of(elements)?),
            Op::Concat => self.joined(node, at),
            // always variables
            Op::Sum | Op::Largest | Op::Smallest => Some(format!("v{node}_0")),
            Op::Ray { geoms, most } => {
                let at = of.args.iter().map(|a| self.text(*a, at)).collect::<Option<Vec<_>>>()?;
                let (first, count) = (self.program.in_table(node)?, geoms.len());
                let (point, direction) = (at[..3].join(", "), at[3..].join(", "));
                let (list, most) = (format!("{first}u, {count}u"), real(*most));
                Some(format!("evaluate::first_hit(vec3f({point}), vec3f({direction}), {list}, {most})"))
            }
            Op::Network(network) => {
                let inputs = of.args.iter().map(|a| self.text(*a, at)).collect::<Option<Vec<_>>>()?;
                Some(network_text(network, inputs))
            }
            op => {
                let arguments = of.args.iter().map(|a| self.text(*a, at)).collect::<Option<Vec<_>>>()?;
                elementwise(op, &arguments)
            }
        }
    }

    /// Elements of a constant, a field, an action, a variable of the task, or the number of steps.
    fn leaf(&self, node: usize, at: At) -> Option<String> {
        match &self.program.nodes()[node].op {
            Op::Const { values } => match at {
                At::One(k) => values.get(k).map(|x| real(*x)),
                At::Each { .. } => {
                    if let Some(first) = self.program.in_table(node) {
                        return Some(format!("task_table({})", at.behind(first).text()));
                    }
                    let first = values.first()?;
                    values.iter().all(|x| x.to_bits() == first.to_bits()).then(|| real(*first))
                }
            },
            Op::Field { elements, .. } | Op::Action { elements } => {
                let (Source::Data(_, field) | Source::Model(_, field)) = self.program.source(node) else {
                    return None;
                };
                let read = format!("{}({})", field.name, at.of(elements)?.text());
                if matches!(self.program.nodes()[node].op, Op::Action { .. }) {
                    return Some(format!("select({read}, 0.0, episode_steps == 0)"));
                }
                Some(if field.elem == Elem::Int { format!("f32({read})") } else { read })
            }
            Op::Variable { elements, .. } => match self.program.source(node) {
                Source::Variable(first) => {
                    Some(format!("task_variable({})", at.of(elements)?.behind(*first).text()))
                }
                _ => None,
            },
            Op::Argument { elements } => match at.of(elements)? {
                At::One(k) => CONTACT_WORDS.get(k).map(|word| (*word).to_owned()),
                At::Each { .. } => None,
            },
            _ => Some("f32(episode_steps)".to_owned()),
        }
    }

    /// Elements of a row of a field or of a variable, whose number is computed.
    fn row(&self, node: usize, rows: Rows, at: At) -> Option<String> {
        let Rows { first, width, count } = rows;
        let index = self.one(self.program.nodes()[node].args[0], 0);
        let number = format!("evaluate::row_number({index}, {count}u)");
        let place = |before: usize| format!("{width}u * {number} + {}", at.behind(before).text());
        let (Source::Data(_, field) | Source::Model(_, field)) = self.program.source(node) else {
            let Source::Variable(of) = self.program.source(node) else { return None };
            return Some(format!("task_variable({})", place(of + first)));
        };
        let read = format!("{}({})", field.name, place(first));
        Some(if field.elem == Elem::Int { format!("f32({read})") } else { read })
    }

    /// An element of vectors that follow each other.
    fn joined(&self, node: usize, at: At) -> Option<String> {
        let At::One(mut k) = at else { return None };
        for a in &self.program.nodes()[node].args {
            let size = self.program.nodes()[*a].size;
            if k < size {
                return Some(self.one(*a, k));
            }
            k -= size;
        }
        None
    }
}

/// The output of a network, whose inputs and layers are filled up with nothing.
fn network_text(network: &Network, mut inputs: Vec<String>) -> String {
    inputs.resize(MOST_INPUTS, "0.0".to_owned());
    let mut hidden = network.hidden.clone();
    hidden.resize(DEEPEST, 0);
    let hidden: Vec<String> = hidden.iter().map(|units| format!("{units}u")).collect();
    let (inputs, hidden, count) = (inputs.join(", "), hidden.join(", "), network.inputs);
    let (activation, first) = (network.activation.code(), network.first);
    format!(
        "network::network_output(array<f32, {MOST_INPUTS}>({inputs}), {count}u, vec4u({hidden}), {activation}u, {first}u)"
    )
}

/// An operation on one element of each argument; `None` for one on whole vectors.
fn elementwise(op: &Op, arguments: &[String]) -> Option<String> {
    let argument = |k: usize| arguments.get(k).map(String::as_str).unwrap_or_default();
    let (a, b, c) = (argument(0), argument(1), argument(2));
    let call = |function: &str| format!("{function}({a})");
    let infix = |operator: &str| format!("({a} {operator} {b})");
    let truth = |operator: &str| format!("select(0.0, 1.0, {a} {operator} {b})");
    let text = match op {
        // one argument
        Op::Neg => call("-"),
        Op::Abs => call("abs"),
        Op::Sqrt => call("sqrt"),
        Op::Exp => call("any_exponential"),
        Op::Log => call("any_logarithm"),
        Op::Sin => format!("sincos({a}).x"),
        Op::Cos => format!("sincos({a}).y"),
        Op::Tanh => call("hyperbolic_tangent"),
        Op::Floor => call("floor"),
        Op::Not => format!("select(0.0, 1.0, {a} == 0.0)"),
        Op::IsFinite => format!("select(0.0, 1.0, is_finite({a}))"),
        // two arguments
        Op::Add => infix("+"),
        Op::Sub => infix("-"),
        Op::Mul => infix("*"),
        Op::Div => infix("/"),
        Op::Min => format!("min({a}, {b})"),
        Op::Max => format!("max({a}, {b})"),
        Op::Lt => truth("<"),
        Op::Le => truth("<="),
        Op::Eq => truth("=="),
        Op::Ne => truth("!="),
        Op::And => format!("select(0.0, 1.0, {a} != 0.0 && {b} != 0.0)"),
        Op::Or => format!("select(0.0, 1.0, {a} != 0.0 || {b} != 0.0)"),
        Op::Atan2 => format!("arctan2({a}, {b})"),
        // three
        Op::Select => format!("select({c}, {b}, {a} != 0.0)"),
        // none, or vectors
        Op::Const { .. }
        | Op::Field { .. }
        | Op::Action { .. }
        | Op::Variable { .. }
        | Op::Argument { .. }
        | Op::Row { .. }
        | Op::Recall { .. }
        | Op::Ray { .. }
        | Op::Network(_)
        | Op::Steps
        | Op::Uniform
        | Op::Normal
        | Op::Sum
        | Op::Largest
        | Op::Smallest
        | Op::Concat
        | Op::Pick { .. } => return None,
    };
    Some(text)
}

#[cfg(test)]
pub(super) mod tests;
