// SearchSettings: how a history-based model searches, in training and in decoding.
#pragma once

#include <cstddef>

namespace tagloom {

// Where gold is compared with the best hypothesis of a beam (transition/beam.hpp).
enum class BeamUpdate { early, max_violation };

struct SearchSettings {
    std::size_t depth = 0;  // D, the depth of lookahead
    double margin = 0;      // C, in learning by lookahead
    std::size_t beam = 0;   // number of hypotheses; 0 means lookahead
    BeamUpdate update = BeamUpdate::max_violation;
    bool is_backwards = false;   // tagging from right to left
    bool is_normalised = false;  // scores of a decision are log probabilities (chain/conditional.hpp)

    bool looks_ahead() const noexcept { return beam == 0 && depth > 0; }
};

}  // namespace tagloom
