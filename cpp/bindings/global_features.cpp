// Bindings of global features of labellings: they take templates and return keys, rows of a table, and texts.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <tuple>

#include "objects.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/row_groups.hpp"
#include "tagloom/rerank/global_features.hpp"

using namespace tagloom;

namespace {

// (kind, place and offset of the beginning, place and offset of the end, attributes; -1 is the label)
using PartTuple =
    std::tuple<std::size_t, std::size_t, std::int32_t, std::size_t, std::int32_t, std::vector<std::int32_t>>;
using TemplateTuple = std::tuple<std::string, bool, std::size_t, std::vector<PartTuple>>;

constexpr std::size_t most_tokens = 1000;  // per range
constexpr std::int32_t most_attributes = 1 << 20;

GlobalPart checked_part(const PartTuple& part, bool of_quotation) {
    const auto& [kind, from, from_offset, to, to_offset, values] = part;
    const auto far = [](std::int32_t offset) { return offset < -Encoder::max_offset || offset > Encoder::max_offset; };
    if (kind >= GlobalPart::kinds || from >= GlobalPart::places || to >= GlobalPart::places || far(from_offset)
        || far(to_offset))
        refuse("no such part of a global template");
    if (!of_quotation && (from == 2 || to == 2 || kind > static_cast<std::size_t>(GlobalPart::Kind::size)))
        refuse("this part is allowed only in templates of quotations");
    for (const std::int32_t value : values)
        if (value < GlobalPart::label || value >= most_attributes) refuse("no such attribute");
    return {static_cast<GlobalPart::Kind>(kind), from, to, from_offset, to_offset, values};
}

void add_global_template(GlobalTemplates& out, const TemplateTuple& from) {
    const auto& [name, of_quotation, limit, parts] = from;
    if (limit == 0 || limit > most_tokens || parts.empty()) refuse("no such global template");
    GlobalTemplate made{name, of_quotation ? Anchor::quotation : Anchor::entity, limit, {}, hash_bytes(name), false};
    for (const PartTuple& part : parts) {
        if (!made.parts.empty() && made.parts.back().grows()) refuse("prefixes and suffixes must come last");
        made.parts.push_back(checked_part(part, of_quotation));
        made.reads_labels |= made.parts.back().reads_labels();
        for (const std::int32_t value : made.parts.back().values)
            out.attributes = std::max(out.attributes, static_cast<std::size_t>(value + 1));
    }
    for (const GlobalTemplate& known : out.templates)
        if (known.seed == made.seed) refuse("a global template occurs twice");
    out.templates.push_back(std::move(made));
}

void init_templates(GlobalTemplates* self, const std::vector<TemplateTuple>& templates,
                    const std::vector<std::string>& labels, const std::vector<std::string>& classes,
                    const std::vector<std::uint16_t>& of_label, const std::vector<std::uint8_t>& begins,
                    const std::vector<std::uint8_t>& ends) {
    if (of_label.size() != labels.size() || begins.size() != labels.size() || ends.size() != labels.size())
        refuse("roles do not fit the labels");
    for (const std::uint16_t number : of_label)
        if (number >= classes.size()) refuse("class out of range");
    GlobalTemplates made;
    for (const TemplateTuple& each : templates) add_global_template(made, each);
    made.spans = {of_label, begins, ends, classes.size()};
    made.labels = labels, made.classes = classes;
    for (const std::string& label : labels) made.label_hashes.push_back(hash_bytes(label) | 1);
    for (const std::string& name : classes) made.class_hashes.push_back(hash_bytes(name));
    new (self) GlobalTemplates(std::move(made));
}

// Sequences of tokens; the arrays are checked once and kept alive.
struct GlobalData {
    std::shared_ptr<GlobalTemplates> templates;
    Input<Hash> hashes;
    Input<std::int64_t> sequences;
    Input<std::uint8_t> breaks;
    std::size_t attributes = 0;
    GlobalInput input;

    std::size_t size() const noexcept { return sequences.size() - 1; }
};

void init_data(GlobalData* self, std::shared_ptr<GlobalTemplates> templates, const Input<Hash>& hashes,
               std::size_t attributes, const Input<std::int64_t>& sequences, const Input<std::uint8_t>& breaks,
               const StringTable& words, const Input<std::int32_t>& codes) {
    if (sequences.size() == 0 || sequences(sequences.size() - 1) < 0) refuse("sequence offsets are missing");
    const auto tokens = static_cast<std::size_t>(sequences(sequences.size() - 1));
    check_offsets(view(sequences), tokens, "sequence offsets do not span the tokens");
    if (tokens == 0 ? hashes.size() != 0 : hashes.size() % tokens != 0 || hashes.size() / tokens != attributes)
        refuse("values do not fit the tokens");
    if (attributes < templates->attributes) refuse("the values of an attribute are missing");
    if (breaks.size() != 0 && breaks.size() != tokens) refuse("expected one break flag per token");
    const bool has_quotations = std::any_of(templates->templates.begin(), templates->templates.end(),
                                            [](const auto& each) { return each.anchor == Anchor::quotation; });
    if (has_quotations && codes.size() != tokens) refuse("expected one word per token");
    GlobalInput input{view(hashes), tokens, view(sequences), view(breaks), {}};
    if (has_quotations) {
        input.marks.reserve(tokens);
        for (const std::int32_t code : view(codes)) {
            if (code < 0 || static_cast<std::size_t>(code) >= words.size()) refuse("code out of range");
            input.marks.emplace_back(words.view(code));
        }
    }
    new (self) GlobalData{std::move(templates), hashes, sequences, breaks, attributes, std::move(input)};
}

// Lists of candidates in the form of CandidateLists, checked.
struct Lists {
    std::span<const std::int64_t> first, begins;
    std::span<const Label> labels;

    std::span<const Label> of(std::size_t candidate) const noexcept {
        return labels.subspan(static_cast<std::size_t>(begins[candidate]),
                              static_cast<std::size_t>(begins[candidate + 1] - begins[candidate]));
    }
    std::size_t begin(std::size_t sequence) const noexcept { return static_cast<std::size_t>(first[sequence]); }
    std::size_t end(std::size_t sequence) const noexcept { return begin(sequence + 1); }
};

Lists checked_lists(const GlobalData& data, const Input<std::int64_t>& first, const Input<std::int64_t>& begins,
                    const Input<Label>& labels) {
    if (first.size() != data.size() + 1) refuse("expected one list of candidates per sequence");
    if (begins.size() == 0) refuse("candidates do not span the labels");
    check_offsets(view(first), begins.size() - 1, "lists do not span the candidates");
    check_offsets(view(begins), labels.size(), "candidates do not span the labels");
    const Lists lists{view(first), view(begins), view(labels)};
    for (std::size_t s = 0; s < data.size(); ++s)
        for (std::size_t c = lists.begin(s); c < lists.end(s); ++c)
            if (lists.of(c).size() != data.input.length(s)) refuse("expected one label per token");
    for (const Label label : lists.labels)
        if (label < 0 || static_cast<std::size_t>(label) >= data.templates->labels.size()) refuse("label out of range");
    return lists;
}

// Keeps the keys of features.
struct KeySink {
    std::vector<Hash>* keys;
    void operator()(Hash key, const GlobalTemplate&, const GlobalExtractor::Place&, std::size_t) {
        keys->push_back(key);
    }
    void end_entity() {}
};

template <class T>
void sort_once(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

constexpr std::size_t shares = 256;  // parts of the keys, by their upper bits

// Sorts the distinct keys of the candidates of every sequence into their shares.
nb::object count_features(const GlobalData& data, const Input<std::int64_t>& first, const Input<std::int64_t>& begins,
                          const Input<Label>& labels, std::size_t threads) {
    const Lists lists = checked_lists(data, first, begins, labels);
    std::vector<Hash> keys;
    std::vector<std::int64_t> counts;
    {
        nb::gil_scoped_release release;
        using Shares = std::vector<std::vector<Hash>>;
        std::vector<std::unique_ptr<Shares>> all;
        std::mutex lock;
        parallel_for(data.size(), threads, 16, [&] {
            const std::lock_guard<std::mutex> guard(lock);
            all.push_back(std::make_unique<Shares>(shares));
            return [&, mine = all.back().get(), extractor = GlobalExtractor(*data.templates, data.input),
                    found = std::vector<Hash>()](std::size_t s) mutable {
                extractor.begin(s);
                found.clear();
                for (std::size_t c = lists.begin(s); c < lists.end(s); ++c) {
                    extractor.entities(lists.of(c), KeySink{&found});
                    extractor.others(KeySink{&found});
                }
                sort_once(found);
                for (const Hash key : found) (*mine)[key >> 56].push_back(key);
            };
        });
        std::vector<std::vector<Hash>> distinct(shares);
        std::vector<std::vector<std::int64_t>> often(shares);
        parallel_for(shares, threads, 4, [&] {
            return [&, together = std::vector<Hash>()](std::size_t share) mutable {
                together.clear();
                for (const auto& each : all) {
                    together.insert(together.end(), (*each)[share].begin(), (*each)[share].end());
                    std::vector<Hash>().swap((*each)[share]);
                }
                std::sort(together.begin(), together.end());
                for (const Hash key : together) {
                    if (distinct[share].empty() || distinct[share].back() != key)
                        distinct[share].push_back(key), often[share].push_back(0);
                    ++often[share].back();
                }
            };
        });
        for (std::size_t share = 0; share < shares; ++share) {
            keys.insert(keys.end(), distinct[share].begin(), distinct[share].end());
            counts.insert(counts.end(), often[share].begin(), often[share].end());
        }
    }
    return nb::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(counts)));
}

// Looks up the keys of a group of features together.
struct GroupSink {
    const FeatureTable* table;
    std::vector<Hash>* keys;
    RowGroups* groups;
    std::vector<std::uint32_t>* of_entity;  // the group of every entity

    void operator()(Hash key, const GlobalTemplate&, const GlobalExtractor::Place&, std::size_t) {
        table->prefetch(key);
        keys->push_back(key);
    }
    std::uint32_t end_group() {
        for (const Hash key : *keys)
            if (const FeatureTable::Row row = table->find(key); row != FeatureTable::none) groups->add(row);
        keys->clear();
        return groups->end_group();
    }
    void end_entity() { of_entity->push_back(end_group()); }
};

// Collects the rows of all candidates, sequence by sequence.
class CandidateRows {
public:
    CandidateRows(const GlobalTemplates& templates, const GlobalInput& input, const FeatureTable& table)
        : extractor_(templates, input), table_(table) {}

    // counts[c] is the number of rows of candidate c.
    void operator()(const Lists& lists, std::size_t sequence, std::vector<FeatureTable::Row>& out,
                    std::int64_t* counts) {
        extractor_.begin(sequence);
        groups_.clear(), of_entity_.clear(), chosen_.clear();
        ends_.assign(1, 0);
        const GroupSink sink{&table_, &keys_, &groups_, &of_entity_};
        for (std::size_t c = lists.begin(sequence); c < lists.end(sequence); ++c) {
            for (const std::uint32_t entity : extractor_.entities(lists.of(c), sink))
                chosen_.push_back(of_entity_[entity]);
            extractor_.others(sink);
            if (!keys_.empty()) chosen_.push_back(GroupSink(sink).end_group());
            ends_.push_back(chosen_.size());
        }
        groups_.rank();
        for (std::size_t i = 0; i + 1 < ends_.size(); ++i)
            counts[lists.begin(sequence) + i] = static_cast<std::int64_t>(
                groups_.unite(std::span(chosen_).subspan(ends_[i], ends_[i + 1] - ends_[i]), out));
    }

private:
    GlobalExtractor extractor_;
    const FeatureTable& table_;
    RowGroups groups_;
    std::vector<Hash> keys_;
    std::vector<std::uint32_t> of_entity_, chosen_;  // groups of the entities and of the candidates
    std::vector<std::size_t> ends_;
};

nb::object feature_rows(const GlobalData& data, const FeatureTable& table, const Input<std::int64_t>& first,
                        const Input<std::int64_t>& begins, const Input<Label>& labels, std::size_t threads) {
    const Lists lists = checked_lists(data, first, begins, labels);
    std::vector<std::int64_t> offsets(begins.size(), 0);
    std::vector<FeatureTable::Row> rows;
    {
        nb::gil_scoped_release release;
        std::vector<std::vector<FeatureTable::Row>> of_sequence(data.size());
        parallel_for(data.size(), threads, 16, [&] {
            return [&, rows_of = CandidateRows(*data.templates, data.input, table)](std::size_t s) mutable {
                rows_of(lists, s, of_sequence[s], offsets.data() + 1);
            };
        });
        std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
        rows.reserve(static_cast<std::size_t>(offsets.back()));
        for (const auto& each : of_sequence) rows.insert(rows.end(), each.begin(), each.end());
    }
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(rows)));
}

// Returns the values in the store; several values of one token are joined by +.
GlobalExtractor::ValueText value_texts(const GlobalData& data, const StoreObject& store, const Batch& batch) {
    if (store.encoder->attributes.size() != data.attributes
        || static_cast<std::size_t>(batch.sentences.back()) != data.input.tokens)
        refuse("the store does not belong to these tokens");
    return [&store, batch](std::size_t attribute, std::size_t token) {
        const AttributeSource& source = store.encoder->attributes[attribute];
        const AttributeValues& values = store.values[attribute];
        const std::size_t item =
            source.of_token() ? token : static_cast<std::size_t>(batch.codes[source.column][token]);
        std::string out;
        for (std::size_t i = 0; i < values.count(item); ++i) {
            if (i > 0) out += '+';
            out += values.text(values.begin(item) + i);
        }
        return out;
    };
}

struct TextSink {
    const GlobalExtractor* extractor;
    const GlobalExtractor::ValueText* value_text;
    std::vector<std::pair<Hash, std::string>>* out;
    void operator()(Hash key, const GlobalTemplate& templ, const GlobalExtractor::Place& place, std::size_t tokens) {
        if (std::none_of(out->begin(), out->end(), [key](const auto& known) { return known.first == key; }))
            out->emplace_back(key, extractor->text(templ, place, tokens, *value_text));
    }
    void end_entity() {}
};

std::vector<std::pair<Hash, std::string>> describe(const GlobalData& data, const StoreObject& store, const Codes& codes,
                                                   const Input<std::int64_t>& sentences, std::size_t sequence,
                                                   const Input<Label>& labels) {
    if (sequence >= data.size()) refuse("sequence out of range");
    if (labels.size() != data.input.length(sequence)) refuse("expected one label per token");
    for (const Label label : view(labels))
        if (label < 0 || static_cast<std::size_t>(label) >= data.templates->labels.size()) refuse("label out of range");
    const auto value_text = value_texts(data, store, checked_batch(store, codes, sentences));
    GlobalExtractor extractor(*data.templates, data.input);
    std::vector<std::pair<Hash, std::string>> out;
    extractor.begin(sequence);
    extractor.entities(view(labels), TextSink{&extractor, &value_text, &out});
    extractor.others(TextSink{&extractor, &value_text, &out});
    return out;
}

// Returns the text of every row at its first occurrence.
struct NameSink {
    const GlobalExtractor* extractor;
    const GlobalExtractor::ValueText* value_text;
    const FeatureTable* table;
    std::vector<std::string>* names;
    void operator()(Hash key, const GlobalTemplate& templ, const GlobalExtractor::Place& place, std::size_t tokens) {
        const FeatureTable::Row row = table->find(key);
        if (row != FeatureTable::none && (*names)[row].empty())
            (*names)[row] = extractor->text(templ, place, tokens, *value_text);
    }
    void end_entity() {}
};

std::vector<std::string> names_of(const GlobalData& data, const StoreObject& store, const Codes& codes,
                                  const Input<std::int64_t>& sentences, const FeatureTable& table,
                                  const Input<std::int64_t>& first, const Input<std::int64_t>& begins,
                                  const Input<Label>& labels) {
    const Lists lists = checked_lists(data, first, begins, labels);
    if (table.buckets() != 0) refuse("hashed features have no names");
    const auto value_text = value_texts(data, store, checked_batch(store, codes, sentences));
    GlobalExtractor extractor(*data.templates, data.input);
    std::vector<std::string> names(table.size());
    for (std::size_t s = 0; s < data.size(); ++s) {
        extractor.begin(s);
        for (std::size_t c = lists.begin(s); c < lists.end(s); ++c) {
            extractor.entities(lists.of(c), NameSink{&extractor, &value_text, &table, &names});
            extractor.others(NameSink{&extractor, &value_text, &table, &names});
        }
    }
    return names;
}

}  // namespace

void bind_global_features(nb::module_& m) {
    nb::class_<GlobalTemplates>(m, "GlobalTemplates",
                                "Compiled templates of global features, and what the labels of a model mean.")
        .def("__init__", &init_templates, nb::arg("templates"), nb::arg("labels"), nb::arg("classes"),
             nb::arg("of_label"), nb::arg("begins"), nb::arg("ends"))
        .def("__len__", [](const GlobalTemplates& self) { return self.templates.size(); });
#define LISTS "first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: NDArray[numpy.int32]"
#define STORE \
    "store: AttributeStore, codes: collections.abc.Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64]"
    nb::class_<GlobalData>(m, "GlobalData", "Sequences whose labellings have global features.")
        .def("__init__", &init_data, nb::arg("templates"), nb::arg("hashes"), nb::arg("attributes"),
             nb::arg("sequences"), nb::arg("breaks"), nb::arg("words"), nb::arg("codes"),
             nb::sig("def __init__(self, templates: GlobalTemplates, hashes: NDArray[numpy.uint64], attributes: int, "
                     "sequences: NDArray[numpy.int64], "
                     "breaks: NDArray[numpy.uint8], words: StringTable, codes: NDArray[numpy.int32]) -> None"))
        .def("__len__", &GlobalData::size)
        .def("count", &count_features, nb::arg("first"), nb::arg("begins"), nb::arg("labels"), nb::arg("threads"),
             nb::sig("def count(self, " LISTS ", threads: int) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]"),
             "Returns (keys of all features in ascending order, number of sequences that each occurs in).")
        .def("rows", &feature_rows, nb::arg("table"), nb::arg("first"), nb::arg("begins"), nb::arg("labels"),
             nb::arg("threads"),
             nb::sig("def rows(self, table: FeatureTable, " LISTS
                     ", threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"),
             "Returns (offsets [C + 1], rows) of the distinct features of every candidate, in ascending order; "
             "features that are not in the table are left out.")
        .def("describe", &describe, nb::arg("store"), nb::arg("codes"), nb::arg("sentences"), nb::arg("sequence"),
             nb::arg("labels"),
             nb::sig("def describe(self, " STORE
                     ", sequence: int, labels: NDArray[numpy.int32]) -> list[tuple[int, str]]"),
             "Returns (key, text) of the features of one labelling.")
        .def("names", &names_of, nb::arg("store"), nb::arg("codes"), nb::arg("sentences"), nb::arg("table"),
             nb::arg("first"), nb::arg("begins"), nb::arg("labels"),
             nb::sig("def names(self, " STORE ", table: FeatureTable, " LISTS ") -> list[str]"),
             "Returns the text of every row; it is empty for rows that do not occur.");
#undef LISTS
#undef STORE
}
