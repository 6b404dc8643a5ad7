// Semi-Markov forward-backward: log Z, the marginals of labels and label pairs, and those of segments (Sarawagi & Cohen
// 2004, section 3.2). Everything is computed with logarithms in double precision; terms that are smaller than the
// largest by a factor of e^40 are left out, which double precision could not hold beside it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/segments/segment_lattice.hpp"

namespace tagloom {

template <class Real>
struct SegmentMarginals {
    struct Probability {
        Segment segment;
        Real value;
    };
    double log_z = 0;                   // minus infinity if no sequence is allowed; all marginals are zero then
    std::vector<Real> nodes;            // [T][stride] P(y_t = y | x)
    std::vector<Real> pair_sums;        // [L][stride] sum over t of P(y_t-1 = p, y_t = y | x)
    std::vector<Probability> segments;  // P(segment | x) of segments with features
};

template <class Real>
class SegmentForwardBackward {
public:
    void operator()(const SegmentLattice<Real>& lattice, SegmentMarginals<Real>& out) {
        lattice_ = &lattice;
        length_ = lattice.length(), labels_ = lattice.tokens().labels(), types_ = lattice.roles().size();
        stride_ = lattice.tokens().stride();
        out.segments.clear();
        out.nodes.assign(length_ * stride_, 0);
        out.pair_sums.assign(labels_ * stride_, 0);
        out.log_z = 0;
        if (length_ == 0) return;
        score_insides();
        forward();
        out.log_z = sum_over(lattice.labels.ends, [&](std::size_t label) { return at(ends_, length_ - 1, label); });
        if (!std::isfinite(out.log_z)) return;
        backward();
        add_marginals(out);
    }

private:
    static constexpr double never = -std::numeric_limits<double>::infinity();
    static constexpr double negligible = -40;  // logarithm

    // log(exp(a) + exp(b))
    static double add_logs(double a, double b) noexcept {
        if (a < b) std::swap(a, b);
        return b - a < negligible || b == never ? a : a + std::log1p(std::exp(b - a));
    }
    template <class Terms>
    static double sum_logs(const Terms& terms) {
        double most = never, sum = 0;
        for (const double term : terms) most = std::max(most, term);
        if (!std::isfinite(most)) return most;
        for (const double term : terms)
            if (term - most > negligible) sum += std::exp(term - most);
        return most + std::log(sum);
    }
    template <class Term>
    double sum_over(const std::vector<std::size_t>& which, Term term) {
        terms_.clear();
        for (const std::size_t i : which) terms_.push_back(term(i));
        return sum_logs(terms_);
    }

    double& at(std::vector<double>& values, std::size_t t, std::size_t label) { return values[t * labels_ + label]; }
    double& of_type(std::vector<double>& values, std::size_t t, std::size_t y) { return values[t * types_ + y]; }
    double& inside(std::size_t first, std::size_t tokens, std::size_t y) {
        return insides_[(first * lattice_->longest() + tokens - 1) * types_ + y];
    }
    double emission(std::size_t t, Label label) const { return static_cast<double>(lattice_->emission(t, label)); }
    double transition(std::size_t t, Label previous, Label next) const {
        return static_cast<double>(lattice_->transition(t, previous, next));
    }
    double end_step(std::size_t t, const SegmentRoles& role) const {  // from an inner token to the last one, t
        return role.last < 0 ? never : transition(t, role.inner, role.last) + emission(t, role.last);
    }
    double inner_step(std::size_t t, const SegmentRoles& role) const {
        return transition(t, role.inner, role.inner) + emission(t, role.inner);
    }

    // The score of every segment with features, without how it is entered, and of its first tokens if it is longer.
    void score_insides() {
        insides_.assign(length_ * lattice_->longest() * types_, never);
        opens_.assign(length_ * types_, never);
        for (std::size_t t = 0; t < length_; ++t)
            for (std::size_t y = 0; y < types_; ++y) score_segments(t, y);
    }

    void score_segments(std::size_t t, std::size_t y) {
        const SegmentRoles& role = lattice_->roles()[y];
        const auto own = [&](std::size_t n) { return static_cast<double>(lattice_->segment_scores(t, n)[y]); };
        if (role.single >= 0) inside(t, 1, y) = emission(t, role.single) + own(1);
        if (role.first < 0) return;
        double score = emission(t, role.first);
        Label previous = role.first;
        for (std::size_t n = 2; n <= lattice_->reach(t); ++n) {
            const std::size_t last = t + n - 1;
            if (role.last >= 0)
                inside(t, n, y) = score + transition(last, previous, role.last) + emission(last, role.last) + own(n);
            if (role.inner < 0) return;
            score += transition(last, previous, role.inner) + emission(last, role.inner);
            previous = role.inner;
        }
        if (lattice_->reach(t) == lattice_->longest()) of_type(opens_, t, y) = score;
    }

    void forward() {
        enter_.assign(length_ * labels_, never);
        ends_.assign(length_ * labels_, never);
        long_.assign(length_ * types_, never);
        for (std::size_t t = 0; t < length_; ++t) {
            for (const std::size_t label : lattice_->labels.starts)
                at(enter_, t, label) = t == 0 ? 0 : sum_over(lattice_->labels.ends, [&](std::size_t previous) {
                    return at(ends_, t - 1, previous)
                           + transition(t, static_cast<Label>(previous), static_cast<Label>(label));
                });
            for (const std::size_t label : lattice_->labels.outside)
                at(ends_, t, label) = at(enter_, t, label) + emission(t, static_cast<Label>(label));
            for (std::size_t y = 0; y < types_; ++y) end_segments(t, y);
        }
    }

    void end_segments(std::size_t t, std::size_t y) {
        const SegmentRoles& role = lattice_->roles()[y];
        const std::size_t longest = lattice_->longest();
        if (role.single >= 0) at(ends_, t, index(role.single)) = at(enter_, t, index(role.single)) + inside(t, 1, y);
        if (role.first < 0) return;
        const double before = t > 0 ? of_type(long_, t - 1, y) : never;
        terms_.clear();
        for (std::size_t n = 2; n <= std::min(longest, t + 1); ++n)
            terms_.push_back(at(enter_, t - n + 1, index(role.first)) + inside(t - n + 1, n, y));
        if (std::isfinite(before)) terms_.push_back(before + end_step(t, role));
        if (role.last >= 0) at(ends_, t, index(role.last)) = sum_logs(terms_);
        if (role.inner < 0 || t + 1 < longest) return;
        const std::size_t first = t + 1 - longest;
        of_type(long_, t, y) = add_logs(std::isfinite(before) ? before + inner_step(t, role) : never,
                                        at(enter_, first, index(role.first)) + of_type(opens_, first, y));
    }

    void backward() {
        begin_.assign(length_ * labels_, never);
        after_.assign(length_ * labels_, never);
        after_long_.assign(length_ * types_, never);
        for (std::size_t t = length_; t-- > 0;) {
            for (const std::size_t label : lattice_->labels.ends)
                at(after_, t, label) = t + 1 == length_ ? 0 : sum_over(lattice_->labels.starts, [&](std::size_t next) {
                    return transition(t + 1, static_cast<Label>(label), static_cast<Label>(next))
                           + at(begin_, t + 1, next);
                });
            for (const std::size_t label : lattice_->labels.outside)
                at(begin_, t, label) = emission(t, static_cast<Label>(label)) + at(after_, t, label);
            for (std::size_t y = 0; y < types_; ++y) begin_segments(t, y);
        }
    }

    void begin_segments(std::size_t t, std::size_t y) {
        const SegmentRoles& role = lattice_->roles()[y];
        if (role.inner >= 0 && t + 1 < length_) {
            const double ended = role.last < 0 ? never : end_step(t + 1, role) + at(after_, t + 1, index(role.last));
            of_type(after_long_, t, y) = add_logs(inner_step(t + 1, role) + of_type(after_long_, t + 1, y), ended);
        }
        if (role.single >= 0) at(begin_, t, index(role.single)) = inside(t, 1, y) + at(after_, t, index(role.single));
        if (role.first < 0) return;
        terms_.clear();
        for (std::size_t n = 2; role.last >= 0 && n <= lattice_->reach(t); ++n)
            terms_.push_back(inside(t, n, y) + at(after_, t + n - 1, index(role.last)));
        if (std::isfinite(of_type(opens_, t, y)))
            terms_.push_back(of_type(opens_, t, y) + of_type(after_long_, t + lattice_->longest() - 1, y));
        double& begin = at(begin_, t, index(role.first));
        begin = add_logs(begin, sum_logs(terms_));
    }

    void add_marginals(SegmentMarginals<Real>& out) {
        nodes_.assign(length_ * labels_, 0);
        pairs_.assign(labels_ * labels_, 0);
        changes_.assign((length_ + 1) * types_, 0);
        log_z_ = out.log_z;
        for (std::size_t t = 0; t < length_; ++t) {
            for (const std::size_t label : lattice_->labels.outside)
                at(nodes_, t, label) += probability(at(ends_, t, label) + at(after_, t, label));
            if (t > 0) add_pairs(t);
            for (std::size_t y = 0; y < types_; ++y) add_segments(t, y, out);
        }
        spread_inner_tokens();
        for (std::size_t t = 0; t < length_; ++t)
            for (std::size_t y = 0; y < labels_; ++y)
                out.nodes[t * stride_ + y] = static_cast<Real>(std::clamp(at(nodes_, t, y), 0.0, 1.0));
        for (std::size_t p = 0; p < labels_; ++p)
            for (std::size_t y = 0; y < labels_; ++y)
                out.pair_sums[p * stride_ + y] = static_cast<Real>(at(pairs_, p, y));
    }

    double probability(double log_weight) const {
        const double log_probability = log_weight - log_z_;
        return log_probability > negligible ? std::exp(log_probability) : 0;
    }

    // Label pairs between segments.
    void add_pairs(std::size_t t) {
        for (const std::size_t previous : lattice_->labels.ends) {
            const double before = at(ends_, t - 1, previous);
            if (before + at(after_, t - 1, previous) - log_z_ < negligible) continue;
            for (const std::size_t next : lattice_->labels.starts)
                at(pairs_, previous, next) +=
                    probability(before + transition(t, static_cast<Label>(previous), static_cast<Label>(next))
                                + at(begin_, t, next));
        }
    }

    // The segments that begin at t, and the steps of longer ones that arrive at t.
    void add_segments(std::size_t t, std::size_t y, SegmentMarginals<Real>& out) {
        const SegmentRoles& role = lattice_->roles()[y];
        const std::size_t longest = lattice_->longest();
        if (role.single >= 0) {
            const double single = probability(at(ends_, t, index(role.single)) + at(after_, t, index(role.single)));
            if (single > 0) {
                at(nodes_, t, index(role.single)) += single;
                out.segments.push_back({{t, 1, y}, static_cast<Real>(single)});
            }
        }
        if (role.first < 0) return;
        const double entered = at(enter_, t, index(role.first));
        if (entered + at(begin_, t, index(role.first)) - log_z_ > negligible) {
            for (std::size_t n = 2; role.last >= 0 && n <= lattice_->reach(t); ++n) {
                const double p = probability(entered + inside(t, n, y) + at(after_, t + n - 1, index(role.last)));
                if (p == 0) continue;
                out.segments.push_back({{t, n, y}, static_cast<Real>(p)});
                at(nodes_, t, index(role.first)) += p;
                at(nodes_, t + n - 1, index(role.last)) += p;
                if (n == 2) {
                    at(pairs_, index(role.first), index(role.last)) += p;
                    continue;
                }
                add_inner(t + 1, t + n - 1, y, p);
                at(pairs_, index(role.inner), index(role.last)) += p;
            }
            if (std::isfinite(of_type(opens_, t, y))) {
                const double p =
                    probability(entered + of_type(opens_, t, y) + of_type(after_long_, t + longest - 1, y));
                at(nodes_, t, index(role.first)) += p;
                add_inner(t + 1, t + longest, y, p);
            }
        }
        const double before = t > 0 ? of_type(long_, t - 1, y) : never;
        if (!std::isfinite(before)) return;
        const double on = probability(before + inner_step(t, role) + of_type(after_long_, t, y));
        at(nodes_, t, index(role.inner)) += on;
        at(pairs_, index(role.inner), index(role.inner)) += on;
        if (role.last < 0) return;
        const double ended = probability(before + end_step(t, role) + at(after_, t, index(role.last)));
        at(nodes_, t, index(role.last)) += ended;
        at(pairs_, index(role.inner), index(role.last)) += ended;
    }

    // The inner tokens [first, end) of segments, and the label pairs from the first token through them.
    void add_inner(std::size_t first, std::size_t end, std::size_t y, double p) {
        const SegmentRoles& role = lattice_->roles()[y];
        of_type(changes_, first, y) += p;
        of_type(changes_, end, y) -= p;
        at(pairs_, index(role.first), index(role.inner)) += p;
        at(pairs_, index(role.inner), index(role.inner)) += static_cast<double>(end - first - 1) * p;
    }

    void spread_inner_tokens() {
        for (std::size_t y = 0; y < types_; ++y) {
            const SegmentRoles& role = lattice_->roles()[y];
            double sum = 0;
            for (std::size_t t = 0; role.inner >= 0 && t < length_; ++t) {
                sum += of_type(changes_, t, y);
                at(nodes_, t, index(role.inner)) += sum;
            }
        }
    }

    static std::size_t index(Label label) noexcept { return static_cast<std::size_t>(label); }

    const SegmentLattice<Real>* lattice_ = nullptr;
    std::size_t length_ = 0, labels_ = 0, types_ = 0, stride_ = 0;
    double log_z_ = 0;
    std::vector<double> terms_;
    std::vector<double> insides_;            // [T][longest][types] by first token
    std::vector<double> opens_;              // [T][types] first `longest` tokens of a longer segment, by first token
    std::vector<double> enter_, begin_;      // [T][L] before and from a segment that begins at t with a label
    std::vector<double> ends_, after_;       // [T][L] up to and after a segment that ends at t with a label
    std::vector<double> long_, after_long_;  // [T][types] the same for inner tokens of longer segments
    std::vector<double> nodes_, pairs_;      // [T][L], [L][L]
    std::vector<double> changes_;            // [T + 1][types] where probabilities of inner tokens begin and end
};

}  // namespace tagloom
