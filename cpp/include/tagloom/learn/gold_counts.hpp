// GoldCounts: how often every feature occurs with every gold label, how often labels follow each other, and how often
// edge features occur with their label pairs. Counts can be added up block by block, so that the data need not be in
// memory at once. A label follows the one that is decided before it: that of the token to the left or, backwards, that of
// the token to the right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/chain/histories.hpp"
#include "tagloom/features/postings.hpp"
#include "tagloom/learn/difference.hpp"

namespace tagloom {

class GoldCounts {
public:
    // A label that a feature occurs with. Most features are rare and have one or two.
    struct Entry {
        std::uint32_t label;
        std::uint32_t count;
    };

    explicit GoldCounts(const ChainLayout& layout, bool is_backwards = false)
        : labels_(layout.labels),
          is_backwards_(is_backwards),
          offsets_(layout.node_rows + 1, 0),
          pairs_(layout.labels * layout.labels, 0),
          triples_(layout.has_triples ? layout.labels * layout.labels * layout.labels : 0, 0),
          edges_(layout.edge_pairs.size(), 0) {}

    // Adds the counts of further sentences of the same chain.
    void add(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold) {
        add(layout, input, gold, Postings(input.nodes, rows(), gold.size()), Histories(input, gold, is_backwards_));
    }

    // The same, with the tokens of every node feature and the histories, if they are known.
    void add(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold, const Postings& postings,
             const Histories& histories) {
        if (gold.size() > std::numeric_limits<std::uint32_t>::max() - tokens_)
            throw std::length_error("at most 2^32 - 1 tokens can be counted");
        tokens_ += gold.size();
        add_nodes(input, gold, postings);
        add_histories(layout, input, gold, histories);
    }

    // Whether these are counts of a chain of this layout.
    bool fits(const ChainLayout& layout) const noexcept {
        return labels_ == layout.labels && rows() == layout.node_rows && edges_.size() == layout.edge_pairs.size()
               && triples_.empty() != layout.has_triples;
    }

    // Everything that was counted, as arrays: entries are (label, count), histories are pairs, triples and edges.
    struct State {
        std::size_t tokens;
        std::vector<std::uint64_t> offsets;
        std::vector<std::uint32_t> entries, histories;
    };
    State state() const {
        State out{tokens_, {offsets_.begin(), offsets_.end()}, {}, {}};
        for (const Entry& entry : entries_) out.entries.insert(out.entries.end(), {entry.label, entry.count});
        for (const auto* counts : {&pairs_, &triples_, &edges_})
            out.histories.insert(out.histories.end(), counts->begin(), counts->end());
        return out;
    }

    // The inverse of `state`, for counts of the same chain.
    void restore(const State& state) {
        const bool fits = state.offsets.size() == offsets_.size() && state.offsets.front() == 0
                          && std::is_sorted(state.offsets.begin(), state.offsets.end())
                          && state.entries.size() == 2 * state.offsets.back()
                          && state.histories.size() == pairs_.size() + triples_.size() + edges_.size();
        if (!fits) throw std::invalid_argument("counts do not fit the chain");
        tokens_ = state.tokens;
        offsets_.assign(state.offsets.begin(), state.offsets.end());
        entries_.clear();
        for (std::size_t i = 0; i < state.entries.size(); i += 2) {
            if (state.entries[i] >= labels_) throw std::invalid_argument("counts do not fit the chain");
            entries_.push_back({state.entries[i], state.entries[i + 1]});
        }
        auto next = state.histories.begin();
        for (auto* counts : {&pairs_, &triples_, &edges_})
            for (std::uint32_t& count : *counts) count = *next++;
    }

    bool is_backwards() const noexcept { return is_backwards_; }

    std::size_t tokens() const noexcept { return tokens_; }
    std::size_t labels() const noexcept { return labels_; }
    std::size_t rows() const noexcept { return offsets_.size() - 1; }
    std::span<const Entry> row(std::size_t row) const noexcept {
        return std::span(entries_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    }
    std::span<const std::uint32_t> pairs() const noexcept { return pairs_; }      // [previous][label]
    std::span<const std::uint32_t> triples() const noexcept { return triples_; }  // [previous][before][label], or empty
    std::span<const std::uint32_t> edges() const noexcept { return edges_; }      // one per edge weight

private:
    struct RowType {
        std::size_t row;
        std::uint32_t type;
    };

    // Lists the features of the gold segments with their types, which take the place of labels, row by row.
    std::vector<RowType> list_segment_rows(const ChainInput& input, std::span<const Label> gold) const {
        std::vector<RowType> out;
        if (input.segments.empty()) return out;
        const SegmentLabels roles(input.segments.roles, labels_);
        for (std::size_t s = 0; s + 1 < input.sentences.size(); ++s)
            roles.for_each_segment(
                input.segments.roles, gold.subspan(input.begin(s), input.length(s)), [&](const Segment& segment) {
                    input.segments.for_each_row(input.begin(s) + segment.first, segment.tokens, [&](std::size_t row) {
                        out.push_back({row, static_cast<std::uint32_t>(segment.type)});
                    });
                });
        std::sort(out.begin(), out.end(), [](const RowType& a, const RowType& b) { return a.row < b.row; });
        return out;
    }

    void add_nodes(const ChainInput& input, std::span<const Label> gold, const Postings& postings) {
        const std::vector<RowType> segments = list_segment_rows(input, gold);
        auto segment = segments.begin();
        std::vector<std::uint32_t> counts(labels_, 0);
        std::vector<Entry> merged;
        merged.reserve(entries_.size() + entries_.size() / 8);
        std::size_t begin = 0;
        for (std::size_t row = 0; row < rows(); ++row) {
            const std::size_t end = std::exchange(offsets_[row + 1], 0);
            for (std::size_t i = begin; i < end; ++i) counts[entries_[i].label] = entries_[i].count;
            begin = end;
            const std::uint32_t* tokens = postings.tokens(postings.begin(row));
            for (std::size_t i = 0; i < postings.count(row); ++i) ++counts[static_cast<std::size_t>(gold[tokens[i]])];
            for (; segment != segments.end() && segment->row == row; ++segment) ++counts[segment->type];
            for (std::uint32_t y = 0; y < counts.size(); ++y)
                if (counts[y] > 0) merged.push_back({y, std::exchange(counts[y], 0)});
            offsets_[row + 1] = merged.size();
        }
        entries_ = std::move(merged);
    }

    void add_histories(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold,
                       const Histories& histories) {
        for (std::size_t token = 0; token < gold.size(); ++token) {
            if (histories.previous(token) < 0) continue;
            const auto previous = static_cast<std::size_t>(histories.previous(token)),
                       label = static_cast<std::size_t>(gold[token]), pair = previous * labels_ + label;
            ++pairs_[pair];
            if (!triples_.empty() && histories.before(token) >= 0)
                ++triples_[(previous * labels_ + static_cast<std::size_t>(histories.before(token))) * labels_ + label];
            if (!input.edges.rows.empty())
                for_each_edge(layout, input.edges, token,
                              [&](std::size_t, float, std::size_t k) { edges_[k] += layout.edge_pairs[k] == pair; });
        }
    }

    std::size_t labels_, tokens_ = 0;
    bool is_backwards_;
    std::vector<std::size_t> offsets_;  // [node rows + 1]
    std::vector<Entry> entries_;        // sorted by label within each row
    std::vector<std::uint32_t> pairs_, triples_, edges_;
};

}  // namespace tagloom
