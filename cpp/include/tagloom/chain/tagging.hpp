// Tagging as a transition system: an action is the label of the next token, from left to right or from right to left.
//
// A step is scored by the features of its token, by the label decided last with the edge features of the token, and, if
// the layout has triples, by the two labels decided last. "Previous" means decided before: from right to left it is the
// label of the token to the right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/fast/kernels.hpp"
#include "tagloom/fast/memory.hpp"
#include "tagloom/learn/difference.hpp"
#include "tagloom/transition/transitions.hpp"

namespace tagloom {

template <class Real_>
class TaggingSystem {
public:
    using Real = Real_;
    struct State {
        std::int32_t step = 0;
        Label previous = -1, before = -1;  // -1 if there is no such label
        bool operator==(const State&) const = default;
    };

    TaggingSystem(const ChainLayout& layout, const ChainMask<Real>& mask, bool is_backwards)
        : layout_(layout),
          is_backwards_(is_backwards),
          first_(is_backwards ? mask.end : mask.start),
          last_(is_backwards ? mask.start : mask.end),
          pairs_(turned(mask.transitions, is_backwards)),
          is_safe_(every_label_leads_on()),
          base_(pairs_.size()),
          turned_(pairs_.size()),
          turned_triples_(layout.has_triples ? layout.labels * pairs_.size() : 0) {}

    // -- the sentence --

    // `gold` is [T] or empty; `allowed`, if not empty, is [T][L]: the labels that a token may take.
    void begin(const Real* weights, const ChainInput& input, std::size_t sentence, std::span<const Label> gold = {},
               std::span<const std::uint8_t> allowed = {}) {
        const bool is_known = weights == weights_;
        weights_ = weights, input_ = &input, gold_ = gold;
        begin_ = input.begin(sentence), length_ = input.length(sentence);
        emissions_.resize(length_ * layout_.stride);
        stamps_.assign(length_, 0);
        version_ = 1;
        has_edges_ = !input.edges.rows.empty();
        if (has_edges_) edges_.resize(2 * length_ * base_.size()), edge_stamps_.assign(2 * length_, 0);
        forbid(allowed);
        if (!is_known) read_history();
    }

    // Must be called after every move of the weights along a difference, because values of all labels are cached.
    void refresh(const Real* weights, const Difference<Real>& difference) {
        if (weights != weights_) return;  // nothing was read from them yet
        ++version_;
        const std::size_t first = layout_.transition_begin(), last = layout_.edge_begin(),
                          triples = layout_.triple_begin();
        for (const auto& entry : difference.entries) {
            if (entry.index >= first && entry.index < last)
                read_transition((entry.index - first) / layout_.stride, (entry.index - first) % layout_.stride);
            else if (layout_.has_triples && entry.index >= triples) read_triple(entry.index - triples);
        }
    }

    void prefetch(const Real* weights, const ChainInput& input, std::size_t sentence) const noexcept {
        const std::size_t begin = input.begin(sentence), length = input.length(sentence);
        for (std::size_t step = 0; step < std::min(ahead, length); ++step)
            prefetch_rows(weights, input.nodes, begin + (is_backwards_ ? length - 1 - step : step));
    }

    std::size_t length() const noexcept { return length_; }
    const ChainLayout& layout() const noexcept { return layout_; }
    // Returns the token of a step, inside the sentence.
    std::size_t token(std::size_t step) const noexcept { return is_backwards_ ? length_ - 1 - step : step; }

    // -- the transition system --

    std::size_t actions() const noexcept { return layout_.labels; }
    std::size_t branches() const noexcept { return layout_.labels; }
    std::size_t branch(Action action) const noexcept { return static_cast<std::size_t>(action); }
    Real bound(std::size_t steps) const noexcept {
        return steps == 0 ? Real{0} : std::numeric_limits<Real>::infinity();
    }

    State initial() const noexcept { return {}; }
    bool is_final(const State& state) const noexcept { return static_cast<std::size_t>(state.step) == length_; }
    bool is_valid(const State& state, Action action) {
        const auto y = static_cast<std::size_t>(action);
        return emissions(static_cast<std::size_t>(state.step))[y] != no_score<Real>
               && (state.previous < 0
                   || pairs_[static_cast<std::size_t>(state.previous) * layout_.stride + y] != no_score<Real>);
    }
    State apply(const State& state, Action action) const noexcept { return {state.step + 1, action, state.previous}; }
    void undo(const State&) const noexcept {}

    const Real* scores(const State& state) {
        const auto step = static_cast<std::size_t>(state.step);
        const Real* emission = emissions(step);
        scores_.assign(emission, emission + layout_.stride);
        if (state.previous < 0) return scores_.data();
        const auto p = static_cast<std::size_t>(state.previous);
        const Real* pair = transitions(step) + p * layout_.stride;
        for (std::size_t y = 0; y < layout_.labels; ++y) scores_[y] += pair[y];
        if (!layout_.has_triples || state.before < 0) return scores_.data();
        const Real* triples = triples_after(static_cast<std::size_t>(state.before), p);
        for (std::size_t y = 0; y < layout_.labels; ++y) scores_[y] += triples[y];
        return scores_.data();
    }

    // Writes the same into `out`, [stride], from the current weights and without the cached values.
    void read_scores(const State& state, Real* out) {
        const auto step = static_cast<std::size_t>(state.step);
        std::copy_n(emissions(step), layout_.stride, out);
        if (state.previous < 0) return;
        const auto p = static_cast<std::size_t>(state.previous);
        const Real* pair = weights_ + layout_.transition(p, 0);
        for (std::size_t y = 0; y < layout_.labels; ++y) out[y] += pair[y] + pairs_[p * layout_.stride + y];
        if (has_edges_)
            for_each_edge_after(layout_, input_->edges, begin_ + token(step), p,
                                [&](std::size_t, float value, std::size_t y, std::size_t k) {
                                    out[y] += value * weights_[layout_.edge_begin() + k];
                                });
        if (!layout_.has_triples || state.before < 0) return;
        for (std::size_t y = 0; y < layout_.labels; ++y)
            out[y] += weights_[layout_.triple(static_cast<std::size_t>(state.before), p, y)];
    }

    // -- gold --

    bool is_learnable() {
        if (gold_.empty()) return false;
        State state = initial();
        while (!is_final(state)) {
            if (!is_valid(state, oracle(state))) return false;  // the masks forbid gold
            state = apply(state, oracle(state));
        }
        return true;
    }
    Action oracle(const State& state) const noexcept { return gold_[token(static_cast<std::size_t>(state.step))]; }
    std::size_t cost(const State& state, Action action) const noexcept { return action != oracle(state); }

    // Adds the features by which two steps at the same token differ; all paths of an example have the same number of
    // steps.
    void add_difference(const State& left, Action wins, const State& right, Action loses, Difference<Real>& out) const {
        if (left == right && wins == loses) return;
        const std::size_t t = begin_ + token(static_cast<std::size_t>(left.step));
        const SparseView& nodes = input_->nodes;
        if (wins != loses)
            for (std::size_t i = nodes.begin(t); i < nodes.end(t); ++i) {
                const Real value = nodes.value(i);
                const std::size_t row = nodes.rows[i];
                out.add(layout_.node(row, static_cast<std::size_t>(wins)), value, row);
                out.add(layout_.node(row, static_cast<std::size_t>(loses)), -value, row);
            }
        add_history(left, wins, Real{1}, t, out);
        add_history(right, loses, Real{-1}, t, out);
    }

    // -- values for the dynamic program of the window --

    // Scores of the labels at a step, without the scores of the labels before; [stride].
    const Real* emissions(std::size_t step) {
        Real* out = emissions_.data() + step * layout_.stride;
        if (stamps_[step] == version_) return out;
        stamps_[step] = version_;
        if (step + ahead < length_ && version_ == 1)
            prefetch_rows(weights_, input_->nodes, begin_ + token(step + ahead));
        sum_nodes(begin_ + token(step), out);
        const auto add = [&](const Real* scores) {
            for (std::size_t y = 0; y < layout_.labels; ++y) out[y] += scores[y];
        };
        if (step == 0) add(first_.data());
        if (step + 1 == length_) add(last_.data());
        if (!forbidden_.empty()) add(forbidden_.data() + step * layout_.stride);
        return out;
    }
    // Scores of (previous label, label at the step): [L][stride].
    const Real* transitions(std::size_t step) { return has_edges_ ? edges(step) : base_.data(); }
    // The same, transposed: (label at the step, previous label).
    const Real* turned_transitions(std::size_t step) { return has_edges_ ? turned_edges(step) : turned_.data(); }
    // Scores of (label at the step, label before the previous one), for one previous label: [L][stride].
    const Real* triples(std::size_t previous) const noexcept { return weights_ + layout_.triple(0, previous, 0); }
    // Scores of the label at a step, for the two labels before it: [stride].
    const Real* triples_after(std::size_t before, std::size_t previous) const noexcept {
        return turned_triples_.data() + (before * layout_.labels + previous) * layout_.stride;
    }

private:
    static constexpr std::size_t ahead = 8;

    std::vector<Real> turned(const std::vector<Real>& matrix, bool is_turned) const {
        if (!is_turned) return matrix;
        std::vector<Real> out(matrix.size(), 0);
        turn(matrix.data(), out.data());
        return out;
    }

    void turn(const Real* matrix, Real* out) const {
        for (std::size_t p = 0; p < layout_.labels; ++p)
            for (std::size_t y = 0; y < layout_.labels; ++y)
                out[y * layout_.stride + p] = matrix[p * layout_.stride + y];
    }

    // Whether no label is a dead end at any position. If so, a search need not look to the end of the sentence.
    bool every_label_leads_on() const {
        for (std::size_t p = 0; p < layout_.labels; ++p) {
            bool leads_on = false;
            for (std::size_t y = 0; y < layout_.labels; ++y)
                leads_on |= pairs_[p * layout_.stride + y] == 0 && last_[y] == 0;
            if (!leads_on) return false;
        }
        return true;
    }

    // Marks the labels that constraints exclude and those from which the sentence cannot be finished.
    void forbid(std::span<const std::uint8_t> allowed) {
        forbidden_.clear();
        if (allowed.empty() && is_safe_) return;
        const std::size_t L = layout_.labels, stride = layout_.stride;
        forbidden_.assign(length_ * stride, 0);
        for (std::size_t step = length_; step-- > 0;) {
            Real* here = forbidden_.data() + step * stride;
            for (std::size_t y = 0; y < L; ++y) {
                bool is_open = allowed.empty() || allowed[token(step) * L + y];
                if (step + 1 == length_) is_open = is_open && last_[y] == 0;
                else is_open = is_open && leads_to(y, here + stride);
                if (!is_open) here[y] = no_score<Real>;
            }
        }
    }
    bool leads_to(std::size_t previous, const Real* forbidden) const {
        for (std::size_t y = 0; y < layout_.labels; ++y)
            if (pairs_[previous * layout_.stride + y] == 0 && forbidden[y] == 0) return true;
        return false;
    }

    void read_history() {
        for (std::size_t p = 0; p < layout_.labels; ++p)
            for (std::size_t y = 0; y < layout_.labels; ++y) read_transition(p, y);
        for (std::size_t i = 0; i < turned_triples_.size(); ++i) read_triple(i);
    }
    void read_triple(std::size_t i) {  // [previous][next][before] -> [before][previous][next]
        const std::size_t before = i % layout_.stride, pair = i / layout_.stride;
        if (before >= layout_.labels) return;
        const std::size_t p = pair / layout_.labels, y = pair % layout_.labels;
        turned_triples_[(before * layout_.labels + p) * layout_.stride + y] = weights_[layout_.triple_begin() + i];
    }
    void read_transition(std::size_t p, std::size_t y) {
        const std::size_t i = p * layout_.stride + y;
        base_[i] = turned_[y * layout_.stride + p] = weights_[layout_.transition_begin() + i] + pairs_[i];
    }

    // Returns the transitions with the edge features of a step.
    const Real* edges(std::size_t step) {
        return with_edges(step, step, base_,
                          [&](std::size_t previous, std::size_t next) { return previous * layout_.stride + next; });
    }
    // Only the dynamic program over a window needs the transposed scores.
    const Real* turned_edges(std::size_t step) {
        return with_edges(length_ + step, step, turned_,
                          [&](std::size_t previous, std::size_t next) { return next * layout_.stride + previous; });
    }
    template <class Place>
    const Real* with_edges(std::size_t matrix, std::size_t step, const std::vector<Real>& base, Place place) {
        Real* out = edges_.data() + matrix * base.size();
        if (edge_stamps_[matrix] == version_) return out;
        edge_stamps_[matrix] = version_;
        std::copy(base.begin(), base.end(), out);
        const std::size_t first = layout_.edge_begin();
        for_each_edge(layout_, input_->edges, begin_ + token(step), [&](std::size_t, float value, std::size_t k) {
            const std::size_t pair = layout_.edge_pairs[k];
            out[place(pair / layout_.labels, pair % layout_.labels)] += value * weights_[first + k];
        });
        return out;
    }

    void sum_nodes(std::size_t t, Real* out) const {
        const SparseView& nodes = input_->nodes;
        const std::size_t first = nodes.begin(t);
        kernels().of<Real>().sum_rows(weights_, nodes.rows.data() + first,
                                      nodes.values.empty() ? nullptr : nodes.values.data() + first,
                                      nodes.end(t) - first, layout_.stride, out);
    }
    void prefetch_rows(const Real* weights, const SparseView& nodes, std::size_t t) const noexcept {
        for (std::size_t i = nodes.begin(t); i < nodes.end(t); ++i)
            prefetch_row(weights + nodes.rows[i] * layout_.stride, layout_.stride);
    }

    // Adds the features of a label together with the labels decided before it.
    void add_history(const State& state, Action action, Real sign, std::size_t t, Difference<Real>& out) const {
        if (state.previous < 0) return;
        const auto p = static_cast<std::size_t>(state.previous), y = static_cast<std::size_t>(action);
        add_pair_features<Real>(layout_, input_->edges, t, p, y, sign, out);
        if (layout_.has_triples && state.before >= 0)
            out.add(layout_.triple(static_cast<std::size_t>(state.before), p, y), sign, layout_.node_rows + p);
    }

    const ChainLayout layout_;
    const bool is_backwards_;
    const std::vector<Real> first_, last_;  // [stride] masks of the first and the last step
    const std::vector<Real> pairs_;         // [L][stride] mask of (previous label, label)
    const bool is_safe_;
    const Real* weights_ = nullptr;
    const ChainInput* input_ = nullptr;
    std::span<const Label> gold_;
    std::size_t begin_ = 0, length_ = 0;
    std::uint64_t version_ = 1;  // version of the weights, in this sentence
    bool has_edges_ = false;
    std::vector<Real> base_, turned_;    // [L][stride] transition weights and mask
    std::vector<Real> turned_triples_;   // [L][L][stride] of (label before the previous one, previous label, label)
    std::vector<Real> emissions_;        // [T][stride]
    std::vector<std::uint64_t> stamps_;  // [T] version of the weights of the emissions
    std::vector<Real> edges_;            // [2][T][L][stride] plain and transposed, only with edge features
    std::vector<std::uint64_t> edge_stamps_;  // [2][T]
    std::vector<Real> forbidden_;             // [T][stride], or empty
    std::vector<Real> scores_;                // [stride]
};

}  // namespace tagloom
