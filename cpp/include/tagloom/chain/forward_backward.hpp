// Forward-backward: log Z and the marginals of a lattice (Lafferty et al. 2001; he-wang-2012, Eqs. 10 and 12).
//
// The fast pass works with probabilities that are scaled at every token, so that sentences may have any length. If the
// scores of a sentence differ so much that scaled numbers would underflow, the sentence is computed again with
// logarithms in double precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/chain/lattice.hpp"
#include "tagloom/fast/kernels.hpp"

namespace tagloom {

// The results of forward-backward. Rows are padded with zeros.
template <class Real>
struct Marginals {
    double log_z = 0;             // minus infinity if no sequence is allowed; all marginals are zero then
    std::vector<Real> nodes;      // [T][stride]    P(y_t = y | x)
    std::vector<Real> pair_sums;  // [L][stride]    sum over t of P(y_t-1 = p, y_t = y | x)
    std::vector<Real> pairs;      // [T][L][stride] the terms of that sum: if the lattice has edge features, or wanted
    bool wants_pairs = false;
    bool has_pairs = false;

    void resize(const Lattice<Real>& lattice) {
        const std::size_t square = lattice.labels() * lattice.stride();
        has_pairs = wants_pairs || lattice.has_edges();
        nodes.resize(lattice.length() * lattice.stride());
        pair_sums.assign(square, 0);
        pairs.assign(has_pairs ? lattice.length() * square : 0, 0);
    }
};

// The same with logarithms in double precision: much slower, but correct for any finite scores.
template <class Real>
class LogForwardBackward {
public:
    void operator()(const Lattice<Real>& lattice, Marginals<Real>& out) {
        const std::size_t length = lattice.length(), labels = lattice.labels(), stride = lattice.stride();
        out.resize(lattice);
        forward_.assign(length * labels, 0);
        backward_.assign(length * labels, 0);
        for (std::size_t t = 0; t < length; ++t)
            for (std::size_t y = 0; y < labels; ++y)
                forward_[t * labels + y] =
                    lattice.emissions(t)[y] + (t == 0 ? 0 : log_sum(labels, [&](std::size_t p) {
                        return forward_[(t - 1) * labels + p] + lattice.transitions(t)[p * stride + y];
                    }));
        for (std::size_t t = length - 1; t-- > 0;)
            for (std::size_t p = 0; p < labels; ++p)
                backward_[t * labels + p] = log_sum(labels, [&](std::size_t y) {
                    return lattice.transitions(t + 1)[p * stride + y] + lattice.emissions(t + 1)[y]
                           + backward_[(t + 1) * labels + y];
                });
        out.log_z = log_sum(labels, [&](std::size_t y) { return forward_[(length - 1) * labels + y]; });
        std::fill(out.nodes.begin(), out.nodes.end(), Real{0});
        if (!std::isfinite(out.log_z)) return;
        for (std::size_t t = 0; t < length; ++t) write_marginals(lattice, t, out);
    }

private:
    template <class Term>
    static double log_sum(std::size_t count, Term term) {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < count; ++i) most = std::max(most, static_cast<double>(term(i)));
        if (!std::isfinite(most)) return most;
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(term(i)) - most);
        return most + std::log(sum);
    }

    void write_marginals(const Lattice<Real>& lattice, std::size_t t, Marginals<Real>& out) const {
        const std::size_t labels = lattice.labels(), stride = lattice.stride();
        for (std::size_t y = 0; y < labels; ++y) {
            out.nodes[t * stride + y] =
                static_cast<Real>(std::exp(forward_[t * labels + y] + backward_[t * labels + y] - out.log_z));
            for (std::size_t p = 0; t > 0 && p < labels; ++p) {
                const double score = forward_[(t - 1) * labels + p] + lattice.transitions(t)[p * stride + y]
                                     + lattice.emissions(t)[y] + backward_[t * labels + y];
                const auto probability = static_cast<Real>(std::exp(score - out.log_z));
                out.pair_sums[p * stride + y] += probability;
                if (out.has_pairs) out.pairs[(t * labels + p) * stride + y] = probability;
            }
        }
    }

    std::vector<double> forward_, backward_;  // [T][L]
};

template <class Real>
class ForwardBackward {
public:
    void operator()(const Lattice<Real>& lattice, Marginals<Real>& out) {
        if (lattice.length() == 0) return void(out.log_z = 0);
        if (!scaled(lattice, out)) log_(lattice, out);
    }

private:
    // Below this a scaled sum may have lost terms to underflow.
    static constexpr Real least = sizeof(Real) == sizeof(float) ? Real(1e-15) : Real(1e-150);

    bool scaled(const Lattice<Real>& lattice, Marginals<Real>& out) {
        out.resize(lattice);
        exponentiate(lattice);
        return forward(lattice, out) && backward(lattice, out);
    }

    // Computes exp of all scores, relative to the largest of the token and of the transitions.
    void exponentiate(const Lattice<Real>& lattice) {
        const std::size_t length = lattice.length(), stride = lattice.stride(), square = lattice.labels() * stride;
        const std::size_t matrices = lattice.has_edges() ? length : 1;
        emissions_.resize(length * stride);
        shifts_.resize(length);
        for (std::size_t t = 0; t < length; ++t)
            shifts_[t] = exp_rows(lattice.emissions(t), lattice.labels(), stride, 1, emissions_.data() + t * stride);
        matrices_.resize(matrices * square);
        transposed_.resize(matrices * square);
        matrix_shifts_.assign(matrices, 0);
        for (std::size_t m = lattice.has_edges() ? 1 : 0; m < matrices; ++m) {
            matrix_shifts_[m] = exp_rows(lattice.transitions(m), lattice.labels(), stride, lattice.labels(),
                                         matrices_.data() + m * square);
            transpose(matrices_.data() + m * square, lattice.labels(), stride, transposed_.data() + m * square);
        }
        ones_.assign(stride, 1);
    }

    // Returns the shift. Padding becomes zero, so that it never counts.
    static Real exp_rows(const Real* in, std::size_t labels, std::size_t stride, std::size_t rows, Real* out) {
        Real most = largest(in, labels);
        for (std::size_t r = 1; r < rows; ++r) most = std::max(most, largest(in + r * stride, labels));
        if (!std::isfinite(most)) most = 0;
        kernels().of<Real>().exp_shifted(in, most, rows * stride, out);
        for (std::size_t r = 0; r < rows; ++r) std::fill(out + r * stride + labels, out + (r + 1) * stride, Real{0});
        return most;
    }

    static void transpose(const Real* in, std::size_t labels, std::size_t stride, Real* out) {
        std::fill(out, out + labels * stride, Real{0});
        for (std::size_t p = 0; p < labels; ++p)
            for (std::size_t y = 0; y < labels; ++y) out[y * stride + p] = in[p * stride + y];
    }

    const Real* matrix(const std::vector<Real>& from, const Lattice<Real>& lattice, std::size_t t) const noexcept {
        return from.data() + (lattice.has_edges() ? t * lattice.labels() * lattice.stride() : 0);
    }

    // forward_[t] sums to scale_[t]; dividing the next step by it keeps the numbers in range.
    bool forward(const Lattice<Real>& lattice, Marginals<Real>& out) {
        const std::size_t length = lattice.length(), labels = lattice.labels(), stride = lattice.stride();
        const auto step = kernels().of<Real>().sum_step;
        forward_.resize(length * stride);
        scale_.resize(length);
        std::copy_n(emissions_.data(), stride, forward_.data());
        scale_[0] = 0;
        for (std::size_t y = 0; y < labels; ++y) scale_[0] += forward_[y];
        for (std::size_t t = 1; t < length; ++t) {
            if (!(scale_[t - 1] >= least)) return false;
            scale_[t] =
                step(forward_.data() + (t - 1) * stride, matrix(matrices_, lattice, t), emissions_.data() + t * stride,
                     1 / scale_[t - 1], labels, stride, forward_.data() + t * stride);
        }
        if (!(scale_[length - 1] >= least)) return false;
        double product = 1, sum = 0;  // takes one logarithm for many factors
        for (std::size_t t = 0; t < length; ++t) {
            product *= scale_[t];
            sum += shifts_[t] + (t > 0 ? matrix_shifts_[lattice.has_edges() ? t : 0] : Real{0});
            if (product < 1e-200 || product > 1e200) sum += std::log(product), product = 1;
        }
        out.log_z = sum + std::log(product);
        return true;
    }

    // The backward pass computes the marginals: P(y_t = y) = forward_[t][y] * back_[y] / their sum over y.
    bool backward(const Lattice<Real>& lattice, Marginals<Real>& out) {
        const std::size_t length = lattice.length(), labels = lattice.labels(), stride = lattice.stride();
        const std::size_t square = labels * stride;
        const auto& kernel = kernels().of<Real>();
        back_.assign(stride, 0);
        std::fill_n(back_.begin(), labels, Real{1});
        weighted_.resize(stride);
        Real back_sum = static_cast<Real>(labels);
        for (std::size_t t = length; t-- > 0;) {
            const Real* forward = forward_.data() + t * stride;
            Real* node = out.nodes.data() + t * stride;
            const Real norm = multiply(forward, back_.data(), stride, node);
            // The second bound keeps the quotients by the norm and by the scale in range.
            const Real before = t > 0 ? scale_[t - 1] : Real{1};
            if (!(norm >= least * scale_[t] * back_sum && norm * before >= least * least)) return false;
            const Real inverse = 1 / norm;
            for (std::size_t y = 0; y < stride; ++y) node[y] *= inverse;
            if (t == 0) break;
            // forward_[t] was divided by scale_[t - 1], so the pairs must be, too.
            const Real factor = inverse / before;
            multiply(emissions_.data() + t * stride, back_.data(), stride, weighted_.data());
            if (out.has_pairs) {
                kernel.add_outer(forward - stride, weighted_.data(), factor, labels, stride,
                                 out.pairs.data() + t * square);
                multiply_into(out.pairs.data() + t * square, matrix(matrices_, lattice, t), square,
                              out.pair_sums.data());
            } else {
                kernel.add_outer(forward - stride, weighted_.data(), factor, labels, stride, out.pair_sums.data());
            }
            back_sum = kernel.sum_step(weighted_.data(), matrix(transposed_, lattice, t), ones_.data(), 1 / back_sum,
                                       labels, stride, back_.data());
        }
        if (!out.has_pairs)  // the transitions are the same everywhere, so one product gives the whole sum
            for (std::size_t i = 0; i < square; ++i) out.pair_sums[i] *= matrices_[i];
        return true;
    }

    static void multiply_into(Real* pairs, const Real* matrix, std::size_t count, Real* sums) {
        for (std::size_t i = 0; i < count; ++i) {
            pairs[i] *= matrix[i];
            sums[i] += pairs[i];
        }
    }

    std::vector<Real> emissions_, shifts_;                     // [T][stride], [T]
    std::vector<Real> matrices_, transposed_, matrix_shifts_;  // [1 or T][L][stride]
    std::vector<Real> forward_, scale_;                        // [T][stride], [T]
    std::vector<Real> back_, weighted_, ones_;                 // [stride]
    LogForwardBackward<Real> log_;
};

}  // namespace tagloom
