// Lattice: the scores of one sentence, laid out for search. Its memory grows and is reused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/fast/kernels.hpp"
#include "tagloom/fast/memory.hpp"

namespace tagloom {

template <class Real>
class Lattice {
public:
    explicit Lattice(const ChainLayout& layout) : layout_(layout), base_(layout.labels * layout.stride) {}

    std::size_t length() const noexcept { return length_; }
    std::size_t labels() const noexcept { return layout_.labels; }
    std::size_t stride() const noexcept { return layout_.stride; }
    bool has_edges() const noexcept { return has_edges_; }
    const Real* emissions(std::size_t t) const noexcept { return emissions_.data() + t * layout_.stride; }
    Real* emissions(std::size_t t) noexcept { return emissions_.data() + t * layout_.stride; }

    // Scores of (label at t - 1, label at t): [L][stride].
    const Real* transitions(std::size_t t) const noexcept {
        if (!breaks_.empty() && breaks_[t]) return border_.data();
        return has_edges_ ? edges_.data() + t * base_.size() : base_.data();
    }

    // Must be called whenever the transition weights have changed, before `fill`.
    void set_transitions(const Real* weights, const ChainMask<Real>& mask) {
        const Real* from = weights + layout_.transition_begin();
        for (std::size_t i = 0; i < base_.size(); ++i) base_[i] = from[i] + mask.transitions[i];
        if (border_.empty()) fill_border(mask);
    }

    // Prefetches the rows of the first tokens of a sentence that will be filled soon; `fill` prefetches the others.
    void prefetch_first(const Real* weights, const ChainInput& input, std::size_t sentence) const noexcept {
        const std::size_t begin = input.begin(sentence);
        for (std::size_t t = 0; t < std::min(ahead, input.length(sentence)); ++t)
            prefetch_rows(weights, input.nodes, begin + t);
    }

    // `allowed`, if not empty, is [T][L]: the labels that a token may take.
    void fill(const Real* weights, const ChainInput& input, std::size_t sentence, const ChainMask<Real>& mask,
              std::span<const std::uint8_t> allowed = {}) {
        const std::size_t begin = input.begin(sentence);
        length_ = input.length(sentence);
        breaks_ = input.breaks.empty() ? input.breaks : input.breaks.subspan(begin, length_);
        if (length_ == 0) return;
        emissions_.resize(length_ * layout_.stride);
        for (std::size_t t = 0; t < length_; ++t) {
            if (t + ahead < length_) prefetch_rows(weights, input.nodes, begin + t + ahead);
            sum_nodes(weights, input.nodes, begin + t, emissions(t));
        }
        add(emissions(0), mask.start);
        add(emissions(length_ - 1), mask.end);
        forbid(allowed);
        has_edges_ = !input.edges.rows.empty();
        if (has_edges_) fill_edges(weights, input.edges, begin);
    }

    // Uses scores [T][stride] in place of weighted features, and masks in place of transitions. Labels with a score of
    // zero or less are forbidden.
    void fill_scores(std::span<const Real> scores, std::size_t length, const ChainMask<Real>& mask) {
        length_ = length;
        has_edges_ = false;
        breaks_ = {};
        emissions_.assign(scores.begin(), scores.end());
        for (Real& score : emissions_)
            if (!(score > 0)) score = ChainMask<Real>::forbidden;
        std::copy(mask.transitions.begin(), mask.transitions.end(), base_.begin());
    }

private:
    // Nothing is scored between two sentences of a sequence: the first must be able to end and the second to start.
    void fill_border(const ChainMask<Real>& mask) {
        border_.resize(base_.size());
        for (std::size_t p = 0; p < layout_.labels; ++p)
            for (std::size_t y = 0; y < layout_.stride; ++y)
                border_[p * layout_.stride + y] = mask.end[p] + mask.start[y];
    }

    static constexpr std::size_t ahead = 8;  // tokens; loading a row from memory takes as long as summing some tokens

    void sum_nodes(const Real* weights, const SparseView& nodes, std::size_t token, Real* out) const {
        const std::size_t first = nodes.begin(token);
        kernels().of<Real>().sum_rows(weights, nodes.rows.data() + first,
                                      nodes.values.empty() ? nullptr : nodes.values.data() + first,
                                      nodes.end(token) - first, layout_.stride, out);
    }

    // Rows lie far apart in memory; prefetching the rows of a later token while this token is summed hides the latency.
    void prefetch_rows(const Real* weights, const SparseView& nodes, std::size_t token) const noexcept {
        for (std::size_t i = nodes.begin(token); i < nodes.end(token); ++i)
            prefetch_row(weights + nodes.rows[i] * layout_.stride, layout_.stride);
    }

    void add(Real* to, const std::vector<Real>& scores) const {
        for (std::size_t y = 0; y < layout_.labels; ++y) to[y] += scores[y];
    }

    void forbid(std::span<const std::uint8_t> allowed) {
        if (allowed.empty()) return;
        const std::size_t labels = layout_.labels;
        for (std::size_t t = 0; t < length_; ++t) {
            const std::uint8_t* flags = allowed.data() + t * labels;
            Real* scores = emissions(t);
            for (std::size_t y = 0; y < labels; ++y)  // without a branch, because the flags are unpredictable
                scores[y] = flags[y] ? scores[y] : ChainMask<Real>::forbidden;
        }
    }

    void fill_edges(const Real* weights, const SparseView& features, std::size_t begin) {
        edges_.resize(length_ * base_.size());
        const Real* edge_weights = weights + layout_.edge_begin();
        for (std::size_t t = 1; t < length_; ++t) {
            if (!breaks_.empty() && breaks_[t]) continue;
            Real* scores = edges_.data() + t * base_.size();
            std::copy(base_.begin(), base_.end(), scores);
            for (std::size_t i = features.begin(begin + t); i < features.end(begin + t); ++i) {
                const std::size_t row = features.rows[i];
                const Real value = features.value(i);
                for (auto k = static_cast<std::size_t>(layout_.edge_offsets[row]);
                     k < static_cast<std::size_t>(layout_.edge_offsets[row + 1]); ++k) {
                    const std::size_t pair = layout_.edge_pairs[k];
                    scores[pair / layout_.labels * layout_.stride + pair % layout_.labels] += value * edge_weights[k];
                }
            }
        }
    }

    const ChainLayout layout_;
    std::size_t length_ = 0;
    bool has_edges_ = false;
    std::span<const std::uint8_t> breaks_;  // [T] of the sequence, or empty
    std::vector<Real> base_;                // [L][stride] transition weights and mask
    std::vector<Real> border_;              // [L][stride] mask between two sentences of a sequence
    std::vector<Real> emissions_;           // [T][stride]
    std::vector<Real> edges_;               // [T][L][stride], only with edge features
};

}  // namespace tagloom
