// Learns to parse, and parses many sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tagloom/fast/parallel.hpp"
#include "tagloom/learn/epoch.hpp"
#include "tagloom/parser/parsing.hpp"
#include "tagloom/transition/beam.hpp"
#include "tagloom/transition/decisions.hpp"
#include "tagloom/transition/exploration.hpp"
#include "tagloom/transition/search_settings.hpp"

namespace tagloom {

// Whether a search asks for the scores of equal states: the futures of successive decisions overlap, and the hypotheses
// of a beam often differ only where no feature looks any more.
inline bool meets_states_again(const SearchSettings& settings) noexcept {
    return settings.beam > 1 || settings.looks_ahead();
}

// The weights of a parser during training; features are numbered when an update first needs them.
template <class Real>
struct ParserWeights {
    explicit ParserWeights(bool averaged) : rows(averaged) {}

    FeatureTable table;
    ActionRows<Real> rows;
    std::vector<std::uint8_t> template_of_row;  // [rows]
};

// Moves along a difference that lists weights one by one.
template <class Real>
struct ListedStep {
    void move(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        for (const auto& entry : difference.entries) weights.add(entry.index, entry.amount);
    }
    void end_example(AveragedWeights<Real>&) noexcept {}
};

// Sentences with gold trees, for the opponents of a parsing system.
template <class Real>
class TreeExamples {
public:
    using System = ParsingSystem<Real>;
    // `bounds` is null if the search does not need bounds, because computing them visits all weights.
    TreeExamples(const TreeInput& input, ParserWeights<Real>& weights, ScoreBounds<Real>* bounds)
        : input_(input), weights_(weights), bounds_(bounds) {
        for (std::size_t row = 0; bounds && row < weights.rows.size(); ++row)
            bounds->raise_row(weights.template_of_row[row], weights.rows, row, weights.rows.values.data());
    }

    void begin(System& system, const Real* weights, std::size_t sentence) { system.begin(weights, input_, sentence); }
    void expect(const System&, const Real*, std::size_t) const noexcept {}
    void note(const Real* weights, const Difference<Real>& difference) {
        if (!bounds_) return;
        for (const auto& entry : difference.entries)
            bounds_->raise(weights_.template_of_row[entry.row], weights_.rows.action(entry.index),
                           weights[entry.index]);
    }
    // All entries are created first, because creating one may move others; then their numbers are read.
    void make_room(Difference<Real>& difference, AveragedWeights<Real>& weights) {
        for (const auto& entry : difference.entries) weights_.rows.touch(entry.row, entry.index);
        for (auto& entry : difference.entries) entry.index = weights_.rows.find(entry.row, entry.index);
        weights.values = weights_.rows.values, weights.sums = weights_.rows.sums;
    }

private:
    const TreeInput& input_;
    ParserWeights<Real>& weights_;
    ScoreBounds<Real>* bounds_;
};

// Makes one training pass; if it explores, the states are those that the parser's own decisions lead to.
template <class Real>
EpochReport parse_epoch(const TreeInput& input, const StateTemplates& templates, ArcActions actions,
                        const SearchSettings& settings, ParserWeights<Real>& weights, double& clock,
                        std::span<const std::int64_t> order, bool explores) {
    ScoreBounds<Real> bounds(templates.templates.size(), actions.size());
    TreeExamples<Real> examples(input, weights, settings.looks_ahead() ? &bounds : nullptr);
    ParsingSystem<Real> system(templates, actions, weights.table, weights.rows, bounds, meets_states_again(settings));
    system.grow(weights.table, weights.template_of_row);
    const auto run = [&](auto opponent) {
        AveragedWeights<Real> averaging{weights.rows.values, weights.rows.sums, clock};
        ListedStep<Real> step;
        try {
            const EpochReport report =
                run_epoch<Real>(averaging, order, OpponentRef<Real>(opponent), StepRef<Real>(step));
            clock = averaging.clock;
            return report;
        } catch (...) {  // memory for more features may run out; the average of earlier features stays right
            clock = averaging.clock;
            throw;
        }
    };
    if (settings.beam > 0)
        return run(
            BeamOpponent<ParsingSystem<Real>, TreeExamples<Real>>(system, examples, settings.beam, settings.update));
    if (explores)
        return run(ExploringOpponent<ParsingSystem<Real>, TreeExamples<Real>>(system, examples, settings.margin));
    Lookahead<ParsingSystem<Real>> search(settings.depth);
    return run(LookaheadOpponent<ParsingSystem<Real>, Lookahead<ParsingSystem<Real>>, TreeExamples<Real>>(
        system, search, examples, settings.margin));
}

// Frozen weights of a parser.
template <class Real>
struct ParserModel {
    const StateTemplates& templates;
    ArcActions actions;
    const FeatureTable& table;
    const ActionRows<Real>& rows;
    const Real* weights;  // [entries of the rows]
    const ScoreBounds<Real>& bounds;
};

// One thread's parser.
template <class Real>
class TreeDecoder {
public:
    TreeDecoder(const ParserModel<Real>& model, const SearchSettings& settings)
        : weights_(model.weights),
          system_(model.templates, model.actions, model.table, model.rows, model.bounds, meets_states_again(settings)),
          search_(settings.depth) {
        if (settings.beam > 0) beam_.emplace(settings.beam);
    }

    // Writes heads and relations and returns the score; the actions can be read afterwards.
    Real operator()(const TreeInput& input, std::size_t sentence, std::span<std::int32_t> heads,
                    std::span<std::int32_t> relations) {
        system_.begin(weights_, input, sentence);
        if (heads.empty()) return actions_.clear(), Real{0};
        const Real score = beam_ ? search_beam(system_, *beam_, actions_) : decide(system_, search_, actions_);
        build_tree(system_.arcs().actions(), actions_, heads, relations);
        return score;
    }
    std::span<const Action> actions() const noexcept { return actions_; }

private:
    const Real* weights_;
    ParsingSystem<Real> system_;
    Lookahead<ParsingSystem<Real>> search_;
    std::optional<Beam<ParsingSystem<Real>>> beam_;
    std::vector<Action> actions_;
};

struct ParsedTrees {
    std::vector<std::int32_t> heads, relations;  // [N]
    std::vector<double> scores;                  // [S]
};

template <class Real>
ParsedTrees parse_sentences(const ParserModel<Real>& model, const SearchSettings& settings, const TreeInput& input,
                            std::size_t threads) {
    const std::size_t sentences = input.sentences.size() - 1;
    ParsedTrees out{std::vector<std::int32_t>(input.tokens(), 0),
                    std::vector<std::int32_t>(input.tokens(), Subtree::none), std::vector<double>(sentences)};
    parallel_for(sentences, threads, 16, [&] {
        return [&, decoder = TreeDecoder<Real>(model, settings)](std::size_t s) mutable {
            const std::size_t begin = input.begin(s), length = input.length(s);
            out.scores[s] = static_cast<double>(
                decoder(input, s, {out.heads.data() + begin, length}, {out.relations.data() + begin, length}));
        };
    });
    return out;
}

}  // namespace tagloom
