// A machine that runs kernels on the host: what a thread of a kernel sees.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

struct Accesses;

// Where `resume` says that a thread goes on: 0 at the beginning, k behind barrier k.
constexpr uint32_t DONE = ~0u;

struct Thread {
    uint32_t index = 0, threads = 0, group = 0, groups = 0;
    uint32_t resume = 0;
    char* shared = nullptr;
    const uint64_t* buffers = nullptr;
    const uint32_t* sizes = nullptr;
    void* registers = nullptr;
    uint32_t* entered = nullptr;   // how often, by basic block
    Accesses* accesses = nullptr;  // null where they are not asked for
};

// Notes an access of a buffer, by an instruction, of so many bytes.
void note(const Thread& t, uint32_t instruction, const char* at, uint32_t size);

inline float as_float(uint32_t bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline uint32_t as_bits(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

// The k-th element behind an address, which may be of another type there.
template <class T> using alias __attribute__((may_alias)) = T;
template <class T> alias<T>& at_of(char* at, int k) { return reinterpret_cast<alias<T>*>(at)[k]; }
template <class T> const alias<T>& at_of(const char* at, int k) { return reinterpret_cast<const alias<T>*>(at)[k]; }

// Conversion of what has been rounded: the nearest that the type has, 0 for what is no number.
template <class T> T whole(float x) {
    if (std::isnan(x)) return 0;
    if (x <= (float)std::numeric_limits<T>::min()) return std::numeric_limits<T>::min();
    if (x >= (float)std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
    return (T)x;
}

inline uint32_t reversed(uint32_t x) {
    uint32_t y = 0;
    for (int k = 0; k < 32; k++) y |= (x >> k & 1u) << (31 - k);
    return y;
}
