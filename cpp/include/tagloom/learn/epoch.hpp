// The only training loop: one pass over the examples in the given order.
#pragma once

#include <cstdint>
#include <span>

#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/difference.hpp"

namespace tagloom {

struct EpochReport {
    std::int64_t updates = 0;       // examples, or decisions, that moved the weights
    std::int64_t token_errors = 0;  // tokens on which the opponent was wrong
    double loss = 0;                // sum over the examples, each under the weights at its time
};

// An opponent as the training loop sees it. It has find(weights, example, difference) and expect(weights, next
// example). An opponent that learns from every decision of an example has has_more(), which tells whether more
// decisions follow; an opponent whose features are numbered as they occur has make_room(difference, weights), which
// makes room for the weights of new features.
//
// Opponents and steps are called indirectly, once per example, so that the loop and its parts are compiled once instead
// of once per pair of opponent and step.
template <class Real>
class OpponentRef {
public:
    template <class Opponent>
    explicit OpponentRef(Opponent& opponent) : object_(&opponent), calls_(calls_of<Opponent>) {}

    void find(const Real* weights, std::size_t example, Difference<Real>& difference) const {
        calls_.find(object_, weights, example, difference);
    }
    void expect(const Real* weights, std::size_t example) const { calls_.expect(object_, weights, example); }
    bool has_more() const { return calls_.has_more(object_); }
    void make_room(Difference<Real>& difference, AveragedWeights<Real>& weights) const {
        calls_.make_room(object_, difference, weights);
    }

private:
    struct Calls {
        void (*find)(void*, const Real*, std::size_t, Difference<Real>&);
        void (*expect)(void*, const Real*, std::size_t);
        bool (*has_more)(void*);
        void (*make_room)(void*, Difference<Real>&, AveragedWeights<Real>&);
    };

    template <class Opponent>
    static constexpr Calls calls_of = {
        [](void* object, const Real* weights, std::size_t example, Difference<Real>& difference) {
            static_cast<Opponent*>(object)->find(weights, example, difference);
        },
        [](void* object, const Real* weights, std::size_t example) {
            static_cast<Opponent*>(object)->expect(weights, example);
        },
        []([[maybe_unused]] void* object) {
            if constexpr (requires(Opponent& opponent) { opponent.has_more(); })
                return static_cast<Opponent*>(object)->has_more();
            else return false;
        },
        []([[maybe_unused]] void* object, [[maybe_unused]] Difference<Real>& difference,
           [[maybe_unused]] AveragedWeights<Real>& weights) {
            if constexpr (requires(Opponent& opponent) { opponent.make_room(difference, weights); })
                static_cast<Opponent*>(object)->make_room(difference, weights);
        },
    };

    void* object_;
    const Calls& calls_;
};

// A step as the training loop sees it: move(difference, weights) and end_example(weights).
template <class Real>
class StepRef {
public:
    template <class Step>
    explicit StepRef(Step& step)
        : object_(&step),
          move_([](void* object, Difference<Real>& difference, AveragedWeights<Real>& weights) {
              static_cast<Step*>(object)->move(difference, weights);
          }),
          end_example_(
              [](void* object, AveragedWeights<Real>& weights) { static_cast<Step*>(object)->end_example(weights); }) {}

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) const {
        move_(object_, difference, weights);
    }
    void end_example(AveragedWeights<Real>& weights) const { end_example_(object_, weights); }

private:
    void* object_;
    void (*move_)(void*, Difference<Real>&, AveragedWeights<Real>&);
    void (*end_example_)(void*, AveragedWeights<Real>&);
};

template <class Real>
EpochReport run_epoch(AveragedWeights<Real>& weights, std::span<const std::int64_t> order, OpponentRef<Real> opponent,
                      StepRef<Real> step) {
    EpochReport report;
    Difference<Real> difference;
    for (std::size_t i = 0; i < order.size(); ++i) {
        bool is_first = true;
        do {
            opponent.find(weights.values.data(), static_cast<std::size_t>(order[i]), difference);
            if (is_first && i + 1 < order.size())
                opponent.expect(weights.values.data(), static_cast<std::size_t>(order[i + 1]));
            is_first = false;
            if (!difference.empty()) {
                opponent.make_room(difference, weights);
                step.move(difference, weights);
                report.updates += 1;
            }
            report.token_errors += static_cast<std::int64_t>(difference.errors);
            report.loss += difference.loss;
            step.end_example(weights);
            weights.tick();
        } while (opponent.has_more());
    }
    return report;
}

}  // namespace tagloom
