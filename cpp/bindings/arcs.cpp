// Bindings of transition systems that build trees: single actions, oracles, and the trees that actions build.
#include <algorithm>

#include "arcs.hpp"

using namespace tagloom;

namespace {

// Builds a tree action by action, for teaching and tests.
struct ArcWalk {
    ArcSystem system;
    ArcOracle oracle;
    std::vector<std::int32_t> heads, relations;
    std::vector<ArcSystem::State> states{{}};

    ArcWalk(std::size_t words, ArcActions actions) : system(actions) { system.begin(words); }
    const ArcSystem::State& state() const noexcept { return states.back(); }
    void check(Action action) const {
        if (action < 0 || static_cast<std::size_t>(action) >= system.actions().size()) refuse("no such action");
    }
};

void bind_walk(nb::module_& m) {
    nb::class_<ArcWalk>(m, "ArcWalk",
                        "Builds a tree action by action: 0 is shift, 1 + r a left arc, 1 + R + r a right arc.")
        .def(
            "__init__",
            [](ArcWalk* self, std::size_t words, std::size_t relations, const std::vector<std::int32_t>& heads,
               const std::vector<std::int32_t>& names, bool is_hybrid) {
                const ArcActions actions = checked_actions(relations, is_hybrid);
                if (words > static_cast<std::size_t>(most_words) || (!heads.empty() && heads.size() != words)
                    || (!names.empty() && names.size() != heads.size()))
                    refuse("trees do not fit the words");
                for (const std::int32_t head : heads)
                    if (head < 0 || static_cast<std::size_t>(head) > words) refuse("head out of range");
                for (const std::int32_t name : names)
                    if (name < 0 || static_cast<std::size_t>(name) >= relations) refuse("relation out of range");
                new (self) ArcWalk(words, actions);
                self->heads = heads, self->relations = names;
                if (!heads.empty()) self->oracle.begin(self->heads, self->relations);
            },
            nb::arg("words"), nb::arg("relations") = 1, nb::arg("heads") = std::vector<std::int32_t>{},
            nb::arg("names") = std::vector<std::int32_t>{}, nb::arg("is_hybrid") = false)
        .def("is_final", [](const ArcWalk& self) { return self.system.is_final(self.state()); })
        .def(
            "is_valid",
            [](const ArcWalk& self, Action action) {
                self.check(action);
                return self.system.is_valid(self.state(), action);
            },
            nb::arg("action"))
        .def(
            "apply",
            [](ArcWalk& self, Action action) {
                self.check(action);
                if (!self.system.is_valid(self.state(), action)) refuse("the action is not valid here");
                self.states.push_back(self.system.apply(self.state(), action));
            },
            nb::arg("action"))
        .def("undo",
             [](ArcWalk& self) {
                 if (self.states.size() == 1) refuse("there is nothing to undo");
                 self.states.pop_back();
                 self.system.undo(self.state());
             })
        .def(
            "cost",
            [](const ArcWalk& self, Action action) {
                self.check(action);
                if (self.heads.empty()) refuse("costs need a gold tree");
                return self.oracle.cost(self.system, self.state(), action);
            },
            nb::arg("action"),
            "Returns how many gold arcs are lost by the action; in arc-standard 0 or 1, provided that none is lost "
            "yet.")
        .def("oracle",
             [](const ArcWalk& self) {
                 if (self.heads.empty()) refuse("an oracle needs a gold tree");
                 return self.oracle(self.system, self.state());
             })
        .def(
            "stack",
            [](const ArcWalk& self) {
                std::vector<std::int32_t> words;
                for (std::int32_t at = self.state().top; at != Subtree::none; at = self.system.subtree(at).below)
                    words.push_back(self.system.subtree(at).word);
                std::reverse(words.begin(), words.end());
                return words;
            },
            "The words on the stack, counted from 0, with the top last.")
        .def(
            "front", [](const ArcWalk& self) { return self.state().front; }, "Number of words read so far.")
        .def(
            "snapshot",
            [](const ArcWalk& self) {
                const ArcSystem::State& state = self.state();
                std::string bytes(reinterpret_cast<const char*>(&state), sizeof state);
                const auto trees = self.system.subtrees();
                bytes.append(reinterpret_cast<const char*>(trees.data()), trees.size_bytes());
                return nb::bytes(bytes.data(), bytes.size());
            },
            "The bytes of the state and the stack.");
}

}  // namespace

void bind_arcs(nb::module_& m) {
    m.def(
        "oracle_actions",
        [](const Input<std::int32_t>& heads, const Input<std::int32_t>& relations, std::size_t count,
           bool is_hybrid) -> nb::object {
            const ArcActions actions = checked_actions(count, is_hybrid);
            if (relations.size() != 0 && relations.size() != heads.size()) refuse("expected one relation per token");
            for (const std::int32_t head : view(heads))
                if (head < 0 || static_cast<std::size_t>(head) > heads.size()) refuse("head out of range");
            for (const std::int32_t relation : view(relations))
                if (relation < 0 || static_cast<std::size_t>(relation) >= count) refuse("relation out of range");
            std::vector<Action> path;
            if (!is_rebuilt(actions, view(heads), view(relations), path)) return nb::none();
            return nb::cast(to_numpy(std::move(path)));
        },
        nb::arg("heads"), nb::arg("relations"), nb::arg("count"), nb::arg("is_hybrid") = false,
        nb::sig(
            "def oracle_actions(heads: NDArray[numpy.int32], relations: NDArray[numpy.int32], count: int, is_hybrid: "
            "bool = False) -> NDArray[numpy.int32] | None"),
        "Returns the actions that build a tree, or None if it is not projective.");
    m.def(
        "build_tree",
        [](const Input<Action>& actions, std::size_t count, bool is_hybrid) {
            const ArcActions arcs = checked_actions(count, is_hybrid);
            ArcSystem system(arcs);
            system.begin(static_cast<std::size_t>(std::ranges::count(view(actions), ArcActions::shift)));
            ArcSystem::State state;
            for (const Action action : view(actions)) {
                if (action < 0 || static_cast<std::size_t>(action) >= arcs.size() || !system.is_valid(state, action))
                    refuse("no such action here");
                state = system.apply(state, action);
            }
            if (!system.is_final(state)) refuse("the actions do not build a tree");
            const auto words = static_cast<std::size_t>(system.words());
            std::vector<std::int32_t> heads(words, 0), relations(words, Subtree::none);
            build_tree(arcs, view(actions), heads, relations);
            return nb::make_tuple(to_numpy(std::move(heads)), to_numpy(std::move(relations)));
        },
        nb::arg("actions"), nb::arg("count"), nb::arg("is_hybrid") = false,
        nb::sig("def build_tree(actions: NDArray[numpy.int32], count: int, is_hybrid: bool = False) -> "
                "tuple[NDArray[numpy.int32], "
                "NDArray[numpy.int32]]"),
        "Returns (heads, relations) of the tree that the actions build; the root has relation -1.");
    bind_walk(m);
}
