//! Cameras and lights.

macro_rules! cameras_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // cameras and lights
            cam_mode: one(camera) [ncam] "enum" "0 fixed, 1 track, 2 trackcom, 3 targetbody, 4 targetbodycom.";
            cam_bodyid: id(nbody) [ncam] "id" "Body.";
            cam_targetbodyid: id(nbody or none) [ncam] "id" "Target body; -1 for none.";
            cam_pos: real [ncam 3] "m" "Position in the body's frame." { varies: Some(Rule::Any) };
            cam_quat: real [ncam 4] "1" "Orientation in the body's frame." { varies: Some(Rule::Quat) };
            cam_poscom0: real [ncam 3] "m" "Position relative to the subtree's centre of mass at qpos0." { follows: &[inputs::POSES, inputs::CAMERAS] };
            cam_pos0: real [ncam 3] "m" "Position relative to the body at qpos0, global axes." { follows: &[inputs::POSES, inputs::CAMERAS] };
            cam_mat0: real [ncam 9] "1" "Global orientation at qpos0." { follows: &[inputs::POSES, inputs::CAMERAS] };
            cam_projection: one(projection) [ncam] "enum" "0 perspective, 1 orthographic.";
            cam_fovy: real [ncam] "deg or m" "Vertical field of view, or extent if orthographic.";
            cam_ipd: real [ncam] "m" "Interpupillary distance.";
            cam_resolution: int [ncam 2] "1" "Width and height in pixels.";
            cam_output: int [ncam] "bits" "Output types: 1 rgb, 2 depth, 4 distance, 8 normal, 16 segmentation.";
            cam_sensorsize: real [ncam 2] "m" "Sensor size; 0 for none.";
            cam_intrinsic: real [ncam 4] "m" "Focal lengths and principal point.";
            light_mode: one(camera) [nlight] "enum" "As `cam_mode`.";
            light_bodyid: id(nbody) [nlight] "id" "Body.";
            light_targetbodyid: id(nbody or none) [nlight] "id" "Target body; -1 for none.";
            light_pos: real [nlight 3] "m" "Position in the body's frame.";
            light_dir: real [nlight 3] "1" "Direction in the body's frame.";
            light_poscom0: real [nlight 3] "m" "Position relative to the subtree's centre of mass at qpos0." { follows: &[inputs::POSES, inputs::CAMERAS] };
            light_pos0: real [nlight 3] "m" "Position relative to the body at qpos0, global axes." { follows: &[inputs::POSES, inputs::CAMERAS] };
            light_type: int [nlight] "enum" "0 spot, 1 directional, 2 point, 3 image.";
            light_texid: id(ntex or none) [nlight] "id" "Texture of an image light; -1 for none.";
            light_castshadow: int [nlight] "flag" "1 if the light casts shadows.";
            light_active: int [nlight] "flag" "1 if the light is on.";
            light_bulbradius: real [nlight] "m" "Bulb radius.";
            light_intensity: real [nlight] "cd" "Intensity.";
            light_range: real [nlight] "m" "Effective range.";
            light_attenuation: real [nlight 3] "mixed" "Constant, linear and quadratic attenuation.";
            light_cutoff: real [nlight] "deg" "Cutoff angle of a spotlight.";
            light_softness: real [nlight] "1" "Softness of a spotlight's edge.";
            light_exponent: real [nlight] "1" "Exponent of a spotlight.";
            light_ambient: real [nlight 3] "1" "Ambient colour.";
            light_diffuse: real [nlight 3] "1" "Diffuse colour.";
            light_specular: real [nlight 3] "1" "Specular colour.";
            light_dir0: real [nlight 3] "1" "Global direction at qpos0." { follows: &[inputs::POSES, inputs::CAMERAS] };
        } }
    };
}
pub(crate) use cameras_fields;
