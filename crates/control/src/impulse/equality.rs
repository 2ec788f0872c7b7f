//! Equality constraints in the apparent inertia (Todorov 2014, theorem 1).
//!
//! With `S = J_E M⁻¹ J_E' + R_E`, the matrix inversion lemma turns equation 7 into
//!
//! ```text
//! M̂⁻¹ = M⁻¹ − M⁻¹ J_E' S⁻¹ J_E M⁻¹,    v̂ = v₀ + M⁻¹ J_E' S⁻¹ (v_E* − J_E v₀),
//! ```
//!
//! where `v₀ = v + M⁻¹ (p + u − c) h`. So the sparse factor of M serves, and nothing is divided by a small `R_E`: the
//! limit of hard constraints is near without loss of accuracy. `S = L L'` is factored, and `W = L⁻¹ J_E M⁻¹` is kept.

use manyworlds::cpu::math::{add_row, dot_n};
use manyworlds::cpu::solver::rows::mul_jac_row;
use manyworlds::model::data::Data;

/// Factors of the equality rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    /// L, `[ne, ne]`, with the inverse diagonal.
    factor: Vec<f64>,
    /// W, `[ne, nv]`.
    w: Vec<f64>,
    /// Products with W.
    scratch: Vec<f64>,
}

impl Elimination {
    /// Factors for rows `y = J M⁻¹`, `[nefc, nv]`, of which the first `ne` are equality constraints.
    ///
    /// # Errors
    /// The row at which S is not positive definite.
    pub(super) fn set(&mut self, d: &Data, y: &[f64], regulariser: &[f64], nv: usize) -> Result<(), usize> {
        let ne = d.ne[0] as usize;
        self.factor.resize(ne * ne, 0.0);
        self.scratch.resize(ne, 0.0);
        self.w.clear();
        self.w.extend_from_slice(&y[..ne * nv]);
        for i in 0..ne {
            for j in 0..=i {
                let mut sum = mul_jac_row(d, i, &y[j * nv..(j + 1) * nv]);
                if i == j {
                    sum += regulariser[i];
                }
                sum -= dot_n(&self.factor[i * ne..i * ne + j], &self.factor[j * ne..j * ne + j]);
                if i > j {
                    self.factor[i * ne + j] = sum * self.factor[j * ne + j];
                } else if sum > 0.0 && sum.is_finite() {
                    self.factor[i * ne + i] = 1.0 / sum.sqrt();
                } else {
                    return Err(i);
                }
            }
            // W, row by row
            let (above, row) = self.w.split_at_mut(i * nv);
            for j in 0..i {
                add_row(&mut row[..nv], -self.factor[i * ne + j], &above[j * nv..(j + 1) * nv]);
            }
            row[..nv].iter_mut().for_each(|x| *x *= self.factor[i * ne + i]);
        }
        Ok(())
    }

    /// Turns rows of `J M⁻¹` below those of the equality constraints into rows of `J M̂⁻¹`.
    pub(super) fn constrain(&mut self, d: &Data, y: &mut [f64], nv: usize) {
        let ne = d.ne[0] as usize;
        for r in ne..d.nefc[0] as usize {
            for i in 0..ne {
                let product = mul_jac_row(d, r, &self.w[i * nv..(i + 1) * nv]);
                if product != 0.0 {
                    add_row(&mut y[r * nv..(r + 1) * nv], -product, &self.w[i * nv..(i + 1) * nv]);
                }
            }
        }
    }

    /// Impulses `S⁻¹ (v_E* − J_E v)` of the equality constraints at a velocity without them, and the velocity with them.
    pub(super) fn apply(&mut self, d: &Data, target: &[f64], velocity: &mut [f64], impulse: &mut [f64]) {
        let (ne, nv) = (d.ne[0] as usize, velocity.len());
        // L x = v_E* − J_E v; then the velocity changes by W' x
        for i in 0..ne {
            let product = mul_jac_row(d, i, velocity);
            let done = dot_n(&self.factor[i * ne..i * ne + i], &self.scratch[..i]);
            self.scratch[i] = (target[i] - product - done) * self.factor[i * ne + i];
        }
        for i in 0..ne {
            add_row(velocity, self.scratch[i], &self.w[i * nv..(i + 1) * nv]);
        }
        // L' f = x
        for i in (0..ne).rev() {
            let mut sum = self.scratch[i];
            for j in i + 1..ne {
                sum -= self.factor[j * ne + i] * impulse[j];
            }
            impulse[i] = sum * self.factor[i * ne + i];
        }
    }
}
