// Attributes of a second stage: what a first stage predicts for the same words, pairs of words, entities and cells of
// tables in the other sentences of the document.
//
// The first stage's output is a bag per token: the probabilities of its labels. They are counted in units of 2^-16, so
// that sums are exact: what is left after taking away the own sentence does not depend on that sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tagloom/features/document_attributes.hpp"
#include "tagloom/features/encoder.hpp"
#include "tagloom/features/values.hpp"
#include "tagloom/text/strings.hpp"

namespace tagloom {

// The probabilities of labels that a first stage gives every token.
struct StageColumn {
    const StringTable& labels;
    std::span<const std::int32_t> codes;    // [entries] into labels
    std::span<const std::int64_t> offsets;  // [N + 1]
    std::span<const float> weights;         // [entries]; empty if all are 1

    static constexpr double unit = 65536;
    std::int64_t amount(std::size_t entry) const {
        const float weight = weights.empty() ? 1.0F : weights[entry];
        return weight > 0 ? std::llround(unit * static_cast<double>(std::min(weight, 1.0F))) : 0;
    }
};

// The role and the type of every label: B-LOC begins a LOC; a label without a role is the type of a single token.
class StageLabels {
public:
    struct Label {
        char role;         // B I E S L U M; O: outside
        std::size_t type;  // number in alphabetical order
        std::size_t rank;  // of the label in alphabetical order, for ties
    };

    explicit StageLabels(const StringTable& labels) {
        std::vector<std::string_view> texts;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            texts.push_back(labels.view(static_cast<StringTable::Id>(i)));
            types_.emplace_back(type_of(texts.back()));
        }
        std::vector<std::string> by_label = types_;
        std::sort(types_.begin(), types_.end());
        types_.erase(std::unique(types_.begin(), types_.end()), types_.end());
        std::vector<std::string_view> sorted = texts;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto type = std::lower_bound(types_.begin(), types_.end(), by_label[i]) - types_.begin();
            const auto rank = std::lower_bound(sorted.begin(), sorted.end(), texts[i]) - sorted.begin();
            labels_.push_back({role_of(texts[i]), static_cast<std::size_t>(type), static_cast<std::size_t>(rank)});
        }
    }

    const Label& operator[](std::int32_t code) const { return labels_[static_cast<std::size_t>(code)]; }
    const std::string& type(std::size_t number) const { return types_[number]; }

private:
    static bool has_role(std::string_view label) {
        return label.size() > 2 && label[1] == '-'
               && std::string_view("BIESLUM").find(label[0]) != std::string_view::npos;
    }
    static char role_of(std::string_view label) { return has_role(label) ? label[0] : label == "O" ? 'O' : 'S'; }
    static std::string_view type_of(std::string_view label) { return has_role(label) ? label.substr(2) : label; }

    std::vector<Label> labels_;
    std::vector<std::string> types_;
};

// Amounts by symbol under a key, in all sentences but one.
class LeaveOneOut {
public:
    using Tally = std::vector<std::pair<std::size_t, std::int64_t>>;  // (symbol, amount), no symbol twice

    void clear() { all_.clear(), own_.clear(); }
    void add(Hash key, std::size_t sentence, std::size_t symbol, std::int64_t amount) {
        increase(all_[key], symbol, amount);
        increase(own_[of_sentence(key, sentence)], symbol, amount);
    }
    bool contains(Hash key) const { return all_.find(key) != all_.end(); }

    // The amounts in all other sentences that are not zero, by symbol.
    Tally find(Hash key, std::size_t sentence) const {
        const auto found = all_.find(key);
        if (found == all_.end()) return {};
        Tally left = found->second;
        const auto own = own_.find(of_sentence(key, sentence));
        if (own != own_.end())
            for (const auto& [symbol, amount] : own->second) increase(left, symbol, -amount);
        left.erase(std::remove_if(left.begin(), left.end(), [](const auto& each) { return each.second <= 0; }),
                   left.end());
        std::sort(left.begin(), left.end());
        return left;
    }

    // The symbol with the largest amount, the lowest of several.
    static std::pair<std::size_t, std::int64_t> best(const Tally& tally) {
        return *std::max_element(tally.begin(), tally.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; });
    }

private:
    static Hash of_sentence(Hash key, std::size_t sentence) { return finish_key(add_part(key, sentence + 1)); }
    static void increase(Tally& tally, std::size_t symbol, std::int64_t amount) {
        for (auto& [known, sum] : tally)
            if (known == symbol) return static_cast<void>(sum += amount);
        tally.emplace_back(symbol, amount);
    }

    std::unordered_map<Hash, Tally> all_, own_;
};

enum class StageEvidence { word, pair, entity, longer, cell };

// Fills one attribute. Words, pairs and cells get the mean probability of each type elsewhere, as a weight, and the best
// type with how sure and how frequent it is; entities get the type of the longest predicted entity that matches here, by
// position; `longer` gets the place of the word in a longer entity.
class StageReader {
public:
    static constexpr std::size_t longest_entity = 8;
    static constexpr double least_mean = 0.02;

    StageReader(StageEvidence what, const StringTable& strings, const StageColumn& column, AttributeValues& values)
        : what_(what), words_(strings), column_(column), labels_(column.labels), values_(values) {}

    void operator()(const DocumentView& document) {
        begin_ = static_cast<std::size_t>(document.bounds[0]);
        tokens_ = document.tokens;
        here_.clear();
        for (const std::int32_t code : tokens_) here_.push_back(&words_[code]);
        counts_.clear(), evidence_.clear();
        if (what_ == StageEvidence::entity || what_ == StageEvidence::longer) {
            for (std::size_t s = 0; s < document.sentences(); ++s) add_entities(document, s);
            for (std::size_t s = 0; s < document.sentences(); ++s)
                what_ == StageEvidence::entity ? match_entities(document, s) : find_longer(document, s);
        } else {
            keys_.assign(tokens_.size(), 0);
            for (std::size_t s = 0; s < document.sentences(); ++s) find_keys(document.begin(s), document.end(s));
            for (std::size_t s = 0; s < document.sentences(); ++s)
                for (std::size_t t = document.begin(s); t < document.end(s); ++t) add_types(t, s);
            for (std::size_t s = 0; s < document.sentences(); ++s)
                for (std::size_t t = document.begin(s); t < document.end(s); ++t) write_types(t, s);
        }
    }

private:
    static constexpr std::size_t count_symbol = static_cast<std::size_t>(-1);

    // -- words, pairs, cells: the key of every token, 0 for none

    void find_keys(std::size_t begin, std::size_t end) {
        if (what_ == StageEvidence::cell) return find_cells(begin, end);
        for (std::size_t t = begin; t < end; ++t) {
            if (what_ == StageEvidence::word) {
                if (here_[t]->capital) keys_[t] = finish_key(here_[t]->key);
            } else if (t + 1 < end && (here_[t]->capital || here_[t + 1]->capital)) {
                keys_[t] = finish_key(add_part(add_part(2, here_[t]->key), here_[t + 1]->key));
            }
        }
    }

    // A sentence of a table is like others in which the same words stand around the same number of names and numbers.
    // Words in a row that have capitals are one name; a word with a digit and no capital is a number.
    void find_cells(std::size_t begin, std::size_t end) {
        Hash row = 3;
        std::size_t chunks = 0, names = 0;
        std::vector<std::size_t> chunk_of;
        bool in_name = false;
        for (std::size_t t = begin; t < end; ++t) {
            const bool is_name = here_[t]->capital;
            if (!is_name || !in_name) {
                row = add_part(row, is_name ? 1 : here_[t]->has_digit ? 2 : here_[t]->key | 4);
                ++chunks;
                names += is_name;
            }
            in_name = is_name;
            chunk_of.push_back(chunks);
        }
        if (end - begin < 2 || names == 0) return;
        for (std::size_t t = begin; t < end; ++t)
            if (here_[t]->capital) keys_[t] = finish_key(add_part(row, chunk_of[t - begin]));
    }

    void add_types(std::size_t t, std::size_t sentence) {
        if (keys_[t] == 0) return;
        evidence_.add(keys_[t], sentence, count_symbol, 1);
        const auto [begin, end] = entries(t);
        for (std::size_t i = begin; i < end; ++i)
            evidence_.add(keys_[t], sentence, labels_[column_.codes[i]].type, column_.amount(i));
    }

    void write_types(std::size_t t, std::size_t sentence) {
        if (keys_[t] != 0) {
            LeaveOneOut::Tally found = evidence_.find(keys_[t], sentence);
            if (found.empty() || found.back().first != count_symbol) {
                values_.add("none");
            } else {
                const std::int64_t count = found.back().second;
                found.pop_back();
                write_means(found, count);
            }
        }
        values_.end_item();
    }

    void write_means(const LeaveOneOut::Tally& found, std::int64_t count) {
        const double scale = 1 / (StageColumn::unit * static_cast<double>(count));
        for (const auto& [type, amount] : found) {
            const double mean = static_cast<double>(amount) * scale;
            if (mean > least_mean) values_.add(labels_.type(type), static_cast<float>(mean));
        }
        if (found.empty()) return;
        const auto [type, amount] = LeaveOneOut::best(found);
        const bool is_sure = static_cast<double>(amount) * scale > 0.8;
        values_.add(labels_.type(type) + (is_sure ? "!" : "?") + (count < 2 ? "1" : count < 4 ? "2" : "4"));
    }

    // -- entities

    std::pair<std::size_t, std::size_t> entries(std::size_t t) const {
        return {static_cast<std::size_t>(column_.offsets[begin_ + t]),
                static_cast<std::size_t>(column_.offsets[begin_ + t + 1])};
    }

    // The most probable label of a token; null if it has none.
    const StageLabels::Label* best_label(std::size_t t) const {
        const auto [begin, end] = entries(t);
        const StageLabels::Label* best = nullptr;
        std::int64_t most = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const StageLabels::Label& label = labels_[column_.codes[i]];
            const std::int64_t amount = column_.amount(i);
            if (best && (amount < most || (amount == most && label.rank >= best->rank))) continue;
            best = &label, most = amount;
        }
        return best;
    }

    void add_entities(const DocumentView& document, std::size_t s) {
        std::size_t first = 0;
        const StageLabels::Label* before = nullptr;  // of the open entity's last token
        for (std::size_t t = document.begin(s); t < document.end(s); ++t) {
            const StageLabels::Label* label = best_label(t);
            if (label && label->role == 'O') label = nullptr;
            const bool goes_on =
                before && label && label->type == before->type && !ends(before->role) && !begins(label->role);
            if (before && !goes_on) add_entity(first, t, before->type, s);
            if (!goes_on) first = t;
            before = label;
        }
        if (before) add_entity(first, document.end(s), before->type, s);
    }
    static bool begins(char role) { return role == 'B' || role == 'S' || role == 'U'; }
    static bool ends(char role) { return role == 'E' || role == 'S' || role == 'U' || role == 'L'; }

    void add_entity(std::size_t first, std::size_t last, std::size_t type, std::size_t sentence) {
        if (what_ == StageEvidence::entity) {
            if (last - first > longest_entity) return;
            Hash key = 1;
            for (std::size_t t = first; t < last; ++t) key = add_part(key, here_[t]->key);
            counts_.add(finish_key(key), sentence, type, 1);
        } else if (last - first > 1) {
            for (std::size_t t = first; t < last; ++t) {
                const std::size_t position = t == first ? 0 : t + 1 == last ? 1 : 2;
                if (here_[t]->capital) counts_.add(finish_key(here_[t]->key), sentence, 3 * type + position, 1);
            }
        }
    }

    void match_entities(const DocumentView& document, std::size_t s) {
        for (std::size_t t = document.begin(s); t < document.end(s);) {
            std::size_t length = 0, type = 0;
            Hash key = 1;
            for (std::size_t n = 1; n <= longest_entity && t + n <= document.end(s); ++n) {
                key = add_part(key, here_[t + n - 1]->key);
                const LeaveOneOut::Tally found = counts_.find(finish_key(key), s);
                if (!found.empty()) length = n, type = LeaveOneOut::best(found).first;
            }
            for (std::size_t i = 0; i < length; ++i)
                write(std::string(length == 1       ? "S-"
                                  : i == 0          ? "B-"
                                  : i + 1 == length ? "E-"
                                                    : "I-")
                      + labels_.type(type));
            if (length == 0) values_.end_item();
            t += std::max<std::size_t>(length, 1);
        }
    }

    void find_longer(const DocumentView& document, std::size_t s) {
        for (std::size_t t = document.begin(s); t < document.end(s); ++t) {
            if (here_[t]->capital) {
                const LeaveOneOut::Tally found = counts_.find(finish_key(here_[t]->key), s);
                if (!found.empty()) {
                    const std::size_t symbol = LeaveOneOut::best(found).first;
                    values_.add(std::string(symbol % 3 == 0   ? "B-"
                                            : symbol % 3 == 1 ? "E-"
                                                              : "I-")
                                + labels_.type(symbol / 3));
                    values_.add(labels_.type(symbol / 3));
                }
            }
            values_.end_item();
        }
    }

    void write(const std::string& text) {
        values_.add(text);
        values_.end_item();
    }

    StageEvidence what_;
    CasedWords words_;
    StageColumn column_;
    StageLabels labels_;
    AttributeValues& values_;
    std::size_t begin_ = 0;                 // of the document in the batch
    std::span<const std::int32_t> tokens_;  // [T] of the document
    std::vector<CasedWords::Word*> here_;   // [T]
    std::vector<Hash> keys_;                // [T]
    LeaveOneOut evidence_, counts_;
};

}  // namespace tagloom
