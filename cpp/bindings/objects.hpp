// Objects of the core that Python holds, and the checks of their arrays.
#pragma once

#include <memory>
#include <vector>

#include "bindings.hpp"
#include "tagloom/chain/chain.hpp"
#include "tagloom/features/encoder.hpp"

inline void check_offsets(std::span<const std::int64_t> offsets, std::size_t end, const char* what) {
    bool good = !offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(end);
    for (std::size_t i = 0; good && i + 1 < offsets.size(); ++i) good = offsets[i] <= offsets[i + 1];
    if (!good) refuse(what);
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

// Encoded sentences, with or without gold labels; the arrays are checked once and kept alive.
struct ChainData {
    std::shared_ptr<ChainObject> chain;
    SparseArrays nodes, edges;
    Input<std::int64_t> sentences;
    Input<tagloom::Label> gold;
    tagloom::ChainInput input;
    Input<std::uint8_t> breaks = {};  // breaks of the input; if empty, every sequence is one sentence
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
