// Trees as Python holds them.
#pragma once

#include "bindings.hpp"
#include "tagloom/parser/parsing.hpp"

// Encoded sentences, with or without gold trees; the arrays are checked once and kept alive.
struct TreeData {
    Input<tagloom::Hash> hashes, relation_hashes;
    Input<std::int64_t> sentences;
    Input<std::int32_t> heads, relations;
    std::size_t attributes = 0;
    tagloom::TreeInput input;
};

inline void check_attributes(const tagloom::StateTemplates& templates, std::size_t attributes) {
    for (const tagloom::Atom& atom : templates.atoms)
        if (atom.kind == tagloom::Atom::Kind::attribute && atom.attribute >= attributes)
            refuse("the values of an attribute are missing");
}
