// Lookahead for tagging without enumeration. A step is scored by at most two labels before it, so the best future of an
// action is a Viterbi pass, backwards over the window of the next `depth` tokens: O(depth L^2) for one label of history and
// O(depth L^3) for two, where the paper's search takes O(L^(depth + 1)). The values are the same up to the order of
// additions.
//
//   one label:   future_d[p]    = max over y of  emission_d[y] + transition[p][y] + future_{d+1}[y]
//   two labels:  future_d[p][b] = max over y of  emission_d[y] + transition[p][y] + triple[b][p][y] + future_{d+1}[y][p]
//
// with p the label at step d - 1 and b the one before it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tagloom/chain/tagging.hpp"
#include "tagloom/fast/kernels.hpp"
#include "tagloom/fast/simd.hpp"

namespace tagloom {

template <class Real>
class LabelWindow {
public:
    using System = TaggingSystem<Real>;
    using State = typename System::State;

    explicit LabelWindow(std::size_t depth) : depth_(depth) {}

    // Returns the values of all labels, no_score where a label is not valid.
    std::span<const Real> look(System& system, const State& state, Action = no_action, Real = 0) {
        const std::size_t L = system.actions();
        reach_ = std::min(depth_, system.length() - static_cast<std::size_t>(state.step) - 1);
        if (system.layout().has_triples) look_at_triples(system, state);
        else look_at_pairs(system, state);
        const Real* scores = system.scores(state);
        scores_.assign(scores, scores + L);
        values_ = scores_;
        if (reach_ > 0)
            for (std::size_t y = 0; y < L; ++y) values_[y] += after(system, state, y);
        return values_;
    }

    // Returns the score of a label alone, in the last state that was looked at.
    Real score(Action action) const noexcept { return scores_[static_cast<std::size_t>(action)]; }

    // Writes a label and the best labels after it.
    void path(System& system, const State& state, Action action, std::vector<Action>& out) {
        out.assign(1, action);
        State at = system.apply(state, action);
        for (std::size_t d = 1; d <= reach_; ++d) {
            const Real* scores = inner(system, at, d);
            Action best = 0;
            for (std::size_t y = 1; y < system.actions(); ++y)
                if (scores[y] > scores[best]) best = static_cast<Action>(y);
            out.push_back(best);
            at = system.apply(at, best);
        }
    }

private:
    Real* future(const System& system, std::size_t d) {
        return futures_.data()
               + (d - 1)
                     * (system.layout().has_triples ? system.actions() * system.layout().stride
                                                    : system.layout().stride);
    }

    Real after(System& system, const State& state, std::size_t y) {
        const Real* first = future(system, 1);
        if (!system.layout().has_triples || state.previous < 0)
            return first[system.layout().has_triples ? y * system.layout().stride : y];
        return first[y * system.layout().stride + static_cast<std::size_t>(state.previous)];
    }

    // Computes what the program compares at step d of the window, in the same order of additions.
    const Real* inner(System& system, const State& at, std::size_t d) {
        const std::size_t L = system.actions(), stride = system.layout().stride;
        const auto step = static_cast<std::size_t>(at.step);
        const auto p = static_cast<std::size_t>(at.previous);
        inner_.assign(system.emissions(step), system.emissions(step) + stride);
        const Real* pair = system.transitions(step) + p * stride;
        const Real* next = d < reach_ ? future(system, d + 1) : nullptr;
        if (!system.layout().has_triples) {
            for (std::size_t y = 0; y < L; ++y) inner_[y] = (next ? inner_[y] + next[y] : inner_[y]) + pair[y];
            return inner_.data();
        }
        for (std::size_t y = 0; y < L; ++y) inner_[y] += pair[y];
        if (next)
            for (std::size_t y = 0; y < L; ++y) inner_[y] += next[y * stride + p];
        if (at.before < 0) return inner_.data();
        const Real* triples = system.triples_after(static_cast<std::size_t>(at.before), p);
        for (std::size_t y = 0; y < L; ++y) inner_[y] += triples[y];
        return inner_.data();
    }

    void look_at_pairs(System& system, const State& state) {
        const std::size_t stride = system.layout().stride;
        futures_.resize(std::max<std::size_t>(reach_, 1) * stride);
        zeros_.assign(stride, 0);
        inner_.resize(stride);
        for (std::size_t d = reach_; d >= 1; --d) {
            const std::size_t step = static_cast<std::size_t>(state.step) + d;
            const Real* from = system.emissions(step);
            if (d < reach_) {
                const Real* next = future(system, d + 1);
                for (std::size_t y = 0; y < stride; ++y) inner_[y] = from[y] + next[y];
                from = inner_.data();
            }
            kernels().of<Real>().max_step(from, system.turned_transitions(step), zeros_.data(), system.actions(),
                                          stride, future(system, d));
        }
    }

    // At the first step of the window the label before the previous one is known, so one value per label is enough.
    void look_at_triples(System& system, const State& state) {
        const std::size_t L = system.actions(), stride = system.layout().stride;
        futures_.resize(std::max<std::size_t>(reach_, 1) * L * stride);
        zeros_.assign(stride, 0);
        for (std::size_t d = reach_; d >= 1; --d) {
            if (d == 1) first_triples(system, state);
            else later_triples(system, static_cast<std::size_t>(state.step) + d, d);
        }
    }

    void later_triples(System& system, std::size_t step, std::size_t d) {
        const std::size_t L = system.actions(), stride = system.layout().stride;
        const Real* emission = system.emissions(step);
        const Real* next = d < reach_ ? future(system, d + 1) : nullptr;
        inner_.resize(stride);
        for (std::size_t p = 0; p < L; ++p) {
            const Real* pair = system.transitions(step) + p * stride;
            for (std::size_t y = 0; y < L; ++y) {
                inner_[y] = emission[y] + pair[y];
                if (next) inner_[y] += next[y * stride + p];
            }
            kernels().of<Real>().max_step(inner_.data(), system.triples(p), zeros_.data(), L, stride,
                                          future(system, d) + p * stride);
        }
    }

    void first_triples(System& system, const State& state) {
        const std::size_t L = system.actions(), stride = system.layout().stride;
        const std::size_t before = state.previous < 0 ? 0 : static_cast<std::size_t>(state.previous);
        for (std::size_t y = 0; y < L; ++y) {
            const Real* scores = inner(system, system.apply(state, static_cast<Action>(y)), 1);
            future(system, 1)[y * stride + before] = largest(scores, L);
        }
    }

    std::size_t depth_, reach_ = 0;  // window steps after the current one, fewer at the end of the sentence
    std::vector<Real> futures_;      // [reach][stride], or [reach][L][stride] with two labels of history
    std::vector<Real> scores_, values_, inner_, zeros_;
};

}  // namespace tagloom
