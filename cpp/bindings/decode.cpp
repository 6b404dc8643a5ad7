// Bindings of chain decoding, in the precision of the module: labels, marginals, probabilities.
#include <nanobind/stl/shared_ptr.h>

#include "objects.hpp"
#include "precision.hpp"
#include "tagloom/chain/beam_nbest.hpp"
#include "tagloom/chain/certain.hpp"
#include "tagloom/chain/conditional.hpp"
#include "tagloom/chain/decode.hpp"
#include "tagloom/chain/history_based.hpp"
#include "tagloom/chain/posterior.hpp"
#include "tagloom/chain/span_decoding.hpp"
#include "tagloom/features/attribute_rows.hpp"
#include "tagloom/segments/segment_decode.hpp"

using namespace tagloom;

namespace {

using Flags = Input<std::uint8_t>;

template <class Real>
ChainModel<Real> checked_model(const ChainObject& chain, const Input<Real>& weights) {
    if (weights.size() != chain.layout.size()) refuse("weights do not fit the chain");
    return {chain.layout, chain.mask<Real>(), weights.data()};
}

template <class Real>
nb::object to_arrays(Decoded<Real>&& decoded) {
    return nb::make_tuple(to_numpy(std::move(decoded.labels)), to_numpy(std::move(decoded.scores)));
}

// Probabilities are defined for sentences: label pairs across the sentences of a document are not scored.
void check_sentences(const ChainData& data) {
    if (data.breaks.size() != 0) refuse("probabilities are computed for sentences, not for documents");
}

// For searches that know labels and label pairs only.
void check_chain_search(const ChainData& data) {
    check_sentences(data);
    if (!data.input.segments.empty()) refuse("this search does not know features of segments");
}

void check_allowed(const ChainData& data, const Flags& allowed) {
    if (allowed.size() != 0
        && allowed.size() != static_cast<std::size_t>(data.input.sentences.back()) * data.chain->layout.labels)
        refuse("constraints do not fit the sentences");
}

template <class Real>
nb::object decode_allowed(const ChainData& data, const Input<Real>& weights, const Flags& allowed,
                          std::size_t threads) {
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        const auto decode = [&](auto make_decoder) {
            return decode_encoded(model, data.input, view(allowed), threads, make_decoder);
        };
        decoded = data.input.segments.empty()
                      ? decode([&] { return ChainDecoder<Real>(model); })
                      : decode([&] { return SegmentDecoder<Real>(model, data.input.segments); });
    }
    return to_arrays(std::move(decoded));
}

template <class Real>
nb::object decode_data(const ChainData& data, const Input<Real>& weights, std::size_t threads) {
    return decode_allowed<Real>(data, weights, {}, threads);
}

template <class Real>
nb::object posterior_labels(const ChainData& data, const Input<Real>& weights, const Flags& allowed,
                            std::size_t threads) {
    check_chain_search(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        decoded = decode_posterior(model, data.input, view(allowed), threads);
    }
    return to_arrays(std::move(decoded));
}

constexpr const char* span_arguments =
    "classes: collections.abc.Sequence[int], begins: collections.abc.Sequence[int], ends: "
    "collections.abc.Sequence[int], threshold: float, ";

template <class Real>
nb::object span_labels(const ChainData& data, const Input<Real>& weights, const std::vector<std::uint16_t>& classes,
                       const std::vector<std::uint8_t>& begins, const std::vector<std::uint8_t>& ends, double threshold,
                       const Flags& allowed, std::size_t threads) {
    check_chain_search(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    if (!(threshold >= 0 && threshold <= 1)) refuse("expected a threshold from 0 to 1");
    const SpanLabels known = checked_span_labels(model.layout.labels, classes, begins, ends);
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        decoded = decode_encoded(model, data.input, view(allowed), threads,
                                 [&] { return SpanDecoder<Real>(model, known, threshold); });
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
        found = data.input.segments.empty() ? find_marginals(model, data.input, view(allowed), threads)
                                            : find_segment_marginals(model, data.input, view(allowed), threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.probabilities)), to_numpy(std::move(found.log_z)));
}

template <class Real>
Array<double> gold_log_probabilities(const ChainData& data, const Input<Real>& weights, std::size_t threads) {
    check_sentences(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    if (data.gold.size() + 1 != data.nodes.offsets.size()) refuse("probabilities need gold labels");
    std::vector<double> found;
    {
        nb::gil_scoped_release release;
        found = data.input.segments.empty()
                    ? log_probabilities(model, data.input, view(data.gold), threads)
                    : find_segment_log_probabilities(model, data.input, view(data.gold), threads);
    }
    return to_numpy(std::move(found));
}

// Decodes with the search of a history-based tagger.
template <class Real>
nb::object decode_history(const ChainData& data, const Input<Real>& weights, const SearchSettings& search,
                          const Flags& allowed, std::size_t threads) {
    check_chain_search(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        decoded = decode_encoded(model, data.input, view(allowed), threads,
                                 [&] { return HistoryDecoder<Real>(model, search); });
    }
    return to_arrays(std::move(decoded));
}

// Returns the n best hypotheses of the beam.
template <class Real>
nb::object nbest_history(const ChainData& data, const Input<Real>& weights, const SearchSettings& search,
                         const Flags& allowed, std::size_t n, std::size_t threads) {
    check_chain_search(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    NBestLists<Real> found;
    {
        nb::gil_scoped_release release;
        found = find_beam_nbest(model, search, data.input, view(allowed), n, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.begins)),
                          to_numpy(std::move(found.labels)), to_numpy(std::move(found.scores)));
}

template <class Real>
Array<double> history_log_probabilities(const ChainData& data, const Input<Real>& weights, const SearchSettings& search,
                                        const Flags& allowed, std::size_t threads) {
    check_chain_search(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    if (data.gold.size() + 1 != data.nodes.offsets.size()) refuse("probabilities need gold labels");
    std::vector<double> found;
    {
        nb::gil_scoped_release release;
        found = conditional_log_probabilities(model, search, data.input, view(data.gold), view(allowed), threads);
    }
    return to_numpy(std::move(found));
}

template <class Real>
Array<Real> history_marginals(const ChainData& data, const Input<Real>& weights, const SearchSettings& search,
                              const Flags& allowed, std::size_t threads) {
    check_chain_search(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    check_allowed(data, allowed);
    std::vector<Real> found;
    {
        nb::gil_scoped_release release;
        found = conditional_marginals(model, search, data.input, view(allowed), threads);
    }
    return to_numpy(std::move(found));
}

// Returns the values of the labels of the next token after some labels are decided, by dynamic programming if `window`
// is set and by search otherwise.
template <class Real>
nb::object look(const ChainData& data, const Input<Real>& weights, const SearchSettings& search, std::size_t sentence,
                const std::vector<Action>& decided, bool window) {
    check_chain_search(data);
    const ChainModel<Real> model = checked_model(*data.chain, weights);
    if (sentence >= data.sentences.size() - 1 || decided.size() >= data.input.length(sentence)) refuse("no such step");
    TaggingSystem<Real> system(model.layout, model.mask, search.is_backwards);
    system.begin(model.weights, data.input, sentence);
    auto state = system.initial();
    for (const Action action : decided) {
        if (action < 0 || static_cast<std::size_t>(action) >= system.actions()) refuse("no such label");
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
                        const FeatureTable& edges, const Flags& allowed, std::size_t threads,
                        const SearchSettings* search) {
    const ChainModel<Real> model = checked_model(chain, weights);
    const Batch batch = checked_batch(store, codes, sentences);
    if (nodes.size() != chain.layout.node_rows || edges.size() + 1 != chain.edge_offsets.size())
        refuse("feature tables do not fit the chain");
    if (allowed.size() != 0 && allowed.size() != static_cast<std::size_t>(batch.sentences.back()) * chain.layout.labels)
        refuse("constraints do not fit the batch");
    Decoded<Real> decoded;
    {
        nb::gil_scoped_release release;
        const auto decode = [&](auto make_decoder) {
            return decode_batch(model, *store.encoder, store.values, nodes, edges, batch, view(allowed), threads,
                                make_decoder);
        };
        decoded = search ? decode([&] { return HistoryDecoder<Real>(model, *search); })
                         : decode([&] { return ChainDecoder<Real>(model); });
    }
    return to_arrays(std::move(decoded));
}

#if !defined(TAGLOOM_DOUBLE)
// Decodes feature dicts whose rows were found; as in double precision if `exact` weights are given.
Decoded<float> decode_found(const ChainObject& chain, const Input<float>& weights, const AttributeRows& found,
                            const Flags& allowed, std::size_t threads, const SearchSettings* search,
                            const Input<double>& exact, double largest) {
    const ChainModel<float> model = checked_model(chain, weights);
    if (found.row_count() != chain.layout.node_rows) refuse("the feature table does not fit the chain");
    const auto tokens = static_cast<std::size_t>(found.sentences().back());
    if (allowed.size() != 0 && allowed.size() != tokens * chain.layout.labels)
        refuse("constraints do not fit the sentences");
    const std::vector<std::int64_t> no_edges(tokens + 1, 0);
    const SparseRows& rows = found.rows();
    const ChainInput input{{rows.offsets, rows.rows, rows.values}, {no_edges, {}, {}}, found.sentences()};
    const auto decode = [&](auto make_decoder) {
        nb::gil_scoped_release release;
        return decode_encoded(model, input, view(allowed), threads, make_decoder);
    };
    if (search) return decode([&] { return HistoryDecoder<float>(model, *search); });
    if (exact.size() == 0) return decode([&] { return ChainDecoder<float>(model); });
    const ChainModel<double> exact_model = checked_model(chain, exact);
    return decode([&] { return CertainDecoder(model, exact_model, largest); });
}

nb::object decode_items(const ChainObject& chain, const Input<float>& weights, const AttributeRows& found,
                        const Flags& allowed, std::size_t threads, const SearchSettings* search,
                        const Input<double>& exact, double largest) {
    return to_arrays(decode_found(chain, weights, found, allowed, threads, search, exact, largest));
}

nb::list label_items(const ChainObject& chain, const Input<float>& weights, const AttributeRows& found,
                     const nb::list& names, std::size_t threads, const SearchSettings* search,
                     const Input<double>& exact, double largest) {
    if (nb::len(names) != chain.layout.labels) refuse("expected one name per label");
    const auto decoded = decode_found(chain, weights, found, {}, threads, search, exact, largest);
    return build_label_lists(decoded.labels, found.sentences(), names);
}

void bind_item_decoding(nb::module_& m) {
    const std::string rest =
        "threads: int, search: SearchSettings | None, exact: NDArray[numpy.float64], largest: float) -> ";
    const std::string head = "(chain: Chain, weights: NDArray[numpy.float32], found: ItemRows, ";
    const std::string arrays = "tuple[NDArray[numpy.int32], NDArray[numpy.float32]]";
    m.def(
        "decode_items", &decode_items, nb::arg("chain"), nb::arg("weights"), nb::arg("found"), nb::arg("allowed"),
        nb::arg("threads"), nb::arg("search").none(), nb::arg("exact"), nb::arg("largest"),
        nb::sig(("def decode_items" + head + "allowed: NDArray[numpy.uint8], " + rest + arrays).c_str()),
        "Returns (labels [N], scores [S]) of feature dicts, found by Viterbi or by `search`; `allowed` holds flags "
        "[N][L] or is empty. With `exact` weights, whose largest absolute value is `largest`, the labels are theirs.");
    m.def("label_items", &label_items, nb::arg("chain"), nb::arg("weights"), nb::arg("found"), nb::arg("names"),
          nb::arg("threads"), nb::arg("search").none(), nb::arg("exact"), nb::arg("largest"),
          nb::sig(("def label_items" + head + "names: list[str], " + rest + "list[list[str]]").c_str()),
          "Does the same without constraints, and returns the names of the labels of every sentence.");
}

// Binds what models whose weights are known in double precision need.
void bind_exact_decoding(nb::class_<ChainData>& bound) {
    const auto def = [&](const char* name, auto function, const std::string& parameters, const std::string& result,
                         auto... arguments) {
        const std::string signature =
            std::string("def ") + name + "(self, weights: NDArray[numpy.float64], " + parameters + ") -> " + result;
        bound.def(name, function, nb::arg("weights"), arguments..., nb::arg("threads"), nb::sig(signature.c_str()),
                  "The same in double precision.");
    };
    const std::string flags = "allowed: NDArray[numpy.uint8], threads: int";
    const std::string labels_and_scores = "tuple[NDArray[numpy.int32], NDArray[numpy.float64]]";
    def("decode_exact", &decode_allowed<double>, flags, labels_and_scores, nb::arg("allowed"));
    def("decode_spans_exact", &span_labels<double>, span_arguments + flags, labels_and_scores, nb::arg("classes"),
        nb::arg("begins"), nb::arg("ends"), nb::arg("threshold"), nb::arg("allowed"));
    def("decode_posterior_exact", &posterior_labels<double>, flags, labels_and_scores, nb::arg("allowed"));
    def("marginals_exact", &marginals<double>, flags, "tuple[NDArray[numpy.float64], NDArray[numpy.float64]]",
        nb::arg("allowed"));
    def("log_probabilities_exact", &gold_log_probabilities<double>, "threads: int", "NDArray[numpy.float64]");
}
#endif

// Binds the searches over encoded sentences, in one of the two precisions.
template <class Real>
void bind_decoding_methods(nb::class_<ChainData>& bound, const std::string& suffix, const std::string& real) {
    const auto def = [&](const char* name, auto function, const std::string& parameters, const std::string& result,
                         const char* doc, auto... arguments) {
        const std::string full = name + suffix;
        const std::string signature =
            "def " + full + "(self, weights: NDArray[" + real + "], " + parameters + "threads: int) -> " + result;
        bound.def(full.c_str(), function, nb::arg("weights"), arguments..., nb::arg("threads"),
                  nb::sig(signature.c_str()), doc);
    };
    const std::string flags = "allowed: NDArray[numpy.uint8], ";
    const std::string labels_and_scores = "tuple[NDArray[numpy.int32], NDArray[" + real + "]]";
    def("decode", &decode_data<Real>, "", labels_and_scores, "Returns (labels [N], scores [S]).");
    def("decode_allowed", &decode_allowed<Real>, flags, labels_and_scores,
        "Returns (labels [N], scores [S]); `allowed` holds flags [N][L] or is empty.", nb::arg("allowed"));
    def("decode_posterior", &posterior_labels<Real>, flags, labels_and_scores,
        "Returns (labels [N], expected number of correct labels [S]); `allowed` holds flags [N][L] or is empty.",
        nb::arg("allowed"));
    def("decode_spans", &span_labels<Real>, span_arguments + flags, labels_and_scores,
        "Returns (labels [N], the sum of what the probabilities of the spans are above the threshold [S]); the labels "
        "have classes [L] (0: outside of spans), and always begin or end a span [L]; `allowed` as above.",
        nb::arg("classes"), nb::arg("begins"), nb::arg("ends"), nb::arg("threshold"), nb::arg("allowed"));
    def("marginals", &marginals<Real>, flags, "tuple[NDArray[" + real + "], NDArray[numpy.float64]]",
        "Returns (P(label | x) [N][L], log Z [S]); `allowed` holds flags [N][L] or is empty.", nb::arg("allowed"));
    def("decode_history", &decode_history<Real>, "search: SearchSettings, " + flags, labels_and_scores,
        "Returns (labels [N], scores [S]), found by lookahead or beam; `allowed` holds flags [N][L] or is empty.",
        nb::arg("search"), nb::arg("allowed"));
    def("nbest_history", &nbest_history<Real>, "search: SearchSettings, " + flags + "n: int, ",
        "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]",
        "Like `nbest`, with the best hypotheses of a beam of width n, or of the search's own width if that is larger.",
        nb::arg("search"), nb::arg("allowed"), nb::arg("n"));
    def("history_log_probabilities", &history_log_probabilities<Real>, "search: SearchSettings, " + flags,
        "NDArray[numpy.float64]", "Returns log P(gold | x) of every sentence, normalised label by label.",
        nb::arg("search"), nb::arg("allowed"));
    def("history_marginals", &history_marginals<Real>, "search: SearchSettings, " + flags, "NDArray[" + real + "]",
        "Returns P(label | x) [N][L], normalised label by label.", nb::arg("search"), nb::arg("allowed"));
    const std::string full = "look" + suffix;
    const std::string signature = "def " + full + "(self, weights: NDArray[" + real + "], search: SearchSettings, sentence: int, decided: "
                                  "collections.abc.Sequence[int], window: bool) -> tuple[NDArray[" + real + "], NDArray[numpy.int32]]";
    bound.def(full.c_str(), &look<Real>, nb::arg("weights"), nb::arg("search"), nb::arg("sentence"), nb::arg("decided"),
              nb::arg("window"), nb::sig(signature.c_str()),
              "Returns (values of the labels of the next token, best labels from there on), for tests.");
    def("log_probabilities", &gold_log_probabilities<Real>, "", "NDArray[numpy.float64]",
        "Returns log P(gold | x) of every sentence.");
}
}  // namespace

void bind_decoding(nb::module_& m) {
    auto chain_data = nb::borrow<nb::class_<ChainData>>(nb::type<ChainData>());
    bind_decoding_methods<Weight>(chain_data, method_suffix, weight_type);
#if !defined(TAGLOOM_DOUBLE)
    bind_exact_decoding(chain_data);
    bind_item_decoding(m);
#endif

    m.def("decode_words", &decode_words<Weight>, nb::arg("chain"), nb::arg("weights"), nb::arg("store"),
          nb::arg("codes"), nb::arg("sentences"), nb::arg("nodes"), nb::arg("edges"), nb::arg("allowed"),
          nb::arg("threads"), nb::arg("search").none() = nb::none(),
          nb::sig(
              "def decode_words(chain: Chain, weights: NDArray[numpy.float32], store: AttributeStore, "
              "codes: collections.abc.Sequence[NDArray[numpy.int32]], sentences: NDArray[numpy.int64], nodes: "
              "FeatureTable, "
              "edges: FeatureTable, allowed: NDArray[numpy.uint8], threads: int, search: SearchSettings | None = None) "
              "-> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]"),
          "Returns (labels [N], scores [S]) of a batch of words, found by Viterbi or by `search`; `allowed` holds "
          "flags [N][L] or is empty.");
}
