// How often words are written in lower case, capitalised and in capitals, counted in a text, and the attribute that
// tells it of a word. Marks at the beginning and end of a word are ignored, so that raw text need not be tokenized.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tagloom/features/attributes.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/text/hash.hpp"
#include "tagloom/text/unicode.hpp"

namespace tagloom {

// The part of a word from its first letter or digit to its last one.
inline std::string_view strip_marks(std::string_view word) {
    std::size_t begin = word.size(), end = 0;
    for_each_char(word, [&](char32_t c, std::string_view bytes) {
        const CharClass kind = char_class(c);
        if (kind == CharClass::punctuation || kind == CharClass::other) return;
        const auto at = static_cast<std::size_t>(bytes.data() - word.data());
        begin = std::min(begin, at), end = at + bytes.size();
    });
    return begin < end ? word.substr(begin, end - begin) : std::string_view{};
}

inline Hash hash_lower(std::string_view word) {
    std::string lower;
    append_lower(lower, word);
    return hash_bytes(lower);
}

class CaseCounter {
public:
    using Counts = std::array<std::uint64_t, 3>;  // in lower case, capitalised, in capitals

    // Counts the words of a text, which blanks separate.
    void add_text(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t begin = std::min(text.find_first_not_of(blanks, at), text.size());
            at = std::min(text.find_first_of(blanks, begin), text.size());
            add_word(text.substr(begin, at - begin), 1);
        }
    }

    // A single capital letter counts both as capitalised and as in capitals; words in mixed case are left out.
    void add_word(std::string_view word, std::uint64_t times) {
        const std::string_view inside = strip_marks(word);
        const CharCounts n(inside);
        const bool is_lower = n.upper == 0 && n.lower > 0, is_title = n.upper == 1 && n.starts_upper,
                   is_upper = n.upper > 0 && n.lower == 0;
        if (!is_lower && !is_title && !is_upper) return;
        Counts& counts = counts_[hash_lower(inside)];
        counts[0] += is_lower ? times : 0, counts[1] += is_title ? times : 0, counts[2] += is_upper ? times : 0;
    }

    const std::unordered_map<Hash, Counts>& counts() const noexcept { return counts_; }

private:
    static constexpr std::string_view blanks = " \t\r\n\v\f";

    std::unordered_map<Hash, Counts> counts_;  // by the hash of the word in lower case
};

// Levels of words by the hash of the word in lower case: how much more often it is in lower case than capitalised, how
// much more often capitalised than in capitals, both from -4 to 4, and how frequent it is, from 0 to 15.
class CaseTable {
public:
    static constexpr std::uint16_t ratios = 9, frequencies = 16, levels = ratios * ratios * frequencies;
    // The level of a word that does not occur: ratios of 0 and a frequency of 0.
    static constexpr std::uint16_t unknown = (ratios / 2 * ratios + ratios / 2) * frequencies;

    CaseTable(std::vector<Hash> keys, std::vector<std::uint16_t> levels_of_keys)
        : rows_(std::move(keys)), levels_(std::move(levels_of_keys)) {
        if (rows_.size() != levels_.size()) throw std::invalid_argument("expected one level per word");
        for (const std::uint16_t level : levels_)
            if (level >= levels) throw std::invalid_argument("level out of range");
    }

    const std::vector<Hash>& keys() const noexcept { return rows_.keys(); }
    const std::vector<std::uint16_t>& all_levels() const noexcept { return levels_; }

    std::uint16_t find(std::string_view word) const {
        const FeatureTable::Row row = rows_.find(hash_lower(strip_marks(word)));
        return row == FeatureTable::none ? unknown : levels_[row];
    }

    // Values of a word that has letters: both ratios, the frequency, and the first ratio with the case of the word.
    void describe(std::string_view word, Values& out) const {
        const CharCounts n(strip_marks(word));
        if (n.upper + n.lower == 0) return;
        const int level = find(word), frequency = level % frequencies, ratio = level / frequencies;
        const std::string lower = "lower/title:" + std::to_string(ratio / ratios - ratios / 2);
        out.push_back(lower);
        out.push_back("title/upper:" + std::to_string(ratio % ratios - ratios / 2));
        out.push_back("frequency:" + std::to_string(frequency));
        out.push_back(lower + (n.lower == 0 ? ",upper" : n.starts_upper ? ",title" : ",lower"));
    }

private:
    FeatureTable rows_;
    std::vector<std::uint16_t> levels_;  // [keys]
};

}  // namespace tagloom
