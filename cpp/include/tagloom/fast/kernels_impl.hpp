// Bodies of the kernels, which are included by one file per instruction set (cpp/kernels/*.cpp), each with its own
// copy. For label rows of up to 32 numbers the compiler knows the row length, so sums stay in registers.
#include <cmath>
#include <cstring>
#include <type_traits>

#include "tagloom/fast/kernels.hpp"
#include "tagloom/fast/simd.hpp"

namespace tagloom {
namespace {

// Handles rows of V vectors at distance `stride`.
template <class Real, std::size_t V>
void sum_block(const Real* weights, const std::uint32_t* rows, const float* values, std::size_t count,
               std::size_t stride, Real* out) {
    Vec<Real> sum[V] = {};
    Vec<Real> row;
    for (std::size_t i = 0; i < count; ++i) {
        const Real* from = weights + rows[i] * stride;
        for (std::size_t v = 0; v < V; ++v) {
            load(from + v * lanes, row);
            sum[v] += values ? row * static_cast<Real>(values[i]) : row;
        }
    }
    for (std::size_t v = 0; v < V; ++v) store(sum[v], out + v * lanes);
}

template <class Real, std::size_t V>
void max_block(const Real* previous, const Real* transitions, const Real* emissions, std::size_t labels,
               std::size_t stride, Real* next) {
    constexpr std::size_t width = register_lanes<Real>, count = V * lanes / width;
    Register<Real> best[count];
    Register<Real> row;
    for (std::size_t v = 0; v < count; ++v) {
        load(transitions + v * width, row);
        best[v] = row + previous[0];
    }
    for (std::size_t p = 1; p < labels; ++p) {
        for (std::size_t v = 0; v < count; ++v) {
            load(transitions + p * stride + v * width, row);
            raise(best[v], row + previous[p]);
        }
    }
    for (std::size_t v = 0; v < count; ++v) {
        load(emissions + v * width, row);
        store(best[v] + row, next + v * width);
    }
}

template <class Real, std::size_t V>
Real sum_step_block(const Real* previous, const Real* matrix, const Real* factors, Real scale, std::size_t labels,
                    std::size_t stride, Real* next) {
    Vec<Real> sum[V] = {};
    Vec<Real> row;
    for (std::size_t p = 0; p < labels; ++p) {
        for (std::size_t v = 0; v < V; ++v) {
            load(matrix + p * stride + v * lanes, row);
            sum[v] += row * previous[p];
        }
    }
    Vec<Real> total = {};
    for (std::size_t v = 0; v < V; ++v) {
        load(factors + v * lanes, row);
        sum[v] = sum[v] * row * scale;
        total += sum[v];
        store(sum[v], next + v * lanes);
    }
    return lane_sum<Real>(total);
}

// 2^n * p(r) with x = n ln 2 + r, |r| <= ln 2 / 2; the polynomial is the one of Cephes' expf (error below 2 ulp).
inline void exp_lanes(Vec<float>& x) {
#if defined(__GNUC__)
    const Vec<float> zero = {};
    const auto alive = x > -87.0f;
    x = alive ? x : zero - 87.0f;
    x = x < 88.0f ? x : zero + 88.0f;
    constexpr float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
    const Vec<float> shifted = x * 1.44269504088896341f + magic;
    const Vec<float> n = shifted - magic;
    const Vec<float> r = x - n * 0.693359375f - n * -2.12194440e-4f;
    Vec<float> p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    typedef std::int32_t Bits __attribute__((vector_size(lanes * sizeof(std::int32_t))));
    const Bits exponent = (__builtin_convertvector(n, Bits) + 127) << 23;
    Vec<float> power;
    std::memcpy(&power, &exponent, sizeof power);
    x = alive ? p * power : zero;
#else
    for (float& lane : x.lane) lane = std::exp(lane);
#endif
}

inline void exp_lanes(Vec<double>& x) {
    double lane[lanes];
    store<double>(x, lane);
    for (double& value : lane) value = std::exp(value);
    load<double>(lane, x);
}

template <class Real>
void exp_shifted(const Real* in, Real shift, std::size_t count, Real* out) {
    Vec<Real> x;
    for (std::size_t i = 0; i < count; i += lanes) {
        load(in + i, x);
        x = x + (-shift);
        exp_lanes(x);
        store(x, out + i);
    }
}

template <class Real>
void add_outer(const Real* left, const Real* right, Real factor, std::size_t labels, std::size_t stride, Real* sums) {
    Vec<Real> row, sum;
    for (std::size_t v = 0; v < stride; v += lanes) {
        load(right + v, row);
        row = row * factor;
        for (std::size_t p = 0; p < labels; ++p) {
            load(sums + p * stride + v, sum);
            store(sum + row * left[p], sums + p * stride + v);
        }
    }
}

template <class Real, std::size_t V, bool Rates, bool Sums>
void add_block(const RowTarget<Real>& target, const std::uint32_t* rows, const Real* values, std::size_t count,
               Real factor, const Real* amounts, std::size_t at) {
    Real* const weights = target.weights;
    Real* const sums = target.sums;
    const Real clock = target.clock;
    const std::size_t stride = target.stride;
    Vec<Real> amount[V], change, old;
    for (std::size_t v = 0; v < V; ++v) load(amounts + at + v * lanes, amount[v]);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = rows[i] * stride + at;
        const Real scale = values ? factor * values[i] : factor;
        const Real* rates = Rates ? target.rates + target.rate_rows[i] * stride + at : nullptr;
        for (std::size_t v = 0; v < V; ++v) {
            change = amount[v] * scale;
            if constexpr (Rates) {
                load(rates + v * lanes, old);
                change = change * old;
            }
            load(weights + begin + v * lanes, old);
            store(old + change, weights + begin + v * lanes);
            if constexpr (Sums) {
                load(sums + begin + v * lanes, old);
                store(old + change * clock, sums + begin + v * lanes);
            }
        }
    }
}

// Calls body(block size as a constant, first number of the block) for all blocks of 4 vectors and one block of the
// rest; small label sets are one block.
template <class Body>
void for_each_block(std::size_t stride, Body body) {
    std::size_t at = 0;
    std::size_t vectors = stride / lanes;
    const auto take = [&](auto size) {
        body(size, at);
        at += size * lanes;
        vectors -= size;
    };
    while (vectors >= 4) take(std::integral_constant<std::size_t, 4>{});
    if (vectors == 3) take(std::integral_constant<std::size_t, 3>{});
    if (vectors == 2) take(std::integral_constant<std::size_t, 2>{});
    if (vectors == 1) take(std::integral_constant<std::size_t, 1>{});
}

template <class Real>
void sum_rows(const Real* weights, const std::uint32_t* rows, const float* values, std::size_t count,
              std::size_t stride, Real* out) {
    for_each_block(stride, [&](auto size, std::size_t at) {
        sum_block<Real, size()>(weights + at, rows, values, count, stride, out + at);
    });
}

template <class Real>
void max_step(const Real* previous, const Real* transitions, const Real* emissions, std::size_t labels,
              std::size_t stride, Real* next) {
    for_each_block(stride, [&](auto size, std::size_t at) {
        max_block<Real, size()>(previous, transitions + at, emissions + at, labels, stride, next + at);
    });
}

template <class Real>
Real sum_step(const Real* previous, const Real* matrix, const Real* factors, Real scale, std::size_t labels,
              std::size_t stride, Real* next) {
    Real total = 0;
    for_each_block(stride, [&](auto size, std::size_t at) {
        total += sum_step_block<Real, size()>(previous, matrix + at, factors + at, scale, labels, stride, next + at);
    });
    return total;
}

template <class Real>
void add_rows(const RowTarget<Real>& target, const std::uint32_t* rows, const Real* values, std::size_t count,
              Real factor, const Real* amounts) {
    for_each_block(target.stride, [&](auto size, std::size_t at) {
        constexpr std::size_t V = size();
        const auto add = target.rates
                             ? (target.sums ? add_block<Real, V, true, true> : add_block<Real, V, true, false>)
                             : (target.sums ? add_block<Real, V, false, true> : add_block<Real, V, false, false>);
        add(target, rows, values, count, factor, amounts, at);
    });
}

// Uses vectors of 32 bytes instead of eight numbers, because maxima of vectors wider than the machine's go through
// memory.
template <class Real>
Real add_largest(const Real* left, Real factor, const Real* right, std::size_t count, Real* out) {
#if defined(__GNUC__)
    typedef Real Short __attribute__((vector_size(32)));
    constexpr std::size_t width = 32 / sizeof(Real);
    Short a, b, most;
    for (std::size_t i = 0; i < count; i += width) {
        std::memcpy(&a, left + i, sizeof a);
        std::memcpy(&b, right + i, sizeof b);
        b = a * factor + b;
        std::memcpy(out + i, &b, sizeof b);
        if (i == 0) most = b;
        else raise(most, b);
    }
    Real lane[width];
    std::memcpy(lane, &most, sizeof most);
    Real best = lane[0];
    for (const Real each : lane) best = each > best ? each : best;
#else
    Real best = factor * left[0] + right[0];
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = factor * left[i] + right[i];
        best = out[i] > best ? out[i] : best;
    }
#endif
    return best;
}

template <class Real>
constexpr KernelsOf<Real> make_kernels_of() {
    return {sum_rows<Real>,  max_step<Real>, sum_step<Real>,   exp_shifted<Real>,
            add_outer<Real>, add_rows<Real>, add_largest<Real>};
}

constexpr Kernels make_kernels(const char* name) { return {name, make_kernels_of<float>(), make_kernels_of<double>()}; }

}  // namespace
}  // namespace tagloom
