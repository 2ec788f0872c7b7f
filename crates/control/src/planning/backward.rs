//! Backward pass of iLQG: quadratic models of the cost to go (Tassa, Erez and Todorov 2012, equations 5, 10 and 11), with bounds
//! of the controls (Tassa, Mansard and Todorov 2014).

use nalgebra::{DMatrix, DVector};

use super::box_qp::minimise;
use super::cost::Expansion;

/// Dynamics and cost about a trajectory of N steps.
#[derive(Debug)]
pub(super) struct Model<'a> {
    /// Length n of the tangent of a state.
    pub(super) n: usize,
    /// Number m of controls.
    pub(super) m: usize,
    /// Derivatives of the next state by the state, `[N, n, n]`.
    pub(super) a: &'a [f64],
    /// Derivatives of the next state by the controls, `[N, n, m]`.
    pub(super) b: &'a [f64],
    /// Costs of the steps and of the end, by state and controls, `[N + 1]`; those of the end by the last controls.
    pub(super) costs: &'a [Expansion],
    /// Least and largest changes of the controls, `[N, m]`.
    pub(super) low: &'a [f64],
    pub(super) high: &'a [f64],
}

/// Changes of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// Changes of the controls, `[N, m]`.
    pub(super) feedforward: Vec<f64>,
    /// Feedback gains, `[N, m, n]`.
    pub(super) gains: Vec<f64>,
    /// Expected change of the cost: its linear and its quadratic part in the step size.
    pub(super) expected: [f64; 2],
}

/// The knot whose regularised Hessian of the controls is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indefinite(pub(super) usize);

/// Parts of an expansion by state and controls.
struct Parts {
    x: DVector<f64>,
    u: DVector<f64>,
    xx: DMatrix<f64>,
    ux: DMatrix<f64>,
    uu: DMatrix<f64>,
}

/// The changes that minimise the model, with a penalty `mu` on squared changes of the next state.
pub(super) fn pass(model: &Model<'_>, mu: f64, before: &Changes) -> Result<Changes, Indefinite> {
    let (n, m) = (model.n, model.m);
    let steps = model.costs.len().saturating_sub(1);
    let mut made =
        Changes { feedforward: vec![0.0; steps * m], gains: vec![0.0; steps * m * n], expected: [0.0; 2] };
    let Some(end) = model.costs.last().map(|cost| parts(cost, n, m)) else { return Ok(made) };
    let (mut vx, mut vxx) = (end.x.clone(), end.xx.clone());
    for k in (0..steps).rev() {
        let a = DMatrix::from_row_slice(n, n, &model.a[k * n * n..(k + 1) * n * n]);
        let b = DMatrix::from_row_slice(n, m, &model.b[k * n * m..(k + 1) * n * m]);
        let (at, bt) = (a.transpose(), b.transpose());
        let cost = parts(&model.costs[k], n, m);
        // equations 5
        let (va, vb) = (&vxx * &a, &vxx * &b);
        let qx = cost.x + &at * &vx;
        let mut qu = cost.u + &bt * &vx;
        let qxx = cost.xx + &at * &va;
        let mut qux = cost.ux + &bt * &va;
        let mut quu = cost.uu + &bt * &vb;
        // the end of the horizon is under the last controls
        if k + 1 == steps {
            let cross = &end.ux * &b;
            qu += &end.u;
            quu += &end.uu + &cross + cross.transpose();
            qux += &end.ux * &a;
        }
        // equations 10a, 10b
        let (mut quu_reg, mut qux_reg) = (quu.clone(), qux.clone());
        if mu > 0.0 {
            quu_reg += mu * (&bt * &b);
            qux_reg += mu * (&bt * &a);
            // controls without effect on the state
            (0..m).for_each(|i| quu_reg[(i, i)] += CONTROLS * mu);
        }
        // the step within its bounds, and gains of the controls that are free (10c, 10d)
        let bounds = k * m..(k + 1) * m;
        let first = match before.feedforward.get(bounds.clone()) {
            Some(kept) => DVector::from_row_slice(kept),
            None => DVector::zeros(m),
        };
        let found = minimise(&quu_reg, &qu, &model.low[bounds.clone()], &model.high[bounds.clone()], first);
        let found = found.ok_or(Indefinite(k))?;
        let step = found.x;
        let mut gain = DMatrix::zeros(m, n);
        if let Some(factor) = &found.factor {
            let solved = factor.solve(&qux_reg.select_rows(&found.free));
            for (row, i) in found.free.iter().enumerate() {
                gain.row_mut(*i).copy_from(&(-solved.row(row)));
            }
        }
        // equations 11
        let (quk, kt) = (&quu * &step, gain.transpose());
        made.expected[0] += step.dot(&qu);
        made.expected[1] += 0.5 * step.dot(&quk);
        vx = qx + &kt * (&quk + &qu) + qux.transpose() * &step;
        let cross = &kt * &qux;
        vxx = qxx + &kt * (&quu * &gain) + &cross + cross.transpose();
        let mirror = vxx.transpose();
        vxx = 0.5 * (vxx + mirror);
        made.feedforward[bounds].copy_from_slice(step.as_slice());
        for i in 0..m {
            for j in 0..n {
                made.gains[(k * m + i) * n + j] = gain[(i, j)];
            }
        }
    }
    Ok(made)
}

/// Part of the penalty that is on the controls themselves.
const CONTROLS: f64 = 1e-4;

/// An expansion by state and controls in its parts.
fn parts(cost: &Expansion, n: usize, m: usize) -> Parts {
    let all = n + m;
    let entry = |i: usize, j: usize| cost.hessian[i * all + j];
    Parts {
        x: DVector::from_row_slice(&cost.gradient[..n]),
        u: DVector::from_row_slice(&cost.gradient[n..]),
        xx: DMatrix::from_fn(n, n, entry),
        ux: DMatrix::from_fn(m, n, |i, j| entry(n + i, j)),
        uu: DMatrix::from_fn(m, m, |i, j| entry(n + i, n + j)),
    }
}
