// SparseDifference: Phi(gold) - Phi(opponent) as (index of the weight, amount) pairs. An index may stand several times;
// amounts add up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain.hpp"

namespace tagloom {

template <class Real>
struct SparseDifference {
    struct Entry {
        std::size_t index;
        Real amount;
    };
    std::vector<Entry> entries;

    void clear() noexcept { entries.clear(); }
    void add(std::size_t index, Real amount) { entries.push_back({index, amount}); }
};

// Adds the features by which two labellings of a sentence differ.
template <class Real>
void chain_difference(const ChainLayout& layout, const ChainInput& input, std::size_t sentence,
                      std::span<const Label> gold, std::span<const Label> other, SparseDifference<Real>& out) {
    const std::size_t begin = input.begin(sentence);
    const auto add_pair = [&](std::size_t t, Label previous, Label next, Real sign) {
        const auto p = static_cast<std::size_t>(previous), y = static_cast<std::size_t>(next);
        if (layout.has_transitions) out.add(layout.transition(p, y), sign);
        if (input.edges.rows.empty()) return;
        const auto pair = static_cast<std::uint32_t>(p * layout.labels + y);
        for (std::size_t i = input.edges.begin(begin + t); i < input.edges.end(begin + t); ++i) {
            const std::size_t row = input.edges.rows[i];
            const auto first = layout.edge_pairs.begin() + layout.edge_offsets[row];
            const auto last = layout.edge_pairs.begin() + layout.edge_offsets[row + 1];
            const auto found = std::lower_bound(first, last, pair);
            if (found != last && *found == pair)
                out.add(layout.edge_begin() + static_cast<std::size_t>(found - layout.edge_pairs.begin()),
                        sign * input.edges.value(i));
        }
    };
    for (std::size_t t = 0; t < gold.size(); ++t) {
        if (gold[t] != other[t]) {
            for (std::size_t i = input.nodes.begin(begin + t); i < input.nodes.end(begin + t); ++i) {
                const Real value = input.nodes.value(i);
                out.add(layout.node(input.nodes.rows[i], static_cast<std::size_t>(gold[t])), value);
                out.add(layout.node(input.nodes.rows[i], static_cast<std::size_t>(other[t])), -value);
            }
        }
        if (t > 0 && (gold[t] != other[t] || gold[t - 1] != other[t - 1])) {
            add_pair(t, gold[t - 1], gold[t], Real{1});
            add_pair(t, other[t - 1], other[t], Real{-1});
        }
    }
}

}  // namespace tagloom
