// Looks up the generated properties of characters (break_tables.hpp): directly for the first two planes.
#pragma once

#include <memory>

#include "tagloom/text/break_tables.hpp"
#include "tagloom/text/unicode.hpp"

namespace tagloom {

class BreakTable {
public:
    static const BreakTable& get() {
        static const BreakTable table;
        return table;
    }

    Break operator[](char32_t c) const noexcept {
        if (c < direct) return values_[c];
        const BreakRange* range = detail::find_range(get_break_ranges(), c);
        return range ? range->value : Break{};
    }

private:
    static constexpr char32_t direct = 0x20000;

    BreakTable() : values_(new Break[direct]) {
        for (const BreakRange& range : get_break_ranges())
            for (char32_t c = range.first; c <= range.last && c < direct; ++c) values_[c] = range.value;
    }

    std::unique_ptr<Break[]> values_;
};

inline bool has_flag(Break value, Break::Flag flag) noexcept { return (value.flags & flag) != 0; }
inline bool is_blank(Break value) noexcept { return has_flag(value, Break::blank); }
inline bool is_letter(Break value) noexcept {
    return value.word == WordBreak::letter || value.word == WordBreak::hebrew;
}
inline bool is_number(Break value) noexcept { return value.word == WordBreak::numeric; }
inline bool is_letter_or_number(Break value) noexcept { return is_letter(value) || is_number(value); }

}  // namespace tagloom
