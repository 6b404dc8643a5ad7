// Collects the features of training data on several threads: every key gets a row, and at the end rows are numbered by
// falling frequency (ties keep the order of appearance), which keeps frequent rows together in memory; rows rarer than a
// cut-off are dropped. Until then, the number of a row depends on which thread came first; the final one does not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/encoder.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/features/shared_table.hpp"
#include "tagloom/features/sparse_rows.hpp"

namespace tagloom {

// Returns the number that each row gets: its rank by falling frequency; ties keep their order. Most counts are small,
// so that counting how often each occurs is faster than comparing them.
inline std::vector<FeatureTable::Row> rank_rows(std::span<const std::uint32_t> counts, std::uint32_t cutoff) {
    using Row = FeatureTable::Row;
    constexpr std::uint32_t frequent = 1U << 12;
    std::vector<Row> large, new_row(counts.size(), FeatureTable::none);
    std::vector<std::size_t> begin(frequent + 1);  // of the rows with each count, the largest count first
    for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] < cutoff) continue;
        if (counts[row] >= frequent) large.push_back(static_cast<Row>(row));
        else ++begin[frequent - counts[row]];
    }
    std::stable_sort(large.begin(), large.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
    for (std::size_t i = 0; i < large.size(); ++i) new_row[large[i]] = static_cast<Row>(i);
    std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), large.size());
    for (std::size_t row = 0; row < counts.size(); ++row)
        if (counts[row] >= cutoff && counts[row] < frequent)
            new_row[row] = static_cast<Row>(begin[frequent - counts[row]]++);
    return new_row;
}

class FeatureCollector {
public:
    using Row = FeatureTable::Row;
    using Origin = SentenceFeatures::Origin;

    // Origins are needed for the texts of features only.
    explicit FeatureCollector(std::size_t buckets = 0, bool has_origins = true)
        : table_(buckets), shared_(std::make_unique<SharedFeatureTable>()), has_origins_(has_origins) {}

    // Returns the permission to insert keys that a thread needs to collect.
    SharedFeatureTable::Room open_room() { return SharedFeatureTable::Room(*shared_); }

    // What one thread collects from successive sentences of a batch.
    class alignas(SharedFeatureTable::line) Part {
    public:
        explicit Part(FeatureCollector& all) : all_(&all) {}

        // Appends the rows of one sentence. `other` is the room of the thread in another table.
        void take(const SentenceFeatures& features, SharedFeatureTable::Room& room, SharedFeatureTable::Room& other) {
            if (all_->table_.buckets() != 0)
                return append_features(features, rows, [&](Hash key, auto, auto) { return all_->table_.find(key); });
            room.ensure(features.keys.size(), other);
            for (const Hash key : features.keys) all_->shared_->prefetch(key);
            append_features(features, rows, [&](Hash key, std::size_t t, std::size_t i) {
                const Row row = all_->shared_->insert(key, spare_);
                if (row >= counts_.size()) counts_.resize(std::max<std::size_t>(row + 1, 2 * counts_.size()));
                if (counts_[row]++ == 0) {
                    order_.push_back(row);
                    if (all_->has_origins_) origins_.push_back(features.origin(t, i));
                }
                return row;
            });
        }

        SparseRows rows;

    private:
        friend class FeatureCollector;

        std::uint32_t count(Row row) const noexcept { return row < counts_.size() ? counts_[row] : 0; }

        FeatureCollector* all_;
        SharedFeatureTable::Spare spare_;
        std::vector<std::uint32_t> counts_;  // [rows]
        std::vector<Row> order_;             // rows in the order of appearance here
        std::vector<Origin> origins_;        // like order_
    };

    // Makes room for the keys of a batch. Few of them are new: most features of a text occur again and again.
    void reserve(std::size_t keys, std::size_t threads) {
        constexpr std::size_t occurrences = 32;
        if (table_.buckets() == 0) shared_->reserve(order_.size() + keys / occurrences, threads);
    }

    // Adds what was collected from the parts of a batch, in the order of the text.
    void add(std::span<Part> parts, std::size_t threads) {
        parallel_for(parts.size(), threads, 1, [&] { return [&](std::size_t p) { keep_first(parts, p); }; });
        counts_.resize(shared_->size());
        for (Part& part : parts) {
            order_.insert(order_.end(), part.order_.begin(), part.order_.end());
            origins_.insert(origins_.end(), part.origins_.begin(), part.origins_.end());
        }
        constexpr std::size_t chunk = std::size_t{1} << 14;
        parallel_for(counts_.size(), threads, chunk, [&] {
            return [&](std::size_t row) {
                for (const Part& part : parts) counts_[row] += part.count(static_cast<Row>(row));
            };
        });
    }

    // Numbers the rows by frequency and returns the new number of each row. Buckets keep theirs.
    std::vector<Row> finish(std::uint32_t cutoff, std::size_t threads = 1) {
        if (table_.buckets() != 0) return {};
        std::vector<std::uint32_t> counts(order_.size());  // in the order of appearance
        std::transform(order_.begin(), order_.end(), counts.begin(), [&](Row row) { return counts_[row]; });
        const std::vector<Row> rank = rank_rows(counts, cutoff);
        std::vector<Row> new_row(shared_->size(), FeatureTable::none);
        std::vector<Origin> origins;
        std::size_t kept = 0;
        for (const Row row : rank) kept += row != FeatureTable::none;
        if (has_origins_) origins.resize(kept);
        for (std::size_t i = 0; i < order_.size(); ++i) {
            new_row[order_[i]] = rank[i];
            if (has_origins_ && rank[i] != FeatureTable::none) origins[rank[i]] = origins_[i];
        }
        table_ = shared_->renumber(new_row, kept, order_.size(), threads);
        shared_ = std::make_unique<SharedFeatureTable>();
        origins_ = std::move(origins), counts_ = {}, order_ = {};
        return new_row;
    }

    FeatureTable& table() noexcept { return table_; }
    bool has_origins() const noexcept { return has_origins_; }
    const std::vector<Origin>& origins() const noexcept { return origins_; }

private:
    // Keeps the rows in the order of a part that appeared neither in earlier batches nor in earlier parts.
    void keep_first(std::span<Part> parts, std::size_t number) {
        Part& part = parts[number];
        const auto is_old = [&](Row row) {
            return (row < counts_.size() && counts_[row] != 0)
                   || std::any_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(number),
                                  [&](const Part& earlier) { return earlier.count(row) != 0; });
        };
        std::size_t kept = 0;
        for (std::size_t i = 0; i < part.order_.size(); ++i) {
            if (is_old(part.order_[i])) continue;
            part.order_[kept] = part.order_[i];
            if (has_origins_) part.origins_[kept] = part.origins_[i];
            ++kept;
        }
        part.order_.resize(kept);
        if (has_origins_) part.origins_.resize(kept);
    }

    FeatureTable table_;  // final, or hashed into buckets
    std::unique_ptr<SharedFeatureTable> shared_;
    bool has_origins_;
    std::vector<std::uint32_t> counts_;  // [rows of shared_]
    std::vector<Row> order_;             // rows in the order of appearance
    std::vector<Origin> origins_;        // like order_; at the end [rows]
};

}  // namespace tagloom
