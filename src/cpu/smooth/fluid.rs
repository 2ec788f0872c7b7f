//! Forces of the medium: of its density and viscosity, and of wind (MuJoCo documentation, Computation, "Fluid
//! forces"). They act on the box that has the inertia of a body, or on the ellipsoids that stand for its geoms where
//! some geom asks for it: drag, lift by camber (Kutta) and by spin (Magnus), and the inertia of what is carried along.

use crate::cpu::math::{Mat3, Spatial, Vec3, cross, dot, dot6, length, mat3, set_spatial, spatial, vec3};
use crate::model::Model;
use crate::model::data::Data;
use crate::real::Real;
use crate::schema::enums::geom;

/// Forces of the medium in all degrees of freedom.
pub fn fluid<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let s = m.sizes;
    // summed over subtrees, leaves first
    for level in (0..s.nlevel).rev() {
        let adr = m.level_adr[level] as usize;
        for k in adr..adr + m.level_num[level] as usize {
            let body = m.level_body[k] as usize;
            let mut sum = body_fluid_force(m, d, body);
            let child = m.body_childadr[body] as usize;
            for c in child..child + m.body_childnum[body] as usize {
                sum += spatial(&d.fluid_force, m.child_body[c] as usize);
            }
            set_spatial(&mut d.fluid_force, body, sum);
        }
    }
    for dof in 0..s.nv {
        let force = spatial(&d.fluid_force, m.dof_bodyid[dof] as usize);
        d.qfrc_fluid[dof] = dot6(spatial(&d.cdof, dof), force);
    }
}

/// Whether the medium acts on a body: the world and what has no mass it leaves alone.
pub fn has_fluid_force<T: Real>(m: &Model<T>, body: usize) -> bool {
    body > 0 && m.body_mass[body] >= T::MINVAL
}

/// Geoms of a body.
pub fn geoms_of<T: Real>(m: &Model<T>, body: usize) -> std::ops::Range<usize> {
    let first = m.body_geomadr[body].max(0) as usize;
    first..first + m.body_geomnum[body] as usize
}

/// Whether the medium acts on a body's geoms, not on its box.
pub fn has_ellipsoids<T: Real>(m: &Model<T>, body: usize) -> bool {
    geoms_of(m, body).any(|g| m.geom_fluid[12 * g] > T::ZERO)
}

/// Force on one body about its tree's centre of mass.
fn body_fluid_force<T: Real>(m: &Model<T>, d: &Data<T>, body: usize) -> Spatial<T> {
    let mut sum = Spatial::ZERO;
    if !has_fluid_force(m, body) {
        return sum;
    }
    if !has_ellipsoids(m, body) {
        let frame = FluidFrame::new(m, d, body, vec3(&d.xipos, body), mat3(&d.ximat, body));
        return frame.force_about_root(InertiaBox::new(m, body).force(m, frame.ang_vel, frame.velocity));
    }
    for g in geoms_of(m, body).filter(|&g| m.geom_fluid[12 * g] > T::ZERO) {
        let frame = FluidFrame::new(m, d, body, vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g));
        let wrench = Ellipsoid::new(m, g).force(frame.ang_vel, frame.velocity);
        sum += frame.force_about_root(wrench) * m.geom_fluid[12 * g];
    }
    sum
}

/// A frame on a body, and how it moves through the medium.
#[derive(Clone, Copy, Debug)]
pub struct FluidFrame<T> {
    /// Axes of the frame as columns.
    pub axes: Mat3<T>,
    /// From the tree's centre of mass to the frame.
    pub offset: Vec3<T>,
    /// Angular velocity in the frame.
    pub ang_vel: Vec3<T>,
    /// Velocity against the medium in the frame.
    pub velocity: Vec3<T>,
}

impl<T: Real> FluidFrame<T> {
    /// The frame at a point of a body.
    pub fn new(m: &Model<T>, d: &Data<T>, body: usize, point: Vec3<T>, axes: Mat3<T>) -> Self {
        let v = spatial(&d.cvel, body);
        let offset = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
        let velocity = v.lin + cross(v.ang, offset) - vec3(&m.opt_wind, 0);
        Self { axes, offset, ang_vel: v.ang * axes, velocity: velocity * axes }
    }

    /// A force in the frame as one about the tree's centre of mass.
    fn force_about_root(&self, wrench: Spatial<T>) -> Spatial<T> {
        let force = self.axes * wrench.lin;
        Spatial::new(self.axes * wrench.ang + cross(self.offset, force), force)
    }
}

/// The box that has the mass and inertia of a body.
#[derive(Clone, Copy, Debug)]
pub struct InertiaBox<T> {
    /// Lengths of its edges.
    pub edges: Vec3<T>,
}

impl<T: Real> InertiaBox<T> {
    /// The box of a body.
    pub fn new(m: &Model<T>, body: usize) -> Self {
        let i = vec3(&m.body_inertia, body);
        let total = i[0] + i[1] + i[2];
        let per = T::of(6.0) / m.body_mass[body];
        Self { edges: i.map(|x| ((total - x - x).max(T::MINVAL) * per).sqrt()) }
    }

    /// Drag of slow flow against turning and against velocity, per unit of each.
    pub fn viscous(&self, m: &Model<T>) -> (T, T) {
        let diameter = (self.edges[0] + self.edges[1] + self.edges[2]) / T::of(3.0);
        let unit = T::of(std::f64::consts::PI) * diameter * m.opt_viscosity[0].max(T::ZERO);
        (unit * diameter * diameter, T::of(3.0) * unit)
    }

    /// Drag of fast flow against turning and against velocity, per unit of each squared, by axis.
    pub fn inertial(&self, m: &Model<T>) -> (Vec3<T>, Vec3<T>) {
        let density = m.opt_density[0].max(T::ZERO);
        let Vec3([x, y, z]) = self.edges;
        let fourth = |a: T| a * a * a * a;
        let (x4, y4, z4) = (fourth(x), fourth(y), fourth(z));
        let turning = Vec3([x * (y4 + z4), y * (x4 + z4), z * (x4 + y4)]) * (density / T::of(64.0));
        (turning, Vec3([y * z, x * z, x * y]) * (T::of(0.5) * density))
    }

    /// Torque and force.
    fn force(&self, m: &Model<T>, w: Vec3<T>, v: Vec3<T>) -> Spatial<T> {
        let ((visc_w, visc_v), (drag_w, drag_v)) = (self.viscous(m), self.inertial(m));
        let drag = |slow: T, fast: T, x: T| -(slow * x + fast * x.abs() * x);
        Spatial::new(
            Vec3::from_fn(|k| drag(visc_w, drag_w[k], w[k])),
            Vec3::from_fn(|k| drag(visc_v, drag_v[k], v[k])),
        )
    }
}

/// The ellipsoid that stands for a geom, with the coefficients of the medium's forces, density and viscosity included.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid<T> {
    /// Squares of the products of two half axes each, over the greatest one to the fourth.
    pub squares: Vec3<T>,
    /// Area of the projection of a ball around it.
    pub sphere_area: T,
    /// Greatest area of a projection.
    pub area_max: T,
    /// Drag of the projected area.
    pub blunt_drag: T,
    /// Drag of the rest of the greatest one.
    pub slender_drag: T,
    /// Drag of turning by axis.
    pub angular_drag: Vec3<T>,
    /// Lift by camber for unit area.
    pub kutta_lift: T,
    /// Lift by spin.
    pub magnus_lift: T,
    /// Mass of what is carried along by axis.
    pub mass: Vec3<T>,
    /// Its inertia by axis.
    pub inertia: Vec3<T>,
    /// Drag of slow flow against turning.
    pub visc_torque_coef: T,
    /// Drag of slow flow against velocity.
    pub visc_force_coef: T,
}

/// The direction of a flow around an ellipsoid.
#[derive(Clone, Copy, Debug)]
pub struct Flow<T> {
    /// Speed.
    pub speed: T,
    /// Unit velocity.
    pub along: Vec3<T>,
    /// Normal of the surface where the flow meets it, not of unit length.
    pub normal: Vec3<T>,
    /// Normal times unit velocity.
    pub alpha: T,
    /// Square of the normal.
    pub beta: T,
}

impl<T: Real> Ellipsoid<T> {
    /// The ellipsoid of a geom.
    pub fn new(m: &Model<T>, g: usize) -> Self {
        let Vec3([a, b, c]) = semi_axes(m, g);
        let c0 = &m.geom_fluid[12 * g..12 * g + 12];
        let (density, viscosity) = (m.opt_density[0].max(T::ZERO), m.opt_viscosity[0].max(T::ZERO));
        let pi = T::of(std::f64::consts::PI);
        let most = a.max(b).max(c);
        let middle = a + b + c - most - a.min(b).min(c);
        let [x, y, z] = [a, b, c].map(|s| s / most.max(T::MINVAL));
        let square = |s: T| s * s;
        // moments of drag about each axis, and the greatest
        let fourth = |s: T| square(square(s));
        let unit = T::of(8.0 / 15.0) * pi * density;
        let about = Vec3([a * fourth(b.max(c)), b * fourth(c.max(a)), c * fourth(a.max(b))]);
        let greatest = middle * fourth(most);
        let diameter = T::of(2.0 / 3.0) * (a + b + c);
        Self {
            squares: Vec3([square(y * z), square(z * x), square(x * y)]),
            sphere_area: pi * square(most),
            area_max: pi * most * middle,
            blunt_drag: c0[1] * density,
            slender_drag: c0[2] * density,
            angular_drag: about.map(|i| unit * (c0[3] * i + c0[2] * (greatest - i))),
            kutta_lift: c0[4] * density,
            magnus_lift: c0[5] * density * T::of(4.0 / 3.0) * pi * a * b * c,
            mass: vec3(c0, 2) * density,
            inertia: vec3(c0, 3) * density,
            visc_torque_coef: viscosity * pi * diameter * diameter * diameter,
            visc_force_coef: viscosity * T::of(3.0) * pi * diameter,
        }
    }

    /// The flow around it at a velocity.
    pub fn flow(&self, v: Vec3<T>) -> Flow<T> {
        let speed = length(v);
        let along = if speed > T::MINVAL { v * (T::ONE / speed) } else { Vec3::ZERO };
        let normal = self.squares * along;
        Flow { speed, along, normal, alpha: dot(normal, along), beta: dot(normal, normal) }
    }

    /// Area of the projection along the flow, and what scales lift by camber.
    pub fn areas(&self, flow: &Flow<T>) -> (T, T) {
        if flow.alpha <= T::ZERO || flow.beta <= T::ZERO {
            return (T::ZERO, T::ZERO);
        }
        let ratio = (flow.beta / flow.alpha).sqrt();
        (self.sphere_area * ratio, self.kutta_lift * self.sphere_area / ratio)
    }

    /// Torque and force.
    fn force(&self, w: Vec3<T>, v: Vec3<T>) -> Spatial<T> {
        // the medium that is carried along
        let (momentum, spin) = (self.mass * v, self.inertia * w);
        let mut torque = cross(momentum, v) + cross(spin, w);
        let mut force = cross(momentum, w);
        // lift
        let flow = self.flow(v);
        let (area, camber) = self.areas(&flow);
        force += cross(w, v) * self.magnus_lift;
        let turned = flow.along * flow.alpha - flow.normal;
        force += turned * (camber * flow.speed * flow.speed);
        // drag
        let fast = flow.speed * (self.blunt_drag * area + self.slender_drag * (self.area_max - area));
        force -= v * (self.visc_force_coef + fast);
        torque -= w * (self.visc_torque_coef + length(self.angular_drag * w));
        Spatial::new(torque, force)
    }
}

/// Half axes of the ellipsoid that stands for a geom.
fn semi_axes<T: Real>(m: &Model<T>, g: usize) -> Vec3<T> {
    let size = vec3(&m.geom_size, g);
    match m.geom_type[g] {
        geom::SPHERE => Vec3([size[0]; 3]),
        geom::CAPSULE => Vec3([size[0], size[0], size[0] + size[1]]),
        geom::CYLINDER => Vec3([size[0], size[0], size[1]]),
        _ => size,
    }
}
