// Opponents of the structure "segments": the same as those of the chain, found among segmentations.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tagloom/learn/difference.hpp"
#include "tagloom/learn/opponents.hpp"
#include "tagloom/segments/segment_forward_backward.hpp"
#include "tagloom/segments/segment_lattice.hpp"
#include "tagloom/segments/segment_viterbi.hpp"

namespace tagloom {

// Adds the features of a segment, which begins at a token of the whole input.
template <class Real>
void add_segment(const ChainLayout& layout, const SegmentView& view, std::size_t begin, const Segment& segment,
                 Real amount, Difference<Real>& out) {
    view.for_each_row(begin + segment.first, segment.tokens,
                      [&](std::size_t row) { out.add(layout.node(row, segment.type), amount, row); });
}

// The best segmentation under the current weights; with costs, that with the highest score plus cost of its labels.
template <class Real>
class SegmentBestOpponent {
public:
    explicit SegmentBestOpponent(const ChainProblem<Real>& problem)
        : problem_(problem), lattice_(problem.layout, problem.input.segments) {}

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
            difference.cost += cost(gold[t], static_cast<std::size_t>(path_[t]));
        }
        if (difference.errors > 0) list_entries(gold, sentence, difference);
        for (const auto& entry : difference.entries)
            difference.loss -= static_cast<double>(entry.amount) * static_cast<double>(weights[entry.index]);
        difference.loss += difference.cost;
    }

private:
    double cost(Label gold, std::size_t other) const noexcept {
        if (problem_.costs.empty()) return 0;
        return problem_.costs[static_cast<std::size_t>(gold) * problem_.layout.labels + other];
    }

    void add_costs(std::span<const Label> gold) {
        for (std::size_t t = 0; t < gold.size(); ++t)
            for (std::size_t y = 0; y < problem_.layout.labels; ++y)
                lattice_.tokens().emissions(t)[y] += static_cast<Real>(cost(gold[t], y));
    }

    void list_entries(std::span<const Label> gold, std::size_t sentence, Difference<Real>& difference) {
        chain_difference<Real>(problem_.layout, problem_.input, sentence, gold, path_, difference);
        const SegmentView& view = problem_.input.segments;
        list_segments(gold, right_), list_segments(path_, wrong_);
        const auto add_missing = [&](const std::vector<Segment>& from, const std::vector<Segment>& others,
                                     Real amount) {
            for (const Segment& segment : from)
                if (std::find(others.begin(), others.end(), segment) == others.end())
                    add_segment(problem_.layout, view, problem_.input.begin(sentence), segment, amount, difference);
        };
        add_missing(right_, wrong_, Real{1});
        add_missing(wrong_, right_, Real{-1});
    }

    void list_segments(std::span<const Label> path, std::vector<Segment>& out) const {
        out.clear();
        lattice_.labels.for_each_segment(lattice_.roles(), path,
                                         [&](const Segment& segment) { out.push_back(segment); });
    }

    const ChainProblem<Real>& problem_;
    SegmentLattice<Real> lattice_;
    SegmentViterbi<Real> viterbi_;
    std::vector<Label> path_;
    std::vector<Segment> right_, wrong_;
};

// The expectation under the model: the gradient of log P(gold | x) (Sarawagi & Cohen 2004, Eq. 3).
template <class Real>
class SegmentExpectedOpponent {
public:
    explicit SegmentExpectedOpponent(const ChainProblem<Real>& problem)
        : problem_(problem), lattice_(problem.layout, problem.input.segments) {}

    const SegmentMarginals<Real>& marginals() const noexcept { return marginals_; }

    void expect(const Real* weights, std::size_t sentence) const noexcept {
        lattice_.prefetch_first(weights, problem_.input, sentence);
    }

    void find(const Real* weights, std::size_t sentence, Difference<Real>& difference) {
        difference.clear();
        const std::span<const Label> gold = problem_.gold_of(sentence);
        lattice_.set_transitions(weights, problem_.mask);
        lattice_.fill(weights, problem_.input, sentence, problem_.mask);
        const double score = gold_score(lattice_.tokens(), gold) + lattice_.score_segments(gold);
        if (gold.empty() || !std::isfinite(score)) return;  // labels that the masks forbid teach nothing
        forward_backward_(lattice_, marginals_);
        difference.sentence = sentence;
        difference.loss = std::max(marginals_.log_z - score, 0.0);
        subtract_nodes(gold, difference);
        if (problem_.layout.has_transitions) subtract_transitions(gold, difference);
        list_segments(gold, problem_.input.begin(sentence), difference);
    }

private:
    void subtract_nodes(std::span<const Label> gold, Difference<Real>& difference) const {
        const std::size_t stride = problem_.layout.stride;
        difference.cells.resize(gold.size() * stride);
        for (std::size_t i = 0; i < difference.cells.size(); ++i) difference.cells[i] = -marginals_.nodes[i];
        for (std::size_t t = 0; t < gold.size(); ++t) {
            Real& right = difference.cells[t * stride + static_cast<std::size_t>(gold[t])];
            difference.errors += right < Real(-0.5) ? 0 : 1;  // gold has at most half of the probability
            right += 1;
        }
    }

    void subtract_transitions(std::span<const Label> gold, Difference<Real>& difference) const {
        const std::size_t stride = problem_.layout.stride;
        difference.pair_rows.resize(marginals_.pair_sums.size());
        for (std::size_t i = 0; i < difference.pair_rows.size(); ++i)
            difference.pair_rows[i] = -marginals_.pair_sums[i];
        for (std::size_t t = 1; t < gold.size(); ++t)
            difference.pair_rows[static_cast<std::size_t>(gold[t - 1]) * stride + static_cast<std::size_t>(gold[t])] +=
                1;
    }

    void list_segments(std::span<const Label> gold, std::size_t begin, Difference<Real>& difference) const {
        const SegmentView& view = problem_.input.segments;
        lattice_.labels.for_each_segment(lattice_.roles(), gold, [&](const Segment& segment) {
            add_segment(problem_.layout, view, begin, segment, Real{1}, difference);
        });
        for (const auto& each : marginals_.segments)
            add_segment(problem_.layout, view, begin, each.segment, -each.value, difference);
    }

    const ChainProblem<Real>& problem_;
    SegmentLattice<Real> lattice_;
    SegmentForwardBackward<Real> forward_backward_;
    SegmentMarginals<Real> marginals_;
};

}  // namespace tagloom
