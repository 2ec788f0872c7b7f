//! Built-in shapes.

use std::collections::HashMap;
use std::f64::consts::PI;

use glam::DVec3;

use super::{Fault, Inertia, Raw};

/// Largest resolution of a built-in shape.
const MAX_RESOLUTION: f64 = 1000.0;

/// Generates a built-in shape by name; some shapes prescribe the kind of inertia.
///
/// # Errors
/// Unknown shape, or parameters that do not fit it.
pub fn builtin(name: &str, params: &[f64]) -> Result<(Raw, Option<Inertia>), Fault> {
    let raw = match name {
        "sphere" => sphere(count(params, 1, 0.0, 4.0, "sphere: subdivisions (0 to 4)")?),
        "hemisphere" => hemisphere(count(params, 1, 0.0, 10.0, "hemisphere: resolution (0 to 10)")?),
        "cone" => {
            let n =
                count(params, 2, 3.0, MAX_RESOLUTION, "cone: sides (3 or more), radius of the top (0 to 1)")?;
            cone(n, within(params[1], 0.0, 1.0, "the radius of the top is between 0 and 1")?)
        }
        "supersphere" => {
            let usage = "supersphere: resolution (3 or more), e and n (0 or more)";
            let n = count(params, 3, 3.0, MAX_RESOLUTION, usage)?;
            let e = within(params[1], 0.0, 1e6, "exponents are not negative")?;
            supersphere(n, e, within(params[2], 0.0, 1e6, "exponents are not negative")?)
        }
        "supertorus" => {
            let usage = "supertorus: resolution (3 or more), radius of the tube (up to 1), s and t (above 0)";
            let n = count(params, 4, 3.0, MAX_RESOLUTION, usage)?;
            let radius = within(params[1], f64::MIN_POSITIVE, 1.0, "the radius of the tube is at most 1")?;
            let s = within(params[2], f64::MIN_POSITIVE, 1e6, "exponents are positive")?;
            supertorus(n, radius, s, within(params[3], f64::MIN_POSITIVE, 1e6, "exponents are positive")?)
        }
        "plate" => {
            let usage = "plate: resolutions along x and y";
            let n = count(params, 2, 1.0, MAX_RESOLUTION, usage)?;
            let m = count(&params[1..], 1, 1.0, MAX_RESOLUTION, usage)?;
            return Ok((plate(n, m), Some(Inertia::Shell)));
        }
        "wedge" => wedge(params)?,
        "none" | "grid" | "box" | "cylinder" | "ellipsoid" | "square" | "disc" => {
            let help = "builtin meshes: sphere, hemisphere, cone, supersphere, supertorus, wedge, plate";
            return Err(Fault::new(format!("builtin mesh '{name}' is not supported here"), help));
        }
        _ => {
            let help = "builtin meshes: sphere, hemisphere, cone, supersphere, supertorus, wedge, plate";
            return Err(Fault::new(format!("unknown builtin mesh '{name}'"), help));
        }
    };
    Ok((raw, None))
}

/// The first of `wanted` parameters, as an integer in a range.
fn count(params: &[f64], wanted: usize, low: f64, high: f64, usage: &'static str) -> Result<usize, Fault> {
    if params.len() != wanted {
        return Err(Fault::new(format!("{} parameters, not {wanted}", params.len()), usage));
    }
    let n = params[0].trunc();
    if !(low..=high).contains(&n) {
        return Err(Fault::new(format!("the resolution is {n}, not between {low} and {high}"), usage));
    }
    Ok(n as usize)
}

fn within(x: f64, low: f64, high: f64, help: &'static str) -> Result<f64, Fault> {
    if (low..=high).contains(&x) {
        Ok(x)
    } else {
        Err(Fault::new(format!("the parameter {x} is out of range"), help))
    }
}

fn single(vert: &[DVec3]) -> Vec<[f32; 3]> {
    vert.iter().map(|v| v.to_array().map(|x| x as f32)).collect()
}

/// Icosphere: an icosahedron subdivided repeatedly, with vertices on the unit sphere.
fn sphere(subdivisions: usize) -> Raw {
    let (a, b) = {
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let length = (1.0 + golden * golden).sqrt();
        (1.0 / length, golden / length)
    };
    let mut vert: Vec<DVec3> = [
        [-a, b, 0.0],
        [a, b, 0.0],
        [-a, -b, 0.0],
        [a, -b, 0.0],
        [0.0, -a, b],
        [0.0, a, b],
        [0.0, -a, -b],
        [0.0, a, -b],
        [b, 0.0, -a],
        [b, 0.0, a],
        [-b, 0.0, -a],
        [-b, 0.0, a],
    ]
    .map(DVec3::from_array)
    .to_vec();
    let mut face: Vec<[i32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..subdivisions {
        let mut middle: HashMap<(i32, i32), i32> = HashMap::new();
        let mut between = |a: i32, b: i32| {
            *middle.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let middle = vert[a as usize] + vert[b as usize];
                vert.push(middle / middle.length());
                vert.len() as i32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * face.len());
        for &[a, b, c] in &face {
            let (p, q, r) = (between(a, b), between(b, c), between(c, a));
            finer.extend([[a, p, r], [b, q, p], [c, r, q], [p, q, r]]);
        }
        face = finer;
    }
    Raw { vert: single(&vert), face, ..Raw::default() }
}

/// A quarter of an octahedron, subdivided, four times around; closed by a fan at the bottom.
fn hemisphere(resolution: usize) -> Raw {
    let rings = resolution + 1;
    let mut vert = vec![DVec3::Z];
    // ring i has 4i points: i per quarter
    for i in 1..=rings {
        for side in 0..4 {
            let axis = |k: usize| [DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y][k % 4];
            for j in 0..i {
                let flat = axis(side) * (i - j) as f64 + axis(side + 1) * j as f64;
                vert.push((flat + DVec3::Z * (rings - i) as f64).normalize());
            }
        }
    }
    let start = |ring: usize| if ring == 0 { 0 } else { 1 + 2 * ring * (ring - 1) };
    let point = |ring: usize, k: usize| if ring == 0 { 0 } else { (start(ring) + k % (4 * ring)) as i32 };
    let mut face = Vec::new();
    for i in 0..rings {
        for side in 0..4 {
            for j in 0..=i {
                let (inner, outer) = (side * i + j, side * (i + 1) + j);
                face.push([point(i, inner), point(i + 1, outer), point(i + 1, outer + 1)]);
                if j < i {
                    face.push([point(i, inner), point(i + 1, outer + 1), point(i, inner + 1)]);
                }
            }
        }
    }
    vert.push(DVec3::ZERO);
    let center = vert.len() as i32 - 1;
    let rim = 4 * rings;
    face.extend((0..rim).map(|k| [point(rings, k), center, point(rings, k + 1)]));
    Raw { vert: single(&vert), face, ..Raw::default() }
}

/// A cone, optionally truncated at a radius; its faces come from the convex hull.
fn cone(sides: usize, radius: f64) -> Raw {
    let mut vert: Vec<DVec3> = Vec::new();
    let circle = |k: usize, radius: f64, z: f64| {
        let angle = 2.0 * PI * k as f64 / sides as f64;
        DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    vert.extend((0..sides).map(|k| circle(k, 1.0, -1.0)));
    if radius > 0.0 {
        vert.extend((sides..2 * sides).map(|k| circle(k, radius, 1.0)));
    } else {
        vert.push(DVec3::Z);
    }
    Raw { vert: single(&vert), ..Raw::default() }
}

/// Signed power.
fn power(x: f64, exponent: f64) -> f64 {
    x.signum() * x.abs().powf(exponent)
}

/// A superellipsoid: bottom pole, rings upwards, top pole.
fn supersphere(n: usize, e: f64, m: f64) -> Raw {
    let mut vert = vec![DVec3::NEG_Z];
    for i in 1..n {
        let v = -PI / 2.0 + PI * i as f64 / n as f64;
        for j in 0..n {
            let u = -PI + 2.0 * PI * j as f64 / n as f64;
            let across = power(v.cos(), m);
            vert.push(DVec3::new(across * power(u.cos(), e), across * power(u.sin(), e), power(v.sin(), m)));
        }
    }
    vert.push(DVec3::Z);
    let point = |ring: usize, k: usize| (1 + ring * n + k % n) as i32;
    let top = vert.len() as i32 - 1;
    let mut face: Vec<[i32; 3]> = (0..n).map(|k| [0, point(0, k + 1), point(0, k)]).collect();
    for i in 0..n - 2 {
        for k in 0..n {
            face.push([point(i, k), point(i, k + 1), point(i + 1, k)]);
            face.push([point(i, k + 1), point(i + 1, k + 1), point(i + 1, k)]);
        }
    }
    face.extend((0..n).map(|k| [point(n - 2, k), point(n - 2, k + 1), top]));
    Raw { vert: single(&vert), face, ..Raw::default() }
}

/// A supertoroid.
fn supertorus(n: usize, radius: f64, s: f64, t: f64) -> Raw {
    let mut vert = Vec::new();
    let angle = |k: usize| 2.0 * PI * k as f64 / n as f64;
    for i in 0..n {
        for j in 0..n {
            let (u, v) = (angle(i), angle(j));
            let across = 1.0 + radius * power(v.cos(), s);
            vert.push(DVec3::new(
                across * power(u.cos(), t),
                across * power(u.sin(), t),
                radius * power(v.sin(), s),
            ));
        }
    }
    let point = |i: usize, j: usize| ((i % n) * n + j % n) as i32;
    let mut face = Vec::new();
    for i in 0..n {
        for j in 0..n {
            face.push([point(i, j), point(i + 1, j), point(i, j + 1)]);
            face.push([point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)]);
        }
    }
    Raw { vert: single(&vert), face, ..Raw::default() }
}

/// Midpoints of equal parts of an angular range about zero, in degrees; compressed near zero by a factor.
fn middles(count: usize, range: f64, narrow: f64) -> Vec<f64> {
    let edge = |k: usize| {
        let x = 2.0 * k as f64 / count as f64 - 1.0;
        (narrow * x.powi(5) + (1.0 - narrow) * x) * range.to_radians()
    };
    (0..count).map(|k| 0.5 * (edge(k) + edge(k + 1))).collect()
}

/// A wedge of the unit sphere about the negative z axis, with a frame at each vertex.
fn wedge(params: &[f64]) -> Result<Raw, Fault> {
    let usage = "wedge: resolutions, half ranges in degrees (to 180 and 90), narrowing (0 to 1)";
    let n = count(params, 5, 1.0, MAX_RESOLUTION, usage)?;
    let m = count(&params[1..2], 1, 1.0, MAX_RESOLUTION, usage)?;
    let wide = within(params[2], f64::MIN_POSITIVE, 180.0, usage)?;
    let high = within(params[3], f64::MIN_POSITIVE, 90.0, usage)?;
    let narrow = within(params[4], 0.0, 1.0, usage)?;
    let (mut vert, mut normal) = (Vec::new(), Vec::new());
    for a in middles(n, wide, narrow) {
        for e in middles(m, high, narrow) {
            let out = DVec3::new(e.cos() * a.sin(), e.sin(), -e.cos() * a.cos());
            vert.push(out);
            let right = DVec3::new(a.cos(), 0.0, a.sin());
            let up = DVec3::new(-e.sin() * a.sin(), e.cos(), e.sin() * a.cos());
            normal.extend([out, right, up]);
        }
    }
    Ok(Raw { vert: single(&vert), normal: single(&normal), ..Raw::default() })
}

/// A flat grid, with a frame at each vertex.
fn plate(n: usize, m: usize) -> Raw {
    let at = |k: usize, n: usize| 2.0 * (k as f64 + 0.5) / n as f64 - 1.0;
    let mut vert = Vec::new();
    for i in 0..n {
        vert.extend((0..m).map(|j| DVec3::new(at(i, n), at(j, m), -1.0)));
    }
    let point = |i: usize, j: usize| (i * m + j) as i32;
    let mut face = Vec::new();
    for i in 0..n - 1 {
        for j in 0..m - 1 {
            face.push([point(i, j), point(i + 1, j), point(i, j + 1)]);
            face.push([point(i + 1, j + 1), point(i, j + 1), point(i + 1, j)]);
        }
    }
    let normal = vert.iter().flat_map(|_| [DVec3::X, DVec3::Y, DVec3::Z]).collect::<Vec<_>>();
    Raw { vert: single(&vert), normal: single(&normal), face, ..Raw::default() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn closed_shapes_have_each_edge_once_in_each_direction() {
        for (name, params) in [
            ("sphere", vec![2.0]),
            ("hemisphere", vec![3.0]),
            ("supersphere", vec![5.0, 0.5, 1.0]),
            ("supertorus", vec![6.0, 0.3, 1.0, 1.0]),
        ] {
            let (raw, _) = builtin(name, &params).unwrap();
            let mut edges: Vec<(i32, i32)> =
                raw.face.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]).collect();
            edges.sort_unstable();
            let turned = |e: &(i32, i32)| edges.binary_search(&(e.1, e.0)).is_ok();
            assert!(edges.windows(2).all(|w| w[0] != w[1]) && edges.iter().all(turned), "{name}");
        }
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for (name, params) in [("sphere", vec![5.0]), ("cone", vec![2.0, 0.5]), ("torus", vec![1.0])] {
            assert!(builtin(name, &params).is_err());
        }
    }
}
