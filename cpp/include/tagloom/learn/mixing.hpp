// Mixing of the vectors of several learners: each is replaced by the mean of all (iterative parameter mixing with uniform
// weights; McDonald, Hall & Mann 2010, Figure 3). The sums of the lazy average are linear in the changes of the weights,
// so that their mean belongs to the mean of the weights, as long as all learners have seen equally many examples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "tagloom/fast/parallel.hpp"

namespace tagloom {

// Every number is the sum over the learners, in their order, divided by their number: the same for any number of
// threads. Stretches that are equal in all learners are not written, because most weights do not move in a pass.
template <class Real>
void mix_vectors(const std::vector<std::span<Real>>& vectors, std::size_t threads) {
    constexpr std::size_t stretch = 1024;
    const std::size_t size = vectors.front().size(), stretches = (size + stretch - 1) / stretch;
    const Real count = static_cast<Real>(vectors.size());
    parallel_for(stretches, threads, 64, [&] {
        return [&](std::size_t number) {
            const std::size_t begin = number * stretch, length = std::min(stretch, size - begin);
            const std::span<Real> first = vectors.front().subspan(begin, length);
            const bool are_equal = std::all_of(vectors.begin() + 1, vectors.end(), [&](std::span<Real> other) {
                return std::equal(first.begin(), first.end(), other.begin() + static_cast<std::ptrdiff_t>(begin));
            });
            if (are_equal) return;
            for (std::size_t v = 1; v < vectors.size(); ++v)
                for (std::size_t i = 0; i < length; ++i) first[i] += vectors[v][begin + i];
            for (Real& value : first) value /= count;
            for (std::size_t v = 1; v < vectors.size(); ++v)
                std::copy(first.begin(), first.end(), vectors[v].begin() + static_cast<std::ptrdiff_t>(begin));
        };
    });
}

}  // namespace tagloom
