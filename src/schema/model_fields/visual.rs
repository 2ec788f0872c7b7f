//! Settings of the viewer.

macro_rules! visual_fields {
    ($($state:tt)*) => {
        $crate::schema::gather! { $($state)* {
            // settings of the viewer
            vis_global_cameraid: id(ncam or none) [1] "id" "Camera to start with; -1 for a free one.";
            vis_global_orthographic: int [1] "flag" "Whether the free camera is orthographic.";
            vis_global_fovy: real [1] "deg or m" "Field of view of the free camera.";
            vis_global_ipd: real [1] "m" "Distance between the eyes of the free camera.";
            vis_global_azimuth: real [1] "deg" "First azimuth of the free camera.";
            vis_global_elevation: real [1] "deg" "First elevation of the free camera.";
            vis_global_linewidth: real [1] "1" "Width of lines.";
            vis_global_glow: real [1] "1" "Glow of the chosen body.";
            vis_global_realtime: real [1] "1" "First speed, relative to real time.";
            vis_global_offwidth: int [1] "1" "Width of images in pixels.";
            vis_global_offheight: int [1] "1" "Height of images in pixels.";
            vis_global_ellipsoidinertia: int [1] "flag" "Whether inertias are drawn as ellipsoids, not boxes.";
            vis_global_bvactive: int [1] "flag" "Whether bounding volumes in use are drawn.";
            vis_quality_shadowsize: int [1] "1" "Side of the shadow map in pixels.";
            vis_quality_offsamples: int [1] "1" "Samples per pixel of images.";
            vis_quality_numslices: int [1] "1" "Slices of round shapes.";
            vis_quality_numstacks: int [1] "1" "Stacks of round shapes.";
            vis_quality_numquads: int [1] "1" "Rectangles along the sides of boxes.";
            vis_headlight_ambient: real [3] "1" "Ambient colour of the light at the camera.";
            vis_headlight_diffuse: real [3] "1" "Diffuse colour of the light at the camera.";
            vis_headlight_specular: real [3] "1" "Specular colour of the light at the camera.";
            vis_headlight_active: int [1] "flag" "Whether the light at the camera is on.";
            vis_map_stiffness: real [1] "N/m" "Stiffness of the mouse spring.";
            vis_map_stiffnessrot: real [1] "N m/rad" "Stiffness of the turning mouse spring.";
            vis_map_force: real [1] "m/N" "Length of a force.";
            vis_map_torque: real [1] "m/(N m)" "Length of a torque.";
            vis_map_alpha: real [1] "1" "Scale of alpha where geoms are made transparent.";
            vis_map_fogstart: real [1] "1" "Where fog starts, in extents of the model.";
            vis_map_fogend: real [1] "1" "Where fog is full, in extents of the model.";
            vis_map_znear: real [1] "1" "Near plane, in extents of the model.";
            vis_map_zfar: real [1] "1" "Far plane, in extents of the model.";
            vis_map_haze: real [1] "1" "Part of the sky with haze.";
            vis_map_shadowclip: real [1] "1" "Reach of shadows of directional lights, in extents of the model.";
            vis_map_shadowscale: real [1] "1" "Reach of shadows of spots, in cutoffs.";
            vis_map_actuatortendon: real [1] "1" "Width of driven tendons relative to others.";
            vis_scale_forcewidth: real [1] "1" "Width of forces, relative to the mean body's size.";
            vis_scale_contactwidth: real [1] "1" "Width of contacts, relative to the mean body's size.";
            vis_scale_contactheight: real [1] "1" "Height of contacts, relative to the mean body's size.";
            vis_scale_connect: real [1] "1" "Width of connecting capsules, relative to the mean body's size.";
            vis_scale_com: real [1] "1" "Radius of centres of mass, relative to the mean body's size.";
            vis_scale_camera: real [1] "1" "Size of cameras, relative to the mean body's size.";
            vis_scale_light: real [1] "1" "Size of lights, relative to the mean body's size.";
            vis_scale_selectpoint: real [1] "1" "Radius of the chosen point, relative to the mean body's size.";
            vis_scale_jointlength: real [1] "1" "Length of joints, relative to the mean body's size.";
            vis_scale_jointwidth: real [1] "1" "Width of joints, relative to the mean body's size.";
            vis_scale_actuatorlength: real [1] "1" "Length of actuators, relative to the mean body's size.";
            vis_scale_actuatorwidth: real [1] "1" "Width of actuators, relative to the mean body's size.";
            vis_scale_framelength: real [1] "1" "Length of axes, relative to the mean body's size.";
            vis_scale_framewidth: real [1] "1" "Width of axes, relative to the mean body's size.";
            vis_scale_constraint: real [1] "1" "Width of constraint errors, relative to the mean body's size.";
            vis_scale_slidercrank: real [1] "1" "Width of slider-cranks, relative to the mean body's size.";
            vis_scale_frustum: real [1] "1" "Far end of frusta, relative to the mean body's size.";
            vis_rgba_fog: real [4] "1" "Colour of fog.";
            vis_rgba_haze: real [4] "1" "Colour of haze.";
            vis_rgba_force: real [4] "1" "Colour of forces from outside.";
            vis_rgba_inertia: real [4] "1" "Colour of inertias.";
            vis_rgba_joint: real [4] "1" "Colour of joints.";
            vis_rgba_actuator: real [4] "1" "Colour of actuators.";
            vis_rgba_actuatornegative: real [4] "1" "Colour of actuators at the lower limit.";
            vis_rgba_actuatorpositive: real [4] "1" "Colour of actuators at the upper limit.";
            vis_rgba_com: real [4] "1" "Colour of centres of mass.";
            vis_rgba_camera: real [4] "1" "Colour of cameras.";
            vis_rgba_light: real [4] "1" "Colour of lights.";
            vis_rgba_selectpoint: real [4] "1" "Colour of the chosen point.";
            vis_rgba_connect: real [4] "1" "Colour of connecting capsules.";
            vis_rgba_contactpoint: real [4] "1" "Colour of contacts.";
            vis_rgba_contactforce: real [4] "1" "Colour of contact forces.";
            vis_rgba_contactfriction: real [4] "1" "Colour of friction forces.";
            vis_rgba_contacttorque: real [4] "1" "Colour of contact torques.";
            vis_rgba_contactgap: real [4] "1" "Colour of contacts in the gap.";
            vis_rgba_rangefinder: real [4] "1" "Colour of rays of rangefinders.";
            vis_rgba_constraint: real [4] "1" "Colour of constraint errors.";
            vis_rgba_slidercrank: real [4] "1" "Colour of slider-cranks.";
            vis_rgba_crankbroken: real [4] "1" "Colour of slider-cranks that cannot reach.";
            vis_rgba_frustum: real [4] "1" "Colour of frusta.";
            vis_rgba_bv: real [4] "1" "Colour of bounding volumes.";
            vis_rgba_bvactive: real [4] "1" "Colour of bounding volumes in use.";
        } }
    };
}
pub(crate) use visual_fields;
