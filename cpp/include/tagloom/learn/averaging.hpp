// Averaging of the weight vectors of all steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/fast/kernels.hpp"

namespace tagloom {

// Weights of non-local features. They are few, and their number grows as new features occur.
template <class Real>
struct NonlocalWeights {
    std::vector<Real> values;
    std::vector<Real> sums;  // sums of the lazy average; as many as the values, or unused

    Real operator[](std::size_t row) const noexcept { return row < values.size() ? values[row] : Real{0}; }
    void add(std::size_t row, Real change, double clock) {
        if (row >= values.size()) sums.resize(row + 1, 0), values.resize(row + 1, 0);
        values[row] += change;
        sums[row] += static_cast<Real>(clock) * change;
    }
};

// How a row of weights has moved since the last mixing of learners (mixing.hpp); the bits are those of one byte per row.
inline constexpr std::uint8_t moved_by_examples = 1, moved_by_shrinking = 2;

// The weights of an online learner and, if they are averaged, the sums of the lazy average (Daume 2006, Figure 2.3;
// he-wang-2012, section 3.1): with c the number of examples seen before a change d, u sums c * d, and the mean of the
// vectors after each of the first C examples is w - u / C. This takes two vectors instead of one per step.
template <class Real>
struct AveragedWeights {
    std::span<Real> values;  // w
    std::span<Real> sums;    // u; empty without averaging
    double clock = 0;        // c
    NonlocalWeights<Real>* nonlocal = nullptr;
    std::span<std::uint8_t> moves = {};  // [rows] how each has moved; empty if nobody asks

    void add(std::size_t index, Real change) noexcept {
        values[index] += change;
        if (!sums.empty()) sums[index] += static_cast<Real>(clock) * change;
    }
    void tick() noexcept { clock += 1; }

    // The target for the kernels, which change whole rows.
    RowTarget<Real> rows(std::size_t stride) const noexcept {
        return {values.data(), sums.empty() ? nullptr : sums.data(), nullptr, nullptr, static_cast<Real>(clock),
                stride};
    }
};

// Turns the sums u into the mean w - u / C, in place. Weights that never moved are not written, because they may have no
// memory yet.
template <class Real>
void lazy_mean(std::span<const Real> weights, std::span<Real> sums, double clock) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const Real mean = clock > 0 ? weights[i] - static_cast<Real>(sums[i] / clock) : weights[i];
        if (sums[i] != mean) sums[i] = mean;
    }
}

}  // namespace tagloom
