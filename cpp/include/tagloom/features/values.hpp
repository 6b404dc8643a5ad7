// AttributeValues: the values of one attribute for a list of items, which are word types or tokens.
//
// Item i owns the entries offsets[i] .. offsets[i + 1]; each entry is a text, its hash and, for real-valued attributes,
// a weight. `first` repeats the hash of the first entry (0 if there is none), which is all that the encoder needs while
// no item has more entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tagloom/text/hash.hpp"
#include "tagloom/text/strings.hpp"

namespace tagloom {

class AttributeValues {
public:
    std::size_t items() const noexcept { return first_.size(); }
    // Whether some item has several values or a weight other than 1, so that the encoder takes its general path.
    bool plural() const noexcept { return plural_; }
    std::size_t most() const noexcept { return most_; }  // largest number of values of one item
    Hash first(std::size_t item) const noexcept { return first_[item]; }
    std::size_t begin(std::size_t item) const noexcept { return offsets_[item]; }
    std::size_t count(std::size_t item) const noexcept { return offsets_[item + 1] - offsets_[item]; }
    Hash hash(std::size_t entry) const noexcept { return texts_.hash(ids_[entry]) | 1; }
    float weight(std::size_t entry) const noexcept { return is_weighted_ ? weights_[entry] : 1.0F; }
    bool weighted() const noexcept { return is_weighted_; }
    std::string_view text(std::size_t entry) const noexcept { return texts_.view(ids_[entry]); }

    void add(std::string_view text, float weight = 1.0F) { add_numbered(number(text), weight); }

    // Texts that recur at many items are numbered once (until clear) and then added by number.
    StringTable::Id number(std::string_view text) { return texts_.intern(text); }
    void add_numbered(StringTable::Id text, float weight = 1.0F) {
        if (weight != 1.0F && !is_weighted_) {
            weights_.assign(ids_.size(), 1.0F);
            is_weighted_ = plural_ = true;
        }
        ids_.push_back(text);
        if (is_weighted_) weights_.push_back(weight);
    }

    // Closes the item to which the values added since the last call belong.
    void end_item() {
        const std::size_t start = offsets_.back();
        first_.push_back(ids_.size() > start ? hash(start) : 0);
        plural_ = plural_ || ids_.size() - start > 1;
        most_ = std::max(most_, ids_.size() - start);
        offsets_.push_back(static_cast<std::uint32_t>(ids_.size()));
    }

    void clear() { *this = AttributeValues(); }

    std::size_t memory() const noexcept {
        return texts_.memory() + ids_.capacity() * sizeof(StringTable::Id) + first_.capacity() * sizeof(Hash)
               + (offsets_.capacity() + weights_.capacity()) * sizeof(std::uint32_t);
    }

private:
    StringTable texts_;
    std::vector<std::uint32_t> offsets_{0};  // [items + 1]
    std::vector<StringTable::Id> ids_;       // [entries]
    std::vector<float> weights_;             // [entries]; empty if all are 1
    bool is_weighted_ = false;
    std::vector<Hash> first_;  // [items]
    std::size_t most_ = 0;
    bool plural_ = false;
};

}  // namespace tagloom
