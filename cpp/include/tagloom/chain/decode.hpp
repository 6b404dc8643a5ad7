// Decodes many sentences, from features encoded beforehand or directly from the words of a batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tagloom/chain/lattice.hpp"
#include "tagloom/chain/viterbi.hpp"
#include "tagloom/fast/parallel.hpp"
#include "tagloom/features/encoding.hpp"

namespace tagloom {

// The output of decoding: the labels of all tokens and the score of every sentence (minus infinity if no sequence is
// allowed).
template <class Real>
struct Decoded {
    std::vector<Label> labels;  // [N]
    std::vector<Real> scores;   // [S]
};

template <class Real>
struct ChainModel {
    const ChainLayout& layout;
    const ChainMask<Real>& mask;
    const Real* weights;
};

// One thread's decoder.
template <class Real>
class ChainDecoder {
public:
    ChainDecoder(const ChainModel<Real>& model) : model_(model), lattice_(model.layout) {
        lattice_.set_transitions(model.weights, model.mask);
    }

    Real operator()(const ChainInput& input, std::size_t sentence, std::span<const std::uint8_t> allowed,
                    std::span<Label> path) {
        lattice_.fill(model_.weights, input, sentence, model_.mask, allowed);
        return viterbi_(lattice_, path);
    }

private:
    ChainModel<Real> model_;
    Lattice<Real> lattice_;
    Viterbi<Real> viterbi_;
};

inline std::span<const std::uint8_t> allowed_of(std::span<const std::uint8_t> allowed, const ChainInput& input,
                                                std::size_t sentence, std::size_t labels) {
    return allowed.empty() ? allowed : allowed.subspan(input.begin(sentence) * labels, input.length(sentence) * labels);
}

// make_decoder() gives a thread its decoder: a function of (input, sentence, allowed labels, path) like ChainDecoder.
// Here and below, `allowed` is [N][L] or empty.
template <class Real, class MakeDecoder>
Decoded<Real> decode_encoded(const ChainModel<Real>& model, const ChainInput& input,
                             std::span<const std::uint8_t> allowed, std::size_t threads, MakeDecoder make_decoder) {
    const std::size_t sentences = input.sentences.size() - 1;
    Decoded<Real> out{std::vector<Label>(static_cast<std::size_t>(input.sentences.back())),
                      std::vector<Real>(sentences)};
    parallel_for(sentences, threads, 32, [&] {
        return [&, decoder = make_decoder()](std::size_t s) mutable {
            out.scores[s] = decoder(input, s, allowed_of(allowed, input, s, model.layout.labels),
                                    {out.labels.data() + input.begin(s), input.length(s)});
        };
    });
    return out;
}

// Looks features up one sentence at a time. Slots of the table and rows of the weights are prefetched, so that memory
// latencies overlap.
template <class Real>
class SentenceEncoder {
public:
    SentenceEncoder(const Encoder& encoder, const AttributeStore& store, const FeatureTable& nodes,
                    const FeatureTable& edges, const ChainModel<Real>& model)
        : extractor_(encoder, store),
          node_table_(nodes),
          edge_table_(edges),
          model_(model),
          has_edges_(!encoder.edge_templates.empty()) {}

    // The features of one sentence, as a separate batch.
    ChainInput operator()(const Batch& batch, std::size_t sentence) {
        extractor_.load(batch, sentence);
        extractor_.node_features(features_);
        find_rows(node_table_, nodes_, true);
        if (has_edges_) {
            extractor_.edge_features(features_);
            find_rows(edge_table_, edges_, false);
        }
        bounds_[1] = static_cast<std::int64_t>(extractor_.length());
        return {{nodes_.offsets, nodes_.rows, nodes_.values}, {edges_.offsets, edges_.rows, edges_.values}, bounds_};
    }

private:
    void find_rows(const FeatureTable& table, SparseRows& out, bool prefetch_weights) {
        out.offsets.assign(1, 0);
        out.rows.clear(), out.values.clear();
        for (const Hash key : features_.keys) table.prefetch(key);
        append_features(features_, out, [&](Hash key, std::size_t, std::size_t) {
            const FeatureTable::Row row = table.find(key);
            if (prefetch_weights && row != FeatureTable::none)
                prefetch_row(model_.weights + row * model_.layout.stride, model_.layout.stride);
            return row;
        });
    }

    Extractor extractor_;
    const FeatureTable& node_table_;
    const FeatureTable& edge_table_;
    ChainModel<Real> model_;
    bool has_edges_;
    SentenceFeatures features_;
    SparseRows nodes_, edges_;
    std::int64_t bounds_[2] = {0, 0};
};

template <class Real, class MakeDecoder>
Decoded<Real> decode_batch(const ChainModel<Real>& model, const Encoder& encoder, const AttributeStore& store,
                           const FeatureTable& nodes, const FeatureTable& edges, const Batch& batch,
                           std::span<const std::uint8_t> allowed, std::size_t threads, MakeDecoder make_decoder) {
    const std::size_t sentences = batch.sentences.size() - 1;
    Decoded<Real> out{std::vector<Label>(static_cast<std::size_t>(batch.sentences.back())),
                      std::vector<Real>(sentences)};
    parallel_for(sentences, threads, 32, [&] {
        return [&, decoder = make_decoder(),
                encode = SentenceEncoder<Real>(encoder, store, nodes, edges, model)](std::size_t s) mutable {
            const auto begin = static_cast<std::size_t>(batch.sentences[s]);
            const std::size_t length = static_cast<std::size_t>(batch.sentences[s + 1]) - begin;
            const std::size_t labels = model.layout.labels;
            const auto mine = allowed.empty() ? allowed : allowed.subspan(begin * labels, length * labels);
            out.scores[s] = decoder(encode(batch, s), 0, mine, {out.labels.data() + begin, length});
        };
    });
    return out;
}

}  // namespace tagloom
