// Voted perceptrons with polynomial kernels over binary features, for several functions of the same instances at a time
// (Freund & Schapire 1999; carreras-2003, section 3.2). K(x, x') = (x . x' + 1)^d.
//
//   Linear     d = 1, primal: one row of weights per feature
//   Pairwise   d = 2, primal: (k + 1)^2 = 1 + 3 k + 2 (k over 2) for k common features, so that a bias, every feature and
//              every pair of features that occurs in some instance have a weight of their own
//   Dual       any d: an inverted index of the instances that were added or subtracted; the common features of a new
//              instance and all of these are counted in one walk through its features
//
// The final hypothesis weights every vector by the number of decisions that it survived. It is not stored vector by
// vector: with T decisions in all, what was added at decision t counts T - t times.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tagloom/text/hash.hpp"

namespace tagloom {

using Instance = std::span<const std::uint32_t>;  // distinct features that hold, in ascending order

// What was learned, in the form shared by all kinds: the instances, and when each was added for which function.
struct SupportVector {
    std::uint32_t function;
    std::int32_t sign;      // +1 added, -1 subtracted
    std::int64_t decision;  // the decision of the function before which this happened
};

// The scratch memory of a reader; threads share perceptrons while no thread learns.
struct KernelScratch {
    std::vector<std::uint16_t> common;           // [instances] number of features shared with the current instance
    std::vector<const std::uint64_t*> frequent;  // bits of the frequent features
};

class Perceptrons {
public:
    Perceptrons(std::size_t features, std::size_t functions) : features_(features), decisions_(functions, 0) {}
    virtual ~Perceptrons() = default;

    std::size_t features() const noexcept { return features_; }
    std::size_t functions() const noexcept { return decisions_.size(); }
    std::int64_t decisions(std::size_t function) const noexcept { return decisions_[function]; }

    // Computes the scores of all functions under the current vectors, or under the weighted sum of all vectors so far.
    virtual void current(Instance x, KernelScratch& scratch, std::span<double> out) const = 0;
    virtual void voted(Instance x, KernelScratch& scratch, std::span<double> out) const = 0;

    // Records that a function has decided on an instance, so its vector survived one more decision.
    void decide(std::size_t function) noexcept { ++decisions_[function]; }
    void add(Instance x, std::size_t function, std::int32_t sign) {
        rows_.insert(rows_.end(), x.begin(), x.end());
        ends_.push_back(rows_.size());
        vectors_.push_back({static_cast<std::uint32_t>(function), sign, decisions_[function]});
        learn(x, vectors_.back());
    }

    // -- saving and restoring --
    std::span<const SupportVector> vectors() const noexcept { return vectors_; }
    Instance instance(std::size_t j) const noexcept {
        const std::size_t begin = j == 0 ? 0 : ends_[j - 1];
        return {rows_.data() + begin, ends_[j] - begin};
    }
    // Continues from saved vectors.
    void restore(std::span<const std::int64_t> decisions) {
        std::copy(decisions.begin(), decisions.end(), decisions_.begin());
    }
    void restore(Instance x, const SupportVector& vector) {
        rows_.insert(rows_.end(), x.begin(), x.end());
        ends_.push_back(rows_.size());
        vectors_.push_back(vector);
        learn(x, vector);
    }

protected:
    virtual void learn(Instance x, const SupportVector& vector) = 0;
    double weight(const SupportVector& vector) const noexcept {  // weight in the weighted sum
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
    void add(double amount, std::int64_t decision) noexcept {
        now += amount, moment += amount * static_cast<double>(decision);
    }
};

class LinearPerceptrons final : public Perceptrons {
public:
    LinearPerceptrons(std::size_t features, std::size_t functions)
        : Perceptrons(features, functions), weights_((features + 1) * functions) {}

    void current(Instance x, KernelScratch&, std::span<double> out) const override {
        sum(x, out, [](const TimedWeight& w, std::int64_t) { return w.now; });
    }
    void voted(Instance x, KernelScratch&, std::span<double> out) const override {
        sum(x, out, [](const TimedWeight& w, std::int64_t decisions) {
            return w.now * static_cast<double>(decisions) - w.moment;
        });
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
        sum(x, out, [](const TimedWeight& w, std::int64_t decisions) {
            return w.now * static_cast<double>(decisions) - w.moment;
        });
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
    std::vector<TimedWeight> pairs_;  // [pairs][F]
};

// Indexes the instances of one function: which of them have a feature, and how many features each shares with a new
// instance.
//
// A rare feature has a list of instances. A frequent feature has one bit per instance, and the bits are added up for 64
// instances at a time: the counters of all instances are kept as planes of bits, the lowest first (a carry-save adder).
// A feature becomes frequent when its list costs more than its bits.
class InstanceIndex {
public:
    explicit InstanceIndex(std::size_t features) : places_(features, none) {}

    std::size_t size() const noexcept { return size_; }

    void add(Instance x) {
        const std::size_t j = size_++;
        if (j % block == 0)
            for (auto& bits : frequent_) bits.resize((j / block + 1) * words);
        for (const std::uint32_t row : x) add(row, j);
    }

    // Sets common[j], j < size(), to the number of features shared with x.
    void count(Instance x, KernelScratch& scratch) const {
        scratch.common.assign((size_ + block - 1) / block * block, 0);
        scratch.frequent.clear();
        for (const std::uint32_t row : x) {
            const std::uint32_t place = places_[row];
            if (place != none && place & is_frequent) scratch.frequent.push_back(frequent_[place ^ is_frequent].data());
        }
        const std::span<const std::uint64_t* const> all = scratch.frequent;
        for (std::size_t i = 0; i < all.size(); i += most_added)
            add_up(all.subspan(i, std::min(most_added, all.size() - i)), scratch.common);
        for (const std::uint32_t row : x)
            if (const std::uint32_t place = places_[row]; place != none && !(place & is_frequent))
                for (const std::uint32_t j : rare_[place]) ++scratch.common[j];
    }

private:
    static constexpr std::size_t words = 8, block = 64 * words, planes = 7, most_added = (1 << planes) - 1;
    static constexpr std::uint32_t none = ~std::uint32_t{0}, is_frequent = std::uint32_t{1} << 31;
    struct Planes {
        std::uint64_t bits[planes][words];
    };

    void add(std::uint32_t row, std::size_t j) {
        std::uint32_t& place = places_[row];
        if (place == none) place = take_list();
        if (place & is_frequent) return set(frequent_[place ^ is_frequent], j);
        std::vector<std::uint32_t>& list = rare_[place];
        list.push_back(static_cast<std::uint32_t>(j));
        if (list.size() > 32 + size_ / 48) make_frequent(place);
    }
    std::uint32_t take_list() {
        if (free_.empty()) {
            rare_.emplace_back();
            return static_cast<std::uint32_t>(rare_.size() - 1);
        }
        const std::uint32_t place = free_.back();
        free_.pop_back();
        return place;
    }
    void make_frequent(std::uint32_t& place) {
        std::vector<std::uint64_t>& bits = frequent_.emplace_back((size_ + block - 1) / block * words);
        for (const std::uint32_t j : rare_[place]) set(bits, j);
        rare_[place].clear();
        free_.push_back(place);
        place = static_cast<std::uint32_t>(frequent_.size() - 1) | is_frequent;
    }
    static void set(std::vector<std::uint64_t>& bits, std::size_t j) { bits[j / 64] |= std::uint64_t{1} << j % 64; }

    void add_up(std::span<const std::uint64_t* const> features, std::vector<std::uint16_t>& common) const {
        for (std::size_t first = 0; first < size_; first += block) {
            Planes sums{};
            std::size_t i = 0;
            for (; i + 3 <= features.size(); i += 3)
                add_three(sums, features[i] + first / 64, features[i + 1] + first / 64, features[i + 2] + first / 64);
            for (; i < features.size(); ++i) add_one(sums, features[i] + first / 64, 0);
            spread(sums, common.data() + first);
        }
    }
    // Adds bits of weight 2^plane.
    static void add_one(Planes& sums, const std::uint64_t* bits, std::size_t plane) {
        std::uint64_t carry[words];
        std::copy(bits, bits + words, carry);
        for (; plane < planes; ++plane) {
            std::uint64_t rest = 0;
            for (std::size_t w = 0; w < words; ++w) {
                const std::uint64_t both = sums.bits[plane][w] & carry[w];
                sums.bits[plane][w] ^= carry[w];
                rest |= carry[w] = both;
            }
            if (rest == 0) return;
        }
    }
    static void add_three(Planes& sums, const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c) {
        std::uint64_t carry[words], second[words];
        for (std::size_t w = 0; w < words; ++w) {
            const std::uint64_t odd = a[w] ^ b[w], sum = odd ^ c[w], low = sums.bits[0][w];
            const std::uint64_t twos = (a[w] & b[w]) | (odd & c[w]), more = low & sum;
            sums.bits[0][w] = low ^ sum;
            carry[w] = twos ^ more, second[w] = twos & more;  // bits of weights 2 and 4
        }
        add_one(sums, carry, 1);
        add_one(sums, second, 2);
    }
    // Turns the planes into numbers, for eight instances at a time, one byte each.
    static void spread(const Planes& sums, std::uint16_t* common) {
        for (std::size_t w = 0; w < words; ++w)
            for (std::size_t byte = 0; byte < 8; ++byte, common += 8) {
                std::uint64_t counts = 0;
                for (std::size_t plane = 0; plane < planes; ++plane)
                    counts |= spread_byte((sums.bits[plane][w] >> 8 * byte) & 0xff) << plane;
                for (std::size_t i = 0; i < 8; ++i)
                    common[i] = static_cast<std::uint16_t>(common[i] + ((counts >> 8 * i) & 0xff));
            }
    }
    // Moves bit i of a byte to the lowest bit of byte i.
    static std::uint64_t spread_byte(std::uint64_t bits) noexcept {
        const std::uint64_t each = (bits * 0x0101010101010101ULL) & 0x8040201008040201ULL;
        return ((each + 0x7f7f7f7f7f7f7f7fULL) & 0x8080808080808080ULL) >> 7;
    }

    std::size_t size_ = 0;
    std::vector<std::uint32_t> places_;  // [m] place of a feature's list, or of its bits
    std::vector<std::vector<std::uint32_t>> rare_;
    std::vector<std::vector<std::uint64_t>> frequent_;
    std::vector<std::uint32_t> free_;  // unused lists
};

class DualPerceptrons final : public Perceptrons {
public:
    DualPerceptrons(std::size_t features, std::size_t functions, int degree)
        : Perceptrons(features, functions), degree_(degree), parts_(functions, Part(features)) {}

    void current(Instance x, KernelScratch& scratch, std::span<double> out) const override {
        for (std::size_t f = 0; f < functions(); ++f)
            out[f] = sum(parts_[f], x, scratch, [](const TimedWeight& w) { return w.now; });
    }
    void voted(Instance x, KernelScratch& scratch, std::span<double> out) const override {
        for (std::size_t f = 0; f < functions(); ++f) {
            const auto total = static_cast<double>(decisions(f));
            out[f] = sum(parts_[f], x, scratch, [total](const TimedWeight& w) { return total * w.now - w.moment; });
        }
    }

private:
    struct Part {  // what one function has learned
        InstanceIndex index;
        std::vector<TimedWeight> weights;  // [J] weight of every instance
        explicit Part(std::size_t features) : index(features) {}
    };

    // Computes sum_j weight_j K(x_j, x) with four sums at a time, because additions wait for each other.
    template <class Read>
    double sum(const Part& part, Instance x, KernelScratch& scratch, Read read) const {
        part.index.count(x, scratch);
        double sums[4] = {0, 0, 0, 0};
        const std::size_t count = part.weights.size();
        std::size_t j = 0;
        for (; j + 4 <= count; j += 4)
            for (std::size_t i = 0; i < 4; ++i) sums[i] += read(part.weights[j + i]) * powers_[scratch.common[j + i]];
        for (; j < count; ++j) sums[0] += read(part.weights[j]) * powers_[scratch.common[j]];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    void learn(Instance x, const SupportVector& vector) override {
        Part& part = parts_[vector.function];
        part.index.add(x);
        part.weights.emplace_back().add(vector.sign, vector.decision);
        while (powers_.size() <= x.size())
            powers_.push_back(std::pow(static_cast<double>(powers_.size() + 1), degree_));
    }

    int degree_;
    std::vector<Part> parts_;     // [F]
    std::vector<double> powers_;  // [k] (k + 1)^d, for k up to the number of features of an instance
};

}  // namespace tagloom
