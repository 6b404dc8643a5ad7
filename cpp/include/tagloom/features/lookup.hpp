// Lookup: maps a word to one value, such as the bit string of a Brown cluster. An attribute over it takes the value's
// first n characters (the whole value if it is shorter, unlike prefix<n>, because a short path is a separate cluster).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tagloom/features/attributes.hpp"
#include "tagloom/text/strings.hpp"
#include "tagloom/text/unicode.hpp"

namespace tagloom {

struct Lookup {
    StringTable words, values;
    std::vector<std::int32_t> value_of;  // [words]

    // A word that is added twice keeps its first value.
    void add(std::string_view word, std::string_view value) {
        if (words.intern(word) == static_cast<StringTable::Id>(value_of.size()))
            value_of.push_back(values.intern(value));
    }

    std::string_view find(std::string_view word) const noexcept {
        const StringTable::Id id = words.find(word);
        return id == StringTable::none ? std::string_view{} : value(id);
    }

    // Prepares find_folded for the words that are there.
    void fold() {
        if (folded_words_ == words.size()) return;
        folded_ = {}, spelling_.clear();
        std::string lower;
        for (std::size_t i = 0; i < words.size(); ++i) {
            const auto id = static_cast<StringTable::Id>(i);
            lower.clear();
            append_lower(lower, words.view(id));
            const auto place = static_cast<std::size_t>(folded_.intern(lower));
            if (place == spelling_.size()) spelling_.push_back(id);
            else if (rank(words.view(id)) < rank(words.view(spelling_[place]))) spelling_[place] = id;
        }
        folded_words_ = words.size();
    }

    // Falls back on other spellings of an unknown word: in lower case, capitalised, in upper case, in mixed case.
    std::string_view find_folded(std::string_view word) const {
        const std::string_view found = find(word);
        if (!found.empty()) return found;
        std::string lower;
        append_lower(lower, word);
        const StringTable::Id id = folded_.find(lower);
        return id == StringTable::none ? std::string_view{} : value(spelling_[static_cast<std::size_t>(id)]);
    }

private:
    std::string_view value(StringTable::Id word) const noexcept {
        return values.view(value_of[static_cast<std::size_t>(word)]);
    }

    static int rank(std::string_view word) {
        const CharCounts n(word);
        if (n.upper == 0) return 0;
        if (n.upper == 1 && n.starts_upper) return 1;
        return n.lower == 0 ? 2 : 3;
    }

    StringTable folded_;                     // distinct words in lower case
    std::vector<StringTable::Id> spelling_;  // [folded] the word that stands for all of its spellings
    std::size_t folded_words_ = 0;           // words that are folded
};

}  // namespace tagloom
