//! Operations on numbers, and expressions of constants.

use super::node::{Form, Node, Op, SHORT};
use crate::real::Real;

/// An operation on one number; `None` for others.
pub fn unary<T: Real>(op: &Op) -> Option<fn(T) -> T> {
    let of: fn(T) -> T = match op {
        Op::Neg => |x| -x,
        Op::Abs => T::abs,
        Op::Sqrt => T::sqrt,
        Op::Exp => T::exp,
        Op::Log => T::ln,
        Op::Sin => T::sin,
        Op::Cos => T::cos,
        Op::Tanh => tanh,
        Op::Floor => T::floor,
        Op::Not => |x| truth(x == T::ZERO),
        Op::IsFinite => |x| truth(x.is_finite()),
        _ => return None,
    };
    Some(of)
}

/// One for true, zero for false.
fn truth<T: Real>(x: bool) -> T {
    if x { T::ONE } else { T::ZERO }
}

/// An operation on two numbers; zero for others, which do not get here.
pub fn binary<T: Real>(op: &Op, a: T, b: T) -> T {
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Lt => truth(a < b),
        Op::Le => truth(a <= b),
        Op::Eq => truth(a == b),
        Op::Ne => truth(a != b),
        Op::And => truth(a != T::ZERO && b != T::ZERO),
        Op::Or => truth(a != T::ZERO || b != T::ZERO),
        Op::Atan2 => a.atan2(b),
        _ => T::ZERO,
    }
}

/// Hyperbolic tangent, without overflow.
pub fn tanh<T: Real>(x: T) -> T {
    let e = (T::of(-2.0) * x.abs()).exp();
    let y = (T::ONE - e) / (T::ONE + e);
    if x < T::ZERO { -y } else { y }
}

/// An operation on two vectors, of which either may be a single number. What most expressions are made of has loops of its own.
pub fn binary_of_all<T: Real>(op: &Op, a: &[T], b: &[T], out: &mut [T]) {
    match op {
        Op::Add => each(a, b, out, |x, y| x + y),
        Op::Sub => each(a, b, out, |x, y| x - y),
        Op::Mul => each(a, b, out, |x, y| x * y),
        Op::Min => each(a, b, out, T::min),
        Op::Max => each(a, b, out, T::max),
        op => each(a, b, out, |x, y| binary(op, x, y)),
    }
}

/// A function of two vectors, element by element; a single number goes with any place.
#[inline(always)]
fn each<T: Real>(a: &[T], b: &[T], out: &mut [T], f: impl Fn(T, T) -> T) {
    match (a, b) {
        ([x], [y]) => out.fill(f(*x, *y)),
        ([x], b) => out.iter_mut().zip(b).for_each(|(to, y)| *to = f(*x, *y)),
        (a, [y]) => out.iter_mut().zip(a).for_each(|(to, x)| *to = f(*x, *y)),
        (a, b) => out.iter_mut().zip(a.iter().zip(b)).for_each(|(to, (x, y))| *to = f(*x, *y)),
    }
}

/// Computes nodes of constants alone, and makes them constants; elements of one field that are joined or taken become a read of
/// these elements, which lanes of a kernel can share.
///
/// # Errors
/// The node, and why, where a number is not finite: in kernels it would be no number at all.
pub(super) fn fold(nodes: &mut [Node]) -> std::result::Result<(), (usize, String)> {
    for k in 0..nodes.len() {
        let Node { op, size, args } = &nodes[k];
        if let Some(read) = read_at_once(op, args, nodes) {
            nodes[k] = Node { op: read, size: *size, args: Vec::new() };
            continue;
        }
        let constants: Option<Vec<&[f64]>> = args
            .iter()
            .map(|a| if let Op::Const { values } = &nodes[*a].op { Some(values.as_slice()) } else { None })
            .collect();
        let Some(values) = constants.filter(|c| !c.is_empty()).and_then(|c| of_constants(op, *size, &c))
        else {
            continue;
        };
        if let Some(x) = values.iter().find(|x| !x.is_finite()) {
            return Err((k, format!("'{op:?}' of constants is {x}: an expression of constants is finite")));
        }
        nodes[k] = Node { op: Op::Const { values }, size: *size, args: Vec::new() };
    }
    Ok(())
}

/// Elements of one field, where a node joins reads of it or takes some of one.
fn read_at_once(op: &Op, args: &[usize], nodes: &[Node]) -> Option<Op> {
    let Op::Field { name, elements: first } = &nodes[*args.first()?].op else { return None };
    let elements = match op {
        Op::Pick { elements } => {
            elements.iter().map(|k| first.get(*k).copied()).collect::<Option<Vec<_>>>()?
        }
        Op::Concat => {
            let of = |a: &usize| match &nodes[*a].op {
                Op::Field { name: other, elements } if other == name => Some(elements.as_slice()),
                _ => None,
            };
            args.iter().map(of).collect::<Option<Vec<_>>>()?.concat()
        }
        _ => return None,
    };
    // long vectors are shared by lanes part by part, unless they are one part
    let step = |pair: &[usize]| pair[1] as isize - pair[0] as isize;
    let is_even = elements.windows(2).all(|pair| step(pair) == step(&elements[..2]));
    (is_even || elements.len() <= SHORT).then(|| Op::Field { name: name.clone(), elements })
}

/// The value of an operation on constants; `None` for one that depends on more.
fn of_constants(op: &Op, size: usize, args: &[&[f64]]) -> Option<Vec<f64>> {
    let arg = |a: usize, k: usize| args[a][if args[a].len() == 1 { 0 } else { k }];
    let all = args.first()?.iter().copied();
    let of_each = |f: &dyn Fn(usize) -> f64| Some((0..size).map(f).collect());
    match (op.form(), op) {
        (_, Op::Network(_)) => None,
        (Form::Elementwise(1), op) => {
            let f = unary::<f64>(op)?;
            of_each(&|k| f(arg(0, k)))
        }
        (_, Op::Select) => of_each(&|k| if arg(0, k) == 0.0 { arg(2, k) } else { arg(1, k) }),
        (Form::Elementwise(2), op) => of_each(&|k| binary(op, arg(0, k), arg(1, k))),
        (_, Op::Sum) => Some(vec![all.fold(0.0, |sum, x| sum + x)]),
        (_, Op::Largest) => Some(vec![all.reduce(f64::max)?]),
        (_, Op::Smallest) => Some(vec![all.reduce(f64::min)?]),
        (_, Op::Pick { elements }) => Some(elements.iter().map(|i| args[0][*i]).collect()),
        (_, Op::Concat) => Some(args.concat()),
        _ => None,
    }
}
