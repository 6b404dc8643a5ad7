// WordVectors: a dense vector for every word of a table. An attribute over it has one value per dimension, which is
// weighted with the number in the vector (Turian, Ratinov & Bengio 2010).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tagloom/features/values.hpp"
#include "tagloom/text/strings.hpp"
#include "tagloom/text/unicode.hpp"

namespace tagloom {

class WordVectors {
public:
    // Values are [words][dimensions].
    WordVectors(StringTable words, std::vector<float> values)
        : words_(std::move(words)),
          values_(std::move(values)),
          dimensions_(words_.size() == 0 ? 0 : values_.size() / words_.size()) {}

    const StringTable& words() const noexcept { return words_; }
    const std::vector<float>& values() const noexcept { return values_; }
    std::size_t dimensions() const noexcept { return dimensions_; }

    // Finds the vector of a word as it is written, or of the word in lower case; null if there is neither.
    const float* find(std::string_view word) const {
        StringTable::Id id = words_.find(word);
        if (id == StringTable::none) {
            std::string lowered;
            append_lower(lowered, word);
            id = words_.find(lowered);
        }
        return id == StringTable::none ? nullptr : values_.data() + static_cast<std::size_t>(id) * dimensions_;
    }

private:
    StringTable words_;
    std::vector<float> values_;
    std::size_t dimensions_;
};

// Gives every token the numbers of the vector of its word; zeros are left out.
class VectorsAt {
public:
    VectorsAt(const WordVectors& vectors, const StringTable& strings, AttributeValues& values)
        : vectors_(vectors), strings_(strings), values_(values) {
        for (std::size_t d = 0; d < vectors.dimensions(); ++d) names_.push_back(values.number(std::to_string(d)));
    }

    void operator()(std::span<const std::int32_t> tokens) {
        for (const std::int32_t token : tokens) {
            if (const float* vector = vectors_.find(strings_.view(token)))
                for (std::size_t d = 0; d < names_.size(); ++d)
                    if (vector[d] != 0) values_.add_numbered(names_[d], vector[d]);
            values_.end_item();
        }
    }

private:
    const WordVectors& vectors_;
    const StringTable& strings_;
    AttributeValues& values_;
    std::vector<StringTable::Id> names_;  // [dimensions]
};

}  // namespace tagloom
