//! Derivatives of the fluid forces with respect to the body's velocity, see [`crate::smooth::fluid`].

use crate::math::{Mat3, Spatial, Vec3, diagonal, length, mat3, outer, set_mat3, skew, transpose, vec3};
use crate::smooth::fluid::{
    Ellipsoid, Flow, FluidFrame, InertiaBox, ellipsoid_of, frame_at, geoms_of, has_ellipsoids,
    has_fluid_force, inertia_box_of,
};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;

/// Derivative of a wrench with respect to angular and linear velocity.
#[derive(Clone, Copy, Debug)]
pub struct ForceDerivative<T> {
    /// Of the torque with respect to the angular velocity.
    pub ww: Mat3<T>,
    /// Of the torque with respect to the linear velocity.
    pub wv: Mat3<T>,
    /// Of the force with respect to the angular velocity.
    pub vw: Mat3<T>,
    /// Of the force with respect to the linear velocity.
    pub vv: Mat3<T>,
}

impl<T: Real> ForceDerivative<T> {
    /// The zero derivative.
    pub const NONE: Self = Self { ww: Mat3::ZERO, wv: Mat3::ZERO, vw: Mat3::ZERO, vv: Mat3::ZERO };

    /// `self + b * s`.
    pub fn add_scaled(&self, b: Self, s: T) -> Self {
        Self {
            ww: self.ww + b.ww * s,
            wv: self.wv + b.wv * s,
            vw: self.vw + b.vw * s,
            vv: self.vv + b.vv * s,
        }
    }

    /// Transpose, as a 6 x 6 matrix.
    pub fn transposed(&self) -> Self {
        Self {
            ww: transpose(self.ww),
            wv: transpose(self.vw),
            vw: transpose(self.wv),
            vv: transpose(self.vv),
        }
    }

    /// Symmetric part.
    pub fn symmetric(&self) -> Self {
        let half = T::of(0.5);
        Self::NONE.add_scaled(*self, half).add_scaled(self.transposed(), half)
    }

    /// Product with a spatial velocity.
    pub fn mul(&self, v: Spatial<T>) -> Spatial<T> {
        Spatial::new(self.ww * v.ang + self.wv * v.lin, self.vw * v.ang + self.vv * v.lin)
    }
}

/// Derivative of a subtree's fluid force.
pub(super) fn subtree_force_derivative<T: Real>(d: &Data<T>, body: usize) -> ForceDerivative<T> {
    let block = |k: usize| mat3(&d.fluid_force_derivative, 4 * body + k);
    ForceDerivative { ww: block(0), wv: block(1), vw: block(2), vv: block(3) }
}

/// Writes the derivative of a subtree's fluid force.
fn set_subtree_force_derivative<T: Real>(d: &mut Data<T>, body: usize, a: ForceDerivative<T>) {
    for (k, block) in [a.ww, a.wv, a.vw, a.vv].into_iter().enumerate() {
        set_mat3(&mut d.fluid_force_derivative, 4 * body + k, block);
    }
}

/// Moves a derivative from a local frame to the tree's centre of mass.
fn about_root<T: Real>(frame: &FluidFrame<T>, a: ForceDerivative<T>) -> ForceDerivative<T> {
    let turn = |b: Mat3<T>| frame.axes * b * transpose(frame.axes);
    let (ww, wv, vw, vv) = (turn(a.ww), turn(a.wv), turn(a.vw), turn(a.vv));
    // rotation moves the frame's origin, and a force there makes a torque about the centre of mass
    let arm = skew(frame.offset);
    let vw = vw - vv * arm;
    let ww = ww - wv * arm;
    ForceDerivative { ww: ww + arm * vw, wv: wv + arm * vv, vw, vv }
}

/// Derivatives of each subtree's fluid force with respect to its velocity, about the tree's centre of mass.
pub fn fluid_force_derivatives<T: Real>(m: &Model<T>, d: &mut Data<T>) {
    // leaves first
    for level in (0..m.sizes.nlevel).rev() {
        let adr = m.level_adr[level] as usize;
        for k in adr..adr + m.level_num[level] as usize {
            let body = m.level_body[k] as usize;
            let mut sum = body_force_derivative(m, d, body);
            let child = m.body_childadr[body] as usize;
            for c in child..child + m.body_childnum[body] as usize {
                sum = sum.add_scaled(subtree_force_derivative(d, m.child_body[c] as usize), T::ONE);
            }
            set_subtree_force_derivative(d, body, sum);
        }
    }
}

/// Derivative of the fluid force on one body.
fn body_force_derivative<T: Real>(m: &Model<T>, d: &Data<T>, body: usize) -> ForceDerivative<T> {
    let mut sum = ForceDerivative::NONE;
    if !has_fluid_force(m, body) {
        return sum;
    }
    if !has_ellipsoids(m, body) {
        let frame = frame_at(m, d, body, vec3(&d.xipos, body), mat3(&d.ximat, body));
        let a = inertia_box_of(m, body).force_derivative(m, frame.ang_vel, frame.velocity);
        return about_root(&frame, a);
    }
    for g in geoms_of(m, body).filter(|&g| m.geom_fluid[12 * g] > T::ZERO) {
        let frame = frame_at(m, d, body, vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g));
        let ellipsoid = ellipsoid_of(m, g);
        let mut force_derivative = ellipsoid.drag_derivative(frame.ang_vel, frame.velocity);
        // the metric of `discrete` has drag alone
        if !m.is_discrete() {
            let lift = ellipsoid.lift_derivative(frame.ang_vel, frame.velocity);
            force_derivative = force_derivative.add_scaled(lift, T::ONE);
        }
        sum = sum.add_scaled(about_root(&frame, force_derivative), m.geom_fluid[12 * g]);
    }
    sum
}

impl<T: Real> InertiaBox<T> {
    /// Derivative of the force on the box, in its frame.
    fn force_derivative(&self, m: &Model<T>, w: Vec3<T>, v: Vec3<T>) -> ForceDerivative<T> {
        let ((visc_w, visc_v), (drag_w, drag_v)) = (self.viscous(m), self.inertial(m));
        let two = T::of(2.0);
        let drag = |slow: T, fast: T, x: T| -(slow + two * fast * x.abs());
        ForceDerivative {
            ww: diagonal(Vec3::from_fn(|k| drag(visc_w, drag_w[k], w[k]))),
            vv: diagonal(Vec3::from_fn(|k| drag(visc_v, drag_v[k], v[k]))),
            ..ForceDerivative::NONE
        }
    }
}

impl<T: Real> Ellipsoid<T> {
    /// Derivative of drag on the ellipsoid, in its frame.
    fn drag_derivative(&self, w: Vec3<T>, v: Vec3<T>) -> ForceDerivative<T> {
        let (one, identity) = (T::ONE, Mat3::IDENTITY);
        // of rotation
        let moment = self.angular_drag * w;
        let strength = length(moment);
        let mut ww = identity * -(self.visc_torque_coef + strength);
        if strength > T::MINVAL {
            ww -= outer(w, self.angular_drag * moment) * (one / strength);
        }
        // of translation: with respect to the velocity, and to the projected area
        let mut vv = identity * -self.visc_force_coef;
        let flow = self.flow_around(v);
        let (area, _) = self.flow_areas(&flow);
        if area > T::ZERO {
            let along = flow.along;
            let fast = flow.speed * (self.blunt_drag * area + self.slender_drag * (self.area_max - area));
            vv -= (identity + outer(along, along)) * fast;
            let change = flow.speed * (self.blunt_drag - self.slender_drag) * area;
            vv += outer(along, self.area_derivative(&flow)) * change;
        }
        ForceDerivative { ww, vv, ..ForceDerivative::NONE }
    }

    /// Derivative of added mass, Magnus lift and Kutta lift on the ellipsoid, in its frame.
    fn lift_derivative(&self, w: Vec3<T>, v: Vec3<T>) -> ForceDerivative<T> {
        // added mass and Magnus lift
        let (momentum, spin) = (skew(self.mass * v), skew(self.inertia * w));
        let ww = spin - skew(w) * diagonal(self.inertia);
        let wv = momentum - skew(v) * diagonal(self.mass);
        let vw = momentum - skew(v) * self.magnus_lift;
        let mut vv = skew(w) * diagonal(self.mass.map(|x| self.magnus_lift - x));
        // Kutta lift: a ratio of forms in the velocity
        let flow = self.flow_around(v);
        let (area, camber) = self.flow_areas(&flow);
        if area > T::ZERO {
            let (along, normal) = (flow.along, flow.normal);
            let turned = along * flow.alpha - normal;
            let two = T::of(2.0);
            let mut lift = Mat3::IDENTITY * flow.alpha;
            lift -= diagonal(self.squares);
            lift += outer(along, normal) * two;
            lift -= outer(normal, along) * two;
            lift += outer(turned, self.area_derivative(&flow) - along);
            vv += lift * (camber * flow.speed);
        }
        ForceDerivative { ww, wv, vw, vv }
    }

    /// Relative change of the area that the flow sees by the direction of the flow.
    fn area_derivative(&self, flow: &Flow<T>) -> Vec3<T> {
        flow.normal * (T::ONE / flow.alpha) - self.squares * flow.normal * (T::ONE / flow.beta)
    }
}
