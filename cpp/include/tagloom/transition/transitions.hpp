// Transition systems: a structure is built action by action (tsuruoka-2011, section 3).
//
// A system is bound to one sentence at a time by its own `begin`. A state is a small value; what does not fit into it
// (the stack of a parser) lies in memory of the system that only grows, so `undo` only discards what was added after a
// state. The score of a state is the sum of the scores of the actions that led to it.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

namespace tagloom {

using Action = std::int32_t;
inline constexpr Action no_action = -1;

template <class System>
concept TransitionSystem =
    requires(System& system, const System& same, const typename System::State& state, Action action) {
        typename System::Real;
        { same.actions() } -> std::same_as<std::size_t>;
        { same.initial() } -> std::same_as<typename System::State>;
        { same.is_final(state) } -> std::same_as<bool>;
        { system.is_valid(state, action) } -> std::same_as<bool>;
        { system.apply(state, action) } -> std::same_as<typename System::State>;
        { system.undo(state) };  // returns to that state; later states are no longer valid
        // Scores of every action, including invalid ones; the scores stay valid until those of another state are
        // requested.
        { system.scores(state) } -> std::same_as<const typename System::Real*>;
        // Actions of one branch lead to states that no feature distinguishes, so searches look at only one of them.
        { same.branches() } -> std::same_as<std::size_t>;
        { same.branch(action) } -> std::same_as<std::size_t>;
        // No `steps` actions in a row score more than this.
        { same.bound(std::size_t{}) } -> std::same_as<typename System::Real>;
    };

// A system with gold structures; features of its steps can be compared.
template <class System>
concept LearnableSystem =
    TransitionSystem<System> && requires(System& system, const typename System::State& state, Action action) {
        { system.cost(state, action) } -> std::same_as<std::size_t>;  // 0 if gold can still be reached
        { system.oracle(state) } -> std::same_as<Action>;             // the action to learn, of cost 0
        { system.is_learnable() } -> std::same_as<bool>;              // whether gold can be reached from the beginning
    };

template <class Real>
inline constexpr Real no_score = -std::numeric_limits<Real>::infinity();

// Returns a score to sort by: unbounded weights may add up to NaN, which has no place in an order.
template <class Real>
Real number_or_none(Real score) noexcept {
    return score == score ? score : no_score<Real>;
}

}  // namespace tagloom
