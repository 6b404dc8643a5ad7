// Cuts text into tokens and sentences by rules that have names (docs/text.md):
//   unicode     words of UAX #29; CJK by character; addresses, abbreviations, emoji and runs of marks whole
//   ptb         conventions of the Penn Treebank for English: clitics apart, hyphens inside words
//   whitespace  tokens between blanks, one sentence per line
//   character   one token per character, one sentence per line
//
// No token contains a blank, so that a text is read chunk by chunk: a chunk is a run of characters without blanks. Every
// character of a chunk is looked at a bounded number of times: time is linear in the length of the text.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "tagloom/text/chunk_scanner.hpp"
#include "tagloom/text/sentence_breaks.hpp"
#include "tagloom/text/strings.hpp"

namespace tagloom {

enum class TokenRules { unicode, ptb, whitespace, character };

inline std::optional<TokenRules> find_token_rules(std::string_view name) noexcept {
    if (name == "unicode") return TokenRules::unicode;
    if (name == "ptb") return TokenRules::ptb;
    if (name == "whitespace") return TokenRules::whitespace;
    if (name == "character") return TokenRules::character;
    return std::nullopt;
}

// The tokens of a text: numbers of the forms in a string table, offsets in code points, offsets of the sentences [S + 1].
struct TokenizedText {
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> starts, ends, sentences;

    void reserve(std::size_t tokens) {
        codes.reserve(tokens);
        starts.reserve(tokens);
        ends.reserve(tokens);
    }
    void append(std::int32_t code, std::int64_t start, std::int64_t end) {
        codes.push_back(code);
        starts.push_back(start);
        ends.push_back(end);
    }
};

// Only \n ends a line, as for the readers of corpora. The text must be valid UTF-8.
inline TokenizedText split_lines(std::string_view text, bool by_character, StringTable& forms) {
    const BreakTable& table = BreakTable::get();
    TokenizedText tokens;
    tokens.reserve(text.size() / (by_character ? 3 : 6));
    tokens.sentences.push_back(0);
    const auto count = [&] { return static_cast<std::int64_t>(tokens.codes.size()); };
    const auto end_sentence = [&] {
        if (count() > tokens.sentences.back()) tokens.sentences.push_back(count());
    };
    std::size_t at = 0, begin = 0;
    std::int64_t point = 0, start = 0;
    std::array<std::int32_t, 128>
        letters;  // codes of tokens of one ASCII character, which are most of them by character
    letters.fill(StringTable::none);
    const auto get_code = [&](std::string_view form) {
        const auto first = static_cast<unsigned char>(form[0]);
        if (form.size() > 1 || first >= letters.size()) return forms.intern(form);
        if (letters[first] == StringTable::none) letters[first] = forms.intern(form);
        return letters[first];
    };
    const auto end_token = [&] {
        if (at > begin) tokens.append(get_code(text.substr(begin, at - begin)), start, point);
    };
    while (at < text.size()) {
        const CodePoint c = decode_utf8(text, at);
        const bool blank = is_blank(table[c.value]);
        if (blank || by_character) {
            end_token();
            begin = blank ? at + c.length : at;
            start = blank ? point + 1 : point;
        }
        at += c.length;
        ++point;
        if (c.value == U'\n') end_sentence();
    }
    end_token();
    end_sentence();
    return tokens;
}

class RuleTokenizer {
public:
    RuleTokenizer(bool ptb, StringTable& forms) : ptb_(ptb), forms_(forms), scanner_(ptb) {}

    // The text must be valid UTF-8.
    TokenizedText run(std::string_view text) {
        text_ = text;
        tokens_.reserve(text.size() / 5);
        for (skip_blanks(); at_ < text_.size(); skip_blanks())
            if (!read_letters()) read_chunk();
        tokens_.sentences = splitter_.take();
        return std::move(tokens_);
    }

private:
    // Counts line breaks: \n, \r\n, \r, and those of Unicode; U+2029 ends a paragraph.
    void skip_blanks() {
        lines_ = 0;
        bool after_return = false;
        for (; at_ < text_.size(); ++point_) {
            const CodePoint c = decode_utf8(text_, at_);
            const Break value = table_[c.value];
            if (!is_blank(value)) return;
            if (value.sentence == SentenceBreak::separator && !(after_return && c.value == U'\n'))
                lines_ += c.value == U'\u2029' ? 2 : 1;
            after_return = c.value == U'\r';
            at_ += c.length;
        }
    }

    // Most chunks are words of ASCII letters inside a sentence: these need no rules.
    bool read_letters() {
        if (lines_ > 1 || !splitter_.is_inside()) return false;
        std::size_t end = at_;
        while (end < text_.size() && (static_cast<unsigned char>(text_[end]) | 32U) - unsigned{'a'} < 26) ++end;
        const std::size_t size = end - at_;
        if (size == 0 || (end < text_.size() && text_[end] != ' ' && text_[end] != '\n')) return false;
        if (ptb_ && (size == 5 || size == 6)) return false;  // may be a contraction
        append(end, static_cast<std::int64_t>(size));
        splitter_.add_word(size);
        return true;
    }

    void read_chunk() {
        scanner_.clear();
        std::size_t end = at_;
        while (end < text_.size()) {
            const CodePoint c = decode_utf8(text_, end);
            const Break value = table_[c.value];
            if (is_blank(value)) break;
            scanner_.append(c.value, value);
            end += c.length;
        }
        const auto& pieces = scanner_.scan(text_, end, lines_ > 1 || splitter_.is_at_start());
        for (const Piece& piece : pieces) {
            const auto chars = scanner_.chars().subspan(piece.begin, piece.end - piece.begin);
            const bool first = piece.begin == 0, last = piece.end == scanner_.chars().size();
            splitter_.add({chars, scanner_.breaks().subspan(piece.begin, chars.size()), first ? lines_ : 0, first, last,
                           piece.emoticon, piece.abbreviation});
            std::size_t bytes = at_;
            for (const char32_t c : chars) bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            append(bytes, static_cast<std::int64_t>(chars.size()));
        }
    }

    void append(std::size_t end, std::int64_t size) {
        tokens_.append(forms_.intern(text_.substr(at_, end - at_)), point_, point_ + size);
        at_ = end;
        point_ += size;
    }

    bool ptb_;
    StringTable& forms_;
    const BreakTable& table_ = BreakTable::get();
    ChunkScanner scanner_;
    SentenceSplitter splitter_;
    TokenizedText tokens_;
    std::string_view text_;
    std::size_t at_ = 0;      // bytes
    std::int64_t point_ = 0;  // code points
    int lines_ = 0;           // line breaks since the last chunk
};

inline TokenizedText tokenize(std::string_view text, TokenRules rules, StringTable& forms) {
    if (rules == TokenRules::whitespace || rules == TokenRules::character)
        return split_lines(text, rules == TokenRules::character, forms);
    return RuleTokenizer(rules == TokenRules::ptb, forms).run(text);
}

}  // namespace tagloom
