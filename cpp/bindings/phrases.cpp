// Bindings of the phrase chunker: they take sentences and return phrases, feedback, and what was learned.
#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "in_use.hpp"
#include "objects.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/attributes.hpp"
#include "tagloom/phrases/phrase_chunker.hpp"

using namespace tagloom;

namespace {

using Integers = Input<std::int64_t>;
using Rows = Input<std::uint32_t>;

constexpr std::size_t most_degree = 9, most_functions = 10'000;

// Sentences as words and predicates; the arrays are checked once and kept alive.
struct PhraseData {
    Integers sentences;
    SparseArrays words, around, inside;
    Input<Hash> forms;
    Input<std::uint8_t> types;
    Input<std::uint64_t> word_lists;
    Integers entry_offsets;
    Rows entry_lengths;
    Input<std::uint64_t> entry_lists;
    std::size_t word_features = 0;
    ChunkerInput input;

    std::size_t size() const noexcept { return sentences.size() - 1; }
};

void require_ascending(const SparseView& rows, std::size_t tokens) {
    for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t i = rows.begin(t) + 1; i < rows.end(t); ++i)
            if (rows.rows[i - 1] >= rows.rows[i]) refuse("the rows of a word are not in ascending order");
}

void init_phrase_data(PhraseData* self, const Integers& sentences, const Integers& word_offsets, const Rows& word_rows,
                      std::size_t word_features, const Integers& around_offsets, const Rows& around_rows,
                      const Integers& inside_offsets, const Rows& inside_rows, const Input<Hash>& forms,
                      const Input<std::uint8_t>& types, const Input<std::uint64_t>& word_lists,
                      const Integers& entry_offsets, const Rows& entry_lengths, const Input<std::uint64_t>& entry_lists,
                      std::size_t reach) {
    const std::size_t tokens = forms.size();
    check_offsets(view(sentences), tokens, "sentence offsets do not span the tokens");
    if (types.size() != tokens || (word_lists.size() != 0 && word_lists.size() != tokens))
        refuse("expected one value per token");
    if (reach > 100) refuse("the window is too wide");
    if (entry_offsets.size() != 0) {
        if (entry_offsets.size() != tokens + 1) refuse("expected one list of entries per token");
        check_offsets(view(entry_offsets), entry_lengths.size(), "entry offsets do not span the entries");
    }
    if (entry_lists.size() != entry_lengths.size()) refuse("expected one set of classes per entry");
    constexpr std::size_t any = std::numeric_limits<std::uint32_t>::max();
    new (self) PhraseData{sentences,
                          {word_offsets, word_rows, {}},
                          {around_offsets, around_rows, {}},
                          {inside_offsets, inside_rows, {}},
                          forms,
                          types,
                          word_lists,
                          entry_offsets,
                          entry_lengths,
                          entry_lists,
                          word_features,
                          {}};
    self->input.words = self->words.view_checked(tokens, word_features);
    require_ascending(self->input.words, tokens);
    self->input.phrases = {view(self->sentences),
                           self->around.view_checked(tokens, any),
                           self->inside.view_checked(tokens, any),
                           view(self->forms),
                           view(self->types),
                           view(self->word_lists),
                           view(self->entry_offsets),
                           view(self->entry_lengths),
                           view(self->entry_lists),
                           reach};
}

// Sorts the rows of every item and removes duplicates, as the instances of perceptrons require.
nb::object ascending_rows(const Integers& offsets, const Rows& rows) {
    if (offsets.size() == 0) refuse("offsets are empty");
    check_offsets(view(offsets), rows.size(), "offsets do not span the rows");
    std::vector<std::int64_t> ends{0};
    std::vector<std::uint32_t> sorted;
    sorted.reserve(rows.size());
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        const auto begin = static_cast<std::ptrdiff_t>(sorted.size());
        sorted.insert(sorted.end(), rows.data() + offsets(i), rows.data() + offsets(i + 1));
        std::sort(sorted.begin() + begin, sorted.end());
        sorted.erase(std::unique(sorted.begin() + begin, sorted.end()), sorted.end());
        ends.push_back(static_cast<std::int64_t>(sorted.size()));
    }
    return nb::make_tuple(to_numpy(std::move(ends)), to_numpy(std::move(sorted)));
}

// Returns (keys, counts) of the features of all phrases of at most `longest` tokens that the flags of words propose.
// `categories` holds, for every token, the category of its gold phrase (-1 for none); these count as recognised to the
// left.
nb::object count_phrase_features(const PhraseData& data, const Input<std::uint8_t>& begins,
                                 const Input<std::uint8_t>& insides, const Input<std::int32_t>& categories,
                                 std::size_t longest) {
    const auto tokens = static_cast<std::size_t>(data.forms.size());
    if (begins.size() != tokens || insides.size() != tokens || categories.size() != tokens)
        refuse("expected one flag per token");
    std::vector<std::pair<Hash, std::int64_t>> found;
    {
        nb::gil_scoped_release release;
        FeatureTable table;
        std::vector<std::int64_t> counts;
        const PhraseFeatures features(data.input.phrases);
        std::vector<std::int32_t> left;
        for (std::size_t s = 0; s < data.size(); ++s) {
            const std::size_t first = data.input.phrases.begin(s), length = data.input.phrases.length(s);
            for (std::size_t b = 0; b < length; ++b) {
                if (!view(begins)[first + b]) continue;
                left.clear();
                for (std::size_t t = b; t > 0 && left.size() < data.input.phrases.reach; --t)
                    left.push_back(view(categories)[first + t - 1]);
                for (std::size_t e = b; e < length && e - b < longest && (e == b || view(insides)[first + e]); ++e)
                    features(s, b, e, left, [&](Hash key) {
                        const FeatureTable::Row row = table.insert(key);
                        if (row == counts.size()) counts.push_back(0);
                        ++counts[row];
                    });
            }
        }
        for (std::size_t row = 0; row < counts.size(); ++row) found.emplace_back(table.keys()[row], counts[row]);
        std::sort(found.begin(), found.end());
    }
    std::vector<Hash> keys;
    std::vector<std::int64_t> times;
    for (const auto& [key, count] : found) keys.push_back(key), times.push_back(count);
    return nb::make_tuple(to_numpy(std::move(keys)), to_numpy(std::move(times)));
}

std::unique_ptr<Perceptrons> made(std::size_t features, std::size_t functions, std::size_t degree, bool is_dual) {
    if (functions == 0 || functions > most_functions) refuse("too few or too many functions");
    if (degree == 0 || degree > most_degree) refuse("degree out of range");
    if (is_dual) return std::make_unique<DualPerceptrons>(features, functions, static_cast<int>(degree));
    if (degree == 1) return std::make_unique<LinearPerceptrons>(features, functions);
    if (degree == 2) return std::make_unique<PairwisePerceptrons>(features, functions);
    refuse("a degree above 2 needs the dual form");
}

struct PerceptronsObject {
    std::unique_ptr<Perceptrons> perceptrons;
    mutable std::atomic<int> users = 0;
    std::size_t degree = 1;
    explicit PerceptronsObject(std::unique_ptr<Perceptrons> made_, std::size_t d)
        : perceptrons(std::move(made_)), degree(d) {}
};

void check_instance(const Perceptrons& perceptrons, const Rows& x) {
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x(i) >= perceptrons.features() || (i > 0 && x(i - 1) >= x(i)))
            refuse("rows are out of range or not in ascending order");
    if (x.size() > std::numeric_limits<std::uint16_t>::max()) refuse("too many features");
}

Array<double> scores(PerceptronsObject& self, const Rows& x, bool is_voted) {
    const Reading guard(self.users);
    check_instance(*self.perceptrons, x);
    std::vector<double> out(self.perceptrons->functions());
    KernelScratch scratch;
    if (is_voted) self.perceptrons->voted(view(x), scratch, out);
    else self.perceptrons->current(view(x), scratch, out);
    return to_numpy(std::move(out));
}

void add(PerceptronsObject& self, const Rows& x, std::size_t function, int sign) {
    const Changing guard(self.users);
    check_instance(*self.perceptrons, x);
    if (function >= self.perceptrons->functions() || (sign != 1 && sign != -1)) refuse("function or sign out of range");
    self.perceptrons->add(view(x), function, sign);
}

// Returns (decisions [F], offsets [J + 1], rows, functions, signs, when).
nb::object support_vectors(const PerceptronsObject& self) {
    const Reading guard(self.users);
    const Perceptrons& p = *self.perceptrons;
    std::vector<std::int64_t> decisions, offsets{0}, when;
    std::vector<std::uint32_t> rows, functions;
    std::vector<std::int32_t> signs;
    for (std::size_t f = 0; f < p.functions(); ++f) decisions.push_back(p.decisions(f));
    for (std::size_t j = 0; j < p.vectors().size(); ++j) {
        const Instance x = p.instance(j);
        rows.insert(rows.end(), x.begin(), x.end());
        offsets.push_back(static_cast<std::int64_t>(rows.size()));
        functions.push_back(p.vectors()[j].function), signs.push_back(p.vectors()[j].sign),
            when.push_back(p.vectors()[j].decision);
    }
    return nb::make_tuple(to_numpy(std::move(decisions)), to_numpy(std::move(offsets)), to_numpy(std::move(rows)),
                          to_numpy(std::move(functions)), to_numpy(std::move(signs)), to_numpy(std::move(when)));
}

void restore(PerceptronsObject& self, const Integers& decisions, const Integers& offsets, const Rows& rows,
             const Rows& functions, const Input<std::int32_t>& signs, const Integers& when) {
    const Changing guard(self.users);
    Perceptrons& p = *self.perceptrons;
    if (decisions.size() != p.functions() || offsets.size() != signs.size() + 1 || functions.size() != signs.size()
        || when.size() != signs.size())
        refuse("arrays do not fit the perceptrons");
    if (!p.vectors().empty()) refuse("the perceptrons have learned already");
    check_offsets(view(offsets), rows.size(), "offsets do not span the rows");
    for (const std::int64_t each : view(decisions))
        if (each < 0) refuse("decisions out of range");
    for (std::size_t j = 0; j < signs.size(); ++j) {
        const auto begin = static_cast<std::size_t>(offsets(j)), end = static_cast<std::size_t>(offsets(j + 1));
        if (end - begin > std::numeric_limits<std::uint16_t>::max()) refuse("too many features");
        for (std::size_t i = begin; i < end; ++i)
            if (rows(i) >= p.features() || (i > begin && rows(i - 1) >= rows(i)))
                refuse("rows are out of range or not in ascending order");
        if (functions(j) >= p.functions() || (signs(j) != 1 && signs(j) != -1) || when(j) < 0
            || when(j) > decisions(functions(j)))
            refuse("a vector is out of range");
    }
    p.restore(view(decisions));
    for (std::size_t j = 0; j < signs.size(); ++j) {
        const auto begin = static_cast<std::size_t>(offsets(j)), end = static_cast<std::size_t>(offsets(j + 1));
        p.restore(view(rows).subspan(begin, end - begin), {functions(j), signs(j), when(j)});
    }
}

void check_fit(const PhraseData& data, const FeatureTable& table, const PerceptronsObject& filters,
               const PerceptronsObject& scorers) {
    if (filters.perceptrons->functions() != 2) refuse("expected two filters");
    if (filters.perceptrons->features() != data.word_features)
        refuse("the filters and the words have different features");
    if (scorers.perceptrons->features() != table.size()) refuse("the scorers do not fit the table of features");
}

// Gold phrases of every sentence.
struct GoldPhrases {
    std::vector<Phrase> phrases;
    std::vector<std::size_t> offsets;
    std::span<const Phrase> of(std::size_t s) const noexcept {
        return {phrases.data() + offsets[s], offsets[s + 1] - offsets[s]};
    }
};

GoldPhrases checked_gold(const PhraseData& data, const Integers& offsets, const Integers& begins, const Integers& ends,
                         const Input<std::int32_t>& categories, std::size_t count) {
    if (offsets.size() != data.size() + 1 || begins.size() != ends.size() || begins.size() != categories.size())
        refuse("phrases do not fit the sentences");
    check_offsets(view(offsets), begins.size(), "offsets do not span the phrases");
    GoldPhrases gold;
    for (const std::int64_t each : view(offsets)) gold.offsets.push_back(static_cast<std::size_t>(each));
    for (std::size_t s = 0; s < data.size(); ++s) {
        std::int64_t last = 0;
        for (std::size_t i = gold.offsets[s]; i < gold.offsets[s + 1]; ++i) {
            if (begins(i) < last || ends(i) <= begins(i)
                || ends(i) > static_cast<std::int64_t>(data.input.phrases.length(s)) || categories(i) < 0
                || static_cast<std::size_t>(categories(i)) >= count)
                refuse("a phrase overlaps another one or is out of range");
            last = ends(i);
            gold.phrases.push_back(
                {static_cast<std::uint32_t>(begins(i)), static_cast<std::uint32_t>(ends(i)), categories(i)});
        }
    }
    return gold;
}

// Makes one pass and returns (updates, missed, over-predicted, correct).
nb::object learn(const PhraseData& data, const FeatureTable& table, PerceptronsObject& filters,
                 PerceptronsObject& scorers, std::size_t longest, const Integers& order, const Integers& offsets,
                 const Integers& begins, const Integers& ends, const Input<std::int32_t>& categories) {
    const Changing guard(filters.users), second(scorers.users);
    check_fit(data, table, filters, scorers);
    const GoldPhrases gold = checked_gold(data, offsets, begins, ends, categories, scorers.perceptrons->functions());
    for (const std::int64_t s : view(order))
        if (s < 0 || s >= static_cast<std::int64_t>(data.size())) refuse("sentence out of range");
    FeedbackReport report;
    {
        nb::gil_scoped_release release;
        PhraseChunker chunker(data.input, table, *filters.perceptrons, *scorers.perceptrons, longest);
        for (const std::int64_t s : view(order)) {
            chunker.recognise(static_cast<std::size_t>(s), false);
            chunker.learn(static_cast<std::size_t>(s), gold.of(static_cast<std::size_t>(s)), report);
        }
    }
    return nb::make_tuple(report.updates, report.missed, report.over_predicted, report.correct);
}

// Returns (offsets [S + 1], begins, ends, categories) of the phrases of every sentence.
nb::object recognise(const PhraseData& data, const FeatureTable& table, PerceptronsObject& filters,
                     PerceptronsObject& scorers, std::size_t longest, bool is_voted, std::size_t threads) {
    const Reading guard(filters.users), second(scorers.users);
    check_fit(data, table, filters, scorers);
    std::vector<std::vector<Phrase>> found(data.size());
    {
        nb::gil_scoped_release release;
        parallel_for(data.size(), threads, 4, [&] {
            return [&, chunker = PhraseChunker(data.input, table, *filters.perceptrons, *scorers.perceptrons, longest)](
                       std::size_t s) mutable {
                const std::span<const Phrase> phrases = chunker.recognise(s, is_voted);
                found[s].assign(phrases.begin(), phrases.end());
            };
        });
    }
    std::vector<std::int64_t> offsets{0}, begins, ends;
    std::vector<std::int32_t> categories;
    for (const auto& sentence : found) {
        for (const Phrase& phrase : sentence)
            begins.push_back(phrase.begin), ends.push_back(phrase.end), categories.push_back(phrase.category);
        offsets.push_back(static_cast<std::int64_t>(begins.size()));
    }
    return nb::make_tuple(to_numpy(std::move(offsets)), to_numpy(std::move(begins)), to_numpy(std::move(ends)),
                          to_numpy(std::move(categories)));
}

// Returns what the decisions on one sentence depend on: (scores [T][2] of the filters, begins, ends, scores [P][K] of
// all proposed phrases).
nb::object proposals(const PhraseData& data, const FeatureTable& table, PerceptronsObject& filters,
                     PerceptronsObject& scorers, std::size_t longest, bool is_voted, std::size_t sentence) {
    const Reading guard(filters.users), second(scorers.users);
    check_fit(data, table, filters, scorers);
    if (sentence >= data.size()) refuse("sentence out of range");
    PhraseChunker chunker(data.input, table, *filters.perceptrons, *scorers.perceptrons, longest);
    std::vector<std::int64_t> begins, ends;
    std::vector<double> scores;
    chunker.recognise(sentence, is_voted, [&](std::size_t s, std::size_t e, std::span<const double> of_phrase) {
        begins.push_back(static_cast<std::int64_t>(s)), ends.push_back(static_cast<std::int64_t>(e + 1));
        scores.insert(scores.end(), of_phrase.begin(), of_phrase.end());
    });
    std::vector<double> filtered(chunker.filtered().begin(), chunker.filtered().end());
    return nb::make_tuple(to_numpy(std::move(filtered)), to_numpy(std::move(begins)), to_numpy(std::move(ends)),
                          to_numpy(std::move(scores)));
}

// Returns the keys of the features of a phrase, in the order of the header; `left` holds the categories of the words
// before it, nearest first.
Array<Hash> phrase_keys(const PhraseData& data, std::size_t sentence, std::size_t begin, std::size_t end,
                        const Input<std::int32_t>& left) {
    if (sentence >= data.size() || begin >= end || end > data.input.phrases.length(sentence))
        refuse("phrase out of range");
    std::vector<Hash> keys;
    PhraseFeatures{data.input.phrases}(sentence, begin, end - 1, view(left), [&](Hash key) { keys.push_back(key); });
    return to_numpy(std::move(keys));
}

}  // namespace

void bind_phrases(nb::module_& m) {
    m.def("ascending_rows", &ascending_rows, nb::arg("offsets"), nb::arg("rows"),
          nb::sig("def ascending_rows(offsets: NDArray[numpy.int64], rows: NDArray[numpy.uint32]) -> "
                  "tuple[NDArray[numpy.int64], NDArray[numpy.uint32]]"),
          "Returns (offsets, rows) with the distinct rows of every item in ascending order.");
    m.def(
        "word_types",
        [](const StringTable& strings, const StringTable& functional) {
            std::vector<std::uint8_t> types;
            for (std::size_t i = 0; i < strings.size(); ++i) {
                const std::string_view word = strings.view(static_cast<StringTable::Id>(i));
                types.push_back(static_cast<std::uint8_t>(
                    functional.find(word) != StringTable::none ? 'f' : attribute::type_of(word)));
            }
            return to_numpy(std::move(types));
        },
        nb::arg("strings"), nb::arg("functional"),
        nb::sig("def word_types(strings: StringTable, functional: StringTable) -> NDArray[numpy.uint8]"),
        "Returns [strings] the value of the attribute word_type, as the code of its character.");
    nb::class_<PhraseData>(m, "PhraseData", "Sentences as features of their words and predicates of their phrases.")
        .def("__init__", &init_phrase_data, nb::arg("sentences"), nb::arg("word_offsets"), nb::arg("word_rows"),
             nb::arg("word_features"), nb::arg("around_offsets"), nb::arg("around_rows"), nb::arg("inside_offsets"),
             nb::arg("inside_rows"), nb::arg("forms"), nb::arg("types"), nb::arg("word_lists"),
             nb::arg("entry_offsets"), nb::arg("entry_lengths"), nb::arg("entry_lists"), nb::arg("reach"),
             nb::sig("def __init__(self, sentences: NDArray[numpy.int64], word_offsets: NDArray[numpy.int64], "
                     "word_rows: NDArray[numpy.uint32], word_features: int, "
                     "around_offsets: NDArray[numpy.int64], around_rows: NDArray[numpy.uint32], inside_offsets: "
                     "NDArray[numpy.int64], "
                     "inside_rows: NDArray[numpy.uint32], forms: NDArray[numpy.uint64], types: NDArray[numpy.uint8], "
                     "word_lists: NDArray[numpy.uint64], "
                     "entry_offsets: NDArray[numpy.int64], entry_lengths: NDArray[numpy.uint32], entry_lists: "
                     "NDArray[numpy.uint64], reach: int) -> None"))
        .def("__len__", &PhraseData::size)
        .def(
            "count", &count_phrase_features, nb::arg("begins"), nb::arg("insides"), nb::arg("categories"),
            nb::arg("longest"),
            nb::sig("def count(self, begins: NDArray[numpy.uint8], insides: NDArray[numpy.uint8], categories: "
                    "NDArray[numpy.int32], longest: int) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]"),
            "Returns (keys in ascending order, counts) of the features of all phrases that the flags of words propose.")
        .def("learn", &learn, nb::arg("table"), nb::arg("filters"), nb::arg("scorers"), nb::arg("longest"),
             nb::arg("order"), nb::arg("offsets"), nb::arg("begins"), nb::arg("ends"), nb::arg("categories"),
             nb::sig("def learn(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, "
                     "order: NDArray[numpy.int64], "
                     "offsets: NDArray[numpy.int64], begins: NDArray[numpy.int64], ends: NDArray[numpy.int64], "
                     "categories: NDArray[numpy.int32]) -> tuple[int, int, int, int]"),
             "Makes one pass of recognition feedback and returns the number of (updates, missed, over-predicted, "
             "correct phrases).")
        .def("recognise", &recognise, nb::arg("table"), nb::arg("filters"), nb::arg("scorers"), nb::arg("longest"),
             nb::arg("voted"), nb::arg("threads"),
             nb::sig("def recognise(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: "
                     "int, voted: bool, threads: int) -> "
                     "tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]"),
             "Returns (offsets [S + 1], begins, ends, categories) of the best phrases of every sentence.")
        .def("proposals", &proposals, nb::arg("table"), nb::arg("filters"), nb::arg("scorers"), nb::arg("longest"),
             nb::arg("voted"), nb::arg("sentence"),
             nb::sig(
                 "def proposals(self, table: FeatureTable, filters: Perceptrons, scorers: Perceptrons, longest: int, "
                 "voted: bool, sentence: int) -> "
                 "tuple[NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64]]"),
             "Returns (scores of the filters [T * 2], begins, ends, scores [P * K]) of the words and of all proposed "
             "phrases.")
        .def("keys", &phrase_keys, nb::arg("sentence"), nb::arg("begin"), nb::arg("end"), nb::arg("left"),
             nb::sig("def keys(self, sentence: int, begin: int, end: int, left: NDArray[numpy.int32]) -> "
                     "NDArray[numpy.uint64]"),
             "Returns the features of a phrase; `left` holds the categories of the words before it, nearest first, "
             "with -1 for none.");
    nb::class_<PerceptronsObject>(
        m, "Perceptrons", "Voted perceptrons with a polynomial kernel: several functions over the same instances.")
        .def(
            "__init__",
            [](PerceptronsObject* self, std::size_t features, std::size_t functions, std::size_t degree, bool is_dual) {
                new (self) PerceptronsObject(made(features, functions, degree, is_dual), degree);
            },
            nb::arg("features"), nb::arg("functions"), nb::arg("degree"), nb::arg("dual"))
        .def_prop_ro("features", [](const PerceptronsObject& self) { return self.perceptrons->features(); })
        .def_prop_ro("functions", [](const PerceptronsObject& self) { return self.perceptrons->functions(); })
        .def("scores", &scores, nb::arg("x"), nb::arg("voted"),
             nb::sig("def scores(self, x: NDArray[numpy.uint32], voted: bool) -> NDArray[numpy.float64]"),
             "Returns the scores [F] under the current vectors, or under all vectors that voted.")
        .def("add", &add, nb::arg("x"), nb::arg("function"), nb::arg("sign"),
             nb::sig("def add(self, x: NDArray[numpy.uint32], function: int, sign: int) -> None"))
        .def(
            "decide",
            [](PerceptronsObject& self, std::size_t function) {
                const Changing guard(self.users);
                if (function >= self.perceptrons->functions()) refuse("function out of range");
                self.perceptrons->decide(function);
            },
            nb::arg("function"), "Records that the vector of a function has survived one more decision.")
        .def("vectors", &support_vectors,
             nb::sig("def vectors(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint32], "
                     "NDArray[numpy.uint32], NDArray[numpy.int32], NDArray[numpy.int64]]"),
             "Returns what was added and subtracted: (decisions [F], offsets [J + 1], rows, functions, signs, when).")
        .def("restore", &restore, nb::arg("decisions"), nb::arg("offsets"), nb::arg("rows"), nb::arg("functions"),
             nb::arg("signs"), nb::arg("when"),
             nb::sig("def restore(self, decisions: NDArray[numpy.int64], offsets: NDArray[numpy.int64], rows: "
                     "NDArray[numpy.uint32], functions: NDArray[numpy.uint32], "
                     "signs: NDArray[numpy.int32], when: NDArray[numpy.int64]) -> None"),
             "The inverse of `vectors`, for perceptrons that have not learned anything yet.");
}
