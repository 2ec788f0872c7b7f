// Laws of the model's own: passive forces, controls, gains and biases of actuators, rates of activations and of states.
// Twin: crates/cpu/src/actuation/laws.rs.

import package::runtime::group::{lane, sync};
import package::runtime::options::disabled;

// Computes what formulas give, adds their forces, and runs the laws in code.
fn laws() {
//#if LAWS
    law_values();
    sync();
    add_forces();
//#endif
//#if LEAVES
    law_leaves();
//#endif
}

//#if LAWS
// Adds the forces of laws to qfrc_passive, unless springs and dampers are disabled.
fn add_forces() {
    if (disabled(DISABLE_SPRING) && disabled(DISABLE_DAMPER)) {
        return;
    }
    for (var dof = lane; dof < nv; dof += lanes) {
        set_qfrc_passive(dof, law_forces_on(dof, qfrc_passive(dof)));
    }
}
//#endif
