// Broad phase: candidates whose bounding volumes overlap. Twin: crates/cpu/src/collision/broad_phase.rs. The schedule
// differs: lanes test contiguous shares of the candidates.

import package::collision::contact_parameters::margin_gap;
import package::collision::pair::{boxes_apart, spheres_apart};
import package::collision::support_map::EPSILON;
import package::runtime::group::{exclusive_sum, lane, sync};

// Broad phase: lists the candidates whose bounding volumes are within the margin, in order; returns their number.
fn broad_phase() -> u32 {
//#if TREE_BOUNDS
    bound_trees();
//#endif
//#if LANES
    // each lane tests a contiguous share of the candidates
//#if BODY_PAIRS
    let share = (nbodypair + lanes - 1u) / lanes;
    let begin = u32(bodypair_adr(min(lane * share, nbodypair - 1u)));
    let mine = list_body_pairs__narrow_phase_queue(lane * share, min(lane * share + share, nbodypair), begin);
//#else
    let share = (ncandidate + lanes - 1u) / lanes;
    let begin = lane * share;
    let mine = list_near__narrow_phase_queue(begin, min(begin + share, ncandidate), begin);
//#endif
    // its list is appended to those of the lanes before it
    let before = exclusive_sum(mine);
    for (var k = 0u; k < mine; k++) {
        set_candidate_near(before.x + k, narrow_phase_queue(begin + k));
    }
    sync();
    return before.y;
//#else
//#if REGISTERS
    return list_all();
//#else
//#if BODY_PAIRS
    return list_body_pairs__candidate_near(0u, nbodypair, 0u);
//#else
    return list_near__candidate_near(0u, ncandidate, 0u);
//#endif
//#endif
//#endif
}

//#if BODY_PAIRS
// Lists the near candidates of a range of body pairs from `place` on; returns their number.
fn list_body_pairs__A(first_pair: u32, last_pair: u32, place: u32) -> u32 {
    var count = 0u;
    for (var s = first_pair; s < last_pair; s++) {
        if (!body_pair_apart(s)) {
            let adr = u32(bodypair_adr(s));
            count += list_near__A(adr, adr + u32(bodypair_num(s)), place + count);
        }
    }
    return count;
}

// True if the bounding volumes of a body pair are separated, so that none of its candidates can collide.
fn body_pair_apart(s: u32) -> bool {
    if (bodypair_body(2u * s) < 0) {
        return false;
    }
    let around1 = bodypair_sphere_vec4(2u * s);
    let around2 = bodypair_sphere_vec4(2u * s + 1u);
    let reach = around1.w + around2.w;
    let two = u32(bodypair_body(2u * s + 1u));
    let mat2 = xmat_mat3(two);
    let centre2 = xpos_vec3(two) + mat2 * around2.xyz;
    let alone = bodypair_geom(s);
    // slack for rounding: body bounds and geom poses are computed in different order
    if (alone >= 0 && geom_type(u32(max(alone, 0))) == GEOM_PLANE) {
        let height = dot(centre2 - geom_xpos_vec3(u32(alone)), geom_xmat_mat3(u32(alone))[2]);
        return height > reach + 8.0 * EPSILON * (sqrt(dot(centre2, centre2)) + abs(height));
    }
    // frame of the first side: a single geom, or a body
    var pos1 = vec3f(0.0);
    var mat1 = mat3x3f();
    var centre1 = vec3f(0.0);
    if (alone >= 0) {
        pos1 = geom_xpos_vec3(u32(alone));
        mat1 = geom_xmat_mat3(u32(alone));
        centre1 = pos1;
    } else {
        let one = u32(bodypair_body(2u * s));
        pos1 = xpos_vec3(one);
        mat1 = xmat_mat3(one);
        centre1 = pos1 + mat1 * around1.xyz;
    }
    let between = centre2 - centre1;
    let size = dot(centre1, centre1) + dot(centre2, centre2);
    if (dot(between, between) > reach * reach + 16.0 * EPSILON * size) {
        return true;
    }
    // the bounding boxes likewise
    let apart = xpos_vec3(two) + mat2 * bodypair_aabb_vec3(4u * s + 2u) - (pos1 + mat1 * bodypair_aabb_vec3(4u * s));
    return boxes_apart(
        apart, mat1, bodypair_aabb_vec3(4u * s + 1u), mat2, bodypair_aabb_vec3(4u * s + 3u), 16.0 * EPSILON * sqrt(size)
    );
}
//#endif

//#if !REGISTERS
// Lists the near candidates of a range from `place` on; returns their number.
fn list_near__A(first_candidate: u32, last_candidate: u32, place: u32) -> u32 {
    var count = 0u;
//#if TREE_BOUNDS
    // candidates of two trees are left out together if these are apart
    var c = first_candidate;
    while (c < last_candidate) {
        let end = min(u32(candidate_treeend(c)), last_candidate);
        if (!trees_apart(c)) {
            count += list_spheres__A(c, end, place + count);
        }
        c = end;
    }
//#else
    count = list_spheres__A(first_candidate, last_candidate, place);
//#endif
    return count;
}

// Lists the candidates of a range whose bounding spheres are near from `place` on; returns their number.
fn list_spheres__A(first_candidate: u32, last_candidate: u32, place: u32) -> u32 {
    // a rejected candidate's entry is overwritten by the next one
    var count = 0u;
    for (var c = first_candidate; c < last_candidate; c++) {
        let both = margin_gap(c);
        set_A(place + count, i32(c));
        count += u32(!spheres_apart(u32(candidate_geom1(c)), u32(candidate_geom2(c)), both.x + both.y));
    }
    return count;
}
//#endif

//#if TREE_BOUNDS
// Spheres around the geoms of each tree, with their margins.
fn bound_trees() {
    for (var t = lane; t < ntree; t += lanes) {
        let body_end = u32(tree_bodyadr(t) + tree_bodynum(t));
        var low = vec3f(1e30);
        var high = vec3f(-1e30);
        for (var b = u32(tree_bodyadr(t)); b < body_end; b++) {
            for (var g = u32(body_geomadr(b)); g < u32(body_geomadr(b) + body_geomnum(b)); g++) {
                low = min(low, geom_xpos_vec3(g));
                high = max(high, geom_xpos_vec3(g));
            }
        }
        let centre = 0.5 * (low + high);
        var radius = 0.0;
        for (var b = u32(tree_bodyadr(t)); b < body_end; b++) {
            for (var g = u32(body_geomadr(b)); g < u32(body_geomadr(b) + body_geomnum(b)); g++) {
                let reach = geom_rbound(g) + geom_margin(g) + geom_gap(g);
                radius = max(radius, length(geom_xpos_vec3(g) - centre) + reach);
            }
        }
        set_tree_sphere_vec4(t, vec4f(centre, radius));
    }
    sync();
}

// True if a candidate is of two trees that cannot touch, with slack for rounding.
fn trees_apart(c: u32) -> bool {
    let t1 = body_treeid(u32(geom_bodyid(u32(candidate_geom1(c)))));
    let t2 = body_treeid(u32(geom_bodyid(u32(candidate_geom2(c)))));
    if (min(t1, t2) < 0 || t1 == t2) {
        return false;
    }
    let one = tree_sphere_vec4(u32(t1));
    let two = tree_sphere_vec4(u32(t2));
    let apart = two.xyz - one.xyz;
    let reach = 1.00001 * (one.w + two.w);
    let slack = 64.0 * EPSILON * (dot(one.xyz, one.xyz) + dot(two.xyz, two.xyz));
    return dot(apart, apart) > reach * reach + slack;
}
//#endif

//#if REGISTERS
// Lists the near candidates with the loop over all of them unrolled; returns their number.
fn list_all() -> u32 {
    // geom centres and plane normals are read once
    //#unroll
    for (var g = 0u; g < ngeom; g++) {
        //#unroll
        for (var k = 0u; k < 3u; k++) {
            set_work_geom_xpos(3u * g + k, geom_xpos(3u * g + k));
            if (geom_type(g) == GEOM_PLANE) {
                set_work_plane_normal(3u * g + k, geom_xmat(9u * g + 3u * k + 2u));
            }
        }
    }
    // a rejected candidate's entry is overwritten by the next one
    var near = 0u;
    //#unroll
    for (var c = 0u; c < ncandidate; c++) {
        let g1 = u32(candidate_geom1(c));
        let g2 = u32(candidate_geom2(c));
        let apart = vec3f(work_geom_xpos(3u * g2), work_geom_xpos(3u * g2 + 1u), work_geom_xpos(3u * g2 + 2u))
            - vec3f(work_geom_xpos(3u * g1), work_geom_xpos(3u * g1 + 1u), work_geom_xpos(3u * g1 + 2u));
//#if PAIR_MARGINS
        let both = margin_gap(c);
        let margin = both.x + both.y;
//#else
        let margin = geom_margin(g1) + geom_margin(g2) + (geom_gap(g1) + geom_gap(g2));
//#endif
        set_candidate_near(near, i32(c));
        if (geom_type(g1) == GEOM_PLANE) {
            let normal = vec3f(work_plane_normal(3u * g1), work_plane_normal(3u * g1 + 1u), work_plane_normal(3u * g1 + 2u));
            near += u32(!(dot(apart, normal) > margin + geom_rbound(g2)));
        } else {
            let reach = geom_rbound(g1) + geom_rbound(g2) + margin;
            near += u32(!(dot(apart, apart) > reach * reach));
        }
    }
    return near;
}
//#endif
