// Bindings of ranking: they take candidate lists with features of whole labellings and return weights, rounds, and
// votes.
#include <nanobind/stl/optional.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "in_use.hpp"
#include "objects.hpp"
#include "tagloom/rerank/boosting.hpp"
#include "tagloom/rerank/ranking.hpp"
#include "tagloom/rerank/voting.hpp"

using namespace tagloom;

namespace {

using Integers = Input<std::int64_t>;
using Doubles = Input<double>;

// Lists; their arrays are checked once and kept alive.
struct ListsObject {
    Integers first, offsets;
    Doubles scores;
    Input<std::uint32_t> rows;
    Input<float> values;
    RankingLists lists;
};

void init_lists(ListsObject* self, const Integers& first, const Doubles& scores, const Integers& offsets,
                const Input<std::uint32_t>& rows, std::size_t features, const Input<float>& values) {
    const RankingLists lists{view(first), view(scores), view(offsets), view(rows), view(values), features};
    check_offsets(lists.first, lists.scores.size(), "lists do not span the candidates");
    if (lists.offsets.size() != lists.scores.size() + 1) refuse("expected one list of rows per candidate");
    check_offsets(lists.offsets, lists.rows.size(), "row offsets do not span the rows");
    if (lists.scores.size() > std::numeric_limits<std::int32_t>::max()
        || features > std::numeric_limits<std::int32_t>::max())
        refuse("too many candidates or features");
    if (!lists.values.empty() && lists.values.size() != lists.rows.size()) refuse("expected one value per row");
    for (const double score : lists.scores)
        if (!std::isfinite(score)) refuse("a score is not a finite number");
    for (const float value : lists.values)
        if (!std::isfinite(value)) refuse("a value is not a finite number");
    for (std::size_t c = 0; c < lists.scores.size(); ++c) {
        const auto mine = lists.rows_of(c);
        for (std::size_t i = 0; i < mine.size(); ++i)
            if (mine[i] >= features || (i > 0 && mine[i - 1] >= mine[i]))
                refuse("rows are out of range or not in ascending order");
    }
    new (self) ListsObject{first, offsets, scores, rows, values, lists};
}

void check_best(const RankingLists& lists, std::span<const std::int64_t> best) {
    if (best.size() != lists.size()) refuse("expected one best candidate per list");
    for (std::size_t i = 0; i < best.size(); ++i)
        if (best[i] >= static_cast<std::int64_t>(lists.count(i))) refuse("the best candidate is not in its list");
}

void require_indicators(const RankingLists& lists) {
    if (!lists.values.empty()) refuse("features must be indicators, without values");
}

Array<double> scored(const ListsObject& self, const Doubles& weights, double base, std::size_t threads) {
    if (weights.size() != self.lists.features) refuse("weights do not fit the features");
    std::vector<double> scores;
    {
        nb::gil_scoped_release release;
        scores = score_lists(self.lists, view(weights), base, threads);
    }
    return to_numpy(std::move(scores));
}

// Returns the index, within every list, of the first highest value; -1 for an empty list.
template <class Value>
Array<std::int64_t> winners(const ListsObject& self, const Input<Value>& values) {
    if (values.size() != self.lists.scores.size()) refuse("expected one value per candidate");
    std::vector<std::int64_t> best;
    for (std::size_t s = 0; s < self.lists.size(); ++s)
        best.push_back(highest<Value>(view(values).subspan(self.lists.begin(s), self.lists.count(s))));
    return to_numpy(std::move(best));
}

// Development lists on which a boosting run is measured.
struct Watched {
    ListsObject lists;
    Integers correct, proposed;
    RankingMonitor monitor;

    Watched(const ListsObject& given, const Integers& right, const Integers& all, std::int64_t gold, double base)
        : lists(given),
          correct(right),
          proposed(all),
          monitor(lists.lists, {view(correct), view(proposed), gold}, base) {}
};

struct BoostingObject {
    ListsObject lists;  // kept alive
    Boosting boosting;
    std::unique_ptr<Watched> watched;
    std::atomic<bool> is_busy = false;

    BoostingObject(const ListsObject& given, Boosting&& made) : lists(given), boosting(std::move(made)) {}
};

void init_boosting(BoostingObject* self, const ListsObject& lists, const Integers& best, double smoothing) {
    check_best(lists.lists, view(best));
    require_indicators(lists.lists);
    if (!(smoothing >= 0 && smoothing <= 1)) refuse("smoothing must be between 0 and 1");
    std::optional<Boosting> made;
    {
        nb::gil_scoped_release release;
        made.emplace(lists.lists, view(best), smoothing);
    }
    new (self) BoostingObject(lists, std::move(*made));
}

void watch(BoostingObject& self, const ListsObject& lists, const Integers& correct, const Integers& proposed,
           std::int64_t gold) {
    const InUse guard(self.is_busy);
    if (lists.lists.features != self.lists.lists.features) refuse("the lists have different features");
    if (correct.size() != lists.lists.scores.size() || proposed.size() != correct.size())
        refuse("expected one count per candidate");
    require_indicators(lists.lists);
    self.watched = std::make_unique<Watched>(lists, correct, proposed, gold, self.boosting.base_weight());
}

// Returns (features, deltas, losses, F-measures of the watched lists, if there are any); there are fewer rounds if no
// feature helps.
nb::object boost(BoostingObject& self, std::size_t rounds) {
    std::vector<std::uint32_t> features;
    std::vector<double> deltas, losses, measures;
    {
        const InUse guard(self.is_busy);
        nb::gil_scoped_release release;
        BoostingRound round{};
        for (std::size_t r = 0; r < rounds && self.boosting.step(round); ++r) {
            features.push_back(round.feature), deltas.push_back(round.delta), losses.push_back(round.loss);
            if (!self.watched) continue;
            self.watched->monitor.move(round.feature, round.delta);
            measures.push_back(self.watched->monitor.f_measure());
        }
    }
    return nb::make_tuple(to_numpy(std::move(features)), to_numpy(std::move(deltas)), to_numpy(std::move(losses)),
                          to_numpy(std::move(measures)));
}

template <class T>
Array<T> copied(std::span<const T> values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
}

struct PerceptronObject {
    ListsObject lists;
    RankingPerceptron perceptron;
    std::atomic<bool> is_busy = false;

    PerceptronObject(const ListsObject& given, std::vector<std::int64_t> best, double beta,
                     std::optional<double> margin, std::vector<std::int64_t> costs)
        : lists(given),
          perceptron(lists.lists, std::move(best), beta, margin.value_or(0), margin.has_value(), std::move(costs)) {}
};

void init_perceptron(PerceptronObject* self, const ListsObject& lists, const Integers& best, double beta,
                     nb::object margin, const std::optional<Integers>& costs) {
    check_best(lists.lists, view(best));
    std::vector<std::int64_t> errors;
    if (costs) errors.assign(view(*costs).begin(), view(*costs).end());
    if (costs && errors.size() != lists.lists.scores.size()) refuse("expected one cost per candidate");
    for (const std::int64_t cost : errors)
        if (cost < 0 || cost > std::numeric_limits<std::int32_t>::max()) refuse("cost out of range");
    if (margin.is_none()) require_indicators(lists.lists);
    if (!(beta >= 0) || !std::isfinite(beta)) refuse("beta must be a finite number of at least 0");
    std::optional<double> c;
    if (!margin.is_none()) c = nb::cast<double>(margin);
    if (c && !std::isfinite(*c)) refuse("the margin must be a finite number");
    new (self) PerceptronObject(lists, {view(best).begin(), view(best).end()}, beta, c, std::move(errors));
}

nb::object run_perceptron(PerceptronObject& self, const Integers& order) {
    const InUse guard(self.is_busy);
    for (const std::int64_t i : view(order))
        if (i < 0 || i >= static_cast<std::int64_t>(self.lists.lists.size())) refuse("list out of range");
    RankingPerceptron::Report report;
    {
        nb::gil_scoped_release release;
        report = self.perceptron.run(view(order));
    }
    return nb::make_tuple(report.updates, report.errors, report.loss);
}

// Returns the arrays that set_perceptron takes: weights, moments, and [3] the weight and moment of the scores and the
// number of lists seen.
nb::object perceptron_state(const PerceptronObject& self) {
    const RankingPerceptron::State& state = self.perceptron.state();
    std::vector<double> numbers{state.base, state.base_moment, static_cast<double>(state.seen)};
    return nb::make_tuple(to_numpy(std::vector<double>(state.weights)), to_numpy(std::vector<double>(state.moments)),
                          to_numpy(std::move(numbers)));
}

void set_perceptron(PerceptronObject& self, const Doubles& weights, const Doubles& moments, const Doubles& numbers) {
    const InUse guard(self.is_busy);
    if (weights.size() != self.lists.lists.features || moments.size() != weights.size() || numbers.size() != 3)
        refuse("arrays do not fit the features");
    for (const Doubles* array : {&weights, &moments, &numbers})
        for (const double number : view(*array))
            if (!std::isfinite(number)) refuse("a weight is not a finite number");
    if (!(numbers(2) >= 0 && numbers(2) < 9e15)) refuse("the number of lists seen is out of range");
    const auto copy = [](const Doubles& array) { return std::vector<double>(view(array).begin(), view(array).end()); };
    self.perceptron.set({copy(weights), copy(moments), numbers(0), numbers(1), static_cast<std::size_t>(numbers(2))});
}

// A trajectory as arrays, which are checked and kept alive.
struct TrajectoryObject {
    Integers offsets;
    Input<std::uint32_t> events;
    Doubles base;
    Integers votes;
    std::vector<std::int32_t> last;
    TrajectoryView path;
};

void init_trajectory(TrajectoryObject* self, const Integers& offsets, const Input<std::uint32_t>& events,
                     const Doubles& base, const Integers& votes) {
    check_offsets(view(offsets), events.size(), "offsets do not span the events");
    if (base.size() == 0 || votes.size() != base.size()) refuse("expected one vote count per weight vector");
    std::int64_t all = 0;
    for (const std::int64_t each : view(votes)) {
        if (each < 0 || each > std::numeric_limits<std::int64_t>::max() - all) refuse("votes out of range");
        all += each;
    }
    for (const double weight : view(base))
        if (!std::isfinite(weight)) refuse("a weight is not a finite number");
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
        for (auto i = static_cast<std::size_t>(offsets(k)); i < static_cast<std::size_t>(offsets(k + 1)); ++i) {
            const bool is_ascending = i == static_cast<std::size_t>(offsets(k)) || events(i - 1) >> 1 < events(i) >> 1;
            if (events(i) >> 1 == 0 || events(i) >> 1 >= base.size() || !is_ascending)
                refuse("events are out of range or not in ascending order");
        }
    new (self) TrajectoryObject{offsets, events, base, votes, last_weights(view(offsets), view(events)), {}};
    self->path = {view(offsets), view(events), view(base), view(votes), self->last, all};
}

Array<std::int64_t> vote(const TrajectoryObject& self, const ListsObject& lists, bool only_winner,
                         std::size_t threads) {
    if (lists.lists.features + 1 != self.path.offsets.size()) refuse("the lists have different features");
    require_indicators(lists.lists);
    std::vector<std::int64_t> votes(lists.lists.scores.size());
    {
        nb::gil_scoped_release release;
        parallel_for(lists.lists.size(), threads, 16, [&] {
            return [&, voter = Voter(self.path)](std::size_t s) mutable {
                voter(lists.lists, s, only_winner, {votes.data() + lists.lists.begin(s), lists.lists.count(s)});
            };
        });
    }
    return to_numpy(std::move(votes));
}

}  // namespace

void bind_ranking(nb::module_& m) {
    nb::class_<ListsObject>(m, "RankingLists",
                            "Candidates of every sequence with their scores and the rows of their features.")
        .def("__init__", &init_lists, nb::arg("first"), nb::arg("scores"), nb::arg("offsets"), nb::arg("rows"),
             nb::arg("features"), nb::arg("values"),
             nb::sig("def __init__(self, first: NDArray[numpy.int64], scores: NDArray[numpy.float64], offsets: "
                     "NDArray[numpy.int64], "
                     "rows: NDArray[numpy.uint32], features: int, values: NDArray[numpy.float32]) -> None"))
        .def("__len__", [](const ListsObject& self) { return self.lists.size(); })
        .def_prop_ro("features", [](const ListsObject& self) { return self.lists.features; })
        .def("score", &scored, nb::arg("weights"), nb::arg("base"), nb::arg("threads"),
             nb::sig("def score(self, weights: NDArray[numpy.float64], base: float, threads: int) -> "
                     "NDArray[numpy.float64]"),
             "Returns [C] `base` times the candidate's score plus the weights of its features.")
        .def("winners", &winners<double>, nb::arg("values"),
             nb::sig("def winners(self, values: NDArray[numpy.float64]) -> NDArray[numpy.int64]"),
             "Returns [S] the index, within every list, of the first highest value; -1 for an empty list.")
        .def("winners", &winners<std::int64_t>, nb::arg("values"),
             nb::sig("def winners(self, values: NDArray[numpy.int64]) -> NDArray[numpy.int64]"));
    nb::class_<BoostingObject>(m, "Boosting", "Boosting for ranking (collins-2002, Figure 2).")
        .def("__init__", &init_boosting, nb::arg("lists"), nb::arg("best"), nb::arg("smoothing"),
             nb::sig("def __init__(self, lists: RankingLists, best: NDArray[numpy.int64], smoothing: float) -> None"))
        .def("watch", &watch, nb::arg("lists"), nb::arg("correct"), nb::arg("proposed"), nb::arg("gold"),
             nb::sig("def watch(self, lists: RankingLists, correct: NDArray[numpy.int64], proposed: "
                     "NDArray[numpy.int64], gold: int) -> None"),
             "Measures the winners of these lists after every following round.")
        .def("run", &boost, nb::arg("rounds"),
             nb::sig("def run(self, rounds: int) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float64], "
                     "NDArray[numpy.float64], NDArray[numpy.float64]]"),
             "Returns (features, deltas, losses, F-measures) of the next rounds, which are fewer if no feature lowers "
             "the loss.")
        .def_prop_ro(
            "base_weight", [](const BoostingObject& self) { return self.boosting.base_weight(); }, "w_0")
        .def_prop_ro(
            "loss", [](const BoostingObject& self) { return self.boosting.loss(); }, "ExpLoss, Z")
        .def_prop_ro("pairs", [](const BoostingObject& self) { return self.boosting.pairs(); })
        .def(
            "features", [](const BoostingObject& self) { return copied(self.boosting.published()); },
            nb::sig("def features(self) -> NDArray[numpy.uint32]"),
            "Returns the features that distinguish pairs; each represents all features with the same pairs.")
        .def(
            "sums", [](const BoostingObject& self) { return copied(self.boosting.sums()); },
            nb::sig("def sums(self) -> NDArray[numpy.float64]"), "Returns W+ and W- of each of these features.")
        .def(
            "pair_losses", [](const BoostingObject& self) { return copied(self.boosting.pair_losses()); },
            nb::sig("def pair_losses(self) -> NDArray[numpy.float64]"), "Returns exp(-M) of every pair.");
    nb::class_<PerceptronObject>(m, "RankingPerceptron",
                                 "The perceptron for ranking (collins-2002, Figure 3), with a margin if one is given.")
        .def("__init__", &init_perceptron, nb::arg("lists"), nb::arg("best"), nb::arg("beta"), nb::arg("margin").none(),
             nb::arg("costs").none() = nb::none(),
             nb::sig("def __init__(self, lists: RankingLists, best: NDArray[numpy.int64], beta: float, margin: float | "
                     "None, "
                     "costs: NDArray[numpy.int64] | None = None) -> None"))
        .def(
            "state", &perceptron_state,
            nb::sig("def state(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]"),
            "Returns the arguments of `restore`: weights [m], moments [m], and [3] the weight and moment of the scores "
            "and the number of lists seen.")
        .def("restore", &set_perceptron, nb::arg("weights"), nb::arg("moments"), nb::arg("numbers"),
             nb::sig("def restore(self, weights: NDArray[numpy.float64], moments: NDArray[numpy.float64], numbers: "
                     "NDArray[numpy.float64]) -> None"),
             "Starts from these weights, or continues from what `state` returned; the count of votes restarts.")
        .def("run", &run_perceptron, nb::arg("order"),
             nb::sig("def run(self, order: NDArray[numpy.int64]) -> tuple[int, int, float]"),
             "Makes one pass and returns (updates, costs of winners that are not the best candidate, loss); without "
             "costs, each such winner costs one.")
        .def(
            "weights",
            [](const PerceptronObject& self) {
                return nb::make_tuple(copied(self.perceptron.weights()), self.perceptron.base());
            },
            nb::sig("def weights(self) -> tuple[NDArray[numpy.float64], float]"),
            "Returns the weights of the features and of the scores.")
        .def(
            "mean",
            [](const PerceptronObject& self) {
                return nb::make_tuple(to_numpy(self.perceptron.mean()), self.perceptron.mean_base());
            },
            nb::sig("def mean(self) -> tuple[NDArray[numpy.float64], float]"),
            "Returns the means of these weights, taken after every list.")
        .def(
            "trajectory",
            [](const PerceptronObject& self) {
                Trajectory path = self.perceptron.trajectory();
                return nb::make_tuple(to_numpy(std::move(path.offsets)), to_numpy(std::move(path.events)),
                                      to_numpy(std::move(path.base)), to_numpy(std::move(path.votes)));
            },
            nb::sig("def trajectory(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], "
                    "NDArray[numpy.float64], NDArray[numpy.int64]]"),
            "Returns what voting needs: (offsets [m + 1], events, weight of the scores after every update, votes).");
    nb::class_<TrajectoryObject>(
        m, "Trajectory",
        "Perceptron weights after every update, as changes; each vector votes (collins-2002, Figure 4).")
        .def("__init__", &init_trajectory, nb::arg("offsets"), nb::arg("events"), nb::arg("base"), nb::arg("votes"),
             nb::sig("def __init__(self, offsets: NDArray[numpy.int64], events: NDArray[numpy.uint32], base: "
                     "NDArray[numpy.float64], votes: NDArray[numpy.int64]) -> None"))
        .def("vote", &vote, nb::arg("lists"), nb::arg("only_winner"), nb::arg("threads"),
             nb::sig("def vote(self, lists: RankingLists, only_winner: bool, threads: int) -> NDArray[numpy.int64]"),
             "Returns the votes [C]; with `only_winner`, counting stops once the first place is decided.");
}
