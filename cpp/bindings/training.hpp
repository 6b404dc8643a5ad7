// Shared by the bindings of online and batch training.
#pragma once

#include "objects.hpp"
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
