// State templates define which words around the top of the stack and the front of the queue are joined into a feature.
//
// A template is a list of atoms. An atom is an attribute of the word at an address (such as the leftmost child of the
// second subtree of the stack), or a number that the search decides: a relation, a distance, a count of children. Templates
// are compiled once into lists of distinct addresses and atoms, so that every atom of a state is looked up once.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/features/encoder.hpp"
#include "tagloom/parser/arcs.hpp"
#include "tagloom/text/hash.hpp"

namespace tagloom {

// A place in a state: s0 ... s3 of the stack or q0 ... q3 of the queue, then up to two steps down to a child. In the
// queue, only q0 can have children, on its left, and only in arc-hybrid.
struct Address {
    enum class Step : std::uint8_t { none, left, right, left2, right2 };
    static constexpr std::uint8_t stack_places = 4, places = 8;
    std::uint8_t place = 0;
    Step first = Step::none, second = Step::none;
    bool operator==(const Address&) const = default;
};

struct Atom {
    enum class Kind : std::uint8_t {
        attribute,   // of the word at the address
        relation,    // of the arc that leads to the address
        distance,    // from the second word of the stack to the first, in classes
        left_count,  // children of the subtree at the address, in classes
        right_count,
        gap  // from the first word of the stack to the first of the queue, in classes
    };
    Kind kind = Kind::attribute;
    std::size_t address = 0;    // index among the addresses
    std::size_t attribute = 0;  // index among the attributes
    bool operator==(const Atom&) const = default;
};

struct StateTemplates {
    struct Template {
        Hash seed;
        std::vector<std::size_t> atoms;
    };
    std::vector<Address> addresses;
    std::vector<Atom> atoms;
    std::vector<Template> templates;

    // Whether features depend on the relations of existing arcs.
    bool reads_relations() const noexcept {
        return std::any_of(atoms.begin(), atoms.end(),
                           [](const Atom& atom) { return atom.kind == Atom::Kind::relation; });
    }
};

// Classes of distances: 1 to 4 separately, then 5-10, then more.
inline std::int32_t distance_class(std::int32_t distance) noexcept {
    return distance <= 4 ? distance : distance <= 10 ? 5 : 6;
}
inline std::int32_t count_class(std::int32_t count) noexcept { return std::min(count, 3); }

// Values of atoms for places beyond the stack, the queue or the children, and for small numbers.
inline Hash missing_hash() { return hash_bytes("_none") | 1; }
inline Hash number_hash(std::int32_t number) { return mix(0x6e756d626572ULL, static_cast<Hash>(number)) | 1; }

// The words of a sentence as the templates see them.
struct SentenceValues {
    std::span<const Hash> hashes;     // [attributes][N] of all sentences; 0 if the word has no such value
    std::size_t tokens = 0;           // N
    std::size_t begin = 0;            // of the sentence
    std::span<const Hash> relations;  // [R] hashes of the names

    Hash at(std::size_t attribute, std::int32_t word) const noexcept {
        return hashes[attribute * tokens + begin + static_cast<std::size_t>(word)];
    }
};

class StateExtractor {
public:
    explicit StateExtractor(const StateTemplates& templates) : templates_(templates), missing_(missing_hash()) {
        for (std::int32_t number = 0; number < static_cast<std::int32_t>(numbers_.size()); ++number)
            numbers_[static_cast<std::size_t>(number)] = number_hash(number);
    }

    // Writes what the atoms of a state depend on, as numbers; two states with the same view have the same features.
    void view(const ArcSystem& system, const ArcSystem::State& state, std::vector<std::int32_t>& out) const {
        out.resize(templates_.addresses.size() + templates_.atoms.size());
        places_.resize(templates_.addresses.size());
        for (std::size_t i = 0; i < places_.size(); ++i) {
            places_[i] = find(system, state, templates_.addresses[i]);
            out[i] = places_[i].word;
        }
        for (std::size_t i = 0; i < templates_.atoms.size(); ++i)
            out[places_.size() + i] = number(system, state, templates_.atoms[i]);
    }

    // Computes the keys of all templates, in their order; 0 where a word has no such value.
    void keys(std::span<const std::int32_t> view, const SentenceValues& values, std::vector<Hash>& out) {
        const std::size_t addresses = templates_.addresses.size();
        atoms_.resize(templates_.atoms.size());
        for (std::size_t i = 0; i < atoms_.size(); ++i) {
            const Atom& atom = templates_.atoms[i];
            if (atom.kind == Atom::Kind::attribute)
                atoms_[i] = view[atom.address] < 0 ? missing_ : values.at(atom.attribute, view[atom.address]);
            else atoms_[i] = value(atom, view[addresses + i], values);
        }
        out.clear();
        for (const auto& templ : templates_.templates) {
            Hash key = templ.seed;
            bool is_complete = true;
            for (const std::size_t atom : templ.atoms) {
                is_complete = is_complete && atoms_[atom] != 0;
                key = add_part(key, atoms_[atom]);
            }
            out.push_back(is_complete ? finish_key(key) : 0);
        }
    }

private:
    struct Place {
        std::int32_t word = Subtree::none, subtree = Subtree::none, relation = Subtree::none;
    };

    static Place find(const ArcSystem& system, const ArcSystem::State& state, const Address& address) {
        Place at;
        if (address.place >= Address::stack_places) {
            const std::int32_t word = state.front + address.place - Address::stack_places;
            if (address.place == Address::stack_places) at.subtree = state.next;
            if (word < system.words() && address.first == Address::Step::none) at.word = word;
            if (at.subtree == Subtree::none) return at;
        } else {
            at.subtree = system.stacked(state, address.place);
        }
        for (const Address::Step step : {address.first, address.second}) {
            if (step == Address::Step::none || at.subtree == Subtree::none) break;
            const Subtree::Child& child = child_of(system.subtree(at.subtree), step);
            at.subtree = child.subtree, at.relation = child.relation;
        }
        if (at.subtree != Subtree::none) at.word = system.subtree(at.subtree).word;
        return at;
    }

    static const Subtree::Child& child_of(const Subtree& tree, Address::Step step) {
        switch (step) {
            case Address::Step::left:
                return tree.left;
            case Address::Step::right:
                return tree.right;
            case Address::Step::left2:
                return tree.left2;
            default:
                return tree.right2;
        }
    }

    // Returns the number of an atom that is not an attribute, or none where there is nothing.
    std::int32_t number(const ArcSystem& system, const ArcSystem::State& state, const Atom& atom) const {
        if (atom.kind == Atom::Kind::attribute) return 0;
        if (atom.kind == Atom::Kind::distance) {
            const std::int32_t first = system.stacked(state, 0), second = system.stacked(state, 1);
            return second == Subtree::none ? Subtree::none
                                           : distance_class(system.subtree(first).word - system.subtree(second).word);
        }
        if (atom.kind == Atom::Kind::gap) {
            const bool has_both = state.top != Subtree::none && state.front < system.words();
            return has_both ? distance_class(state.front - system.subtree(state.top).word) : Subtree::none;
        }
        const Place& place = places_[atom.address];
        if (atom.kind == Atom::Kind::relation) return place.relation;
        if (place.subtree == Subtree::none) return place.word == Subtree::none ? Subtree::none : 0;
        const Subtree& tree = system.subtree(place.subtree);
        return count_class(atom.kind == Atom::Kind::left_count ? tree.left_count : tree.right_count);
    }

    Hash value(const Atom& atom, std::int32_t number, const SentenceValues& values) const {
        if (number < 0) return missing_;
        return atom.kind == Atom::Kind::relation ? values.relations[static_cast<std::size_t>(number)]
                                                 : numbers_[static_cast<std::size_t>(number)];
    }

    const StateTemplates& templates_;
    const Hash missing_;
    std::array<Hash, 8> numbers_;
    mutable std::vector<Place> places_;  // [addresses]
    std::vector<Hash> atoms_;            // [atoms]
};

}  // namespace tagloom
