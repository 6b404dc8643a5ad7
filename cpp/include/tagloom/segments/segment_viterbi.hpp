// Semi-Markov Viterbi (Sarawagi & Cohen 2004, Eq. 2): the best segmentation of a lattice.
//
//   V(t, y) = max over n of V(t - n, y') + score(y', y, x, t - n + 1, n)
//
// Segments that are longer than those with features are open states, which grow token by token as in a chain, so that
// no segment is too long. Ties go to the shorter segment and to the label with the lower number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/segments/segment_lattice.hpp"

namespace tagloom {

template <class Real>
class SegmentViterbi {
public:
    // Writes the best sequence of labels and returns its score; minus infinity if masks and constraints leave none.
    Real operator()(const SegmentLattice<Real>& lattice, std::span<Label> path) {
        if (lattice.length() == 0) return 0;
        labels_ = lattice.tokens().labels(), types_ = lattice.roles().size();
        reset(lattice.length());
        for (std::size_t t = 0; t < lattice.length(); ++t) {
            enter(lattice, t);
            for (const std::size_t label : lattice.labels.outside)
                end_segment(t, static_cast<Label>(label),
                            enter_[t * labels_ + label].score + lattice.tokens().emissions(t)[label], 1);
            for (std::size_t y = 0; y < types_; ++y) {
                if (t > 0) grow(lattice, t, y);
                begin_segments(lattice, t, y);
            }
        }
        return trace(lattice, path);
    }

private:
    static constexpr Real never = -std::numeric_limits<Real>::infinity();

    struct Entry {
        Real score = never;
        Label previous = 0;  // the label that the segment before ended with
    };
    struct End {
        Real score = never;
        std::size_t tokens = 0;  // of the segment
    };

    void reset(std::size_t length) {
        enter_.assign(length * labels_, {});
        ends_.assign(length * labels_, {});
        open_.assign(length * types_, {});
    }

    // The best way to arrive at a segment that begins at t with a label.
    void enter(const SegmentLattice<Real>& lattice, std::size_t t) {
        Entry* entries = enter_.data() + t * labels_;
        for (const std::size_t label : lattice.labels.starts) {
            if (t == 0) {
                entries[label].score = 0;
                continue;
            }
            for (const std::size_t previous : lattice.labels.ends) {
                const Real score = ends_[(t - 1) * labels_ + previous].score
                                   + lattice.transition(t, static_cast<Label>(previous), static_cast<Label>(label));
                if (score > entries[label].score) entries[label] = {score, static_cast<Label>(previous)};
            }
        }
    }

    void end_segment(std::size_t t, Label label, Real score, std::size_t tokens) {
        End& end = ends_[t * labels_ + static_cast<std::size_t>(label)];
        if (score > end.score) end = {score, tokens};
    }

    void begin_segments(const SegmentLattice<Real>& lattice, std::size_t t, std::size_t y) {
        const SegmentRoles& role = lattice.roles()[y];
        const Entry* entries = enter_.data() + t * labels_;
        if (role.single >= 0)
            end_segment(t, role.single,
                        entries[role.single].score + lattice.emission(t, role.single) + lattice.segment_scores(t, 1)[y],
                        1);
        if (role.first < 0) return;
        Real score = entries[role.first].score + lattice.emission(t, role.first);
        Label previous = role.first;
        for (std::size_t n = 2; n <= lattice.reach(t); ++n) {
            const std::size_t at = t + n - 1;
            if (role.last >= 0)
                end_segment(at, role.last,
                            score + lattice.transition(at, previous, role.last) + lattice.emission(at, role.last)
                                + lattice.segment_scores(t, n)[y],
                            n);
            if (role.inner < 0) return;
            score += lattice.transition(at, previous, role.inner) + lattice.emission(at, role.inner);
            previous = role.inner;
        }
        if (lattice.reach(t) < lattice.longest()) return;
        End& open = open_[(t + lattice.longest() - 1) * types_ + y];
        if (score > open.score) open = {score, lattice.longest()};
    }

    // Lets a segment that is longer than those with features go on to token t, or end there.
    void grow(const SegmentLattice<Real>& lattice, std::size_t t, std::size_t y) {
        const SegmentRoles& role = lattice.roles()[y];
        const End before = open_[(t - 1) * types_ + y];
        if (before.score == never) return;
        if (role.last >= 0)
            end_segment(t, role.last,
                        before.score + lattice.transition(t, role.inner, role.last) + lattice.emission(t, role.last),
                        before.tokens + 1);
        const Real score =
            before.score + lattice.transition(t, role.inner, role.inner) + lattice.emission(t, role.inner);
        End& open = open_[t * types_ + y];
        if (score > open.score) open = {score, before.tokens + 1};
    }

    Real trace(const SegmentLattice<Real>& lattice, std::span<Label> path) const {
        const End* last = ends_.data() + (lattice.length() - 1) * labels_;
        std::size_t label = lattice.labels.ends.empty() ? 0 : lattice.labels.ends.front();
        for (const std::size_t other : lattice.labels.ends)
            if (last[other].score > last[label].score) label = other;
        const Real score = last[label].score;
        if (!std::isfinite(score)) {
            std::fill(path.begin(), path.end(), Label{0});
            return never;
        }
        for (std::size_t end = lattice.length();;) {
            const std::size_t tokens = ends_[(end - 1) * labels_ + label].tokens, first = end - tokens;
            write(lattice, static_cast<Label>(label), path.subspan(first, tokens));
            if (first == 0) return score;
            label = static_cast<std::size_t>(enter_[first * labels_ + static_cast<std::size_t>(path[first])].previous);
            end = first;
        }
    }

    // Writes the labels of a segment that ends with a label.
    static void write(const SegmentLattice<Real>& lattice, Label label, std::span<Label> out) {
        out.back() = label;
        if (out.size() == 1) return;
        for (const SegmentRoles& role : lattice.roles()) {
            if (role.last != label) continue;
            std::fill(out.begin() + 1, out.end() - 1, role.inner);
            out.front() = role.first;
        }
    }

    std::size_t labels_ = 0, types_ = 0;
    std::vector<Entry> enter_;  // [T][L]
    std::vector<End> ends_;     // [T][L] the best segment that ends at a token with a label
    std::vector<End> open_;     // [T][types] the best segment that has grown beyond those with features
};

}  // namespace tagloom
