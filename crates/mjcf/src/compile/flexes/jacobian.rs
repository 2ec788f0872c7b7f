//! Sparsity of the Jacobians of edges and vertices.

use manyworlds_model::model::Model;

use super::{EDGES, VERTICES};

/// Degrees of freedom that move a body, from the body towards the root.
pub(in crate::compile) fn moved_by(m: &Model, body: usize) -> impl Iterator<Item = usize> + '_ {
    let mut at = body;
    while at > 0 && m.body_dofnum[at] == 0 {
        at = m.body_parentid[at] as usize;
    }
    let last = if m.body_dofnum[at] > 0 { m.body_dofadr[at] + m.body_dofnum[at] - 1 } else { -1 };
    std::iter::successors(usize::try_from(last).ok(), |&d| usize::try_from(m.dof_parentid[d]).ok())
}

/// True if a spring, damping or a constraint acts on the edges of a flex.
pub(super) fn acts_on_edges(m: &Model, f: usize) -> bool {
    let numbers = [m.flex_edgestiffness[f], m.flex_edgedamping[f], m.flex_damping[f]];
    m.flex_edgeequality[f] == EDGES || numbers.iter().any(|&x| x != 0.0)
}

/// True if a constraint of vertices acts on a flex.
pub(super) fn constrains_vertices(m: &Model, f: usize) -> bool {
    m.flex_edgeequality[f] == VERTICES && m.flex_dim[f] == 2 && m.flex_interp[f] == 0 && m.flex_rigid[f] == 0
}

/// Columns that move any of the bodies, in increasing order.
fn columns(m: &Model, bodies: &[usize]) -> Vec<i32> {
    let mut dofs: Vec<i32> = bodies.iter().flat_map(|&b| moved_by(m, b)).map(|d| d as i32).collect();
    dofs.sort_unstable();
    dofs.dedup();
    dofs
}

/// Fills the sparsity of edge and vertex Jacobians, and their sizes. The sizes count the rows that nothing needs, too;
/// these have no nonzeros.
pub(super) fn jacobians(m: &mut Model) {
    let (mut edge_total, mut vert_total) = (0, 0);
    let (mut edge_columns, mut vert_columns) = (Vec::new(), Vec::new());
    let flexes = (0..m.sizes.nflex).filter(|&f| m.flex_interp[f] == 0 && m.flex_rigid[f] == 0);
    for f in flexes.collect::<Vec<_>>() {
        let (edge, vert) = (m.flex_edgeadr[f] as usize, m.flex_vertadr[f] as usize);
        let (edges, verts) = (m.flex_edgenum[f] as usize, m.flex_vertnum[f] as usize);
        let body: Vec<usize> = (vert..vert + verts).map(|v| m.flex_vertbodyid[v].max(0) as usize).collect();
        let needs_edges = acts_on_edges(m, f) || m.flex_edgeequality[f] != 0;
        let needs_verts = constrains_vertices(m, f);
        let mut around: Vec<Vec<usize>> = body.iter().map(|&b| vec![b]).collect();
        for e in edge..edge + edges {
            let [a, b] = [m.flex_edge[2 * e] as usize, m.flex_edge[2 * e + 1] as usize];
            around[a].push(body[b]);
            around[b].push(body[a]);
            let row = columns(m, &[body[a], body[b]]);
            edge_total += row.len();
            if needs_edges {
                m.flexedge_J_rownnz[e] = row.len() as i32;
                m.flexedge_J_rowadr[e] = edge_columns.len() as i32;
                edge_columns.extend(row);
            }
        }
        // two rows for each vertex, with the dofs of its neighbours
        for (v, bodies) in around.iter().enumerate() {
            let row = columns(m, bodies);
            vert_total += row.len();
            for k in (2 * (vert + v)..2 * (vert + v) + 2).filter(|_| needs_verts) {
                m.flexvert_J_rownnz[k] = row.len() as i32;
                m.flexvert_J_rowadr[k] = vert_columns.len() as i32;
                vert_columns.extend(&row);
            }
        }
    }
    edge_columns.resize(edge_total, 0);
    vert_columns.resize(2 * vert_total, 0);
    (m.flexedge_J_colind, m.flexvert_J_colind) = (edge_columns, vert_columns);
    (m.sizes.nJfe, m.sizes.nJfv) = (edge_total, vert_total);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use crate::load_str;

    fn rope(name: &str, edge: &str, pin: &str) -> String {
        format!(
            "<flexcomp name='{name}' type='grid' dim='1' count='3 1 1' spacing='.1 .1 .1'><edge {edge}/>{pin}</flexcomp>"
        )
    }

    #[test]
    fn rows_hold_the_dofs_of_both_ends() {
        let ropes =
            [rope("a", "damping='1'", "<pin id='0'/>"), rope("b", "", ""), rope("c", "equality='true'", "")];
        let m = load_str(&format!("<mujoco><worldbody>{}</worldbody></mujoco>", ropes.concat())).unwrap();
        // nothing needs the rows of the second rope: they are counted, and empty
        assert_eq!(m.flexedge_J_rownnz, [3, 6, 0, 0, 6, 6]);
        assert_eq!(m.flexedge_J_rowadr, [0, 3, 0, 0, 9, 15]);
        assert_eq!(m.sizes.nJfe, 33);
        assert_eq!(m.flexedge_J_colind[..9], [0, 1, 2, 0, 1, 2, 3, 4, 5]);
        assert_eq!(m.flexedge_J_colind[21..], [0; 12]);
        assert_eq!((m.sizes.nJfv, m.flexvert_J_rownnz.iter().max()), (57, Some(&0)));
    }

    #[test]
    fn constrained_vertices_have_two_rows_with_the_dofs_around() {
        let sheet =
            "<mujoco><worldbody><flexcomp name='d' type='grid' dim='2' count='2 2 1' spacing='.1 .1 .1'>
            <edge equality='vert'/><pin id='0 1'/></flexcomp></worldbody></mujoco>";
        let m = load_str(sheet).unwrap();
        // numbers of MuJoCo 3.17
        assert_eq!(m.flexvert_J_rownnz, [6, 6, 3, 3, 6, 6, 6, 6]);
        assert_eq!(m.flexvert_J_rowadr, [0, 6, 12, 15, 18, 24, 30, 36]);
        assert_eq!((m.sizes.nJfv, m.flexvert_J_colind.len()), (21, 42));
        assert_eq!(m.flex_vertedge, [1, 2, 4, 3, 4, 0, 2, 0, 1, 3]);
        assert_eq!(m.flex_vertedgeadr, [0, 3, 5, 7]);
        assert_eq!(m.flexedge_J_rownnz, [6, 3, 3, 3, 0]);
    }
}
