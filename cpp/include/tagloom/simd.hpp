// Eight numbers at a time. The compiler's vector extension is lowered to whatever the instruction set of the
// translation unit offers (two SSE registers, one AVX register, two NEON registers); elsewhere a plain array serves.
#pragma once

#include <cstddef>
#include <cstring>

namespace tagloom {

inline constexpr std::size_t lanes = 8;

constexpr std::size_t padded(std::size_t labels) { return (labels + lanes - 1) / lanes * lanes; }

#if defined(__GNUC__)
template <class Real>
struct VectorOf {
    typedef Real type __attribute__((vector_size(lanes * sizeof(Real))));
};
template <class Real>
using Vec = typename VectorOf<Real>::type;

template <class Real>
inline void load(const Real* from, Vec<Real>& to) { std::memcpy(&to, from, sizeof to); }
template <class Real>
inline void store(const Vec<Real>& from, Real* to) { std::memcpy(to, &from, sizeof from); }
template <class V>
inline void raise(V& best, const V& candidate) { best = candidate > best ? candidate : best; }
#else
template <class Real>
struct Vec {
    Real lane[lanes];
    Vec& operator+=(const Vec& b) { for (std::size_t i = 0; i < lanes; ++i) lane[i] += b.lane[i]; return *this; }
    friend Vec operator+(Vec a, const Vec& b) { return a += b; }
    friend Vec operator*(Vec a, const Vec& b) { for (std::size_t i = 0; i < lanes; ++i) a.lane[i] *= b.lane[i]; return a; }
    friend Vec operator*(Vec a, Real s) { for (Real& x : a.lane) x *= s; return a; }
    friend Vec operator+(Vec a, Real s) { for (Real& x : a.lane) x += s; return a; }
};
template <class Real>
inline void load(const Real* from, Vec<Real>& to) { std::memcpy(to.lane, from, sizeof to.lane); }
template <class Real>
inline void store(const Vec<Real>& from, Real* to) { std::memcpy(to, from.lane, sizeof from.lane); }
template <class Real>
inline void raise(Vec<Real>& best, const Vec<Real>& candidate) {
    for (std::size_t i = 0; i < lanes; ++i)
        if (candidate.lane[i] > best.lane[i]) best.lane[i] = candidate.lane[i];
}
#endif

// Sum of the eight numbers, always in the same order.
template <class Real>
inline Real lane_sum(const Vec<Real>& v) {
    Real lane[lanes];
    store<Real>(v, lane);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

}  // namespace tagloom
