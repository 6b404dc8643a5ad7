// Non-local features and candidate lists as Python holds them; the arrays are checked once and kept alive.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "objects.hpp"
#include "tagloom/chain/candidates.hpp"
#include "tagloom/chain/consistency.hpp"

// Whether the offsets equal those of the sequences of the data.
inline bool are_sequences(const Input<std::int64_t>& offsets, const ChainData& data) {
    return std::ranges::equal(view(offsets), view(data.sentences));
}

// Native features, features of a Python function, or both. The function takes (number of the document, labels) and
// returns rows; they follow the native rows.
struct NonlocalObject final : tagloom::NonlocalFeatures {
    Input<std::int64_t> documents;
    Input<std::uint8_t> breaks, flags;
    Input<std::int32_t> words;
    std::optional<tagloom::ConsistencyFeatures> native;
    nb::object function;  // or None
    std::size_t labels = 0;

    std::size_t native_rows() const noexcept { return native ? native->input().rows() : 0; }
    std::unique_ptr<tagloom::NonlocalCounter> counter() const override;
    bool fits(const ChainData& data) const {
        return are_sequences(documents, data) && labels == data.chain->layout.labels;
    }
};

struct CandidateListsObject {
    Input<std::int64_t> first, begins;
    Input<tagloom::Label> labels;
    Input<std::int64_t> documents;
    std::size_t label_count = 0;
    bool fits(const ChainData& data) const {
        return are_sequences(documents, data) && label_count == data.chain->layout.labels;
    }
    tagloom::CandidateLists view() const noexcept { return {::view(first), ::view(labels), ::view(begins)}; }
};
