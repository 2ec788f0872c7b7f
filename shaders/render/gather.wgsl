// A field of worlds, from where a batch keeps it to where pictures read it.

@group(0) @binding(0) var<storage, read> reals: array<f32>;
@group(0) @binding(1) var<storage, read_write> frame: array<f32>;
// pairs: world in the buffers of the batch, place in the frame
@group(0) @binding(2) var<storage, read> worlds: array<vec2u>;
@group(0) @binding(3) var<uniform> field: GatheredField;

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = invocation.x + invocation.y * groups.x * 64u;
    if i >= field.len * field.worlds {
        return;
    }
    let pair = worlds[i / field.len];
    let k = i % field.len;
    let w = pair.x;
    let at = (w / field.tile) * field.stride * field.tile + (field.offset + k) * field.tile + w % field.tile;
    frame[pair.y * field.to_stride + field.to + k] = reals[at];
}
