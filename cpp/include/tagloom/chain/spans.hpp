// Spans of a labelling: the labels of a scheme tell where spans begin and end, and their classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"

namespace tagloom {

// The meaning of the labels; class 0 is outside of all spans.
struct SpanLabels {
    std::vector<std::uint16_t> classes;  // [L]
    std::vector<std::uint8_t> begins;    // [L] whether the label always begins a span
    std::vector<std::uint8_t> ends;      // [L] whether it always ends one
    std::size_t class_count = 1;         // including outside
};

struct LabelledSpan {
    std::size_t begin, end;
    std::size_t of_class;
};

// Finds the spans of a labelling from left to right; no span crosses the beginning of a token for which is_break(t)
// holds.
template <class IsBreak>
void find_spans(const SpanLabels& known, std::span<const Label> labels, IsBreak is_break,
                std::vector<LabelledSpan>& out) {
    out.clear();
    bool open = false;
    for (std::size_t t = 0; t < labels.size(); ++t) {
        const auto label = static_cast<std::size_t>(labels[t]);
        const std::size_t of_class = known.classes[label];
        if (of_class == 0) {
            open = false;
            continue;
        }
        const bool goes_on = open && !is_break(t) && !known.begins[label] && out.back().of_class == of_class;
        if (!goes_on) out.push_back({t, t, of_class});
        out.back().end = t + 1;
        open = !known.ends[label];
    }
}

}  // namespace tagloom
