// Bindings of the parser, in the precision of the module: learning and decoding.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "arcs.hpp"
#include "in_use.hpp"
#include "objects.hpp"
#include "precision.hpp"
#include "tagloom/parser/parser.hpp"
#include "tree_data.hpp"

using namespace tagloom;

namespace {

// Weights of a parser during training.
template <class Real>
struct ParserState {
    std::shared_ptr<StateTemplates> templates;
    ArcActions actions;
    bool averaged;
    ParserWeights<Real> weights;
    double clock = 0;
    mutable std::atomic<bool> in_use{false};

    ParserState(std::shared_ptr<StateTemplates> t, ArcActions arcs, bool is_averaged)
        : templates(std::move(t)), actions(arcs), averaged(is_averaged), weights(is_averaged) {}

    Real mean(std::size_t entry) const {
        const Real value = weights.rows.values[entry];
        return averaged && clock > 0 ? value - static_cast<Real>(weights.rows.sums[entry] / clock) : value;
    }
};

// Rows of features as arrays: every row has a key, a template and a number of entries; every entry has an action and
// weights.
template <class Real>
struct RowArrays {
    std::vector<Hash> keys;
    std::vector<std::uint8_t> templates;
    std::vector<std::uint16_t> counts, actions;
    std::vector<Real> weights, sums;
};

template <class Real>
nb::object run_parse_epoch(ParserState<Real>& state, const TreeData& data, const Input<std::int64_t>& order,
                           const SearchSettings& settings, bool explores) {
    const InUse in_use(state.in_use);
    if (explores && (settings.beam > 0 || settings.depth > 0 || !state.actions.is_hybrid()))
        refuse("exploration needs arc-hybrid, without lookahead or beam");
    check_attributes(*state.templates, data.attributes);
    if (data.heads.size() == 0 && data.input.tokens() > 0) refuse("training needs gold trees");
    if (data.relation_hashes.size() != state.actions.relations) refuse("relations do not fit the parser");
    std::vector<Action> path;
    for (const std::int64_t example : view(order)) {
        if (example < 0 || example >= static_cast<std::int64_t>(data.sentences.size()) - 1)
            refuse("example out of range");
        const auto s = static_cast<std::size_t>(example);
        const std::size_t begin = data.input.begin(s), length = data.input.length(s);
        const auto relations =
            data.input.relations.empty() ? data.input.relations : data.input.relations.subspan(begin, length);
        if (!is_rebuilt(state.actions, data.input.heads.subspan(begin, length), relations, path))
            refuse("a gold tree is not projective");
    }
    EpochReport report;
    {
        nb::gil_scoped_release release;
        report = parse_epoch<Real>(data.input, *state.templates, state.actions, settings, state.weights, state.clock,
                                   view(order), explores);
    }
    return nb::make_tuple(report.updates, report.token_errors, report.loss);
}

// Returns everything that further passes depend on.
template <class Real>
nb::dict parser_arrays(const ParserState<Real>& state) {
    const InUse in_use(state.in_use);
    RowArrays<Real> out;
    const ParserWeights<Real>& weights = state.weights;
    for (std::size_t row = 0; row < weights.table.size(); ++row) {
        const auto block = row < weights.rows.size() ? weights.rows.block(row) : typename ActionRows<Real>::Block{};
        out.counts.push_back(block.count);
        for (std::uint32_t entry = block.first; entry < block.first + block.count; ++entry) {
            out.actions.push_back(weights.rows.action(entry));
            out.weights.push_back(weights.rows.values[entry]);
            if (state.averaged) out.sums.push_back(weights.rows.sums[entry]);
        }
    }
    out.keys = weights.table.keys(), out.templates = weights.template_of_row;
    nb::dict arrays;
    arrays["keys"] = to_numpy(std::move(out.keys));
    arrays["templates"] = to_numpy(std::move(out.templates));
    arrays["counts"] = to_numpy(std::move(out.counts));
    arrays["actions"] = to_numpy(std::move(out.actions));
    arrays["weights"] = to_numpy(std::move(out.weights));
    arrays["sums"] = to_numpy(std::move(out.sums));
    arrays["numbers"] = to_numpy(std::vector<double>{state.clock});
    return arrays;
}

void check_rows(std::size_t rows, std::span<const std::uint16_t> counts, std::span<const std::uint16_t> actions,
                std::size_t weights, const ArcActions& known) {
    std::size_t total = 0;
    for (const std::uint16_t count : counts) {
        if (count > known.size()) refuse("a feature has more weights than there are actions");
        total += count;
    }
    if (counts.size() != rows || actions.size() != total || weights != total || total >= ActionRows<float>::none)
        refuse("weights do not fit the features");
    for (const std::uint16_t action : actions)
        if (action >= known.size()) refuse("action out of range");
}

// Checks that the entries of a row have distinct actions; in a frozen parser they are in ascending order.
void check_ascending(std::span<const std::uint16_t> counts, std::span<const std::uint16_t> actions) {
    std::size_t first = 0;
    for (const std::uint16_t count : counts) {
        const auto row = actions.subspan(first, count);
        if (std::ranges::adjacent_find(row, std::greater_equal{}) != row.end())
            refuse("the actions of a feature are not in ascending order");
        first += count;
    }
}

template <class Real>
void restore_parser(ParserState<Real>& state, const Input<Hash>& keys, const Input<std::uint8_t>& templates,
                    const Input<std::uint16_t>& counts, const Input<std::uint16_t>& actions, const Input<Real>& weights,
                    const Input<Real>& sums, double clock) {
    const InUse in_use(state.in_use);
    check_rows(keys.size(), view(counts), view(actions), weights.size(), state.actions);
    if (templates.size() != keys.size() || sums.size() != (state.averaged ? weights.size() : 0)
        || !(clock >= 0 && clock <= 1e15))
        refuse("arrays do not fit the learner");
    for (const std::uint8_t templ : view(templates))
        if (templ >= state.templates->templates.size()) refuse("arrays do not fit the learner");
    ParserWeights<Real> restored(state.averaged);
    restored.table = FeatureTable(std::vector<Hash>(keys.data(), keys.data() + keys.size()));
    restored.template_of_row.assign(templates.data(), templates.data() + templates.size());
    std::size_t from = 0;
    for (std::size_t row = 0; row < counts.size(); ++row) {
        for (std::size_t i = from; i < from + counts(row); ++i) restored.rows.touch(row, actions(i));
        if (counts(row) > 0 && restored.rows.block(row).count != counts(row))
            refuse("an action of a feature occurs twice");
        for (std::size_t i = from; i < from + counts(row); ++i) {
            const std::uint32_t entry = restored.rows.find(row, actions(i));
            restored.rows.values[entry] = weights(i);
            if (state.averaged) restored.rows.sums[entry] = sums(i);
        }
        from += counts(row);
    }
    state.weights = std::move(restored);
    state.clock = clock;
}

// Returns the weights to parse with: only those that are not zero, with features ordered by template and actions in
// ascending order.
template <class Real>
nb::dict frozen_rows(const ParserState<Real>& state) {
    const InUse in_use(state.in_use);
    const ParserWeights<Real>& weights = state.weights;
    std::vector<std::size_t> order(weights.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return weights.template_of_row[a] < weights.template_of_row[b];
    });
    RowArrays<Real> out;
    std::vector<std::int64_t> ends(state.templates->templates.size() + 1, 0);
    std::vector<std::pair<std::uint16_t, Real>> entries;
    for (const std::size_t row : order) {
        const auto& block = weights.rows.block(row);
        entries.clear();
        for (std::uint32_t entry = block.first; entry < block.first + block.count; ++entry)
            if (const Real weight = state.mean(entry); weight != 0)
                entries.emplace_back(weights.rows.action(entry), weight);
        if (entries.empty()) continue;
        std::sort(entries.begin(), entries.end());
        for (const auto& [action, weight] : entries) out.actions.push_back(action), out.weights.push_back(weight);
        out.keys.push_back(weights.table.keys()[row]);
        out.counts.push_back(static_cast<std::uint16_t>(entries.size()));
        ++ends[weights.template_of_row[row] + std::size_t{1}];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    nb::dict arrays;
    arrays["keys"] = to_numpy(std::move(out.keys));
    arrays["ends"] = to_numpy(std::move(ends));
    arrays["counts"] = to_numpy(std::move(out.counts));
    arrays["actions"] = to_numpy(std::move(out.actions));
    arrays["weights"] = to_numpy(std::move(out.weights));
    return arrays;
}

template <class Real>
void bind_state(nb::module_& m, const char* name, const std::string& real) {
    using State = ParserState<Real>;
    const std::string restore =
        "def restore(self, keys: NDArray[numpy.uint64], templates: NDArray[numpy.uint8], counts: "
        "NDArray[numpy.uint16], "
        "actions: NDArray[numpy.uint16], weights: NDArray["
        + real + "], sums: NDArray[" + real + "], clock: float) -> None";
    nb::class_<State>(m, name,
                      "The weights of a parser during training; features are numbered when an update first needs them.")
        .def(
            "__init__",
            [](State* self, std::shared_ptr<StateTemplates> templates, std::size_t relations, bool averaged,
               bool is_hybrid) {
                new (self) State(std::move(templates), checked_actions(relations, is_hybrid), averaged);
            },
            nb::arg("templates"), nb::arg("relations"), nb::arg("averaged"), nb::arg("is_hybrid") = false)
        .def("epoch", &run_parse_epoch<Real>, nb::arg("data"), nb::arg("order"), nb::arg("settings"),
             nb::arg("explores") = false,
             nb::sig("def epoch(self, data: TreeData, order: NDArray[numpy.int64], settings: SearchSettings, explores: "
                     "bool = False) -> tuple[int, int, float]"),
             "Makes one pass in the given order, following its own decisions if it explores, and returns (updates, "
             "wrong "
             "actions, loss).")
        .def("frozen", &frozen_rows<Real>, nb::sig("def frozen(self) -> dict[str, NDArray[typing.Any]]"),
             "Returns the arguments of ParserCore: keys, ends, counts, actions and weights, averaged if the learner "
             "averages.")
        .def("to_tensors", &parser_arrays<Real>, nb::sig("def to_tensors(self) -> dict[str, NDArray[typing.Any]]"),
             "Returns everything that further passes depend on.")
        .def("restore", &restore_parser<Real>, nb::arg("keys"), nb::arg("templates"), nb::arg("counts"),
             nb::arg("actions"), nb::arg("weights"), nb::arg("sums"), nb::arg("clock"), nb::sig(restore.c_str()),
             "The inverse of `to_tensors`.");
}

// A frozen parser.
template <class Real>
struct ParserObject {
    std::shared_ptr<StateTemplates> templates;
    ArcActions actions;
    FeatureTable table;
    ActionRows<Real> rows;
    Input<Real> weights;
    ScoreBounds<Real> bounds;

    ParserModel<Real> model() const noexcept { return {*templates, actions, table, rows, weights.data(), bounds}; }
};

template <class Real>
void init_parser(ParserObject<Real>* self, std::shared_ptr<StateTemplates> templates, std::size_t relations,
                 const Input<Hash>& keys, const Input<std::int64_t>& ends, const Input<std::uint16_t>& counts,
                 const Input<std::uint16_t>& actions, const Input<Real>& weights, bool is_hybrid) {
    const ArcActions known = checked_actions(relations, is_hybrid);
    check_rows(keys.size(), view(counts), view(actions), weights.size(), known);
    check_ascending(view(counts), view(actions));
    if (ends.size() != templates->templates.size() + 1) refuse("features do not fit the templates");
    check_offsets(view(ends), keys.size(), "features do not fit the templates");
    const ActionRows<Real> rows(view(counts), view(actions));
    ScoreBounds<Real> bounds(templates->templates.size(), known.size());
    for (std::size_t templ = 0; templ + 1 < ends.size(); ++templ)
        for (auto row = static_cast<std::size_t>(ends(templ)); row < static_cast<std::size_t>(ends(templ + 1)); ++row)
            bounds.raise_row(templ, rows, row, weights.data());
    (void)bounds.step();  // computed before threads read it
    new (self) ParserObject<Real>{std::move(templates),
                                  known,
                                  FeatureTable(std::vector<Hash>(keys.data(), keys.data() + keys.size())),
                                  rows,
                                  weights,
                                  std::move(bounds)};
}

template <class Real>
void check_data(const ParserObject<Real>& parser, const TreeData& data) {
    check_attributes(*parser.templates, data.attributes);
    if (data.relation_hashes.size() != parser.actions.relations) refuse("relations do not fit the parser");
}

template <class Real>
nb::object parse_trees(const ParserObject<Real>& parser, const TreeData& data, const SearchSettings& search,
                       std::size_t threads) {
    check_data(parser, data);
    ParsedTrees found;
    {
        nb::gil_scoped_release release;
        found = parse_sentences<Real>(parser.model(), search, data.input, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.heads)), to_numpy(std::move(found.relations)),
                          to_numpy(std::move(found.scores)));
}

template <class Real>
nb::object actions_of(const ParserObject<Real>& parser, const TreeData& data, const SearchSettings& search,
                      std::size_t sentence) {
    check_data(parser, data);
    if (sentence >= data.sentences.size() - 1) refuse("no such sentence");
    TreeDecoder<Real> decoder(parser.model(), search);
    std::vector<std::int32_t> heads(data.input.length(sentence), 0), relations(heads.size(), Subtree::none);
    decoder(data.input, sentence, heads, relations);
    std::vector<Action> found(decoder.actions().begin(), decoder.actions().end());
    return nb::cast(to_numpy(std::move(found)));
}

// Returns what a parser sees after some actions of a sentence: scores and values of all actions, the best continuation,
// and the keys of the features.
template <class Real>
nb::object look_at_state(const ParserObject<Real>& parser, const TreeData& data, const SearchSettings& search,
                         std::size_t sentence, const std::vector<Action>& done) {
    check_data(parser, data);
    if (sentence >= data.sentences.size() - 1) refuse("no such sentence");
    ParsingSystem<Real> system(*parser.templates, parser.actions, parser.table, parser.rows, parser.bounds, true);
    system.begin(parser.weights.data(), data.input, sentence);
    auto state = system.initial();
    for (const Action action : done) {
        if (action < 0 || static_cast<std::size_t>(action) >= system.actions() || !system.is_valid(state, action))
            refuse("no such action here");
        state = system.apply(state, action);
    }
    if (system.is_final(state)) refuse("the tree is finished");
    Lookahead<ParsingSystem<Real>> searcher(search.depth);
    const auto found = searcher.look(system, state);
    std::vector<Real> values(found.begin(), found.end());
    std::vector<Action> path;
    searcher.path(system, state, best_action<Real>(found), path);
    const Real* scores = system.scores(state);
    std::vector<Real> copy(scores, scores + system.actions());
    const auto keys = system.feature_keys(state);
    std::vector<Hash> all(keys.begin(), keys.end());
    return nb::make_tuple(to_numpy(std::move(copy)), to_numpy(std::move(values)), to_numpy(std::move(path)),
                          to_numpy(std::move(all)));
}

template <class Real>
void bind_core(nb::module_& m, const char* name, const std::string& real) {
    using Parser = ParserObject<Real>;
    const std::string look =
        "def look(self, data: TreeData, search: SearchSettings, sentence: int, done: collections.abc.Sequence[int]) -> "
        "tuple[NDArray["
        + real + "], NDArray[" + real + "], NDArray[numpy.int32], NDArray[numpy.uint64]]";
    const std::string init =
        "def __init__(self, templates: StateTemplates, relations: int, keys: NDArray[numpy.uint64], ends: "
        "NDArray[numpy.int64], "
        "counts: NDArray[numpy.uint16], actions: NDArray[numpy.uint16], weights: NDArray["
        + real + "], is_hybrid: bool = False) -> None";
    nb::class_<Parser>(m, name, "The frozen weights of a parser; features are ordered by template.")
        .def("__init__", &init_parser<Real>, nb::arg("templates"), nb::arg("relations"), nb::arg("keys"),
             nb::arg("ends"), nb::arg("counts"), nb::arg("actions"), nb::arg("weights"), nb::arg("is_hybrid") = false,
             nb::sig(init.c_str()))
        .def("parse", &parse_trees<Real>, nb::arg("data"), nb::arg("search"), nb::arg("threads"),
             nb::sig("def parse(self, data: TreeData, search: SearchSettings, threads: int) -> "
                     "tuple[NDArray[numpy.int32], NDArray[numpy.int32], "
                     "NDArray[numpy.float64]]"),
             "Returns (heads [N], relations [N], scores [S]); the root has relation -1.")
        .def(
            "actions", &actions_of<Real>, nb::arg("data"), nb::arg("search"), nb::arg("sentence"),
            nb::sig("def actions(self, data: TreeData, search: SearchSettings, sentence: int) -> NDArray[numpy.int32]"),
            "Returns the actions that build the tree of a sentence.")
        .def("look", &look_at_state<Real>, nb::arg("data"), nb::arg("search"), nb::arg("sentence"), nb::arg("done"),
             nb::sig(look.c_str()),
             "Returns (scores of the actions, their values by lookahead, best continuation, key of every template) "
             "after some actions.")
        .def(
            "weights_of",
            [](const Parser& self, Hash key) {
                const FeatureTable::Row row = self.table.find(key);
                std::vector<Real> out(self.actions.size(), 0);
                if (row < self.rows.size()) {
                    const auto& block = self.rows.block(row);
                    for (std::uint32_t entry = block.first; entry < block.first + block.count; ++entry)
                        out[self.rows.action(entry)] = self.weights.data()[entry];
                }
                return to_numpy(std::move(out));
            },
            nb::arg("key"), "Returns the weights of a feature for every action, or zeros if the feature is unknown.");
}
}  // namespace

void bind_parser(nb::module_& m) {
    bind_state<Weight>(m, "ParserState", weight_type);
    bind_core<Weight>(m, "ParserCore", weight_type);
}
