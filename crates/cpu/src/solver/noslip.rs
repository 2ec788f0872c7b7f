//! Noslip: friction forces after the main solver. Sweeps over the friction rows alone, without regularisation, at
//! given normal forces (MuJoCo documentation, Computation, "Noslip").

use super::pgs::{PgsBlock, acceleration_of_forces, block_size, update_row};
use super::rows::{cost_scale, rows};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::constraint;

/// Friction forces of an island's rows; returns the number of sweeps.
pub fn noslip<T: Real>(m: &Model<T>, d: &mut Data<T>, island: i32) -> i32 {
    acceleration_of_forces(m, d, island);
    let scale = cost_scale(m, d, island);
    let own = rows(d, island);
    // cost of the regulariser, which the first sweep removes
    let mut improvement = T::ZERO;
    for &r in &d.efc_order[own.clone()] {
        let r = r as usize;
        improvement += T::of(0.5) * d.efc_R[r] * d.efc_force[r] * d.efc_force[r];
    }
    for iteration in 0..m.opt_noslip_iterations[0] {
        let mut place = own.start;
        while place < own.end {
            let r = d.efc_order[place] as usize;
            let count = block_size(m, d, r);
            improvement -= update(d, r, count);
            place += count;
        }
        if scale * improvement < m.opt_noslip_tolerance[0] {
            return iteration + 1;
        }
        improvement = T::ZERO;
    }
    m.opt_noslip_iterations[0]
}

/// Updates the friction forces of the block headed by row `r`; returns the change of cost.
fn update<T: Real>(d: &mut Data<T>, r: usize, count: usize) -> T {
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
        rows.update_opposing_edges();
        return rows.accept(d);
    }
    if kind == constraint::FRICTION_DOF || kind == constraint::FRICTION_TENDON {
        return update_row(d, r, r, false);
    }
    T::ZERO
}
