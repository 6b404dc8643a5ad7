// Steps: how far to move along the difference.
#pragma once

#include "tagloom/difference.hpp"

namespace tagloom {

// The perceptron's: always one.
template <class Real>
struct UnitStep {
    Real operator()(const SparseDifference<Real>&) const noexcept { return 1; }
};

}  // namespace tagloom
