// Potential energy of gravity and springs, and kinetic energy. Twin: crates/cpu/src/smooth/energies.rs.

import package::math::vector::vec3_at;
import package::runtime::group::{lane, parts, set_partial, sum_partials};
import package::runtime::options::gravity;
import package::smooth::passive::{joint_stiffness, spring_rotation, stiffness_of_tendon, tendon_stretch};

// Both energies of one world.
fn energies() {
//#if ENERGY
    // one reduction for both: potential energy in x, kinetic energy in y
    for (var k = lane; k < parts; k += lanes) {
        var sum = vec4f(0.0);
        for (var body = k; body < nbody; body += parts) {
            sum.x -= body_mass(body) * dot(gravity(), xipos_vec3(body));
        }
//#if SPRING
        for (var jnt = k; jnt < njnt; jnt += parts) {
            sum.x += joint_energy(jnt);
        }
        for (var ten = k; ten < ntendon; ten += parts) {
            sum.x += spring_energy(stiffness_of_tendon(ten), tendon_stretch(ten));
        }
//#if FLEX
        for (var f = 0u; f < nflex; f++) {
            let end = u32(flex_edgeadr(f) + flex_edgenum(f));
            for (var edge = u32(flex_edgeadr(f)) + k; edge < end; edge += parts) {
                sum.x += edge_energy(f, edge);
            }
        }
//#endif
//#endif
        for (var i = k; i < nv; i += parts) {
            sum.y += kinetic_row(i);
        }
        set_partial(k, sum);
    }
    let total = sum_partials();
//#else
    // energies are disabled
    let total = vec2f(0.0);
//#endif
    if (lane == 0u) {
        set_energy(0u, total.x);
        set_energy(1u, total.y);
    }
}

// Energy of a spring at a displacement.
fn spring_energy(k: vec3f, x: f32) -> f32 {
    return x * x * (k.x / 2.0 + x * (k.y / 3.0 + x * k.z / 4.0));
}

//#if FLEX
// Energy of the spring along an edge; that of elements is not counted.
fn edge_energy(f: u32, edge: u32) -> f32 {
    let stretch = flexedge_length(edge) - flexedge_length0(edge);
    return 0.5 * flex_edgestiffness(f) * stretch * stretch;
}
//#endif

// Energy of one joint's spring.
fn joint_energy(jnt: u32) -> f32 {
    let k = joint_stiffness(jnt);
    let adr = u32(jnt_qposadr(jnt));
    let kind = jnt_type(jnt);
    if (kind == JOINT_SLIDE || kind == JOINT_HINGE) {
        return spring_energy(k, qpos(adr) - qpos_spring(adr));
    }
    let turn = spring_rotation(select(adr, adr + 3u, kind == JOINT_FREE));
    var sum = spring_energy(k, sqrt(dot(turn, turn)));
    if (kind == JOINT_FREE) {
        let shift = vec3_at__qpos(adr) - vec3_at__qpos_spring(adr);
        sum += spring_energy(k, sqrt(dot(shift, shift)));
    }
    return sum;
}

// Contribution of one row of M's lower triangle to the kinetic energy.
fn kinetic_row(i: u32) -> f32 {
    let adr = u32(M_rowadr(i));
    let last = adr + u32(M_rownnz(i)) - 1u;
    var row = 0.5 * M(last) * qvel(i);
    for (var k = adr; k < last; k++) {
        row += M(k) * qvel(u32(M_colind(k)));
    }
    return row * qvel(i);
}
