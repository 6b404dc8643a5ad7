// Attributes of the sentence from lists of phrases: matches as labels of positions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tagloom/features/attributes.hpp"
#include "tagloom/features/phrase_trie.hpp"
#include "tagloom/features/values.hpp"
#include "tagloom/text/strings.hpp"
#include "tagloom/text/unicode.hpp"

namespace tagloom {

inline Hash phrase_token_hash(std::string_view token, bool fold) {
    if (!fold) return hash_bytes(token);
    std::string lower;
    append_lower(lower, token);
    return hash_bytes(lower);
}

// Whether a word has a capital letter or begins with a digit, as names do.
inline bool may_begin_name(std::string_view word) {
    if (CharCounts(word).upper > 0) return true;
    std::size_t at = 0;
    bool begins_with_digit = false;
    for_each_char(word, [&](char32_t c, std::string_view) {
        begins_with_digit |= at++ == 0 && char_class(c) == CharClass::digit;
    });
    return begins_with_digit;
}

enum class Positions {
    iob2,  // B-name, I-name
    bioes  // S-name, B-name, I-name, E-name, of matches that begin at a word that may begin a name
};

// Finds the longest matches of every list by itself, from left to right without overlap.
class PhraseMatcher {
public:
    PhraseMatcher(const PhraseTrie& trie, std::span<const std::string> lists, const StringTable& strings)
        : trie_(trie), lists_(lists), strings_(strings), is_busy_(lists.size(), 0), longest_(lists.size(), 0) {}

    // Adds one item per token; its values are in the order of the lists.
    void match(std::span<const std::int32_t> tokens, Positions positions, AttributeValues& values) {
        load(tokens);
        for (auto& texts : texts_) texts.resize(lists_.size(), StringTable::none);
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            if (positions == Positions::iob2 || may_begin_name(strings_.view(tokens[t]))) open_matches(t);
            for (const Match& each : open_) {
                const std::string_view mark = choose_mark(each, t, positions);
                values.add_numbered(find_text(mark, each.list, values));
            }
            values.end_item();
            std::erase_if(open_, [&](const Match& each) {
                if (each.end == t + 1) is_busy_[each.list] = 0;
                return each.end == t + 1;
            });
        }
    }

    // Calls visit(length, lists 0 to 63 as bits) for every phrase that begins at a token, shortest first, and then
    // end_token().
    template <class Visit, class EndToken>
    void for_each_entry(std::span<const std::int32_t> tokens, Visit visit, EndToken end_token) {
        load(tokens);
        std::vector<ListSets::Word> by_length;
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            by_length.clear();
            for (const auto kind : {PhraseTrie::exact, PhraseTrie::folded})
                trie_.match(kind, std::span<const Hash>(hashes_[kind]).subspan(t),
                            [&](ListSets::Id set, std::size_t length) {
                                if (by_length.size() < length) by_length.resize(length, 0);
                                by_length[length - 1] |= trie_.lists().word(set, 0);
                            });
            for (std::size_t i = 0; i < by_length.size(); ++i)
                if (by_length[i] != 0) visit(i + 1, by_length[i]);
            end_token();
        }
    }

private:
    struct Match {
        std::size_t list, begin, end;
    };

    void load(std::span<const std::int32_t> tokens) {
        for (auto& hashes : hashes_) hashes.clear();
        for (const std::int32_t token : tokens) {
            hashes_[PhraseTrie::exact].push_back(strings_.hash(token));
            lower_.clear();
            append_lower(lower_, strings_.view(token));
            hashes_[PhraseTrie::folded].push_back(hash_bytes(lower_));
        }
    }

    // Opens the longest match of every list that begins at a token, unless the list has an open match.
    void open_matches(std::size_t t) {
        found_.clear();
        for (const auto kind : {PhraseTrie::exact, PhraseTrie::folded})
            trie_.match(kind, std::span<const Hash>(hashes_[kind]).subspan(t),
                        [&](ListSets::Id set, std::size_t length) {
                            trie_.lists().for_each(set, [&](std::size_t list) { take(list, length); });
                        });
        if (found_.empty()) return;
        for (const std::size_t list : found_) {
            open_.push_back({list, t, t + longest_[list]});
            is_busy_[list] = 1, longest_[list] = 0;
        }
        std::sort(open_.begin(), open_.end(), [](const Match& a, const Match& b) { return a.list < b.list; });
    }

    void take(std::size_t list, std::size_t length) {
        if (list >= lists_.size() || is_busy_[list]) return;
        if (longest_[list] == 0) found_.push_back(list);
        longest_[list] = std::max(longest_[list], length);
    }

    static std::string_view choose_mark(const Match& match, std::size_t t, Positions positions) noexcept {
        const bool is_last = positions == Positions::bioes && t + 1 == match.end;
        if (t == match.begin) return is_last ? "S-" : "B-";
        return is_last ? "E-" : "I-";
    }

    // Texts recur at many tokens, so that each is built and numbered once.
    StringTable::Id find_text(std::string_view mark, std::size_t list, AttributeValues& values) {
        StringTable::Id& text = texts_[std::string_view("BIES").find(mark.front())][list];
        if (text == StringTable::none) text = values.number(std::string(mark) + lists_[list]);
        return text;
    }

    const PhraseTrie& trie_;
    std::span<const std::string> lists_;
    const StringTable& strings_;
    std::array<std::vector<StringTable::Id>, 4> texts_;  // [B I E S][lists] numbers of values, once they are known
    std::vector<std::uint8_t> is_busy_;                  // [lists] whether a match is open
    std::vector<std::size_t> longest_;                   // [lists] match that begins here; 0 between tokens
    std::vector<std::size_t> found_;                     // lists with such a match
    std::vector<Match> open_;                            // in the order of the lists
    std::string lower_;
    std::array<std::vector<Hash>, 2> hashes_;  // [kinds][tokens]
};

}  // namespace tagloom
