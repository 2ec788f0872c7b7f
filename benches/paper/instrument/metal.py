"""What kernels in Metal's language use of its standard library, as CUDA C++; written from the tables below."""

from itertools import product

NAMES = "xyzw"
WIDTHS = (2, 3, 4)

# operators of vectors and vectors, vectors and scalars, scalars and vectors
ARITHMETIC = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

# a function of scalars, and whether vectors of floats have it component by component
FLOAT_FUNCTIONS = (
    ("abs(float a)", "::fabsf(a)"),
    ("sqrt(float a)", "::sqrtf(a)"),
    ("rsqrt(float a)", "::rsqrtf(a)"),
    ("floor(float a)", "::floorf(a)"),
    ("ceil(float a)", "::ceilf(a)"),
    ("rint(float a)", "::rintf(a)"),
    ("trunc(float a)", "::truncf(a)"),
    ("sin(float a)", "::sinf(a)"),
    ("cos(float a)", "::cosf(a)"),
    ("exp(float a)", "::expf(a)"),
    ("log(float a)", "::logf(a)"),
    ("sign(float a)", "a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : 0.0f"),
    ("max(float a, float b)", "::fmaxf(a, b)"),
    ("min(float a, float b)", "::fminf(a, b)"),
    ("pow(float a, float b)", "::powf(a, b)"),
    ("fma(float a, float b, float c)", "::fmaf(a, b, c)"),
)
INTEGER_FUNCTIONS = (
    ("int", "abs(int a)", "a < 0 ? -a : a"),
    ("int", "max(int a, int b)", "a > b ? a : b"),
    ("int", "min(int a, int b)", "a < b ? a : b"),
    ("uint", "max(uint a, uint b)", "a > b ? a : b"),
    ("uint", "min(uint a, uint b)", "a < b ? a : b"),
    ("uint", "popcount(uint a)", "__popc(a)"),
    ("uint", "clz(uint a)", "__clz(a)"),
    ("uint", "ctz(uint a)", "a ? __ffs(a) - 1 : 32"),
)

# atomic functions and CUDA's
ATOMICS = (("add", "atomicAdd"), ("or", "atomicOr"), ("and", "atomicAnd"), ("min", "atomicMin"), ("max", "atomicMax"))

BEGINNING = """#pragma once
#define INLINE static __device__ __forceinline__
#define MEMBER __device__ __forceinline__
typedef unsigned int uint;
template <class T, class U> INLINE T as_type(U bits) {
    static_assert(sizeof(T) == sizeof(U), "as many bits");
    return *reinterpret_cast<T*>(&bits);
}
namespace metal {
typedef ::uint uint;
"""

SYNCHRONISATION = """
struct atomic_uint { uint value; };
enum order { memory_order_relaxed };
INLINE uint atomic_load_explicit(atomic_uint* a, order) { return a->value; }
INLINE void atomic_store_explicit(atomic_uint* a, uint x, order) { a->value = x; }
enum class mem_flags { mem_none, mem_device, mem_threadgroup };
INLINE void threadgroup_barrier(mem_flags) { __syncthreads(); }
"""


def header(swizzles):
    """Text of the header; `swizzles`: the groups of components that a kernel takes, as `zxy`."""
    parts = [BEGINNING]
    parts += [vector(width, swizzles) for width in WIDTHS]
    for width in WIDTHS:
        parts += operators(width)
        parts += [f"typedef vector{width}<{scalar}> {scalar}{width};" for scalar in ("float", "int", "uint", "bool")]
    parts.append("typedef float3 packed_float3;")
    parts += functions()
    parts += [matrix(columns, rows) for columns, rows in ((2, 3), (3, 3), (4, 3), (2, 4), (3, 4))]
    parts += products()
    parts.append(SYNCHRONISATION)
    for name, device in ATOMICS:
        head = f"INLINE uint atomic_fetch_{name}_explicit(atomic_uint* a, uint x, order)"
        parts.append(f"{head} {{ return {device}(&a->value, x); }}")
    parts.append("}")
    return "\n".join(parts) + "\n"


def vector(width, swizzles):
    """A vector: its components, constructors, groups of components, and components by index."""
    names = NAMES[:width]
    lines = [f"template <class T> struct vector{width} {{", f"    T {', '.join(names)};"]
    every = ", ".join(f"{c}()" for c in names)
    lines.append(f"    MEMBER constexpr vector{width}() : {every} {{}}")
    every = ", ".join(f"{c}(a)" for c in names)
    lines.append(f"    MEMBER constexpr explicit vector{width}(T a) : {every} {{}}")
    for pieces in compositions(width):
        lines.append(constructor(width, pieces))
    every = ", ".join(f"{c}(T(a.{c}))" for c in names)
    lines.append(f"    template <class U> MEMBER constexpr explicit vector{width}(vector{width}<U> a) : {every} {{}}")
    for group in sorted(swizzles):
        if set(group) <= set(names):
            kind = f"vector{len(group)}<T>"
            lines.append(f"    MEMBER {kind} {group}() const {{ return {kind}({', '.join(group)}); }}")
    # of four a component is found by its address, of fewer by comparing
    place = "(&x)[i]" if width == 4 else chosen(names)
    lines.append(f"    MEMBER T& operator[](uint i) {{ return {place}; }}")
    lines.append(f"    MEMBER constexpr T operator[](uint i) const {{ return {chosen(names)}; }}")
    return "\n".join([*lines, "};"])


def compositions(width):
    """All ways to make a vector of several pieces: (1, 1, 1), (1, 2), (2, 1)."""
    for count in range(2, width + 1):
        yield from (pieces for pieces in product(range(1, width), repeat=count) if sum(pieces) == width)


def constructor(width, pieces):
    arguments, parts = [], []
    for name, size in zip("abcd", pieces):
        arguments.append(f"{'T' if size == 1 else f'vector{size}<T>'} {name}")
        parts += [name] if size == 1 else [f"{name}.{c}" for c in NAMES[:size]]
    every = ", ".join(f"{c}({part})" for c, part in zip(NAMES, parts))
    return f"    MEMBER constexpr vector{width}({', '.join(arguments)}) : {every} {{}}"


def chosen(names):
    *first, last = names
    return "".join(f"i == {k} ? {name} : " for k, name in enumerate(first)) + last


def operators(width):
    names, own = NAMES[:width], f"vector{width}"
    head = "template <class T> INLINE"
    for op in ARITHMETIC:
        every = ", ".join(f"a.{c} {op} b.{c}" for c in names)
        yield f"{head} {own}<T> operator{op}({own}<T> a, {own}<T> b) {{ return {own}<T>({every}); }}"
        yield f"{head} {own}<T> operator{op}({own}<T> a, T b) {{ return a {op} {own}<T>(b); }}"
        yield f"{head} {own}<T> operator{op}(T a, {own}<T> b) {{ return {own}<T>(a) {op} b; }}"
    for op in COMPARISONS:
        every = ", ".join(f"a.{c} {op} b.{c}" for c in names)
        yield f"{head} {own}<bool> operator{op}({own}<T> a, {own}<T> b) {{ return {own}<bool>({every}); }}"
    yield f"{head} {own}<T> operator-({own}<T> a) {{ return {own}<T>({', '.join(f'-a.{c}' for c in names)}); }}"
    every = ", ".join(f"c.{c} ? b.{c} : a.{c}" for c in names)
    yield f"{head} {own}<T> select({own}<T> a, {own}<T> b, {own}<bool> c) {{ return {own}<T>({every}); }}"
    yield f"INLINE bool any({own}<bool> a) {{ return {' || '.join(f'a.{c}' for c in names)}; }}"
    yield f"INLINE bool all({own}<bool> a) {{ return {' && '.join(f'a.{c}' for c in names)}; }}"


def functions():
    """Functions of scalars, the same of vectors, and those of vectors alone."""
    for signature, value in FLOAT_FUNCTIONS:
        yield f"INLINE float {signature} {{ return {value}; }}"
    for result, signature, value in INTEGER_FUNCTIONS:
        yield f"INLINE {result} {signature} {{ return {value}; }}"
    signatures = [("float", signature) for signature, _ in FLOAT_FUNCTIONS]
    signatures += [(result, signature) for result, signature, _ in INTEGER_FUNCTIONS]
    for width in WIDTHS:
        for scalar, signature in signatures:
            yield by_component(width, scalar, signature)
        every = " + ".join(f"a.{c} * b.{c}" for c in NAMES[:width])
        own = f"float{width}"
        yield f"INLINE float dot({own} a, {own} b) {{ return {every}; }}"
        yield f"INLINE float length({own} a) {{ return sqrt(dot(a, a)); }}"
        yield f"INLINE {own} normalize({own} a) {{ return a * (1.0f / length(a)); }}"
        yield f"INLINE {own} clamp({own} a, float low, float high) {{ return min(max(a, {own}(low)), {own}(high)); }}"
    yield "template <class T> INLINE T clamp(T a, T low, T high) { return min(max(a, low), high); }"
    yield "template <class T> INLINE T select(T a, T b, bool c) { return c ? b : a; }"
    yield "template <class T> INLINE T mix(T a, T b, float t) { return a + (b - a) * t; }"
    turned = ", ".join(f"a.{p} * b.{q} - a.{q} * b.{p}" for p, q in ("yz", "zx", "xy"))
    yield f"INLINE float3 cross(float3 a, float3 b) {{ return float3({turned}); }}"


def by_component(width, scalar, signature):
    name, arguments = signature.rstrip(")").split("(")
    letters = [argument.split()[1] for argument in arguments.split(", ")]
    own = f"{scalar}{width}"
    every = ", ".join(f"{name}({', '.join(f'{a}.{c}' for a in letters)})" for c in NAMES[:width])
    return f"INLINE {own} {name}({', '.join(f'{own} {a}' for a in letters)}) {{ return {own}({every}); }}"


def matrix(columns, rows):
    """A matrix by its columns."""
    own, column, names = f"float{columns}x{rows}", f"float{rows}", [f"c{k}" for k in range(columns)]
    scalars = [[f"{c}{k}" for c in NAMES[:rows]] for k in range(columns)]
    arguments = ", ".join(f"float {x}" for of_one in scalars for x in of_one)
    from_columns = ", ".join(f"{c}({c})" for c in names)
    from_scalars = ", ".join(f"{c}({', '.join(of_one)})" for c, of_one in zip(names, scalars))
    place = "(&c0)[i]" if columns == 4 else chosen(names)
    return f"""struct {own} {{
    {column} {", ".join(names)};
    MEMBER constexpr {own}() {{}}
    MEMBER constexpr {own}({", ".join(f"{column} {c}" for c in names)}) : {from_columns} {{}}
    MEMBER constexpr {own}({arguments}) : {from_scalars} {{}}
    MEMBER {column}& operator[](uint i) {{ return {place}; }}
    MEMBER {column} operator[](uint i) const {{ return {place}; }}
}};"""


def products():
    """What 3x3 matrices need of algebra, and products of 2x3 ones with vectors."""
    names = ("c0", "c1", "c2")
    own = "float3x3"
    turned = ", ".join(f"float3({', '.join(f'a.{c}.{r}' for c in names)})" for r in NAMES[:3])
    yield f"INLINE {own} transpose({own} a) {{ return {own}({turned}); }}"
    for columns in (2, 3):
        each = " + ".join(f"a.c{k} * b.{c}" for k, c in enumerate(NAMES[:columns]))
        yield f"INLINE float3 operator*(float{columns}x3 a, float{columns} b) {{ return {each}; }}"
    each = ", ".join(f"dot(a, b.{c})" for c in names)
    yield f"INLINE float3 operator*(float3 a, {own} b) {{ return float3({each}); }}"
    yield f"INLINE {own} operator*({own} a, {own} b) {{ return {own}({', '.join(f'a * b.{c}' for c in names)}); }}"
    yield f"INLINE {own} operator*({own} a, float b) {{ return {own}({', '.join(f'a.{c} * b' for c in names)}); }}"
    yield f"INLINE {own} operator*(float a, {own} b) {{ return b * a; }}"
    for op in "+-":
        each = ", ".join(f"a.{c} {op} b.{c}" for c in names)
        yield f"INLINE {own} operator{op}({own} a, {own} b) {{ return {own}({each}); }}"
