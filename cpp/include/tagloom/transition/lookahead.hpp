// Lookahead: an action is judged by the best future that it allows (tsuruoka-2011, Figures 1 and 2).
//
//   value(a) = score(a) + max over the next `depth` actions of the sum of their scores
//
// The paper enumerates all futures. Here the actions of one branch share their future, and a future is abandoned once
// an upper bound shows that it cannot win. The values that decide are the same.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/transition/transitions.hpp"

namespace tagloom {

// Returns the first of the highest values in the order of the actions, as the strict comparison in Figure 2 does.
template <class Real>
Action best_action(std::span<const Real> values) {
    Action best = no_action;
    for (std::size_t a = 0; a < values.size(); ++a)
        if (values[a] != no_score<Real> && (best == no_action || values[a] > values[static_cast<std::size_t>(best)]))
            best = static_cast<Action>(a);
    return best;
}

template <TransitionSystem System>
class Lookahead {
public:
    using Real = typename System::Real;
    using State = typename System::State;

    explicit Lookahead(std::size_t depth) : depth_(depth), levels_(depth) {}

    // Returns the values of all actions, no_score where an action is not valid or cannot win. The value of `kept` is
    // exact, and so is the highest of the others, unless it lies more than `margin` below that of `kept`.
    std::span<const Real> look(System& system, const State& state, Action kept = no_action, Real margin = 0) {
        values_.assign(system.actions(), no_score<Real>);
        futures_.resize(system.branches());
        for (auto& future : futures_) future.clear();
        const Real* scores = system.scores(state);
        scores_.assign(scores, scores + system.actions());
        choose(system, state, scores_.data(), choices_);
        Real least = no_score<Real>;
        if (kept != no_action) {
            open(system, state, kept, no_score<Real>);
            least = values_[static_cast<std::size_t>(kept)] - margin;
        }
        for (const Choice& choice : choices_) {
            if (choice.score + system.bound(depth_) < least) break;
            if (kept == no_action || system.branch(choice.action) != system.branch(kept))
                open(system, state, choice.action, least);
            const Real found = values_[static_cast<std::size_t>(choice.action)];
            if (choice.action != kept && found > least) least = found;
        }
        return values_;
    }

    // Returns the score of an action alone, in the last state that was looked at.
    Real score(Action action) const noexcept { return scores_[static_cast<std::size_t>(action)]; }

    // Writes an action and the best future after it, as found by `look`.
    void path(const System& system, const State&, Action action, std::vector<Action>& out) const {
        out.assign(1, action);
        const auto& future = futures_[system.branch(action)];
        out.insert(out.end(), future.begin(), future.end());
    }

private:
    // The best action of a branch.
    struct Choice {
        Real score;
        Action action;
    };
    struct Level {
        std::vector<Choice> choices;
        std::vector<Action> line;  // the best future from here on
    };

    // Returns slightly less than a future must reach for its sum with `score` to reach `least`. Rounded sums decide,
    // and a difference that was rounded up must not rule out a tie.
    static Real after(Real score, Real least) {
        constexpr Real slack = 4 * std::numeric_limits<Real>::epsilon();
        return least - score - slack * (std::abs(least) + std::abs(score));
    }

    // Orders the best actions of all branches, highest first, with the lower number first among equals.
    void choose(System& system, const State& state, const Real* scores, std::vector<Choice>& out) {
        out.clear();
        by_branch_.assign(system.branches(), no_action);
        for (std::size_t a = 0; a < system.actions(); ++a) {
            const auto action = static_cast<Action>(a);
            if (!system.is_valid(state, action)) continue;
            Action& best = by_branch_[system.branch(action)];
            if (best == no_action || scores[a] > scores[static_cast<std::size_t>(best)]) best = action;
        }
        for (const Action action : by_branch_)
            if (action != no_action) out.push_back({number_or_none(scores[static_cast<std::size_t>(action)]), action});
        std::sort(out.begin(), out.end(), [](const Choice& a, const Choice& b) {
            return a.score != b.score ? a.score > b.score : a.action < b.action;
        });
    }

    // Finds the future of a branch and with it the values of its actions; values below `least` need not be exact.
    void open(System& system, const State& state, Action action, Real least) {
        Real future = 0;
        if (depth_ > 0) {
            const State next = system.apply(state, action);
            future = search(system, next, depth_, after(scores_[static_cast<std::size_t>(action)], least), 0);
            system.undo(state);
            futures_[system.branch(action)] = levels_[0].line;
        }
        for (std::size_t a = 0; a < system.actions(); ++a)
            if (system.branch(static_cast<Action>(a)) == system.branch(action)
                && system.is_valid(state, static_cast<Action>(a)))
                values_[a] = scores_[a] + future;
    }

    // Handles the last action of a future; a search visits most of its states here.
    Real best_score(System& system, const State& state, std::vector<Action>& line) {
        const Real* scores = system.scores(state);
        Real best = no_score<Real>;
        Action found = no_action;
        for (std::size_t a = 0; a < system.actions(); ++a)
            if (scores[a] > best && system.is_valid(state, static_cast<Action>(a)))
                best = scores[a], found = static_cast<Action>(a);
        if (found != no_action) line.push_back(found);
        return best;
    }

    // Implements Figure 2 with a bound. Returns the highest sum of scores if it is at least `least`, and a lower number
    // otherwise.
    Real search(System& system, const State& state, std::size_t depth, Real least, std::size_t level) {
        Level& mine = levels_[level];
        mine.line.clear();
        if (system.is_final(state)) return 0;
        if (depth == 1) return best_score(system, state, mine.line);
        choose(system, state, system.scores(state), mine.choices);
        Real best = no_score<Real>;
        for (const Choice choice : mine.choices) {
            if (choice.score + system.bound(depth - 1) < std::max(best, least)) break;
            const State next = system.apply(state, choice.action);
            const Real value =
                choice.score + search(system, next, depth - 1, after(choice.score, std::max(best, least)), level + 1);
            system.undo(state);
            // The line is empty as long as all futures were dead ends or below `least`.
            if (!(value > best || (value == best && !mine.line.empty() && choice.action < mine.line[0]))) continue;
            best = value;
            mine.line.assign(1, choice.action);
            mine.line.insert(mine.line.end(), levels_[level + 1].line.begin(), levels_[level + 1].line.end());
        }
        return best;
    }

    std::size_t depth_;
    std::vector<Level> levels_;                 // [depth]
    std::vector<Real> scores_, values_;         // [actions]
    std::vector<std::vector<Action>> futures_;  // [branches]
    std::vector<Choice> choices_;
    std::vector<Action> by_branch_;  // [branches]
};

}  // namespace tagloom
