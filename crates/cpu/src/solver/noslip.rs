//! Noslip: friction forces after the main solver. Sweeps over the friction rows alone, without regularisation, at
//! given normal forces (MuJoCo documentation, Computation, "Noslip").

use super::pgs::{PgsBlock, acceleration_of_forces, block_size, update_scalar};
use super::rows::{cost_scale, rows};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::constraint;

/// Friction forces of an island's rows; returns the number of sweeps.
pub fn noslip<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> i32 {
    let scale = cost_scale(m, d, island);
    let mut improvement = begin_noslip(m, d, island);
    for iteration in 0..m.opt_noslip_iterations[0] {
        improvement = iterate_noslip(m, d, island, improvement);
        if scale * improvement < m.opt_noslip_tolerance[0] {
            return iteration + 1;
        }
        improvement = T::ZERO;
    }
    m.opt_noslip_iterations[0]
}

/// Acceleration of the present forces, and the cost of the regulariser, which the first sweep removes.
fn begin_noslip<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> T {
    acceleration_of_forces(m, d, island);
    let mut improvement = T::ZERO;
    for &r in &d.efc_order[rows(d, island)] {
        let r = r as usize;
        improvement += T::of(0.5) * d.efc_R[r] * d.efc_force[r] * d.efc_force[r];
    }
    improvement
}

/// One sweep over the friction rows of an island; returns by how much the cost has fallen, from `improvement` on.
fn iterate_noslip<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32, mut improvement: T) -> T {
    let own = rows(d, island);
    let mut place = own.start;
    while place < own.end {
        let r = d.efc_order[place] as usize;
        let count = block_size(m, d, r);
        improvement -= update_friction(d, r, count);
        place += count;
    }
    improvement
}

/// Updates the friction forces of the block headed by row `r`; returns the change of cost.
fn update_friction<T: Real>(d: &mut Data<T>, r: usize, count: usize) -> T {
    let kind = d.efc_type[r];
    if kind == constraint::CONTACT_ELLIPTIC {
        let con = d.efc_id[r] as usize;
        let mut rows = PgsBlock::load_block(d, (r + 1, count - 1), r, false);
        rows.clamp_diagonal();
        rows.update_tangents_only(&d.contact_friction[5 * con..5 * con + 5], d.efc_force[r]);
        return rows.accept(d);
    }
    if kind == constraint::CONTACT_PYRAMIDAL {
        let mut rows = PgsBlock::load_block(d, (r, 2), r, false);
        rows.clamp_diagonal();
        update_opposing_edges(&mut rows);
        return rows.accept(d);
    }
    if kind == constraint::FRICTION_DOF || kind == constraint::FRICTION_TENDON {
        return update_scalar(d, r, r, false);
    }
    T::ZERO
}

/// Opposing pyramid edges: their sum is kept, and with it the normal force.
fn update_opposing_edges<T: Real>(rows: &mut PgsBlock<T>) {
    let middle = T::of(0.5) * (rows.old[0] + rows.old[1]);
    let apart = T::of(0.5) * (rows.old[0] - rows.old[1]);
    let a = &rows.a;
    let curvature = a[0][0] + a[1][1] - T::of(2.0) * a[0][1];
    let mut y = T::ZERO;
    if curvature >= T::MINVAL {
        y = apart - (rows.residual[0] - rows.residual[1]) / curvature;
        y = y.min(middle).max(-middle);
    }
    rows.force[0] = middle + y;
    rows.force[1] = middle - y;
}
