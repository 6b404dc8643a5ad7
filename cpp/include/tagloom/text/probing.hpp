// Limits of linear probing, for tables whose keys may come from a stranger's file.
//
// Tables are at most half full, or at most to three quarters. With good hashes, the largest distance between the slot
// where a key belongs and the slot where it stands is about ln(n) / 0.19 or ln(n) / 0.038 among n keys: 107 or 550 for a
// billion. Only keys that were chosen to collide exceed the limits below, and each of them would walk over all others.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace tagloom {

inline constexpr std::size_t longest_probe = 1024;

// Most neighbouring slots that are taken. Lookups stop at a free slot, and chosen keys may fill most of a table without a
// gap and without a collision.
inline constexpr std::size_t longest_run = 4 * longest_probe;

[[noreturn]] inline void refuse_collisions() { throw std::invalid_argument("keys collide more often than hashes do"); }

// Throws if the key that belongs to `home` stands too far away, in a table of `mask` + 1 slots.
inline void check_distance(std::size_t home, std::size_t slot, std::size_t mask) {
    if (((slot - home) & mask) > longest_probe) refuse_collisions();
}

// Throws if too many neighbouring slots are taken; a run over the end of the table counts as two.
template <class Slots, class IsFree>
void check_runs(const Slots& slots, IsFree is_free) {
    std::size_t run = 0;
    for (const auto& slot : slots) {
        run = is_free(slot) ? 0 : run + 1;
        if (run > longest_run) refuse_collisions();
    }
}

}  // namespace tagloom
