// Opponents, which gold is compared with. An opponent writes Phi(gold) - Phi(opponent), or leaves it empty if there is
// no violation.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tagloom/chain/forward_backward.hpp"
#include "tagloom/chain/lattice.hpp"
#include "tagloom/chain/viterbi.hpp"
#include "tagloom/learn/difference.hpp"

namespace tagloom {

// Sentences with gold labels, from which a learner learns.
template <class Real>
struct ChainProblem {
    ChainLayout layout;
    ChainInput input;
    std::span<const Label> gold;  // [N]
    const ChainMask<Real>& mask;
    std::span<const double> costs = {};  // [L][L] costs of (gold, other label), or empty

    std::span<const Label> gold_of(std::size_t sentence) const noexcept {
        return gold.subspan(input.begin(sentence), input.length(sentence));
    }
};

// Returns the score of the gold labels in a lattice, or minus infinity if the masks forbid them.
template <class Real>
double gold_score(const Lattice<Real>& lattice, std::span<const Label> gold) {
    double score = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) {
        const auto y = static_cast<std::size_t>(gold[t]);
        score += lattice.emissions(t)[y];
        if (t > 0) score += lattice.transitions(t)[static_cast<std::size_t>(gold[t - 1]) * lattice.stride() + y];
    }
    return score;
}

// The best sequence under the current weights (Collins 2002, structured perceptron); with costs, the sequence with the
// highest score plus cost (he-wang-2012, Eq. 5).
template <class Real>
class BestOpponent {
public:
    explicit BestOpponent(const ChainProblem<Real>& problem) : problem_(problem), lattice_(problem.layout) {}

    // Announces the next sentence, for prefetching.
    void expect(const Real* weights, std::size_t sentence) const noexcept {
        lattice_.prefetch_first(weights, problem_.input, sentence);
    }

    void find(const Real* weights, std::size_t sentence, Difference<Real>& difference) {
        difference.clear();
        const std::span<const Label> gold = problem_.gold_of(sentence);
        path_.resize(gold.size());
        lattice_.set_transitions(weights, problem_.mask);
        lattice_.fill(weights, problem_.input, sentence, problem_.mask);
        if (!problem_.costs.empty()) add_costs(gold);
        viterbi_(lattice_, path_);
        for (std::size_t t = 0; t < gold.size(); ++t) {
            difference.errors += gold[t] != path_[t];
            difference.cost += cost(gold[t], path_[t]);
        }
        if (difference.errors > 0)
            chain_difference<Real>(problem_.layout, problem_.input, sentence, gold, path_, difference);
        for (const auto& entry : difference.entries)
            difference.loss -= static_cast<double>(entry.amount) * static_cast<double>(weights[entry.index]);
        difference.loss += difference.cost;
    }

private:
    double cost(Label gold, Label other) const noexcept {
        if (problem_.costs.empty()) return 0;
        return problem_
            .costs[static_cast<std::size_t>(gold) * problem_.layout.labels + static_cast<std::size_t>(other)];
    }

    void add_costs(std::span<const Label> gold) {
        for (std::size_t t = 0; t < gold.size(); ++t)
            for (std::size_t y = 0; y < problem_.layout.labels; ++y)
                lattice_.emissions(t)[y] += static_cast<Real>(cost(gold[t], static_cast<Label>(y)));
    }

    const ChainProblem<Real>& problem_;
    Lattice<Real> lattice_;
    Viterbi<Real> viterbi_;
    std::vector<Label> path_;
};

// The best sequence under the current weights, with a loss that grows with its errors: the score by which it wins, plus
// (number of wrong labels) ^ power. With a power of 1/2 these are the prediction-based updates of Crammer et al. 2006.
template <class Real, class Best = BestOpponent<Real>>
class PredictedOpponent {
public:
    PredictedOpponent(const ChainProblem<Real>& problem, double power) : best_(problem), power_(power) {}

    void expect(const Real* weights, std::size_t sentence) const noexcept { best_.expect(weights, sentence); }

    void find(const Real* weights, std::size_t sentence, Difference<Real>& difference) {
        best_.find(weights, sentence, difference);
        if (difference.errors > 0) difference.loss += std::pow(static_cast<double>(difference.errors), power_);
    }

private:
    Best best_;
    const double power_;
};

// The expectation under the model: Phi(gold) - E[Phi] is the gradient of log P(gold | x) (he-wang-2012, Eq. 12).
template <class Real>
class ExpectedOpponent {
public:
    // Batch training sets `lists_edges` to false, because it computes the part of the edge features from the marginals
    // itself.
    explicit ExpectedOpponent(const ChainProblem<Real>& problem, bool lists_edges = true)
        : problem_(problem), lists_edges_(lists_edges), lattice_(problem.layout) {}

    const Marginals<Real>& marginals() const noexcept { return marginals_; }

    // Announces the next sentence, for prefetching.
    void expect(const Real* weights, std::size_t sentence) const noexcept {
        lattice_.prefetch_first(weights, problem_.input, sentence);
    }

    void find(const Real* weights, std::size_t sentence, Difference<Real>& difference) {
        difference.clear();
        const std::span<const Label> gold = problem_.gold_of(sentence);
        lattice_.set_transitions(weights, problem_.mask);
        lattice_.fill(weights, problem_.input, sentence, problem_.mask);
        const double score = gold_score(lattice_, gold);
        if (gold.empty() || !std::isfinite(score)) return;  // labels that the masks forbid teach nothing
        forward_backward_(lattice_, marginals_);
        difference.sentence = sentence;
        difference.loss = std::max(marginals_.log_z - score, 0.0);
        subtract_nodes(gold, difference);
        if (problem_.layout.has_transitions) subtract_transitions(gold, difference);
        if (lattice_.has_edges() && lists_edges_) subtract_edges(gold, sentence, difference);
    }

private:
    void subtract_nodes(std::span<const Label> gold, Difference<Real>& difference) {
        const std::size_t stride = problem_.layout.stride;
        difference.cells.resize(gold.size() * stride);
        for (std::size_t i = 0; i < difference.cells.size(); ++i) difference.cells[i] = -marginals_.nodes[i];
        for (std::size_t t = 0; t < gold.size(); ++t) {
            Real& right = difference.cells[t * stride + static_cast<std::size_t>(gold[t])];
            difference.errors += right < Real(-0.5) ? 0 : 1;  // gold has at most half of the probability
            right += 1;
        }
    }

    void subtract_transitions(std::span<const Label> gold, Difference<Real>& difference) {
        const std::size_t stride = problem_.layout.stride;
        difference.pair_rows.resize(marginals_.pair_sums.size());
        for (std::size_t i = 0; i < difference.pair_rows.size(); ++i)
            difference.pair_rows[i] = -marginals_.pair_sums[i];
        for (std::size_t t = 1; t < gold.size(); ++t)
            difference.pair_rows[static_cast<std::size_t>(gold[t - 1]) * stride + static_cast<std::size_t>(gold[t])] +=
                1;
    }

    void subtract_edges(std::span<const Label> gold, std::size_t sentence, Difference<Real>& difference) {
        const ChainLayout& layout = problem_.layout;
        const std::size_t begin = problem_.input.begin(sentence);
        for (std::size_t t = 1; t < gold.size(); ++t) {
            const Real* pairs = marginals_.pairs.data() + t * layout.labels * layout.stride;
            const auto right =
                static_cast<std::size_t>(gold[t - 1]) * layout.labels + static_cast<std::size_t>(gold[t]);
            for_each_edge(layout, problem_.input.edges, begin + t,
                          [&](std::size_t feature, float value, std::size_t k) {
                              const std::size_t pair = layout.edge_pairs[k];
                              const Real amount = (pair == right ? Real{1} : Real{0})
                                                  - pairs[pair / layout.labels * layout.stride + pair % layout.labels];
                              difference.add(layout.edge_begin() + k, value * amount, layout.edge_row(feature));
                          });
        }
    }

    const ChainProblem<Real>& problem_;
    const bool lists_edges_;
    Lattice<Real> lattice_;
    ForwardBackward<Real> forward_backward_;
    Marginals<Real> marginals_;
};

}  // namespace tagloom
