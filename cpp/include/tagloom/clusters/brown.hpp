// Brown clusters (Brown et al. 1992, section 3) by the algorithm with a window of c + 1 clusters (Liang 2005, section
// 4.2): the c most frequent words begin in clusters of their own; every other word, in the order of frequency, becomes
// one more cluster, and the two clusters are merged whose merge loses the least average mutual information. At the end
// the c clusters are merged into one, which gives a tree.
//
// Words that have no cluster yet, and those that never get one, form one class, "rest"; the boundary of sentences is
// another. So the classes always cover the whole text. With the counts n(a, b) of bigrams of classes, their sums l(a)
// on the left and r(b) on the right, and f(n) = n log2 n, average mutual information times the number of bigrams N is
//
//   sum f(n(a, b)) - sum f(l(a)) - sum f(r(b)) + f(N)
//
// With g(x, y) = f(x + y) - f(x) - f(y), which is zero if x or y is, merging x and y loses
//
//   g(l(x), l(y)) + g(r(x), r(y)) - sum over classes d other than x and y of g(n(x, d), n(y, d)) + g(n(d, x), n(d, y))
//   - f(n(x, x) + n(x, y) + n(y, x) + n(y, y)) + f(n(x, x)) + f(n(x, y)) + f(n(y, x)) + f(n(y, y))
//
// f is kept as a whole number with 24 binary digits after the point. Sums of whole numbers have no rounding errors, so
// that a table of all losses can be changed step by step and stays equal to one that is computed anew. A step changes
// only pairs of which one is a neighbour of the added word, or of the smaller one of two merged clusters: O(c) times
// the number of these neighbours, instead of O(c^2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/fast/parallel.hpp"

namespace tagloom {

// f(n) = n log2 n in units of 2^-24.
class EntropyTable {
public:
    using Amount = std::int64_t;
    static constexpr int digits = 24;

    EntropyTable() {
        for (std::uint64_t n = 0; n < size; ++n) table_[n] = compute(n);
    }

    Amount f(std::uint64_t n) const noexcept { return n < size ? table_[n] : compute(n); }
    Amount g(std::uint64_t x, std::uint64_t y) const noexcept { return x == 0 || y == 0 ? 0 : f(x + y) - f(x) - f(y); }

private:
    static constexpr std::uint64_t size = 1U << 16;

    static Amount compute(std::uint64_t n) noexcept {
        if (n < 2) return 0;
        const auto x = static_cast<double>(n);
        return static_cast<Amount>(std::llround(std::ldexp(x * std::log2(x), digits)));
    }

    std::vector<Amount> table_ = std::vector<Amount>(size);
};

class BrownClustering {
public:
    using Word = std::int32_t;  // words are numbered by falling frequency
    using Count = std::uint32_t;
    using Amount = EntropyTable::Amount;

    // Distinct bigrams. Word `words` stands for all words that get no cluster, `words + 1` for the boundary.
    struct Bigrams {
        std::span<const Word> left, right;  // [B]
        std::span<const Count> count;       // [B]
    };

    // A cluster has the number of its most frequent word; `into` < `from`.
    struct Merge {
        Word into, from;
        Amount loss;
    };

    BrownClustering(const Bigrams& bigrams, std::size_t words, std::size_t clusters)
        : words_(words), clusters_(std::min(clusters, words)), size_(clusters_ + 1 + first_) {
        after_ = index(bigrams.left, bigrams.right, bigrams.count);
        before_ = index(bigrams.right, bigrams.left, bigrams.count);
        slot_.assign(words + 2, rest);
        slot_[words + 1] = boundary;
        parent_.resize(words);
        for (std::size_t w = 0; w < words; ++w) parent_[w] = static_cast<Word>(w);
        counts_.assign(size_ * size_, 0), transposed_.assign(size_ * size_, 0);
        losses_.assign(size_ * (size_ - 1) / 2, absent);
        left_.assign(size_, 0), right_.assign(size_, 0);
        rank_.assign(size_, none);
        best_.assign(size_, outside), bounds_.assign(size_, absent), is_stale_.assign(size_, 0);
        is_touched_.assign(size_, 0);
        for (Slot s = size_; s-- > first_;) free_.push_back(s);
        begin(bigrams);
    }

    // Does up to `steps` steps; each adds a word or merges two clusters. Returns how many are left.
    std::size_t run(std::size_t steps, std::size_t threads) {
        threads_ = threads;
        for (; steps > 0 && remaining() > 0; --steps) {
            if (active_.size() > clusters_ || next_ == words_) merge_best();
            else add(static_cast<Word>(next_++));
        }
        return remaining();
    }

    std::size_t remaining() const noexcept { return words_ - next_ + (words_ == 0 ? 0 : words_ - 1 - merges_.size()); }

    const std::vector<Merge>& merges() const noexcept { return merges_; }

private:
    using Slot = std::size_t;
    static constexpr Slot boundary = 0, rest = 1, first_ = 2;  // fixed slots, and the first of clusters
    static constexpr Slot outside = static_cast<Slot>(-1);
    static constexpr Word none = -1;
    static constexpr Amount absent = std::numeric_limits<Amount>::max();  // the loss of a pair that is not there

    // The neighbours of every word on one side, without the word itself.
    struct Neighbours {
        std::vector<std::size_t> offsets;  // [words + 1]
        std::vector<Word> words;
        std::vector<Count> counts;
    };

    Neighbours index(std::span<const Word> of, std::span<const Word> others, std::span<const Count> counts) const {
        Neighbours out{std::vector<std::size_t>(words_ + 1, 0), {}, {}};
        const auto is_listed = [&](std::size_t i) {
            return of[i] != others[i] && static_cast<std::size_t>(of[i]) < words_;
        };
        for (std::size_t i = 0; i < of.size(); ++i)
            if (is_listed(i)) ++out.offsets[static_cast<std::size_t>(of[i]) + 1];
        for (std::size_t w = 0; w < words_; ++w) out.offsets[w + 1] += out.offsets[w];
        out.words.resize(out.offsets.back()), out.counts.resize(out.offsets.back());
        std::vector<std::size_t> next(out.offsets.begin(), out.offsets.end() - 1);
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (!is_listed(i)) continue;
            const std::size_t at = next[static_cast<std::size_t>(of[i])]++;
            out.words[at] = others[i], out.counts[at] = counts[i];
        }
        return out;
    }

    // The first clusters, whose table of losses is filled context by context.
    void begin(const Bigrams& bigrams) {
        own_.assign(words_, 0), left_of_.assign(words_, 0), right_of_.assign(words_, 0);
        for (next_ = 0; next_ < clusters_; ++next_) place(static_cast<Word>(next_));
        for (std::size_t i = 0; i < bigrams.count.size(); ++i) {
            const auto a = static_cast<std::size_t>(bigrams.left[i]), b = static_cast<std::size_t>(bigrams.right[i]);
            const Count count = bigrams.count[i];
            add_count(slot_[a], slot_[b], count);
            if (a < words_) left_of_[a] += count;
            if (b < words_) right_of_[b] += count;
            if (a == b && a < words_) own_[a] = count;
        }
        for (const Slot s : active_) left_[s] = left_of_[word(s)], right_[s] = right_of_[word(s)];
        for (std::size_t i = 0; i < active_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) loss(active_[i], active_[j]) = own_loss(active_[i], active_[j]);
        for (const auto* table : {&counts_, &transposed_})
            for (Slot d = 0; d < size_; ++d) subtract_context(table->data() + d * size_, d);
        for (const Slot s : active_) find_best(s);
    }

    // Subtracts what two clusters share on one side of d from the losses of all pairs without d.
    void subtract_context(const Count* counts, Slot d) {
        neighbours_.clear();
        for (const Slot s : active_)
            if (s != d && counts[s]) neighbours_.push_back(s);
        for (std::size_t i = 0; i < neighbours_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                loss(neighbours_[i], neighbours_[j]) -= f_.g(counts[neighbours_[i]], counts[neighbours_[j]]);
    }

    std::size_t word(Slot s) const noexcept { return static_cast<std::size_t>(rank_[s]); }

    Slot place(Word w) {
        const Slot s = free_.back();
        free_.pop_back();
        rank_[s] = w;
        slot_[static_cast<std::size_t>(w)] = s;
        active_.push_back(s);
        return s;
    }

    // The slot of the cluster of a word.
    Slot find_slot(Word w) noexcept {
        if (static_cast<std::size_t>(w) >= next_) return slot_[static_cast<std::size_t>(w)];
        while (parent_[static_cast<std::size_t>(w)] != w) {
            Word& up = parent_[static_cast<std::size_t>(w)];
            up = parent_[static_cast<std::size_t>(up)];
            w = up;
        }
        return slot_[static_cast<std::size_t>(w)];
    }

    Count count(Slot a, Slot b) const noexcept { return counts_[a * size_ + b]; }
    const Count* after(Slot s) const noexcept { return counts_.data() + s * size_; }       // [slots] n(s, d)
    const Count* before(Slot s) const noexcept { return transposed_.data() + s * size_; }  // [slots] n(d, s)
    void add_count(Slot a, Slot b, Count more) noexcept {
        counts_[a * size_ + b] += more, transposed_[b * size_ + a] += more;
    }
    void set_count(Slot a, Slot b, Count value) noexcept {
        counts_[a * size_ + b] = transposed_[b * size_ + a] = value;
    }

    Amount& loss(Slot x, Slot y) noexcept { return losses_[triangle(x, y)]; }
    const Amount& loss(Slot x, Slot y) const noexcept { return losses_[triangle(x, y)]; }
    static std::size_t triangle(Slot x, Slot y) noexcept {
        const auto [low, high] = std::minmax(x, y);
        return high * (high - 1) / 2 + low;
    }

    // The part of a loss that does not depend on other clusters.
    Amount own_loss(Slot x, Slot y) const noexcept {
        return f_.g(left_[x], left_[y]) + f_.g(right_[x], right_[y])
               - join(count(x, x), count(x, y), count(y, x), count(y, y));
    }

    Amount join(std::uint64_t xx, std::uint64_t xy, std::uint64_t yx, std::uint64_t yy) const noexcept {
        return f_.f(xx + xy + yx + yy) - f_.f(xx) - f_.f(xy) - f_.f(yx) - f_.f(yy);
    }

    // -- adding a word -------------------------------------------------------------------------------------------------

    void add(Word w) {
        const auto number = static_cast<std::size_t>(w);
        const std::vector<Slot> others = active_;
        const Slot s = place(w);
        take_counts(after_, w, [&](Slot other, Count c) { add_count(s, other, c); });
        take_counts(before_, w, [&](Slot other, Count c) { add_count(other, s, c); });
        set_count(s, s, own_[number]);
        left_[s] = left_of_[number], right_[s] = right_of_[number];
        touch(s, others);
        for_each(touched_, touched_.size() * others.size(), [&](Slot x) {
            for (const Slot y : others)
                if (owns(x, y)) loss(x, y) -= gain_of_split(x, y, s, transposed_) + gain_of_split(x, y, s, counts_);
        });
        take_from_rest(s);
        list_neighbours(s);
        for_each(others, others.size() * (after_list_.size() + before_list_.size()),
                 [&](Slot y) { loss(s, y) = compute_loss(s, y); });
        touched_.push_back(s), is_touched_[s] = 1;
        refresh();
    }

    template <class Take>
    void take_counts(const Neighbours& neighbours, Word w, Take take) {
        const auto number = static_cast<std::size_t>(w);
        for (std::size_t i = neighbours.offsets[number]; i < neighbours.offsets[number + 1]; ++i)
            take(find_slot(neighbours.words[i]), neighbours.counts[i]);
    }

    // What a pair shares more, on one side, after s was taken from the rest, whose counts are still those before.
    Amount gain_of_split(Slot x, Slot y, Slot s, const std::vector<Count>& table) const noexcept {
        const Count *of_s = table.data() + s * size_, *of_rest = table.data() + rest * size_;
        const Count xs = of_s[x], ys = of_s[y], xr = of_rest[x], yr = of_rest[y];
        if (xs == 0 && ys == 0) return 0;
        return f_.g(xs, ys) + f_.g(xr - xs, yr - ys) - f_.g(xr, yr);
    }

    void take_from_rest(Slot s) {
        const Count both = count(s, rest) + count(rest, s) + count(s, s);
        set_count(rest, rest, count(rest, rest) - both);
        const auto take = [&](Slot x) {
            set_count(x, rest, count(x, rest) - count(x, s));
            set_count(rest, x, count(rest, x) - count(s, x));
        };
        take(boundary);
        for (const Slot x : active_)
            if (x != s) take(x);
    }

    void list_neighbours(Slot s) {
        after_list_.clear(), before_list_.clear();
        const auto list = [&](Slot d) {
            if (after(s)[d]) after_list_.push_back(d);
            if (before(s)[d]) before_list_.push_back(d);
        };
        list(boundary), list(rest);
        for (const Slot d : active_) list(d);
    }

    // Computes a loss anew, from the lists of the neighbours of s.
    Amount compute_loss(Slot s, Slot y) const noexcept {
        Amount out = own_loss(s, y);
        for (const Slot d : after_list_)
            if (d != s && d != y) out -= f_.g(after(s)[d], before(d)[y]);
        for (const Slot d : before_list_)
            if (d != s && d != y) out -= f_.g(before(s)[d], after(d)[y]);
        return out;
    }

    // -- merging -------------------------------------------------------------------------------------------------------

    void merge_best() {
        Slot x = find_least();
        while (is_stale_[x]) {
            find_best(x);
            x = find_least();
        }
        const Slot y = best_[x];
        merges_.push_back({std::min(rank_[x], rank_[y]), std::max(rank_[x], rank_[y]), loss(x, y)});
        if (rank_[x] < rank_[y]) merge(x, y);
        else merge(y, x);
    }

    // Finds the row with the least bound; of equal ones, a stale row comes first.
    Slot find_least() const noexcept {
        Slot chosen = outside;
        for (const Slot r : active_) {
            if (bounds_[r] == absent) continue;
            if (chosen == outside || bounds_[r] < bounds_[chosen]
                || (bounds_[r] == bounds_[chosen] && !is_stale_[chosen]
                    && (is_stale_[r] || is_better(r, best_[r], chosen, best_[chosen]))))
                chosen = r;
        }
        return chosen;
    }

    std::size_t degree(Slot s) const noexcept {
        std::size_t out = 0;
        for (const Slot d : active_) out += (after(s)[d] != 0) + (before(s)[d] != 0);
        return out;
    }

    // Merges b into a. The formulas are symmetric, and the work is done over the neighbours of the smaller cluster.
    void merge(Slot a, Slot b) {
        active_.erase(std::find(active_.begin(), active_.end(), b));
        active_.erase(std::find(active_.begin(), active_.end(), a));
        const std::vector<Slot> others = active_;
        active_.push_back(a), active_.push_back(b);
        const auto [large, small] = degree(a) < degree(b) ? std::pair{b, a} : std::pair{a, b};
        touch(small, others);
        for_each(touched_, touched_.size() * others.size(), [&, p = large, q = small](Slot x) {
            for (const Slot y : others)
                if (owns(x, y))
                    loss(x, y) -= gain_of_merge(x, y, p, q, transposed_) + gain_of_merge(x, y, p, q, counts_);
        });
        list_neighbours(small);
        for_each(others, others.size() * (after_list_.size() + before_list_.size()),
                 [&, p = large, q = small](Slot y) { loss(a, y) = loss_of_merged(p, q, y); });
        active_.pop_back();
        join_counts(a, b);
        touched_.push_back(a), is_touched_[a] = 1, is_touched_[b] = 1;
        refresh();
        is_touched_[b] = 0;
    }

    // What x and y share more on one side because p and q became one cluster.
    Amount gain_of_merge(Slot x, Slot y, Slot p, Slot q, const std::vector<Count>& table) const noexcept {
        const Count *of_p = table.data() + p * size_, *of_q = table.data() + q * size_;
        const Count xq = of_q[x], yq = of_q[y];
        if (xq == 0 && yq == 0) return 0;
        const Count xp = of_p[x], yp = of_p[y];
        return f_.g(xp + xq, yp + yq) - f_.g(xp, yp) - f_.g(xq, yq);
    }

    // The loss of merging y with p and q together, from that of merging y with p. Counts are those before p and q merge.
    Amount loss_of_merged(Slot p, Slot q, Slot y) const noexcept {
        Amount out = loss(p, y);
        out += f_.g(left_[p] + left_[q], left_[y]) - f_.g(left_[p], left_[y]);
        out += f_.g(right_[p] + right_[q], right_[y]) - f_.g(right_[p], right_[y]);
        out += f_.g(count(p, q), count(y, q)) + f_.g(count(q, p), count(q, y));  // q is no context any more
        out += join(count(p, p), count(p, y), count(y, p), count(y, y));
        out -= join(count(p, p) + count(p, q) + count(q, p) + count(q, q), count(p, y) + count(q, y),
                    count(y, p) + count(y, q), count(y, y));
        for (const Slot d : after_list_)
            if (d != p && d != q && d != y) out -= gain(after(p)[d], after(q)[d], before(d)[y]);
        for (const Slot d : before_list_)
            if (d != p && d != q && d != y) out -= gain(before(p)[d], before(q)[d], after(d)[y]);
        return out;
    }

    Amount gain(Count pd, Count qd, Count yd) const noexcept { return f_.g(pd + qd, yd) - f_.g(pd, yd); }

    // Expects that b is not among the active clusters any more.
    void join_counts(Slot a, Slot b) {
        set_count(a, a, count(a, a) + count(a, b) + count(b, a) + count(b, b));
        const auto join_at = [&](Slot d) {
            add_count(a, d, count(b, d)), add_count(d, a, count(d, b));
            set_count(b, d, 0), set_count(d, b, 0);
        };
        join_at(boundary), join_at(rest);
        for (const Slot d : active_)
            if (d != a) join_at(d);
        set_count(a, b, 0), set_count(b, a, 0), set_count(b, b, 0);
        left_[a] += left_[b], right_[a] += right_[b];
        parent_[word(b)] = rank_[a];
        rank_[b] = none;
        free_.push_back(b);
        for (const Slot d : active_) loss(b, d) = absent;
    }

    // -- the best pairs ------------------------------------------------------------------------------------------------

    // Marks those clusters that are neighbours of s: losses of their pairs change.
    void touch(Slot s, const std::vector<Slot>& others) {
        touched_.clear();
        for (const Slot x : others)
            if (after(s)[x] || before(s)[x]) touched_.push_back(x), is_touched_[x] = 1;
    }

    // Whether the visit of x, which is touched, and not that of y, is to change the loss of the pair.
    bool owns(Slot x, Slot y) const noexcept { return y != x && (!is_touched_[y] || y < x); }

    // Of equal losses, the pair whose less frequent cluster is more frequent comes first.
    bool is_better(Slot x, Slot y, Slot u, Slot v) const noexcept {
        const Amount one = loss(x, y), other = loss(u, v);
        if (one != other) return one < other;
        const auto key = [&](Slot s, Slot t) {
            return std::pair{std::max(rank_[s], rank_[t]), std::min(rank_[s], rank_[t])};
        };
        return key(x, y) < key(u, v);
    }

    // Finds the best partner of r in a lower slot.
    void find_best(Slot r) noexcept {
        const Amount* row = losses_.data() + triangle(r, 0);
        Amount least = absent;
        Slot best = outside;
        for (Slot y = 0; y < r; ++y) {
            if (row[y] > least || row[y] == absent) continue;
            if (row[y] == least && !is_better(r, y, r, best)) continue;
            least = row[y], best = y;
        }
        best_[r] = best, bounds_[r] = least, is_stale_[r] = 0;
    }

    // Brings the best partners up to date after the losses of all pairs with a touched cluster have changed. Where the
    // loss of the best pair of a row has changed, the row becomes stale: its old loss is a bound that the others keep,
    // and the row is searched again only if no other row has a lower bound.
    void refresh() {
        for_each(active_, (touched_.size() + 1) * active_.size(), [&](Slot r) {
            if (is_touched_[r]) return find_best(r);
            if (best_[r] != outside && is_touched_[best_[r]]) is_stale_[r] = 1;
            for (const Slot y : touched_) {
                if (y > r) continue;
                const Amount now = loss(r, y);
                if (now < bounds_[r] || (now == bounds_[r] && !is_stale_[r] && is_better(r, y, r, best_[r])))
                    bounds_[r] = now, best_[r] = y, is_stale_[r] = 0;
            }
        });
        for (const Slot s : touched_) is_touched_[s] = 0;
        touched_.clear();
    }

    // Visits slots, in several threads if that is worth the time to start them. Visits do not depend on each other.
    template <class Visit>
    void for_each(const std::vector<Slot>& slots, std::size_t work, Visit visit) {
        constexpr std::size_t least = std::size_t{1} << 17;
        if (threads_ == 1 || work < least) {
            for (const Slot s : slots) visit(s);
        } else {
            parallel_for(slots.size(), threads_, 8, [&] { return [&](std::size_t i) { visit(slots[i]); }; });
        }
    }

    EntropyTable f_;
    std::size_t words_, clusters_, size_;  // size_: number of slots
    std::size_t threads_ = 1, next_ = 0;   // next_: the first word without a cluster
    Neighbours after_, before_;
    std::vector<Count> own_, left_of_, right_of_;  // [words] how often a word follows itself, and its bigrams
    std::vector<Slot> slot_;                       // [words + 2] of the cluster with this number
    std::vector<Word> parent_;                     // [words] the cluster that a cluster was merged into, or itself
    std::vector<Count> counts_, transposed_;       // [slots][slots]
    std::vector<Amount> losses_;                   // [slots][slots], lower triangle
    std::vector<std::uint64_t> left_, right_;      // [slots] bigrams that have the cluster on the left, on the right
    std::vector<Word> rank_;                       // [slots] most frequent word
    std::vector<Slot> best_;                       // [slots] the best partner in a lower slot
    std::vector<Amount> bounds_;                   // [slots] the loss with the best partner, or less in a stale row
    std::vector<std::uint8_t> is_stale_;           // [slots]
    std::vector<Slot> active_, free_, touched_, neighbours_, after_list_, before_list_;
    std::vector<std::uint8_t> is_touched_;  // [slots]
    std::vector<Merge> merges_;
};

}  // namespace tagloom
