// Batch training: the sum over all sentences of -log P(gold | x) and its gradient, for a CRF (he-wang-2012, Eq. 11
// without the regularizer) or for a tagger that is normalised label by label (chain/conditional.hpp). It runs in
// parallel, and the result is the same for any number of threads.
//
// The variables are the weights that exist: a list of labels per node feature, all transitions that the masks allow,
// the listed pairs of edge features, and a list of labels per pair of preceding labels. First every token's row of
// marginals minus gold is computed, sentence by sentence; then every feature gathers the rows of the tokens it fires
// at, in the order of the text. No two threads ever add to the same number. In a CRF, label pairs have their own
// marginals, which take much more memory than those of labels, so edge features do the same block by block. With local
// normalisation the labels before a token are gold labels, so pairs and triples gather the rows of tokens, too.
// Features of segments are listed with their amounts, sentence by sentence, and added in the order of the text.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tagloom/chain/conditional.hpp"
#include "tagloom/chain/histories.hpp"
#include "tagloom/fast/memory.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/postings.hpp"
#include "tagloom/learn/gold_counts.hpp"
#include "tagloom/learn/opponents.hpp"
#include "tagloom/segments/segment_opponents.hpp"

namespace tagloom {

struct BatchSettings {
    bool all_labels = false;       // a feature has weights for all labels, not only for the gold labels it occurs with
    std::size_t label_cutoff = 1;  // otherwise, how often gold must give it a label
    bool is_conditional = false;   // normalised label by label
    bool is_backwards = false;     // likewise, from right to left
    bool all_transitions = true;   // all label pairs have transition weights, not only those that gold contains
};

template <class Real>
class BatchObjective {
public:
    // The counts decide which weights exist; if the data is a part of a corpus, they are those of the whole. Without
    // counts, they are those of the data.
    BatchObjective(const ChainProblem<Real>& problem, const BatchSettings& settings, const GoldCounts* counts = nullptr)
        : problem_(problem),
          settings_(settings),
          histories_(problem.input, problem.gold, settings.is_backwards),
          history_postings_(histories_.postings(problem.layout.labels, has_triples())),
          postings_(problem.input.nodes, problem.layout.node_rows, problem.gold.size()),
          edge_postings_(problem.input.edges, problem.layout.edge_features(),
                         problem.input.edges.rows.empty() ? 0 : problem.gold.size()),
          edge_next_(problem.layout.edge_features()),
          weights_(problem.layout.size(), 0),
          cells_(problem.gold.size() * problem.layout.stride, 0),
          counts_(counts ? *counts : GoldCounts(problem.layout, settings.is_backwards)) {
        if (!counts) counts_.add(problem.layout, problem.input, problem.gold, postings_, histories_);
        list_labels({});
        if (problem.layout.has_transitions) list_transitions();
        if (settings.label_cutoff > 1) drop_rare_edges();
    }

    bool is_conditional() const noexcept { return settings_.is_conditional; }
    std::size_t size() const noexcept { return triple_begin() + triple_labels_.size(); }
    const BigVector<Real>& weights() const noexcept { return weights_; }

    // Starts from the weights of another model. A feature that fires also has variables for the labels it had weights
    // for; the weights of a feature that does not fire stay fixed.
    void start(std::span<const Real> first) {
        std::copy(first.begin(), first.end(), weights_.begin());
        list_labels(first);
    }

    // Lays the variables out as weights of the chain.
    void set(std::span<const double> x) {
        for_each_variable([&](std::size_t k, std::size_t index) { weights_[index] = static_cast<Real>(x[k]); });
    }

    // The inverse of `set`.
    void get(std::span<const Real> weights, std::span<double> x) const {
        for_each_variable([&](std::size_t k, std::size_t index) { x[k] = weights[index]; });
    }

    // Writes the gradient at x and returns the loss; `errors` counts the tokens at which gold has at most half of the
    // probability.
    double operator()(std::span<const double> x, std::span<double> gradient, std::size_t threads,
                      std::int64_t& errors) {
        set(x);
        const double loss =
            settings_.is_conditional ? expect_labels(threads, errors) : expectations(gradient, threads, errors);
        gather_all(gradient, threads);
        return loss;
    }

    // Computes a bound on the curvature of the loss of a CRF along each variable where it was evaluated last, as if the
    // labels of neighbours were independent: the sum of value * p (1 - p) * (the values of all features of the token)
    // over the tokens at which the variable may be active. A step by gradient / bound does not overshoot, although all
    // features of a token move.
    std::vector<double> curvature(std::size_t threads) {
        std::vector<double> out(size());
        list_masses();
        for (std::size_t token = 0; token < problem_.gold.size(); ++token)  // from gold minus marginals to marginals
            for (std::size_t y = 0; y < problem_.layout.stride; ++y) {
                Real& cell = cells_[token * problem_.layout.stride + y];
                cell = (y == static_cast<std::size_t>(problem_.gold[token]) ? Real{1} : Real{0}) - cell;
            }
        parallel_for(problem_.layout.node_rows, threads, group_rows,
                     [&] { return [&](std::size_t row) { curve_row(row, out); }; });
        if (has_segments()) {  // as many features as the token with the most, for want of a mass of segments
            const auto mass = static_cast<double>(*std::max_element(masses_.begin(), masses_.end()));
            for (std::size_t k = 0; k < segment_curves_.size(); ++k) out[k] += mass * segment_curves_[k];
        }
        curve_transitions(out);
        parallel_for(problem_.layout.edge_features(), threads, group_rows,
                     [&] { return [&](std::size_t feature) { curve_edge(feature, out); }; });
        masses_ = {};
        return out;
    }

    // -- for iterative scaling, with local normalisation --

    // Computes how often the feature of each variable occurs with gold; values other than one are summed.
    std::vector<double> observed(std::size_t threads) {
        const std::size_t stride = problem_.layout.stride;
        std::fill(cells_.begin(), cells_.end(), Real{0});
        for_each_learnable(threads, [&](auto& opponent, std::size_t begin) {
            opponent.for_each_state([&](const auto& state) {
                const std::size_t token = begin + opponent.token(state);
                cells_[token * stride + static_cast<std::size_t>(problem_.gold[token])] = 1;
            });
        });
        std::vector<double> out(size());
        gather_all(out, threads);
        for (double& count : out) count = -count;
        return out;
    }

    // Computes the constant C: the largest sum of values of the variables that are active at a token with some label.
    // `counts` holds the total count of each variable; variables with a count of zero are left out.
    double largest_sum(std::span<const double> counts, std::size_t threads) {
        BigVector<Real> kept(weights_.size(), 0);
        std::swap(kept, weights_);
        for_each_variable(
            [&](std::size_t k, std::size_t index) { weights_[index] = counts[k] > 0 ? Real{1} : Real{0}; });
        Real highest = 0;
        std::mutex comparing;
        for_each_learnable(threads, [&](auto& opponent, std::size_t) {
            Real mine = 0;
            opponent.for_each_state([&](const auto& state) { mine = std::max(mine, opponent.highest(state)); });
            const std::lock_guard<std::mutex> guard(comparing);
            highest = std::max(highest, mine);
        });
        std::swap(kept, weights_);
        return static_cast<double>(highest);
    }

    bool has_negative_values() const {
        const auto is_negative = [](float value) { return value < 0; };
        const SparseView &nodes = problem_.input.nodes, &edges = problem_.input.edges;
        return std::any_of(nodes.values.begin(), nodes.values.end(), is_negative)
               || std::any_of(edges.values.begin(), edges.values.end(), is_negative);
    }

private:
    static constexpr std::size_t group_sentences = 64;  // their sums are added up together
    static constexpr std::size_t group_of_block = 4;    // the same for edge features, whose blocks may be small
    static constexpr std::size_t group_rows = 256;
    static constexpr std::size_t block_cells = std::size_t{1} << 21;  // label pairs of a block

    // The sums of a group of sentences.
    struct Group {
        bool is_done = false;
        double loss = 0;
        std::int64_t errors = 0;
        std::vector<double> pairs;                              // [L][stride]
        std::vector<typename Difference<Real>::Entry> entries;  // features of segments
    };

    std::size_t edge_begin() const noexcept { return node_labels_.size() + transitions_.size(); }
    std::size_t triple_begin() const noexcept { return edge_begin() + problem_.layout.edge_pairs.size(); }
    bool has_triples() const noexcept { return settings_.is_conditional && problem_.layout.has_triples; }
    // The row of the histories and the weight of the pair (previous, before).
    std::size_t triple_row(std::size_t pair) const noexcept { return problem_.layout.labels + pair; }
    std::size_t triple_index(std::size_t pair, std::size_t y) const noexcept {
        return problem_.layout.triple(pair % problem_.layout.labels, pair / problem_.layout.labels, y);
    }

    // Calls visit(number of the variable, index of its weight in the chain).
    template <class Visit>
    void for_each_variable(Visit visit) const {
        const ChainLayout& layout = problem_.layout;
        for (std::size_t row = 0; row < layout.node_rows; ++row)
            for (auto k = static_cast<std::size_t>(node_offsets_[row]);
                 k < static_cast<std::size_t>(node_offsets_[row + 1]); ++k)
                visit(k, layout.node(row, node_labels_[k]));
        for (std::size_t i = 0; i < transitions_.size(); ++i)
            visit(node_labels_.size() + i, layout.transition_begin() + transitions_[i]);
        for (std::size_t k = 0; k < layout.edge_pairs.size(); ++k) visit(edge_begin() + k, layout.edge_begin() + k);
        for (std::size_t pair = 0; pair + 1 < triple_offsets_.size(); ++pair)
            for (std::size_t k = triple_offsets_[pair]; k < triple_offsets_[pair + 1]; ++k)
                visit(triple_begin() + k, triple_index(pair, triple_labels_[k]));
    }

    // `first` holds the weights to start from, if there is such a model.
    void list_labels(std::span<const Real> first) {
        const ChainLayout& layout = problem_.layout;
        node_labels_.clear(), triple_labels_.clear();
        seen_.assign(layout.labels, 0);
        node_offsets_.assign(1, 0), triple_offsets_.assign(1, 0);
        for (std::size_t row = 0; row < layout.node_rows; ++row) {
            std::fill(seen_.begin(), seen_.end(), 0U);
            for (const GoldCounts::Entry& entry : counts_.row(row)) seen_[entry.label] = entry.count;
            list_row(seen_, first, [&](std::size_t y) { return layout.node(row, y); }, node_labels_);
            node_offsets_.push_back(static_cast<std::int64_t>(node_labels_.size()));
        }
        for (std::size_t pair = 0; has_triples() && pair < pair_count(); ++pair) {
            list_row(
                counts_.triples().subspan(pair * layout.labels, layout.labels), first,
                [&](std::size_t y) { return triple_index(pair, y); }, triple_labels_);
            triple_offsets_.push_back(triple_labels_.size());
        }
    }

    // Lists the labels of one row by their counts; the weights of rows that do not fire stay fixed.
    template <class Index>
    void list_row(std::span<const std::uint32_t> counts, std::span<const Real> first, Index index,
                  std::vector<std::uint32_t>& out) {
        const auto fires = [&] {
            return std::any_of(counts.begin(), counts.end(), [](auto count) { return count > 0; });
        };
        if (!first.empty() && !fires()) return;
        for (std::size_t y = 0; y < counts.size(); ++y)
            if (settings_.all_labels || counts[y] >= settings_.label_cutoff || (!first.empty() && first[index(y)] != 0))
                out.push_back(static_cast<std::uint32_t>(y));
    }

    void list_transitions() {
        const ChainLayout& layout = problem_.layout;
        for (std::size_t p = 0; p < layout.labels; ++p)
            for (std::size_t y = 0; y < layout.labels; ++y) {
                const bool is_allowed =
                    problem_.mask.transitions[settings_.is_backwards ? y * layout.stride + p : p * layout.stride + y]
                    == 0;
                const bool is_frequent = (settings_.all_transitions && settings_.label_cutoff <= 1)
                                         || counts_.pairs()[p * layout.labels + y] >= settings_.label_cutoff;
                if (is_allowed && is_frequent) transitions_.push_back(p * layout.stride + y);
            }
    }

    // Marks the pairs of edge features that are seen less often than the cut-off; their gradient is zero, so they do
    // not change.
    void drop_rare_edges() {
        for (std::size_t k = 0; k < counts_.edges().size(); ++k)
            if (counts_.edges()[k] < settings_.label_cutoff) rare_edges_.push_back(k);
    }

    // -- local normalisation --

    // Calls visit(opponent, first token) for every sentence whose gold labels the masks allow, bound to the weights.
    template <class Visit>
    void for_each_learnable(std::size_t threads, Visit visit) {
        parallel_for(problem_.input.sentences.size() - 1, threads, group_sentences, [&] {
            return [&, opponent =
                           ConditionalOpponent<Real>(problem_, settings_.is_backwards, false)](std::size_t s) mutable {
                if (opponent.begin(weights_.data(), s)) visit(opponent, problem_.input.begin(s));
            };
        });
    }

    // Fills the rows of all tokens; groups are added up in their order.
    double expect_labels(std::size_t threads, std::int64_t& errors) {
        const std::size_t sentences = problem_.input.sentences.size() - 1;
        std::vector<Group> groups((sentences + group_sentences - 1) / group_sentences);
        parallel_for(groups.size(), threads, 1, [&] {
            return [&, opponent = ConditionalOpponent<Real>(problem_, settings_.is_backwards, false),
                    difference = Difference<Real>()](std::size_t g) mutable {
                for (std::size_t s = g * group_sentences; s < std::min((g + 1) * group_sentences, sentences); ++s) {
                    opponent.find(weights_.data(), s, difference);
                    add_sentence(s, difference, groups[g]);
                }
            };
        });
        double loss = 0;
        errors = 0;
        for (const Group& group : groups) loss += group.loss, errors += group.errors;
        return loss;
    }

    void gather_all(std::span<double> gradient, std::size_t threads) {
        gather(gradient, threads);
        for (std::size_t k = 0; k < segment_sums_.size(); ++k) gradient[k] += segment_sums_[k];
        if (settings_.is_conditional) gather_histories(gradient, threads), gather_local_edges(gradient, threads);
        for (const std::size_t k : rare_edges_) gradient[edge_begin() + k] = 0;
    }

    // Gathers the gradient of transitions and triples.
    void gather_histories(std::span<double> gradient, std::size_t threads) {
        const std::size_t labels = problem_.layout.labels, stride = problem_.layout.stride;
        parallel_for(labels + (has_triples() ? pair_count() : 0), threads, 4, [&] {
            return [&, sum = std::vector<Real>(stride), total = std::vector<double>(stride)](std::size_t row) mutable {
                sum_tokens(history_postings_, row, sum, total);
                if (row >= labels) {
                    for (std::size_t k = triple_offsets_[row - labels]; k < triple_offsets_[row - labels + 1]; ++k)
                        gradient[triple_begin() + k] = -total[triple_labels_[k]];
                    return;
                }
                const auto first = std::lower_bound(transitions_.begin(), transitions_.end(), row * stride);
                for (auto at = first; at != transitions_.end() && *at < (row + 1) * stride; ++at)
                    gradient[node_labels_.size() + static_cast<std::size_t>(at - transitions_.begin())] =
                        -total[*at % stride];
            };
        });
    }

    void gather_local_edges(std::span<double> gradient, std::size_t threads) {
        const ChainLayout& layout = problem_.layout;
        parallel_for(layout.edge_features(), threads, group_rows, [&] {
            return [&](std::size_t feature) {
                const auto from = static_cast<std::size_t>(layout.edge_offsets[feature]),
                           to = static_cast<std::size_t>(layout.edge_offsets[feature + 1]);
                std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(edge_begin() + from),
                          gradient.begin() + static_cast<std::ptrdiff_t>(edge_begin() + to), 0.0);
                for (std::size_t at = edge_postings_.begin(feature);
                     at < edge_postings_.begin(feature) + edge_postings_.count(feature); ++at) {
                    const std::size_t token = *edge_postings_.tokens(at);
                    if (histories_.previous(token) < 0) continue;
                    const std::size_t first_pair = static_cast<std::size_t>(histories_.previous(token)) * layout.labels;
                    const Real* cells = cells_.data() + token * layout.stride;
                    const double value =
                        edge_postings_.values(at) ? static_cast<double>(*edge_postings_.values(at)) : 1.0;
                    const auto begin = layout.edge_pairs.begin();
                    auto k =
                        static_cast<std::size_t>(std::lower_bound(begin + static_cast<std::ptrdiff_t>(from),
                                                                  begin + static_cast<std::ptrdiff_t>(to), first_pair)
                                                 - begin);
                    for (; k < to && layout.edge_pairs[k] - first_pair < layout.labels; ++k)
                        gradient[edge_begin() + k] -=
                            value * static_cast<double>(cells[layout.edge_pairs[k] - first_pair]);
                }
            };
        });
    }

    // -- a CRF --

    // Lists the sum of the values of the features of every token; a transition before and one after it count as ones.
    void list_masses() {
        masses_.assign(problem_.gold.size(), 2);
        for (const SparseView* rows : {&problem_.input.nodes, &problem_.input.edges})
            for (std::size_t token = 0; !rows->rows.empty() && token < masses_.size(); ++token)
                for (std::size_t i = rows->begin(token); i < rows->end(token); ++i)
                    masses_[token] += std::abs(rows->value(i));
    }

    Real marginal(std::size_t token, std::size_t y) const noexcept {
        return cells_[token * problem_.layout.stride + y];
    }
    // The part of a token in the bound on the curvature of a variable that is active with probability p.
    double curve(const Postings& postings, std::size_t at, double p) const noexcept {
        const double value = postings.values(at) ? std::abs(static_cast<double>(*postings.values(at))) : 1;
        return value * masses_[*postings.tokens(at)] * p * (1 - p);
    }
    double pair_marginal(std::size_t token, std::size_t previous, std::size_t y) const noexcept {
        return static_cast<double>(marginal(token - 1, previous)) * static_cast<double>(marginal(token, y));
    }

    void curve_row(std::size_t row, std::span<double> out) const {
        for (std::size_t at = postings_.begin(row); at < postings_.begin(row) + postings_.count(row); ++at)
            for (auto k = static_cast<std::size_t>(node_offsets_[row]);
                 k < static_cast<std::size_t>(node_offsets_[row + 1]); ++k)
                out[k] += curve(postings_, at, marginal(*postings_.tokens(at), node_labels_[k]));
    }

    void curve_transitions(std::span<double> out) const {
        const std::size_t stride = problem_.layout.stride, labels = problem_.layout.labels;
        std::vector<double> sums(labels * stride);
        for (std::size_t token = 0; !transitions_.empty() && token < problem_.gold.size(); ++token)
            for (std::size_t p = 0; histories_.previous(token) >= 0 && p < labels; ++p)
                for (std::size_t y = 0; y < labels; ++y) {
                    const double both = pair_marginal(token, p, y);
                    sums[p * stride + y] += masses_[token] * both * (1 - both);
                }
        for (std::size_t i = 0; i < transitions_.size(); ++i) out[node_labels_.size() + i] = sums[transitions_[i]];
    }

    void curve_edge(std::size_t feature, std::span<double> out) const {
        const ChainLayout& layout = problem_.layout;
        for (std::size_t at = edge_postings_.begin(feature);
             at < edge_postings_.begin(feature) + edge_postings_.count(feature); ++at) {
            const std::size_t token = *edge_postings_.tokens(at);
            if (histories_.previous(token) < 0) continue;
            for (auto k = static_cast<std::size_t>(layout.edge_offsets[feature]);
                 k < static_cast<std::size_t>(layout.edge_offsets[feature + 1]); ++k) {
                const std::size_t pair = layout.edge_pairs[k];
                out[edge_begin() + k] +=
                    curve(edge_postings_, at, pair_marginal(token, pair / layout.labels, pair % layout.labels));
            }
        }
    }

    // Groups are added up in their order, whichever is done first, and each as soon as the ones before it are added, so
    // that few of them hold memory at a time.
    double expectations(std::span<double> gradient, std::size_t threads, std::int64_t& errors) {
        std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(node_labels_.size()), gradient.end(), 0.0);
        if (has_segments()) segment_sums_.assign(node_labels_.size(), 0), segment_curves_ = segment_sums_;
        for (std::size_t feature = 0; feature < edge_next_.size(); ++feature)
            edge_next_[feature] = edge_postings_.begin(feature);
        double loss = 0;
        errors = 0;
        for (std::size_t first = 0, last; first + 1 < problem_.input.sentences.size(); first = last) {
            last = block_end(first);
            loss += expect_block(first, last, gradient, threads, errors);
            if (has_edges()) gather_edges(first, last, gradient, threads);
        }
        return loss;
    }

    bool has_segments() const noexcept { return !problem_.input.segments.empty(); }
    bool has_edges() const noexcept { return !problem_.input.edges.rows.empty(); }
    std::size_t pair_count() const noexcept { return problem_.layout.labels * problem_.layout.labels; }

    // Returns the end of the block of sentences that begins at `first`: at least one sentence, and all of them without
    // edge features.
    std::size_t block_end(std::size_t first) const noexcept {
        const std::size_t sentences = problem_.input.sentences.size() - 1;
        if (!has_edges()) return sentences;
        std::size_t last = first;
        while (last < sentences
               && (problem_.input.begin(last + 1) - problem_.input.begin(first)) * pair_count() <= block_cells)
            ++last;
        return std::max(last, first + 1);
    }

    double expect_block(std::size_t first, std::size_t last, std::span<double> gradient, std::size_t threads,
                        std::int64_t& errors) {
        const std::size_t group = has_edges() ? group_of_block : group_sentences;
        std::vector<Group> groups((last - first + group - 1) / group);
        const std::size_t first_token = problem_.input.begin(first);
        if (has_edges()) pair_cells_.resize((problem_.input.begin(last) - first_token) * pair_count());
        if (has_segments())
            return expect_groups(groups, gradient, threads, errors, [&] {
                return [&, opponent = SegmentExpectedOpponent<Real>(problem_),
                        difference = Difference<Real>()](std::size_t g) mutable {
                    for (std::size_t s = first + g * group; s < std::min(first + (g + 1) * group, last); ++s) {
                        opponent.find(weights_.data(), s, difference);
                        add_sentence(s, difference, groups[g]);
                        auto& entries = groups[g].entries;
                        entries.insert(entries.end(), difference.entries.begin(), difference.entries.end());
                    }
                };
            });
        return expect_groups(groups, gradient, threads, errors, [&] {
            return [&, opponent = ExpectedOpponent<Real>(problem_, false),
                    difference = Difference<Real>()](std::size_t g) mutable {
                for (std::size_t s = first + g * group; s < std::min(first + (g + 1) * group, last); ++s) {
                    opponent.find(weights_.data(), s, difference);
                    add_sentence(s, difference, groups[g]);
                    if (has_edges())
                        fill_pairs(s, first_token, difference.empty() ? nullptr : opponent.marginals().pairs.data());
                }
            };
        });
    }

    // make_worker() gives a thread its function that fills a group.
    template <class MakeWorker>
    double expect_groups(std::vector<Group>& groups, std::span<double> gradient, std::size_t threads,
                         std::int64_t& errors, MakeWorker make_worker) {
        double loss = 0;
        std::size_t next = 0;  // next group to be added
        std::mutex adding;
        parallel_for(groups.size(), threads, 1, [&] {
            return [&, fill = make_worker()](std::size_t g) mutable {
                fill(g);
                const std::lock_guard<std::mutex> guard(adding);
                groups[g].is_done = true;
                for (; next < groups.size() && groups[next].is_done; ++next) {
                    loss += groups[next].loss;
                    errors += groups[next].errors;
                    subtract_group(groups[next], gradient);
                    groups[next] = {};
                }
            };
        });
        return loss;
    }

    void subtract_group(const Group& group, std::span<double> gradient) {
        if (!group.pairs.empty())
            for (std::size_t i = 0; i < transitions_.size(); ++i)
                gradient[node_labels_.size() + i] -= group.pairs[transitions_[i]];
        for (const auto& entry : group.entries) {
            const auto type = static_cast<std::uint32_t>(entry.index % problem_.layout.stride);
            const auto first = node_labels_.begin() + node_offsets_[entry.row],
                       end = node_labels_.begin() + node_offsets_[entry.row + 1],
                       found = std::lower_bound(first, end, type);
            if (found == end || *found != type) continue;
            const auto k = static_cast<std::size_t>(found - node_labels_.begin());
            const auto amount = static_cast<double>(entry.amount);
            segment_sums_[k] -= amount;
            if (amount < 0) segment_curves_[k] -= amount * (1 + amount);  // p (1 - p) of an expected segment
        }
    }

    // Writes gold minus marginals of the label pairs of a sentence, with zeros where nothing is known and at its first
    // token.
    void fill_pairs(std::size_t sentence, std::size_t first_token, const Real* marginals) {
        const std::size_t labels = problem_.layout.labels, stride = problem_.layout.stride,
                          begin = problem_.input.begin(sentence);
        Real* out = pair_cells_.data() + (begin - first_token) * pair_count();
        for (std::size_t t = 0; t < problem_.input.length(sentence); ++t, out += pair_count()) {
            if (t == 0 || !marginals) {
                std::fill_n(out, pair_count(), Real{0});
                continue;
            }
            for (std::size_t p = 0; p < labels; ++p)
                for (std::size_t y = 0; y < labels; ++y)
                    out[p * labels + y] = -marginals[(t * labels + p) * stride + y];
            out[static_cast<std::size_t>(problem_.gold[begin + t - 1]) * labels
                + static_cast<std::size_t>(problem_.gold[begin + t])] += 1;
        }
    }

    // Every edge feature gathers its label pairs at the tokens of a block.
    void gather_edges(std::size_t first, std::size_t last, std::span<double> gradient, std::size_t threads) {
        const ChainLayout& layout = problem_.layout;
        const std::size_t first_token = problem_.input.begin(first), end_token = problem_.input.begin(last);
        parallel_for(layout.edge_features(), threads, group_rows, [&] {
            return [&, sums = std::vector<double>()](std::size_t feature) mutable {
                const std::size_t end = edge_postings_.begin(feature) + edge_postings_.count(feature);
                std::size_t& at = edge_next_[feature];
                if (at == end || *edge_postings_.tokens(at) >= end_token) return;
                const auto from = static_cast<std::size_t>(layout.edge_offsets[feature]);
                const std::size_t count = static_cast<std::size_t>(layout.edge_offsets[feature + 1]) - from;
                sums.assign(count, 0);
                for (; at < end && *edge_postings_.tokens(at) < end_token; ++at) {
                    const Real* cells = pair_cells_.data() + (*edge_postings_.tokens(at) - first_token) * pair_count();
                    const Real value =
                        edge_postings_.values(at) ? static_cast<Real>(*edge_postings_.values(at)) : Real{1};
                    for (std::size_t k = 0; k < count; ++k)
                        sums[k] += static_cast<double>(value * cells[layout.edge_pairs[from + k]]);
                }
                for (std::size_t k = 0; k < count; ++k) gradient[edge_begin() + from + k] -= sums[k];
            };
        });
    }

    void add_sentence(std::size_t sentence, const Difference<Real>& difference, Group& group) {
        const std::size_t stride = problem_.layout.stride;
        Real* cells = cells_.data() + problem_.input.begin(sentence) * stride;
        if (difference.empty()) return void(std::fill_n(cells, problem_.input.length(sentence) * stride, Real{0}));
        std::copy(difference.cells.begin(), difference.cells.end(), cells);
        group.loss += difference.loss;
        group.errors += static_cast<std::int64_t>(difference.errors);
        if (!difference.pair_rows.empty()) {
            group.pairs.resize(difference.pair_rows.size(), 0);
            for (std::size_t i = 0; i < group.pairs.size(); ++i) group.pairs[i] += difference.pair_rows[i];
        }
    }

    void gather(std::span<double> gradient, std::size_t threads) {
        parallel_for(problem_.layout.node_rows, threads, group_rows, [&] {
            return [&, sum = std::vector<Real>(problem_.layout.stride),
                    total = std::vector<double>(problem_.layout.stride)](std::size_t row) mutable {
                gather_row(row, sum, total, gradient);
            };
        });
    }

    // Short sums are in Real and their total in double, because a frequent feature fires at hundreds of thousands of
    // tokens.
    void sum_tokens(const Postings& postings, std::size_t row, std::vector<Real>& sum,
                    std::vector<double>& total) const {
        constexpr std::size_t part = 64;
        std::fill(total.begin(), total.end(), 0.0);
        for (std::size_t done = 0; done < postings.count(row); done += part) {
            const std::size_t at = postings.begin(row) + done, count = std::min(part, postings.count(row) - done);
            postings.prefetch_ahead(at, count, cells_.data(), problem_.layout.stride);
            kernels().of<Real>().sum_rows(cells_.data(), postings.tokens(at), postings.values(at), count,
                                          problem_.layout.stride, sum.data());
            for (std::size_t y = 0; y < total.size(); ++y) total[y] += sum[y];
        }
    }

    void gather_row(std::size_t row, std::vector<Real>& sum, std::vector<double>& total,
                    std::span<double> gradient) const {
        sum_tokens(postings_, row, sum, total);
        for (auto k = static_cast<std::size_t>(node_offsets_[row]);
             k < static_cast<std::size_t>(node_offsets_[row + 1]); ++k)
            gradient[k] = -total[node_labels_[k]];
    }

    ChainProblem<Real> problem_;
    BatchSettings settings_;
    Histories histories_;
    Postings history_postings_;
    std::vector<std::int64_t> node_offsets_;  // [F + 1]
    std::vector<std::uint32_t> node_labels_;
    std::vector<std::size_t> triple_offsets_;  // [L * L + 1], or [1] without triples
    std::vector<std::uint32_t> triple_labels_;
    std::vector<std::size_t> rare_edges_;   // pairs below the cut-off
    std::vector<std::uint32_t> seen_;       // [L] of the current row
    std::vector<std::size_t> transitions_;  // p * stride + y of the allowed pairs
    Postings postings_, edge_postings_;
    std::vector<std::size_t> edge_next_;  // [E] the first posting that has not been gathered
    std::vector<Real> pair_cells_;        // [tokens of a block][L][L] gold minus marginals
    BigVector<Real> weights_;
    BigVector<Real> cells_;  // [N][stride] gold minus marginals
    GoldCounts counts_;
    std::vector<double> segment_sums_, segment_curves_;  // [node variables] features of segments, where there are any
    std::vector<float> masses_;  // [N] sums of the values of the features of tokens, while the curvature is computed
};

}  // namespace tagloom
