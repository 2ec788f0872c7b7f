// Shapes in colour, as shadows, and as numbers of objects.

@group(0) @binding(0) var<uniform> globals: Globals;
@group(0) @binding(1) var<storage, read> frame: array<f32>;
@group(0) @binding(2) var<storage, read> instances: array<Instance>;
@group(0) @binding(3) var<storage, read> lights: array<Light>;
@group(0) @binding(4) var<storage, read> views: array<ViewState>;
@group(0) @binding(5) var<storage, read> lamps: array<Lamp>;
@group(0) @binding(6) var<storage, read> deformed: array<vec4f>;
@group(1) @binding(0) var<uniform> draw: DrawParameters;
@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var cube: texture_cube<f32>;
@group(2) @binding(2) var smooth_sampler: sampler;
@group(3) @binding(0) var shadow_map: texture_depth_2d;
@group(3) @binding(1) var shadow_sampler: sampler_comparison;
@group(3) @binding(2) var reflected: texture_2d_array<f32>;

struct Vertex {
    @location(0) pos: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
    @location(3) end: f32,
}

struct Placed {
    pos: vec3f,
    normal: vec3f,
    texture: vec3f,
}

struct Pixel {
    @builtin(position) clip: vec4f,
    @location(0) pos: vec3f,
    @location(1) normal: vec3f,
    @location(2) texture: vec3f,
    @location(3) @interpolate(flat) instance: u32,
}

// Pose of the instance's frame in the world: identity for shapes of the world itself.
fn frame_pos(body: u32) -> vec3f {
    if body == WORLD {
        return vec3f(0.0);
    }
    let at = draw.world * globals.stride + globals.xpos + 3u * body;
    return vec3f(frame[at], frame[at + 1u], frame[at + 2u]);
}

fn frame_quat(body: u32) -> vec4f {
    if body == WORLD {
        return vec4f(0.0, 0.0, 0.0, 1.0);
    }
    let at = draw.world * globals.stride + globals.xquat + 4u * body;
    return vec4f(frame[at + 1u], frame[at + 2u], frame[at + 3u], frame[at]);
}

// Place of a vertex of a skin or flex, and its normal, which were computed before.
fn deformed_pos(number: u32) -> vec3f {
    return deformed[2u * (draw.world * globals.deformed + number)].xyz;
}

fn deformed_normal(number: u32) -> vec3f {
    return deformed[2u * (draw.world * globals.deformed + number) + 1u].xyz;
}

// Axes of which the third is a unit vector.
fn axes_along(z: vec3f) -> mat3x3f {
    let side = select(-1.0, 1.0, z.z >= 0.0);
    let a = -1.0 / (side + z.z);
    let b = z.x * z.y * a;
    let x = vec3f(1.0 + side * z.x * z.x * a, side * b, -side * z.x);
    return mat3x3f(x, vec3f(b, side + z.y * z.y * a, -z.y), z);
}

// A vertex of a capsule between two vertices of flexes.
fn place_between(v: Vertex, instance: Instance) -> Placed {
    let end = deformed_pos(u32(instance.pos.x));
    let along = deformed_pos(u32(instance.pos.y)) - end;
    let distance = length(along);
    let axes = axes_along(select(vec3f(0.0, 0.0, 1.0), along / max(distance, 1e-30), distance > 0.0));
    let local = instance.size.xyz * v.pos + vec3f(0.0, 0.0, 0.5 * distance * v.end);
    var placed: Placed;
    placed.pos = end + 0.5 * along + axes * local;
    placed.normal = axes * v.normal;
    placed.texture = vec3f(0.0);
    return placed;
}

fn place(v: Vertex, instance: Instance) -> Placed {
    if instance.body == BETWEEN {
        return place_between(v, instance);
    }
    var placed: Placed;
    let body_quat = frame_quat(instance.body);
    let body_pos = frame_pos(instance.body);
    var size = instance.size.xyz;
    var offset = vec3f(0.0);
    // infinite planes reach to the far plane around the eye
    if instance.infinite != 0u {
        let center = body_pos + rotate(body_quat, instance.pos.xyz);
        let x = rotate(body_quat, rotate(instance.quat, vec3f(1.0, 0.0, 0.0)));
        let y = rotate(body_quat, rotate(instance.quat, vec3f(0.0, 1.0, 0.0)));
        let to_eye = views[draw.view].eye.xyz - center;
        if (instance.infinite & 1u) != 0u {
            size.x = globals.range.z;
            offset.x = dot(to_eye, x);
        }
        if (instance.infinite & 2u) != 0u {
            size.y = globals.range.z;
            offset.y = dot(to_eye, y);
        }
    }
    let local = offset + v.pos * size + vec3f(0.0, 0.0, v.end * instance.size.w);
    let normal = normalize(v.normal / max(size, vec3f(1e-9)));
    placed.pos = body_pos + rotate(body_quat, instance.pos.xyz + rotate(instance.quat, local));
    placed.normal = rotate(body_quat, rotate(instance.quat, normal));
    placed.texture = coordinates(v, instance, local);
    return placed;
}

// Texture coordinates of a vertex.
fn coordinates(v: Vertex, instance: Instance, local: vec3f) -> vec3f {
    let uniform_scale = instance.repeat.z > 0.5;
    switch instance.mapping {
        case OF_MESH: {
            return vec3f(v.uv * instance.repeat.xy, 0.0);
        }
        case FROM_ABOVE: {
            // over the shape, or over metres where it is infinite or asked for
            var scale = vec2f(1.0) / max(instance.size.xy, vec2f(1e-9));
            if uniform_scale || (instance.infinite & 1u) != 0u {
                scale.x = 1.0;
            }
            if uniform_scale || (instance.infinite & 2u) != 0u {
                scale.y = 1.0;
            }
            let xy = 0.5 * instance.repeat.xy * local.xy * scale;
            return vec3f(xy.x - 0.5, -xy.y - 0.5, 0.0);
        }
        case CUBE: {
            if uniform_scale {
                return local;
            }
            return v.pos + vec3f(0.0, 0.0, v.end);
        }
        default: {
            return vec3f(0.0);
        }
    }
}

@vertex
fn vertex(v: Vertex, @builtin(instance_index) index: u32) -> Pixel {
    let placed = place(v, instances[index]);
    var out: Pixel;
    out.clip = views[draw.view].clip * vec4f(placed.pos, 1.0);
    out.pos = placed.pos;
    out.normal = placed.normal;
    out.texture = placed.texture;
    out.instance = index;
    return out;
}

@vertex
fn shadow_vertex(v: Vertex, @builtin(instance_index) index: u32) -> @builtin(position) vec4f {
    let placed = place(v, instances[index]);
    return views[draw.view].shadows[draw.shadow] * vec4f(placed.pos, 1.0);
}

// Vertices of skins and flexes: places were computed before, with the normals along which they are inflated.
fn inflated_pos(v: Vertex, inflate: f32) -> vec3f {
    let number = u32(v.end);
    return deformed_pos(number) + inflate * v.pos.z * deformed_normal(number);
}

@vertex
fn deformed_vertex(v: Vertex, @builtin(instance_index) index: u32) -> Pixel {
    let pos = inflated_pos(v, instances[index].size.x);
    var out: Pixel;
    out.clip = views[draw.view].clip * vec4f(pos, 1.0);
    out.pos = pos;
    out.normal = v.normal.z * deformed_normal(u32(v.end));
    out.texture = vec3f(v.uv * instances[index].repeat.xy, 0.0);
    out.instance = index;
    return out;
}

@vertex
fn deformed_shadow(v: Vertex, @builtin(instance_index) index: u32) -> @builtin(position) vec4f {
    return views[draw.view].shadows[draw.shadow] * vec4f(inflated_pos(v, instances[index].size.x), 1.0);
}

// Share of a light that reaches a point.
fn lit(light: Light, view: u32, pos: vec3f, normal: vec3f) -> f32 {
    if light.shadow < 0 || (globals.flags & SHADOWS) == 0u {
        return 1.0;
    }
    let s = views[view].shadows[light.shadow] * vec4f(pos, 1.0);
    let place = views[view].places[light.shadow];
    let ndc = s.xyz / s.w;
    if s.w <= 0.0 || any(abs(ndc.xy) >= vec2f(0.995)) || ndc.z >= 1.0 || ndc.z <= 0.0 {
        return 1.0;
    }
    let uv = place.xy + place.zw * vec2f(0.5 + 0.5 * ndc.x, 0.5 - 0.5 * ndc.y);
    let t = 0.5 * globals.texel;
    return 0.25 * (
        textureSampleCompareLevel(shadow_map, shadow_sampler, uv + vec2f(-t, -t), ndc.z)
        + textureSampleCompareLevel(shadow_map, shadow_sampler, uv + vec2f(t, -t), ndc.z)
        + textureSampleCompareLevel(shadow_map, shadow_sampler, uv + vec2f(-t, t), ndc.z)
        + textureSampleCompareLevel(shadow_map, shadow_sampler, uv + vec2f(t, t), ndc.z)
    );
}

// The light that a surface sends to the eye: emission, and of each lamp ambient, diffuse and specular parts.
fn shaded(view: u32, pos: vec3f, normal: vec3f, color: vec3f, emission: f32, gloss: vec2f) -> vec3f {
    var sum = emission * color;
    let toward = select(
        normalize(views[view].eye.xyz - pos), views[view].back.xyz, views[view].orthographic != 0u,
    );
    for (var l = 0u; l < globals.lights; l++) {
        let light = lights[l];
        let lamp = lamps[(view % globals.views) * globals.lights + l];
        var to_light = -lamp.dir.xyz;
        var strength = 1.0;
        if light.kind != DIRECTIONAL {
            let d = lamp.pos.xyz - pos;
            let distance = length(d);
            to_light = d / max(distance, 1e-9);
            let a = light.attenuation.xyz;
            strength = 1.0 / max(a.x + distance * (a.y + distance * a.z), 1e-9);
            if light.kind == SPOT {
                // the cone of a spotlight
                let cosine = dot(-to_light, lamp.dir.xyz);
                strength *= select(0.0, pow(max(cosine, 0.0), light.dir.w), cosine >= light.pos.w);
            }
        }
        sum += strength * light.ambient.rgb * color;
        let facing = dot(normal, to_light);
        if facing > 0.0 && strength > 0.0 {
            let reaches = strength * lit(light, view, pos, normal);
            let half = normalize(to_light + toward);
            let shine = gloss.x * pow(max(dot(normal, half), 0.0), max(128.0 * gloss.y, 1e-3));
            sum += reaches * (facing * light.diffuse.rgb * color + shine * light.specular.rgb);
        }
    }
    return sum;
}

fn fogged(color: vec3f, view: u32, pos: vec3f) -> vec3f {
    if (globals.flags & FOG) == 0u {
        return color;
    }
    let distance = dot(views[view].eye.xyz - pos, views[view].back.xyz);
    let share = clamp((distance - globals.range.x) / max(globals.range.y - globals.range.x, 1e-9), 0.0, 1.0);
    return mix(color, globals.fog.rgb, share);
}

// Distance at which the floor ends in haze.
fn horizon() -> f32 {
    return 0.7 * globals.range.z;
}

// Share of haze over a point of the floor; above 1 beyond its end.
fn haze_on_floor(eye: vec3f, pos: vec3f) -> f32 {
    let end = horizon();
    let begin = (1.0 - globals.range.w) * end;
    let distance = max(length(pos.xy - eye.xy), 1e-6);
    if distance > end {
        return 2.0;
    }
    if distance <= begin {
        return 0.0;
    }
    // half by distance, half by the angle below the horizon
    let by_distance = (distance - begin) / max(end - begin, 1e-6);
    let by_angle = 1.0 - (1.0 / distance - 1.0 / end) / max(1.0 / max(begin, 1e-6) - 1.0 / end, 1e-9);
    return 0.5 * (by_distance + by_angle);
}

// Share of haze in the sky, from the end of the floor up to the horizon.
fn haze_in_sky(eye: vec3f, ray: vec3f) -> f32 {
    let height = max(eye.z - globals.floor, 1e-6);
    let down = -ray.z / max(length(ray.xy), 1e-6);
    let f = clamp(down * horizon() / height, 0.0, 1.0);
    return f * (1.0 + globals.range.w) / (1.0 + f * globals.range.w);
}

fn surface(in: Pixel, normal: vec3f) -> vec4f {
    let instance = instances[in.instance];
    let view = draw.view;
    var color = instance.rgba;
    // both textures are sampled, as derivatives need all pixels of a square
    let flat_color = textureSample(picture, smooth_sampler, in.texture.xy);
    let cube_color = textureSample(cube, smooth_sampler, in.texture);
    if instance.mapping == CUBE {
        color *= cube_color;
    } else if instance.mapping != PLAIN {
        color *= flat_color;
    }
    // what lies behind a mirror, and the mirror itself, is not seen in it
    if views[view].mirrored >= 0 && dot(views[view].mirror, vec4f(in.pos, 1.0)) < 1e-4 {
        discard;
    }
    var rgb = shaded(view, in.pos, normal, color.rgb, instance.pos.w, instance.gloss.xy);
    if instance.gloss.w >= 0.0 && views[view].mirrored < 0 && (globals.flags & REFLECTIONS) != 0u {
        let plane = views[(1u + u32(instance.gloss.w)) * globals.views + view].mirror;
        // the sides of a box do not reflect
        if dot(plane.xyz, normal) > 0.99 {
            let image = textureLoad(reflected, vec2i(in.clip.xy), i32(instance.gloss.w), 0);
            rgb = min(rgb, vec3f(1.0)) + instance.gloss.z * image.rgb;
        }
    }
    if instance.infinite == 3u && (globals.flags & HAZE) != 0u {
        let haze = haze_on_floor(views[view].eye.xyz, in.pos);
        if haze > 1.0 {
            discard;
        }
        rgb = mix(rgb, globals.haze.rgb, haze);
    }
    rgb = mix(rgb, draw.tint.rgb, draw.tint.a);
    // as of two layers: what is transparent has two sides
    return vec4f(fogged(rgb, view, in.pos), color.a * (2.0 - color.a) * draw.alpha);
}

@fragment
fn fragment(in: Pixel) -> @location(0) vec4f {
    return surface(in, normalize(in.normal));
}

// Surfaces with two sides.
@fragment
fn deformed_fragment(in: Pixel, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    // without a normal of its own, that of its triangle towards the eye
    let across = cross(dpdx(in.pos), dpdy(in.pos));
    let view = draw.view;
    let toward = select(
        views[view].eye.xyz - in.pos, views[view].back.xyz, views[view].orthographic != 0u,
    );
    let flat_normal = across * sign(dot(across, toward)) / max(length(across), 1e-30);
    let own = select(-in.normal, in.normal, front);
    let distance = length(own);
    return surface(in, select(flat_normal, own / max(distance, 1e-30), distance > 0.0));
}

@fragment
fn object_fragment(in: Pixel) -> @location(0) u32 {
    return instances[in.instance].object;
}

// The background: a skybox, with haze from the end of the floor to the horizon.
struct Sky {
    @builtin(position) clip: vec4f,
    @location(0) ray: vec3f,
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> Sky {
    let x = f32(i32(index & 1u) * 4 - 1);
    let y = f32(i32(index >> 1u) * 4 - 1);
    let view = draw.view;
    let frustum = views[view].frustum;
    var out: Sky;
    out.clip = vec4f(x, y, 0.0, 1.0);
    var plane = frustum.zw + vec2f(x, y) * frustum.xy;
    if views[view].orthographic != 0u {
        plane = vec2f(0.0);
    }
    out.ray = plane.x * views[view].right.xyz + plane.y * views[view].up.xyz - views[view].back.xyz;
    return out;
}

@fragment
fn sky_fragment(in: Sky) -> @location(0) vec4f {
    // the sides of a skybox: front along y, up along z, right along x
    let ray = normalize(in.ray);
    let sky = textureSampleLevel(cube, smooth_sampler, vec3f(ray.x, ray.z, -ray.y), 0.0);
    var rgb = select(vec3f(0.0), sky.rgb, (globals.flags & SKYBOX) != 0u);
    if (globals.flags & HAZE) != 0u {
        rgb = mix(rgb, globals.haze.rgb, haze_in_sky(views[draw.view].eye.xyz, ray));
    }
    if (globals.flags & FOG) != 0u {
        rgb = globals.fog.rgb;
    }
    return vec4f(rgb, 1.0);
}
