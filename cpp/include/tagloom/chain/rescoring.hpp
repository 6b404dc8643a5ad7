// Decoding with non-local features: chooses, among the n best labellings by local features, the one with the highest
// total score (kazama-torisawa-2007, Eq. 1). Documents are processed in parallel.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/chain/decode.hpp"
#include "tagloom/chain/nbest.hpp"
#include "tagloom/chain/nonlocal.hpp"
#include "tagloom/chain/posterior.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/learn/opponents.hpp"

namespace tagloom {

// The n best labellings of every sequence, one after the other.
template <class Real>
struct NBestLists {
    std::vector<std::int64_t> first{0};   // [S + 1] offsets of the candidates of every sequence
    std::vector<std::int64_t> begins{0};  // [C + 1] offsets into the labels
    std::vector<Label> labels;
    std::vector<double> scores;  // [C]
};

// make_finder() gives a thread a function of (sequence, labels, scores) that writes the candidates of a sequence.
template <class Real, class MakeFinder>
NBestLists<Real> collect_lists(const ChainInput& input, std::size_t threads, MakeFinder make_finder) {
    struct Lists {
        std::vector<Label> labels;
        std::vector<double> scores;
    };
    const std::size_t sequences = input.sentences.size() - 1;
    std::vector<Lists> found(sequences);
    parallel_for(sequences, threads, 4, [&] {
        return [&, find = make_finder()](std::size_t s) mutable { find(s, found[s].labels, found[s].scores); };
    });
    NBestLists<Real> out;
    std::size_t label_count = 0;
    for (const Lists& each : found) label_count += each.labels.size();
    out.labels.reserve(label_count);
    for (std::size_t s = 0; s < sequences; ++s) {
        for (std::size_t k = 0; k < found[s].scores.size(); ++k)
            out.begins.push_back(out.begins.back() + static_cast<std::int64_t>(input.length(s)));
        out.first.push_back(out.first.back() + static_cast<std::int64_t>(found[s].scores.size()));
        out.labels.insert(out.labels.end(), found[s].labels.begin(), found[s].labels.end());
        out.scores.insert(out.scores.end(), found[s].scores.begin(), found[s].scores.end());
        found[s] = {};
    }
    return out;
}

template <class Real>
NBestLists<Real> find_nbest(const ChainModel<Real>& model, const ChainInput& input,
                            std::span<const std::uint8_t> allowed, std::size_t n, std::size_t threads) {
    return collect_lists<Real>(input, threads, [&] {
        return [&, lattice = Lattice<Real>(model.layout), nbest = NBest<Real>(), is_set = false](
                   std::size_t s, std::vector<Label>& labels, std::vector<double>& scores) mutable {
            if (!is_set) lattice.set_transitions(model.weights, model.mask), is_set = true;
            lattice.fill(model.weights, input, s, model.mask, allowed_of(allowed, input, s, model.layout.labels));
            const std::size_t count = nbest(lattice, n), length = input.length(s);
            labels.resize(count * length);
            for (std::size_t k = 0; k < count; ++k) {
                nbest.path(k, {labels.data() + k * length, length});
                scores.push_back(nbest.score(k));
            }
        };
    });
}

// Scores labellings of a sequence.
template <class Real>
class PathScorer {
public:
    explicit PathScorer(const ChainModel<Real>& model) : model_(model), lattice_(model.layout) {
        lattice_.set_transitions(model.weights, model.mask);
    }
    void fill(const ChainInput& input, std::size_t sequence) {
        lattice_.fill(model_.weights, input, sequence, model_.mask);
    }
    double operator()(std::span<const Label> labels) const { return gold_score(lattice_, labels); }

private:
    ChainModel<Real> model_;
    Lattice<Real> lattice_;
};

// The weights and features that decide between candidates.
template <class Real>
struct TotalModel {
    const NonlocalFeatures& features;
    NonlocalWeights<Real> weights;
    const Real* second = nullptr;  // weights that score the candidates instead of those that found them (re-ranking 2)
};

template <class Real>
class Rescorer {
public:
    Rescorer(const ChainModel<Real>& model, const TotalModel<Real>& total)
        : model_(model),
          total_(total),
          lattice_(model.layout),
          second_(model.layout),
          counter_(total.features.counter()) {
        lattice_.set_transitions(model.weights, model.mask);
        if (total.second) second_.set_transitions(total.second, model.mask);
    }

    // Writes the best labels and returns their total score; minus infinity if no sequence is allowed.
    double operator()(const ChainInput& input, std::size_t document, std::span<const std::uint8_t> allowed,
                      std::size_t n, std::span<Label> best) {
        lattice_.fill(model_.weights, input, document, model_.mask, allowed);
        if (total_.second) second_.fill(total_.second, input, document, model_.mask, allowed);
        const std::size_t found = nbest_(lattice_, n);
        counter_->begin(document);
        labels_.resize(best.size());
        double highest = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < found; ++k) {
            nbest_.path(k, labels_);
            const double score = total(k);
            if (k > 0 && !(score > highest)) continue;
            highest = score;
            std::copy(labels_.begin(), labels_.end(), best.begin());
        }
        if (found == 0) std::fill(best.begin(), best.end(), 0);
        return highest;
    }

private:
    double total(std::size_t k) {
        counts_.clear();
        counter_->count(labels_, counts_);
        const double local = total_.second ? gold_score<Real>(second_, labels_) : nbest_.score(k);
        return local + score_counts<Real>(counts_, total_.weights);
    }

    ChainModel<Real> model_;
    const TotalModel<Real>& total_;
    Lattice<Real> lattice_, second_;
    NBest<Real> nbest_;
    std::unique_ptr<NonlocalCounter> counter_;
    std::vector<Label> labels_;
    std::vector<Count> counts_;
};

template <class Real>
Decoded<double> decode_rescored(const ChainModel<Real>& model, const TotalModel<Real>& total, const ChainInput& input,
                                std::span<const std::uint8_t> allowed, std::size_t n, std::size_t threads) {
    const std::size_t documents = input.sentences.size() - 1;
    Decoded<double> out{std::vector<Label>(static_cast<std::size_t>(input.sentences.back())),
                        std::vector<double>(documents)};
    parallel_for(documents, threads, 1, [&] {
        return [&, rescore = std::make_shared<Rescorer<Real>>(model, total)](std::size_t d) mutable {
            out.scores[d] = (*rescore)(input, d, allowed_of(allowed, input, d, model.layout.labels), n,
                                       {out.labels.data() + input.begin(d), input.length(d)});
        };
    });
    return out;
}

}  // namespace tagloom
