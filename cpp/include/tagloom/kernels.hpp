// The hot kernels, chosen once at run time for the instruction set of the machine. All variants compute the same bits:
// no fused multiply-add, the same order of additions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tagloom {

template <class Real>
struct KernelsOf {
    // out[stride] = sum of weights[rows[i] * stride ...] (* values[i] where given), i < count
    void (*sum_rows)(const Real* weights, const std::uint32_t* rows, const float* values, std::size_t count,
                     std::size_t stride, Real* out);
    // next[y] = max over p < labels of (previous[p] + transitions[p * stride + y]), then + emissions[y]
    void (*max_step)(const Real* previous, const Real* transitions, const Real* emissions, std::size_t labels,
                     std::size_t stride, Real* next);
};

struct Kernels {
    const char* name;
    KernelsOf<float> f32;
    KernelsOf<double> f64;

    template <class Real>
    const KernelsOf<Real>& of() const noexcept {
        if constexpr (sizeof(Real) == sizeof(float)) return f32;
        else return f64;
    }
};

extern const Kernels baseline_kernels;
extern const Kernels avx2_kernels;  // the baseline again where the compiler has no AVX2

inline const Kernels& fastest_kernels() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) return avx2_kernels;
#endif
    return baseline_kernels;
}

// The kernels in use. Tests set another variant to compare results; nothing else writes here.
inline const Kernels*& chosen_kernels() noexcept {
    static const Kernels* chosen = &fastest_kernels();
    return chosen;
}

inline const Kernels& kernels() noexcept { return *chosen_kernels(); }

}  // namespace tagloom
