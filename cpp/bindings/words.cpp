// Converts Python sentences to codes and labels to Python lists: the two loops that touch Python objects per token.
#include <algorithm>

#include "bindings.hpp"
#include "tagloom/text/strings.hpp"

using namespace tagloom;

namespace {

// Accesses the items of what PySequence_Fast returns, a list or a tuple, by calls that the stable ABI also has.
Py_ssize_t count_items(nb::handle items) {
    return PyList_Check(items.ptr()) ? NB_LIST_GET_SIZE(items.ptr()) : NB_TUPLE_GET_SIZE(items.ptr());
}

nb::object item_at(nb::handle items, Py_ssize_t place) {
    return nb::borrow(PyList_Check(items.ptr()) ? NB_LIST_GET_ITEM(items.ptr(), place)
                                                : NB_TUPLE_GET_ITEM(items.ptr(), place));
}

// Reads sentences of words (one column) or of rows of words (several) into string tables.
//
// Rows of a user's own class run Python code, which may change the lists around them: items are held while they are
// read, and the length of a list is asked for again before every item.
class SentenceReader {
public:
    SentenceReader(const std::vector<StringTable*>& tables) : tables_(tables), codes_(tables.size()) {}

    void read(nb::handle sentences) {
        const auto items = fast(sentences, "expected a list of sentences, each a list of words");
        for (sentence_ = 0; sentence_ < count_items(items); ++sentence_) {
            read_sentence(item_at(items, sentence_).ptr());
            offsets_.push_back(static_cast<std::int64_t>(codes_[0].size()));
        }
    }

    nb::object finish() {
        nb::list columns;
        for (auto& column : codes_) columns.append(to_numpy(std::move(column)));
        return nb::make_tuple(columns, to_numpy(std::move(offsets_)));
    }

private:
    void read_sentence(PyObject* sentence) {
        token_ = 0;
        if (PyUnicode_Check(sentence)) fail("expected a list of words, got one string; split it into words first");
        const auto items = fast(sentence, "expected a list of words");
        for (token_ = 0; token_ < count_items(items); ++token_) {
            const nb::object token = item_at(items, token_);
            if (tables_.size() == 1 && PyUnicode_Check(token.ptr())) take(0, token.ptr());
            else read_row(token.ptr());
        }
    }

    void read_row(PyObject* row) {
        const std::string expected = tables_.size() == 1
                                         ? "expected a word"
                                         : "expected " + std::to_string(tables_.size()) + " values per token";
        if (PyUnicode_Check(row)) fail(expected + ", got one word");
        const auto items = fast(row, expected);
        if (static_cast<std::size_t>(count_items(items)) != tables_.size())
            fail(expected + ", got " + std::to_string(count_items(items)));
        for (std::size_t c = 0; c < tables_.size(); ++c) take(c, item_at(items, static_cast<Py_ssize_t>(c)).ptr());
    }

    void take(std::size_t column, PyObject* word) {
        Py_ssize_t size = 0;
        const char* bytes = PyUnicode_Check(word) ? PyUnicode_AsUTF8AndSize(word, &size) : nullptr;
        if (!bytes) {
            clear_error();
            fail("expected a string of valid Unicode");
        }
        codes_[column].push_back(tables_[column]->intern({bytes, static_cast<std::size_t>(size)}));
    }

    nb::object fast(nb::handle object, const std::string& message) {
        // Dicts and sets could be iterated too, but their order means nothing here.
        PyObject* items = PySequence_Check(object.ptr()) ? PySequence_Fast(object.ptr(), "") : nullptr;
        if (!items) {
            clear_error();
            fail(message);
        }
        return nb::steal(items);
    }

    // A lack of memory says nothing about the word or sentence, and is passed on.
    static void clear_error() {
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) nb::raise_python_error();
        PyErr_Clear();
    }

    [[noreturn]] void fail(const std::string& message) const {
        const std::string where = "sentence " + std::to_string(sentence_ + 1) + ", token " + std::to_string(token_ + 1);
        refuse((where + ": " + message).c_str());
    }

    const std::vector<StringTable*>& tables_;
    std::vector<std::vector<std::int32_t>> codes_;
    std::vector<std::int64_t> offsets_{0};
    Py_ssize_t sentence_ = 0, token_ = 0;
};

nb::object intern_sentences(const std::vector<StringTable*>& tables, nb::handle sentences) {
    if (tables.empty() || std::count(tables.begin(), tables.end(), nullptr))
        refuse("expected one string table per column");
    SentenceReader reader(tables);
    reader.read(sentences);
    return reader.finish();
}

nb::list label_lists(const Input<std::int32_t>& labels, const Input<std::int64_t>& sentences, const nb::list& names) {
    return build_label_lists(view(labels), view(sentences), names);
}

}  // namespace

nb::list build_label_lists(std::span<const std::int32_t> labels, std::span<const std::int64_t> sentences,
                           const nb::list& names) {
    const auto size = static_cast<std::int32_t>(nb::len(names));
    for (const std::int32_t label : labels)
        if (label < 0 || label >= size) refuse("label out of range");
    nb::list out;
    for (std::size_t s = 0; s + 1 < sentences.size(); ++s) {
        const std::int64_t begin = sentences[s], end = sentences[s + 1];
        if (begin < 0 || end < begin || end > static_cast<std::int64_t>(labels.size()))
            refuse("sentence offsets do not span the labels");
        nb::object sentence = nb::steal(PyList_New(end - begin));
        if (!sentence.is_valid()) nb::raise_python_error();
        for (std::int64_t t = begin; t < end; ++t) {
            PyObject* name = NB_LIST_GET_ITEM(names.ptr(), labels[static_cast<std::size_t>(t)]);
            Py_INCREF(name);
            NB_LIST_SET_ITEM(sentence.ptr(), t - begin, name);
        }
        out.append(sentence);
    }
    return out;
}

void bind_words(nb::module_& m) {
    m.def("intern_sentences", &intern_sentences, nb::arg("tables"), nb::arg("sentences"),
          nb::sig("def intern_sentences(tables: collections.abc.Sequence[StringTable], sentences: object) -> "
                  "tuple[list[NDArray[numpy.int32]], NDArray[numpy.int64]]"),
          "Returns the codes of every column and the sentence offsets; a sentence is a list of words or of rows of "
          "words.");
    m.def("label_lists", &label_lists, nb::arg("labels"), nb::arg("sentences"), nb::arg("names"),
          nb::sig("def label_lists(labels: NDArray[numpy.int32], sentences: NDArray[numpy.int64], names: list[str]) -> "
                  "list[list[str]]"));
}
