//! Constraint forces in closed form, row by row: the simplified contact model of Tassa, Erez and Todorov, Synthesis and
//! stabilization of complex behaviors through online trajectory optimization, IROS 2012, section III, equations 14 to 17.
//!
//! Of `A = J M⁻¹ J'` only the diagonal counts. With the time step `h`, `b = φ / h + J (v + h x0)` is the velocity that a row
//! would have after a step without constraint forces, `x0` the unconstrained acceleration and `φ` the distance, and `-b / A`
//! the impulse that stops it. Of that,
//!
//! - contacts and limits take `λ = smax(η (-b / A), β)`, which pushes at every distance, less and less, and never pulls;
//! - friction of contacts takes the impulse along the tangents, scaled down to a length below `μ λ`: sliding, spinning and
//!   rolling each by itself, since the bound of one is no measure of the others;
//! - dry friction takes an impulse within its bound times `h`;
//! - equalities take the share `η`.
//!
//! All of it is smooth in state and controls, where no row comes or goes, and there is nothing to iterate. Departures from
//! the paper:
//!
//! - The printed `smin(x, c) = c - smax(-x, c)` is `c / 2` at `x = 0`, where the direction of the sliding is undefined.
//!   [`smin`] is zero there, with slope one, tends to `c`, and exceeds neither.
//! - A contact has rows within its margin and its gap, and a limit within its margin, so that what `smax` would be beyond
//!   is cut off: a row comes with the impulse that is left of `β / 2` at that distance. `φ` is the plain distance; nothing
//!   is subtracted from it, otherwise the cut would be at `β / 2` itself.
//! - A thousandth of a typical diagonal is added to that of each row: of `efc_diagApprox`, and for friction of the sum over
//!   the rows that share a bound. Otherwise a row along which a mechanism can hardly move, like friction across the plane of
//!   a planar leg, would ask for any impulse, by rounding alone.

use super::pgs::{MAX_BLOCK, block_size};
use super::rows::mul_all_jac;
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::constraint;

/// Rows of a contact that share a bound: the first and one past the last of the sliding, spinning and rolling ones.
const FRICTION_GROUPS: [(usize, usize); 3] = [(1, 3), (3, 4), (4, 6)];

/// Share of a typical diagonal that is added to each.
const REGULARISER: f64 = 1e-3;

/// Smooth maximum of `x` and zero: `(sqrt(x² + β²) + x) / 2`, without cancellation below zero.
#[inline(always)]
pub fn smax<T: Real>(x: T, beta: T) -> T {
    let half = T::of(0.5);
    let root = (x * x + beta * beta).sqrt();
    if x < T::ZERO { half * beta * beta / (root - x) } else { half * (root + x) }
}

/// Smooth minimum of a length `x ≥ 0` and a bound `c > 0`: `x c / sqrt(x² + c²)`.
#[inline(always)]
pub fn smin<T: Real>(x: T, c: T) -> T {
    x * shortening(x * x, c)
}

/// Factor that takes a vector of that squared length to a length below `c`.
#[inline(always)]
fn shortening<T: Real>(squares: T, c: T) -> T {
    c / (squares + c * c).sqrt().max(T::MINVAL)
}

/// Forces of all rows, from their products with the inverse inertia.
pub(super) fn smooth_forces<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    set_stopping_impulses(m, d);
    let nefc = d.nefc[0] as usize;
    let mut r = 0;
    while r < nefc {
        let count = block_size(m, d, r);
        bound_impulses(m, d, r, count);
        for force in &mut d.efc_force[r..r + count] {
            *force /= m.opt_timestep[0];
        }
        r += count;
    }
}

/// The impulse `-b / A` of each row, which would stop it by itself; zero for a row that nothing moves.
fn set_stopping_impulses<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let h = m.opt_timestep[0];
    let mut product = std::mem::take(&mut d.solver_Jv);
    mul_all_jac(d, &d.qacc_smooth, &mut product);
    let mut r = 0;
    while r < d.nefc[0] as usize {
        let count = block_size(m, d, r);
        for (k, row) in (r..r + count).enumerate() {
            let b = d.efc_pos[row] / h + d.efc_vel[row] + h * product[row];
            d.efc_force[row] = if moves(d, r, k) { -b / regularised_diagonal(d, r, k) } else { T::ZERO };
        }
        r += count;
    }
    d.solver_Jv = product;
}

/// Diagonal of `A` for row `k` of the group that row `r` heads.
#[inline(always)]
fn row_diagonal<T: Real>(d: &Data<T>, r: usize, k: usize) -> T {
    d.dual_A[MAX_BLOCK * (r + k) + k]
}

/// True if anything moves along row `k` of a group.
#[inline(always)]
fn moves<T: Real>(d: &Data<T>, r: usize, k: usize) -> bool {
    row_diagonal(d, r, k) > T::MINVAL
}

/// The diagonal for row `k` of a group, with a share of a typical one.
#[inline(always)]
fn regularised_diagonal<T: Real>(d: &Data<T>, r: usize, k: usize) -> T {
    let typical = match FRICTION_GROUPS.into_iter().find(|group| (group.0..group.1).contains(&k)) {
        Some((first, end)) => (first..end).fold(T::ZERO, |sum, j| sum + row_diagonal(d, r, j)),
        None => d.efc_diagApprox[r],
    };
    row_diagonal(d, r, k) + T::of(REGULARISER) * typical
}

/// Bounds the impulses of a row, or of the contact that it heads.
fn bound_impulses<T: Real>(m: &Model<T>, d: &mut Data<T>, r: usize, count: usize) {
    let (eta, beta) = (m.opt_smooth[0], m.opt_smooth[1]);
    let (ne, nf) = (d.ne[0] as usize, d.nf[0] as usize);
    let x = d.efc_force[r];
    if r < ne {
        d.efc_force[r] = eta * x;
        return;
    }
    if r < ne + nf {
        d.efc_force[r] = x * shortening(x * x, d.efc_frictionloss[r] * m.opt_timestep[0]);
        return;
    }
    let normal = if moves(d, r, 0) { smax(eta * x, beta) } else { T::ZERO };
    d.efc_force[r] = normal;
    if d.efc_type[r] != constraint::CONTACT_ELLIPTIC {
        return;
    }
    // lengths in units of each row's friction
    let con = d.efc_id[r] as usize;
    for (first, end) in FRICTION_GROUPS.into_iter().filter(|group| group.1 <= count) {
        let mut squares = T::ZERO;
        for k in first..end {
            let scaled = d.efc_force[r + k] / d.contact_friction[5 * con + k - 1].max(T::MINVAL);
            squares += scaled * scaled;
        }
        let factor = shortening(squares, normal);
        for k in first..end {
            d.efc_force[r + k] *= factor;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smooth_maximum_is_above_both_and_tends_to_them() {
        for beta in [1e-3, 1.0, 50.0] {
            assert_eq!(smax(0.0, beta), 0.5 * beta);
            for x in [-1e3, -3.0, -0.1, 0.1, 3.0, 1e3] {
                let y: f64 = smax(x * beta, beta);
                let printed = 0.5 * ((x * x + 1.0).sqrt() + x) * beta;
                assert!(y > 0.0 && y > x * beta, "{x} {beta}: {y}");
                assert!((y - printed).abs() < 1e-12 * beta * (1.0 + x.abs()), "{x} {beta}: {y} {printed}");
            }
            assert!((smax(1e3 * beta, beta) / (1e3 * beta) - 1.0).abs() < 1e-6);
            // the tail, where the printed formula loses every digit
            let tail: f64 = smax(-1e9 * beta, beta);
            assert!((tail * 4e9 / beta - 1.0).abs() < 1e-12, "{tail}");
        }
    }

    #[test]
    fn the_smooth_minimum_is_below_both_zero_at_zero_and_tends_to_them() {
        for c in [1e-3, 1.0, 50.0] {
            assert_eq!(smin(0.0, c), 0.0);
            assert!((smin(1e-6 * c, c) / (1e-6 * c) - 1.0).abs() < 1e-9);
            let mut before = 0.0;
            for x in [0.01, 0.3, 1.0, 3.0, 100.0] {
                let y: f64 = smin(x * c, c);
                assert!(y > before && y < x * c && y < c, "{x} {c}: {y}");
                before = y;
            }
            assert!((smin(1e4 * c, c) / c - 1.0).abs() < 1e-8);
        }
        // no bound, no force
        assert_eq!(smin(1.0, 0.0), 0.0);
    }

    #[test]
    fn both_have_slopes_without_jumps() {
        let slope = |f: &dyn Fn(f64) -> f64, x: f64| (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;
        for f in [&(|x| smax(x, 0.3)) as &dyn Fn(f64) -> f64, &|x| smin(x.abs(), 0.3) * x.signum()] {
            for k in -200..200 {
                let x = 0.01 * f64::from(k);
                assert!((slope(f, x + 0.01) - slope(f, x)).abs() < 0.06, "{x}");
            }
        }
    }
}
