// What all passes read: instances of shapes, poses of bodies, lights, and what each view sees.

const WORLD: u32 = 0xffffffffu;
const MAX_SHADOWS: u32 = 8u;

struct Globals {
    // floats of a world, and where its fields begin
    stride: u32,
    xpos: u32,
    xquat: u32,
    com: u32,
    lights: u32,
    flags: u32,
    views: u32,
    mirrors: u32,
    fog: vec4f,
    haze: vec4f,
    // start and end of fog, far plane, share of the way to the horizon that haze covers
    range: vec4f,
    // side of a texel of the shadow atlas, vertices of skins in a world
    texel: f32,
    deformed: u32,
    // height of the infinite floor
    floor: f32,
    pad: u32,
}

const SHADOWS: u32 = 1u;
const REFLECTIONS: u32 = 2u;
const FOG: u32 = 4u;
const HAZE: u32 = 8u;
const SKYBOX: u32 = 16u;

struct Instance {
    size: vec4f,
    rgba: vec4f,
    pos: vec4f,
    quat: vec4f,
    gloss: vec4f,
    repeat: vec4f,
    body: u32,
    object: u32,
    mapping: u32,
    infinite: u32,
}

struct Light {
    // in the frame of the body; cosine of the cutoff, exponent
    pos: vec4f,
    dir: vec4f,
    // relative to what it tracks; 1 if it does
    pos0: vec4f,
    dir0: vec4f,
    ambient: vec4f,
    diffuse: vec4f,
    specular: vec4f,
    attenuation: vec4f,
    body: u32,
    mode: u32,
    // body to aim at, or -1
    aim: i32,
    // 0 spot, 1 directional, 2 point
    kind: u32,
    // number of its shadow, or -1; half the extent or the tangent of half the angle, near and far planes
    shadow: i32,
    spread: f32,
    near: f32,
    far: f32,
}

// A light in the world of a view.
struct Lamp {
    pos: vec4f,
    dir: vec4f,
}

struct View {
    clip: mat4x4f,
    eye: vec4f,
    right: vec4f,
    up: vec4f,
    back: vec4f,
    // half sizes and centre of the picture at distance 1; those of an orthographic one are metres
    frustum: vec4f,
    // plane beyond which nothing is drawn: normal and offset
    mirror: vec4f,
    world: u32,
    orthographic: u32,
    mirrored: i32,
    pad: u32,
    shadows: array<mat4x4f, MAX_SHADOWS>,
    // places in the atlas of shadows: corner and size
    places: array<vec4f, MAX_SHADOWS>,
}

struct Draw {
    tint: vec4f,
    view: u32,
    world: u32,
    shadow: u32,
    alpha: f32,
}

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}
