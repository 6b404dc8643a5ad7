// Global features of a labelling (collins-2002, section 3.2 and Figure 1): templates anchored on the entities that the
// labels mark, and on quotations. A feature is the 64-bit key of its template, the class of the entity, and the values
// that the template looks at; it is binary.
//
// Unless a template looks at labels, its features of an entity depend only on the place and class of the entity. They
// are computed once per sequence and remembered for the other candidates, which share most of their entities.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tagloom/chain/spans.hpp"
#include "tagloom/features/encoder.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/text/unicode.hpp"

namespace tagloom {

enum class Anchor : std::uint8_t { entity, quotation };

// A range of tokens with the values to look at in each, or a number that describes the whole entity or quotation.
struct GlobalPart {
    enum class Kind : std::uint8_t { range, prefixes, suffixes, size, filled, upper, lower, mostly_upper };
    static constexpr std::size_t kinds = 8, places = 3;
    static constexpr std::int32_t label = -1;  // stands for the label of the token among values

    Kind kind;
    std::size_t from, to;  // places: first token, last token, last word of a quotation
    std::int32_t from_offset, to_offset;
    std::vector<std::int32_t> values;  // attributes

    bool grows() const noexcept { return kind == Kind::prefixes || kind == Kind::suffixes; }
    bool reads_labels() const noexcept {
        return kind == Kind::filled || std::find(values.begin(), values.end(), label) != values.end();
    }
};

struct GlobalTemplate {
    std::string name;
    Anchor anchor;
    std::size_t limit;  // largest number of tokens in a range
    std::vector<GlobalPart> parts;
    Hash seed;
    bool reads_labels;
};

// Templates, and the meaning of the labels of a model.
struct GlobalTemplates {
    std::vector<GlobalTemplate> templates;
    SpanLabels spans;
    std::vector<std::string> labels, classes;
    std::vector<Hash> label_hashes, class_hashes;
    std::vector<Hash> before, after;  // [distance - 1] values outside the sentence
    std::size_t attributes = 0;       // number of attributes that templates look at

    GlobalTemplates() {
        for (std::int32_t i = 1; i <= Encoder::max_offset; ++i)
            before.push_back(boundary_hash(-i)), after.push_back(boundary_hash(i));
    }
};

// What the first characters of a word tell: whether it is a quotation mark and which one, and how it begins.
struct WordMarks {
    enum Quote : std::uint8_t {
        none,
        straight,
        latex_open,
        latex_close,
        high_open,
        high_close,
        low_open,
        left_angle,
        right_angle
    };
    std::uint8_t quote = none;
    bool upper = false, lower = false, word = false;  // word means that it begins with a letter or a digit

    explicit WordMarks(std::string_view text) {
        static constexpr std::array<std::string_view, 9> quotes{"",       "\"",     "``",     "''",    "\u201c",
                                                                "\u201d", "\u201e", "\u00ab", "\u00bb"};
        for (std::size_t i = 1; i < quotes.size(); ++i)
            if (text == quotes[i]) quote = static_cast<std::uint8_t>(i);
        const CharClass kind = text.empty() ? CharClass::other : char_class(decode_utf8(text, 0).value);
        upper = kind == CharClass::upper, lower = kind == CharClass::lower;
        word = upper || lower || kind == CharClass::letter || kind == CharClass::digit;
    }

    bool opens() const noexcept { return quote != none && quote != latex_close && quote != high_close; }
    bool closes(const WordMarks& open) const noexcept {
        switch (open.quote) {
            case straight:
                return quote == straight;
            case latex_open:
                return quote == latex_close || quote == straight;
            case high_open:
                return quote == high_close;
            case low_open:
                return quote == high_open || quote == high_close;
            case left_angle:
                return quote == right_angle;
            case right_angle:
                return quote == left_angle;
            default:
                return false;
        }
    }
};

// Sequences, as the attribute values of their tokens.
struct GlobalInput {
    std::span<const Hash> hashes;  // [attributes][N]; 0 means no value
    std::size_t tokens = 0;
    std::span<const std::int64_t> sequences;  // [S + 1]
    std::span<const std::uint8_t> breaks;     // [N] first tokens of sentences inside a sequence; may be empty
    std::vector<WordMarks> marks;             // [N]; empty if no template looks at quotations

    std::size_t begin(std::size_t s) const noexcept { return static_cast<std::size_t>(sequences[s]); }
    std::size_t length(std::size_t s) const noexcept { return static_cast<std::size_t>(sequences[s + 1]) - begin(s); }
};

// Extracts the features of the labellings of one sequence after another. Threads must not share it.
class GlobalExtractor {
public:
    // An entity or a quotation, as tokens of its sequence, and the sentence around it.
    struct Place {
        std::array<std::int64_t, GlobalPart::places> at;
        std::int64_t first, stop;  // of the sentence
        std::size_t of_class = 0;
        std::size_t upper = 0, lower = 0;  // number of words of a quotation that begin so
        bool has_last = true, is_filled = false;
    };
    using ValueText = std::function<std::string(std::size_t attribute, std::size_t token)>;

    GlobalExtractor(const GlobalTemplates& templates, const GlobalInput& input) : templates_(templates), input_(input) {
        for (const GlobalTemplate& each : templates.templates) {
            if (each.anchor == Anchor::quotation) of_quotations_.push_back(&each);
            else if (each.reads_labels) of_labels_.push_back(&each);
            else if (is_fixed(each)) add_fixed(each);
            else of_entities_.push_back(&each);
        }
        values_.resize(atoms_.size());
    }

    void begin(std::size_t sequence) {
        begin_ = input_.begin(sequence), length_ = input_.length(sequence);
        latest_.assign(length_, none);
        entities_.clear();
        first_.resize(length_), stop_.resize(length_);
        for (std::size_t t = 0, first = 0; t < length_; ++t) {
            if (is_break(t)) first = t;
            first_[t] = static_cast<std::int64_t>(first);
        }
        for (std::size_t t = length_, stop = length_; t-- > 0;) {
            stop_[t] = static_cast<std::int64_t>(stop);
            if (is_break(t)) stop = t;
        }
        quotations_.clear();
        if (!input_.marks.empty()) find_quotations();
    }

    // Calls once(key, template, place, tokens) for the features of entities that are new in the sequence; returns the
    // numbers of all entities of the labelling. `tokens` is the length of a prefix or suffix, else 0.
    template <class Once>
    std::span<const std::uint32_t> entities(std::span<const Label> labels, Once once) {
        labels_ = labels;
        find_spans(templates_.spans, labels, [this](std::size_t t) { return is_break(t); }, spans_);
        found_.clear();
        for (const LabelledSpan& span : spans_) {
            std::uint32_t number = latest_[span.begin];
            while (number != none
                   && !(entities_[number].end == span.end && entities_[number].of_class == span.of_class))
                number = entities_[number].next;
            if (number == none) {
                number = static_cast<std::uint32_t>(entities_.size());
                entities_.push_back({span.end, span.of_class, latest_[span.begin]});
                latest_[span.begin] = number;
                const Place place = place_of(span);
                for (const GlobalTemplate* each : of_entities_) extract(*each, place, once);
                extract_fixed(place, once);
                once.end_entity();
            }
            found_.push_back(number);
        }
        return found_;
    }

    // Must be called after entities(): calls visit like once for the features that depend on more labels than those of
    // an entity.
    template <class Visit>
    void others(Visit visit) {
        if (!of_labels_.empty())
            for (const LabelledSpan& span : spans_)
                for (const GlobalTemplate* each : of_labels_) extract(*each, place_of(span), visit);
        for (Place& quotation : quotations_) {
            quotation.is_filled = is_filled(quotation);
            for (const GlobalTemplate* each : of_quotations_) extract(*each, quotation, visit);
        }
    }

    // Describes a feature in words, such as "WE=Dougherty Arts Center" or "WE/LOC=Austin"; the labels are those of the
    // last call of entities().
    std::string text(const GlobalTemplate& templ, const Place& place, std::size_t tokens,
                     const ValueText& value_text) const {
        std::string out = templ.name;
        if (templ.anchor == Anchor::entity && !templates_.classes[place.of_class].empty())
            out += '/' + templates_.classes[place.of_class];
        char separator = '=';
        const auto add = [&](const std::string& value) { out += separator, out += value, separator = ' '; };
        for (const GlobalPart& part : templ.parts) {
            if (part.kind > GlobalPart::Kind::suffixes) {
                add(number_text(part, place));
                continue;
            }
            const auto [from, to] = range(part, place);
            const std::int64_t count = part.grows() ? static_cast<std::int64_t>(tokens) : to - from + 1;
            for (std::int64_t i = 0; i < count; ++i)
                for (const std::int32_t value : part.values)
                    add(text_at(value, part.kind == GlobalPart::Kind::suffixes ? to - i : from + i, place, value_text));
        }
        return out;
    }

private:
    static constexpr std::uint32_t none = 0xffffffff;
    struct Entity {
        std::size_t end, of_class;
        std::uint32_t next;  // next entity with the same first token
    };

    // A value at one token. Templates that consist only of such values share them: Figure 1 has 42 templates over 8
    // tokens.
    struct Atom {
        std::int32_t value;
        std::size_t place;
        std::int32_t offset;
        bool operator==(const Atom&) const = default;
    };
    struct FixedTemplate {
        const GlobalTemplate* templ;
        std::size_t begin, end;  // range in atom_numbers_
    };

    static bool is_fixed(const GlobalTemplate& templ) {
        return std::all_of(templ.parts.begin(), templ.parts.end(), [](const GlobalPart& part) {
            return part.kind == GlobalPart::Kind::range && part.from == part.to && part.from_offset == part.to_offset;
        });
    }

    void add_fixed(const GlobalTemplate& templ) {
        const std::size_t begin = atom_numbers_.size();
        for (const GlobalPart& part : templ.parts)
            for (const std::int32_t value : part.values) {
                const Atom atom{value, part.from, part.from_offset};
                const auto known = std::find(atoms_.begin(), atoms_.end(), atom);
                atom_numbers_.push_back(static_cast<std::uint32_t>(known - atoms_.begin()));
                if (known == atoms_.end()) atoms_.push_back(atom);
            }
        fixed_.push_back({&templ, begin, atom_numbers_.size()});
    }

    template <class Visit>
    void extract_fixed(const Place& place, Visit& visit) {
        for (std::size_t i = 0; i < atoms_.size(); ++i)
            values_[i] = value_at(atoms_[i].value, place.at[atoms_[i].place] + atoms_[i].offset, place);
        for (const auto& [templ, begin, end] : fixed_) {
            Hash key = mix(templ->seed, templates_.class_hashes[place.of_class]);
            bool complete = true;
            for (std::size_t i = begin; i < end; ++i) {
                const Hash value = values_[atom_numbers_[i]];
                complete &= value != 0;
                key = add_part(key, value);
            }
            if (complete) visit(finish_key(key), *templ, place, std::size_t{0});
        }
    }

    bool is_break(std::size_t t) const noexcept { return !input_.breaks.empty() && input_.breaks[begin_ + t]; }

    Place place_of(const LabelledSpan& span) const {
        Place place{};
        place.at = {static_cast<std::int64_t>(span.begin), static_cast<std::int64_t>(span.end) - 1, 0};
        place.first = first_[span.begin], place.stop = stop_[span.begin], place.of_class = span.of_class;
        return place;
    }

    // Pairs every opening mark with the next mark of its sentence that closes it.
    void find_quotations() {
        std::size_t open = length_;
        for (std::size_t t = 0; t < length_; ++t) {
            if (is_break(t)) open = length_;
            const WordMarks& mark = input_.marks[begin_ + t];
            if (mark.quote == WordMarks::none) continue;
            if (open != length_ && mark.closes(input_.marks[begin_ + open])) {
                add_quotation(open, t);
                open = length_;
            } else if (open == length_ && mark.opens()) {
                open = t;
            }
        }
    }

    void add_quotation(std::size_t open, std::size_t close) {
        Place place{};
        place.at = {static_cast<std::int64_t>(open), static_cast<std::int64_t>(close), 0};
        place.first = first_[open], place.stop = stop_[open], place.has_last = false;
        for (std::size_t t = open + 1; t < close; ++t) {
            const WordMarks& mark = input_.marks[begin_ + t];
            place.upper += mark.upper, place.lower += mark.lower;
            if (mark.word) place.at[2] = static_cast<std::int64_t>(t), place.has_last = true;
        }
        quotations_.push_back(place);
    }

    // T2 of collins-2002: whether one entity reaches from the first word to at least the last word that begins with a
    // letter or digit.
    bool is_filled(const Place& quotation) const {
        const auto begin = static_cast<std::size_t>(quotation.at[0]) + 1;
        const auto span = std::lower_bound(spans_.begin(), spans_.end(), begin,
                                           [](const LabelledSpan& s, std::size_t t) { return s.begin < t; });
        return quotation.has_last && span != spans_.end() && span->begin == begin
               && static_cast<std::int64_t>(span->end) > quotation.at[2];
    }

    std::pair<std::int64_t, std::int64_t> range(const GlobalPart& part, const Place& place) const noexcept {
        return {place.at[part.from] + part.from_offset, place.at[part.to] + part.to_offset};
    }

    // Returns 0 if the attribute has no value here.
    Hash value_at(std::int32_t value, std::int64_t t, const Place& place) const noexcept {
        if (t < place.first) return templates_.before[static_cast<std::size_t>(place.first - t - 1)];
        if (t >= place.stop) return templates_.after[static_cast<std::size_t>(t - place.stop)];
        const auto token = static_cast<std::size_t>(t);
        if (value == GlobalPart::label) return templates_.label_hashes[static_cast<std::size_t>(labels_[token])];
        return input_.hashes[static_cast<std::size_t>(value) * input_.tokens + begin_ + token];
    }

    std::string text_at(std::int32_t value, std::int64_t t, const Place& place, const ValueText& value_text) const {
        if (t < place.first) return boundary_text(t - place.first);
        if (t >= place.stop) return boundary_text(t - place.stop + 1);
        const auto token = static_cast<std::size_t>(t);
        if (value == GlobalPart::label) return templates_.labels[static_cast<std::size_t>(labels_[token])];
        return value_text(static_cast<std::size_t>(value), begin_ + token);
    }

    static std::string number_text(const GlobalPart& part, const Place& place) {
        switch (part.kind) {
            case GlobalPart::Kind::size:
                return std::to_string(place.at[1] - place.at[0] + 1);
            case GlobalPart::Kind::filled:
                return place.is_filled ? "1" : "0";
            case GlobalPart::Kind::upper:
                return std::to_string(place.upper);
            case GlobalPart::Kind::lower:
                return std::to_string(place.lower);
            default:
                return place.upper > place.lower ? "1" : "0";
        }
    }

    // Returns false if some token has no value.
    bool add_token(const GlobalPart& part, std::int64_t t, const Place& place, Hash& key) const noexcept {
        bool complete = true;
        for (const std::int32_t value : part.values) {
            const Hash hash = value_at(value, t, place);
            complete &= hash != 0;
            key = add_part(key, hash);
        }
        return complete;
    }

    template <class Visit>
    void extract(const GlobalTemplate& templ, const Place& place, Visit& visit) const {
        Hash key =
            templ.anchor == Anchor::entity ? mix(templ.seed, templates_.class_hashes[place.of_class]) : templ.seed;
        for (const GlobalPart& part : templ.parts) {
            if (part.kind > GlobalPart::Kind::suffixes) {
                if (part.kind == GlobalPart::Kind::filled && !place.has_last) return;
                key = add_part(key, hash_bytes(number_text(part, place)) | 1);
                continue;
            }
            if (!place.has_last && (part.from == 2 || part.to == 2)) return;
            const auto [from, to] = range(part, place);
            if (part.grows()) return grow(templ, part, place, key, visit);
            if (from > to || to - from >= static_cast<std::int64_t>(templ.limit)) return;
            for (std::int64_t t = from; t <= to; ++t)
                if (!add_token(part, t, place, key)) return;
        }
        visit(finish_key(key), templ, place, std::size_t{0});
    }

    // Adds one feature for every prefix, or for every suffix from its end backwards.
    template <class Visit>
    void grow(const GlobalTemplate& templ, const GlobalPart& part, const Place& place, Hash key, Visit& visit) const {
        const auto [from, to] = range(part, place);
        const std::int64_t count = std::min(to - from + 1, static_cast<std::int64_t>(templ.limit));
        for (std::int64_t i = 0; i < count; ++i) {
            if (!add_token(part, part.kind == GlobalPart::Kind::suffixes ? to - i : from + i, place, key)) return;
            visit(finish_key(key), templ, place, static_cast<std::size_t>(i) + 1);
        }
    }

    const GlobalTemplates& templates_;
    const GlobalInput& input_;
    std::vector<const GlobalTemplate*> of_entities_, of_labels_, of_quotations_;
    std::vector<FixedTemplate> fixed_;
    std::vector<Atom> atoms_;
    std::vector<std::uint32_t> atom_numbers_;
    std::vector<Hash> values_;  // [atoms] of the current entity
    std::size_t begin_ = 0, length_ = 0;
    std::span<const Label> labels_;
    std::vector<std::int64_t> first_, stop_;  // [T] the sentence of each token
    std::vector<std::uint32_t> latest_;       // [T] the latest entity that begins here
    std::vector<Entity> entities_;            // entities found in the sequence so far
    std::vector<LabelledSpan> spans_;         // spans of the labelling
    std::vector<std::uint32_t> found_;        // their numbers
    std::vector<Place> quotations_;
};

}  // namespace tagloom
