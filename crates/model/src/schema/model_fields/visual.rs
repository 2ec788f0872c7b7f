//! Visualisation settings.

macro_rules! visual_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // visualisation settings
            vis_global_cameraid: id(ncam or none) [1] "id" "Initial camera; -1 for a free one.";
            vis_global_orthographic: int [1] "flag" "1 if the free camera is orthographic.";
            vis_global_fovy: real [1] "deg or m" "Field of view of the free camera.";
            vis_global_ipd: real [1] "m" "Interpupillary distance of the free camera.";
            vis_global_azimuth: real [1] "deg" "Initial azimuth of the free camera.";
            vis_global_elevation: real [1] "deg" "Initial elevation of the free camera.";
            vis_global_linewidth: real [1] "1" "Line width.";
            vis_global_glow: real [1] "1" "Glow of the selected body.";
            vis_global_realtime: real [1] "1" "Initial real-time factor.";
            vis_global_offwidth: int [1] "1" "Width of offscreen images in pixels.";
            vis_global_offheight: int [1] "1" "Height of offscreen images in pixels.";
            vis_global_ellipsoidinertia: int [1] "flag" "1 if inertias are drawn as ellipsoids instead of boxes.";
            vis_global_bvactive: int [1] "flag" "1 if active bounding volumes are drawn.";
            vis_quality_shadowsize: int [1] "1" "Side of the shadow map in pixels.";
            vis_quality_offsamples: int [1] "1" "Samples per pixel of offscreen images.";
            vis_quality_numslices: int [1] "1" "Slices of round shapes.";
            vis_quality_numstacks: int [1] "1" "Stacks of round shapes.";
            vis_quality_numquads: int [1] "1" "Rectangles along box edges.";
            vis_headlight_ambient: real [3] "1" "Ambient colour of the headlight.";
            vis_headlight_diffuse: real [3] "1" "Diffuse colour of the headlight.";
            vis_headlight_specular: real [3] "1" "Specular colour of the headlight.";
            vis_headlight_active: int [1] "flag" "1 if the headlight is on.";
            vis_map_stiffness: real [1] "N/m" "Stiffness of mouse perturbation.";
            vis_map_stiffnessrot: real [1] "N m/rad" "Rotational stiffness of mouse perturbation.";
            vis_map_force: real [1] "m/N" "Length per unit force.";
            vis_map_torque: real [1] "m/(N m)" "Length per unit torque.";
            vis_map_alpha: real [1] "1" "Scale of alpha of transparent geoms.";
            vis_map_fogstart: real [1] "1" "Distance at which fog starts, in extents of the model.";
            vis_map_fogend: real [1] "1" "Distance at which fog is full, in extents of the model.";
            vis_map_znear: real [1] "1" "Near plane, in extents of the model.";
            vis_map_zfar: real [1] "1" "Far plane, in extents of the model.";
            vis_map_haze: real [1] "1" "Haze ratio of the skybox.";
            vis_map_shadowclip: real [1] "1" "Shadow range of directional lights, in extents of the model.";
            vis_map_shadowscale: real [1] "1" "Shadow angle of spotlights, relative to the cutoff.";
            vis_map_actuatortendon: real [1] "1" "Width of actuated tendons relative to others.";
            vis_scale_forcewidth: real [1] "1" "Width of force arrows, relative to the mean body size.";
            vis_scale_contactwidth: real [1] "1" "Contact width, relative to the mean body size.";
            vis_scale_contactheight: real [1] "1" "Contact height, relative to the mean body size.";
            vis_scale_connect: real [1] "1" "Width of connecting capsules, relative to the mean body size.";
            vis_scale_com: real [1] "1" "Radius of centres of mass, relative to the mean body size.";
            vis_scale_camera: real [1] "1" "Camera size, relative to the mean body size.";
            vis_scale_light: real [1] "1" "Light size, relative to the mean body size.";
            vis_scale_selectpoint: real [1] "1" "Radius of the selection point, relative to the mean body size.";
            vis_scale_jointlength: real [1] "1" "Joint length, relative to the mean body size.";
            vis_scale_jointwidth: real [1] "1" "Joint width, relative to the mean body size.";
            vis_scale_actuatorlength: real [1] "1" "Actuator length, relative to the mean body size.";
            vis_scale_actuatorwidth: real [1] "1" "Actuator width, relative to the mean body size.";
            vis_scale_framelength: real [1] "1" "Axis length of frames, relative to the mean body size.";
            vis_scale_framewidth: real [1] "1" "Axis width of frames, relative to the mean body size.";
            vis_scale_constraint: real [1] "1" "Width of constraint violations, relative to the mean body size.";
            vis_scale_slidercrank: real [1] "1" "Width of slider-cranks, relative to the mean body size.";
            vis_scale_frustum: real [1] "1" "Far plane of camera frusta, relative to the mean body size.";
            vis_rgba_fog: real [4] "1" "Colour of fog.";
            vis_rgba_haze: real [4] "1" "Colour of haze.";
            vis_rgba_force: real [4] "1" "Colour of external forces.";
            vis_rgba_inertia: real [4] "1" "Colour of inertias.";
            vis_rgba_joint: real [4] "1" "Colour of joints.";
            vis_rgba_actuator: real [4] "1" "Colour of actuators.";
            vis_rgba_actuatornegative: real [4] "1" "Colour of actuators at the lower limit.";
            vis_rgba_actuatorpositive: real [4] "1" "Colour of actuators at the upper limit.";
            vis_rgba_com: real [4] "1" "Colour of centres of mass.";
            vis_rgba_camera: real [4] "1" "Colour of cameras.";
            vis_rgba_light: real [4] "1" "Colour of lights.";
            vis_rgba_selectpoint: real [4] "1" "Colour of the selection point.";
            vis_rgba_connect: real [4] "1" "Colour of connecting capsules.";
            vis_rgba_contactpoint: real [4] "1" "Colour of contacts.";
            vis_rgba_contactforce: real [4] "1" "Colour of contact forces.";
            vis_rgba_contactfriction: real [4] "1" "Colour of friction forces.";
            vis_rgba_contacttorque: real [4] "1" "Colour of contact torques.";
            vis_rgba_contactgap: real [4] "1" "Colour of contacts in the gap.";
            vis_rgba_rangefinder: real [4] "1" "Colour of rangefinder rays.";
            vis_rgba_constraint: real [4] "1" "Colour of constraint violations.";
            vis_rgba_slidercrank: real [4] "1" "Colour of slider-cranks.";
            vis_rgba_crankbroken: real [4] "1" "Colour of slider-cranks with an unreachable target.";
            vis_rgba_frustum: real [4] "1" "Colour of frusta.";
            vis_rgba_bv: real [4] "1" "Colour of bounding volumes.";
            vis_rgba_bvactive: real [4] "1" "Colour of active bounding volumes.";
        } }
    };
}
pub(crate) use visual_fields;
