// Bodies of the kernels; included once per instruction set inside a namespace of its own (cpp/kernels/*.cpp).
// Label rows of up to 64 numbers are handled with the row length known to the compiler, so sums stay in registers.
#include <limits>

#include "tagloom/kernels.hpp"
#include "tagloom/simd.hpp"

namespace tagloom {
namespace {

// Rows of V vectors at distance `stride`.
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
    Vec<Real> best[V];
    Vec<Real> row;
    for (std::size_t v = 0; v < V; ++v) {
        load(transitions + v * lanes, row);
        best[v] = row + previous[0];
    }
    for (std::size_t p = 1; p < labels; ++p) {
        for (std::size_t v = 0; v < V; ++v) {
            load(transitions + p * stride + v * lanes, row);
            raise(best[v], row + previous[p]);
        }
    }
    for (std::size_t v = 0; v < V; ++v) {
        load(emissions + v * lanes, row);
        store(best[v] + row, next + v * lanes);
    }
}

// Calls body(block size as a constant, first number of the block) for blocks of 4, 2 and 1 vectors; the usual small
// label sets are one block.
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

constexpr Kernels make_kernels(const char* name) {
    return {name, {sum_rows<float>, max_step<float>}, {sum_rows<double>, max_step<double>}};
}

}  // namespace
}  // namespace tagloom
