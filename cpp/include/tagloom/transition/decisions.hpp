// Learns and decides action by action, by lookahead. A search has look(system, state, ...) -> values of the actions,
// score(action) -> its own part of that, and path(system, state, action, out) -> the action with the best future after
// it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/difference.hpp"
#include "tagloom/transition/lookahead.hpp"

namespace tagloom {

// Takes the best action until the state is final; returns the score of what was built, or no_score at a dead end.
template <class System, class Search>
typename System::Real decide(System& system, Search& search, std::vector<Action>& out) {
    using Real = typename System::Real;
    out.clear();
    Real total = 0;
    auto state = system.initial();
    while (!system.is_final(state)) {
        const Action action = best_action<Real>(search.look(system, state));
        if (action == no_action) return no_score<Real>;
        total += search.score(action);
        out.push_back(action);
        state = system.apply(state, action);
    }
    return total;
}

// Adds the features by which two continuations of a state differ. They have the same length, because every structure of
// a sentence takes the same number of actions. The caller undoes the applied actions.
template <class System>
void compare_paths(System& system, const typename System::State& state, std::span<const Action> wins,
                   std::span<const Action> loses, Difference<typename System::Real>& out) {
    auto left = state, right = state;
    std::size_t i = 0;
    for (; i < wins.size() && wins[i] == loses[i]; ++i) left = right = system.apply(left, wins[i]);
    for (; i < wins.size(); ++i) {
        system.add_difference(left, wins[i], right, loses[i], out);
        left = system.apply(left, wins[i]), right = system.apply(right, loses[i]);
    }
}

// `Examples` binds a system to an example by begin(system, weights, example), is told by note(weights, difference) how the
// weights have moved, and makes room for new features.
//
// The right action is compared with the action of the highest value, after C is subtracted from the value of the right
// action (tsuruoka-2011, Figure 3). If it loses, the weights move from the best future of the other action towards the
// best future of the right action. The states are those that the right actions lead to.
template <class System, class Search, class Examples>
class LookaheadOpponent {
public:
    using Real = typename System::Real;

    LookaheadOpponent(System& system, Search& search, Examples& examples, double margin)
        : system_(system), search_(search), examples_(examples), margin_(static_cast<Real>(margin)) {}

    void expect(const Real* weights, std::size_t example) const noexcept {
        examples_.expect(system_, weights, example);
    }
    bool has_more() const noexcept { return is_under_way_; }
    void make_room(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        examples_.make_room(difference, weights);
    }

    // Takes one decision of the example: the next, or the first if none was taken yet.
    void find(const Real* weights, std::size_t example, Difference<Real>& difference) {
        if (!difference.empty()) examples_.note(weights, difference), system_.refresh(weights, difference);
        if (!is_under_way_) begin(weights, example);
        difference.clear();
        if (!is_under_way_) return;
        const Action right = system_.oracle(state_);
        const std::span<const Real> values = search_.look(system_, state_, right, margin_);
        const Action rival = find_rival(values, right, difference);
        if (rival != no_action) add_paths(right, rival, difference);
        state_ = system_.apply(state_, right);
        is_under_way_ = !system_.is_final(state_);
    }

private:
    void begin(const Real* weights, std::size_t example) {
        examples_.begin(system_, weights, example);
        state_ = system_.initial();
        is_under_way_ = !system_.is_final(state_) && system_.is_learnable();
    }

    // Implements Figure 3, lines 8 to 16; returns no_action if the right action wins.
    Action find_rival(std::span<const Real> values, Action right, Difference<Real>& difference) const {
        const auto c = static_cast<std::size_t>(right);
        Action best = no_action;
        Real highest = no_score<Real>;
        bool is_wrong = false;
        for (std::size_t a = 0; a < values.size(); ++a) {
            const Real value = a == c ? values[a] - margin_ : values[a];
            if (value > highest) best = static_cast<Action>(a), highest = value;
            is_wrong |= a != c && (values[a] > values[c] || (values[a] == values[c] && a < c));
        }
        difference.errors = is_wrong;
        if (best == right || best == no_action) return no_action;
        difference.loss = static_cast<double>(highest) - static_cast<double>(values[c] - margin_);
        return best;
    }

    void add_paths(Action right, Action rival, Difference<Real>& difference) {
        search_.path(system_, state_, right, right_path_);
        search_.path(system_, state_, rival, rival_path_);
        compare_paths(system_, state_, right_path_, rival_path_, difference);
        system_.undo(state_);
    }

    System& system_;
    Search& search_;
    Examples& examples_;
    Real margin_;
    typename System::State state_ = {};
    bool is_under_way_ = false;
    std::vector<Action> right_path_, rival_path_;
};

}  // namespace tagloom
