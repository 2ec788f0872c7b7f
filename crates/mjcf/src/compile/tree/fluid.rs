//! Coefficients of the ellipsoid fluid model: drag, lift, virtual mass and virtual inertia.

use manyworlds_model::real::MINVAL;
use manyworlds_model::schema::enums::geom as kind;

/// Nodes and weights of the 15-point Kronrod rule on the unit interval (Kronrod 1965), to MuJoCo's 8 digits: its
/// quadrature error is part of the compiled numbers.
const RULE: [(f64, f64); 15] = [
    (0.00427231, 0.01146766),
    (0.02544604, 0.03154605),
    (0.06756779, 0.05239501),
    (0.12923441, 0.07032663),
    (0.20695638, 0.08450236),
    (0.29707742, 0.09517529),
    (0.39610752, 0.10221647),
    (0.5, 0.10474107),
    (0.60389248, 0.10221647),
    (0.70292258, 0.09517529),
    (0.79304362, 0.08450236),
    (0.87076559, 0.07032663),
    (0.93243221, 0.05239501),
    (0.97455396, 0.03154605),
    (0.99572769, 0.01146766),
];

/// A row of `geom_fluid`: 1 if the geom interacts with the fluid, blunt and slender drag, angular drag, Kutta and
/// Magnus lift, virtual mass by axis in m^3, virtual inertia by axis in m^5.
pub(crate) fn coefficients(shape: i32, size: [f64; 3], coef: [f64; 5]) -> [f64; 12] {
    let axes = semiaxes(shape, size);
    let kappa = [0, 1, 2].map(|i| kappa(axes, i));
    let volume = 4.0 / 3.0 * std::f64::consts::PI * axes.iter().product::<f64>();
    let mut row = [0.0; 12];
    row[0] = 1.0;
    row[1..6].copy_from_slice(&coef);
    for i in 0..3 {
        row[6 + i] = volume * kappa[i] / (2.0 - kappa[i]).max(MINVAL);
        row[9 + i] = volume * virtual_inertia(axes, kappa, i);
    }
    row
}

/// Semi-axes of the equivalent ellipsoid.
fn semiaxes(shape: i32, size: [f64; 3]) -> [f64; 3] {
    let [a, b, _] = size;
    match shape {
        kind::SPHERE => [a, a, a],
        kind::CAPSULE => [a, a, a + b],
        kind::CYLINDER => [a, a, b],
        _ => size,
    }
}

/// Potential-flow integral of an ellipsoid along an axis (Lamb 1932, section 114), mapped to the unit interval
/// by the substitution lambda = s x^3 / (1 - x)^2.
fn kappa(axes: [f64; 3], along: usize) -> f64 {
    let squares = axes.map(|a| a * a);
    let scale = (squares[along] * axes.iter().product::<f64>()).powf(0.4);
    let term = |(x, weight): (f64, f64)| {
        let rest = 1.0 - x;
        let lambda = scale * x * x * x / (rest * rest);
        let rate = scale * x * x * (3.0 - x) / (rest * rest * rest);
        let product: f64 = squares.iter().map(|s| 1.0 + lambda / s).product();
        weight * rate / (squares[along] * (1.0 + lambda / squares[along]) * product.sqrt())
    };
    RULE.iter().copied().map(term).sum()
}

/// Virtual inertia about an axis per volume (Lamb 1932, section 115); zero for a spheroid about its axis.
fn virtual_inertia(axes: [f64; 3], kappa: [f64; 3], about: usize) -> f64 {
    let (p, q) = ((about + 1) % 3, (about + 2) % 3);
    let (difference, sum) = (axes[p] * axes[p] - axes[q] * axes[q], axes[p] * axes[p] + axes[q] * axes[q]);
    let turn = kappa[q] - kappa[p];
    let divisor = 2.0 * difference - sum * turn;
    if divisor.abs() < MINVAL { 0.0 } else { difference * difference * turn / (5.0 * divisor) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_drags_half_its_volume_and_no_inertia() {
        let row = coefficients(kind::SPHERE, [0.2, 0.0, 0.0], [0.5, 0.25, 1.5, 1.0, 1.0]);
        let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.008;
        for i in 0..3 {
            assert!((row[6 + i] - volume / 2.0).abs() < 1e-8);
            assert!(row[9 + i].abs() < 1e-12);
        }
    }
}
