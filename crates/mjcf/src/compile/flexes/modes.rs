//! Eigenvectors of small symmetric matrices, by Jacobi rotations in a fixed order.

/// Sweeps over all rotations.
const SWEEPS: usize = 100;

/// Relative size of what counts as zero off the diagonal: rounding would turn equal modes among themselves.
const ZERO: f64 = 5e-14;

/// An eigenvalue and its unit eigenvector.
pub(super) type Mode = (f64, Vec<f64>);

/// The `count` eigenvectors with the largest eigenvalues, in the order of the diagonal that they end on.
pub(super) fn modes(mut matrix: Vec<f64>, n: usize, count: usize) -> Vec<Mode> {
    // rows are eigenvectors at the end
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    let zero = ZERO * (0..n).map(|i| matrix[i * n + i].abs()).fold(0.0, f64::max);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                if matrix[p * n + q].abs() > zero {
                    rotate(&mut matrix, &mut vectors, n, [p, q]);
                    rotated = true;
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| matrix[b * n + b].total_cmp(&matrix[a * n + a]));
    order.truncate(count);
    order.sort_unstable();
    order.iter().map(|&i| (matrix[i * n + i], vectors[i * n..(i + 1) * n].to_vec())).collect()
}

/// Makes an entry zero by a rotation of two axes.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], n: usize, [p, q]: [usize; 2]) {
    let off = matrix[p * n + q];
    let ratio = (matrix[q * n + q] - matrix[p * n + p]) / (2.0 * off);
    let sign = if ratio >= 0.0 { 1.0 } else { -1.0 };
    let tangent = sign / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let turn = |x: f64, y: f64| (cosine * x - sine * y, sine * x + cosine * y);
    for k in 0..n {
        (matrix[k * n + p], matrix[k * n + q]) = turn(matrix[k * n + p], matrix[k * n + q]);
    }
    for k in 0..n {
        (matrix[p * n + k], matrix[q * n + k]) = turn(matrix[p * n + k], matrix[q * n + k]);
        (vectors[p * n + k], vectors[q * n + k]) = turn(vectors[p * n + k], vectors[q * n + k]);
    }
    (matrix[p * n + q], matrix[q * n + p]) = (0.0, 0.0);
}

/// Eigenvectors whose squared lengths are their eigenvalues.
pub(super) fn scaled(modes: &[Mode]) -> Vec<Vec<f64>> {
    let scale = |(value, vector): &Mode| vector.iter().map(|x| x * value.max(0.0).sqrt()).collect();
    modes.iter().map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_of_a_chain() {
        // eigenvalues of the second difference: 2 - 2 cos(k pi / 5)
        let n = 4;
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            matrix[i * n + i] = 2.0;
            if i + 1 < n {
                (matrix[i * n + i + 1], matrix[(i + 1) * n + i]) = (-1.0, -1.0);
            }
        }
        let all = modes(matrix, n, 3);
        let mut values: Vec<f64> = all.iter().map(|m| m.0).collect();
        values.sort_by(f64::total_cmp);
        for (k, value) in values.iter().enumerate() {
            let expected = 2.0 - 2.0 * (std::f64::consts::PI * (k + 2) as f64 / 5.0).cos();
            assert!((value - expected).abs() < 1e-14, "{value} {expected}");
        }
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let dot: f64 = a.1.iter().zip(&b.1).map(|(x, y)| x * y).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }
}
