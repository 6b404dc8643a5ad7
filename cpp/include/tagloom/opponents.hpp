// Opponents: what gold is compared with. An opponent fills Phi(gold) - Phi(opponent) and says how many tokens differ;
// no difference means no violation.
#pragma once

#include <span>
#include <vector>

#include "tagloom/chain.hpp"
#include "tagloom/difference.hpp"
#include "tagloom/lattice.hpp"
#include "tagloom/viterbi.hpp"

namespace tagloom {

// Sentences with gold labels: what a learner learns from.
template <class Real>
struct ChainProblem {
    ChainLayout layout;
    ChainInput input;
    std::span<const Label> gold;  // [N]
    const ChainMask<Real>& mask;

    std::span<const Label> gold_of(std::size_t sentence) const noexcept {
        return gold.subspan(input.begin(sentence), input.length(sentence));
    }
};

// The best sequence under the current weights (Collins 2002, structured perceptron).
template <class Real>
class BestOpponent {
public:
    explicit BestOpponent(const ChainProblem<Real>& problem) : problem_(problem), lattice_(problem.layout) {}

    std::size_t find(const Real* weights, std::size_t sentence, SparseDifference<Real>& difference) {
        difference.clear();
        const std::span<const Label> gold = problem_.gold_of(sentence);
        path_.resize(gold.size());
        lattice_.set_transitions(weights, problem_.mask);
        lattice_.fill(weights, problem_.input, sentence, problem_.mask);
        viterbi_(lattice_, path_);
        std::size_t errors = 0;
        for (std::size_t t = 0; t < gold.size(); ++t) errors += gold[t] != path_[t];
        if (errors > 0) chain_difference<Real>(problem_.layout, problem_.input, sentence, gold, path_, difference);
        return errors;
    }

private:
    const ChainProblem<Real>& problem_;
    Lattice<Real> lattice_;
    Viterbi<Real> viterbi_;
    std::vector<Label> path_;
};

}  // namespace tagloom
