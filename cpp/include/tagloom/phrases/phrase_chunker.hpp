// The phrase chunker of carreras-2003: the word filters h_B and h_I propose phrases, one scorer per category helps to
// choose the best set of phrases that do not overlap, and all of them learn from the errors of the chunker as a whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/phrases/perceptrons.hpp"
#include "tagloom/phrases/phrase_features.hpp"

namespace tagloom {

enum Filter : std::size_t { begin_filter = 0, inside_filter = 1 };

struct ChunkerInput {
    PhraseInput phrases;
    SparseView words;  // Phi_w of every token: the distinct features that hold, in ascending order
};

struct FeedbackReport {
    std::size_t updates = 0, missed = 0, over_predicted = 0, correct = 0;
};

class PhraseChunker {
public:
    PhraseChunker(const ChunkerInput& input, const FeatureTable& table, Perceptrons& filters, Perceptrons& scorers,
                  std::size_t longest)
        : input_(input),
          instance_(input.phrases, table),
          filters_(filters),
          scorers_(scorers),
          longest_(longest),
          scores_(scorers.functions()) {}

    // NEch(x): finds the best chunking of a sentence (section 2.2) under the current vectors or under all that voted.
    std::span<const Phrase> recognise(std::size_t sentence, bool is_voted) {
        return recognise(sentence, is_voted, [](std::size_t, std::size_t, std::span<const double>) {});
    }
    // Does the same and calls watch(s, e, scores) for every phrase that the filters propose.
    template <class Watch>
    std::span<const Phrase> recognise(std::size_t sentence, bool is_voted, Watch watch) {
        is_voted_ = is_voted;
        filter(sentence);
        search(sentence, watch);
        chunking_.clear();
        for (std::size_t t = input_.phrases.length(sentence); t > 0; t = cells_[t].from)
            if (cells_[t].category >= 0)
                chunking_.push_back(
                    {static_cast<std::uint32_t>(cells_[t].from), static_cast<std::uint32_t>(t), cells_[t].category});
        std::reverse(chunking_.begin(), chunking_.end());
        return chunking_;
    }

    std::span<const double> filtered() const noexcept { return filtered_; }  // [T][2] h_B and h_I of the sentence

    // learning_feedback (section 3.1): must be called after recognise() with the current vectors; `gold` is in the
    // order of the text.
    void learn(std::size_t sentence, std::span<const Phrase> gold, FeedbackReport& report) {
        count_decisions(sentence);
        for (const Phrase& phrase : gold) {
            if (is_in(phrase, chunking_)) ++report.correct;
            else ++report.missed, learn_missed(sentence, phrase, report);
        }
        mark(sentence, gold);
        for (const Phrase& phrase : chunking_)
            if (!is_in(phrase, gold)) ++report.over_predicted, learn_over_predicted(sentence, phrase, report);
    }

private:
    struct Cell {  // the best chunking of the words before a place
        double score = -std::numeric_limits<double>::infinity();
        std::size_t from = 0;
        std::int32_t category = -1;  // category of the phrase that ends here; -1 if the word before is outside
    };

    Instance word(std::size_t sentence, std::size_t t) const {
        const std::size_t token = input_.phrases.begin(sentence) + t, begin = input_.words.begin(token);
        return input_.words.rows.subspan(begin, input_.words.end(token) - begin);
    }

    void filter(std::size_t sentence) {
        const std::size_t length = input_.phrases.length(sentence);
        filtered_.resize(2 * length);
        for (std::size_t t = 0; t < length; ++t) {
            const std::span<double> out{filtered_.data() + 2 * t, 2};
            if (is_voted_) filters_.voted(word(sentence, t), scratch_, out);
            else filters_.current(word(sentence, t), scratch_, out);
        }
    }
    bool passes(Filter filter, std::size_t t) const noexcept { return filtered_[2 * t + filter] > 0; }

    // Works from left to right: a phrase sees the phrases of the best chunking before it.
    template <class Watch>
    void search(std::size_t sentence, Watch& watch) {
        const std::size_t length = input_.phrases.length(sentence);
        cells_.assign(length + 1, {});
        cells_[0].score = 0;
        applied_ = 0;
        for (std::size_t s = 0; s < length; ++s) {
            if (cells_[s].score >= cells_[s + 1].score) cells_[s + 1] = {cells_[s].score, s, -1};  // no phrase in ties
            if (!passes(begin_filter, s)) continue;
            find_left(s);
            for (std::size_t e = s; e < length && e - s < longest_ && (e == s || passes(inside_filter, e)); ++e) {
                propose(sentence, s, e);
                watch(s, e, std::span<const double>(scores_));
            }
        }
    }

    void propose(std::size_t sentence, std::size_t s, std::size_t e) {
        const Instance x = instance_(sentence, s, e, left_);
        ++applied_;
        if (is_voted_) scorers_.voted(x, scorer_scratch_, scores_);
        else scorers_.current(x, scorer_scratch_, scores_);
        const auto best = static_cast<std::size_t>(std::max_element(scores_.begin(), scores_.end()) - scores_.begin());
        Cell& cell = cells_[e + 1];
        if (cells_[s].score + scores_[best] > cell.score)
            cell = {cells_[s].score + scores_[best], s, static_cast<std::int32_t>(best)};
    }

    // Collects the categories of the words before s in their best chunking, nearest first.
    void find_left(std::size_t s) {
        left_.clear();
        for (std::size_t t = s; t > 0 && left_.size() < input_.phrases.reach; t = cells_[t].from)
            for (std::size_t i = cells_[t].from; i < t && left_.size() < input_.phrases.reach; ++i)
                left_.push_back(cells_[t].category);
    }

    static bool is_in(const Phrase& phrase, std::span<const Phrase> phrases) {
        return std::find(phrases.begin(), phrases.end(), phrase) != phrases.end();
    }

    // Every word was a decision of both filters, and every proposed phrase was a decision of all scorers.
    void count_decisions(std::size_t sentence) {
        for (std::size_t t = 0; t < input_.phrases.length(sentence); ++t)
            filters_.decide(begin_filter), filters_.decide(inside_filter);
        for (std::size_t i = 0; i < applied_; ++i)
            for (std::size_t k = 0; k < scorers_.functions(); ++k) scorers_.decide(k);
    }

    void learn_missed(std::size_t sentence, const Phrase& phrase, FeedbackReport& report) {
        bool was_proposed = true;
        for (std::size_t t = phrase.begin; t < phrase.end; ++t) {
            const Filter filter = t == phrase.begin ? begin_filter : inside_filter;
            if (now(sentence, t, filter) > 0) continue;
            was_proposed = false;
            move(filters_, word(sentence, t), filter, 1, report);
        }
        if (!was_proposed || phrase.end - phrase.begin > longest_) return;
        find_left(phrase.begin);
        move(scorers_, instance_(sentence, phrase.begin, phrase.end - 1, left_),
             static_cast<std::size_t>(phrase.category), 1, report);
    }

    void learn_over_predicted(std::size_t sentence, const Phrase& phrase, FeedbackReport& report) {
        find_left(phrase.begin);
        move(scorers_, instance_(sentence, phrase.begin, phrase.end - 1, left_),
             static_cast<std::size_t>(phrase.category), -1, report);
        if (!gold_begin_[phrase.begin]) move(filters_, word(sentence, phrase.begin), begin_filter, -1, report);
        for (std::size_t t = phrase.begin + 1; t < phrase.end; ++t)
            if (!gold_inside_[t]) move(filters_, word(sentence, t), inside_filter, -1, report);
    }

    double now(std::size_t sentence, std::size_t t, Filter filter) {
        double out[2];
        filters_.current(word(sentence, t), scratch_, out);
        return out[filter];
    }

    // goldB and goldI: the words that begin a phrase, and the other words of a phrase.
    void mark(std::size_t sentence, std::span<const Phrase> gold) {
        gold_begin_.assign(input_.phrases.length(sentence), 0), gold_inside_ = gold_begin_;
        for (const Phrase& phrase : gold) {
            gold_begin_[phrase.begin] = 1;
            std::fill(gold_inside_.begin() + phrase.begin + 1, gold_inside_.begin() + phrase.end, 1);
        }
    }

    static void move(Perceptrons& perceptrons, Instance x, std::size_t function, std::int32_t sign,
                     FeedbackReport& report) {
        perceptrons.add(x, function, sign);
        ++report.updates;
    }

    const ChunkerInput& input_;
    PhraseInstances instance_;
    Perceptrons& filters_;
    Perceptrons& scorers_;
    std::size_t longest_;
    KernelScratch scratch_, scorer_scratch_;
    bool is_voted_ = false;
    std::size_t applied_ = 0;       // number of phrases that were scored
    std::vector<double> filtered_;  // [T][2]
    std::vector<double> scores_;    // [K]
    std::vector<Cell> cells_;       // [T + 1]
    std::vector<std::int32_t> left_;
    std::vector<Phrase> chunking_;
    std::vector<std::uint8_t> gold_begin_, gold_inside_;
};

}  // namespace tagloom
