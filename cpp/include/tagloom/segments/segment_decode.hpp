// Decodes many sentences into segments, and computes marginals and probabilities.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/decode.hpp"
#include "tagloom/chain/posterior.hpp"
#include "tagloom/learn/opponents.hpp"
#include "tagloom/segments/segment_forward_backward.hpp"
#include "tagloom/segments/segment_viterbi.hpp"

namespace tagloom {

// One thread's decoder.
template <class Real>
class SegmentDecoder {
public:
    SegmentDecoder(const ChainModel<Real>& model, const SegmentView& segments)
        : model_(model), lattice_(model.layout, segments) {
        lattice_.set_transitions(model.weights, model.mask);
    }

    Real operator()(const ChainInput& input, std::size_t sentence, std::span<const std::uint8_t> allowed,
                    std::span<Label> path) {
        lattice_.fill(model_.weights, input, sentence, model_.mask, allowed);
        return viterbi_(lattice_, path);
    }

private:
    ChainModel<Real> model_;
    SegmentLattice<Real> lattice_;
    SegmentViterbi<Real> viterbi_;
};

template <class Real>
TokenMarginals<Real> find_segment_marginals(const ChainModel<Real>& model, const ChainInput& input,
                                            std::span<const std::uint8_t> allowed, std::size_t threads) {
    const std::size_t sentences = input.sentences.size() - 1, labels = model.layout.labels;
    TokenMarginals<Real> out{std::vector<Real>(static_cast<std::size_t>(input.sentences.back()) * labels),
                             std::vector<double>(sentences)};
    parallel_for(sentences, threads, 32, [&] {
        SegmentLattice<Real> lattice(model.layout, input.segments);
        lattice.set_transitions(model.weights, model.mask);
        return [&, lattice = std::move(lattice), forward_backward = SegmentForwardBackward<Real>(),
                found = SegmentMarginals<Real>()](std::size_t s) mutable {
            lattice.fill(model.weights, input, s, model.mask, allowed_of(allowed, input, s, labels));
            forward_backward(lattice, found);
            out.log_z[s] = found.log_z;
            Real* to = out.probabilities.data() + input.begin(s) * labels;
            for (std::size_t t = 0; t < lattice.length(); ++t)
                std::copy_n(found.nodes.data() + t * model.layout.stride, labels, to + t * labels);
        };
    });
    return out;
}

// Returns log P(gold | x) of every sentence.
template <class Real>
std::vector<double> find_segment_log_probabilities(const ChainModel<Real>& model, const ChainInput& input,
                                                   std::span<const Label> gold, std::size_t threads) {
    std::vector<double> out(input.sentences.size() - 1);
    parallel_for(out.size(), threads, 32, [&] {
        SegmentLattice<Real> lattice(model.layout, input.segments);
        lattice.set_transitions(model.weights, model.mask);
        return [&, lattice = std::move(lattice), forward_backward = SegmentForwardBackward<Real>(),
                found = SegmentMarginals<Real>()](std::size_t s) mutable {
            const auto own = gold.subspan(input.begin(s), input.length(s));
            lattice.fill(model.weights, input, s, model.mask);
            forward_backward(lattice, found);
            out[s] = gold_score(lattice.tokens(), own) + lattice.score_segments(own) - found.log_z;
        };
    });
    return out;
}

}  // namespace tagloom
