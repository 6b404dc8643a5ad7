// Attributes of n-grams of tokens: repeated tokens, and small whole numbers ("levels") counted in raw text, such as
// accessor variety and mutual information (Sun & Xu 2011).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tagloom/features/values.hpp"
#include "tagloom/text/hash.hpp"
#include "tagloom/text/probing.hpp"
#include "tagloom/text/strings.hpp"

namespace tagloom {

inline Hash ngram_key(std::span<const Hash> tokens) noexcept {
    Hash key = 0xa4093822299f31d0ULL;
    for (const Hash token : tokens) key = mix(key, token);
    return key;
}

// Maps the key of an n-gram to its level. Keys and levels are kept in their original order, for saving; the first of
// equal keys counts.
class LevelTable {
public:
    using Level = std::int32_t;
    static constexpr Level least = -128, most = 127;
    static constexpr std::uint32_t none = 0xFFFFFFFF;

    LevelTable(std::vector<Hash> keys, std::vector<Level> levels) : keys_(std::move(keys)), levels_(std::move(levels)) {
        if (keys_.size() != levels_.size() || keys_.size() >= none)
            throw std::invalid_argument("expected one level per key");
        for (const Level level : levels_)
            if (level < least || level > most) throw std::invalid_argument("level out of range");
        slots_.assign(std::bit_ceil(2 * keys_.size() + 2), none);
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            const std::size_t slot = slot_of(keys_[i]);
            check_distance(keys_[i] & (slots_.size() - 1), slot, slots_.size() - 1);
            if (slots_[slot] == none) slots_[slot] = static_cast<std::uint32_t>(i);
        }
        check_runs(slots_, [](std::uint32_t slot) { return slot == none; });
    }

    const std::vector<Hash>& keys() const noexcept { return keys_; }
    const std::vector<Level>& levels() const noexcept { return levels_; }

    const Level* find(Hash key) const noexcept {
        const std::uint32_t i = slots_[slot_of(key)];
        return i == none ? nullptr : &levels_[i];
    }

private:
    std::size_t slot_of(Hash key) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = key & mask;
        while (slots_[slot] != none && keys_[slots_[slot]] != key) slot = (slot + 1) & mask;
        return slot;
    }

    std::vector<Hash> keys_;
    std::vector<Level> levels_;
    std::vector<std::uint32_t> slots_;  // index into keys_, or none; at most half of the slots are taken
};

// Gives every token the level of the n-gram that begins (or ends) there; unknown n-grams and those that cross the
// sentence boundary have none.
class LevelsAt {
public:
    LevelsAt(const LevelTable& table, const StringTable& strings, std::size_t n, bool at_end, AttributeValues& values)
        : table_(table), strings_(strings), n_(n), at_end_(at_end), values_(values) {
        texts_.fill(StringTable::none);
    }

    void operator()(std::span<const std::int32_t> tokens) {
        hashes_.clear();
        for (const std::int32_t token : tokens) hashes_.push_back(strings_.hash(token));
        const std::size_t before = at_end_ ? n_ - 1 : 0;
        for (std::size_t t = 0; t < tokens.size(); ++t) {
            if (t >= before && n_ <= tokens.size() - (t - before))
                add(ngram_key(std::span<const Hash>(hashes_).subspan(t - before, n_)));
            values_.end_item();
        }
    }

private:
    void add(Hash key) {
        const LevelTable::Level* level = table_.find(key);
        if (!level) return;
        StringTable::Id& text = texts_[static_cast<std::size_t>(*level - LevelTable::least)];
        if (text == StringTable::none) text = values_.number(std::to_string(*level));
        values_.add_numbered(text);
    }

    const LevelTable& table_;
    const StringTable& strings_;
    std::size_t n_;
    bool at_end_;
    AttributeValues& values_;
    std::array<StringTable::Id, LevelTable::most - LevelTable::least + 1> texts_;  // numbers in values_
    std::vector<Hash> hashes_;
};

// Gives "yes" where the token at `distance` to the right in the sentence is the same.
inline void same_tokens(std::span<const std::int32_t> tokens, std::size_t distance, AttributeValues& values) {
    const StringTable::Id yes = values.number("yes");
    for (std::size_t t = 0; t < tokens.size(); ++t) {
        if (distance < tokens.size() - t && tokens[t] == tokens[t + distance]) values.add_numbered(yes);
        values.end_item();
    }
}

}  // namespace tagloom
