// Tag dictionary (Ratnaparkhi 1996, section 4): a frequent word takes only the labels it occurred with in training.
//
// It fills the flags [N][L] of the labels that tokens may take, which every search understands. It does not apply to a
// token whose other constraints it contradicts, nor to a sentence that it would leave without any legal label sequence.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/text/strings.hpp"

namespace tagloom {

class TagDictionary {
public:
    // `bits` is [words][bytes of L], the lowest bit first; every word has a label, and no bit is set beyond the last
    // label.
    TagDictionary(std::vector<Hash> words, std::span<const std::uint8_t> bits, std::size_t labels)
        : words_(std::move(words)), flags_(words_.size() * labels), labels_(labels) {
        const std::size_t bytes = (labels + 7) / 8;
        if (bits.size() != words_.size() * bytes) throw std::invalid_argument("expected one row of labels per word");
        for (std::size_t row = 0; row < words_.size(); ++row) unpack(row, bits.subspan(row * bytes, bytes));
    }

    std::size_t size() const noexcept { return words_.size(); }
    std::size_t labels() const noexcept { return labels_; }

    // Returns the flags [L] of a word, or nothing if it may take any label.
    const std::uint8_t* find(Hash word) const noexcept {
        const FeatureTable::Row row = words_.find(word);
        return row == FeatureTable::none || words_.keys()[row] != word ? nullptr : flags_.data() + row * labels_;
    }

private:
    void unpack(std::size_t row, std::span<const std::uint8_t> bits) {
        bool any = false;
        for (std::size_t i = 0; i < bits.size() * 8; ++i) {
            const bool set = bits[i / 8] >> (i % 8) & 1;
            if (set && i >= labels_) throw std::invalid_argument("a word has a label that does not exist");
            if (i < labels_) flags_[row * labels_ + i] = set;
            any |= set;
        }
        if (!any) throw std::invalid_argument("a word has no label");
    }

    FeatureTable words_;
    std::vector<std::uint8_t> flags_;  // [words][L]
    std::size_t labels_;
};

// Tells whether flags leave an allowed label sequence; sets of labels are bit sets.
class LegalSequences {
public:
    explicit LegalSequences(const ChainMask<float>& mask, std::size_t labels)
        : labels_(labels),
          words_((labels + 63) / 64),
          start_(words_),
          end_(words_),
          before_(labels * words_),
          reached_(words_),
          next_(words_) {
        for (std::size_t y = 0; y < labels; ++y) {
            if (is_open(mask.start[y])) set(start_.data(), y);
            else all_exist_ = false;
            if (is_open(mask.end[y])) set(end_.data(), y);
            else all_exist_ = false;
            for (std::size_t p = 0; p < labels; ++p) {
                if (is_open(mask.transitions[p * padded(labels) + y])) set(before_.data() + y * words_, p);
                else all_exist_ = false;
            }
        }
    }

    // `allowed` is [T][L], with a label for every token.
    bool operator()(std::span<const std::uint8_t> allowed) {
        if (all_exist_ || allowed.empty()) return true;
        const std::size_t length = allowed.size() / labels_;
        for (std::size_t t = 0; t < length; ++t) {
            std::fill(next_.begin(), next_.end(), 0);
            for (std::size_t y = 0; y < labels_; ++y)
                if (allowed[t * labels_ + y] && (t ? meets(before_.data() + y * words_) : has(start_.data(), y)))
                    set(next_.data(), y);
            reached_.swap(next_);
        }
        return meets(end_.data());
    }

private:
    using Bits = std::vector<std::uint64_t>;

    static bool is_open(float score) noexcept { return score == 0; }
    static void set(std::uint64_t* bits, std::size_t i) noexcept { bits[i / 64] |= std::uint64_t{1} << (i % 64); }
    static bool has(const std::uint64_t* bits, std::size_t i) noexcept { return bits[i / 64] >> (i % 64) & 1; }
    bool meets(const std::uint64_t* bits) const noexcept {
        for (std::size_t w = 0; w < words_; ++w)
            if (bits[w] & reached_[w]) return true;
        return false;
    }

    std::size_t labels_, words_;
    bool all_exist_ = true;
    Bits start_, end_;  // labels that may begin and end a sentence
    Bits before_;       // [L] labels that may precede each label
    Bits reached_, next_;
};

// Computes the flags of some sentences: those of the dictionary, restricted to `given` if that is not empty.
inline std::vector<std::uint8_t> dictionary_flags(const TagDictionary& dictionary, const StringTable& words,
                                                  std::span<const std::int32_t> codes,
                                                  std::span<const std::int64_t> sentences, const ChainMask<float>& mask,
                                                  std::span<const std::uint8_t> given) {
    const std::size_t labels = dictionary.labels();
    LegalSequences is_legal(mask, labels);
    std::vector<std::uint8_t> flags = given.empty() ? std::vector<std::uint8_t>(codes.size() * labels, 1)
                                                    : std::vector<std::uint8_t>(given.begin(), given.end());
    const auto restore = [&](std::size_t begin, std::size_t end) {
        if (given.empty())
            std::fill(flags.begin() + static_cast<std::ptrdiff_t>(begin),
                      flags.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
        else
            std::copy(given.begin() + static_cast<std::ptrdiff_t>(begin),
                      given.begin() + static_cast<std::ptrdiff_t>(end),
                      flags.begin() + static_cast<std::ptrdiff_t>(begin));
    };
    for (std::size_t s = 0; s + 1 < sentences.size(); ++s) {
        const auto begin = static_cast<std::size_t>(sentences[s]) * labels,
                   end = static_cast<std::size_t>(sentences[s + 1]) * labels;
        bool narrowed = false;
        for (std::size_t at = begin; at < end; at += labels) {
            const std::uint8_t* row = dictionary.find(words.hash(codes[at / labels]));
            if (!row) continue;
            std::uint8_t any = 0;
            for (std::size_t y = 0; y < labels; ++y)
                any |= flags[at + y] = flags[at + y] && row[y];  // any number other than 0 is a flag
            if (any) narrowed = true;
            else restore(at, at + labels);
        }
        if (narrowed && !is_legal({flags.data() + begin, end - begin})) restore(begin, end);
    }
    return flags;
}

}  // namespace tagloom
