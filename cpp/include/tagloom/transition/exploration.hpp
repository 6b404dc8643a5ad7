// Learning with a dynamic oracle and exploration (Goldberg & Nivre 2012, Algorithm 3): a learner follows its own
// decisions, right or wrong, and learns what is best in the states that it will meet in use.
#pragma once

#include <span>

#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/difference.hpp"
#include "tagloom/transition/lookahead.hpp"

namespace tagloom {

// Decisions are made without lookahead. The right action is the one with the highest score among those of cost 0. It is
// compared with the action of the highest score among those that have a cost, after C is subtracted from the score of the
// right action. The next state is the one that the action of the highest score leads to. The system must know the costs of
// actions in any state.
template <class System, class Examples>
class ExploringOpponent {
public:
    using Real = typename System::Real;

    ExploringOpponent(System& system, Examples& examples, double margin)
        : system_(system), examples_(examples), margin_(static_cast<Real>(margin)) {}

    void expect(const Real* weights, std::size_t example) const noexcept {
        examples_.expect(system_, weights, example);
    }
    bool has_more() const noexcept { return is_under_way_; }
    void make_room(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        examples_.make_room(difference, weights);
    }

    // Takes one decision of the example: the next, or the first if none was taken yet.
    void find(const Real* weights, std::size_t example, Difference<Real>& difference) {
        if (!difference.empty()) system_.refresh(weights, difference);
        if (!is_under_way_) {
            examples_.begin(system_, weights, example);
            state_ = system_.initial();
            is_under_way_ = !system_.is_final(state_) && system_.is_learnable();
        }
        difference.clear();
        if (!is_under_way_) return;
        const Real* scores = system_.scores(state_);
        const auto [right, chosen] = best_actions({scores, system_.actions()});
        const Real wanted = scores[static_cast<std::size_t>(right)] - margin_;
        const Action rival = best_with_a_cost({scores, system_.actions()}, right, wanted);
        difference.errors = system_.cost(state_, chosen) > 0;
        if (rival != no_action) {
            difference.loss =
                static_cast<double>(scores[static_cast<std::size_t>(rival)]) - static_cast<double>(wanted);
            system_.add_difference(state_, right, state_, rival, difference);
        }
        state_ = system_.apply(state_, chosen);
        is_under_way_ = !system_.is_final(state_);
    }

private:
    struct Best {
        Action right, chosen;  // among those of cost 0, and among all
    };
    // Costs are asked for only where they matter: there are many actions, and most scores are low.
    Best best_actions(std::span<const Real> scores) const {
        Best best{no_action, no_action};
        const auto is_higher = [&](std::size_t a, Action than) {
            return than == no_action || scores[a] > scores[static_cast<std::size_t>(than)];
        };
        for (std::size_t a = 0; a < scores.size(); ++a) {
            const auto action = static_cast<Action>(a);
            if (!is_higher(a, best.right) || !system_.is_valid(state_, action)) continue;
            if (is_higher(a, best.chosen)) best.chosen = action;
            if (system_.cost(state_, action) == 0) best.right = action;
        }
        return best;
    }

    // Returns no_action if the right action wins by C.
    Action best_with_a_cost(std::span<const Real> scores, Action right, Real wanted) const {
        Real highest = wanted;
        Action best = no_action;
        for (std::size_t a = 0; a < scores.size(); ++a) {
            const auto action = static_cast<Action>(a);
            const bool is_ahead = scores[a] > highest || (scores[a] == highest && best == no_action && action < right);
            if (is_ahead && system_.is_valid(state_, action) && system_.cost(state_, action) > 0)
                best = action, highest = scores[a];
        }
        return best;
    }

    System& system_;
    Examples& examples_;
    Real margin_;
    typename System::State state_ = {};
    bool is_under_way_ = false;
};

}  // namespace tagloom
