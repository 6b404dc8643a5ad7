// AttributeRows: finds the feature rows of attributes that come one by one, for models whose features are the
// attributes of the token itself. A key needs nothing but the text of the attribute, so no text is kept.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tagloom/features/encoder.hpp"
#include "tagloom/features/encoding.hpp"
#include "tagloom/features/feature_table.hpp"

namespace tagloom {

class AttributeRows {
public:
    // `seed` is that of the model's template.
    AttributeRows(const FeatureTable& table, Hash seed) : table_(table), seed_(seed) {
        constexpr std::size_t usual = 1024;  // attributes of one sentence
        keys_.reserve(usual), rows_.rows.reserve(usual);
    }

    void add(std::string_view text, float value) {
        const Hash key = finish_key(add_part(seed_, hash_bytes(text) | 1));
        table_.prefetch(key);
        if (value != 1.0F && !weighted_) {
            values_.assign(keys_.size(), 1.0F);
            weighted_ = true;
        }
        keys_.push_back(key);
        if (weighted_) values_.push_back(value);
    }
    void end_item() { ends_.push_back(keys_.size()); }

    // Looks up the keys of a sequence, whose slots are in the cache by now.
    void end_sequence() {
        if (weighted_ && rows_.values.empty()) rows_.values.assign(rows_.rows.size(), 1.0F);
        const bool keeps_values = weighted_ || !rows_.values.empty();
        std::size_t i = 0;
        for (const std::size_t end : ends_) {
            for (; i < end; ++i) {
                const FeatureTable::Row row = table_.find(keys_[i]);
                if (row == FeatureTable::none) continue;
                rows_.rows.push_back(row);
                if (keeps_values) rows_.values.push_back(weighted_ ? values_[i] : 1.0F);
            }
            rows_.offsets.push_back(static_cast<std::int64_t>(rows_.rows.size()));
        }
        sentences_.push_back(sentences_.back() + static_cast<std::int64_t>(ends_.size()));
        keys_.clear(), values_.clear(), ends_.clear();
        weighted_ = false;
    }

    std::size_t row_count() const noexcept { return table_.size(); }  // of the model
    const SparseRows& rows() const noexcept { return rows_; }
    const std::vector<std::int64_t>& sentences() const noexcept { return sentences_; }  // [S + 1]

private:
    const FeatureTable& table_;
    Hash seed_;
    std::vector<Hash> keys_;  // of the current sequence, like the next two
    std::vector<float> values_;
    std::vector<std::size_t> ends_;  // [items]
    bool weighted_ = false;
    SparseRows rows_;
    std::vector<std::int64_t> sentences_{0};
};

}  // namespace tagloom
