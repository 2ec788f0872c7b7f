// A geom as a signed distance field in its own frame. Twin: crates/cpu/src/collision/field.rs.

import package::collision::octree::octree_distance;
import package::collision::ray_shape::{Hit, no_hit};
import package::collision::signed_distance::{plugin_distance, primitive_distance};
import package::math::trig::power;
import package::math::vector::normalize3;

// In place of the type of a primitive: a plugin instance, the octree of a mesh, or nothing.
const PLUGIN_FIELD: i32 = -1;
const OCTREE_FIELD: i32 = -2;
const NO_FIELD: i32 = -3;

// The field of a geom: type and size of a primitive, or plugin instance, or mesh.
struct Field {
    kind: i32,
    id: u32,
    size: vec3f,
}

// The field of a primitive, or of a geom of type sdf.
fn of_geom(g: u32) -> Field {
    let kind = geom_type(g);
    if (kind != GEOM_SDF) {
        return Field(kind, 0u, geom_size_vec3(g));
    }
//#if FIELD_PLUGIN
    let id = geom_plugin(g);
    if (id >= 0) {
        let named = plugin(u32(id));
        if (named >= PLUGIN_BOLT && named <= PLUGIN_FORMULA) {
            return Field(PLUGIN_FIELD, u32(id), vec3f(0.0));
        }
    }
//#endif
    return Field(OCTREE_FIELD, u32(geom_dataid(g)), vec3f(0.0));
}

// The same, and the octree of a geom of type mesh whose mesh has one: what tactile sensors feel. No field of other
// geoms, whose distance is zero everywhere.
fn of_solid(g: u32) -> Field {
    let kind = geom_type(g);
    var field = of_geom(g);
    if (kind == GEOM_MESH) {
        field = Field(OCTREE_FIELD, u32(geom_dataid(g)), vec3f(0.0));
    }
    if (kind == GEOM_HFIELD || (field.kind == OCTREE_FIELD && mesh_octadr(field.id) < 0)) {
        field.kind = NO_FIELD;
    }
    return field;
}

// Signed distance at a point in the geom's frame, with its gradient.
fn at(f: Field, p: vec3f) -> vec4f {
//#if FIELD_PLUGIN
    if (f.kind == PLUGIN_FIELD) {
        return plugin_distance(f.id, p);
    }
//#endif
//#if FIELD_OCTREE
    if (f.kind == OCTREE_FIELD) {
        return octree_distance(f.id, p);
    }
//#endif
//#if FIELD_SHAPE
    if (f.kind >= 0) {
        return primitive_distance(f.kind, f.size, p);
    }
//#endif
    return vec4f(0.0);
}

// Most steps of a ray, and the distance from a surface at which one has hit it, m.
const RAY_STEPS: u32 = 40u;
const RAY_HIT: f32 = 1e-7;

// Distance from which on steps are predicted, m, and what is added for each metre of the way or of where the ray
// begins: eight times rounding. A hit is nearer than single precision can tell, and many rays that graze end before it.
const RAY_NEAR: f32 = 1e-5;
const RAY_ROUNDING: f32 = 9.5e-7;

// Hit of a ray on a field by sphere tracing (Hart, 1996), in the frame of the geom: each step is as long as the
// distance from the surface, inside too. Near the surface each is the same share of the one before it.
fn ray_field(f: Field, p: vec3f, v: vec3f) -> Hit {
    let speed = sqrt(dot(v, v));
    if (speed < MINVAL) {
        return no_hit();
    }
    let direction = v * (1.0 / speed);
    let size = abs(p.x) + abs(p.y) + abs(p.z);
    var dist = 0.0;
    for (var k = 0u; k < RAY_STEPS; k++) {
        let here = at(f, p + direction * dist);
        let advance = abs(here.w);
        if (advance < RAY_NEAR + RAY_ROUNDING * max(size, dist)) {
            let share = abs(1.0 + sign(here.w) * dot(direction, here.xyz));
            let last = advance * power(share, f32(RAY_STEPS - 1u - k));
            if (advance >= RAY_HIT && last >= RAY_HIT) {
                return no_hit();
            }
            // all steps that are left
            let rest = select(advance, advance / (1.0 - share), share < 0.9);
            return Hit((dist + rest) / speed, normalize3(here.xyz));
        }
        dist += advance;
    }
    return no_hit();
}
