// Encodes a whole batch into compressed sparse rows: the features of token t are rows[offsets[t] .. offsets[t + 1]].
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tagloom/fast/parallel.hpp"
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

// Puts the rows of successive tokens one after another, on several threads. If there are new numbers of the rows of each
// part, rows get them, and those that become FeatureTable::none are dropped.
inline SparseRows join_rows(std::vector<SparseRows> parts, std::span<const std::vector<FeatureTable::Row>> new_rows,
                            std::size_t threads) {
    const auto for_each_part = [&](auto work) { parallel_for(parts.size(), threads, 1, [&] { return work; }); };
    if (!new_rows.empty()) for_each_part([&](std::size_t part) { rename_rows(parts[part], new_rows[part]); });
    if (parts.size() == 1) return std::move(parts.front());
    std::vector<std::size_t> rows{0}, tokens{0};  // where each part begins
    bool has_values = false;
    for (const SparseRows& part : parts) {
        rows.push_back(rows.back() + part.rows.size()), tokens.push_back(tokens.back() + part.offsets.size() - 1);
        has_values = has_values || !part.values.empty();
    }
    SparseRows out;
    out.rows.resize(rows.back()), out.offsets.resize(tokens.back() + 1);
    if (has_values) out.values.assign(rows.back(), 1.0F);
    for_each_part([&](std::size_t number) {
        SparseRows part = std::move(parts[number]);
        std::copy(part.rows.begin(), part.rows.end(), out.rows.data() + rows[number]);
        std::copy(part.values.begin(), part.values.end(), out.values.data() + rows[number]);
        std::transform(part.offsets.begin() + 1, part.offsets.end(), out.offsets.data() + tokens[number] + 1,
                       [&](std::int64_t offset) { return offset + static_cast<std::int64_t>(rows[number]); });
    });
    return out;
}

// In training, every key gets a row, numbered in the order of appearance. At the end, rows are numbered by falling
// frequency (ties keep the order of appearance), which keeps frequent rows together in memory; rows rarer than a cut-off
// are dropped.
class FeatureCollector {
public:
    using Row = FeatureTable::Row;
    using Origin = SentenceFeatures::Origin;

    // Origins are needed for the texts of features only.
    explicit FeatureCollector(std::size_t buckets = 0, bool has_origins = true)
        : table_(buckets), has_origins_(has_origins) {}

    // Appends the rows of one sentence.
    void take(const SentenceFeatures& features, SparseRows& out) {
        for (const Hash key : features.keys) table_.prefetch(key);
        append_features(features, out, [&](Hash key, std::size_t t, std::size_t i) {
            const Row row = table_.insert(key);
            if (table_.buckets() == 0) {
                if (row == counts_.size()) {
                    counts_.push_back(0);
                    if (has_origins_) origins_.push_back(features.origin(t, i));
                }
                ++counts_[row];
            }
            return row;
        });
    }

    // Adds what was collected from later sentences, and returns the row here of each of its rows: the same as if all
    // sentences had been taken here.
    std::vector<Row> merge(FeatureCollector&& later) {
        std::vector<Row> new_row(later.counts_.size());
        if (counts_.empty()) {
            *this = std::move(later);
            std::iota(new_row.begin(), new_row.end(), 0U);
            return new_row;
        }
        for (std::size_t i = 0; i < new_row.size(); ++i) {
            if (i + ahead < new_row.size()) table_.prefetch(later.table_.keys()[i + ahead]);
            new_row[i] = table_.insert(later.table_.keys()[i]);
            if (new_row[i] == counts_.size()) {
                counts_.push_back(0);
                if (has_origins_) origins_.push_back(later.origins_[i]);
            }
            counts_[new_row[i]] += later.counts_[i];
        }
        return new_row;
    }

    // Numbers the rows by frequency and returns the new number of each row. Buckets keep theirs.
    std::vector<Row> finish(std::uint32_t cutoff) {
        if (table_.buckets() != 0) return {};
        std::vector<Row> new_row = rank(cutoff);
        counts_ = {};
        renumber(new_row);
        return new_row;
    }

    FeatureTable& table() noexcept { return table_; }
    bool has_origins() const noexcept { return has_origins_; }
    const std::vector<Origin>& origins() const noexcept { return origins_; }

private:
    static constexpr std::size_t ahead = 8;  // keys whose slots are fetched before they are needed

    // Returns the number that each row gets: its rank by falling frequency.
    std::vector<Row> rank(std::uint32_t cutoff) const {
        std::vector<Row> order(counts_.size());
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return counts_[a] > counts_[b]; });
        while (!order.empty() && counts_[order.back()] < cutoff) order.pop_back();
        std::vector<Row> new_row(counts_.size(), FeatureTable::none);
        for (std::size_t i = 0; i < order.size(); ++i) new_row[order[i]] = static_cast<Row>(i);
        return new_row;
    }

    // Numbers the keys and origins anew. The table is emptied before another one is built, because both are large.
    void renumber(const std::vector<Row>& new_row) {
        const auto kept =
            new_row.size() - static_cast<std::size_t>(std::count(new_row.begin(), new_row.end(), FeatureTable::none));
        table_ = FeatureTable(reorder(table_.take_keys(), new_row, kept));
        if (has_origins_) origins_ = reorder(std::move(origins_), new_row, kept);
    }

    template <class T>
    static std::vector<T> reorder(std::vector<T> values, const std::vector<Row>& new_row, std::size_t kept) {
        std::vector<T> out(kept);
        for (std::size_t row = 0; row < values.size(); ++row)
            if (new_row[row] != FeatureTable::none) out[new_row[row]] = values[row];
        return out;
    }

    FeatureTable table_;
    bool has_origins_;
    std::vector<std::uint32_t> counts_;  // [rows]
    std::vector<Origin> origins_;        // [rows] where the feature was first seen
};

// The features of sentences: tables of those of nodes and of edges, and the rows of the last batch.
struct Collection {
    FeatureCollector nodes, edges;
    SparseRows node_rows, edge_rows;

    explicit Collection(std::size_t buckets = 0, bool has_origins = true)
        : nodes(buckets, has_origins), edges(buckets, has_origins) {}

    // Takes the sentences begin .. end of a batch.
    void take(const Encoder& encoder, const AttributeStore& store, const Batch& batch, std::size_t begin,
              std::size_t end) {
        const auto tokens = static_cast<std::size_t>(batch.sentences[end] - batch.sentences[begin]);
        node_rows.offsets.reserve(tokens + 1), edge_rows.offsets.reserve(tokens + 1);
        node_rows.rows.reserve(tokens * encoder.node_templates.size());
        edge_rows.rows.reserve(tokens * encoder.edge_templates.size());
        Extractor extractor(encoder, store);
        SentenceFeatures features;
        for (std::size_t s = begin; s < end; ++s) {
            extractor.load(batch, s);
            extractor.node_features(features);
            nodes.take(features, node_rows);
            extractor.edge_features(features);
            edges.take(features, edge_rows);
        }
    }
};

// Cuts the sentences of a batch into parts with about equally many tokens, and returns where they begin and end.
inline std::vector<std::size_t> cut_batch(const Batch& batch, std::size_t parts) {
    const auto tokens = static_cast<std::size_t>(batch.sentences.back());
    std::vector<std::size_t> bounds{0};
    for (std::size_t part = 1; part < parts; ++part) {
        const auto found = std::lower_bound(batch.sentences.begin(), batch.sentences.end(),
                                            static_cast<std::int64_t>(tokens / parts * part));
        bounds.push_back(static_cast<std::size_t>(found - batch.sentences.begin()));
    }
    bounds.push_back(batch.sentences.size() - 1);
    return bounds;
}

// Numbers the features of a collection for good, and renews the numbers that rows have got before.
inline void finish_rows(FeatureCollector& collector, std::uint32_t cutoff,
                        std::vector<std::vector<FeatureTable::Row>>& numbers) {
    const std::vector<FeatureTable::Row> final_row = collector.finish(cutoff);
    for (std::vector<FeatureTable::Row>& part : numbers)
        for (FeatureTable::Row& row : part) row = final_row[row];
}

// Takes all sentences of a batch on several threads, whose number changes nothing: every thread collects a part of its
// own, and parts are merged in the order of the text. The collection has no rows before. With a cut-off it is finished:
// there are no further batches, and rows have their final numbers.
inline void collect_batch(Collection& out, const Encoder& encoder, const AttributeStore& store, const Batch& batch,
                          std::size_t threads, std::optional<std::uint32_t> cutoff = {}) {
    const std::size_t buckets = out.nodes.table().buckets();
    if (threads <= 1) {
        out.take(encoder, store, batch, 0, batch.sentences.size() - 1);
        if (!cutoff || buckets != 0) return;
        rename_rows(out.node_rows, out.nodes.finish(*cutoff));
        rename_rows(out.edge_rows, out.edges.finish(*cutoff));
        return;
    }
    const std::vector<std::size_t> bounds = cut_batch(batch, threads);
    std::vector<Collection> parts(threads, Collection(buckets, out.nodes.has_origins()));
    parallel_for(threads, threads, 1, [&] {
        return [&](std::size_t part) { parts[part].take(encoder, store, batch, bounds[part], bounds[part + 1]); };
    });
    std::vector<SparseRows> node_rows, edge_rows;
    std::vector<std::vector<FeatureTable::Row>> nodes,
        edges;  // numbers of the rows of each part, unless they are hashed
    for (Collection& part : parts) {
        node_rows.push_back(std::move(part.node_rows)), edge_rows.push_back(std::move(part.edge_rows));
        if (buckets != 0) continue;
        nodes.push_back(out.nodes.merge(std::move(part.nodes)));
        edges.push_back(out.edges.merge(std::move(part.edges)));
    }
    parts.clear();
    if (cutoff && buckets == 0) finish_rows(out.nodes, *cutoff, nodes), finish_rows(out.edges, *cutoff, edges);
    out.node_rows = join_rows(std::move(node_rows), nodes, threads);
    out.edge_rows = join_rows(std::move(edge_rows), edges, threads);
}

// The rows of a batch in tables that are complete; features that they do not have are dropped.
inline std::pair<SparseRows, SparseRows> encode_batch(const Encoder& encoder, const AttributeStore& store,
                                                      const Batch& batch, const FeatureTable& nodes,
                                                      const FeatureTable& edges, std::size_t threads) {
    const std::vector<std::size_t> bounds = cut_batch(batch, threads);
    std::vector<SparseRows> node_rows(threads), edge_rows(threads);
    parallel_for(threads, threads, 1, [&] {
        return [&](std::size_t part) {
            Extractor extractor(encoder, store);
            SentenceFeatures features;
            for (std::size_t s = bounds[part]; s < bounds[part + 1]; ++s) {
                extractor.load(batch, s);
                extractor.node_features(features);
                append_features(features, node_rows[part], [&](Hash key, auto, auto) { return nodes.find(key); });
                extractor.edge_features(features);
                append_features(features, edge_rows[part], [&](Hash key, auto, auto) { return edges.find(key); });
            }
        };
    });
    return {join_rows(std::move(node_rows), {}, threads), join_rows(std::move(edge_rows), {}, threads)};
}

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
