//! Boxes, cylinders and ellipsoids: projected points on the faces of a box. Sheets are open at the top.

use std::ops::Range;

use glam::DVec3;

use super::{Comp, FlexcompShape};

/// Faces in order: normal axis, true for the far face, and the two tangential axes.
const SIDES: [(usize, bool, [usize; 2]); 6] = [
    (2, false, [0, 1]),
    (2, true, [0, 1]),
    (1, false, [0, 2]),
    (1, true, [0, 2]),
    (0, false, [1, 2]),
    (0, true, [1, 2]),
];

impl Comp<'_> {
    /// Generates points and elements; the first point of solids is the centre.
    pub(super) fn surface(&mut self) -> Option<()> {
        let count = self.count;
        if count.contains(&1) {
            let message = format!("count {} {} {} makes no {}", count[0], count[1], count[2], self.word());
            self.el.wrong("count", message, "at least 2 along each axis");
            return None;
        }
        let textured = self.needs_texture();
        if self.flex.dim == 3 {
            self.points.push(DVec3::ZERO);
        }
        if textured {
            self.flex.texcoord.extend([0.0, 0.0]);
        }
        let open = self.flex.dim == 2;
        for side in sides(count, open) {
            for i in side.range[0].clone() {
                for j in side.range[1].clone() {
                    let mut at = [0; 3];
                    at[side.axis] = if side.far { count[side.axis] - 1 } else { 0 };
                    (at[side.along[0]], at[side.along[1]]) = (i, j);
                    let point = self.project(at);
                    self.points.push(point);
                    if textured {
                        self.texture(side.along, at);
                    }
                }
            }
        }
        for side in sides(count, open) {
            self.side(&side);
        }
        Some(())
    }

    /// Elements of a face: two triangles per square.
    fn side(&mut self, side: &BoxFace) {
        let &BoxFace { axis, far, along, .. } = side;
        let (count, solid, open) = (self.count, self.flex.dim == 3, self.flex.dim == 2);
        let first = i32::from(solid);
        let id = |i: usize, j: usize| {
            let mut at = [0; 3];
            at[axis] = if far { count[axis] - 1 } else { 0 };
            (at[along[0]], at[along[1]]) = (i, j);
            first + index(at, count, open)
        };
        for i in 0..count[along[0]] - 1 {
            for j in 0..count[along[1]] - 1 {
                let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
                if solid {
                    self.flex.elem.extend([0, a, b, c, 0, a, d, c]);
                    continue;
                }
                // corners are counterclockwise seen from outside
                self.flex.elem.extend(match (axis, far) {
                    (2, false) => [a, c, b, a, d, c],
                    (2, true) | (1, false) | (0, true) => [a, b, c, a, c, d],
                    _ => [b, a, d, b, d, c],
                });
            }
        }
    }

    /// Projects a grid point of the box.
    fn project(&self, at: [usize; 3]) -> DVec3 {
        let last: [f64; 3] = std::array::from_fn(|k| self.count[k] as f64 - 1.0);
        let mut unit = DVec3::from_array(std::array::from_fn(|k| 2.0 * at[k] as f64 / last[k] - 1.0));
        let size = 0.5 * self.spacing * DVec3::from_array(last);
        match self.shape {
            FlexcompShape::Cylinder => {
                let flat = unit.truncate();
                let reach = flat.abs().max_element();
                let round = flat.normalize_or_zero() * reach;
                unit = round.extend(unit.z);
            }
            FlexcompShape::Ellipsoid => unit = unit.normalize(),
            _ => {}
        }
        unit * size
    }
}

/// A face, and its range along the tangential axes without edges owned by earlier faces.
struct BoxFace {
    axis: usize,
    far: bool,
    along: [usize; 2],
    range: [Range<usize>; 2],
}

/// Faces of a box, in order; an open one has no top face.
fn sides(count: [usize; 3], open: bool) -> impl Iterator<Item = BoxFace> {
    let here = SIDES.into_iter().filter(move |s| !(open && s.0 == 2 && s.1));
    here.map(move |(axis, far, along)| {
        // an edge belongs to its first face: across z, then y, then x
        let range = along.map(|a| {
            let last = if a == 2 && open { count[a] } else { count[a] - 1 };
            if a > axis { 1..last } else { 0..count[a] }
        });
        BoxFace { axis, far, along, range }
    })
}

/// Index of a grid point on the box, in face order.
fn index(at: [usize; 3], count: [usize; 3], open: bool) -> i32 {
    let mut before = 0;
    for BoxFace { axis, far, along, range } in sides(count, open) {
        let here = at[axis] == if far { count[axis] - 1 } else { 0 };
        if here && (0..2).all(|k| range[k].contains(&at[along[k]])) {
            let [i, j] = [0, 1].map(|k| at[along[k]] - range[k].start);
            return (before + i * range[1].len() + j) as i32;
        }
        before += range[0].len() * range[1].len();
    }
    0
}
