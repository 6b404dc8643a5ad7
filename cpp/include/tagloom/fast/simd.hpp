// Operations on eight numbers at a time. The compiler's vector extension is lowered to whatever the instruction set of
// the translation unit offers (two SSE registers, one AVX register, two NEON registers); elsewhere a plain array is
// used.
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
inline void load(const Real* from, Vec<Real>& to) {
    std::memcpy(&to, from, sizeof to);
}
template <class Real>
inline void store(const Vec<Real>& from, Real* to) {
    std::memcpy(to, &from, sizeof from);
}
template <class V>
inline void raise(V& best, const V& candidate) {
    best = candidate > best ? candidate : best;
}

// As many numbers as one register of 32 bytes holds. Compilers turn comparisons of wider vectors into loops over single
// numbers, so kernels that compare work with registers.
template <class Real>
struct RegisterOf {
    typedef Real type __attribute__((vector_size(32)));
};
template <class Real>
using Register = typename RegisterOf<Real>::type;
inline void load(const double* from, Register<double>& to) { std::memcpy(&to, from, sizeof to); }
inline void store(const Register<double>& from, double* to) { std::memcpy(to, &from, sizeof from); }
#else
template <class Real>
struct Vec {
    Real lane[lanes];
    Vec& operator+=(const Vec& b) {
        for (std::size_t i = 0; i < lanes; ++i) lane[i] += b.lane[i];
        return *this;
    }
    friend Vec operator+(Vec a, const Vec& b) { return a += b; }
    friend Vec operator*(Vec a, const Vec& b) {
        for (std::size_t i = 0; i < lanes; ++i) a.lane[i] *= b.lane[i];
        return a;
    }
    friend Vec operator*(Vec a, Real s) {
        for (Real& x : a.lane) x *= s;
        return a;
    }
    friend Vec operator+(Vec a, Real s) {
        for (Real& x : a.lane) x += s;
        return a;
    }
};
template <class Real>
inline void load(const Real* from, Vec<Real>& to) {
    std::memcpy(to.lane, from, sizeof to.lane);
}
template <class Real>
inline void store(const Vec<Real>& from, Real* to) {
    std::memcpy(to, from.lane, sizeof from.lane);
}
template <class Real>
inline void raise(Vec<Real>& best, const Vec<Real>& candidate) {
    for (std::size_t i = 0; i < lanes; ++i)
        if (candidate.lane[i] > best.lane[i]) best.lane[i] = candidate.lane[i];
}
template <class Real>
using Register = Vec<Real>;
#endif
template <class Real>
inline constexpr std::size_t register_lanes = sizeof(Register<Real>) / sizeof(Real);

// Returns the sum of the eight numbers, always in the same order.
template <class Real>
inline Real lane_sum(const Vec<Real>& v) {
    Real lane[lanes];
    store<Real>(v, lane);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// Returns the largest of `count` numbers; there must be at least one.
template <class Real>
inline Real largest(const Real* from, std::size_t count) {
    Real best = from[0];
    std::size_t i = 0;
    if (count >= lanes) {
        Vec<Real> most, next;
        load<Real>(from, most);
        for (i = lanes; i + lanes <= count; i += lanes) {
            load<Real>(from + i, next);
            raise(most, next);
        }
        Real lane[lanes];
        store<Real>(most, lane);
        for (const Real candidate : lane)
            if (candidate > best) best = candidate;
    }
    for (; i < count; ++i)
        if (from[i] > best) best = from[i];
    return best;
}

// Returns the sum of the squares of a padded row.
template <class Real>
inline Real squares(const Real* from, std::size_t stride) {
    Vec<Real> sum = {}, next;
    for (std::size_t i = 0; i < stride; i += lanes) {
        load<Real>(from + i, next);
        sum += next * next;
    }
    return lane_sum<Real>(sum);
}

// Computes out = left * right of two padded rows; returns the sum of the products.
template <class Real>
inline Real multiply(const Real* left, const Real* right, std::size_t stride, Real* out) {
    Vec<Real> sum = {}, a, b;
    for (std::size_t i = 0; i < stride; i += lanes) {
        load<Real>(left + i, a);
        load<Real>(right + i, b);
        a = a * b;
        sum += a;
        store<Real>(a, out + i);
    }
    return lane_sum<Real>(sum);
}

}  // namespace tagloom
