// QCQP: a quadratic minimised within an ellipsoid. Twin: crates/cpu/src/solver/qcqp.rs, which explains the method. Runs on
// one lane.

//#if DUAL_ELLIPTIC
// Most Newton steps, threshold of singularity, and relative tolerance on the squared bound.
const QCQP_MAX_STEPS: u32 = 20u;
const QCQP_EPS: f32 = 1e-10;
const QCQP_BOUND_TOLERANCE: f32 = 1e-6;

// Minimiser qcqp_y of 1/2 y' A y + b' y, n elements with A and b in qcqp_A and qcqp_b, subject to a length of y over
// the friction of contact con of at most `bound`; on the boundary where that is active.
fn solve_qcqp(con: u32, bound: f32, n: u32) {
    var multiplier = 0.0;
    for (var turn = 0u; turn < QCQP_MAX_STEPS; turn++) {
        // scaled by the semi-axes
        for (var i = 0u; i < n; i++) {
            let own = contact_friction(5u * con + i);
            for (var j = 0u; j <= i; j++) {
                let x = qcqp_A(5u * i + j) * own * contact_friction(5u * con + j);
                set_qcqp_LD(5u * i + j, select(x, x + multiplier, i == j));
            }
            set_qcqp_y(i, -(qcqp_b(i) * own));
        }
        if (!factor(n)) {
            for (var k = 0u; k < n; k++) {
                set_qcqp_y(k, 0.0);
            }
            return;
        }
        solve__qcqp_y(n);
        var squares = 0.0;
        for (var k = 0u; k < n; k++) {
            squares += qcqp_y(k) * qcqp_y(k);
            set_qcqp_z(k, qcqp_y(k));
        }
        let over = squares - bound * bound;
        if (over < QCQP_BOUND_TOLERANCE * bound * bound) {
            break;
        }
        // derivative of the squared length with respect to the multiplier: -2 y' (A + multiplier)^-1 y
        solve__qcqp_z(n);
        var slope = 0.0;
        for (var k = 0u; k < n; k++) {
            slope += 2.0 * qcqp_y(k) * qcqp_z(k);
        }
        multiplier += over / slope;
    }
    // rescaled onto the boundary
    var length2 = 0.0;
    for (var k = 0u; k < n; k++) {
        length2 += qcqp_y(k) * qcqp_y(k);
    }
    let stretch = select(1.0, bound / sqrt(max(length2, MINVAL)), multiplier != 0.0);
    for (var k = 0u; k < n; k++) {
        set_qcqp_y(k, qcqp_y(k) * contact_friction(5u * con + k) * stretch);
    }
}

// Replaces the lower triangle in qcqp_LD by its factors L D L'; false if it is singular.
fn factor(n: u32) -> bool {
    var determinant = 1.0;
    for (var j = 0u; j < n; j++) {
        for (var k = 0u; k < j; k++) {
            let x = qcqp_LD(5u * j + k) * qcqp_LD(5u * k + k);
            for (var i = j; i < n; i++) {
                set_qcqp_LD(5u * i + j, qcqp_LD(5u * i + j) - x * qcqp_LD(5u * i + k));
            }
        }
        let pivot = qcqp_LD(5u * j + j);
        determinant *= pivot;
        if (pivot <= select(0.0, QCQP_EPS, n > 3u)) {
            return false;
        }
        for (var i = j + 1u; i < n; i++) {
            set_qcqp_LD(5u * i + j, qcqp_LD(5u * i + j) / pivot);
        }
    }
    return n > 3u || determinant >= QCQP_EPS;
}

// Solves L D L' x = X in place.
fn solve__X(n: u32) {
    for (var i = 0u; i < n; i++) {
        for (var k = 0u; k < i; k++) {
            set_X(i, X(i) - qcqp_LD(5u * i + k) * X(k));
        }
    }
    for (var up = 0u; up < n; up++) {
        let i = n - 1u - up;
        set_X(i, X(i) / qcqp_LD(5u * i + i));
        for (var k = i + 1u; k < n; k++) {
            set_X(i, X(i) - qcqp_LD(5u * k + i) * X(k));
        }
    }
}
//#endif
