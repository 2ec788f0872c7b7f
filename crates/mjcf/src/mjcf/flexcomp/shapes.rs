//! Points and elements of shapes generated from count and spacing.

use glam::{DVec2, DVec3};

use super::{Comp, FlexcompShape, MAX_POINTS};
use crate::mjcf::Reader;

/// Tetrahedra of a grid cell: corners counted around the bottom face, then around the top one.
const TETRAHEDRA: [[usize; 4]; 6] =
    [[0, 3, 1, 7], [0, 1, 4, 7], [1, 3, 2, 7], [1, 2, 6, 7], [1, 5, 4, 7], [1, 6, 5, 7]];

/// Coordinates closer to zero than this are on the axis.
const ON_AXIS: f64 = 1e-14;

impl Comp<'_> {
    /// Generates or reads points and elements.
    pub(super) fn layout(&mut self, reader: &Reader<'_>) -> Option<()> {
        match self.shape {
            FlexcompShape::Direct => Some(()),
            FlexcompShape::Mesh => self.mesh(reader),
            FlexcompShape::Gmsh => self.gmsh(reader),
            _ => self.lattice(),
        }
    }

    fn lattice(&mut self) -> Option<()> {
        if matches!(self.shape, FlexcompShape::Square | FlexcompShape::Disc) {
            self.flex.dim = 2;
        }
        let closed =
            matches!(self.shape, FlexcompShape::Box | FlexcompShape::Cylinder | FlexcompShape::Ellipsoid);
        let [nx, ny, nz] = self.count;
        // upper bound on generated points
        let points = match (closed, self.flex.dim) {
            (false, 1) => nx,
            (false, 2) => nx.saturating_mul(ny),
            (false, _) => nx.saturating_mul(ny).saturating_mul(nz),
            (true, _) => {
                let side = |a: usize, b: usize| a.saturating_mul(b).saturating_mul(2);
                side(nx, ny).saturating_add(side(nx, nz)).saturating_add(side(ny, nz))
            }
        };
        if points > MAX_POINTS {
            let message = format!("count {nx} {ny} {nz} makes {points} points, more than {MAX_POINTS}");
            self.el.wrong("count", message, "lower the count");
            return None;
        }
        if closed {
            return self.surface();
        }
        match self.flex.dim {
            1 if self.shape == FlexcompShape::Circle && nx < 4 => {
                let message = format!("a circle of count {nx} has no inside");
                self.el.wrong("count", message, "at least 4 along the first axis");
                return None;
            }
            1 => self.line(),
            2 => self.sheet()?,
            _ => self.block(),
        }
        Some(())
    }

    /// A grid point; the grid is centred at the origin.
    fn at(&self, i: [usize; 3]) -> DVec3 {
        let middle = |k: usize| i[k] as f64 - 0.5 * (self.count[k] as f64 - 1.0);
        self.spacing * DVec3::new(middle(0), middle(1), middle(2))
    }

    /// True if texture coordinates are generated.
    pub(super) fn needs_texture(&self) -> bool {
        self.flex.texcoord.is_empty() && !self.flex.material.name.is_empty()
    }

    /// Adds the texture coordinate of a point on a face.
    pub(super) fn texture(&mut self, axes: [usize; 2], i: [usize; 3]) {
        let along = axes.map(|a| i[a] as f64 / (self.count[a].max(2) - 1) as f64);
        self.flex.texcoord.extend(along.map(|x| f64::from(x as f32)));
    }

    /// A straight line, or a closed ring whose last point is the first one.
    fn line(&mut self) {
        let n = self.count[0];
        if self.shape != FlexcompShape::Circle {
            for i in 0..n {
                let x = self.at([i, 0, 0]).x;
                self.points.push(DVec3::new(x, 0.0, 0.0));
            }
            self.flex.elem.extend((1..n as i32).flat_map(|i| [i - 1, i]));
            return;
        }
        let n = n - 1;
        let angle = std::f64::consts::TAU / n as f64;
        let radius = self.spacing.x / (angle / 2.0).sin() / 2.0;
        for i in 0..n {
            let turn = angle * i as f64;
            self.points.push(DVec3::new(radius * turn.cos(), radius * turn.sin(), 0.0));
            self.flex.elem.extend([i as i32, ((i + 1) % n) as i32]);
        }
    }

    /// A flat sheet: two triangles per square.
    fn sheet(&mut self) -> Option<()> {
        let [nx, ny, nz] = self.count;
        if nz != 1 {
            let message = format!("the third count of a flat {} is {nz}", self.word());
            self.el.wrong("count", message, format!("write count=\"{nx} {ny} 1\""));
            return None;
        }
        let textured = self.needs_texture();
        let id = |i: usize, j: usize| (i * ny + j) as i32;
        for i in 0..nx {
            for j in 0..ny {
                let at = self.at([i, j, 0]);
                self.points.push(DVec3::new(at.x, at.y, 0.0));
                if textured {
                    self.texture([0, 1], [i, j, 0]);
                }
                if i + 1 == nx || j + 1 == ny {
                    continue;
                }
                let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
                // diagonals of a disc point to its centre
                let across = (at.x < -ON_AXIS && at.y > -ON_AXIS) || (at.x > -ON_AXIS && at.y < -ON_AXIS);
                let triangles = if across && self.shape == FlexcompShape::Disc {
                    [a, b, d, b, c, d]
                } else {
                    [a, b, c, a, c, d]
                };
                self.flex.elem.extend(triangles);
            }
        }
        if self.shape == FlexcompShape::Disc {
            self.round();
        }
        Some(())
    }

    /// Maps the squares around the centre of a sheet to circles.
    fn round(&mut self) {
        let size =
            DVec2::from_array(std::array::from_fn(|k| 0.5 * self.spacing[k] * (self.count[k] as f64 - 1.0)));
        for point in &mut self.points {
            let flat = point.truncate();
            let reach = flat.abs().max_element();
            let unit = if flat.length() < ON_AXIS { flat } else { flat.normalize() };
            *point = (unit * size * reach).extend(0.0);
        }
    }

    /// A block: six tetrahedra per cell.
    fn block(&mut self) {
        let [nx, ny, nz] = self.count;
        let textured = self.needs_texture();
        let id = |i: usize, j: usize, k: usize| ((i * ny + j) * nz + k) as i32;
        for i in 0..nx {
            for j in 0..ny {
                for k in 0..nz {
                    let at = self.at([i, j, k]);
                    self.points.push(at);
                    if textured {
                        self.texture([0, 1], [i, j, k]);
                    }
                    if i + 1 == nx || j + 1 == ny || k + 1 == nz {
                        continue;
                    }
                    let side = |k| [id(i, j, k), id(i + 1, j, k), id(i + 1, j + 1, k), id(i, j + 1, k)];
                    let corners = [side(k), side(k + 1)].concat();
                    self.flex.elem.extend(TETRAHEDRA.iter().flatten().map(|&c| corners[c]));
                }
            }
        }
    }

    /// Type keyword.
    pub(super) fn word(&self) -> &'static str {
        super::SHAPES.iter().find(|s| s.1 == self.shape).map_or("grid", |s| s.0)
    }
}
