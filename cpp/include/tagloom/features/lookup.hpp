// Lookup: maps a word to one value, such as the bit string of a Brown cluster. An attribute over it takes the value's
// first n characters (the whole value if it is shorter, unlike prefix<n>, because a short path is a separate cluster).
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "tagloom/text/strings.hpp"

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
        return id == StringTable::none ? std::string_view{} : values.view(value_of[static_cast<std::size_t>(id)]);
    }
};

}  // namespace tagloom
