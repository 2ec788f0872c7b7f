//! Ray casting: distance to the first surface hit, and the outward normal there.
//!
//! A convex shape is an intersection of slabs, cylinders and spheres, and the interval of a ray inside it is the
//! intersection of the intervals inside these (Kay and Kajiya, *Ray Tracing Complex Scenes*, 1986). Triangles are
//! intersected as in Möller and Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection*, 1997. Distances are in
//! units of the direction's length, which need not be one. Planes are hit from above only; a ray from inside a shape
//! hits its surface from inside.

use super::field::{Field, ray_field};
use super::ray_hfield::ray_hfield;
use super::ray_mesh::{BOUND_SLACK, ray_mesh};
use super::ray_shape::{FAR, Hit, ray_shape, sphere_interval};
use crate::math::{Vec3, mat3, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::model::data::Data;
use manyworlds_model::real::Real;
use manyworlds_model::schema::enums::geom;

/// The geoms that a ray can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RayFilter {
    /// Geom groups, `geom_group` 0 to 5; higher ones count as the last.
    pub groups: [bool; 6],
    /// Static geoms too.
    pub fixed: bool,
    /// Body whose geoms are ignored.
    pub exclude: Option<usize>,
}

impl Default for RayFilter {
    /// All geoms.
    fn default() -> Self {
        Self { groups: [true; 6], fixed: true, exclude: None }
    }
}

/// Nearest geom hit by a ray from `point` along `direction`, and the hit. Geoms whose colour or material is fully
/// transparent are ignored. Requires the computed poses of the geoms.
///
/// ```
/// # mod manyworlds { pub use manyworlds_cpu as cpu; pub use manyworlds_mjcf::*; pub use manyworlds_model::*; }
/// use manyworlds::cpu::{self, collision::ray::{self, RayFilter}, math::Vec3};
/// let text = r#"<mujoco><worldbody><geom type="sphere" size="0.5" pos="0 0 2"/></worldbody></mujoco>"#;
/// let model = manyworlds::load_str(text)?;
/// let mut data = manyworlds::model::data::Data::new(&model, manyworlds::model::data::Capacity::NONE);
/// cpu::forward(&model, &mut data);
/// let (geom, hit) = ray::ray(&model, &data, Vec3::ZERO, Vec3::Z, &RayFilter::default()).expect("a hit");
/// assert_eq!((geom, hit.dist, hit.normal), (0, 1.5, -Vec3::Z));
/// # Ok::<(), manyworlds::error::Error>(())
/// ```
pub fn ray<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    point: Vec3<T>,
    direction: Vec3<T>,
    filter: &RayFilter,
) -> Option<(usize, Hit<T>)> {
    let mut nearest: Option<(usize, Hit<T>)> = None;
    for g in 0..m.sizes.ngeom {
        let near = nearest.map_or(T::of(FAR), |(_, best)| best.dist);
        if passes(m, g, filter) || is_culled(m, d, g, point, direction, near) {
            continue;
        }
        let hit = ray_geom(m, d, g, point, direction);
        if let Some(hit) = hit
            && nearest.is_none_or(|(_, best)| hit.dist < best.dist)
        {
            nearest = Some((g, hit));
        }
    }
    nearest
}

/// True if a ray ignores a geom.
fn passes<T: Real>(m: &Model<T>, g: usize, filter: &RayFilter) -> bool {
    let body = m.geom_bodyid[g] as usize;
    let alpha = match usize::try_from(m.geom_matid[g]) {
        Ok(mat) => m.mat_rgba[4 * mat + 3],
        Err(_) => m.geom_rgba[4 * g + 3],
    };
    filter.exclude == Some(body)
        || alpha == T::ZERO
        || (!filter.fixed && m.body_weldid[body] == 0)
        || !filter.groups[m.geom_group[g].clamp(0, 5) as usize]
}

/// True if a ray misses the bounding sphere of a geom, or hits it beyond the nearest hit so far. Planes and height
/// fields have no usable sphere.
pub(crate) fn is_culled<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    g: usize,
    point: Vec3<T>,
    direction: Vec3<T>,
    near: T,
) -> bool {
    if matches!(m.geom_type[g], geom::PLANE | geom::HFIELD) {
        return false;
    }
    let bound = m.geom_rbound[g] * T::of(BOUND_SLACK);
    let interval = sphere_interval(point - vec3(&d.geom_xpos, g), direction, bound);
    interval.near > interval.far || interval.far < T::ZERO || interval.near > near
}

/// Hit on one geom.
pub fn ray_geom<T: Real>(
    m: &Model<T>,
    d: &Data<T>,
    g: usize,
    point: Vec3<T>,
    direction: Vec3<T>,
) -> Option<Hit<T>> {
    let (pos, mat) = (vec3(&d.geom_xpos, g), mat3(&d.geom_xmat, g));
    let p = (point - pos) * mat;
    let v = direction * mat;
    let hit = match m.geom_type[g] {
        geom::MESH => ray_mesh(m, m.geom_dataid[g], p, v),
        geom::HFIELD => ray_hfield(m, m.geom_dataid[g], p, v),
        geom::SDF => ray_field(&Field::of_geom(m, g)?, p, v),
        kind => ray_shape(kind, vec3(&m.geom_size, g), p, v),
    }?;
    Some(Hit { dist: hit.dist, normal: mat * hit.normal })
}
