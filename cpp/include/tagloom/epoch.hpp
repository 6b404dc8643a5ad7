// The training loop, the only one: one pass over the examples in the order given.
#pragma once

#include <cstdint>
#include <span>

#include "tagloom/difference.hpp"

namespace tagloom {

struct EpochReport {
    std::int64_t updates = 0;       // examples that moved the weights
    std::int64_t token_errors = 0;  // tokens on which opponent and gold differed
};

template <class Real, class Opponent, class Step, class Averaging>
EpochReport run_epoch(std::span<Real> weights, std::span<const std::int64_t> order, Opponent& opponent, Step& step,
                      Averaging& averaging) {
    EpochReport report;
    SparseDifference<Real> difference;
    for (const std::int64_t example : order) {
        const std::size_t errors = opponent.find(weights.data(), static_cast<std::size_t>(example), difference);
        if (errors > 0) {
            const Real size = step(difference);
            for (const auto& [index, amount] : difference.entries) {
                weights[index] += size * amount;
                averaging.add(index, size * amount);
            }
            report.updates += 1;
            report.token_errors += static_cast<std::int64_t>(errors);
        }
        averaging.tick();
    }
    return report;
}

}  // namespace tagloom
