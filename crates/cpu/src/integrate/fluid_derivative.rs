//! Derivatives of the fluid forces with respect to the body's velocity, see [`crate::smooth::fluid`].

use crate::math::{Mat3, Spatial, Vec3, diagonal, length, mat3, outer, set_mat3, skew, transpose, vec3};
use crate::smooth::fluid::{Ellipsoid, FluidFrame, InertiaBox, geoms_of, has_ellipsoids, has_fluid_force};
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

    /// Entry `i` of an array of derivatives.
    pub fn get(a: &[T], i: usize) -> Self {
        Self { ww: mat3(a, 4 * i), wv: mat3(a, 4 * i + 1), vw: mat3(a, 4 * i + 2), vv: mat3(a, 4 * i + 3) }
    }

    /// Writes entry `i` of an array of derivatives.
    pub fn put(&self, a: &mut [T], i: usize) {
        for (k, block) in [self.ww, self.wv, self.vw, self.vv].into_iter().enumerate() {
            set_mat3(a, 4 * i + k, block);
        }
    }

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

    /// The derivative moved from a local frame to the tree's centre of mass.
    fn about_root(&self, frame: &FluidFrame<T>) -> Self {
        let turn = |b: Mat3<T>| frame.axes * b * transpose(frame.axes);
        let (ww, wv, vw, vv) = (turn(self.ww), turn(self.wv), turn(self.vw), turn(self.vv));
        // rotation moves the frame's origin, and a force there makes a torque about the centre of mass
        let arm = skew(frame.offset);
        let vw = vw - vv * arm;
        let ww = ww - wv * arm;
        Self { ww: ww + arm * vw, wv: wv + arm * vv, vw, vv }
    }
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
                sum = sum.add_scaled(
                    ForceDerivative::get(&d.fluid_force_derivative, m.child_body[c] as usize),
                    T::ONE,
                );
            }
            sum.put(&mut d.fluid_force_derivative, body);
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
        let frame = FluidFrame::new(m, d, body, vec3(&d.xipos, body), mat3(&d.ximat, body));
        return InertiaBox::new(m, body)
            .force_derivative(m, frame.ang_vel, frame.velocity)
            .about_root(&frame);
    }
    for g in geoms_of(m, body).filter(|&g| m.geom_fluid[12 * g] > T::ZERO) {
        let frame = FluidFrame::new(m, d, body, vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g));
        let force_derivative = Ellipsoid::new(m, g).force_derivative(frame.ang_vel, frame.velocity);
        sum = sum.add_scaled(force_derivative.about_root(&frame), m.geom_fluid[12 * g]);
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
    /// Derivative of the force on the ellipsoid, in its frame.
    fn force_derivative(&self, w: Vec3<T>, v: Vec3<T>) -> ForceDerivative<T> {
        let (one, identity) = (T::ONE, Mat3::IDENTITY);
        // added mass and Magnus lift
        let (momentum, spin) = (skew(self.mass * v), skew(self.inertia * w));
        let mut ww = spin - skew(w) * diagonal(self.inertia);
        let wv = momentum - skew(v) * diagonal(self.mass);
        let vw = momentum - skew(v) * self.magnus_lift;
        let mut vv = skew(w) * diagonal(self.mass.map(|x| self.magnus_lift - x));
        // rotational drag
        let moment = self.angular_drag * w;
        let strength = length(moment);
        ww -= identity * (self.visc_torque_coef + strength);
        if strength > T::MINVAL {
            ww -= outer(w, self.angular_drag * moment) * (one / strength);
        }
        vv -= identity * self.visc_force_coef;
        let flow = self.flow(v);
        let (area, camber) = self.areas(&flow);
        if area > T::ZERO {
            // Kutta lift: a ratio of forms in the velocity
            let (along, normal) = (flow.along, flow.normal);
            let bend = normal * (one / flow.alpha) - self.squares * normal * (one / flow.beta);
            let turned = along * flow.alpha - normal;
            let two = T::of(2.0);
            let mut lift = identity * flow.alpha;
            lift -= diagonal(self.squares);
            lift += outer(along, normal) * two;
            lift -= outer(normal, along) * two;
            lift += outer(turned, bend - along);
            vv += lift * (camber * flow.speed);
            // drag: with respect to the velocity, and to the projected area
            let fast = flow.speed * (self.blunt_drag * area + self.slender_drag * (self.area_max - area));
            vv -= (identity + outer(along, along)) * fast;
            let change = flow.speed * (self.blunt_drag - self.slender_drag) * area;
            vv += outer(along, bend) * change;
        }
        ForceDerivative { ww, wv, vw, vv }
    }
}
