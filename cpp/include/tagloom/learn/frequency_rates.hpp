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
#include "tagloom/learn/gold_counts.hpp"

namespace tagloom {

template <class Real>
class FrequencyRates {
public:
    FrequencyRates() = default;
    FrequencyRates(const GoldCounts& counts, std::size_t stride, double a, double b)
        : stride_(stride), alpha_(1 / a), beta_(1 / b), tokens_(std::max(static_cast<double>(counts.tokens()), 1.0)) {
        rate_nodes(counts);
        for (std::size_t p = 0; p < counts.labels(); ++p) {
            rows_.push_back(static_cast<std::uint32_t>(table_.size() / stride_));
            add_row(counts.pairs().subspan(p * counts.labels(), counts.labels()));
        }
        for (const std::uint32_t count : counts.edges()) edges_.push_back(rate(count));
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

    void rate_nodes(const GoldCounts& found) {
        std::map<Pattern, std::uint32_t> known;
        std::vector<std::uint32_t> counts(found.labels(), 0);
        rows_.reserve(found.rows() + found.labels());
        for (std::size_t row = 0; row < found.rows(); ++row) {
            std::fill(counts.begin(), counts.end(), 0U);
            Pattern pattern;
            for (const GoldCounts::Entry& entry : found.row(row)) {
                counts[entry.label] = entry.count;
                pattern.insert(pattern.end(), {entry.label, entry.count});
            }
            const auto [at, is_new] =
                known.try_emplace(std::move(pattern), static_cast<std::uint32_t>(table_.size() / stride_));
            if (is_new) add_row(counts);
            rows_.push_back(at->second);
        }
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
