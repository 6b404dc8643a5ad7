// Segments of a sentence as the structure "segments" sees them (Sarawagi & Cohen 2004): a label sequence is at the same
// time a sequence of segments. A token outside of all types is a segment of one token; every other segment has a type,
// and its tokens have the labels that write it, such as B I E or S.
//
//   score(x, y) = the score of the labels in the chain + sum over segments (b, n, type) of sum_f node[f][type]
//
// where f runs over the features of the segment. Rows of segment features are node rows of the chain, in which the
// number of a type takes the place of the label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tagloom {

// The labels of the tokens of a segment; -1: the type has no such label.
struct SegmentRoles {
    std::int32_t first, inner, last, single;
};

// The encoded features of all segments of at most `longest` tokens. Longer ones are scored by their labels alone.
struct SegmentView {
    std::size_t longest = 0;                // 0: no segments, a plain chain
    std::span<const std::int64_t> offsets;  // [N * longest + 1]; segment (first token) * longest + (tokens - 1)
    std::span<const std::uint32_t> rows;
    std::span<const SegmentRoles> roles;  // [types]

    bool empty() const noexcept { return longest == 0; }

    // Calls visit(row) for the features of a segment, given by its first token in the whole input and its length.
    template <class Visit>
    void for_each_row(std::size_t first, std::size_t tokens, Visit visit) const {
        if (tokens > longest) return;
        const std::size_t at = first * longest + tokens - 1;
        for (auto i = static_cast<std::size_t>(offsets[at]); i < static_cast<std::size_t>(offsets[at + 1]); ++i)
            visit(static_cast<std::size_t>(rows[i]));
    }
};

struct Segment {
    std::size_t first, tokens, type;
    bool operator==(const Segment&) const = default;
};

// What a set of roles says about the labels: which of them begin and end segments.
class SegmentLabels {
public:
    SegmentLabels(std::span<const SegmentRoles> roles, std::size_t labels) : types_(labels, -1) {
        for (std::size_t y = 0; y < roles.size(); ++y)
            for (const std::int32_t label : {roles[y].first, roles[y].inner, roles[y].last, roles[y].single})
                if (label >= 0) types_[static_cast<std::size_t>(label)] = static_cast<std::int32_t>(y);
        for (std::size_t label = 0; label < labels; ++label) {
            const auto own = static_cast<std::int32_t>(label);
            if (types_[label] < 0) outside.push_back(label);
            const SegmentRoles role =
                types_[label] < 0 ? SegmentRoles{own, -1, own, own} : roles[static_cast<std::size_t>(types_[label])];
            if (role.first == own || role.single == own) starts.push_back(label);
            if (role.last == own || role.single == own) ends.push_back(label);
        }
    }

    std::vector<std::size_t> outside, starts, ends;

    // Calls visit(segment) for the typed segments that a sequence of labels writes, from left to right.
    template <class Visit>
    void for_each_segment(std::span<const SegmentRoles> roles, std::span<const std::int32_t> path, Visit visit) const {
        for (std::size_t t = 0; t < path.size();) {
            const std::int32_t type = types_[static_cast<std::size_t>(path[t])];
            const std::size_t first = t++;
            if (type < 0) continue;
            const SegmentRoles& role = roles[static_cast<std::size_t>(type)];
            bool is_open = path[first] == role.first;
            while (is_open && t < path.size() && (path[t] == role.inner || path[t] == role.last))
                is_open = path[t++] == role.inner;
            visit(Segment{first, t - first, static_cast<std::size_t>(type)});
        }
    }

private:
    std::vector<std::int32_t> types_;  // [L]; -1 outside of all types
};

}  // namespace tagloom
