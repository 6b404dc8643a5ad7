// Histories as features: the gold labels decided before each token, and the tokens that share them.
//
// A locally normalised tagger is trained on the gold histories, so a label pair or triple is a feature of the token
// like any other: "the label before is p" fires at known tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/chain.hpp"
#include "tagloom/features/postings.hpp"

namespace tagloom {

class Histories {
public:
    Histories(const ChainInput& input, std::span<const Label> gold, bool is_backwards)
        : previous_(gold.size(), -1), before_(gold.size(), -1) {
        for (std::size_t s = 0; s + 1 < input.sentences.size(); ++s) {
            const std::size_t begin = input.begin(s), length = input.length(s);
            for (std::size_t step = 1; step < length; ++step) {
                const auto token = [&](std::size_t at) { return begin + (is_backwards ? length - 1 - at : at); };
                previous_[token(step)] = gold[token(step - 1)];
                if (step > 1) before_[token(step)] = gold[token(step - 2)];
            }
        }
    }

    // -1 if there is no such label.
    Label previous(std::size_t token) const noexcept { return previous_[token]; }
    Label before(std::size_t token) const noexcept { return before_[token]; }

    // Rows of the postings: first the previous label, then pairs of it and the label before.
    static std::size_t pair_row(std::size_t labels, std::size_t previous, std::size_t before) noexcept {
        return labels + previous * labels + before;
    }

    Postings postings(std::size_t labels, bool with_pairs) const {
        std::vector<std::int64_t> offsets{0};
        std::vector<std::uint32_t> rows;
        for (std::size_t token = 0; token < previous_.size(); ++token) {
            const auto p = static_cast<std::size_t>(previous_[token]), b = static_cast<std::size_t>(before_[token]);
            if (previous_[token] >= 0) rows.push_back(static_cast<std::uint32_t>(p));
            if (with_pairs && before_[token] >= 0) rows.push_back(static_cast<std::uint32_t>(pair_row(labels, p, b)));
            offsets.push_back(static_cast<std::int64_t>(rows.size()));
        }
        return Postings({offsets, rows, {}}, labels + (with_pairs ? labels * labels : 0), previous_.size());
    }

private:
    std::vector<Label> previous_, before_;  // [N]
};

}  // namespace tagloom
