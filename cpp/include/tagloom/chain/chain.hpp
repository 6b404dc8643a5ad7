// Structure "chain": one label per token, scored by node features and by pairs of neighbouring labels.
//
//   score(x, y) = sum_t sum_f node[f][y_t]  +  sum_t>0 ( transition[y_t-1][y_t] + sum_e edge[e][y_t-1, y_t] )
//
// All weights lie in one flat vector: node rows [F][stride], transitions [L][stride], the edge weights, and label
// triples [L][L][stride] for learners whose search knows the two labels before the one it decides. A row is padded to
// `stride` numbers for SIMD; the padding stays zero. An edge feature owns a weight only for the label pairs listed for
// it (pairs seen in training, or all).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/fast/simd.hpp"
#include "tagloom/features/encoding.hpp"
#include "tagloom/segments/segment_view.hpp"

namespace tagloom {

using Label = std::int32_t;

struct ChainLayout {
    std::size_t labels = 0;     // L
    std::size_t stride = 0;     // L padded
    std::size_t node_rows = 0;  // F
    bool has_transitions = true;
    std::span<const std::int64_t> edge_offsets;  // [E + 1] offsets into edge_pairs
    std::span<const std::uint32_t> edge_pairs;   // previous * L + next, ascending within a feature
    bool has_triples = false;

    std::size_t transition_begin() const noexcept { return node_rows * stride; }
    std::size_t edge_begin() const noexcept { return transition_begin() + labels * stride; }
    std::size_t triple_begin() const noexcept { return edge_begin() + edge_pairs.size(); }
    std::size_t size() const noexcept { return triple_begin() + (has_triples ? labels * labels * stride : 0); }

    // Features are numbered in this order: node rows, one row of transitions per label, edge features.
    std::size_t edge_features() const noexcept { return edge_offsets.empty() ? 0 : edge_offsets.size() - 1; }
    std::size_t edge_row(std::size_t feature) const noexcept { return node_rows + labels + feature; }
    std::size_t feature_rows() const noexcept { return edge_row(edge_features()); }

    std::size_t node(std::size_t row, std::size_t label) const noexcept { return row * stride + label; }
    std::size_t transition(std::size_t previous, std::size_t next) const noexcept {
        return transition_begin() + previous * stride + next;
    }
    // The label before the previous one is the innermost index, because a search visits all of its values at once.
    std::size_t triple(std::size_t before, std::size_t previous, std::size_t next) const noexcept {
        return triple_begin() + (previous * labels + next) * stride + before;
    }
};

// Which label sequences are allowed: 0 if allowed, minus infinity if not.
template <class Real>
struct ChainMask {
    static constexpr Real forbidden = -std::numeric_limits<Real>::infinity();
    std::vector<Real> start, end;   // [stride]
    std::vector<Real> transitions;  // [L][stride]

    ChainMask(std::size_t labels, std::span<const std::uint8_t> allowed_start,
              std::span<const std::uint8_t> allowed_end, std::span<const std::uint8_t> allowed_pairs)
        : start(padded(labels), 0), end(padded(labels), 0), transitions(labels * padded(labels), 0) {
        for (std::size_t y = 0; y < labels; ++y) {
            if (!allowed_start[y]) start[y] = forbidden;
            if (!allowed_end[y]) end[y] = forbidden;
            for (std::size_t p = 0; p < labels; ++p)
                if (!allowed_pairs[p * labels + y]) transitions[p * padded(labels) + y] = forbidden;
        }
    }
};

// The encoded features of some sequences: sentences, or documents of several sentences.
struct ChainInput {
    SparseView nodes, edges;
    std::span<const std::int64_t> sentences;  // [S + 1] offsets of the sequences
    // [N] whether a token begins a sentence inside its sequence; no feature and no span crosses that border. Empty if
    // no token does.
    std::span<const std::uint8_t> breaks = {};
    SegmentView segments = {};  // features of segments, if there are any

    bool is_break(std::size_t token) const noexcept { return !breaks.empty() && breaks[token] != 0; }

    std::size_t begin(std::size_t sentence) const noexcept { return static_cast<std::size_t>(sentences[sentence]); }
    std::size_t length(std::size_t sentence) const noexcept {
        return static_cast<std::size_t>(sentences[sentence + 1] - sentences[sentence]);
    }
};

}  // namespace tagloom
