// Encodes a whole batch: the features of all tokens as rows of a table, in training of a table that grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/collector.hpp"
#include "tagloom/features/encoder.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/features/sparse_rows.hpp"

namespace tagloom {

// The features of sentences: tables of those of nodes and of edges, and the rows of the last batch.
struct Collection {
    FeatureCollector nodes, edges;
    SparseRows node_rows, edge_rows;

    explicit Collection(std::size_t buckets = 0, bool has_origins = true)
        : nodes(buckets, has_origins), edges(buckets, has_origins) {}
};

// Collects the features of the sentences begin .. end of a batch.
inline void collect_sentences(Collection& out, const Encoder& encoder, const AttributeStore& store, const Batch& batch,
                              std::size_t begin, std::size_t end, FeatureCollector::Part& nodes,
                              FeatureCollector::Part& edges) {
    // The rows of the first sentences become those of all, so that they get the room; it takes no memory until it is used.
    const auto tokens =
        batch.copies()
        * static_cast<std::size_t>(begin == 0 ? batch.sentences.back() : batch.sentences[end] - batch.sentences[begin]);
    nodes.rows.offsets.reserve(tokens + 1), edges.rows.offsets.reserve(tokens + 1);
    nodes.rows.rows.reserve(tokens * encoder.node_templates.size());
    edges.rows.rows.reserve(tokens * encoder.edge_templates.size());
    auto node_room = out.nodes.open_room(), edge_room = out.edges.open_room();
    Extractor extractor(encoder, store);
    SentenceFeatures features;
    for (std::size_t s = begin; s < end; ++s)
        for (std::size_t copy = 0; copy < batch.copies(); ++copy) {
            extractor.load(batch, s, copy);
            extractor.node_features(features);
            nodes.take(features, node_room, edge_room);
            extractor.edge_features(features);
            edges.take(features, edge_room, node_room);
        }
}

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

// Takes all sentences of a batch on several threads; every thread takes successive ones. With a cut-off, the collection is
// finished: there are no further batches, and rows have their final numbers, which no number of threads changes.
inline void collect_batch(Collection& out, const Encoder& encoder, const AttributeStore& store, const Batch& batch,
                          std::size_t threads, std::optional<std::uint32_t> cutoff = {}) {
    const std::vector<std::size_t> bounds = cut_batch(batch, threads);
    const std::size_t tokens = batch.copies() * batch.tokens();
    out.nodes.reserve(tokens * encoder.node_templates.size(), threads);
    out.edges.reserve(tokens * encoder.edge_templates.size(), threads);
    std::vector<FeatureCollector::Part> nodes(threads, FeatureCollector::Part(out.nodes));
    std::vector<FeatureCollector::Part> edges(threads, FeatureCollector::Part(out.edges));
    parallel_for(threads, threads, 1, [&] {
        return [&](std::size_t p) {
            collect_sentences(out, encoder, store, batch, bounds[p], bounds[p + 1], nodes[p], edges[p]);
        };
    });
    const auto join = [&](FeatureCollector& all, std::vector<FeatureCollector::Part> parts) {
        all.add(parts, threads);
        std::vector<SparseRows> rows;
        for (FeatureCollector::Part& part : parts) rows.push_back(std::move(part.rows));
        parts.clear();
        const std::vector<FeatureTable::Row> new_row =
            cutoff ? all.finish(*cutoff, threads) : std::vector<FeatureTable::Row>();
        return join_rows(std::move(rows), new_row, threads);
    };
    out.node_rows = join(out.nodes, std::move(nodes));
    out.edge_rows = join(out.edges, std::move(edges));
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
            for (std::size_t s = bounds[part]; s < bounds[part + 1]; ++s)
                for (std::size_t copy = 0; copy < batch.copies(); ++copy) {
                    extractor.load(batch, s, copy);
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
