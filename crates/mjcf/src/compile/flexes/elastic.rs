//! Stiffness of triangles and tetrahedra, and bending stiffness between triangles and between the pieces of rods.

use glam::{DMat3, DVec3};

use crate::spec::Elasticity;
use manyworlds_model::real::MINVAL;

use super::mesh::{EDGES, Mesh};

/// Stiffness entries of a triangle or tetrahedron, padding included.
pub(super) const TRIANGLE: usize = 21;
pub(super) const TETRAHEDRON: usize = 24;

/// Bending entries of an edge: a 4x4 vertex matrix and a force.
pub(super) const BEND: usize = 17;

/// Relative size of the area or volume below which an element is flat.
const FLAT: f64 = 1e-12;

/// Angle in radians above which a rod is not straight.
const STRAIGHT: f64 = 1e-4;

/// First element without area or volume: it has no stiffness.
pub(super) fn flat(mesh: &Mesh, vert: &[DVec3]) -> Option<usize> {
    mesh.elem.chunks_exact(mesh.dim + 1).position(|element| {
        let corners: Vec<DVec3> =
            element.iter().map(|&v| vert[v as usize] - vert[element[0] as usize]).collect();
        let reach = corners.iter().map(|c| c.length()).fold(0.0, f64::max);
        let content = match corners[..] {
            [_, a, b] => a.cross(b).length(),
            [_, a, b, c] => a.cross(b).dot(c).abs(),
            _ => reach,
        };
        !(content > FLAT * reach.powi(mesh.dim as i32))
    })
}

/// Why a rod has no bending stiffness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is bent at a vertex.
    Bent(usize),
    /// An edge at a vertex has no length.
    Short(usize),
}

/// Bending of rods: the number of hinges, then of each the vertices before, at and after it, and its stiffness. Hinges
/// are at vertices of exactly two edges. Empty without elasticity or hinges.
pub(super) fn rods(mesh: &Mesh, vert: &[DVec3], e: &Elasticity, radius: f64) -> Result<Vec<f64>, Fault> {
    if e.young <= 0.0 || mesh.dim != 1 {
        return Ok(Vec::new());
    }
    let [low, high] = [e.sectionsize[0].min(e.sectionsize[1]), e.sectionsize[0].max(e.sectionsize[1])];
    let area = if e.section == 1 {
        2.0 * high * (2.0 * low).powi(3) / 12.0
    } else {
        std::f64::consts::PI * radius.powi(4) / 4.0
    };
    let mut around = vec![Vec::new(); vert.len()];
    for &[a, b] in &mesh.edge {
        around[a as usize].push(b);
        around[b as usize].push(a);
    }
    let mut all = vec![0.0];
    for (v, ends) in around.iter().enumerate() {
        let &[before, after] = &ends[..] else {
            continue;
        };
        let (first, second) = (vert[v] - vert[before as usize], vert[after as usize] - vert[v]);
        let lengths = [first.length(), second.length()];
        if lengths.iter().any(|&l| l < MINVAL) {
            return Err(Fault::Short(v));
        }
        // also where it turns back
        let angle = first.cross(second).length().atan2(first.dot(second));
        if angle > STRAIGHT {
            return Err(Fault::Bent(v));
        }
        all[0] += 1.0;
        let stiffness = e.young * area / (lengths[0] + lengths[1]);
        all.extend([f64::from(before), v as f64, f64::from(after), stiffness]);
    }
    if all.len() == 1 {
        all.clear();
    }
    Ok(all)
}

/// Element stiffness: upper triangles of quadratic forms in the changes of squared edge length. Empty without
/// elasticity.
pub(super) fn stiffness(mesh: &Mesh, vert: &[DVec3], e: &Elasticity) -> Vec<f64> {
    if e.young <= 0.0 || mesh.dim < 2 {
        return Vec::new();
    }
    let stride = if mesh.dim == 3 { TETRAHEDRON } else { TRIANGLE };
    let mut all = vec![0.0; stride * mesh.count()];
    if mesh.dim == 2 && e.elastic2d < 2 {
        return all;
    }
    for (element, to) in mesh.elem.chunks_exact(mesh.dim + 1).zip(all.chunks_exact_mut(stride)) {
        let corners: Vec<DVec3> = element.iter().map(|&v| vert[v as usize]).collect();
        let (gradient, content) = gradients(&corners);
        let content = if mesh.dim == 3 { content } else { content * e.thickness / 4.0 };
        let shear = e.young / (2.0 * (1.0 + e.poisson)) * content;
        let bulk = e.young * e.poisson / ((1.0 + e.poisson) * (1.0 - 2.0 * e.poisson)) * content;
        // strain per unit change of each squared length
        let strain: Vec<DMat3> = EDGES[mesh.dim - 1]
            .iter()
            .map(|&[a, b]| (outer(gradient[a], gradient[b]) + outer(gradient[b], gradient[a])) * 0.5)
            .collect();
        let trace = |m: DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let pairs = (0..strain.len()).flat_map(|i| (i..strain.len()).map(move |j| (i, j)));
        for ((i, j), to) in pairs.zip(to) {
            *to = shear * trace(strain[i] * strain[j]) + bulk * trace(strain[i]) * trace(strain[j]);
        }
    }
    all
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Gradients of the barycentric coordinates, and the area or volume.
fn gradients(x: &[DVec3]) -> (Vec<DVec3>, f64) {
    let (u, v) = (x[1] - x[0], x[2] - x[0]);
    if let Some(&last) = x.get(3) {
        let w = last - x[0];
        let six = u.cross(v).dot(w);
        let own = [v.cross(w) / six, w.cross(u) / six, u.cross(v) / six];
        return (vec![-(own[0] + own[1] + own[2]), own[0], own[1], own[2]], six.abs() / 6.0);
    }
    let normal = u.cross(v);
    let square = normal.length_squared();
    let own = [v.cross(normal) / square, normal.cross(u) / square];
    (vec![-(own[0] + own[1]), own[0], own[1]], square.sqrt() / 2.0)
}

/// Bending of all edges shared by two triangles: shell curvature with quadratic and cubic terms. Empty without
/// elasticity.
pub(super) fn bending(mesh: &Mesh, vert: &[DVec3], e: &Elasticity) -> Vec<f64> {
    if e.young <= 0.0 || mesh.dim != 2 || !matches!(e.elastic2d, 1 | 3) {
        return Vec::new();
    }
    let mut all = vec![0.0; BEND * mesh.edge.len()];
    let shear = e.young / (2.0 * (1.0 + e.poisson));
    for (i, to) in all.chunks_exact_mut(BEND).enumerate() {
        let (ends, flap) = (mesh.edge[i], mesh.flap[i]);
        if flap[1] >= 0 {
            let at = [ends[0], ends[1], flap[0], flap[1]].map(|v| vert[v as usize]);
            bend(at, shear * e.thickness.powi(3) / 8.0, to);
        }
    }
    all
}

/// Bending of one edge: end points, then opposite corners.
fn bend([a, b, c, d]: [DVec3; 4], rigidity: f64, to: &mut [f64]) {
    let cot = |at: DVec3, p: DVec3, q: DVec3| (p - at).dot(q - at) / (p - at).cross(q - at).length();
    let area = |p: DVec3, q: DVec3, r: DVec3| (q - p).cross(r - p).length() / 2.0;
    let (ac, ad, bc, bd) = (cot(a, b, c), cot(a, b, d), cot(b, a, c), cot(b, a, d));
    let weight = [bc + bd, ac + ad, -(ac + bc), -(ad + bd)];
    let scale = rigidity / (area(a, b, c) + area(a, b, d));
    // triangle heights over the edge give the cosine of the rest angle
    let edge = b - a;
    let (left, right) = ((c - a) * bc + (c - b) * ac, (d - a) * bd + (d - b) * ad);
    let square = edge.length_squared();
    let cosine = -left.dot(right) / square;
    for (i, x) in weight.iter().enumerate() {
        for (j, y) in weight.iter().enumerate() {
            to[4 * i + j] = x * y * cosine * scale;
        }
    }
    let volume = edge.cross(c - a).dot(d - a);
    to[16] = volume * (ac - bc) * (bd - ad) * scale / (square * square.sqrt());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_stretched_element_has_the_energy_of_its_strain() {
        let e = Elasticity { young: 3.0, poisson: 0.2, ..Elasticity::default() };
        let at = [DVec3::ZERO, DVec3::X, DVec3::new(0.2, 1.5, 0.0), DVec3::new(0.1, 0.3, 0.9)];
        let mesh = Mesh::new(&[0, 1, 2, 3], 3, &at);
        let k = stiffness(&mesh, &at, &e);
        // strain of a uniaxial stretch along x
        let factor = 1.1_f64;
        let xx = (factor * factor - 1.0) / 2.0;
        let (mu, la) = (3.0 / 2.4, 0.6 / (1.2 * 0.6));
        let volume = at[1].cross(at[2]).dot(at[3]) / 6.0;
        // the form counts the volumetric term in full
        let expected = volume * (mu + la) * xx * xx;
        let change: Vec<f64> = mesh
            .edge
            .iter()
            .map(|&[a, b]| (at[a as usize].x - at[b as usize].x).powi(2) * (factor * factor - 1.0))
            .collect();
        let mut energy = 0.0;
        let pairs = (0..6).flat_map(|i| (i..6).map(move |j| (i, j)));
        for ((i, j), k) in pairs.zip(k) {
            energy += change[i] * k * change[j] * if i == j { 1.0 } else { 2.0 };
        }
        assert!((energy / 4.0 - expected).abs() < 1e-12, "{energy} {expected}");
    }

    #[test]
    fn a_flat_sheet_bends_as_measured() {
        let at = [DVec3::ZERO, DVec3::Y, DVec3::X, DVec3::new(1.0, 1.0, 0.0)];
        let mesh = Mesh::new(&[0, 2, 3, 0, 3, 1], 2, &at);
        let e =
            Elasticity { young: 1.0, poisson: 0.2, thickness: 0.1, elastic2d: 1, ..Elasticity::default() };
        let all = bending(&mesh, &at, &e);
        let shared = mesh.flap.iter().position(|f| f[1] >= 0).unwrap_or(0);
        let one = &all[BEND * shared..BEND * (shared + 1)];
        let unit = 0.1_f64.powi(3) / 2.4 / 8.0;
        assert!((one[0].abs() - 4.0 * unit).abs() < 1e-12 && one[16] == 0.0, "{one:?} {unit}");
    }

    #[test]
    fn rods_have_a_hinge_between_two_edges() {
        let at = [0.0, 0.1, 0.25, 0.4].map(|x| DVec3::X * x);
        let mesh = Mesh::new(&[2, 3, 1, 2, 0, 1], 1, &at);
        let e = Elasticity { young: 1e5, ..Elasticity::default() };
        // order and numbers of MuJoCo 3.17
        let stiffness = [0.25, 0.3].map(|l| 1e5 * std::f64::consts::PI * 1e-8 / 4.0 / l);
        let all = rods(&mesh, &at, &e, 0.01).unwrap();
        let expected = [2.0, 2.0, 1.0, 0.0, stiffness[0], 3.0, 2.0, 1.0, stiffness[1]];
        assert_eq!(all.len(), expected.len());
        for (x, e) in all.iter().zip(expected) {
            assert!((x - e).abs() < 1e-15, "{all:?}");
        }
        let e = Elasticity { section: 1, sectionsize: [0.02, 0.01], ..e };
        let all = rods(&mesh, &at, &e, 0.01).unwrap();
        assert!((all[4] - 1e5 * 0.04 * 0.02_f64.powi(3) / 12.0 / 0.25).abs() < 1e-15, "{all:?}");
    }

    #[test]
    fn bent_rods_and_flat_elements_are_found() {
        let e = Elasticity { young: 1.0, ..Elasticity::default() };
        let mut at = [0.0, 0.1, 0.2].map(|x| DVec3::X * x);
        let mesh = Mesh::new(&[0, 1, 1, 2], 1, &at);
        at[2].y = 0.001;
        assert_eq!(rods(&mesh, &at, &e, 0.01), Err(Fault::Bent(1)));
        at[2] = at[1];
        assert_eq!(rods(&mesh, &at, &e, 0.01), Err(Fault::Short(1)));
        let at = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X * 2.0];
        assert_eq!(flat(&Mesh::new(&[0, 1, 2, 0, 1, 3], 2, &at), &at), Some(1));
        assert_eq!(flat(&Mesh::new(&[0, 1, 2, 3], 3, &at), &at), Some(0));
    }
}
