// Policies that differ from world to world, and what is learnt from their returns. Before this text stand sizes, places of
// fields, and the functions of philox.

struct Turn {
    first: u32, // number of the first of these worlds
    worlds: u32,
    generation: u32,
    noisy: u32, // 0: all worlds have the mean policy
}

// fields of these worlds
@group(0) @binding(0) var<storage, read_write> reals: array<f32>;
@group(0) @binding(1) var<storage, read_write> ints: array<i32>;
@group(0) @binding(2) var<uniform> turn: Turn;
// of all worlds: policies [parameter, world], the mean one and its two moments [3, parameter], returns, weights and going
// episodes [3, world]
@group(0) @binding(3) var<storage, read_write> policies: array<f32>;
@group(0) @binding(4) var<storage, read_write> centre: array<f32>;
@group(0) @binding(5) var<storage, read_write> scores: array<f32>;

// Where element i of a field is, of the world of an invocation.
fn at(world: u32, stride: u32, offset: u32, i: u32) -> u32 {
    return (world / tile) * stride * tile + (offset + i) * tile + world % tile;
}

fn parameter(i: u32, world: u32) -> f32 {
    return policies[i * num_worlds + world];
}

// Draws the policy of each world: the mean one with noise, whose sign differs in the two worlds of a pair. Episodes begin.
@compute @workgroup_size(64)
fn vary(@builtin(global_invocation_id) id: vec3u) {
    let world = turn.first + id.x;
    if (id.x >= turn.worlds) {
        return;
    }
    let sign = select(-1.0, 1.0, world % 2u == 0u) * f32(turn.noisy);
    for (var i = 0u; i < parameters; i++) {
        // a normal number, by Box and Muller
        let words = philox(vec4u(i, world / 2u, turn.generation, 0u), vec2u(seed, 0x45564f4cu));
        let normal = sqrt(-2.0 * log(unit(words.x))) * cos(6.283185307 * unit(words.y));
        policies[i * num_worlds + world] = centre[i] + sign * deviation * normal;
    }
    scores[world] = 0.0;
    scores[2u * num_worlds + world] = 1.0;
}

// Computes the action of each world from its observation: a hidden layer of tanh, then one number of -1 to 1 an action.
@compute @workgroup_size(64)
fn act(@builtin(global_invocation_id) id: vec3u) {
    let world = turn.first + id.x;
    if (id.x >= turn.worlds) {
        return;
    }
    var sums: array<f32, actions>;
    var p = 0u;
    for (var unit = 0u; unit < hidden; unit++) {
        var sum = parameter(p, world);
        p++;
        for (var i = 0u; i < observations; i++) {
            sum += parameter(p, world) * reals[at(id.x, real_stride, observation, i)];
            p++;
        }
        let value = tanh(clamp(sum, -10.0, 10.0));
        for (var a = 0u; a < actions; a++) {
            sums[a] += parameter(p, world) * value;
            p++;
        }
    }
    for (var a = 0u; a < actions; a++) {
        reals[at(id.x, real_stride, action, a)] = tanh(clamp(sums[a], -10.0, 10.0));
    }
}

// Adds the rewards of the first episode of each world.
@compute @workgroup_size(64)
fn score(@builtin(global_invocation_id) id: vec3u) {
    let world = turn.first + id.x;
    if (id.x >= turn.worlds) {
        return;
    }
    let going = scores[2u * num_worlds + world];
    scores[world] += going * reals[at(id.x, real_stride, reward, 0u)];
    let ended = ints[at(id.x, int_stride, terminated, 0u)] | ints[at(id.x, int_stride, truncated, 0u)];
    scores[2u * num_worlds + world] = select(going, 0.0, ended != 0);
}

// Weighs each world by its rank among all returns, from -1/2 to 1/2; of equal ones the first world counts as less.
@compute @workgroup_size(64)
fn rank(@builtin(global_invocation_id) id: vec3u) {
    let world = turn.first + id.x;
    if (id.x >= turn.worlds) {
        return;
    }
    let own = scores[world];
    var less = 0u;
    for (var other = 0u; other < num_worlds; other++) {
        let value = scores[other];
        less += select(0u, 1u, value < own || (value == own && other < world));
    }
    scores[num_worlds + world] = f32(less) / f32(num_worlds - 1u) - 0.5;
}

// Moves the mean policy along the gradient of the expected weight, by Adam; worlds are added in their order.
@compute @workgroup_size(64)
fn learn(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= parameters) {
        return;
    }
    let mean = centre[i];
    var gradient = 0.0;
    for (var world = 0u; world < num_worlds; world++) {
        gradient += scores[num_worlds + world] * (parameter(i, world) - mean);
    }
    gradient /= f32(num_worlds) * deviation * deviation;
    let momentum = 0.9 * centre[parameters + i] + 0.1 * gradient;
    let square = 0.99 * centre[2u * parameters + i] + 0.01 * gradient * gradient;
    centre[parameters + i] = momentum;
    centre[2u * parameters + i] = square;
    let n = f32(turn.generation + 1u);
    let step = rate * sqrt(1.0 - pow(0.99, n)) / (1.0 - pow(0.9, n));
    centre[i] = mean + step * momentum / (sqrt(square) + 1e-8);
}
