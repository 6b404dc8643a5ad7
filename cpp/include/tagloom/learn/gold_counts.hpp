// GoldCounts: how often every feature occurs with every gold label, label pairs with each other, and edge features with
// their label pairs. Counts can be added up block by block, so that no data need be in memory at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/chain/chain.hpp"
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

    explicit GoldCounts(const ChainLayout& layout)
        : labels_(layout.labels),
          offsets_(layout.node_rows + 1, 0),
          pairs_(layout.labels * layout.labels, 0),
          edges_(layout.edge_pairs.size(), 0) {}

    // Adds the counts of further sentences of the same chain.
    void add(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold) {
        if (gold.size() > std::numeric_limits<std::uint32_t>::max() - tokens_)
            throw std::length_error("at most 2^32 - 1 tokens can be counted");
        tokens_ += gold.size();
        add_nodes(input, gold);
        add_pairs(layout, input, gold);
    }

    std::size_t tokens() const noexcept { return tokens_; }
    std::size_t labels() const noexcept { return labels_; }
    std::size_t rows() const noexcept { return offsets_.size() - 1; }
    std::span<const Entry> row(std::size_t row) const noexcept {
        return std::span(entries_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
    }
    std::span<const std::uint32_t> pairs() const noexcept { return pairs_; }  // [L][L]
    std::span<const std::uint32_t> edges() const noexcept { return edges_; }  // one per edge weight

private:
    void add_nodes(const ChainInput& input, std::span<const Label> gold) {
        const Postings postings(input.nodes, rows(), gold.size());
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
            for (std::uint32_t y = 0; y < counts.size(); ++y)
                if (counts[y] > 0) merged.push_back({y, std::exchange(counts[y], 0)});
            offsets_[row + 1] = merged.size();
        }
        entries_ = std::move(merged);
    }

    void add_pairs(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold) {
        for (std::size_t s = 0; s + 1 < input.sentences.size(); ++s)
            for (std::size_t t = input.begin(s) + 1; t < input.begin(s) + input.length(s); ++t) {
                const std::size_t pair =
                    static_cast<std::size_t>(gold[t - 1]) * labels_ + static_cast<std::size_t>(gold[t]);
                ++pairs_[pair];
                if (!input.edges.rows.empty())
                    for_each_edge(layout, input.edges, t, [&](std::size_t, float, std::size_t k) {
                        edges_[k] += layout.edge_pairs[k] == pair;
                    });
            }
    }

    std::size_t labels_, tokens_ = 0;
    std::vector<std::size_t> offsets_;  // [node rows + 1]
    std::vector<Entry> entries_;        // sorted by label within each row
    std::vector<std::uint32_t> pairs_, edges_;
};

}  // namespace tagloom
