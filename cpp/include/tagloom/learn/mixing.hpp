// Mixing of several learners that began a pass alike (iterative parameter mixing; McDonald, Hall & Mann 2010, Figure 3).
//
// A row of weights becomes the mean of the copies that the examples have moved. The paper takes the mean of all copies,
// so that what only one copy has learned, as for most rare features, shrinks to a fraction in every pass. The sums of the
// lazy average are linear in the changes of the weights, so that their mean belongs to the mean of the weights, as long
// as all learners have seen equally many examples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/learn/epoch.hpp"
#include "tagloom/learn/steps.hpp"

namespace tagloom {

// A step that notes which rows it moves.
template <class Real>
struct NotingStep {
    StepRef<Real> step;
    StepShape shape;

    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) const {
        for_each_row(difference, shape.layout, shape.input,
                     [&](const std::uint32_t* rows, const Real*, std::size_t count, const Real*) {
                         for (std::size_t i = 0; i < count; ++i) weights.moves[rows[i]] |= moved_by_examples;
                     });
        for (const auto& entry : difference.entries) weights.moves[entry.row] |= moved_by_examples;
        step.move(difference, weights);
    }

    void end_example(AveragedWeights<Real>& weights) const { step.end_example(weights); }
};

// Calls visit(row, first weight, number of weights) for the rows from `begin` to `end`, as features are numbered.
template <class Visit>
void for_each_weight_row(const ChainLayout& layout, std::size_t begin, std::size_t end, Visit visit) {
    for (std::size_t row = begin; row < end; ++row) {
        if (row < layout.node_rows + layout.labels) {
            visit(row, row * layout.stride, layout.stride);
        } else {
            const std::size_t feature = row - layout.edge_row(0);
            const auto first = static_cast<std::size_t>(layout.edge_offsets[feature]),
                       last = static_cast<std::size_t>(layout.edge_offsets[feature + 1]);
            visit(row, layout.edge_begin() + first, last - first);
        }
    }
}

// The vectors of one kind, one per copy.
template <class Real>
using Copies = std::vector<std::span<Real>>;

// Replaces rows of several copies by their mean. Every number is the sum over the copies, in their order, divided by how
// many they are: the same for any number of threads.
template <class Real>
class RowMixer {
public:
    // moves: how the rows of each copy have moved, cleared by mixing. kinds: vectors of the size of the weights, such as
    // weights and sums.
    RowMixer(const ChainLayout& layout, const Copies<std::uint8_t>& moves, const std::vector<Copies<Real>>& kinds)
        : layout_(layout), moves_(moves), kinds_(kinds) {}

    void mix(std::size_t threads) const {
        constexpr std::size_t stretch = 1 << 14, step = sizeof(std::uint64_t);
        const std::size_t rows = layout_.feature_rows();
        parallel_for((rows + stretch - 1) / stretch, threads, 4, [&] {
            return [this, rows, moving = std::vector<std::size_t>()](std::size_t number) mutable {
                const std::size_t begin = number * stretch, end = std::min(begin + stretch, rows);
                for (std::size_t word = begin; word < end; word += step) {
                    const std::size_t last = std::min(word + step, end);
                    if (!has_moves(word, last)) continue;
                    for_each_weight_row(layout_, word, last,
                                        [&](std::size_t row, std::size_t first, std::size_t count) {
                                            if (find_moving(row, moving)) mix_row(moving, first, count);
                                        });
                }
            };
        });
        if (!layout_.has_triples) return;
        std::vector<std::size_t> all(moves_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        mix_row(all, layout_.triple_begin(), layout_.size() - layout_.triple_begin());
    }

private:
    // Most rows have not moved: eight of them are looked at at once.
    bool has_moves(std::size_t begin, std::size_t end) const noexcept {
        std::uint64_t any = 0;
        for (const std::span<std::uint8_t> own : moves_) {
            std::uint64_t word = 0;
            std::memcpy(&word, own.data() + begin, end - begin);
            any |= word;
        }
        return any != 0;
    }

    // Lists the copies whose examples have moved a row, or all copies if it has only been shrunk, which they do at
    // different times. Returns whether there are any.
    bool find_moving(std::size_t row, std::vector<std::size_t>& moving) const {
        moving.clear();
        std::uint8_t any = 0;
        for (std::size_t copy = 0; copy < moves_.size(); ++copy) {
            any |= moves_[copy][row];
            if (moves_[copy][row] & moved_by_examples) moving.push_back(copy);
            moves_[copy][row] = 0;
        }
        if (any == moved_by_shrinking) {
            moving.resize(moves_.size());
            std::iota(moving.begin(), moving.end(), std::size_t{0});
        }
        return any != 0;
    }

    void mix_row(const std::vector<std::size_t>& moving, std::size_t first, std::size_t count) const {
        for (const Copies<Real>& copies : kinds_) {
            const auto at = [&](std::size_t copy) { return copies[copy].data() + first; };
            Real* mean = at(moving.front());
            const bool are_equal =
                moving.size() == copies.size() && std::all_of(moving.begin() + 1, moving.end(), [&](std::size_t copy) {
                    return std::equal(mean, mean + count, at(copy));
                });
            if (are_equal) continue;  // and may have no memory yet
            for (std::size_t m = 1; m < moving.size(); ++m)
                for (std::size_t i = 0; i < count; ++i) mean[i] += at(moving[m])[i];
            if (moving.size() > 1)
                for (std::size_t i = 0; i < count; ++i) mean[i] /= static_cast<Real>(moving.size());
            for (std::size_t copy = 0; copy < copies.size(); ++copy)
                if (copy != moving.front()) std::copy(mean, mean + count, at(copy));
        }
    }

    const ChainLayout& layout_;
    const Copies<std::uint8_t>& moves_;
    const std::vector<Copies<Real>>& kinds_;
};

}  // namespace tagloom
