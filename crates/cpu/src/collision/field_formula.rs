//! Signed distance fields by formulas of the model's own: their expressions at a point, with gradients or without.
//! Kernels have them as functions that `crates/gpu/src/codegen/task/fields.rs` writes.

use crate::math::Vec3;
use crate::math::graded::Number;
use manyworlds_model::model::Model;
use manyworlds_model::model::formula::{FieldFormula, MOST_NUMBERS, MOST_PARAMETERS};
use manyworlds_model::model::task::Op;
use manyworlds_model::real::Real;

/// A formula with the numbers of its parameters.
#[derive(Clone, Copy, Debug)]
pub struct FormulaField<'a, T> {
    formula: &'a FieldFormula,
    prm: [T; MOST_PARAMETERS],
}

impl<'a, T: Real> FormulaField<'a, T> {
    /// A formula with its parameters: those that are not given are zero.
    pub fn new(formula: &'a FieldFormula, given: &[T]) -> Self {
        let mut prm = [T::ZERO; MOST_PARAMETERS];
        prm.iter_mut().zip(given).for_each(|(to, x)| *to = *x);
        Self { formula, prm }
    }

    /// The formula of a plugin instance of a model, if it has one.
    pub fn of_plugin(m: &'a Model<T>, id: usize) -> Option<Self> {
        let formula = m.formulas.as_ref()?.field(id)?;
        Some(Self::new(formula, &m.plugin_prm[MOST_PARAMETERS * id..MOST_PARAMETERS * (id + 1)]))
    }

    /// Signed distance at a point.
    pub fn distance<N: Number<T>>(&self, p: Vec3<T>) -> N {
        let mut work = [N::constant(T::ZERO); MOST_NUMBERS];
        let point = N::coordinates(p);
        let mut last = 0;
        for (k, node) in self.formula.nodes.iter().enumerate() {
            last = self.formula.offsets[k];
            let (before, rest) = work.split_at_mut(last);
            let out = &mut rest[..node.size];
            self.compute(k, &point, before, out);
        }
        work[last]
    }

    /// Computes an expression; those that it uses are before it.
    fn compute<N: Number<T>>(&self, k: usize, point: &[N; 3], before: &[N], out: &mut [N]) {
        let node = &self.formula.nodes[k];
        let size = |a: usize| self.formula.nodes[node.args[a]].size;
        let first = |a: usize| self.formula.offsets[node.args[a]];
        // an argument: a single number goes with any place
        let arg = |a: usize, i: usize| before[first(a) + if size(a) == 1 { 0 } else { i }];
        match &node.op {
            Op::Const { values } => {
                out.iter_mut().zip(values).for_each(|(to, x)| *to = N::constant(T::of(*x)));
            }
            Op::Argument { elements } => {
                for (to, i) in out.iter_mut().zip(elements) {
                    *to = if *i < 3 { point[*i] } else { N::constant(self.prm[i - 3]) };
                }
            }
            Op::Pick { elements } => {
                out.iter_mut().zip(elements).for_each(|(to, i)| *to = before[first(0) + i]);
            }
            Op::Concat => {
                let parts = (0..node.args.len()).flat_map(|a| first(a)..first(a) + size(a));
                out.iter_mut().zip(parts).for_each(|(to, i)| *to = before[i]);
            }
            Op::Sum | Op::Largest | Op::Smallest => {
                let join = |a: N, b: N| match node.op {
                    Op::Sum => a + b,
                    Op::Largest => a.max(b),
                    _ => a.min(b),
                };
                out[0] = (1..size(0)).fold(arg(0, 0), |sum, i| join(sum, arg(0, i)));
            }
            Op::Select => {
                for (i, to) in out.iter_mut().enumerate() {
                    *to = if arg(0, i).value() == T::ZERO { arg(2, i) } else { arg(1, i) };
                }
            }
            op if node.args.len() == 1 => {
                out.iter_mut().enumerate().for_each(|(i, to)| *to = of_one(op, arg(0, i)));
            }
            op => out.iter_mut().enumerate().for_each(|(i, to)| *to = of_two(op, arg(0, i), arg(1, i))),
        }
    }
}

/// A function of one number; comparisons and whole numbers are flat.
fn of_one<T: Real, N: Number<T>>(op: &Op, a: N) -> N {
    let x = a.value();
    let truth = |is: bool| N::constant(if is { T::ONE } else { T::ZERO });
    match op {
        Op::Neg => -a,
        Op::Abs => a.abs(),
        Op::Sqrt => a.sqrt(),
        Op::Exp => a.through(x.exp(), |y| y),
        Op::Log => a.through(x.ln(), |_| T::ONE / x),
        Op::Sin => a.through(x.sin(), |_| x.cos()),
        Op::Cos => a.through(x.cos(), |_| -x.sin()),
        Op::Tanh => {
            let e = (T::of(-2.0) * x.abs()).exp();
            let y = (T::ONE - e) / (T::ONE + e);
            a.through(if x < T::ZERO { -y } else { y }, |y| T::ONE - y * y)
        }
        Op::Floor => N::constant(x.floor()),
        Op::Not => truth(x == T::ZERO),
        _ => truth(x.is_finite()),
    }
}

/// A function of two numbers; comparisons are flat.
fn of_two<T: Real, N: Number<T>>(op: &Op, a: N, b: N) -> N {
    let (x, y) = (a.value(), b.value());
    let truth = |is: bool| N::constant(if is { T::ONE } else { T::ZERO });
    match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a.over(b),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Atan2 => a.atan2(b),
        Op::Lt => truth(x < y),
        Op::Le => truth(x <= y),
        Op::Eq => truth(x == y),
        Op::Ne => truth(x != y),
        Op::And => truth(x != T::ZERO && y != T::ZERO),
        _ => truth(x != T::ZERO || y != T::ZERO),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::math::graded::{Graded, Plain};
    use crate::math::random::Random;

    #[test]
    fn formulas_are_the_functions_that_they_say() {
        let names = ["r".to_owned(), "k".to_owned()];
        let at = |text: &str, p: Vec3<f64>| {
            let formula = FieldFormula::parse(text, &names).unwrap();
            let field = FormulaField::new(&formula, &[0.3, 7.0]);
            let graded: Graded<f64> = field.distance(p);
            assert_eq!(field.distance::<Plain<f64>>(p).0.to_bits(), graded.value.to_bits(), "{text}");
            graded
        };
        let texts = [
            "norm(p) - r",
            "max(abs(x) - r, abs(y) - 2*r)",
            "dot(sin(k*p), cos(k*[y, z, x]))/k",
            "select(z > 0, exp(-x)*tanh(y), log(2 + x^2) - atan2(y, 3 + z))",
            "largest(p) + smallest([x*y, z/(2 + x), sqrt(1 + z)]) + floor(k)",
        ];
        let mut random = Random(3);
        for text in texts {
            for _ in 0..200 {
                let p = random.vector();
                let got = at(text, p);
                for axis in 0..3 {
                    let step = Vec3::unit(axis) * 1e-6;
                    let slope = (at(text, p + step).value - at(text, p - step).value) / 2e-6;
                    // but for the few points at an edge
                    let near = (slope - got.gradient[axis]).abs() < 1e-6;
                    let edge = p[2].abs() < 1e-5 || text.contains("largest") || text.contains("max");
                    assert!(near || edge, "{text} at {p:?}: {slope} {:?}", got.gradient);
                }
            }
        }
        let p = Vec3([0.1, -0.2, 0.3]);
        assert!((at(texts[0], p).value - (0.14_f64.sqrt() - 0.3)).abs() < 1e-15);
    }

    #[test]
    fn formulas_that_are_no_distance_are_refused() {
        for (text, part) in [
            ("p", "one number, not 3"),
            ("qpos[0]", "knows nothing of worlds"),
            ("norm(q) - 1", "nothing is called 'q'"),
            ("uniform(0, 1)", "only tasks"),
            ("x +", "formula ends"),
        ] {
            let said = FieldFormula::parse(text, &[]).unwrap_err();
            assert!(said.contains(part), "{text}: {said}");
        }
        let many: Vec<String> = (0..7).map(|k| format!("a{k}")).collect();
        assert!(FieldFormula::parse("x", &many).unwrap_err().contains("7 parameters"));
        assert!(FieldFormula::parse("x", &["y".to_owned()]).unwrap_err().contains("as a coordinate is"));
        let long = format!("x{}", " + sin(x)".repeat(60));
        assert!(FieldFormula::parse(&long, &[]).unwrap_err().contains("at most"));
    }
}
