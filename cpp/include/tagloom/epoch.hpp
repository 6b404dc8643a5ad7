// The training loop, the only one: one pass over the examples in the order given.
#pragma once

#include <cstdint>
#include <span>

#include "tagloom/averaging.hpp"
#include "tagloom/difference.hpp"

namespace tagloom {

struct EpochReport {
    std::int64_t updates = 0;       // examples that moved the weights
    std::int64_t token_errors = 0;  // tokens on which the opponent was wrong
    double loss = 0;                // sum over the examples, each under the weights it met
};

template <class Real, class Opponent, class Step>
EpochReport run_epoch(AveragedWeights<Real>& weights, std::span<const std::int64_t> order, Opponent& opponent, Step& step) {
    EpochReport report;
    Difference<Real> difference;
    for (std::size_t i = 0; i < order.size(); ++i) {
        opponent.find(weights.values.data(), static_cast<std::size_t>(order[i]), difference);
        if (i + 1 < order.size()) opponent.expect(weights.values.data(), static_cast<std::size_t>(order[i + 1]));
        if (!difference.empty()) {
            step.move(difference, weights);
            report.updates += 1;
        }
        report.token_errors += static_cast<std::int64_t>(difference.errors);
        report.loss += difference.loss;
        step.end_example(weights);
        weights.tick();
    }
    return report;
}

}  // namespace tagloom
