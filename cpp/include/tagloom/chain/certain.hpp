// CertainDecoder: the labels of weights in double precision, at nearly the speed of single precision.
//
// Let e bound the rounding error of the single-precision score of any beginning of any label sequence. A sequence that
// the exact scores prefer to the path that was found meets it again at some token, or at the end; there its score, in
// single precision, is within 2 e of that of the path. So if every step of the path won by more than 2 e over all other
// predecessors, the path is also that of the exact scores. Sentences for which this cannot be shown are decoded again.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tagloom/chain/decode.hpp"

namespace tagloom {

class CertainDecoder {
public:
    // `largest` is the largest absolute value of the exact weights.
    CertainDecoder(const ChainModel<float>& model, const ChainModel<double>& exact, double largest)
        : model_(model), lattice_(model.layout), exact_(exact), largest_(largest) {
        lattice_.set_transitions(model.weights, model.mask);
    }

    float operator()(const ChainInput& input, std::size_t sentence, std::span<const std::uint8_t> allowed,
                     std::span<Label> path) {
        lattice_.fill(model_.weights, input, sentence, model_.mask, allowed);
        const float score = viterbi_(lattice_, path);
        if (path.empty() || viterbi_.find_margin(lattice_, path) > 2 * bound_error(input, sentence)) return score;
        return static_cast<float>(exact_(input, sentence, allowed, path));
    }

private:
    // A term (a weight times a value) is rounded twice. The sum of the terms of a token is rounded after each of them;
    // along a path, two sums are rounded per token.
    double bound_error(const ChainInput& input, std::size_t sentence) const {
        const std::size_t length = input.length(sentence), begin = input.begin(sentence);
        double values = 0;
        std::size_t most = 0;
        for (std::size_t t = begin; t < begin + length; ++t) {
            most = std::max(most, input.nodes.end(t) - input.nodes.begin(t));
            for (std::size_t i = input.nodes.begin(t); i < input.nodes.end(t); ++i)
                values += std::abs(input.nodes.value(i));
        }
        const auto tokens = static_cast<double>(length);
        const double terms = largest_ * (values + tokens);
        constexpr double rounding = std::numeric_limits<float>::epsilon();  // twice the error of one operation
        return rounding * ((static_cast<double>(most) + 3) * terms + 2 * tokens * viterbi_.find_largest());
    }

    ChainModel<float> model_;
    Lattice<float> lattice_;
    Viterbi<float> viterbi_;
    ChainDecoder<double> exact_;
    double largest_;
};

}  // namespace tagloom
