// Ray casting: distance to the first surface hit, and the outward normal there. Twin: crates/cpu/src/collision/ray.rs.

import package::collision::field::{of_geom, ray_field};
import package::collision::ray_hfield::ray_hfield;
import package::collision::ray_mesh::{BOUND_SLACK, ray_mesh};
import package::collision::ray_shape::{Hit, no_hit, ray_shape, sphere_interval};

// Nearest hit of a ray among all geoms except those of one body; fully transparent geoms are ignored.
fn ray(point: vec3f, direction: vec3f, exclude: u32) -> Hit {
    var best = no_hit();
    for (var g = 0u; g < ngeom; g++) {
        // skip the excluded body, transparent geoms, and geoms out of reach
        var alpha = geom_rgba(4u * g + 3u);
        if (geom_matid(g) >= 0) {
            alpha = mat_rgba(4u * u32(geom_matid(g)) + 3u);
        }
        if (u32(geom_bodyid(g)) == exclude || alpha == 0.0 || is_culled(g, point, direction, best.dist)) {
            continue;
        }
        let hit = ray_geom(g, point, direction);
        if (hit.dist >= 0.0 && (best.dist < 0.0 || hit.dist < best.dist)) {
            best = hit;
        }
    }
    return best;
}

// Hit on one geom.
fn ray_geom(g: u32, point: vec3f, direction: vec3f) -> Hit {
    // ray in the frame of the geom
    let mat = geom_xmat_mat3(g);
    let p = (point - geom_xpos_vec3(g)) * mat;
    let v = direction * mat;
    var hit = no_hit();
    let kind = geom_type(g);
    if (kind == GEOM_MESH) {
//#if RAY_MESH
        hit = ray_mesh(u32(geom_dataid(g)), p, v);
//#endif
    } else if (kind == GEOM_HFIELD) {
//#if RAY_HFIELD
        hit = ray_hfield(u32(geom_dataid(g)), p, v);
//#endif
    } else if (kind == GEOM_SDF) {
//#if RAY_FIELD
        hit = ray_field(of_geom(g), p, v);
//#endif
    } else {
        hit = ray_shape(kind, geom_size_vec3(g), p, v);
    }
    return Hit(hit.dist, mat * hit.normal);
}

// True if a ray misses the bounding sphere of a geom, or hits it beyond the nearest hit so far. Planes and height
// fields have no usable sphere.
fn is_culled(g: u32, point: vec3f, direction: vec3f, near: f32) -> bool {
    let kind = geom_type(g);
    if (kind == GEOM_PLANE || kind == GEOM_HFIELD) {
        return false;
    }
    let interval = sphere_interval(point - geom_xpos_vec3(g), direction, geom_rbound(g) * BOUND_SLACK);
    return interval.x > interval.y || interval.y < 0.0 || (near >= 0.0 && interval.x > near);
}
