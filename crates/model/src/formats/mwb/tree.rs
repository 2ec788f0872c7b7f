//! Checks of what follows from the tree of bodies, in a model from a file: it is filled again, and has to be the same.

use crate::model::Model;
use crate::model::structure::{MATRICES, TREE};
use crate::schema::enums::{WrapType, wrap};

use super::ReadResult;

/// Checks bodies, joints, degrees of freedom, matrices, and the columns of tendons and actuators.
pub(crate) fn check(m: &Model) -> ReadResult<()> {
    order(m)?;
    let mut again = Model { sizes: m.sizes, ..Model::default() };
    again.body_parentid.clone_from(&m.body_parentid);
    again.body_mocapid.clone_from(&m.body_mocapid);
    again.jnt_bodyid.clone_from(&m.jnt_bodyid);
    again.jnt_type.clone_from(&m.jnt_type);
    again.geom_bodyid.clone_from(&m.geom_bodyid);
    again.body_simple.clone_from(&m.body_simple);
    again.derive_tree();
    again.derive_geoms();
    same(m, &again, TREE)?;
    same(m, &again, &["body_geomadr", "body_geomnum"])?;
    simple(m)?;
    again.derive_simple_runs();
    same(m, &again, &["dof_simplenum"])?;
    matrices(m, &mut again)?;
    asleep(m)?;
    paths(m)?;
    tendons(m)?;
    moments(m)
}

/// Compares fields, and sizes.
fn same(m: &Model, again: &Model, fields: &[&str]) -> ReadResult<()> {
    let differs = |name: &&&str| m.get(name) != again.get(name);
    match fields.iter().find(differs) {
        Some(name) => Err(format!("has other values in {name} than the tree of bodies")),
        None if m.sizes != again.sizes => {
            Err("has sizes that are not those of the tree of bodies".to_owned())
        }
        None => Ok(()),
    }
}

/// Checks that bodies stand in depth-first order, and joints and geoms in the order of their bodies; that mocap bodies
/// are children of the world without joints, and free joints alone on children of the world.
fn order(m: &Model) -> ReadResult<()> {
    let parent = |b: usize| m.body_parentid[b] as usize;
    if parent(0) != 0 {
        return Err("has a world with a parent".to_owned());
    }
    // the path from the world to the body before
    let mut path = vec![0];
    for b in 1..m.sizes.nbody {
        while path.last().is_some_and(|&at| at != parent(b)) {
            path.pop();
        }
        if path.is_empty() {
            return Err(format!("has body {b} out of order"));
        }
        path.push(b);
    }
    if !m.jnt_bodyid.is_sorted() || !m.geom_bodyid.is_sorted() || m.jnt_bodyid.first() == Some(&0) {
        return Err("has joints or geoms out of order".to_owned());
    }
    let mut mocap = 0;
    for b in 0..m.sizes.nbody {
        if m.body_mocapid[b] >= 0 {
            if m.body_mocapid[b] != mocap || b == 0 || parent(b) != 0 || m.body_jntnum[b] > 0 {
                return Err(format!("has body {b} wrongly as a mocap body"));
            }
            mocap += 1;
        }
    }
    if mocap as usize != m.sizes.nmocap {
        return Err("has mocap bodies that are not there".to_owned());
    }
    for j in 0..m.sizes.njnt {
        let b = m.jnt_bodyid[j] as usize;
        let neighbour = |k: Option<usize>| k.and_then(|k| m.jnt_bodyid.get(k)) == Some(&m.jnt_bodyid[j]);
        let shared = neighbour(j.checked_sub(1)) || neighbour(Some(j + 1));
        if m.jnt_type[j] == crate::schema::enums::joint::FREE && (parent(b) != 0 || shared) {
            return Err(format!("has free joint {j} where none can be"));
        }
    }
    Ok(())
}

/// Checks that bodies marked as simple are.
fn simple(m: &Model) -> ReadResult<()> {
    // paths are not known to be sound yet
    let coupled = if m.tendon_armature.iter().any(|&x| x > 0.0) {
        paths(m)?;
        m.coupled_bodies()
    } else {
        vec![false; m.sizes.nbody]
    };
    for b in 1..m.sizes.nbody {
        let wrong = match m.body_simple[b] {
            0 => false,
            1 => !m.is_simple(b, &coupled) || m.only_slides(b),
            2 => !m.is_simple(b, &coupled) || !m.only_slides(b),
            _ => true,
        };
        if wrong {
            return Err(format!("has body {b} wrongly as a simple one"));
        }
    }
    Ok(())
}

/// Checks the sparsity of matrices. Their sizes come first: rows may be many times longer than the file.
fn matrices(m: &Model, again: &mut Model) -> ReadResult<()> {
    let mut depth = Vec::with_capacity(m.sizes.nv);
    for d in 0..m.sizes.nv {
        let above = usize::try_from(m.dof_parentid[d]).map_or(0, |p| depth[p]);
        depth.push(above + 1);
    }
    let whole: usize = depth.iter().sum();
    let lower = |d: usize| if m.body_simple[m.dof_bodyid[d] as usize] > 0 { 1 } else { depth[d] };
    let lower: usize = (0..m.sizes.nv).map(lower).sum();
    let wanted = (lower, 2 * lower - m.sizes.nv, 2 * whole - m.sizes.nv);
    if (m.sizes.nC, m.sizes.nF, m.sizes.nD) != wanted {
        return Err("has sizes of matrices that are not those of the tree of bodies".to_owned());
    }
    again.derive_matrices(|m, b| m.body_simple[b] > 0);
    same(m, again, MATRICES)
}

/// Checks that trees asleep at first form cycles.
fn asleep(m: &Model) -> ReadResult<()> {
    let mut pointed = vec![false; m.sizes.ntree];
    for &next in &m.tree_asleep0 {
        let Ok(next) = usize::try_from(next) else { continue };
        if next >= m.sizes.ntree || m.tree_asleep0[next] < 0 || std::mem::replace(&mut pointed[next], true) {
            return Err("has trees asleep that form no cycle".to_owned());
        }
    }
    Ok(())
}

/// Checks the paths of tendons: joints only; or sites, with geoms only between two of them, and pulleys before a site.
fn paths(m: &Model) -> ReadResult<()> {
    for t in 0..m.sizes.ntendon {
        let path = m.path_of(t);
        let kind = |w: usize| m.wrap_type[path.clone()].get(w.wrapping_sub(path.start)).copied().unwrap_or(0);
        let sound = path.clone().all(|w| {
            let site = |w: usize| kind(w) == wrap::SITE;
            let named = m.wrap_objid[w] >= 0;
            match WrapType::of(kind(w)) {
                Some(WrapType::JOINT) => named && kind(path.start) == wrap::JOINT,
                Some(WrapType::SITE) => named && kind(path.start) != wrap::JOINT,
                Some(WrapType::PULLEY) => {
                    !named && site(w + 1) && m.wrap_prm[w] > 0.0 && kind(path.start) != wrap::JOINT
                }
                Some(WrapType::SPHERE | WrapType::CYLINDER) => {
                    named && site(w.wrapping_sub(1)) && site(w + 1) && beside(m, w)
                }
                None => false,
            }
        });
        if !sound || path.is_empty() {
            return Err(format!("has tendon {t} with a path that leads nowhere"));
        }
    }
    Ok(())
}

/// True if the parameter of a geom on a path is -1, or the site at its side.
fn beside(m: &Model, w: usize) -> bool {
    let side = m.wrap_prm[w];
    side == -1.0 || side >= 0.0 && side.fract() == 0.0 && side < m.sizes.nsite as f64
}

/// Checks the columns of the Jacobians of tendons, and their trees.
fn tendons(m: &Model) -> ReadResult<()> {
    for t in 0..m.sizes.ntendon {
        let first = m.ten_J_rowadr[t] as usize;
        let row = &m.ten_J_colind[first..first + m.ten_J_rownnz[t] as usize];
        let trees = (m.tendon_treenum[t], [m.tendon_treeid[2 * t], m.tendon_treeid[2 * t + 1]]);
        if row != m.tendon_columns(t) || trees != m.tendon_trees(t) {
            return Err(format!("has tendon {t} with other columns than those of its path"));
        }
    }
    Ok(())
}

/// Checks the columns of the moments of actuators.
fn moments(m: &Model) -> ReadResult<()> {
    for a in 0..m.sizes.nactuator {
        let outs = m.actuator_outadr[a] as usize..(m.actuator_outadr[a] + m.actuator_outnum[a]) as usize;
        for (i, out) in outs.enumerate() {
            let first = m.moment_rowadr[out] as usize;
            let row = first..first + m.moment_rownnz[out] as usize;
            let own = m.moment_rowind[row.clone()].iter().all(|&r| r == out as i32);
            if !own || m.moment_colind[row] != m.moment_columns(a, i) {
                return Err(format!("has actuator {a} with other columns than those of its target"));
            }
        }
    }
    if [&m.dof_momentbegin, &m.dof_momentend] != m.dof_moments().each_ref() {
        return Err(
            "has moments of actuators for other degrees of freedom than those that it says".to_owned()
        );
    }
    Ok(())
}
