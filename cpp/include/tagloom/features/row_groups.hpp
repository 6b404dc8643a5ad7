// RowGroups holds rows of features in groups and computes unions of groups: the groups are the features of the entities
// of a sequence, and a union is the features of a candidate. All distinct rows are ranked once; a group is a bit set
// over the ranks, and a union is one pass over its words.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/features/feature_table.hpp"

namespace tagloom {

class RowGroups {
public:
    using Row = FeatureTable::Row;

    void clear() { pairs_.clear(), groups_ = 0, most_ = 0; }
    std::uint32_t size() const noexcept { return groups_; }
    // Adds a row to the group that end_group closes next.
    void add(Row row) { pairs_.push_back(std::uint64_t{row} << 32 | groups_), most_ = std::max(most_, row); }
    std::uint32_t end_group() { return groups_++; }

    // Ranks the rows, once all groups are closed.
    void rank() {
        sort();
        rows_.clear();
        for (const std::uint64_t pair : pairs_)
            if (const Row row = row_of(pair); rows_.empty() || rows_.back() != row) rows_.push_back(row);
        words_ = (rows_.size() + 63) / 64;
        bits_.assign(words_ * groups_, 0);
        joined_.resize(words_);
        std::size_t place = 0;
        for (const std::uint64_t pair : pairs_) {
            place += rows_[place] != row_of(pair);
            bits_[static_cast<std::uint32_t>(pair) * words_ + place / 64] |= std::uint64_t{1} << place % 64;
        }
    }

    // Appends the distinct rows of some groups in ascending order and returns their number.
    std::size_t unite(std::span<const std::uint32_t> groups, std::vector<Row>& out) {
        std::fill(joined_.begin(), joined_.end(), 0);
        for (const std::uint32_t group : groups)
            for (std::size_t w = 0; w < words_; ++w) joined_[w] |= bits_[group * words_ + w];
        const std::size_t before = out.size();
        for (std::size_t w = 0; w < words_; ++w)
            for (std::uint64_t word = joined_[w]; word; word &= word - 1)
                out.push_back(rows_[w * 64 + static_cast<std::size_t>(std::countr_zero(word))]);
        return out.size() - before;
    }

private:
    static constexpr unsigned digit = 9;  // bits; for so few pairs, a larger table of counts does not pay off

    static Row row_of(std::uint64_t pair) noexcept { return static_cast<Row>(pair >> 32); }

    // Sorts by row, digit after digit, which avoids the mispredicted branches of comparisons.
    void sort() {
        other_.resize(pairs_.size());
        for (unsigned shift = 32; shift < 32 + static_cast<unsigned>(std::bit_width(most_)); shift += digit) {
            std::array<std::uint32_t, (1u << digit) + 1> begins{};
            for (const std::uint64_t pair : pairs_) ++begins[(pair >> shift & ((1u << digit) - 1)) + 1];
            for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
            for (const std::uint64_t pair : pairs_) other_[begins[pair >> shift & ((1u << digit) - 1)]++] = pair;
            pairs_.swap(other_);
        }
    }

    std::vector<std::uint64_t> pairs_, other_;  // row and group
    std::uint32_t groups_ = 0;
    Row most_ = 0;
    std::vector<Row> rows_;  // distinct rows in ascending order
    std::size_t words_ = 0;
    std::vector<std::uint64_t> bits_, joined_;  // [groups][words], [words]
};

}  // namespace tagloom
