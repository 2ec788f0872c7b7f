//! Lights of a model as shaders read them.

use crate::layouts::{Light, MAX_SHADOWS};
use crate::vectors::vec3;
use manyworlds::model::Model;
use manyworlds::schema::enums::{camera, light};

/// True if a light casts shadows.
pub(super) fn casts(m: &Model, light: usize) -> bool {
    m.light_castshadow[light] != 0 && m.light_active[light] != 0 && m.light_type[light] != light::IMAGE
}

/// The headlight and the lights of a model that are on, and the number of those with shadows.
pub(super) fn lights(m: &Model) -> (Vec<Light>, usize) {
    let color = |list: &[f64], i: usize| vec3(list, i).extend(0.0).to_array();
    let on = m.vis_headlight_active[0] != 0;
    let head = |list: &[f64]| if on { color(list, 0) } else { [0.0; 4] };
    let mut lights = vec![Light {
        ambient: head(&m.vis_headlight_ambient),
        diffuse: head(&m.vis_headlight_diffuse),
        specular: head(&m.vis_headlight_specular),
        kind: light::DIRECTIONAL as u32,
        aim: -1,
        shadow: -1,
        ..Light::default()
    }];
    let extent = m.stat_extent[0] as f32;
    let mut shadows = 0;
    for l in (0..m.sizes.nlight).filter(|&l| m.light_active[l] != 0 && m.light_type[l] != light::IMAGE) {
        let directional = m.light_type[l] == light::DIRECTIONAL;
        let cutoff = (m.light_cutoff[l] as f32).to_radians();
        let tracks_com = m.light_mode[l] == camera::TRACKCOM;
        let shadow = if casts(m, l) && shadows < MAX_SHADOWS { shadows as i32 } else { -1 };
        shadows += usize::from(shadow >= 0);
        let half_angle = (cutoff * m.vis_map_shadowscale[0] as f32).clamp(0.01, 1.5);
        lights.push(Light {
            pos: vec3(&m.light_pos, l).extend(cutoff.cos()).to_array(),
            dir: vec3(&m.light_dir, l).normalize_or_zero().extend(m.light_exponent[l] as f32).to_array(),
            pos0: color(if tracks_com { &m.light_poscom0 } else { &m.light_pos0 }, l),
            dir0: color(&m.light_dir0, l),
            ambient: color(&m.light_ambient, l),
            diffuse: color(&m.light_diffuse, l),
            specular: color(&m.light_specular, l),
            attenuation: color(&m.light_attenuation, l),
            body: m.light_bodyid[l] as u32,
            mode: m.light_mode[l] as u32,
            aim: m.light_targetbodyid[l],
            kind: m.light_type[l] as u32,
            shadow,
            spread: if directional { m.vis_map_shadowclip[0] as f32 * extent } else { half_angle.tan() },
            near: m.vis_map_znear[0] as f32 * extent,
            far: m.vis_map_zfar[0] as f32 * extent,
        });
    }
    (lights, shadows)
}
