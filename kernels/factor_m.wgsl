// Sparse factorisation of the inertia matrix. Twin: src/cpu/factor_m.rs.

fn factor_m() {
    for (var k = lane; k < nC; k += lanes) {
        set_qLD(k, M(k));
    }
    sync();
    factor_ld__qLD__qLDiagInv();
}
