//! Generalised projected Gauss-Seidel method: the impulses of friction losses, limits and contacts that minimise
//!
//! ```text
//! ½ f' (A + R) f + f' (v⁻ − v*)    for f in the bounds and cones of equation 9
//! ```
//!
//! (Todorov 2014, equation 11). A block, that is a row with bounds or the rows of a contact, is minimised exactly while
//! all others stay; a cone as in [`ConeBlock`]. As the objective is strictly convex and the blocks' sets are a product,
//! every sweep lowers it and the limit is the minimum. `A = J M̂⁻¹ J'` is not formed, only its blocks on the diagonal:
//! the velocity of the present impulses is kept, and a change of impulse moves it along rows of `J M̂⁻¹`.

use super::block::ConeBlock;
use super::cone::MAX_ROWS;
use super::rows::{Rows, bounds, cone_at};
use manyworlds::cpu::math::add_row;
use manyworlds::cpu::solver::rows::{dof_range, mul_jac_row};
use manyworlds::model::Model;
use manyworlds::model::data::Data;

/// Rows that are updated together.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// First row, and their number.
    first: usize,
    dim: usize,
    /// Degrees of freedom that the impulses move.
    moved: (usize, usize),
    /// Bounds, and diagonal of `A + R`; of a cone the place in the list, in its stead.
    bounds: (f64, f64),
    diagonal: f64,
    cone: usize,
}

/// Blocks of a problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweeper {
    blocks: Vec<Block>,
    cones: Vec<ConeBlock>,
}

impl Sweeper {
    /// Blocks of all rows below those of the equality constraints, for rows `y = J M̂⁻¹`.
    ///
    /// # Errors
    /// The first row of a block whose `A + R` is not positive definite.
    pub(super) fn set(&mut self, m: &Model, d: &Data, rows: &Rows, y: &[f64]) -> Result<(), usize> {
        let (nv, nefc, h) = (m.sizes.nv, d.nefc[0] as usize, m.opt_timestep[0]);
        self.blocks.clear();
        let mut cones = 0;
        let mut r = d.ne[0] as usize;
        while r < nefc {
            let moved = match d.efc_island[r] {
                island @ 0.. => dof_range(d, island),
                _ => (0, nv),
            };
            let product = |i: usize, j: usize| mul_jac_row(d, i, &y[j * nv..(j + 1) * nv]);
            let entry = |i: usize, j: usize| {
                product(r + i, r + j) + if i == j { rows.regulariser[r + i] } else { 0.0 }
            };
            let mut block =
                Block { first: r, dim: 1, moved, bounds: bounds(d, r, h), diagonal: 0.0, cone: 0 };
            if let Some((dim, mu)) = cone_at(d, r) {
                (block.dim, block.cone) = (dim, cones);
                if self.cones.len() == cones {
                    self.cones.push(ConeBlock::default());
                }
                if !self.cones[cones].set(dim, mu, entry) {
                    return Err(r);
                }
                cones += 1;
            } else {
                block.diagonal = entry(0, 0);
                if !(block.diagonal > 0.0 && block.diagonal.is_finite()) {
                    return Err(r);
                }
            }
            self.blocks.push(block);
            r += block.dim;
        }
        Ok(())
    }

    /// Updates every block once: the impulses `f` and the velocity `v` that they cause. Returns the largest change of
    /// an impulse, as the velocity of its own row that it stands for.
    pub(super) fn sweep(&mut self, d: &Data, rows: &Rows, y: &[f64], f: &mut [f64], v: &mut [f64]) -> f64 {
        let nv = v.len();
        let mut largest = 0.0_f64;
        for block in &self.blocks {
            let (low, high) = block.moved;
            let velocity = |v: &[f64], r: usize| mul_jac_row(d, r, v);
            let r = block.first;
            if block.dim == 1 {
                let old = f[r];
                let gradient = velocity(v, r) - rows.target[r] + rows.regulariser[r] * old;
                // most rows that push apart stay at their bound
                if old == block.bounds.0 && gradient >= 0.0 {
                    continue;
                }
                let new = (old - gradient / block.diagonal).max(block.bounds.0).min(block.bounds.1);
                let step = new - old;
                if step != 0.0 {
                    f[r] = new;
                    add_row(&mut v[low..high], step, &y[r * nv + low..r * nv + high]);
                    largest = largest.max(step.abs() * block.diagonal);
                }
                continue;
            }
            // linear term at zero impulse of this contact
            let cone = &mut self.cones[block.cone];
            let n = block.dim;
            let mut linear = [0.0; MAX_ROWS];
            cone.product(&f[r..r + n], &mut linear);
            for k in 0..n {
                let own = rows.regulariser[r + k] * f[r + k];
                linear[k] = velocity(v, r + k) - rows.target[r + k] + own - linear[k];
            }
            let new = cone.minimise(&linear, f[r]);
            for k in 0..n {
                let step = new[k] - f[r + k];
                if step != 0.0 {
                    f[r + k] = new[k];
                    add_row(&mut v[low..high], step, &y[(r + k) * nv + low..(r + k) * nv + high]);
                    largest = largest.max(step.abs() * cone.diagonal(k));
                }
            }
        }
        largest
    }
}
