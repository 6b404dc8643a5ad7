// The training loop, the only one: one pass over the examples in the order given.
#pragma once

#include <cstdint>
#include <span>

#include "tagloom/averaging.hpp"
#include "tagloom/difference.hpp"

namespace tagloom {

struct EpochReport {
    std::int64_t updates = 0;       // examples, or decisions, that moved the weights
    std::int64_t token_errors = 0;  // tokens on which the opponent was wrong
    double loss = 0;                // sum over the examples, each under the weights it met
};

// An opponent that learns from every decision of an example says whether there are more of them to come.
template <class Opponent>
bool has_more(const Opponent& opponent) {
    if constexpr (requires { opponent.has_more(); }) return opponent.has_more();
    else return false;
}

// One whose features are numbered as they are met makes room for the weights of new ones, and says where they are.
template <class Opponent, class Real>
void make_room(Opponent& opponent, Difference<Real>& difference, AveragedWeights<Real>& weights) {
    if constexpr (requires { opponent.make_room(difference, weights); }) opponent.make_room(difference, weights);
}

template <class Real, class Opponent, class Step>
EpochReport run_epoch(AveragedWeights<Real>& weights, std::span<const std::int64_t> order, Opponent& opponent, Step& step) {
    EpochReport report;
    Difference<Real> difference;
    for (std::size_t i = 0; i < order.size(); ++i) {
        bool is_first = true;
        do {
            opponent.find(weights.values.data(), static_cast<std::size_t>(order[i]), difference);
            if (is_first && i + 1 < order.size()) opponent.expect(weights.values.data(), static_cast<std::size_t>(order[i + 1]));
            is_first = false;
            if (!difference.empty()) {
                make_room(opponent, difference, weights);
                step.move(difference, weights);
                report.updates += 1;
            }
            report.token_errors += static_cast<std::int64_t>(difference.errors);
            report.loss += difference.loss;
            step.end_example(weights);
            weights.tick();
        } while (has_more(opponent));
    }
    return report;
}

}  // namespace tagloom
