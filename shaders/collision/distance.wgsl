// Signed distance of two geoms and the closest points. Twin: crates/cpu/src/collision/distance.rs.

import package::collision::convex::{convex_distance, GeomDistance};
import package::collision::field_contacts::{search, searches};
import package::collision::pair::{convex_shape, shape, spheres_apart};
import package::collision::plane_mesh::plane_mesh;
import package::collision::primitives::{found, nfound};

// Signed distance of two geoms and their closest points, if below `most`. For overlapping geoms it is minus the
// penetration depth.
fn geom_distance(geom1: u32, geom2: u32, most: f32) -> GeomDistance {
    // lower geom type first
    let swapped = geom_type(geom1) > geom_type(geom2);
    let g1 = select(geom1, geom2, swapped);
    let g2 = select(geom2, geom1, swapped);
    var gap = GeomDistance(most, vec3f(0.0), vec3f(0.0), vec3f(0.0), false);
    if (spheres_apart(g1, g2, most)) {
        return gap;
    }
    let t1 = geom_type(g1);
    let t2 = geom_type(g2);
    let a = shape(g1);
    let b = shape(g2);
    // closed forms need a non-negative margin to report penetration
    closed_form(t1, t2, a, b, max(most, 0.0));
//#if PLANE_MESH
    if (t1 == GEOM_PLANE && (t2 == GEOM_MESH || t2 == GEOM_SDF)) {
        plane_mesh(a, geom_dataid(g2), b, max(most, 0.0));
    }
//#endif
//#if FIELD_DISTANCE
    if (t2 == GEOM_SDF && t1 != GEOM_PLANE && t1 != GEOM_HFIELD) {
        deepest_overlap(g1, g2);
    }
//#endif
    // deepest contact, the first of equals
    for (var k = 0u; k < nfound; k++) {
        if (found[k].dist < gap.dist) {
            let half = found[k].normal * (0.5 * found[k].dist);
            gap = GeomDistance(found[k].dist, found[k].normal, found[k].pos - half, found[k].pos + half, true);
        }
    }
//#if CONVEX_DISTANCE
    if (is_convex_pair(t1, t2) || (t1 == GEOM_BOX && t2 == GEOM_BOX)) {
        gap = convex_distance(convex_shape(g1), convex_shape(g2), most);
        gap.any = gap.any && gap.dist < most;
    }
//#endif
    if (swapped) {
        return GeomDistance(gap.dist, -gap.normal, gap.q, gap.p, gap.any);
    }
    return gap;
}

//#if FIELD_DISTANCE
// Deepest contact of a signed distance field, as the only one that is found: none where geoms do not overlap.
fn deepest_overlap(one: u32, two: u32) {
    let pair = searches(one, two);
    for (var k = 0u; k < pair.count; k++) {
        let met = search(pair, k);
        if (met.dist < 0.0 && (nfound == 0u || met.dist < found[0].dist)) {
            found[0] = met;
            nfound = 1u;
        }
    }
}
//#endif
