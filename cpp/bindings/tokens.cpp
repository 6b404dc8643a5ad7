// Bindings of the tokenizers: text in, codes and offsets out.
#include "bindings.hpp"
#include "tagloom/text/tokenizer.hpp"

using namespace tagloom;

namespace {

std::string_view get_utf8(nb::str text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!bytes) {
        PyErr_Clear();
        refuse("expected valid Unicode, got a lone surrogate");
    }
    return {bytes, static_cast<std::size_t>(size)};
}

nb::object tokenize_text(nb::str text, const std::string& rules, StringTable& table) {
    const auto found = find_token_rules(rules);
    if (!found) refuse("unknown tokenizer");
    const std::string_view utf8 = get_utf8(text);
    TokenizedText tokens;
    StringTable forms;  // its own table, because another thread may change the given one while the GIL is released
    {
        nb::gil_scoped_release release;
        tokens = tokenize(utf8, *found, forms);
    }
    std::vector<std::int32_t> codes(forms.size());
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = table.intern(forms.view(static_cast<StringTable::Id>(i)));
    for (std::int32_t& code : tokens.codes) code = codes[static_cast<std::size_t>(code)];
    return nb::make_tuple(to_numpy(std::move(tokens.codes)), to_numpy(std::move(tokens.starts)),
                          to_numpy(std::move(tokens.ends)), to_numpy(std::move(tokens.sentences)));
}

// The boundaries of UAX #29 without any tailoring, which tests compare with plain versions.
Array<std::int64_t> find_word_breaks(nb::str text) {
    std::vector<Break> breaks;
    for_each_char(get_utf8(text), [&](char32_t c, std::string_view) { breaks.push_back(BreakTable::get()[c]); });
    std::vector<std::int64_t> found{0};
    for (std::size_t at = 0; at < breaks.size(); found.push_back(static_cast<std::int64_t>(at)))
        at = find_word_end(breaks, at);
    return to_numpy(std::move(found));
}

// Word_Break, Sentence_Break and flags of every character, as numbers of the enumerations in break_tables.hpp.
nb::object get_breaks(nb::str text) {
    std::vector<std::uint8_t> words, sentences, flags;
    for_each_char(get_utf8(text), [&](char32_t c, std::string_view) {
        const Break value = BreakTable::get()[c];
        words.push_back(static_cast<std::uint8_t>(value.word));
        sentences.push_back(static_cast<std::uint8_t>(value.sentence));
        flags.push_back(value.flags);
    });
    return nb::make_tuple(to_numpy(std::move(words)), to_numpy(std::move(sentences)), to_numpy(std::move(flags)));
}

nb::dict list_abbreviations() {
    nb::dict lists;
    const auto add = [&](const char* name, std::span<const std::string_view> words) {
        lists[name] = nb::cast(std::vector<std::string>(words.begin(), words.end()));
    };
    add("title", title_abbreviations);
    add("word", word_abbreviations);
    add("numbered", numbered_abbreviations);
    add("starter", sentence_starters);
    return lists;
}

}  // namespace

void bind_tokens(nb::module_& m) {
    m.def("tokenize", &tokenize_text, nb::arg("text"), nb::arg("rules"), nb::arg("table"),
          nb::sig("def tokenize(text: str, rules: str, table: StringTable) -> tuple[NDArray[numpy.int32], "
                  "NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]"),
          "Cuts text into tokens, whose forms are added to the table. Returns their codes, starts and ends in code "
          "points, and the offsets of the sentences.");
    m.def("find_word_breaks", &find_word_breaks, nb::arg("text"),
          "Returns the word boundaries of UAX #29, in code points.");
    m.def("get_breaks", &get_breaks, nb::arg("text"),
          nb::sig("def get_breaks(text: str) -> tuple[NDArray[numpy.uint8], NDArray[numpy.uint8], "
                  "NDArray[numpy.uint8]]"),
          "Returns Word_Break, Sentence_Break and flags of every character.");
    m.def("list_abbreviations", &list_abbreviations, nb::sig("def list_abbreviations() -> dict[str, list[str]]"),
          "Returns the words that keep their dot, by kind, and those that begin sentences.");
}
