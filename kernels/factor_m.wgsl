// Sparse factorisation of the inertia matrix. Twin: crates/cpu/src/smooth/factor_m.rs.

import package::runtime::group::{lane, sync};
import package::smooth::factor_m::factor_ld;

// Factors M = L' D L into qLD and qLDiagInv.
fn factor_m() {
//#if LOCAL_WORKING_SET
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_work_LD(k, M(k));
    }
    sync();
    factor_ld__work_LD__qLDiagInv();
    //#unroll
    for (var k = lane; k < nC; k += lanes) {
        set_qLD(k, work_LD(k));
    }
//#else
    for (var k = lane; k < nC; k += lanes) {
        set_qLD(k, M(k));
    }
    sync();
    factor_ld__qLD__qLDiagInv();
//#endif
}
