// Cameras and lights of every view, from the poses of bodies.

@group(0) @binding(0) var<uniform> globals: Globals;
@group(0) @binding(1) var<storage, read> frame: array<f32>;
@group(0) @binding(2) var<storage, read> lights: array<Light>;
@group(0) @binding(3) var<storage, read> cameras: array<ModelCamera>;
@group(0) @binding(4) var<storage, read> mirrors: array<MirrorPlane>;
@group(0) @binding(5) var<storage, read> requests: array<ViewRequest>;
@group(0) @binding(6) var<storage, read_write> views: array<ViewState>;
@group(0) @binding(7) var<storage, read_write> lamps: array<Lamp>;

fn vec3_at(at: u32) -> vec3f {
    return vec3f(frame[at], frame[at + 1u], frame[at + 2u]);
}

fn body_pos(world: u32, body: u32) -> vec3f {
    return vec3_at(world * globals.stride + globals.xpos + 3u * body);
}

fn body_com(world: u32, body: u32) -> vec3f {
    return vec3_at(world * globals.stride + globals.com + 3u * body);
}

// scalar last
fn body_quat(world: u32, body: u32) -> vec4f {
    let at = world * globals.stride + globals.xquat + 4u * body;
    return vec4f(frame[at + 1u], frame[at + 2u], frame[at + 3u], frame[at]);
}

fn target_point(world: u32, mode: u32, aim: i32) -> vec3f {
    if mode == TARGETBODYCOM {
        return body_com(world, u32(aim));
    }
    return body_pos(world, u32(aim));
}

fn aims(mode: u32, aim: i32) -> bool {
    return (mode == TARGETBODY || mode == TARGETBODYCOM) && aim >= 0;
}

// As in the stage camlight: fixed to the body, tracking it, or looking at another one.
fn lamp_of(light: Light, world: u32) -> Lamp {
    var lamp: Lamp;
    let body = body_pos(world, light.body);
    if light.mode == TRACK || light.mode == TRACKCOM {
        let center = select(body_com(world, light.body), body, light.mode == TRACK);
        lamp.pos = vec4f(center + light.pos0.xyz, 1.0);
        lamp.dir = vec4f(light.dir0.xyz, 0.0);
        return lamp;
    }
    let quat = body_quat(world, light.body);
    let pos = body + rotate(quat, light.pos.xyz);
    var dir = rotate(quat, light.dir.xyz);
    if aims(light.mode, light.aim) {
        dir = normalize(target_point(world, light.mode, light.aim) - pos);
    }
    lamp.pos = vec4f(pos, 1.0);
    lamp.dir = vec4f(dir, 0.0);
    return lamp;
}

// World to camera: rows are the axes.
fn looking(right: vec3f, up: vec3f, back: vec3f, eye: vec3f) -> mat4x4f {
    return mat4x4f(
        vec4f(right.x, up.x, back.x, 0.0),
        vec4f(right.y, up.y, back.y, 0.0),
        vec4f(right.z, up.z, back.z, 0.0),
        vec4f(-dot(right, eye), -dot(up, eye), -dot(back, eye), 1.0),
    );
}

// Depth 1 at the near plane, 0 at the far one.
fn projection(frustum: vec4f, near: f32, far: f32, orthographic: bool) -> mat4x4f {
    let half = frustum.xy;
    let center = frustum.zw;
    if orthographic {
        return mat4x4f(
            vec4f(1.0 / half.x, 0.0, 0.0, 0.0),
            vec4f(0.0, 1.0 / half.y, 0.0, 0.0),
            vec4f(0.0, 0.0, 1.0 / (far - near), 0.0),
            vec4f(-center.x / half.x, -center.y / half.y, far / (far - near), 1.0),
        );
    }
    return mat4x4f(
        vec4f(1.0 / half.x, 0.0, 0.0, 0.0),
        vec4f(0.0, 1.0 / half.y, 0.0, 0.0),
        vec4f(center.x / half.x, center.y / half.y, near / (far - near), -1.0),
        vec4f(0.0, 0.0, far * near / (far - near), 0.0),
    );
}

// World to the picture of a light's shadow: depth 0 at the near plane, 1 at the far one.
fn shadow_of(light: Light, lamp: Lamp) -> mat4x4f {
    let back = -lamp.dir.xyz;
    let side = select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 0.0, 1.0), abs(back.z) < 0.9);
    let right = normalize(cross(side, back));
    let up = cross(back, right);
    let camera = looking(right, up, back, lamp.pos.xyz);
    let n = light.near;
    let f = light.far;
    let s = 1.0 / light.spread;
    if light.kind == DIRECTIONAL {
        return mat4x4f(
            vec4f(s, 0.0, 0.0, 0.0),
            vec4f(0.0, s, 0.0, 0.0),
            vec4f(0.0, 0.0, -1.0 / (f - n), 0.0),
            vec4f(0.0, 0.0, -n / (f - n), 1.0),
        ) * camera;
    }
    return mat4x4f(
        vec4f(s, 0.0, 0.0, 0.0),
        vec4f(0.0, s, 0.0, 0.0),
        vec4f(0.0, 0.0, -f / (f - n), -1.0),
        vec4f(0.0, 0.0, -f * n / (f - n), 0.0),
    ) * camera;
}

// Reflection at a plane with a unit normal and an offset.
fn reflection(plane: vec4f) -> mat4x4f {
    let n = plane.xyz;
    return mat4x4f(
        vec4f(vec3f(1.0, 0.0, 0.0) - 2.0 * n.x * n, 0.0),
        vec4f(vec3f(0.0, 1.0, 0.0) - 2.0 * n.y * n, 0.0),
        vec4f(vec3f(0.0, 0.0, 1.0) - 2.0 * n.z * n, 0.0),
        vec4f(-2.0 * plane.w * n, 1.0),
    );
}

@compute @workgroup_size(64)
fn prepare(@builtin(global_invocation_id) invocation: vec3u) {
    let v = invocation.x;
    if v >= globals.views {
        return;
    }
    let request = requests[v];
    let world = request.world;
    // the camera
    var eye = request.eye.xyz;
    var right = request.right.xyz;
    var up = request.up.xyz;
    var back = request.back.xyz;
    if request.kind == TRACKING {
        eye += body_com(world, request.id);
    } else if request.kind == OF_MODEL {
        let camera = cameras[request.id];
        let body = body_pos(world, camera.body);
        if camera.mode == TRACK || camera.mode == TRACKCOM {
            let center = select(body_com(world, camera.body), body, camera.mode == TRACK);
            eye = center + camera.pos0.xyz;
            right = camera.right0.xyz;
            up = camera.up0.xyz;
            back = camera.back0.xyz;
        } else {
            let quat = body_quat(world, camera.body);
            eye = body + rotate(quat, camera.pos.xyz);
            right = rotate(quat, rotate(camera.quat, vec3f(1.0, 0.0, 0.0)));
            up = rotate(quat, rotate(camera.quat, vec3f(0.0, 1.0, 0.0)));
            back = rotate(quat, rotate(camera.quat, vec3f(0.0, 0.0, 1.0)));
            if aims(camera.mode, camera.aim) {
                back = normalize(eye - target_point(world, camera.mode, camera.aim));
                right = normalize(cross(vec3f(0.0, 0.0, 1.0), back));
                up = cross(back, right);
            }
        }
    }
    let near = request.eye.w;
    let far = request.right.w;
    let orthographic = request.up.w > 0.5;
    let camera = looking(right, up, back, eye);
    let project = projection(request.frustum, near, far, orthographic);

    var view: ViewState;
    view.eye = vec4f(eye, 1.0);
    view.right = vec4f(right, 0.0);
    view.up = vec4f(up, 0.0);
    view.back = vec4f(back, 0.0);
    view.frustum = request.frustum;
    view.world = world;
    view.orthographic = u32(orthographic);
    // lights and their shadows
    for (var l = 0u; l < globals.lights; l++) {
        let light = lights[l];
        var lamp: Lamp;
        if l == 0u {
            // the headlight
            lamp.pos = vec4f(eye, 1.0);
            lamp.dir = vec4f(-back, 0.0);
        } else {
            lamp = lamp_of(light, world);
        }
        lamps[v * globals.lights + l] = lamp;
        if light.shadow >= 0 {
            view.shadows[light.shadow] = shadow_of(light, lamp);
            view.places[light.shadow] = request.places[light.shadow];
        }
    }
    view.mirrored = -1;
    view.clip = project * camera;
    views[v] = view;
    // the same seen in each mirror; planes that are seen from behind show nothing
    for (var m = 0u; m < globals.mirrors; m++) {
        let mirror = mirrors[m];
        var pos = mirror.pos.xyz;
        var normal = mirror.normal.xyz;
        if mirror.body.x != WORLD {
            let quat = body_quat(world, mirror.body.x);
            pos = body_pos(world, mirror.body.x) + rotate(quat, pos);
            normal = rotate(quat, normal);
        }
        view.mirror = vec4f(normal, -dot(normal, pos));
        view.mirrored = i32(m);
        view.clip = project * camera * reflection(view.mirror);
        views[(1u + m) * globals.views + v] = view;
    }
}
