// Lengths and Jacobians of tendons: weighted sums of joint coordinates, or paths through sites, around geoms and over
// pulleys. Twin: src/cpu/tendon.rs.

fn tendon() {
    for (var ten = lane; ten < ntendon; ten += lanes) {
//#if SPATIAL
        if (wrap_type(u32(tendon_adr(ten))) != WRAP_JOINT) {
            spatial(ten);
            continue;
        }
//#endif
        set_ten_length(ten, fixed_length(ten));
        let adr = u32(ten_J_rowadr(ten));
        let end = adr + u32(ten_J_rownnz(ten));
        for (var k = adr; k < end; k++) {
            // of a joint that comes twice, the first entry has all
            var again = false;
            if (k > adr) {
                again = ten_J_colind(k - 1u) == ten_J_colind(k);
            }
            set_ten_J(k, select(fixed_moment(ten, ten_J_colind(k)), 0.0, again));
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

// A point of the path and the body that it is fixed to.
struct Fixed {
    pos: vec3f,
    body: u32,
}

// Length and Jacobian of one tendon with a path in space.
fn spatial(ten: u32) {
    let adr = u32(ten_J_rowadr(ten));
    let row_end = adr + u32(ten_J_rownnz(ten));
    set_ten_length(ten, 0.0);
    for (var k = adr; k < row_end; k++) {
        set_ten_J(k, 0.0);
    }
    var w = u32(tendon_adr(ten));
    let end = w + u32(tendon_num(ten));
    var divisor = 1.0;
    while (w + 1u < end) {
        if (wrap_type(w) == WRAP_PULLEY) {
            divisor = wrap_prm(w);
            w += 1u;
        } else if (wrap_type(w + 1u) == WRAP_PULLEY) {
            w += 1u;
        } else if (wrap_type(w + 1u) == WRAP_SITE) {
            straight(ten, path_site(w), path_site(w + 1u), divisor);
            w += 1u;
        } else {
//#if WRAP
            bent(ten, w, divisor);
//#endif
            w += 2u;
        }
    }
}

// The site of a path element.
fn path_site(w: u32) -> Fixed {
    let id = u32(wrap_objid(w));
    return Fixed(site_xpos_vec3(id), u32(site_bodyid(id)));
}

// The part from the site at w around the geom behind it to the next site.
fn bent(ten: u32, w: u32, divisor: f32) {
    let begin = path_site(w);
    let stop = path_site(w + 2u);
    let geom = u32(wrap_objid(w + 1u));
    let side = wrap_prm(w + 1u);
    var obstacle = Obstacle(
        geom_xpos_vec3(geom),
        geom_xmat_mat3(geom),
        geom_size(3u * geom),
        wrap_type(w + 1u) == WRAP_CYLINDER,
        side >= 0.0,
        vec3f(0.0),
    );
    if (side >= 0.0) {
        obstacle.side = site_xpos_vec3(u32(side));
    }
    let touch = wrap_around(begin.pos, stop.pos, obstacle);
    if (!touch.touches) {
        straight(ten, begin, stop, divisor);
        return;
    }
    let body = u32(geom_bodyid(geom));
    straight(ten, begin, Fixed(touch.first, body), divisor);
    set_ten_length(ten, ten_length(ten) + touch.length / divisor);
    straight(ten, Fixed(touch.last, body), stop, divisor);
}

// Adds a straight part.
fn straight(ten: u32, begin: Fixed, stop: Fixed, divisor: f32) {
    let d = stop.pos - begin.pos;
    let length = sqrt(dot(d, d));
    set_ten_length(ten, ten_length(ten) + length / divisor);
    // what moves both ends alike does not stretch it
    if (begin.body == stop.body) {
        return;
    }
    let direction = normalize3(d);
    let adr = u32(ten_J_rowadr(ten));
    let end = adr + u32(ten_J_rownnz(ten));
    for (var k = adr; k < end; k++) {
        let dof = u32(ten_J_colind(k));
        let moved = point_motion(dof, stop.body, stop.pos).lin - point_motion(dof, begin.body, begin.pos).lin;
        set_ten_J(k, ten_J(k) + dot(direction, moved) / divisor);
    }
}
