//! Functions of formulas.

use std::ops::RangeInclusive;

use super::expressions::{Expressions, Parsed};
use crate::model::Model;
use crate::model::task::{MOST_INPUTS, Op};
use crate::schema::Kind;

/// A word that is a function.
pub(super) struct Function {
    pub(super) name: &'static str,
    /// How many arguments it may have.
    pub(super) arguments: RangeInclusive<usize>,
    pub(super) meaning: Meaning,
}

/// What a function is made of.
pub(super) enum Meaning {
    /// One operation, element by element.
    Elementwise(Op),
    /// One operation on all elements of a vector.
    Reduction(Op),
    /// Several operations.
    Several(fn(&mut Expressions, &[usize]) -> Parsed<usize>),
    /// Random numbers.
    Drawn(fn(&mut Expressions, &[usize]) -> Parsed<usize>),
    /// Outputs of the sensor whose name is in the parentheses.
    Sensor,
    /// Numbers of the numeric whose name is in the parentheses.
    Numeric,
    /// Output of the network in the numeric whose name comes first in the parentheses, its inputs behind it.
    Network,
    /// Something of the object whose name is in the parentheses.
    Named(fn(&mut Expressions, &Model, &str) -> Parsed<usize>),
}

/// A row of the table.
const fn row(name: &'static str, least: usize, most: usize, meaning: Meaning) -> Function {
    Function { name, arguments: least..=most, meaning }
}

/// An operation on one or two arguments, element by element.
const fn one(name: &'static str, arguments: usize, op: Op) -> Function {
    row(name, arguments, arguments, Meaning::Elementwise(op))
}

/// Functions; those that tasks in Python have go by these names too.
pub(super) static FUNCTIONS: &[Function] = &[
    one("sin", 1, Op::Sin),
    one("cos", 1, Op::Cos),
    one("exp", 1, Op::Exp),
    one("log", 1, Op::Log),
    one("sqrt", 1, Op::Sqrt),
    one("tanh", 1, Op::Tanh),
    one("abs", 1, Op::Abs),
    one("floor", 1, Op::Floor),
    one("isfinite", 1, Op::IsFinite),
    one("min", 2, Op::Min),
    one("max", 2, Op::Max),
    one("atan2", 2, Op::Atan2),
    one("select", 3, Op::Select),
    one("minimum", 2, Op::Min),
    one("maximum", 2, Op::Max),
    one("where", 3, Op::Select),
    row("sum", 1, 1, Meaning::Reduction(Op::Sum)),
    row("total", 1, 1, Meaning::Reduction(Op::Sum)),
    row("largest", 1, 1, Meaning::Reduction(Op::Largest)),
    row("smallest", 1, 1, Meaning::Reduction(Op::Smallest)),
    row("mean", 1, 1, Meaning::Several(mean)),
    row("every", 1, 1, Meaning::Several(|to, args| truths(to, args, Op::Smallest))),
    row("some", 1, 1, Meaning::Several(|to, args| truths(to, args, Op::Largest))),
    row("tan", 1, 1, Meaning::Several(tan)),
    row("sign", 1, 1, Meaning::Several(sign)),
    row("clip", 3, 3, Meaning::Several(clip)),
    row("norm", 1, 1, Meaning::Several(norm)),
    row("dot", 2, 2, Meaning::Several(dot)),
    row("cross", 2, 2, Meaning::Several(|to, args| cross(to, args[0], args[1]))),
    row("rotate", 2, 2, Meaning::Several(|to, args| rotate(to, args, false))),
    row("rotate_inverse", 2, 2, Meaning::Several(|to, args| rotate(to, args, true))),
    row("uniform", 2, 3, Meaning::Drawn(uniform)),
    row("normal", 0, 1, Meaning::Drawn(normal)),
    row("sensor", 1, 1, Meaning::Sensor),
    row("numeric", 1, 1, Meaning::Numeric),
    row("network", 2, 1 + MOST_INPUTS, Meaning::Network),
    row("velocity", 1, 1, Meaning::Named(|to, model, name| velocity(to, model, name, false))),
    row("angular_velocity", 1, 1, Meaning::Named(|to, model, name| velocity(to, model, name, true))),
];

fn mean(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let (sum, count) = (to.add(Op::Sum, 1, args), to.number(to.size(args[0]) as f64));
    to.join(Op::Div, &[sum, count])
}

/// Whether elements are not zero, all of them or some.
fn truths(to: &mut Expressions, args: &[usize], of: Op) -> Parsed<usize> {
    let zero = to.number(0.0);
    let each = to.join(Op::Ne, &[args[0], zero])?;
    Ok(to.add(of, 1, &[each]))
}

fn tan(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let (sin, cos) = (to.join(Op::Sin, args)?, to.join(Op::Cos, args)?);
    to.join(Op::Div, &[sin, cos])
}

fn sign(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let zero = to.number(0.0);
    let (above, below) = (to.join(Op::Lt, &[zero, args[0]])?, to.join(Op::Lt, &[args[0], zero])?);
    to.join(Op::Sub, &[above, below])
}

fn clip(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let least = to.join(Op::Max, &[args[0], args[1]])?;
    to.join(Op::Min, &[least, args[2]])
}

fn norm(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let square = dot(to, &[args[0], args[0]])?;
    to.join(Op::Sqrt, &[square])
}

fn dot(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let product = to.join(Op::Mul, args)?;
    Ok(to.add(Op::Sum, 1, &[product]))
}

fn cross(to: &mut Expressions, a: usize, b: usize) -> Parsed<usize> {
    if (to.size(a), to.size(b)) != (3, 3) {
        return Err("'cross' has two vectors of length 3".to_owned());
    }
    let (left, right) = ([1, 2, 0], [2, 0, 1]);
    let (al, ar) = (to.pick(a, &left), to.pick(a, &right));
    let (bl, br) = (to.pick(b, &left), to.pick(b, &right));
    let (first, second) = (to.join(Op::Mul, &[al, br])?, to.join(Op::Mul, &[ar, bl])?);
    to.join(Op::Sub, &[first, second])
}

/// A vector turned by a unit quaternion or by a matrix of nine numbers, row by row, or turned back.
fn rotate(to: &mut Expressions, args: &[usize], back: bool) -> Parsed<usize> {
    let (turn, v) = (args[0], args[1]);
    match (to.size(turn), to.size(v)) {
        (9, 3) => {
            let along = |to: &mut Expressions, k: usize| {
                let row = if back { [k, k + 3, k + 6] } else { [3 * k, 3 * k + 1, 3 * k + 2] };
                let row = to.pick(turn, &row);
                dot(to, &[row, v])
            };
            let parts = [along(to, 0)?, along(to, 1)?, along(to, 2)?];
            Ok(to.add(Op::Concat, 3, &parts))
        }
        (4, 3) => {
            // v + 2 w (u x v) + 2 u x (u x v)
            let w = to.pick(turn, &[0]);
            let mut u = to.pick(turn, &[1, 2, 3]);
            if back {
                u = to.join(Op::Neg, &[u])?;
            }
            let once = cross(to, u, v)?;
            let two = to.number(2.0);
            let once = to.join(Op::Mul, &[two, once])?;
            let (turned, twice) = (to.join(Op::Mul, &[w, once])?, cross(to, u, once)?);
            let sum = to.join(Op::Add, &[v, turned])?;
            to.join(Op::Add, &[sum, twice])
        }
        _ => {
            Err("'rotate' has a quaternion or a matrix of nine numbers, and a vector of length 3".to_owned())
        }
    }
}

/// A whole number that an argument is.
fn count(to: &Expressions, node: usize) -> Parsed<usize> {
    match &to.nodes[node].op {
        Op::Const { values } if values.len() == 1 && values[0] >= 1.0 && values[0].fract() == 0.0 => {
            Ok(values[0] as usize)
        }
        _ => Err("how many numbers are drawn is a whole number".to_owned()),
    }
}

fn uniform(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let (low, high) = (args[0], args[1]);
    let size = args.get(2).map_or(Ok(1), |n| count(to, *n))?.max(to.size(low)).max(to.size(high));
    let drawn = to.add(Op::Uniform, size, &[]);
    let range = to.join(Op::Sub, &[high, low])?;
    let product = to.join(Op::Mul, &[range, drawn])?;
    to.join(Op::Add, &[low, product])
}

fn normal(to: &mut Expressions, args: &[usize]) -> Parsed<usize> {
    let size = args.first().map_or(Ok(1), |n| count(to, *n))?;
    Ok(to.add(Op::Normal, size, &[]))
}

/// Velocity of a site, body or geom in the world's frame: of its point, or angular.
fn velocity(to: &mut Expressions, model: &Model, name: &str, angular: bool) -> Parsed<usize> {
    let kinds = [(Kind::Site, "site_xpos"), (Kind::Body, "xpos"), (Kind::Geom, "geom_xpos")];
    let found = kinds.iter().find_map(|(kind, pos)| Some((*kind, *pos, model.id(*kind, name).ok()?)));
    let Some((kind, pos, id)) = found else {
        let names = kinds.iter().flat_map(|(kind, _)| model.names.of(*kind)).map(String::as_str);
        let near = crate::error::suggest(name, names.filter(|n| !n.is_empty()));
        return Err(format!("there is no site, body or geom '{name}'{near}"));
    };
    let body = match kind {
        Kind::Site => model.site_bodyid[id] as usize,
        Kind::Geom => model.geom_bodyid[id] as usize,
        _ => id,
    };
    let spin = to.field("cvel", (6 * body..6 * body + 3).collect());
    if angular {
        return Ok(spin);
    }
    // that of the tree's centre of mass, carried to the point
    let root = model.body_rootid[body] as usize;
    let linear = to.field("cvel", (6 * body + 3..6 * body + 6).collect());
    let point = to.field(pos, (3 * id..3 * id + 3).collect());
    let com = to.field("subtree_com", (3 * root..3 * root + 3).collect());
    let arm = to.join(Op::Sub, &[point, com])?;
    let turned = cross(to, spin, arm)?;
    to.join(Op::Add, &[linear, turned])
}
