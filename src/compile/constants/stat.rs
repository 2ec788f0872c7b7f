//! Model statistics and dof length scales.

use glam::DVec3;

use crate::model::Model;
use crate::schema::enums::{geom as geomkind, joint as kind};

use super::pose0::{Pose0, vec};
use crate::compile::Build;

/// Smallest body size.
const MIN_SIZE: f64 = 1e-5;

/// Computes the statistics and `dof_length`.
pub(crate) fn statistics(build: &mut Build<'_>, pose: &Pose0, inertia: &[f64]) {
    let sizes = body_sizes(build, pose);
    let m = &mut build.model;
    for d in 0..m.sizes.nv {
        let j = m.dof_jntid[d] as usize;
        let translates =
            m.jnt_type[j] == kind::SLIDE || (m.jnt_type[j] == kind::FREE && d < m.jnt_dofadr[j] as usize + 3);
        m.dof_length[d] = if translates { 1.0 } else { sizes[m.dof_bodyid[d] as usize] };
    }
    let mean = |v: &[f64], empty: f64| {
        if v.is_empty() { empty } else { v.iter().sum::<f64>() / v.len() as f64 }
    };
    let meansize = mean(&sizes[1..], 0.2);
    let (low, high) = bounds(build, pose);
    let m = &mut build.model;
    let stat = &build.spec.stat;
    let mut extent = 2.0;
    if high.x >= low.x {
        m.stat_center.copy_from_slice(&((low + high) / 2.0).to_array());
    }
    if (high - low).max_element() > 0.0 {
        extent = (high - low).max_element().max(MIN_SIZE);
    }
    extent = extent.max(2.0 * meansize);
    m.stat_extent[0] = stat.extent.unwrap_or(extent);
    if let Some(center) = stat.center {
        m.stat_center.copy_from_slice(&center);
    }
    m.stat_meaninertia[0] = stat.meaninertia.unwrap_or(mean(inertia, 1.0).max(1e-15));
    m.stat_meanmass[0] = stat.meanmass.unwrap_or(mean(&m.body_mass[1..], 1.0));
    m.stat_meansize[0] = stat.meansize.unwrap_or(meansize);
}

/// World position of a geom; nearly coincident frames are identical.
fn place(m: &Model, pose: &Pose0, g: usize) -> DVec3 {
    let b = m.geom_bodyid[g] as usize;
    match m.geom_sameframe[g] {
        1 => pose.xpos[b],
        2 => pose.xipos[b],
        _ => pose.xpos[b] + pose.xquat[b] * vec(&m.geom_pos, g),
    }
}

/// Body size: largest distance from the centre of mass to a joint of the body or its children, or a geom's extent.
fn body_sizes(build: &Build<'_>, pose: &Pose0) -> Vec<f64> {
    let m = &build.model;
    let mut size = vec![0.0_f64; m.sizes.nbody];
    for j in 0..m.sizes.njnt {
        let b = m.jnt_bodyid[j] as usize;
        for b in [b, m.body_parentid[b] as usize] {
            size[b] = size[b].max((pose.xipos[b] - pose.xanchor[j]).length());
        }
    }
    for g in (0..m.sizes.ngeom).filter(|&g| m.geom_rbound[g] > 0.0) {
        let b = m.geom_bodyid[g] as usize;
        let at = place(m, pose, g);
        size[b] = size[b].max((pose.xipos[b] - at).length() + m.geom_rbound[g]);
    }
    build.flex_reach(&pose.xpos, &mut size);
    size.iter_mut().for_each(|s| *s = s.max(MIN_SIZE));
    size
}

/// Corners of the bounding box of the model.
fn bounds(build: &Build<'_>, pose: &Pose0) -> (DVec3, DVec3) {
    let m = &build.model;
    let (mut low, mut high) = (DVec3::splat(1e10), DVec3::splat(-1e10));
    let mut add = |point: DVec3, radius: f64| {
        low = low.min(point - radius);
        high = high.max(point + radius);
    };
    for b in 1..m.sizes.nbody {
        add(pose.xpos[b], 0.0);
        add(pose.xipos[b], 0.0);
    }
    for &anchor in &pose.xanchor {
        add(anchor, 0.0);
    }
    for s in 0..m.sizes.nsite {
        let b = m.site_bodyid[s] as usize;
        add(pose.xpos[b] + pose.xquat[b] * vec(&m.site_pos, s), 0.0);
    }
    for g in 0..m.sizes.ngeom {
        let at = place(m, pose, g);
        let mut radius = m.geom_rbound[g];
        if m.geom_type[g] == geomkind::PLANE {
            // infinite planes: a tenth of the given size, else a centimetre
            let size = m.geom_size[3 * g].max(m.geom_size[3 * g + 1]);
            radius = if size > 0.0 { 0.1 * size } else { 0.01 };
        }
        add(at, radius);
    }
    (low, high)
}
