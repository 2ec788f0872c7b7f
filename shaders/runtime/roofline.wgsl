// Peak rates of the device: one kernel that only copies, one that only computes.

@group(0) @binding(0) var<storage, read> input: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4f>;

// elements copied by one invocation: neighbouring invocations take neighbouring elements
const copies: u32 = 4u;
const group_size: u32 = 256u;

// Copies the input to the output: memory bandwidth.
@compute @workgroup_size(group_size)
fn copy(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
    let first = group.x * copies * group_size + index;
    for (var k = 0u; k < copies; k++) {
        output[first + k * group_size] = input[first + k * group_size];
    }
}

// Iterations of the loop below, and floating-point operations in each: 8 times 4 products and 4 sums of 4 numbers.
const iterations: u32 = 64u;

// Chains of multiply-adds: arithmetic throughput.
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
