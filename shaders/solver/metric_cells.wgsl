// Cells and faces of interpolated flexes in the metric of the integrator discrete: their stiffness, turned with them. Bending
// between faces is not in it, as in MuJoCo 3.17. Twin: crates/cpu/src/solver/metric_cells.rs. The schedule differs: the twin
// adds cell by cell; here a node gathers the cells around it (links.wgsl).

import package::runtime::group::{lane, sync};
import package::solver::links::{move_nodes, node_pull};

//#if METRIC_NODES
// At all nodes, what their velocities change the forces by in a step, for node_pull_on.
fn cell_terms() {
    var weight = 0.0;
//#if SPRING
    weight = opt_timestep(0u);
//#endif
    move_nodes__qvel();
    sync();
    for (var f = 0u; f < nflex; f++) {
        let end = u32(flex_nodeadr(f) + flex_nodenum(f));
        for (var id = u32(flex_nodeadr(f)) + lane; id < end; id += lanes) {
            set_metric_node_pull_vec3(id, node_pull(f, id) * weight);
        }
    }
    sync();
}
//#endif
