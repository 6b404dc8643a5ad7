// Encoder: maps templates over attributes to 64-bit feature keys.
//
//   words of a batch -> string ids -> attribute values (once per distinct word) -> keys of every template at every token
//
// The same code serves training, where keys are inserted into the feature table, and tagging, where they are looked up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tagloom/features/attributes.hpp"
#include "tagloom/features/casing.hpp"
#include "tagloom/features/lookup.hpp"
#include "tagloom/features/macros.hpp"
#include "tagloom/features/values.hpp"
#include "tagloom/text/hash.hpp"
#include "tagloom/text/strings.hpp"

namespace tagloom {

// The source of the values of an attribute.
struct AttributeSource {
    enum class Kind {
        native,      // function of the word, features/attributes.hpp
        lookup,      // first n characters of the word's entry in a Lookup
        folded,      // the same, where other spellings stand for an unknown word
        casing,      // how a text writes the word, features/casing.hpp
        listed,      // 1 if the lower-cased word is in a list, else 0
        functional,  // yes if the word is in a list as written, else nothing
        typed,       // its type in patterns: f if it is in a list, else the type of features/attributes.hpp
        macro,       // function of the word, features/macros.hpp
        given,       // function of the word, computed by the caller
        per_token    // given for every token of the batch by the caller
    };
    Kind kind = Kind::given;
    std::size_t column = 0;
    std::size_t n = 0;
    const AttributeFunction* function = nullptr;
    std::shared_ptr<const Lookup> lookup;
    std::shared_ptr<const StringTable> list = {};
    std::shared_ptr<const Macro> macro = {};
    std::shared_ptr<const CaseTable> case_table = {};
    std::uint8_t group = 0;  // bit of its group in the masks of a batch; 0: never masked

    bool of_token() const noexcept { return kind == Kind::per_token; }
};

struct Part {
    std::size_t attribute;
    std::int32_t offset;  // relative token position
};

struct Template {
    Hash seed;  // hash of the template's text, so that keys do not depend on the order of the templates
    std::vector<Part> parts;
};

// Values outside the sentence: one per distance, named as in CRF++ (_B-1, _B-2, ..., _B+1).
inline std::string boundary_text(std::int64_t distance) {
    return (distance < 0 ? "_B" : "_B+") + std::to_string(distance);
}
inline Hash boundary_hash(std::int64_t distance) { return hash_bytes(boundary_text(distance)) | 1; }
// The value of one attribute there: macros have values of their own.
inline std::string outside_text(const AttributeSource& source, std::int64_t distance) {
    return source.macro ? source.macro->apply_outside(distance) : boundary_text(distance);
}

// Key of a template instance: the parts enter with different odd factors, so their order matters, and there is one
// avalanche at the end.
inline constexpr Hash part_factor = 0x9e3779b97f4a7c15ULL;
inline Hash add_part(Hash key, Hash value) noexcept { return (key + value) * part_factor; }
// The key is never 0, which means "no feature".
inline Hash finish_key(Hash key) noexcept {
    const Hash mixed = avalanche(key);
    return mixed ? mixed : 1;
}

// The words of some sentences as ids into one string table per column. Every sentence is there in C copies, one after
// the other, that differ in what is masked: an attribute has no value where its group's bit is set.
struct Batch {
    std::vector<std::span<const std::int32_t>> codes;  // [columns][N]
    std::span<const std::int64_t> sentences;           // [S + 1]
    std::span<const std::uint8_t> masks = {};          // [C][N] bits of groups; if empty, C is 1 and nothing is masked

    std::size_t tokens() const noexcept { return static_cast<std::size_t>(sentences.back()); }
    std::size_t copies() const noexcept { return masks.empty() ? 1 : masks.size() / tokens(); }
    // The masks of one copy; empty if nothing is masked.
    std::span<const std::uint8_t> masks_of(std::size_t copy) const noexcept {
        return masks.empty() ? masks : masks.subspan(copy * tokens(), tokens());
    }
};

struct Encoder {
    static constexpr std::int32_t max_offset = 64;
    static constexpr std::uint64_t max_combinations = 1U << 12;  // joint features of one template at one token
    static constexpr std::uint64_t max_features = 1U << 16;      // of one template or of all, at one token

    std::size_t columns = 0;
    std::vector<AttributeSource> attributes;
    std::vector<Template> node_templates, edge_templates;

    std::int32_t reach() const noexcept {  // largest distance that any template looks at
        std::int32_t most = 0;
        for (const auto* templates : {&node_templates, &edge_templates})
            for (const Template& t : *templates)
                for (const Part& part : t.parts) most = std::max(most, std::abs(part.offset));
        return most;
    }
};

// Values of all attributes: the values of words grow with the string tables, the values of tokens belong to one batch.
class AttributeStore {
public:
    explicit AttributeStore(const Encoder& encoder) : values_(encoder.attributes.size()) {}

    const AttributeValues& operator[](std::size_t attribute) const noexcept { return values_[attribute]; }
    AttributeValues& operator[](std::size_t attribute) noexcept { return values_[attribute]; }

    std::size_t memory() const noexcept {
        std::size_t bytes = 0;
        for (const AttributeValues& values : values_) bytes += values.memory();
        return bytes;
    }

    // Computes the native attributes of all new strings.
    void extend(const Encoder& encoder, std::span<const StringTable* const> tables) {
        Values found;
        for (std::size_t a = 0; a < values_.size(); ++a) {
            const AttributeSource& source = encoder.attributes[a];
            if (source.of_token() || source.kind == AttributeSource::Kind::given) continue;
            const StringTable& table = *tables[source.column];
            for (std::size_t i = values_[a].items(); i < table.size(); ++i) {
                found.clear();
                compute(source, table.view(static_cast<StringTable::Id>(i)), found);
                for (const std::string& value : found) values_[a].add(value);
                values_[a].end_item();
            }
        }
    }

    static void compute(const AttributeSource& source, std::string_view word, Values& out) {
        if (source.kind == AttributeSource::Kind::native) return source.function->compute(word, source.n, out);
        if (source.kind == AttributeSource::Kind::macro)
            return static_cast<void>(out.push_back(source.macro->apply(word)));
        if (source.kind == AttributeSource::Kind::listed) {
            std::string lowered;
            append_lower(lowered, word);
            out.emplace_back(source.list->find(lowered) != StringTable::none ? "1" : "0");
            return;
        }
        if (source.kind == AttributeSource::Kind::functional || source.kind == AttributeSource::Kind::typed) {
            const bool is_listed = source.list->find(word) != StringTable::none;
            if (source.kind == AttributeSource::Kind::typed)
                out.emplace_back(1, is_listed ? 'f' : attribute::type_of(word));
            else if (is_listed) out.emplace_back("yes");
            return;
        }
        if (source.kind == AttributeSource::Kind::casing) return source.case_table->describe(word, out);
        const bool is_folded = source.kind == AttributeSource::Kind::folded;
        const std::string_view value = is_folded ? source.lookup->find_folded(word) : source.lookup->find(word);
        if (!value.empty()) out.emplace_back(source.n ? value.substr(0, source.n) : value);
    }

private:
    std::vector<AttributeValues> values_;
};

// The features that fire in one sentence, token by token: feature i of token t for offsets[t] <= i < offsets[t + 1].
struct SentenceFeatures {
    // Where a feature comes from.
    struct Origin {
        std::uint32_t token;   // position in the batch
        std::uint16_t templ;   // which template
        std::uint32_t choice;  // which of the combinations of plural values
    };
    std::vector<Hash> keys;
    std::vector<std::uint16_t> templates;  // like keys
    std::vector<std::uint32_t> choices;    // like keys; empty if no attribute is plural
    std::vector<float> values;             // like keys; filled only if `weighted`
    std::vector<std::size_t> offsets;
    std::size_t begin = 0;  // position of the sentence in the batch
    bool weighted = false;

    Origin origin(std::size_t t, std::size_t i) const noexcept {
        return {static_cast<std::uint32_t>(begin + t), templates[i], choices.empty() ? 0 : choices[i]};
    }

    void clear() {
        keys.clear(), templates.clear(), choices.clear(), values.clear();
        offsets.assign(1, 0);
        weighted = false;
    }
};

// Extracts features in one thread; its scratch memory grows and is reused.
class Extractor {
public:
    Extractor(const Encoder& encoder, const AttributeStore& store)
        : encoder_(encoder), store_(store), reach_(static_cast<std::size_t>(encoder.reach())) {
        around_.push_back(hash_boundaries({}));
        for (const AttributeSource& source : encoder.attributes) {
            around_of_.push_back(source.macro ? around_.size() : 0);
            if (source.macro) around_.push_back(hash_boundaries(source));
        }
        compile(encoder.node_templates, nodes_);
        compile(encoder.edge_templates, edges_);
    }

    // Must be called before node_features / edge_features of that sentence.
    void load(const Batch& batch, std::size_t sentence, std::size_t copy = 0) {
        begin_ = static_cast<std::size_t>(batch.sentences[sentence]);
        length_ = static_cast<std::size_t>(batch.sentences[sentence + 1]) - begin_;
        hashes_.resize(encoder_.attributes.size() * (length_ + 2 * reach_));
        items_.resize(hashes_.size());
        for (std::size_t a = 0; a < encoder_.attributes.size(); ++a) load_attribute(batch, a, batch.masks_of(copy));
    }

    std::size_t length() const noexcept { return length_; }
    void node_features(SentenceFeatures& out) { extract(encoder_.node_templates, nodes_, out); }
    void edge_features(SentenceFeatures& out) { extract(encoder_.edge_templates, edges_, out); }

private:
    static constexpr std::uint32_t outside = 0xFFFFFFFF, masked = 0xFFFFFFFE;

    // Flattened templates: a part is its distance, in hashes_, from the current token's first attribute.
    struct Compiled {
        struct Range {
            Hash seed;
            std::size_t begin, end;
        };
        std::vector<Range> templates;
        std::vector<std::ptrdiff_t> distances;
    };

    // The values on both sides of a sentence.
    struct Boundaries {
        std::vector<Hash> before, after;  // [reach]
    };

    Boundaries hash_boundaries(const AttributeSource& source) const {
        Boundaries found;
        const auto reach = static_cast<std::int64_t>(reach_);
        for (std::int64_t d = reach; d >= 1; --d) found.before.push_back(hash_bytes(outside_text(source, -d)) | 1);
        for (std::int64_t d = 1; d <= reach; ++d) found.after.push_back(hash_bytes(outside_text(source, d)) | 1);
        return found;
    }

    void compile(const std::vector<Template>& templates, Compiled& out) const {
        for (const Template& templ : templates) {
            const std::size_t begin = out.distances.size();
            for (const Part& part : templ.parts) out.distances.push_back(distance(part));
            out.templates.push_back({templ.seed, begin, out.distances.size()});
        }
    }

    std::ptrdiff_t distance(const Part& part) const noexcept {
        return part.offset * static_cast<std::ptrdiff_t>(encoder_.attributes.size())
               + static_cast<std::ptrdiff_t>(part.attribute);
    }

    // Sets hashes_[reach + t][a] to the first value of attribute a at token t, with boundary values around the
    // sentence. A masked value is none: no template that looks at it has an instance.
    void load_attribute(const Batch& batch, std::size_t a, std::span<const std::uint8_t> masks) {
        const std::size_t count = encoder_.attributes.size();
        const AttributeSource& source = encoder_.attributes[a];
        const AttributeValues& values = store_[a];
        std::size_t where = a;
        const auto put = [&](Hash hash, std::uint32_t item) {
            hashes_[where] = hash, items_[where] = item;
            where += count;
        };
        const Boundaries& around = around_[around_of_[a]];
        for (const Hash hash : around.before) put(hash, outside);
        for (std::size_t t = begin_; t < begin_ + length_; ++t) {
            if (!masks.empty() && (masks[t] & source.group)) {
                put(0, masked);
                continue;
            }
            const std::size_t item = source.of_token() ? t : static_cast<std::size_t>(batch.codes[source.column][t]);
            put(values.first(item), static_cast<std::uint32_t>(item));
        }
        for (const Hash hash : around.after) put(hash, outside);
    }

    void extract(const std::vector<Template>& templates, const Compiled& compiled, SentenceFeatures& out) {
        out.clear();
        out.begin = begin_;
        const bool plural = find_plural(templates);
        for (std::size_t t = 0; t < length_; ++t) {
            if (plural) extract_token(templates, compiled, t, out);
            else extract_keys(compiled, t, out);
            if (out.keys.size() - out.offsets.back() > Encoder::max_features)
                throw std::length_error("over 65,536 features at one token");
            out.offsets.push_back(out.keys.size());
        }
    }

    // Whether any template needs the general path; plural_ says which ones.
    bool find_plural(const std::vector<Template>& templates) {
        plural_.clear();
        for (const Template& templ : templates) plural_.push_back(is_plural(templ));
        return std::find(plural_.begin(), plural_.end(), 1) != plural_.end();
    }

    bool is_plural(const Template& templ) const noexcept {
        for (const Part& part : templ.parts)
            if (store_[part.attribute].plural()) return true;
        return false;
    }

    // The common case: at most one value per attribute, and no weights.
    void extract_keys(const Compiled& compiled, std::size_t t, SentenceFeatures& out) const {
        const std::size_t begin = out.keys.size();
        out.keys.resize(begin + compiled.templates.size());
        out.templates.resize(out.keys.size());
        std::size_t next = begin;
        for (std::size_t k = 0; k < compiled.templates.size(); ++k) {
            out.keys[next] = single_key(compiled, k, t);
            out.templates[next] = static_cast<std::uint16_t>(k);
            next += out.keys[next] != 0;
        }
        out.keys.resize(next);
        out.templates.resize(next);
    }

    void extract_token(const std::vector<Template>& templates, const Compiled& compiled, std::size_t t,
                       SentenceFeatures& out) const {
        for (std::size_t k = 0; k < templates.size(); ++k) {
            if (plural_[k] && templates[k].parts.size() == 1) {
                extract_values(templates[k], k, t, out);
            } else if (plural_[k]) {
                extract_plural(templates[k], k, t, out);
            } else if (const Hash key = single_key(compiled, k, t)) {
                emit(key, 1.0F, k, 0, out);
            }
        }
    }

    std::size_t here(std::size_t t) const noexcept { return (reach_ + t) * encoder_.attributes.size(); }

    std::size_t at(const Part& part, std::size_t t) const noexcept {
        return here(t) + static_cast<std::size_t>(distance(part));
    }

    // Returns 0 if some part has no value.
    Hash single_key(const Compiled& compiled, std::size_t k, std::size_t t) const noexcept {
        const auto& [seed, begin, end] = compiled.templates[k];
        const Hash* current = hashes_.data() + here(t);
        Hash key = seed;
        bool complete = true;
        for (std::size_t i = begin; i < end; ++i) {
            const Hash value = current[compiled.distances[i]];
            complete &= value != 0;
            key = add_part(key, value);
        }
        return complete ? finish_key(key) : 0;
    }

    // Adds one feature for every value of the only part.
    void extract_values(const Template& templ, std::size_t k, std::size_t t, SentenceFeatures& out) const {
        const Part& part = templ.parts.front();
        const std::size_t where = at(part, t);
        if (items_[where] == outside) return emit(finish_key(add_part(templ.seed, hashes_[where])), 1.0F, k, 0, out);
        if (items_[where] == masked) return;
        const AttributeValues& values = store_[part.attribute];
        const std::size_t begin = values.begin(items_[where]);
        const auto count = static_cast<std::uint32_t>(values.count(items_[where]));
        if (count > Encoder::max_features) throw std::length_error("over 65,536 features at one token");
        for (std::uint32_t i = 0; i < count; ++i)
            emit(finish_key(add_part(templ.seed, values.hash(begin + i))), values.weight(begin + i), k, i, out);
    }

    // Adds one feature for every combination of the parts' values; the last part varies fastest.
    void extract_plural(const Template& templ, std::size_t k, std::size_t t, SentenceFeatures& out) const {
        std::uint32_t combinations = 1;
        for (const Part& part : templ.parts) {
            const std::uint64_t product = std::uint64_t{combinations} * value_count(part, t);
            if (product > Encoder::max_combinations)
                throw std::length_error("a template joins over 4,096 combinations of values at one token");
            combinations = static_cast<std::uint32_t>(product);
        }
        for (std::uint32_t choice = 0; choice < combinations; ++choice) {
            Hash key = templ.seed;
            float weight = 1.0F;
            std::uint32_t rest = combinations, index = choice;
            for (const Part& part : templ.parts) {
                rest /= value_count(part, t);
                const std::size_t where = at(part, t);
                const std::uint32_t item = items_[where];
                if (item == outside) {
                    key = add_part(key, hashes_[where]);
                } else {
                    const std::size_t entry = store_[part.attribute].begin(item) + index / rest;
                    key = add_part(key, store_[part.attribute].hash(entry));
                    weight *= store_[part.attribute].weight(entry);
                }
                index %= rest;
            }
            emit(finish_key(key), weight, k, choice, out);
        }
    }

    std::uint32_t value_count(const Part& part, std::size_t t) const noexcept {
        const std::uint32_t item = items_[at(part, t)];
        if (item == masked) return 0;
        return item == outside ? 1U : static_cast<std::uint32_t>(store_[part.attribute].count(item));
    }

    void emit(Hash key, float weight, std::size_t k, std::uint32_t choice, SentenceFeatures& out) const {
        if (weight != 1.0F && !out.weighted) {
            out.values.assign(out.keys.size(), 1.0F);
            out.weighted = true;
        }
        out.keys.push_back(key);
        out.templates.push_back(static_cast<std::uint16_t>(k));
        out.choices.push_back(choice);
        if (out.weighted) out.values.push_back(weight);
    }

    const Encoder& encoder_;
    const AttributeStore& store_;
    std::size_t reach_, begin_ = 0, length_ = 0;
    std::vector<Boundaries> around_;      // of all attributes but macros, then those of every macro
    std::vector<std::size_t> around_of_;  // [attributes] which of them
    Compiled nodes_, edges_;
    std::vector<std::uint8_t> plural_;  // [templates] of the kind being extracted
    std::vector<Hash> hashes_;          // [reach + length + reach][attributes]
    std::vector<std::uint32_t> items_;  // like hashes_; `outside` beyond the sentence, `masked` where nothing is seen
};

}  // namespace tagloom
