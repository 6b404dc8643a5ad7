// Character classes and simple lower-casing, by binary search in the generated ranges; ASCII needs no search.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "tagloom/text/unicode_tables.hpp"
#include "tagloom/text/utf8.hpp"

namespace tagloom {

namespace detail {
template <class Range, std::size_t N>
const Range* find_range(const Range (&ranges)[N], char32_t c) noexcept {
    const auto after = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                        [](char32_t value, const Range& range) { return value < range.first; });
    if (after == std::begin(ranges) || (after - 1)->last < c) return nullptr;
    return after - 1;
}
}  // namespace detail

inline CharClass char_class(char32_t c) noexcept {
    if (c - U'a' < 26) return CharClass::lower;
    if (c - U'A' < 26) return CharClass::upper;
    if (c - U'0' < 10) return CharClass::digit;
    const ClassRange* range = detail::find_range(class_ranges, c);
    return range ? range->value : CharClass::other;
}

inline char32_t to_lower(char32_t c) noexcept {
    if (c < 0x80) return c - U'A' < 26 ? c + 32 : c;
    const LowerRange* range = detail::find_range(lower_ranges, c);
    return range ? static_cast<char32_t>(static_cast<std::int64_t>(c) + range->distance) : c;
}

// Calls visit(code point, its bytes) for every character; malformed bytes count as one U+FFFD each.
template <class Visit>
void for_each_char(std::string_view text, Visit visit) {
    for (std::size_t at = 0; at < text.size();) {
        const CodePoint point = decode_utf8(text, at);
        const std::size_t length = point.length ? point.length : 1;
        visit(point.length ? point.value : U'\uFFFD', text.substr(at, length));
        at += length;
    }
}

inline void append_lower(std::string& out, std::string_view text) {
    for_each_char(text, [&](char32_t c, std::string_view) { append_utf8(out, to_lower(c)); });
}

}  // namespace tagloom
