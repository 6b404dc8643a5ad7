// Boosting for ranking (collins-2002, section 4.2 and Figure 2): greedy minimisation of
//   ExpLoss(a) = sum_i sum_{j >= 2} exp(-M_ij),  M_ij = F(x_i1, a) - F(x_ij, a),
// one feature per round. A pair consists of a sequence's best candidate x_i1 and another candidate of its list.
//
// A round touches only the pairs of its feature and the features of these pairs. Features are renumbered in the order
// in which they first occur in pairs, so that the features of a sentence are neighbours in memory. BestLoss is kept in
// small buckets with their maxima, and only the touched buckets are computed again. Features with the same pairs on the
// same sides always have the same BestLoss, so the first of them represents all, as ties go to the first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tagloom/rerank/ranking.hpp"
#include "tagloom/text/hash.hpp"

namespace tagloom {

// A number whose half is an index and whose lowest bit is a sign: 0 for x_i1 (A+, B+), 1 for the other candidate (A-,
// B-).
using Sided = std::uint32_t;

// Lists of sided numbers, one after another.
struct SidedLists {
    std::vector<std::size_t> offsets{0};
    std::vector<Sided> items;

    std::size_t size() const noexcept { return offsets.size() - 1; }
    std::span<const Sided> operator[](std::size_t i) const noexcept {
        return {items.data() + offsets[i], offsets[i + 1] - offsets[i]};
    }
};

// Returns, for every index, the numbers of the lists that hold it, with its side.
inline SidedLists inverted(const SidedLists& lists, std::size_t indices) {
    SidedLists out;
    out.offsets.assign(indices + 1, 0);
    for (const Sided item : lists.items) ++out.offsets[(item >> 1) + 1];
    std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
    out.items.resize(lists.items.size());
    std::vector<std::size_t> next(out.offsets.begin(), out.offsets.end() - 1);
    for (std::size_t list = 0; list < lists.size(); ++list)
        for (const Sided item : lists[list]) out.items[next[item >> 1]++] = static_cast<Sided>(list << 1) | (item & 1);
    return out;
}

// The pairs of a training set with the features that distinguish them, B+ and B-, and the reverse, A+ and A-.
struct BoostingPairs {
    std::vector<double> base;              // [P] L(x_i1) - L(x_ij)
    SidedLists features;                   // [P] features of a pair
    SidedLists pairs;                      // [K] pairs of a feature
    std::vector<std::uint32_t> published;  // [K] the caller's number of a feature

    // `best` is the index of x_i1 in its list; if it is negative, the list is left out.
    BoostingPairs(const RankingLists& lists, std::span<const std::int64_t> best) {
        constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
        std::vector<std::uint32_t> numbers(lists.features, unseen);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (best[i] < 0) continue;
            const std::size_t right = lists.begin(i) + static_cast<std::size_t>(best[i]);
            for (std::size_t other = lists.begin(i); other < lists.begin(i) + lists.count(i); ++other) {
                if (other == right) continue;
                base.push_back(lists.scores[right] - lists.scores[other]);
                for_each_difference(lists, right, other, [&](std::uint32_t row, double amount) {
                    if (numbers[row] == unseen)
                        numbers[row] = static_cast<std::uint32_t>(published.size()), published.push_back(row);
                    features.items.push_back(numbers[row] << 1 | (amount < 0));
                });
                features.offsets.push_back(features.items.size());
            }
        }
        pairs = inverted(features, published.size());
        drop_equal_features();
    }

private:
    void drop_equal_features() {
        std::vector<std::pair<Hash, std::uint32_t>> order;
        for (std::uint32_t k = 0; k < pairs.size(); ++k) {
            Hash hash = pairs[k].size();
            for (const Sided item : pairs[k]) hash = mix(hash, item);
            order.emplace_back(hash, k);
        }
        std::sort(order.begin(), order.end());
        std::vector<std::uint32_t> kept_as(pairs.size());
        std::iota(kept_as.begin(), kept_as.end(), 0u);
        for (std::size_t i = 1; i < order.size(); ++i) {
            const auto [hash, k] = order[i];
            const std::uint32_t before = kept_as[order[i - 1].second];
            if (hash == order[i - 1].first && std::ranges::equal(pairs[k], pairs[before])) kept_as[k] = before;
        }
        std::vector<std::uint32_t> numbers(pairs.size()), published_before = std::move(published);
        published.clear();
        for (std::uint32_t k = 0; k < pairs.size(); ++k) {
            if (kept_as[k] != k) continue;
            numbers[k] = static_cast<std::uint32_t>(published.size());
            published.push_back(published_before[k]);
        }
        SidedLists kept;
        for (std::size_t p = 0; p < features.size(); ++p) {
            for (const Sided item : features[p])
                if (kept_as[item >> 1] == item >> 1) kept.items.push_back(numbers[item >> 1] << 1 | (item & 1));
            kept.offsets.push_back(kept.items.size());
        }
        features = std::move(kept);
        pairs = inverted(features, published.size());
    }
};

// Finds w_0, where the loss of the base scores alone is lowest. The derivative rises with w, so its zero is found by
// bisection.
inline double search_base_weight(std::span<const double> base) {
    constexpr double most = 20;  // the loss may fall for ever if the best candidates are already the first
    const auto slope = [&](double w) {
        double sum = 0;
        for (const double gain : base) sum -= gain * std::exp(std::clamp(-w * gain, -300.0, 300.0));
        return sum;
    };
    double low = -most, high = most;
    if (slope(high) <= 0) return slope(high) == 0 && slope(0) == 0 ? 0 : high;
    if (slope(low) >= 0) return low;
    for (int i = 0; i < 100 && low < high; ++i) {
        const double middle = low + (high - low) / 2;
        (slope(middle) < 0 ? low : high) = middle;
    }
    return low + (high - low) / 2;
}

// Finds the highest of many numbers of which a few change at a time, by buckets with their maxima.
class BucketedMaximum {
public:
    static constexpr std::size_t width = 16;

    explicit BucketedMaximum(std::size_t count)
        : values_((count + width - 1) / width * width, -1),
          maxima_(values_.size() / width),
          is_stale_(maxima_.size(), 1) {}

    void touch(std::size_t number) noexcept { is_stale_[number / width] = 1; }

    // Returns the lowest index with the highest value; `compute` gives the value of an index. There must be at least
    // one.
    template <class Compute>
    std::size_t find(std::size_t count, Compute compute) {
        for (std::size_t b = 0; b < maxima_.size(); ++b) {
            if (!is_stale_[b]) continue;
            is_stale_[b] = 0;
            const std::size_t begin = b * width, end = std::min(begin + width, count);
            for (std::size_t k = begin; k < end; ++k) values_[k] = compute(k);
            maxima_[b] = *std::max_element(values_.begin() + static_cast<std::ptrdiff_t>(begin),
                                           values_.begin() + static_cast<std::ptrdiff_t>(end));
        }
        const auto bucket =
            static_cast<std::size_t>(std::max_element(maxima_.begin(), maxima_.end()) - maxima_.begin());
        const auto first = values_.begin() + static_cast<std::ptrdiff_t>(bucket * width);
        return static_cast<std::size_t>(std::find(first, first + width, maxima_[bucket]) - values_.begin());
    }

private:
    std::vector<double> values_, maxima_;
    std::vector<std::uint8_t> is_stale_;
};

// One step of the algorithm: the caller's number of the feature, the increase of its weight, and ExpLoss after it.
struct BoostingRound {
    std::uint32_t feature;
    double delta;
    double loss;
};

class Boosting {
public:
    Boosting(const RankingLists& lists, std::span<const std::int64_t> best, double smoothing)
        : data_(lists, best),
          smoothing_(smoothing),
          base_weight_(search_base_weight(data_.base)),
          losses_(data_.base.size()),
          sums_(2 * data_.published.size()),
          best_(data_.published.size()) {
        for (std::size_t p = 0; p < losses_.size(); ++p)
            losses_[p] = std::exp(std::clamp(-base_weight_ * data_.base[p], -300.0, 300.0));
        sum_up();
    }

    double base_weight() const noexcept { return base_weight_; }
    double loss() const noexcept { return total_; }
    std::size_t pairs() const noexcept { return losses_.size(); }
    std::size_t features() const noexcept { return data_.published.size(); }
    std::span<const std::uint32_t> published() const noexcept { return data_.published; }
    std::span<const double> sums() const noexcept { return sums_; }           // [K][2] W+ and W-
    std::span<const double> pair_losses() const noexcept { return losses_; }  // [P] exp(-M)

    double best_loss(std::size_t k) const noexcept {
        return std::abs(std::sqrt(sums_[2 * k]) - std::sqrt(sums_[2 * k + 1]));
    }

    // Returns false if no feature would lower the loss.
    bool step(BoostingRound& round) {
        if (features() == 0) return false;
        if (++since_summed_ == rounds_between_sums || total_ < fall_between_sums * summed_total_) sum_up();
        const std::size_t k = best_.find(features(), [&](std::size_t feature) { return best_loss(feature); });
        if (!(best_loss(k) > 0)) return false;
        const double smoothed = smoothing_ * total_;
        const double delta = std::clamp(0.5 * std::log((sums_[2 * k] + smoothed) / (sums_[2 * k + 1] + smoothed)),
                                        -longest_step, longest_step);
        if (delta == 0 || std::isnan(delta)) return false;
        move(k, delta);
        round = {data_.published[k], delta, total_};
        return true;
    }

private:
    static constexpr std::size_t rounds_between_sums = 10'000;  // so that rounding errors do not add up,
    static constexpr double fall_between_sums = 1e-4;           // nor outweigh what is left of the loss
    static constexpr double longest_step = 50;                  // without smoothing, a step may be infinite

    void move(std::size_t k, double delta) {
        const double factors[2] = {std::exp(-delta), std::exp(delta)};
        for (const Sided pair : data_.pairs[k]) {
            double& loss = losses_[pair >> 1];
            const double change = loss * factors[pair & 1] - loss;
            loss += change;
            total_ += change;
            for (const Sided item : data_.features[pair >> 1]) {
                sums_[item] = std::max(sums_[item] + change, 0.0);
                best_.touch(item >> 1);
            }
        }
        total_ = std::max(total_, 0.0);
    }

    // Sums W+, W- and Z from the pairs.
    void sum_up() {
        since_summed_ = 0;
        total_ = 0;
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (std::size_t p = 0; p < losses_.size(); ++p) {
            total_ += losses_[p];
            for (const Sided item : data_.features[p]) sums_[item] += losses_[p];
        }
        summed_total_ = total_;
        for (std::size_t k = 0; k < features(); ++k) best_.touch(k);
    }

    BoostingPairs data_;
    double smoothing_;    // epsilon
    double base_weight_;  // w_0
    std::vector<double> losses_;
    std::vector<double> sums_;
    double total_ = 0, summed_total_ = 0;  // Z, now and when it was last summed
    std::size_t since_summed_ = 0;
    BucketedMaximum best_;
};

// Tracks the entity counts of the winners of some lists while weights change feature by feature, for the F-measure
// after every round.
class RankingMonitor {
public:
    struct Counts {
        std::span<const std::int64_t> correct, proposed;  // [C] correct spans and all spans of a candidate
        std::int64_t gold = 0;                            // number of gold spans
    };

    RankingMonitor(const RankingLists& lists, const Counts& counts, double base_weight)
        : lists_(lists),
          counts_(counts),
          owner_(lists.scores.size()),
          scores_(lists.scores.size()),
          winners_(lists.size(), -1) {
        for (std::size_t c = 0; c < scores_.size(); ++c) scores_[c] = base_weight * lists.scores[c];
        where_.offsets.assign(lists.features + 1, 0);
        for (const std::uint32_t row : lists.rows) ++where_.offsets[row + 1];
        std::partial_sum(where_.offsets.begin(), where_.offsets.end(), where_.offsets.begin());
        where_.items.resize(lists.rows.size());
        std::vector<std::size_t> next(where_.offsets.begin(), where_.offsets.end() - 1);
        for (std::size_t s = 0; s < lists.size(); ++s) {
            for (std::size_t c = lists.begin(s); c < lists.begin(s) + lists.count(s); ++c) {
                owner_[c] = static_cast<std::uint32_t>(s);
                for (const std::uint32_t row : lists.rows_of(c))
                    where_.items[next[row]++] = static_cast<std::uint32_t>(c);
            }
            elect(s);
        }
    }

    void move(std::uint32_t feature, double delta) {
        const std::span<const std::uint32_t> places = where_[feature];
        for (std::size_t i = 0; i < places.size(); ++i) {
            scores_[places[i]] += delta;
            if (i + 1 == places.size() || owner_[places[i + 1]] != owner_[places[i]]) elect(owner_[places[i]]);
        }
    }

    double f_measure() const noexcept {
        const std::int64_t all = proposed_ + counts_.gold;
        return all == 0 ? 0.0 : 200.0 * static_cast<double>(correct_) / static_cast<double>(all);
    }

private:
    void elect(std::size_t s) {
        const std::int64_t winner = highest<double>({scores_.data() + lists_.begin(s), lists_.count(s)});
        if (winner == winners_[s]) return;
        count(s, winners_[s], -1);
        count(s, winner, 1);
        winners_[s] = winner;
    }
    void count(std::size_t s, std::int64_t winner, std::int64_t sign) {
        if (winner < 0) return;
        const std::size_t candidate = lists_.begin(s) + static_cast<std::size_t>(winner);
        correct_ += sign * counts_.correct[candidate];
        proposed_ += sign * counts_.proposed[candidate];
    }

    RankingLists lists_;
    Counts counts_;
    std::vector<std::uint32_t> owner_;  // [C] sequence
    std::vector<double> scores_;        // [C] F
    std::vector<std::int64_t> winners_;
    SidedLists where_;  // the candidates of a feature, without sides
    std::int64_t correct_ = 0, proposed_ = 0;
};

}  // namespace tagloom
