//! Cameras and lights.

use crate::spec::rotation::{direction, quat_array};
use crate::spec::{Base, Camera, Kind, Light, Ref};
use manyworlds_model::schema::enums::Projection;

use crate::compile::Build;

impl Build<'_> {
    /// Fills cameras and lights.
    pub(crate) fn cameras_and_lights(&mut self) {
        for c in 0..self.camera_order.len() {
            self.camera(c, &self.spec.cameras[self.camera_order[c]]);
        }
        for l in 0..self.light_order.len() {
            self.light(l, &self.spec.lights[self.light_order[l]]);
        }
    }

    fn camera(&mut self, c: usize, camera: &Camera) {
        let target = self.target(&camera.base, &camera.target);
        let (fovy, intrinsic) = self.lens(camera);
        let m = &mut self.model;
        m.cam_mode[c] = camera.mode.into();
        m.cam_bodyid[c] = camera.body as i32;
        m.cam_targetbodyid[c] = target;
        m.cam_pos[3 * c..3 * c + 3].copy_from_slice(&camera.pose.pos.to_array());
        m.cam_quat[4 * c..4 * c + 4].copy_from_slice(&quat_array(camera.pose.quat.normalize()));
        m.cam_projection[c] = camera.projection.into();
        m.cam_fovy[c] = fovy;
        m.cam_ipd[c] = camera.ipd;
        m.cam_resolution[2 * c..2 * c + 2].copy_from_slice(&camera.resolution);
        m.cam_output[c] = camera.output;
        m.cam_sensorsize[2 * c..2 * c + 2].copy_from_slice(&camera.sensorsize.map(single));
        m.cam_intrinsic[4 * c..4 * c + 4].copy_from_slice(&intrinsic.map(f64::from));
    }

    /// Field of view, focal lengths and principal point, in single precision as in MuJoCo.
    fn lens(&self, camera: &Camera) -> (f64, [f32; 4]) {
        let at = &camera.base.at;
        let name = self.called("camera", &camera.base);
        let size = camera.sensorsize.map(|x| x as f32);
        let lens = [camera.focal, camera.focalpixel, camera.principal, camera.principalpixel];
        if size[0] <= 0.0 || size[1] <= 0.0 {
            if lens.iter().flatten().any(|&x| x != 0.0) {
                let message = format!("the lens of {name} is given without its sensor");
                self.wrong(at.element, message, "add sensorsize=\"width height\", both positive");
            }
            if camera.fovy >= 180.0 {
                let message = format!("fovy of {name} is too large: {}", camera.fovy);
                self.wrong(at.of("fovy"), message, "less than 180 degrees");
            }
            // without a lens MuJoCo uses the near plane
            let near = self.spec.visual.reals("map_znear").first().map_or(0.0, |&x| x as f32);
            return (camera.fovy, [near, near, 0.0, 0.0]);
        }
        if camera.resolution.iter().any(|&r| r <= 0) {
            let message = format!("{name} has a sensor, but no pixels");
            self.wrong(at.of("resolution"), message, "write a positive width and height");
        }
        // each length in pixels, where it is given, before that in metres; pixels per metre as MuJoCo rounds them
        let length = |axis: usize, length: [f64; 2], pixels: [f64; 2]| {
            if pixels[axis] == 0.0 {
                length[axis] as f32
            } else {
                pixels[axis] as f32 / (camera.resolution[axis] as f32 / size[axis])
            }
        };
        let focal = [0, 1].map(|i| length(i, camera.focal, camera.focalpixel));
        let center = [0, 1].map(|i| length(i, camera.principal, camera.principalpixel));
        if camera.projection != Projection::ORTHOGRAPHIC && !focal.iter().all(|&f| f > 0.0) {
            let message = format!("{name} has a sensor, but a focal length that is not positive");
            self.log.warn(
                at.of("sensorsize"),
                message,
                "write both lengths of focal or focalpixel, above zero",
            );
        }
        let fovy = 2.0 * f64::from((size[1] / 2.0).atan2(focal[1])).to_degrees();
        (fovy, [focal[0], focal[1], center[0], center[1]])
    }

    fn light(&mut self, l: usize, light: &Light) {
        let target = self.target(&light.base, &light.target);
        let texture = match light.texture.name.as_str() {
            "" => -1,
            _ => self.id_of(Kind::Texture, &light.texture, light.base.scope).map_or(-1, |t| t as i32),
        };
        if direction(light.dir).is_none() {
            let message = "the direction of the light is zero or too small";
            self.wrong(light.base.at.of("dir"), message, "for example dir=\"0 0 -1\"");
        }
        let m = &mut self.model;
        m.light_mode[l] = light.mode.into();
        m.light_bodyid[l] = light.body as i32;
        m.light_targetbodyid[l] = target;
        m.light_type[l] = light.kind.into();
        m.light_texid[l] = texture;
        m.light_castshadow[l] = i32::from(light.castshadow);
        m.light_active[l] = i32::from(light.active);
        m.light_pos[3 * l..3 * l + 3].copy_from_slice(&light.pos.to_array());
        m.light_dir[3 * l..3 * l + 3].copy_from_slice(&direction(light.dir).unwrap_or_default().to_array());
        for (to, value) in [
            (&mut m.light_bulbradius, light.bulbradius),
            (&mut m.light_intensity, light.intensity),
            (&mut m.light_range, light.range),
            (&mut m.light_cutoff, light.cutoff),
            (&mut m.light_softness, light.softness),
            (&mut m.light_exponent, light.exponent),
        ] {
            to[l] = single(value);
        }
        for (to, value) in [
            (&mut m.light_attenuation, light.attenuation),
            (&mut m.light_ambient, light.ambient),
            (&mut m.light_diffuse, light.diffuse),
            (&mut m.light_specular, light.specular),
        ] {
            to[3 * l..3 * l + 3].copy_from_slice(&value.map(single));
        }
    }

    /// Target body of a camera or light; -1 for none.
    fn target(&self, base: &Base, target: &Ref) -> i32 {
        if target.name.is_empty() {
            return -1;
        }
        self.resolve(Kind::Body, target, base.scope).map_or(-1, |b| b as i32)
    }
}

/// Rounded to single precision.
pub(crate) fn single(x: f64) -> f64 {
    f64::from(x as f32)
}
