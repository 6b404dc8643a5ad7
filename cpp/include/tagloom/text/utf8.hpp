// Decodes and checks UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tagloom {

// One code point and its length in bytes; length 0 marks malformed input.
struct CodePoint {
    char32_t value = 0;
    unsigned length = 0;
};

inline CodePoint decode_utf8(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const std::size_t left = text.size() - at;
    const unsigned lead = byte(0);
    if (lead < 0x80) return {lead, 1};
    if (lead >= 0xC2 && lead < 0xE0 && left >= 2 && tail(1)) return {(lead & 0x1FU) << 6 | (byte(1) & 0x3FU), 2};
    if (lead >= 0xE0 && lead < 0xF0 && left >= 3 && tail(1) && tail(2)) {
        const char32_t value = (lead & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
        if (value >= 0x800 && (value < 0xD800 || value > 0xDFFF)) return {value, 3};
    }
    if (lead >= 0xF0 && lead < 0xF5 && left >= 4 && tail(1) && tail(2) && tail(3)) {
        const char32_t value =
            (lead & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 | (byte(3) & 0x3FU);
        if (value >= 0x10000 && value <= 0x10FFFF) return {value, 4};
    }
    return {};
}

// Returns the offset of the first malformed byte, or npos.
inline std::size_t find_malformed_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        const CodePoint point = decode_utf8(text, at);
        if (point.length == 0) return at;
        at += point.length;
    }
    return std::string_view::npos;
}

inline void append_utf8(std::string& out, char32_t value) {
    const auto put = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
    if (value < 0x80) {
        put(value);
    } else if (value < 0x800) {
        put(0xC0 | value >> 6), put(0x80 | (value & 0x3F));
    } else if (value < 0x10000) {
        put(0xE0 | value >> 12), put(0x80 | (value >> 6 & 0x3F)), put(0x80 | (value & 0x3F));
    } else {
        put(0xF0 | value >> 18), put(0x80 | (value >> 12 & 0x3F)), put(0x80 | (value >> 6 & 0x3F)),
            put(0x80 | (value & 0x3F));
    }
}

}  // namespace tagloom
