//! Counter-based random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
//! 1, 2, 3", SC 2011). A number depends on its key and counter only, not on what was drawn before.

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];
const ROUNDS: usize = 10;

/// Four random words.
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let ([mut a, mut b, mut c, mut d], mut key) = (counter, key);
    for _ in 0..ROUNDS {
        let (first, second) = (wide_product(a, MULTIPLIERS[0]), wide_product(c, MULTIPLIERS[1]));
        [a, b, c, d] = [second[0] ^ b ^ key[0], second[1], first[0] ^ d ^ key[1], first[1]];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    [a, b, c, d]
}

/// Product of two words: high and low word.
#[allow(clippy::cast_possible_truncation, reason = "halves of a word")]
fn wide_product(a: u32, b: u32) -> [u32; 2] {
    let product = u64::from(a) * u64::from(b);
    [(product >> 32) as u32, product as u32]
}

/// A number between 0 and 1, never either.
pub fn unit(word: u32) -> f64 {
    (f64::from(word) + 0.5) / 4_294_967_296.0
}

/// A number of the standard normal distribution (Box and Muller).
pub fn normal(words: [u32; 2]) -> f64 {
    (-2.0 * unit(words[0]).ln()).sqrt() * (std::f64::consts::TAU * unit(words[1])).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers of the authors' library (Random123, kat_vectors).
    #[test]
    fn words_are_those_of_the_authors() {
        let all = u32::MAX;
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        for (counter, key, want) in [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([all; 4], [all; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (pi, [0xa409_3822, 0x299f_31d0], [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]),
        ] {
            assert_eq!(philox(counter, key), want);
        }
    }

    #[test]
    fn numbers_stay_inside() {
        assert!(unit(0) > 0.0 && unit(u32::MAX) < 1.0);
        assert!(normal([0, 0]).is_finite() && normal([u32::MAX, u32::MAX]).is_finite());
    }
}
