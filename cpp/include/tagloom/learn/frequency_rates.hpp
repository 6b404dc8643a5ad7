// FrequencyRates: the diagonal B of MADF, B = 1 / (beta + (alpha - beta) * count / tokens) where count is that of the
// weight's feature and label (or label pair) in the gold labels (he-wang-2012, Eq. 15); alpha = 1 / a, beta = 1 / b.
//
// Most features are rare and occur with few labels, so many rows of B are equal; each distinct row is stored once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/features/postings.hpp"
#include "tagloom/learn/difference.hpp"

namespace tagloom {

template <class Real>
class FrequencyRates {
public:
    FrequencyRates() = default;
    FrequencyRates(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold, double a, double b)
        : stride_(layout.stride),
          alpha_(1 / a),
          beta_(1 / b),
          tokens_(std::max(static_cast<double>(gold.size()), 1.0)) {
        count_nodes(layout, input, gold);
        count_pairs(layout, input, gold);
    }

    // Whether the rates were computed for a chain of this layout.
    bool fits(const ChainLayout& layout) const noexcept {
        return stride_ == layout.stride && rows() == layout.node_rows + layout.labels
               && edges_.size() == layout.edge_pairs.size();
    }
    std::size_t rows() const noexcept { return rows_.size(); }
    const Real* table() const noexcept { return table_.data(); }
    const std::uint32_t* row_numbers() const noexcept { return rows_.data(); }
    const Real* row(std::size_t row) const noexcept { return table_.data() + rows_[row] * stride_; }
    const Real* edges() const noexcept { return edges_.data(); }

private:
    using Pattern = std::vector<std::uint32_t>;  // label, count, label, count ...

    Real rate(double count) const noexcept {
        return static_cast<Real>(1 / (beta_ + (alpha_ - beta_) * count / tokens_));
    }

    void count_nodes(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold) {
        const Postings postings(input.nodes, layout.node_rows, gold.size());
        std::map<Pattern, std::uint32_t> known;
        std::vector<std::uint32_t> counts(layout.labels, 0);
        for (std::size_t row = 0; row < layout.node_rows; ++row) {
            std::fill(counts.begin(), counts.end(), 0u);
            const std::uint32_t* tokens = postings.tokens(postings.begin(row));
            for (std::size_t i = 0; i < postings.count(row); ++i) ++counts[static_cast<std::size_t>(gold[tokens[i]])];
            Pattern pattern;
            for (std::uint32_t y = 0; y < counts.size(); ++y)
                if (counts[y] > 0) pattern.insert(pattern.end(), {y, counts[y]});
            const auto [found, is_new] =
                known.try_emplace(std::move(pattern), static_cast<std::uint32_t>(table_.size() / stride_));
            if (is_new) add_row(counts);
            rows_.push_back(found->second);
        }
    }

    void count_pairs(const ChainLayout& layout, const ChainInput& input, std::span<const Label> gold) {
        std::vector<std::uint32_t> pairs(layout.labels * layout.labels, 0), edges(layout.edge_pairs.size(), 0);
        for (std::size_t s = 0; s + 1 < input.sentences.size(); ++s)
            for (std::size_t t = input.begin(s) + 1; t < input.begin(s) + input.length(s); ++t) {
                const std::size_t pair =
                    static_cast<std::size_t>(gold[t - 1]) * layout.labels + static_cast<std::size_t>(gold[t]);
                ++pairs[pair];
                if (!input.edges.rows.empty())
                    for_each_edge(layout, input.edges, t,
                                  [&](std::size_t, float, std::size_t k) { edges[k] += layout.edge_pairs[k] == pair; });
            }
        for (std::size_t p = 0; p < layout.labels; ++p) {
            rows_.push_back(static_cast<std::uint32_t>(table_.size() / stride_));
            add_row(std::span(pairs).subspan(p * layout.labels, layout.labels));
        }
        for (const std::uint32_t count : edges) edges_.push_back(rate(count));
    }

    void add_row(std::span<const std::uint32_t> counts) {
        for (std::size_t y = 0; y < stride_; ++y) table_.push_back(rate(y < counts.size() ? counts[y] : 0));
    }

    std::size_t stride_ = 0;
    double alpha_ = 1, beta_ = 1, tokens_ = 1;
    std::vector<std::uint32_t> rows_;  // [node rows + L] indices into the table
    std::vector<Real> table_;          // [distinct rows][stride]
    std::vector<Real> edges_;          // one per edge weight
};

}  // namespace tagloom
