//! Sites, cameras, lights and custom numbers.

use crate::mjcf::{Base, Kind, Ref, quat_array};

use super::Build;
use super::geoms::Shape;

impl Build<'_> {
    /// Fills sites.
    pub(super) fn sites(&mut self) {
        for s in 0..self.site_order.len() {
            let site = &self.spec.sites[self.site_order[s]];
            let shape = Shape {
                at: &site.base.at,
                name: self.called("site", &site.base),
                kind: site.kind,
                size: site.size,
                fromto: site.fromto,
                pose: site.pose,
                outer: site.outer,
            };
            let (size, pose) = self.place(&shape);
            if size.iter().any(|&x| x < 0.0) {
                self.wrong(site.base.at.of("size"), format!("size of {} is negative", shape.name), "");
            }
            let m = &mut self.model;
            m.site_type[s] = site.kind;
            m.site_bodyid[s] = site.body as i32;
            m.site_dataid[s] = -1;
            m.site_group[s] = site.group;
            m.site_size[3 * s..3 * s + 3].copy_from_slice(&size);
            m.site_pos[3 * s..3 * s + 3].copy_from_slice(&pose.pos.to_array());
            m.site_quat[4 * s..4 * s + 4].copy_from_slice(&quat_array(pose.quat));
            m.site_rgba[4 * s..4 * s + 4].copy_from_slice(&site.rgba.map(|x| f64::from(x as f32)));
        }
    }

    /// Fills cameras and lights.
    pub(super) fn cameras_and_lights(&mut self) {
        for c in 0..self.camera_order.len() {
            let camera = &self.spec.cameras[self.camera_order[c]];
            let target = self.target(&camera.base, camera.mode, &camera.target);
            let m = &mut self.model;
            m.cam_mode[c] = camera.mode;
            m.cam_bodyid[c] = camera.body as i32;
            m.cam_targetbodyid[c] = target;
            m.cam_pos[3 * c..3 * c + 3].copy_from_slice(&camera.pose.pos.to_array());
            m.cam_quat[4 * c..4 * c + 4].copy_from_slice(&quat_array(camera.pose.quat.normalize()));
            m.cam_fovy[c] = camera.fovy;
        }
        for l in 0..self.light_order.len() {
            let light = &self.spec.lights[self.light_order[l]];
            let target = self.target(&light.base, light.mode, &light.target);
            let m = &mut self.model;
            m.light_mode[l] = light.mode;
            m.light_bodyid[l] = light.body as i32;
            m.light_targetbodyid[l] = target;
            m.light_pos[3 * l..3 * l + 3].copy_from_slice(&light.pos.to_array());
            m.light_dir[3 * l..3 * l + 3].copy_from_slice(&light.dir.normalize_or_zero().to_array());
        }
    }

    /// Target body of a camera or light; -1 for none.
    fn target(&self, base: &Base, mode: i32, target: &Ref) -> i32 {
        if target.name.is_empty() {
            if mode >= 3 {
                self.wrong(base.at.of("mode"), "this mode needs a target body", "add target=\"…\"");
            }
            return -1;
        }
        self.resolve(Kind::Body, target, base.scope).map_or(-1, |b| b as i32)
    }

    /// Fills custom numbers.
    pub(super) fn numerics(&mut self) {
        let m = &mut self.model;
        let mut adr = 0;
        for (i, numeric) in self.spec.numerics.iter().enumerate() {
            m.numeric_adr[i] = adr as i32;
            m.numeric_size[i] = numeric.data.len() as i32;
            m.numeric_data[adr..adr + numeric.data.len()].copy_from_slice(&numeric.data);
            adr += numeric.data.len();
        }
    }
}
