// Training: epochs of online learners over a chain. Opponent, step and averaging are chosen by name.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <stdexcept>

#include "objects.hpp"
#include "tagloom/averaging.hpp"
#include "tagloom/epoch.hpp"
#include "tagloom/memory.hpp"
#include "tagloom/opponents.hpp"
#include "tagloom/steps.hpp"

using namespace tagloom;

namespace {

// State of an online learner: weights, and the sums and clock of the lazy average.
template <class Real>
struct OnlineState {
    BigVector<Real> weights;
    BigVector<Real> sums;  // empty: no averaging
    double clock = 0;

    OnlineState(std::size_t size, bool averaged) : weights(size, 0), sums(averaged ? size : 0, 0) {}

    EpochReport run(const ChainData& data, std::span<const std::int64_t> order, const std::string& opponent,
                    const std::string& step) {
        const ChainProblem<Real> problem{data.chain->layout, data.input, view(data.gold), data.chain->mask<Real>()};
        if (opponent != "best") throw std::invalid_argument("unknown opponent");
        BestOpponent<Real> best(problem);
        if (step != "unit") throw std::invalid_argument("unknown step");
        UnitStep<Real> unit;
        return run_with(best, unit, order);
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
        *this = OnlineState(0, false);
        return out;
    }

private:
    template <class Opponent, class Step>
    EpochReport run_with(Opponent& opponent, Step& step, std::span<const std::int64_t> order) {
        if (sums.empty()) {
            NoAveraging<Real> none;
            return run_epoch<Real>(weights, order, opponent, step, none);
        }
        LazyAverage<Real> average{sums, clock};
        const EpochReport report = run_epoch<Real>(weights, order, opponent, step, average);
        clock = average.clock;
        return report;
    }
};

template <class Real>
nb::object run_online(OnlineState<Real>& state, const ChainData& data, const Input<std::int64_t>& order,
                      const std::string& opponent, const std::string& step) {
    if (data.gold.size() + 1 != data.nodes.offsets.size()) throw nb::value_error("training needs gold labels");
    if (state.weights.size() != data.chain->layout.size()) throw nb::value_error("weights do not fit the chain");
    for (const std::int64_t example : view(order))
        if (example < 0 || example + 1 >= static_cast<std::int64_t>(data.sentences.size()))
            throw nb::value_error("example out of range");
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = state.run(data, view(order), opponent, step);
    }
    return nb::make_tuple(report.updates, report.token_errors);
}

// All that a pass leaves for the next one, by name; `restore` takes it back. The clock is an array of one number.
template <class Real>
nb::dict state_tensors(const OnlineState<Real>& state) {
    nb::dict tensors;
    auto weights = state.weights;
    auto sums = state.sums;
    tensors["weights"] = to_numpy(std::move(weights));
    tensors["sums"] = to_numpy(std::move(sums));
    tensors["clock"] = to_numpy(std::vector<double>{state.clock});
    return tensors;
}

template <class Real>
void fill(BigVector<Real>& target, const Input<Real>& values) {
    if (values.size() != target.size()) throw nb::value_error("the arrays do not fit the state of the learner");
    std::copy_n(values.data(), values.size(), target.begin());
}

template <class Real>
void restore_state(OnlineState<Real>& state, const nb::dict& tensors) {
    fill(state.weights, nb::cast<Input<Real>>(tensors["weights"]));
    fill(state.sums, nb::cast<Input<Real>>(tensors["sums"]));
    const auto clock = nb::cast<Input<double>>(tensors["clock"]);
    if (clock.size() != 1) throw nb::value_error("the clock of the learner is one number");
    state.clock = clock(0);
}

template <class Real>
void bind_online(nb::module_& m, const char* name) {
    using State = OnlineState<Real>;
    nb::class_<State>(m, name, "Weights of an online learner, with the sums of the lazy average.")
        .def(nb::init<std::size_t, bool>(), nb::arg("size"), nb::arg("averaged"))
        .def("epoch", &run_online<Real>, nb::arg("data"), nb::arg("order"), nb::arg("opponent"), nb::arg("step"),
             nb::sig("def epoch(self, data: ChainData, order: NDArray[numpy.int64], opponent: str, step: str) -> tuple[int, int]"),
             "One pass in the order given; (examples that moved the weights, tokens in error).")
        .def("start", [](State& self, const Input<Real>& weights) { fill(self.weights, weights); }, nb::arg("weights"),
             "Begin from these weights instead of zeros; before the first epoch.")
        .def("to_tensors", &state_tensors<Real>, nb::sig("def to_tensors(self) -> dict[str, NDArray[typing.Any]]"),
             "Copies of all arrays that the next epoch depends on, by name.")
        .def("restore", &restore_state<Real>, nb::arg("tensors"),
             nb::sig("def restore(self, tensors: dict[str, NDArray[typing.Any]]) -> None"),
             "The inverse of to_tensors, for a state of the same size.")
        .def("weights", [](const State& self) { auto copy = self.weights; return to_numpy(std::move(copy)); })
        .def("mean", [](const State& self) { return to_numpy(self.mean()); },
             "Mean of the weights after each example; the weights themselves if there is no averaging.")
        .def("take_mean", [](State& self) { return to_numpy(self.take_mean()); },
             "The mean, moved out: the state is empty afterwards.");
}

}  // namespace

void bind_train(nb::module_& m) {
    bind_online<float>(m, "OnlineState");
    bind_online<double>(m, "OnlineStateF64");
}
