// Lengths and Jacobians of fixed tendons: weighted sums of joint coordinates. Twin: src/cpu/tendon.rs.

// A tendon path element that is a joint.
const WRAP_JOINT: i32 = 1;

fn tendon() {
    for (var ten = lane; ten < ntendon; ten += lanes) {
        set_ten_length(ten, fixed_length(ten));
        let adr = u32(ten_J_rowadr(ten));
        let end = adr + u32(ten_J_rownnz(ten));
        for (var k = adr; k < end; k++) {
            set_ten_J(k, fixed_moment(ten, ten_J_colind(k)));
        }
    }
}

// Weighted sum of the joint coordinates along the path.
fn fixed_length(ten: u32) -> f32 {
    let adr = u32(tendon_adr(ten));
    let end = adr + u32(tendon_num(ten));
    var length = 0.0;
    for (var w = adr; w < end; w++) {
        if (wrap_type(w) == WRAP_JOINT) {
            length += wrap_prm(w) * qpos(u32(jnt_qposadr(u32(wrap_objid(w)))));
        }
    }
    return length;
}

// Weight of one degree of freedom.
fn fixed_moment(ten: u32, dof: i32) -> f32 {
    let adr = u32(tendon_adr(ten));
    let end = adr + u32(tendon_num(ten));
    var moment = 0.0;
    for (var w = adr; w < end; w++) {
        if (wrap_type(w) == WRAP_JOINT && jnt_dofadr(u32(wrap_objid(w))) == dof) {
            moment += wrap_prm(w);
        }
    }
    return moment;
}
