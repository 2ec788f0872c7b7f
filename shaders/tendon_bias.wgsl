// Force of the inertia along tendons, while no joint accelerates. Twin: src/cpu/tendon_bias.rs.

// Force of a tendon along its path.
fn tendon_bias_force(ten: u32) -> f32 {
    let armature = armature_of_tendon(ten);
    if (armature == 0.0 || wrap_type(u32(tendon_adr(ten))) == WRAP_JOINT) {
        return 0.0;
    }
    return armature * length_acceleration(ten);
}

// Second derivative of a tendon's length. Paths around geoms are followed up to the first of them.
fn length_acceleration(ten: u32) -> f32 {
    let adr = u32(tendon_adr(ten));
    let end = adr + u32(tendon_num(ten)) - 1u;
    var divisor = 1.0;
    var sum = 0.0;
    for (var w = adr; w < end; w++) {
        let here = wrap_type(w);
        let next = wrap_type(w + 1u);
        if (here == WRAP_PULLEY) {
            divisor = wrap_prm(w);
        } else if (here == WRAP_SITE && next == WRAP_SITE) {
            sum += segment_acceleration(u32(wrap_objid(w)), u32(wrap_objid(w + 1u))) / divisor;
        } else if (next != WRAP_PULLEY) {
            break;
        }
    }
    return sum;
}

// Second derivative of the distance of two sites.
fn segment_acceleration(begin: u32, stop: u32) -> f32 {
    if (site_bodyid(begin) == site_bodyid(stop)) {
        return 0.0;
    }
    let d = site_xpos_vec3(stop) - site_xpos_vec3(begin);
    let length = sqrt(dot(d, d));
    let direction = normalize3(d);
    let from_motion = site_motion(begin);
    let to_motion = site_motion(stop);
    // along the line, and because the line turns
    let across = to_motion.lin - from_motion.lin;
    let aside = across - dot(across, direction) * direction;
    var turning = 0.0;
    if (length > MINVAL) {
        turning = dot(aside, across) / length;
    }
    return dot(direction, to_motion.ang - from_motion.ang) + turning;
}

// Velocity of a site (lin), and its acceleration while no joint accelerates, gravity's included (ang).
fn site_motion(site: u32) -> Spatial {
    let body = u32(site_bodyid(site));
    let offset = site_xpos_vec3(site) - subtree_com_vec3(u32(body_rootid(body)));
    let v = cvel_spatial(body);
    let a = cacc_spatial(body);
    let velocity = v.lin + cross(v.ang, offset);
    return Spatial(a.lin + cross(a.ang, offset) + cross(v.ang, velocity), velocity);
}
