// The hot kernels, chosen once at run time for the instruction set of the machine. All variants compute the same bits:
// they use no fused multiply-add and the same order of additions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tagloom {

// Where rows of amounts are added: the weights, the sums of a lazy average, and learning rates, one per weight. The
// latter two are null if they are not used. Rows with the same rates share them: the rates of rows[i] are
// rates[rate_rows[i] * stride ...].
template <class Real>
struct RowTarget {
    Real* weights = nullptr;
    Real* sums = nullptr;  // += clock * change
    const Real* rates = nullptr;
    const std::uint32_t* rate_rows = nullptr;
    Real clock = 0;
    std::size_t stride = 0;
};

template <class Real>
struct KernelsOf {
    // out[stride] = sum of weights[rows[i] * stride ...] (* values[i] where given), i < count
    void (*sum_rows)(const Real* weights, const std::uint32_t* rows, const float* values, std::size_t count,
                     std::size_t stride, Real* out);
    // next[y] = max over p < labels of (previous[p] + transitions[p * stride + y]), then + emissions[y]
    void (*max_step)(const Real* previous, const Real* transitions, const Real* emissions, std::size_t labels,
                     std::size_t stride, Real* next);
    // next[y] = scale * factors[y] * sum over p < labels of previous[p] * matrix[p * stride + y]; returns their sum
    Real (*sum_step)(const Real* previous, const Real* matrix, const Real* factors, Real scale, std::size_t labels,
                     std::size_t stride, Real* next);
    // out[i] = exp(in[i] - shift), i < count, a multiple of the lanes; 0 where the argument is below about -87 (float)
    void (*exp_shifted)(const Real* in, Real shift, std::size_t count, Real* out);
    // sums[p * stride + y] += left[p] * factor * right[y], p < labels
    void (*add_outer)(const Real* left, const Real* right, Real factor, std::size_t labels, std::size_t stride,
                      Real* sums);
    // target.weights[rows[i] * stride ...] += factor (* values[i], rates) * amounts[...], i < count
    void (*add_rows)(const RowTarget<Real>& target, const std::uint32_t* rows, const Real* values, std::size_t count,
                     Real factor, const Real* amounts);
    // out[i] = factor * left[i] + right[i], i < count, a multiple of the lanes; returns the largest
    Real (*add_largest)(const Real* left, Real factor, const Real* right, std::size_t count, Real* out);
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
extern const Kernels avx2_kernels;  // equal to the baseline if the compiler has no AVX2

inline const Kernels& fastest_kernels() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) return avx2_kernels;
#endif
    return baseline_kernels;
}

// The kernels in use. Tests set another variant to compare results; nothing else changes this.
inline const Kernels*& chosen_kernels() noexcept {
    static const Kernels* chosen = &fastest_kernels();
    return chosen;
}

inline const Kernels& kernels() noexcept { return *chosen_kernels(); }

}  // namespace tagloom
