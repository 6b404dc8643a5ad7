// Structure "chain": layout, masks, encoded sentences, decoding, marginals.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "objects.hpp"
#include "tagloom/beam_nbest.hpp"
#include "tagloom/conditional.hpp"
#include "tagloom/decode.hpp"
#include "tagloom/history_based.hpp"
#include "tagloom/posterior.hpp"

using namespace tagloom;

namespace {

using Flags = Input<std::uint8_t>;

void init_chain(ChainObject* self, std::size_t labels, std::size_t node_rows, bool has_transitions,
                const Input<std::int64_t>& edge_offsets, const Input<std::uint32_t>& edge_pairs, const Flags& start,
                const Flags& end, const Flags& pairs, bool has_triples) {
    if (labels == 0 || labels > 4096) throw nb::value_error("a chain has 1 to 4096 labels");
    if (has_triples && labels > 512) throw nb::value_error("triples are of 512 labels at most");
    if (node_rows > FeatureTable::none || node_rows + labels + edge_offsets.size() > FeatureTable::none) throw nb::value_error("a chain has less than 2^32 features");
    if (start.size() != labels || end.size() != labels || pairs.size() != labels * labels)
        throw nb::value_error("masks do not fit the number of labels");
    check_offsets(view(edge_offsets), edge_pairs.size(), "edge offsets do not span the pairs");
    for (const std::uint32_t pair : view(edge_pairs))
        if (pair >= labels * labels) throw nb::value_error("label pair out of range");
    new (self) ChainObject{{edge_offsets.data(), edge_offsets.data() + edge_offsets.size()},
                           {edge_pairs.data(), edge_pairs.data() + edge_pairs.size()},
                           {},
                           ChainMask<float>(labels, view(start), view(end), view(pairs)),
                           ChainMask<double>(labels, view(start), view(end), view(pairs))};
    self->layout = {labels, padded(labels), node_rows, has_transitions, self->edge_offsets, self->edge_pairs, has_triples};
}

void check_labels(std::span<const Label> gold, std::size_t labels) {
    for (const Label label : gold)
        if (label < 0 || static_cast<std::size_t>(label) >= labels) throw nb::value_error("gold label out of range");
}

// Node rows with a weight other than zero, and the weights without the other rows.
nb::object compact_rows(const ChainObject& chain, const Input<float>& weights) {
    const ChainLayout& layout = chain.layout;
    if (weights.size() != layout.size()) throw nb::value_error("weights do not fit the chain");
    const auto weights_of = [&](std::size_t row) { return weights.data() + row * layout.stride; };
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < layout.node_rows; ++row)
        if (std::any_of(weights_of(row), weights_of(row) + layout.labels, [](float w) { return w != 0; }))
            rows.push_back(static_cast<std::uint32_t>(row));
    BigVector<float> kept;
    kept.reserve((rows.size() + layout.labels) * layout.stride);  // growing would take twice the memory
    for (const std::uint32_t row : rows) kept.insert(kept.end(), weights_of(row), weights_of(row) + layout.stride);
    kept.insert(kept.end(), weights.data() + layout.transition_begin(), weights.data() + layout.edge_begin());
    return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(kept)));
}

// Label pairs an edge feature gets weights for: those seen with it in the gold labels, or all. The first of a pair is the
// label decided before: of the token to the left or, backwards, of the token to the right.
nb::object edge_support(const Input<std::int64_t>& offsets, const Input<std::uint32_t>& rows,
                        const Input<std::int64_t>& sentences, const Input<Label>& gold, std::size_t labels,
                        std::size_t features, bool all, bool is_backwards) {
    if (labels > 4096 || features > FeatureTable::none) throw nb::value_error("a chain has at most 4096 labels and less than 2^32 features");
    const SparseView edges = SparseArrays{offsets, rows, {}}.view_checked(gold.size(), features);
    check_offsets(view(sentences), gold.size(), "sentence offsets do not span the tokens");
    check_labels(view(gold), labels);
    std::vector<std::uint64_t> seen;  // feature * L^2 + pair
    const std::uint64_t pairs = labels * labels;
    if (all) {
        for (std::uint64_t i = 0; i < features * pairs; ++i) seen.push_back(i);
    } else {
        for (std::size_t s = 0; s + 1 < sentences.size(); ++s)
            for (auto t = static_cast<std::size_t>(sentences(s)) + 1; t < static_cast<std::size_t>(sentences(s + 1)); ++t) {
                const std::size_t before = is_backwards ? t : t - 1, here = is_backwards ? t - 1 : t;
                const std::uint64_t pair = static_cast<std::uint64_t>(gold(before)) * labels + static_cast<std::uint64_t>(gold(here));
                for (std::size_t i = edges.begin(here); i < edges.end(here); ++i) seen.push_back(edges.rows[i] * pairs + pair);
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
    if (gold.size() != tokens && gold.size() != 0) throw nb::value_error("a gold label a token is needed");
    check_labels(view(gold), chain->layout.labels);
    const SparseView node_view = nodes.view_checked(tokens, chain->layout.node_rows);
    const SparseView edge_view = edges.view_checked(tokens, chain->edge_offsets.size() - 1);
    return {std::move(chain), std::move(nodes), std::move(edges), sentences, gold, {node_view, edge_view, view(sentences)}};
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
    const SparseView& from_;
    std::vector<std::int64_t> offsets_{0};
    std::vector<float> values_;
};

// Numbers the rows that occur from 0, in their order, and returns how many there are.
std::size_t renumber(std::vector<std::uint32_t>& rows) {
    std::vector<std::uint32_t> distinct = rows;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::uint32_t& row : rows)
        row = static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), row) - distinct.begin());
    return distinct.size();
}

// Some sentences as data of their own, with a chain that has only the node features that occur in them.
nb::object sample(const ChainData& data, const Input<std::int64_t>& order) {
    if (data.gold.size() + 1 != data.nodes.offsets.size()) throw nb::value_error("a sample needs gold labels");
    RowCopier nodes(data.input.nodes), edges(data.input.edges);
    std::vector<std::int64_t> bounds{0};
    std::vector<Label> gold;
    for (const std::int64_t sentence : view(order)) {
        if (sentence < 0 || sentence >= static_cast<std::int64_t>(data.sentences.size()) - 1) throw nb::value_error("sentence out of range");
        const auto s = static_cast<std::size_t>(sentence);
        for (std::size_t t = data.input.begin(s); t < data.input.begin(s) + data.input.length(s); ++t) {
            nodes.copy(t), edges.copy(t);
            gold.push_back(data.gold(t));
        }
        bounds.push_back(static_cast<std::int64_t>(gold.size()));
    }
    auto chain = std::make_shared<ChainObject>(*data.chain);
    chain->layout.edge_offsets = chain->edge_offsets, chain->layout.edge_pairs = chain->edge_pairs;
    chain->layout.node_rows = renumber(nodes.rows);
    return nb::make_tuple(chain, checked_data(chain, nodes.take(), edges.take(), owned(std::move(bounds)), owned(std::move(gold))));
}

template <class Real>
ChainModel<Real> checked_model(const ChainObject& chain, const Input<Real>& weights) {
    if (weights.size() != chain.layout.size()) throw nb::value_error("weights do not fit the chain");
    return {chain.layout, chain.mask<Real>(), weights.data()};
}

template <class Real>
nb::object to_arrays(Decoded<Real>&& decoded) {
    return nb::make_tuple(to_numpy(std::move(decoded.labels)), to_numpy(std::move(decoded.scores)));
}

// Probabilities are of sentences: between those of a document, pairs of labels are not scored.
void check_sentences(const ChainData& data) {
    if (data.breaks.size() != 0) throw nb::value_error("probabilities are of sentences, not of documents");
}

void check_allowed(const ChainData& data, const Flags& allowed) {
    if (allowed.size() != 0 && allowed.size() != static_cast<std::size_t>(data.input.sentences.back()) * data.chain->layout.labels)
        throw nb::value_error("constraints do not fit the sentences");
}

template <class Real>
nb::object decode_allowed(const ChainData& data, const Input<Real>& weights, const Flags& allowed, std::size_t threads) {
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        decoded = decode_encoded(model, data.input, view(allowed), threads, [&] { return ChainDecoder<Real>(model); });
    }
    return to_arrays(std::move(decoded));
}

template <class Real>
nb::object decode_data(const ChainData& data, const Input<Real>& weights, std::size_t threads) {
    return decode_allowed<Real>(data, weights, {}, threads);
}

template <class Real>
nb::object posterior_labels(const ChainData& data, const Input<Real>& weights, const Flags& allowed, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        decoded = decode_posterior(model, data.input, view(allowed), threads);
    }
    return to_arrays(std::move(decoded));
}

template <class Real>
nb::object marginals(const ChainData& data, const Input<Real>& weights, const Flags& allowed, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    TokenMarginals<Real> found;
    {
        nb::gil_scoped_release release;
        found = find_marginals(model, data.input, view(allowed), threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.probabilities)), to_numpy(std::move(found.log_z)));
}

template <class Real>
Array<double> gold_log_probabilities(const ChainData& data, const Input<Real>& weights, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    if (data.gold.size() + 1 != data.nodes.offsets.size()) throw nb::value_error("probabilities need gold labels");
    std::vector<double> found;
    {
        nb::gil_scoped_release release;
        found = log_probabilities(model, data.input, view(data.gold), threads);
    }
    return to_numpy(std::move(found));
}

// With the search of a history-based tagger.
template <class Real>
nb::object decode_history(const ChainData& data, const Input<Real>& weights, const SearchSettings& search, const Flags& allowed, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        decoded = decode_encoded(model, data.input, view(allowed), threads, [&] { return HistoryDecoder<Real>(model, search); });
    }
    return to_arrays(std::move(decoded));
}

// The n best hypotheses of its beam.
template <class Real>
nb::object nbest_history(const ChainData& data, const Input<Real>& weights, const SearchSettings& search, const Flags& allowed, std::size_t n, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    NBestLists<Real> found;
    {
        nb::gil_scoped_release release;
        found = find_beam_nbest(model, search, data.input, view(allowed), n, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.begins)), to_numpy(std::move(found.labels)),
                          to_numpy(std::move(found.scores)));
}

template <class Real>
Array<double> history_log_probabilities(const ChainData& data, const Input<Real>& weights, const SearchSettings& search, const Flags& allowed, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    if (data.gold.size() + 1 != data.nodes.offsets.size()) throw nb::value_error("probabilities need gold labels");
    std::vector<double> found;
    {
        nb::gil_scoped_release release;
        found = conditional_log_probabilities(model, search, data.input, view(data.gold), view(allowed), threads);
    }
    return to_numpy(std::move(found));
}

template <class Real>
Array<Real> history_marginals(const ChainData& data, const Input<Real>& weights, const SearchSettings& search, const Flags& allowed, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    std::vector<Real> found;
    {
        nb::gil_scoped_release release;
        found = conditional_marginals(model, search, data.input, view(allowed), threads);
    }
    return to_numpy(std::move(found));
}

// Values of the labels of the next token after some are decided; `window`: by dynamic programming, else by search.
template <class Real>
nb::object look(const ChainData& data, const Input<Real>& weights, const SearchSettings& search, std::size_t sentence,
                const std::vector<Action>& decided, bool window) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    if (sentence >= data.sentences.size() - 1 || decided.size() >= data.input.length(sentence)) throw nb::value_error("no such step");
    TaggingSystem<Real> system(model.layout, model.mask, search.is_backwards);
    system.begin(model.weights, data.input, sentence);
    auto state = system.initial();
    for (const Action action : decided) {
        if (action < 0 || static_cast<std::size_t>(action) >= system.actions()) throw nb::value_error("no such label");
        state = system.apply(state, action);
    }
    const auto found = [&](auto&& searcher) {
        const auto values = searcher.look(system, state);
        std::vector<Action> path;
        const Action best = best_action<Real>(values);
        if (best != no_action) searcher.path(system, state, best, path);
        std::vector<Real> copy(values.begin(), values.end());
        return nb::make_tuple(to_numpy(std::move(copy)), to_numpy(std::move(path)));
    };
    return window ? found(LabelWindow<Real>(search.depth)) : found(Lookahead<TaggingSystem<Real>>(search.depth));
}

template <class Real>
nb::object decode_words(const ChainObject& chain, const Input<Real>& weights, const StoreObject& store,
                        const Codes& codes, const Input<std::int64_t>& sentences, const FeatureTable& nodes,
                        const FeatureTable& edges, const Flags& allowed, std::size_t threads, const SearchSettings* search) {
    const ChainModel<Real> model = checked_model(chain, weights);
    const Batch batch = checked_batch(store, codes, sentences);
    if (nodes.size() != chain.layout.node_rows || edges.size() + 1 != chain.edge_offsets.size())
        throw nb::value_error("feature tables do not fit the chain");
    if (allowed.size() != 0 && allowed.size() != static_cast<std::size_t>(batch.sentences.back()) * chain.layout.labels)
        throw nb::value_error("constraints do not fit the batch");
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        const auto decode = [&](auto make_decoder) {
            return decode_batch(model, *store.encoder, store.values, nodes, edges, batch, view(allowed), threads, make_decoder);
        };
        decoded = search ? decode([&] { return HistoryDecoder<Real>(model, *search); }) : decode([&] { return ChainDecoder<Real>(model); });
    }
    return to_arrays(std::move(decoded));
}

// The searches over encoded sentences, in one of the two precisions.
template <class Real>
void bind_search(nb::class_<ChainData>& bound, const std::string& suffix, const std::string& real) {
    const auto def = [&](const char* name, auto function, const std::string& parameters, const std::string& result, const char* doc,
                         auto... arguments) {
        const std::string full = name + suffix;
        const std::string signature = "def " + full + "(self, weights: NDArray[" + real + "], " + parameters + "threads: int) -> " + result;
        bound.def(full.c_str(), function, nb::arg("weights"), arguments..., nb::arg("threads"), nb::sig(signature.c_str()), doc);
    };
    const std::string flags = "allowed: NDArray[numpy.uint8], ";
    const std::string labels_and_scores = "tuple[NDArray[numpy.int32], NDArray[" + real + "]]";
    def("decode", &decode_data<Real>, "", labels_and_scores, "(labels [N], scores [S])");
    def("decode_allowed", &decode_allowed<Real>, flags, labels_and_scores,
        "(labels [N], scores [S]); `allowed` is [N][L] flags, or empty.", nb::arg("allowed"));
    def("decode_posterior", &posterior_labels<Real>, flags, labels_and_scores,
        "(labels [N], expected number of right ones [S]); `allowed` is [N][L] flags, or empty.", nb::arg("allowed"));
    def("marginals", &marginals<Real>, flags, "tuple[NDArray[" + real + "], NDArray[numpy.float64]]",
        "(P(label | x) [N][L], log Z [S]); `allowed` is [N][L] flags, or empty.", nb::arg("allowed"));
    def("decode_history", &decode_history<Real>, "search: SearchSettings, " + flags, labels_and_scores,
        "(labels [N], scores [S]) by lookahead or beam; `allowed` is [N][L] flags, or empty.", nb::arg("search"), nb::arg("allowed"));
    def("nbest_history", &nbest_history<Real>, "search: SearchSettings, " + flags + "n: int, ",
        "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]",
        "As `nbest`: the best hypotheses of a beam of n, or of the search's own width if that is larger.", nb::arg("search"), nb::arg("allowed"), nb::arg("n"));
    def("history_log_probabilities", &history_log_probabilities<Real>, "search: SearchSettings, " + flags, "NDArray[numpy.float64]",
        "log P(gold | x) of every sentence, normalised label by label.", nb::arg("search"), nb::arg("allowed"));
    def("history_marginals", &history_marginals<Real>, "search: SearchSettings, " + flags, "NDArray[" + real + "]",
        "P(label | x) [N][L], normalised label by label.", nb::arg("search"), nb::arg("allowed"));
    const std::string full = "look" + suffix;
    const std::string signature = "def " + full + "(self, weights: NDArray[" + real + "], search: SearchSettings, sentence: int, decided: "
                                  "collections.abc.Sequence[int], window: bool) -> tuple[NDArray[" + real + "], NDArray[numpy.int32]]";
    bound.def(full.c_str(), &look<Real>, nb::arg("weights"), nb::arg("search"), nb::arg("sentence"), nb::arg("decided"), nb::arg("window"),
              nb::sig(signature.c_str()), "(values of the labels of the next token, best labels from there on), for tests.");
    def("log_probabilities", &gold_log_probabilities<Real>, "", "NDArray[numpy.float64]", "log P(gold | x) of every sentence.");
}

}  // namespace

void bind_chain(nb::module_& m) {
    nb::class_<SearchSettings>(m, "SearchSettings", "How a history-based model searches: lookahead, or a beam; from left to right or backwards.")
        .def("__init__", [](SearchSettings* self, std::size_t depth, double margin, std::size_t beam, bool max_violation, bool is_backwards, bool is_normalised) {
            if (!(margin >= 0 && margin <= 1e15)) throw nb::value_error("margins are numbers from 0 to 1e15");
            if (depth > 1000 || beam > 100000) throw nb::value_error("depth is at most 1000, the beam 100000");
            if (is_normalised && beam == 0) throw nb::value_error("a normalised search has a beam");
            new (self) SearchSettings{depth, margin, beam, max_violation ? BeamUpdate::max_violation : BeamUpdate::early, is_backwards, is_normalised};
        }, nb::kw_only(), nb::arg("depth") = 0, nb::arg("margin") = 0.0, nb::arg("beam") = 0, nb::arg("max_violation") = true,
           nb::arg("is_backwards") = false, nb::arg("is_normalised") = false);

    m.def("kernel_name", [] { return kernels().name; }, "Instruction set of the kernels in use.");
    m.def("use_baseline_kernels", [](bool baseline) {
        chosen_kernels() = baseline ? &baseline_kernels : &fastest_kernels();
    }, nb::arg("baseline"), "For tests: results do not depend on it.");

    nb::class_<ChainObject>(m, "Chain", "A label a token; layout of the weights and allowed label sequences.")
        .def("__init__", &init_chain, nb::arg("labels"), nb::arg("node_rows"), nb::arg("has_transitions"),
             nb::arg("edge_offsets"), nb::arg("edge_pairs"), nb::arg("start"), nb::arg("end"), nb::arg("pairs"), nb::arg("has_triples") = false)
        .def_prop_ro("has_triples", [](const ChainObject& self) { return self.layout.has_triples; })
        .def_prop_ro("triple_begin", [](const ChainObject& self) { return self.layout.triple_begin(); })
        .def_prop_ro("labels", [](const ChainObject& self) { return self.layout.labels; })
        .def_prop_ro("stride", [](const ChainObject& self) { return self.layout.stride; })
        .def_prop_ro("node_rows", [](const ChainObject& self) { return self.layout.node_rows; })
        .def_prop_ro("transition_begin", [](const ChainObject& self) { return self.layout.transition_begin(); })
        .def_prop_ro("edge_begin", [](const ChainObject& self) { return self.layout.edge_begin(); })
        .def_prop_ro("size", [](const ChainObject& self) { return self.layout.size(); }, "Number of weights.");

    m.def("compact_rows", &compact_rows, nb::arg("chain"), nb::arg("weights"),
          nb::sig("def compact_rows(chain: Chain, weights: NDArray[numpy.float32]) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float32]]"),
          "Node rows that are not zero; their weights and the transitions, without the edge weights.");
    m.def("edge_support", &edge_support, nb::arg("offsets"), nb::arg("rows"), nb::arg("sentences"), nb::arg("gold"),
          nb::arg("labels"), nb::arg("features"), nb::arg("all"), nb::arg("is_backwards") = false,
          nb::sig("def edge_support(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32], sentences: NDArray[numpy.int64], "
                  "gold: NDArray[numpy.int32], labels: int, features: int, all: bool, is_backwards: bool = False) "
                  "-> tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"));

    nb::class_<ChainData> chain_data(m, "ChainData", "Encoded sentences of a chain, with gold labels (or none).");
    chain_data
        .def("__init__",
             [](ChainData* self, std::shared_ptr<ChainObject> chain, const Input<std::int64_t>& node_offsets,
                const Input<std::uint32_t>& node_rows, const Input<float>& node_values,
                const Input<std::int64_t>& edge_offsets, const Input<std::uint32_t>& edge_rows,
                const Input<float>& edge_values, const Input<std::int64_t>& sentences, const Input<Label>& gold) {
                 new (self) ChainData(checked_data(std::move(chain), {node_offsets, node_rows, node_values},
                                                   {edge_offsets, edge_rows, edge_values}, sentences, gold));
             },
             nb::arg("chain"), nb::arg("node_offsets"), nb::arg("node_rows"), nb::arg("node_values"),
             nb::arg("edge_offsets"), nb::arg("edge_rows"), nb::arg("edge_values"), nb::arg("sentences"), nb::arg("gold"));
    chain_data.def("sample", &sample, nb::arg("order"),
                   nb::sig("def sample(self, order: NDArray[numpy.int64]) -> tuple[Chain, ChainData]"),
                   "Some sentences as data of their own, with a chain of only the node features that occur in them.");
    bind_search<float>(chain_data, "", "numpy.float32");
    bind_search<double>(chain_data, "_f64", "numpy.float64");

    m.def("decode_words", &decode_words<float>, nb::arg("chain"), nb::arg("weights"), nb::arg("store"),
          nb::arg("codes"), nb::arg("sentences"), nb::arg("nodes"), nb::arg("edges"), nb::arg("allowed"),
          nb::arg("threads"), nb::arg("search").none() = nb::none(),
          nb::sig("def decode_words(chain: Chain, weights: NDArray[numpy.float32], store: AttributeStore, "
                  "codes: collections.abc.Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], nodes: FeatureTable, "
                  "edges: FeatureTable, allowed: NDArray[numpy.uint8], threads: int, search: SearchSettings | None = None) "
                  "-> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]"),
          "(labels [N], scores [S]) of a batch of words; `allowed` is [N][L] flags, or empty. By Viterbi, or as `search` says.");
}
