// Batch training of a CRF: sum over all sentences of -log P(gold | x), and its gradient (he-wang-2012, Eq. 11 without the
// regularizer), in parallel, with the same result for any number of threads.
//
// The variables are those weights that exist: per node feature a list of labels, all transitions that the masks allow,
// the listed pairs of edge features. First every token's row of marginals minus gold is computed, sentence by sentence;
// then every feature gathers the rows of the tokens it fires at, in the order of the text. No two threads ever add to
// the same number. Label pairs take much more room than labels, so that edge features do the same block by block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tagloom/memory.hpp"
#include "tagloom/opponents.hpp"
#include "tagloom/parallel.hpp"
#include "tagloom/postings.hpp"

namespace tagloom {

template <class Real>
class BatchObjective {
public:
    // A node feature has a weight for the labels that gold gives it, or for all labels.
    BatchObjective(const ChainProblem<Real>& problem, bool all_labels)
        : problem_(problem), all_labels_(all_labels), postings_(problem.input.nodes, problem.layout.node_rows, problem.gold.size()),
          edge_postings_(problem.input.edges, problem.layout.edge_features(), problem.input.edges.rows.empty() ? 0 : problem.gold.size()),
          edge_next_(problem.layout.edge_features()), weights_(problem.layout.size(), 0),
          cells_(problem.gold.size() * problem.layout.stride, 0) {
        list_labels({});
        const ChainLayout& layout = problem.layout;
        for (std::size_t p = 0; layout.has_transitions && p < layout.labels; ++p)
            for (std::size_t y = 0; y < layout.labels; ++y)
                if (problem.mask.transitions[p * layout.stride + y] == 0) transitions_.push_back(p * layout.stride + y);
    }

    std::size_t size() const noexcept { return edge_begin() + problem_.layout.edge_pairs.size(); }
    const BigVector<Real>& weights() const noexcept { return weights_; }

    // Takes over the weights of another model. A feature that fires has variables for the labels it had weights for, too;
    // the weights of a feature that does not fire stay as they are.
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

    // Writes the gradient at x and returns the loss; `errors` counts tokens on which gold has not most of the probability.
    double operator()(std::span<const double> x, std::span<double> gradient, std::size_t threads, std::int64_t& errors) {
        set(x);
        const double loss = expectations(gradient, threads, errors);
        gather(gradient, threads);
        return loss;
    }

private:
    static constexpr std::size_t group_sentences = 64;  // whose sums are added up in one go
    static constexpr std::size_t group_of_block = 4;     // likewise, where blocks may be small
    static constexpr std::size_t group_rows = 256;
    static constexpr std::size_t block_cells = std::size_t{1} << 21;  // of label pairs, at a time

    // What a group of sentences adds up.
    struct Group {
        bool is_done = false;
        double loss = 0;
        std::int64_t errors = 0;
        std::vector<double> pairs;  // [L][stride]
    };

    std::size_t edge_begin() const noexcept { return node_labels_.size() + transitions_.size(); }

    // Calls visit(number of the variable, index of its weight in the chain).
    template <class Visit>
    void for_each_variable(Visit visit) const {
        const ChainLayout& layout = problem_.layout;
        for (std::size_t row = 0; row < layout.node_rows; ++row)
            for (auto k = static_cast<std::size_t>(node_offsets_[row]); k < static_cast<std::size_t>(node_offsets_[row + 1]); ++k)
                visit(k, layout.node(row, node_labels_[k]));
        for (std::size_t i = 0; i < transitions_.size(); ++i)
            visit(node_labels_.size() + i, layout.transition_begin() + transitions_[i]);
        for (std::size_t k = 0; k < layout.edge_pairs.size(); ++k) visit(edge_begin() + k, layout.edge_begin() + k);
    }

    // `first`: the weights to start from; none if there is no model to start from.
    void list_labels(std::span<const Real> first) {
        const ChainLayout& layout = problem_.layout;
        std::vector<std::uint8_t> seen(layout.labels);
        node_labels_.clear();
        node_offsets_.assign(1, 0);
        for (std::size_t row = 0; row < layout.node_rows; ++row) {
            const bool kept = !first.empty() && postings_.count(row) == 0;
            std::fill(seen.begin(), seen.end(), static_cast<std::uint8_t>(all_labels_ && !kept));
            const std::uint32_t* tokens = postings_.tokens(postings_.begin(row));
            for (std::size_t i = 0; !all_labels_ && i < postings_.count(row); ++i) seen[static_cast<std::size_t>(problem_.gold[tokens[i]])] = 1;
            for (std::size_t y = 0; y < seen.size(); ++y)
                if (seen[y] || (!first.empty() && !kept && first[layout.node(row, y)] != 0)) node_labels_.push_back(static_cast<std::uint32_t>(y));
            node_offsets_.push_back(static_cast<std::int64_t>(node_labels_.size()));
        }
    }

    // Groups are added up in their order, whichever is done first, and each as soon as those before it are: few of them
    // hold memory at a time.
    double expectations(std::span<double> gradient, std::size_t threads, std::int64_t& errors) {
        std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(node_labels_.size()), gradient.end(), 0.0);
        for (std::size_t feature = 0; feature < edge_next_.size(); ++feature) edge_next_[feature] = edge_postings_.begin(feature);
        double loss = 0;
        errors = 0;
        for (std::size_t first = 0, last; first + 1 < problem_.input.sentences.size(); first = last) {
            last = block_end(first);
            loss += expect_block(first, last, gradient, threads, errors);
            if (has_edges()) gather_edges(first, last, gradient, threads);
        }
        return loss;
    }

    bool has_edges() const noexcept { return !problem_.input.edges.rows.empty(); }
    std::size_t pair_count() const noexcept { return problem_.layout.labels * problem_.layout.labels; }

    // Sentences whose label pairs fit in a block: all of them where there are no edge features, at least one.
    std::size_t block_end(std::size_t first) const noexcept {
        const std::size_t sentences = problem_.input.sentences.size() - 1;
        if (!has_edges()) return sentences;
        std::size_t last = first;
        while (last < sentences && (problem_.input.begin(last + 1) - problem_.input.begin(first)) * pair_count() <= block_cells) ++last;
        return std::max(last, first + 1);
    }

    double expect_block(std::size_t first, std::size_t last, std::span<double> gradient, std::size_t threads, std::int64_t& errors) {
        const std::size_t group = has_edges() ? group_of_block : group_sentences;
        std::vector<Group> groups((last - first + group - 1) / group);
        const std::size_t first_token = problem_.input.begin(first);
        if (has_edges()) pair_cells_.resize((problem_.input.begin(last) - first_token) * pair_count());
        double loss = 0;
        std::size_t next = 0;  // group to be added
        std::mutex adding;
        parallel_for(groups.size(), threads, 1, [&] {
            return [&, opponent = ExpectedOpponent<Real>(problem_, false), difference = Difference<Real>()](std::size_t g) mutable {
                for (std::size_t s = first + g * group; s < std::min(first + (g + 1) * group, last); ++s) {
                    opponent.find(weights_.data(), s, difference);
                    add_sentence(s, difference, groups[g]);
                    if (has_edges()) fill_pairs(s, first_token, difference.empty() ? nullptr : opponent.marginals().pairs.data());
                }
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

    void subtract_group(const Group& group, std::span<double> gradient) const {
        if (!group.pairs.empty())
            for (std::size_t i = 0; i < transitions_.size(); ++i) gradient[node_labels_.size() + i] -= group.pairs[transitions_[i]];
    }

    // Gold minus marginals of the label pairs of a sentence; zeros where nothing is known, and at its first token.
    void fill_pairs(std::size_t sentence, std::size_t first_token, const Real* marginals) {
        const std::size_t labels = problem_.layout.labels, stride = problem_.layout.stride, begin = problem_.input.begin(sentence);
        Real* out = pair_cells_.data() + (begin - first_token) * pair_count();
        for (std::size_t t = 0; t < problem_.input.length(sentence); ++t, out += pair_count()) {
            if (t == 0 || !marginals) {
                std::fill_n(out, pair_count(), Real{0});
                continue;
            }
            for (std::size_t p = 0; p < labels; ++p)
                for (std::size_t y = 0; y < labels; ++y) out[p * labels + y] = -marginals[(t * labels + p) * stride + y];
            out[static_cast<std::size_t>(problem_.gold[begin + t - 1]) * labels + static_cast<std::size_t>(problem_.gold[begin + t])] += 1;
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
                    const Real value = edge_postings_.values(at) ? static_cast<Real>(*edge_postings_.values(at)) : Real{1};
                    for (std::size_t k = 0; k < count; ++k) sums[k] += static_cast<double>(value * cells[layout.edge_pairs[from + k]]);
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
            return [&, sum = std::vector<Real>(problem_.layout.stride), total = std::vector<double>(problem_.layout.stride)](
                       std::size_t row) mutable { gather_row(row, sum, total, gradient); };
        });
    }

    // Short sums in Real, their total in double: a frequent feature fires at hundreds of thousands of tokens.
    void gather_row(std::size_t row, std::vector<Real>& sum, std::vector<double>& total, std::span<double> gradient) const {
        constexpr std::size_t part = 64;
        std::fill(total.begin(), total.end(), 0.0);
        for (std::size_t done = 0; done < postings_.count(row); done += part) {
            const std::size_t at = postings_.begin(row) + done, count = std::min(part, postings_.count(row) - done);
            postings_.prefetch_ahead(at, count, cells_.data(), problem_.layout.stride);
            kernels().of<Real>().sum_rows(cells_.data(), postings_.tokens(at), postings_.values(at), count,
                                          problem_.layout.stride, sum.data());
            for (std::size_t y = 0; y < total.size(); ++y) total[y] += sum[y];
        }
        for (auto k = static_cast<std::size_t>(node_offsets_[row]); k < static_cast<std::size_t>(node_offsets_[row + 1]); ++k)
            gradient[k] = -total[node_labels_[k]];
    }

    ChainProblem<Real> problem_;
    bool all_labels_;
    std::vector<std::int64_t> node_offsets_;   // [F + 1]
    std::vector<std::uint32_t> node_labels_;
    std::vector<std::size_t> transitions_;     // p * stride + y of the pairs that exist
    Postings postings_, edge_postings_;
    std::vector<std::size_t> edge_next_;       // [E] the first posting that has not been gathered
    std::vector<Real> pair_cells_;             // [tokens of a block][L][L] gold minus marginals
    BigVector<Real> weights_;
    BigVector<Real> cells_;                    // [N][stride] gold minus marginals
};

}  // namespace tagloom
