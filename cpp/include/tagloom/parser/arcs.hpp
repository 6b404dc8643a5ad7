// Transition systems that build trees: arc-standard (Nivre 2004; tsuruoka-2011, section 2) and arc-hybrid (Kuhlmann,
// Gomez-Rodriguez & Satta 2011). Both have a stack of subtrees, a queue of words, and three moves.
//
//   shift     the first word of the queue goes onto the stack
//   left r    arc-standard: the second subtree of the stack becomes a dependent, with relation r, of the first
//             arc-hybrid:   the first subtree of the stack becomes a dependent, with relation r, of the first of the queue
//   right r   the first becomes a dependent of the second
//
// What is left at the end is the root. Every tree of n words takes 2n - 1 actions. Subtrees are never changed: an
// action creates a new one in place of those it joins. A state therefore consists of its topmost subtree, that of the
// first word of the queue and the number of words read, searches share common subtrees, and undoing means discarding the
// subtrees created later.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/transition/transitions.hpp"

namespace tagloom {

enum class Transitions { arc_standard, arc_hybrid };

// Actions are numbered in this order: shift, left with every relation, right with every relation.
struct ArcActions {
    std::size_t relations = 1;  // R; 1 if arcs have no names
    Transitions transitions = Transitions::arc_standard;

    enum class Move { shift, left, right };
    static constexpr Action shift = 0;

    std::size_t size() const noexcept { return 1 + 2 * relations; }
    bool is_hybrid() const noexcept { return transitions == Transitions::arc_hybrid; }
    Action left(std::size_t relation) const noexcept { return static_cast<Action>(1 + relation); }
    Action right(std::size_t relation) const noexcept { return static_cast<Action>(1 + relations + relation); }
    Move move(Action action) const noexcept {
        if (action == shift) return Move::shift;
        return static_cast<std::size_t>(action) <= relations ? Move::left : Move::right;
    }
    std::int32_t relation(Action action) const noexcept {
        return static_cast<std::int32_t>((static_cast<std::size_t>(action) - 1) % relations);
    }
};

// A subtree on the stack, or, in arc-hybrid, of the first word of the queue. Its children are subtrees as well; it knows the outermost child on each side and the one next
// to it.
struct Subtree {
    static constexpr std::int32_t none = -1;
    struct Child {
        std::int32_t subtree = none, relation = none;
        bool operator==(const Child&) const = default;
    };
    std::int32_t word = none;   // its head
    std::int32_t below = none;  // the subtree under it on the stack
    Child left, left2, right, right2;
    std::int32_t left_count = 0, right_count = 0;
    bool operator==(const Subtree&) const = default;
};

class ArcSystem {
public:
    struct State {
        std::int32_t top = Subtree::none;   // of the stack
        std::int32_t height = 0;            // of the stack
        std::int32_t front = 0;             // the first word in the queue
        std::int32_t next = Subtree::none;  // subtree of that word, if it has children: in arc-hybrid only
        std::int32_t made = 0;              // number of subtrees created so far
        bool operator==(const State&) const = default;
    };

    explicit ArcSystem(ArcActions actions) : actions_(actions) {}

    void begin(std::size_t words) {
        words_ = static_cast<std::int32_t>(words);
        subtrees_.clear();
    }

    const ArcActions& actions() const noexcept { return actions_; }
    std::int32_t words() const noexcept { return words_; }
    std::span<const Subtree> subtrees() const noexcept { return subtrees_; }

    bool is_final(const State& state) const noexcept { return state.front == words_ && state.height <= 1; }
    bool is_valid(const State& state, Action action) const noexcept {
        if (action == ArcActions::shift) return state.front < words_;
        if (actions_.is_hybrid() && actions_.move(action) == ArcActions::Move::left)
            return state.front < words_ && state.height >= 1;
        return state.height >= 2;
    }

    // The state may be any that `undo` has not discarded; states that were derived from it before stay valid.
    State apply(const State& state, Action action) {
        const ArcActions::Move move = actions_.move(action);
        State next = state;
        Subtree made;
        if (move == ArcActions::Move::shift) {
            made = front_subtree(state);
            made.below = state.top;
            next.front += 1, next.height += 1;
            next.next = Subtree::none, next.top = created();
        } else if (move == ArcActions::Move::left) {
            const std::int32_t dependent = actions_.is_hybrid() ? state.top : subtree(state.top).below;
            made = actions_.is_hybrid() ? front_subtree(state) : subtree(state.top);
            made.left2 = made.left, made.left = {dependent, actions_.relation(action)}, made.left_count += 1;
            next.height -= 1;
            if (actions_.is_hybrid()) next.next = created(), next.top = subtree(dependent).below;
            else made.below = subtree(dependent).below, next.top = created();
        } else {
            made = subtree(subtree(state.top).below);
            made.right2 = made.right, made.right = {state.top, actions_.relation(action)}, made.right_count += 1;
            next.height -= 1;
            next.top = created();
        }
        subtrees_.push_back(made);
        next.made = static_cast<std::int32_t>(subtrees_.size());
        return next;
    }
    void undo(const State& state) { subtrees_.resize(static_cast<std::size_t>(state.made)); }

    // Returns the n-th subtree from the top of the stack, or none.
    std::int32_t stacked(const State& state, std::size_t n) const noexcept {
        std::int32_t at = state.top;
        for (; n > 0 && at != Subtree::none; --n) at = subtree(at).below;
        return at;
    }
    const Subtree& subtree(std::int32_t number) const noexcept { return subtrees_[static_cast<std::size_t>(number)]; }

private:
    std::int32_t created() const noexcept { return static_cast<std::int32_t>(subtrees_.size()); }
    Subtree front_subtree(const State& state) const noexcept {
        if (state.next != Subtree::none) return subtree(state.next);
        Subtree alone;
        alone.word = state.front;
        return alone;
    }

    ArcActions actions_;
    std::int32_t words_ = 0;
    std::vector<Subtree> subtrees_;
};

// Writes the tree that actions build: heads count from 1, and the root has head 0 and relation none.
inline void build_tree(const ArcActions& actions, std::span<const Action> path, std::span<std::int32_t> heads,
                       std::span<std::int32_t> relations) {
    std::vector<std::int32_t> stack;
    std::int32_t front = 0;
    for (const Action action : path) {
        if (action == ArcActions::shift) {
            stack.push_back(front++);
            continue;
        }
        const bool is_left = actions.move(action) == ArcActions::Move::left;
        const std::int32_t top = stack.back();
        stack.pop_back();
        std::int32_t head = front, dependent = top;  // left of arc-hybrid
        if (!is_left) head = stack.back();
        else if (!actions.is_hybrid()) head = top, dependent = stack.back(), stack.back() = top;
        heads[static_cast<std::size_t>(dependent)] = head + 1;
        relations[static_cast<std::size_t>(dependent)] = actions.relation(action);
    }
    if (stack.size() != 1) return;
    heads[static_cast<std::size_t>(stack[0])] = 0;
    relations[static_cast<std::size_t>(stack[0])] = Subtree::none;
}

}  // namespace tagloom
