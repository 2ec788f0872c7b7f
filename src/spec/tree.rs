//! Elements of the tree: bodies and what is in them.

use glam::DVec3;

use super::base::{At, Base, Pose, Ref};
use super::section::PluginUse;

/// An inertia that is written out.
#[derive(Clone, Debug)]
pub struct Inertial {
    /// Inertial frame.
    pub pose: Pose,
    /// Mass.
    pub mass: f64,
    /// Diagonal, or all six elements: xx yy zz xy xz yz.
    pub inertia: Vec<f64>,
    /// Places.
    pub at: At,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name and place.
    pub base: Base,
    /// Parent; the world is its own.
    pub parent: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Pose in the parent.
    pub pose: Pose,
    /// Pose in the innermost frame.
    pub own: Pose,
    /// Written inertia.
    pub inertial: Option<Inertial>,
    /// Compiler settings of the file that it is from.
    pub compiler: usize,
    /// Moved by the caller.
    pub mocap: bool,
    /// Gravity compensation.
    pub gravcomp: f64,
    /// May become part of its parent where it is static.
    pub fuse: bool,
    /// May have a diagonal inertia matrix.
    pub simple: bool,
    /// Policy of sleep, as `tree_sleep_policy`; 0 for auto.
    pub sleep: i32,
    /// Numbers of the user.
    pub userdata: Vec<f64>,
    /// Plugin that makes passive forces.
    pub plugin: Option<PluginUse>,
}

/// A frame, kept so that it can be attached.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Name and place.
    pub base: Base,
    /// Frame around it.
    pub parent: Option<usize>,
    /// Body that it is in.
    pub body: usize,
    /// Pose in its body.
    pub pose: Pose,
    /// Pose in the frame around it.
    pub own: Pose,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name and place.
    pub base: Base,
    /// Body that it moves.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Type, as `jnt_type`.
    pub kind: i32,
    /// Written as freejoint.
    pub free: bool,
    /// Align with the inertial frame.
    pub align: Option<bool>,
    /// Anchor.
    pub pos: DVec3,
    /// Axis.
    pub axis: DVec3,
    /// Value at qpos0.
    pub reference: f64,
    /// Value at which the spring rests.
    pub springref: f64,
    /// Stiffness of first to third order.
    pub stiffness: [f64; 3],
    /// Damping of first to third order.
    pub damping: [f64; 3],
    /// Time constant and damping ratio that stiffness and damping follow from.
    pub springdamper: [f64; 2],
    /// Whether it has limits.
    pub limited: Option<bool>,
    /// Limits.
    pub range: [f64; 2],
    /// Whether actuator forces are limited.
    pub actfrclimited: Option<bool>,
    /// Limits of actuator forces.
    pub actfrcrange: [f64; 2],
    /// Limit margin.
    pub margin: f64,
    /// Limit reference.
    pub solref_limit: [f64; 2],
    /// Limit impedance.
    pub solimp_limit: [f64; 5],
    /// Friction reference.
    pub solref_friction: [f64; 2],
    /// Friction impedance.
    pub solimp_friction: [f64; 5],
    /// Armature.
    pub armature: f64,
    /// Dry friction.
    pub frictionloss: f64,
    /// Display group.
    pub group: i32,
    /// Gravity compensation counts as actuator force.
    pub actgravcomp: bool,
    /// Numbers of the user.
    pub userdata: Vec<f64>,
}

impl Joint {
    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        [7, 4, 1, 1][self.kind as usize]
    }

    /// Number of degrees of freedom.
    pub fn nv(&self) -> usize {
        [6, 3, 1, 1][self.kind as usize]
    }
}

/// A geom.
#[derive(Clone, Debug)]
pub struct Geom {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Type, as `geom_type`.
    pub kind: i32,
    /// Size.
    pub size: [f64; 3],
    /// How many sizes were written.
    pub nsize: usize,
    /// End points, in place of pose and length.
    pub fromto: Option<[f64; 6]>,
    /// Pose of the element in its frame, then in its body.
    pub pose: Pose,
    /// Frame around it, in its body.
    pub outer: Pose,
    /// Contact type.
    pub contype: i32,
    /// Contact affinity.
    pub conaffinity: i32,
    /// Contact dimensions.
    pub condim: i32,
    /// Display group.
    pub group: i32,
    /// Contact priority.
    pub priority: i32,
    /// Friction.
    pub friction: [f64; 3],
    /// Mixing weight.
    pub solmix: f64,
    /// Contact reference.
    pub solref: [f64; 2],
    /// Contact impedance.
    pub solimp: [f64; 5],
    /// Margin.
    pub margin: f64,
    /// Gap.
    pub gap: f64,
    /// Surface velocity.
    pub surfacevel: [f64; 6],
    /// Adhesion.
    pub adhesion: f64,
    /// Mass, in place of density.
    pub mass: Option<f64>,
    /// Density.
    pub density: f64,
    /// Mass is on the surface.
    pub shell: bool,
    /// Ellipsoid fluid model.
    pub fluid: bool,
    /// Its coefficients.
    pub fluidcoef: [f64; 5],
    /// Colour.
    pub rgba: [f64; 4],
    /// Material.
    pub material: Ref,
    /// Mesh that it is, or that it is fitted to.
    pub mesh: Ref,
    /// Height field that it is.
    pub hfield: Ref,
    /// Scale of a shape that is fitted to a mesh.
    pub fitscale: f64,
    /// Plugin that makes the shape.
    pub plugin: Option<PluginUse>,
    /// Numbers of the user.
    pub userdata: Vec<f64>,
}

/// A site.
#[derive(Clone, Debug)]
pub struct Site {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Type, as `geom_type`.
    pub kind: i32,
    /// Size.
    pub size: [f64; 3],
    /// End points.
    pub fromto: Option<[f64; 6]>,
    /// Pose in its frame.
    pub pose: Pose,
    /// Frame around it, in its body.
    pub outer: Pose,
    /// Display group.
    pub group: i32,
    /// Colour.
    pub rgba: [f64; 4],
    /// Material.
    pub material: Ref,
    /// Mesh for display.
    pub mesh: Ref,
    /// Numbers of the user.
    pub userdata: Vec<f64>,
}

/// A camera.
#[derive(Clone, Debug)]
pub struct Camera {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Pose in its body.
    pub pose: Pose,
    /// Tracking mode.
    pub mode: i32,
    /// Body that it looks at.
    pub target: Ref,
    /// Projection: 0 perspective, 1 orthographic.
    pub projection: i32,
    /// Vertical field of view in degrees, or height where the projection is orthographic.
    pub fovy: f64,
    /// Distance between the eyes.
    pub ipd: f64,
    /// Width and height in pixels.
    pub resolution: [i32; 2],
    /// What it gives, as bits: rgb, depth, distance, normal, segmentation.
    pub output: i32,
    /// Size of the sensor.
    pub sensorsize: [f64; 2],
    /// Focal length.
    pub focal: [f64; 2],
    /// Focal length in pixels, in place of that.
    pub focalpixel: [f64; 2],
    /// Principal point.
    pub principal: [f64; 2],
    /// Principal point in pixels, in place of that.
    pub principalpixel: [f64; 2],
    /// Numbers of the user.
    pub userdata: Vec<f64>,
}

/// A light.
#[derive(Clone, Debug)]
pub struct Light {
    /// Name and place.
    pub base: Base,
    /// Body that it is in.
    pub body: usize,
    /// Named frame that it is in.
    pub frame: Option<usize>,
    /// Position in its body.
    pub pos: DVec3,
    /// Direction in its body.
    pub dir: DVec3,
    /// Tracking mode.
    pub mode: i32,
    /// Body that it shines at.
    pub target: Ref,
    /// Type: 0 spot, 1 directional, 2 point, 3 image.
    pub kind: i32,
    /// Texture of an image light.
    pub texture: Ref,
    /// Whether it casts shadows.
    pub castshadow: bool,
    /// Whether it is on.
    pub active: bool,
    /// Radius of the bulb.
    pub bulbradius: f64,
    /// Intensity.
    pub intensity: f64,
    /// How far it reaches.
    pub range: f64,
    /// Constant, linear and quadratic attenuation.
    pub attenuation: [f64; 3],
    /// Cutoff angle of a spot, degrees.
    pub cutoff: f64,
    /// Softness of a spot's edge.
    pub softness: f64,
    /// Exponent of a spot.
    pub exponent: f64,
    /// Ambient colour.
    pub ambient: [f64; 3],
    /// Diffuse colour.
    pub diffuse: [f64; 3],
    /// Specular colour.
    pub specular: [f64; 3],
}

/// Size and pose of a shape whose ends are given, in place of its own.
pub(crate) fn between(shape: i32, mut size: [f64; 3], ends: [f64; 6]) -> ([f64; 3], Pose) {
    use crate::schema::enums::geom::{CAPSULE, CYLINDER};
    let (from, to) = (DVec3::new(ends[0], ends[1], ends[2]), DVec3::new(ends[3], ends[4], ends[5]));
    let along = from - to;
    let length = along.length();
    if matches!(shape, CAPSULE | CYLINDER) {
        size[1] = length / 2.0;
    } else {
        size[1] = size[0];
        size[2] = length / 2.0;
    }
    (size, Pose { pos: (from + to) / 2.0, quat: crate::mjcf::z_to(along / length) })
}
