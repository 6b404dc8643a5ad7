// Ranking: lists of candidates, each with the score of the model that found it and the features of its whole labelling
// (collins-2002, section 4.1). F(x, a) = w_0 L(x) + sum_s w_s h_s(x).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/fast/parallel.hpp"

namespace tagloom {

struct RankingLists {
    std::span<const std::int64_t> first;    // [S + 1] offsets of the candidates of every sequence
    std::span<const double> scores;         // [C] L(x) of the model that found them
    std::span<const std::int64_t> offsets;  // [C + 1] offsets into the rows
    std::span<const std::uint32_t> rows;    // distinct features that hold, in ascending order in every candidate
    std::span<const float> values;          // values of the rows; empty if all are one
    std::size_t features = 0;               // m

    std::size_t size() const noexcept { return first.size() - 1; }
    std::size_t begin(std::size_t sequence) const noexcept { return static_cast<std::size_t>(first[sequence]); }
    std::size_t count(std::size_t sequence) const noexcept {
        return static_cast<std::size_t>(first[sequence + 1] - first[sequence]);
    }
    std::size_t rows_begin(std::size_t candidate) const noexcept {
        return static_cast<std::size_t>(offsets[candidate]);
    }
    std::span<const std::uint32_t> rows_of(std::size_t candidate) const noexcept {
        return rows.subspan(rows_begin(candidate),
                            static_cast<std::size_t>(offsets[candidate + 1] - offsets[candidate]));
    }
    double value(std::size_t i) const noexcept { return values.empty() ? 1.0 : static_cast<double>(values[i]); }
};

// Calls visit(feature, left - right) for the features by which two candidates of a sequence differ, in ascending order.
template <class Visit>
void for_each_difference(const RankingLists& lists, std::size_t left, std::size_t right, Visit visit) {
    std::size_t i = lists.rows_begin(left), j = lists.rows_begin(right);
    const std::size_t i_end = lists.rows_begin(left + 1), j_end = lists.rows_begin(right + 1);
    while (i < i_end || j < j_end) {
        const bool takes_left = j == j_end || (i < i_end && lists.rows[i] <= lists.rows[j]);
        const bool takes_right = i == i_end || (j < j_end && lists.rows[j] <= lists.rows[i]);
        const std::uint32_t row = takes_left ? lists.rows[i] : lists.rows[j];
        const double amount = (takes_left ? lists.value(i) : 0.0) - (takes_right ? lists.value(j) : 0.0);
        i += takes_left, j += takes_right;
        if (amount != 0) visit(row, amount);
    }
}

// Computes F of a candidate under the weights of the features and of L.
inline double score_candidate(const RankingLists& lists, std::size_t candidate, std::span<const double> weights,
                              double base) {
    double score = base * lists.scores[candidate];
    for (std::size_t i = lists.rows_begin(candidate); i < lists.rows_begin(candidate + 1); ++i)
        score += lists.value(i) * weights[lists.rows[i]];
    return score;
}

// Returns the index, within the list, of the first highest value, ignoring one that is left out; -1 if there is none.
template <class Value>
std::int64_t highest(std::span<const Value> values, std::size_t left_out = static_cast<std::size_t>(-1)) {
    std::int64_t best = -1;
    for (std::size_t k = 0; k < values.size(); ++k)
        if (k != left_out && (best < 0 || values[k] > values[static_cast<std::size_t>(best)]))
            best = static_cast<std::int64_t>(k);
    return best;
}

inline std::vector<double> score_lists(const RankingLists& lists, std::span<const double> weights, double base,
                                       std::size_t threads) {
    std::vector<double> scores(lists.scores.size());
    parallel_for(scores.size(), threads, 1024, [&] {
        return [&](std::size_t candidate) { scores[candidate] = score_candidate(lists, candidate, weights, base); };
    });
    return scores;
}

}  // namespace tagloom
