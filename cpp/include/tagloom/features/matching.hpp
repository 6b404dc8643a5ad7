// Attributes of the sentence from phrase lists: gazetteer matches as IOB2 labels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Finds the longest matches of every list separately, from left to right without overlap; the tokens get B-name,
// I-name.
class PhraseMatcher {
public:
    PhraseMatcher(const PhraseTrie& trie, std::span<const std::string> lists, const StringTable& strings)
        : trie_(trie), lists_(lists), strings_(strings), folded_(strings.size(), 0) {}

    void match(std::span<const std::int32_t> tokens, AttributeValues& values) {
        load(tokens);
        std::array<std::size_t, PhraseTrie::max_lists> busy_until{};  // end of the current match of each list
        std::array<std::size_t, PhraseTrie::max_lists> longest{};
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            longest.fill(0);
            for (const auto kind : {PhraseTrie::exact, PhraseTrie::folded}) find_longest(kind, t, longest);
            for (std::size_t list = 0; list < lists_.size(); ++list) {
                if (t < busy_until[list]) {
                    values.add("I-" + lists_[list]);
                } else if (longest[list] > 0) {
                    values.add("B-" + lists_[list]);
                    busy_until[list] = t + longest[list];
                }
            }
            values.end_item();
        }
    }

    // Calls visit(length, lists) for every phrase that begins at a token, shortest first, and then end_token().
    template <class Visit, class EndToken>
    void for_each_entry(std::span<const std::int32_t> tokens, Visit visit, EndToken end_token) {
        load(tokens);
        std::vector<PhraseTrie::ListSet> by_length;
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            by_length.clear();
            for (const auto kind : {PhraseTrie::exact, PhraseTrie::folded})
                trie_.match(kind, std::span<const Hash>(hashes_[kind]).subspan(t),
                            [&](PhraseTrie::ListSet set, std::size_t length) {
                                if (by_length.size() < length) by_length.resize(length, 0);
                                by_length[length - 1] |= set;
                            });
            for (std::size_t i = 0; i < by_length.size(); ++i)
                if (by_length[i] != 0) visit(i + 1, by_length[i]);
            end_token();
        }
    }

private:
    void load(std::span<const std::int32_t> tokens) {
        for (auto& hashes : hashes_) hashes.clear();
        for (const std::int32_t token : tokens) {
            hashes_[PhraseTrie::exact].push_back(strings_.hash(token));
            hashes_[PhraseTrie::folded].push_back(folded(token));
        }
    }

    Hash folded(std::int32_t token) {
        Hash& hash = folded_[static_cast<std::size_t>(token)];
        if (hash == 0) hash = phrase_token_hash(strings_.view(token), true);
        return hash;
    }

    void find_longest(PhraseTrie::Kind kind, std::size_t t,
                      std::array<std::size_t, PhraseTrie::max_lists>& longest) const {
        trie_.match(kind, std::span<const Hash>(hashes_[kind]).subspan(t),
                    [&](PhraseTrie::ListSet set, std::size_t length) {
                        for (std::size_t list = 0; list < lists_.size(); ++list)
                            if (set >> list & 1) longest[list] = std::max(longest[list], length);
                    });
    }

    const PhraseTrie& trie_;
    std::span<const std::string> lists_;
    const StringTable& strings_;
    std::vector<Hash> folded_;  // [strings] hash of the lower-cased string; 0 if not computed yet
    std::array<std::vector<Hash>, 2> hashes_;
};

}  // namespace tagloom
