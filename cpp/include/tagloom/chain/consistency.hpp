// Consistency of the spans of a document (kazama-torisawa-2007, section 5, after Finkel et al. 2005 and Krishnan & Manning
// 2006): which classes the occurrences of a phrase have, which classes a phrase and its parts have, and which classes
// are neighbours in a list ("in U.S., EU, and Japan"). Every feature consists of a family and a pair of classes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/chain/nonlocal.hpp"
#include "tagloom/chain/spans.hpp"

namespace tagloom {

enum class Family : std::uint8_t { phrase, subphrase, phrase_majority, subphrase_majority, conjunction };
constexpr std::size_t family_count = 5;

// Statuses in addition to the classes: an occurrence inside a longer span, and one that spans cut through.
struct Statuses {
    std::size_t inside, cut, count;
    explicit Statuses(std::size_t classes) : inside(classes), cut(classes + 1), count(classes + 2) {}
};

enum TokenFlag : std::uint8_t { joining = 1, capitalised = 2 };  // "and", "," ...; words that occur in names

struct ConsistencyInput {
    SpanLabels labels;
    std::array<bool, family_count> families{};
    std::span<const std::int64_t> documents;  // [D + 1] token offsets
    std::span<const std::uint8_t> breaks;     // [N] first tokens of sentences inside a document; may be empty
    std::span<const std::int32_t> words;      // [N] word numbers; equal words have equal numbers
    std::span<const std::uint8_t> flags;      // [N] TokenFlag
    std::size_t word_count = 0;

    std::size_t rows() const noexcept {
        const std::size_t statuses = Statuses(labels.class_count).count;
        return family_count * statuses * statuses;
    }
};

class ConsistencyCounter final : public NonlocalCounter {
public:
    explicit ConsistencyCounter(const ConsistencyInput& input)
        : input_(input), statuses_(input.labels.class_count), latest_(input.word_count, none) {}

    // Links the occurrences of every word.
    void begin(std::size_t document) override {
        first_token_ = static_cast<std::size_t>(input_.documents[document]);
        length_ = static_cast<std::size_t>(input_.documents[document + 1]) - first_token_;
        first_.resize(length_), next_.assign(length_, none);
        for (std::size_t t = 0; t < length_; ++t) {
            std::uint32_t& before = latest_[word(t)];
            first_[t] = before == none ? static_cast<std::uint32_t>(t) : first_[before];
            if (before != none) next_[before] = static_cast<std::uint32_t>(t);
            before = static_cast<std::uint32_t>(t);
        }
        for (std::size_t t = 0; t < length_; ++t) latest_[word(t)] = none;
    }

    void count(std::span<const Label> labels, std::vector<Count>& counts) override {
        find_spans(labels);
        out_ = &counts;
        votes_.assign(spans_.size() * statuses_.count, 0);
        is_done_.assign(spans_.size(), 0);
        for (std::size_t s = 0; s < spans_.size(); ++s)
            if (!is_done_[s]) count_phrase(s);
        if (has(Family::subphrase_majority)) count_votes();
        if (has(Family::conjunction)) count_conjunctions();
    }

private:
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::size_t longest = 12;  // tokens; the parts of longer spans are not examined

    bool has(Family family) const noexcept { return input_.families[static_cast<std::size_t>(family)]; }
    std::size_t word(std::size_t t) const noexcept { return static_cast<std::size_t>(input_.words[first_token_ + t]); }
    bool is_break(std::size_t t) const noexcept { return !input_.breaks.empty() && input_.breaks[first_token_ + t]; }
    bool is(TokenFlag flag, std::size_t t) const noexcept { return input_.flags[first_token_ + t] & flag; }

    void add(Family family, std::size_t a, std::size_t b) {
        const std::size_t row = (static_cast<std::size_t>(family) * statuses_.count + a) * statuses_.count + b;
        out_->push_back({static_cast<std::uint32_t>(row), 1});
    }
    void add_unordered(Family family, std::size_t a, std::size_t b) { add(family, std::min(a, b), std::max(a, b)); }

    void find_spans(std::span<const Label> labels) {
        tagloom::find_spans(input_.labels, labels, [&](std::size_t t) { return is_break(t); }, spans_);
        owner_.assign(length_, none);
        for (std::size_t s = 0; s < spans_.size(); ++s)
            std::fill(owner_.begin() + static_cast<std::ptrdiff_t>(spans_[s].begin),
                      owner_.begin() + static_cast<std::ptrdiff_t>(spans_[s].end), static_cast<std::uint32_t>(s));
    }

    std::size_t status(std::size_t begin, std::size_t end) const noexcept {
        const std::uint32_t owner = owner_[begin];
        if (owner == none) {
            for (std::size_t t = begin + 1; t < end; ++t)
                if (owner_[t] != none) return statuses_.cut;
            return 0;
        }
        const LabelledSpan& span = spans_[owner];
        if (span.begin == begin && span.end == end) return span.of_class;
        return end <= span.end ? statuses_.inside : statuses_.cut;
    }

    // Calls visit(begin) for every place of the document where the tokens begin..end occur, in order.
    template <class Visit>
    void for_each_occurrence(std::size_t begin, std::size_t end, Visit visit) const {
        for (std::uint32_t place = first_[begin]; place != none; place = next_[place])
            if (matches(place, begin, end)) visit(static_cast<std::size_t>(place));
    }

    bool matches(std::size_t place, std::size_t begin, std::size_t end) const noexcept {
        if (place + (end - begin) > length_) return false;
        for (std::size_t i = 1; i < end - begin; ++i)
            if (word(place + i) != word(begin + i) || is_break(place + i)) return false;
        return true;
    }

    // Counts all occurrences of the phrase of a span at once.
    void count_phrase(std::size_t s) {
        const LabelledSpan span = spans_[s];
        const std::size_t length = span.end - span.begin;
        occurrences_.clear();
        for_each_occurrence(span.begin, span.end, [&](std::size_t place) {
            const std::size_t found = status(place, place + length);
            if (found == statuses_.inside) return;  // it is a part of another phrase
            occurrences_.push_back(found);
            if (found != 0 && found != statuses_.cut) is_done_[owner_[place]] = 1;
        });
        if (has(Family::phrase))
            for (std::size_t i = 1; i < occurrences_.size(); ++i)
                add_unordered(Family::phrase, occurrences_[i - 1], occurrences_[i]);
        if (has(Family::phrase_majority)) count_majority();
        if (length > 1 && length <= longest && (has(Family::subphrase) || has(Family::subphrase_majority)))
            count_parts(span);
    }

    // Pairs every occurrence with the majority status of the others.
    void count_majority() {
        tally_.assign(statuses_.count, 0);
        for (const std::size_t each : occurrences_) ++tally_[each];
        for (const std::size_t each : occurrences_) {
            --tally_[each];
            const std::size_t most = majority(tally_);
            if (most != statuses_.count) add(Family::phrase_majority, each, most);
            ++tally_[each];
        }
    }

    // Returns the status with the most votes (the lowest in a tie), or `count` if there are no votes.
    std::size_t majority(std::span<const std::uint32_t> votes) const {
        const auto most = std::max_element(votes.begin(), votes.end());
        return *most == 0 ? statuses_.count : static_cast<std::size_t>(most - votes.begin());
    }

    // Counts occurrences of the parts of a span elsewhere, but only of parts that begin and end like names, so not of
    // "of".
    void count_parts(const LabelledSpan& span) {
        for (std::size_t begin = span.begin; begin < span.end; ++begin) {
            if (!is(capitalised, begin)) continue;
            for (std::size_t end = begin + 1; end <= span.end; ++end) {
                if (!is(capitalised, end - 1) || end - begin == span.end - span.begin) continue;
                for_each_occurrence(begin, end,
                                    [&](std::size_t place) { count_part(span, place, place + (end - begin)); });
            }
        }
    }

    void count_part(const LabelledSpan& whole, std::size_t begin, std::size_t end) {
        const std::size_t found = status(begin, end);
        if (found == statuses_.inside || found == statuses_.cut) return;
        if (has(Family::subphrase)) add(Family::subphrase, whole.of_class, found);
        if (found != 0) ++votes_[owner_[begin] * statuses_.count + whole.of_class];
    }

    // Pairs every span with the majority status of the longer phrases that contain it.
    void count_votes() {
        for (std::size_t s = 0; s < spans_.size(); ++s) {
            const std::size_t most = majority({votes_.data() + s * statuses_.count, statuses_.count});
            if (most != statuses_.count) add(Family::subphrase_majority, spans_[s].of_class, most);
        }
    }

    void count_conjunctions() {
        for (std::size_t s = 0; s < spans_.size(); ++s) {
            std::size_t t = spans_[s].end;
            while (t < length_ && !is_break(t) && owner_[t] == none && is(joining, t)) ++t;
            if (t == spans_[s].end || t == length_ || is_break(t)) continue;
            if (owner_[t] != none) add_unordered(Family::conjunction, spans_[s].of_class, spans_[owner_[t]].of_class);
            else if (is(capitalised, t)) add_unordered(Family::conjunction, spans_[s].of_class, 0);
        }
    }

    const ConsistencyInput& input_;
    Statuses statuses_;
    std::size_t first_token_ = 0, length_ = 0;
    std::vector<std::uint32_t> latest_;        // [words] place of the last occurrence while a document is linked
    std::vector<std::uint32_t> first_, next_;  // [T] places of the same word
    std::vector<LabelledSpan> spans_;
    std::vector<std::uint32_t> owner_;      // [T] the span that contains the token
    std::vector<std::uint8_t> is_done_;     // [spans] whether the phrase has been counted
    std::vector<std::size_t> occurrences_;  // statuses of the current phrase
    std::vector<std::uint32_t> tally_, votes_;
    std::vector<Count>* out_ = nullptr;
};

class ConsistencyFeatures final : public NonlocalFeatures {
public:
    explicit ConsistencyFeatures(ConsistencyInput input) : input_(std::move(input)) {}
    std::unique_ptr<NonlocalCounter> counter() const override { return std::make_unique<ConsistencyCounter>(input_); }
    const ConsistencyInput& input() const noexcept { return input_; }

private:
    ConsistencyInput input_;
};

}  // namespace tagloom
