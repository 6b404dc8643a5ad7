// Encodes a whole batch into compressed sparse rows: the features of token t are rows[offsets[t] .. offsets[t + 1]].
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tagloom/features/encoder.hpp"
#include "tagloom/features/feature_table.hpp"

namespace tagloom {

struct SparseRows {
    std::vector<std::int64_t> offsets{0};  // [N + 1]
    std::vector<FeatureTable::Row> rows;
    std::vector<float> values;  // like rows; empty if all are 1
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

// In training, every key gets a row. Rows are then numbered by falling frequency (ties keep the order of appearance),
// which keeps frequent rows together in memory; rows rarer than `cutoff` are dropped.
class FeatureCollector {
public:
    using Origin = SentenceFeatures::Origin;

    // Reserves memory for `expected` features of `tokens` tokens at once.
    FeatureCollector(std::size_t buckets, std::size_t tokens, std::size_t expected) : table_(buckets) {
        rows_.offsets.reserve(tokens + 1);
        rows_.rows.reserve(expected);
    }

    void take(const SentenceFeatures& features) {
        for (const Hash key : features.keys) table_.prefetch(key);
        append_features(features, rows_, [&](Hash key, std::size_t t, std::size_t i) {
            const FeatureTable::Row row = table_.insert(key);
            if (table_.buckets() == 0) {
                if (row == counts_.size()) {
                    counts_.push_back(0);
                    origins_.push_back(features.origin(t, i));
                }
                ++counts_[row];
            }
            return row;
        });
    }

    void finish(std::uint32_t cutoff) {
        if (table_.buckets() != 0) return;
        std::vector<FeatureTable::Row> order(counts_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return counts_[a] > counts_[b]; });
        while (!order.empty() && counts_[order.back()] < cutoff) order.pop_back();
        renumber(order);
    }

    FeatureTable& table() noexcept { return table_; }
    SparseRows& rows() noexcept { return rows_; }
    const std::vector<Origin>& origins() const noexcept { return origins_; }

private:
    void renumber(const std::vector<FeatureTable::Row>& order) {
        std::vector<FeatureTable::Row> new_row(counts_.size(), FeatureTable::none);
        std::vector<Hash> keys(order.size());
        std::vector<Origin> origins(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            new_row[order[i]] = static_cast<FeatureTable::Row>(i);
            keys[i] = table_.keys()[order[i]];
            origins[i] = origins_[order[i]];
        }
        table_ = FeatureTable(std::move(keys));
        origins_ = std::move(origins);
        drop_and_rename(new_row);
    }

    void drop_and_rename(const std::vector<FeatureTable::Row>& new_row) {
        std::size_t kept = 0;
        std::size_t i = 0;
        for (std::size_t t = 0; t + 1 < rows_.offsets.size(); ++t) {
            for (const auto end = static_cast<std::size_t>(rows_.offsets[t + 1]); i < end; ++i) {
                const FeatureTable::Row row = new_row[rows_.rows[i]];
                if (row == FeatureTable::none) continue;
                rows_.rows[kept] = row;
                if (!rows_.values.empty()) rows_.values[kept] = rows_.values[i];
                ++kept;
            }
            rows_.offsets[t + 1] = static_cast<std::int64_t>(kept);
        }
        rows_.rows.resize(kept);
        if (!rows_.values.empty()) rows_.values.resize(kept);
    }

    FeatureTable table_;
    SparseRows rows_;
    std::vector<std::uint32_t> counts_;  // [rows]
    std::vector<Origin> origins_;        // [rows] where the feature was first seen
};

// Names a feature by its values, joined by blanks: "form[-1]=the form[0]=dog".
inline std::string feature_name(const Encoder& encoder, const AttributeStore& store, const Batch& batch,
                                const Template& templ, const SentenceFeatures::Origin& origin,
                                std::span<const std::string> part_names) {
    const auto after = std::upper_bound(batch.sentences.begin(), batch.sentences.end(), std::int64_t{origin.token});
    const std::int64_t begin = *(after - 1), end = *after;
    const auto item_at = [&](const Part& part) -> std::int64_t {
        const std::int64_t t = std::int64_t{origin.token} + part.offset;
        if (t < begin || t >= end) return -1;
        const AttributeSource& source = encoder.attributes[part.attribute];
        return source.of_token() ? t : batch.codes[source.column][static_cast<std::size_t>(t)];
    };
    const auto count = [&](const Part& part, std::int64_t item) {
        return item < 0 ? std::size_t{1} : store[part.attribute].count(static_cast<std::size_t>(item));
    };
    std::size_t rest = 1, index = origin.choice;
    for (const Part& part : templ.parts) rest *= count(part, item_at(part));
    std::string name = templ.parts.empty() ? "bias" : "";
    for (std::size_t p = 0; p < templ.parts.size(); ++p) {
        const Part& part = templ.parts[p];
        const std::int64_t item = item_at(part);
        rest /= count(part, item);
        if (!name.empty()) name += ' ';
        name += part_names[p];
        name += '=';
        if (item < 0) {
            const std::int64_t t = std::int64_t{origin.token} + part.offset;
            name += outside_text(encoder.attributes[part.attribute], t < begin ? t - begin : t - end + 1);
        } else {
            name +=
                store[part.attribute].text(store[part.attribute].begin(static_cast<std::size_t>(item)) + index / rest);
        }
        index %= rest;
    }
    return name;
}

}  // namespace tagloom
