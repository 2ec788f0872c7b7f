//! The skin of a cable of boxes: a strip along the middle of the boxes, as wide as they are, in two layers that drawing
//! moves apart to their thickness. The strip is a grid of bones, two across, or three if it is refined; a subgrid adds
//! vertices between bones, which follow them by bicubic interpolation.

use super::super::context::MAX_ELEMENTS;
use super::super::looks;
use super::Cable;
use crate::spec::{Bone, Ref, Skin};
use crate::xml::El;

/// How a skin looks, as given.
pub(in crate::mjcf) struct Template {
    /// Material, colour and group.
    look: Skin,
    /// True if it has texture coordinates.
    texcoord: bool,
    /// Vertices between two bones.
    subgrid: usize,
}

impl Default for Template {
    fn default() -> Self {
        Self { look: Skin { rgba: [1.0; 4], ..Skin::default() }, texcoord: false, subgrid: 0 }
    }
}

/// Reads the skin of a composite, whether or not its geoms get one.
pub(in crate::mjcf) fn read(el: El<'_>) -> Template {
    let mut to = Template::default();
    to.look.base.at.note(el);
    looks::look(el, &mut to.look);
    if el.attr("inflate").is_some() {
        el.doubt("inflate", "the skin of a cable is as thick as its boxes", "leave out inflate");
    }
    el.set_flag("texcoord", &mut to.texcoord);
    let mut subgrid = 0;
    el.set_int("subgrid", &mut subgrid);
    to.subgrid = usize::try_from(subgrid).unwrap_or(0);
    to
}

/// A rectangular grid of points, numbered row by row.
#[derive(Clone, Copy)]
struct Grid {
    /// Points along the cable, and across it.
    count: [usize; 2],
}

impl Grid {
    fn len(self) -> usize {
        self.count[0].saturating_mul(self.count[1])
    }

    fn at(self, i: usize, j: usize) -> usize {
        self.count[1] * i + j
    }

    /// The grid with each cell cut into a number of parts each way.
    fn refined(self, parts: usize) -> Grid {
        Grid { count: self.count.map(|n| (n - 1).saturating_mul(parts).saturating_add(1)) }
    }
}

/// The skin of a cable whose bodies have these names; none if its geoms are no boxes. A skin of more vertices than `room`
/// is reported.
pub(in crate::mjcf) fn make(cable: &Cable<'_>, bodies: &[String], room: usize) -> Option<Skin> {
    if !cable.is_of_boxes() {
        return None;
    }
    let Template { look, texcoord, subgrid } = &cable.skin;
    let bones = Grid { count: [bodies.len() + 1, if *subgrid > 0 { 3 } else { 2 }] };
    let parts = subgrid + 1;
    let points = bones.refined(parts);
    if points.len().saturating_mul(2) > room {
        let message = format!("the skins of composites have more than {MAX_ELEMENTS} vertices");
        cable.el.log.add(look.base.at.of("subgrid"), message, "lower the subgrid");
        return None;
    }
    let mut size = [0.0; 3];
    cable.geom.set_partial("size", &mut size);
    let mut skin = Skin { inflate: 2.0 * size[2], ..look.clone() };
    skin.base.name = format!("{}Skin", cable.prefix);
    skin.vertex = vec![0.0; 6 * points.len()];
    skin.face = faces(points);
    if *texcoord {
        let layer = texture(points);
        skin.texcoord = [&layer[..], &layer[..]].concat();
    }
    let span = cable.el.span();
    skin.bones = (0..bones.len()).map(|k| bone(bones, k, bodies, size, span)).collect();
    if parts == 1 {
        (0..points.len()).for_each(|v| follow(&mut skin.bones[v], v, points.len(), 1.0));
    } else {
        interpolate(&mut skin.bones, bones, parts);
    }
    Some(skin)
}

/// A bone at a point of the grid, without vertices: at the start of its box, and the last ones at the end of the last
/// box, of the length that its size is given with.
fn bone(bones: Grid, k: usize, bodies: &[String], size: [f64; 3], span: crate::spec::Span) -> Bone {
    let (i, j) = (k / bones.count[1], k % bones.count[1]);
    let along = if i == bodies.len() { -2.0 * size[0] } else { 0.0 };
    let across = 2.0 * size[1] * (j as f64 / (bones.count[1] - 1) as f64 - 0.5);
    Bone {
        body: Ref { name: bodies[i.min(bodies.len() - 1)].clone(), span },
        bindpos: [along, across, 0.0],
        bindquat: [1.0, 0.0, 0.0, 0.0],
        ..Bone::default()
    }
}

/// Adds a vertex of both layers to a bone.
fn follow(bone: &mut Bone, vertex: usize, layer: usize, weight: f64) {
    bone.vertid.extend([vertex as i32, (vertex + layer) as i32]);
    bone.vertweight.extend([weight; 2]);
}

/// Texture coordinates of a layer, from 0 to 1 each way.
fn texture(points: Grid) -> Vec<f64> {
    let [along, across] = points.count.map(|n| (n - 1) as f64);
    (0..points.len())
        .flat_map(|v| [(v / points.count[1]) as f64 / along, (v % points.count[1]) as f64 / across])
        .collect()
}

/// Triangles of both layers and of the four sides between them, seen from outside against the clock.
fn faces(points: Grid) -> Vec<i32> {
    let [along, across] = points.count.map(|n| n - 1);
    let other = points.len();
    let mut faces = Vec::new();
    let mut add = |corners: [usize; 6]| faces.extend(corners.map(|v| v as i32));
    let cells = || (0..along).flat_map(|i| (0..across).map(move |j| (i, j)));
    let corners =
        |(i, j)| [points.at(i, j), points.at(i + 1, j), points.at(i + 1, j + 1), points.at(i, j + 1)];
    cells().map(corners).for_each(|[a, b, c, d]| add([a, b, c, a, c, d]));
    cells().map(|cell| corners(cell).map(|v| v + other)).for_each(|[a, b, c, d]| add([a, c, b, a, d, c]));
    // the first and last line along the cable, then its ends
    for (a, b) in (0..along).map(|i| (points.at(i, 0), points.at(i + 1, 0))) {
        add([a, b + other, b, a, a + other, b + other]);
    }
    for (a, b) in (0..along).map(|i| (points.at(i, across), points.at(i + 1, across))) {
        add([a, b, b + other, a, b + other, a + other]);
    }
    for (a, b) in (0..across).map(|j| (points.at(0, j), points.at(0, j + 1))) {
        add([a, b, b + other, a, b + other, a + other]);
    }
    for (a, b) in (0..across).map(|j| (points.at(along, j), points.at(along, j + 1))) {
        add([a, b + other, b, a, a + other, b + other]);
    }
    faces
}

/// Coefficients by rising powers of the cubics between 0 and 1 that have a value of one at 0 or 1, or a slope of one
/// there, and nothing else.
const CUBICS: [[f64; 4]; 4] =
    [[1.0, 0.0, -3.0, 2.0], [0.0, 0.0, 3.0, -2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, -1.0, 1.0]];

/// What the values and slopes at both ends of a cell are made of, in the order of `CUBICS`: shares of the points from
/// one before the cell to one behind it. A slope is the difference of the neighbours, at an end that of the next two.
fn shares(cell: usize, count: usize) -> [[f64; 4]; 4] {
    let slope = |point: usize| {
        let (before, behind) = (point.saturating_sub(1), (point + 1).min(count - 1));
        let step = (behind - before) as f64;
        let mut of = [0.0; 4];
        of[before + 1 - cell] -= 1.0 / step;
        of[behind + 1 - cell] += 1.0 / step;
        of
    };
    [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], slope(cell), slope(cell + 1)]
}

/// Shares of the four values and slopes along times the four across, at a place in a cell. Terms are added by rising
/// powers, as in MuJoCo: what rounding leaves where the sum is zero decides which vertices a bone lists.
fn products([x, y]: [f64; 2]) -> [[f64; 4]; 4] {
    let powers = |v: f64| [1.0, v, v * v, v * v * v];
    let (px, py) = (powers(x), powers(y));
    CUBICS.map(|along| {
        CUBICS.map(|across| {
            let mut sum = 0.0;
            for (a, px) in along.iter().zip(px) {
                for (b, py) in across.iter().zip(py) {
                    sum += a * b * (px * py);
                }
            }
            sum
        })
    })
}

/// Lets every vertex follow the four by four bones around its cell, cell by cell. The last cells have the vertices of
/// their far edges too.
fn interpolate(bones: &mut [Bone], grid: Grid, parts: usize) {
    let points = grid.refined(parts);
    let step = 1.0 / parts as f64;
    let inner = |cell: usize, count: usize| parts + usize::from(cell + 2 == count);
    for (ci, cj) in (0..grid.count[0] - 1).flat_map(|i| (0..grid.count[1] - 1).map(move |j| (i, j))) {
        let [along, across] = [shares(ci, grid.count[0]), shares(cj, grid.count[1])];
        let across_count = inner(cj, grid.count[1]);
        for k in 0..inner(ci, grid.count[0]) * across_count {
            let (i, j) = (k / across_count, k % across_count);
            let vertex = points.at(parts * ci + i, parts * cj + j);
            let products = products([i as f64 * step, j as f64 * step]);
            for (p, q) in (0..4).flat_map(|p| (0..4).map(move |q| (p, q))) {
                let mut weight = 0.0;
                for (row, along) in products.iter().zip(&along) {
                    for (product, across) in row.iter().zip(&across) {
                        weight += along[p] * across[q] * product;
                    }
                }
                // points beyond the grid have no share
                if weight != 0.0 {
                    follow(&mut bones[grid.at(ci + p - 1, cj + q - 1)], vertex, points.len(), weight);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::load_str;
    use manyworlds_model::model::Model;
    use manyworlds_model::schema::Kind;

    /// A model with one cable of boxes of `count` points, with a skin of these attributes.
    fn cable(count: usize, skin: &str) -> String {
        format!(
            "<mujoco><worldbody><composite type='cable' prefix='c' curve='s' count='{count}' size='1'>\
             <geom type='box' size='.1 .02 .003'/>{skin}</composite></worldbody></mujoco>"
        )
    }

    fn sizes(m: &Model) -> [usize; 6] {
        let s = &m.sizes;
        [s.nskin, s.nskinvert, s.nskintexvert, s.nskinface, s.nskinbone, s.nskinbonevert]
    }

    #[test]
    fn a_skin_has_the_sizes_and_the_weights_of_the_reference() {
        for (count, skin, want) in [
            (4, "", [1, 16, 0, 28, 8, 16]),
            (7, "<skin subgrid='-1' texcoord='true'/>", [1, 28, 28, 52, 14, 28]),
            (4, "<skin subgrid='1'/>", [1, 70, 0, 136, 12, 252]),
            // with what rounding leaves of zero
            (4, "<skin subgrid='2' texcoord='true'/>", [1, 140, 140, 276, 12, 784]),
            (5, "<skin subgrid='4'/>", [1, 462, 0, 920, 15, 3480]),
        ] {
            let m = load_str(&cable(count, skin)).unwrap();
            assert_eq!(sizes(&m), want, "{skin}");
            assert_eq!(m.name(Kind::Skin, 0), Some("cSkin"));
        }
        let m = load_str(&cable(4, "<skin subgrid='1'/>")).unwrap();
        assert_eq!(m.skin_bonevertid[..6], [0, 35, 1, 36, 5, 40]);
        assert_eq!(m.skin_bonevertweight[..6], [1.0, 1.0, 0.4375, 0.4375, 0.4375, 0.4375]);
        assert_eq!(m.skin_face[..6], [0, 5, 6, 0, 6, 1]);
    }

    #[test]
    fn a_skin_lies_between_its_boxes() {
        let m = load_str(&cable(4, "<skin inflate='1'/>")).unwrap();
        assert_eq!(m.skin_bonebodyid, [1, 1, 2, 2, 3, 3, 3, 3]);
        let single = |x: f32| f64::from(x);
        assert_eq!(m.skin_bonebindpos[..6], [0.0, single(-0.02), 0.0, 0.0, single(0.02), 0.0]);
        assert_eq!(m.skin_bonebindpos[18..21], [single(-0.2), single(-0.02), 0.0]);
        assert_eq!((m.skin_inflate[0], &m.skin_rgba[..]), (single(0.006), &[1.0; 4][..]));
        assert!(m.skin_vert.iter().all(|x| *x == 0.0));
        assert_eq!(m.warnings.len(), 1);
        let capsules = cable(4, "<skin subgrid='2'/>").replace("box", "capsule");
        assert_eq!(sizes(&load_str(&capsules).unwrap()), [0; 6]);
    }

    #[test]
    fn skins_of_composites_come_last_and_lose_names_that_are_taken() {
        let written = "<deformable><skin name='cSkin' vertex='0 0 0 1 0 0 0 1 0' face='0 1 2'><bone body='world' \
            bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1 2' vertweight='1 1 1'/></skin></deformable></mujoco>";
        let m = load_str(&cable(4, "").replace("</mujoco>", written)).unwrap();
        assert_eq!(m.skin_vertnum, [3, 16]);
        assert_eq!([0, 1].map(|s| m.name(Kind::Skin, s)), [Some("cSkin"), None]);
    }

    #[test]
    fn skins_that_are_wrong() {
        for (count, skin, want) in [
            (2, "", "one box"),
            (4, "<skin group='6'/>", "groups 0 to 5"),
            (4, "<skin subgrid='2147483647'/>", "lower the subgrid"),
            (4, "<skin texcoord='yes'/>", "texcoord"),
        ] {
            let error = load_str(&cable(count, skin)).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }

    #[test]
    fn a_refined_grid_repeats_planes_and_its_bones() {
        let grid = Grid { count: [5, 3] };
        let mut bones = vec![Bone::default(); grid.len()];
        interpolate(&mut bones, grid, 4);
        let points = grid.refined(4);
        let (mut total, mut place) = (vec![0.0; points.len()], vec![[0.0; 2]; points.len()]);
        for (k, bone) in bones.iter().enumerate() {
            for (v, w) in
                bone.vertid.iter().zip(&bone.vertweight).filter(|(v, _)| (**v as usize) < points.len())
            {
                total[*v as usize] += w;
                place[*v as usize][0] += w * (k / 3) as f64;
                place[*v as usize][1] += w * (k % 3) as f64;
            }
        }
        for v in 0..points.len() {
            let want = [(v / points.count[1]) as f64 / 4.0, (v % points.count[1]) as f64 / 4.0];
            assert!((total[v] - 1.0).abs() < 1e-14, "{v} {}", total[v]);
            assert!((0..2).all(|k| (place[v][k] - want[k]).abs() < 1e-14), "{v} {:?}", place[v]);
        }
        // halfway between two inner bones, and at the first of an edge: Catmull and Rom's spline
        let weight = |bone: usize, v: usize| {
            let at = bones[bone].vertid.iter().position(|id| *id as usize == v);
            at.map_or(0.0, |at| bones[bone].vertweight[at])
        };
        let [edge, inner] = [points.at(2, 0), points.at(6, 0)];
        assert_eq!([0, 3, 6, 9].map(|b| weight(b, edge)), [0.4375, 0.625, -0.0625, 0.0]);
        assert_eq!([0, 3, 6, 9].map(|b| weight(b, inner)), [-0.0625, 0.5625, 0.5625, -0.0625]);
    }

    #[test]
    fn faces_close_the_skin() {
        let points = Grid { count: [4, 3] };
        let faces = faces(points);
        assert_eq!(faces.len(), 3 * 2 * (2 * 6 + 2 * 3 + 2 * 2));
        // each edge is run through once each way
        let mut edges: Vec<[i32; 2]> =
            faces.chunks_exact(3).flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]).collect();
        edges.sort_unstable();
        let count = edges.len();
        edges.dedup();
        assert_eq!(edges.len(), count);
        assert!(edges.iter().all(|[a, b]| edges.binary_search(&[*b, *a]).is_ok()));
    }
}
