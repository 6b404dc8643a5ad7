// The perceptron for ranking (collins-2002, section 4.3): training (Figure 3), and voting (Figure 4) by bookkeeping.
//
// A candidate is (beta L(x), h_1(x), ..., h_m(x)). Training meets one list after another; where the best candidate
// under the weights is not x_i1, it adds their difference. Every weight vector on the way has one vote for each list
// that it survived. Voting never lays out the vectors: it visits only the changes of the features that distinguish the
// candidates of a list, a block of updates at a time, from the last update to the first. Late vectors survive more
// lists than early ones, so most votes are counted soon.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "tagloom/fast/kernels.hpp"
#include "tagloom/fast/simd.hpp"
#include "tagloom/rerank/ranking.hpp"

namespace tagloom {

// Perceptron weights after every update, as changes, for voting.
struct Trajectory {
    std::vector<std::int64_t> offsets;  // [m + 1] offsets into the events
    std::vector<std::uint32_t> events;  // per feature: update number << 1 | whether the weight fell; ascending
    std::vector<double> base;           // [U + 1] weight of L(x) before the first update and after each
    std::vector<std::int64_t> votes;    // [U + 1] number of lists that the weights survived
};

class RankingPerceptron {
public:
    struct Report {
        std::size_t updates = 0, errors = 0;
        double loss = 0;  // by how much margins are violated; without a margin, by how much winners are ahead of x_i1
    };
    // Everything that a later run continues from, except trajectories.
    struct State {
        std::vector<double> weights, moments;
        double base = 0, base_moment = 0;  // of L(x): beta times the first weight
        std::size_t seen = 0;
    };

    // Where a candidate other than x_i1 wins, its entry in `costs` is counted as errors, or one without costs. With a
    // margin C the perceptron also moves where x_i1 wins by C or less (kazama-torisawa-2007, Algorithm 3.1).
    RankingPerceptron(const RankingLists& lists, std::vector<std::int64_t> best, double beta, double margin,
                      bool has_margin, std::vector<std::int64_t> costs = {})
        : lists_(lists),
          best_(std::move(best)),
          costs_(std::move(costs)),
          beta_(beta),
          margin_(margin),
          has_margin_(has_margin),
          state_{std::vector<double>(lists.features, 0.0), std::vector<double>(lists.features, 0.0)},
          base_steps_{0.0},
          votes_{0} {}

    // Starts or continues from a state; the trajectory for voting starts again.
    void set(State state) {
        state_ = std::move(state);
        base_steps_.assign(1, state_.base), votes_.assign(1, 0), changes_.clear();
    }
    const State& state() const noexcept { return state_; }

    Report run(std::span<const std::int64_t> order) {
        Report report;
        for (const std::int64_t i : order) {
            visit(static_cast<std::size_t>(i), report);
            ++state_.seen, ++votes_.back();
        }
        return report;
    }

    std::span<const double> weights() const noexcept { return state_.weights; }
    double base() const noexcept { return state_.base; }

    // Returns the mean of the vectors after every list.
    std::vector<double> mean() const {
        std::vector<double> out(state_.weights);
        for (std::size_t k = 0; k < out.size(); ++k) out[k] -= state_.moments[k] / seen();
        return out;
    }
    double mean_base() const noexcept { return state_.base - state_.base_moment / seen(); }

    Trajectory trajectory() const {
        Trajectory out{{}, {}, base_steps_, votes_};
        out.offsets.assign(lists_.features + 1, 0);
        for (const Change& change : changes_) ++out.offsets[change.row + 1];
        std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
        out.events.resize(changes_.size());
        std::vector<std::int64_t> next(out.offsets.begin(), out.offsets.end() - 1);
        for (const Change& change : changes_) out.events[static_cast<std::size_t>(next[change.row]++)] = change.event;
        return out;
    }

private:
    struct Change {
        std::uint32_t row, event;
    };

    double seen() const noexcept { return static_cast<double>(std::max<std::size_t>(state_.seen, 1)); }

    void visit(std::size_t i, Report& report) {
        if (best_[i] < 0 || lists_.count(i) < 2) return;
        const std::size_t right = static_cast<std::size_t>(best_[i]), begin = lists_.begin(i);
        scores_.resize(lists_.count(i));
        for (std::size_t k = 0; k < scores_.size(); ++k)
            scores_[k] = score_candidate(lists_, begin + k, state_.weights, state_.base);
        auto rival = static_cast<std::size_t>(highest<double>(scores_));
        if (rival != right) report.errors += costs_.empty() ? 1 : static_cast<std::size_t>(costs_[begin + rival]);
        if (rival == right) {
            if (!has_margin_) return;
            rival = static_cast<std::size_t>(highest<double>(scores_, right));
            if (scores_[right] - scores_[rival] > margin_) return;
        }
        ++report.updates;
        report.loss += margin_ - (scores_[right] - scores_[rival]);
        move(begin + right, begin + rival);
    }

    // Moments hold every change times the number of lists before it, so the mean is weights - moments / lists.
    void move(std::size_t right, std::size_t wrong) {
        const auto before = static_cast<double>(state_.seen);
        const auto update = static_cast<std::uint32_t>(base_steps_.size());
        const double step = beta_ * beta_ * (lists_.scores[right] - lists_.scores[wrong]);
        state_.base += step, state_.base_moment += before * step;
        base_steps_.push_back(state_.base), votes_.push_back(0);
        for_each_difference(lists_, right, wrong, [&](std::uint32_t row, double amount) {
            state_.weights[row] += amount, state_.moments[row] += before * amount;
            if (!has_margin_) changes_.push_back({row, update << 1 | (amount < 0)});  // voting needs only these
        });
    }

    RankingLists lists_;
    std::vector<std::int64_t> best_, costs_;
    double beta_, margin_;
    bool has_margin_;
    State state_;
    std::vector<double> base_steps_;
    std::vector<std::int64_t> votes_;
    std::vector<Change> changes_;
    std::vector<double> scores_;
};

// A view of a trajectory, which its creator has checked.
struct TrajectoryView {
    std::span<const std::int64_t> offsets;
    std::span<const std::uint32_t> events;
    std::span<const double> base;
    std::span<const std::int64_t> votes;
    std::span<const std::int32_t> last;  // [m] weights after the last update
    std::int64_t all_votes = 0;
};

// Computes the weights after the last update.
inline std::vector<std::int32_t> last_weights(std::span<const std::int64_t> offsets,
                                              std::span<const std::uint32_t> events) {
    std::vector<std::int32_t> out(offsets.size() - 1, 0);
    for (std::size_t k = 0; k < out.size(); ++k)
        for (auto i = static_cast<std::size_t>(offsets[k]); i < static_cast<std::size_t>(offsets[k + 1]); ++i)
            out[k] += 1 - 2 * static_cast<std::int32_t>(events[i] & 1);
    return out;
}

// One thread's voter. Features that hold in the same candidates of a list form one group, of which only the sum
// matters.
class Voter {
public:
    explicit Voter(const TrajectoryView& trajectory) : path_(trajectory), slots_(trajectory.offsets.size() - 1, none) {}

    // Counts the votes for the candidates of a list. With `only_winner`, it may stop when the first place is decided.
    void operator()(const RankingLists& lists, std::size_t sequence, bool only_winner, std::span<std::int64_t> votes) {
        std::fill(votes.begin(), votes.end(), 0);
        if (votes.empty()) return;
        if (votes.size() == 1) return void(votes[0] = path_.all_votes);
        begin(lists, sequence);
        std::int64_t left = path_.all_votes;
        for (std::size_t last = path_.base.size(), first; last > 0; last = first) {
            first = (last - 1) / block * block;
            gather_events(first);
            for (std::size_t u = last; u-- > first;) {
                votes[elect(path_.base[u])] += path_.votes[u];
                left -= path_.votes[u];
                take_back(u % block);
            }
            if (only_winner && is_decided(votes, left)) break;
        }
    }

private:
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::size_t block = 128;

    void begin(const RankingLists& lists, std::size_t sequence) {
        const std::size_t first = lists.begin(sequence);
        count_ = lists.count(sequence), words_ = (count_ + 63) / 64, width_ = padded(count_);
        find_members(lists, first);
        find_groups();
        group_words_ = (groups_ + 63) / 64;
        changes_.assign(block * groups_, 0), touched_.assign(block * group_words_, 0);
        base_scores_.assign(width_, 0.0), totals_.assign(width_, 0.0);
        sums_.assign(width_, -std::numeric_limits<double>::infinity());  // padding never wins
        std::fill_n(sums_.begin(), count_, 0.0);
        std::copy_n(lists.scores.begin() + static_cast<std::ptrdiff_t>(first), count_, base_scores_.begin());
        weights_.assign(groups_ * width_, 0.0);
        for (std::size_t g = 0; g < groups_; ++g)
            for (std::size_t k = 0; k < count_; ++k)
                weights_[g * width_ + k] = static_cast<double>(group_members_[g * words_ + k / 64] >> k % 64 & 1);
        for (std::size_t g = 0; g < groups_; ++g) add(weights_.data() + g * width_, group_sums_[g]);
    }

    // Finds which candidates have which features.
    void find_members(const RankingLists& lists, std::size_t first) {
        rows_.clear(), members_.clear();
        for (std::size_t k = 0; k < count_; ++k)
            for (const std::uint32_t row : lists.rows_of(first + k)) {
                if (path_.offsets[row] == path_.offsets[row + 1]) continue;  // its weight never changed
                if (slots_[row] == none) {
                    slots_[row] = static_cast<std::uint32_t>(rows_.size());
                    rows_.push_back(row);
                    members_.resize(members_.size() + words_, 0);
                }
                members_[slots_[row] * words_ + k / 64] |= std::uint64_t{1} << k % 64;
            }
        for (const std::uint32_t row : rows_) slots_[row] = none;
    }

    bool are_equal(const std::uint64_t* a, const std::uint64_t* b) const noexcept {  // nearly always one word
        return a[0] == b[0] && (words_ == 1 || std::equal(a + 1, a + words_, b + 1));
    }

    // Leaves out features that all candidates have, because they change nothing.
    void find_groups() {
        groups_ = 0;
        group_members_.clear(), group_sums_.clear(), next_.clear();
        for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
            const std::uint64_t* mine = members_.data() + slot * words_;
            std::size_t members = 0;
            for (std::size_t w = 0; w < words_; ++w) members += static_cast<std::size_t>(std::popcount(mine[w]));
            if (members == count_) continue;
            std::size_t group = 0;
            while (group < groups_ && !are_equal(mine, group_members_.data() + group * words_)) ++group;
            if (group == groups_)
                ++groups_, group_sums_.push_back(0), group_members_.insert(group_members_.end(), mine, mine + words_);
            group_sums_[group] += path_.last[rows_[slot]];
            next_.push_back({group, static_cast<std::size_t>(path_.offsets[rows_[slot]]),
                             static_cast<std::size_t>(path_.offsets[rows_[slot] + 1])});
        }
    }

    // Collects the changes of the updates from `first` on, in rows of the block.
    void gather_events(std::size_t first) {
        const auto least = static_cast<std::uint32_t>(first << 1);
        for (Cursor& cursor : next_)
            for (; cursor.end > cursor.begin && path_.events[cursor.end - 1] >= least; --cursor.end) {
                const std::uint32_t event = path_.events[cursor.end - 1];
                const std::size_t row = (event >> 1) % block;
                changes_[row * groups_ + cursor.group] += 1 - 2 * static_cast<std::int32_t>(event & 1);
                touched_[row * group_words_ + cursor.group / 64] |= std::uint64_t{1} << cursor.group % 64;
            }
    }

    // Goes back to the weights before an update, whose changes are in a row of the block.
    void take_back(std::size_t row) {
        std::int32_t* changes = changes_.data() + row * groups_;
        for (std::size_t w = 0; w < group_words_; ++w) {
            std::uint64_t& touched = touched_[row * group_words_ + w];
            for (; touched; touched &= touched - 1) {
                const std::size_t g = w * 64 + static_cast<std::size_t>(std::countr_zero(touched));
                add(weights_.data() + g * width_, -changes[g]);
                changes[g] = 0;
            }
        }
    }
    void add(const double* members, double change) {
        double* const sums = sums_.data();
        for (std::size_t k = 0; k < width_; ++k) sums[k] += members[k] * change;
    }

    // Returns the first candidate with the highest score under this weight of L(x).
    std::size_t elect(double base) {
        const double best = kernels().f64.add_largest(base_scores_.data(), base, sums_.data(), width_, totals_.data());
        std::size_t winner = 0;
        while (totals_[winner] != best) ++winner;
        return winner;
    }

    static bool is_decided(std::span<const std::int64_t> votes, std::int64_t left) {
        std::int64_t first = 0, second = 0;
        for (const std::int64_t each : votes) {
            if (each > first) second = first, first = each;
            else second = std::max(second, each);
        }
        return first - second > left;
    }

    struct Cursor {
        std::size_t group, begin, end;  // range of the events that have not been undone
    };

    TrajectoryView path_;
    std::size_t count_ = 0, words_ = 0, groups_ = 0;  // candidates, 64-bit words per set of candidates, feature groups
    std::size_t width_ = 0;                           // number of candidates, rounded up to whole vectors
    std::vector<std::uint32_t> slots_;                // [m] place of a feature of this list
    std::vector<std::uint32_t> rows_;                 // [slots]
    std::vector<std::uint64_t> members_;              // [slots][words] candidates that have the feature
    std::vector<std::uint64_t> group_members_;        // [groups][words]
    std::vector<std::int32_t> group_sums_;            // [groups] sums of the last weights
    std::vector<double> weights_;                     // [groups][width] the members as ones and zeros
    std::vector<Cursor> next_;
    std::size_t group_words_ = 0;                      // number of 64-bit words in a set of groups
    std::vector<std::int32_t> changes_;                // [block][groups]
    std::vector<std::uint64_t> touched_;               // [block][group words] the groups that change
    std::vector<double> base_scores_, sums_, totals_;  // [width] L(x), sums of the features, F(x)
};

}  // namespace tagloom
