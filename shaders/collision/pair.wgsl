// A pair of geoms: bounding volumes, shapes, and the choice of narrow-phase routine. `closed_form` and
// `is_convex_pair` are generated from the table of shape pairs. Twin: crates/cpu/src/collision/pair.rs.

import package::collision::polytope::NO_HULL;
import package::collision::primitives::Shape;
import package::collision::support_map::ConvexShape;

// True if two bounding spheres, or a plane and a bounding sphere, are farther apart than the margin.
fn spheres_apart(g1: u32, g2: u32, margin: f32) -> bool {
    let apart = geom_xpos_vec3(g2) - geom_xpos_vec3(g1);
    if (geom_type(g1) == GEOM_PLANE) {
        return dot(apart, geom_xmat_mat3(g1)[2]) > margin + geom_rbound(g2);
    }
    let reach = geom_rbound(g1) + geom_rbound(g2) + margin;
    return dot(apart, apart) > reach * reach;
}

// True if two boxes are farther apart than `margin` along a face axis of either; `apart` is the offset of their
// centres.
fn boxes_apart(apart: vec3f, mat1: mat3x3f, half1: vec3f, mat2: mat3x3f, half2: vec3f, margin: f32) -> bool {
    // axes of the second box in the frame of the first
    let turn = transpose(mat1) * mat2;
    let spread = mat3x3f(abs(turn[0]), abs(turn[1]), abs(turn[2]));
    let far1 = abs(apart * mat1) > half1 + spread * half2 + margin;
    let far2 = abs(apart * mat2) > half2 + half1 * spread + margin;
    return any(far1) || any(far2);
}

// True if the bounding boxes of two geoms are farther apart than `margin`.
fn geoms_apart(g1: u32, g2: u32, margin: f32) -> bool {
    let mat1 = geom_xmat_mat3(g1);
    let mat2 = geom_xmat_mat3(g2);
    let apart = geom_xpos_vec3(g2) + mat2 * geom_aabb_vec3(2u * g2) - (geom_xpos_vec3(g1) + mat1 * geom_aabb_vec3(2u * g1));
    return boxes_apart(apart, mat1, geom_aabb_vec3(2u * g1 + 1u), mat2, geom_aabb_vec3(2u * g2 + 1u), margin);
}

// Pose and size of one geom.
fn shape(g: u32) -> Shape {
    return Shape(geom_xpos_vec3(g), geom_xmat_mat3(g), geom_size_vec3(g));
}

// Pose, size and mesh of one geom.
fn convex_shape(g: u32) -> ConvexShape {
    var mesh = NO_HULL;
//#if POLYTOPE
    if (geom_type(g) == GEOM_MESH || geom_type(g) == GEOM_SDF) {
        mesh = geom_dataid(g);
    }
//#endif
    let own = shape(g);
    return ConvexShape(geom_type(g), own.pos, own.mat, own.size, mesh);
}

// True if the contacts of a candidate come from support functions.
fn is_convex(c: u32) -> bool {
    return is_convex_pair(geom_type(u32(candidate_geom1(c))), geom_type(u32(candidate_geom2(c))));
}

// True if the contacts of a candidate are those of a signed distance field.
fn is_field(c: u32) -> bool {
//#if FIELD_PAIR
    return geom_type(u32(candidate_geom2(c))) == GEOM_SDF && geom_type(u32(candidate_geom1(c))) != GEOM_PLANE;
//#else
    return false;
//#endif
}
