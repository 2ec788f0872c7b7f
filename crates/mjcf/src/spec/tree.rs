//! Elements of the kinematic tree: bodies and their contents.

use glam::DVec3;

use super::base::{At, Base, Pose, Ref};
use super::section::PluginUse;
use manyworlds_model::schema::enums::{CameraMode, GeomType, JointType, LightType, Projection, joint_widths};

/// Explicit inertia.
#[derive(Clone, Debug)]
pub struct Inertial {
    /// Inertial frame.
    pub pose: Pose,
    /// Mass.
    pub mass: f64,
    /// Diagonal inertia, or the full tensor: xx yy zz xy xz yz.
    pub inertia: Vec<f64>,
    /// Source locations.
    pub at: At,
}

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name and source location.
    pub base: Base,
    /// Parent body; the world is its own parent.
    pub parent: usize,
    /// Enclosing named frame.
    pub frame: Option<usize>,
    /// Pose in the parent body.
    pub pose: Pose,
    /// Pose in the enclosing frame.
    pub own: Pose,
    /// Explicit inertia.
    pub inertial: Option<Inertial>,
    /// Compiler settings of its source file.
    pub compiler: usize,
    /// Mocap body.
    pub mocap: bool,
    /// Gravity compensation.
    pub gravcomp: f64,
    /// May be fused with its parent if static.
    pub fuse: bool,
    /// May be treated as simple: diagonal inertia block.
    pub simple: bool,
    /// Sleep policy, as `tree_sleep_policy`; 0 for auto.
    pub sleep: i32,
    /// User data.
    pub userdata: Vec<f64>,
    /// Plugin that computes passive forces.
    pub plugin: Option<PluginUse>,
}

/// What the scale of a frame does to forces and gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// They change with the units of length and mass: the same motion, in gravity that is scaled too.
    #[default]
    Similar,
    /// They stay as they are; lengths, masses and inertias are scaled.
    Geometry,
}

/// A frame, kept for attachment and for the scale of its contents, which the compiler applies.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Name and source location.
    pub base: Base,
    /// Enclosing frame.
    pub parent: Option<usize>,
    /// Body.
    pub body: usize,
    /// Pose in the body.
    pub pose: Pose,
    /// Pose in the enclosing frame.
    pub own: Pose,
    /// Factors of lengths along the axes; `None` for one. Poses are without them.
    pub scale: Option<[f64; 3]>,
    /// What the scale does to forces and gains.
    pub scaling: Scaling,
    /// Factor of masses; `None` or zero for the ratio of volumes.
    pub massscale: Option<f64>,
}

impl Frame {
    /// True if the frame changes lengths or masses of its contents.
    pub fn is_scaled(&self) -> bool {
        self.scale.is_some_and(|s| s != [1.0; 3]) || self.massscale.is_some_and(|m| m != 0.0 && m != 1.0)
    }
}

/// A joint.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name and source location.
    pub base: Base,
    /// Body of the joint.
    pub body: usize,
    /// Enclosing named frame.
    pub frame: Option<usize>,
    /// Type.
    pub kind: JointType,
    /// Declared as freejoint.
    pub free: bool,
    /// Align with the inertial frame.
    pub align: Option<bool>,
    /// Anchor.
    pub pos: DVec3,
    /// Axis.
    pub axis: DVec3,
    /// Value at qpos0.
    pub reference: f64,
    /// Value at which the spring is at rest.
    pub springref: f64,
    /// Stiffness: linear, quadratic, cubic.
    pub stiffness: [f64; 3],
    /// Damping: linear, quadratic, cubic.
    pub damping: [f64; 3],
    /// Time constant and damping ratio, an alternative to stiffness and damping.
    pub springdamper: [f64; 2],
    /// Limits are enabled; `None`: inferred from the range.
    pub limited: Option<bool>,
    /// Limits.
    pub range: [f64; 2],
    /// Actuator force limits are enabled; `None`: inferred from the range.
    pub actfrclimited: Option<bool>,
    /// Limits of actuator forces.
    pub actfrcrange: [f64; 2],
    /// Limit margin.
    pub margin: f64,
    /// Solver reference of the limit.
    pub solref_limit: [f64; 2],
    /// Solver impedance of the limit.
    pub solimp_limit: [f64; 5],
    /// Solver reference of friction loss.
    pub solref_friction: [f64; 2],
    /// Solver impedance of friction loss.
    pub solimp_friction: [f64; 5],
    /// Armature.
    pub armature: f64,
    /// Friction loss.
    pub frictionloss: f64,
    /// Display group.
    pub group: i32,
    /// Gravity compensation counts as actuator force.
    pub actgravcomp: bool,
    /// User data.
    pub userdata: Vec<f64>,
}

impl Joint {
    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        joint_widths(self.kind.into()).0
    }

    /// Number of degrees of freedom.
    pub fn nv(&self) -> usize {
        joint_widths(self.kind.into()).1
    }
}

/// A geom.
#[derive(Clone, Debug)]
pub struct Geom {
    /// Name and source location.
    pub base: Base,
    /// Body.
    pub body: usize,
    /// Enclosing named frame.
    pub frame: Option<usize>,
    /// Type.
    pub kind: GeomType,
    /// Size.
    pub size: [f64; 3],
    /// Number of sizes given.
    pub nsize: usize,
    /// End points, instead of pose and length.
    pub fromto: Option<[f64; 6]>,
    /// Local pose, in the enclosing frame and then in the body.
    pub pose: Pose,
    /// Pose of the enclosing frame in the body.
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
    /// Solver reference of contacts.
    pub solref: [f64; 2],
    /// Solver impedance of contacts.
    pub solimp: [f64; 5],
    /// Margin.
    pub margin: f64,
    /// Gap.
    pub gap: f64,
    /// Surface velocity.
    pub surfacevel: [f64; 6],
    /// Adhesion.
    pub adhesion: f64,
    /// Explicit mass, overriding density.
    pub mass: Option<f64>,
    /// Density.
    pub density: f64,
    /// The mass is on the surface.
    pub shell: bool,
    /// Ellipsoid fluid model.
    pub fluid: bool,
    /// Coefficients of the fluid model.
    pub fluidcoef: [f64; 5],
    /// Colour.
    pub rgba: [f64; 4],
    /// Material.
    pub material: Ref,
    /// Mesh of the geom, or to fit a primitive to.
    pub mesh: Ref,
    /// Height field of the geom.
    pub hfield: Ref,
    /// Scale of a primitive fitted to a mesh.
    pub fitscale: f64,
    /// Plugin that computes the shape.
    pub plugin: Option<PluginUse>,
    /// User data.
    pub userdata: Vec<f64>,
}

/// A site.
#[derive(Clone, Debug)]
pub struct Site {
    /// Name and source location.
    pub base: Base,
    /// Body.
    pub body: usize,
    /// Enclosing named frame.
    pub frame: Option<usize>,
    /// Shape for display.
    pub kind: GeomType,
    /// Size.
    pub size: [f64; 3],
    /// End points.
    pub fromto: Option<[f64; 6]>,
    /// Local pose in the enclosing frame.
    pub pose: Pose,
    /// Pose of the enclosing frame in the body.
    pub outer: Pose,
    /// Display group.
    pub group: i32,
    /// Colour.
    pub rgba: [f64; 4],
    /// Material.
    pub material: Ref,
    /// Mesh for display.
    pub mesh: Ref,
    /// User data.
    pub userdata: Vec<f64>,
}

/// A camera.
#[derive(Clone, Debug)]
pub struct Camera {
    /// Name and source location.
    pub base: Base,
    /// Body.
    pub body: usize,
    /// Enclosing named frame.
    pub frame: Option<usize>,
    /// Pose in the body.
    pub pose: Pose,
    /// Tracking mode.
    pub mode: CameraMode,
    /// Target body.
    pub target: Ref,
    /// Projection: perspective or orthographic.
    pub projection: Projection,
    /// Vertical field of view in degrees, or extent if the projection is orthographic.
    pub fovy: f64,
    /// Interpupillary distance.
    pub ipd: f64,
    /// Width and height in pixels.
    pub resolution: [i32; 2],
    /// Output types as bits: rgb, depth, distance, normal, segmentation.
    pub output: i32,
    /// Sensor size.
    pub sensorsize: [f64; 2],
    /// Focal length.
    pub focal: [f64; 2],
    /// Focal length in pixels, overriding `focal`.
    pub focalpixel: [f64; 2],
    /// Principal point.
    pub principal: [f64; 2],
    /// Principal point in pixels, overriding `principal`.
    pub principalpixel: [f64; 2],
    /// User data.
    pub userdata: Vec<f64>,
}

/// A light.
#[derive(Clone, Debug)]
pub struct Light {
    /// Name and source location.
    pub base: Base,
    /// Body.
    pub body: usize,
    /// Enclosing named frame.
    pub frame: Option<usize>,
    /// Position in the body.
    pub pos: DVec3,
    /// Direction in the body.
    pub dir: DVec3,
    /// Tracking mode.
    pub mode: CameraMode,
    /// Target body.
    pub target: Ref,
    /// Type: spot, directional, point or image.
    pub kind: LightType,
    /// Texture of an image light.
    pub texture: Ref,
    /// The light casts shadows.
    pub castshadow: bool,
    /// The light is on.
    pub active: bool,
    /// Bulb radius.
    pub bulbradius: f64,
    /// Intensity.
    pub intensity: f64,
    /// Effective range.
    pub range: f64,
    /// Constant, linear and quadratic attenuation.
    pub attenuation: [f64; 3],
    /// Cutoff angle of a spotlight, degrees.
    pub cutoff: f64,
    /// Softness of a spotlight's edge.
    pub softness: f64,
    /// Exponent of a spotlight.
    pub exponent: f64,
    /// Ambient colour.
    pub ambient: [f64; 3],
    /// Diffuse colour.
    pub diffuse: [f64; 3],
    /// Specular colour.
    pub specular: [f64; 3],
}

/// Size and pose of a shape given by its end points.
pub(crate) fn between(shape: GeomType, mut size: [f64; 3], ends: [f64; 6]) -> ([f64; 3], Pose) {
    let (from, to) = (DVec3::new(ends[0], ends[1], ends[2]), DVec3::new(ends[3], ends[4], ends[5]));
    let along = from - to;
    let length = along.length();
    if matches!(shape, GeomType::CAPSULE | GeomType::CYLINDER) {
        size[1] = length / 2.0;
    } else {
        size[1] = size[0];
        size[2] = length / 2.0;
    }
    (size, Pose { pos: (from + to) / 2.0, quat: crate::spec::rotation::z_to(along / length) })
}
