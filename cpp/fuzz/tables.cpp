// Fuzz target: tables of strings, of feature keys and of phrases, with keys that an attacker chose.
#include <map>
#include <string>

#include "input.hpp"
#include "tagloom/features/feature_table.hpp"
#include "tagloom/features/phrase_trie.hpp"
#include "tagloom/text/strings.hpp"

using namespace tagloom;

namespace {

void fill_strings(fuzz::Input input) {
    StringTable table;
    std::map<std::string, StringTable::Id, std::less<>> expected;
    while (!input.empty()) {
        const std::string_view text = input.take_text();
        const auto [place, is_new] = expected.emplace(text, static_cast<StringTable::Id>(table.size()));
        fuzz::require((table.find(text) == StringTable::none) == is_new);
        fuzz::require(table.intern(text) == place->second && table.view(place->second) == text);
    }
    for (const auto& [text, id] : expected) fuzz::require(table.find(text) == id);
}

void fill_features(fuzz::Input input) {
    const std::size_t buckets = input.take<std::uint8_t>() & 1 ? input.take<std::uint32_t>() : 0;
    FeatureTable table(buckets);
    std::vector<Hash> keys;
    try {
        while (!input.empty()) {
            keys.push_back(input.take<Hash>());
            fuzz::require(table.insert(keys.back()) < table.size());
        }
        const FeatureTable again(table.keys());
        for (std::size_t row = 0; row < table.keys().size(); ++row) {
            const FeatureTable::Row found = again.find(table.keys()[row]);  // compares only the upper half of the key
            fuzz::require(found < again.size() && (again.keys()[found] ^ table.keys()[row]) >> 32 == 0);
        }
    } catch (const std::invalid_argument&) {
    }  // keys that collide more often than hashes do
}

void fill_phrases(fuzz::Input input) {
    PhraseTrie trie;
    std::vector<Hash> tokens;
    try {
        while (!input.empty()) {
            const auto list = input.take<std::uint8_t>();
            tokens.push_back(input.take<Hash>());
            if (list >= 128) trie.add_node(tokens.back(), list % trie.lists().size());
            else if (list >= 64) tokens.clear();
            else trie.add(std::size_t{list} * list, PhraseTrie::exact, tokens);
        }
        trie.check();
        trie.match(PhraseTrie::exact, tokens, [&](ListSets::Id set, std::size_t length) {
            fuzz::require(set < trie.lists().size() && length <= tokens.size());
        });
    } catch (const std::invalid_argument&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto which = input.take<std::uint8_t>() % 3;
    if (which == 0) fill_strings(input);
    else if (which == 1) fill_features(input);
    else fill_phrases(input);
    return 0;
}
