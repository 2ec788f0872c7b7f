//! A geom as a signed distance field in its own frame.

use super::field_formula::FormulaField;
use super::octree::Octree;
use super::signed_distance::{Formula, primitive_distance};
use crate::math::graded::{Graded, Number, Plain};
use crate::math::{Vec3, dot, length, normalize3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::features::field_plugin;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::{geom, plugin};

use super::ray_shape::Hit;

/// The field of a geom: what its signed distance comes from.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a, T> {
    /// Its type and size.
    Shape(i32, Vec3<T>),
    /// A plugin instance.
    Plugin(Formula<T>),
    /// A formula of the model's own.
    Formula(FormulaField<'a, T>),
    /// The octree of a mesh.
    Octree(Octree<'a, T>),
}

impl<'a, T: Real> Field<'a, T> {
    /// The field of a primitive, or of a geom of type sdf; none of other geoms.
    pub fn of_geom(m: &'a Model<T>, g: usize) -> Option<Self> {
        match m.geom_type[g] {
            geom::SDF => match field_plugin(m, g) {
                Some(id) if m.plugin[id] == plugin::FORMULA => {
                    FormulaField::of_plugin(m, id).map(Self::Formula)
                }
                Some(id) => Some(Self::Plugin(Formula::of_plugin(m, id))),
                None => Self::of_mesh(m, g),
            },
            geom::MESH | geom::HFIELD => None,
            kind => Some(Self::Shape(kind, vec3(&m.geom_size, g))),
        }
    }

    /// The same, and the octree of a geom of type mesh whose mesh has one: what tactile sensors feel.
    pub fn of_solid(m: &'a Model<T>, g: usize) -> Option<Self> {
        if m.geom_type[g] == geom::MESH { Self::of_mesh(m, g) } else { Self::of_geom(m, g) }
    }

    /// The octree of the mesh of a geom.
    fn of_mesh(m: &'a Model<T>, g: usize) -> Option<Self> {
        let mesh = usize::try_from(m.geom_dataid[g]).ok()?;
        Octree::of_mesh(m, mesh).map(Self::Octree)
    }

    /// Signed distance at a point in the geom's frame, with its gradient.
    pub fn at(&self, p: Vec3<T>) -> Graded<T> {
        self.distance(p)
    }

    /// The value that [`Self::at`] has, to the bit, without the gradient.
    pub fn value(&self, p: Vec3<T>) -> T {
        self.distance::<Plain<T>>(p).value()
    }

    #[inline(always)]
    fn distance<N: Number<T>>(&self, p: Vec3<T>) -> N {
        match self {
            Self::Shape(kind, size) => primitive_distance(*kind, *size, p),
            Self::Plugin(formula) => formula.plugin_distance(p),
            Self::Formula(field) => field.distance(p),
            Self::Octree(octree) => octree.octree_distance(p),
        }
    }
}

/// Most steps of a ray.
const RAY_STEPS: usize = 40;

/// Distance from a surface at which a ray has hit it, m.
const RAY_HIT: f64 = 1e-7;

/// Share of a step in the one before it up to which the steps that are left are added up.
const STEADY: f64 = 0.9;

/// Hit of a ray on a field by sphere tracing (Hart, 1996), in the frame of the geom: each step is as long as the distance
/// from the surface, inside too. Near the surface each is the same share of the one before it.
pub fn ray_field<T: Real>(field: &Field<'_, T>, p: Vec3<T>, v: Vec3<T>) -> Option<Hit<T>> {
    let speed = length(v);
    if speed < T::MINVAL {
        return None;
    }
    let direction = v * (T::ONE / speed);
    let near = T::of(RAY_HIT).max(T::of(8.0) * T::EPSILON);
    let mut dist = T::ZERO;
    for _ in 0..RAY_STEPS {
        let here = p + direction * dist;
        let value = field.value(here);
        let step = value.abs();
        if step < near {
            let gradient = field.at(here).gradient;
            let side = if value < T::ZERO { -T::ONE } else { T::ONE };
            let share = (T::ONE + side * dot(direction, gradient)).abs();
            // all steps that are left
            let rest = if share < T::of(STEADY) { step / (T::ONE - share) } else { step };
            return Some(Hit { dist: (dist + rest) / speed, normal: normalize3(gradient) });
        }
        dist += step;
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::math::cross;
    use crate::math::random::Random;

    const FIELDS: &str = "<mujoco><extension><plugin plugin='mujoco.sdf.torus'><instance name='t'/></plugin></extension>
        <asset><mesh name='t'><plugin instance='t'/></mesh>
        <mesh name='cube' vertex='-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1'
        face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5'/></asset>
        <worldbody><geom type='sdf' mesh='t'><plugin instance='t'/></geom><geom type='sdf' mesh='cube'/>
        <geom type='mesh' mesh='cube'/></worldbody></mujoco>";

    #[test]
    fn rays_hit_where_the_field_is_zero() {
        let m = manyworlds_mjcf::load_str(FIELDS).unwrap();
        let torus = Field::of_geom(&m, 0).unwrap();
        assert!(Field::of_geom(&m, 2).is_none());
        let mut random = Random(3);
        let mut hits = 0;
        for _ in 0..10_000 {
            let (p, aim) = (random.vector() * 2.0, random.vector() * 0.5);
            let Some(hit) = ray_field(&torus, p, aim - p) else { continue };
            hits += 1;
            let at = torus.at(p + (aim - p) * hit.dist);
            // but where a ray grazes the surface
            let slope = -dot(at.gradient, aim - p) / length(aim - p);
            assert!(at.value.abs() < if slope > 0.11 { 1e-9 } else { 1e-7 }, "{at:?} {slope}");
            assert!(length(cross(at.gradient, hit.normal)) < 1e-5);
        }
        assert!(hits > 3000, "{hits}");
        // straight down on the tube; twice the direction is half the distance
        let down = ray_field(&torus, Vec3([0.35, 0.0, 1.0]), Vec3([0.0, 0.0, -2.0])).unwrap();
        assert!((down.dist - 0.425).abs() < 1e-7 && down.normal[2] > 0.999_999);
        assert!(ray_field(&torus, Vec3::Z, -Vec3::Z).is_none());
    }

    #[test]
    fn an_octree_is_near_the_distance_of_its_mesh() {
        let m = manyworlds_mjcf::load_str(FIELDS).unwrap();
        let field = Field::of_geom(&m, 1).unwrap();
        // cells at the surface are 0.22 / 64 wide: inside one, trilinear values are off by at most its diagonal
        let diagonal = 0.22 / 64.0 * 3.0_f64.sqrt();
        let mut random = Random(9);
        let mut worst: f64 = 0.0;
        for _ in 0..10_000 {
            let p = random.vector() * 0.15;
            let off = Vec3::from_fn(|k| p[k].abs() - 0.1);
            let outside = length(off.map(|x| x.max(0.0)));
            let exact = outside + off[0].max(off[1]).max(off[2]).min(0.0);
            if exact.abs() < 0.5 * diagonal {
                worst = worst.max((field.at(p).value - exact).abs());
            }
        }
        assert!(worst < diagonal, "{worst} {diagonal}");
    }
}
