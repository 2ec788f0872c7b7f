// Products with the tendon Jacobian. Twin: crates/cpu/src/smooth/tendon.rs.

// Product of one row of the tendon Jacobian with V.
fn mul_ten_j__V(ten: u32) -> f32 {
    let adr = u32(ten_J_rowadr(ten));
    let end = adr + u32(ten_J_rownnz(ten));
    var sum = 0.0;
    for (var k = adr; k < end; k++) {
        sum += ten_J(k) * V(u32(ten_J_colind(k)));
    }
    return sum;
}

// Element of a tendon's Jacobian.
fn tendon_element(ten: u32, dof: u32) -> f32 {
    let adr = u32(ten_J_rowadr(ten));
    for (var k = adr; k < adr + u32(ten_J_rownnz(ten)); k++) {
        if (u32(ten_J_colind(k)) == dof) {
            return ten_J(k);
        }
    }
    return 0.0;
}
