// Feature dicts: walks sequences of items, dicts or collections of strings, and hands their attributes to the core.
//
// Python code may run while an object is read (iterators, __float__ ...) and may change the lists and dicts that are
// being read. So every element is held while it is in use, and sizes are asked for at every step.
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "bindings.hpp"
#include "tagloom/fast/memory.hpp"
#include "tagloom/features/attribute_rows.hpp"
#include "tagloom/text/strings.hpp"
#include "tagloom/text/utf8.hpp"

using namespace tagloom;

namespace {

bool is_text(nb::handle object) { return PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()); }

bool is_abstract(nb::handle object, const char* name) {
    const nb::object base = nb::module_::import_("collections.abc").attr(name);
    const int found = PyObject_IsInstance(object.ptr(), base.ptr());
    if (found < 0) nb::raise_python_error();
    return found == 1;
}

bool is_sequence_type(nb::handle object) { return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()); }
bool is_mapping(nb::handle object) {
    if (PyDict_Check(object.ptr())) return true;
    return !is_sequence_type(object) && !PyAnySet_Check(object.ptr()) && is_abstract(object, "Mapping");
}

// Returns an iterator, or nothing if the object has none.
nb::object iterate(nb::handle object) {
    PyObject* iterator = PyObject_GetIter(object.ptr());
    if (!iterator && !PyErr_ExceptionMatches(PyExc_TypeError)) nb::raise_python_error();
    PyErr_Clear();
    return nb::steal(iterator);
}

constexpr Py_ssize_t ahead = 8;  // distance of the element that is fetched from memory while another one is read

// Calls visit(element) for every element of a collection; returns false if it is none.
template <class Visit>
bool for_each(nb::handle collection, Visit visit) {
    PyObject* items = collection.ptr();
    if (PyList_CheckExact(items)) {
        for (Py_ssize_t i = 0; i < NB_LIST_GET_SIZE(items); ++i) {
            if (i + ahead < NB_LIST_GET_SIZE(items)) prefetch(NB_LIST_GET_ITEM(items, i + ahead));
            visit(nb::borrow(NB_LIST_GET_ITEM(items, i)));
        }
        return true;
    }
    if (PyTuple_CheckExact(items)) {
        for (Py_ssize_t i = 0; i < NB_TUPLE_GET_SIZE(items); ++i) visit(nb::borrow(NB_TUPLE_GET_ITEM(items, i)));
        return true;
    }
    const nb::object iterator = iterate(collection);
    if (!iterator.is_valid()) return false;
    while (PyObject* element = PyIter_Next(iterator.ptr())) visit(nb::steal(element));
    if (PyErr_Occurred()) nb::raise_python_error();
    return true;
}

// Shows the beginning of an object as repr does, whatever it is.
std::string show(nb::handle object) {
    constexpr Py_ssize_t most = 60;
    const nb::object whole = nb::steal(PyObject_Repr(object.ptr()));
    const nb::object cut = nb::steal(whole.is_valid() ? PyUnicode_Substring(whole.ptr(), 0, most) : nullptr);
    const char* text = cut.is_valid() ? PyUnicode_AsUTF8AndSize(cut.ptr(), nullptr) : nullptr;
    PyErr_Clear();
    return text ? text : "an object that cannot be shown";
}

// The name of an attribute, which is written piece by piece. Pieces are short: copying them in line saves a call.
class NameWriter {
public:
    std::size_t size() const noexcept { return size_; }
    std::string_view view() const noexcept { return {bytes_.data(), size_}; }
    void cut(std::size_t size) noexcept { size_ = size; }

    void append(std::string_view piece) {
        if (bytes_.size() - size_ < piece.size()) bytes_.resize(2 * (size_ + piece.size()));
        copy(bytes_.data() + size_, piece.data(), piece.size());
        size_ += piece.size();
    }

private:
    static void copy(char* to, const char* from, std::size_t count) {
        if (count > 16) {
            std::memcpy(to, from, count);
        } else if (count >= 8) {
            copy_ends<8>(to, from, count);
        } else if (count >= 4) {
            copy_ends<4>(to, from, count);
        } else if (count > 0) {
            to[0] = from[0], to[count / 2] = from[count / 2], to[count - 1] = from[count - 1];
        }
    }

    // Copies the first and the last bytes, which overlap or meet.
    template <std::size_t Size>
    static void copy_ends(char* to, const char* from, std::size_t count) {
        char first[Size], last[Size];
        std::memcpy(first, from, Size);
        std::memcpy(last, from + count - Size, Size);
        std::memcpy(to, first, Size);
        std::memcpy(to + count - Size, last, Size);
    }

    std::vector<char> bytes_ = std::vector<char>(256);
    std::size_t size_ = 0;
};

template <class Sink>
class ItemReader {
public:
    explicit ItemReader(Sink& sink) : sink_(sink) {}

    void read(nb::handle sequences) {
        const auto refuse_all = [&] {
            refuse(("expected a list of sentences, each a list of feature dicts; got " + show(sequences)).c_str());
        };
        if (is_text(sequences) || is_mapping(sequences)) refuse_all();
        const bool is_list = for_each(sequences, [&](const nb::object& sequence) {
            ++sentence_, token_ = 0;
            read_sequence(sequence);
            sink_.end_sequence();
        });
        if (!is_list) refuse_all();
    }

private:
    static constexpr std::size_t most_levels = 100;

    void read_sequence(const nb::object& sequence) {
        if (!is_text(sequence) && !is_mapping(sequence)) {
            const auto read_one = [&](const nb::object& item) {
                ++token_;
                read_item(item, 1);
                sink_.end_item();
            };
            if (for_each(sequence, read_one)) return;
            if (nb::hasattr(sequence, "items") && for_each(sequence.attr("items")(), read_one)) return;
        }
        fail("expected a list of feature dicts, got " + show(sequence));
    }

    void read_item(const nb::object& item, std::size_t level) {
        if (level > most_levels) fail("dicts in dicts: expected at most " + std::to_string(most_levels) + " levels");
        if (PyDict_CheckExact(item.ptr())) return read_dict(item, level);
        if (is_text(item)) fail_item(item);
        if (is_mapping(item)) return read_mapping(item, level);
        const bool is_list = for_each(item, [&](const nb::object& name) {
            if (name_.size() == 0) return sink_.add(text_of(name), 1.0F);
            const std::size_t before = name_.size();
            name_.append(text_of(name));
            sink_.add(name_.view(), 1.0F);
            name_.cut(before);
        });
        if (!is_list) fail_item(item);
    }

    void read_dict(const nb::object& dict, std::size_t level) {
        const Py_ssize_t size = PyDict_Size(dict.ptr());
        Py_ssize_t place = 0;
        PyObject *key = nullptr, *value = nullptr;
        while (PyDict_Next(dict.ptr(), &place, &key, &value)) {
            if (PyUnicode_Check(key) && PyUnicode_Check(value)) {  // no Python code runs, so nothing needs to be held
                read_text(key, value);
                continue;
            }
            const nb::object held_key = nb::borrow(key), held_value = nb::borrow(value);
            read_pair(key, value, level);
            if (PyDict_Size(dict.ptr()) != size) fail("a dict changed while it was read");
        }
    }

    void read_mapping(const nb::object& mapping, std::size_t level) {
        for_each(mapping.attr("items")(), [&](const nb::object& pair) {
            if (!PyTuple_Check(pair.ptr()) || NB_TUPLE_GET_SIZE(pair.ptr()) != 2) fail_item(mapping);
            read_pair(NB_TUPLE_GET_ITEM(pair.ptr(), 0), NB_TUPLE_GET_ITEM(pair.ptr(), 1), level);
        });
    }

    // Here and below, the caller holds both objects.
    void read_pair(nb::handle key, nb::handle value, std::size_t level) {
        if (is_text(value)) return read_text(key, value);
        const std::size_t before = name_.size();
        name_.append(text_of(key));
        if (is_collection(value)) {
            name_.append(":");
            read_item(nb::borrow(value), level + 1);
        } else {
            sink_.add(name_.view(), number_of(value));
        }
        name_.cut(before);
    }

    void read_text(nb::handle key, nb::handle value) {
        const std::size_t before = name_.size();
        name_.append(text_of(key));
        name_.append(":");
        name_.append(text_of(value));
        sink_.add(name_.view(), 1.0F);
        name_.cut(before);
    }

    static bool is_collection(nb::handle value) {
        PyObject* object = value.ptr();
        if (PyFloat_Check(object) || PyLong_Check(object)) return false;
        if (PyDict_Check(object) || is_sequence_type(value) || PyAnySet_Check(object)) return true;
        return !PyNumber_Check(object) && (is_abstract(value, "Mapping") || is_abstract(value, "Set"));
    }

    std::string_view text_of(nb::handle name) {
        Py_ssize_t size = 0;
        if (PyUnicode_Check(name.ptr())) {
            if (const char* bytes = PyUnicode_AsUTF8AndSize(name.ptr(), &size))
                return {bytes, static_cast<std::size_t>(size)};
            if (!PyErr_ExceptionMatches(PyExc_UnicodeError)) nb::raise_python_error();
            PyErr_Clear();
        } else if (PyBytes_Check(name.ptr())) {
            const std::string_view text(PyBytes_AsString(name.ptr()),
                                        static_cast<std::size_t>(PyBytes_Size(name.ptr())));
            if (find_malformed_utf8(text) == std::string_view::npos) return text;
        } else {
            fail("expected the name of an attribute, got " + show(name));
        }
        fail("expected the name of an attribute in valid Unicode, got " + show(name));
    }

    float number_of(nb::handle value) {
        const double number = PyFloat_AsDouble(value.ptr());
        if (number == -1.0 && PyErr_Occurred()) {
            const bool is_expected = PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError)
                                     || PyErr_ExceptionMatches(PyExc_OverflowError);
            if (!is_expected) nb::raise_python_error();
            PyErr_Clear();
            fail_value("a number, a string or a list", value);
        }
        constexpr double largest = std::numeric_limits<float>::max();
        if (!(std::abs(number) <= largest)) fail_value("a finite number", value);
        return static_cast<float>(number);
    }

    [[noreturn]] void fail_item(const nb::object& item) const {
        fail("expected a feature dict or a list of attributes, got " + show(item));
    }
    [[noreturn]] void fail_value(const char* expected, nb::handle value) const {
        const nb::str name(name_.view().data(), name_.size());
        fail("attribute " + show(name) + ": expected " + expected + ", got " + show(value));
    }
    [[noreturn]] void fail(const std::string& message) const {
        std::string where = "sentence " + std::to_string(sentence_);
        if (token_ > 0) where += ", token " + std::to_string(token_);
        refuse((where + ": " + message).c_str());
    }

    Sink& sink_;
    NameWriter name_;  // of the current attribute, with the names of the dicts around it
    std::size_t sentence_ = 0, token_ = 0;
};

// Collects attributes as the arrays of a bag column.
struct BagSink {
    StringTable& strings;
    std::vector<std::int32_t> codes = {};
    std::vector<float> values = {};
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> sentences{0};

    void add(std::string_view text, float value) { codes.push_back(strings.intern(text)), values.push_back(value); }
    void end_item() { offsets.push_back(static_cast<std::int64_t>(codes.size())); }
    void end_sequence() { sentences.push_back(static_cast<std::int64_t>(offsets.size() - 1)); }
};

nb::object intern_items(StringTable& strings, nb::handle sequences) {
    BagSink sink{strings};
    ItemReader<BagSink>(sink).read(sequences);
    return nb::make_tuple(to_numpy(std::move(sink.codes)), to_numpy(std::move(sink.values)),
                          to_numpy(std::move(sink.offsets)), to_numpy(std::move(sink.sentences)));
}

std::unique_ptr<AttributeRows> find_items(const FeatureTable& table, std::string_view seed, nb::handle sequences) {
    auto found = std::make_unique<AttributeRows>(table, hash_bytes(seed));
    ItemReader<AttributeRows>(*found).read(sequences);
    return found;
}

template <class T, class Allocator>
Array<T> copy(const std::vector<T, Allocator>& values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
}

nb::object copy_rows(const AttributeRows& found) {
    const SparseRows& rows = found.rows();
    return nb::make_tuple(copy(rows.offsets), copy(rows.rows), copy(rows.values));
}

}  // namespace

void bind_items(nb::module_& m) {
    nb::class_<AttributeRows>(m, "ItemRows", "Feature rows of sequences of feature dicts.")
        .def_prop_ro(
            "sentences", [](const AttributeRows& self) { return copy(self.sentences()); }, nb::rv_policy::move,
            nb::sig("def sentences(self) -> NDArray[numpy.int64]"), "Offsets of the sentences.")
        .def("arrays", &copy_rows,
             nb::sig("def arrays(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32]]"),
             "Returns the offsets of the tokens, the rows and their values (empty if all are 1).");
    m.def("intern_items", &intern_items, nb::arg("strings"), nb::arg("sequences"),
          nb::sig("def intern_items(strings: StringTable, sequences: object) -> tuple[NDArray[numpy.int32], "
                  "NDArray[numpy.float32], NDArray[numpy.int64], NDArray[numpy.int64]]"),
          "Returns codes, values, offsets of the tokens and offsets of the sentences of feature dicts.");
    m.def("find_items", &find_items, nb::arg("table"), nb::arg("seed"), nb::arg("sequences"), nb::keep_alive<0, 1>(),
          nb::sig("def find_items(table: FeatureTable, seed: str, sequences: object) -> ItemRows"),
          "Looks up the features of feature dicts, for a template whose only part is an attribute of the token.");
}
