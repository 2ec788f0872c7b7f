// Peak rates of the device: one kernel that only copies, one that only computes. Their constants are declared in
// `crates/gpu/src/tuning/roofline.rs`: `copies`, the elements copied by one invocation, `group_size` and `iterations`.

@group(0) @binding(0) var<storage, read> input: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4f>;

// Copies the input to the output: memory bandwidth. Neighbouring invocations take neighbouring elements.
@compute @workgroup_size(group_size)
fn copy(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
    let first = group.x * copies * group_size + index;
    for (var k = 0u; k < copies; k++) {
        output[first + k * group_size] = input[first + k * group_size];
    }
}

// Chains of multiply-adds: arithmetic throughput. An iteration of the loop has 8 times 4 products and 4 sums of 4
// numbers.
@compute @workgroup_size(group_size)
fn compute(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
    // read from memory, so that no compiler knows the values; the buffer holds zeros
    let m = input[0] + vec4f(0.998, 0.997, 0.996, 0.995);
    let s = input[1] + vec4f(0.001, 0.002, 0.003, 0.004);
    // four independent dependency chains
    var a = vec4f(f32(index));
    var b = a + 0.25;
    var c = a + 0.5;
    var d = a + 0.75;
    for (var i = 0u; i < iterations; i++) {
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
        a = a * m + s; b = b * m + s; c = c * m + s; d = d * m + s;
    }
    output[group.x * group_size + index] = (a + b) + (c + d);
}
