// Locally normalised tagging: P(y | x) = prod_t P(y_t | x, labels decided before), each factor a softmax over the labels
// that are valid at its state (Ratnaparkhi 1996; collins-2002, section 2.2).
//
//   log P(y_t = y | state) = score(state, y) - log sum_y' exp score(state, y')
//
// Labels from which the sentence cannot be finished are not valid, so that the probabilities of whole labellings add up
// to one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/decode.hpp"
#include "tagloom/chain/tagging.hpp"
#include "tagloom/fast/kernels.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/learn/opponents.hpp"
#include "tagloom/transition/search_settings.hpp"

namespace tagloom {

// Turns scores of labels into probabilities; a score of minus infinity gives zero.
template <class Real>
class Softmax {
public:
    explicit Softmax(std::size_t labels, std::size_t stride) : labels_(labels), probabilities_(stride) {}

    // Returns log sum exp; minus infinity if no label is valid.
    double operator()(const Real* scores) {
        const Real highest = *std::max_element(scores, scores + labels_);
        if (highest == no_score<Real>) return static_cast<double>(highest);
        kernels().of<Real>().exp_shifted(scores, highest, probabilities_.size(), probabilities_.data());
        double sum = 0;
        for (std::size_t y = 0; y < labels_; ++y) sum += static_cast<double>(probabilities_[y]);
        for (std::size_t y = 0; y < labels_; ++y) probabilities_[y] = static_cast<Real>(probabilities_[y] / sum);
        return static_cast<double>(highest) + std::log(sum);
    }
    const std::vector<Real>& probabilities() const noexcept { return probabilities_; }

private:
    std::size_t labels_;
    std::vector<Real> probabilities_;  // [stride]
};

// Tagging with log probabilities in place of scores, for beam search.
template <class Real_>
class NormalisedTagging : public TaggingSystem<Real_> {
public:
    using Real = Real_;
    using Plain = TaggingSystem<Real>;
    using State = typename Plain::State;

    NormalisedTagging(const ChainLayout& layout, const ChainMask<Real>& mask, bool is_backwards)
        : Plain(layout, mask, is_backwards), softmax_(layout.labels, layout.stride), scores_(layout.stride) {}

    const Real* scores(const State& state) {
        std::copy_n(Plain::scores(state), scores_.size(), scores_.data());
        const double log_z = softmax_(scores_.data());
        for (std::size_t y = 0; y < this->actions(); ++y)
            scores_[y] = static_cast<Real>(static_cast<double>(scores_[y]) - log_z);
        return scores_.data();
    }
    // Refers to the state whose scores were requested last.
    const std::vector<Real>& probabilities() const noexcept { return softmax_.probabilities(); }

private:
    Softmax<Real> softmax_;
    std::vector<Real> scores_;  // [stride]
};

// Phi(gold) - sum_t E[Phi | gold's labels before t]: the gradient of log P(gold | x). The parts of nodes and
// transitions are rows; the parts of edge features and triples are entries.
template <class Real>
class ConditionalOpponent {
public:
    using State = typename TaggingSystem<Real>::State;

    // Batch training sets `lists_all` to false, because it computes the other parts from the rows of the tokens itself.
    ConditionalOpponent(const ChainProblem<Real>& problem, bool is_backwards, bool lists_all = true)
        : problem_(problem),
          lists_all_(lists_all),
          system_(problem.layout, problem.mask, is_backwards),
          softmax_(problem.layout.labels, problem.layout.stride),
          scores_(problem.layout.stride) {}

    void expect(const Real* weights, std::size_t sentence) const noexcept {
        system_.prefetch(weights, problem_.input, sentence);
    }

    void find(const Real* weights, std::size_t sentence, Difference<Real>& difference) {
        difference.clear();
        if (!begin(weights, sentence)) return;  // labels that the masks forbid teach nothing
        difference.sentence = sentence;
        difference.cells.assign(system_.length() * problem_.layout.stride, 0);
        if (lists_all_ && problem_.layout.has_transitions)
            difference.pair_rows.assign(problem_.layout.labels * problem_.layout.stride, 0);
        for_each_state([&](const State& state) { subtract(state, difference); });
    }

    // Binds a sentence; returns false if there is nothing to learn from it.
    bool begin(const Real* weights, std::size_t sentence) {
        system_.begin(weights, problem_.input, sentence, problem_.gold_of(sentence));
        return system_.is_learnable();
    }

    // Calls visit(state) for the states that the gold labels lead to.
    template <class Visit>
    void for_each_state(Visit visit) {
        for (State state = system_.initial(); !system_.is_final(state);
             state = system_.apply(state, system_.oracle(state)))
            visit(state);
    }

    // Returns the highest score of a valid label at a state.
    Real highest(const State& state) {
        system_.read_scores(state, scores_.data());
        return *std::max_element(scores_.begin(),
                                 scores_.begin() + static_cast<std::ptrdiff_t>(problem_.layout.labels));
    }
    std::size_t token(const State& state) const noexcept { return system_.token(static_cast<std::size_t>(state.step)); }

private:
    void subtract(const State& state, Difference<Real>& difference) {
        const ChainLayout& layout = problem_.layout;
        const auto right = static_cast<std::size_t>(system_.oracle(state));
        system_.read_scores(state, scores_.data());
        difference.loss += softmax_(scores_.data()) - static_cast<double>(scores_[right]);
        Real* cells = difference.cells.data() + token(state) * layout.stride;
        for (std::size_t y = 0; y < layout.labels; ++y) cells[y] = -softmax_.probabilities()[y];
        difference.errors += cells[right] < Real(-0.5) ? 0 : 1;  // gold has at most half of the probability
        cells[right] += 1;
        if (state.previous >= 0 && lists_all_) subtract_history(state, cells, difference);
    }

    void subtract_history(const State& state, const Real* cells, Difference<Real>& difference) {
        const ChainLayout& layout = problem_.layout;
        const auto p = static_cast<std::size_t>(state.previous);
        if (layout.has_transitions)
            for (std::size_t y = 0; y < layout.labels; ++y) difference.pair_rows[p * layout.stride + y] += cells[y];
        if (!problem_.input.edges.rows.empty())
            for_each_edge_after(layout, problem_.input.edges, problem_.input.begin(difference.sentence) + token(state),
                                p, [&](std::size_t feature, float value, std::size_t y, std::size_t k) {
                                    difference.add(layout.edge_begin() + k, value * cells[y], layout.edge_row(feature));
                                });
        if (layout.has_triples && state.before >= 0)
            for (std::size_t y = 0; y < layout.labels; ++y)
                difference.add(layout.triple(static_cast<std::size_t>(state.before), p, y), cells[y],
                               layout.node_rows + p);
    }

    const ChainProblem<Real>& problem_;
    const bool lists_all_;
    TaggingSystem<Real> system_;
    Softmax<Real> softmax_;
    std::vector<Real> scores_;  // [stride]
};

// Computes log P(gold | x) of every sentence; minus infinity where the masks or `allowed` forbid gold.
template <class Real>
std::vector<double> conditional_log_probabilities(const ChainModel<Real>& model, const SearchSettings& search,
                                                  const ChainInput& input, std::span<const Label> gold,
                                                  std::span<const std::uint8_t> allowed, std::size_t threads) {
    std::vector<double> out(input.sentences.size() - 1);
    parallel_for(out.size(), threads, 32, [&] {
        return [&, system =
                       NormalisedTagging<Real>(model.layout, model.mask, search.is_backwards)](std::size_t s) mutable {
            system.begin(model.weights, input, s, gold.subspan(input.begin(s), input.length(s)),
                         allowed_of(allowed, input, s, model.layout.labels));
            for (auto state = system.initial(); !system.is_final(state) && out[s] != no_score<double>;
                 state = system.apply(state, system.oracle(state))) {
                const Action right = system.oracle(state);
                out[s] +=
                    system.is_valid(state, right) ? static_cast<double>(system.scores(state)[right]) : no_score<double>;
            }
        };
    });
    return out;
}

// Computes P(y_t | x) of one sentence by the forward recursion over states, which is exact:
//   P(y_t-1 = p, y_t = y) = sum_b P(y_t-2 = b, y_t-1 = p) P(y | p, b)
// With one label of history, P(y | p, b) is the same for all b, so one b represents all.
template <class Real>
class ForwardMarginals {
public:
    using State = typename NormalisedTagging<Real>::State;

    ForwardMarginals(const ChainModel<Real>& model, bool is_backwards)
        : weights_(model.weights),
          labels_(model.layout.labels),
          has_triples_(model.layout.has_triples),
          system_(model.layout, model.mask, is_backwards) {}

    // Writes [T][L]; zeros where no labelling is allowed.
    void operator()(const ChainInput& input, std::size_t sentence, std::span<const std::uint8_t> allowed, Real* out) {
        system_.begin(weights_, input, sentence, {}, allowed);
        std::vector<Weighted> states{{system_.initial(), 1.0}};
        std::fill_n(out, system_.length() * labels_, Real{0});
        for (std::size_t step = 0; step < system_.length(); ++step) {
            totals_.assign(labels_ * (has_triples_ ? labels_ + 1 : 1), 0.0);
            for (const Weighted& each : states) spread(each);
            states = next_states(step, out + system_.token(step) * labels_);
        }
    }

private:
    struct Weighted {
        State state;
        double probability;
    };

    void spread(const Weighted& each) {
        const Real* scores = system_.scores(each.state);
        double* row = totals_.data() + (has_triples_ ? static_cast<std::size_t>(each.state.previous + 1) * labels_ : 0);
        for (std::size_t y = 0; y < labels_; ++y)
            if (scores[y] > no_score<Real>)
                row[y] += each.probability * static_cast<double>(system_.probabilities()[y]);
    }

    std::vector<Weighted> next_states(std::size_t step, Real* marginals) const {
        std::vector<Weighted> states;
        for (std::size_t i = 0; i < totals_.size(); ++i) {
            if (totals_[i] == 0) continue;
            const Label previous = has_triples_ ? static_cast<Label>(i / labels_) - 1 : Label{-1};
            marginals[i % labels_] += static_cast<Real>(totals_[i]);
            states.push_back(
                {{static_cast<std::int32_t>(step) + 1, static_cast<Label>(i % labels_), previous}, totals_[i]});
        }
        return states;
    }

    const Real* weights_;
    std::size_t labels_;
    bool has_triples_;
    NormalisedTagging<Real> system_;
    std::vector<double> totals_;  // [label before; the first row means no label][L], or [L]
};

// Computes the marginals of every token, [N][L].
template <class Real>
std::vector<Real> conditional_marginals(const ChainModel<Real>& model, const SearchSettings& search,
                                        const ChainInput& input, std::span<const std::uint8_t> allowed,
                                        std::size_t threads) {
    const std::size_t labels = model.layout.labels;
    std::vector<Real> out(static_cast<std::size_t>(input.sentences.back()) * labels);
    parallel_for(input.sentences.size() - 1, threads, 8, [&] {
        return [&, find = ForwardMarginals<Real>(model, search.is_backwards)](std::size_t s) mutable {
            find(input, s, allowed_of(allowed, input, s, labels), out.data() + input.begin(s) * labels);
        };
    });
    return out;
}

}  // namespace tagloom
