// Bindings of non-local features, and of lists of candidates that another model found.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "nonlocal_objects.hpp"
#include "tagloom/fast/parallel.hpp"

using namespace tagloom;

namespace {

constexpr std::size_t most_classes = 8192;  // pairs of classes are numbered in 32 bits

void init_features(NonlocalObject* self, const ChainData& data, const Input<std::int32_t>& words,
                   const Input<std::uint8_t>& flags, const std::vector<std::uint16_t>& classes,
                   const std::vector<std::uint8_t>& begins, const std::vector<std::uint8_t>& ends,
                   const std::vector<bool>& families, nb::object function) {
    const std::size_t labels = data.chain->layout.labels, tokens = data.nodes.offsets.size() - 1;
    if (families.size() != family_count) refuse("expected one flag per family");
    SpanLabels known = checked_span_labels(labels, classes, begins, ends);
    const bool is_native = std::any_of(families.begin(), families.end(), [](bool wanted) { return wanted; });
    if (is_native && (words.size() != tokens || flags.size() != tokens)) refuse("words do not fit the tokens");
    std::int32_t most = -1;
    for (const std::int32_t word : view(words)) {
        if (word < 0) refuse("negative code");
        most = std::max(most, word);
    }
    if (labels > most_classes && is_native) refuse("too many classes for features of their pairs");
    new (self) NonlocalObject();
    self->documents = data.sentences, self->breaks = data.breaks, self->function = std::move(function),
    self->labels = labels;
    if (!is_native) return;
    self->words = words, self->flags = flags;
    ConsistencyInput input{std::move(known),
                           {},
                           view(self->documents),
                           view(self->breaks),
                           view(self->words),
                           view(self->flags),
                           static_cast<std::size_t>(most) + 1};
    std::copy(families.begin(), families.end(), input.families.begin());
    self->native.emplace(std::move(input));
}

// Checks lists of candidates against the offsets of the documents.
CandidateLists checked_lists(std::span<const std::int64_t> documents, std::size_t label_count,
                             const Input<std::int64_t>& first, const Input<std::int64_t>& begins,
                             const Input<Label>& labels) {
    if (first.size() != documents.size()) refuse("expected one list per document");
    if (begins.size() == 0) refuse("offsets do not span the labels");
    check_offsets(view(first), begins.size() - 1, "offsets do not span the candidates");
    check_offsets(view(begins), labels.size(), "offsets do not span the labels");
    for (std::size_t d = 0; d + 1 < documents.size(); ++d)
        for (auto c = static_cast<std::size_t>(first(d)); c < static_cast<std::size_t>(first(d + 1)); ++c)
            if (begins(c + 1) - begins(c) != documents[d + 1] - documents[d])
                refuse("a candidate is not as long as its document");
    for (const Label label : view(labels))
        if (label < 0 || static_cast<std::size_t>(label) >= label_count) refuse("label out of range");
    return {view(first), view(labels), view(begins)};
}

// Sorts counts by row and merges equal rows.
void merge_counts(std::vector<Count>& counts) {
    std::sort(counts.begin(), counts.end(), [](const Count& a, const Count& b) { return a.row < b.row; });
    std::size_t kept = 0;
    for (const Count& count : counts) {
        if (kept > 0 && counts[kept - 1].row == count.row) counts[kept - 1].amount += count.amount;
        else counts[kept++] = count;
    }
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(kept), counts.end());
}

// Returns the features of one labelling of a document as (rows, counts), with the rows in ascending order.
nb::object count_labelling(const NonlocalObject& features, std::size_t document, const Input<Label>& labels) {
    if (document >= features.documents.size() - 1) refuse("document out of range");
    if (static_cast<std::int64_t>(labels.size()) != features.documents(document + 1) - features.documents(document))
        refuse("expected one label per token");
    for (const Label label : view(labels))
        if (label < 0 || static_cast<std::size_t>(label) >= features.labels) refuse("label out of range");
    const std::unique_ptr<NonlocalCounter> counter = features.counter();
    std::vector<Count> counts;
    counter->begin(document);
    counter->count(view(labels), counts);
    merge_counts(counts);
    std::vector<std::uint32_t> rows;
    std::vector<float> amounts;
    for (const Count& count : counts) rows.push_back(count.row), amounts.push_back(count.amount);
    return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(amounts)));
}

ChainData joined(const ChainData& data, const Input<std::int64_t>& sequences, const Input<std::uint8_t>& breaks) {
    const std::size_t tokens = data.nodes.offsets.size() - 1;
    check_offsets(view(sequences), tokens, "sequence offsets do not span the tokens");
    if (breaks.size() != tokens && breaks.size() != 0) refuse("expected one flag per token");
    ChainData out = data;
    out.sentences = sequences, out.breaks = breaks;
    out.input.sentences = view(out.sentences), out.input.breaks = view(out.breaks);
    return out;
}

// Returns the features of all candidates as (offsets of their rows [C + 1], rows, counts). Python functions number
// their rows as they occur, so they are called in the order of the documents.
nb::object count_lists(const NonlocalObject& features, const Input<std::int64_t>& first,
                       const Input<std::int64_t>& begins, const Input<Label>& labels, std::size_t threads) {
    const CandidateLists lists = checked_lists(view(features.documents), features.labels, first, begins, labels);
    std::vector<std::vector<Count>> found(begins.size() - 1);
    const bool calls_python = features.function.is_valid() && !features.function.is_none();
    {
        nb::gil_scoped_release release;
        parallel_for(first.size() - 1, calls_python ? 1 : threads, 1, [&] {
            return [&, counter = std::shared_ptr<NonlocalCounter>(features.counter())](std::size_t document) {
                counter->begin(document);
                for (auto c = static_cast<std::size_t>(lists.first[document]);
                     c < static_cast<std::size_t>(lists.first[document + 1]); ++c) {
                    counter->count(lists.labels_of(c), found[c]);
                    merge_counts(found[c]);
                }
            };
        });
    }
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint32_t> rows;
    std::vector<float> amounts;
    for (const std::vector<Count>& counts : found) {
        for (const Count& count : counts) rows.push_back(count.row), amounts.push_back(count.amount);
        offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(rows)), to_numpy(std::move(amounts)));
}

}  // namespace

void bind_nonlocal(nb::module_& m) {
    nb::class_<NonlocalObject>(m, "NonlocalFeatures", "Features of whole documents and all of their labels.")
        .def("__init__", &init_features, nb::arg("data"), nb::arg("words"), nb::arg("flags"), nb::arg("classes"),
             nb::arg("begins"), nb::arg("ends"), nb::arg("families"), nb::arg("function").none(),
             nb::sig("def __init__(self, data: ChainData, words: NDArray[numpy.int32], flags: NDArray[numpy.uint8], "
                     "classes: collections.abc.Sequence[int], begins: collections.abc.Sequence[int], ends: "
                     "collections.abc.Sequence[int], "
                     "families: collections.abc.Sequence[bool], "
                     "function: collections.abc.Callable[[int, NDArray[numpy.int32]], NDArray[numpy.uint32]] | None) "
                     "-> None"))
        .def_prop_ro("native_rows", &NonlocalObject::native_rows,
                     "Number of rows of the native features; the rows of Python functions follow.")
        .def("count", &count_labelling, nb::arg("document"), nb::arg("labels"),
             nb::sig("def count(self, document: int, labels: NDArray[numpy.int32]) -> tuple[NDArray[numpy.uint32], "
                     "NDArray[numpy.float32]]"),
             "Returns (rows, counts) of the features of one labelling.")
        .def("count_lists", &count_lists, nb::arg("first"), nb::arg("begins"), nb::arg("labels"), nb::arg("threads"),
             nb::sig("def count_lists(self, first: NDArray[numpy.int64], begins: NDArray[numpy.int64], labels: "
                     "NDArray[numpy.int32], threads: int) -> "
                     "tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]"),
             "Returns (offsets of the rows of each candidate, rows, counts) for the candidates of all documents.");
    nb::class_<CandidateListsObject>(m, "CandidateLists", "Candidates of every document, found by another model.")
        .def(
            "__init__",
            [](CandidateListsObject* self, const ChainData& data, const Input<std::int64_t>& first,
               const Input<std::int64_t>& begins, const Input<Label>& labels) {
                checked_lists(view(data.sentences), data.chain->layout.labels, first, begins, labels);
                new (self) CandidateListsObject{first, begins, labels, data.sentences, data.chain->layout.labels};
            },
            nb::arg("data"), nb::arg("first"), nb::arg("begins"), nb::arg("labels"));
    auto data = nb::borrow<nb::class_<ChainData>>(m.attr("ChainData"));
    data.def("joined", &joined, nb::arg("sequences"), nb::arg("breaks"),
             nb::sig("def joined(self, sequences: NDArray[numpy.int64], breaks: NDArray[numpy.uint8]) -> ChainData"),
             "Returns the same tokens cut into other sequences; `breaks` marks the tokens before which features and "
             "spans end, or is empty.");
    data.def_prop_ro(
        "gold",
        [](const ChainData& self) {
            return to_numpy(std::vector<Label>(self.gold.data(), self.gold.data() + self.gold.size()));
        },
        nb::rv_policy::move, nb::sig("def gold(self) -> NDArray[numpy.int32]"),
        "Returns the gold labels [N], or an empty array without gold labels.");
}
