// ActionRows: the actions for which a feature has weights, and where these weights lie.
//
// A parser with relations has about a hundred actions, and a feature occurs with two or three of them. A row lists only
// the actions that were ever touched. Its entries lie side by side in a block, and a full block moves to one of twice
// the size. Weights, sums of an average and actions share the numbers of the entries.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/learn/averaging.hpp"

namespace tagloom {

template <class Real>
class ActionRows {
public:
    struct Block {
        std::uint32_t first = 0;  // entry
        std::uint16_t count = 0, capacity = 0;
    };

    explicit ActionRows(bool averaged = false) : averaged_(averaged) {}

    // Builds rows read from a file, with counts[row] entries each.
    ActionRows(std::span<const std::uint16_t> counts, std::span<const std::uint16_t> actions)
        : actions_(actions.begin(), actions.end()) {
        std::uint32_t first = 0;
        for (const std::uint16_t count : counts) {
            blocks_.push_back({first, count, count});
            first += count;
        }
    }

    std::size_t size() const noexcept { return blocks_.size(); }
    const Block& block(std::size_t row) const noexcept { return blocks_[row]; }
    std::uint16_t action(std::size_t entry) const noexcept { return actions_[entry]; }
    const std::uint16_t* actions() const noexcept { return actions_.data(); }

    // Returns the entry of an action, or none.
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t find(std::size_t row, std::size_t action) const noexcept {
        const Block& block = blocks_[row];
        for (std::uint32_t entry = block.first; entry < block.first + block.count; ++entry)
            if (actions_[entry] == action) return entry;
        return none;
    }

    // -- for a learner --

    BigVector<Real> values, sums;  // [entries]; sums is empty without averaging

    // Creates an entry for the action if there is none; entries of the row may move.
    void touch(std::size_t row, std::size_t action) {
        if (row >= blocks_.size()) blocks_.resize(row + 1);
        if (find(row, action) != none) return;
        Block& block = blocks_[row];
        if (block.count == block.capacity) move_to_larger(block);
        actions_[block.first + block.count] = static_cast<std::uint16_t>(action);
        block.count += 1;
    }

private:
    void move_to_larger(Block& block) {
        const auto capacity = static_cast<std::uint16_t>(block.capacity == 0 ? 1 : block.capacity * 2);
        const std::uint32_t first = room_for(capacity);
        for (std::uint32_t i = 0; i < block.count; ++i) {
            const std::uint32_t from = block.first + i, to = first + i;
            actions_[to] = actions_[from];
            values[to] = values[from], values[from] = 0;
            if (averaged_) sums[to] = sums[from], sums[from] = 0;
        }
        if (block.capacity > 0)
            free_[static_cast<std::size_t>(std::countr_zero(block.capacity))].push_back(block.first);
        block.first = first, block.capacity = capacity;
    }

    // Returns entries that a smaller row has freed, or new ones.
    std::uint32_t room_for(std::uint16_t capacity) {
        auto& left = free_[static_cast<std::size_t>(std::countr_zero(capacity))];
        if (!left.empty()) {
            const std::uint32_t first = left.back();
            left.pop_back();
            return first;
        }
        const std::size_t first = values.size();
        if (first + capacity >= none) throw std::length_error("a parser must have fewer than 2^32 weights");
        values.resize(first + capacity);
        if (averaged_) sums.resize(first + capacity);
        actions_.resize(first + capacity);
        return static_cast<std::uint32_t>(first);
    }

    bool averaged_ = false;
    std::vector<Block> blocks_;  // [rows]
    std::vector<std::uint16_t> actions_;
    std::array<std::vector<std::uint32_t>, 16> free_;  // first entries of free blocks, by the logarithm of their size
};

}  // namespace tagloom
