//! Triangulation of polygonal faces.

/// A face corner; its first index is the vertex.
type Corner = [i32; 3];

/// Triangulates a face of four or more corners; a face with an invalid vertex index is dropped.
pub(super) fn triangulate(corners: &[Corner], vert: &[[f32; 3]], to: &mut Vec<[Corner; 3]>) {
    let mut points = Vec::with_capacity(corners.len());
    for corner in corners {
        let Some(point) = usize::try_from(corner[0]).ok().and_then(|i| vert.get(i)) else {
            return;
        };
        points.push(*point);
    }
    if let &[a, b, c, d] = corners {
        // split along the shorter diagonal
        if squared(points[0], points[2]) < squared(points[1], points[3]) {
            to.extend([[a, b, c], [a, c, d]]);
        } else {
            to.extend([[a, b, d], [b, c, d]]);
        }
        return;
    }
    let Some((u, v)) = plane(&points) else {
        return;
    };
    let flat: Vec<[f32; 2]> = points.iter().map(|p| [p[u], p[v]]).collect();
    clip_ears(corners, &flat, to);
}

fn squared(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// The two axes of the largest projection of a polygon, from its first non-collinear corner.
fn plane(points: &[[f32; 3]]) -> Option<(usize, usize)> {
    let n = points.len();
    (0..n).find_map(|i| {
        let (a, b, c) = (points[i], points[(i + 1) % n], points[(i + 2) % n]);
        let e: [f32; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let f: [f32; 3] = std::array::from_fn(|k| c[k] - b[k]);
        let x = (e[1] * f[2] - e[2] * f[1]).abs();
        let y = (e[2] * f[0] - e[0] * f[2]).abs();
        let z = (e[0] * f[1] - e[1] * f[0]).abs();
        if x <= f32::EPSILON && y <= f32::EPSILON && z <= f32::EPSILON {
            return None;
        }
        Some(if x > y && x > z {
            (1, 2)
        } else if z > x && z > y {
            (0, 1)
        } else {
            (0, 2)
        })
    })
}

/// Twice the signed area of a triangle.
fn cross(a: [f32; 2], b: [f32; 2], c: [f32; 2]) -> f32 {
    (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
}

/// Triangulation by ear clipping.
fn clip_ears(corners: &[Corner], flat: &[[f32; 2]], to: &mut Vec<[Corner; 3]>) {
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let (mut at, mut tries, mut before) = (0, left.len(), left.len());
    while left.len() > 3 && tries > 0 {
        let n = left.len();
        // also as in the reference, an ear found at the last try ends the search, and what is left is dropped
        tries = if n == before { tries - 1 } else { n };
        before = n;
        at %= n;
        let [i, j, k] = [at, (at + 1) % n, (at + 2) % n].map(|x| left[x]);
        // as in the reference (tinyobjloader), a turn is judged by the first side's own share of the area: where the origin is outside
        // a polygon, corners that are ears are passed over
        let area = (flat[i][0] * flat[j][1] - flat[i][1] * flat[j][0]) * 0.5;
        let is_ear = cross(flat[i], flat[j], flat[k]) * area >= 0.0
            && !(3..n).any(|x| inside(flat[left[(at + x) % n]], [flat[i], flat[j], flat[k]]));
        if !is_ear {
            at += 1;
            continue;
        }
        to.push([corners[i], corners[j], corners[k]]);
        left.remove((at + 1) % n);
    }
    if let &[i, j, k] = left.as_slice() {
        to.push([corners[i], corners[j], corners[k]]);
    }
}

/// True if a point is in a triangle: ray crossings by parity.
fn inside(p: [f32; 2], t: [[f32; 2]; 3]) -> bool {
    let mut odd = false;
    for (a, b) in [(t[0], t[2]), (t[1], t[0]), (t[2], t[1])] {
        if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0] {
            odd = !odd;
        }
    }
    odd
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f32; 3]]) -> Vec<[i32; 3]> {
        let corners: Vec<Corner> = (0..points.len()).map(|i| [i as i32, -1, -1]).collect();
        let mut to = Vec::new();
        triangulate(&corners, points, &mut to);
        to.iter().map(|t| t.map(|c| c[0])).collect()
    }

    #[test]
    fn a_quad_is_cut_across_its_shorter_diagonal() {
        let kite = [[0.0, 0.0, 0.0], [2.0, -1.0, 0.0], [4.0, 0.0, 0.0], [2.0, 1.0, 0.0]];
        assert_eq!(cut(&kite), [[0, 1, 3], [1, 2, 3]]);
    }

    #[test]
    fn ears_are_those_of_the_reference() {
        // a regular pentagon beside the origin: MuJoCo 3.17.0 cuts two ears, not a fan
        let points = [
            [-1.809, 2.588, 0.0],
            [-1.809, 1.412, 0.0],
            [-0.691, 1.049, 0.0],
            [0.0, 2.0, 0.0],
            [-0.691, 2.951, 0.0],
        ];
        assert_eq!(cut(&points), [[0, 1, 2], [3, 4, 0], [0, 2, 3]]);
    }

    #[test]
    fn an_ear_at_the_last_try_is_the_last() {
        // a rib of a public model, of which MuJoCo 3.17.0 keeps one triangle
        let points = [
            [0.02504132, -0.0264384, 0.05803599],
            [0.01607603, -0.02125122, 0.05898207],
            [0.01613376, -0.02336315, 0.05820022],
            [0.0220495, -0.02365025, 0.04351442],
            [0.02531431, -0.02874791, 0.05646778],
        ];
        assert_eq!(cut(&points), [[4, 0, 1]]);
    }

    #[test]
    fn a_polygon_with_a_dent_keeps_its_area() {
        let points = [[0.0, 0.0, 5.0], [4.0, 0.0, 5.0], [4.0, 4.0, 5.0], [2.0, 1.0, 5.0], [0.0, 4.0, 5.0]];
        let area: f32 = cut(&points)
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| [points[i as usize][0], points[i as usize][1]]);
                cross(a, b, c) / 2.0
            })
            .sum();
        assert!((area - 10.0).abs() < 1e-5);
        assert_eq!(cut(&points).len(), 3);
    }
}
