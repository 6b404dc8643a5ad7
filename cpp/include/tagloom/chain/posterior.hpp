// Marginals, probabilities and posterior decoding of encoded sentences.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/decode.hpp"
#include "tagloom/chain/forward_backward.hpp"
#include "tagloom/learn/opponents.hpp"

namespace tagloom {

// One thread's forward-backward.
template <class Real>
class MarginalFinder {
public:
    explicit MarginalFinder(const ChainModel<Real>& model, bool wants_pairs = false)
        : model_(model), lattice_(model.layout) {
        lattice_.set_transitions(model.weights, model.mask);
        marginals_.wants_pairs = wants_pairs;
    }

    const Marginals<Real>& operator()(const ChainInput& input, std::size_t sentence,
                                      std::span<const std::uint8_t> allowed) {
        lattice_.fill(model_.weights, input, sentence, model_.mask, allowed);
        forward_backward_(lattice_, marginals_);
        return marginals_;
    }

    const Lattice<Real>& lattice() const noexcept { return lattice_; }

private:
    ChainModel<Real> model_;
    Lattice<Real> lattice_;
    ForwardBackward<Real> forward_backward_;
    Marginals<Real> marginals_;
};

// Computes P(label | x) of every token and label, [N][L], and log Z of every sentence.
template <class Real>
struct TokenMarginals {
    std::vector<Real> probabilities;
    std::vector<double> log_z;
};

template <class Real>
TokenMarginals<Real> find_marginals(const ChainModel<Real>& model, const ChainInput& input,
                                    std::span<const std::uint8_t> allowed, std::size_t threads) {
    const std::size_t sentences = input.sentences.size() - 1, labels = model.layout.labels,
                      stride = model.layout.stride;
    TokenMarginals<Real> out{std::vector<Real>(static_cast<std::size_t>(input.sentences.back()) * labels),
                             std::vector<double>(sentences)};
    parallel_for(sentences, threads, 32, [&] {
        return [&, find = MarginalFinder<Real>(model)](std::size_t s) mutable {
            const Marginals<Real>& found = find(input, s, allowed_of(allowed, input, s, labels));
            out.log_z[s] = found.log_z;
            for (std::size_t t = 0; t < input.length(s); ++t)
                std::copy_n(found.nodes.data() + t * stride, labels,
                            out.probabilities.data() + (input.begin(s) + t) * labels);
        };
    });
    return out;
}

// Computes log P(gold | x) of every sentence; minus infinity where the masks forbid gold.
template <class Real>
std::vector<double> log_probabilities(const ChainModel<Real>& model, const ChainInput& input,
                                      std::span<const Label> gold, std::size_t threads) {
    std::vector<double> out(input.sentences.size() - 1);
    parallel_for(out.size(), threads, 32, [&] {
        return [&, find = MarginalFinder<Real>(model)](std::size_t s) mutable {
            const double log_z = find(input, s, {}).log_z;
            const double score = gold_score(find.lattice(), gold.subspan(input.begin(s), input.length(s)));
            out[s] = std::isfinite(score) ? score - log_z : score;
        };
    });
    return out;
}

// Finds, among all sequences that the masks allow, the one with the highest sum of marginals, that is, the highest
// expected number of correct labels.
template <class Real>
Decoded<Real> decode_posterior(const ChainModel<Real>& model, const ChainInput& input,
                               std::span<const std::uint8_t> allowed, std::size_t threads) {
    const std::size_t sentences = input.sentences.size() - 1;
    Decoded<Real> out{std::vector<Label>(static_cast<std::size_t>(input.sentences.back())),
                      std::vector<Real>(sentences)};
    parallel_for(sentences, threads, 32, [&] {
        return [&, find = MarginalFinder<Real>(model), lattice = Lattice<Real>(model.layout),
                viterbi = Viterbi<Real>()](std::size_t s) mutable {
            const Marginals<Real>& found = find(input, s, allowed_of(allowed, input, s, model.layout.labels));
            lattice.fill_scores({found.nodes.data(), input.length(s) * model.layout.stride}, input.length(s),
                                model.mask);
            out.scores[s] = viterbi(lattice, {out.labels.data() + input.begin(s), input.length(s)});
        };
    });
    return out;
}

}  // namespace tagloom
