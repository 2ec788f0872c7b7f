//! Vertex normals from faces.

use glam::DVec3;
use manyworlds_model::real::MINVAL;

/// Sharp edges: faces whose normal is farther from the vertex normal than this cosine are excluded.
const SMOOTH: f64 = 0.8;

/// Least length that has a direction: of the cross product of two edges of a face, and of a sum of such products.
const LEAST: f64 = 1e-7;

/// Vertex normals: area-weighted means over incident faces, in single precision as in MuJoCo. Faces of a `mirrored` mesh
/// are turned round already, but its vertices not yet mirrored: until then they look inwards.
pub(super) fn normals(vert: &[DVec3], faces: &[[i32; 3]], mirrored: bool, smooth: bool) -> Vec<[f32; 3]> {
    let mut sum = vec![[0.0_f32; 3]; vert.len()];
    let outwards = |&[a, b, c]: &[i32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
    let turned: Vec<(DVec3, f64)> = faces.iter().map(|f| area(vert, &outwards(f))).collect();
    for (face, (normal, area)) in faces.iter().zip(&turned) {
        for &v in face {
            add(&mut sum[v as usize], *normal, *area);
        }
    }
    if !smooth {
        let mut away = vec![[0.0_f32; 3]; vert.len()];
        for (face, (normal, area)) in faces.iter().zip(&turned) {
            for &v in face {
                let (mean, _) = direction(DVec3::from_array(sum[v as usize].map(f64::from)));
                if normal.dot(mean) < SMOOTH {
                    add(&mut away[v as usize], *normal, *area);
                }
            }
        }
        for (sum, away) in sum.iter_mut().flatten().zip(away.iter().flatten()) {
            *sum -= away;
        }
    }
    for normal in &mut sum {
        let length = (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]).sqrt();
        *normal = if f64::from(length) > MINVAL { normal.map(|x| x / length) } else { [0.0, 0.0, 1.0] };
    }
    sum
}

/// Unit normal and twice the area of a face.
fn area(vert: &[DVec3], face: &[i32; 3]) -> (DVec3, f64) {
    let [a, b, c] = face.map(|v| vert[v as usize]);
    direction((b - a).cross(c - a))
}

/// Direction and length of a vector; zeros for one that is too short: a small face counts nothing, and from a sum that
/// cancels all faces are far.
fn direction(v: DVec3) -> (DVec3, f64) {
    let length = v.length();
    if length < LEAST { (DVec3::ZERO, 0.0) } else { (v / length, length) }
}

fn add(to: &mut [f32; 3], normal: DVec3, area: f64) {
    for (to, x) in to.iter_mut().zip(normal.to_array()) {
        *to = (f64::from(*to) + x * area) as f32;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::super::{CompiledMesh, Inertia, Settings, builtin, finish};
    use super::*;

    #[test]
    fn a_sharp_edge_is_not_smoothed_away() {
        // two orthogonal faces: both excluded without smoothing, both included with it
        let vert =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(DVec3::from_array);
        let faces = [[0, 1, 2], [0, 3, 1]];
        let smooth = normals(&vert, &faces, false, true);
        assert!((smooth[0][1] - smooth[0][2]).abs() < 1e-6 && smooth[0][1] > 0.7);
        assert_eq!(normals(&vert, &faces, false, false)[0], [0.0, 0.0, 1.0]);
        assert_eq!(normals(&vert, &faces, false, false)[2], [0.0, 0.0, 1.0]);
    }

    /// A sphere that a scale makes an ellipsoid, with its faces, or with those of its hull.
    fn ellipsoid(scale: DVec3, faces: bool) -> CompiledMesh {
        let (mut raw, _) = builtin("sphere", &[3.0]).unwrap();
        raw.normal.clear();
        raw.facenormal.clear();
        if !faces {
            raw.face.clear();
        }
        finish(raw, &Settings { scale, smoothnormal: true, ..Settings::default() }).unwrap()
    }

    #[test]
    fn normals_of_stretched_and_mirrored_spheres_are_those_of_ellipsoids() {
        for scale in
            [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, -2.0, -0.5], [-0.3, -1.0, -2.0], [1.0, 1.5, -0.4]]
        {
            let scale = DVec3::from_array(scale);
            for mesh in [ellipsoid(scale, true), ellipsoid(scale, false)] {
                for (face, normals) in mesh.face.iter().zip(&mesh.facenormal) {
                    let corners = face.map(|v| mesh.pos + mesh.quat * mesh.vert[v as usize]);
                    let flat = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
                    for (at, n) in corners.iter().zip(normals) {
                        let normal = DVec3::from_array(mesh.normal[*n as usize].map(f64::from));
                        let (normal, want) = (mesh.quat * normal, (*at / (scale * scale)).normalize());
                        assert!(normal.dot(want) > 0.98, "{scale}: {normal}, not {want}");
                        // and faces turn outwards
                        assert!(flat.dot(want) > 0.5, "{scale}: {flat}, not {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_flattened_has_numbers_for_normals() {
        for height in [0.0, 1e-30, 1e-170] {
            let (raw, _) = builtin("sphere", &[1.0]).unwrap();
            let settings = Settings {
                scale: DVec3::new(1.0, height, 1.0),
                inertia: Inertia::Shell,
                ..Settings::default()
            };
            let mesh = finish(raw, &settings).unwrap();
            assert!(mesh.normal.iter().flatten().all(|x| x.is_finite()), "{height}");
        }
    }
}
