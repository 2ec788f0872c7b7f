//! Sites.

use crate::spec::rotation::quat_array;

use super::geoms::GeomShape;
use crate::compile::Build;

impl Build<'_> {
    /// Fills sites.
    pub(crate) fn sites(&mut self) {
        for s in 0..self.site_order.len() {
            let site = &self.spec.sites[self.site_order[s]];
            let shape = GeomShape {
                at: &site.base.at,
                name: self.called("site", &site.base),
                kind: site.kind.into(),
                size: site.size,
                fromto: site.fromto,
                pose: site.pose,
                outer: site.outer,
            };
            let (mut size, pose) = self.place(&shape);
            let mesh = self.site_mesh(site, &shape.name);
            size = mesh.map_or(size, |m| m.1);
            if mesh.is_none() {
                self.check_size(&shape, size);
            }
            let material = self.material(&site.material, &site.base);
            let m = &mut self.model;
            m.site_matid[s] = material;
            m.site_type[s] = site.kind.into();
            m.site_bodyid[s] = site.body as i32;
            m.site_dataid[s] = mesh.map_or(-1, |m| m.0 as i32);
            m.site_group[s] = site.group;
            m.site_size[3 * s..3 * s + 3].copy_from_slice(&size);
            m.site_pos[3 * s..3 * s + 3].copy_from_slice(&pose.pos.to_array());
            m.site_quat[4 * s..4 * s + 4].copy_from_slice(&quat_array(pose.quat));
            m.site_rgba[4 * s..4 * s + 4].copy_from_slice(&site.rgba.map(|x| f64::from(x as f32)));
        }
    }
}
