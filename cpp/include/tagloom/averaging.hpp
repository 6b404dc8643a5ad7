// Averaging of the weight vectors of all steps.
#pragma once

#include <cstdint>
#include <span>

namespace tagloom {

template <class Real>
struct NoAveraging {
    void add(std::size_t, Real) noexcept {}
    void tick() noexcept {}
};

// Lazy average (Daume 2006, Figure 2.3): with c the number of examples seen before a change d, u sums c * d, and the
// mean of the vectors after each of the first C examples is w - u / C. Two vectors instead of one per step.
template <class Real>
struct LazyAverage {
    std::span<Real> sums;  // u
    double clock = 0;      // c

    void add(std::size_t index, Real change) noexcept { sums[index] += static_cast<Real>(clock) * change; }
    void tick() noexcept { clock += 1; }

};

// Turns the sums u into the mean w - u / C, in place.
template <class Real>
void lazy_mean(std::span<const Real> weights, std::span<Real> sums, double clock) {
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = clock > 0 ? weights[i] - static_cast<Real>(sums[i] / clock) : weights[i];
}

}  // namespace tagloom
