//! Decorations of a world: tendons, contacts, forces, joints, frames and the rest that flags ask for. Sizes are those of the
//! model's `visual/scale`, in mean body sizes.

mod actuators;
mod bodies;
mod constraints;
mod objects;
mod tendons;
mod world;

use super::shape::Shape;
use super::visuals::{Flag, Visuals};
use manyworlds::cpu::smooth::tendon_path::is_spatial;
use manyworlds::model::Model;
use manyworlds::model::data::Data;
use manyworlds::schema::sensors::sensor;
use world::World;

/// Flags that need the data of a world on the host.
const OF_DATA: &[Flag] = &[
    Flag::Joint,
    Flag::Camera,
    Flag::Actuator,
    Flag::Activation,
    Flag::Light,
    Flag::Constraint,
    Flag::Inertia,
    Flag::Scale,
    Flag::Perturb,
    Flag::ContactPoint,
    Flag::ContactForce,
    Flag::Autoconnect,
    Flag::Com,
    Flag::BodyFrame,
    Flag::GeomFrame,
    Flag::SiteFrame,
    Flag::WorldFrame,
    Flag::Bounds,
];

/// True if something is shown that follows from the data of a world on the host.
pub fn needs_data(m: &Model, visuals: &Visuals) -> bool {
    let tendons = visuals.has(Flag::Tendon) && (0..m.sizes.ntendon).any(|ten| is_spatial(m, ten));
    let rays = visuals.has(Flag::Rangefinder) && m.sensor_type.contains(&sensor::RANGEFINDER);
    tendons || rays || actuators::has_slider_cranks(m) || OF_DATA.iter().any(|flag| visuals.has(*flag))
}

/// What adds the decorations of a flag.
type Decorate = fn(&mut World<'_>);

/// The decorations of a world that flags ask for, from data with everything that follows from the state.
pub fn decorate(m: &Model, d: &Data, visuals: &Visuals) -> Vec<Shape> {
    let mut world = World { m, d, visuals, shapes: Vec::new() };
    if visuals.has(Flag::Tendon) {
        world.tendons();
    }
    world.actuators();
    let decorations: &[(Flag, Decorate)] = &[
        (Flag::Joint, |w| w.joints()),
        (Flag::Camera, |w| w.cameras()),
        (Flag::Light, |w| w.lights()),
        (Flag::Rangefinder, |w| w.rangefinders()),
        (Flag::Constraint, |w| w.constraints()),
        (Flag::Inertia, |w| w.inertias()),
        (Flag::Perturb, |w| w.perturbations()),
        (Flag::Autoconnect, |w| w.chains()),
        (Flag::Com, |w| w.centers()),
        (Flag::BodyFrame, |w| w.body_frames()),
        (Flag::GeomFrame, |w| w.geom_frames()),
        (Flag::SiteFrame, |w| w.site_frames()),
        (Flag::WorldFrame, |w| w.world_frame()),
        (Flag::Bounds, |w| w.bounds()),
    ];
    for (flag, show) in decorations {
        if visuals.has(*flag) {
            show(&mut world);
        }
    }
    if visuals.has(Flag::ContactPoint) || visuals.has(Flag::ContactForce) {
        world.contacts();
    }
    world.shapes
}
