// Difference: Phi(gold) - Phi(opponent), which all learners work with.
//
// Two labellings differ in few weights, which are listed one by one. Gold and an expectation differ in every label of
// every feature; that part is a row of amounts per token, added to the rows of all the token's features. Transition
// weights are rows as well; they follow the node rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/learn/averaging.hpp"

namespace tagloom {

// How often a non-local feature holds.
struct Count {
    std::uint32_t row;
    float amount;
};

template <class Real>
struct Difference {
    struct Entry {
        std::size_t index;  // of the weight; it may occur several times, and the amounts add up
        Real amount;
        std::uint32_t row;  // of the feature, numbered as node rows, transition rows, edge features
    };
    std::vector<Entry> entries;
    std::vector<Count> counts;    // counts of non-local features
    std::vector<Real> cells;      // [T][stride] amounts of the node features of each token, or empty
    std::vector<Real> pair_rows;  // [L][stride] amounts of the transitions, or empty
    std::size_t sentence = 0;     // the sentence of the cells

    double loss = 0;         // what the learner minimises, on this example
    double cost = 0;         // cost of the opponent, if costs are part of the search
    std::size_t errors = 0;  // tokens on which the opponent is wrong

    bool empty() const noexcept { return entries.empty() && counts.empty() && cells.empty(); }
    void clear() noexcept {
        entries.clear(), counts.clear(), cells.clear(), pair_rows.clear();
        loss = cost = 0;
        errors = 0;
    }
    void add(std::size_t index, Real amount, std::size_t row) {
        entries.push_back({index, amount, static_cast<std::uint32_t>(row)});
    }

    // Merges the entries, so that there is one entry per weight.
    void merge_entries() {
        std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.index < b.index; });
        std::size_t kept = 0;
        for (const Entry& entry : entries) {
            if (kept > 0 && entries[kept - 1].index == entry.index) entries[kept - 1].amount += entry.amount;
            else entries[kept++] = entry;
        }
        entries.resize(kept);
    }
};

// Returns the values of some features in the precision of the weights, or null if all are one.
template <class Real>
class FeatureValues {
public:
    const Real* operator()(const SparseView& rows, std::size_t first, std::size_t count) {
        if (rows.values.empty()) return nullptr;
        values_.assign(rows.values.begin() + static_cast<std::ptrdiff_t>(first),
                       rows.values.begin() + static_cast<std::ptrdiff_t>(first + count));
        return values_.data();
    }

private:
    std::vector<Real> values_;
};

// Calls visit(rows, values or null, count, amounts) for the node features of every token and for every transition row.
template <class Real, class Visit>
void for_each_row(const Difference<Real>& difference, const ChainLayout& layout, const ChainInput& input, Visit visit) {
    if (difference.cells.empty()) return;
    const std::size_t begin = input.begin(difference.sentence);
    const SparseView& nodes = input.nodes;
    FeatureValues<Real> values;
    for (std::size_t t = 0; t < input.length(difference.sentence); ++t) {
        const std::size_t first = nodes.begin(begin + t), count = nodes.end(begin + t) - first;
        visit(nodes.rows.data() + first, values(nodes, first, count), count,
              difference.cells.data() + t * layout.stride);
    }
    if (difference.pair_rows.empty()) return;
    for (std::size_t p = 0; p < layout.labels; ++p) {
        const auto row = static_cast<std::uint32_t>(layout.node_rows + p);
        visit(&row, static_cast<const Real*>(nullptr), std::size_t{1}, difference.pair_rows.data() + p * layout.stride);
    }
}

// Calls visit(edge feature, value, index of the pair's weight) for the listed pairs of the edge features of a token.
template <class Visit>
void for_each_edge(const ChainLayout& layout, const SparseView& edges, std::size_t token, Visit visit) {
    for (std::size_t i = edges.begin(token); i < edges.end(token); ++i) {
        const std::size_t feature = edges.rows[i];
        for (auto k = static_cast<std::size_t>(layout.edge_offsets[feature]);
             k < static_cast<std::size_t>(layout.edge_offsets[feature + 1]); ++k)
            visit(feature, edges.value(i), k);
    }
}

// Calls visit(edge feature, value, next label, index of the pair's weight) for the listed pairs with one previous label.
template <class Visit>
void for_each_edge_after(const ChainLayout& layout, const SparseView& edges, std::size_t token, std::size_t previous,
                         Visit visit) {
    const auto first_pair = static_cast<std::uint32_t>(previous * layout.labels);
    for (std::size_t i = edges.begin(token); i < edges.end(token); ++i) {
        const std::size_t feature = edges.rows[i];
        const auto begin = layout.edge_pairs.begin(), last = begin + layout.edge_offsets[feature + 1];
        auto at = std::lower_bound(begin + layout.edge_offsets[feature], last, first_pair);
        for (; at != last && *at - first_pair < layout.labels; ++at)  // a lower pair, out of order, also ends the loop
            visit(feature, edges.value(i), *at - first_pair, static_cast<std::size_t>(at - begin));
    }
}

// Adds the features of a pair of labels at a token.
template <class Real>
void add_pair_features(const ChainLayout& layout, const SparseView& edges, std::size_t token, std::size_t previous,
                       std::size_t next, Real sign, Difference<Real>& out) {
    if (layout.has_transitions) out.add(layout.transition(previous, next), sign, layout.node_rows + previous);
    if (edges.rows.empty()) return;
    const auto pair = static_cast<std::uint32_t>(previous * layout.labels + next);
    for (std::size_t i = edges.begin(token); i < edges.end(token); ++i) {
        const std::size_t row = edges.rows[i];
        const auto first = layout.edge_pairs.begin() + layout.edge_offsets[row];
        const auto last = layout.edge_pairs.begin() + layout.edge_offsets[row + 1];
        const auto found = std::lower_bound(first, last, pair);
        if (found != last && *found == pair)
            out.add(layout.edge_begin() + static_cast<std::size_t>(found - layout.edge_pairs.begin()),
                    sign * edges.value(i), layout.edge_row(row));
    }
}

// Adds the features by which two labellings of a sentence differ.
template <class Real>
void chain_difference(const ChainLayout& layout, const ChainInput& input, std::size_t sentence,
                      std::span<const Label> gold, std::span<const Label> other, Difference<Real>& out) {
    const std::size_t begin = input.begin(sentence);
    const auto add_pair = [&](std::size_t t, Label previous, Label next, Real sign) {
        add_pair_features<Real>(layout, input.edges, begin + t, static_cast<std::size_t>(previous),
                                static_cast<std::size_t>(next), sign, out);
    };
    for (std::size_t t = 0; t < gold.size(); ++t) {
        if (gold[t] != other[t]) {
            for (std::size_t i = input.nodes.begin(begin + t); i < input.nodes.end(begin + t); ++i) {
                const Real value = input.nodes.value(i);
                const std::size_t row = input.nodes.rows[i];
                out.add(layout.node(row, static_cast<std::size_t>(gold[t])), value, row);
                out.add(layout.node(row, static_cast<std::size_t>(other[t])), -value, row);
            }
        }
        if (t > 0 && !input.is_break(begin + t) && (gold[t] != other[t] || gold[t - 1] != other[t - 1])) {
            add_pair(t, gold[t - 1], gold[t], Real{1});
            add_pair(t, other[t - 1], other[t], Real{-1});
        }
    }
}

}  // namespace tagloom
