// Bindings of the features of segments: templates, keys, rows.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "objects.hpp"
#include "tagloom/segments/segment_features.hpp"

using namespace tagloom;

namespace {

using Part = std::pair<std::uint32_t, std::size_t>;                      // place, source
using Template = std::pair<Hash, std::vector<Part>>;                     // seed, parts
using Attribute = std::pair<Input<std::int64_t>, Input<std::uint32_t>>;  // offsets and values of every token
using Entries = std::tuple<Input<std::int64_t>, Input<std::uint32_t>, Input<std::uint64_t>>;  // offsets, lengths, sets

// Keeps the arrays alive that the source looks at.
struct SegmentFeatures {
    Input<std::int64_t> sentences;
    std::vector<Entries> entries;
    SegmentSource source;

    std::size_t tokens() const noexcept { return static_cast<std::size_t>(source.sentences.back()); }
};

std::vector<Hash> hash_values(const Attribute& attribute, std::size_t tokens) {
    const auto offsets = view(attribute.first);
    const auto values = view(attribute.second);
    if (offsets.size() != tokens + 1) refuse("expected the values of one attribute per token");
    check_offsets(offsets, values.size(), "offsets do not span the values");
    std::vector<Hash> out(tokens, 0);
    for (std::size_t token = 0; token < tokens; ++token)
        for (auto i = static_cast<std::size_t>(offsets[token]); i < static_cast<std::size_t>(offsets[token + 1]); ++i)
            out[token] = mix(out[token] + 1, values[i]);
    return out;
}

ListEntries checked_entries(const Entries& entries, std::size_t tokens) {
    const auto& [offsets, lengths, sets] = entries;
    if (offsets.size() != tokens + 1 || lengths.size() != sets.size()) refuse("entries do not fit the tokens");
    check_offsets(view(offsets), lengths.size(), "offsets do not span the entries");
    return {view(offsets), view(lengths), view(sets)};
}

void init_features(SegmentFeatures* self, const std::vector<Template>& templates,
                   const std::vector<Attribute>& attributes, std::vector<Entries> entries,
                   const Input<std::int64_t>& sentences) {
    const std::size_t tokens =
        sentences.size() == 0 ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(0, view(sentences).back()));
    check_offsets(view(sentences), tokens, "sentence offsets do not span the tokens");
    SegmentSource source;
    source.sentences = view(sentences);
    for (const auto& [seed, parts] : templates) {
        SegmentTemplate& own = source.templates.emplace_back();
        own.seed = seed;
        for (const auto& [place, number] : parts) {
            if (place > static_cast<std::uint32_t>(SegmentPlace::entry)) refuse("unknown place in a segment");
            const auto kind = static_cast<SegmentPlace>(place);
            const std::size_t sources = kind == SegmentPlace::entry ? entries.size() : attributes.size();
            if (kind != SegmentPlace::length && number >= sources) refuse("a template has an unknown source");
            own.parts.push_back({kind, number});
        }
    }
    for (const Attribute& attribute : attributes) source.attributes.push_back(hash_values(attribute, tokens));
    for (const Entries& each : entries) source.entries.push_back(checked_entries(each, tokens));
    new (self) SegmentFeatures{sentences, std::move(entries), std::move(source)};
}

// Calls visit(extractor's key) for the features of some segments, in their order.
template <class Visit>
void visit_segments(const SegmentFeatures& self, const Input<std::int64_t>& starts, const Input<std::int64_t>& stops,
                    Visit visit) {
    if (starts.size() != stops.size()) refuse("expected one end per segment");
    SegmentExtractor extractor(self.source);
    const auto sentences = self.source.sentences;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        if (starts(i) < 0 || starts(i) >= stops(i) || stops(i) > sentences.back()) refuse("segment out of range");
        const auto after = std::upper_bound(sentences.begin(), sentences.end(), starts(i));
        if (stops(i) > *after) refuse("a segment goes beyond its sentence");
        const auto first = static_cast<std::size_t>(starts(i)), tokens = static_cast<std::size_t>(stops(i)) - first;
        extractor.for_each_key(static_cast<std::size_t>(*(after - 1)), static_cast<std::size_t>(*after), first, tokens,
                               tokens, [&](std::size_t, std::size_t k, Hash key) { visit(k, key); });
    }
}

nb::object find_keys(const SegmentFeatures& self, const Input<std::int64_t>& starts, const Input<std::int64_t>& stops) {
    std::vector<Hash> keys;
    std::vector<std::uint32_t> templates;
    visit_segments(self, starts, stops, [&](std::size_t k, Hash key) {
        keys.push_back(key), templates.push_back(static_cast<std::uint32_t>(k));
    });
    return nb::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(templates)));
}

nb::object find_rows(const SegmentFeatures& self, std::size_t longest, const FeatureTable& table, std::size_t first_row,
                     std::size_t threads) {
    if (longest < 2 || longest > 1000) refuse("the longest segment must have 2 to 1000 tokens");
    if (first_row + table.size() > FeatureTable::none) refuse("expected fewer than 2^32 features");
    SegmentRows found;
    {
        nb::gil_scoped_release release;
        found = find_segment_rows(self.source, table, longest, first_row, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.rows)));
}

}  // namespace

void bind_segments(nb::module_& m) {
    nb::class_<SegmentFeatures>(m, "SegmentFeatures",
                                "Features of the segments of some sentences: (seed, [(place, source)]) of every "
                                "template; (offsets, values) of every attribute; (offsets, lengths, sets) of the "
                                "entries of every resource.")
        .def("__init__", &init_features, nb::arg("templates"), nb::arg("attributes"), nb::arg("entries"),
             nb::arg("sentences"),
             nb::sig("def __init__(self, templates: collections.abc.Sequence[tuple[int, "
                     "collections.abc.Sequence[tuple[int, int]]]], attributes: "
                     "collections.abc.Sequence[tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]], entries: "
                     "collections.abc.Sequence[tuple[NDArray[numpy.int64], NDArray[numpy.uint32], "
                     "NDArray[numpy.uint64]]], sentences: NDArray[numpy.int64]) -> None"))
        .def_prop_ro("tokens", &SegmentFeatures::tokens)
        .def("keys", &find_keys, nb::arg("starts"), nb::arg("stops"),
             nb::sig("def keys(self, starts: NDArray[numpy.int64], stops: NDArray[numpy.int64]) -> "
                     "tuple[NDArray[numpy.uint64], NDArray[numpy.uint32]]"),
             "Returns the keys of the features of some segments, and the templates that they come from.")
        .def("rows", &find_rows, nb::arg("longest"), nb::arg("table"), nb::arg("first_row"), nb::arg("threads"),
             nb::sig("def rows(self, longest: int, table: FeatureTable, first_row: int, threads: int) -> "
                     "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"),
             "Returns (offsets, rows) of all segments of at most `longest` tokens: segment (first token) * longest + "
             "(tokens - 1).");
}
