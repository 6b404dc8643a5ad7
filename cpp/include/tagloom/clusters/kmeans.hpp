// K-means: seeds far from each other (Arthur & Vassilvitskii 2007, "k-means++"), then Lloyd's passes: every point goes
// to the nearest centroid, and every centroid to the mean of its points.
//
// The caller brings the random numbers. Distances are summed in a fixed order, and means by one thread in the order of
// the points, so that the number of threads changes nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tagloom/fast/parallel.hpp"

namespace tagloom {

inline float squared_distance(const float* a, const float* b, std::size_t n) noexcept {
    constexpr std::size_t strands = 8;
    float sums[strands] = {};
    std::size_t i = 0;
    for (; i + strands <= n; i += strands)
        for (std::size_t j = 0; j < strands; ++j) sums[j] += (a[i + j] - b[i + j]) * (a[i + j] - b[i + j]);
    for (; i < n; ++i) sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

class KMeans {
public:
    // Points are [N][dimensions]. Chooses one seed per random number in [0, 1), fewer if there are fewer distinct
    // points.
    KMeans(std::vector<float> points, std::size_t dimensions, std::span<const double> random, std::size_t threads)
        : points_(std::move(points)),
          dimensions_(dimensions),
          count_(points_.size() / dimensions),
          nearest_(count_, 0),
          distances_(count_, std::numeric_limits<float>::max()) {
        for (const double chance : random) {
            const std::size_t seed = choose(chance);
            if (seed == count_) break;
            centroids_.insert(centroids_.end(), point(seed), point(seed) + dimensions_);
            const std::size_t last = size() - 1;
            parallel_for(count_, threads, chunk, [&] { return [&, last](std::size_t i) { approach(i, last); }; });
        }
    }

    // Does one pass and returns how many points have changed their cluster.
    std::size_t pass(std::size_t threads) {
        move_centroids();
        const std::vector<std::int32_t> before = nearest_;
        std::fill(distances_.begin(), distances_.end(), std::numeric_limits<float>::max());
        parallel_for(count_, threads, chunk, [&] {
            return [&](std::size_t i) {
                for (std::size_t c = 0; c < size(); ++c) approach(i, c);
            };
        });
        std::size_t changed = 0;
        for (std::size_t i = 0; i < count_; ++i) changed += nearest_[i] != before[i];
        return changed;
    }

    std::size_t size() const noexcept { return centroids_.size() / dimensions_; }
    const std::vector<float>& centroids() const noexcept { return centroids_; }     // [size][dimensions]
    const std::vector<std::int32_t>& nearest() const noexcept { return nearest_; }  // [N]
    const std::vector<float>& distances() const noexcept { return distances_; }     // [N] squared

private:
    static constexpr std::size_t chunk = 256;

    const float* point(std::size_t i) const noexcept { return points_.data() + i * dimensions_; }

    // Chooses a point with a probability that is proportional to its squared distance from the nearest seed.
    std::size_t choose(double chance) const noexcept {
        if (centroids_.empty()) return std::min(static_cast<std::size_t>(chance * static_cast<double>(count_)), count_);
        double total = 0;
        for (const float distance : distances_) total += static_cast<double>(distance);
        std::size_t last = count_;  // rounding must not lead beyond the points
        double rest = chance * total;
        for (std::size_t i = 0; i < count_; ++i) {
            if (distances_[i] <= 0) continue;
            last = i;
            rest -= static_cast<double>(distances_[i]);
            if (rest < 0) return i;
        }
        return last;
    }

    // Of equally near centroids, a point keeps the one with the lower number.
    void approach(std::size_t i, std::size_t c) noexcept {
        const float distance = squared_distance(point(i), centroids_.data() + c * dimensions_, dimensions_);
        if (distance < distances_[i]) distances_[i] = distance, nearest_[i] = static_cast<std::int32_t>(c);
    }

    // A centroid without points stays where it is.
    void move_centroids() {
        std::vector<double> sums(centroids_.size(), 0.0);
        std::vector<std::size_t> sizes(size(), 0);
        for (std::size_t i = 0; i < count_; ++i) {
            const auto c = static_cast<std::size_t>(nearest_[i]);
            ++sizes[c];
            for (std::size_t j = 0; j < dimensions_; ++j) sums[c * dimensions_ + j] += static_cast<double>(point(i)[j]);
        }
        for (std::size_t c = 0; c < size(); ++c)
            for (std::size_t j = 0; j < dimensions_ && sizes[c] > 0; ++j)
                centroids_[c * dimensions_ + j] =
                    static_cast<float>(sums[c * dimensions_ + j] / static_cast<double>(sizes[c]));
    }

    std::vector<float> points_;
    std::size_t dimensions_, count_;
    std::vector<float> centroids_;
    std::vector<std::int32_t> nearest_;
    std::vector<float> distances_;
};

}  // namespace tagloom
