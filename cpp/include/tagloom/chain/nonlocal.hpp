// Non-local features: functions of a whole document and all of its labels (Phi^g of kazama-torisawa-2007, section 4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/difference.hpp"

namespace tagloom {

// Counts the features of one labelling after another of the same document. Threads must not share it.
class NonlocalCounter {
public:
    virtual ~NonlocalCounter() = default;
    virtual void begin(std::size_t document) = 0;
    // Appends the features that hold; a row may occur several times.
    virtual void count(std::span<const Label> labels, std::vector<Count>& counts) = 0;
};

// The features of some documents; every thread gets its own counter.
class NonlocalFeatures {
public:
    virtual ~NonlocalFeatures() = default;
    virtual std::unique_ptr<NonlocalCounter> counter() const = 0;
};

// Appends gold - other, with one count per row, and omits rows with equal counts.
inline void subtract_counts(std::span<const Count> gold, std::span<const Count> other, std::vector<Count>& out) {
    const std::size_t first = out.size();
    out.insert(out.end(), gold.begin(), gold.end());
    for (const Count& count : other) out.push_back({count.row, -count.amount});
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
              [](const Count& a, const Count& b) { return a.row < b.row; });
    std::size_t kept = first;
    for (std::size_t i = first; i < out.size();) {
        Count sum{out[i].row, 0};
        for (; i < out.size() && out[i].row == sum.row; ++i) sum.amount += out[i].amount;
        if (sum.amount != 0) out[kept++] = sum;
    }
    out.resize(kept);
}

template <class Real>
double score_counts(std::span<const Count> counts, const NonlocalWeights<Real>& weights) {
    double score = 0;
    for (const Count& count : counts)
        score += static_cast<double>(count.amount) * static_cast<double>(weights[count.row]);
    return score;
}

}  // namespace tagloom
