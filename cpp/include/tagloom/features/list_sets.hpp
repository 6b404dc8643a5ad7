// ListSets: numbered sets of lists, of which a trie of phrases has few in comparison with its nodes. Sets are rows of
// bits, as wide as the largest number of a list needs.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tagloom {

class ListSets {
public:
    using Id = std::uint32_t;
    using Word = std::uint64_t;
    static constexpr std::size_t bits = 64;
    static constexpr std::size_t most_lists = std::size_t{1} << 16;

    // Begins with the empty set, whose number is 0.
    ListSets() : width_(1), rows_(1, 0) {}

    // Takes rows of `width` words each; without any, there is the empty set.
    ListSets(std::size_t width, std::vector<Word> rows) : width_(width), rows_(std::move(rows)) {
        if (width_ == 0 || width_ > most_lists / bits || rows_.size() % width_ != 0)
            throw std::invalid_argument("sets of lists do not fit the number of lists");
        if (rows_.empty()) rows_.assign(width_, 0);
    }

    std::size_t size() const noexcept { return rows_.size() / width_; }
    std::size_t width() const noexcept { return width_; }
    const std::vector<Word>& rows() const noexcept { return rows_; }  // [size][width]

    // Returns the lists 64 * word .. 64 * word + 63 of a set, as bits.
    Word word(Id set, std::size_t word) const noexcept { return word < width_ ? rows_[set * width_ + word] : 0; }

    template <class Visit>
    void for_each(Id set, Visit visit) const {
        for (std::size_t w = 0; w < width_; ++w)
            for (Word rest = word(set, w); rest != 0; rest &= rest - 1)
                visit(w * bits + static_cast<std::size_t>(std::countr_zero(rest)));
    }

    // Returns a set with one more list. Equal sets may have several numbers if lists are added in another order.
    Id with(Id set, std::size_t list) {
        if (list >= most_lists) throw std::length_error("expected at most 65,536 lists of phrases");
        if (list / bits >= width_) widen(std::bit_ceil(list / bits + 1));
        if (word(set, list / bits) >> list % bits & 1) return set;
        const auto [found, is_new] = larger_.try_emplace(std::uint64_t{set} << 32 | list, static_cast<Id>(size()));
        if (!is_new) return found->second;
        if (size() >= std::numeric_limits<Id>::max()) throw std::length_error("too many sets of lists");
        for (std::size_t w = 0; w < width_; ++w) {
            const Word old = word(set, w);
            rows_.push_back(w == list / bits ? old | Word{1} << list % bits : old);
        }
        return found->second;
    }

private:
    void widen(std::size_t width) {
        std::vector<Word> rows(size() * width, 0);
        for (std::size_t set = 0; set < size(); ++set)
            for (std::size_t w = 0; w < width_; ++w) rows[set * width + w] = rows_[set * width_ + w];
        rows_ = std::move(rows);
        width_ = width;
    }

    std::size_t width_;  // words of a row
    std::vector<Word> rows_;
    std::unordered_map<std::uint64_t, Id> larger_;  // set and list -> the set with that list
};

}  // namespace tagloom
