//! Small networks in formulas.

use manyworlds_model::model::task::{Activation, Network, WIDEST, tanh};
use manyworlds_model::real::Real;

/// Elements that are computed together.
const ELEMENTS: usize = 8;

/// What a unit of a hidden layer makes of its sum.
#[inline(always)]
fn activated<T: Real>(x: T, activation: Activation) -> T {
    let half = T::of(0.5);
    match activation {
        Activation::Tanh => tanh(x),
        Activation::Relu => x.max(T::ZERO),
        Activation::Elu if x < T::ZERO => x.exp() - T::ONE,
        Activation::Elu => x,
        Activation::Softsign => x / (T::ONE + x.abs()),
        Activation::Sigmoid => half * (T::ONE + tanh(half * x)),
        Activation::Silu => half * x * (T::ONE + tanh(half * x)),
    }
}

/// Outputs of a network, one for each element of its inputs; `input` is an input, by its number, of an element.
pub(super) fn network_output<T: Real>(
    network: &Network,
    numbers: &[T],
    input: impl Fn(usize, usize) -> T,
    out: &mut [T],
) {
    let numbers = numbers.get(network.first..).unwrap_or_default();
    for (block, out) in out.chunks_mut(ELEMENTS).enumerate() {
        let (mut layer, mut next) = ([[T::ZERO; ELEMENTS]; WIDEST], [[T::ZERO; ELEMENTS]; WIDEST]);
        for (k, unit) in layer.iter_mut().enumerate().take(network.inputs) {
            for e in 0..out.len() {
                unit[e] = input(k, block * ELEMENTS + e);
            }
        }
        let (mut at, mut width) = (0, network.inputs);
        for &units in &network.hidden {
            for unit in next.iter_mut().take(units) {
                let sum = weighted(numbers, at, &layer[..width]);
                *unit = sum.map(|x| activated(x, network.activation));
                at += 1 + width;
            }
            std::mem::swap(&mut layer, &mut next);
            width = units;
        }
        out.copy_from_slice(&weighted(numbers, at, &layer[..width])[..out.len()]);
    }
}

/// Bias and weighted units of a layer, for each element; numbers begin at `at`.
#[inline(always)]
fn weighted<T: Real>(numbers: &[T], at: usize, layer: &[[T; ELEMENTS]]) -> [T; ELEMENTS] {
    let Some((bias, weights)) = numbers.get(at..).and_then(<[T]>::split_first) else {
        return [T::ZERO; ELEMENTS];
    };
    let mut sum = [*bias; ELEMENTS];
    for (unit, weight) in layer.iter().zip(weights) {
        for (x, value) in sum.iter_mut().zip(unit) {
            *x += *weight * *value;
        }
    }
    sum
}
