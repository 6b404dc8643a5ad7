// Viterbi search finds the best label sequence of a lattice.
//
// The forward pass keeps only the scores; the path is found backwards by computing again, at each of its T positions,
// from which predecessor the score came. The inner loop is therefore one addition and one maximum per label pair. Ties
// go to the label with the lower number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/chain/lattice.hpp"
#include "tagloom/fast/kernels.hpp"

namespace tagloom {

template <class Real>
class Viterbi {
public:
    // Writes the best sequence and returns its score; minus infinity if masks and constraints leave no sequence.
    Real operator()(const Lattice<Real>& lattice, std::span<Label> path) {
        const std::size_t length = lattice.length();
        if (length == 0) return 0;
        forward(lattice);
        const Real* last = scores_.data() + (length - 1) * lattice.stride();
        path[length - 1] = static_cast<Label>(argmax(lattice.labels(), [&](std::size_t y) { return last[y]; }));
        for (std::size_t t = length - 1; t > 0; --t)
            path[t - 1] = predecessor(lattice, t, static_cast<std::size_t>(path[t]));
        return last[path[length - 1]];
    }

    // Returns the least difference by which a step of the path that was just found won over another predecessor, and
    // the last label over the others.
    Real find_margin(const Lattice<Real>& lattice, std::span<const Label> path) const {
        const std::size_t length = lattice.length();
        const Real* last = scores_.data() + (length - 1) * lattice.stride();
        Real least = lead(lattice.labels(), path[length - 1], [&](std::size_t y) { return last[y]; });
        for (std::size_t t = length - 1; t > 0; --t) {
            const Real* previous = scores_.data() + (t - 1) * lattice.stride();
            const Real* pair = lattice.transitions(t) + path[t];
            least = std::min(least, lead(lattice.labels(), path[t - 1],
                                         [&](std::size_t p) { return previous[p] + pair[p * lattice.stride()]; }));
        }
        return least;
    }

    // Returns the largest absolute value of a finite score.
    Real find_largest() const {
        Real most = 0;
        for (const Real score : scores_) most = std::isfinite(score) ? std::max(most, std::abs(score)) : most;
        return most;
    }

private:
    // The difference between a score and the best of the others.
    template <class Score>
    static Real lead(std::size_t count, Label best, Score score) {
        const Real own = score(static_cast<std::size_t>(best));
        Real least = std::numeric_limits<Real>::infinity();
        for (std::size_t i = 0; i < count; ++i)
            if (static_cast<Label>(i) != best) least = std::min(least, own - score(i));
        return least;
    }

    void forward(const Lattice<Real>& lattice) {
        const std::size_t stride = lattice.stride();
        scores_.resize(lattice.length() * stride);
        std::copy_n(lattice.emissions(0), stride, scores_.data());
        const auto step = kernels().of<Real>().max_step;
        for (std::size_t t = 1; t < lattice.length(); ++t)
            step(scores_.data() + (t - 1) * stride, lattice.transitions(t), lattice.emissions(t), lattice.labels(),
                 stride, scores_.data() + t * stride);
    }

    Label predecessor(const Lattice<Real>& lattice, std::size_t t, std::size_t y) const {
        const Real* previous = scores_.data() + (t - 1) * lattice.stride();
        const Real* pair = lattice.transitions(t) + y;
        return static_cast<Label>(
            argmax(lattice.labels(), [&](std::size_t p) { return previous[p] + pair[p * lattice.stride()]; }));
    }

    // Index 0 wins over scores that are NaN, so a damaged model can give wrong labels but never an invalid index.
    template <class Score>
    static std::size_t argmax(std::size_t count, Score score) {
        std::size_t best = 0;
        Real best_score = score(0);
        for (std::size_t i = 1; i < count; ++i) {
            const Real candidate = score(i);
            if (candidate > best_score) best = i, best_score = candidate;
        }
        return best;
    }

    std::vector<Real> scores_;  // [T][stride]
};

}  // namespace tagloom
