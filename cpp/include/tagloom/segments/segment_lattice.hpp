// SegmentLattice: the scores of one sentence for a search over segments. Its memory grows and is reused.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/lattice.hpp"
#include "tagloom/fast/memory.hpp"
#include "tagloom/segments/segment_view.hpp"

namespace tagloom {

template <class Real>
class SegmentLattice {
public:
    SegmentLattice(const ChainLayout& layout, const SegmentView& segments)
        : labels(segments.roles, layout.labels),
          tokens_(layout),
          roles_(segments.roles.begin(), segments.roles.end()),
          longest_(segments.longest),
          stride_(layout.stride) {}

    const SegmentLabels labels;

    const Lattice<Real>& tokens() const noexcept { return tokens_; }
    Lattice<Real>& tokens() noexcept { return tokens_; }
    std::size_t length() const noexcept { return tokens_.length(); }
    std::size_t longest() const noexcept { return longest_; }
    std::span<const SegmentRoles> roles() const noexcept { return roles_; }

    // The number of tokens of the longest segment with features that begins at a token.
    std::size_t reach(std::size_t first) const noexcept { return std::min(longest_, length() - first); }

    // The scores of the features of a segment, by type: [types].
    const Real* segment_scores(std::size_t first, std::size_t tokens) const noexcept {
        return scores_.data() + (first * longest_ + tokens - 1) * roles_.size();
    }
    Real transition(std::size_t t, std::int32_t previous, std::int32_t next) const noexcept {
        return tokens_.transitions(t)[static_cast<std::size_t>(previous) * stride_ + static_cast<std::size_t>(next)];
    }
    Real emission(std::size_t t, std::int32_t label) const noexcept { return tokens_.emissions(t)[label]; }

    void set_transitions(const Real* weights, const ChainMask<Real>& mask) { tokens_.set_transitions(weights, mask); }

    void prefetch_first(const Real* weights, const ChainInput& input, std::size_t sentence) const noexcept {
        tokens_.prefetch_first(weights, input, sentence);
    }

    void fill(const Real* weights, const ChainInput& input, std::size_t sentence, const ChainMask<Real>& mask,
              std::span<const std::uint8_t> allowed = {}) {
        tokens_.fill(weights, input, sentence, mask, allowed);
        const std::size_t begin = input.begin(sentence), types = roles_.size();
        scores_.assign(length() * longest_ * types, 0);
        for (std::size_t first = 0; first < length(); ++first) {
            if (first + ahead < length())
                for (std::size_t n = 1; n <= reach(first + ahead); ++n)
                    input.segments.for_each_row(begin + first + ahead, n, [&](std::size_t row) {
                        prefetch_row(weights + row * stride_, std::min(types, stride_));
                    });
            for (std::size_t n = 1; n <= reach(first); ++n) {
                Real* out = scores_.data() + (first * longest_ + n - 1) * types;
                input.segments.for_each_row(begin + first, n, [&](std::size_t row) {
                    const Real* from = weights + row * stride_;
                    for (std::size_t y = 0; y < types; ++y) out[y] += from[y];
                });
            }
        }
    }

    // Returns the score that the features of the segments add to the score of some labels.
    double score_segments(std::span<const Label> path) const {
        double sum = 0;
        labels.for_each_segment(roles_, path, [&](const Segment& segment) {
            if (segment.tokens <= longest_)
                sum += static_cast<double>(segment_scores(segment.first, segment.tokens)[segment.type]);
        });
        return sum;
    }

private:
    static constexpr std::size_t ahead = 2;  // tokens; the segments of one token have many rows

    Lattice<Real> tokens_;
    const std::vector<SegmentRoles> roles_;
    const std::size_t longest_, stride_;
    std::vector<Real> scores_;  // [T][longest][types]
};

}  // namespace tagloom
