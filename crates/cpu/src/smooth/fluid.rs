//! Fluid forces, from density, viscosity and wind (MuJoCo documentation, Computation, "Fluid forces"). The
//! inertia-box model acts on a body, or the ellipsoid model on its geoms if one of them asks for it: drag, Kutta and
//! Magnus lift, and added mass.

use crate::math::{Mat3, Spatial, Vec3, cross, dot, dot6, length, mat3, set_spatial, spatial, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::Need;
use manyworlds_model::schema::enums::geom;

/// Fluid forces on all degrees of freedom.
pub fn fluid<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    let s = m.sizes;
    d.hold(Need::Fluid);
    // sums over subtrees, leaves first
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

/// True if the fluid acts on a body: not on the world, nor on massless bodies.
pub fn has_fluid_force<T: Real>(m: &Model<T>, body: usize) -> bool {
    body > 0 && m.body_mass[body] >= T::MINVAL
}

/// Range of a body's geoms.
pub fn geoms_of<T: Real>(m: &Model<T>, body: usize) -> std::ops::Range<usize> {
    let first = m.body_geomadr[body].max(0) as usize;
    first..first + m.body_geomnum[body] as usize
}

/// True if a body uses the ellipsoid model of its geoms instead of its inertia box.
pub fn has_ellipsoids<T: Real>(m: &Model<T>, body: usize) -> bool {
    geoms_of(m, body).any(|g| m.geom_fluid[12 * g] > T::ZERO)
}

/// Fluid force on one body about its tree's centre of mass.
fn body_fluid_force<T: Real>(m: &Model<T>, d: &Data<T>, body: usize) -> Spatial<T> {
    let mut sum = Spatial::ZERO;
    if !has_fluid_force(m, body) {
        return sum;
    }
    if !has_ellipsoids(m, body) {
        let frame = frame_at(m, d, body, vec3(&d.xipos, body), mat3(&d.ximat, body));
        return frame.force_about_root(inertia_box_of(m, body).wrench(m, frame.ang_vel, frame.velocity));
    }
    for g in geoms_of(m, body).filter(|&g| m.geom_fluid[12 * g] > T::ZERO) {
        let frame = frame_at(m, d, body, vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g));
        let wrench = ellipsoid_of(m, g).wrench(frame.ang_vel, frame.velocity);
        sum += frame.force_about_root(wrench) * m.geom_fluid[12 * g];
    }
    sum
}

/// A frame on a body and its motion through the fluid.
#[derive(Clone, Copy, Debug)]
pub struct FluidFrame<T> {
    /// Axes of the frame as columns.
    pub axes: Mat3<T>,
    /// Offset from the tree's centre of mass.
    pub offset: Vec3<T>,
    /// Angular velocity, in the frame.
    pub ang_vel: Vec3<T>,
    /// Velocity relative to the fluid, in the frame.
    pub velocity: Vec3<T>,
}

/// Frame with the given axes at a point of a body.
pub fn frame_at<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    body: usize,
    point: Vec3<T>,
    axes: Mat3<T>,
) -> FluidFrame<T> {
    let v = spatial(&d.cvel, body);
    let offset = point - vec3(&d.subtree_com, m.body_rootid[body] as usize);
    let velocity = v.lin + cross(v.ang, offset) - vec3(&m.opt_wind, 0);
    FluidFrame { axes, offset, ang_vel: v.ang * axes, velocity: velocity * axes }
}

impl<T: Real> FluidFrame<T> {
    /// A force in the frame, moved to the tree's centre of mass.
    fn force_about_root(&self, wrench: Spatial<T>) -> Spatial<T> {
        let force = self.axes * wrench.lin;
        Spatial::new(self.axes * wrench.ang + cross(self.offset, force), force)
    }
}

/// Equivalent inertia box: the box of a body's mass and inertia.
#[derive(Clone, Copy, Debug)]
pub struct InertiaBox<T> {
    /// Edge lengths.
    pub edges: Vec3<T>,
}

/// Inertia box of a body.
pub fn inertia_box_of<T: Real>(m: &Model<T>, body: usize) -> InertiaBox<T> {
    let i = vec3(&m.body_inertia, body);
    let total = i[0] + i[1] + i[2];
    let per = T::of(6.0) / m.body_mass[body];
    InertiaBox { edges: i.map(|x| ((total - x - x).max(T::MINVAL) * per).sqrt()) }
}

impl<T: Real> InertiaBox<T> {
    /// Viscous drag coefficients for rotation and translation.
    pub fn viscous(&self, m: &Model<T>) -> (T, T) {
        let diameter = (self.edges[0] + self.edges[1] + self.edges[2]) / T::of(3.0);
        let unit = T::of(std::f64::consts::PI) * diameter * m.opt_viscosity[0].max(T::ZERO);
        (unit * diameter * diameter, T::of(3.0) * unit)
    }

    /// Quadratic drag coefficients for rotation and translation, by axis.
    pub fn inertial(&self, m: &Model<T>) -> (Vec3<T>, Vec3<T>) {
        let density = m.opt_density[0].max(T::ZERO);
        let Vec3([x, y, z]) = self.edges;
        let fourth = |a: T| a * a * a * a;
        let (x4, y4, z4) = (fourth(x), fourth(y), fourth(z));
        let turning = Vec3([x * (y4 + z4), y * (x4 + z4), z * (x4 + y4)]) * (density / T::of(64.0));
        (turning, Vec3([y * z, x * z, x * y]) * (T::of(0.5) * density))
    }

    /// Wrench on the box, in its frame.
    fn wrench(&self, m: &Model<T>, w: Vec3<T>, v: Vec3<T>) -> Spatial<T> {
        let ((visc_w, visc_v), (drag_w, drag_v)) = (self.viscous(m), self.inertial(m));
        let drag = |slow: T, fast: T, x: T| -(slow * x + fast * x.abs() * x);
        Spatial::new(
            Vec3::from_fn(|k| drag(visc_w, drag_w[k], w[k])),
            Vec3::from_fn(|k| drag(visc_v, drag_v[k], v[k])),
        )
    }
}

/// Ellipsoid equivalent to a geom, with its fluid coefficients, density and viscosity included.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid<T> {
    /// Squared products of pairs of semi-axes, over the fourth power of the largest.
    pub squares: Vec3<T>,
    /// Projected area of the circumscribed sphere.
    pub sphere_area: T,
    /// Largest projected area of the ellipsoid.
    pub area_max: T,
    /// Drag of the projected area.
    pub blunt_drag: T,
    /// Drag of the remainder of the largest projected area.
    pub slender_drag: T,
    /// Rotational drag by axis.
    pub angular_drag: Vec3<T>,
    /// Kutta lift for unit area.
    pub kutta_lift: T,
    /// Magnus lift.
    pub magnus_lift: T,
    /// Added mass by axis.
    pub mass: Vec3<T>,
    /// Added inertia by axis.
    pub inertia: Vec3<T>,
    /// Viscous drag of rotation.
    pub visc_torque_coef: T,
    /// Viscous drag of translation.
    pub visc_force_coef: T,
}

/// Flow direction around an ellipsoid.
#[derive(Clone, Copy, Debug)]
pub struct Flow<T> {
    /// Speed.
    pub speed: T,
    /// Unit velocity.
    pub along: Vec3<T>,
    /// Surface normal at the stagnation point, not of unit length.
    pub normal: Vec3<T>,
    /// Scalar product of normal and unit velocity.
    pub alpha: T,
    /// Squared norm of the normal.
    pub beta: T,
}

/// Ellipsoid of a geom with its fluid coefficients.
pub fn ellipsoid_of<T: Real>(m: &Model<T>, g: usize) -> Ellipsoid<T> {
    let Vec3([a, b, c]) = semi_axes(m, g);
    let c0 = &m.geom_fluid[12 * g..12 * g + 12];
    let (density, viscosity) = (m.opt_density[0].max(T::ZERO), m.opt_viscosity[0].max(T::ZERO));
    let pi = T::of(std::f64::consts::PI);
    let most = a.max(b).max(c);
    let middle = a + b + c - most - a.min(b).min(c);
    let [x, y, z] = [a, b, c].map(|s| s / most.max(T::MINVAL));
    let square = |s: T| s * s;
    // moments of drag about each axis, and the largest
    let fourth = |s: T| square(square(s));
    let unit = T::of(8.0 / 15.0) * pi * density;
    let about = Vec3([a * fourth(b.max(c)), b * fourth(c.max(a)), c * fourth(a.max(b))]);
    let greatest = middle * fourth(most);
    let diameter = T::of(2.0 / 3.0) * (a + b + c);
    Ellipsoid {
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

impl<T: Real> Ellipsoid<T> {
    /// Flow for a relative velocity `v`.
    pub fn flow_around(&self, v: Vec3<T>) -> Flow<T> {
        let speed = length(v);
        let along = if speed > T::MINVAL { v * (T::ONE / speed) } else { Vec3::ZERO };
        let normal = self.squares * along;
        Flow { speed, along, normal, alpha: dot(normal, along), beta: dot(normal, normal) }
    }

    /// Projected area along the flow, and the scale of Kutta lift.
    pub fn flow_areas(&self, flow: &Flow<T>) -> (T, T) {
        if flow.alpha <= T::ZERO || flow.beta <= T::ZERO {
            return (T::ZERO, T::ZERO);
        }
        let ratio = (flow.beta / flow.alpha).sqrt();
        (self.sphere_area * ratio, self.kutta_lift * self.sphere_area / ratio)
    }

    /// Wrench on the ellipsoid, in its frame.
    fn wrench(&self, w: Vec3<T>, v: Vec3<T>) -> Spatial<T> {
        // added mass
        let (momentum, spin) = (self.mass * v, self.inertia * w);
        let mut torque = cross(momentum, v) + cross(spin, w);
        let mut force = cross(momentum, w);
        // Magnus and Kutta lift
        let flow = self.flow_around(v);
        let (area, camber) = self.flow_areas(&flow);
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

/// Semi-axes of the ellipsoid equivalent to a geom.
fn semi_axes<T: Real>(m: &Model<T>, g: usize) -> Vec3<T> {
    let size = vec3(&m.geom_size, g);
    match m.geom_type[g] {
        geom::SPHERE => Vec3([size[0]; 3]),
        geom::CAPSULE => Vec3([size[0], size[0], size[0] + size[1]]),
        geom::CYLINDER => Vec3([size[0], size[0], size[1]]),
        _ => size,
    }
}
