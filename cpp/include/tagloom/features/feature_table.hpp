// FeatureTable: maps 64-bit feature keys to rows of the weight table, numbered in order of insertion.
//
// A slot packs the upper half of a key and its row into 8 bytes, so that a probe touches one cache line. Together with
// the position in the table, about 50 bits of the key decide a hit; insertion compares the whole key. With `buckets` >
// 0 there is no table, and keys are hashed into that many buckets (feature hashing).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/text/hash.hpp"
#include "tagloom/text/probing.hpp"

namespace tagloom {

class FeatureTable {
public:
    using Row = std::uint32_t;
    static constexpr Row none = std::numeric_limits<Row>::max();

    explicit FeatureTable(std::size_t buckets = 0) : buckets_(buckets), slots_(16, empty) {}

    explicit FeatureTable(std::vector<Hash> keys, std::size_t threads = 1) : buckets_(0), keys_(std::move(keys)) {
        fill(choose_capacity(keys_.size()), threads);
        check_runs(slots_, [](std::uint64_t slot) { return slot == empty; });
    }

    // Takes slots that hold all keys.
    FeatureTable(std::vector<Hash> keys, RawVector<std::uint64_t> slots)
        : buckets_(0), keys_(std::move(keys)), slots_(std::move(slots)) {}

    // A slot is the upper half of a key and its row.
    static constexpr std::uint64_t empty = std::numeric_limits<std::uint64_t>::max();
    static std::uint64_t pack(Hash key, std::size_t row) noexcept { return (key >> 32 << 32) | row; }

    // Returns the number of slots for so many keys, of which at most half are taken.
    static std::size_t choose_capacity(std::size_t count) noexcept {
        std::size_t capacity = 16;
        while (capacity < count * 2) capacity *= 2;
        return capacity;
    }

    std::size_t size() const noexcept { return buckets_ ? buckets_ : keys_.size(); }
    std::size_t buckets() const noexcept { return buckets_; }
    const std::vector<Hash>& keys() const noexcept { return keys_; }  // [rows], in row order

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
    // Scales the key's upper half to [0, buckets), which is uniform without a division; buckets < 2^32.
    Row bucket(Hash key) const noexcept { return static_cast<Row>(((key >> 32) * buckets_) >> 32); }

    Row append(Hash key, std::size_t slot) {
        if (keys_.size() + 1 >= none) throw std::length_error("a feature table holds at most 2^32 - 2 rows");
        const Row row = static_cast<Row>(keys_.size());
        keys_.push_back(key);
        slots_[slot] = pack(key, row);
        if (keys_.size() * 2 > slots_.size()) fill(slots_.size() * 2);
        return row;
    }

    // Puts all keys into new slots. Every thread fills a range of slots with the keys that belong there; those that find
    // their range full follow at the end.
    void fill(std::size_t capacity, std::size_t threads = 1) {
        const std::size_t ranges = capacity < smallest_shared ? 1 : threads;
        slots_.resize(capacity);
        std::vector<std::vector<Row>> left(ranges);
        parallel_for(ranges, threads, 1, [&] {
            return [&](std::size_t range) {
                fill_range(capacity * range / ranges, capacity * (range + 1) / ranges, left[range]);
            };
        });
        for (const std::vector<Row>& rows : left)
            for (const Row row : rows) place(row, 0, capacity);
    }

    void fill_range(std::size_t begin, std::size_t end, std::vector<Row>& left) {
        std::fill(slots_.begin() + static_cast<std::ptrdiff_t>(begin),
                  slots_.begin() + static_cast<std::ptrdiff_t>(end), empty);
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t row = 0; row < keys_.size(); ++row) {
            const std::size_t slot = keys_[row] & mask;
            if (slot >= begin && slot < end && !place(static_cast<Row>(row), begin, end))
                left.push_back(static_cast<Row>(row));
        }
    }

    // Puts a key into the first empty slot; returns false if there is none before the end of a part of the slots.
    bool place(Row row, std::size_t begin, std::size_t end) {
        const Hash key = keys_[row];
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = key & mask;
        for (; slots_[slot] != empty;) {
            if ((slots_[slot] ^ key) >> 32 == 0 && keys_[static_cast<Row>(slots_[slot])] == key)
                throw std::invalid_argument("a feature key occurs twice in the table");
            check_distance(key & mask, slot, mask);
            slot = (slot + 1) & mask;
            if (end - begin < slots_.size() && (slot < begin || slot >= end)) return false;
        }
        slots_[slot] = pack(key, row);
        return true;
    }

    static constexpr std::size_t smallest_shared = std::size_t{1} << 16;  // slots that are worth more than one thread

    std::size_t buckets_;
    std::vector<Hash> keys_;
    RawVector<std::uint64_t> slots_;
};

}  // namespace tagloom
