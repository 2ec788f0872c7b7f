// Spatial algebra: motion and force vectors with the rotational part first (Featherstone, Rigid Body Dynamics
// Algorithms, chapter 2), about the centre of mass of the kinematic tree. Twin: crates/cpu/src/math/spatial.rs.

import package::math::matrix::mat_row;

struct Spatial {
    ang: vec3f,
    lin: vec3f,
}

// Rigid-body inertia about a point: tensor (xx, yy, zz) and (xy, xz, yz), mass times offset, mass.
struct Inertia {
    diag: vec3f,
    off: vec3f,
    moment: vec3f,
    mass: f32,
}

// The zero vector.
fn spatial_zero() -> Spatial {
    return Spatial(vec3f(0.0), vec3f(0.0));
}

// a + b
fn spatial_add(a: Spatial, b: Spatial) -> Spatial {
    return Spatial(a.ang + b.ang, a.lin + b.lin);
}

// a + s b
fn spatial_add_scaled(a: Spatial, b: Spatial, s: f32) -> Spatial {
    return Spatial(a.ang + s * b.ang, a.lin + s * b.lin);
}

// Scalar product of a motion and a force vector.
fn dot6(a: Spatial, b: Spatial) -> f32 {
    return dot(a.ang, b.ang) + dot(a.lin, b.lin);
}

// Rate of a motion vector m that moves with velocity v (crm).
fn motion_cross(v: Spatial, m: Spatial) -> Spatial {
    return Spatial(cross(v.ang, m.ang), cross(v.ang, m.lin) + cross(v.lin, m.ang));
}

// Rate of a force vector f that moves with velocity v (crf).
fn force_cross(v: Spatial, f: Spatial) -> Spatial {
    return Spatial(cross(v.ang, f.ang) + cross(v.lin, f.lin), cross(v.ang, f.lin));
}

// Sum of two inertias about the same point.
fn inertia_add(a: Inertia, b: Inertia) -> Inertia {
    return Inertia(a.diag + b.diag, a.off + b.off, a.moment + b.moment, a.mass + b.mass);
}

// An inertia about the centre of mass, seen from a point at -offset from it.
fn inertia_moved(central: Inertia, offset: vec3f) -> Inertia {
    let o = offset;
    let scaled = central.mass * o;
    let diag = central.diag + vec3f(o.y * scaled.y + o.z * scaled.z, o.x * scaled.x + o.z * scaled.z, o.x * scaled.x + o.y * scaled.y);
    let off = central.off - vec3f(o.x * scaled.y, o.x * scaled.z, o.y * scaled.z);
    return Inertia(diag, off, scaled, central.mass);
}

// Momentum of a body with inertia i and velocity v.
fn inertia_mul(i: Inertia, v: Spatial) -> Spatial {
    let turned = vec3f(
        i.diag.x * v.ang.x + i.off.x * v.ang.y + i.off.y * v.ang.z,
        i.off.x * v.ang.x + i.diag.y * v.ang.y + i.off.z * v.ang.z,
        i.off.y * v.ang.x + i.off.z * v.ang.y + i.diag.z * v.ang.z,
    );
    return Spatial(turned + cross(i.moment, v.lin), i.mass * v.lin - cross(i.moment, v.ang));
}

// Inertia about a point at -offset from the centre of mass, from principal moments, their axes and the mass.
fn inertia_about(moments: vec3f, axes: mat3x3f, offset: vec3f, mass: f32) -> Inertia {
    // axes diag(moments) axes'
    let r0 = mat_row(axes, 0u);
    let r1 = mat_row(axes, 1u);
    let r2 = mat_row(axes, 2u);
    let diag = vec3f(dot(r0 * moments, r0), dot(r1 * moments, r1), dot(r2 * moments, r2));
    let off = vec3f(dot(r0 * moments, r1), dot(r0 * moments, r2), dot(r1 * moments, r2));
    let o = offset;
    return Inertia(
        diag + mass * vec3f(o.y * o.y + o.z * o.z, o.x * o.x + o.z * o.z, o.x * o.x + o.y * o.y),
        off - mass * vec3f(o.x * o.y, o.x * o.z, o.y * o.z),
        mass * o,
        mass,
    );
}
