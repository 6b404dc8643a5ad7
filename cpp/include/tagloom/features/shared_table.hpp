// A feature table that several threads fill at the same time: every key gets one row, whichever thread meets it first.
//
// Slots are as in FeatureTable. A thread that finds a free slot writes the key to a row of its own and claims the slot by
// compare-and-swap; if another thread was faster, it keeps the row for its next new key. Threads get rows by the block, so
// that they seldom write to the same cache line. They insert under a shared lock, with room that they have asked for; only
// growing takes the lock alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/text/hash.hpp"
#include "tagloom/text/probing.hpp"

namespace tagloom {

class SharedFeatureTable {
public:
    using Row = FeatureTable::Row;
    static constexpr std::size_t line = 64;  // bytes of a cache line, which no two threads should write to

    // Rows that a thread has got and not used yet.
    struct Spare {
        Row next = 0, end = 0;
    };

    // Rows that were given out; some of them may have no key.
    std::size_t size() const noexcept { return next_; }
    Hash key(Row row) const noexcept { return keys_[row]; }

    // Makes room for so many keys, and for the unused rows of so many threads. No other thread may use the table.
    void reserve(std::size_t count, std::size_t threads) {
        taken_ = next_.load();
        spares_ = threads * block;
        rebuild(std::max(slots_.size(), FeatureTable::choose_capacity(count)));
    }

    // A thread's permission to insert keys, for as long as it lives.
    class Room {
    public:
        explicit Room(SharedFeatureTable& table) : table_(table), guard_(table.lock_, std::defer_lock) {}

        // Makes room for `count` more keys. Locks are taken seldom: for many keys at a time. While a thread waits, it
        // holds no lock of another table either, or two threads could wait for each other.
        void ensure(std::size_t count, Room& other) {
            while (left_ < count) {
                release(), other.release();
                table_.take_room(std::max(count, request), guard_);
                if (guard_.owns_lock()) left_ = std::max(count, request);
            }
            left_ -= count;
        }

        void release() {
            if (guard_.owns_lock()) guard_.unlock();
            left_ = 0;
        }

    private:
        static constexpr std::size_t request = 1U << 12;

        SharedFeatureTable& table_;
        std::shared_lock<std::shared_mutex> guard_;
        std::size_t left_ = 0;
    };

    void prefetch(Hash key) const noexcept { tagloom::prefetch(&slots_[key & (slots_.size() - 1)]); }

    // Returns the row of a key. A new one gets a spare row of the calling thread.
    Row insert(Hash key, Spare& spare) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t slot = key & mask;; slot = (slot + 1) & mask) {
            std::atomic_ref<std::uint64_t> place(slots_[slot]);
            std::uint64_t found = place.load(std::memory_order_acquire);
            if (found == FeatureTable::empty) {
                if (spare.next == spare.end) spare = take_block();
                keys_[spare.next] = key;
                if (place.compare_exchange_strong(found, FeatureTable::pack(key, spare.next),
                                                  std::memory_order_acq_rel))
                    return spare.next++;
            }
            if ((found ^ key) >> 32 == 0 && keys_[static_cast<Row>(found)] == key) return static_cast<Row>(found);
            check_distance(key & mask, slot, mask);
        }
    }

    // Returns a table in which rows have other numbers, [0, kept) or FeatureTable::none, and leaves this one empty.
    FeatureTable renumber(std::span<const Row> new_row, std::size_t kept, std::size_t used, std::size_t threads) {
        std::vector<Hash> keys(kept);
        parallel_for(new_row.size(), threads, chunk, [&] {
            return [&](std::size_t row) {
                if (new_row[row] != FeatureTable::none) keys[new_row[row]] = keys_[row];
            };
        });
        keys_ = {};
        // Slots stay where they are unless some become free, which would hide others, or there are far too many.
        if (kept != used || slots_.size() > 2 * FeatureTable::choose_capacity(kept)) {
            slots_ = {};
            return FeatureTable(std::move(keys), threads);
        }
        parallel_for(slots_.size(), threads, chunk, [&] {
            return [&](std::size_t slot) {
                if (slots_[slot] == FeatureTable::empty) return;
                slots_[slot] = FeatureTable::pack(slots_[slot], new_row[static_cast<Row>(slots_[slot])]);
            };
        });
        return FeatureTable(std::move(keys), std::move(slots_));
    }

private:
    static constexpr std::size_t chunk = std::size_t{1} << 15, block = 64;

    Spare take_block() noexcept {
        const auto begin = static_cast<Row>(next_.fetch_add(block, std::memory_order_relaxed));
        return {begin, begin + static_cast<Row>(block)};
    }

    // Takes room for `count` keys, and the lock; grows instead if there is no room.
    void take_room(std::size_t count, std::shared_lock<std::shared_mutex>& guard) {
        guard.lock();
        if (taken_.fetch_add(count, std::memory_order_relaxed) + count <= slots_.size() / 2) return;
        guard.unlock();
        grow(count);
    }

    // Counts the keys that there are, and makes room for `count` more.
    void grow(std::size_t count) {
        const std::unique_lock guard(lock_);
        taken_ = next_.load();
        if (next_ + count >= FeatureTable::none) throw std::length_error("a feature table holds at most 2^32 - 2 rows");
        // A table that is almost full would be counted again and again.
        std::size_t capacity = slots_.size();
        while (next_ + next_ / 8 + count > capacity / 2) capacity *= 2;
        if (capacity > slots_.size()) rebuild(capacity);
    }

    // Moves all keys to new slots; rows keep their numbers.
    void rebuild(std::size_t capacity) {
        keys_.resize(capacity / 2 + spares_);
        if (capacity == slots_.size()) return;
        const RawVector<std::uint64_t> old = std::move(slots_);
        slots_ = RawVector<std::uint64_t>(capacity, FeatureTable::empty);
        const std::size_t mask = capacity - 1;
        for (const std::uint64_t found : old) {
            if (found == FeatureTable::empty) continue;
            const Hash key = keys_[static_cast<Row>(found)];
            std::size_t slot = key & mask;
            for (; slots_[slot] != FeatureTable::empty; slot = (slot + 1) & mask)
                check_distance(key & mask, slot, mask);
            slots_[slot] = found;
        }
    }

    // What all insertions read stands apart from what some of them write.
    RawVector<std::uint64_t> slots_ = RawVector<std::uint64_t>(16, FeatureTable::empty);
    RawVector<Hash> keys_ = RawVector<Hash>(slots_.size() / 2 + block);  // [rows]
    std::size_t spares_ = block;                                         // rows that threads may have and not use
    alignas(line) std::shared_mutex lock_;
    alignas(line) std::atomic<std::size_t> next_{0};  // first row that no thread has got
    std::atomic<std::size_t> taken_{0};               // at least as many keys as there are
};

}  // namespace tagloom
