// Macros of Wapiti's patterns: %x (the word), %t (whether a regular expression matches it) and %m (what it matches).
//
// The regular expressions are those of Wapiti: a list of single characters, each of them once, any number of times (*)
// or optional (?), with ^ at the beginning and $ at the end. As there, * takes as few characters as possible, ? takes
// one if it can, and the first match counts. Characters are code points, and their classes are those of Unicode.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tagloom/text/unicode.hpp"

namespace tagloom {

// One character of an expression: itself, any (.), or a class such as \d; \D is its complement.
struct PatternItem {
    enum class Repeat : std::uint8_t { once, any, optional };
    char32_t value = 0;       // the character, or the small letter of the class
    bool is_class = false;    // of characters
    bool is_any = false;      // a dot
    bool is_negated = false;  // every character outside the class
    Repeat repeat = Repeat::once;

    bool fits(char32_t c) const noexcept {
        if (is_any) return true;
        return is_class ? is_member(value, c) != is_negated : c == value;
    }

private:
    static bool is_member(char32_t name, char32_t c) noexcept {
        const CharClass kind = char_class(c);
        const bool is_upper = kind == CharClass::upper, is_lower = kind == CharClass::lower;
        const bool is_letter = is_upper || is_lower || kind == CharClass::letter, is_digit = kind == CharClass::digit;
        switch (name) {
            case U'a':
                return is_letter;
            case U'd':
                return is_digit;
            case U'l':
                return is_lower;
            case U'p':
                return kind == CharClass::punctuation;
            case U's':
                return is_white(c);
            case U'u':
                return is_upper;
            default:  // w
                return is_letter || is_digit;
        }
    }

    static bool is_white(char32_t c) noexcept {  // the property White_Space
        return c == U' ' || (c >= 9 && c <= 13) || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A)
               || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
    }
};

class Pattern {
public:
    static constexpr std::size_t max_items = 100;

    // Throws std::invalid_argument with a reason if the text is no expression.
    explicit Pattern(std::string_view text) {
        std::vector<char32_t> chars;
        for_each_char(text, [&](char32_t c, std::string_view) { chars.push_back(c); });
        std::size_t at = at_start_ = !chars.empty() && chars.front() == U'^';
        at_end_ = chars.size() > at && chars.back() == U'$' && !is_escaped(chars, chars.size() - 1);
        const std::size_t end = chars.size() - at_end_;
        while (at < end) items_.push_back(parse_item(chars, end, at));
        if (items_.size() > max_items) throw std::invalid_argument("more than 100 characters");
    }

    // Returns the bytes of the first match; nullopt if there is none. Time is linear in the length of the word: the
    // table says from the back which items match at which places, and one walk through it follows the preferences.
    std::optional<std::string_view> find(std::string_view word) const {
        std::vector<char32_t> chars;
        std::vector<std::size_t> starts;
        for_each_char(word, [&](char32_t c, std::string_view bytes) {
            chars.push_back(c);
            starts.push_back(static_cast<std::size_t>(bytes.data() - word.data()));
        });
        starts.push_back(word.size());
        const Table table = build_table(chars);
        const std::size_t last = at_start_ ? 0 : chars.size();
        for (std::size_t start = 0; start <= last; ++start) {
            if (!table[0][start]) continue;
            const std::size_t stop = walk(table, chars, start);
            return word.substr(starts[start], starts[stop] - starts[start]);
        }
        return std::nullopt;
    }

private:
    using Table = std::vector<std::vector<bool>>;  // [items + 1][characters + 1]

    // Whether an odd number of backslashes stands before a character.
    static bool is_escaped(const std::vector<char32_t>& chars, std::size_t at) {
        std::size_t count = 0;
        while (count < at && chars[at - 1 - count] == U'\\') ++count;
        return count % 2 == 1;
    }

    static PatternItem parse_item(const std::vector<char32_t>& chars, std::size_t end, std::size_t& at) {
        PatternItem item;
        if (chars[at] == U'*' || chars[at] == U'?') throw std::invalid_argument("* or ? without a character before it");
        if (chars[at] == U'\\') {
            if (++at == end) throw std::invalid_argument("a backslash without a character after it");
            item = parse_class(chars[at]);
        } else {
            item.value = chars[at];
            item.is_any = chars[at] == U'.';
        }
        if (++at < end && (chars[at] == U'*' || chars[at] == U'?'))
            item.repeat = chars[at++] == U'*' ? PatternItem::Repeat::any : PatternItem::Repeat::optional;
        return item;
    }

    // The character after a backslash: the name of a class, or a character that stands for itself.
    static PatternItem parse_class(char32_t c) {
        PatternItem item;
        const char32_t name = to_lower(c);
        item.is_class =
            name < 0x80 && std::string_view("adlpsuw").find(static_cast<char>(name)) != std::string_view::npos;
        item.is_negated = item.is_class && name != c;
        item.value = item.is_class ? name : c;
        return item;
    }

    // table[i][p]: whether the items from i on match at character p.
    Table build_table(const std::vector<char32_t>& chars) const {
        const std::size_t n = chars.size();
        Table table(items_.size() + 1, std::vector<bool>(n + 1, !at_end_));
        table.back()[n] = true;
        for (std::size_t i = items_.size(); i-- > 0;) {
            const PatternItem& item = items_[i];
            for (std::size_t p = n + 1; p-- > 0;) {
                const bool fits = p < n && item.fits(chars[p]);
                const bool skips = item.repeat != PatternItem::Repeat::once && table[i + 1][p];
                const std::size_t next = item.repeat == PatternItem::Repeat::any ? i : i + 1;
                table[i][p] = skips || (fits && table[next][p + 1]);
            }
        }
        return table;
    }

    std::size_t walk(const Table& table, const std::vector<char32_t>& chars, std::size_t p) const {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const PatternItem& item = items_[i];
            if (item.repeat == PatternItem::Repeat::any) {
                while (!table[i + 1][p]) ++p;
            } else if (item.repeat == PatternItem::Repeat::once
                       || (p < chars.size() && item.fits(chars[p]) && table[i + 1][p + 1])) {
                ++p;
            }
        }
        return p;
    }

    std::vector<PatternItem> items_;
    bool at_start_ = false, at_end_ = false;
};

// A function of the word: what a macro is replaced by.
class Macro {
public:
    // The command is x, t or m; as a capital letter, the value is lower-cased.
    Macro(char32_t command, std::string_view pattern)
        : command_(to_lower(command)), lowers_(command != command_), pattern_(pattern) {
        if (command_ != U'x' && command_ != U't' && command_ != U'm') throw std::invalid_argument("an unknown macro");
    }

    std::string apply(std::string_view word) const {
        if (command_ == U't') return pattern_.find(word) ? "true" : "false";
        const std::string_view value = command_ == U'x' ? word : pattern_.find(word).value_or(std::string_view());
        if (!lowers_) return std::string(value);
        std::string lowered;
        append_lower(lowered, value);
        return lowered;
    }

    // The value outside the sentence, where Wapiti puts the words _x-1 ... _x-4, _x-# and _x+1 ... _x+4, _x+#.
    std::string apply_outside(std::int64_t distance) const {
        const std::int64_t far = distance < 0 ? -distance : distance;
        return apply((distance < 0 ? "_x-" : "_x+") + (far > 4 ? "#" : std::to_string(far)));
    }

    // The value at a fixed place of a sentence: 1 is the first word, -1 the last one.
    template <class WordAt>
    std::string apply_at(std::int64_t place, std::int64_t length, WordAt word_at) const {
        const std::int64_t at = place < 0 ? place + length : place - 1;
        if (at >= 0 && at < length) return apply(word_at(static_cast<std::size_t>(at)));
        return apply_outside(at < 0 ? at : at - length + 1);
    }

private:
    char32_t command_;
    bool lowers_;
    Pattern pattern_;
};

}  // namespace tagloom
