// Voted perceptrons with polynomial kernels over binary features, several functions of the same instances at a time
// (Freund & Schapire 1999; carreras-2003, section 3.2). K(x, x') = (x . x' + 1)^d.
//
//   Linear     d = 1, primal: a row of weights a feature
//   Pairwise   d = 2, primal: (k + 1)^2 = 1 + 3 k + 2 (k over 2) for k common features, so that a bias, every feature and
//              every pair of features that occurs in some instance have a weight of their own
//   Dual       any d: an inverted index of the instances that were added or subtracted; the common features of a new
//              instance and all of these are counted in one walk through its features
//
// The final hypothesis weighs every vector by the number of decisions that it outlasted. It is not stored vector by
// vector: with T decisions in all, what was added at decision t counts T - t times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/hash.hpp"

namespace tagloom {

using Instance = std::span<const std::uint32_t>;  // features that hold, ascending, each once

// What was learned, in the form that all kinds share: the instances and when each was added for which function.
struct SupportVector {
    std::uint32_t function;
    std::int32_t sign;      // +1 added, -1 subtracted
    std::int64_t decision;  // of the function, before which it was
};

// What a reader needs of its own; perceptrons are shared by threads while nobody learns.
struct KernelScratch {
    std::vector<std::uint16_t> common;  // [instances] features in common with the one in work
};

class Perceptrons {
public:
    Perceptrons(std::size_t features, std::size_t functions) : features_(features), decisions_(functions, 0) {}
    virtual ~Perceptrons() = default;

    std::size_t features() const noexcept { return features_; }
    std::size_t functions() const noexcept { return decisions_.size(); }
    std::int64_t decisions(std::size_t function) const noexcept { return decisions_[function]; }

    // Scores of all functions under the vectors as they are now, or under the weighted sum of all so far.
    virtual void current(Instance x, KernelScratch& scratch, std::span<double> out) const = 0;
    virtual void voted(Instance x, KernelScratch& scratch, std::span<double> out) const = 0;

    // A function has decided on an instance: its vector outlasted one decision more.
    void decide(std::size_t function) noexcept { ++decisions_[function]; }
    void add(Instance x, std::size_t function, std::int32_t sign) {
        rows_.insert(rows_.end(), x.begin(), x.end());
        ends_.push_back(rows_.size());
        vectors_.push_back({static_cast<std::uint32_t>(function), sign, decisions_[function]});
        learn(x, vectors_.back());
    }

    // -- what a model keeps --
    std::span<const SupportVector> vectors() const noexcept { return vectors_; }
    Instance instance(std::size_t j) const noexcept {
        const std::size_t begin = j == 0 ? 0 : ends_[j - 1];
        return {rows_.data() + begin, ends_[j] - begin};
    }
    // Goes on from vectors that were kept.
    void restore(std::span<const std::int64_t> decisions) { std::copy(decisions.begin(), decisions.end(), decisions_.begin()); }
    void restore(Instance x, const SupportVector& vector) {
        rows_.insert(rows_.end(), x.begin(), x.end());
        ends_.push_back(rows_.size());
        vectors_.push_back(vector);
        learn(x, vector);
    }

protected:
    virtual void learn(Instance x, const SupportVector& vector) = 0;
    double weight(const SupportVector& vector) const noexcept {  // in the weighted sum
        return vector.sign * static_cast<double>(decisions_[vector.function] - vector.decision);
    }

    std::size_t features_;
    std::vector<std::int64_t> decisions_;  // [F] T of every function
    std::vector<std::uint32_t> rows_;
    std::vector<std::size_t> ends_;
    std::vector<SupportVector> vectors_;
};

// Weights with their lazy sums: the weighted sum of all vectors is T * now - moments.
struct TimedWeight {
    double now = 0, moment = 0;
    void add(double amount, std::int64_t decision) noexcept { now += amount, moment += amount * static_cast<double>(decision); }
};

class LinearPerceptrons final : public Perceptrons {
public:
    LinearPerceptrons(std::size_t features, std::size_t functions)
        : Perceptrons(features, functions), weights_((features + 1) * functions) {}

    void current(Instance x, KernelScratch&, std::span<double> out) const override {
        sum(x, out, [](const TimedWeight& w, std::int64_t) { return w.now; });
    }
    void voted(Instance x, KernelScratch&, std::span<double> out) const override {
        sum(x, out, [](const TimedWeight& w, std::int64_t decisions) { return w.now * static_cast<double>(decisions) - w.moment; });
    }

private:
    // The kernel's 1 is a feature that always holds.
    template <class Read>
    void sum(Instance x, std::span<double> out, Read read) const {
        const std::size_t count = functions();
        for (std::size_t f = 0; f < count; ++f) out[f] = read(weights_[features_ * count + f], decisions_[f]);
        for (const std::uint32_t row : x)
            for (std::size_t f = 0; f < count; ++f) out[f] += read(weights_[row * count + f], decisions_[f]);
    }
    void learn(Instance x, const SupportVector& vector) override {
        const std::size_t count = functions();
        weights_[features_ * count + vector.function].add(vector.sign, vector.decision);
        for (const std::uint32_t row : x) weights_[row * count + vector.function].add(vector.sign, vector.decision);
    }

    std::vector<TimedWeight> weights_;  // [m + 1][F]
};

class PairwisePerceptrons final : public Perceptrons {
public:
    PairwisePerceptrons(std::size_t features, std::size_t functions)
        : Perceptrons(features, functions), singles_((features + 1) * functions), slots_(1024) {}

    void current(Instance x, KernelScratch&, std::span<double> out) const override {
        sum(x, out, [](const TimedWeight& w, std::int64_t) { return w.now; });
    }
    void voted(Instance x, KernelScratch&, std::span<double> out) const override {
        sum(x, out, [](const TimedWeight& w, std::int64_t decisions) { return w.now * static_cast<double>(decisions) - w.moment; });
    }

private:
    static constexpr std::uint64_t empty = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t pair = empty;
        std::uint32_t row = 0;  // among the pairs
    };

    template <class Read>
    void sum(Instance x, std::span<double> out, Read read) const {
        const std::size_t count = functions();
        for (std::size_t f = 0; f < count; ++f) out[f] = read(singles_[features_ * count + f], decisions_[f]);
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t f = 0; f < count; ++f) out[f] += 3 * read(singles_[x[i] * count + f], decisions_[f]);
            for (std::size_t j = i + 1; j < x.size(); ++j) {
                const Slot& slot = slots_[find(pair_of(x[i], x[j]))];
                if (slot.pair == empty) continue;
                for (std::size_t f = 0; f < count; ++f) out[f] += 2 * read(pairs_[slot.row * count + f], decisions_[f]);
            }
        }
    }

    void learn(Instance x, const SupportVector& vector) override {
        const std::size_t count = functions();
        singles_[features_ * count + vector.function].add(vector.sign, vector.decision);
        for (std::size_t i = 0; i < x.size(); ++i) {
            singles_[x[i] * count + vector.function].add(vector.sign, vector.decision);
            for (std::size_t j = i + 1; j < x.size(); ++j)
                pairs_[row_of(pair_of(x[i], x[j])) * count + vector.function].add(vector.sign, vector.decision);
        }
    }

    static std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) noexcept { return std::uint64_t{a} << 32 | b; }
    std::size_t find(std::uint64_t pair) const noexcept {
        std::size_t i = avalanche(pair) & (slots_.size() - 1);
        while (slots_[i].pair != empty && slots_[i].pair != pair) i = (i + 1) & (slots_.size() - 1);
        return i;
    }
    std::size_t row_of(std::uint64_t pair) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[find(pair)];
        if (slot.pair == empty) {
            slot = {pair, static_cast<std::uint32_t>(used_++)};
            pairs_.resize(used_ * functions());
        }
        return slot.row;
    }
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.pair != empty) slots_[find(slot.pair)] = slot;
    }

    std::vector<TimedWeight> singles_;  // [m + 1][F]
    std::vector<Slot> slots_;           // a power of two
    std::size_t used_ = 0;
    std::vector<TimedWeight> pairs_;    // [pairs][F]
};

class DualPerceptrons final : public Perceptrons {
public:
    DualPerceptrons(std::size_t features, std::size_t functions, int degree)
        : Perceptrons(features, functions), degree_(degree), postings_(features) {}

    void current(Instance x, KernelScratch& scratch, std::span<double> out) const override {
        sum(x, scratch.common, out, [](const SupportVector& vector) { return static_cast<double>(vector.sign); });
    }
    void voted(Instance x, KernelScratch& scratch, std::span<double> out) const override {
        sum(x, scratch.common, out, [this](const SupportVector& vector) { return weight(vector); });
    }

private:
    template <class Weight>
    void sum(Instance x, std::vector<std::uint16_t>& common, std::span<double> out, Weight weight) const {
        common.assign(vectors_.size(), 0);
        for (const std::uint32_t row : x)
            for (const std::uint32_t j : postings_[row]) ++common[j];
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t j = 0; j < vectors_.size(); ++j) out[vectors_[j].function] += weight(vectors_[j]) * powers_[common[j]];
    }
    void learn(Instance x, const SupportVector&) override {
        for (const std::uint32_t row : x) postings_[row].push_back(static_cast<std::uint32_t>(vectors_.size() - 1));
        while (powers_.size() <= x.size()) powers_.push_back(std::pow(static_cast<double>(powers_.size() + 1), degree_));
    }

    int degree_;
    std::vector<std::vector<std::uint32_t>> postings_;  // [m] the instances that have a feature
    std::vector<double> powers_;                        // [k] (k + 1)^d, for as many features as an instance has
};

}  // namespace tagloom
