// The n best label sequences of a lattice, exactly and in order.
//
// Viterbi scores are a perfect estimate of the best beginning of a sequence up to any label, so a backward A* search
// never opens a sequence that it does not need (tree-trellis search: Soong & Huang 1991; kazama-torisawa-2007, section
// 3). A sequence is represented by its detours, the places where it leaves the best path back, each with a loss of zero
// or more. The detours that can follow a node are kept in heaps that share all but a few of their nodes, so the next
// sequence takes logarithmic time instead of a pass over all tokens (Eppstein 1998).
//
// Among equal scores, the sequence comes first that has the lower label at the last token where the sequences differ.
// The best sequence is the one that Viterbi finds, apart from Viterbi's sums in single precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/chain/lattice.hpp"

namespace tagloom {

template <class Real>
class NBest {
public:
    // Finds up to n sequences and returns their number, which is lower than n if no more exist.
    std::size_t operator()(const Lattice<Real>& lattice, std::size_t n) {
        clear();
        length_ = lattice.length(), labels_ = lattice.labels();
        if (n == 0) return 0;
        if (length_ == 0) {
            found_.push_back({});
            return 1;
        }
        forward(lattice);
        if (!std::isfinite(best_score_)) return 0;
        found_.push_back({});  // the best one has no detours
        open(0, heap_after(length_ * labels_));
        while (found_.size() < n && !queue_.empty()) found_.push_back(pop());
        return found_.size();
    }

    std::size_t size() const noexcept { return found_.size(); }
    std::size_t length() const noexcept { return length_; }
    double score(std::size_t rank) const noexcept { return best_score_ - found_[rank].loss; }

    void path(std::size_t rank, std::span<Label> labels) {
        if (length_ == 0) return;
        detours_on_way_.clear();
        for (std::uint32_t step = found_[rank].step; step != none; step = steps_[step].parent)
            detours_on_way_.push_back(step);
        std::size_t next = detours_on_way_.size();  // the first detour on the way comes last
        std::size_t node = length_ * labels_;       // the end, after the last token
        for (std::size_t t = length_; t > 0; --t) {
            Label label = best_before_[node];
            if (next > 0 && steps_[detours_on_way_[next - 1]].node == node)
                label = detour(steps_[detours_on_way_[--next]]).label;
            labels[t - 1] = label;
            node = (t - 1) * labels_ + static_cast<std::size_t>(label);
        }
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    // A label other than the best one before a node, and its loss.
    struct Detour {
        double loss;
        Label label;
    };
    // A node of a heap: the best detour before a lattice node. The other detours follow it in their list.
    struct HeapNode {
        std::uint32_t node, left, right, rank;
    };
    // The last detour of a sequence; its parents hold the detours before it, which are nearer to the end of the
    // lattice.
    struct Step {
        double loss;           // loss of the whole sequence
        std::uint32_t parent;  // step, or none for the first
        std::uint32_t depth;
        std::uint32_t node;  // the detour comes before this node
        std::uint32_t rank;  // in the list of the node's detours
        std::uint32_t heap;  // node of a heap, or none if reached through the list
    };
    struct Found {
        double loss = 0;
        std::uint32_t step = none;
    };

    void clear() {
        found_.clear(), queue_.clear(), steps_.clear(), heap_nodes_.clear(), detours_.clear();
        best_score_ = 0;
    }

    // Sums are kept in double precision: the score of a document is large, but sequences differ by little.
    void forward(const Lattice<Real>& lattice) {
        const std::size_t nodes = length_ * labels_;
        scores_.resize(nodes);
        best_before_.resize(nodes + 1);
        first_detour_.assign(nodes + 1, none);
        detour_counts_.resize(nodes + 1);
        heaps_.resize(nodes + 1);
        for (std::size_t y = 0; y < labels_; ++y) scores_[y] = static_cast<double>(lattice.emissions(0)[y]);
        row_.resize(labels_), from_.resize(labels_);
        for (std::size_t t = 1; t < length_; ++t) {
            const Real* transitions = lattice.transitions(t);
            std::fill(row_.begin(), row_.end(), -std::numeric_limits<double>::infinity());
            std::fill(from_.begin(), from_.end(), 0);
            for (std::size_t p = 0; p < labels_; ++p) {
                const double before = scores_[(t - 1) * labels_ + p];
                for (std::size_t y = 0; y < labels_; ++y) {
                    const double score = before + static_cast<double>(transitions[p * lattice.stride() + y]);
                    const bool better = score > row_[y];
                    row_[y] = better ? score : row_[y];
                    from_[y] = better ? static_cast<Label>(p) : from_[y];
                }
            }
            for (std::size_t y = 0; y < labels_; ++y) {
                scores_[t * labels_ + y] = row_[y] + static_cast<double>(lattice.emissions(t)[y]);
                best_before_[t * labels_ + y] = from_[y];
            }
        }
        const double* last = scores_.data() + (length_ - 1) * labels_;
        std::size_t best = 0;
        for (std::size_t y = 1; y < labels_; ++y)
            if (last[y] > last[best]) best = y;
        best_before_[nodes] = static_cast<Label>(best);
        best_score_ = last[best];
        lattice_ = &lattice;
    }

    double score_through(std::size_t node, std::size_t label) const {
        const std::size_t t = node / labels_;
        const double before = scores_[(t - 1) * labels_ + label];
        return t == length_
                   ? before
                   : before
                         + static_cast<double>(lattice_->transitions(t)[label * lattice_->stride() + node % labels_]);
    }

    // Returns the detours before a node, best first; they are computed on first use.
    void list_detours(std::size_t node) {
        const double best = score_through(node, static_cast<std::size_t>(best_before_[node]));
        first_detour_[node] = static_cast<std::uint32_t>(detours_.size());
        for (std::size_t label = 0; label < labels_; ++label) {
            if (static_cast<Label>(label) == best_before_[node]) continue;
            const double loss = best - score_through(node, label);
            if (std::isfinite(loss)) detours_.push_back({loss, static_cast<Label>(label)});
        }
        std::stable_sort(detours_.begin() + first_detour_[node], detours_.end(),
                         [](const Detour& a, const Detour& b) { return a.loss < b.loss; });
        detour_counts_[node] = static_cast<std::uint32_t>(detours_.size()) - first_detour_[node];
    }

    const Detour& detour(std::size_t node, std::size_t rank) const noexcept {
        return detours_[first_detour_[node] + rank];
    }
    const Detour& detour(const Step& step) const noexcept { return detour(step.node, step.rank); }

    // Returns the heap of the best detours of all nodes on the best path back from a node, including the node itself.
    std::uint32_t heap_after(std::size_t node) {
        way_.clear();
        while (node >= labels_ && first_detour_[node] == none) {
            way_.push_back(static_cast<std::uint32_t>(node));
            const std::size_t t = node / labels_;
            node = (t - 1) * labels_ + static_cast<std::size_t>(best_before_[node]);
        }
        std::uint32_t heap = node < labels_ ? none : heaps_[node];  // the first token has nothing before it
        for (; !way_.empty(); way_.pop_back()) {
            const std::uint32_t each = way_.back();
            list_detours(each);
            if (detour_counts_[each] > 0) {
                heap_nodes_.push_back({each, none, none, 1});
                heap = meld(static_cast<std::uint32_t>(heap_nodes_.size() - 1), heap);
            }
            heaps_[each] = heap;
        }
        return heap;
    }

    std::uint32_t rank_of(std::uint32_t heap) const noexcept { return heap == none ? 0 : heap_nodes_[heap].rank; }

    // Melds two leftist heaps without changing them.
    std::uint32_t meld(std::uint32_t a, std::uint32_t b) {
        if (a == none) return b;
        if (b == none) return a;
        if (is_before(heap_nodes_[b].node, 0, heap_nodes_[a].node, 0)) std::swap(a, b);
        HeapNode top = heap_nodes_[a];
        std::uint32_t rest = meld(top.right, b);
        if (rank_of(rest) > rank_of(top.left)) std::swap(rest, top.left);
        top.right = rest;
        top.rank = rank_of(rest) + 1;
        heap_nodes_.push_back(top);
        return static_cast<std::uint32_t>(heap_nodes_.size() - 1);
    }

    // Decides which of two sequences comes first, given their detours from the same path.
    bool is_before(std::size_t node, std::size_t rank, std::size_t other, std::size_t other_rank) const {
        const Detour &a = detour(node, rank), &b = detour(other, other_rank);
        return a.loss != b.loss ? a.loss < b.loss : reads_lower(node, a.label, other, b.label);
    }

    // Read from the last token backwards, the two sequences first differ before the later node, where one has its
    // detour and the other the best label.
    bool reads_lower(std::size_t node, Label label, std::size_t other, Label other_label) const {
        if (node == other) return label < other_label;
        return node > other ? label < best_before_[node] : best_before_[other] < other_label;
    }

    bool is_before(const Step& a, const Step& b) const {
        if (a.loss != b.loss) return a.loss < b.loss;
        const Step *one = &a, *two = &b;
        const auto parent = [&](const Step* step) { return &steps_[step->parent]; };
        const Step* left = nullptr;  // the detour of the longer sequence that the other one lacks
        while (one->depth > two->depth) left = one, one = parent(one);
        if (left && one == two) return detour(*left).label < best_before_[left->node];
        while (two->depth > one->depth) left = two, two = parent(two);
        if (left && one == two) return best_before_[left->node] < detour(*left).label;
        while (one->parent != two->parent) one = parent(one), two = parent(two);
        return reads_lower(one->node, detour(*one).label, two->node, detour(*two).label);
    }

    void push(std::uint32_t parent, double before, std::uint32_t node, std::uint32_t rank, std::uint32_t heap) {
        const std::uint32_t depth = parent == none ? 0 : steps_[parent].depth + 1;
        steps_.push_back({before + detour(node, rank).loss, parent, depth, node, rank, heap});
        queue_.push_back(static_cast<std::uint32_t>(steps_.size() - 1));
        std::push_heap(queue_.begin(), queue_.end(), after());
    }

    // Adds the best sequence with one more detour than the one just found.
    void open(std::size_t found, std::uint32_t heap) {
        if (heap != none) push(found_[found].step, found_[found].loss, heap_nodes_[heap].node, 0, heap);
    }

    Found pop() {
        std::pop_heap(queue_.begin(), queue_.end(), after());
        const std::uint32_t number = queue_.back();
        queue_.pop_back();
        const Step step = steps_[number];
        const double before = step.parent == none ? 0 : steps_[step.parent].loss;
        if (step.rank + 1 < detour_counts_[step.node]) push(step.parent, before, step.node, step.rank + 1, none);
        if (step.heap != none)
            for (const std::uint32_t child : {heap_nodes_[step.heap].left, heap_nodes_[step.heap].right})
                if (child != none) push(step.parent, before, heap_nodes_[child].node, 0, child);
        const std::size_t before_node =
            (step.node / labels_ - 1) * labels_ + static_cast<std::size_t>(detour(step).label);
        const std::uint32_t heap = heap_after(before_node);
        if (heap != none) push(number, step.loss, heap_nodes_[heap].node, 0, heap);
        return {step.loss, number};
    }

    auto after() const {
        return [this](std::uint32_t a, std::uint32_t b) { return is_before(steps_[b], steps_[a]); };
    }

    const Lattice<Real>* lattice_ = nullptr;
    std::size_t length_ = 0, labels_ = 0;
    double best_score_ = 0;
    std::vector<double> scores_;      // [T][L] score of the best sequence up to a token and its label
    std::vector<Label> best_before_;  // [T * L + 1] label of the token before; the last node is the end
    std::vector<std::uint32_t> first_detour_, detour_counts_, heaps_;  // [T * L + 1]
    std::vector<Detour> detours_;
    std::vector<HeapNode> heap_nodes_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> queue_, way_, detours_on_way_;
    std::vector<Found> found_;
    std::vector<double> row_;  // [L] of the current token
    std::vector<Label> from_;
};

}  // namespace tagloom
