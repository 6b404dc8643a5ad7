// Word boundaries of UAX #29 (Unicode Text Segmentation), rules WB1 to WB999.
#pragma once

#include <span>

#include "tagloom/text/breaks.hpp"

namespace tagloom {

namespace detail {

inline bool is_ignored(WordBreak value) noexcept {  // WB4
    return value == WordBreak::extend || value == WordBreak::format || value == WordBreak::zwj;
}

inline bool is_line_break(WordBreak value) noexcept {
    return value == WordBreak::cr || value == WordBreak::lf || value == WordBreak::newline;
}

inline std::size_t skip_ignored(std::span<const Break> breaks, std::size_t at) noexcept {
    while (at < breaks.size() && is_ignored(breaks[at].word)) ++at;
    return at;
}

// WB5, WB7a, WB8 to WB10, WB13 to WB13b: no break between these two.
inline bool joins_directly(WordBreak before, WordBreak after) noexcept {
    const auto is_alphabetic = [](WordBreak w) { return w == WordBreak::letter || w == WordBreak::hebrew; };
    const bool words = is_alphabetic(before) || before == WordBreak::numeric;
    if (words && (is_alphabetic(after) || after == WordBreak::numeric)) return true;
    if (before == WordBreak::hebrew && after == WordBreak::single_quote) return true;
    if (before == WordBreak::katakana && after == WordBreak::katakana) return true;
    if (after == WordBreak::connector) return words || before == WordBreak::katakana || before == WordBreak::connector;
    return before == WordBreak::connector
           && (is_alphabetic(after) || after == WordBreak::numeric || after == WordBreak::katakana);
}

// WB6, WB7, WB7b, WB7c, WB11, WB12: no break around `middle` between these two.
inline bool joins_around(WordBreak before, WordBreak middle, WordBreak after) noexcept {
    const auto is_alphabetic = [](WordBreak w) { return w == WordBreak::letter || w == WordBreak::hebrew; };
    const bool either = middle == WordBreak::mid_number_letter || middle == WordBreak::single_quote;
    if (is_alphabetic(before) && is_alphabetic(after) && (either || middle == WordBreak::mid_letter)) return true;
    if (before == WordBreak::hebrew && after == WordBreak::hebrew && middle == WordBreak::double_quote) return true;
    return before == WordBreak::numeric && after == WordBreak::numeric && (either || middle == WordBreak::mid_number);
}

// Returns the character behind the one at `middle`, if there is no break around it, or 0.
inline std::size_t find_beyond(std::span<const Break> breaks, WordBreak before, std::size_t middle) noexcept {
    switch (breaks[middle].word) {
        case WordBreak::mid_letter:
        case WordBreak::mid_number:
        case WordBreak::mid_number_letter:
        case WordBreak::single_quote:
        case WordBreak::double_quote:
            break;
        default:
            return 0;
    }
    const std::size_t beyond = skip_ignored(breaks, middle + 1);
    const bool joins = beyond < breaks.size() && joins_around(before, breaks[middle].word, breaks[beyond].word);
    return joins ? beyond : 0;
}

}  // namespace detail

// Returns the first word boundary after `at`, which must be one itself. Looks ahead over ignored characters only as far
// as the next word can reach, so that going through a text this way takes linear time.
inline std::size_t find_word_end(std::span<const Break> breaks, std::size_t at) noexcept {
    WordBreak before = breaks[at].word;
    std::size_t next = at + 1;
    if (before == WordBreak::cr && next < breaks.size() && breaks[next].word == WordBreak::lf) return next + 1;  // WB3
    if (detail::is_line_break(before)) return next;                                                              // WB3a
    bool odd_regional = before == WordBreak::regional;
    while (true) {
        const std::size_t behind = next;
        next = detail::skip_ignored(breaks, next);
        if (next == breaks.size()) return next;
        const Break after = breaks[next];
        const bool adjacent = behind == next;
        if (breaks[next - 1].word == WordBreak::zwj && has_flag(after, Break::pictographic)) {  // WB3c
            before = after.word;
        } else if (adjacent && before == WordBreak::space && after.word == WordBreak::space) {            // WB3d
        } else if (before == WordBreak::regional && after.word == WordBreak::regional && odd_regional) {  // WB15, WB16
            odd_regional = false;
            ++next;
            continue;
        } else {
            const std::size_t beyond = detail::find_beyond(breaks, before, next);
            if (beyond) next = beyond;
            else if (!detail::joins_directly(before, after.word)) return next;
            before = breaks[next].word;
        }
        odd_regional = before == WordBreak::regional;
        ++next;
    }
}

}  // namespace tagloom
