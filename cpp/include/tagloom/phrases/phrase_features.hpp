// Phi_p(s, e): features of a phrase and its context (carreras-2003, section 4).
//
//   around   predicates of the words s - L ... s and e ... e + L, with their places
//   left     category of the recognised phrase that a word s - L ... s - 1 is part of, with its place
//   inside   predicates of the words of the phrase, without places; types of 2, 3 and 4 neighbours in it
//   whole    all its words as one, the types of all its words
//   lists    classes of the gazetteer that the phrase is an entry of, and those that its words occur in
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/text/hash.hpp"

namespace tagloom {

// A phrase of a sentence: tokens begin ... end - 1.
struct Phrase {
    std::uint32_t begin, end;
    std::int32_t category;
    bool operator==(const Phrase&) const = default;
};

struct PhraseInput {
    std::span<const std::int64_t> sentences;    // [S + 1]
    SparseView around, inside;                  // predicates of every token, as numbers
    std::span<const Hash> forms;                // [N]
    std::span<const std::uint8_t> types;        // [N] types of words: functional, capitalised ...
    std::span<const std::uint64_t> word_lists;  // [N] classes in which a word occurs, as bits; may be empty
    // The lengths and classes of the gazetteer entries that begin at a token; may be empty.
    std::span<const std::int64_t> entry_offsets;  // [N + 1]
    std::span<const std::uint32_t> entry_lengths;
    std::span<const std::uint64_t> entry_lists;
    std::size_t reach = 3;  // L_p

    std::size_t begin(std::size_t s) const noexcept { return static_cast<std::size_t>(sentences[s]); }
    std::size_t length(std::size_t s) const noexcept { return static_cast<std::size_t>(sentences[s + 1]) - begin(s); }
};

class PhraseFeatures {
public:
    explicit PhraseFeatures(const PhraseInput& input) : input_(input) {}

    // Calls visit(key) for every feature of the tokens s ... e of a sentence. `left` holds, for each of the words
    // before s, the category of the recognised phrase that it is part of, nearest first; -1 if there is none.
    template <class Visit>
    void operator()(std::size_t sentence, std::size_t s, std::size_t e, std::span<const std::int32_t> left,
                    Visit visit) const {
        const std::size_t first = input_.begin(sentence), length = input_.length(sentence), reach = input_.reach;
        for (std::size_t l = 0; l <= reach; ++l) {
            if (s >= l) visit_predicates(input_.around, first + s - l, place(before, l), visit);
            else visit(mix(place(before, l), outside));
            if (e + l < length) visit_predicates(input_.around, first + e + l, place(after, l), visit);
            else visit(mix(place(after, l), outside));
        }
        for (std::size_t l = 1; l <= std::min(reach, left.size()); ++l)
            if (left[l - 1] >= 0) visit(mix(place(entity, l), static_cast<Hash>(left[l - 1])));
        for (std::size_t t = s; t <= e; ++t) visit_predicates(input_.inside, first + t, place(within, 0), visit);
        visit_patterns(first + s, first + e, visit);
        visit_lists(first + s, e - s + 1, visit);
    }

private:
    enum Role : Hash { before = 1, after, entity, within, pattern, form, whole_pattern, entry, word };
    static constexpr Hash outside = 0x9216d5d98979fb1bULL;

    static Hash place(Role role, std::size_t offset) noexcept { return mix(role, offset); }

    template <class Visit>
    static void visit_predicates(const SparseView& predicates, std::size_t token, Hash place, Visit& visit) {
        for (std::size_t i = predicates.begin(token); i < predicates.end(token); ++i)
            visit(mix(place, predicates.rows[i]));
    }

    template <class Visit>
    void visit_patterns(std::size_t s, std::size_t e, Visit& visit) const {
        Hash words = place(form, 0), types = place(whole_pattern, 0);
        for (std::size_t t = s; t <= e; ++t) {
            words = mix(words, input_.forms[t]), types = mix(types, input_.types[t]);
            Hash some = input_.types[t];
            for (std::size_t size = 2; size <= 4 && t + size - 1 <= e; ++size) {
                some = mix(some, input_.types[t + size - 1]);
                visit(mix(place(pattern, size), some));
            }
        }
        visit(words);
        visit(types);
    }

    template <class Visit>
    void visit_lists(std::size_t s, std::size_t length, Visit& visit) const {
        if (!input_.entry_offsets.empty())
            for (auto i = static_cast<std::size_t>(input_.entry_offsets[s]);
                 i < static_cast<std::size_t>(input_.entry_offsets[s + 1]); ++i)
                if (input_.entry_lengths[i] == length) visit_bits(place(entry, 0), input_.entry_lists[i], visit);
        if (!input_.word_lists.empty())
            for (std::size_t t = s; t < s + length; ++t) visit_bits(place(word, 0), input_.word_lists[t], visit);
    }
    template <class Visit>
    static void visit_bits(Hash place, std::uint64_t bits, Visit& visit) {
        for (std::size_t list = 0; bits; ++list, bits >>= 1)
            if (bits & 1) visit(mix(place, list));
    }

    const PhraseInput& input_;
};

// Collects the distinct features of a phrase that a model knows, in ascending order.
class PhraseInstances {
public:
    PhraseInstances(const PhraseInput& input, const FeatureTable& table) : features_(input), table_(table) {}

    std::span<const std::uint32_t> operator()(std::size_t sentence, std::size_t s, std::size_t e,
                                              std::span<const std::int32_t> left) {
        rows_.clear();
        features_(sentence, s, e, left, [this](Hash key) {
            const FeatureTable::Row row = table_.find(key);
            if (row != FeatureTable::none) rows_.push_back(row);
        });
        std::sort(rows_.begin(), rows_.end());
        rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
        return rows_;
    }

private:
    PhraseFeatures features_;
    const FeatureTable& table_;
    std::vector<std::uint32_t> rows_;
};

}  // namespace tagloom
