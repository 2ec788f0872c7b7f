// Counter-based random numbers: Philox 4x32-10. Twin: crates/cpu/src/math/philox.rs.

// Product of two words: high and low word.
fn wide_product(a: u32, b: u32) -> vec2u {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
    return vec2u((a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u), a * b);
}

// Four random words.
fn philox(counter: vec4u, key: vec2u) -> vec4u {
    var x = counter;
    var k = key;
    for (var round = 0u; round < 10u; round++) {
        let first = wide_product(x.x, 0xd2511f53u);
        let second = wide_product(x.z, 0xcd9e8d57u);
        x = vec4u(second.x ^ x.y ^ k.x, second.y, first.x ^ x.w ^ k.y, first.y);
        k += vec2u(0x9e3779b9u, 0xbb67ae85u);
    }
    return x;
}

// A number between 0 and 1, never either: the bits of the word that single precision holds.
fn unit(word: u32) -> f32 {
    return (f32(word >> 9u) + 0.5) * 1.1920928955078125e-7;
}
