//! Questions about a world: Jacobians, velocities and accelerations of points and objects, momenta, rays, distances.
//!
//! They read a [`Data`] in which [`forward`](crate::cpu::forward) has run; [`Batch::world`](crate::batch::Batch::world)
//! gives one from either backend. All vectors are in global axes unless it is said otherwise.

use crate::cpu::collision::distance::geom_distance;
pub use crate::cpu::collision::ray::RayFilter;
use crate::cpu::collision::ray_shape::Hit as RayHit;
use crate::cpu::collision::{ray, ray_flex};
use crate::cpu::math::{Spatial, Vec3, cross, dot, vec3};
use crate::cpu::sensor::object_frames::{Frame, acceleration_of, frame_of, velocity_of};
use crate::cpu::smooth::jacobian::jac_column;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::model::data::Data;
use crate::model::unsupported::has_distance;
use crate::schema::enums::{geom, object, word};

/// Something that has a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// The inertial frame of a body: its centre of mass and principal axes.
    Body(usize),
    /// The frame of a body.
    BodyFrame(usize),
    /// A geom.
    Geom(usize),
    /// A site.
    Site(usize),
    /// A camera.
    Camera(usize),
}

/// How the degrees of freedom move a point, and how they turn the body that it is fixed to.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// Velocity of the point for each velocity, `[3, nv]` row-major.
    pub linear: Vec<f64>,
    /// Angular velocity for each velocity, `[3, nv]` row-major.
    pub angular: Vec<f64>,
}

/// A velocity or an acceleration of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Of its origin, in m/s or m/s².
    pub linear: [f64; 3],
    /// Of its axes, in rad/s or rad/s².
    pub angular: [f64; 3],
}

/// Momentum of a body with everything below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// Mass times velocity of the centre of mass, in kg m/s.
    pub linear: [f64; 3],
    /// About the centre of mass, in kg m²/s.
    pub angular: [f64; 3],
}

/// Where two geoms are nearest, or where they overlap, the points that touch after the shortest way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomDistance {
    /// Distance between the surfaces in metres, negative where they overlap.
    pub dist: f64,
    /// Unit normal, from the first to the second.
    pub normal: [f64; 3],
    /// Point of the first, in metres.
    pub from: [f64; 3],
    /// Point of the second, in metres.
    pub to: [f64; 3],
}

/// Where a ray meets a geom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance, in lengths of the direction.
    pub dist: f64,
    /// Outward unit normal.
    pub normal: [f64; 3],
}

/// Jacobian of a point, given in global coordinates, that a body carries.
///
/// # Errors
/// [`Error::Argument`] for a body that does not exist.
pub fn jacobian(model: &Model, data: &Data, body: usize, point: [f64; 3]) -> Result<Jacobian> {
    check_id("body", body, model.sizes.nbody)?;
    let nv = model.sizes.nv;
    let mut found = Jacobian { linear: vec![0.0; 3 * nv], angular: vec![0.0; 3 * nv] };
    for dof in 0..nv {
        let column = jac_column(model, data, dof, body, Vec3(point));
        for k in 0..3 {
            found.linear[k * nv + dof] = column.lin[k];
            found.angular[k * nv + dof] = column.ang[k];
        }
    }
    Ok(found)
}

/// Jacobian of the origin of an object.
///
/// # Errors
/// [`Error::Argument`] for an object that does not exist.
pub fn object_jacobian(model: &Model, data: &Data, of: Object) -> Result<Jacobian> {
    let frame = frame(model, data, of)?;
    jacobian(model, data, frame.body, frame.pos.0)
}

/// Velocity of an object, with `local` in its own axes.
///
/// # Errors
/// [`Error::Argument`] for an object that does not exist.
pub fn velocity(model: &Model, data: &Data, of: Object, local: bool) -> Result<Motion> {
    let frame = frame(model, data, of)?;
    Ok(in_frame(&frame, velocity_of(model, data, &frame), local))
}

/// Acceleration of an object as an accelerometer feels it, gravity included, with `local` in its own axes.
///
/// # Errors
/// [`Error::Argument`] for an object that does not exist.
pub fn acceleration(model: &Model, data: &Data, of: Object, local: bool) -> Result<Motion> {
    let frame = frame(model, data, of)?;
    Ok(in_frame(&frame, acceleration_of(model, data, &frame), local))
}

/// Momentum of a body with everything below it.
///
/// # Errors
/// [`Error::Argument`] for a body that does not exist.
pub fn momentum(model: &Model, data: &Data, body: usize) -> Result<Momentum> {
    check_id("body", body, model.sizes.nbody)?;
    let mass = model.body_subtreemass[body];
    let linear = vec3(&data.subtree_linvel, body) * mass;
    Ok(Momentum { linear: linear.0, angular: vec3(&data.subtree_angmom, body).0 })
}

/// Force in each degree of freedom of a force and a torque that act on a body at a point, in N and N m.
///
/// # Errors
/// [`Error::Argument`] for a body that does not exist.
pub fn generalized_force(
    model: &Model,
    data: &Data,
    body: usize,
    point: [f64; 3],
    force: [f64; 3],
    torque: [f64; 3],
) -> Result<Vec<f64>> {
    check_id("body", body, model.sizes.nbody)?;
    let of = |dof: usize| {
        let column = jac_column(model, data, dof, body, Vec3(point));
        dot(column.lin, Vec3(force)) + dot(column.ang, Vec3(torque))
    };
    Ok((0..model.sizes.nv).map(of).collect())
}

/// The symmetric matrix `[nv, nv]` whose lower triangle is stored like `M`: the inertia matrix, of `data.M`.
pub fn inertia_matrix(model: &Model, stored: &[f64]) -> Vec<f64> {
    let nv = model.sizes.nv;
    let mut dense = vec![0.0; nv * nv];
    for row in 0..nv {
        let adr = model.M_rowadr[row] as usize;
        for k in adr..adr + model.M_rownnz[row] as usize {
            let column = model.M_colind[k] as usize;
            dense[row * nv + column] = stored[k];
            dense[column * nv + row] = stored[k];
        }
    }
    dense
}

/// Signed distance of two geoms, in metres, with the points where they are nearest and the normal from the first to the
/// second; none where it is not below `distmax`, and of two planes. Where geoms overlap, the distance is minus the length of
/// the shortest way apart, and the points are where the surfaces touch after that.
///
/// ```
/// use manyworlds::{analysis::query, cpu};
/// let text = r#"<mujoco><worldbody><geom size="0.5"/><geom type="box" size="1 1 1" pos="0 0 3"/></worldbody></mujoco>"#;
/// let model = manyworlds::load_str(text)?;
/// let mut data = manyworlds::model::data::Data::new(&model, manyworlds::model::data::Capacity::NONE);
/// cpu::forward(&model, &mut data);
/// let gap = query::distance(&model, &data, 0, 1, 10.0)?.expect("nearer than ten metres");
/// assert_eq!((gap.dist, gap.from, gap.to), (1.5, [0.0, 0.0, 0.5], [0.0, 0.0, 2.0]));
/// assert_eq!(query::distance(&model, &data, 0, 1, 1.0)?, None);
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
///
/// # Errors
/// [`Error::Argument`] for a geom that does not exist, [`Error::Unsupported`] for types whose distance is not known.
pub fn distance(
    model: &Model,
    data: &Data,
    geom1: usize,
    geom2: usize,
    distmax: f64,
) -> Result<Option<GeomDistance>> {
    check_id("geom", geom1, model.sizes.ngeom)?;
    check_id("geom", geom2, model.sizes.ngeom)?;
    let (one, two) = (model.geom_type[geom1], model.geom_type[geom2]);
    if !has_distance((one.min(two), one.max(two))) {
        let (one, two) = (word(geom::WORDS, one), word(geom::WORDS, two));
        return Err(Error::Unsupported(format!(
            "distance of {one} and {two} (geom {geom1}, geom {geom2}) is not computed yet"
        )));
    }
    let found = geom_distance(model, data, geom1, geom2, distmax);
    let plain = |gap: crate::cpu::collision::convex::GeomDistance<f64>| GeomDistance {
        dist: gap.dist,
        normal: gap.normal.0,
        from: gap.from.0,
        to: gap.to.0,
    };
    Ok(found.map(plain))
}

/// The nearest geom that a ray from `point` along `direction` meets, and where. Geoms whose colour or material is fully
/// transparent are passed through.
pub fn ray(
    model: &Model,
    data: &Data,
    point: [f64; 3],
    direction: [f64; 3],
    filter: &RayFilter,
) -> Option<(usize, Hit)> {
    ray::ray(model, data, Vec3(point), Vec3(direction), filter).map(|(geom, hit)| (geom, plain_hit(hit)))
}

/// Where a ray meets one geom.
///
/// # Errors
/// [`Error::Argument`] for a geom that does not exist.
pub fn ray_geom(
    model: &Model,
    data: &Data,
    geom: usize,
    point: [f64; 3],
    direction: [f64; 3],
) -> Result<Option<Hit>> {
    check_id("geom", geom, model.sizes.ngeom)?;
    Ok(ray::ray_geom(model, data, geom, Vec3(point), Vec3(direction)).map(plain_hit))
}

/// Where a ray meets a flex: its lines, its triangles or its outer triangles, with the radius around them (MuJoCo's `mj_rayFlex`
/// adds the radius to edges and vertices only). Rays of sensors and [`ray()`] pass through flexes, as in MuJoCo.
///
/// # Errors
/// [`Error::Argument`] for a flex that does not exist.
pub fn ray_flex(
    model: &Model,
    data: &Data,
    flex: usize,
    point: [f64; 3],
    direction: [f64; 3],
) -> Result<Option<Hit>> {
    check_id("flex", flex, model.sizes.nflex)?;
    Ok(ray_flex::ray_flex(model, data, flex, Vec3(point), Vec3(direction)).map(plain_hit))
}

/// The body whose vertex or node is the nearest one of a flex to a point.
///
/// # Errors
/// [`Error::Argument`] for a flex that does not exist.
pub fn flex_body(model: &Model, data: &Data, flex: usize, point: [f64; 3]) -> Result<Option<usize>> {
    check_id("flex", flex, model.sizes.nflex)?;
    Ok(ray_flex::nearest_flex_body(model, data, flex, Vec3(point)))
}

fn plain_hit(hit: RayHit<f64>) -> Hit {
    Hit { dist: hit.dist, normal: hit.normal.0 }
}

/// Torque about one point of a force that acts at another, in N m.
pub fn moment(force: [f64; 3], at: [f64; 3], about: [f64; 3]) -> [f64; 3] {
    cross(Vec3(at) - Vec3(about), Vec3(force)).0
}

/// The frame of an object that exists.
fn frame(model: &Model, data: &Data, of: Object) -> Result<Frame<f64>> {
    let s = &model.sizes;
    let (word, kind, id, count) = match of {
        Object::Body(id) => ("body", object::BODY, id, s.nbody),
        Object::BodyFrame(id) => ("body", object::XBODY, id, s.nbody),
        Object::Geom(id) => ("geom", object::GEOM, id, s.ngeom),
        Object::Site(id) => ("site", object::SITE, id, s.nsite),
        Object::Camera(id) => ("camera", object::CAMERA, id, s.ncam),
    };
    check_id(word, id, count)?;
    Ok(frame_of(model, data, kind, id))
}

fn check_id(word: &str, id: usize, count: usize) -> Result<()> {
    if id < count {
        return Ok(());
    }
    Err(Error::Argument(format!("there is no {word} {id}: the model has {count}, from 0")))
}

/// A motion in global axes or in those of the frame.
fn in_frame(frame: &Frame<f64>, motion: Spatial<f64>, local: bool) -> Motion {
    let turned = |v: Vec3<f64>| if local { v * frame.mat } else { v };
    Motion { linear: turned(motion.lin).0, angular: turned(motion.ang).0 }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::cpu;
    use crate::model::data::Capacity;

    const ARM: &str = "<mujoco><option gravity='0 0 -10'/><worldbody><body name='base' pos='0 0 1'><freejoint/>
        <geom type='box' size='.3 .2 .1'/><body pos='.3 0 0'><joint axis='0 1 0'/>
        <geom type='capsule' fromto='0 0 0 .5 0 0' size='.05'/><site pos='.5 0 0' euler='10 20 30'/></body></body>
        </worldbody></mujoco>";

    fn moving() -> (Model, Data) {
        let model = crate::load_str(ARM).unwrap();
        let mut data = Data::new(&model, Capacity::NONE);
        let start = [0.1, 0.2, 1.3, 0.9, 0.1, -0.3, 0.2, 0.7];
        data.qpos.copy_from_slice(&start);
        data.qvel.copy_from_slice(&[0.4, -0.2, 0.3, 1.0, 0.5, -0.7, 2.0]);
        cpu::forward(&model, &mut data);
        (model, data)
    }

    fn times(matrix: &[f64], v: &[f64]) -> Vec<f64> {
        matrix.chunks(v.len()).map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect()
    }

    fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance)
    }

    #[test]
    fn jacobians_turn_velocities_into_velocities() {
        let (model, data) = moving();
        for of in [Object::Site(0), Object::Body(2), Object::BodyFrame(1), Object::Geom(1)] {
            let jacobian = object_jacobian(&model, &data, of).unwrap();
            let motion = velocity(&model, &data, of, false).unwrap();
            assert!(near(&times(&jacobian.linear, &data.qvel), &motion.linear, 1e-12), "{of:?}");
            assert!(near(&times(&jacobian.angular, &data.qvel), &motion.angular, 1e-12), "{of:?}");
        }
    }

    #[test]
    fn velocities_and_accelerations_are_rates() {
        let (model, data) = moving();
        let h = 1e-6;
        // states a little before and after, along the velocity and the acceleration
        let at = |h: f64| {
            let mut d = data.clone();
            for i in 0..7 {
                d.qvel[i] = data.qvel[i] + 0.5 * h * data.qacc[i];
            }
            cpu::integrate::advance::integrate_pos(&model, &mut d, h);
            for i in 0..7 {
                d.qvel[i] = data.qvel[i] + h * data.qacc[i];
            }
            cpu::forward(&model, &mut d);
            d
        };
        let (before, after) = (at(-h), at(h));
        let rate = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| (b - a) / (2.0 * h)).collect()
        };
        let speed = velocity(&model, &data, Object::Site(0), false).unwrap();
        assert!(near(&rate(&before.site_xpos, &after.site_xpos), &speed.linear, 1e-6));
        let of = |d: &Data| velocity(&model, d, Object::Site(0), false).unwrap();
        let felt = acceleration(&model, &data, Object::Site(0), false).unwrap();
        let mut linear = rate(&of(&before).linear, &of(&after).linear);
        // at rest on the ground one feels gravity upward
        linear[2] += 10.0;
        assert!(near(&linear, &felt.linear, 1e-5), "{linear:?} {felt:?}");
        assert!(near(&rate(&of(&before).angular, &of(&after).angular), &felt.angular, 1e-5));
        // local axes have the same lengths
        let own = velocity(&model, &data, Object::Site(0), true).unwrap();
        let square = |v: [f64; 3]| dot(Vec3(v), Vec3(v));
        assert!((square(own.linear) - square(speed.linear)).abs() < 1e-12);
    }

    #[test]
    fn momenta_and_forces_agree_with_the_inertia_matrix() {
        let (model, data) = moving();
        let inertia = inertia_matrix(&model, &data.M);
        // twice the kinetic energy, and the linear momentum as the force of the free joint's translations
        let product = times(&inertia, &data.qvel);
        let whole = momentum(&model, &data, 1).unwrap();
        assert!(near(&product[..3], &whole.linear, 1e-9));
        let point = vec3(&data.site_xpos, 0).0;
        let (force, torque) = ([1.0, -2.0, 0.5], [0.3, 0.1, -0.4]);
        let generalized = generalized_force(&model, &data, 2, point, force, torque).unwrap();
        let motion = velocity(&model, &data, Object::Site(0), false).unwrap();
        let power: f64 = generalized.iter().zip(&data.qvel).map(|(f, v)| f * v).sum();
        assert!(
            (power - dot(Vec3(force), Vec3(motion.linear)) - dot(Vec3(torque), Vec3(motion.angular))).abs()
                < 1e-12
        );
        // the same force at the centre of mass, with its moment
        let com = vec3(&data.xipos, 2).0;
        let moved = moment(force, point, com);
        let both = [0, 1, 2].map(|k| torque[k] + moved[k]);
        let other = generalized_force(&model, &data, 2, com, force, both).unwrap();
        assert!(near(&generalized, &other, 1e-12));
    }

    #[test]
    fn the_lower_triangle_fills_both() {
        let mut model = Model::zeroed(crate::schema::Sizes { nv: 2, nC: 3, ..Default::default() });
        model.M_rownnz = vec![1, 2];
        model.M_rowadr = vec![0, 1];
        model.M_colind = vec![0, 0, 1];
        assert_eq!(inertia_matrix(&model, &[4.0, 0.5, 3.0]), [4.0, 0.5, 0.5, 3.0]);
    }

    #[test]
    fn distances_are_signed_and_end_at_the_most_that_is_asked_for() {
        let (model, data) = moving();
        let there = distance(&model, &data, 0, 1, 9.0).unwrap().unwrap();
        let back = distance(&model, &data, 1, 0, 9.0).unwrap().unwrap();
        assert!(there.dist < 0.0 && there.dist == back.dist, "{there:?}");
        assert_eq!((there.from, there.to), (back.to, back.from));
        assert_eq!(distance(&model, &data, 0, 1, there.dist).unwrap(), None);
        // shapes that are not known are refused, also where they are far away
        let field = "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody>
            <geom size='.1'/><geom type='hfield' hfield='h' pos='9 9 9'/></worldbody></mujoco>";
        let model = crate::load_str(field).unwrap();
        let data = Data::new(&model, Capacity::NONE);
        let said = distance(&model, &data, 1, 0, 1.0).unwrap_err().to_string();
        assert!(said.contains("hfield and sphere"), "{said}");
        assert!(distance(&model, &data, 2, 0, 1.0).is_err());
    }

    #[test]
    fn rays_meet_the_rounded_surface_of_a_flex() {
        let rays = [
            ([0.01, 0.02, 2.0], [0.0, 0.0, -1.0]),
            ([0.5, 0.03, 1.01], [-1.0, 0.0, 0.0]),
            ([0.05, -0.6, 1.03], [0.0, 1.0, 0.02]),
            ([0.101, 0.02, 2.0], [0.0, 0.0, -2.0]),
            ([0.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
            ([0.3, 0.3, 1.3], [-1.0, -1.0, -1.0]),
            ([-0.105, 0.0, 0.0], [0.0, 0.0, 1.0]),
            ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
        ];
        let found = |comp: &str| -> Vec<f64> {
            let text = format!(
                "<mujoco><worldbody><flexcomp name='f' {comp} spacing='.1 .1 .1' radius='.02' pos='0 0 1' euler='10 20 30'
                    type='grid'/></worldbody></mujoco>"
            );
            let model = crate::load_str(&text).unwrap();
            let mut data = Data::new(&model, Capacity::NONE);
            cpu::forward(&model, &mut data);
            let hit = |&(point, direction)| ray_flex(&model, &data, 0, point, direction).unwrap();
            rays.iter().map(|ray| hit(ray).map_or(-1.0, |hit| hit.dist)).collect()
        };
        // mj_rayFlex of MuJoCo 3.17.0: edges of the line
        let line = [0.987049996960798, 0.462830147082858, -1.0, -1.0, 0.02, 0.284528817227778, -1.0, -1.0];
        // and the nearest of the edges of the sheet and of its faces, moved by the radius to both sides
        let sheet = [
            0.978557422404926,
            0.454268449223707,
            -1.0,
            0.506094831514736,
            0.02,
            0.281888336696560,
            1.017194542890873,
            -1.0,
        ];
        assert!(near(&found("dim='1' count='3 1 1'"), &line, 1e-12), "{:?}", found("dim='1' count='3 1 1'"));
        assert!(near(&found("dim='2' count='3 3 1'"), &sheet, 1e-12), "{:?}", found("dim='2' count='3 3 1'"));
        assert!(ray_flex(&moving().0, &moving().1, 0, [0.0; 3], [1.0; 3]).is_err());
    }

    #[test]
    fn what_does_not_exist_is_an_error() {
        let (model, data) = moving();
        let said = velocity(&model, &data, Object::Camera(0), false).unwrap_err().to_string();
        assert!(said.contains("no camera 0"), "{said}");
        assert!(jacobian(&model, &data, 3, [0.0; 3]).is_err());
    }
}
