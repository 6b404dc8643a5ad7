// Vector operations of an optimizer, which sum in the same order on every machine.
#pragma once

#include <span>

#include "tagloom/fast/simd.hpp"

namespace tagloom {

inline double dot(std::span<const double> a, std::span<const double> b) {
    Vec<double> sum = {}, left, right;
    std::size_t i = 0;
    for (; i + lanes <= a.size(); i += lanes) {
        load<double>(a.data() + i, left);
        load<double>(b.data() + i, right);
        sum += left * right;
    }
    double total = lane_sum<double>(sum);
    for (; i < a.size(); ++i) total += a[i] * b[i];
    return total;
}

// Computes to += factor * from.
inline void add_scaled(std::span<double> to, double factor, std::span<const double> from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

}  // namespace tagloom
