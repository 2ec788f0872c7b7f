//! Costs of residuals: weighted norms, and how risk changes their sum.

use super::norm::Norm;
use manyworlds::error::{Error, Result};

/// A part of a residual, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Name.
    pub name: String,
    /// Number of elements of the residual, after those of the terms before.
    pub size: usize,
    /// Weight of the norm, at least 0.
    pub weight: f64,
    /// Norm of these elements.
    pub norm: Norm,
}

/// The cost of a step: `f(Σ wᵢ nᵢ(rᵢ))`, with `f(c) = (exp(R c) − 1) / R` for a risk R, which is the identity at 0. A
/// positive risk weighs large costs more; a negative one bounds the cost by `−1/R`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    terms: Vec<Term>,
    risk: f64,
}

/// A cost and its derivatives with respect to n numbers on which its residual depends. The Hessian is that of Gauss and
/// Newton: the curvature of the residual is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expansion {
    /// Cost.
    pub value: f64,
    /// Gradient, `[n]`.
    pub gradient: Vec<f64>,
    /// Hessian, `[n, n]`, symmetric; positive semidefinite where the risk is not negative.
    pub hessian: Vec<f64>,
}

impl Cost {
    /// A cost of some terms.
    ///
    /// # Errors
    /// [`Error::Argument`] for a weight that is negative or not finite, a risk that is not finite, or a parameter for which
    /// a norm is not defined; with the name of the term.
    pub fn new(terms: Vec<Term>, risk: f64) -> Result<Self> {
        for term in &terms {
            let name = &term.name;
            if !(term.weight >= 0.0 && term.weight.is_finite()) {
                let text =
                    format!("the weight of the cost '{name}' is {}; it has to be at least 0", term.weight);
                return Err(Error::Argument(text));
            }
            term.norm.check().map_err(|e| Error::Argument(format!("the cost '{name}': {e}")))?;
        }
        if !risk.is_finite() {
            return Err(Error::Argument(format!("the risk of a cost is {risk}; it has to be finite")));
        }
        Ok(Self { terms, risk })
    }

    /// The terms.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The risk.
    pub fn risk(&self) -> f64 {
        self.risk
    }

    /// Number of elements of the residual.
    pub fn residual_size(&self) -> usize {
        self.terms.iter().map(|term| term.size).sum()
    }

    /// The cost of a residual.
    ///
    /// # Errors
    /// [`Error::Argument`] for a residual of another size.
    pub fn value(&self, residual: &[f64]) -> Result<f64> {
        self.check(residual)?;
        let costs = self.parts(residual).map(|(term, part)| term.weight * term.norm.value(part));
        Ok(self.with_risk(costs.sum())[0])
    }

    /// What each term adds before risk changes the sum.
    ///
    /// # Errors
    /// As [`Cost::value`].
    pub fn values(&self, residual: &[f64]) -> Result<Vec<f64>> {
        self.check(residual)?;
        Ok(self.parts(residual).map(|(term, part)| term.weight * term.norm.value(part)).collect())
    }

    /// The cost of a residual and its derivatives, from the Jacobian of the residual, `[residual, n]`.
    ///
    /// # Errors
    /// As [`Cost::value`], and [`Error::Argument`] for a Jacobian of another size.
    pub fn expand(&self, residual: &[f64], jacobian: &[f64], n: usize) -> Result<Expansion> {
        self.check(residual)?;
        if jacobian.len() != residual.len() * n {
            let (got, rows) = (jacobian.len(), residual.len());
            let text = format!("the Jacobian of the residual has {got} numbers, {rows} x {n} are expected");
            return Err(Error::Argument(text));
        }
        let mut sum = 0.0;
        let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
        let mut rows = jacobian;
        for (term, part) in self.parts(residual) {
            let (own, rest) = rows.split_at(term.size * n);
            rows = rest;
            let size = term.size;
            let (mut slope, mut curvature) = (vec![0.0; size], vec![0.0; size * size]);
            sum += term.weight * term.norm.expand(part, &mut slope, &mut curvature);
            if term.weight == 0.0 {
                continue;
            }
            // J' g, and J' H J by way of H J
            for (row, g) in own.chunks_exact(n.max(1)).zip(&slope) {
                add(&mut gradient, term.weight * g, row);
            }
            let mut product = vec![0.0; n];
            for (i, row) in own.chunks_exact(n.max(1)).enumerate() {
                product.fill(0.0);
                // most norms have a diagonal curvature, and most residuals depend on little
                let others = own.chunks_exact(n.max(1)).zip(&curvature[size * i..size * (i + 1)]);
                others
                    .filter(|(_, c)| **c != 0.0)
                    .for_each(|(other, c)| add(&mut product, term.weight * c, other));
                let rows = row.iter().zip(hessian.chunks_exact_mut(n.max(1)));
                rows.filter(|(x, _)| **x != 0.0).for_each(|(x, to)| add(to, *x, &product));
            }
        }

        // the risk: f' H + f'' g g'
        let [value, first, second] = self.with_risk(sum);
        if self.risk != 0.0 {
            for i in 0..n {
                for j in 0..n {
                    let k = n * i + j;
                    hessian[k] = first * hessian[k] + second * gradient[i] * gradient[j];
                }
            }
            gradient.iter_mut().for_each(|g| *g *= first);
        }
        Ok(Expansion { value, gradient, hessian })
    }

    /// The terms with their parts of a residual.
    fn parts<'a>(&'a self, residual: &'a [f64]) -> impl Iterator<Item = (&'a Term, &'a [f64])> {
        self.terms.iter().scan(residual, |rest, term| {
            let (part, after) = rest.split_at(term.size);
            *rest = after;
            Some((term, part))
        })
    }

    /// A cost after risk, and the two derivatives.
    fn with_risk(&self, cost: f64) -> [f64; 3] {
        if self.risk == 0.0 {
            return [cost, 1.0, 0.0];
        }
        let slope = (self.risk * cost).exp();
        [(self.risk * cost).exp_m1() / self.risk, slope, self.risk * slope]
    }

    fn check(&self, residual: &[f64]) -> Result<()> {
        let (got, size) = (residual.len(), self.residual_size());
        if got == size {
            return Ok(());
        }
        let terms: Vec<String> = self.terms.iter().map(|t| format!("{} {}", t.size, t.name)).collect();
        let text = format!("the residual has {got} elements; the cost has {size}: {}", terms.join(", "));
        Err(Error::Argument(text))
    }
}

/// Adds a multiple of a row to another.
fn add(to: &mut [f64], factor: f64, row: &[f64]) {
    to.iter_mut().zip(row).for_each(|(to, x)| *to += factor * x);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn term(name: &str, size: usize, weight: f64, norm: Norm) -> Term {
        Term { name: name.to_owned(), size, weight, norm }
    }

    fn cost(risk: f64) -> Cost {
        let terms = vec![
            term("height", 1, 3.0, Norm::SmoothAbs { p: 0.1 }),
            term("reach", 3, 0.7, Norm::L2 { p: 0.2 }),
            term("off", 1, 0.0, Norm::Quadratic),
            term("control", 2, 0.2, Norm::Cosh { p: 0.5 }),
        ];
        Cost::new(terms, risk).unwrap()
    }

    /// A residual that is linear in x, and its Jacobian.
    fn residual(x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let jacobian: Vec<f64> = (0..7 * x.len()).map(|k| (1.3 * k as f64).sin()).collect();
        let rows = jacobian.chunks(x.len()).enumerate();
        let of = |(i, row): (usize, &[f64])| {
            0.1 * i as f64 - 0.2 + row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()
        };
        (rows.map(of).collect(), jacobian)
    }

    #[test]
    fn expansions_are_those_of_differences() {
        let x = [0.2, -0.1, 0.4, 0.3];
        let h = 1e-5;
        for risk in [0.0, 0.8, -0.5] {
            let cost = cost(risk);
            let at = |x: &[f64]| {
                let (r, j) = residual(x);
                let found = cost.expand(&r, &j, x.len()).unwrap();
                assert!((found.value - cost.value(&r).unwrap()).abs() < 1e-14);
                found
            };
            // with a linear residual the Hessian is exact
            let found = at(&x);
            for i in 0..x.len() {
                let moved = |step: f64| {
                    let mut moved = x;
                    moved[i] += step;
                    at(&moved)
                };
                let (up, down) = (moved(h), moved(-h));
                assert!(
                    (found.gradient[i] - (up.value - down.value) / (2.0 * h)).abs() < 1e-8,
                    "risk {risk}"
                );
                for j in 0..x.len() {
                    let slope = (up.gradient[j] - down.gradient[j]) / (2.0 * h);
                    assert!((found.hessian[x.len() * i + j] - slope).abs() < 1e-7, "risk {risk}, {i} {j}");
                }
            }
        }
    }

    #[test]
    fn risk_bends_the_sum() {
        let (r, _) = residual(&[1.0, 2.0, -1.0, 0.5]);
        let [averse, neutral, seeking] = [0.5, 0.0, -0.5].map(|risk| cost(risk).value(&r).unwrap());
        assert!(averse > neutral && neutral > seeking && seeking < 2.0);
        let apart = cost(0.0).values(&r).unwrap();
        assert_eq!((apart.len(), apart[2]), (4, 0.0));
        assert!((apart.iter().sum::<f64>() - neutral).abs() < 1e-14);
        // about the identity near 0
        assert!((cost(1e-9).value(&r).unwrap() - neutral).abs() < 1e-6);
    }

    #[test]
    fn wrong_costs_are_refused_by_name() {
        let refused = |terms: Vec<Term>, risk: f64| Cost::new(terms, risk).unwrap_err().to_string();
        let said = refused(vec![term("reach", 1, -1.0, Norm::Quadratic)], 0.0);
        assert!(said.contains("'reach' is -1"), "{said}");
        let said = refused(vec![term("reach", 1, 1.0, Norm::L2 { p: -1.0 })], 0.0);
        assert!(said.contains("'reach'") && said.contains("above 0"), "{said}");
        assert!(refused(Vec::new(), f64::NAN).contains("risk of a cost is NaN"));
        let said = cost(0.0).value(&[0.0; 6]).unwrap_err().to_string();
        assert!(said.contains("has 6 elements; the cost has 7: 1 height, 3 reach"), "{said}");
        assert!(cost(0.0).expand(&[0.0; 7], &[0.0; 6], 1).unwrap_err().to_string().contains("7 x 1"));
    }
}
