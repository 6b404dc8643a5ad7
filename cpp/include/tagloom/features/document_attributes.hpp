// Attributes of a token in its document: context aggregation (Ratinov and Roth 2009, section 5), the kind of the
// document, and the place and the case of the sentence.
//
// Every function visits a document once; the work per token is bounded.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tagloom/features/attributes.hpp"
#include "tagloom/features/lookup.hpp"
#include "tagloom/features/values.hpp"
#include "tagloom/text/strings.hpp"
#include "tagloom/text/unicode.hpp"

namespace tagloom {

// The tokens of one document and where its sentences begin and end among them.
struct DocumentView {
    std::span<const std::int32_t> tokens;  // [T]
    std::span<const std::int64_t> bounds;  // [S + 1] offsets into the batch; bounds[0] is the document's first token

    std::size_t sentences() const noexcept { return bounds.size() - 1; }
    std::size_t begin(std::size_t s) const noexcept { return static_cast<std::size_t>(bounds[s] - bounds[0]); }
    std::size_t end(std::size_t s) const noexcept { return begin(s + 1); }
};

// The sentence around every token of a document, as a range of its tokens.
struct SentenceBounds {
    std::vector<std::size_t> begin, end;  // [T]

    void load(const DocumentView& document) {
        begin.clear(), end.clear();
        for (std::size_t s = 0; s < document.sentences(); ++s) {
            begin.resize(document.end(s), document.begin(s));
            end.resize(document.end(s), document.end(s));
        }
    }
};

// What the attributes of documents ask about words; computed once per distinct word of a batch.
class CasedWords {
public:
    struct Word {
        std::string lower;
        Hash key = 0;            // of the lower-cased word
        bool capital = false;    // some letter is a capital
        bool has_lower = false;  // some letter is not
        bool has_digit = false;
        char shape = 'm';  // U: two or more characters, all letters are capitals; T: begins with one; m: others
        std::array<StringTable::Id, 4> texts = unknown;  // of the values that it gives as a neighbour

        static constexpr std::array<StringTable::Id, 4> unknown = {-2, -2, -2, -2};
    };

    explicit CasedWords(const StringTable& strings) : strings_(strings) {}

    Word& operator[](std::int32_t code) {
        const auto [place, is_new] = words_.try_emplace(code);
        if (is_new) describe(strings_.view(code), place->second);
        return place->second;
    }
    std::string_view text(std::int32_t code) const { return strings_.view(code); }

private:
    static void describe(std::string_view text, Word& word) {
        const CharCounts counts(text);
        append_lower(word.lower, text);
        word.key = hash_bytes(word.lower);
        word.capital = counts.upper > 0;
        word.has_lower = counts.lower > 0;
        word.has_digit = counts.digit > 0;
        word.shape = word.capital && !word.has_lower && counts.length > 1 ? 'U' : counts.starts_upper ? 'T' : 'm';
    }

    const StringTable& strings_;
    std::unordered_map<std::int32_t, Word> words_;  // references stay valid
};

// Where words with a capital letter occur in a document, without regard to case.
class Occurrences {
public:
    void load(const std::vector<CasedWords::Word*>& words) {
        places_.clear();
        rank_.assign(words.size(), 0);
        for (std::size_t t = 0; t < words.size(); ++t) {
            if (!words[t]->capital) continue;
            std::vector<std::size_t>& all = places_[words[t]->key];
            rank_[t] = all.size();
            all.push_back(t);
        }
    }

    // Calls visit(u) for the nearest other occurrences of the word at t, nearest first, the earlier of two; returns how
    // many others there are.
    template <class Visit>
    std::size_t for_each_near(const CasedWords::Word& word, std::size_t t, std::size_t most, Visit visit) const {
        const std::vector<std::size_t>& all = places_.at(word.key);
        std::size_t left = rank_[t], right = rank_[t] + 1;  // all[left - 1] and all[right] are next
        for (std::size_t i = 0; i < most && (left > 0 || right < all.size()); ++i) {
            const bool takes_left = right == all.size() || (left > 0 && t - all[left - 1] <= all[right] - t);
            visit(takes_left ? all[--left] : all[right++]);
        }
        return all.size() - 1;
    }

private:
    std::unordered_map<Hash, std::vector<std::size_t>> places_;
    std::vector<std::size_t> rank_;  // [T] of the token among the occurrences of its word
};

// Context aggregation: every token with a capital letter gets what stands around the nearest other occurrences of its
// word in the document. Without clusters these are the two words on either side, the case of the occurrence, whether its
// neighbours have capitals, and how many others there are; with clusters, the first n bits of those of its neighbours.
class ContextAggregator {
public:
    static constexpr std::size_t most_occurrences = 8;

    ContextAggregator(const StringTable& strings, const Lookup* clusters, std::size_t n, AttributeValues& values)
        : words_(strings), clusters_(clusters), n_(n), values_(values) {}

    void operator()(const DocumentView& document) {
        document_ = document;
        around_.load(document);
        here_.clear();
        for (const std::int32_t code : document.tokens) here_.push_back(&words_[code]);
        occurrences_.load(here_);
        for (std::size_t t = 0; t < here_.size(); ++t) {
            if (here_[t]->capital) aggregate(t);
            values_.end_item();
        }
    }

private:
    void aggregate(std::size_t t) {
        ++stamp_;
        const auto visit = [this](std::size_t u) { clusters_ ? add_clusters(u) : add_words(u); };
        const std::size_t others = occurrences_.for_each_near(*here_[t], t, most_occurrences, visit);
        if (others > 0 && !clusters_) add("count=" + std::to_string(std::min<std::size_t>(others, 4)));
    }

    void add_words(std::size_t u) {
        static constexpr std::array<std::string_view, 4> names = {"p=", "n=", "pp=", "nn="};
        static constexpr std::array<std::ptrdiff_t, 4> distances = {-1, 1, -2, 2};
        for (std::size_t slot = 0; slot < names.size(); ++slot) {
            CasedWords::Word* word = neighbour(u, distances[slot]);
            if (word == nullptr) add(std::string(names[slot]) + (distances[slot] < 0 ? "_B" : "_E"));
            else add_text(*word, slot, [&] { return std::string(names[slot]) + word->lower; });
        }
        add(std::string("case=") + here_[u]->shape);
        if (const CasedWords::Word* word = neighbour(u, -1); word != nullptr && word->capital) add("p_capital");
        if (const CasedWords::Word* word = neighbour(u, 1); word != nullptr && word->capital) add("n_capital");
    }

    void add_clusters(std::size_t u) {
        static constexpr std::array<std::string_view, 2> names = {"p=", "n="};
        for (std::size_t slot = 0; slot < names.size(); ++slot) {
            const std::ptrdiff_t distance = slot == 0 ? -1 : 1;
            CasedWords::Word* word = neighbour(u, distance);
            if (word == nullptr) continue;
            const auto v = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(u) + distance);
            add_text(*word, slot, [&] {
                const std::string_view bits = clusters_->find(words_.text(document_.tokens[v]));
                return bits.empty() ? std::string() : std::string(names[slot]).append(n_ ? bits.substr(0, n_) : bits);
            });
        }
    }

    // The word at a distance inside the sentence of u; null beyond it.
    CasedWords::Word* neighbour(std::size_t u, std::ptrdiff_t distance) const {
        const auto v = static_cast<std::ptrdiff_t>(u) + distance;
        const bool is_inside =
            v >= static_cast<std::ptrdiff_t>(around_.begin[u]) && v < static_cast<std::ptrdiff_t>(around_.end[u]);
        return is_inside ? here_[static_cast<std::size_t>(v)] : nullptr;
    }

    // Adds the text that a word gives in a slot, which is made once; an empty one is none.
    template <class Make>
    void add_text(CasedWords::Word& word, std::size_t slot, Make make) {
        StringTable::Id& id = word.texts[slot];
        if (id == -2) {
            const std::string text = make();
            id = text.empty() ? StringTable::none : values_.number(text);
        }
        if (id != StringTable::none) add_once(id);
    }
    void add(const std::string& text) { add_once(values_.number(text)); }
    void add_once(StringTable::Id id) {
        const auto place = static_cast<std::size_t>(id);
        if (place >= seen_.size()) seen_.resize(place + 1, 0);
        if (seen_[place] == stamp_) return;
        seen_[place] = stamp_;
        values_.add_numbered(id);
    }

    CasedWords words_;
    const Lookup* clusters_;
    std::size_t n_;
    AttributeValues& values_;
    DocumentView document_;
    SentenceBounds around_;
    std::vector<CasedWords::Word*> here_;  // [T]
    Occurrences occurrences_;
    std::vector<std::uint64_t> seen_;  // [texts] stamp of the token that has the value already
    std::uint64_t stamp_ = 0;
};

// What a document looks like by its sentences. A row is a sentence at least a third of whose tokens have a digit.
//   table     at least half of the sentences are rows
//   headline  no word has a lower-case letter
//   mixed     at least a fifth of the sentences are rows
//   story     all others
class DocumentKinds {
public:
    DocumentKinds(const StringTable& strings, AttributeValues& values) : words_(strings), values_(values) {}

    void operator()(const DocumentView& document) {
        std::size_t rows = 0;
        bool has_lower = false;
        for (std::size_t s = 0; s < document.sentences(); ++s) {
            std::size_t numbers = 0;
            for (std::size_t t = document.begin(s); t < document.end(s); ++t) {
                const CasedWords::Word& word = words_[document.tokens[t]];
                numbers += word.has_digit;
                has_lower |= word.has_lower;
            }
            rows += numbers > 0 && 3 * numbers >= document.end(s) - document.begin(s);
        }
        const std::size_t count = document.sentences();
        const auto id = values_.number(2 * rows >= count   ? "table"
                                       : !has_lower        ? "headline"
                                       : 5 * rows >= count ? "mixed"
                                                           : "story");
        for (std::size_t t = 0; t < document.tokens.size(); ++t) values_.add_numbered(id), values_.end_item();
    }

private:
    CasedWords words_;
    AttributeValues& values_;
};

// The number of the sentence in its document: 0, 1, 2, 3, 4, and 5 for all others.
inline void number_sentences(const DocumentView& document, AttributeValues& values) {
    for (std::size_t s = 0; s < document.sentences(); ++s) {
        const auto id = values.number(std::to_string(std::min<std::size_t>(s, 5)));
        for (std::size_t t = document.begin(s); t < document.end(s); ++t) values.add_numbered(id), values.end_item();
    }
}

// How a sentence is written.
//   caps   there are capitals, and no word has a lower-case letter: a headline
//   title  all words with letters have capitals, and there are at least two
//   none   no word has a letter with case
//   mixed  all others
class SentenceCases {
public:
    SentenceCases(const StringTable& strings, AttributeValues& values) : words_(strings), values_(values) {}

    void operator()(const DocumentView& document) {
        for (std::size_t s = 0; s < document.sentences(); ++s) {
            std::size_t capitals = 0, lower = 0, others = 0;
            for (std::size_t t = document.begin(s); t < document.end(s); ++t) {
                const CasedWords::Word& word = words_[document.tokens[t]];
                capitals += word.capital;
                lower += word.has_lower;
                others += word.has_lower && !word.capital;
            }
            const auto id = values_.number(capitals == 0 && lower == 0   ? "none"
                                           : lower == 0                  ? "caps"
                                           : others == 0 && capitals > 1 ? "title"
                                                                         : "mixed");
            for (std::size_t t = document.begin(s); t < document.end(s); ++t)
                values_.add_numbered(id), values_.end_item();
        }
    }

private:
    CasedWords words_;
    AttributeValues& values_;
};

}  // namespace tagloom
