// The features of many tokens as compressed sparse rows: those of token t are rows[offsets[t] .. offsets[t + 1]].
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tagloom/fast/memory.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/encoder.hpp"
#include "tagloom/features/feature_table.hpp"

namespace tagloom {

struct SparseRows {
    std::vector<std::int64_t> offsets{0};  // [N + 1]
    RawVector<FeatureTable::Row> rows;
    RawVector<float> values;  // like rows; empty if all are 1
};

// Read-only view of SparseRows, which learners and taggers use.
struct SparseView {
    std::span<const std::int64_t> offsets;
    std::span<const FeatureTable::Row> rows;
    std::span<const float> values;

    std::size_t begin(std::size_t t) const noexcept { return static_cast<std::size_t>(offsets[t]); }
    std::size_t end(std::size_t t) const noexcept { return static_cast<std::size_t>(offsets[t + 1]); }
    float value(std::size_t i) const noexcept { return values.empty() ? 1.0F : values[i]; }
};

// Appends one sentence; rows come from `row_of(key, t, i)`, where FeatureTable::none drops the feature.
template <class RowOf>
void append_features(const SentenceFeatures& features, SparseRows& out, RowOf row_of) {
    if (features.weighted && out.values.empty()) out.values.assign(out.rows.size(), 1.0F);
    const bool keep_values = !out.values.empty() || features.weighted;
    for (std::size_t t = 0; t + 1 < features.offsets.size(); ++t) {
        for (std::size_t i = features.offsets[t]; i < features.offsets[t + 1]; ++i) {
            const FeatureTable::Row row = row_of(features.keys[i], t, i);
            if (row == FeatureTable::none) continue;
            out.rows.push_back(row);
            if (keep_values) out.values.push_back(features.weighted ? features.values[i] : 1.0F);
        }
        out.offsets.push_back(static_cast<std::int64_t>(out.rows.size()));
    }
}

// Gives every row another number; those that become FeatureTable::none are dropped.
inline void rename_rows(SparseRows& rows, std::span<const FeatureTable::Row> new_row) {
    std::size_t kept = 0;
    std::size_t i = 0;
    for (std::size_t t = 0; t + 1 < rows.offsets.size(); ++t) {
        for (const auto end = static_cast<std::size_t>(rows.offsets[t + 1]); i < end; ++i) {
            const FeatureTable::Row row = new_row[rows.rows[i]];
            if (row == FeatureTable::none) continue;
            rows.rows[kept] = row;
            if (!rows.values.empty()) rows.values[kept] = rows.values[i];
            ++kept;
        }
        rows.offsets[t + 1] = static_cast<std::int64_t>(kept);
    }
    rows.rows.resize(kept);
    if (!rows.values.empty()) rows.values.resize(kept);
}

// Puts the rows of successive tokens one after another, on several threads. If there are new numbers, rows get them, and
// those that become FeatureTable::none are dropped.
inline SparseRows join_rows(std::vector<SparseRows> parts, std::span<const FeatureTable::Row> new_row,
                            std::size_t threads) {
    const auto for_each_part = [&](auto work) { parallel_for(parts.size(), threads, 1, [&] { return work; }); };
    if (!new_row.empty()) for_each_part([&](std::size_t part) { rename_rows(parts[part], new_row); });
    SparseRows out = std::move(parts.front());
    std::vector<std::size_t> rows{0, out.rows.size()}, tokens{0, out.offsets.size() - 1};  // where each part begins
    bool has_values = !out.values.empty();
    for (std::size_t p = 1; p < parts.size(); ++p) {
        rows.push_back(rows.back() + parts[p].rows.size());
        tokens.push_back(tokens.back() + parts[p].offsets.size() - 1);
        has_values = has_values || !parts[p].values.empty();
    }
    out.rows.resize(rows.back()), out.offsets.resize(tokens.back() + 1);
    if (has_values) out.values.resize(rows.back(), 1.0F);
    // The first part stays where it is, and all threads copy a piece of every other one.
    for (std::size_t p = 1; p < parts.size(); ++p) {
        const SparseRows part = std::move(parts[p]);
        constexpr std::size_t chunk = std::size_t{1} << 16;
        parallel_for((part.rows.size() + chunk - 1) / chunk, threads, 1, [&] {
            return [&](std::size_t piece) {
                const std::size_t begin = piece * chunk, end = std::min(begin + chunk, part.rows.size());
                std::copy(part.rows.data() + begin, part.rows.data() + end, out.rows.data() + rows[p] + begin);
                if (!part.values.empty())
                    std::copy(part.values.data() + begin, part.values.data() + end,
                              out.values.data() + rows[p] + begin);
            };
        });
        std::transform(part.offsets.begin() + 1, part.offsets.end(), out.offsets.data() + tokens[p] + 1,
                       [&](std::int64_t offset) { return offset + static_cast<std::int64_t>(rows[p]); });
    }
    return out;
}

}  // namespace tagloom
