// Objects of the core that Python holds, and the checks of their arrays.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "bindings.hpp"
#include "tagloom/chain/chain.hpp"
#include "tagloom/chain/spans.hpp"
#include "tagloom/features/encoder.hpp"

inline void check_offsets(std::span<const std::int64_t> offsets, std::size_t end, const char* what) {
    bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(end);
    for (std::size_t i = 0; good && i + 1 < offsets.size(); ++i) good = offsets[i] <= offsets[i + 1];
    if (!good) refuse(what);
}

// The meaning of labels, as three lists of one number per label.
inline tagloom::SpanLabels checked_span_labels(std::size_t labels, const std::vector<std::uint16_t>& classes,
                                               const std::vector<std::uint8_t>& begins,
                                               const std::vector<std::uint8_t>& ends) {
    if (classes.size() != labels || begins.size() != labels || ends.size() != labels)
        refuse("roles do not fit the labels");
    std::size_t most = 0;
    for (const std::uint16_t of_label : classes) most = std::max<std::size_t>(most, of_label);
    if (most > labels) refuse("more classes than labels");
    return {classes, begins, ends, most + 1};
}

// A chain: its layout with the label pairs of edge features, and the allowed label sequences.
struct ChainObject {
    std::vector<std::int64_t> edge_offsets;
    std::vector<std::uint32_t> edge_pairs;
    tagloom::ChainLayout layout;
    tagloom::ChainMask<float> mask_f32;
    tagloom::ChainMask<double> mask_f64;

    template <class Real>
    const tagloom::ChainMask<Real>& mask() const noexcept {
        if constexpr (sizeof(Real) == sizeof(float)) return mask_f32;
        else return mask_f64;
    }
};

// Sparse rows as they come from Python: (offsets, rows, values); values may be empty.
struct SparseArrays {
    Input<std::int64_t> offsets;
    Input<std::uint32_t> rows;
    Input<float> values;

    tagloom::SparseView view_checked(std::size_t tokens, std::size_t row_count) const {
        const tagloom::SparseView out{view(offsets), view(rows), view(values)};
        if (out.offsets.size() != tokens + 1) refuse("expected one sparse row per token");
        check_offsets(out.offsets, out.rows.size(), "sparse row offsets do not span the rows");
        if (!out.values.empty() && out.values.size() != out.rows.size()) refuse("expected one value per row");
        for (const std::uint32_t row : out.rows)
            if (row >= row_count) refuse("feature row out of range");
        return out;
    }
};

// The features of segments as they come from Python, and the labels that write them: first, inner, last and single of
// every type.
struct SegmentArrays {
    std::size_t longest = 0;  // 0: no segments
    Input<std::int64_t> offsets;
    Input<std::uint32_t> rows;
    Input<tagloom::Label> roles;

    tagloom::SegmentView view_checked(std::size_t tokens, const tagloom::ChainLayout& layout) const {
        if (longest == 0) return {};
        if (longest < 2 || longest > 1000) refuse("the longest segment must have 2 to 1000 tokens");
        if (offsets.size() != tokens * longest + 1) refuse("expected features of every segment");
        check_offsets(view(offsets), rows.size(), "offsets do not span the features of segments");
        for (const std::uint32_t row : view(rows))
            if (row >= layout.node_rows) refuse("feature row out of range");
        check_roles(layout.labels);
        const auto* first = reinterpret_cast<const tagloom::SegmentRoles*>(roles.data());
        return {longest, view(offsets), view(rows), {first, roles.size() / 4}};
    }

private:
    static_assert(sizeof(tagloom::SegmentRoles) == 4 * sizeof(tagloom::Label));

    // A label belongs to one type, and one label cannot both end a segment and go on.
    void check_roles(std::size_t labels) const {
        if (roles.size() % 4 != 0 || roles.size() / 4 > labels) refuse("expected four labels per type");
        std::vector<std::size_t> owner(labels, 0);
        for (std::size_t i = 0; i < roles.size(); ++i) {
            if (roles(i) < -1 || roles(i) >= static_cast<tagloom::Label>(labels)) refuse("label out of range");
            if (roles(i) < 0) continue;
            std::size_t& own = owner[static_cast<std::size_t>(roles(i))];
            if (own != 0 && own != i / 4 + 1) refuse("a label belongs to two types");
            own = i / 4 + 1;
        }
        for (std::size_t i = 0; i < roles.size(); i += 4) {
            const auto first = roles(i), inner = roles(i + 1), last = roles(i + 2), single = roles(i + 3);
            const auto same = [](tagloom::Label a, tagloom::Label b) { return a >= 0 && a == b; };
            if (same(first, inner) || same(first, last) || same(single, inner) || same(single, last))
                refuse("the labels of a type do not tell where its segments begin");
        }
    }
};

// Encoded sentences, with or without gold labels; the arrays are checked once and kept alive.
struct ChainData {
    std::shared_ptr<ChainObject> chain;
    SparseArrays nodes, edges;
    Input<std::int64_t> sentences;
    Input<tagloom::Label> gold;
    tagloom::ChainInput input;
    Input<std::uint8_t> breaks = {};  // breaks of the input; if empty, every sequence is one sentence
    SegmentArrays segments = {};      // segments of the input

    void set_segments(SegmentArrays given) {
        segments = std::move(given);
        input.segments = segments.view_checked(nodes.offsets.size() - 1, chain->layout);
    }
};

// An attribute store keeps its encoder alive.
struct StoreObject {
    std::shared_ptr<tagloom::Encoder> encoder;
    tagloom::AttributeStore values;
};

using Codes = std::vector<Input<std::int32_t>>;  // [columns][N]

// Returns the batch after checking that every code has its attribute values, and that masks cover the tokens.
inline tagloom::Batch checked_batch(const StoreObject& store, const Codes& codes, const Input<std::int64_t>& sentences,
                                    std::span<const std::uint8_t> masks = {}) {
    const tagloom::Encoder& encoder = *store.encoder;
    if (codes.size() < encoder.columns) refuse("a column is missing");
    tagloom::Batch batch{{}, view(sentences), masks};
    const std::size_t tokens = codes.empty() ? 0 : codes[0].size();
    check_offsets(batch.sentences, tokens, "sentence offsets do not span the tokens");
    if (!masks.empty() && (tokens == 0 || masks.size() % tokens != 0)) refuse("expected one mask per token and copy");
    for (const auto& column : codes) {
        if (column.size() != tokens) refuse("columns differ in length");
        batch.codes.push_back(view(column));
    }
    std::vector<std::int32_t> most(codes.size(), -1);
    for (std::size_t c = 0; c < codes.size(); ++c)
        for (const std::int32_t code : batch.codes[c]) {
            if (code < 0) refuse("negative code");
            most[c] = std::max(most[c], code);
        }
    for (std::size_t a = 0; a < encoder.attributes.size(); ++a) {
        const tagloom::AttributeSource& source = encoder.attributes[a];
        const std::size_t needed = source.of_token() ? tokens : static_cast<std::size_t>(most[source.column] + 1);
        if (store.values[a].items() < needed) refuse("attribute values are missing");
    }
    return batch;
}
