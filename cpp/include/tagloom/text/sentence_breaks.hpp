// Sentence boundaries of UAX #29 over tokens, with abbreviations. Differences from the default rules: a blank line ends a
// sentence and a single line break does so only after a final mark; a dot inside a token (3.5, U.S., example.org) ends
// nothing; after an abbreviation only a usual first word begins a sentence; a number may begin one (against SB8).
#pragma once

#include <span>
#include <vector>

#include "tagloom/text/abbreviations.hpp"
#include "tagloom/text/breaks.hpp"

namespace tagloom {

// What the splitter sees of a token.
struct TokenView {
    std::span<const char32_t> chars;
    std::span<const Break> breaks;
    int lines_before = 0;       // line breaks since the token before
    bool blank_before = false;  // any blank since the token before
    bool blank_after = false;
    bool emoticon = false;
    Abbreviation abbreviation = Abbreviation::none;  // if the token keeps its dot
};

class SentenceSplitter {
public:
    // Takes the next token of the text.
    void add(const TokenView& token) {
        if (token.lines_before > 1) cut(count_);
        else if (state_ != State::inside && decide(token)) return finish(token);
        enter(token);
        finish(token);
    }

    bool is_at_start() const noexcept { return count_ == offsets_.back(); }
    bool is_inside() const noexcept { return state_ == State::inside; }

    // Takes a word of `size` letters when is_inside().
    void add_word(std::size_t size) noexcept {
        last_is_short_ = size == 1;
        ++count_;
    }

    // Returns the offsets of the sentences [S + 1].
    std::vector<std::int64_t> take() {
        cut(count_);
        return std::move(offsets_);
    }

private:
    enum class State : std::uint8_t { inside, after_abbreviation, after_dot, after_stop };
    static constexpr std::int64_t none = -1;

    // After a final mark: does the token leave the question open? Otherwise it is answered, by a cut or without one.
    bool decide(const TokenView& token) {
        const Break first = token.breaks[0];
        if (is_final(token)) {  // SB8a
            state_ = std::max(state_, get_final_state(token));
            return true;
        }
        if (token.emoticon) return true;
        if (closes(token)) return closed_ = true;
        if (token.lines_before && state_ != State::after_abbreviation) return answer(true);
        if (first.sentence == SentenceBreak::continuation) return answer(false);  // SB8a
        if (state_ == State::after_abbreviation) return answer(is_starter(token));
        const bool lower = first.sentence == SentenceBreak::lower;
        if (state_ == State::after_stop) return answer(!(closed_ && lower));  // "Help!" he cried
        if (lower) return answer(false);                                      // SB8
        if (is_letter(first) || is_number(first) || has_flag(first, Break::alphabetic)) return answer(true);
        if (candidate_ == none) candidate_ = count_;
        return true;
    }

    bool answer(bool ends) {
        if (ends) cut(candidate_ == none ? count_ : candidate_);
        state_ = State::inside;
        candidate_ = none;
        return false;
    }

    // What the token leaves behind, once it belongs to the current sentence.
    void enter(const TokenView& token) {
        state_ = State::inside;
        candidate_ = none;
        closed_ = false;
        if (is_final(token)) {
            const State state = get_final_state(token);
            const bool numbering = state == State::after_dot && count_ == begin() + 1 && last_is_short_;  // "1.", "a."
            if (!numbering) state_ = state;
        } else if (token.abbreviation == Abbreviation::word) {
            state_ = State::after_abbreviation;
        }
    }

    void finish(const TokenView& token) {
        last_is_short_ = token.chars.size() == 1 || is_number(token.breaks[0]);
        ++count_;
    }

    // Brackets and quotes that close, and a quote that stands alone.
    static bool closes(const TokenView& token) {
        const Break first = token.breaks[0];
        if (first.sentence != SentenceBreak::close || has_flag(first, Break::opening)) return false;
        return !token.blank_before || token.blank_after || !is_straight_quote(token.chars[0]);
    }

    static bool is_straight_quote(char32_t c) { return c == U'"' || c == U'\''; }

    static bool is_final(const TokenView& token) {
        const SentenceBreak first = token.breaks[0].sentence;
        if (token.chars[0] == U'…') return true;
        const bool mark = first == SentenceBreak::dot || first == SentenceBreak::stop;
        return mark && (token.breaks.size() == 1 || !is_letter_or_number(token.breaks[1]));
    }

    static State get_final_state(const TokenView& token) {
        const Break last = token.breaks.back();
        return last.sentence == SentenceBreak::stop ? State::after_stop : State::after_dot;
    }

    static bool is_starter(const TokenView& token) {
        if (token.breaks[0].sentence != SentenceBreak::upper || token.chars.size() > Abbreviations::longest)
            return false;
        char word[Abbreviations::longest];
        for (std::size_t i = 0; i < token.chars.size(); ++i) {
            if (token.chars[i] >= 0x80) return false;
            word[i] = static_cast<char>(to_lower(token.chars[i]));
        }
        return Abbreviations::get().begins_sentences({word, token.chars.size()});
    }

    std::int64_t begin() const { return offsets_.back(); }

    void cut(std::int64_t at) {
        if (at > offsets_.back()) offsets_.push_back(at);
        state_ = State::inside;
        candidate_ = none;
    }

    std::vector<std::int64_t> offsets_{0};
    std::int64_t count_ = 0;         // tokens so far
    std::int64_t candidate_ = none;  // the token where the next sentence begins, if the last mark ended one
    State state_ = State::inside;
    bool closed_ = false;  // a bracket or quote has closed since the final mark
    bool last_is_short_ = false;
};

}  // namespace tagloom
