// Fuzz target: the parser of column text, with any number of columns and either separator.
#include "tagloom/text/columns.hpp"
#include "input.hpp"

using namespace tagloom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto choice = input.take<std::uint8_t>();
    const std::size_t columns = 1 + choice % 5;
    ColumnText text;
    try {
        text = ColumnParser(columns, choice & 8 ? '\t' : ' ', choice & 16 ? "# " : "").parse(input.take_rest());
    } catch (const LineError& error) {
        fuzz::require(error.line > 0);
        return 0;
    }
    const std::size_t tokens = text.codes[0].size();
    for (std::size_t c = 0; c < columns; ++c) {
        fuzz::require(text.codes[c].size() == tokens);
        for (const std::int32_t code : text.codes[c])
            fuzz::require(code >= 0 && static_cast<std::size_t>(code) < text.tables[c].size());
    }
    fuzz::require(text.sentences.front() == 0 && text.sentences.back() == static_cast<std::int64_t>(tokens));
    fuzz::require(std::is_sorted(text.sentences.begin(), text.sentences.end(), std::less_equal<>()));
    fuzz::require(text.documents.back() == static_cast<std::int64_t>(text.sentences.size()) - 1);
    fuzz::require(text.sentence_lines.size() + 1 == text.sentences.size());
    return 0;
}
