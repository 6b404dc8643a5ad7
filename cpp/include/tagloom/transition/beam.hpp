// Beam search over a transition system, and learning from it: early update (Collins & Roark 2004) and maximum violation
// (Huang, Fayong & Guo 2012). All paths to a final state must have the same number of actions.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/difference.hpp"
#include "tagloom/transition/decisions.hpp"
#include "tagloom/transition/search_settings.hpp"
#include "tagloom/transition/transitions.hpp"

namespace tagloom {

template <TransitionSystem System>
class Beam {
public:
    using Real = typename System::Real;
    using State = typename System::State;
    struct Node {
        State state;
        Real score = 0;
        std::size_t parent = 0;     // index among the nodes
        Action action = no_action;  // the action that led here
        bool is_gold = false;       // whether every action so far was the oracle's
    };

    explicit Beam(std::size_t width) : width_(width) {}

    void begin(System& system) {
        nodes_.assign(1, {system.initial(), 0, 0, no_action, true});
        first_ = 0;
    }

    // Takes one step with every hypothesis and keeps the best, in the order of their scores; ties go to the hypothesis
    // that was ahead, then to the action with the lower number. Returns false if there is no valid action.
    bool step(System& system, Action right = no_action) {
        candidates_.clear();
        const std::size_t last = nodes_.size();
        for (std::size_t n = first_; n < last; ++n) {
            const Real* scores = system.scores(nodes_[n].state);
            for (std::size_t a = 0; a < system.actions(); ++a) {
                const Candidate candidate{number_or_none(nodes_[n].score + scores[a]), n, static_cast<Action>(a)};
                if (is_wanted(candidate) && system.is_valid(nodes_[n].state, candidate.action)) keep(candidate);
            }
        }
        std::sort_heap(candidates_.begin(), candidates_.end(), is_better);
        const std::size_t kept = candidates_.size();
        for (const Candidate& c : candidates_) {
            const Node& from = nodes_[c.parent];
            nodes_.push_back(
                {system.apply(from.state, c.action), c.score, c.parent, c.action, from.is_gold && c.action == right});
        }
        first_ = last;
        return kept > 0;
    }

    std::size_t best() const noexcept { return first_; }
    std::size_t size() const noexcept { return nodes_.size() - first_; }  // of the beam, whose best is first
    const Node& node(std::size_t number) const noexcept { return nodes_[number]; }
    bool has_gold() const noexcept {
        return std::any_of(nodes_.begin() + static_cast<std::ptrdiff_t>(first_), nodes_.end(),
                           [](const Node& node) { return node.is_gold; });
    }

    // Returns the actions that led to a node.
    void path(std::size_t number, std::vector<Action>& out) const {
        out.clear();
        for (; nodes_[number].action != no_action; number = nodes_[number].parent) out.push_back(nodes_[number].action);
        std::reverse(out.begin(), out.end());
    }

private:
    struct Candidate {
        Real score;
        std::size_t parent;
        Action action;
    };
    static bool is_better(const Candidate& a, const Candidate& b) noexcept {
        return a.score != b.score     ? a.score > b.score
               : a.parent != b.parent ? a.parent < b.parent
                                      : a.action < b.action;
    }

    // The best candidates so far form a heap with the worst of them on top.
    bool is_wanted(const Candidate& candidate) const noexcept {
        return candidates_.size() < width_ || is_better(candidate, candidates_.front());
    }
    void keep(const Candidate& candidate) {
        if (candidates_.size() == width_) {
            std::pop_heap(candidates_.begin(), candidates_.end(), is_better);
            candidates_.pop_back();
        }
        candidates_.push_back(candidate);
        std::push_heap(candidates_.begin(), candidates_.end(), is_better);
    }

    std::size_t width_, first_ = 0;  // first node in the beam
    std::vector<Node> nodes_;
    std::vector<Candidate> candidates_;
};

// Fills the beam with final states; returns false if there are none.
template <class System>
bool fill_beam(System& system, Beam<System>& beam) {
    beam.begin(system);
    while (!system.is_final(beam.node(beam.best()).state))
        if (!beam.step(system)) return false;
    return true;
}

template <class System>
typename System::Real search_beam(System& system, Beam<System>& beam, std::vector<Action>& out) {
    if (!fill_beam(system, beam)) return out.clear(), no_score<typename System::Real>;
    beam.path(beam.best(), out);
    return beam.node(beam.best()).score;
}

// Compares gold with the best hypothesis of the beam, either where gold falls out of the beam or otherwise at the end
// (early), or where the best hypothesis is furthest ahead of gold (max_violation).
template <class System, class Examples>
class BeamOpponent {
public:
    using Real = typename System::Real;

    BeamOpponent(System& system, Examples& examples, std::size_t width, BeamUpdate update)
        : system_(system), examples_(examples), beam_(width), update_(update) {}

    void expect(const Real* weights, std::size_t example) const noexcept {
        examples_.expect(system_, weights, example);
    }
    void make_room(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        examples_.make_room(difference, weights);
    }

    void find(const Real* weights, std::size_t example, Difference<Real>& difference) {
        if (!difference.empty()) system_.refresh(weights, difference);
        difference.clear();
        examples_.begin(system_, weights, example);
        if (system_.is_final(system_.initial()) || !system_.is_learnable()) return;
        search();
        if (wrong_length_ == 0) return;
        beam_.path(wrong_, wrong_path_);
        gold_path_.resize(wrong_length_);
        difference.loss = violation_;
        difference.errors = count_errors();
        compare_paths(system_, system_.initial(), gold_path_, wrong_path_, difference);
        system_.undo(system_.initial());
    }

private:
    void search() {
        beam_.begin(system_);
        gold_path_.clear();
        wrong_length_ = 0, violation_ = 0;
        auto gold = system_.initial();
        Real gold_score = 0;
        while (!system_.is_final(gold)) {
            const Action right = system_.oracle(gold);
            gold_score += system_.scores(gold)[right];
            gold_path_.push_back(right);
            if (!beam_.step(system_, right)) return;
            gold = system_.apply(gold, right);
            const bool is_end = system_.is_final(gold);
            if (update_ == BeamUpdate::early) {
                if (beam_.has_gold() && !is_end) continue;
                note(static_cast<double>(beam_.node(beam_.best()).score) - static_cast<double>(gold_score));
                return;
            }
            const double violation =
                static_cast<double>(beam_.node(beam_.best()).score) - static_cast<double>(gold_score);
            if (wrong_length_ == 0 || violation > violation_) note(violation);
        }
    }

    // Considers learning from the best hypothesis at this place, unless it is gold.
    void note(double violation) {
        if (beam_.node(beam_.best()).is_gold) return;
        wrong_ = beam_.best(), wrong_length_ = gold_path_.size(), violation_ = violation;
    }

    std::size_t count_errors() const {
        std::size_t errors = 0;
        for (std::size_t i = 0; i < wrong_length_; ++i) errors += gold_path_[i] != wrong_path_[i];
        return errors;
    }

    System& system_;
    Examples& examples_;
    Beam<System> beam_;
    BeamUpdate update_;
    std::size_t wrong_ = 0, wrong_length_ = 0;  // the node to learn from and its number of actions; 0 if there is none
    double violation_ = 0;
    std::vector<Action> gold_path_, wrong_path_;
};

}  // namespace tagloom
