// Opponents within a margin, which are chosen among candidates (kazama-torisawa-2007).
//
//   Algorithm 3.1  margin perceptron: two candidates, no non-local features
//   Algorithm 4.1  "candidate": n candidates, compared by their total scores
//   Algorithm 4.2  "proposed": the same, and where the total model is good enough, the local model is fixed so that it
//                  ranks gold first (aggressive), or so that gold is among the candidates at all (conservative)
//   re-ranking 2   Algorithm 4.1 over candidates of another model (section 6.3); re-ranking 1 has no local features: rerank/voting.hpp
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/chain/candidates.hpp"
#include "tagloom/learn/difference.hpp"
#include "tagloom/learn/opponents.hpp"

namespace tagloom {

struct MarginSettings {
    std::size_t candidates = 2;    // n
    double total_margin = 0;       // C^a
    double local_margin = 0;       // C^l
    bool mends_local = false;      // part (B) of Algorithm 4.2
    bool is_conservative = false;  // (B) only where gold is not among the candidates
    bool local_first = false;      // (B) before (A)
};

template <class Real>
class MarginOpponent {
public:
    // `lists`, if given, replace the n best (re-ranking).
    MarginOpponent(const ChainProblem<Real>& problem, const MarginSettings& settings, const NonlocalFeatures* features,
                   const CandidateLists* lists, const NonlocalWeights<Real>& nonlocal)
        : problem_(problem),
          settings_(settings),
          lists_(lists),
          nonlocal_(nonlocal),
          lattice_(problem.layout),
          counter_(features ? features->counter() : nullptr) {}

    // Announces the next document, for prefetching.
    void expect(const Real* weights, std::size_t document) const noexcept {
        lattice_.prefetch_first(weights, problem_.input, document);
    }

    void find(const Real* weights, std::size_t document, Difference<Real>& difference) {
        difference.clear();
        gold_ = problem_.gold_of(document);
        lattice_.set_transitions(weights, problem_.mask);
        lattice_.fill(weights, problem_.input, document, problem_.mask);
        gold_local_ = gold_score(lattice_, gold_);
        if (gold_.empty() || !std::isfinite(gold_local_)) return;  // labels that the masks forbid teach nothing
        find_candidates(document);
        rescore(document);
        const bool is_moved =
            settings_.local_first && settings_.mends_local ? compare_locals(document, difference) : false;
        if (is_moved || compare_totals(document, difference)) return;
        if (settings_.mends_local && !settings_.local_first) compare_locals(document, difference);
    }

private:
    void find_candidates(std::size_t document) {
        if (!lists_) candidates_.find(lattice_, settings_.candidates);
        else
            candidates_.take(*lists_, document, gold_.size(),
                             [&](std::span<const Label> labels) { return gold_score(lattice_, labels); });
    }

    void rescore(std::size_t document) {
        gold_counts_.clear();
        if (counter_) {
            counter_->begin(document);
            counter_->count(gold_, gold_counts_);
        }
        gold_total_ = gold_local_ + score_counts<Real>(gold_counts_, nonlocal_);
        candidates_.rescore(counter_.get(), nonlocal_);
        gold_rank_ = candidates_.size();
        for (std::size_t k = 0; k < candidates_.size(); ++k)
            if (std::ranges::equal(candidates_.labels(k), gold_)) gold_rank_ = k;
    }

    // Part (A): compares gold with the best candidate or, where that is gold, with the second best. Returns true if
    // there is a violation.
    bool compare_totals(std::size_t document, Difference<Real>& difference) {
        const std::size_t none = candidates_.size(), best = candidates_.best(none);
        if (best == none) return false;
        difference.errors = count_errors(best);
        const std::size_t rival = best == gold_rank_ ? candidates_.best(best) : best;
        if (rival == none || gold_total_ - candidates_.total(rival) > settings_.total_margin) return false;
        difference.loss = settings_.total_margin - (gold_total_ - candidates_.total(rival));
        chain_difference<Real>(problem_.layout, problem_.input, document, gold_, candidates_.labels(rival), difference);
        subtract_counts(gold_counts_, candidates_.counts(rival), difference.counts);
        return true;
    }

    // Part (B): does the same with local scores and local features only.
    bool compare_locals(std::size_t document, Difference<Real>& difference) {
        if (settings_.is_conservative && gold_rank_ < candidates_.size()) return false;
        if (candidates_.size() == 0) return false;
        const std::size_t rival = gold_rank_ == 0 ? 1 : 0;
        if (rival >= candidates_.size()) return false;
        const double margin = gold_local_ - candidates_.local(rival);
        if (rival == 1 && margin > settings_.local_margin) return false;
        difference.errors = count_errors(candidates_.best(candidates_.size()));
        difference.loss = std::max(settings_.local_margin - margin, 0.0);
        chain_difference<Real>(problem_.layout, problem_.input, document, gold_, candidates_.labels(rival), difference);
        return true;
    }

    std::size_t count_errors(std::size_t k) const {
        std::size_t errors = 0;
        for (std::size_t t = 0; t < gold_.size(); ++t) errors += gold_[t] != candidates_.labels(k)[t];
        return errors;
    }

    const ChainProblem<Real>& problem_;
    const MarginSettings settings_;
    const CandidateLists* lists_;
    const NonlocalWeights<Real>& nonlocal_;
    Lattice<Real> lattice_;
    std::unique_ptr<NonlocalCounter> counter_;
    Candidates<Real> candidates_;
    std::span<const Label> gold_;
    double gold_local_ = 0, gold_total_ = 0;
    std::size_t gold_rank_ = 0;  // index among the candidates, or their number if gold is not one of them
    std::vector<Count> gold_counts_;
};

}  // namespace tagloom
