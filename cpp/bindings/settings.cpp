// Bindings of the settings of learners, and of the vector operations that the optimisers in Python need.
#include <cmath>

#include "tagloom/fast/vectors.hpp"
#include "tagloom/learn/margin_opponent.hpp"
#include "tagloom/learn/steps.hpp"
#include "training.hpp"

using namespace tagloom;

void bind_settings(nb::module_& m) {
    nb::class_<StepSettings>(m, "StepSettings", "Numeric settings of a step; every step reads only the ones it uses.")
        .def(
            "__init__",
            [](StepSettings* self, double aggressiveness, double rate, double decay, double l1, double l2,
               double examples, double period, double window, double slow, double fast, double variance, double gamma,
               double cost_power) {
                const StepSettings settings{aggressiveness, rate, decay, l1,   l2,       examples, period,
                                            window,         slow, fast,  variance, gamma, cost_power};
                for (const double number : {aggressiveness, rate, decay, l1, l2, examples, period, window, slow, fast,
                                            variance, gamma, cost_power})
                    if (!std::isfinite(number) || number < 0 || number > most_number)
                        refuse("settings must be numbers from 0 to 1e15");
                if (aggressiveness == 0 || examples < 1 || period < 1 || window < 1 || variance == 0 || gamma == 0)
                    refuse("C, examples, period, window, variance and gamma must be positive");
                new (self) StepSettings(settings);
            },
            nb::kw_only(), nb::arg("aggressiveness") = 1.0, nb::arg("rate") = 0.1, nb::arg("decay") = 0.0,
            nb::arg("l1") = 0.0, nb::arg("l2") = 0.0, nb::arg("examples") = 1.0, nb::arg("period") = 1.0,
            nb::arg("window") = 1.0, nb::arg("slow") = 0.995, nb::arg("fast") = 0.6, nb::arg("variance") = 1.0,
            nb::arg("gamma") = 1.0, nb::arg("cost_power") = 0.5);
    nb::class_<MarginSettings>(
        m, "MarginSettings",
        "The settings n and C, and the variants of Algorithms 3.1, 4.1 and 4.2 (kazama-torisawa-2007).")
        .def(
            "__init__",
            [](MarginSettings* self, std::size_t candidates, double total_margin, double local_margin, bool mends_local,
               bool is_conservative, bool local_first) {
                for (const double margin : {total_margin, local_margin})
                    if (!(margin >= 0 && margin <= most_number)) refuse("a margin must be a number from 0 to 1e15");
                if (candidates < 1) refuse("expected at least one candidate");
                new (self)
                    MarginSettings{candidates, total_margin, local_margin, mends_local, is_conservative, local_first};
            },
            nb::kw_only(), nb::arg("candidates") = 2, nb::arg("total_margin") = 0.0, nb::arg("local_margin") = 0.0,
            nb::arg("mends_local") = false, nb::arg("is_conservative") = false, nb::arg("local_first") = false);
    m.def(
        "dot",
        [](const Input<double>& a, const Input<double>& b) {
            if (a.size() != b.size()) refuse("vectors differ in length");
            return dot(view(a), view(b));
        },
        nb::arg("a"), nb::arg("b"), nb::sig("def dot(a: NDArray[numpy.float64], b: NDArray[numpy.float64]) -> float"),
        "Returns the inner product, summed in the same order on every machine.");
    m.def(
        "add_scaled",
        [](const Output<double>& to, double factor, const Input<double>& from) {
            if (to.size() != from.size()) refuse("vectors differ in length");
            add_scaled(view(to), factor, view(from));
        },
        nb::arg("to"), nb::arg("factor"), nb::arg("from_"),
        nb::sig("def add_scaled(to: NDArray[numpy.float64], factor: float, from_: NDArray[numpy.float64]) -> None"),
        "Computes to += factor * from in place.");
}
