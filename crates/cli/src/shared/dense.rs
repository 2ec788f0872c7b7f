//! Dense forms of a model's sparse matrices.

use manyworlds::model::Model;

/// The tendon Jacobian `[ntendon, nv]`.
pub(crate) fn tendon_jacobian(model: &Model, stored: &[f64]) -> Vec<f64> {
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
pub(crate) fn moments(model: &Model, stored: &[f64]) -> Vec<f64> {
    let nv = model.sizes.nv;
    let mut dense = vec![0.0; model.sizes.nout * nv];
    for k in 0..model.sizes.nJmom {
        dense[model.moment_rowind[k] as usize * nv + model.moment_colind[k] as usize] = stored[k];
    }
    dense
}
