// Checks trees and relations that come from Python.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "tagloom/parser/arc_oracle.hpp"

inline constexpr std::int64_t most_words = 1000000;  // per sentence

inline void check_relations(std::size_t relations) {
    if (relations == 0 || relations > 2048) refuse("a parser must have 1 to 2048 relations");
}

inline tagloom::ArcActions checked_actions(std::size_t relations, bool is_hybrid) {
    check_relations(relations);
    return {relations, is_hybrid ? tagloom::Transitions::arc_hybrid : tagloom::Transitions::arc_standard};
}

// The parser cannot learn from structures that the oracle does not rebuild: they are not projective, or not trees.
inline bool is_rebuilt(const tagloom::ArcActions& actions, std::span<const std::int32_t> heads,
                       std::span<const std::int32_t> relations, std::vector<tagloom::Action>& path) {
    tagloom::ArcSystem system(actions);
    tagloom::ArcOracle oracle;
    system.begin(heads.size());
    oracle.begin(heads, relations);
    path.clear();
    tagloom::ArcSystem::State state;
    while (!system.is_final(state)) {
        const tagloom::Action action = oracle(system, state);
        if (!system.is_valid(state, action)) return false;
        path.push_back(action);
        state = system.apply(state, action);
    }
    if (heads.empty()) return true;
    std::vector<std::int32_t> built(heads.size(), -1), names(heads.size(), -1);
    tagloom::build_tree(actions, path, built, names);
    return std::ranges::equal(built, heads);
}
