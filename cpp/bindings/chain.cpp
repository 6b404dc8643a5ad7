// Bindings of the structure "chain": layout, masks, encoded sentences.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "objects.hpp"
#include "tagloom/fast/memory.hpp"
#include "tagloom/transition/search_settings.hpp"
#include "training.hpp"

using namespace tagloom;

namespace {

using Flags = Input<std::uint8_t>;

void init_chain(ChainObject* self, std::size_t labels, std::size_t node_rows, bool has_transitions,
                const Input<std::int64_t>& edge_offsets, const Input<std::uint32_t>& edge_pairs, const Flags& start,
                const Flags& end, const Flags& pairs, bool has_triples) {
    if (labels == 0 || labels > 4096) refuse("a chain must have 1 to 4096 labels");
    if (has_triples && labels > 512) refuse("label triples are limited to 512 labels");
    if (node_rows > FeatureTable::none || node_rows + labels + edge_offsets.size() > FeatureTable::none)
        refuse("a chain must have fewer than 2^32 features");
    if (start.size() != labels || end.size() != labels || pairs.size() != labels * labels)
        refuse("masks do not fit the number of labels");
    check_offsets(view(edge_offsets), edge_pairs.size(), "edge offsets do not span the pairs");
    for (const std::uint32_t pair : view(edge_pairs))
        if (pair >= labels * labels) refuse("label pair out of range");
    new (self) ChainObject{{edge_offsets.data(), edge_offsets.data() + edge_offsets.size()},
                           {edge_pairs.data(), edge_pairs.data() + edge_pairs.size()},
                           {},
                           ChainMask<float>(labels, view(start), view(end), view(pairs)),
                           ChainMask<double>(labels, view(start), view(end), view(pairs))};
    self->layout = {labels,           padded(labels), node_rows, has_transitions, self->edge_offsets,
                    self->edge_pairs, has_triples};
}

void check_labels(std::span<const Label> gold, std::size_t labels) {
    for (const Label label : gold)
        if (label < 0 || static_cast<std::size_t>(label) >= labels) refuse("gold label out of range");
}

// Returns the node rows with a weight other than zero, and the weights without the other rows; None if none is dropped,
// because weights are large and need not be copied then.
nb::object compact_rows(const ChainObject& chain, const Input<float>& weights) {
    const ChainLayout& layout = chain.layout;
    if (weights.size() != layout.size()) refuse("weights do not fit the chain");
    const auto weights_of = [&](std::size_t row) { return weights.data() + row * layout.stride; };
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < layout.node_rows; ++row)
        if (std::any_of(weights_of(row), weights_of(row) + layout.labels, [](float w) { return w != 0; }))
            rows.push_back(static_cast<std::uint32_t>(row));
    if (rows.size() == layout.node_rows) return nb::make_tuple(to_numpy(std::move(rows)), nb::none());
    BigVector<float> kept;
    kept.reserve((rows.size() + layout.labels) * layout.stride);  // growing would take twice the memory
    for (const std::uint32_t row : rows) kept.insert(kept.end(), weights_of(row), weights_of(row) + layout.stride);
    kept.insert(kept.end(), weights.data() + layout.transition_begin(), weights.data() + layout.edge_begin());
    return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(kept)));
}

// Finds the label pairs that an edge feature gets weights for: the pairs seen with it in the gold labels, or all pairs.
// The first label of a pair is the one decided before: that of the token to the left or, backwards, that of the token
// to the right.
nb::object edge_support(const Input<std::int64_t>& offsets, const Input<std::uint32_t>& rows,
                        const Input<std::int64_t>& sentences, const Input<Label>& gold, std::size_t labels,
                        std::size_t features, bool all, bool is_backwards) {
    if (labels > 4096 || features > FeatureTable::none)
        refuse("a chain must have at most 4096 labels and fewer than 2^32 features");
    const SparseView edges = SparseArrays{offsets, rows, {}}.view_checked(gold.size(), features);
    check_offsets(view(sentences), gold.size(), "sentence offsets do not span the tokens");
    check_labels(view(gold), labels);
    std::vector<std::uint64_t> seen;  // feature * L^2 + pair
    const std::uint64_t pairs = labels * labels;
    if (all) {
        for (std::uint64_t i = 0; i < features * pairs; ++i) seen.push_back(i);
    } else {
        for (std::size_t s = 0; s + 1 < sentences.size(); ++s)
            for (auto t = static_cast<std::size_t>(sentences(s)) + 1; t < static_cast<std::size_t>(sentences(s + 1));
                 ++t) {
                const std::size_t before = is_backwards ? t : t - 1, here = is_backwards ? t - 1 : t;
                const std::uint64_t pair =
                    static_cast<std::uint64_t>(gold(before)) * labels + static_cast<std::uint64_t>(gold(here));
                for (std::size_t i = edges.begin(here); i < edges.end(here); ++i)
                    seen.push_back(edges.rows[i] * pairs + pair);
            }
        std::sort(seen.begin(), seen.end());
        seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    }
    std::vector<std::int64_t> ends(features + 1, 0);
    std::vector<std::uint32_t> found;
    for (const std::uint64_t key : seen) {
        ++ends[key / pairs + 1];
        found.push_back(static_cast<std::uint32_t>(key % pairs));
    }
    for (std::size_t f = 0; f < features; ++f) ends[f + 1] += ends[f];
    return nb::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(found)));
}

ChainData checked_data(std::shared_ptr<ChainObject> chain, SparseArrays nodes, SparseArrays edges,
                       const Input<std::int64_t>& sentences, const Input<Label>& gold) {
    const std::size_t tokens = nodes.offsets.size() - 1;
    check_offsets(view(sentences), tokens, "sentence offsets do not span the tokens");
    if (gold.size() != tokens && gold.size() != 0) refuse("expected one gold label per token");
    check_labels(view(gold), chain->layout.labels);
    const SparseView node_view = nodes.view_checked(tokens, chain->layout.node_rows);
    const SparseView edge_view = edges.view_checked(tokens, chain->edge_offsets.size() - 1);
    return {
        std::move(chain), std::move(nodes), std::move(edges), sentences, gold, {node_view, edge_view, view(sentences)}};
}

template <class T>
Input<T> owned(std::vector<T>&& values) {
    return Input<T>(to_numpy(std::move(values)));
}

// Copies the sparse rows of some tokens.
class RowCopier {
public:
    explicit RowCopier(const SparseView& from) : from_(from) {}

    void copy(std::size_t token) {
        for (std::size_t i = from_.begin(token); i < from_.end(token); ++i) {
            rows.push_back(from_.rows[i]);
            if (!from_.values.empty()) values_.push_back(from_.values[i]);
        }
        offsets_.push_back(static_cast<std::int64_t>(rows.size()));
    }
    SparseArrays take() { return {owned(std::move(offsets_)), owned(std::move(rows)), owned(std::move(values_))}; }

    std::vector<std::uint32_t> rows;

private:
    const SparseView from_;
    std::vector<std::int64_t> offsets_{0};
    std::vector<float> values_;
};

// Numbers the rows that occur from 0, in their order, and returns how many there are.
std::size_t renumber(std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& more) {
    std::vector<std::uint32_t> distinct = rows;
    distinct.insert(distinct.end(), more.begin(), more.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (auto* part : {&rows, &more})
        for (std::uint32_t& row : *part)
            row =
                static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), row) - distinct.begin());
    return distinct.size();
}

// Some sentences of other data, copied.
class SentenceCopier {
public:
    SentenceCopier(const ChainData& data, const Input<std::int64_t>& order)
        : nodes(data.input.nodes),
          edges(data.input.edges),
          segments({data.input.segments.offsets, data.input.segments.rows, {}}) {
        if (data.gold.size() + 1 != data.nodes.offsets.size())
            refuse("only sentences with gold labels can be selected");
        for (const std::int64_t sentence : view(order)) {
            if (sentence < 0 || sentence >= static_cast<std::int64_t>(data.sentences.size()) - 1)
                refuse("sentence out of range");
            copy(data, static_cast<std::size_t>(sentence));
        }
    }

    ChainData take(std::shared_ptr<ChainObject> chain) {
        return checked_data(std::move(chain), nodes.take(), edges.take(), owned(std::move(bounds_)),
                            owned(std::move(gold_)));
    }
    Input<std::uint8_t> take_breaks() { return owned(std::move(breaks_)); }
    SegmentArrays take_segments(const SegmentArrays& from) {
        if (from.longest == 0) return {};
        SparseArrays rows = segments.take();
        return {from.longest, rows.offsets, rows.rows, from.roles};
    }

    RowCopier nodes, edges, segments;  // segments have `longest` rows per token

private:
    void copy(const ChainData& data, std::size_t s) {
        for (std::size_t t = data.input.begin(s); t < data.input.begin(s) + data.input.length(s); ++t) {
            nodes.copy(t), edges.copy(t);
            for (std::size_t n = 0; n < data.segments.longest; ++n) segments.copy(t * data.segments.longest + n);
            gold_.push_back(data.gold(t));
            if (data.breaks.size() != 0) breaks_.push_back(data.breaks(t));
        }
        bounds_.push_back(static_cast<std::int64_t>(gold_.size()));
    }

    std::vector<std::int64_t> bounds_{0};
    std::vector<Label> gold_;
    std::vector<std::uint8_t> breaks_;
};

// Returns some sentences as separate data, with a chain that has only the node features that occur in them.
nb::object sample(const ChainData& data, const Input<std::int64_t>& order) {
    SentenceCopier copier(data, order);
    auto chain = std::make_shared<ChainObject>(*data.chain);
    chain->layout.edge_offsets = chain->edge_offsets, chain->layout.edge_pairs = chain->edge_pairs;
    chain->layout.node_rows = renumber(copier.nodes.rows, copier.segments.rows);
    ChainData out = copier.take(chain);
    out.set_segments(copier.take_segments(data.segments));
    return nb::make_tuple(chain, out);
}

void set_breaks(ChainData& data, const Input<std::uint8_t>& breaks) {
    if (breaks.size() != data.gold.size() && breaks.size() != 0) refuse("expected one flag per token");
    data.breaks = breaks;
    data.input.breaks = view(data.breaks);
}

// Returns some sentences as separate data of the same chain.
ChainData select_sentences(const ChainData& data, const Input<std::int64_t>& order) {
    SentenceCopier copier(data, order);
    ChainData out = copier.take(data.chain);
    set_breaks(out, copier.take_breaks());
    out.set_segments(copier.take_segments(data.segments));
    return out;
}

// Returns the same sentences with features of segments.
ChainData add_segments(const ChainData& data, std::size_t longest, const Input<std::int64_t>& offsets,
                       const Input<std::uint32_t>& rows, const Input<Label>& roles) {
    if (data.breaks.size() != 0) refuse("segments are found in sentences, not in documents");
    if (data.edges.rows.size() != 0) refuse("segments do not go with features of label pairs");
    if (longest == 0) refuse("the longest segment must have 2 to 1000 tokens");
    ChainData out = data;
    out.set_segments({longest, offsets, rows, roles});
    return out;
}

// -- pickling --

template <class T>
Array<T> to_array(std::span<const T> values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
}

// The flags that a mask was made of: rows of `labels` scores, each padded to the stride.
Array<std::uint8_t> to_flags(const std::vector<float>& scores, std::size_t labels) {
    std::vector<std::uint8_t> flags;
    for (std::size_t row = 0; row < scores.size(); row += padded(labels))
        for (std::size_t y = 0; y < labels; ++y) flags.push_back(scores[row + y] == 0);
    return to_numpy(std::move(flags));
}

nb::tuple get_chain(const ChainObject& self) {
    const ChainLayout& layout = self.layout;
    const ChainMask<float>& mask = self.mask_f32;
    return nb::make_tuple(layout.labels, layout.node_rows, layout.has_transitions, to_array(layout.edge_offsets),
                          to_array(layout.edge_pairs), to_flags(mask.start, layout.labels),
                          to_flags(mask.end, layout.labels), to_flags(mask.transitions, layout.labels),
                          layout.has_triples);
}

using ChainState =
    std::tuple<std::size_t, std::size_t, bool, Input<std::int64_t>, Input<std::uint32_t>, Flags, Flags, Flags, bool>;

void set_chain(ChainObject& self, const ChainState& state) {
    std::apply([&](const auto&... parts) { init_chain(&self, parts...); }, state);
}

nb::tuple get_data(const ChainData& self) {
    const ChainInput& input = self.input;
    return nb::make_tuple(self.chain, to_array(input.nodes.offsets), to_array(input.nodes.rows),
                          to_array(input.nodes.values), to_array(input.edges.offsets), to_array(input.edges.rows),
                          to_array(input.edges.values), to_array(input.sentences), to_array(view(self.gold)),
                          to_array(input.breaks), self.segments.longest, to_array(input.segments.offsets),
                          to_array(input.segments.rows), to_array(view(self.segments.roles)));
}

using DataState = std::tuple<std::shared_ptr<ChainObject>, Input<std::int64_t>, Input<std::uint32_t>, Input<float>,
                             Input<std::int64_t>, Input<std::uint32_t>, Input<float>, Input<std::int64_t>, Input<Label>,
                             Input<std::uint8_t>, std::size_t, Input<std::int64_t>, Input<std::uint32_t>, Input<Label>>;

void set_data(ChainData& self, const DataState& state) {
    const auto& [chain, node_offsets, node_rows, node_values, edge_offsets, edge_rows, edge_values, sentences, gold,
                 breaks, longest, segment_offsets, segment_rows, roles] = state;
    new (&self) ChainData(checked_data(chain, {node_offsets, node_rows, node_values},
                                       {edge_offsets, edge_rows, edge_values}, sentences, gold));
    set_breaks(self, breaks);
    self.set_segments({longest, segment_offsets, segment_rows, roles});
}

nb::tuple get_counts(const GoldCountsObject& self) {
    const GoldCounts::State state = self.counts.state();
    return nb::make_tuple(self.chain, self.counts.is_backwards(), state.tokens, to_array<std::uint64_t>(state.offsets),
                          to_array<std::uint32_t>(state.entries), to_array<std::uint32_t>(state.histories));
}

using CountsState = std::tuple<std::shared_ptr<ChainObject>, bool, std::size_t, Input<std::uint64_t>,
                               Input<std::uint32_t>, Input<std::uint32_t>>;

void set_counts(GoldCountsObject& self, const CountsState& state) {
    const auto& [chain, is_backwards, tokens, offsets, entries, histories] = state;
    new (&self) GoldCountsObject(chain, is_backwards);
    const auto copy = [](const auto& array) { return std::vector(array.data(), array.data() + array.size()); };
    self.counts.restore({tokens, copy(offsets), copy(entries), copy(histories)});
}

}  // namespace

void bind_chain(nb::module_& m) {
    nb::class_<SearchSettings>(
        m, "SearchSettings",
        "How a history-based model searches: by lookahead or with a beam, from left to right or backwards.")
        .def(
            "__init__",
            [](SearchSettings* self, std::size_t depth, double margin, std::size_t beam, bool max_violation,
               bool is_backwards, bool is_normalised) {
                if (!(margin >= 0 && margin <= 1e15)) refuse("a margin must be a number from 0 to 1e15");
                if (depth > 1000 || beam > 100000) refuse("depth must be at most 1000, beam at most 100000");
                if (is_normalised && beam == 0) refuse("a normalised search needs a beam");
                new (self) SearchSettings{depth,        margin,
                                          beam,         max_violation ? BeamUpdate::max_violation : BeamUpdate::early,
                                          is_backwards, is_normalised};
            },
            nb::kw_only(), nb::arg("depth") = 0, nb::arg("margin") = 0.0, nb::arg("beam") = 0,
            nb::arg("max_violation") = true, nb::arg("is_backwards") = false, nb::arg("is_normalised") = false);

    nb::class_<ChainObject>(
        m, "Chain", "A model with one label per token: the layout of its weights and the allowed label sequences.")
        .def("__init__", &init_chain, nb::arg("labels"), nb::arg("node_rows"), nb::arg("has_transitions"),
             nb::arg("edge_offsets"), nb::arg("edge_pairs"), nb::arg("start"), nb::arg("end"), nb::arg("pairs"),
             nb::arg("has_triples") = false)
        .def_prop_ro("has_triples", [](const ChainObject& self) { return self.layout.has_triples; })
        .def_prop_ro("triple_begin", [](const ChainObject& self) { return self.layout.triple_begin(); })
        .def_prop_ro("labels", [](const ChainObject& self) { return self.layout.labels; })
        .def_prop_ro("stride", [](const ChainObject& self) { return self.layout.stride; })
        .def_prop_ro("node_rows", [](const ChainObject& self) { return self.layout.node_rows; })
        .def_prop_ro("transition_begin", [](const ChainObject& self) { return self.layout.transition_begin(); })
        .def_prop_ro("edge_begin", [](const ChainObject& self) { return self.layout.edge_begin(); })
        .def_prop_ro(
            "size", [](const ChainObject& self) { return self.layout.size(); }, "Number of weights.")
        .def("__getstate__", &get_chain, nb::sig("def __getstate__(self) -> tuple[Any, ...]"))
        .def("__setstate__", &set_chain);

    m.def("compact_rows", &compact_rows, nb::arg("chain"), nb::arg("weights"),
          nb::sig("def compact_rows(chain: Chain, weights: NDArray[numpy.float32]) -> tuple[NDArray[numpy.uint32], "
                  "NDArray[numpy.float32] | None]"),
          "Returns the node rows that are not zero, and their weights with the transitions but without the edge "
          "weights; None if all rows stay.");
    m.def("edge_support", &edge_support, nb::arg("offsets"), nb::arg("rows"), nb::arg("sentences"), nb::arg("gold"),
          nb::arg("labels"), nb::arg("features"), nb::arg("all"), nb::arg("is_backwards") = false,
          nb::sig("def edge_support(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], sentences: "
                  "NDArray[numpy.int64], "
                  "gold: NDArray[numpy.int32], labels: int, features: int, all: bool, is_backwards: bool = False) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"));

    nb::class_<GoldCountsObject>(m, "GoldCounts", "How often features and label pairs occur with the gold labels.")
        .def(nb::init<std::shared_ptr<ChainObject>, bool>(), nb::arg("chain"), nb::arg("is_backwards") = false)
        .def("add", &GoldCountsObject::add, nb::arg("data"), "Adds the counts of further data of the same chain.")
        .def("__getstate__", &get_counts, nb::sig("def __getstate__(self) -> tuple[Any, ...]"))
        .def("__setstate__", &set_counts);

    nb::class_<ChainData> chain_data(m, "ChainData", "Encoded sentences of a chain, with or without gold labels.");
    chain_data.def(
        "__init__",
        [](ChainData* self, std::shared_ptr<ChainObject> chain, const Input<std::int64_t>& node_offsets,
           const Input<std::uint32_t>& node_rows, const Input<float>& node_values,
           const Input<std::int64_t>& edge_offsets, const Input<std::uint32_t>& edge_rows,
           const Input<float>& edge_values, const Input<std::int64_t>& sentences, const Input<Label>& gold) {
            new (self) ChainData(checked_data(std::move(chain), {node_offsets, node_rows, node_values},
                                              {edge_offsets, edge_rows, edge_values}, sentences, gold));
        },
        nb::arg("chain"), nb::arg("node_offsets"), nb::arg("node_rows"), nb::arg("node_values"),
        nb::arg("edge_offsets"), nb::arg("edge_rows"), nb::arg("edge_values"), nb::arg("sentences"), nb::arg("gold"));
    chain_data.def(
        "sample", &sample, nb::arg("order"),
        nb::sig("def sample(self, order: NDArray[numpy.int64]) -> tuple[Chain, ChainData]"),
        "Returns some of the sentences as separate data, with a chain of only the node features that occur in them.");
    chain_data.def("select", &select_sentences, nb::arg("order"),
                   nb::sig("def select(self, order: NDArray[numpy.int64]) -> ChainData"),
                   "Returns some of the sentences as separate data of the same chain.");
    chain_data.def("with_segments", &add_segments, nb::arg("longest"), nb::arg("offsets"), nb::arg("rows"),
                   nb::arg("roles"),
                   nb::sig("def with_segments(self, longest: int, offsets: NDArray[numpy.int64], rows: "
                           "NDArray[numpy.uint32], roles: NDArray[numpy.int32]) -> ChainData"),
                   "Returns the same sentences with features of segments; `roles` are the labels (first, inner, last, "
                   "single) of every type, -1 for none.");
    chain_data.def("__getstate__", &get_data, nb::sig("def __getstate__(self) -> tuple[Any, ...]"))
        .def("__setstate__", &set_data);
}
