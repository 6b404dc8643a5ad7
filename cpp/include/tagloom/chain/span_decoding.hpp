// Decoding for the F1 of spans: among all sets of spans that do not overlap, the one with the largest sum of
//
//   P(span | x) - threshold
//
// A set that is found this way has the highest expected number of right spans, less the threshold for every span that
// it has. The F1 that can be expected is highest if the threshold is half of it (Jansche 2007; Lipton, Elkan and
// Naryanaswamy 2014).
//
// The labels of a chain are a Markov chain given the words, so that the probability of a span is a product of those of
// single steps: it begins, goes on from label to label, and does not go on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/posterior.hpp"
#include "tagloom/chain/spans.hpp"

namespace tagloom {

struct ProbableSpan {
    LabelledSpan span;
    double probability;
};

// Finds the spans of a sentence whose probability is above a threshold, by their beginning, class and end.
template <class Real>
class SpanProbabilities {
public:
    explicit SpanProbabilities(const SpanLabels& known) : known_(known), of_class_(known.class_count) {
        for (std::size_t y = 0; y < known.classes.size(); ++y) of_class_[known.classes[y]].push_back(y);
    }

    // Whether the span of a label reaches on to the next one.
    bool goes_on(std::size_t label, std::size_t next) const {
        return known_.classes[label] != 0 && known_.classes[label] == known_.classes[next] && !known_.ends[label]
               && !known_.begins[next];
    }

    // `found` must have pairs.
    const std::vector<ProbableSpan>& operator()(const Marginals<Real>& found, std::size_t length, std::size_t stride,
                                                double threshold) {
        out_.clear();
        nodes_ = found.nodes.data(), pairs_ = found.pairs.data(), length_ = length, stride_ = stride;
        for (std::size_t t = 0; t < length; ++t)
            for (std::size_t c = 1; c < of_class_.size(); ++c) follow(t, c, threshold);
        return out_;
    }

private:
    double node(std::size_t t, std::size_t y) const { return nodes_[t * stride_ + y]; }
    double pair(std::size_t t, std::size_t p, std::size_t y) const {
        return pairs_[(t * known_.classes.size() + p) * stride_ + y];
    }

    // All spans of a class that begin at a token, as long as enough probability is left.
    void follow(std::size_t begin, std::size_t of_class, double threshold) {
        const std::vector<std::size_t>& labels = of_class_[of_class];
        mass_.clear();
        for (const std::size_t y : labels) {  // P(a span begins here with this label)
            double begins = node(begin, y);
            for (std::size_t i = 0; begin > 0 && i < labels.size(); ++i)
                if (goes_on(labels[i], y)) begins -= pair(begin, labels[i], y);
            mass_.push_back(std::max(begins, 0.0));
        }
        for (std::size_t t = begin; sum(mass_) > threshold; ++t) {
            const double reaches = sum(mass_);  // P(a span begins here and has this token)
            if (t + 1 < length_) step(labels, t);
            else mass_.assign(labels.size(), 0);
            const double ends = reaches - sum(mass_);
            if (ends > threshold) out_.push_back({{begin, t + 1, of_class}, ends});
        }
    }

    // The masses of the next token.
    void step(const std::vector<std::size_t>& labels, std::size_t t) {
        next_.assign(labels.size(), 0);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const double here = node(t, labels[i]);
            if (!(mass_[i] > 0) || !(here > 0)) continue;
            for (std::size_t k = 0; k < labels.size(); ++k)
                if (goes_on(labels[i], labels[k])) next_[k] += mass_[i] * pair(t + 1, labels[i], labels[k]) / here;
        }
        mass_.swap(next_);
    }

    static double sum(const std::vector<double>& values) {
        double total = 0;
        for (const double value : values) total += value;
        return total;
    }

    const SpanLabels& known_;
    std::vector<std::vector<std::size_t>> of_class_;  // labels by class
    std::vector<ProbableSpan> out_;
    const Real* nodes_ = nullptr;  // [T][stride]
    const Real* pairs_ = nullptr;  // [T][L][stride]
    std::size_t length_ = 0, stride_ = 0;
    std::vector<double> mass_, next_;  // by label of the class
};

// Chooses spans that do not overlap. Of several sets with the same sum, the one whose last span ends first.
class SpanChooser {
public:
    const std::vector<LabelledSpan>& operator()(const std::vector<ProbableSpan>& spans, std::size_t length,
                                                double threshold) {
        ends_here_.resize(std::max(ends_here_.size(), length + 1));
        for (std::size_t t = 0; t <= length; ++t) ends_here_[t].clear();
        for (std::size_t i = 0; i < spans.size(); ++i) ends_here_[spans[i].span.end].push_back(i);
        best_.assign(length + 1, 0);
        last_.assign(length + 1, none);
        for (std::size_t t = 1; t <= length; ++t) {
            best_[t] = best_[t - 1];
            for (const std::size_t i : ends_here_[t]) {
                const double value = best_[spans[i].span.begin] + spans[i].probability - threshold;
                if (value > best_[t]) best_[t] = value, last_[t] = i;
            }
        }
        chosen_.clear();
        for (std::size_t t = length; t > 0;) {
            if (last_[t] == none) {
                --t;
            } else {
                chosen_.push_back(spans[last_[t]].span);
                t = chosen_.back().begin;
            }
        }
        std::reverse(chosen_.begin(), chosen_.end());
        return chosen_;
    }

    double value() const { return best_.empty() ? 0 : best_.back(); }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::vector<std::size_t>> ends_here_;  // [T + 1] numbers of spans
    std::vector<double> best_;                         // [T + 1] of the tokens before
    std::vector<std::size_t> last_;                    // [T + 1] the span that ends there
    std::vector<LabelledSpan> chosen_;
};

// One thread's decoder: the most probable labels that write the chosen spans. Where constraints forbid these spans, the
// most probable labels of all.
template <class Real>
class SpanDecoder {
public:
    SpanDecoder(const ChainModel<Real>& model, const SpanLabels& known, double threshold)
        : find_(model, true), probabilities_(known), known_(known), layout_(model.layout), threshold_(threshold) {}

    Real operator()(const ChainInput& input, std::size_t sentence, std::span<const std::uint8_t> allowed,
                    std::span<Label> path) {
        if (path.empty()) return 0;
        const Marginals<Real>& found = find_(input, sentence, allowed);
        if (!std::isfinite(found.log_z)) return viterbi_(find_.lattice(), path);
        const auto& spans = probabilities_(found, path.size(), layout_.stride, threshold_);
        if (!write(choose_(spans, path.size(), threshold_), path)) viterbi_(find_.lattice(), path);
        return static_cast<Real>(choose_.value());
    }

private:
    // Viterbi among the labels that write the spans; false if there is no such sequence.
    bool write(const std::vector<LabelledSpan>& spans, std::span<Label> path) {
        const Lattice<Real>& lattice = find_.lattice();
        const std::size_t length = path.size(), labels = lattice.labels();
        classes_.assign(length, 0), inside_.assign(length, 0);
        for (const LabelledSpan& span : spans)
            for (std::size_t t = span.begin; t < span.end; ++t)
                classes_[t] = span.of_class, inside_[t] = t > span.begin;
        scores_.assign(length * labels, ChainMask<Real>::forbidden);
        sources_.assign(length * labels, 0);
        for (std::size_t t = 0; t < length; ++t)
            for (std::size_t y = 0; y < labels; ++y)
                if (known_.classes[y] == classes_[t]) extend(lattice, t, y);
        const Real* last = scores_.data() + (length - 1) * labels;
        const auto best = static_cast<std::size_t>(std::max_element(last, last + labels) - last);
        if (!std::isfinite(last[best])) return false;
        path[length - 1] = static_cast<Label>(best);
        for (std::size_t t = length - 1; t > 0; --t)
            path[t - 1] = sources_[t * labels + static_cast<std::size_t>(path[t])];
        return true;
    }

    void extend(const Lattice<Real>& lattice, std::size_t t, std::size_t y) {
        const std::size_t labels = lattice.labels();
        Real best = t == 0 ? Real{0} : ChainMask<Real>::forbidden;
        for (std::size_t p = 0; t > 0 && p < labels; ++p) {
            if (probabilities_.goes_on(p, y) != (inside_[t] != 0)) continue;
            const Real score = scores_[(t - 1) * labels + p] + lattice.transitions(t)[p * lattice.stride() + y];
            if (score > best) best = score, sources_[t * labels + y] = static_cast<Label>(p);
        }
        scores_[t * labels + y] = best + lattice.emissions(t)[y];
    }

    MarginalFinder<Real> find_;
    SpanProbabilities<Real> probabilities_;
    SpanChooser choose_;
    Viterbi<Real> viterbi_;
    const SpanLabels& known_;
    const ChainLayout& layout_;
    double threshold_;
    std::vector<std::size_t> classes_;  // [T] of the chosen spans
    std::vector<std::uint8_t> inside_;  // [T] whether the token goes on with the span of the one before
    std::vector<Real> scores_;          // [T][L]
    std::vector<Label> sources_;        // [T][L]
};

}  // namespace tagloom
