// Vertices of skins, carried by bones, behind them those of flexes, and the normals of both; after scene.wgsl.

@group(0) @binding(0) var<uniform> size: SkinSizes;
@group(0) @binding(1) var<storage, read> frame: array<f32>;
@group(0) @binding(2) var<storage, read> bones: array<Bone>;
@group(0) @binding(3) var<storage, read> influences: array<Influence>;
@group(0) @binding(4) var<storage, read> vertices: array<SkinVertex>;
// the two other corners of each triangle of a vertex, in order
@group(0) @binding(5) var<storage, read> corners: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> deformed: array<vec4f>;

@compute @workgroup_size(64)
fn carry(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = invocation.x + invocation.y * groups.x * 64u;
    if i >= size.vertices * size.worlds {
        return;
    }
    let base = (i / size.vertices) * size.stride;
    let number = i % size.vertices;
    // vertices of flexes are where the world has them
    if number >= size.carried {
        let p = base + size.flexvert + 3u * (number - size.carried);
        deformed[2u * i] = vec4f(frame[p], frame[p + 1u], frame[p + 2u], 1.0);
        return;
    }
    let vertex = vertices[number];
    var pos = vec3f(0.0);
    for (var k = vertex.influence; k < vertex.influence + vertex.influences; k++) {
        let bone = bones[influences[k].bone];
        let p = base + size.xpos + 3u * bone.body.x;
        let q = base + size.xquat + 4u * bone.body.x;
        let local = rotate(vec4f(-bone.quat.xyz, bone.quat.w), vertex.pos.xyz - bone.pos.xyz);
        let turned = rotate(vec4f(frame[q + 1u], frame[q + 2u], frame[q + 3u], frame[q]), local);
        pos += influences[k].weight * (vec3f(frame[p], frame[p + 1u], frame[p + 2u]) + turned);
    }
    deformed[2u * i] = vec4f(pos, 1.0);
}

@compute @workgroup_size(64)
fn normals(@builtin(global_invocation_id) invocation: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = invocation.x + invocation.y * groups.x * 64u;
    if i >= size.vertices * size.worlds {
        return;
    }
    let number = i % size.vertices;
    let first = i - number;
    let vertex = vertices[number];
    let pos = deformed[2u * i].xyz;
    var sum = vec3f(0.0);
    for (var k = vertex.triangle; k < vertex.triangle + vertex.triangles; k++) {
        let a = deformed[2u * (first + corners[k].x)].xyz - pos;
        let b = deformed[2u * (first + corners[k].y)].xyz - pos;
        // triangles of skins count by their areas, those of flexes equally
        let normal = cross(a, b);
        sum += normal / select(1.0, max(length(normal), 1e-30), number >= size.carried);
    }
    deformed[2u * i + 1u] = vec4f(sum / max(length(sum), 1e-12), 0.0);
}
