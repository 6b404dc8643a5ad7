// PhraseTrie: lists of phrases (gazetteers, lexicons) for longest-match lookup over the tokens of a sentence.
//
// A node is the 64-bit hash of a phrase's first k tokens; it exists if some phrase starts with them, and holds the set
// of lists in which a phrase ends there. No strings are kept. Lists may be matched as written or lower-cased
// ("folded"); the two kinds start from different seeds and share the table. If requested, the words of phrases are
// nodes of two more seeds, with the lists in whose phrases they occur.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "tagloom/text/hash.hpp"
#include "tagloom/text/probing.hpp"

namespace tagloom {

class PhraseTrie {
public:
    using ListSet = std::uint64_t;  // bit i stands for list i
    static constexpr std::size_t max_lists = 64;
    enum Kind : std::size_t { exact = 0, folded = 1 };

    PhraseTrie() : keys_(64, 0), sets_(64, 0) {}

    std::size_t size() const noexcept { return size_; }

    void add(std::size_t list, Kind kind, std::span<const Hash> tokens) {
        if (list >= max_lists) throw std::length_error("expected at most 64 phrase lists");
        if (tokens.empty()) return;
        Hash prefix = seed(kind);
        for (const Hash token : tokens) {
            prefix = step(prefix, token);
            node(prefix, 0);
        }
        node(prefix, ListSet{1} << list);
    }

    // Records that words occur in a phrase of a list.
    void add_words(std::size_t list, Kind kind, std::span<const Hash> tokens) {
        if (list >= max_lists) throw std::length_error("expected at most 64 phrase lists");
        for (const Hash token : tokens) node(step(word_seed(kind), token), ListSet{1} << list);
    }

    // Returns the lists in whose phrases a word occurs.
    ListSet lists_of_word(Kind kind, Hash token) const noexcept { return sets_[slot_of(step(word_seed(kind), token))]; }

    void add_node(Hash key, ListSet lists) { node(key ? key : 1, lists); }

    // Throws if keys of added nodes would make lookups slow.
    void check() const {
        check_runs(keys_, [](Hash key) { return key == 0; });
    }

    // Calls visit(lists, length) for every phrase that starts at tokens[0], shortest first.
    template <class Visit>
    void match(Kind kind, std::span<const Hash> tokens, Visit visit) const {
        Hash prefix = seed(kind);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            prefix = step(prefix, tokens[i]);
            const std::size_t slot = slot_of(prefix);
            if (keys_[slot] == 0) return;
            if (sets_[slot] != 0) visit(sets_[slot], i + 1);
        }
    }

    // Returns the nodes in the order of the table, for saving.
    template <class Visit>
    void for_each_node(Visit visit) const {
        for (std::size_t i = 0; i < keys_.size(); ++i)
            if (keys_[i] != 0) visit(keys_[i], sets_[i]);
    }

private:
    static Hash seed(Kind kind) noexcept { return kind == exact ? 0x452821e638d01377ULL : 0xbe5466cf34e90c6cULL; }

    static Hash word_seed(Kind kind) noexcept { return kind == exact ? 0xc0ac29b7c97c50ddULL : 0x3f84d5b5b5470917ULL; }

    // 0 marks a free slot, so no node may have that key.
    static Hash step(Hash prefix, Hash token) noexcept {
        const Hash key = mix(prefix, token);
        return key ? key : 1;
    }

    std::size_t slot_of(Hash key) const noexcept {
        const std::size_t mask = keys_.size() - 1;
        std::size_t slot = key & mask;
        while (keys_[slot] != 0 && keys_[slot] != key) slot = (slot + 1) & mask;
        return slot;
    }

    void node(Hash key, ListSet lists) {
        const std::size_t slot = slot_of(key);
        sets_[slot] |= lists;
        if (keys_[slot] == key) return;
        check_distance(key & (keys_.size() - 1), slot, keys_.size() - 1);
        keys_[slot] = key;
        if (++size_ * 2 > keys_.size()) grow();
    }

    void grow() {
        std::vector<Hash> keys(keys_.size() * 2, 0);
        std::vector<ListSet> sets(keys.size(), 0);
        keys.swap(keys_), sets.swap(sets_);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (keys[i] == 0) continue;
            const std::size_t slot = slot_of(keys[i]);
            keys_[slot] = keys[i], sets_[slot] = sets[i];
        }
    }

    std::vector<Hash> keys_;
    std::vector<ListSet> sets_;
    std::size_t size_ = 0;
};

}  // namespace tagloom
