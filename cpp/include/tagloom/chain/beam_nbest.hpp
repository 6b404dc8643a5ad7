// The best hypotheses of a beam as candidates: n-best lists of taggers whose scores do not fit a lattice of label
// pairs.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tagloom/chain/conditional.hpp"
#include "tagloom/chain/rescoring.hpp"
#include "tagloom/transition/beam.hpp"

namespace tagloom {

// Finds the n best labellings of every sentence in a beam of width n, or of the model's own width if that is larger.
// Their scores are log probabilities if the search is normalised.
template <class Real, class System>
NBestLists<Real> find_in_beam(const ChainModel<Real>& model, const SearchSettings& search, const ChainInput& input,
                              std::span<const std::uint8_t> allowed, std::size_t n, std::size_t threads) {
    return collect_lists<Real>(input, threads, [&] {
        return [&, system = System(model.layout, model.mask, search.is_backwards),
                beam = Beam<System>(std::max(n, search.beam)), actions = std::vector<Action>()](
                   std::size_t s, std::vector<Label>& labels, std::vector<double>& scores) mutable {
            system.begin(model.weights, input, s, {}, allowed_of(allowed, input, s, model.layout.labels));
            if (!fill_beam(system, beam)) return;
            const std::size_t length = input.length(s), count = std::min(n, beam.size());
            labels.resize(count * length);
            for (std::size_t k = 0; k < count; ++k) {
                beam.path(beam.best() + k, actions);
                for (std::size_t step = 0; step < length; ++step)
                    labels[k * length + system.token(step)] = actions[step];
                scores.push_back(static_cast<double>(beam.node(beam.best() + k).score));
            }
        };
    });
}

template <class Real>
NBestLists<Real> find_beam_nbest(const ChainModel<Real>& model, const SearchSettings& search, const ChainInput& input,
                                 std::span<const std::uint8_t> allowed, std::size_t n, std::size_t threads) {
    if (search.is_normalised)
        return find_in_beam<Real, NormalisedTagging<Real>>(model, search, input, allowed, n, threads);
    return find_in_beam<Real, TaggingSystem<Real>>(model, search, input, allowed, n, threads);
}

}  // namespace tagloom
