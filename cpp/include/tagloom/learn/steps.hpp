// Steps decide how far to move along the difference, weight by weight.
//
// A step has move(difference, weights), called for every example with a violation, and end_example(weights), called for
// every example. A step keeps its state between passes in a StepState, so that training can stop and resume.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/difference.hpp"
#include "tagloom/learn/frequency_rates.hpp"
#include "tagloom/learn/merging.hpp"

namespace tagloom {

struct StepSettings {
    double aggressiveness = 1;  // C of PA and DCA
    double rate = 0.1;          // initial learning rate
    double decay = 0;           // lambda in rate / (1 + lambda * rate * t), or alpha in rate * alpha^(t / examples)
    double l1 = 0;              // strength per example: the objective's, divided by the number of examples
    double l2 = 0;
    double examples = 1;      // examples in a pass
    double period = 1;        // examples between two visits of all weights, for L2
    double window = 1;        // ADF: examples after which rates fall
    double slow = 0.995;      // ADF: factor on the rate of a feature that never fires (alpha)
    double fast = 0.6;        // ADF: factor on the rate of a feature that fires in every example (beta)
    double variance = 1;      // AROW: of every weight at the start
    double gamma = 1;         // AROW: how much a loss weighs against changes of the weights (r)
    double cost_power = 0.5;  // opponent "predicted": the power of the number of wrong labels
};

// ADF's record of a feature.
template <class Real>
struct AdaptiveRate {
    Real rate = 0;              // gamma
    std::uint32_t count = 0;    // examples of the window in which the feature fired (v)
    std::uint32_t example = 0;  // the last of them, counted from 1
};

template <class Real>
struct StepState {
    double examples = 0;                             // t, the examples seen so far
    double penalty = 0;                              // L1: the penalty that each weight could have received so far (u)
    FrequencyRates<Real> frequency_rates;            // MADF: B
    ZeroVector<Real> penalties;                      // L1: the penalty that each weight has received (q)
    std::vector<AdaptiveRate<Real>> adaptive_rates;  // ADF, one per feature
    BigVector<Real> variances;                       // AROW: the diagonal of the covariance (Sigma)
};

// The shape of the problem, which all steps need to visit rows.
struct StepShape {
    const ChainLayout& layout;
    const ChainInput& input;
};

// weights += factor * difference.
template <class Real>
void move_along(const Difference<Real>& difference, const StepShape& shape, Real factor,
                AveragedWeights<Real>& weights) {
    const auto add_rows = kernels().of<Real>().add_rows;
    const RowTarget<Real> target = weights.rows(shape.layout.stride);
    for_each_row(difference, shape.layout, shape.input,
                 [&](const std::uint32_t* rows, const Real* values, std::size_t count, const Real* amounts) {
                     add_rows(target, rows, values, count, factor, amounts);
                 });
    for (const auto& entry : difference.entries) weights.add(entry.index, factor * entry.amount);
    for (const Count& count : difference.counts)
        weights.nonlocal->add(count.row, factor * static_cast<Real>(count.amount), weights.clock);
}

// Whether all weights are due for a visit after this number of examples.
inline bool is_due(double examples, double period) noexcept {
    return static_cast<std::int64_t>(examples) % static_cast<std::int64_t>(period) == 0;
}

// The perceptron's step: the factor is always one.
template <class Real>
struct UnitStep {
    StepShape shape;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        move_along(difference, shape, Real{1}, weights);
    }
    void end_example(AveragedWeights<Real>&) noexcept {}
};

// Passive-aggressive: moves just far enough that gold wins by the cost (he-wang-2012, Eq. 4), at most C (PA-I), or
// damped by 1 / 2C (PA-II; Crammer et al. 2006).
template <class Real>
struct PassiveAggressiveStep {
    StepShape shape;
    double aggressiveness;
    bool damped;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        difference.merge_entries();
        double norm = 0;
        for (const auto& entry : difference.entries)
            norm += static_cast<double>(entry.amount) * static_cast<double>(entry.amount);
        if (norm == 0) return;  // other labels with the same features cannot be distinguished
        const double size = damped ? difference.loss / (norm + 1 / (2 * aggressiveness))
                                   : std::min(aggressiveness, difference.loss / norm);
        move_along(difference, shape, static_cast<Real>(std::max(size, 0.0)), weights);
    }
    void end_example(AveragedWeights<Real>&) noexcept {}
};

// Adaptive regularization of weights (Crammer, Kulesza & Dredze 2009) with a diagonal covariance: every weight moves as
// far as its variance allows, and the variance of a weight that was part of an error falls.
template <class Real>
struct ConfidenceStep {
    StepShape shape;
    double gamma;
    BigVector<Real>& variances;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        difference.merge_entries();
        double spread = gamma;
        for (const auto& entry : difference.entries) spread += square(entry.amount) * variances[entry.index];
        const double size = std::max(difference.loss, 0.0) / spread;
        for (const auto& entry : difference.entries) {
            Real& variance = variances[entry.index];
            weights.add(entry.index, static_cast<Real>(size * variance * entry.amount));
            variance = static_cast<Real>(1 / (1 / static_cast<double>(variance) + square(entry.amount) / gamma));
        }
    }
    void end_example(AveragedWeights<Real>&) noexcept {}

private:
    static double square(Real amount) noexcept { return static_cast<double>(amount) * static_cast<double>(amount); }
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
                     [&](const std::uint32_t* rows, const Real* values, std::size_t count, const Real* amounts) {
                         merger.add(rows, values, count, amounts);
                     });
        double norm = merger.squared_norm();
        for (const auto& entry : difference.entries)
            norm += static_cast<double>(entry.amount) * static_cast<double>(entry.amount);
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

// Computes w /= 1 + share for every weight: the regularizer's part of many steps at once (Bordes et al. 2009;
// he-wang-2012, section 3.1). It is an implicit step, which cannot overshoot for any share. share(row, first weight of
// the row) gives a function of the weight's place in the row.
template <class Real, class Share>
void shrink(const ChainLayout& layout, AveragedWeights<Real>& weights, Share share) {
    for (std::uint8_t& move : weights.moves) move |= moved_by_shrinking;
    const auto clock = static_cast<Real>(weights.clock);
    const auto shrink_row = [&](std::size_t row, std::size_t first, std::size_t count) {
        Real* values = weights.values.data() + first;
        Real* sums = weights.sums.empty() ? nullptr : weights.sums.data() + first;
        const auto part = share(row, first);
        for (std::size_t i = 0; i < count; ++i) {
            const Real change = -values[i] * (part(i) / (1 + part(i)));
            values[i] += change;
            if (sums) sums[i] += clock * change;
        }
    };
    for (std::size_t row = 0; row < layout.node_rows + layout.labels; ++row)
        shrink_row(row, row * layout.stride, layout.stride);
    for (std::size_t feature = 0; feature < layout.edge_features(); ++feature)
        shrink_row(layout.edge_row(feature),
                   layout.edge_begin() + static_cast<std::size_t>(layout.edge_offsets[feature]),
                   static_cast<std::size_t>(layout.edge_offsets[feature + 1] - layout.edge_offsets[feature]));
    for (std::size_t pair = 0; layout.has_triples && pair < layout.labels * layout.labels; ++pair)
        shrink_row(layout.node_rows + pair / layout.labels, layout.triple_begin() + pair * layout.stride,
                   layout.labels);
}

// Stochastic gradient descent, rate_t = rate / (1 + lambda rate t) (Bottou's CRFSGD).
template <class Real>
struct GradientStep {
    StepShape shape;
    const StepSettings& settings;
    StepState<Real>& state;

    double rate() const noexcept { return settings.rate / (1 + settings.decay * settings.rate * state.examples); }

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        move_along(difference, shape, static_cast<Real>(rate()), weights);
    }

    void end_example(AveragedWeights<Real>& weights) {
        state.examples += 1;
        if (settings.l2 == 0 || !is_due(state.examples, settings.period)) return;
        const auto share = static_cast<Real>(rate() * settings.l2 * settings.period);
        shrink(shape.layout, weights, [=](std::size_t, std::size_t) { return [=](std::size_t) { return share; }; });
    }
};

// MADF: SGD with a fixed factor for every weight (he-wang-2012, Eqs. 14 and 15).
template <class Real>
struct FrequencyStep {
    GradientStep<Real> plain;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        const FrequencyRates<Real>& rates = plain.state.frequency_rates;
        const ChainLayout& layout = plain.shape.layout;
        const auto rate = static_cast<Real>(plain.rate());
        RowTarget<Real> target = weights.rows(layout.stride);
        target.rates = rates.table();
        find_rates(difference, rates);
        target.rate_rows = rate_rows.data();
        const auto add_rows = kernels().of<Real>().add_rows;
        for_each_row(difference, layout, plain.shape.input,
                     [&](const std::uint32_t* rows, const Real* values, std::size_t count, const Real* amounts) {
                         add_rows(target, rows, values, count, rate, amounts);
                         target.rate_rows += count;
                     });
        for (const auto& entry : difference.entries)  // an expectation lists edge features only
            weights.add(entry.index, rate * entry.amount * rates.edges()[entry.index - layout.edge_begin()]);
    }

    void end_example(AveragedWeights<Real>& weights) {
        const StepSettings& settings = plain.settings;
        const ChainLayout& layout = plain.shape.layout;
        plain.state.examples += 1;
        if (settings.l2 == 0 || !is_due(plain.state.examples, settings.period)) return;
        const FrequencyRates<Real>& rates = plain.state.frequency_rates;
        const auto share = static_cast<Real>(plain.rate() * settings.l2 * settings.period);
        shrink(layout, weights, [&](std::size_t row, std::size_t first) {
            const Real* of_row = row < rates.rows() ? rates.row(row) : rates.edges() + (first - layout.edge_begin());
            return [=](std::size_t i) { return share * of_row[i]; };
        });
    }

    std::vector<std::uint32_t> rate_rows = {};  // rates of the rows of the example

private:
    // Reads all of them at once, because one by one each read would have to wait.
    void find_rates(const Difference<Real>& difference, const FrequencyRates<Real>& rates) {
        rate_rows.clear();
        for_each_row(difference, plain.shape.layout, plain.shape.input,
                     [&](const std::uint32_t* rows, const Real*, std::size_t count, const Real*) {
                         for (std::size_t i = 0; i < count; ++i) rate_rows.push_back(rates.row_numbers()[rows[i]]);
                     });
        for (const std::uint32_t row : rate_rows)
            prefetch_row(rates.table() + row * plain.shape.layout.stride, plain.shape.layout.stride);
    }
};

// ADF (Sun, Wang & Li 2012): one rate per feature, lowered after every window by how often the feature fired in it.
template <class Real>
struct AdaptiveStep {
    StepShape shape;
    const StepSettings& settings;
    StepState<Real>& state;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        const auto example = static_cast<std::uint32_t>(static_cast<std::uint64_t>(state.examples) + 1);
        const auto fire = [&](std::uint32_t row) {
            AdaptiveRate<Real>& record = state.adaptive_rates[row];
            record.count += record.example != example;
            record.example = example;
            return record.rate;
        };
        const auto add_rows = kernels().of<Real>().add_rows;
        const RowTarget<Real> target = weights.rows(shape.layout.stride);
        for_each_row(difference, shape.layout, shape.input,
                     [&](const std::uint32_t* rows, const Real* values, std::size_t count, const Real* amounts) {
                         factors.resize(count);
                         for (std::size_t i = 0; i < count; ++i)
                             factors[i] = values ? fire(rows[i]) * values[i] : fire(rows[i]);
                         add_rows(target, rows, factors.data(), count, Real{1}, amounts);
                     });
        for (const auto& entry : difference.entries) weights.add(entry.index, fire(entry.row) * entry.amount);
    }

    void end_example(AveragedWeights<Real>& weights) {
        state.examples += 1;
        if (settings.l2 > 0 && is_due(state.examples, settings.period)) {
            const auto share = static_cast<Real>(settings.l2 * settings.period);
            shrink(shape.layout, weights, [&](std::size_t row, std::size_t) {
                const Real of_row = share * state.adaptive_rates[row].rate;
                return [=](std::size_t) { return of_row; };
            });
        }
        if (is_due(state.examples, settings.window)) lower_rates();
    }

    std::vector<Real> factors = {};  // of the current rows

private:
    void lower_rates() {
        const auto slow = static_cast<Real>(settings.slow),
                   lost = static_cast<Real>((settings.slow - settings.fast) / settings.window);
        for (AdaptiveRate<Real>& record : state.adaptive_rates) {
            record.rate *= slow - lost * static_cast<Real>(record.count);
            record.count = 0;
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
        move_along(difference, shape, static_cast<Real>(rate), weights);
        const std::size_t stride = shape.layout.stride;
        for_each_row(difference, shape.layout, shape.input,
                     [&](const std::uint32_t* rows, const Real*, std::size_t count, const Real*) {
                         for (std::size_t i = 0; i < count; ++i)
                             penalise(rows[i] * stride, (rows[i] + 1) * stride, weights);
                     });
        for (const auto& entry : difference.entries) penalise(entry.index, entry.index + 1, weights);
    }
    void end_example(AveragedWeights<Real>&) noexcept { state.examples += 1; }

private:
    // Raises the penalty that weights have received to what they could have received; a weight stops at zero.
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
