// Features of segments (Sarawagi & Cohen 2004, section 2.2): templates over whole segments, as 64-bit keys.
//
// A part of a template is the length of the segment, an attribute of tokens at a place of it, or the lists that have the
// whole segment as an entry. Parts are mixed into one key; a part with several values gives a key for each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/text/hash.hpp"

namespace tagloom {

enum class SegmentPlace : std::uint32_t { length, all, first, last, inside, before, after, entry };

struct SegmentPart {
    SegmentPlace place;
    std::size_t source = 0;  // number of the attribute or, for entries, of the resource
};

struct SegmentTemplate {
    Hash seed;
    std::vector<SegmentPart> parts;
};

// The entries of lists that begin at each token: their lengths, and a bit for each list that has them.
struct ListEntries {
    std::span<const std::int64_t> offsets;  // [N + 1]
    std::span<const std::uint32_t> lengths;
    std::span<const std::uint64_t> sets;
};

struct SegmentSource {
    std::vector<SegmentTemplate> templates;
    std::vector<std::vector<Hash>> attributes;  // [A][N]
    std::vector<ListEntries> entries;
    std::span<const std::int64_t> sentences;  // [S + 1]
};

// One thread's extractor.
class SegmentExtractor {
public:
    explicit SegmentExtractor(const SegmentSource& source)
        : source_(source), sequences_(source.attributes.size()), sets_(source.entries.size()) {}

    // Calls visit(tokens, number of the template, key) for the segments of a sentence that begin at a token and have
    // least .. most tokens.
    template <class Visit>
    void for_each_key(std::size_t begin, std::size_t end, std::size_t first, std::size_t least, std::size_t most,
                      Visit visit) {
        begin_ = begin, end_ = end, first_ = first;
        std::fill(sequences_.begin(), sequences_.end(), Hash{0});
        for (std::size_t tokens = 1; tokens <= std::min(most, end - first); ++tokens) {
            stop_ = first + tokens;
            for (std::size_t a = 0; a < sequences_.size(); ++a)
                sequences_[a] = mix(sequences_[a], source_.attributes[a][stop_ - 1]);
            if (tokens < least) continue;
            find_sets(tokens);
            for (std::size_t k = 0; k < source_.templates.size(); ++k)
                expand(source_.templates[k], 0, source_.templates[k].seed, [&](Hash key) { visit(tokens, k, key); });
        }
    }

private:
    void find_sets(std::size_t tokens) {
        for (std::size_t e = 0; e < sets_.size(); ++e) {
            const ListEntries& entries = source_.entries[e];
            sets_[e] = 0;
            for (auto i = static_cast<std::size_t>(entries.offsets[first_]);
                 i < static_cast<std::size_t>(entries.offsets[first_ + 1]); ++i)
                if (entries.lengths[i] == tokens) sets_[e] |= entries.sets[i];
        }
    }

    template <class Visit>
    void expand(const SegmentTemplate& each, std::size_t part, Hash state, Visit&& visit) const {
        if (part == each.parts.size()) return visit(state);
        const SegmentPart& own = each.parts[part];
        const auto add = [&](Hash value) { expand(each, part + 1, mix(state, value), visit); };
        const auto at = [&](std::size_t token) { return source_.attributes[own.source][token]; };
        switch (own.place) {
            case SegmentPlace::length:
                return add(stop_ - first_);
            case SegmentPlace::all:
                return add(sequences_[own.source]);
            case SegmentPlace::first:
                return add(at(first_));
            case SegmentPlace::last:
                return add(at(stop_ - 1));
            case SegmentPlace::before:
                return add(first_ == begin_ ? border : at(first_ - 1));
            case SegmentPlace::after:
                return add(stop_ == end_ ? border : at(stop_));
            case SegmentPlace::inside:
                for (std::size_t token = first_ + 1; token + 1 < stop_; ++token) add(at(token));
                return;
            case SegmentPlace::entry:
                for (std::uint64_t list = 0, rest = sets_[own.source]; rest != 0; ++list, rest >>= 1)
                    if (rest & 1) add(list);
                return;
        }
    }

    static constexpr Hash border = 0x13198a2e03707344ULL;  // stands for the token beside the sentence

    const SegmentSource& source_;
    std::size_t begin_ = 0, end_ = 0, first_ = 0, stop_ = 0;
    std::vector<Hash> sequences_;      // [A] of the tokens of the segment
    std::vector<std::uint64_t> sets_;  // [E] lists that have the segment as an entry
};

// The rows of the features of all segments, as SegmentView reads them.
struct SegmentRows {
    std::vector<std::int64_t> offsets;
    std::vector<std::uint32_t> rows;
};

// Looks the features of all segments of at most `longest` tokens up in a table, whose rows begin at `first_row`.
inline SegmentRows find_segment_rows(const SegmentSource& source, const FeatureTable& table, std::size_t longest,
                                     std::size_t first_row, std::size_t threads) {
    constexpr std::size_t group = 64;  // sentences
    const std::size_t sentences = source.sentences.size() - 1, groups = (sentences + group - 1) / group;
    const auto tokens = static_cast<std::size_t>(source.sentences.back());
    SegmentRows out{std::vector<std::int64_t>(tokens * longest + 1, 0), {}};
    std::vector<std::vector<std::uint32_t>> found(groups);
    parallel_for(groups, threads, 1, [&] {
        return [&, extractor = SegmentExtractor(source)](std::size_t g) mutable {
            for (std::size_t s = g * group; s < std::min((g + 1) * group, sentences); ++s) {
                const auto begin = static_cast<std::size_t>(source.sentences[s]),
                           end = static_cast<std::size_t>(source.sentences[s + 1]);
                for (std::size_t first = begin; first < end; ++first)
                    extractor.for_each_key(begin, end, first, 1, longest, [&](std::size_t n, std::size_t, Hash key) {
                        const FeatureTable::Row row = table.find(key);
                        if (row == FeatureTable::none) return;
                        found[g].push_back(static_cast<std::uint32_t>(first_row + row));
                        ++out.offsets[first * longest + n];
                    });
            }
        };
    });
    for (std::size_t i = 1; i < out.offsets.size(); ++i) out.offsets[i] += out.offsets[i - 1];
    out.rows.reserve(static_cast<std::size_t>(out.offsets.back()));
    for (const auto& rows : found) out.rows.insert(out.rows.end(), rows.begin(), rows.end());
    return out;
}

}  // namespace tagloom
