// RowMerger: sums the amounts of rows that occur several times in an example, as its exact norm needs.
#pragma once

#include <cstdint>
#include <vector>

namespace tagloom {

template <class Real>
class RowMerger {
public:
    explicit RowMerger(std::size_t rows) : stamps_(rows, 0), slots_(rows, 0) {}

    void begin(std::size_t stride) {
        stride_ = stride;
        rows_.clear(), sums_.clear();
        if (++example_ == 0) {  // the counter went round
            std::fill(stamps_.begin(), stamps_.end(), 0u);
            example_ = 1;
        }
    }

    void add(std::uint32_t row, Real value, const Real* amounts) {
        if (stamps_[row] != example_) {
            stamps_[row] = example_;
            slots_[row] = static_cast<std::uint32_t>(rows_.size());
            rows_.push_back(row);
            sums_.resize(sums_.size() + stride_, 0);
        }
        Real* sum = sums_.data() + slots_[row] * stride_;
        for (std::size_t y = 0; y < stride_; ++y) sum[y] += value * amounts[y];
    }

    double squared_norm() const {
        double norm = 0;
        for (std::size_t slot = 0; slot < rows_.size(); ++slot) {
            Real part = 0;
            for (std::size_t y = 0; y < stride_; ++y) part += amounts(slot)[y] * amounts(slot)[y];
            norm += static_cast<double>(part);
        }
        return norm;
    }

    std::size_t size() const noexcept { return rows_.size(); }
    const std::uint32_t* row(std::size_t slot) const noexcept { return rows_.data() + slot; }
    const Real* amounts(std::size_t slot) const noexcept { return sums_.data() + slot * stride_; }

private:
    std::size_t stride_ = 0;
    std::uint32_t example_ = 0;
    std::vector<std::uint32_t> stamps_, slots_;  // [rows]
    std::vector<std::uint32_t> rows_;            // distinct rows of the example
    std::vector<Real> sums_;                     // [distinct rows][stride]
};

}  // namespace tagloom
