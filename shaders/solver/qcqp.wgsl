// The least value of a quadratic within an ellipsoid. Twin: src/cpu/solver/qcqp.rs, which says how it is found. One lane runs it.

//#if DUAL_CONE
// Most Newton steps, what counts as singular, and how near to the bound is on it, of its square.
const BOUND_STEPS: u32 = 20u;
const FLAT: f32 = 1e-10;
const NEAR_BOUND: f32 = 1e-6;

// The n elements of dual_y that make ½ y' A y + lack' y least, A and lack in dual_square and dual_lack, where the length of y
// over the friction of contact con is at most `bound`; on the bound where that holds it back.
fn bounded_minimum(con: u32, bound: f32, n: u32) {
    var multiplier = 0.0;
    for (var turn = 0u; turn < BOUND_STEPS; turn++) {
        // in units of the axes
        for (var i = 0u; i < n; i++) {
            let own = contact_friction(5u * con + i);
            for (var j = 0u; j <= i; j++) {
                let x = dual_square(5u * i + j) * own * contact_friction(5u * con + j);
                set_dual_factor(5u * i + j, select(x, x + multiplier, i == j));
            }
            set_dual_y(i, -(dual_lack(i) * own));
        }
        if (!factor_square(n)) {
            for (var k = 0u; k < n; k++) {
                set_dual_y(k, 0.0);
            }
            return;
        }
        solve_square__dual_y(n);
        var squares = 0.0;
        for (var k = 0u; k < n; k++) {
            squares += dual_y(k) * dual_y(k);
            set_dual_z(k, dual_y(k));
        }
        let over = squares - bound * bound;
        if (over < NEAR_BOUND * bound * bound) {
            break;
        }
        // the slope of the squared length is -2 y' (A + multiplier)⁻¹ y
        solve_square__dual_z(n);
        var slope = 0.0;
        for (var k = 0u; k < n; k++) {
            slope += 2.0 * dual_y(k) * dual_z(k);
        }
        multiplier += over / slope;
    }
    // on the bound, as near as numbers go
    var length2 = 0.0;
    for (var k = 0u; k < n; k++) {
        length2 += dual_y(k) * dual_y(k);
    }
    let stretch = select(1.0, bound / sqrt(max(length2, MINVAL)), multiplier != 0.0);
    for (var k = 0u; k < n; k++) {
        set_dual_y(k, dual_y(k) * contact_friction(5u * con + k) * stretch);
    }
}

// Replaces the lower triangle in dual_factor by its factors L D L'; false where it is singular.
fn factor_square(n: u32) -> bool {
    var determinant = 1.0;
    for (var j = 0u; j < n; j++) {
        for (var k = 0u; k < j; k++) {
            let x = dual_factor(5u * j + k) * dual_factor(5u * k + k);
            for (var i = j; i < n; i++) {
                set_dual_factor(5u * i + j, dual_factor(5u * i + j) - x * dual_factor(5u * i + k));
            }
        }
        let pivot = dual_factor(5u * j + j);
        determinant *= pivot;
        if (pivot <= select(0.0, FLAT, n > 3u)) {
            return false;
        }
        for (var i = j + 1u; i < n; i++) {
            set_dual_factor(5u * i + j, dual_factor(5u * i + j) / pivot);
        }
    }
    return n > 3u || determinant >= FLAT;
}

// Solves L D L' x = X in place.
fn solve_square__X(n: u32) {
    for (var i = 0u; i < n; i++) {
        for (var k = 0u; k < i; k++) {
            set_X(i, X(i) - dual_factor(5u * i + k) * X(k));
        }
    }
    for (var up = 0u; up < n; up++) {
        let i = n - 1u - up;
        set_X(i, X(i) / dual_factor(5u * i + i));
        for (var k = i + 1u; k < n; k++) {
            set_X(i, X(i) - dual_factor(5u * k + i) * X(k));
        }
    }
}
//#endif
