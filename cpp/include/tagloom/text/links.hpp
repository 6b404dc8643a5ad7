// Finds addresses in a run of characters without blanks: URLs, e-mail addresses, @mentions and #hashtags. Takes linear
// time: a search to the left stops at the end of the last address, or at a character that begins such a search.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "tagloom/text/breaks.hpp"

namespace tagloom {

struct Link {
    std::size_t begin, end;
};

class LinkFinder {
public:
    LinkFinder(std::span<const char32_t> chars, std::span<const Break> breaks) : chars_(chars), breaks_(breaks) {}

    // Appends the addresses from left to right.
    void find(std::vector<Link>& links) {
        for (std::size_t at = 0; at < chars_.size(); at = std::max(at + 1, done_)) {
            const Link link = find_at(at);
            if (link.begin == link.end) continue;
            links.push_back(link);
            done_ = link.end;
        }
    }

private:
    Link find_at(std::size_t at) const {
        switch (chars_[at]) {
            case U':':
                return matches(at + 1, "//") ? find_url(at) : Link{};
            case U'w':
            case U'W':
                return starts_host(at) ? extend_url(at, at + 4) : Link{};
            case U'/':
                return find_path(at);
            case U'@':
                return find_address(at);
            case U'#':
                return find_hashtag(at);
            default:
                return {};
        }
    }

    Link find_url(std::size_t colon) const {
        std::size_t begin = colon;
        while (begin > done_ && is_ascii_word(chars_[begin - 1])) --begin;
        return begin == colon ? Link{} : extend_url(begin, colon + 3);
    }

    bool starts_host(std::size_t at) const {
        return (at == done_ || !is_word(at - 1)) && (matches(at, "www.") || matches(at, "WWW."));
    }

    // A host without a scheme, such as example.org/path, is known by its last name.
    Link find_path(std::size_t slash) const {
        std::size_t begin = slash;
        while (begin > done_ && (is_ascii_word(chars_[begin - 1]) || is_any(chars_[begin - 1], ".-"))) --begin;
        while (begin < slash && !is_ascii_word(chars_[begin])) ++begin;
        static constexpr std::string_view names[] = {".com", ".org", ".net", ".edu", ".gov", ".info", ".uk", ".de",
                                                     ".fr",  ".eu",  ".ca",  ".au",  ".us",  ".io",   ".co", ".cn"};
        for (const std::string_view name : names)
            if (slash - begin > name.size() && matches(slash - name.size(), name)) return extend_url(begin, slash + 1);
        return {};
    }

    // The rest of a URL from `at` on; punctuation at its end belongs to the sentence, unless it closes a bracket within.
    Link extend_url(std::size_t begin, std::size_t at) const {
        std::size_t end = at;
        std::ptrdiff_t open = 0;
        for (; end < chars_.size() && !ends_url(end); ++end)
            open += is_any(chars_[end], "([") - is_any(chars_[end], ")]");
        for (; end > at; --end) {
            const char32_t last = chars_[end - 1];
            const bool closes = is_any(last, ")]");
            if (closes ? open >= 0 : !is_any(last, ".,;:!?'*([")) break;
            open += closes - is_any(last, "([");
        }
        return end > at || chars_[at - 1] == U'/' ? Link{begin, end} : Link{};
    }

    bool ends_url(std::size_t at) const {
        return chars_[at] < 0x80 ? is_any(chars_[at], "<>\"`{}|\\^") || chars_[at] < 0x20
                                 : has_flag(breaks_[at], Break::cjk) || !is_word(at);
    }

    // name@host, mailto: included, or @name.
    Link find_address(std::size_t sign) const {
        std::size_t begin = sign, end = sign + 1;
        while (begin > done_ && (is_word(begin - 1) || is_any(chars_[begin - 1], ".%+-"))) --begin;
        while (begin < sign && !is_word(begin)) ++begin;
        while (end < chars_.size() && (is_word(end) || is_any(chars_[end], ".-"))) ++end;
        while (end > sign + 1 && !is_word(end - 1)) --end;
        if (end == sign + 1 || !is_word(sign + 1)) return {};
        if (begin == sign) return is_number(breaks_[sign + 1]) ? Link{} : find_mention(sign);
        const bool mail = begin >= done_ + 7 && (matches(begin - 7, "mailto:") || matches(begin - 7, "MAILTO:"));
        return {mail ? begin - 7 : begin, end};
    }

    Link find_mention(std::size_t sign) const {
        std::size_t end = sign + 1;
        while (end < chars_.size() && is_word(end)) ++end;
        return {sign, end};
    }

    // "#1" is a number, not a hashtag.
    Link find_hashtag(std::size_t sign) const {
        std::size_t end = sign + 1;
        bool has_letter = false;
        for (; end < chars_.size() && is_word(end); ++end) has_letter |= has_flag(breaks_[end], Break::alphabetic);
        const bool inside = sign > done_ && is_word(sign - 1);
        return has_letter && !inside ? Link{sign, end} : Link{};
    }

    bool matches(std::size_t at, std::string_view text) const {
        return at + text.size() <= chars_.size()
               && std::equal(text.begin(), text.end(), chars_.begin() + static_cast<std::ptrdiff_t>(at),
                             [](char a, char32_t b) { return static_cast<char32_t>(a) == b; });
    }

    bool is_word(std::size_t at) const {
        const Break value = breaks_[at];
        return is_letter_or_number(value) || value.word == WordBreak::connector || value.word == WordBreak::extend
               || has_flag(value, Break::alphabetic);
    }

    static bool is_ascii_word(char32_t c) { return (c | 32) - U'a' < 26 || c - U'0' < 10; }
    static bool is_any(char32_t c, std::string_view set) {
        return c < 0x80 && set.find(static_cast<char>(c)) != std::string_view::npos;
    }

    std::span<const char32_t> chars_;
    std::span<const Break> breaks_;
    std::size_t done_ = 0;
};

}  // namespace tagloom
