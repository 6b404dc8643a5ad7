// Restriction of online learning to the weights that exist, as batch training lists them: a feature then has weights for
// the labels it was seen with, and the transitions that were seen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/learn/epoch.hpp"
#include "tagloom/learn/steps.hpp"

namespace tagloom {

// A step that leaves the weights that do not exist at zero. Listed entries are dropped before the step, so that it
// measures the difference without them; rows are moved as wholes and cleared afterwards.
template <class Real>
struct RestrictedStep {
    StepRef<Real> step;
    StepShape shape;
    std::span<const std::uint8_t> exists;  // [weights]

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        std::erase_if(difference.entries, [&](const auto& entry) { return !exists[entry.index]; });
        step.move(difference, weights);
        for_each_row(difference, shape.layout, shape.input,
                     [&](const std::uint32_t* rows, const Real*, std::size_t count, const Real*) {
                         for (std::size_t i = 0; i < count; ++i) clear_row(rows[i] * shape.layout.stride, weights);
                     });
    }

    void end_example(AveragedWeights<Real>& weights) const { step.end_example(weights); }

private:
    void clear_row(std::size_t first, AveragedWeights<Real>& weights) const noexcept {
        for (std::size_t index = first; index < first + shape.layout.stride; ++index) {
            if (exists[index]) continue;
            weights.values[index] = 0;
            if (!weights.sums.empty()) weights.sums[index] = 0;
        }
    }
};

}  // namespace tagloom
