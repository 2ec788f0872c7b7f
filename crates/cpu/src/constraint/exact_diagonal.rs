//! Exact diagonals of `A = J M⁻¹ J'`, where flag `diagexact` wants them in place of what inverse weights at `qpos0`
//! approximate (MuJoCo documentation, Computation, "Constraint space"; XML reference, "flag").
//!
//! With `M = L' D L` and `x = L'⁻¹ J'`, for a row `J`, the diagonal element is `x' D⁻¹ x`: the first half of a solve
//! gives it. Beside the elements of the row, `x` has those of their ancestors: of the same trees, and before them.

use super::cone::cone_mu;
use super::contact_jacobian::contact_row_count;
use super::row_parameters::{min_invweight, set_regulariser};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::constraint;

/// Regularisers of all rows by exact diagonals. Needs the factors of the inertia matrix.
pub fn exact_diagonals<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let mut x = std::mem::take(&mut d.work_x);
    for r in 0..d.nefc[0] as usize {
        if heads_constraint(d, r) {
            let diag = exact_diagonal(m, d, r, &mut x);
            share_diagonal(m, d, r, diag);
        }
    }
    d.work_x = x;
}

/// True for a row whose regulariser follows from its own diagonal: all but those of a contact after its first.
fn heads_constraint<T: Real>(d: &Data<T>, r: usize) -> bool {
    d.efc_type[r] < constraint::CONTACT_FRICTIONLESS
        || d.contact_efc_address[d.efc_id[r] as usize] == r as i32
}

/// Diagonal element of `J M⁻¹ J'` of a row; `x` is memory for a vector over the degrees of freedom.
fn exact_diagonal<T: Real>(m: &Model<T>, d: &Data<T>, r: usize, x: &mut [T]) -> T {
    let parts = d.row_parts(r);
    let filled = parts.into_iter().filter(|(begin, end)| begin < end);
    // the row, with room for the ancestors
    for (begin, end) in filled.clone() {
        x[tree_begin(m, begin)..end].fill(T::ZERO);
    }
    for (begin, end) in filled.clone() {
        x[begin..end].copy_from_slice(d.row(r, begin, end));
    }
    // L', from the leaves up; both parts may be of one tree
    let (mut sum, mut above) = (T::ZERO, m.sizes.nv);
    for (begin, end) in filled.rev() {
        let first = tree_begin(m, begin);
        for k in (first..end.min(above)).rev() {
            let xk = x[k];
            if xk == T::ZERO {
                continue;
            }
            sum += xk * xk * d.qLDiagInv[k];
            let adr = m.M_rowadr[k] as usize;
            let last = adr + m.M_rownnz[k] as usize - 1;
            for (&l, &j) in d.qLD[adr..last].iter().zip(&m.M_colind[adr..last]) {
                x[j as usize] -= l * xk;
            }
        }
        above = first;
    }
    sum
}

/// First degree of freedom of the tree of another.
fn tree_begin<T: Real>(m: &Model<T>, dof: usize) -> usize {
    m.tree_dofadr[m.dof_treeid[dof] as usize] as usize
}

/// Sets the regulariser of a row by its diagonal; of the first row of a contact, also those of the others.
fn share_diagonal<T: Real>(m: &Model<T>, d: &mut Data<T>, r: usize, diag: T) {
    let (kind, id, imp) = (d.efc_type[r], d.efc_id[r] as usize, d.efc_KBIP[4 * r + 2]);
    let is_contact = kind >= constraint::CONTACT_FRICTIONLESS;
    let diag = if is_contact { diag.max(min_invweight(m)) } else { diag };
    let regulariser = ((T::ONE - imp) * diag / imp).max(T::MINVAL);
    set_regulariser(d, r, regulariser);
    if kind != constraint::CONTACT_PYRAMIDAL && kind != constraint::CONTACT_ELLIPTIC {
        return;
    }
    let dim = d.contact_dim[id] as usize;
    let mu = cone_mu(m, d.contact_friction[5 * id]);
    if kind == constraint::CONTACT_PYRAMIDAL {
        // the normal force seen through the first tangent's friction
        for k in 0..contact_row_count(m, dim) {
            set_regulariser(d, r + k, T::of(2.0) * mu * mu * regulariser);
        }
        return;
    }
    // a circular cone of scaled tangents
    for k in 1..dim {
        let friction = d.contact_friction[5 * id + k - 1];
        set_regulariser(d, r + k, regulariser * mu * mu / (friction * friction));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::smooth::factor_m::solve_ld;
    use crate::{position, step};
    use manyworlds_model::model::capacity::max_capacity;
    use manyworlds_model::schema::enums::{cone, enable};

    fn world(text: &str) -> (Model, Data) {
        let m: Model = manyworlds_mjcf::load_str(text).unwrap();
        let d = Data::new(&m, max_capacity(&m));
        (m, d)
    }

    fn close(value: f64, wanted: f64) {
        assert!((value - wanted).abs() <= 1e-9 * wanted.abs(), "{value}, not {wanted}");
    }

    #[test]
    fn a_sphere_on_a_plane_turns_too() {
        let (mut m, mut d) = world(
            "<mujoco><option impratio='4'><flag diagexact='enable'/></option>
            <default><geom friction='.5' solimp='.9 .9 .001'/></default><worldbody><geom type='plane' size='1 1 1'/>
            <body pos='0 0 .098'><freejoint/><geom size='.1' mass='2'/></body></worldbody></mujoco>",
        );
        // mass 2, inertia 0.008, the contact 0.099 below the centre; impedance 0.9, regularised friction 0.25
        let slides = 0.5 + 0.099 * 0.099 / 0.008;
        position(&m, &mut d);
        assert_eq!(d.nefc[0], 4);
        for r in 0..4 {
            close(d.efc_R[r], 2.0 * 0.0625 * (0.5 + 0.25 * slides) / 9.0);
            close(d.efc_D[r] * d.efc_R[r], 1.0);
        }
        // the normal row of a cone does not turn the sphere
        m.opt_cone[0] = cone::ELLIPTIC;
        position(&m, &mut d);
        assert_eq!(d.nefc[0], 3);
        close(d.efc_R[0], 0.5 / 9.0);
        close(d.efc_R[1], 0.5 / 9.0 / 4.0);
        close(d.efc_diagApprox[0], 0.5);
    }

    #[test]
    fn a_limit_feels_the_pendulum_where_it_hangs_now() {
        let (m, mut d) = world(
            "<mujoco><option><flag diagexact='enable'/></option><worldbody><body>
            <joint type='slide' axis='1 0 0' armature='.5' limited='true' range='-1 1' solimplimit='.9 .9 .001'/>
            <geom size='.1' mass='2'/><body><joint axis='0 1 0'/><geom pos='0 0 -1' size='.1' mass='3'/></body>
            </body></worldbody></mujoco>",
        );
        for angle in [0.0, 0.7, std::f64::consts::FRAC_PI_2] {
            d.qpos.copy_from_slice(&[1.5, angle]);
            position(&m, &mut d);
            assert_eq!(d.nefc[0], 1);
            // cart 5.5 with its load and armature, pendulum 3.012 about its joint
            let coupling = 3.0 * f64::cos(angle);
            close(d.efc_diagApprox[0], 3.012 / (5.5 * 3.012 - coupling * coupling));
        }
    }

    #[test]
    fn diagonals_are_those_of_the_inverse_inertia() {
        let (mut rows_seen, mut packed) = (0, false);
        for name in ["pgs", "pgs_elliptic", "elliptic", "equality", "tendons", "sleep", "crowd"] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/parity/models");
            let mut m: Model = manyworlds_mjcf::load(&folder.join(format!("{name}.xml"))).unwrap();
            m.opt_enableflags[0] |= enable::DIAGEXACT;
            let mut d = Data::new(&m, max_capacity(&m));
            for _ in 0..30 {
                step(&m, &mut d);
            }
            position(&m, &mut d);
            packed |= d.jacobian.is_packed;
            let (nv, rows) = (m.sizes.nv, d.whole_rows());
            for r in (0..d.nefc[0] as usize).filter(|r| heads_constraint(&d, *r)) {
                let row = &rows[r * nv..][..nv];
                let mut x = row.to_vec();
                solve_ld(&m, &d.qLD, &d.qLDiagInv, &mut x);
                let diag: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
                let imp = d.efc_KBIP[4 * r + 2];
                let mut wanted = ((1.0 - imp) * diag / imp).max(f64::MINVAL);
                if d.efc_type[r] == constraint::CONTACT_PYRAMIDAL {
                    let mu = cone_mu(&m, d.contact_friction[5 * d.efc_id[r] as usize]);
                    wanted *= 2.0 * mu * mu;
                }
                close(d.efc_R[r], wanted.max(f64::MINVAL));
                rows_seen += 1;
            }
        }
        assert!(rows_seen > 50 && packed, "{rows_seen} {packed}");
    }
}
