// Fuzz target: decoding of UTF-8. What is accepted is written again in the same bytes.
#include "input.hpp"
#include "tagloom/text/unicode.hpp"

using namespace tagloom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::Input(data, size).take_rest();
    const std::size_t bad = find_malformed_utf8(text);
    const std::string_view good = text.substr(0, bad);
    std::string again, lowered;
    for_each_char(good, [&](char32_t c, std::string_view bytes) {
        fuzz::require(c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF) && !bytes.empty());
        append_utf8(again, c);
    });
    fuzz::require(again == good);
    fuzz::require(bad == std::string_view::npos || decode_utf8(text, bad).length == 0);
    append_lower(lowered, text);  // malformed bytes are replaced
    fuzz::require(find_malformed_utf8(lowered) == std::string_view::npos);
    return 0;
}
