// Non-local features: functions of a whole document and all of its labels (Phi^g of kazama-torisawa-2007, section 4).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/averaging.hpp"
#include "tagloom/chain.hpp"
#include "tagloom/difference.hpp"

namespace tagloom {

// Counts the features of one labelling after another of the same document. Not shared by threads.
class NonlocalCounter {
public:
    virtual ~NonlocalCounter() = default;
    virtual void begin(std::size_t document) = 0;
    // Appends the features that hold; a row may stand several times.
    virtual void count(std::span<const Label> labels, std::vector<Count>& counts) = 0;
};

// The features of some documents; gives every thread its own counter.
class NonlocalFeatures {
public:
    virtual ~NonlocalFeatures() = default;
    virtual std::unique_ptr<NonlocalCounter> counter() const = 0;
};

template <class Real>
double score_counts(std::span<const Count> counts, const NonlocalWeights<Real>& weights) {
    double score = 0;
    for (const Count& count : counts) score += static_cast<double>(count.amount) * static_cast<double>(weights[count.row]);
    return score;
}

}  // namespace tagloom
