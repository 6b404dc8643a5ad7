// History-based taggers learn and tag with the searches of a tagging system.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tagloom/chain/conditional.hpp"
#include "tagloom/chain/decode.hpp"
#include "tagloom/chain/label_window.hpp"
#include "tagloom/chain/tagging.hpp"
#include "tagloom/learn/epoch.hpp"
#include "tagloom/learn/opponents.hpp"
#include "tagloom/transition/beam.hpp"
#include "tagloom/transition/decisions.hpp"
#include "tagloom/transition/search_settings.hpp"

namespace tagloom {

// Sentences with gold labels, for the opponents of a tagging system.
template <class Real>
class TaggingExamples {
public:
    using System = TaggingSystem<Real>;
    explicit TaggingExamples(const ChainProblem<Real>& problem) : problem_(problem) {}

    void begin(System& system, const Real* weights, std::size_t sentence) {
        system.begin(weights, problem_.input, sentence, problem_.gold_of(sentence));
    }
    void expect(const System& system, const Real* weights, std::size_t sentence) const noexcept {
        system.prefetch(weights, problem_.input, sentence);
    }
    void note(const Real*, const Difference<Real>&) const noexcept {}
    void make_room(Difference<Real>&, AveragedWeights<Real>&) const noexcept {}

private:
    const ChainProblem<Real>& problem_;
};

// Calls run(opponent) with the opponent that the settings select.
template <class Real, class Run>
EpochReport with_tagging_opponent(const ChainProblem<Real>& problem, const SearchSettings& settings, Run run) {
    TaggingSystem<Real> system(problem.layout, problem.mask, settings.is_backwards);
    TaggingExamples<Real> examples(problem);
    if (settings.beam > 0) {
        BeamOpponent<TaggingSystem<Real>, TaggingExamples<Real>> opponent(system, examples, settings.beam,
                                                                          settings.update);
        return run(opponent);
    }
    LabelWindow<Real> window(settings.depth);
    LookaheadOpponent<TaggingSystem<Real>, LabelWindow<Real>, TaggingExamples<Real>> opponent(system, window, examples,
                                                                                              settings.margin);
    return run(opponent);
}

// One thread's decoder.
template <class Real>
class HistoryDecoder {
public:
    HistoryDecoder(const ChainModel<Real>& model, const SearchSettings& settings)
        : weights_(model.weights), system_(model.layout, model.mask, settings.is_backwards), window_(settings.depth) {
        if (settings.beam > 0 && settings.is_normalised) normalised_beam_.emplace(settings.beam);
        else if (settings.beam > 0) beam_.emplace(settings.beam);
    }

    // Returns minus infinity if no sequence is allowed.
    Real operator()(const ChainInput& input, std::size_t sentence, std::span<const std::uint8_t> allowed,
                    std::span<Label> path) {
        system_.begin(weights_, input, sentence, {}, allowed);
        const Real score = decide_all();
        actions_.resize(path.size());
        for (std::size_t step = 0; step < path.size(); ++step) path[system_.token(step)] = actions_[step];
        return score;
    }

private:
    Real decide_all() {
        if (normalised_beam_) return search_beam(system_, *normalised_beam_, actions_);
        TaggingSystem<Real>& plain = system_;
        return beam_ ? search_beam(plain, *beam_, actions_) : decide(plain, window_, actions_);
    }

    const Real* weights_;
    NormalisedTagging<Real> system_;
    LabelWindow<Real> window_;
    std::optional<Beam<TaggingSystem<Real>>> beam_;
    std::optional<Beam<NormalisedTagging<Real>>> normalised_beam_;
    std::vector<Action> actions_;
};

}  // namespace tagloom
