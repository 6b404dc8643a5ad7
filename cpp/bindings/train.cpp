// Training: passes of online learners over a chain, and the objective of batch training. Opponent and step are chosen by
// name.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "in_use.hpp"
#include "nonlocal_objects.hpp"
#include "tagloom/averaging.hpp"
#include "tagloom/batch.hpp"
#include "tagloom/conditional.hpp"
#include "tagloom/epoch.hpp"
#include "tagloom/history_based.hpp"
#include "tagloom/margin_opponent.hpp"
#include "tagloom/memory.hpp"
#include "tagloom/opponents.hpp"
#include "tagloom/steps.hpp"
#include "tagloom/vectors.hpp"

using namespace tagloom;

namespace {

constexpr double most_number = 1e15;  // below 2^53: whole numbers stay exact

template <class Real>
ChainProblem<Real> problem_of(const ChainData& data, std::span<const double> costs = {}) {
    return {data.chain->layout, data.input, view(data.gold), data.chain->mask<Real>(), costs};
}

// State of an online learner: the weights, the sums and clock of the lazy average, and what the step remembers.
template <class Real>
struct OnlineState {
    BigVector<Real> weights;
    BigVector<Real> sums;  // empty: no averaging
    double clock = 0;
    StepState<Real> step;
    NonlocalWeights<Real> nonlocal;
    mutable std::atomic<bool> in_use{false};

    OnlineState(std::size_t size, bool averaged) : weights(size, 0), sums(averaged ? size : 0, 0) {}

    EpochReport run(const ChainProblem<Real>& problem, std::span<const std::int64_t> order, const std::string& opponent,
                    const std::string& step_name, const StepSettings& settings, const SearchSettings& search) {
        const StepShape shape{problem.layout, problem.input};
        if (opponent == "best" || opponent == "cost-augmented") {
            BestOpponent<Real> best(problem);
            return with_step(best, shape, order, step_name, settings);
        }
        if (opponent == "conditional") {
            ConditionalOpponent<Real> conditional(problem, search.is_backwards);
            return with_step(conditional, shape, order, step_name, settings);
        }
        if (opponent != "expected") throw std::invalid_argument("unknown opponent");
        ExpectedOpponent<Real> expected(problem);
        return with_step(expected, shape, order, step_name, settings);
    }

    EpochReport run_margin(const ChainProblem<Real>& problem, std::span<const std::int64_t> order, const MarginSettings& settings,
                           const NonlocalFeatures* features, const CandidateLists* lists) {
        MarginOpponent<Real> opponent(problem, settings, features, lists, nonlocal);
        return run_with(opponent, UnitStep<Real>{{problem.layout, problem.input}}, order);
    }

    EpochReport run_search(const ChainProblem<Real>& problem, std::span<const std::int64_t> order, const SearchSettings& settings) {
        return with_tagging_opponent(problem, settings, [&](auto& opponent) {
            return run_with(opponent, UnitStep<Real>{{problem.layout, problem.input}}, order);
        });
    }

    // The mean of the weights of non-local features, as of the others.
    std::vector<Real> nonlocal_mean() const {
        std::vector<Real> out = nonlocal.sums;
        lazy_mean<Real>(nonlocal.values, out, clock);
        return sums.empty() ? nonlocal.values : out;
    }

    BigVector<Real> mean() const {
        BigVector<Real> out = sums;
        lazy_mean<Real>(weights, out, clock);
        return sums.empty() ? weights : out;
    }

    // The mean in the memory of the sums: a finished run needs no third vector.
    BigVector<Real> take_mean() {
        BigVector<Real> out = sums.empty() ? std::move(weights) : std::move(sums);
        if (!weights.empty()) lazy_mean<Real>(weights, out, clock);
        weights = {}, sums = {}, clock = 0, step = {}, nonlocal = {};
        return out;
    }

private:
    template <class Opponent>
    EpochReport with_step(Opponent& opponent, const StepShape& shape, std::span<const std::int64_t> order, const std::string& name,
                          const StepSettings& settings) {
        if (name == "unit") return run_with(opponent, UnitStep<Real>{shape}, order);
        if (name == "pa" || name == "pa2")
            return run_with(opponent, PassiveAggressiveStep<Real>{shape, settings.aggressiveness, name == "pa2"}, order);
        if (name == "dca") {
            RowMerger<Real> merger(shape.layout.feature_rows());
            return run_with(opponent, DualAscentStep<Real>{shape, settings.aggressiveness, merger}, order);
        }
        if (name == "sgd") return run_with(opponent, GradientStep<Real>{shape, settings, step}, order);
        if (name == "madf") {
            require(step.frequency_rates.fits(shape.layout));
            return run_with(opponent, FrequencyStep<Real>{{shape, settings, step}}, order);
        }
        if (name == "adf") {
            if (step.adaptive_rates.empty())
                step.adaptive_rates.assign(shape.layout.feature_rows(), {static_cast<Real>(settings.rate), 0, 0});
            require(step.adaptive_rates.size() == shape.layout.feature_rows());
            return run_with(opponent, AdaptiveStep<Real>{shape, settings, step}, order);
        }
        if (name == "l1") {
            if (step.penalties.empty()) step.penalties.assign(weights.size(), 0);
            require(step.penalties.size() == weights.size());
            return run_with(opponent, LassoStep<Real>{shape, settings, step}, order);
        }
        throw std::invalid_argument("unknown step");
    }

    static void require(bool fits) {
        if (!fits) throw std::invalid_argument("what the step remembers does not fit the chain");
    }

    template <class Opponent, class Step>
    EpochReport run_with(Opponent& opponent, Step step_rule, std::span<const std::int64_t> order) {
        AveragedWeights<Real> averaged{weights, sums, clock, &nonlocal};
        try {
            const EpochReport report = run_epoch<Real>(averaged, order, opponent, step_rule);
            clock = averaged.clock;
            return report;
        } catch (...) {  // a function of the user's may raise: what was learned before stays consistent
            clock = averaged.clock;
            throw;
        }
    }
};

void check_fit(const ChainData& data, std::size_t weights) {
    if (data.gold.size() + 1 != data.nodes.offsets.size()) throw nb::value_error("training needs gold labels");
    if (weights != data.chain->layout.size()) throw nb::value_error("weights do not fit the chain");
}

void check_order(const ChainData& data, const Input<std::int64_t>& order) {
    for (const std::int64_t example : view(order))
        if (example < 0 || example >= static_cast<std::int64_t>(data.sentences.size()) - 1)
            throw nb::value_error("example out of range");
}

nb::object to_tuple(const EpochReport& report) { return nb::make_tuple(report.updates, report.token_errors, report.loss); }

template <class Real>
nb::object run_margin(OnlineState<Real>& state, const ChainData& data, const Input<std::int64_t>& order, const MarginSettings& settings,
                      const NonlocalObject* features, const CandidateListsObject* lists) {
    const InUse in_use(state.in_use);
    check_fit(data, state.weights.size());
    check_order(data, order);
    if (features && !features->fits(data)) throw nb::value_error("non-local features are those of other documents");
    if (lists && !lists->fits(data)) throw nb::value_error("candidates are those of other documents");
    const CandidateLists candidates = lists ? lists->view() : CandidateLists{};
    const std::vector<std::int64_t> examples(order.data(), order.data() + order.size());  // Python may run meanwhile
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = state.run_margin(problem_of<Real>(data), examples, settings, features, lists ? &candidates : nullptr);
    }
    return to_tuple(report);
}

template <class Real>
nb::object run_online(OnlineState<Real>& state, const ChainData& data, const Input<std::int64_t>& order,
                      const std::string& opponent, const std::string& step, const StepSettings& settings, const Input<double>& costs,
                      const SearchSettings* search) {
    const InUse in_use(state.in_use);
    check_fit(data, state.weights.size());
    const std::size_t labels = data.chain->layout.labels;
    if (costs.size() != 0 && costs.size() != labels * labels) throw nb::value_error("costs do not fit the labels");
    check_order(data, order);
    if ((opponent == "expected" || opponent == "conditional") && data.breaks.size() != 0) throw nb::value_error("expectations are of sentences, not of documents");
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = state.run(problem_of<Real>(data, view(costs)), view(order), opponent, step, settings, search ? *search : SearchSettings{});
    }
    return to_tuple(report);
}

template <class Real>
nb::object run_search(OnlineState<Real>& state, const ChainData& data, const Input<std::int64_t>& order, const SearchSettings& settings) {
    const InUse in_use(state.in_use);
    check_fit(data, state.weights.size());
    check_order(data, order);
    if (data.breaks.size() != 0) throw nb::value_error("a history is of sentences, not of documents");
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = state.run_search(problem_of<Real>(data), view(order), settings);
    }
    return to_tuple(report);
}

template <class T, class Allocator>
void put(nb::dict& out, const char* name, std::vector<T, Allocator> values) {
    if (!values.empty()) out[name] = to_numpy(std::move(values));
}

// Everything that further passes depend on, but for MADF's rates: those come from the data.
template <class Real>
nb::dict state_arrays(const OnlineState<Real>& state) {
    const InUse in_use(state.in_use);
    nb::dict out;
    put(out, "weights", state.weights);
    put(out, "sums", state.sums);
    put(out, "penalties", state.step.penalties);
    std::vector<Real> rates;
    std::vector<std::uint32_t> counts;
    for (const AdaptiveRate<Real>& record : state.step.adaptive_rates) rates.push_back(record.rate), counts.push_back(record.count);
    put(out, "row_rates", std::move(rates));
    put(out, "row_counts", std::move(counts));
    put(out, "nonlocal_weights", state.nonlocal.values);
    put(out, "nonlocal_sums", state.nonlocal.sums);
    put(out, "numbers", std::vector<double>{state.clock, state.step.examples, state.step.penalty});
    return out;
}

void require_fit(bool fits) {
    if (!fits) throw nb::value_error("arrays do not fit the learner");
}

// Empty where there is no such array.
template <class T>
Input<T> array_named(const nb::dict& arrays, const char* name) {
    Input<T> array;
    if (arrays.contains(name)) require_fit(nb::try_cast(arrays[name], array));
    return array;
}

// Nothing changes before the arrays are known to fit; what only the step reads is looked at when it begins.
template <class Real>
void restore_state(OnlineState<Real>& state, const nb::dict& arrays) {
    const InUse in_use(state.in_use);
    const auto weights = array_named<Real>(arrays, "weights"), sums = array_named<Real>(arrays, "sums"),
               penalties = array_named<Real>(arrays, "penalties"), rates = array_named<Real>(arrays, "row_rates");
    const auto nonlocal = array_named<Real>(arrays, "nonlocal_weights"), nonlocal_sums = array_named<Real>(arrays, "nonlocal_sums");
    const auto counts = array_named<std::uint32_t>(arrays, "row_counts");
    const auto numbers = array_named<double>(arrays, "numbers");
    require_fit(weights.size() == state.weights.size() && sums.size() == state.sums.size());
    require_fit(rates.size() == counts.size() && numbers.size() == 3 && nonlocal.size() == nonlocal_sums.size());
    require_fit(numbers(0) >= 0 && numbers(1) >= 0 && numbers(2) >= 0);
    require_fit(numbers(0) <= most_number && numbers(1) <= most_number);  // examples, counted in whole numbers
    std::copy_n(weights.data(), weights.size(), state.weights.begin());
    std::copy_n(sums.data(), sums.size(), state.sums.begin());
    state.nonlocal.values.assign(nonlocal.data(), nonlocal.data() + nonlocal.size());
    state.nonlocal.sums.assign(nonlocal_sums.data(), nonlocal_sums.data() + nonlocal_sums.size());
    state.step.penalties.assign(penalties.data(), penalties.data() + penalties.size());
    state.step.adaptive_rates.clear();
    for (std::size_t row = 0; row < rates.size(); ++row) state.step.adaptive_rates.push_back({rates(row), counts(row), 0});
    state.clock = numbers(0), state.step.examples = numbers(1), state.step.penalty = numbers(2);
}

template <class Real>
void bind_online(nb::module_& m, const char* name) {
    using State = OnlineState<Real>;
    nb::class_<State>(m, name, "Weights of an online learner, with the sums of the lazy average and what its step remembers.")
        .def(nb::init<std::size_t, bool>(), nb::arg("size"), nb::arg("averaged"))
        .def("start", [](State& self, const Input<Real>& weights) {
            const InUse in_use(self.in_use);
            if (weights.size() != self.weights.size()) throw nb::value_error("weights do not fit the chain");
            std::copy_n(weights.data(), weights.size(), self.weights.begin());
        }, nb::arg("weights"), "Weights to begin with instead of zeros.")
        .def("set_frequency_rates", [](State& self, const ChainData& data, double a, double b) {
            const InUse in_use(self.in_use);
            check_fit(data, self.weights.size());
            if (!(a > 0 && b > 0)) throw nb::value_error("a and b are positive");
            self.step.frequency_rates = FrequencyRates<Real>(data.chain->layout, data.input, view(data.gold), a, b);
        }, nb::arg("data"), nb::arg("a"), nb::arg("b"), "MADF's factor for every weight (he-wang-2012, Eq. 15).")
        .def("epoch", &run_online<Real>, nb::arg("data"), nb::arg("order"), nb::arg("opponent"), nb::arg("step"),
             nb::arg("settings"), nb::arg("costs"), nb::arg("search").none() = nb::none(),
             nb::sig("def epoch(self, data: ChainData, order: NDArray[numpy.int64], opponent: str, step: str, settings: StepSettings, "
                     "costs: NDArray[numpy.float64], search: SearchSettings | None = None) -> tuple[int, int, float]"),
             "One pass in the order given; (examples that moved the weights, tokens in error, loss).")
        .def("margin_epoch", &run_margin<Real>, nb::arg("data"), nb::arg("order"), nb::arg("settings"), nb::arg("features").none(),
             nb::arg("lists").none(),
             nb::sig("def margin_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: MarginSettings, "
                     "features: NonlocalFeatures | None, lists: CandidateLists | None) -> tuple[int, int, float]"),
             "One pass of a margin perceptron over candidates (kazama-torisawa-2007), as `epoch`.")
        .def("search_epoch", &run_search<Real>, nb::arg("data"), nb::arg("order"), nb::arg("settings"),
             nb::sig("def search_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: SearchSettings) -> tuple[int, int, float]"),
             "One pass of a history-based learner (tsuruoka-2011, Figure 3; beam search), as `epoch`; lookahead counts decisions.")
        .def("start_nonlocal", [](State& self, const Input<Real>& weights) {
            const InUse in_use(self.in_use);
            self.nonlocal.values.assign(weights.data(), weights.data() + weights.size());
            self.nonlocal.sums.assign(weights.size(), 0);
        }, nb::arg("weights"), "Weights of non-local features to begin with.")
        .def("nonlocal_mean", [](const State& self) { const InUse in_use(self.in_use); return to_numpy(self.nonlocal_mean()); },
             "Weights of non-local features, averaged as the others are.")
        .def("weights", [](const State& self) { const InUse in_use(self.in_use); auto copy = self.weights; return to_numpy(std::move(copy)); })
        .def("mean", [](const State& self) { const InUse in_use(self.in_use); return to_numpy(self.mean()); },
             "Mean of the weights after each example; the weights themselves if there is no averaging.")
        .def("take_mean", [](State& self) { const InUse in_use(self.in_use); return to_numpy(self.take_mean()); },
             "The mean, moved out: the state is empty afterwards.")
        .def("to_tensors", &state_arrays<Real>, nb::sig("def to_tensors(self) -> dict[str, NDArray[typing.Any]]"), "All that further passes depend on.")
        .def("restore", &restore_state<Real>, nb::arg("tensors"),
             nb::sig("def restore(self, tensors: dict[str, NDArray[typing.Any]]) -> None"), "The inverse of to_tensors.");
}

template <class Real>
struct ObjectiveObject : BatchObjective<Real> {
    using BatchObjective<Real>::BatchObjective;
    std::atomic<bool> in_use{false};
};

template <class Real>
void bind_batch(nb::module_& m, const char* name) {
    using Objective = ObjectiveObject<Real>;
    nb::class_<Objective>(m, name, "Sum of -log P(gold | x) over all sentences, and its gradient, as a function of the weights that exist.")
        .def("__init__", [](Objective* self, const ChainData& data, bool all_labels, std::size_t label_cutoff, const SearchSettings* search) {
            check_fit(data, data.chain->layout.size());
            if (data.breaks.size() != 0) throw nb::value_error("expectations are of sentences, not of documents");
            if (search && !search->is_normalised) throw nb::value_error("a search of batch training is normalised");
            new (self) Objective(problem_of<Real>(data), {all_labels, label_cutoff, search != nullptr, search && search->is_backwards});
        }, nb::arg("data"), nb::arg("all_labels"), nb::arg("label_cutoff") = 1, nb::arg("search").none() = nb::none(), nb::keep_alive<1, 2>())
        .def_prop_ro("size", [](const Objective& self) { return self.size(); }, "Number of variables.")
        .def_prop_ro("has_negative_values", [](const Objective& self) { return self.has_negative_values(); }, "Whether a feature has one.")
        .def("observed", [](Objective& self, std::size_t threads) {
            const InUse in_use(self.in_use);
            if (!self.is_conditional()) throw nb::value_error("counts are of taggers that are normalised label by label");
            std::vector<double> found;
            {
                nb::gil_scoped_release release;
                found = self.observed(threads);
            }
            return to_numpy(std::move(found));
        }, nb::arg("threads"), nb::sig("def observed(self, threads: int) -> NDArray[numpy.float64]"), "How often gold has the feature of each variable.")
        .def("largest_sum", [](Objective& self, const Input<double>& counts, std::size_t threads) {
            const InUse in_use(self.in_use);
            if (!self.is_conditional()) throw nb::value_error("counts are of taggers that are normalised label by label");
            if (counts.size() != self.size()) throw nb::value_error("variables do not fit the objective");
            nb::gil_scoped_release release;
            return self.largest_sum(view(counts), threads);
        }, nb::arg("counts"), nb::arg("threads"), nb::sig("def largest_sum(self, counts: NDArray[numpy.float64], threads: int) -> float"),
           "The largest sum of values of variables with counts, over tokens and labels: C of iterative scaling.")
        .def("start", [](Objective& self, const Input<Real>& weights) {
            const InUse in_use(self.in_use);
            if (weights.size() != self.weights().size()) throw nb::value_error("weights do not fit the chain");
            self.start(view(weights));
        }, nb::arg("weights"), "Takes over weights: those of features that fire become variables, the others stay as they are.")
        .def("evaluate", [](Objective& self, const Input<double>& x, const Output<double>& gradient, std::size_t threads) {
            const InUse in_use(self.in_use);
            if (x.size() != self.size() || gradient.size() != self.size()) throw nb::value_error("variables do not fit the objective");
            double loss = 0;
            std::int64_t errors = 0;
            {
                nb::gil_scoped_release release;
                loss = self(view(x), view(gradient), threads, errors);
            }
            return std::pair(loss, errors);
        }, nb::arg("x"), nb::arg("gradient"), nb::arg("threads"),
           nb::sig("def evaluate(self, x: NDArray[numpy.float64], gradient: NDArray[numpy.float64], threads: int) -> tuple[float, int]"),
           "Writes the gradient; (loss, tokens in error).")
        .def("weights", [](Objective& self, const Input<double>& x) {
            const InUse in_use(self.in_use);
            if (x.size() != self.size()) throw nb::value_error("variables do not fit the objective");
            self.set(view(x));
            auto copy = self.weights();
            return to_numpy(std::move(copy));
        }, nb::arg("x"), "The variables laid out as weights of the chain.")
        .def("variables", [](const Objective& self, const Input<Real>& weights) {
            if (weights.size() != self.weights().size()) throw nb::value_error("weights do not fit the chain");
            std::vector<double> x(self.size());
            self.get(view(weights), x);
            return to_numpy(std::move(x));
        }, nb::arg("weights"), "The inverse of weights.");
}

}  // namespace

void bind_train(nb::module_& m) {
    nb::class_<StepSettings>(m, "StepSettings", "Numbers of a step; every step reads those it knows.")
        .def("__init__", [](StepSettings* self, double aggressiveness, double rate, double decay, double l1, double l2, double examples,
                            double period, double window, double slow, double fast) {
            const StepSettings settings{aggressiveness, rate, decay, l1, l2, examples, period, window, slow, fast};
            for (const double number : {aggressiveness, rate, decay, l1, l2, examples, period, window, slow, fast})
                if (!std::isfinite(number) || number < 0 || number > most_number) throw nb::value_error("settings are numbers from 0 to 1e15");
            if (aggressiveness == 0 || examples < 1 || period < 1 || window < 1) throw nb::value_error("C, examples, period and window are positive");
            new (self) StepSettings(settings);
        }, nb::kw_only(), nb::arg("aggressiveness") = 1.0, nb::arg("rate") = 0.1, nb::arg("decay") = 0.0, nb::arg("l1") = 0.0,
           nb::arg("l2") = 0.0, nb::arg("examples") = 1.0, nb::arg("period") = 1.0, nb::arg("window") = 1.0, nb::arg("slow") = 0.995, nb::arg("fast") = 0.6);
    nb::class_<MarginSettings>(m, "MarginSettings", "n, C and the variants of Algorithms 3.1, 4.1 and 4.2 (kazama-torisawa-2007).")
        .def("__init__", [](MarginSettings* self, std::size_t candidates, double total_margin, double local_margin, bool mends_local,
                            bool is_conservative, bool local_first) {
            for (const double margin : {total_margin, local_margin})
                if (!(margin >= 0 && margin <= most_number)) throw nb::value_error("margins are numbers from 0 to 1e15");
            if (candidates < 1) throw nb::value_error("at least one candidate is needed");
            new (self) MarginSettings{candidates, total_margin, local_margin, mends_local, is_conservative, local_first};
        }, nb::kw_only(), nb::arg("candidates") = 2, nb::arg("total_margin") = 0.0, nb::arg("local_margin") = 0.0, nb::arg("mends_local") = false,
           nb::arg("is_conservative") = false, nb::arg("local_first") = false);
    m.def("dot", [](const Input<double>& a, const Input<double>& b) {
        if (a.size() != b.size()) throw nb::value_error("vectors differ in length");
        return dot(view(a), view(b));
    }, nb::arg("a"), nb::arg("b"), nb::sig("def dot(a: NDArray[numpy.float64], b: NDArray[numpy.float64]) -> float"),
       "Inner product, summed in the same order on every machine.");
    m.def("add_scaled", [](const Output<double>& to, double factor, const Input<double>& from) {
        if (to.size() != from.size()) throw nb::value_error("vectors differ in length");
        add_scaled(view(to), factor, view(from));
    }, nb::arg("to"), nb::arg("factor"), nb::arg("from_"), nb::sig(
        "def add_scaled(to: NDArray[numpy.float64], factor: float, from_: NDArray[numpy.float64]) -> None"), "to += factor * from");
    bind_online<float>(m, "OnlineState");
    bind_online<double>(m, "OnlineStateF64");
    bind_batch<float>(m, "BatchObjective");
    bind_batch<double>(m, "BatchObjectiveF64");
}
