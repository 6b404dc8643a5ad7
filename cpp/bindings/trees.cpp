// Bindings of state templates and trees for parsing.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "arcs.hpp"
#include "objects.hpp"
#include "tree_data.hpp"

using namespace tagloom;

namespace {

using Triple = std::tuple<std::size_t, std::size_t, std::size_t>;

StateTemplates checked_templates(const std::vector<Triple>& addresses, const std::vector<Triple>& atoms,
                                 const std::vector<std::pair<std::string, std::vector<std::size_t>>>& templates) {
    StateTemplates out;
    for (const auto& [place, first, second] : addresses) {
        if (place >= Address::places || first > 4 || second > 4) refuse("no such place in a state");
        out.addresses.push_back(
            {static_cast<std::uint8_t>(place), static_cast<Address::Step>(first), static_cast<Address::Step>(second)});
    }
    for (const auto& [kind, address, attribute] : atoms) {
        if (kind > static_cast<std::size_t>(Atom::Kind::gap) || address >= out.addresses.size()) refuse("no such atom");
        out.atoms.push_back({static_cast<Atom::Kind>(kind), address, attribute});
    }
    if (templates.empty() || templates.size() > 255) refuse("a parser must have 1 to 255 state templates");
    for (const auto& [text, parts] : templates) {
        for (const std::size_t part : parts)
            if (part >= out.atoms.size()) refuse("no such atom");
        // Two templates with the same name would have the same features, but bounds on scores count each once.
        if (std::ranges::any_of(out.templates,
                                [seed = hash_bytes(text)](const auto& known) { return known.seed == seed; }))
            refuse("a state template occurs twice");
        out.templates.push_back({hash_bytes(text), parts});
    }
    return out;
}

TreeData checked_trees(const Input<Hash>& hashes, std::size_t attributes, const Input<Hash>& relation_hashes,
                       const Input<std::int64_t>& sentences, const Input<std::int32_t>& heads,
                       const Input<std::int32_t>& relations) {
    if (sentences.size() == 0 || sentences(sentences.size() - 1) < 0) refuse("sentence offsets are missing");
    const auto tokens = static_cast<std::size_t>(sentences(sentences.size() - 1));
    check_offsets(view(sentences), tokens, "sentence offsets do not span the tokens");
    check_relations(relation_hashes.size());
    if (tokens == 0 ? hashes.size() != 0 : hashes.size() % tokens != 0 || hashes.size() / tokens != attributes)
        refuse("values do not fit the tokens");
    if (heads.size() != 0 && heads.size() != tokens) refuse("expected one head per token");
    if (relations.size() != 0 && relations.size() != tokens) refuse("expected one relation per token");
    if (relations.size() != 0 && heads.size() == 0) refuse("relations need heads");
    for (const std::int32_t relation : view(relations))
        if (relation < 0 || static_cast<std::size_t>(relation) >= relation_hashes.size())
            refuse("relation out of range");
    for (std::size_t s = 0; s + 1 < sentences.size(); ++s) {
        const std::int64_t length = sentences(s + 1) - sentences(s);
        if (length > most_words) refuse("a sentence must have at most a million words");
        for (auto t = sentences(s); heads.size() != 0 && t < sentences(s + 1); ++t)
            if (heads(static_cast<std::size_t>(t)) < 0 || heads(static_cast<std::size_t>(t)) > length)
                refuse("head out of range");
    }
    return {hashes,
            relation_hashes,
            sentences,
            heads,
            relations,
            attributes,
            {view(hashes), view(relation_hashes), view(sentences), view(heads), view(relations)}};
}

// Returns the hash of the value of every attribute at every token; several values of a token are joined.
Array<Hash> attribute_hashes(const StoreObject& store, const Codes& codes, const Input<std::int64_t>& sentences) {
    const Batch batch = checked_batch(store, codes, sentences);
    const Encoder& encoder = *store.encoder;
    const auto tokens = static_cast<std::size_t>(batch.sentences.back());
    std::vector<Hash> out(encoder.attributes.size() * tokens, 0);
    for (std::size_t a = 0; a < encoder.attributes.size(); ++a) {
        const AttributeSource& source = encoder.attributes[a];
        const AttributeValues& values = store.values[a];
        for (std::size_t t = 0; t < tokens; ++t) {
            const std::size_t item = source.of_token() ? t : static_cast<std::size_t>(batch.codes[source.column][t]);
            Hash joined = values.first(item);
            for (std::size_t i = 1; i < values.count(item); ++i)
                joined = mix(joined, values.hash(values.begin(item) + i)) | 1;
            out[a * tokens + t] = joined;
        }
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_trees(nb::module_& m) {
    nb::class_<StateTemplates>(m, "StateTemplates", "Compiled templates over the states of a parser.")
        .def(
            "__init__",
            [](StateTemplates* self, const std::vector<Triple>& addresses, const std::vector<Triple>& atoms,
               const std::vector<std::pair<std::string, std::vector<std::size_t>>>& templates) {
                new (self) StateTemplates(checked_templates(addresses, atoms, templates));
            },
            nb::arg("addresses"), nb::arg("atoms"), nb::arg("templates"))
        .def("__len__", [](const StateTemplates& self) { return self.templates.size(); })
        .def_prop_ro("reads_relations", &StateTemplates::reads_relations);
    nb::class_<TreeData>(m, "TreeData", "Sentences as a parser sees them, with or without gold trees.")
        .def(
            "__init__",
            [](TreeData* self, const Input<Hash>& hashes, std::size_t attributes, const Input<Hash>& relation_hashes,
               const Input<std::int64_t>& sentences, const Input<std::int32_t>& heads,
               const Input<std::int32_t>& relations) {
                new (self) TreeData(checked_trees(hashes, attributes, relation_hashes, sentences, heads, relations));
            },
            nb::arg("hashes"), nb::arg("attributes"), nb::arg("relation_hashes"), nb::arg("sentences"),
            nb::arg("heads"), nb::arg("relations"));
    m.def("attribute_hashes", &attribute_hashes, nb::arg("store"), nb::arg("codes"), nb::arg("sentences"),
          nb::sig("def attribute_hashes(store: AttributeStore, codes: collections.abc.Sequence[NDArray[numpy.int32]], "
                  "sentences: NDArray[numpy.int64]) -> NDArray[numpy.uint64]"),
          "Returns [attributes][N] the hash of the value of every attribute at every token; 0 means no value.");
}
