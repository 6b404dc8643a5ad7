// Parsing as a transition system: states with a stack and a queue, scored by state templates.
//
//   score(state, a) = sum over templates of the weight of (the template's key in the state, a)
//
// Rows are created when an update first needs them. A search returns to the same state many times, from one decision to
// the next and in the futures it compares, so scores are cached as long as the weights do not change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/fast/simd.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/difference.hpp"
#include "tagloom/parser/action_rows.hpp"
#include "tagloom/parser/arc_oracle.hpp"
#include "tagloom/parser/arcs.hpp"
#include "tagloom/parser/state_features.hpp"
#include "tagloom/transition/transitions.hpp"

namespace tagloom {

// Sentences as a parser sees them, with or without gold trees.
struct TreeInput {
    std::span<const Hash> hashes;             // [attributes][N]
    std::span<const Hash> relation_hashes;    // [R]
    std::span<const std::int64_t> sentences;  // [S + 1]
    std::span<const std::int32_t> heads;      // [N], or empty
    std::span<const std::int32_t> relations;  // [N], or empty

    std::size_t tokens() const noexcept { return static_cast<std::size_t>(sentences.back()); }
    std::size_t begin(std::size_t sentence) const noexcept { return static_cast<std::size_t>(sentences[sentence]); }
    std::size_t length(std::size_t sentence) const noexcept {
        return static_cast<std::size_t>(sentences[sentence + 1] - sentences[sentence]);
    }
};

// The highest weight of every action for every template; the sum over templates bounds the score of an action.
template <class Real>
class ScoreBounds {
public:
    ScoreBounds(std::size_t templates, std::size_t actions)
        : stride_(padded(actions)), highest_(templates * stride_, 0) {}

    void raise(std::size_t templ, std::size_t action, Real weight) {
        Real& known = highest_[templ * stride_ + action];
        if (weight > known) known = weight, is_current_ = false;
    }
    void raise_row(std::size_t templ, const ActionRows<Real>& rows, std::size_t row, const Real* weights) {
        const auto& block = rows.block(row);
        for (std::uint32_t entry = block.first; entry < block.first + block.count; ++entry)
            raise(templ, rows.action(entry), weights[entry]);
    }

    // The bound of one action is never below zero, because a sentence may end before all steps are taken.
    Real step() const {
        if (!is_current_) sum();
        return step_;
    }

private:
    void sum() const {
        totals_.assign(stride_, 0);
        for (std::size_t first = 0; first < highest_.size(); first += stride_)
            for (std::size_t a = 0; a < stride_; ++a) totals_[a] += highest_[first + a];
        step_ = *std::max_element(totals_.begin(), totals_.end());
        is_current_ = true;
    }

    std::size_t stride_;
    std::vector<Real> highest_;         // [templates][stride]; zero where no weight is positive
    mutable std::vector<Real> totals_;  // [stride] sums over the templates
    mutable Real step_ = 0;
    mutable bool is_current_ = false;
};

// Caches the scores of the states of one sentence, keyed by what their features depend on.
template <class Real>
class ScoreMemo {
public:
    void clear(std::size_t view_size, std::size_t stride) {
        view_size_ = view_size, stride_ = stride;
        views_.clear(), scores_.clear();
        if (count_ > 0) std::fill(slots_.begin(), slots_.end(), 0);
        count_ = 0;
    }

    std::size_t size() const noexcept { return count_; }

    // Returns the place for the scores of a view, and whether they are already there.
    std::pair<Real*, bool> find(std::span<const std::int32_t> view) {
        if ((count_ + 1) * 2 > slots_.size()) grow();
        std::size_t slot = hash(view) & (slots_.size() - 1);
        for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::size_t entry = slots_[slot] - 1;
            if (std::equal(view.begin(), view.end(), views_.begin() + static_cast<std::ptrdiff_t>(entry * view_size_)))
                return {scores_.data() + entry * stride_, true};
        }
        slots_[slot] = static_cast<std::uint32_t>(++count_);
        views_.insert(views_.end(), view.begin(), view.end());
        scores_.resize(count_ * stride_);
        return {scores_.data() + (count_ - 1) * stride_, false};
    }

private:
    static std::size_t hash(std::span<const std::int32_t> view) noexcept {
        Hash h = 0;
        for (const std::int32_t number : view) h = (h + static_cast<std::uint32_t>(number) + 1) * 0x9e3779b97f4a7c15ULL;
        return static_cast<std::size_t>(avalanche(h));
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
        for (std::size_t entry = 0; entry < count_; ++entry) {
            std::size_t slot = hash({views_.data() + entry * view_size_, view_size_}) & (slots_.size() - 1);
            while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = static_cast<std::uint32_t>(entry + 1);
        }
    }

    std::size_t view_size_ = 0, stride_ = 0, count_ = 0;
    std::vector<std::uint32_t> slots_;  // entry + 1; 0 means free
    std::vector<std::int32_t> views_;
    std::vector<Real> scores_;
};

template <class Real_>
class ParsingSystem {
public:
    using Real = Real_;
    using State = ArcSystem::State;

    // `table` finds the rows of features; if a table to grow is given, updates number new features. With `remembers`,
    // the scores of states are cached for a search that returns to them.
    ParsingSystem(const StateTemplates& templates, ArcActions actions, const FeatureTable& table,
                  const ActionRows<Real>& rows, const ScoreBounds<Real>& bounds, bool remembers)
        : templates_(templates),
          arcs_(actions),
          table_(table),
          weight_rows_(rows),
          bounds_(bounds),
          extractor_(templates),
          is_blind_(!templates.reads_relations()),
          remembers_(remembers) {}

    void grow(FeatureTable& table, std::vector<std::uint8_t>& template_of_row) {
        growing_ = &table, template_of_row_ = &template_of_row;
    }

    void begin(const Real* weights, const TreeInput& input, std::size_t sentence) {
        weights_ = weights;
        const std::size_t first = input.begin(sentence), length = input.length(sentence);
        values_ = {input.hashes, input.tokens(), first, input.relation_hashes};
        arcs_.begin(length);
        if (!input.heads.empty())
            oracle_.begin(input.heads.subspan(first, length),
                          input.relations.empty() ? input.relations : input.relations.subspan(first, length));
        forget();
    }
    void refresh(const Real* weights, const Difference<Real>&) {
        weights_ = weights;
        forget();
    }

    const ArcSystem& arcs() const noexcept { return arcs_; }

    // -- the transition system --

    std::size_t actions() const noexcept { return arcs_.actions().size(); }
    State initial() const noexcept { return {}; }
    bool is_final(const State& state) const noexcept { return arcs_.is_final(state); }
    bool is_valid(const State& state, Action action) const noexcept { return arcs_.is_valid(state, action); }
    State apply(const State& state, Action action) { return arcs_.apply(state, action); }
    void undo(const State& state) { arcs_.undo(state); }
    // If no template reads relations, an arc leads to the same features whatever its relation.
    std::size_t branches() const noexcept { return is_blind_ ? 3 : actions(); }
    std::size_t branch(Action action) const noexcept {
        return is_blind_ ? static_cast<std::size_t>(arcs_.actions().move(action)) : static_cast<std::size_t>(action);
    }
    // The bound is slightly above the product, because sums of scores are rounded at every step.
    Real bound(std::size_t steps) const {
        const auto count = static_cast<Real>(steps);
        return count * bounds_.step() * (1 + count * std::numeric_limits<Real>::epsilon());
    }

    const Real* scores(const State& state) {
        extractor_.view(arcs_, state, view_);
        if (!remembers_) {
            scores_.resize(actions());
            sum(scores_.data());
            return scores_.data();
        }
        if (memo_.size() == most_remembered) forget();
        const auto [place, is_known] = memo_.find(view_);
        if (!is_known) sum(place);
        return place;
    }

    // -- gold --

    bool is_learnable() const noexcept { return true; }
    Action oracle(const State& state) const { return oracle_(arcs_, state); }
    std::size_t cost(const State& state, Action action) const { return oracle_.cost(arcs_, state, action); }

    void add_difference(const State& left, Action wins, const State& right, Action loses, Difference<Real>& out) {
        if (left == right && wins == loses) return;
        add_features(left, wins, 1, out);
        add_features(right, loses, -1, out);
    }
    // Returns the key of every template in a state; 0 means no feature.
    std::span<const Hash> feature_keys(const State& state) {
        extractor_.view(arcs_, state, view_);
        extractor_.keys(view_, values_, keys_);
        return keys_;
    }

private:
    // Scores are clipped to these limits for any weights, so that every sentence has a tree and sums of scores are
    // numbers.
    static constexpr Real highest = std::numeric_limits<Real>::max() * Real{1e-8F};

    // Limit on cached states: few sentences have so many, and a sentence of a million words must not fill the memory.
    static constexpr std::size_t most_remembered = std::size_t{1} << 16;

    // Entries name the action until make_room has found the weight.
    void add_features(const State& state, Action action, int sign, Difference<Real>& out) {
        extractor_.view(arcs_, state, view_);
        extractor_.keys(view_, values_, keys_);
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            if (keys_[k] == 0) continue;
            const FeatureTable::Row row = growing_ ? numbered(keys_[k], k) : table_.find(keys_[k]);
            if (row != FeatureTable::none) out.add(static_cast<std::size_t>(action), static_cast<Real>(sign), row);
        }
    }

    void forget() {
        if (remembers_) memo_.clear(templates_.addresses.size() + templates_.atoms.size(), actions());
    }

    FeatureTable::Row numbered(Hash key, std::size_t templ) {
        const FeatureTable::Row row = growing_->insert(key);
        if (row == template_of_row_->size()) template_of_row_->push_back(static_cast<std::uint8_t>(templ));
        return row;
    }

    // Slots of the table, rows and their entries are prefetched, so that memory latencies overlap.
    void sum(Real* out) {
        extractor_.keys(view_, values_, keys_);
        for (const Hash key : keys_) table_.prefetch(key);
        rows_.clear();
        for (const Hash key : keys_) {
            if (key == 0) continue;
            const FeatureTable::Row row = table_.find(key);
            if (row >= weight_rows_.size()) continue;  // unknown, or numbered but without weights so far
            prefetch(&weight_rows_.block(row));
            rows_.push_back(row);
        }
        for (const FeatureTable::Row row : rows_) {
            const std::uint32_t first = weight_rows_.block(row).first;
            prefetch(weights_ + first), prefetch(weight_rows_.actions() + first);
        }
        std::fill_n(out, actions(), Real{0});
        for (const FeatureTable::Row row : rows_) {
            const auto block = weight_rows_.block(row);
            for (std::uint32_t entry = block.first; entry < block.first + block.count; ++entry)
                out[weight_rows_.action(entry)] += weights_[entry];
        }
        for (std::size_t a = 0; a < actions(); ++a) out[a] = out[a] > -highest ? std::min(out[a], highest) : -highest;
    }

    const StateTemplates& templates_;
    ArcSystem arcs_;
    const FeatureTable& table_;
    const ActionRows<Real>& weight_rows_;
    const ScoreBounds<Real>& bounds_;
    StateExtractor extractor_;
    const bool is_blind_, remembers_;
    FeatureTable* growing_ = nullptr;
    std::vector<std::uint8_t>* template_of_row_ = nullptr;
    const Real* weights_ = nullptr;
    SentenceValues values_;
    ArcOracle oracle_;
    ScoreMemo<Real> memo_;
    std::vector<std::int32_t> view_;
    std::vector<Hash> keys_;
    std::vector<FeatureTable::Row> rows_;
    std::vector<Real> scores_;
};

}  // namespace tagloom
