// PhraseTrie: lists of phrases (gazetteers, lexicons) for longest-match lookup over the tokens of a sentence.
//
// A node is the 64-bit hash of a phrase's first k tokens; it exists if some phrase starts with them, and has the number
// of the set of lists in which a phrase ends there (0: none). No strings are kept. Lists may be matched as written or
// lower-cased ("folded"); the two kinds start from different seeds and share the table. If requested, the words of
// phrases are nodes of two more seeds, with the lists in whose phrases they occur.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/features/list_sets.hpp"
#include "tagloom/text/hash.hpp"
#include "tagloom/text/probing.hpp"

namespace tagloom {

class PhraseTrie {
public:
    enum Kind : std::size_t { exact = 0, folded = 1 };

    PhraseTrie() : keys_(least_slots, 0), sets_(least_slots, 0) {}

    // Makes room for so many nodes with given sets, which add_node then adds.
    PhraseTrie(std::size_t nodes, ListSets sets) : lists_(std::move(sets)) {
        std::size_t slots = least_slots;
        while (is_full(nodes, slots)) slots *= 2;
        keys_.assign(slots, 0), sets_.assign(slots, 0);
    }

    std::size_t size() const noexcept { return size_; }
    const ListSets& lists() const noexcept { return lists_; }

    void add(std::size_t list, Kind kind, std::span<const Hash> tokens) {
        if (tokens.empty()) return;
        Hash prefix = seed(kind);
        for (const Hash token : tokens) {
            prefix = step(prefix, token);
            open_node(prefix);
        }
        add_list(prefix, list);
    }

    // Records that words occur in a phrase of a list.
    void add_words(std::size_t list, Kind kind, std::span<const Hash> tokens) {
        for (const Hash token : tokens) {
            const Hash key = step(word_seed(kind), token);
            open_node(key);
            add_list(key, list);
        }
    }

    // Returns the set of lists in whose phrases a word occurs.
    ListSets::Id lists_of_word(Kind kind, Hash token) const noexcept {
        return sets_[slot_of(step(word_seed(kind), token))];
    }

    // Of nodes with the same key the last one counts.
    void add_node(Hash key, ListSets::Id set) {
        if (set >= lists_.size()) throw std::invalid_argument("set of lists out of range");
        open_node(key ? key : 1);
        sets_[slot_of(key ? key : 1)] = set;
    }

    // Throws if keys of added nodes would make lookups slow.
    void check() const {
        check_runs(keys_, [](Hash key) { return key == 0; });
    }

    // Calls visit(set of lists, length) for every phrase that starts at tokens[0], shortest first.
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
    static constexpr std::size_t least_slots = 64, large = std::size_t{1} << 16;

    // Small tables are at most half full, for speed, and large ones at most to three quarters, for memory.
    static bool is_full(std::size_t nodes, std::size_t slots) noexcept {
        return slots < large ? nodes * 2 > slots : nodes * 4 > slots * 3;
    }

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

    void open_node(Hash key) {
        const std::size_t slot = slot_of(key);
        if (keys_[slot] == key) return;
        check_distance(key & (keys_.size() - 1), slot, keys_.size() - 1);
        keys_[slot] = key;
        if (is_full(++size_, keys_.size())) grow();
    }

    void add_list(Hash key, std::size_t list) {
        ListSets::Id& set = sets_[slot_of(key)];
        set = lists_.with(set, list);
    }

    void grow() {
        std::vector<Hash> keys(keys_.size() * 2, 0);
        std::vector<ListSets::Id> sets(keys.size(), 0);
        keys.swap(keys_), sets.swap(sets_);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (keys[i] == 0) continue;
            const std::size_t slot = slot_of(keys[i]);
            keys_[slot] = keys[i], sets_[slot] = sets[i];
        }
    }

    std::vector<Hash> keys_;
    std::vector<ListSets::Id> sets_;
    std::size_t size_ = 0;
    ListSets lists_;
};

}  // namespace tagloom
