// Postings: the tokens at which each feature fires, the transpose of the sparse rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/features/encoding.hpp"

namespace tagloom {

class Postings {
public:
    Postings(const SparseView& rows, std::size_t row_count, std::size_t tokens)
        : offsets_(row_count + 1, 0), tokens_(rows.rows.size()) {
        for (const std::uint32_t row : rows.rows) ++offsets_[row + 1];
        for (std::size_t r = 0; r < row_count; ++r) offsets_[r + 1] += offsets_[r];
        std::vector<std::size_t> next(offsets_.begin(), offsets_.end());
        if (!rows.values.empty()) values_.resize(rows.rows.size());
        for (std::size_t token = 0; token < tokens; ++token)
            for (std::size_t i = rows.begin(token); i < rows.end(token); ++i) {
                const std::size_t at = next[rows.rows[i]]++;
                tokens_[at] = static_cast<std::uint32_t>(token);
                if (!values_.empty()) values_[at] = rows.values[i];
            }
    }

    std::size_t begin(std::size_t row) const noexcept { return offsets_[row]; }
    std::size_t count(std::size_t row) const noexcept { return offsets_[row + 1] - offsets_[row]; }
    const std::uint32_t* tokens(std::size_t at) const noexcept { return tokens_.data() + at; }
    const float* values(std::size_t at) const noexcept { return values_.empty() ? nullptr : values_.data() + at; }

    // Prefetches the rows, in a table of tokens, that are needed some postings later, because they lie far apart.
    template <class Real>
    void prefetch_ahead(std::size_t at, std::size_t count, const Real* table, std::size_t stride) const noexcept {
        constexpr std::size_t ahead = 64;
        const std::size_t last = std::min(at + count + ahead, tokens_.size());
        for (std::size_t i = std::min(at + ahead, last); i < last; ++i)
            prefetch_row(table + tokens_[i] * stride, stride);
    }

private:
    std::vector<std::size_t> offsets_;  // [rows + 1]
    std::vector<std::uint32_t> tokens_;
    std::vector<float> values_;
};

}  // namespace tagloom
