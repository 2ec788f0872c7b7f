//! Sparse matrices of a model as dense ones.

use manyworlds::model::Model;

/// The symmetric matrix `[nv, nv]` whose lower triangle is stored like `M`.
pub(super) fn inertia(model: &Model, stored: &[f64]) -> Vec<f64> {
    let nv = model.sizes.nv;
    let mut dense = vec![0.0; nv * nv];
    for row in 0..nv {
        let adr = model.M_rowadr[row] as usize;
        for k in adr..adr + model.M_rownnz[row] as usize {
            let column = model.M_colind[k] as usize;
            dense[row * nv + column] = stored[k];
            dense[column * nv + row] = stored[k];
        }
    }
    dense
}

/// The tendon Jacobian `[ntendon, nv]`.
pub(super) fn tendon_jacobian(model: &Model, stored: &[f64]) -> Vec<f64> {
    let nv = model.sizes.nv;
    let mut dense = vec![0.0; model.sizes.ntendon * nv];
    for row in 0..model.sizes.ntendon {
        let adr = model.ten_J_rowadr[row] as usize;
        for k in adr..adr + model.ten_J_rownnz[row] as usize {
            dense[row * nv + model.ten_J_colind[k] as usize] = stored[k];
        }
    }
    dense
}

/// The actuator moments `[nout, nv]`.
pub(super) fn moments(model: &Model, stored: &[f64]) -> Vec<f64> {
    let nv = model.sizes.nv;
    let mut dense = vec![0.0; model.sizes.nout * nv];
    for k in 0..model.sizes.nJmom {
        dense[model.moment_out[k] as usize * nv + model.moment_colind[k] as usize] = stored[k];
    }
    dense
}

#[cfg(test)]
mod tests {
    use super::*;
    use manyworlds::fields::Sizes;

    #[test]
    fn the_lower_triangle_fills_both() {
        let mut model = Model::zeroed(Sizes { nv: 2, nC: 3, ..Sizes::default() });
        model.M_rownnz = vec![1, 2];
        model.M_rowadr = vec![0, 1];
        model.M_colind = vec![0, 0, 1];
        assert_eq!(inertia(&model, &[4.0, 0.5, 3.0]), [4.0, 0.5, 0.5, 3.0]);
    }
}
