// StringTable: distinct strings numbered in order of first appearance, stored as one blob with offsets.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tagloom/text/hash.hpp"

namespace tagloom {

class StringTable {
public:
    using Id = std::int32_t;
    static constexpr Id none = -1;

    StringTable() { clear(); }

    std::size_t size() const noexcept { return offsets_.size() - 1; }
    std::size_t bytes() const noexcept { return blob_.size(); }
    const std::string& blob() const noexcept { return blob_; }
    const std::vector<std::int64_t>& offsets() const noexcept { return offsets_; }  // [size + 1]

    std::string_view view(Id id) const noexcept {
        const auto i = static_cast<std::size_t>(id);
        return {blob_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i])};
    }
    Hash hash(Id id) const noexcept { return hashes_[static_cast<std::size_t>(id)]; }

    Id find(std::string_view text) const noexcept { return slots_[slot_of(text, hash_bytes(text))]; }

    Id intern(std::string_view text) {
        const Hash hash = hash_bytes(text);
        const std::size_t slot = slot_of(text, hash);
        return slots_[slot] != none ? slots_[slot] : append(text, hash, slot);
    }

    void clear() {
        blob_.clear();
        offsets_.assign(1, 0);
        hashes_.clear();
        slots_.assign(64, none);
    }

private:
    // Returns, by linear probing, the slot that holds `text`, or the free slot where it belongs.
    std::size_t slot_of(std::string_view text, Hash hash) const noexcept {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash & mask;
        while (slots_[slot] != none && (this->hash(slots_[slot]) != hash || view(slots_[slot]) != text))
            slot = (slot + 1) & mask;
        return slot;
    }

    Id append(std::string_view text, Hash hash, std::size_t slot) {
        if (size() >= static_cast<std::size_t>(std::numeric_limits<Id>::max()))
            throw std::length_error("a string table holds at most 2^31 - 1 strings");
        const Id id = static_cast<Id>(size());
        blob_.append(text);
        offsets_.push_back(static_cast<std::int64_t>(blob_.size()));
        hashes_.push_back(hash);
        slots_[slot] = id;
        if (size() * 2 > slots_.size()) grow();
        return id;
    }

    void grow() {
        const std::size_t capacity = slots_.size() * 2;
        slots_.assign(capacity, none);
        for (std::size_t i = 0; i < size(); ++i) {
            std::size_t slot = hashes_[i] & (capacity - 1);
            while (slots_[slot] != none) slot = (slot + 1) & (capacity - 1);
            slots_[slot] = static_cast<Id>(i);
        }
    }

    std::string blob_;
    std::vector<std::int64_t> offsets_;
    std::vector<Hash> hashes_;
    std::vector<Id> slots_;
};

}  // namespace tagloom
