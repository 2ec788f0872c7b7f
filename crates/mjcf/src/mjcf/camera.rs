//! `<camera>` and `<light>`.

use glam::DVec3;

use super::geom::reference;
use super::pose::pose;
use crate::spec::{Camera, Compiler, Light, Pose, Ref};
use crate::xml::El;
use manyworlds_model::schema::enums::{CameraMode, LightType, Projection, camera, light, projection};

pub(super) const OUTPUTS: &[(&str, i32)] =
    &[("rgb", 1), ("depth", 2), ("distance", 4), ("normal", 8), ("segmentation", 16)];

impl Default for Camera {
    fn default() -> Self {
        Self {
            base: Default::default(),
            body: 0,
            frame: None,
            pose: Pose::default(),
            mode: CameraMode::FIXED,
            target: Ref::default(),
            projection: Projection::PERSPECTIVE,
            fovy: 45.0,
            ipd: 0.068,
            resolution: [1, 1],
            output: 1,
            sensorsize: [0.0; 2],
            focal: [0.0; 2],
            focalpixel: [0.0; 2],
            principal: [0.0; 2],
            principalpixel: [0.0; 2],
            userdata: Vec::new(),
        }
    }
}

impl Default for Light {
    fn default() -> Self {
        Self {
            base: Default::default(),
            body: 0,
            frame: None,
            pos: DVec3::ZERO,
            dir: DVec3::NEG_Z,
            mode: CameraMode::FIXED,
            target: Ref::default(),
            kind: LightType::SPOT,
            texture: Ref::default(),
            castshadow: true,
            active: true,
            bulbradius: 0.02,
            intensity: 0.0,
            range: 10.0,
            attenuation: [1.0, 0.0, 0.0],
            cutoff: 45.0,
            softness: 0.2,
            exponent: 10.0,
            ambient: [0.0; 3],
            diffuse: [0.7; 3],
            specular: [0.3; 3],
        }
    }
}

/// Reads the attributes of a camera over its current values.
pub(super) fn camera(el: El<'_>, compiler: &Compiler, to: &mut Camera) {
    to.base.at.note(el);
    pose(el, compiler, &mut to.pose);
    el.set_keyword("mode", camera::WORDS, &mut to.mode);
    reference(el, "target", &mut to.target);
    el.set_keyword("projection", projection::WORDS, &mut to.projection);
    el.set_real("fovy", &mut to.fovy);
    el.set_real("ipd", &mut to.ipd);
    if let Some(v) = el.ints("resolution", 2, 2) {
        to.resolution = [v[0], v[1]];
    }
    el.set_fixed("sensorsize", &mut to.sensorsize);
    el.set_fixed("focal", &mut to.focal);
    el.set_fixed("focalpixel", &mut to.focalpixel);
    el.set_fixed("principal", &mut to.principal);
    el.set_fixed("principalpixel", &mut to.principalpixel);
    el.set_list("user", &mut to.userdata);
    output(el, to);
    if el.attr("fovy").is_some() && el.attr("sensorsize").is_some() {
        let help = "the field of view follows from the sensor; remove fovy";
        el.wrong("fovy", "both fovy and sensorsize are given", help);
    }
}

fn output(el: El<'_>, to: &mut Camera) {
    let mut bits = 0;
    for word in el.text("output").unwrap_or_default().split_ascii_whitespace() {
        match OUTPUTS.iter().find(|o| o.0 == word) {
            Some(&(_, bit)) if bits & bit == 0 => bits |= bit,
            Some(_) => el.wrong("output", format!("'{word}' is listed twice"), "list it once"),
            None => {
                let list = OUTPUTS.iter().map(|o| o.0).collect::<Vec<_>>().join(", ");
                let message = format!("'{}' is no output of a camera", crate::xml::short(word));
                el.wrong("output", message, format!("valid: {list}"));
            }
        }
    }
    if bits != 0 {
        to.output = bits;
    }
}

/// Reads the attributes of a light over its current values.
pub(super) fn light(el: El<'_>, to: &mut Light) {
    to.base.at.note(el);
    el.set_vector("pos", &mut to.pos);
    el.set_vector("dir", &mut to.dir);
    el.set_keyword("mode", camera::WORDS, &mut to.mode);
    reference(el, "target", &mut to.target);
    el.set_keyword("type", light::WORDS, &mut to.kind);
    let directional = [("false", light::SPOT), ("true", light::DIRECTIONAL)];
    if let Some(kind) = el.keyword("directional", &directional).and_then(LightType::of) {
        to.kind = kind;
        if el.attr("type").is_some() {
            el.wrong("directional", "both directional and type are given", "keep type");
        }
    }
    reference(el, "texture", &mut to.texture);
    el.set_flag("castshadow", &mut to.castshadow);
    el.set_flag("active", &mut to.active);
    el.set_fixed("attenuation", &mut to.attenuation);
    el.set_fixed("ambient", &mut to.ambient);
    el.set_fixed("diffuse", &mut to.diffuse);
    el.set_fixed("specular", &mut to.specular);
    for (name, value) in [
        ("bulbradius", &mut to.bulbradius),
        ("intensity", &mut to.intensity),
        ("range", &mut to.range),
        ("cutoff", &mut to.cutoff),
        ("softness", &mut to.softness),
        ("exponent", &mut to.exponent),
    ] {
        el.set_real(name, value);
    }
    if !(0.0..=1.0).contains(&to.softness) {
        el.wrong("softness", format!("softness {} is out of range", to.softness), "between 0 and 1");
        to.softness = 0.2;
    }
}
