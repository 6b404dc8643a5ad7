// FeatureTable: maps 64-bit feature keys to rows of the weight table, numbered in order of insertion.
//
// A slot packs the upper half of a key and its row into 8 bytes, so that a probe touches one cache line. Together with
// the position in the table, about 50 bits of the key decide a hit; insertion compares the whole key. With `buckets` >
// 0 there is no table, and keys are hashed into that many buckets (feature hashing).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/text/hash.hpp"
#include "tagloom/text/probing.hpp"

namespace tagloom {

class FeatureTable {
public:
    using Row = std::uint32_t;
    static constexpr Row none = std::numeric_limits<Row>::max();

    explicit FeatureTable(std::size_t buckets = 0) : buckets_(buckets), slots_(16, empty) {}

    explicit FeatureTable(std::vector<Hash> keys) : buckets_(0), keys_(std::move(keys)) {
        std::size_t capacity = 16;
        while (capacity < keys_.size() * 2) capacity *= 2;
        fill(capacity);
        check_runs(slots_, [](std::uint64_t slot) { return slot == empty; });
    }

    std::size_t size() const noexcept { return buckets_ ? buckets_ : keys_.size(); }
    std::size_t buckets() const noexcept { return buckets_; }
    const std::vector<Hash>& keys() const noexcept { return keys_; }  // [rows], in row order

    // Returns the keys and moves them out; the table is empty afterwards.
    std::vector<Hash> take_keys() {
        std::vector<Hash> keys = std::move(keys_);
        *this = FeatureTable();
        return keys;
    }

    void prefetch(Hash key) const noexcept { tagloom::prefetch(&slots_[key & (slots_.size() - 1)]); }

    Row find(Hash key) const noexcept {
        if (buckets_) return bucket(key);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t slot = key & mask;; slot = (slot + 1) & mask) {
            const std::uint64_t found = slots_[slot];
            if (found == empty) return none;
            if ((found ^ key) >> 32 == 0) return static_cast<Row>(found);
        }
    }

    Row insert(Hash key) {
        if (buckets_) return bucket(key);
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = key & mask;
        for (; slots_[slot] != empty; slot = (slot + 1) & mask) {
            const Row row = static_cast<Row>(slots_[slot]);
            if ((slots_[slot] ^ key) >> 32 == 0 && keys_[row] == key) return row;
            check_distance(key & mask, slot, mask);
        }
        return append(key, slot);
    }

private:
    static constexpr std::uint64_t empty = std::numeric_limits<std::uint64_t>::max();

    // Scales the key's upper half to [0, buckets), which is uniform without a division; buckets < 2^32.
    Row bucket(Hash key) const noexcept { return static_cast<Row>(((key >> 32) * buckets_) >> 32); }

    static std::uint64_t pack(Hash key, std::size_t row) noexcept { return (key >> 32 << 32) | row; }

    Row append(Hash key, std::size_t slot) {
        if (keys_.size() + 1 >= none) throw std::length_error("a feature table holds at most 2^32 - 2 rows");
        const Row row = static_cast<Row>(keys_.size());
        keys_.push_back(key);
        slots_[slot] = pack(key, row);
        if (keys_.size() * 2 > slots_.size()) fill(slots_.size() * 2);
        return row;
    }

    // Puts all keys into new slots.
    void fill(std::size_t capacity) {
        const std::size_t mask = capacity - 1;
        slots_.assign(capacity, empty);
        for (std::size_t row = 0; row < keys_.size(); ++row) {
            const Hash key = keys_[row];
            std::size_t slot = key & mask;
            for (; slots_[slot] != empty; slot = (slot + 1) & mask) {
                if ((slots_[slot] ^ key) >> 32 == 0 && keys_[static_cast<Row>(slots_[slot])] == key)
                    throw std::invalid_argument("a feature key occurs twice in the table");
                check_distance(key & mask, slot, mask);
            }
            slots_[slot] = pack(key, row);
        }
    }

    std::size_t buckets_;
    std::vector<Hash> keys_;
    BigVector<std::uint64_t> slots_;
};

}  // namespace tagloom
