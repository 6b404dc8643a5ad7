// Batch training: the objective and its gradient.
#include <nanobind/stl/pair.h>

#include <atomic>

#include "in_use.hpp"
#include "precision.hpp"
#include "tagloom/learn/batch.hpp"
#include "training.hpp"

using namespace tagloom;

namespace {

template <class Real>
struct ObjectiveObject : BatchObjective<Real> {
    using BatchObjective<Real>::BatchObjective;
    std::atomic<bool> in_use{false};
};

template <class Real>
void bind_objective(nb::module_& m, const char* name) {
    using Objective = ObjectiveObject<Real>;
    nb::class_<Objective>(
        m, name,
        "The sum of -log P(gold | x) over all sentences and its gradient, as functions of the weights that exist.")
        .def(
            "__init__",
            [](Objective* self, const ChainData& data, bool all_labels, std::size_t label_cutoff,
               const SearchSettings* search, bool all_transitions, const GoldCountsObject* counts) {
                check_fit(data, data.chain->layout.size());
                if (data.breaks.size() != 0) refuse("expectations are computed for sentences, not for documents");
                if (search && !search->is_normalised) refuse("batch training needs a search that is normalised");
                if (search) check_labels_only(data);
                const bool is_backwards = search && search->is_backwards;
                if (counts && !counts->counts.fits(data.chain->layout)) refuse("the counts belong to another chain");
                if (counts && counts->counts.is_backwards() != is_backwards) refuse("counts of the other direction");
                new (self) Objective(problem_of<Real>(data),
                                     {all_labels, label_cutoff, search != nullptr, is_backwards, all_transitions},
                                     counts ? &counts->counts : nullptr);
            },
            nb::arg("data"), nb::arg("all_labels"), nb::arg("label_cutoff") = 1, nb::arg("search").none() = nb::none(),
            nb::arg("all_transitions") = true, nb::arg("counts").none() = nb::none(), nb::keep_alive<1, 2>(),
            "Counts of all data decide which weights exist if `data` is a part of it.")
        .def_prop_ro(
            "size", [](const Objective& self) { return self.size(); }, "Number of variables.")
        .def_prop_ro(
            "has_negative_values", [](const Objective& self) { return self.has_negative_values(); },
            "Whether a feature has a variable.")
        .def(
            "observed",
            [](Objective& self, std::size_t threads) {
                const InUse in_use(self.in_use);
                if (!self.is_conditional()) refuse("counts need a tagger that is normalised label by label");
                std::vector<double> found;
                {
                    nb::gil_scoped_release release;
                    found = self.observed(threads);
                }
                return to_numpy(std::move(found));
            },
            nb::arg("threads"), nb::sig("def observed(self, threads: int) -> NDArray[numpy.float64]"),
            "Returns how often the feature of each variable occurs with the gold labels.")
        .def(
            "curvature",
            [](Objective& self, std::size_t threads) {
                const InUse in_use(self.in_use);
                if (self.is_conditional()) refuse("curvatures need a CRF");
                std::vector<double> found;
                {
                    nb::gil_scoped_release release;
                    found = self.curvature(threads);
                }
                return to_numpy(std::move(found));
            },
            nb::arg("threads"), nb::sig("def curvature(self, threads: int) -> NDArray[numpy.float64]"),
            "Returns a bound on the second derivative along each variable where the objective was evaluated last, as "
            "if "
            "the labels of neighbours were independent. Evaluate it before the next call.")
        .def(
            "largest_sum",
            [](Objective& self, const Input<double>& counts, std::size_t threads) {
                const InUse in_use(self.in_use);
                if (!self.is_conditional()) refuse("counts need a tagger that is normalised label by label");
                if (counts.size() != self.size()) refuse("variables do not fit the objective");
                nb::gil_scoped_release release;
                return self.largest_sum(view(counts), threads);
            },
            nb::arg("counts"), nb::arg("threads"),
            nb::sig("def largest_sum(self, counts: NDArray[numpy.float64], threads: int) -> float"),
            "Returns C of iterative scaling: the largest sum, over tokens and labels, of the values of variables with "
            "counts.")
        .def(
            "start",
            [](Objective& self, const Input<Real>& weights) {
                const InUse in_use(self.in_use);
                if (weights.size() != self.weights().size()) refuse("weights do not fit the chain");
                self.start(view(weights));
            },
            nb::arg("weights"),
            "Starts from the given weights: those of features that fire become variables, the others stay fixed.")
        .def(
            "evaluate",
            [](Objective& self, const Input<double>& x, const Output<double>& gradient, std::size_t threads) {
                const InUse in_use(self.in_use);
                if (x.size() != self.size() || gradient.size() != self.size())
                    refuse("variables do not fit the objective");
                double loss = 0;
                std::int64_t errors = 0;
                {
                    nb::gil_scoped_release release;
                    loss = self(view(x), view(gradient), threads, errors);
                }
                return std::pair(loss, errors);
            },
            nb::arg("x"), nb::arg("gradient"), nb::arg("threads"),
            nb::sig("def evaluate(self, x: NDArray[numpy.float64], gradient: NDArray[numpy.float64], threads: int) -> "
                    "tuple[float, int]"),
            "Writes the gradient and returns (loss, number of wrong tokens).")
        .def(
            "weights",
            [](Objective& self, const Input<double>& x) {
                const InUse in_use(self.in_use);
                if (x.size() != self.size()) refuse("variables do not fit the objective");
                self.set(view(x));
                auto copy = self.weights();
                return to_numpy(std::move(copy));
            },
            nb::arg("x"), "Returns the variables, laid out as weights of the chain.")
        .def(
            "variables",
            [](const Objective& self, const Input<Real>& weights) {
                if (weights.size() != self.weights().size()) refuse("weights do not fit the chain");
                std::vector<double> x(self.size());
                self.get(view(weights), x);
                return to_numpy(std::move(x));
            },
            nb::arg("weights"), "The inverse of `weights`.");
}
}  // namespace

void bind_batch(nb::module_& m) { bind_objective<Weight>(m, "BatchObjective"); }
