// Shared by the bindings of online and batch training.
#pragma once

#include "objects.hpp"
#include "tagloom/learn/gold_counts.hpp"
#include "tagloom/learn/opponents.hpp"

inline constexpr double most_number = 1e15;  // below 2^53, so that whole numbers stay exact

template <class Real>
tagloom::ChainProblem<Real> problem_of(const ChainData& data, std::span<const double> costs = {}) {
    return {data.chain->layout, data.input, view(data.gold), data.chain->mask<Real>(), costs};
}

inline void check_fit(const ChainData& data, std::size_t weights) {
    if (data.gold.size() + 1 != data.nodes.offsets.size()) refuse("training needs gold labels");
    if (weights != data.chain->layout.size()) refuse("weights do not fit the chain");
}

// For learners that know labels and label pairs only.
inline void check_labels_only(const ChainData& data) {
    if (!data.input.segments.empty()) refuse("this learner does not know features of segments");
}

// Counts in the gold labels of one chain.
struct GoldCountsObject {
    std::shared_ptr<ChainObject> chain;
    tagloom::GoldCounts counts;

    GoldCountsObject(std::shared_ptr<ChainObject> of, bool is_backwards)
        : chain(std::move(of)), counts(chain->layout, is_backwards) {}

    void add(const ChainData& data) {
        if (!counts.fits(data.chain->layout)) refuse("the data belong to another chain");
        check_fit(data, chain->layout.size());
        nb::gil_scoped_release release;
        counts.add(chain->layout, data.input, view(data.gold));
    }
};
