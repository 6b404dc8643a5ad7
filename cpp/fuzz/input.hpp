// What the fuzz targets share: bytes that are read as numbers and texts, and a check that ends the process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fuzz {

// Ends the process if a promise is broken; the fuzzer keeps the input.
inline void require(bool holds) {
    if (!holds) __builtin_trap();
}

// Reads the input from its front; when it is at its end, numbers are 0 and texts are empty.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

    bool empty() const { return rest_.empty(); }

    template <class Number>
    Number take() {
        Number value{};
        const std::string_view bytes = take_bytes(sizeof value);
        std::memcpy(&value, bytes.data(), bytes.size());
        return value;
    }

    std::string_view take_bytes(std::size_t count) {
        const std::string_view bytes = rest_.substr(0, count);
        rest_.remove_prefix(bytes.size());
        return bytes;
    }

    // A text that ends at a byte 0xFF, which UTF-8 does not have.
    std::string_view take_text() {
        const std::string_view text = take_bytes(std::min(rest_.find('\xFF'), rest_.size()));
        take_bytes(1);
        return text;
    }

    std::string_view take_rest() { return take_bytes(rest_.size()); }

private:
    std::string_view rest_;
};

}  // namespace fuzz
