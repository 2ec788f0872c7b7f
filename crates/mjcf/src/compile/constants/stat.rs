//! Model statistics and dof length scales.

use glam::DVec3;

use manyworlds_model::model::Model;
use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::{geom as geomkind, joint as kind, sameframe};

use super::pose0::{Pose0, vec};
use crate::compile::flexes::reach::flex_reach;
use crate::spec::Stat;

/// Smallest body size.
const MIN_SIZE: f64 = 1e-5;

/// Bits of `stat_given`.
const MEANINERTIA: i32 = 1;
const MEANMASS: i32 = 2;
const MEANSIZE: i32 = 4;
const EXTENT: i32 = 8;
const CENTER: i32 = 16;

/// Stores the statistics that the file gives.
pub(crate) fn given(m: &mut Model, stat: &Stat) {
    let mut bits = 0;
    for (bit, value, to) in [
        (MEANINERTIA, stat.meaninertia, &mut m.stat_meaninertia),
        (MEANMASS, stat.meanmass, &mut m.stat_meanmass),
        (MEANSIZE, stat.meansize, &mut m.stat_meansize),
        (EXTENT, stat.extent, &mut m.stat_extent),
    ] {
        if let Some(value) = value {
            bits |= bit;
            to[0] = value;
        }
    }
    if let Some(center) = stat.center {
        bits |= CENTER;
        m.stat_center.copy_from_slice(&center);
    }
    m.stat_given[0] = bits;
}

/// Recomputes `dof_length`, and the statistics that the file does not give.
pub(crate) fn statistics(m: &mut Model, pose: &Pose0, inertia: &[f64]) {
    let sizes = body_sizes(m, pose);
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
    let (low, high) = bounds(m, pose);
    let given = m.stat_given[0];
    let mut extent = 2.0;
    if high.x >= low.x && given & CENTER == 0 {
        m.stat_center.copy_from_slice(&((low + high) / 2.0).to_array());
    }
    if (high - low).max_element() > 0.0 {
        extent = (high - low).max_element().max(MIN_SIZE);
    }
    extent = extent.max(2.0 * meansize);
    let meanmass = mean(&m.body_mass[1..], 1.0);
    for (bit, value, to) in [
        (MEANINERTIA, mean(inertia, 1.0).max(MINVAL), &mut m.stat_meaninertia),
        (MEANMASS, meanmass, &mut m.stat_meanmass),
        (MEANSIZE, meansize, &mut m.stat_meansize),
        (EXTENT, extent, &mut m.stat_extent),
    ] {
        if given & bit == 0 {
            to[0] = value;
        }
    }
}

/// World position of a geom; nearly coincident frames are identical.
fn place(m: &Model, pose: &Pose0, g: usize) -> DVec3 {
    let b = m.geom_bodyid[g] as usize;
    match m.geom_sameframe[g] {
        sameframe::BODY => pose.xpos[b],
        sameframe::INERTIA => pose.xipos[b],
        _ => pose.xpos[b] + pose.xquat[b] * vec(&m.geom_pos, g),
    }
}

/// Body size: largest distance from the centre of mass to a joint of the body or its children, or a geom's extent.
fn body_sizes(m: &Model, pose: &Pose0) -> Vec<f64> {
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
    flex_reach(m, &pose.xpos, &mut size);
    size.iter_mut().for_each(|s| *s = s.max(MIN_SIZE));
    size
}

/// Corners of the bounding box of the model.
fn bounds(m: &Model, pose: &Pose0) -> (DVec3, DVec3) {
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
