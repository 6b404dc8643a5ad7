// Candidates: a few labellings of a document with their local scores and, once non-local features are counted, their
// total scores (kazama-torisawa-2007, Eq. 1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/chain/lattice.hpp"
#include "tagloom/chain/nbest.hpp"
#include "tagloom/chain/nonlocal.hpp"

namespace tagloom {

// Candidates that another model found beforehand; re-ranking chooses from them.
struct CandidateLists {
    std::span<const std::int64_t> first;   // [D + 1] offsets of the candidates of every document
    std::span<const Label> labels;         // labels of all candidates, one after the other
    std::span<const std::int64_t> begins;  // [C + 1] offsets into the labels

    std::span<const Label> labels_of(std::size_t candidate) const noexcept {
        const auto begin = static_cast<std::size_t>(begins[candidate]);
        return labels.subspan(begin, static_cast<std::size_t>(begins[candidate + 1]) - begin);
    }
};

// The scratch memory is reused from document to document.
template <class Real>
class Candidates {
public:
    std::size_t size() const noexcept { return locals_.size(); }
    std::span<const Label> labels(std::size_t k) const noexcept { return {labels_.data() + k * length_, length_}; }
    double local(std::size_t k) const noexcept { return locals_[k]; }
    double total(std::size_t k) const noexcept { return totals_[k]; }
    std::span<const Count> counts(std::size_t k) const noexcept {
        return {counts_.data() + count_ends_[k], count_ends_[k + 1] - count_ends_[k]};
    }

    // Takes the n best labellings of the lattice, best first.
    void find(const Lattice<Real>& lattice, std::size_t n) {
        clear(lattice.length());
        const std::size_t found = nbest_(lattice, n);
        labels_.resize(found * length_);
        for (std::size_t k = 0; k < found; ++k) {
            nbest_.path(k, {labels_.data() + k * length_, length_});
            locals_.push_back(nbest_.score(k));
        }
    }

    // Takes the candidates of a list, with the local scores that `local` gives to labels.
    template <class Local>
    void take(const CandidateLists& lists, std::size_t document, std::size_t length, Local local) {
        clear(length);
        for (auto c = static_cast<std::size_t>(lists.first[document]);
             c < static_cast<std::size_t>(lists.first[document + 1]); ++c) {
            const std::span<const Label> labels = lists.labels_of(c);
            labels_.insert(labels_.end(), labels.begin(), labels.end());
            locals_.push_back(local(labels));
        }
    }

    // Adds the non-local features; does nothing without a counter.
    void rescore(NonlocalCounter* counter, const NonlocalWeights<Real>& weights) {
        counts_.clear(), count_ends_.assign(1, 0), totals_.clear();
        for (std::size_t k = 0; k < size(); ++k) {
            if (counter) counter->count(labels(k), counts_);
            count_ends_.push_back(counts_.size());
            totals_.push_back(locals_[k] + score_counts(counts(k), weights));
        }
    }

    // Returns the first candidate with the highest total, ignoring `left_out`, or size() if there is no such candidate.
    std::size_t best(std::size_t left_out) const noexcept {
        std::size_t best = size();
        for (std::size_t k = 0; k < size(); ++k)
            if (k != left_out && (best == size() || totals_[k] > totals_[best])) best = k;
        return best;
    }

private:
    void clear(std::size_t length) {
        length_ = length;
        labels_.clear(), locals_.clear(), totals_.clear();
    }

    NBest<Real> nbest_;
    std::size_t length_ = 0;
    std::vector<Label> labels_;  // [n][T]
    std::vector<double> locals_, totals_;
    std::vector<Count> counts_;
    std::vector<std::size_t> count_ends_;
};

}  // namespace tagloom
