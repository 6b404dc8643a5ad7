// Attributes of the word type: functions from a word to zero, one or several strings. An attribute is registered by one
// row of `attribute_table`: its name, whether a number follows it (prefix3), the function, its help line, and whether it
// tells which word it is, rather than what kind of word.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tagloom/text/unicode.hpp"

namespace tagloom {

// Receives the values of an attribute; the view is valid during the call only.
using Values = std::vector<std::string>;

// The results of one pass over the characters of a word.
struct CharCounts {
    std::size_t length = 0, upper = 0, lower = 0, letter = 0, digit = 0, punctuation = 0;
    bool starts_upper = false, starts_lower = false, ends_period = false, dash = false, slash = false, comma = false,
         period = false;

    explicit CharCounts(std::string_view word) {
        for_each_char(word, [this](char32_t c, std::string_view) { take(c); });
    }
    std::size_t letters() const { return upper + lower + letter; }

private:
    void take(char32_t c) {
        const CharClass kind = char_class(c);
        upper += kind == CharClass::upper;
        lower += kind == CharClass::lower;
        letter += kind == CharClass::letter;
        digit += kind == CharClass::digit;
        punctuation += kind == CharClass::punctuation;
        if (length++ == 0) starts_upper = kind == CharClass::upper, starts_lower = kind == CharClass::lower;
        ends_period = c == U'.';
        dash |= c == U'-', slash |= c == U'/', comma |= c == U',', period |= c == U'.';
    }
};

namespace attribute {

inline std::vector<std::size_t> char_starts(std::string_view word) {
    std::vector<std::size_t> starts;
    for_each_char(word, [&](char32_t, std::string_view bytes) {
        starts.push_back(static_cast<std::size_t>(bytes.data() - word.data()));
    });
    starts.push_back(word.size());
    return starts;
}

inline void form(std::string_view word, std::size_t, Values& out) { out.emplace_back(word); }

inline void lower(std::string_view word, std::size_t, Values& out) { append_lower(out.emplace_back(), word); }

// Words shorter than n characters have no value.
inline void prefix(std::string_view word, std::size_t n, Values& out) {
    const auto starts = char_starts(word);
    if (n < starts.size()) out.emplace_back(word.substr(0, starts[n]));
}

inline void suffix(std::string_view word, std::size_t n, Values& out) {
    const auto starts = char_starts(word);
    if (n < starts.size()) out.emplace_back(word.substr(starts[starts.size() - 1 - n]));
}

inline void ngram(std::string_view word, std::size_t n, Values& out) {
    const auto starts = char_starts(word);
    for (std::size_t i = 0; i + n < starts.size(); ++i) {
        const std::string_view gram = word.substr(starts[i], starts[i + n] - starts[i]);
        if (std::find(out.begin(), out.end(), gram) == out.end()) out.emplace_back(gram);
    }
}

inline void append_shape(std::string& out, char32_t c, std::string_view bytes) {
    switch (char_class(c)) {
        case CharClass::upper:
            out += 'A';
            break;
        case CharClass::lower:
            out += 'a';
            break;
        case CharClass::letter:
            out += 'x';
            break;
        case CharClass::digit:
            out += '0';
            break;
        default:
            out += bytes;
    }
}

inline void shape(std::string_view word, std::size_t, Values& out) {
    std::string& text = out.emplace_back();
    for_each_char(word, [&](char32_t c, std::string_view bytes) { append_shape(text, c, bytes); });
}

inline void short_shape(std::string_view word, std::size_t, Values& out) {
    std::string& text = out.emplace_back();
    std::string last, next;
    for_each_char(word, [&](char32_t c, std::string_view bytes) {
        next.clear();
        append_shape(next, c, bytes);
        if (next != last) text += next;
        last.swap(next);
    });
}

// Settles 2004: the same, with every character that is neither a letter nor a digit as a dash.
inline void brief_shape(std::string_view word, std::size_t, Values& out) {
    std::string& text = out.emplace_back();
    std::string next;
    for_each_char(word, [&](char32_t c, std::string_view) {
        next.clear();
        append_shape(next, c, "-");
        if (text.empty() || text.back() != next[0]) text += next;
    });
}

inline void first_shape(std::string_view word, std::size_t, Values& out) {
    const auto starts = char_starts(word);
    if (starts.size() > 1) shape(word.substr(0, starts[1]), 0, out);
}

inline void starts_lower(std::string_view word, std::size_t, Values& out) {
    out.emplace_back(CharCounts(word).starts_lower ? "1" : "0");
}

// The value is the same for all words; with an offset it tells only whether there is a token.
inline void inside(std::string_view, std::size_t, Values& out) { out.emplace_back("yes"); }

inline void case_class(std::string_view word, std::size_t, Values& out) {
    const CharCounts n(word);
    if (n.upper + n.lower == 0) out.emplace_back("none");
    else if (n.upper == 0) out.emplace_back("lower");
    else if (n.upper == 1 && n.starts_upper) out.emplace_back("title");
    else if (n.lower == 0) out.emplace_back("upper");
    else out.emplace_back("mixed");
}

inline void digit_class(std::string_view word, std::size_t, Values& out) {
    const CharCounts n(word);
    if (n.digit == 0) out.emplace_back("none");
    else if (n.digit == n.length) out.emplace_back("all");
    else if (n.letters() > 0) out.emplace_back("letters");
    else out.emplace_back("marks");
}

// Bikel, Schwartz & Weischedel 1999, Table 1: the value is the first line that fits.
inline void bikel(std::string_view word, std::size_t, Values& out) {
    const CharCounts n(word);
    const bool digits_only = n.digit == n.length;
    out.emplace_back(n.digit == 2 && digits_only                                        ? "2d"
                     : n.digit == 4 && digits_only                                      ? "4d"
                     : n.digit > 0 && n.letters() > 0                                   ? "d&a"
                     : n.digit > 0 && n.dash                                            ? "d&-"
                     : n.digit > 0 && n.slash                                           ? "d&/"
                     : n.digit > 0 && n.comma                                           ? "d&,"
                     : n.digit > 0 && n.period                                          ? "d&."
                     : n.digit > 0                                                      ? "n"
                     : n.length == 2 && n.upper == 1 && n.starts_upper && n.ends_period ? "cp"
                     : n.upper > 0 && n.upper == n.length                               ? "ac"
                     : n.starts_upper                                                   ? "ic"
                     : n.lower > 0 && n.lower == n.length                               ? "l"
                                                                                        : "other");
}

// The same forms as used by Kazama & Torisawa 2007, Table 1: every form that holds is a value; n is a number of no
// other form.
inline void word_form(std::string_view word, std::size_t, Values& out) {
    const CharCounts n(word);
    const auto add = [&](bool holds, const char* name) {
        if (holds) out.emplace_back(name);
    };
    if (n.digit > 0) {
        const bool digits_only = n.digit == n.length;
        add(digits_only && n.digit == 2, "2d");
        add(digits_only && n.digit == 4, "4d");
        add(n.letters() > 0, "d&a");
        add(n.dash, "d&-");
        add(n.slash, "d&/");
        add(n.comma, "d&,");
        add(n.period, "d&.");
        add(out.empty(), "n");
    }
    add(n.starts_upper, "ic");
    add(n.upper > 0 && n.upper == n.length, "ac");
    add(n.lower > 0 && n.lower == n.length, "l");
    add(n.length == 2 && n.starts_upper && n.ends_period, "cp");
}

inline void normal(std::string_view word, std::size_t, Values& out) {
    std::string& text = out.emplace_back();
    for_each_char(word, [&](char32_t c, std::string_view) {
        if (char_class(c) == CharClass::digit) text += '0';
        else append_utf8(text, to_lower(c));
    });
}

inline void length(std::string_view word, std::size_t, Values& out) {
    out.push_back(std::to_string(char_starts(word).size() - 1));
}

inline void hyphen(std::string_view word, std::size_t, Values& out) {
    if (CharCounts(word).dash) out.emplace_back("yes");
}

inline void digit(std::string_view word, std::size_t, Values& out) {
    if (CharCounts(word).digit > 0) out.emplace_back("yes");
}

inline void capital(std::string_view word, std::size_t, Values& out) {
    if (CharCounts(word).upper > 0) out.emplace_back("yes");
}

inline void punctuation(std::string_view word, std::size_t, Values& out) {
    const CharCounts n(word);
    if (n.length > 0 && n.punctuation == n.length) out.emplace_back("yes");
}

// He & Wang 2012, Table 2: the kind of a character. Chinese characters are words; letters are the characters that have
// a case.
inline void char_kind(std::string_view word, std::size_t, Values& out) {
    const CharCounts n(word);
    out.emplace_back(n.length == 0                   ? "word"
                     : n.digit == n.length           ? "digit"
                     : n.upper + n.lower == n.length ? "letter"
                     : n.punctuation == n.length     ? "punctuation"
                                                     : "word");
}

// Whether the word is a Roman numeral up to 3999: I, V, X, L, C, D, M in their order.
inline bool is_roman(std::string_view word) {
    constexpr std::string_view digits[4][9] = {{"M", "MM", "MMM"},
                                               {"C", "CC", "CCC", "CD", "D", "DC", "DCC", "DCCC", "CM"},
                                               {"X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"},
                                               {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}};
    std::size_t at = 0;
    for (const auto& place : digits) {
        std::size_t longest = 0;
        for (const std::string_view digit : place)
            if (word.substr(at, digit.size()) == digit) longest = std::max(longest, digit.size());
        at += longest;
    }
    return at > 0 && at == word.size();
}

// Counts the capitals of a word like U.S. or U.N, where a dot follows each (the last may lack it); 0 for other words.
inline std::size_t dotted_capitals(std::string_view word) {
    std::size_t capitals = 0;
    bool is_capital = false, fits = true;
    for_each_char(word, [&](char32_t c, std::string_view) {
        if (is_capital) fits &= c == U'.', is_capital = false;
        else fits &= is_capital = char_class(c) == CharClass::upper, ++capitals;
    });
    return fits ? capitals : 0;
}

inline bool is_url(std::string_view word) {
    std::string lowered;
    append_lower(lowered, word);
    return lowered.find("://") != std::string::npos || lowered.starts_with("www.");
}

// Carreras, Marquez & Padro 2003, section 4: every flag that holds is a value.
inline void orthographic(std::string_view word, std::size_t, Values& out) {
    const CharCounts n(word);
    const std::size_t dotted = dotted_capitals(word);
    const auto add = [&](bool holds, const char* name) {
        if (holds) out.emplace_back(name);
    };
    add(n.starts_upper, "initial-caps");
    add(n.upper > 0 && n.lower == 0, "all-caps");
    add(n.digit > 0, "contains-digits");
    add(n.digit > 0 && n.digit == n.length, "all-digits");
    add(n.digit > 0 && n.letters() > 0 && n.digit + n.letters() == n.length, "alphanumeric");
    add(is_roman(word), "roman-number");
    add(n.period, "contains-dots");
    add(n.dash, "contains-hyphen");
    add(dotted > 1, "acronym");
    add(dotted == 1 && n.ends_period, "lonely-initial");
    add(n.length > 0 && n.punctuation == n.length, "punctuation-mark");
    add(n.length == 1, "single-char");
    add(is_url(word), "url");
}

// The type of a word in patterns of types, as one character (the same section); functional words are known from a list.
inline char type_of(std::string_view word) {
    const CharCounts n(word);
    bool quotes = n.length > 0;
    for_each_char(word, [&](char32_t c, std::string_view) {
        quotes &= c == U'\'' || c == U'"' || c == U'`' || (c >= U'\u2018' && c <= U'\u201F') || c == U'\u00AB'
                  || c == U'\u00BB';
    });
    if (quotes) return '\'';
    if (n.length > 0 && n.punctuation == n.length) return '.';
    if (n.starts_upper) return 'C';
    return n.starts_lower && n.upper == 0 ? 'l' : 'x';
}
inline void word_type(std::string_view word, std::size_t, Values& out) { out.emplace_back(1, type_of(word)); }

}  // namespace attribute

struct AttributeFunction {
    std::string_view name;
    bool numbered;
    void (*compute)(std::string_view word, std::size_t n, Values& out);
    std::string_view help;
    bool lexical = false;
};

inline constexpr std::array attribute_table{
    AttributeFunction{"form", false, attribute::form, "the word itself", true},
    AttributeFunction{"lower", false, attribute::lower, "lower-cased, character by character", true},
    AttributeFunction{"normal", false, attribute::normal, "lower-cased, every digit as 0", true},
    AttributeFunction{"prefix", true, attribute::prefix, "first n characters; none if the word is shorter", true},
    AttributeFunction{"suffix", true, attribute::suffix, "last n characters; none if the word is shorter", true},
    AttributeFunction{"ngram", true, attribute::ngram, "every run of n characters", true},
    AttributeFunction{"shape", false, attribute::shape, "upper A, lower a, digit 0, other letters x, others unchanged"},
    AttributeFunction{"short_shape", false, attribute::short_shape, "shape with repeats collapsed"},
    AttributeFunction{"brief_shape", false, attribute::brief_shape, "short_shape with every mark as -"},
    AttributeFunction{"first_shape", false, attribute::first_shape, "shape of the first character"},
    AttributeFunction{"starts_lower", false, attribute::starts_lower,
                      "1 if the word begins with a lower-case letter, else 0"},
    AttributeFunction{"inside", false, attribute::inside,
                      "always yes, so inside[-1] tells whether a token begins the sentence"},
    AttributeFunction{"case", false, attribute::case_class, "lower, title, upper, mixed or none"},
    AttributeFunction{"digits", false, attribute::digit_class, "all, letters (digits and letters), marks or none"},
    AttributeFunction{"bikel", false, attribute::bikel, "word forms of Bikel et al. 1999: 2d 4d d&a ... ic ac l cp"},
    AttributeFunction{"word_form", false, attribute::word_form, "all forms of bikel that hold: A-1 is d&a, d&- and ic"},
    AttributeFunction{"length", false, attribute::length, "number of characters"},
    AttributeFunction{"hyphen", false, attribute::hyphen, "yes if the word contains a hyphen, else none"},
    AttributeFunction{"digit", false, attribute::digit, "yes if the word contains a digit, else none"},
    AttributeFunction{"capital", false, attribute::capital, "yes if the word contains a capital letter, else none"},
    AttributeFunction{"punctuation", false, attribute::punctuation, "yes if all characters are marks, else none"},
    AttributeFunction{"char_kind", false, attribute::char_kind,
                      "digit, letter (Latin ...), punctuation, or word (Chinese, mixed)"},
    AttributeFunction{"orthographic", false, attribute::orthographic,
                      "flags of Carreras et al. 2003 that hold: initial-caps, all-digits, acronym ..."},
    AttributeFunction{"word_type", false, attribute::word_type,
                      "C capitalised, l lower-cased, . mark, ' quote, x other; f functional, if known"},
};

inline const AttributeFunction* find_attribute(std::string_view name) noexcept {
    for (const AttributeFunction& row : attribute_table)
        if (row.name == name) return &row;
    return nullptr;
}

}  // namespace tagloom
