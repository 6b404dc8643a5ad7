// 64-bit hashing of strings and of tuples of hashes.
//
// After reading, the model knows only the 64-bit hash of a string: attribute values are hashed once per distinct word,
// and a template instance mixes the hashes of its parts. Hashes are part of the model file format, so these functions
// may never change without a new format version. Results do not depend on the byte order of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tagloom {

using Hash = std::uint64_t;

// Finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection with full avalanche.
inline Hash avalanche(Hash x) noexcept {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// Order matters: mix(a, b) != mix(b, a).
inline Hash mix(Hash a, Hash b) noexcept { return avalanche(a * 0x9e3779b97f4a7c15ULL + b); }

namespace detail {
inline Hash little_endian(const char* bytes, std::size_t count) noexcept {
    Hash word = 0;
    for (std::size_t i = 0; i < count; ++i) word |= Hash{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return word;
}

// The last `count` < 8 bytes of a text. In a text of eight bytes or more they are the end of one whole word.
inline Hash tail(std::string_view text, std::size_t count) noexcept {
    const char* end = text.data() + text.size();
    if (text.size() >= 8) return little_endian(end - 8, 8) >> (64 - 8 * count);
    const char* bytes = end - count;
    if (count >= 4) return little_endian(bytes, 4) | little_endian(end - 4, 4) << (8 * (count - 4));
    return little_endian(bytes, 1) | little_endian(bytes + count / 2, 1) << (8 * (count / 2))
           | little_endian(end - 1, 1) << (8 * (count - 1));
}
}  // namespace detail

inline Hash hash_bytes(std::string_view text) noexcept {
    Hash state = 0x243f6a8885a308d3ULL ^ text.size();
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) state = mix(state, detail::little_endian(text.data() + i, 8));
    return i < text.size() ? mix(state, detail::tail(text, text.size() - i)) : avalanche(state);
}

}  // namespace tagloom
