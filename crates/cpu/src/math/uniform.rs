//! Uniform numbers without a state.

/// A number in `[0, 1)` that depends only on the arguments.
pub fn uniform(seed: u64, world: u64, draw: u64, index: u64) -> f64 {
    // mix one word at a time to decorrelate neighbouring arguments
    let word = [seed, world, draw, index].iter().fold(0, |hash, &x| mix(hash ^ x));
    (word >> 11) as f64 / (1u64 << 53) as f64
}

/// Finaliser of SplitMix64.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
