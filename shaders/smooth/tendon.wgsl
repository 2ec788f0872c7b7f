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
