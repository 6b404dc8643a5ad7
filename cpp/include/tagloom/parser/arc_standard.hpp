// Arc-standard parsing (Nivre 2004; tsuruoka-2011, section 2): a stack of subtrees, a queue of words, and three moves.
//
//   shift     the first word of the queue goes onto the stack
//   left r    the second subtree of the stack becomes a dependent, with relation r, of the first
//   right r   the first becomes a dependent of the second
//
// What is left at the end is the root. Every tree of n words takes 2n - 1 actions. Subtrees are never changed: an
// action creates a new one in place of those it joins. A state therefore consists of its topmost subtree and the number
// of words read, searches share common subtrees, and undoing means discarding the subtrees created later.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/transition/transitions.hpp"

namespace tagloom {

// Actions are numbered in this order: shift, left with every relation, right with every relation.
struct ArcActions {
    std::size_t relations = 1;  // R; 1 if arcs have no names

    enum class Move { shift, left, right };
    static constexpr Action shift = 0;

    std::size_t size() const noexcept { return 1 + 2 * relations; }
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

// A subtree on the stack. Its children are subtrees as well; it knows the outermost child on each side and the one next
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

class ArcStandard {
public:
    struct State {
        std::int32_t top = Subtree::none;  // of the stack
        std::int32_t height = 0;           // of the stack
        std::int32_t front = 0;            // the first word in the queue
        std::int32_t made = 0;             // number of subtrees created so far
        bool operator==(const State&) const = default;
    };

    explicit ArcStandard(ArcActions actions) : actions_(actions) {}

    void begin(std::size_t words) {
        words_ = static_cast<std::int32_t>(words);
        subtrees_.clear();
    }

    const ArcActions& actions() const noexcept { return actions_; }
    std::int32_t words() const noexcept { return words_; }
    std::span<const Subtree> subtrees() const noexcept { return subtrees_; }

    bool is_final(const State& state) const noexcept { return state.front == words_ && state.height <= 1; }
    bool is_valid(const State& state, Action action) const noexcept {
        return action == ArcActions::shift ? state.front < words_ : state.height >= 2;
    }

    // The state may be any that `undo` has not discarded; states that were derived from it before stay valid.
    State apply(const State& state, Action action) {
        const ArcActions::Move move = actions_.move(action);
        State next = state;
        Subtree made;
        if (move == ArcActions::Move::shift) {
            made.word = state.front;
            made.below = state.top;
            next.front += 1, next.height += 1;
        } else {
            const Subtree::Child first{state.top, actions_.relation(action)},
                second{subtree(state.top).below, actions_.relation(action)};
            made = move == ArcActions::Move::left ? subtree(first.subtree) : subtree(second.subtree);
            made.below = subtree(second.subtree).below;
            if (move == ArcActions::Move::left) made.left2 = made.left, made.left = second, made.left_count += 1;
            else made.right2 = made.right, made.right = first, made.right_count += 1;
            next.height -= 1;
        }
        next.top = static_cast<std::int32_t>(subtrees_.size());
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
        const std::int32_t top = stack.back(), second = stack[stack.size() - 2];
        const std::int32_t head = is_left ? top : second, dependent = is_left ? second : top;
        heads[static_cast<std::size_t>(dependent)] = head + 1;
        relations[static_cast<std::size_t>(dependent)] = actions.relation(action);
        stack.pop_back();
        stack.back() = head;
    }
    if (stack.size() != 1) return;
    heads[static_cast<std::size_t>(stack[0])] = 0;
    relations[static_cast<std::size_t>(stack[0])] = Subtree::none;
}

// Tells which actions lead to a gold tree, which must be projective.
class ArcOracle {
public:
    // Heads count from 1, with 0 for the root; relations are numbers, or empty if arcs have no names.
    void begin(std::span<const std::int32_t> heads, std::span<const std::int32_t> relations) {
        heads_ = heads, relations_ = relations;
        children_.assign(heads.size(), 0);
        last_child_.assign(heads.size(), Subtree::none);
        for (std::size_t word = 0; word < heads.size(); ++word) {
            if (heads[word] == 0) continue;
            const auto head = static_cast<std::size_t>(heads[word] - 1);
            children_[head] += 1;
            last_child_[head] = static_cast<std::int32_t>(word);
        }
    }

    // For a state from which gold can be reached, tells whether it still can be reached after the action.
    bool leads_to_gold(const ArcStandard& system, const ArcStandard::State& state, Action action) const {
        if (!system.is_valid(state, action)) return false;
        if (action == ArcActions::shift) return state.height < 2 || !must_reduce(system, state);
        const auto relation = system.actions().relation(action);
        if (system.actions().move(action) == ArcActions::Move::left)
            return is_left(system, state) && relation == gold_relation(second(system, state).word);
        return is_right(system, state) && relation == gold_relation(top(system, state).word);
    }

    // Returns the action to learn, which creates arcs as early as possible.
    Action operator()(const ArcStandard& system, const ArcStandard::State& state) const {
        if (state.height >= 2) {
            const ArcActions& actions = system.actions();
            if (is_left(system, state))
                return actions.left(static_cast<std::size_t>(gold_relation(second(system, state).word)));
            if (is_right(system, state))
                return actions.right(static_cast<std::size_t>(gold_relation(top(system, state).word)));
        }
        return ArcActions::shift;
    }

private:
    static const Subtree& top(const ArcStandard& system, const ArcStandard::State& state) {
        return system.subtree(state.top);
    }
    static const Subtree& second(const ArcStandard& system, const ArcStandard::State& state) {
        return system.subtree(top(system, state).below);
    }

    std::int32_t gold_relation(std::int32_t word) const {
        return relations_.empty() ? 0 : relations_[static_cast<std::size_t>(word)];
    }
    std::int32_t head(const Subtree& tree) const { return heads_[static_cast<std::size_t>(tree.word)] - 1; }
    bool is_complete(const Subtree& tree) const {
        return tree.left_count + tree.right_count == children_[static_cast<std::size_t>(tree.word)];
    }

    bool is_left(const ArcStandard& system, const ArcStandard::State& state) const {
        const Subtree& dependent = second(system, state);
        return head(dependent) == top(system, state).word && is_complete(dependent);
    }
    bool is_right(const ArcStandard& system, const ArcStandard::State& state) const {
        const Subtree& dependent = top(system, state);
        return head(dependent) == second(system, state).word && is_complete(dependent);
    }
    // The next word would separate the two permanently, unless it belongs below the first of them.
    bool must_reduce(const ArcStandard& system, const ArcStandard::State& state) const {
        if (is_right(system, state)) return true;
        return head(second(system, state)) == top(system, state).word
               && last_child_[static_cast<std::size_t>(top(system, state).word)] < state.front;
    }

    std::span<const std::int32_t> heads_, relations_;
    std::vector<std::int32_t> children_;    // [n] number of gold children
    std::vector<std::int32_t> last_child_;  // [n] the last of them
};

}  // namespace tagloom
