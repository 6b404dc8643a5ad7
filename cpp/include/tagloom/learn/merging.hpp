// RowMerger sums the amounts of rows that occur several times in an example, which its exact norm requires.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tagloom/fast/kernels.hpp"
#include "tagloom/fast/simd.hpp"

namespace tagloom {

template <class Real>
class RowMerger {
public:
    explicit RowMerger(std::size_t rows) : seen_(rows, 0) {}

    void begin(std::size_t stride) {
        stride_ = stride;
        rows_.clear(), sums_.clear();
        if (++example_ == 0) {  // the counter has wrapped around
            std::fill(seen_.begin(), seen_.end(), std::uint64_t{0});
            example_ = 1;
        }
    }

    // Adds the amounts to each of the rows, times its value if there are values.
    void add(const std::uint32_t* rows, const Real* values, std::size_t count, const Real* amounts) {
        places_.resize(count);
        for (std::size_t i = 0; i < count; ++i) places_[i] = slot_of(rows[i]);
        const RowTarget<Real> target{sums_.data(), nullptr, nullptr, nullptr, 0, stride_};
        kernels().of<Real>().add_rows(target, places_.data(), values, count, 1, amounts);
    }

    double squared_norm() const {
        double norm = 0;
        for (std::size_t slot = 0; slot < rows_.size(); ++slot)
            norm += static_cast<double>(squares(amounts(slot), stride_));
        return norm;
    }

    std::size_t size() const noexcept { return rows_.size(); }
    const std::uint32_t* row(std::size_t slot) const noexcept { return rows_.data() + slot; }
    const Real* amounts(std::size_t slot) const noexcept { return sums_.data() + slot * stride_; }

private:
    std::uint32_t slot_of(std::uint32_t row) {
        std::uint64_t& seen = seen_[row];
        if (seen >> 32 != example_) {
            seen = static_cast<std::uint64_t>(example_) << 32 | rows_.size();
            rows_.push_back(row);
            sums_.resize(sums_.size() + stride_, 0);
        }
        return static_cast<std::uint32_t>(seen);
    }

    std::size_t stride_ = 0;
    std::uint32_t example_ = 0;
    std::vector<std::uint64_t> seen_;    // [rows] last example that had the row, and the row's slot in it
    std::vector<std::uint32_t> places_;  // slots of the current rows
    std::vector<std::uint32_t> rows_;    // distinct rows of the example
    std::vector<Real> sums_;             // [distinct rows][stride]
};

}  // namespace tagloom
