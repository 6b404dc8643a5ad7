// Cuts a chunk, a run of characters without blanks, into tokens: words of UAX #29, with the word breaks of some characters
// changed for their place, and with marks, abbreviations and, for ptb, clitics treated on top.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "tagloom/text/abbreviations.hpp"
#include "tagloom/text/links.hpp"
#include "tagloom/text/word_breaks.hpp"

namespace tagloom {

struct Piece {
    std::size_t begin, end;                          // characters of the chunk
    Abbreviation abbreviation = Abbreviation::none;  // if the token keeps its dot
    bool emoticon = false;
};

// What follows a chunk in the text, up to the next blank line.
struct Following {
    bool upper = false, number = false, starter = false, nothing = false;
};

inline Following look_ahead(std::string_view text, std::size_t at) {
    int lines = 0;
    for (; at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'); ++at)
        lines += text[at] == '\n';
    if (at == text.size() || lines > 1) return {.nothing = true};
    const Break first = BreakTable::get()[decode_utf8(text, at).value];
    char word[Abbreviations::longest];
    std::size_t size = 0;
    for (; size < sizeof(word) && at + size < text.size(); ++size) {
        const auto lower = static_cast<unsigned char>(text[at + size] | 32);
        if (lower - unsigned{'a'} >= 26) break;
        word[size] = static_cast<char>(lower);
    }
    const bool upper = first.sentence == SentenceBreak::upper;
    return {upper, is_number(first), upper && Abbreviations::get().begins_sentences({word, size}), false};
}

class ChunkScanner {
public:
    explicit ChunkScanner(bool ptb) : ptb_(ptb) {}

    void clear() {
        chars_.clear();
        breaks_.clear();
    }
    void append(char32_t c, Break value) {
        chars_.push_back(c);
        breaks_.push_back(value);
    }
    std::span<const char32_t> chars() const { return chars_; }
    std::span<const Break> breaks() const { return breaks_; }

    // Returns the tokens of the chunk, which ends at `end` in the text and may begin a sentence.
    const std::vector<Piece>& scan(std::string_view text, std::size_t end, bool begins_sentence) {
        begins_sentence_ = begins_sentence;
        text_ = text;
        text_end_ = end;
        pieces_.clear();
        links_.clear();
        LinkFinder(chars_, breaks_).find(links_);
        tailor();
        std::size_t at = 0;
        for (const Link& link : links_) {
            scan_between(at, link.begin);
            pieces_.push_back({link.begin, link.end});
            at = link.end;
        }
        scan_between(at, chars_.size());
        return pieces_;
    }

    // Words that are two in the Penn Treebank; returns the length of the first, or 0.
    static std::size_t find_contraction(std::u32string_view lower) {
        for (const std::u32string_view word : {U"cannot", U"gonna", U"gotta", U"wanna", U"gimme", U"lemme"})
            if (lower == word) return 3;
        return 0;
    }

private:
    // Changes word breaks of characters for their place. Dots, hyphens and the like join or cut words here, not where
    // words are read, so that no word is read twice.
    void tailor() {
        std::size_t word = 0;     // 1 + place of the last character that is not ignored
        std::size_t letters = 0;  // letters up to here
        bool dotted = false;      // a dot that joins stands before these letters
        for (std::size_t i = 0; i < chars_.size(); ++i) {
            Break& here = breaks_[i];
            if (detail::is_ignored(here.word)) continue;
            const bool last = i + 1 == chars_.size();
            if (here.word == WordBreak::katakana) here.word = WordBreak::other;
            else if (word && !last && chars_[i] == U'.')
                dotted = tailor_dot(here, i, breaks_[word - 1], letters, dotted);
            else if (word && !last) tailor_mark(here, i, word - 1);
            else if (here.word == WordBreak::mid_letter) here.word = WordBreak::other;
            letters = is_letter(here) ? letters + 1 : 0;
            dotted &= letters > 0 || chars_[i] == U'.';
            word = i + 1;
        }
    }

    void tailor_mark(Break& here, std::size_t at, std::size_t before) {
        const Break left = breaks_[before], right = breaks_[at + 1];
        const bool numbers = is_number(left) && is_number(right);
        const bool words = is_letter_or_number(left) && is_letter_or_number(right);
        switch (chars_[at]) {
            case U':':
                here.word = numbers ? WordBreak::mid_number : WordBreak::other;
                break;
            case U'/':
                if (numbers) here.word = WordBreak::mid_number;
                else if (ptb_ && words) here.word = WordBreak::connector;
                break;
            case U'&':
                if (ptb_ && is_letter(left) && is_letter(right)) here.word = WordBreak::connector;
                break;
            case U'-':
            case U'‐':
            case U'‑':
                if (ptb_ && (words || (chars_[before] == U'.' && is_letter_or_number(right))))
                    here.word = WordBreak::connector;
                break;
            case U'\'':
            case U'’':
                if (ptb_ && numbers) here.word = WordBreak::other;                                   // 5'9
                if (ptb_ && is_number(left) && is_plural(at + 1)) here.word = WordBreak::connector;  // the 60's
                break;
            default:
                break;
        }
    }

    bool is_plural(std::size_t at) const {
        return (chars_[at] | 32) == U's' && (at + 1 == chars_.size() || !is_letter_or_number(breaks_[at + 1]));
    }

    // Does a dot between letters join them? In "the end.The next" a blank is missing, whereas example.org, U.S and
    // comp.sources.unix are words. Returns whether it does.
    bool tailor_dot(Break& here, std::size_t dot, Break left, std::size_t letters, bool dotted) const {
        std::size_t end = dot + 1;
        while (end < chars_.size() && is_letter(breaks_[end])) ++end;
        const std::size_t right = end - dot - 1;
        if (right == 0) return false;
        const bool known = is_file_or_host(dot + 1, end);
        if (is_number(left) && known) here.word = WordBreak::connector;  // 2001.doc
        if (letters == 0) return false;
        const bool dots = dotted || (end + 1 < chars_.size() && chars_[end] == U'.' && is_letter(breaks_[end + 1]));
        const bool joins =
            known || (ptb_ ? letters == 1 || (letters == 2 && right == 1) || dots : !begins_sentence_after(dot));
        if (!joins) here.word = WordBreak::other;
        return joins;
    }

    bool begins_sentence_after(std::size_t dot) const {
        const auto is = [&](std::size_t at, SentenceBreak value) { return breaks_[at].sentence == value; };
        return dot >= 2 && dot + 2 < chars_.size() && is(dot - 2, SentenceBreak::lower)
               && is(dot - 1, SentenceBreak::lower) && is(dot + 1, SentenceBreak::upper)
               && is(dot + 2, SentenceBreak::lower);
    }

    bool is_file_or_host(std::size_t begin, std::size_t end) const {
        static constexpr std::string_view names[] = {
            "com", "org", "net", "edu", "gov", "mil", "info", "biz",  "uk",  "eu",  "ca",  "au",   "cn",  "jp",
            "ru",  "nl",  "io",  "doc", "xls", "ppt", "docx", "xlsx", "pdf", "txt", "htm", "html", "jpg", "jpeg",
            "png", "gif", "zip", "exe", "url", "mp3", "xml",  "csv",  "php", "asp", "py",  "js",   "css",
        };
        return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
            return name.size() == end - begin && matches_lower(begin, name);
        });
    }

    bool matches_lower(std::size_t at, std::string_view text) const {
        for (std::size_t i = 0; i < text.size(); ++i)
            if (to_lower(chars_[at + i]) != static_cast<char32_t>(text[i])) return false;
        return true;
    }

    void scan_between(std::size_t at, std::size_t limit) {
        limit_ = limit;
        while (at < limit) at = starts_word(at) ? scan_word(at, at) : scan_mark(at);
    }

    std::span<const Break> within() const { return std::span<const Break>(breaks_).first(limit_); }

    bool starts_word(std::size_t at) const {
        if (breaks_[at].word == WordBreak::connector) return !is_any(chars_[at], "-/&") && chars_[at] / 2 != 0x2010 / 2;
        return is_letter_or_number(breaks_[at]);
    }

    // A word from `at` on; the token begins at `begin`, where a sign may stand.
    std::size_t scan_word(std::size_t begin, std::size_t at) {
        std::size_t end = find_word_end(within(), at);
        Abbreviation kind = Abbreviation::none;
        while (is(end, U'.') && (kind = classify_dot(begin, end)) != Abbreviation::none) {
            ++end;
            if (end == limit_ || breaks_[end].word != WordBreak::connector) break;
            end = find_word_end(within(), end);  // U.S.-led
            kind = Abbreviation::none;
        }
        if (is_c_plus_plus(begin, end)) end += 2;
        if (ptb_ && is(end, U'$') && is_currency(begin, end)) ++end;  // US$
        if (kind != Abbreviation::none || !ptb_) pieces_.push_back({begin, end, kind});
        else cut_clitics(begin, end);
        return end;
    }

    bool is(std::size_t at, char32_t c) const { return at < limit_ && chars_[at] == c; }

    bool is_c_plus_plus(std::size_t begin, std::size_t end) const {
        return end - begin == 1 && (chars_[begin] | 32) == U'c' && is(end, U'+') && is(end + 1, U'+')
               && !is(end + 2, U'+');
    }

    bool is_currency(std::size_t begin, std::size_t end) const {
        return end - begin <= 3
               && std::all_of(chars_.begin() + static_cast<std::ptrdiff_t>(begin),
                              chars_.begin() + static_cast<std::ptrdiff_t>(end),
                              [](char32_t c) { return c - U'A' < 26; });
    }

    // Does the word keep the dot behind it?
    Abbreviation classify_dot(std::size_t begin, std::size_t dot) const {
        const std::size_t size = dot - begin;
        if (size > 12) return Abbreviation::none;
        if (is(dot + 1, U'.') && is(dot + 2, U'.')) return Abbreviation::none;  // an ellipsis
        if (size == 1 && breaks_[begin].sentence == SentenceBreak::upper) return classify_initial(begin);
        if (ptb_ && is_number(breaks_[begin])) return classify_numbering(begin, dot);
        char word[Abbreviations::longest];
        bool dotted = false;
        for (std::size_t i = 0; i < size; ++i) {
            const char32_t lower = to_lower(chars_[begin + i]);
            dotted |= lower == U'.';
            if (lower != U'.' && !has_flag(breaks_[begin + i], Break::alphabetic)) return Abbreviation::none;
            if (i < sizeof(word)) word[i] = lower < 0x80 ? static_cast<char>(lower) : '?';
        }
        if (!dotted && size > sizeof(word)) return Abbreviation::none;
        const std::string_view lower(word, std::min(size, sizeof(word)));
        const bool capital = breaks_[begin].sentence == SentenceBreak::upper;
        const Abbreviation kind =
            dotted ? classify_dotted(begin, dot, lower) : Abbreviations::get().find(lower, capital);
        if (kind == Abbreviation::none || kind == Abbreviation::title || dot + 1 < chars_.size())
            return kind == Abbreviation::numbered ? Abbreviation::none : kind;
        const Following next = look_ahead(text_, text_end_);
        if (kind == Abbreviation::numbered) return next.number ? Abbreviation::title : Abbreviation::none;
        // In treebanks the dot that ends a sentence is a token, and the abbreviation goes without.
        const bool alone = begins_sentence_ && begin == 0;
        const bool ends = next.starter || next.nothing || (lower == "etc" && next.upper);
        return ptb_ && !alone && ends ? Abbreviation::none : kind;
    }

    // "J. Smith", but not "and I. Then"; "Vitamin B. The".
    Abbreviation classify_initial(std::size_t begin) const {
        if (begin + 2 < chars_.size()) return chars_[begin + 2] == U',' ? Abbreviation::title : Abbreviation::none;
        if (chars_[begin] == U'I' && begin == 0) return Abbreviation::none;
        const Following next = look_ahead(text_, text_end_);
        const bool alone = begins_sentence_ && begin == 0 && next.nothing;
        return alone || (next.upper && !next.starter) ? Abbreviation::title : Abbreviation::none;
    }

    // "2." with nothing else in its paragraph: the number of an item.
    Abbreviation classify_numbering(std::size_t begin, std::size_t dot) const {
        const bool alone = begins_sentence_ && begin == 0 && dot + 1 == chars_.size();
        return alone && look_ahead(text_, text_end_).nothing ? Abbreviation::title : Abbreviation::none;
    }

    // Short parts between dots: U.S., a.m., Ph.D., z.B.
    Abbreviation classify_dotted(std::size_t begin, std::size_t dot, std::string_view word) const {
        std::size_t part = 0;
        for (std::size_t i = begin; i < dot; ++i) {
            part = chars_[i] == U'.' ? 0 : part + 1;
            if (part > 2) return Abbreviation::none;
        }
        for (const std::string_view phrase : {"e.g", "i.e", "z.b", "d.h", "u.a", "p.ex", "i.d.r", "c.f"})
            if (word == phrase) return Abbreviation::title;
        return Abbreviation::word;
    }

    // n't and words behind an apostrophe are tokens of their own; "shouldn't've" has two of them.
    void cut_clitics(std::size_t begin, std::size_t end) {
        const std::size_t first = pieces_.size();
        std::size_t rest = end;
        while (const std::size_t cut = find_clitic(begin, rest)) {
            pieces_.push_back({cut, rest});
            rest = cut;
        }
        pieces_.push_back({begin, rest});
        std::reverse(pieces_.begin() + static_cast<std::ptrdiff_t>(first), pieces_.end());
    }

    // Returns where the last part of the word begins, or 0 if it is one word.
    std::size_t find_clitic(std::size_t begin, std::size_t end) const {
        const std::size_t size = end - begin;
        const auto lower = [&](std::size_t back) { return to_lower(chars_[end - back]); };
        const auto apostrophe = [&](std::size_t back) { return is_apostrophe(chars_[end - back]); };
        if (size > 3 && apostrophe(2) && lower(1) == U't' && lower(3) == U'n') return end - 3;
        if (size > 2 && apostrophe(2) && (lower(1) == U's' || lower(1) == U'm' || lower(1) == U'd'))
            return is_number(breaks_[end - 3]) ? 0 : end - 2;
        if (size > 3 && apostrophe(3)) {
            const char32_t a = lower(2), b = lower(1);
            if ((a == U'r' && b == U'e') || (a == U'v' && b == U'e') || (a == U'l' && b == U'l')) return end - 3;
        }
        if (size > 2 && lower(1) == U'm' && (lower(2) == U'a' || lower(2) == U'p') && is_number(breaks_[end - 3]))
            return end - 2;
        if (size == 5 || size == 6) {
            char32_t word[6];
            for (std::size_t i = 0; i < size; ++i) word[i] = to_lower(chars_[begin + i]);
            if (const std::size_t cut = find_contraction({word, size})) return begin + cut;
        }
        return 0;
    }

    static bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'’'; }

    std::size_t scan_mark(std::size_t at) {
        if (const std::size_t end = find_emoticon(at)) {
            pieces_.push_back({at, end, Abbreviation::none, true});
            return end;
        }
        if (starts_number(at)) return scan_word(at, at + 1);
        if (ptb_ && is_apostrophe(chars_[at])) {
            if (const std::size_t end = find_apostrophe_word(at)) {
                pieces_.push_back({at, end});
                return end;
            }
        }
        std::size_t end = find_run(at);
        if (end == at + 1) end = find_word_end(within(), at);
        pieces_.push_back({at, end});
        return end;
    }

    // .5; for ptb also +44 and -5.
    bool starts_number(std::size_t at) const {
        if (at + 1 >= limit_ || !is_number(breaks_[at + 1])) return false;
        if (at && !has_flag(breaks_[at - 1], Break::opening) && chars_[at - 1] != U'$') return false;
        return chars_[at] == U'.' || (ptb_ && (chars_[at] == U'+' || chars_[at] == U'-'));
    }

    // 's behind a token that is no word (U.S.'s); 'em, 'til and '90s at the beginning.
    std::size_t find_apostrophe_word(std::size_t at) const {
        if (at + 1 >= limit_ || !is_letter_or_number(breaks_[at + 1])) return 0;
        const std::size_t end = find_word_end(within(), at + 1), size = end - at - 1;
        if (size > 5) return 0;
        char32_t word[5];
        for (std::size_t i = 0; i < size; ++i) word[i] = to_lower(chars_[at + 1 + i]);
        const std::u32string_view text(word, size);
        const auto among = [&](std::initializer_list<std::u32string_view> list) {
            return std::find(list.begin(), list.end(), text) != list.end();
        };
        if (at) return among({U"s", U"re", U"ve", U"ll", U"d", U"m"}) ? end : 0;
        if (among({U"s", U"re", U"ve", U"ll", U"d", U"m", U"em", U"til", U"cause", U"bout", U"n"})) return end;
        if (among({U"tis", U"twas"})) return at + 2;
        const bool year = size >= 2 && is_number(breaks_[at + 1]) && is_number(breaks_[at + 2]);
        return year && (size == 2 || (size == 3 && text[2] == U's')) ? end : 0;
    }

    // Marks that are repeated are one token: "...", "?!", "--", "——". Brackets and quotes are not.
    std::size_t find_run(std::size_t at) const {
        const char32_t c = chars_[at];
        std::size_t end = at + 1;
        if (c == U'!' || c == U'?') {
            while (is(end, U'!') || is(end, U'?')) ++end;
            return end;
        }
        if (c == U'.' || c == U'…') {
            while (is(end, U'.') || is(end, U'…')) ++end;
            return end;
        }
        if (!can_repeat(at)) return end;
        while (is(end, c)) ++end;
        return end;
    }

    bool can_repeat(std::size_t at) const {
        const Break value = breaks_[at];
        if (value.sentence == SentenceBreak::close) return is_apostrophe(chars_[at]);
        return !(value.flags & (Break::alphabetic | Break::cjk | Break::pictographic))
               && value.word != WordBreak::regional && !detail::is_ignored(value.word);
    }

    std::size_t find_emoticon(std::size_t at) const {
        static constexpr std::u32string_view shapes[] = {
            U":-)", U":-(", U":-D", U":-P", U":-p", U":-/", U";-)", U":')", U":'(", U"^_^", U"-_-", U":)", U":(", U":D",
            U":P",  U":p",  U":/",  U":|",  U";)",  U";(",  U";P",  U"=)",  U"=(",  U"=D",  U"<3",  U"(:", U"(;"};
        if (chars_[at] >= 0x80 || !is_any(chars_[at], ":;=<^-(")) return 0;
        for (const std::u32string_view shape : shapes) {
            if (at + shape.size() > limit_
                || !std::equal(shape.begin(), shape.end(), chars_.begin() + static_cast<std::ptrdiff_t>(at)))
                continue;
            const std::size_t end = at + shape.size();
            const bool word = end < chars_.size() && (is_letter_or_number(breaks_[end]) || chars_[end] == U'/');
            const bool inside = at > 0 && is_letter_or_number(breaks_[at - 1]);
            const bool strict = shape.back() != U')' && shape.back() != U'(';
            return word || (inside && strict) ? 0 : end;
        }
        return 0;
    }

    static bool is_any(char32_t c, std::string_view set) {
        return c < 0x80 && set.find(static_cast<char>(c)) != std::string_view::npos;
    }

    bool ptb_;
    std::vector<char32_t> chars_;
    std::vector<Break> breaks_;
    std::vector<Link> links_;
    std::vector<Piece> pieces_;
    std::size_t limit_ = 0;  // the next address, or the end
    std::string_view text_;
    std::size_t text_end_ = 0;
    bool begins_sentence_ = false;
};

}  // namespace tagloom
