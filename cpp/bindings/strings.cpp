// Bindings of StringTable, hashing, and the column parser.
#include "tagloom/text/strings.hpp"

#include <nanobind/stl/pair.h>

#include "objects.hpp"
#include "tagloom/text/columns.hpp"

using namespace tagloom;

namespace {

std::string_view checked_view(const StringTable& table, std::int64_t id) {
    if (id < 0 || id >= static_cast<std::int64_t>(table.size())) throw nb::index_error("string id out of range");
    return table.view(static_cast<StringTable::Id>(id));
}

std::string_view checked_utf8(std::string_view text) {
    if (find_malformed_utf8(text) != std::string_view::npos) refuse("not valid UTF-8");
    return text;
}

template <class Bytes>
bool is_utf8(const Bytes& bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return find_malformed_utf8(text) == std::string_view::npos;
}

// Converts each string on its own, so that a lone surrogate is refused instead of aborting the conversion.
Array<std::int32_t> intern_all(StringTable& table, const nb::sequence& words) {
    std::vector<std::int32_t> codes;
    codes.reserve(nb::len(words));
    for (nb::handle word : words) codes.push_back(table.intern(nb::cast<std::string_view>(word)));
    return to_numpy(std::move(codes));
}

StringTable table_from_blob(const Input<std::uint8_t>& blob, const Input<std::int64_t>& offsets) {
    const auto bytes = view(blob);
    const auto ends = view(offsets);
    if (ends.empty() || ends[0] != 0 || ends.back() != static_cast<std::int64_t>(bytes.size()))
        refuse("string offsets do not span the bytes");
    StringTable table;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        if (ends[i + 1] < ends[i] || ends[i + 1] > ends.back()) refuse("string offsets are not in order");
        const auto part =
            text.substr(static_cast<std::size_t>(ends[i]), static_cast<std::size_t>(ends[i + 1] - ends[i]));
        if (table.intern(checked_utf8(part)) != static_cast<StringTable::Id>(i))
            refuse("a string occurs twice in the table");
    }
    return table;
}

nb::object parse_columns(nb::bytes data, std::size_t columns, const std::string& separator,
                         const std::string& comment) {
    if (columns == 0) refuse("expected at least one column");
    if (separator.size() != 1) refuse("the separator must be one character");
    ColumnText text;
    try {
        nb::gil_scoped_release release;
        ColumnParser parser(columns, separator[0], comment);
        text = parser.parse({static_cast<const char*>(data.data()), data.size()});
    } catch (const LineError& error) {
        return nb::make_tuple(error.line, std::string(error.what()));
    }
    nb::list parsed;
    for (std::size_t c = 0; c < columns; ++c)
        parsed.append(nb::make_tuple(to_numpy(std::move(text.codes[c])), nb::cast(std::move(text.tables[c]))));
    nb::dict out;
    out["columns"] = parsed;
    out["sentences"] = to_numpy(std::move(text.sentences));
    out["documents"] = to_numpy(std::move(text.documents));
    out["sentence_lines"] = to_numpy(std::move(text.sentence_lines));
    out["comments"] = nb::cast(text.comments);
    out["has_documents"] = text.has_documents;
    return out;
}

// Cuts texts after every blank and keeps each distinct part once. Returns (bytes and ends of the parts, numbers of the
// parts of all texts, ends of the texts among these numbers).
nb::object split_parts(const Input<std::uint8_t>& bytes, const Input<std::int64_t>& ends) {
    check_offsets(view(ends), bytes.size(), "ends do not span the text");
    StringTable parts;
    std::vector<std::uint32_t> numbers;
    std::vector<std::int64_t> text_ends{0};
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        std::string_view rest =
            all.substr(static_cast<std::size_t>(ends(i)), static_cast<std::size_t>(ends(i + 1) - ends(i)));
        while (!rest.empty()) {
            const std::string_view part = rest.substr(0, std::min(rest.find(' '), rest.size() - 1) + 1);
            numbers.push_back(static_cast<std::uint32_t>(parts.intern(part)));
            rest.remove_prefix(part.size());
        }
        text_ends.push_back(static_cast<std::int64_t>(numbers.size()));
    }
    std::vector<std::uint8_t> distinct(parts.blob().begin(), parts.blob().end());
    auto offsets = parts.offsets();
    return nb::make_tuple(to_numpy(std::move(distinct)), to_numpy(std::move(offsets)), to_numpy(std::move(numbers)),
                          to_numpy(std::move(text_ends)));
}

}  // namespace

void bind_strings(nb::module_& m) {
    nb::class_<StringTable>(m, "StringTable", "Distinct strings numbered in order of first appearance.")
        .def(nb::init<>())
        .def("__len__", &StringTable::size)
        .def("memory", &StringTable::memory, "Returns the bytes of memory that the table takes.")
        .def("__getitem__", &checked_view, nb::arg("id"))
        .def("__contains__", [](const StringTable& t, std::string_view s) { return t.find(s) != StringTable::none; })
        .def("find", &StringTable::find, nb::arg("text"), "Returns the number of the string, or -1.")
        .def("intern", &StringTable::intern, nb::arg("text"),
             "Returns the number of the string, which is added if it is new.")
        .def("intern_all", &intern_all, nb::arg("words"),
             nb::sig("def intern_all(self, words: collections.abc.Sequence[str]) -> NDArray[numpy.int32]"),
             "Returns the numbers of many strings, as int32.")
        .def(
            "strings",
            [](const StringTable& t) {
                nb::list out;
                for (std::size_t i = 0; i < t.size(); ++i) out.append(t.view(static_cast<StringTable::Id>(i)));
                return out;
            },
            nb::sig("def strings(self) -> list[str]"))
        .def(
            "hashes",
            [](const StringTable& t) {
                std::vector<Hash> out(t.size());
                for (std::size_t i = 0; i < out.size(); ++i) out[i] = t.hash(static_cast<StringTable::Id>(i));
                return to_numpy(std::move(out));
            },
            "Returns the 64-bit hashes of all strings.")
        .def(
            "to_blob",
            [](const StringTable& t) {
                std::vector<std::uint8_t> bytes(t.blob().begin(), t.blob().end());
                auto offsets = t.offsets();
                return std::make_pair(to_numpy(std::move(bytes)), to_numpy(std::move(offsets)));
            },
            "Returns (bytes, offsets), for saving.")
        .def_static("from_blob", &table_from_blob, nb::arg("blob"), nb::arg("offsets"));

    m.def("split_parts", &split_parts, nb::arg("text"), nb::arg("ends"),
          nb::sig(
              "def split_parts(text: NDArray[numpy.uint8], ends: NDArray[numpy.int64]) -> tuple[NDArray[numpy.uint8], "
              "NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.int64]]"),
          "Cuts texts after every blank and keeps each distinct part once, in order of appearance.");
    m.def(
        "is_utf8", [](const Input<std::uint8_t>& text) { return is_utf8(view(text)); }, nb::arg("text"),
        nb::sig("def is_utf8(text: NDArray[numpy.uint8]) -> bool"), "Whether all bytes together are valid UTF-8.");
    m.def("hash_string", &hash_bytes, nb::arg("text"));
    m.def("mix", &mix, nb::arg("a"), nb::arg("b"));
    m.def("parse_columns", &parse_columns, nb::arg("data"), nb::arg("columns"), nb::arg("separator"),
          nb::arg("comment"),
          nb::sig("def parse_columns(data: bytes, columns: int, separator: str, comment: str) -> "
                  "dict[str, object] | tuple[int, str]"),
          "Returns the parsed text, or (line, error message).");
}
