// Small networks in formulas. Twin: crates/cpu/src/task/network.rs.

import package::math::trig::{any_exponential, hyperbolic_tangent};

// Most units of a layer, and most inputs and hidden layers.
const WIDEST: u32 = 64u;
const MOST_INPUTS: u32 = 32u;
const DEEPEST: u32 = 4u;

// Activations by their numbers.
const RELU: u32 = 1u;
const ELU: u32 = 2u;
const SOFTSIGN: u32 = 3u;
const SIGMOID: u32 = 4u;
const SILU: u32 = 5u;

// What a unit of a hidden layer makes of its sum.
fn activated(x: f32, activation: u32) -> f32 {
    switch (activation) {
        case RELU: { return max(x, 0.0); }
        case ELU: { return select(x, any_exponential(x) - 1.0, x < 0.0); }
        case SOFTSIGN: { return x / (1.0 + abs(x)); }
        case SIGMOID: { return 0.5 * (1.0 + hyperbolic_tangent(0.5 * x)); }
        case SILU: { return 0.5 * x * (1.0 + hyperbolic_tangent(0.5 * x)); }
        default: { return hyperbolic_tangent(x); }
    }
}

// Units of the last layer that was computed.
var<private> layer: array<f32, WIDEST>;

// Bias and weighted units of the layer; numbers begin at `at`.
fn weighted(at: u32, width: u32) -> f32 {
    var sum = numeric_data(at);
    for (var k = 0u; k < width; k++) {
        sum += numeric_data(at + 1u + k) * layer[k];
    }
    return sum;
}

// Output of a network for `count` inputs; its numbers begin at `first`, and a layer of no units is none.
fn network_output(inputs: array<f32, MOST_INPUTS>, count: u32, hidden: vec4u, activation: u32, first: u32) -> f32 {
    var given = inputs;
    var next: array<f32, WIDEST>;
    for (var k = 0u; k < count; k++) {
        layer[k] = given[k];
    }
    var at = first;
    var width = count;
    for (var l = 0u; l < DEEPEST && hidden[l] > 0u; l++) {
        for (var unit = 0u; unit < hidden[l]; unit++) {
            next[unit] = activated(weighted(at, width), activation);
            at += 1u + width;
        }
        layer = next;
        width = hidden[l];
    }
    // the output has no activation
    return weighted(at, width);
}
