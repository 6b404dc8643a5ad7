// Bindings of online training: passes of a learner over a chain. The opponent and the step are chosen by name.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "in_use.hpp"
#include "nonlocal_objects.hpp"
#include "precision.hpp"
#include "tagloom/chain/conditional.hpp"
#include "tagloom/chain/history_based.hpp"
#include "tagloom/fast/memory.hpp"
#include "tagloom/learn/averaging.hpp"
#include "tagloom/learn/epoch.hpp"
#include "tagloom/learn/margin_opponent.hpp"
#include "tagloom/learn/mixing.hpp"
#include "tagloom/learn/opponents.hpp"
#include "tagloom/learn/restriction.hpp"
#include "tagloom/learn/steps.hpp"
#include "tagloom/segments/segment_opponents.hpp"
#include "training.hpp"

using namespace tagloom;

namespace {

// State of an online learner: the weights, the sums and clock of the lazy average, and the state of the step.
template <class Real>
struct OnlineState {
    ZeroVector<Real> weights;
    ZeroVector<Real> sums;  // empty without averaging
    double clock = 0;
    StepState<Real> step;
    NonlocalWeights<Real> nonlocal;
    std::vector<std::uint8_t> exists;  // [weights], or empty if all weights exist
    std::vector<std::uint8_t>
        moves;  // [rows] how each has moved since the last mixing; empty if learners are not mixed
    mutable std::atomic<bool> in_use{false};

    OnlineState(std::size_t size, bool averaged) : weights(size), sums(averaged ? size : 0) {}

    EpochReport run(const ChainProblem<Real>& problem, std::span<const std::int64_t> order, const std::string& opponent,
                    const std::string& step_name, const StepSettings& settings, const SearchSettings& search) {
        const StepShape shape{problem.layout, problem.input};
        const auto run_against = [&](auto&& found) {
            return with_step(OpponentRef<Real>(found), shape, order, step_name, settings);
        };
        if (opponent == "conditional") return run_against(ConditionalOpponent<Real>(problem, search.is_backwards));
        return problem.input.segments.empty()
                   ? run_structure<BestOpponent<Real>, ExpectedOpponent<Real>>(problem, opponent, settings, run_against)
                   : run_structure<SegmentBestOpponent<Real>, SegmentExpectedOpponent<Real>>(problem, opponent,
                                                                                             settings, run_against);
    }

    EpochReport run_margin(const ChainProblem<Real>& problem, std::span<const std::int64_t> order,
                           const MarginSettings& settings, const NonlocalFeatures* features,
                           const CandidateLists* lists) {
        MarginOpponent<Real> opponent(problem, settings, features, lists, nonlocal);
        return run_unit(OpponentRef<Real>(opponent), {problem.layout, problem.input}, order);
    }

    EpochReport run_search(const ChainProblem<Real>& problem, std::span<const std::int64_t> order,
                           const SearchSettings& settings) {
        return with_tagging_opponent(problem, settings, [&](auto& opponent) {
            return run_unit(OpponentRef<Real>(opponent), {problem.layout, problem.input}, order);
        });
    }

    // Returns the mean of the weights of non-local features, computed like that of the other weights.
    std::vector<Real> nonlocal_mean() const {
        std::vector<Real> out = nonlocal.sums;
        lazy_mean<Real>(nonlocal.values, out, clock);
        return sums.empty() ? nonlocal.values : out;
    }

    ZeroVector<Real> mean() const {
        ZeroVector<Real> out = sums;
        lazy_mean<Real>(weights, out, clock);
        return sums.empty() ? weights : out;
    }

    bool is_finite() const {
        const auto all_finite = [](const ZeroVector<Real>& values) {
            return std::all_of(values.begin(), values.end(), [](Real value) { return std::isfinite(value); });
        };
        return all_finite(weights) && all_finite(sums);
    }

    // Writes the mean into the memory of the sums, so that a finished run needs no third vector.
    ZeroVector<Real> take_mean() {
        ZeroVector<Real> out = sums.empty() ? std::move(weights) : std::move(sums);
        if (!weights.empty()) lazy_mean<Real>(weights, out, clock);
        weights = {}, sums = {}, clock = 0, step = {}, nonlocal = {};
        return out;
    }

private:
    // Runs against the opponent of this name, found in a structure by the search or by the expectation of it.
    template <class Best, class Expected, class Run>
    EpochReport run_structure(const ChainProblem<Real>& problem, const std::string& opponent,
                              const StepSettings& settings, Run run) {
        if (opponent == "best" || opponent == "cost-augmented") return run(Best(problem));
        if (opponent == "predicted") return run(PredictedOpponent<Real, Best>(problem, settings.cost_power));
        if (opponent == "expected") return run(Expected(problem));
        throw std::invalid_argument("unknown opponent");
    }

    EpochReport with_step(OpponentRef<Real> opponent, const StepShape& shape, std::span<const std::int64_t> order,
                          const std::string& name, const StepSettings& settings) {
        const auto run = [&](auto step_rule) {
            RestrictedStep<Real> restricted{StepRef<Real>(step_rule), shape, exists};
            return run_pass(opponent, shape, exists.empty() ? restricted.step : StepRef<Real>(restricted), order);
        };
        if (name == "unit") return run(UnitStep<Real>{shape});
        if (name == "pa" || name == "pa2")
            return run(PassiveAggressiveStep<Real>{shape, settings.aggressiveness, name == "pa2"});
        if (name == "arow") {
            if (step.variances.empty()) step.variances.assign(weights.size(), static_cast<Real>(settings.variance));
            require(step.variances.size() == weights.size());
            return run(ConfidenceStep<Real>{shape, settings.gamma, step.variances});
        }
        if (name == "dca") {
            RowMerger<Real> merger(shape.layout.feature_rows());
            return run(DualAscentStep<Real>{shape, settings.aggressiveness, merger});
        }
        if (name == "sgd") return run(GradientStep<Real>{shape, settings, step});
        if (name == "madf") {
            require(step.frequency_rates.fits(shape.layout));
            return run(FrequencyStep<Real>{{shape, settings, step}});
        }
        if (name == "adf") {
            if (step.adaptive_rates.empty())
                step.adaptive_rates.assign(shape.layout.feature_rows(), {static_cast<Real>(settings.rate), 0, 0});
            require(step.adaptive_rates.size() == shape.layout.feature_rows());
            return run(AdaptiveStep<Real>{shape, settings, step});
        }
        if (name == "l1") {
            if (step.penalties.empty()) step.penalties = ZeroVector<Real>(weights.size());
            require(step.penalties.size() == weights.size());
            return run(LassoStep<Real>{shape, settings, step});
        }
        throw std::invalid_argument("unknown step");
    }

    static void require(bool fits) {
        if (!fits) throw std::invalid_argument("the state of the step does not fit the chain");
    }

    EpochReport run_unit(OpponentRef<Real> opponent, const StepShape& shape, std::span<const std::int64_t> order) {
        UnitStep<Real> unit{shape};
        return run_pass(opponent, shape, StepRef<Real>(unit), order);
    }

    EpochReport run_pass(OpponentRef<Real> opponent, const StepShape& shape, StepRef<Real> step_rule,
                         std::span<const std::int64_t> order) {
        AveragedWeights<Real> averaged{weights, sums, clock, &nonlocal, moves};
        require(moves.empty() || moves.size() == shape.layout.feature_rows());
        NotingStep<Real> noting{step_rule, shape};
        try {
            const StepRef<Real> chosen = moves.empty() ? step_rule : StepRef<Real>(noting);
            const EpochReport report = run_epoch<Real>(averaged, order, opponent, chosen);
            clock = averaged.clock;
            return report;
        } catch (...) {  // a user's function may raise; what was learned before stays consistent
            clock = averaged.clock;
            throw;
        }
    }
};

void check_order(const ChainData& data, const Input<std::int64_t>& order) {
    for (const std::int64_t example : view(order))
        if (example < 0 || example >= static_cast<std::int64_t>(data.sentences.size()) - 1)
            refuse("example out of range");
}

nb::object to_tuple(const EpochReport& report) {
    return nb::make_tuple(report.updates, report.token_errors, report.loss);
}

template <class Real>
nb::object run_margin(OnlineState<Real>& state, const ChainData& data, const Input<std::int64_t>& order,
                      const MarginSettings& settings, const NonlocalObject* features,
                      const CandidateListsObject* lists) {
    const InUse in_use(state.in_use);
    check_fit(data, state.weights.size());
    check_order(data, order);
    check_labels_only(data);
    if (features && !features->fits(data)) refuse("the non-local features belong to other documents");
    if (lists && !lists->fits(data)) refuse("the candidates belong to other documents");
    const CandidateLists candidates = lists ? lists->view() : CandidateLists{};
    const std::vector<std::int64_t> examples(
        order.data(), order.data() + order.size());  // a copy, because Python code may run meanwhile
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = state.run_margin(problem_of<Real>(data), examples, settings, features, lists ? &candidates : nullptr);
    }
    return to_tuple(report);
}

template <class Real>
nb::object run_online(OnlineState<Real>& state, const ChainData& data, const Input<std::int64_t>& order,
                      const std::string& opponent, const std::string& step, const StepSettings& settings,
                      const Input<double>& costs, const SearchSettings* search) {
    const InUse in_use(state.in_use);
    check_fit(data, state.weights.size());
    const std::size_t labels = data.chain->layout.labels;
    if (costs.size() != 0 && costs.size() != labels * labels) refuse("costs do not fit the labels");
    check_order(data, order);
    if ((opponent == "expected" || opponent == "conditional") && data.breaks.size() != 0)
        refuse("expectations are computed for sentences, not for documents");
    if (opponent == "conditional" || step == "madf") check_labels_only(data);
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = state.run(problem_of<Real>(data, view(costs)), view(order), opponent, step, settings,
                           search ? *search : SearchSettings{});
    }
    return to_tuple(report);
}

template <class Real>
nb::object run_search(OnlineState<Real>& state, const ChainData& data, const Input<std::int64_t>& order,
                      const SearchSettings& settings) {
    const InUse in_use(state.in_use);
    check_fit(data, state.weights.size());
    check_order(data, order);
    check_labels_only(data);
    if (data.breaks.size() != 0) refuse("a history-based learner needs sentences, not documents");
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = state.run_search(problem_of<Real>(data), view(order), settings);
    }
    return to_tuple(report);
}

template <class Vector>
void put(nb::dict& out, const char* name, Vector values) {
    if (!values.empty()) out[name] = to_numpy(std::move(values));
}

// Returns everything that further passes depend on, except MADF's rates, which come from the data.
template <class Real>
nb::dict state_arrays(const OnlineState<Real>& state) {
    const InUse in_use(state.in_use);
    nb::dict out;
    put(out, "weights", state.weights);
    put(out, "sums", state.sums);
    put(out, "penalties", state.step.penalties);
    put(out, "variances", state.step.variances);
    std::vector<Real> rates;
    std::vector<std::uint32_t> counts;
    for (const AdaptiveRate<Real>& record : state.step.adaptive_rates)
        rates.push_back(record.rate), counts.push_back(record.count);
    put(out, "row_rates", std::move(rates));
    put(out, "row_counts", std::move(counts));
    put(out, "nonlocal_weights", state.nonlocal.values);
    put(out, "nonlocal_sums", state.nonlocal.sums);
    if (std::count(state.moves.begin(), state.moves.end(), 0) < static_cast<std::ptrdiff_t>(state.moves.size()))
        put(out, "moves", state.moves);
    put(out, "numbers", std::vector<double>{state.clock, state.step.examples, state.step.penalty});
    return out;
}

void require_fit(bool fits) {
    if (!fits) refuse("arrays do not fit the learner");
}

// Returns an empty view if there is no such array.
template <class T>
Input<T> array_named(const nb::dict& arrays, const char* name) {
    Input<T> array;
    if (arrays.contains(name)) require_fit(nb::try_cast(arrays[name], array));
    return array;
}

// Nothing changes until all arrays are known to fit; the state of the step is checked when the step begins.
template <class Real>
void restore_state(OnlineState<Real>& state, const nb::dict& arrays) {
    const InUse in_use(state.in_use);
    const auto weights = array_named<Real>(arrays, "weights"), sums = array_named<Real>(arrays, "sums"),
               penalties = array_named<Real>(arrays, "penalties"), rates = array_named<Real>(arrays, "row_rates"),
               variances = array_named<Real>(arrays, "variances");
    const auto nonlocal = array_named<Real>(arrays, "nonlocal_weights"),
               nonlocal_sums = array_named<Real>(arrays, "nonlocal_sums");
    const auto counts = array_named<std::uint32_t>(arrays, "row_counts");
    const auto moves = array_named<std::uint8_t>(arrays, "moves");
    const auto numbers = array_named<double>(arrays, "numbers");
    require_fit(weights.size() == state.weights.size() && sums.size() == state.sums.size());
    require_fit(rates.size() == counts.size() && numbers.size() == 3 && nonlocal.size() == nonlocal_sums.size());
    require_fit(moves.size() == 0 || moves.size() == state.moves.size());
    require_fit(numbers(0) >= 0 && numbers(1) >= 0 && numbers(2) >= 0);
    require_fit(numbers(0) <= most_number && numbers(1) <= most_number);  // counts of examples must stay exact
    state.weights.copy(weights.data());
    state.sums.copy(sums.data());
    state.nonlocal.values.assign(nonlocal.data(), nonlocal.data() + nonlocal.size());
    state.nonlocal.sums.assign(nonlocal_sums.data(), nonlocal_sums.data() + nonlocal_sums.size());
    state.step.penalties = ZeroVector<Real>(penalties.size());
    state.step.penalties.copy(penalties.data());
    state.step.variances.assign(variances.data(), variances.data() + variances.size());
    state.step.adaptive_rates.clear();
    for (std::size_t row = 0; row < rates.size(); ++row)
        state.step.adaptive_rates.push_back({rates(row), counts(row), 0});
    std::fill(state.moves.begin(), state.moves.end(), std::uint8_t{0});
    std::copy(moves.data(), moves.data() + moves.size(), state.moves.begin());
    state.clock = numbers(0), state.step.examples = numbers(1), state.step.penalty = numbers(2);
}

// Mixes the states of learners that began a pass alike. They may differ by one in the number of examples that they have
// seen, so counts take the largest and stay whole numbers.
template <class Real>
class StateMixer {
public:
    StateMixer(const std::vector<OnlineState<Real>*>& states, const ChainLayout& layout, std::size_t threads)
        : states_(states), layout_(layout), threads_(threads) {
        if (states.size() < 2 || std::count(states.begin(), states.end(), nullptr)) refuse("expected several learners");
        for (const OnlineState<Real>* state : states) {
            const OnlineState<Real>& first = *states.front();
            require_fit(state->weights.size() == layout.size() && state->sums.size() == first.sums.size());
            require_fit(state->moves.size() == layout.feature_rows());
            require_fit(state->step.penalties.size() == first.step.penalties.size());
            require_fit(state->step.variances.size() == first.step.variances.size());
            require_fit(state->step.adaptive_rates.size() == first.step.adaptive_rates.size());
            require_fit(state->nonlocal.values.empty());
        }
    }

    void mix() {
        const std::vector<Copies<Real>> kinds = {
            list_copies<Real>([](OnlineState<Real>& state) -> auto& { return state.weights; }),
            list_copies<Real>([](OnlineState<Real>& state) -> auto& { return state.sums; }),
            list_copies<Real>([](OnlineState<Real>& state) -> auto& { return state.step.penalties; }),
            list_copies<Real>([](OnlineState<Real>& state) -> auto& { return state.step.variances; }),
        };
        std::vector<Copies<Real>> present;
        for (const Copies<Real>& copies : kinds)
            if (!copies.front().empty()) present.push_back(copies);
        const auto moves = list_copies<std::uint8_t>([](OnlineState<Real>& state) -> auto& { return state.moves; });
        RowMixer<Real>(layout_, moves, present).mix(threads_);
        take_largest([](OnlineState<Real>& state) -> double& { return state.clock; });
        take_largest([](OnlineState<Real>& state) -> double& { return state.step.examples; });
        take_largest([](OnlineState<Real>& state) -> double& { return state.step.penalty; });
        mix_rates();
    }

private:
    template <class Value, class Get>
    Copies<Value> list_copies(Get get) {
        Copies<Value> copies;
        for (OnlineState<Real>* state : states_) copies.emplace_back(get(*state));
        return copies;
    }

    template <class Get>
    void take_largest(Get get) {
        double largest = 0;
        for (OnlineState<Real>* state : states_) largest = std::max(largest, get(*state));
        for (OnlineState<Real>* state : states_) get(*state) = largest;
    }

    void mix_rates() {
        for (std::size_t row = 0; row < states_.front()->step.adaptive_rates.size(); ++row) {
            AdaptiveRate<Real> mixed{0, 0, 0};
            for (const OnlineState<Real>* state : states_) {
                const AdaptiveRate<Real>& own = state->step.adaptive_rates[row];
                mixed.rate += own.rate, mixed.count = std::max(mixed.count, own.count);
            }
            mixed.rate /= static_cast<Real>(states_.size());
            for (OnlineState<Real>* state : states_) state->step.adaptive_rates[row] = mixed;
        }
    }

    const std::vector<OnlineState<Real>*>& states_;
    const ChainLayout& layout_;
    std::size_t threads_;
};

template <class Real>
void mix_states(const std::vector<OnlineState<Real>*>& states, const ChainObject& chain, std::size_t threads) {
    StateMixer<Real> mixer(states, chain.layout, threads);
    std::vector<std::unique_ptr<InUse>> in_use;
    for (OnlineState<Real>* state : states) in_use.push_back(std::make_unique<InUse>(state->in_use));
    nb::gil_scoped_release release;
    mixer.mix();
}

template <class Real>
void bind_state(nb::module_& m, const char* name) {
    using State = OnlineState<Real>;
    nb::class_<State>(m, name,
                      "The weights of an online learner, with the sums of the lazy average and the state of its step.")
        .def(nb::init<std::size_t, bool>(), nb::arg("size"), nb::arg("averaged"))
        .def(
            "start",
            [](State& self, const Input<Real>& weights) {
                const InUse in_use(self.in_use);
                if (weights.size() != self.weights.size()) refuse("weights do not fit the chain");
                self.weights.copy(weights.data());
                for (std::size_t i = 0; i < self.exists.size(); ++i) self.exists[i] |= weights.data()[i] != 0;
            },
            nb::arg("weights"), "Sets the initial weights, which are zeros otherwise.")
        .def(
            "set_frequency_rates",
            [](State& self, const GoldCountsObject& counts, double a, double b) {
                const InUse in_use(self.in_use);
                if (counts.chain->layout.size() != self.weights.size()) refuse("counts do not fit the chain");
                if (!(a > 0 && b > 0)) refuse("a and b must be positive");
                self.step.frequency_rates = FrequencyRates<Real>(counts.counts, counts.chain->layout.stride, a, b);
            },
            nb::arg("counts"), nb::arg("a"), nb::arg("b"),
            "Sets MADF's factor for every weight (he-wang-2012, Eq. 15).")
        .def_prop_ro(
            "size",
            [](const State& self) {
                if (self.exists.empty()) return self.weights.size();
                return static_cast<std::size_t>(std::count(self.exists.begin(), self.exists.end(), 1));
            },
            "Number of weights that learning may move.")
        .def(
            "restrict",
            [](State& self, const Input<Real>& exists) {
                const InUse in_use(self.in_use);
                if (exists.size() != self.weights.size()) refuse("weights do not fit the chain");
                self.exists.resize(exists.size());
                for (std::size_t i = 0; i < exists.size(); ++i) self.exists[i] = exists.data()[i] != 0;
            },
            nb::arg("exists"), "Leaves the weights at zero where this array is zero.")
        .def(
            "follow_moves",
            [](State& self, const ChainObject& chain) {
                const InUse in_use(self.in_use);
                if (chain.layout.size() != self.weights.size()) refuse("weights do not fit the chain");
                self.moves.assign(chain.layout.feature_rows(), 0);
            },
            nb::arg("chain"), "Notes from now on which rows of weights move, as `mix_states` needs it.")
        .def("epoch", &run_online<Real>, nb::arg("data"), nb::arg("order"), nb::arg("opponent"), nb::arg("step"),
             nb::arg("settings"), nb::arg("costs"), nb::arg("search").none() = nb::none(),
             nb::sig("def epoch(self, data: ChainData, order: NDArray[numpy.int64], opponent: str, step: str, "
                     "settings: StepSettings, "
                     "costs: NDArray[numpy.float64], search: SearchSettings | None = None) -> tuple[int, int, float]"),
             "Makes one pass in the given order and returns (updates, wrong tokens, loss).")
        .def("margin_epoch", &run_margin<Real>, nb::arg("data"), nb::arg("order"), nb::arg("settings"),
             nb::arg("features").none(), nb::arg("lists").none(),
             nb::sig("def margin_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: MarginSettings, "
                     "features: NonlocalFeatures | None, lists: CandidateLists | None) -> tuple[int, int, float]"),
             "Makes one pass of a margin perceptron over candidates (kazama-torisawa-2007); otherwise like `epoch`.")
        .def("search_epoch", &run_search<Real>, nb::arg("data"), nb::arg("order"), nb::arg("settings"),
             nb::sig("def search_epoch(self, data: ChainData, order: NDArray[numpy.int64], settings: SearchSettings) "
                     "-> tuple[int, int, float]"),
             "Makes one pass of a history-based learner (tsuruoka-2011, Figure 3; beam search); otherwise like "
             "`epoch`. With lookahead, updates are counted per decision.")
        .def(
            "start_nonlocal",
            [](State& self, const Input<Real>& weights) {
                const InUse in_use(self.in_use);
                self.nonlocal.values.assign(weights.data(), weights.data() + weights.size());
                self.nonlocal.sums.assign(weights.size(), 0);
            },
            nb::arg("weights"), "Sets the initial weights of the non-local features.")
        .def(
            "nonlocal_mean",
            [](const State& self) {
                const InUse in_use(self.in_use);
                return to_numpy(self.nonlocal_mean());
            },
            "Returns the weights of the non-local features, averaged like the other weights.")
        .def("weights",
             [](const State& self) {
                 const InUse in_use(self.in_use);
                 auto copy = self.weights;
                 return to_numpy(std::move(copy));
             })
        .def(
            "is_finite",
            [](const State& self) {
                const InUse in_use(self.in_use);
                return self.is_finite();
            },
            "Returns whether all weights are finite numbers, without copying them.")
        .def(
            "mean",
            [](const State& self) {
                const InUse in_use(self.in_use);
                return to_numpy(self.mean());
            },
            "Returns the mean of the weights after each example, or the weights themselves without averaging.")
        .def(
            "take_mean",
            [](State& self) {
                const InUse in_use(self.in_use);
                return to_numpy(self.take_mean());
            },
            "Returns the mean and moves it out; the state is empty afterwards.")
        .def("to_tensors", &state_arrays<Real>, nb::sig("def to_tensors(self) -> dict[str, NDArray[typing.Any]]"),
             "Returns everything that further passes depend on.")
        .def("restore", &restore_state<Real>, nb::arg("tensors"),
             nb::sig("def restore(self, tensors: dict[str, NDArray[typing.Any]]) -> None"),
             "The inverse of `to_tensors`.");
}
}  // namespace

void bind_online(nb::module_& m) {
    bind_state<Weight>(m, "OnlineState");
    m.def(
        "mix_states", &mix_states<Weight>, nb::arg("states"), nb::arg("chain"), nb::arg("threads"),
        "Mixes the states of learners that began a pass alike: rows become the mean of those that examples have moved "
        "(McDonald, Hall & Mann 2010).");
}
