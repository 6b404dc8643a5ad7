// Bindings of candidates, in the precision of the module: n-best lists, decoding with non-local features, scores of
// given labels.
#include <nanobind/stl/shared_ptr.h>

#include "nonlocal_objects.hpp"
#include "precision.hpp"
#include "tagloom/chain/rescoring.hpp"

using namespace tagloom;

namespace {

template <class Real>
ChainModel<Real> model_of(const ChainData& data, const Input<Real>& weights) {
    if (weights.size() != data.chain->layout.size()) refuse("weights do not fit the chain");
    if (!data.input.segments.empty()) refuse("this search does not know features of segments");
    return {data.chain->layout, data.chain->mask<Real>(), weights.data()};
}

// Scores several labellings of one sequence, which are stored one after the other.
template <class Real>
Array<double> score_labels(const ChainData& data, const Input<Real>& weights, std::size_t sequence,
                           const Input<Label>& labels) {
    const ChainModel<Real> model = model_of(data, weights);
    if (sequence >= data.sentences.size() - 1) refuse("sequence out of range");
    const std::size_t length = data.input.length(sequence);
    if (length == 0 || labels.size() % length != 0) refuse("expected one label per token");
    for (const Label label : view(labels))
        if (label < 0 || static_cast<std::size_t>(label) >= data.chain->layout.labels) refuse("label out of range");
    PathScorer<Real> score(model);
    score.fill(data.input, sequence);
    std::vector<double> found;
    for (std::size_t first = 0; first < labels.size(); first += length)
        found.push_back(score(view(labels).subspan(first, length)));
    return to_numpy(std::move(found));
}

void check_features(const ChainData& data, const NonlocalObject& features) {
    if (!features.fits(data)) refuse("the non-local features belong to other documents");
}

void check_flags(const ChainData& data, const Input<std::uint8_t>& allowed) {
    if (allowed.size() != 0
        && allowed.size() != static_cast<std::size_t>(data.input.sentences.back()) * data.chain->layout.labels)
        refuse("constraints do not fit the sequences");
}

template <class Real>
nb::object nbest(const ChainData& data, const Input<Real>& weights, const Input<std::uint8_t>& allowed, std::size_t n,
                 std::size_t threads) {
    const ChainModel<Real> model = model_of(data, weights);
    check_flags(data, allowed);
    NBestLists<Real> found;
    {
        nb::gil_scoped_release release;
        found = find_nbest(model, data.input, view(allowed), n, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.first)), to_numpy(std::move(found.begins)),
                          to_numpy(std::move(found.labels)), to_numpy(std::move(found.scores)));
}

template <class Real>
nb::object rescored(const ChainData& data, const Input<Real>& weights, const NonlocalObject& features,
                    const Input<Real>& nonlocal, const Input<Real>& second, const Input<std::uint8_t>& allowed,
                    std::size_t n, std::size_t threads) {
    const ChainModel<Real> model = model_of(data, weights);
    check_features(data, features);
    check_flags(data, allowed);
    if (second.size() != 0) model_of(data, second);
    const TotalModel<Real> total{
        features, {{nonlocal.data(), nonlocal.data() + nonlocal.size()}, {}}, second.size() ? second.data() : nullptr};
    Decoded<double> decoded;
    {
        nb::gil_scoped_release release;
        decoded = decode_rescored(model, total, data.input, view(allowed), n, threads);
    }
    return nb::make_tuple(to_numpy(std::move(decoded.labels)), to_numpy(std::move(decoded.scores)));
}

template <class Real>
void bind_candidate_methods(nb::class_<ChainData>& data, const std::string& suffix, const std::string& real) {
    const std::string array = "NDArray[" + real + "]", flags = "NDArray[numpy.uint8]";
    const std::string nbest_name = "nbest" + suffix, rescored_name = "decode_rescored" + suffix;
    const std::string nbest_sig = "def " + nbest_name + "(self, weights: " + array + ", allowed: " + flags + ", n: int, threads: int) -> "
        "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float64]]";
    data.def(nbest_name.c_str(), &nbest<Real>, nb::arg("weights"), nb::arg("allowed"), nb::arg("n"), nb::arg("threads"),
             nb::sig(nbest_sig.c_str()),
             "Returns (offsets of the candidates [S + 1], offsets of their labels [C + 1], labels, scores [C]), best "
             "first.");
    const std::string rescored_sig = "def " + rescored_name + "(self, weights: " + array
                                     + ", features: NonlocalFeatures, nonlocal_: " + array + ", second: " + array
                                     + ", allowed: " + flags
                                     + ", n: int, threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]";
    data.def(rescored_name.c_str(), &rescored<Real>, nb::arg("weights"), nb::arg("features"), nb::arg("nonlocal_"),
             nb::arg("second"), nb::arg("allowed"), nb::arg("n"), nb::arg("threads"), nb::sig(rescored_sig.c_str()),
             "Returns (labels [N], total scores [D]) of the best of n candidates per document.");
    const std::string scores_name = "scores" + suffix;
    const std::string scores_sig = "def " + scores_name + "(self, weights: " + array
                                   + ", sequence: int, labels: NDArray[numpy.int32]) -> NDArray[numpy.float64]";
    data.def(scores_name.c_str(), &score_labels<Real>, nb::arg("weights"), nb::arg("sequence"), nb::arg("labels"),
             nb::sig(scores_sig.c_str()),
             "Returns the scores of several labellings of one sequence; `labels` holds them concatenated.");
}
}  // namespace

void bind_candidates(nb::module_&) {
    auto data = nb::borrow<nb::class_<ChainData>>(nb::type<ChainData>());
    bind_candidate_methods<Weight>(data, method_suffix, weight_type);
}
