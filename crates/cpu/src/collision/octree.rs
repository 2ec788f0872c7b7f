//! Signed distance of a mesh by its octree: trilinear in each leaf, made when the model was compiled.

use crate::math::graded::{Number, Plain};
use crate::math::{Vec3, length, vec3};
use manyworlds_model::model::Model;
use manyworlds_model::real::Real;

/// How far inside the wall of the root a point outside takes its value, and the step of differences there, m.
const STEP: f64 = 1e-6;

/// Bits of a coordinate in the root; no octree is deeper.
const BITS: usize = 20;

/// The octree of a mesh: its cells from the root on.
#[derive(Clone, Copy, Debug)]
pub struct Octree<'a, T> {
    /// Centre and half sizes of cells, m.
    aabb: &'a [T],
    /// Children of cells.
    child: &'a [i32],
    /// Values at corners of cells, m.
    coeff: &'a [T],
}

impl<'a, T: Real> Octree<'a, T> {
    /// The octree of a mesh; none if it has none.
    pub fn of_mesh(m: &'a Model<T>, mesh: usize) -> Option<Self> {
        let root = usize::try_from(m.mesh_octadr[mesh]).ok()?;
        Some(Self {
            aabb: &m.oct_aabb[6 * root..],
            child: &m.oct_child[8 * root..],
            coeff: &m.oct_coeff[8 * root..],
        })
    }

    /// Signed distance at a point in the frame of the mesh. Outside of the root it is the distance from the root added to
    /// the value just inside its wall, and the gradient is by forward differences, as the reference has it.
    #[inline(always)]
    pub fn octree_distance<N: Number<T>>(&self, p: Vec3<T>) -> N {
        let (centre, half) = self.cell(0);
        let off = p - centre;
        if off[0].abs() <= half[0] && off[1].abs() <= half[1] && off[2].abs() <= half[2] {
            return self.value_inside(p);
        }
        let value = self.value_outside(p);
        let step = T::of(STEP).max(T::of(64.0) * T::EPSILON);
        let rise = |k: usize| (self.value_outside(p + Vec3::unit(k) * step) - value) / step;
        N::known(value, || Vec3::from_fn(rise))
    }

    /// Centre and half size of a cell.
    #[inline(always)]
    fn cell(&self, cell: usize) -> (Vec3<T>, Vec3<T>) {
        (vec3(self.aabb, 2 * cell), vec3(self.aabb, 2 * cell + 1))
    }

    /// Value at a point that may be outside of the root.
    fn value_outside(&self, p: Vec3<T>) -> T {
        let (centre, half) = self.cell(0);
        let (mut away, mut inner) = (Vec3::ZERO, p);
        for k in 0..3 {
            let off = p[k] - centre[k];
            let wall = off.max(-half[k]).min(half[k]);
            away[k] = off - wall;
            // along the axes that are outside
            if off != wall {
                let inwards = if off < T::ZERO { T::of(STEP) } else { T::of(-STEP) };
                inner[k] = centre[k] + (wall + inwards);
            }
        }
        length(away) + self.value_inside::<Plain<T>>(inner).value()
    }

    /// Value in the leaf around a point inside the root.
    #[inline(always)]
    fn value_inside<N: Number<T>>(&self, p: Vec3<T>) -> N {
        let (one, two) = (T::ONE, T::of(2.0));
        let cell = self.leaf(p);
        let (centre, half) = self.cell(cell);
        let [x, y, z] = ((p - centre + half) / (half * two)).0;
        let Some(&[c0, c1, c2, c3, c4, c5, c6, c7]) = self.coeff[8 * cell..].first_chunk() else {
            return N::constant(T::ZERO);
        };
        // the interpolation, axis by axis, with its slope along each
        let mix = |a: T, b: T, t: T| a * (one - t) + b * t;
        let along_x = [mix(c0, c1, x), mix(c2, c3, x), mix(c4, c5, x), mix(c6, c7, x)];
        let along_y = [mix(along_x[0], along_x[1], y), mix(along_x[2], along_x[3], y)];
        let slope = || {
            let slope_x = [c1 - c0, c3 - c2, c5 - c4, c7 - c6];
            let slope = Vec3([
                mix(mix(slope_x[0], slope_x[1], y), mix(slope_x[2], slope_x[3], y), z),
                mix(along_x[1] - along_x[0], along_x[3] - along_x[2], z),
                along_y[1] - along_y[0],
            ]);
            slope / (half * two)
        };
        N::known(mix(along_y[0], along_y[1], z), slope)
    }

    /// Centre and half size of the root, beyond which no point is inside; none of a surface that is not closed around it.
    pub fn root(&self) -> Option<(Vec3<T>, Vec3<T>)> {
        self.coeff[..8].iter().all(|value| *value > T::ZERO).then(|| self.cell(0))
    }

    /// The leaf around a point inside the root.
    fn leaf(&self, p: Vec3<T>) -> usize {
        self.leaf_of_bits(p).unwrap_or_else(|| self.leaf_of_cells(p))
    }

    /// The leaf around a point, by the bits of its coordinates in the root; none near walls of the finest cells, where
    /// rounding decides, and in single precision.
    fn leaf_of_bits(&self, p: Vec3<T>) -> Option<usize> {
        let (centre, half) = self.cell(0);
        let count = T::of((1_u32 << BITS) as f64);
        let mut bits = [0_u32; 3];
        for k in 0..3 {
            let at = (p[k] - centre[k] + half[k]) / (half[k] * T::of(2.0)) * count;
            let rounding = T::of(16.0) * T::EPSILON * count * (T::ONE + centre[k].abs() / half[k]);
            bits[k] = (at - rounding).f64() as u32;
            if bits[k] != (at + rounding).f64() as u32 || bits[k] >> BITS > 0 {
                return None;
            }
        }
        let mut cell = 0;
        for level in (0..BITS).rev() {
            let upper = |k: usize| (bits[k] as usize >> level & 1) << k;
            match usize::try_from(self.child[8 * cell + (upper(0) | upper(1) | upper(2))]) {
                Ok(child) => cell = child,
                Err(_) => return Some(cell),
            }
        }
        None
    }

    /// The leaf around a point, cell by cell.
    fn leaf_of_cells(&self, p: Vec3<T>) -> usize {
        let mut cell = 0;
        loop {
            // in the upper half is where (p - centre + half) / (2 half) is not below one half, to the bit
            let (centre, half) = self.cell(cell);
            let upper = |k: usize| usize::from(p[k] - centre[k] + half[k] >= half[k]) << k;
            match usize::try_from(self.child[8 * cell + (upper(0) | upper(1) | upper(2))]) {
                Ok(child) => cell = child,
                Err(_) => return cell,
            }
        }
    }
}
