// Elementary functions. Vulkan allows the built-in ones errors of 5e-4 and more; these are accurate to about 2 ulp
// and identical on every device. Polynomials: Moshier, Cephes Mathematical Library.

import package::math::vector::is_finite;

const PI: f32 = 3.14159265358979;
const HALF_PI: f32 = 1.57079632679490;

// Number of quarter turns in x, and the remainder in [-pi/4, pi/4] (Cody-Waite reduction).
fn quarter_turns(x: f32) -> vec2f {
    let n = round(x * 0.636619772367581);
    let r = ((x - n * 1.5703125) - n * 4.837512969970703e-4) - n * 7.549789954891e-8;
    return vec2f(n, r);
}

// Sine on [-pi/4, pi/4].
fn sin_core(r: f32) -> f32 {
    let z = r * r;
    return ((-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1) * z * r + r;
}

// Cosine on [-pi/4, pi/4].
fn cos_core(r: f32) -> f32 {
    let z = r * r;
    return ((2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2) * z * z - 0.5 * z + 1.0;
}

// (sin x, cos x)
fn sincos(x: f32) -> vec2f {
    let t = quarter_turns(x);
    let k = i32(t.x) & 3;
    let s = sin_core(t.y);
    let c = cos_core(t.y);
    let swapped = select(vec2f(s, c), vec2f(c, s), (k & 1) == 1);
    let sine = select(swapped.x, -swapped.x, k >= 2);
    let cosine = select(swapped.y, -swapped.y, k == 1 || k == 2);
    return vec2f(sine, cosine);
}

// Arc tangent of a / b in all four quadrants.
fn arctan2(a: f32, b: f32) -> f32 {
    let x = abs(b);
    let y = abs(a);
    let big = max(x, y);
    if (big == 0.0) {
        return 0.0;
    }
    var t = min(x, y) / big;
    // reduce to [0, tan(pi/8)]
    var offset = 0.0;
    if (t > 0.414213562373095) {
        t = (t - 1.0) / (t + 1.0);
        offset = 0.785398163397448;
    }
    let z = t * t;
    var angle = offset + (((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1) * z * t + t;
    // back to the quadrant
    if (y > x) {
        angle = HALF_PI - angle;
    }
    if (b < 0.0) {
        angle = PI - angle;
    }
    return select(angle, -angle, a < 0.0);
}

// Natural logarithm of a positive normal number.
fn logarithm(x: f32) -> f32 {
    // split into mantissa in [sqrt(1/2), sqrt(2)) and exponent
    let bits = bitcast<u32>(x);
    var e = f32(i32(bits >> 23u) - 126);
    var m = bitcast<f32>((bits & 0x007fffffu) | 0x3f000000u);
    if (m < 0.707106781186548) {
        e = e - 1.0;
        m = m + m - 1.0;
    } else {
        m = m - 1.0;
    }
    let z = m * m;
    var p = 7.0376836292e-2;
    p = p * m - 1.1514610310e-1;
    p = p * m + 1.1676998740e-1;
    p = p * m - 1.2420140846e-1;
    p = p * m + 1.4249322787e-1;
    p = p * m - 1.6668057665e-1;
    p = p * m + 2.0000714765e-1;
    p = p * m - 2.4999993993e-1;
    p = p * m + 3.3333331174e-1;
    let y = p * m * z - 2.12194440e-4 * e - 0.5 * z;
    return m + y + 0.693359375 * e;
}

// exp(x), with x clamped to [-87, 88].
fn exponential(x: f32) -> f32 {
    let n = round(clamp(x, -87.0, 88.0) * 1.44269504088896);
    let r = (clamp(x, -87.0, 88.0) - n * 0.693359375) + n * 2.12194440e-4;
    var p = 1.9875691500e-4;
    p = p * r + 1.3981999507e-3;
    p = p * r + 8.3334519073e-3;
    p = p * r + 4.1665795894e-2;
    p = p * r + 1.6666665459e-1;
    p = p * r + 5.0000001201e-1;
    let y = p * r * r + r + 1.0;
    return y * bitcast<f32>(u32(i32(n) + 127) << 23u);
}

// exp(x) - 1, by its series where x is small.
fn exponential_m1(x: f32) -> f32 {
    if (abs(x) > 0.35) {
        return exponential(x) - 1.0;
    }
    var p = 1.98412698e-4;
    p = p * x + 1.38888889e-3;
    p = p * x + 8.33333333e-3;
    p = p * x + 4.16666667e-2;
    p = p * x + 1.66666667e-1;
    p = p * x + 0.5;
    return p * x * x + x;
}

// x to the power p for x >= 0.
fn power(x: f32, p: f32) -> f32 {
    if (p == 0.0) {
        return 1.0;
    }
    if (p == 1.0) {
        return x;
    }
    if (p == 2.0) {
        return x * x;
    }
    if (x <= 0.0) {
        return 0.0;
    }
    return exponential(p * logarithm(x));
}

// Natural logarithm: minus infinity for zero, NaN below.
fn any_logarithm(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (is_finite(x) && x > 0.0) {
        return logarithm(x);
    }
    let special = select(0x7fc00000u, 0xff800000u, (bits << 1u) == 0u);
    return bitcast<f32>(select(special, bits, bits == 0x7f800000u));
}

// Exponential: infinity where it is no number of single precision.
fn any_exponential(x: f32) -> f32 {
    if (!is_finite(x)) {
        return select(x, 0.0, bitcast<u32>(x) == 0xff800000u);
    }
    let half = exponential(0.5 * x);
    return select(exponential(x), half * half, x > 88.0 || x < -87.0);
}

// Hyperbolic tangent, without overflow.
fn hyperbolic_tangent(x: f32) -> f32 {
    let e = exponential(-2.0 * abs(x));
    let y = (1.0 - e) / (1.0 + e);
    return select(y, -y, x < 0.0);
}
