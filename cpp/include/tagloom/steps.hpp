// Steps: how far to move along the difference, weight by weight.
//
// A step has move(difference, weights), called for every example with a violation, and end_example(weights), called for
// every example. What a step remembers between passes is its StepState, so that training can stop and go on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/averaging.hpp"
#include "tagloom/difference.hpp"
#include "tagloom/memory.hpp"
#include "tagloom/merging.hpp"

namespace tagloom {

struct StepSettings {
    double aggressiveness = 1;  // C of PA and DCA
    double rate = 0.1;          // initial learning rate
    double decay = 0;           // lambda in rate / (1 + lambda * rate * t), or alpha in rate * alpha^(t / examples)
    double l1 = 0;              // strength a example: the objective's, divided by the number of examples
    double l2 = 0;
    double examples = 1;        // in a pass
    double period = 1;          // examples between two visits of all weights, for L2
    double window = 1;          // ADF: examples after which rates fall
    double slow = 0.995;        // ADF: factor on the rate of a feature that never fires (alpha)
    double fast = 0.6;          // ADF: on that of a feature that fires in every example (beta)
};

template <class Real>
struct StepState {
    double examples = 0;                    // t, seen so far
    double penalty = 0;                     // L1: what each weight could have received so far (u)
    BigVector<Real> weight_rates;           // MADF: B, one a weight
    BigVector<Real> penalties;              // L1: what each weight did receive (q)
    std::vector<Real> row_rates;            // ADF: gamma, one a feature
    std::vector<std::uint64_t> row_counts;  // ADF: examples of the window in which the feature fired (v), and in the
                                            // upper half the last example that fired it, from 1
};

// The problem's shape, which all steps need to walk over rows.
struct StepShape {
    const ChainLayout& layout;
    const ChainInput& input;
};

// weights += factor * difference, each change times the rates of `target`.
template <class Real>
void move_along(const Difference<Real>& difference, const StepShape& shape, const RowTarget<Real>& target, Real factor,
                AveragedWeights<Real>& weights) {
    const auto add_rows = kernels().of<Real>().add_rows;
    for_each_row(difference, shape.layout, shape.input,
                 [&](const std::uint32_t* rows, const float* values, std::size_t count, const Real* amounts) {
                     add_rows(target, rows, values, count, factor, amounts);
                 });
    for (const auto& entry : difference.entries) {
        Real change = factor * entry.amount;
        if (target.weight_rates) change *= target.weight_rates[entry.index];
        if (target.row_rates) change *= target.row_rates[entry.row];
        weights.add(entry.index, change);
    }
}

// Whether a visit of all weights is due after so many examples.
inline bool is_due(double examples, double period) noexcept {
    return static_cast<std::int64_t>(examples) % static_cast<std::int64_t>(period) == 0;
}

// The perceptron's: always one.
template <class Real>
struct UnitStep {
    StepShape shape;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        move_along(difference, shape, weights.rows(shape.layout.stride), Real{1}, weights);
    }
    void end_example(AveragedWeights<Real>&) noexcept {}
};

// Passive-aggressive: just far enough that gold wins by the cost (he-wang-2012, Eq. 4), at most C (PA-I), or damped by
// 1 / 2C (PA-II; Crammer et al. 2006).
template <class Real>
struct PassiveAggressiveStep {
    StepShape shape;
    double aggressiveness;
    bool damped;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        difference.merge_entries();
        double norm = 0;
        for (const auto& entry : difference.entries) norm += static_cast<double>(entry.amount) * static_cast<double>(entry.amount);
        if (norm == 0) return;  // other labels, the same features: nothing tells them apart
        const double size = damped ? difference.loss / (norm + 1 / (2 * aggressiveness))
                                   : std::min(aggressiveness, difference.loss / norm);
        move_along(difference, shape, weights.rows(shape.layout.stride), static_cast<Real>(std::max(size, 0.0)), weights);
    }
    void end_example(AveragedWeights<Real>&) noexcept {}
};

// Dual coordinate ascent with the loss of a CRF (Martins et al. 2010; he-wang-2012, Eq. 9):
// min(C, loss / |gradient|^2).
template <class Real>
struct DualAscentStep {
    StepShape shape;
    double aggressiveness;
    RowMerger<Real>& merger;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        difference.merge_entries();
        merger.begin(shape.layout.stride);
        for_each_row(difference, shape.layout, shape.input,
                     [&](const std::uint32_t* rows, const float* values, std::size_t count, const Real* amounts) {
                         merger.add(rows, values, count, amounts);
                     });
        double norm = merger.squared_norm();
        for (const auto& entry : difference.entries) norm += static_cast<double>(entry.amount) * static_cast<double>(entry.amount);
        if (norm == 0) return;
        const auto size = static_cast<Real>(std::min(aggressiveness, difference.loss / norm));
        const RowTarget<Real> target = weights.rows(shape.layout.stride);
        const auto add_rows = kernels().of<Real>().add_rows;
        for (std::size_t slot = 0; slot < merger.size(); ++slot)
            add_rows(target, merger.row(slot), nullptr, 1, size, merger.amounts(slot));
        for (const auto& entry : difference.entries) weights.add(entry.index, size * entry.amount);
    }
    void end_example(AveragedWeights<Real>&) noexcept {}
};

// w -= share(row, index) * w for every weight: the regularizer's part of many steps at once (Bordes et al. 2009;
// he-wang-2012, section 3.1).
template <class Real, class Share>
void shrink(const ChainLayout& layout, AveragedWeights<Real>& weights, Share share) {
    const auto clock = static_cast<Real>(weights.clock);
    const auto shrink_range = [&](std::size_t row, std::size_t first, std::size_t last) {
        Real* values = weights.values.data();
        Real* sums = weights.sums.empty() ? nullptr : weights.sums.data();
        for (std::size_t index = first; index < last; ++index) {
            const Real change = -std::min(static_cast<Real>(share(row, index)), Real{1}) * values[index];
            values[index] += change;
            if (sums) sums[index] += clock * change;
        }
    };
    for (std::size_t row = 0; row < layout.node_rows + layout.labels; ++row)
        shrink_range(row, row * layout.stride, (row + 1) * layout.stride);
    for (std::size_t feature = 0; feature < layout.edge_features(); ++feature)
        shrink_range(layout.edge_row(feature), layout.edge_begin() + static_cast<std::size_t>(layout.edge_offsets[feature]),
                     layout.edge_begin() + static_cast<std::size_t>(layout.edge_offsets[feature + 1]));
}

// Stochastic gradient descent, rate_t = rate / (1 + lambda rate t) (Bottou's CRFSGD), and MADF: the same with a fixed
// factor for every weight (he-wang-2012, Eqs. 14 and 15).
template <class Real>
struct GradientStep {
    StepShape shape;
    const StepSettings& settings;
    StepState<Real>& state;

    double rate() const noexcept { return settings.rate / (1 + settings.decay * settings.rate * state.examples); }

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        RowTarget<Real> target = weights.rows(shape.layout.stride);
        if (!state.weight_rates.empty()) target.weight_rates = state.weight_rates.data();
        move_along(difference, shape, target, static_cast<Real>(rate()), weights);
    }

    void end_example(AveragedWeights<Real>& weights) {
        state.examples += 1;
        if (settings.l2 == 0 || !is_due(state.examples, settings.period)) return;
        const auto share = static_cast<Real>(rate() * settings.l2 * settings.period);
        if (state.weight_rates.empty()) shrink(shape.layout, weights, [&](std::size_t, std::size_t) { return share; });
        else shrink(shape.layout, weights, [&](std::size_t, std::size_t index) { return share * state.weight_rates[index]; });
    }

};

// The diagonal B of MADF, B = 1 / (beta + (alpha - beta) * count / tokens) with count that of the weight's feature and
// label (pair) in the gold labels (he-wang-2012, Eq. 15); alpha = 1 / a, beta = 1 / b.
template <class Real>
BigVector<Real> frequency_rates(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold, double a, double b) {
    BigVector<Real> counts(layout.size(), 0);
    for (std::size_t s = 0; s + 1 < input.sentences.size(); ++s) {
        const std::size_t begin = input.begin(s);
        for (std::size_t t = begin; t < begin + input.length(s); ++t) {
            const auto y = static_cast<std::size_t>(gold[t]);
            for (std::size_t i = input.nodes.begin(t); i < input.nodes.end(t); ++i) counts[layout.node(input.nodes.rows[i], y)] += 1;
            if (t == begin) continue;
            const auto p = static_cast<std::size_t>(gold[t - 1]);
            counts[layout.transition(p, y)] += 1;
            if (input.edges.rows.empty()) continue;
            for_each_edge(layout, input.edges, t, [&](std::size_t, float, std::size_t k) {
                if (layout.edge_pairs[k] == p * layout.labels + y) counts[layout.edge_begin() + k] += 1;
            });
        }
    }
    const double tokens = std::max(static_cast<double>(gold.size()), 1.0);
    for (Real& rate : counts)
        rate = static_cast<Real>(1 / (1 / b + (1 / a - 1 / b) * static_cast<double>(rate) / tokens));
    return counts;
}

// ADF (Sun, Wang & Li 2012): a rate a feature, lowered after every window by how often the feature fired in it.
template <class Real>
struct AdaptiveStep {
    StepShape shape;
    const StepSettings& settings;
    StepState<Real>& state;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        count(difference);
        RowTarget<Real> target = weights.rows(shape.layout.stride);
        target.row_rates = state.row_rates.data();
        move_along(difference, shape, target, Real{1}, weights);
    }

    void end_example(AveragedWeights<Real>& weights) {
        state.examples += 1;
        if (settings.l2 > 0 && is_due(state.examples, settings.period)) {
            const auto share = static_cast<Real>(settings.l2 * settings.period);
            shrink(shape.layout, weights, [&](std::size_t row, std::size_t) { return share * state.row_rates[row]; });
        }
        if (is_due(state.examples, settings.window)) lower_rates();
    }

private:
    void count(const Difference<Real>& difference) {
        const std::uint64_t example = static_cast<std::uint64_t>(state.examples) + 1;
        const auto count_row = [&](std::uint32_t row) {
            std::uint64_t& counted = state.row_counts[row];
            if (counted >> 32 == (example & 0xffffffff)) return;
            counted = example << 32 | ((counted & 0xffffffff) + 1);
        };
        for_each_row(difference, shape.layout, shape.input,
                     [&](const std::uint32_t* rows, const float*, std::size_t count, const Real*) {
                         for (std::size_t i = 0; i < count; ++i) count_row(rows[i]);
                     });
        for (const auto& entry : difference.entries) count_row(entry.row);
    }

    void lower_rates() {
        for (std::size_t row = 0; row < state.row_rates.size(); ++row) {
            const double frequency = static_cast<double>(state.row_counts[row] & 0xffffffff) / settings.window;
            state.row_rates[row] *= static_cast<Real>(settings.slow - frequency * (settings.slow - settings.fast));
            state.row_counts[row] = 0;
        }
    }
};

// SGD with L1 by cumulative penalty (Tsuruoka, Tsujii & Ananiadou 2009), rate_t = rate * alpha^(t / N).
template <class Real>
struct LassoStep {
    StepShape shape;
    const StepSettings& settings;
    StepState<Real>& state;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        const double rate = settings.rate * std::pow(settings.decay, state.examples / settings.examples);
        state.penalty += rate * settings.l1;
        move_along(difference, shape, weights.rows(shape.layout.stride), static_cast<Real>(rate), weights);
        const std::size_t stride = shape.layout.stride;
        for_each_row(difference, shape.layout, shape.input,
                     [&](const std::uint32_t* rows, const float*, std::size_t count, const Real*) {
                         for (std::size_t i = 0; i < count; ++i) penalise(rows[i] * stride, (rows[i] + 1) * stride, weights);
                     });
        for (const auto& entry : difference.entries) penalise(entry.index, entry.index + 1, weights);
    }
    void end_example(AveragedWeights<Real>&) noexcept { state.examples += 1; }

private:
    // Brings the penalty that weights have received up to what they could have received; a weight stops at zero.
    void penalise(std::size_t first, std::size_t last, AveragedWeights<Real>& weights) {
        const auto total = static_cast<Real>(state.penalty), clock = static_cast<Real>(weights.clock);
        Real* values = weights.values.data();
        Real* sums = weights.sums.empty() ? nullptr : weights.sums.data();
        Real* penalties = state.penalties.data();
        for (std::size_t index = first; index < last; ++index) {
            const Real before = values[index], received = penalties[index];
            const Real down = before - (total + received), up = before + (total - received);
            const Real after = before > 0 ? (down > 0 ? down : Real{0}) : (up < 0 ? up : Real{0});
            penalties[index] = received + (after - before);
            values[index] = after;
            if (sums) sums[index] += clock * (after - before);
        }
    }
};

}  // namespace tagloom
