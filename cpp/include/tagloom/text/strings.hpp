// StringTable: distinct strings numbered in order of first appearance, stored as one blob with offsets.
//
// Hashes of strings are public and easy to invert, so that strings can be made whose hashes collide. When an insertion
// has to walk too far, the table places its strings by a second hash, keyed by a secret of the process. Numbers, and so
// all results, do not depend on the place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tagloom/text/hash.hpp"
#include "tagloom/text/probing.hpp"

namespace tagloom {

class StringTable {
public:
    using Id = std::int32_t;
    static constexpr Id none = -1;

    StringTable() { clear(); }

    std::size_t size() const noexcept { return offsets_.size() - 1; }
    std::size_t bytes() const noexcept { return blob_.size(); }
    // Bytes of memory, without what the allocator adds.
    std::size_t memory() const noexcept {
        return blob_.capacity() + offsets_.capacity() * sizeof(std::int64_t) + hashes_.capacity() * sizeof(Hash)
               + slots_.capacity() * sizeof(Id);
    }
    const std::string& blob() const noexcept { return blob_; }
    const std::vector<std::int64_t>& offsets() const noexcept { return offsets_; }  // [size + 1]

    std::string_view view(Id id) const noexcept {
        const auto i = static_cast<std::size_t>(id);
        return {blob_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
    }
    Hash hash(Id id) const noexcept { return hashes_[static_cast<std::size_t>(id)]; }

    Id find(std::string_view text) const noexcept {
        const Hash hash = hash_bytes(text);
        return slots_[find_slot(text, hash, place(text, hash)).slot];
    }

    Id intern(std::string_view text) {
        const Hash hash = hash_bytes(text);
        Probe found = find_slot(text, hash, place(text, hash));
        if (slots_[found.slot] != none) return slots_[found.slot];
        if (found.steps > longest_probe && !keyed_) {
            keyed_ = true;
            fill_slots(slots_.size());
            found = find_slot(text, hash, place(text, hash));
        }
        return append(text, hash, found.slot);
    }

    void clear() {
        blob_.clear();
        offsets_.assign(1, 0);
        hashes_.clear();
        slots_.assign(64, none);
        keyed_ = false;
    }

private:
    struct Probe {
        std::size_t slot, steps;
    };

    static Hash get_secret() {
        static const Hash secret = [] {
            std::random_device source;
            return (Hash{source()} << 32 | source()) | 1;
        }();
        return secret;
    }

    // Hashes the text with a secret in every step, so that nobody outside can make it collide.
    static Hash hash_keyed(std::string_view text) {
        const Hash secret = get_secret();
        Hash state = secret;
        for (std::size_t i = 0; i < text.size(); i += 8) {
            const Hash word = detail::little_endian(text.data() + i, std::min<std::size_t>(8, text.size() - i));
            state = avalanche((state ^ word) * secret + (state >> 32));
        }
        return avalanche(state ^ text.size());
    }

    Hash place(std::string_view text, Hash hash) const { return keyed_ ? hash_keyed(text) : hash; }

    // Returns, by linear probing, the slot that holds `text`, or the free slot where it belongs.
    Probe find_slot(std::string_view text, Hash hash, Hash place) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        Probe at{place & mask, 0};
        while (slots_[at.slot] != none && (this->hash(slots_[at.slot]) != hash || view(slots_[at.slot]) != text)) {
            at.slot = (at.slot + 1) & mask;
            ++at.steps;
        }
        return at;
    }

    Id append(std::string_view text, Hash hash, std::size_t slot) {
        if (size() >= static_cast<std::size_t>(std::numeric_limits<Id>::max()))
            throw std::length_error("a string table holds at most 2^31 - 1 strings");
        const Id id = static_cast<Id>(size());
        blob_.append(text);
        offsets_.push_back(static_cast<std::int64_t>(blob_.size()));
        hashes_.push_back(hash);
        slots_[slot] = id;
        if (size() * 2 > slots_.size()) fill_slots(slots_.size() * 2);
        return id;
    }

    void fill_slots(std::size_t capacity) {
        slots_.assign(capacity, none);
        for (std::size_t i = 0; i < size(); ++i) {
            const auto id = static_cast<Id>(i);
            std::size_t slot = place(view(id), hashes_[i]) & (capacity - 1);
            while (slots_[slot] != none) slot = (slot + 1) & (capacity - 1);
            slots_[slot] = id;
        }
    }

    std::string blob_;
    std::vector<std::int64_t> offsets_;
    std::vector<Hash> hashes_;
    std::vector<Id> slots_;
    bool keyed_ = false;  // strings stand where their keyed hashes say
};

}  // namespace tagloom
