// Which actions lead to a gold tree: the static oracle of arc-standard and the dynamic one of arc-hybrid.
//
// The dynamic oracle (Goldberg & Nivre 2013, section 4) knows the cost of an action in any state: how many arcs of gold
// could be built before the action and cannot be built after it. In arc-hybrid, arcs that can be built one by one can be
// built together, so that arcs are counted one by one. The root counts as an arc from a place below the stack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/parser/arcs.hpp"

namespace tagloom {

class ArcOracle {
public:
    using State = ArcSystem::State;

    // The tree must be projective. Heads count from 1, with 0 for the root; relations are numbers, or empty if arcs have
    // no names.
    void begin(std::span<const std::int32_t> heads, std::span<const std::int32_t> relations) {
        heads_ = heads, relations_ = relations;
        children_.assign(heads.size(), 0);
        last_child_.assign(heads.size(), Subtree::none);
        previous_child_.assign(heads.size(), Subtree::none);
        for (std::size_t word = 0; word < heads.size(); ++word) {
            if (heads[word] == 0) continue;
            const auto head = static_cast<std::size_t>(heads[word] - 1);
            children_[head] += 1;
            previous_child_[word] = last_child_[head];
            last_child_[head] = static_cast<std::int32_t>(word);
        }
    }

    // Returns 0 if the action is as good as any other. In arc-hybrid, this is the number of gold arcs that are lost, in
    // any state; in arc-standard it is at most 1, and the state must be one from which gold can be reached.
    std::size_t cost(const ArcSystem& system, const State& state, Action action) const {
        if (!system.is_valid(state, action)) return 1;
        if (!system.actions().is_hybrid()) return !leads_to_gold(system, state, action);
        switch (system.actions().move(action)) {
            case ArcActions::Move::shift:
                return lost_by_shift(system, state);
            case ArcActions::Move::left:
                return lost_by_left(system, state, system.actions().relation(action));
            default:
                return lost_by_right(system, state, system.actions().relation(action));
        }
    }

    // Returns the action to learn in a state from which gold can be reached; it creates arcs as early as possible.
    Action operator()(const ArcSystem& system, const State& state) const {
        const ArcActions& actions = system.actions();
        if (actions.is_hybrid()) {
            for (const bool is_left : {true, false}) {
                if (state.top == Subtree::none) break;
                const auto relation = static_cast<std::size_t>(gold_relation(top(system, state).word));
                const Action arc = is_left ? actions.left(relation) : actions.right(relation);
                if (cost(system, state, arc) == 0) return arc;
            }
        } else if (state.height >= 2) {
            if (is_left(system, state))
                return actions.left(static_cast<std::size_t>(gold_relation(second(system, state).word)));
            if (is_right(system, state))
                return actions.right(static_cast<std::size_t>(gold_relation(top(system, state).word)));
        }
        return ArcActions::shift;
    }

private:
    static const Subtree& top(const ArcSystem& system, const State& state) { return system.subtree(state.top); }
    static const Subtree& second(const ArcSystem& system, const State& state) {
        return system.subtree(top(system, state).below);
    }

    std::int32_t gold_relation(std::int32_t word) const {
        return relations_.empty() ? 0 : relations_[static_cast<std::size_t>(word)];
    }
    std::int32_t head(std::int32_t word) const { return heads_[static_cast<std::size_t>(word)] - 1; }

    // -- arc-standard --

    bool leads_to_gold(const ArcSystem& system, const State& state, Action action) const {
        if (action == ArcActions::shift) return state.height < 2 || !must_reduce(system, state);
        const auto relation = system.actions().relation(action);
        if (system.actions().move(action) == ArcActions::Move::left)
            return is_left(system, state) && relation == gold_relation(second(system, state).word);
        return is_right(system, state) && relation == gold_relation(top(system, state).word);
    }

    bool is_complete(const Subtree& tree) const {
        return tree.left_count + tree.right_count == children_[static_cast<std::size_t>(tree.word)];
    }
    bool is_left(const ArcSystem& system, const State& state) const {
        const Subtree& dependent = second(system, state);
        return head(dependent.word) == top(system, state).word && is_complete(dependent);
    }
    bool is_right(const ArcSystem& system, const State& state) const {
        const Subtree& dependent = top(system, state);
        return head(dependent.word) == second(system, state).word && is_complete(dependent);
    }
    // The next word would separate the two permanently, unless it belongs below the first of them.
    bool must_reduce(const ArcSystem& system, const State& state) const {
        if (is_right(system, state)) return true;
        return head(second(system, state).word) == top(system, state).word
               && last_child_[static_cast<std::size_t>(top(system, state).word)] < state.front;
    }

    // -- arc-hybrid --

    // Counts the children that a word has in the queue.
    std::size_t waiting_children(const State& state, std::int32_t word) const {
        std::size_t count = 0;
        std::int32_t child = last_child_[static_cast<std::size_t>(word)];
        for (; child >= state.front; child = previous_child_[static_cast<std::size_t>(child)]) ++count;
        return count;
    }
    // The word on top gets a head, so that it gets no other one and no more children.
    std::size_t lost_by_left(const ArcSystem& system, const State& state, std::int32_t relation) const {
        const std::int32_t word = top(system, state).word, gold = head(word);
        std::size_t lost = waiting_children(state, word);
        if (gold == state.front) return lost + (relation != gold_relation(word));
        lost += gold > state.front || (gold == Subtree::none && state.height == 1);
        return lost + (state.height >= 2 && gold == second(system, state).word);
    }
    std::size_t lost_by_right(const ArcSystem& system, const State& state, std::int32_t relation) const {
        const std::int32_t word = top(system, state).word, gold = head(word);
        const std::size_t lost = waiting_children(state, word) + (gold >= state.front);
        return lost + (gold == second(system, state).word && relation != gold_relation(word));
    }
    // The first word of the queue gets no more children to its left, and can only have the top of the stack, or a word to
    // its right, as its head.
    std::size_t lost_by_shift(const ArcSystem& system, const State& state) const {
        const std::int32_t gold = head(state.front);
        std::size_t lost = gold == Subtree::none && state.height > 0;
        for (std::int32_t at = state.top; at != Subtree::none; at = system.subtree(at).below) {
            const std::int32_t word = system.subtree(at).word;
            lost += (head(word) == state.front) + (gold == word && at != state.top);
        }
        return lost;
    }

    std::span<const std::int32_t> heads_, relations_;
    std::vector<std::int32_t> children_;        // [n] number of gold children
    std::vector<std::int32_t> last_child_;      // [n] the last of them
    std::vector<std::int32_t> previous_child_;  // [n] the child before a word that has the same head
};

}  // namespace tagloom
