//! Functions of signed distance fields by formulas: gradient in xyz, value in w. Twin:
//! `crates/cpu/src/collision/field_formula.rs`.

use std::fmt::Write;

use super::super::access::real;
use manyworlds_model::model::formula::{FieldFormula, MOST_PARAMETERS};
use manyworlds_model::model::task::{Op, Program};

/// Text of such a function; `None` for other names.
pub(super) fn function(name: &str, formulas: Option<&Program>) -> Option<String> {
    if name == "formula_distance" {
        return Some(dispatch(formulas));
    }
    let id: usize = name.strip_prefix("formula_distance_")?.parse().ok()?;
    Some(distance(id, formulas?.field(id)?))
}

/// The distance of a plugin instance.
fn dispatch(formulas: Option<&Program>) -> String {
    let mut out = "fn formula_distance(id: u32, p: vec3f) -> vec4f {\n".to_owned();
    for id in formulas.into_iter().flat_map(Program::fields) {
        let _ = writeln!(out, "    if (id == {id}u) {{\n        return formula_distance_{id}(p);\n    }}");
    }
    out.push_str("    return vec4f(0.0);\n}");
    out
}

/// The distance of one formula.
fn distance(id: usize, formula: &FieldFormula) -> String {
    let mut out = format!("fn formula_distance_{id}(p: vec3f) -> vec4f {{\n");
    for (k, node) in formula.nodes.iter().enumerate() {
        for i in 0..node.size {
            let _ = writeln!(out, "    let v{k}_{i} = {};", element(id, formula, k, i));
        }
    }
    let _ = write!(out, "    return v{}_0;\n}}", formula.nodes.len() - 1);
    out
}

/// An element of an expression.
fn element(id: usize, formula: &FieldFormula, k: usize, i: usize) -> String {
    let node = &formula.nodes[k];
    let size = |a: usize| formula.nodes[node.args[a]].size;
    let arg = |a: usize, i: usize| format!("v{}_{}", node.args[a], if size(a) == 1 { 0 } else { i });
    match &node.op {
        Op::Const { values } => format!("vec4f(0.0, 0.0, 0.0, {})", real(values[i])),
        Op::Argument { elements } => match elements[i] {
            0 => "vec4f(1.0, 0.0, 0.0, p.x)".to_owned(),
            1 => "vec4f(0.0, 1.0, 0.0, p.y)".to_owned(),
            2 => "vec4f(0.0, 0.0, 1.0, p.z)".to_owned(),
            j => format!("vec4f(0.0, 0.0, 0.0, plugin_prm({}u))", MOST_PARAMETERS * id + j - 3),
        },
        Op::Pick { elements } => arg(0, elements[i]),
        Op::Concat => {
            let mut at = i;
            for a in 0..node.args.len() {
                if at < size(a) {
                    return format!("v{}_{at}", node.args[a]);
                }
                at -= size(a);
            }
            String::new()
        }
        Op::Sum | Op::Largest | Op::Smallest => (1..size(0)).fold(arg(0, 0), |sum, j| match node.op {
            Op::Sum => format!("({sum} + {})", arg(0, j)),
            Op::Largest => format!("graded::max({sum}, {})", arg(0, j)),
            _ => format!("graded::min({sum}, {})", arg(0, j)),
        }),
        Op::Select => format!("select({}, {}, {}.w != 0.0)", arg(2, i), arg(1, i), arg(0, i)),
        op if node.args.len() == 1 => of_one(op, &arg(0, i)),
        op => of_two(op, &arg(0, i), &arg(1, i)),
    }
}

/// A flat value.
fn flat(value: &str) -> String {
    format!("vec4f(0.0, 0.0, 0.0, {value})")
}

/// A function of one number.
fn of_one(op: &Op, a: &str) -> String {
    let through = |value: &str, slope: &str| format!("graded::through({a}, {value}, {slope})");
    match op {
        Op::Neg => format!("(-{a})"),
        Op::Abs => format!("graded::abs({a})"),
        Op::Sqrt => format!("graded::sqrt({a})"),
        Op::Exp => through(&format!("exponential({a}.w)"), &format!("exponential({a}.w)")),
        Op::Log => through(&format!("logarithm({a}.w)"), &format!("1.0 / {a}.w")),
        Op::Sin => through(&format!("sincos({a}.w).x"), &format!("sincos({a}.w).y")),
        Op::Cos => through(&format!("sincos({a}.w).y"), &format!("-sincos({a}.w).x")),
        Op::Tanh => {
            let y = format!("hyperbolic_tangent({a}.w)");
            through(&y, &format!("1.0 - {y} * {y}"))
        }
        Op::Floor => flat(&format!("floor({a}.w)")),
        Op::Not => flat(&format!("select(0.0, 1.0, {a}.w == 0.0)")),
        _ => flat(&format!("select(0.0, 1.0, is_finite({a}.w))")),
    }
}

/// A function of two numbers.
fn of_two(op: &Op, a: &str, b: &str) -> String {
    let truth = |operator: &str| flat(&format!("select(0.0, 1.0, {a}.w {operator} {b}.w)"));
    match op {
        Op::Add => format!("({a} + {b})"),
        Op::Sub => format!("({a} - {b})"),
        Op::Mul => format!("graded::mul({a}, {b})"),
        Op::Div => format!("graded::over({a}, {b})"),
        Op::Min => format!("graded::min({a}, {b})"),
        Op::Max => format!("graded::max({a}, {b})"),
        Op::Atan2 => format!("graded::atan2({a}, {b})"),
        Op::Lt => truth("<"),
        Op::Le => truth("<="),
        Op::Eq => truth("=="),
        Op::Ne => truth("!="),
        Op::And => flat(&format!("select(0.0, 1.0, {a}.w != 0.0 && {b}.w != 0.0)")),
        _ => flat(&format!("select(0.0, 1.0, {a}.w != 0.0 || {b}.w != 0.0)")),
    }
}
