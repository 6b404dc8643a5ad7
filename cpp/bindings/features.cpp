// Bindings of attributes, templates, feature tables, and encoding.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings.hpp"
#include "objects.hpp"
#include "tagloom/features/casing.hpp"
#include "tagloom/features/dictionary.hpp"
#include "tagloom/features/document_attributes.hpp"
#include "tagloom/features/encoding.hpp"
#include "tagloom/features/matching.hpp"
#include "tagloom/features/ngrams.hpp"
#include "tagloom/features/stage_attributes.hpp"
#include "tagloom/features/word_vectors.hpp"

using namespace tagloom;

namespace {

using Parts = std::vector<std::pair<std::size_t, std::int32_t>>;
using Masks = std::optional<Input<std::uint8_t>>;  // [C][N], flattened; none: one copy, nothing masked

std::span<const std::uint8_t> view_masks(const Masks& masks) {
    return masks ? view(*masks) : std::span<const std::uint8_t>();
}

std::size_t add_attribute(Encoder& encoder, AttributeSource source) {
    if (source.column >= 4096) refuse("expected at most 4096 columns");
    encoder.columns = std::max(encoder.columns, source.column + 1);
    encoder.attributes.push_back(std::move(source));
    return encoder.attributes.size() - 1;
}

std::size_t add_native(Encoder& encoder, std::string_view name, std::size_t n, std::size_t column) {
    const AttributeFunction* function = find_attribute(name);
    if (!function) refuse("unknown attribute");
    return add_attribute(encoder, {AttributeSource::Kind::native, column, n, function, nullptr});
}

void set_group(Encoder& encoder, std::size_t attribute, std::size_t group) {
    if (attribute >= encoder.attributes.size()) refuse("no such attribute");
    if (group >= 8) refuse("expected at most 8 groups");
    encoder.attributes[attribute].group = static_cast<std::uint8_t>(1U << group);
}

void add_template(Encoder& encoder, std::string_view text, const Parts& parts, bool edge) {
    Template made{hash_bytes(text), {}};
    for (const auto& [attribute, offset] : parts) {
        if (attribute >= encoder.attributes.size()) refuse("no such attribute");
        if (offset < -Encoder::max_offset || offset > Encoder::max_offset) refuse("offset out of range");
        made.parts.push_back({attribute, offset});
    }
    (edge ? encoder.edge_templates : encoder.node_templates).push_back(std::move(made));
}

std::vector<std::string> native_values(std::string_view name, std::size_t n, std::string_view word) {
    const AttributeFunction* function = find_attribute(name);
    if (!function) refuse("unknown attribute");
    Values out;
    function->compute(word, n, out);
    return out;
}

Hash feature_key(std::string_view template_text, const std::vector<std::string>& values) {
    Hash key = hash_bytes(template_text);
    for (const std::string& value : values) key = add_part(key, hash_bytes(value) | 1);
    return finish_key(key);
}

// Appends the values of the next item: None, a string, strings, or {string: weight}.
void append_item(AttributeValues& values, nb::handle item) {
    if (nb::isinstance<nb::str>(item)) {
        values.add(nb::cast<std::string_view>(item));
    } else if (nb::isinstance<nb::dict>(item)) {
        for (auto [text, weight] : nb::cast<nb::dict>(item))
            values.add(nb::cast<std::string_view>(text), nb::cast<float>(weight));
    } else if (!item.is_none()) {
        for (nb::handle text : item) values.add(nb::cast<std::string_view>(text));
    }
    values.end_item();
}

AttributeValues& given_values(StoreObject& store, std::size_t attribute) {
    const auto& attributes = store.encoder->attributes;
    if (attribute >= attributes.size()) throw nb::index_error("no such attribute");
    return store.values[attribute];
}

void set_bag(StoreObject& store, std::size_t attribute, const StringTable& strings, const Input<std::int32_t>& codes,
             const Input<std::int64_t>& offsets, const Input<float>& weights) {
    AttributeValues& values = given_values(store, attribute);
    values.clear();
    const auto ends = view(offsets);
    std::vector<StringTable::Id> numbers(strings.size(), StringTable::none);  // of the strings that occur
    for (std::size_t t = 0; t + 1 < ends.size(); ++t) {
        for (auto i = static_cast<std::size_t>(ends[t]); i < static_cast<std::size_t>(ends[t + 1]); ++i) {
            if (i >= codes.size() || codes(i) < 0 || static_cast<std::size_t>(codes(i)) >= strings.size())
                refuse("bag column out of range");
            StringTable::Id& number = numbers[static_cast<std::size_t>(codes(i))];
            if (number == StringTable::none) number = values.number(strings.view(codes(i)));
            values.add_numbered(number, i < weights.size() ? weights(i) : 1.0F);
        }
        values.end_item();
    }
}

void check_batch_codes(const StringTable& strings, const Input<std::int32_t>& codes,
                       const Input<std::int64_t>& sentences) {
    check_offsets(view(sentences), codes.size(), "sentence offsets do not span the tokens");
    for (const std::int32_t code : view(codes))
        if (code < 0 || static_cast<std::size_t>(code) >= strings.size()) refuse("code out of range");
}

// Replaces the attribute's values for every token of a batch: `fill(tokens of a sentence)` adds one item per token.
template <class Fill>
void fill_sentences(const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences, Fill fill) {
    nb::gil_scoped_release release;
    const auto bounds = view(sentences);
    for (std::size_t s = 0; s + 1 < bounds.size(); ++s) {
        const auto begin = static_cast<std::size_t>(bounds[s]), end = static_cast<std::size_t>(bounds[s + 1]);
        fill(view(codes).subspan(begin, end - begin));
    }
}

AttributeValues& emptied(StoreObject& store, std::size_t attribute, const StringTable& strings,
                         const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences) {
    check_batch_codes(strings, codes, sentences);
    AttributeValues& values = given_values(store, attribute);
    values.clear();
    return values;
}

// Writes the longest matches of every list, from left to right without overlap, as positions with the name of the list.
void match_phrases(StoreObject& store, std::size_t attribute, const PhraseTrie& trie,
                   const std::vector<std::string>& lists, bool bioes, const StringTable& strings,
                   const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    PhraseMatcher matcher(trie, lists, strings);
    const Positions positions = bioes ? Positions::bioes : Positions::iob2;
    fill_sentences(codes, sentences, [&](Tokens tokens) { matcher.match(tokens, positions, values); });
}

// Finds all phrases that begin at every token, as written or lower-cased.
nb::object find_entries(const PhraseTrie& trie, const StringTable& strings, const Input<std::int32_t>& codes,
                        const Input<std::int64_t>& sentences) {
    check_batch_codes(strings, codes, sentences);
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint32_t> lengths;
    std::vector<ListSets::Word> sets;
    PhraseMatcher matcher(trie, {}, strings);
    fill_sentences(codes, sentences, [&](Tokens tokens) {
        matcher.for_each_entry(
            tokens,
            [&](std::size_t length, ListSets::Word set) {
                lengths.push_back(static_cast<std::uint32_t>(length)), sets.push_back(set);
            },
            [&] { offsets.push_back(static_cast<std::int64_t>(lengths.size())); });
    });
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(lengths)), to_numpy(std::move(sets)));
}

Direction direction_of(bool backward) { return backward ? Direction::backward : Direction::forward; }

void cut_words(StoreObject& store, std::size_t attribute, const PhraseTrie& trie, bool backward, bool sizes,
               const StringTable& strings, const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_sentences(codes, sentences, CutLabels(trie, strings, direction_of(backward), sizes, values));
}

void find_words(StoreObject& store, std::size_t attribute, const PhraseTrie& trie, bool at_end, std::size_t limit,
                bool length_only, const StringTable& strings, const Input<std::int32_t>& codes,
                const Input<std::int64_t>& sentences) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    const Side side = at_end ? Side::end : Side::begin;
    fill_sentences(codes, sentences, WordsAt(trie, strings, side, limit, length_only, values));
}

void find_categories(StoreObject& store, std::size_t attribute, const Lookup& categories, const PhraseTrie& trie,
                     bool backward, std::size_t n, const StringTable& strings, const Input<std::int32_t>& codes,
                     const Input<std::int64_t>& sentences) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_sentences(codes, sentences, Categories(categories, trie, strings, direction_of(backward), n, values));
}

void find_levels(StoreObject& store, std::size_t attribute, const LevelTable& table, std::size_t n, bool at_end,
                 const StringTable& strings, const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences) {
    if (n == 0) refuse("an n-gram must have at least one token");
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_sentences(codes, sentences, LevelsAt(table, strings, n, at_end, values));
}

void find_same(StoreObject& store, std::size_t attribute, std::size_t distance, const StringTable& strings,
               const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_sentences(codes, sentences, [&](Tokens tokens) { same_tokens(tokens, distance, values); });
}

// Sets the numbers of the vector of every token's word.
void find_vectors(StoreObject& store, std::size_t attribute, const WordVectors& vectors, const StringTable& strings,
                  const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    if (codes.size() * vectors.dimensions() >> 32 != 0) throw std::bad_alloc();  // more values than can be numbered
    fill_sentences(codes, sentences, VectorsAt(vectors, strings, values));
}

// Sets the value of a macro at a fixed place of the sentence, the same for all of its tokens.
void find_place(StoreObject& store, std::size_t attribute, const Macro& macro, std::int64_t place,
                const StringTable& strings, const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_sentences(codes, sentences, [&](Tokens tokens) {
        const std::string text = macro.apply_at(place, static_cast<std::int64_t>(tokens.size()),
                                                [&](std::size_t t) { return strings.view(tokens[t]); });
        const StringTable::Id id = values.number(text);
        for (std::size_t t = 0; t < tokens.size(); ++t) values.add_numbered(id), values.end_item();
    });
}

// Replaces the attribute's values for every token of a batch: `fill(document)` adds one item per token. Documents are
// ranges of sentences.
template <class Fill>
void fill_documents(const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences,
                    const Input<std::int64_t>& documents, Fill&& fill) {
    if (sentences.size() == 0) refuse("expected sentence offsets");
    check_offsets(view(documents), sentences.size() - 1, "document offsets do not span the sentences");
    nb::gil_scoped_release release;
    const auto bounds = view(sentences), ends = view(documents);
    for (std::size_t d = 0; d + 1 < ends.size(); ++d) {
        const auto first = static_cast<std::size_t>(ends[d]), last = static_cast<std::size_t>(ends[d + 1]);
        const auto begin = static_cast<std::size_t>(bounds[first]), end = static_cast<std::size_t>(bounds[last]);
        fill(DocumentView{view(codes).subspan(begin, end - begin), bounds.subspan(first, last - first + 1)});
    }
}

void aggregate_context(StoreObject& store, std::size_t attribute, const Lookup* clusters, std::size_t n,
                       const StringTable& strings, const Input<std::int32_t>& codes,
                       const Input<std::int64_t>& sentences, const Input<std::int64_t>& documents) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_documents(codes, sentences, documents, ContextAggregator(strings, clusters, n, values));
}

void find_document_kinds(StoreObject& store, std::size_t attribute, const StringTable& strings,
                         const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences,
                         const Input<std::int64_t>& documents) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_documents(codes, sentences, documents, DocumentKinds(strings, values));
}

void find_sentence_places(StoreObject& store, std::size_t attribute, const StringTable& strings,
                          const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences,
                          const Input<std::int64_t>& documents) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_documents(codes, sentences, documents,
                   [&](const DocumentView& document) { number_sentences(document, values); });
}

void find_sentence_cases(StoreObject& store, std::size_t attribute, const StringTable& strings,
                         const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences,
                         const Input<std::int64_t>& documents) {
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    fill_documents(codes, sentences, documents, SentenceCases(strings, values));
}

void read_stage(StoreObject& store, std::size_t attribute, std::size_t what, const StringTable& labels,
                const Input<std::int32_t>& label_codes, const Input<std::int64_t>& offsets, const Input<float>& weights,
                const StringTable& strings, const Input<std::int32_t>& codes, const Input<std::int64_t>& sentences,
                const Input<std::int64_t>& documents) {
    if (what > static_cast<std::size_t>(StageEvidence::cell)) refuse("no such evidence");
    if (offsets.size() != codes.size() + 1) refuse("expected one bag of labels per token");
    check_offsets(view(offsets), label_codes.size(), "label offsets do not span the labels");
    if (weights.size() != 0 && weights.size() != label_codes.size()) refuse("expected one weight per label");
    for (const std::int32_t code : view(label_codes))
        if (code < 0 || static_cast<std::size_t>(code) >= labels.size()) refuse("label out of range");
    AttributeValues& values = emptied(store, attribute, strings, codes, sentences);
    const StageColumn column{labels, view(label_codes), view(offsets), view(weights)};
    fill_documents(codes, sentences, documents, StageReader(static_cast<StageEvidence>(what), strings, column, values));
}

std::vector<Hash> ngram_keys(const Input<Hash>& tokens, std::size_t n) {
    std::vector<Hash> keys;
    for (std::size_t t = 0; n > 0 && t + n <= tokens.size(); ++t) keys.push_back(ngram_key(view(tokens).subspan(t, n)));
    return keys;
}

void extend(StoreObject& store, const std::vector<const StringTable*>& tables) {
    if (tables.size() < store.encoder->columns || std::count(tables.begin(), tables.end(), nullptr))
        refuse("a string table is missing");
    nb::gil_scoped_release release;
    store.values.extend(*store.encoder, tables);
}

nb::object to_arrays(SparseRows&& rows) {
    return nb::make_tuple(to_numpy(std::move(rows.offsets)), to_numpy(std::move(rows.rows)),
                          to_numpy(std::move(rows.values)));
}

// The features of a batch as (offsets, rows, values) of nodes and of edges.
nb::object to_arrays(SparseRows&& nodes, SparseRows&& edges) {
    return nb::make_tuple(to_arrays(std::move(nodes)), to_arrays(std::move(edges)));
}

void check_threads(std::size_t threads) {
    if (threads < 1 || threads > 4096) refuse("expected 1 to 4096 threads");
}

nb::object take(Collection& self, const StoreObject& store, const Codes& codes, const Input<std::int64_t>& sentences,
                std::size_t threads, const Masks& masks) {
    const Batch batch = checked_batch(store, codes, sentences, view_masks(masks));
    check_threads(threads);
    {
        nb::gil_scoped_release release;
        self.node_rows = {}, self.edge_rows = {};
        collect_batch(self, *store.encoder, store.values, batch, threads);
    }
    return to_arrays(std::move(self.node_rows), std::move(self.edge_rows));
}

nb::object finish(Collection& self, std::uint32_t cutoff) {
    return nb::make_tuple(to_numpy(self.nodes.finish(cutoff)), to_numpy(self.edges.finish(cutoff)));
}

nb::object rename(const Input<std::int64_t>& offsets, const Input<std::uint32_t>& rows, const Input<float>& values,
                  const Input<std::uint32_t>& new_row) {
    const auto numbers = view(rows);
    check_offsets(view(offsets), rows.size(), "row offsets do not span the rows");
    if (values.size() != 0 && values.size() != rows.size()) refuse("expected one value per row");
    for (const std::uint32_t row : numbers)
        if (row >= new_row.size()) refuse("row out of range");
    SparseRows out{{offsets.data(), offsets.data() + offsets.size()},
                   {numbers.begin(), numbers.end()},
                   {values.data(), values.data() + values.size()}};
    {
        nb::gil_scoped_release release;
        rename_rows(out, view(new_row));
    }
    return to_arrays(std::move(out));
}

std::unique_ptr<Collection> collect(const StoreObject& store, const Codes& codes, const Input<std::int64_t>& sentences,
                                    std::uint32_t cutoff, std::size_t buckets, std::size_t threads,
                                    const Masks& masks) {
    const Batch batch = checked_batch(store, codes, sentences, view_masks(masks));
    check_threads(threads);
    nb::gil_scoped_release release;
    auto out = std::make_unique<Collection>(buckets);
    collect_batch(*out, *store.encoder, store.values, batch, threads, cutoff);
    return out;
}

nb::object encode(const StoreObject& store, const Codes& codes, const Input<std::int64_t>& sentences,
                  const FeatureTable& nodes, const FeatureTable& edges, std::size_t threads, const Masks& masks) {
    const Batch batch = checked_batch(store, codes, sentences, view_masks(masks));
    check_threads(threads);
    std::pair<SparseRows, SparseRows> rows;
    {
        nb::gil_scoped_release release;
        rows = encode_batch(*store.encoder, store.values, batch, nodes, edges, threads);
    }
    return to_arrays(std::move(rows.first), std::move(rows.second));
}

nb::object name_features(const Collection& collected, const StoreObject& store, const Codes& codes,
                         const Input<std::int64_t>& sentences, bool edge,
                         const std::vector<std::vector<std::string>>& part_names, const Input<std::uint32_t>& rows) {
    const Batch batch = checked_batch(store, codes, sentences);
    const auto& templates = edge ? store.encoder->edge_templates : store.encoder->node_templates;
    const auto& origins = (edge ? collected.edges : collected.nodes).origins();
    if (part_names.size() != templates.size()) refuse("expected the names of the parts of every template");
    for (const std::uint32_t row : view(rows))
        if (row >= origins.size()) throw nb::index_error("no such feature");
    std::vector<std::uint8_t> bytes;
    std::vector<std::int64_t> ends{0};
    {
        nb::gil_scoped_release release;
        for (const std::uint32_t row : view(rows)) {
            const auto k = origins[row].templ;
            const std::string name =
                feature_name(*store.encoder, store.values, batch, templates[k], origins[row], part_names[k]);
            bytes.insert(bytes.end(), name.begin(), name.end());
            ends.push_back(static_cast<std::int64_t>(bytes.size()));
        }
    }
    return nb::make_tuple(to_numpy(std::move(bytes)), to_numpy(std::move(ends)));
}

void bind_resources(nb::module_& m) {
    nb::class_<Lookup>(m, "Lookup", "A map from words to values, such as the bit strings of Brown clusters.")
        .def(nb::init<>())
        .def("__len__", [](const Lookup& self) { return self.words.size(); })
        .def("add", &Lookup::add, nb::arg("word"), nb::arg("value"))
        .def("find", &Lookup::find, nb::arg("word"), "Returns the word's value, or an empty string.")
        .def(
            "find_folded",
            [](Lookup& self, std::string_view word) {
                self.fold();
                return self.find_folded(word);
            },
            nb::arg("word"),
            "Returns the word's value or that of another spelling: in lower case, capitalised, in upper case, mixed.")
        .def("words", [](const Lookup& self) { return self.words; })
        .def("values", [](const Lookup& self) { return self.values; })
        .def("value_ids",
             [](const Lookup& self) {
                 auto ids = self.value_of;
                 return to_numpy(std::move(ids));
             })
        .def_static(
            "restore",
            [](const StringTable& words, const StringTable& values, const Input<std::int32_t>& ids) {
                if (ids.size() != words.size()) refuse("expected one value per word");
                for (const std::int32_t id : view(ids))
                    if (id < 0 || static_cast<std::size_t>(id) >= values.size()) refuse("value out of range");
                Lookup made;
                made.words = words, made.values = values;
                made.value_of.assign(ids.data(), ids.data() + ids.size());
                return made;
            },
            nb::arg("words"), nb::arg("values"), nb::arg("value_ids"));

    nb::class_<PhraseTrie>(m, "PhraseTrie", "Lists of phrases for longest-match lookup over tokens.")
        .def(nb::init<>())
        .def("__len__", &PhraseTrie::size)
        .def(
            "add",
            [](PhraseTrie& self, std::size_t list, bool fold, const std::vector<std::string>& tokens, bool words) {
                std::vector<Hash> hashes;
                for (const std::string& token : tokens) hashes.push_back(phrase_token_hash(token, fold));
                self.add(list, fold ? PhraseTrie::folded : PhraseTrie::exact, hashes);
                if (words) self.add_words(list, fold ? PhraseTrie::folded : PhraseTrie::exact, hashes);
            },
            nb::arg("list"), nb::arg("fold"), nb::arg("tokens"), nb::arg("words") = false,
            "Adds a phrase. `fold` lower-cases both the phrase and the text; `words` also records the lists of its "
            "words.")
        .def(
            "lists_of_words",
            [](const PhraseTrie& self, const StringTable& strings) {
                std::vector<ListSets::Word> sets;
                for (std::size_t i = 0; i < strings.size(); ++i) {
                    const std::string_view word = strings.view(static_cast<StringTable::Id>(i));
                    const auto exact = self.lists_of_word(PhraseTrie::exact, phrase_token_hash(word, false));
                    const auto folded = self.lists_of_word(PhraseTrie::folded, phrase_token_hash(word, true));
                    sets.push_back(self.lists().word(exact, 0) | self.lists().word(folded, 0));
                }
                return to_numpy(std::move(sets));
            },
            nb::arg("strings"), nb::sig("def lists_of_words(self, strings: StringTable) -> NDArray[numpy.uint64]"),
            "Returns [strings] which of the first 64 lists have phrases with each word, as bits, for phrases that were "
            "added with `words`.")
        .def("entries", &find_entries, nb::arg("strings"), nb::arg("codes"), nb::arg("sentences"),
             nb::sig("def entries(self, strings: StringTable, codes: NDArray[numpy.int32], sentences: "
                     "NDArray[numpy.int64]) -> "
                     "tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.uint64]]"),
             "Returns (offsets [N + 1], lengths, which of the first 64 lists as bits) of the phrases that begin at "
             "every token, shortest first.")
        .def(
            "nodes",
            [](const PhraseTrie& self) {
                std::vector<Hash> keys;
                std::vector<ListSets::Id> ids;
                self.for_each_node([&](Hash key, ListSets::Id set) { keys.push_back(key), ids.push_back(set); });
                auto rows = self.lists().rows();
                return nb::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(ids)), to_numpy(std::move(rows)),
                                      self.lists().width());
            },
            nb::sig("def nodes(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint32], NDArray[numpy.uint64], "
                    "int]"),
            "Returns (keys, numbers of their sets of lists, the sets as rows of bits, words of a row), for saving.")
        .def_static(
            "restore",
            [](const Input<Hash>& keys, const Input<std::uint32_t>& ids, const Input<std::uint64_t>& sets,
               std::size_t width) {
                if (keys.size() != ids.size()) refuse("expected one set per node");
                if (width == 0 || width > ListSets::most_lists / ListSets::bits || sets.size() % width != 0)
                    refuse("sets of lists do not fit the number of lists");
                // Set 0 of a trie is the empty one, which a file may have in any place or not at all.
                std::vector<ListSets::Word> rows(width, 0);
                rows.insert(rows.end(), sets.data(), sets.data() + sets.size());
                std::vector<ListSets::Id> numbers;  // [sets of the file]
                for (auto row = rows.begin() + static_cast<std::ptrdiff_t>(width); row != rows.end();
                     row += static_cast<std::ptrdiff_t>(width)) {
                    const bool is_empty = std::all_of(row, row + static_cast<std::ptrdiff_t>(width),
                                                      [](ListSets::Word word) { return word == 0; });
                    numbers.push_back(is_empty ? 0 : static_cast<ListSets::Id>(numbers.size() + 1));
                }
                PhraseTrie trie(keys.size(), ListSets(width, std::move(rows)));
                for (std::size_t i = 0; i < keys.size(); ++i) {
                    if (ids(i) >= numbers.size()) refuse("set of lists out of range");
                    trie.add_node(keys(i), numbers[ids(i)]);
                }
                trie.check();
                return trie;
            },
            nb::arg("keys"), nb::arg("set_ids"), nb::arg("sets"), nb::arg("width"));

    nb::class_<LevelTable>(m, "LevelTable", "A map from the keys of n-grams to small whole numbers.")
        .def(
            "__init__",
            [](LevelTable* self, const Input<Hash>& keys, const Input<std::int32_t>& levels) {
                new (self) LevelTable({keys.data(), keys.data() + keys.size()},
                                      {levels.data(), levels.data() + levels.size()});
            },
            nb::arg("keys"), nb::arg("levels"))
        .def("__len__", [](const LevelTable& self) { return self.keys().size(); })
        .def(
            "find",
            [](const LevelTable& self, Hash key) {
                const LevelTable::Level* level = self.find(key);
                return level ? std::optional<LevelTable::Level>(*level) : std::nullopt;
            },
            nb::arg("key"))
        .def("keys",
             [](const LevelTable& self) {
                 auto keys = self.keys();
                 return to_numpy(std::move(keys));
             })
        .def("levels", [](const LevelTable& self) {
            auto levels = self.levels();
            return to_numpy(std::move(levels));
        });
    nb::class_<WordVectors>(m, "WordVectors", "A dense vector for every word of a table.")
        .def(
            "__init__",
            [](WordVectors* self, const StringTable& words, const Input<float>& values) {
                if (words.size() == 0 ? values.size() != 0 : values.size() % words.size() != 0)
                    refuse("expected vectors of one size");
                if (words.size() != 0 && values.size() / words.size() > Encoder::max_combinations)
                    refuse("expected at most 4096 dimensions");
                new (self) WordVectors(words, {values.data(), values.data() + values.size()});
            },
            nb::arg("words"), nb::arg("values"))
        .def("__len__", [](const WordVectors& self) { return self.words().size(); })
        .def_prop_ro("dimensions", &WordVectors::dimensions)
        .def("words", [](const WordVectors& self) { return self.words(); })
        .def(
            "values",
            [](const WordVectors& self) {
                auto values = self.values();
                return to_numpy(std::move(values));
            },
            "Returns [words x dimensions] numbers.");
    nb::class_<CaseCounter>(m, "CaseCounter", "Counts how words are written.")
        .def(nb::init<>())
        .def("add_text", &CaseCounter::add_text, nb::arg("text"), "Counts the words of a text.")
        .def("add_word", &CaseCounter::add_word, nb::arg("word"), nb::arg("times"))
        .def(
            "counts",
            [](const CaseCounter& self) {
                std::vector<Hash> keys;
                std::array<std::vector<std::uint64_t>, 3> counts;
                for (const auto& [key, found] : self.counts()) {
                    keys.push_back(key);
                    for (std::size_t i = 0; i < counts.size(); ++i) counts[i].push_back(found[i]);
                }
                return nb::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(counts[0])),
                                      to_numpy(std::move(counts[1])), to_numpy(std::move(counts[2])));
            },
            nb::sig("def counts(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint64], NDArray[numpy.uint64], "
                    "NDArray[numpy.uint64]]"),
            "Returns (keys, lower, title, upper): the counts of every word in lower case, capitalised, and in "
            "capitals, in no order.");

    nb::class_<CaseTable>(m, "CaseTable", "Levels that tell how words are written.")
        .def(
            "__init__",
            [](CaseTable* self, const Input<Hash>& keys, const Input<std::uint16_t>& levels) {
                new (self)
                    CaseTable({keys.data(), keys.data() + keys.size()}, {levels.data(), levels.data() + levels.size()});
            },
            nb::arg("keys"), nb::arg("levels"))
        .def("__len__", [](const CaseTable& self) { return self.keys().size(); })
        .def("find", &CaseTable::find, nb::arg("word"), "Returns the level of a word.")
        .def("keys",
             [](const CaseTable& self) {
                 auto keys = self.keys();
                 return to_numpy(std::move(keys));
             })
        .def("levels", [](const CaseTable& self) {
            auto levels = self.all_levels();
            return to_numpy(std::move(levels));
        });
    m.attr("CASE_LEVELS") = CaseTable::levels;
    m.attr("UNKNOWN_CASE") = CaseTable::unknown;
    m.def(
        "ngram_keys", [](const Input<Hash>& tokens, std::size_t n) { return to_numpy(ngram_keys(tokens, n)); },
        nb::arg("tokens"), nb::arg("n"), "Returns the key of every run of n tokens, given the hashes of the tokens.");
}

void bind_encoder(nb::module_& m) {
    m.attr("MAX_OFFSET") = Encoder::max_offset;
    m.attr("MAX_COMBINATIONS") = Encoder::max_combinations;
    m.def(
        "attribute_functions",
        [] {
            std::vector<std::tuple<std::string, bool, std::string>> rows;
            for (const AttributeFunction& row : attribute_table) rows.emplace_back(row.name, row.numbered, row.help);
            return rows;
        },
        "Returns (name, whether a number follows it, help) of every built-in attribute.");
    m.def(
        "lexical_attributes",
        [] {
            std::vector<std::string> names;
            for (const AttributeFunction& row : attribute_table)
                if (row.lexical) names.emplace_back(row.name);
            return names;
        },
        "Returns the names of the built-in attributes that tell which word it is.");
    m.def("attribute_values", &native_values, nb::arg("name"), nb::arg("n"), nb::arg("word"));
    m.def("feature_key", &feature_key, nb::arg("template_text"), nb::arg("values"));
    m.def("boundary_text", &boundary_text, nb::arg("distance"));

    nb::class_<Macro>(m, "Macro", "A macro of Wapiti's patterns: x, t or m; X, T and M lower-case their value.")
        .def(
            "__init__",
            [](Macro* self, std::string_view command, std::string_view pattern) {
                if (command.size() != 1) refuse("an unknown macro");
                new (self) Macro(static_cast<char32_t>(command.front()), pattern);
            },
            nb::arg("command"), nb::arg("pattern"), "Raises ValueError with a reason if the pattern is not legal.")
        .def("apply", &Macro::apply, nb::arg("word"), "Returns the value of a word.")
        .def("apply_outside", &Macro::apply_outside, nb::arg("distance"),
             "Returns the value before (-1, -2, ...) or after (1, 2, ...) the sentence.");

    nb::class_<Encoder>(m, "Encoder", "Compiled attributes and templates.")
        .def(nb::init<>())
        .def("add_native", &add_native, nb::arg("name"), nb::arg("n"), nb::arg("column"))
        .def(
            "add_lookup",
            [](Encoder& self, std::shared_ptr<Lookup> lookup, std::size_t n, bool fold, std::size_t column) {
                if (fold) lookup->fold();
                const auto kind = fold ? AttributeSource::Kind::folded : AttributeSource::Kind::lookup;
                return add_attribute(self, {kind, column, n, nullptr, std::move(lookup)});
            },
            nb::arg("lookup"), nb::arg("n"), nb::arg("fold"), nb::arg("column"),
            "Adds the first n characters of the word's value; with `fold`, other spellings stand for unknown words.")
        .def(
            "add_casing",
            [](Encoder& self, std::shared_ptr<CaseTable> table, std::size_t column) {
                AttributeSource source{AttributeSource::Kind::casing, column, 0, nullptr, nullptr};
                source.case_table = std::move(table);
                return add_attribute(self, std::move(source));
            },
            nb::arg("table"), nb::arg("column"), "Adds how a text writes the word.")
        .def(
            "add_listed",
            [](Encoder& self, std::shared_ptr<StringTable> list, std::size_t column) {
                return add_attribute(self,
                                     {AttributeSource::Kind::listed, column, 0, nullptr, nullptr, std::move(list)});
            },
            nb::arg("list"), nb::arg("column"),
            "Adds an attribute that is 1 for words whose lower-cased form is in a list, and 0 for others.")
        .def(
            "add_functional",
            [](Encoder& self, std::shared_ptr<StringTable> list, std::size_t column) {
                return add_attribute(self,
                                     {AttributeSource::Kind::functional, column, 0, nullptr, nullptr, std::move(list)});
            },
            nb::arg("list"), nb::arg("column"),
            "Adds an attribute that is yes for words that are in a list as written.")
        .def(
            "add_typed",
            [](Encoder& self, std::shared_ptr<StringTable> list, std::size_t column) {
                return add_attribute(self,
                                     {AttributeSource::Kind::typed, column, 0, nullptr, nullptr, std::move(list)});
            },
            nb::arg("list"), nb::arg("column"),
            "Adds the type of a word in patterns, which is f for the words of a list.")
        .def(
            "add_macro",
            [](Encoder& self, std::shared_ptr<Macro> macro, std::size_t column) {
                return add_attribute(
                    self, {AttributeSource::Kind::macro, column, 0, nullptr, nullptr, nullptr, std::move(macro)});
            },
            nb::arg("macro"), nb::arg("column"), "Adds an attribute of the word that a macro computes.")
        .def(
            "add_given",
            [](Encoder& self, std::size_t column) {
                return add_attribute(self, {AttributeSource::Kind::given, column, 0, nullptr, nullptr});
            },
            nb::arg("column"), "Adds an attribute of the word whose values the caller provides.")
        .def(
            "add_per_token",
            [](Encoder& self) {
                return add_attribute(self, {AttributeSource::Kind::per_token, 0, 0, nullptr, nullptr});
            },
            "Adds an attribute of the token whose values the caller provides for every batch.")
        .def("set_group", &set_group, nb::arg("attribute"), nb::arg("group"),
             "Says which bit of a mask takes the values of an attribute away.")
        .def("add_template", &add_template, nb::arg("text"), nb::arg("parts"), nb::arg("edge"));
}

void bind_store(nb::module_& m) {
    nb::class_<StoreObject>(m, "AttributeStore",
                            "Values of all attributes, for the words seen so far and for one batch.")
        .def(
            "__init__",
            [](StoreObject* self, std::shared_ptr<Encoder> encoder) {
                new (self) StoreObject{encoder, AttributeStore(*encoder)};
            },
            nb::arg("encoder"))
        .def("extend", &extend, nb::arg("tables"), "Computes the native attributes of all new strings.")
        .def(
            "memory", [](const StoreObject& self) { return self.values.memory(); },
            "Returns the bytes of memory that the values take.")
        .def(
            "most", [](StoreObject& self, std::size_t a) { return given_values(self, a).most(); }, nb::arg("attribute"),
            "Returns the largest number of values that one item has.")
        .def(
            "items", [](StoreObject& self, std::size_t a) { return given_values(self, a).items(); },
            nb::arg("attribute"))
        .def(
            "append",
            [](StoreObject& self, std::size_t a, nb::handle item) { append_item(given_values(self, a), item); },
            nb::arg("attribute"), nb::arg("item").none(),
            nb::sig("def append(self, attribute: int, item: object) -> None"),
            "Appends the values of the next item: None, a string, strings, or {string: weight}.")
        .def(
            "clear", [](StoreObject& self, std::size_t a) { given_values(self, a).clear(); }, nb::arg("attribute"))
        .def(
            "values",
            [](StoreObject& self, std::size_t a, std::size_t item) {
                const AttributeValues& values = given_values(self, a);
                if (item >= values.items()) throw nb::index_error("no such item");
                std::vector<std::pair<std::string, float>> out;
                for (std::size_t e = values.begin(item); e < values.begin(item) + values.count(item); ++e)
                    out.emplace_back(values.text(e), values.weight(e));
                return out;
            },
            nb::arg("attribute"), nb::arg("item"), "Returns (text, weight) of every value of an item.")
        .def("set_bag", &set_bag, nb::arg("attribute"), nb::arg("strings"), nb::arg("codes"), nb::arg("offsets"),
             nb::arg("weights"))
        .def("match_phrases", &match_phrases, nb::arg("attribute"), nb::arg("trie"), nb::arg("lists"), nb::arg("bioes"),
             nb::arg("strings"), nb::arg("codes"), nb::arg("sentences"),
             "Sets B and I of the longest matches of every list; with `bioes`, S, B, I and E of those that begin at a "
             "word with a capital letter or a digit at its beginning.")
        .def("cut_words", &cut_words, nb::arg("attribute"), nb::arg("trie"), nb::arg("backward"), nb::arg("sizes"),
             nb::arg("strings"), nb::arg("codes"), nb::arg("sentences"),
             "Sets S, B, M or E of each token by maximum matching; with `sizes`, single or multiple.")
        .def("find_words", &find_words, nb::arg("attribute"), nb::arg("trie"), nb::arg("at_end"), nb::arg("limit"),
             nb::arg("length_only"), nb::arg("strings"), nb::arg("codes"), nb::arg("sentences"),
             "Finds the words of at most `limit` tokens that begin or end at each token, or only the length of the "
             "longest.")
        .def("find_categories", &find_categories, nb::arg("attribute"), nb::arg("categories"), nb::arg("trie"),
             nb::arg("backward"), nb::arg("n"), nb::arg("strings"), nb::arg("codes"), nb::arg("sentences"),
             "Finds the first n characters of the codes of the word around each token, by maximum matching.")
        .def("find_levels", &find_levels, nb::arg("attribute"), nb::arg("table"), nb::arg("n"), nb::arg("at_end"),
             nb::arg("strings"), nb::arg("codes"), nb::arg("sentences"),
             "Finds the level of the n-gram that begins or ends at each token.")
        .def("find_same", &find_same, nb::arg("attribute"), nb::arg("distance"), nb::arg("strings"), nb::arg("codes"),
             nb::arg("sentences"), "Sets yes where the token at `distance` to the right is the same.")
        .def("find_vectors", &find_vectors, nb::arg("attribute"), nb::arg("vectors"), nb::arg("strings"),
             nb::arg("codes"), nb::arg("sentences"), "Sets the numbers of the vector of every token's word.")
        .def("aggregate_context", &aggregate_context, nb::arg("attribute"), nb::arg("clusters").none(), nb::arg("n"),
             nb::arg("strings"), nb::arg("codes"), nb::arg("sentences"), nb::arg("documents"),
             "Sets what stands around the nearest other occurrences of the word in the document: words, or with "
             "clusters the first `n` bits of them (0: all).")
        .def("find_document_kinds", &find_document_kinds, nb::arg("attribute"), nb::arg("strings"), nb::arg("codes"),
             nb::arg("sentences"), nb::arg("documents"), "Sets the kind of the document of each token.")
        .def("find_sentence_places", &find_sentence_places, nb::arg("attribute"), nb::arg("strings"), nb::arg("codes"),
             nb::arg("sentences"), nb::arg("documents"),
             "Sets the number of the sentence of each token in its document, at most 5.")
        .def("find_sentence_cases", &find_sentence_cases, nb::arg("attribute"), nb::arg("strings"), nb::arg("codes"),
             nb::arg("sentences"), nb::arg("documents"), "Sets how the sentence of each token is written.")
        .def("read_stage", &read_stage, nb::arg("attribute"), nb::arg("what"), nb::arg("labels"),
             nb::arg("label_codes"), nb::arg("offsets"), nb::arg("weights"), nb::arg("strings"), nb::arg("codes"),
             nb::arg("sentences"), nb::arg("documents"),
             "Sets what a first stage predicts in the other sentences of the document for the word (0), the pair of "
             "words (1), the entity (2), longer entities (3) or the cell of a table (4).")
        .def("find_place", &find_place, nb::arg("attribute"), nb::arg("macro"), nb::arg("place"), nb::arg("strings"),
             nb::arg("codes"), nb::arg("sentences"),
             "Sets the value of a macro at a place of the sentence (1: the first word, -1: the last) at every token.");
}

void bind_tables(nb::module_& m) {
    nb::class_<FeatureTable>(m, "FeatureTable", "A map from 64-bit feature keys to rows.")
        .def(
            "__init__",
            [](FeatureTable* self, const Input<Hash>& keys) {
                new (self) FeatureTable(std::vector<Hash>(keys.data(), keys.data() + keys.size()));
            },
            nb::arg("keys"))
        .def_static(
            "hashed", [](std::uint32_t buckets) { return FeatureTable(buckets); }, nb::arg("buckets"))
        .def("__len__", &FeatureTable::size)
        .def_prop_ro("buckets", &FeatureTable::buckets)
        .def(
            "find",
            [](const FeatureTable& self, Hash key) {
                const auto row = self.find(key);
                return row == FeatureTable::none ? std::int64_t{-1} : std::int64_t{row};
            },
            nb::arg("key"), "Returns the row of the key, or -1.")
        .def("keys", [](const FeatureTable& self) {
            auto keys = self.keys();
            return to_numpy(std::move(keys));
        });

    nb::class_<Collection>(m, "Collected", "The features of a training corpus.")
        .def(nb::init<std::size_t, bool>(), nb::arg("buckets") = 0, nb::arg("has_origins") = true,
             "Begins without features. Without origins, features take less memory and have no names.")
        .def(
            "table",
            [](Collection& self, bool edge) -> FeatureTable& { return (edge ? self.edges : self.nodes).table(); },
            nb::arg("edge"), nb::rv_policy::reference_internal)
        .def("take", &take, nb::arg("store"), nb::arg("codes"), nb::arg("sentences"), nb::arg("threads") = 1,
             nb::arg("masks") = nb::none(),
             nb::sig("def take(self, store: AttributeStore, codes: collections.abc.Sequence[NDArray[numpy.int32]], "
                     "sentences: NDArray[numpy.int64], threads: int = 1, masks: NDArray[numpy.uint8] | None = None) "
                     "-> tuple[tuple[NDArray[numpy.int64], "
                     "NDArray[numpy.uint32], NDArray[numpy.float32]], tuple[NDArray[numpy.int64], "
                     "NDArray[numpy.uint32], NDArray[numpy.float32]]]"),
             "Takes a batch and returns (offsets, rows, values) of nodes and of edges. The numbers of rows are "
             "provisional until `finish`.")
        .def("finish", &finish, nb::arg("cutoff"),
             nb::sig("def finish(self, cutoff: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32]]"),
             "Numbers the rows by frequency, once; returns the new number of each row of nodes and of edges, 2^32 - 1 "
             "for those that are rarer than the cut-off. Buckets keep their numbers.")
        .def(
            "take_rows",
            [](Collection& self, bool edge) { return to_arrays(std::move(edge ? self.edge_rows : self.node_rows)); },
            nb::arg("edge"),
            nb::sig("def take_rows(self, edge: bool) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], "
                    "NDArray[numpy.float32]]"),
            "Returns (offsets, rows, values) and moves them out, so it can be called only once.")
        .def("names", &name_features, nb::arg("store"), nb::arg("codes"), nb::arg("sentences"), nb::arg("edge"),
             nb::arg("part_names"), nb::arg("rows"),
             nb::sig("def names(self, store: AttributeStore, codes: collections.abc.Sequence[NDArray[numpy.int32]], "
                     "sentences: NDArray[numpy.int64], edge: bool, part_names: "
                     "collections.abc.Sequence[collections.abc.Sequence[str]], "
                     "rows: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.uint8], NDArray[numpy.int64]]"),
             "Returns the texts of some features as (bytes, offsets).");

    m.def("collect_features", &collect, nb::arg("store"), nb::arg("codes"), nb::arg("sentences"), nb::arg("cutoff"),
          nb::arg("buckets"), nb::arg("threads") = 1, nb::arg("masks") = nb::none(),
          "Collects the features of a whole corpus. The number of threads changes nothing. `masks` are those of all "
          "tokens, copy after copy: every sentence is collected in as many copies, one after the other.");
    m.def("rename_rows", &rename, nb::arg("offsets"), nb::arg("rows"), nb::arg("values"), nb::arg("new_row"),
          nb::sig("def rename_rows(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], values: "
                  "NDArray[numpy.float32], new_row: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], "
                  "NDArray[numpy.uint32], NDArray[numpy.float32]]"),
          "Returns rows with the numbers that `Collected.finish` gave; those without one are dropped.");
    m.def("encode", &encode, nb::arg("store"), nb::arg("codes"), nb::arg("sentences"), nb::arg("nodes"),
          nb::arg("edges"), nb::arg("threads") = 1, nb::arg("masks") = nb::none(),
          nb::sig("def encode(store: AttributeStore, codes: collections.abc.Sequence[NDArray[numpy.int32]], sentences: "
                  "NDArray[numpy.int64], "
                  "nodes: FeatureTable, edges: FeatureTable, threads: int = 1, masks: NDArray[numpy.uint8] | None = "
                  "None) -> tuple[tuple[NDArray[numpy.int64], "
                  "NDArray[numpy.uint32], NDArray[numpy.float32]], "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]]"),
          "Returns the node and edge features of a batch as (offsets, rows, values); unknown features are dropped.");
}

}  // namespace

void bind_features(nb::module_& m) {
    bind_resources(m);
    bind_encoder(m);
    bind_store(m);
    bind_tables(m);
}
