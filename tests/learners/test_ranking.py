"""Learning to rank: what is chosen on development lists is the best of what was tried, and is what is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom._core as _core
from tagloom.errors import ConfigError
from tagloom.learners import ranking
from tagloom.learners.ranking import METHODS, LearnedRanking, RankingData, RankingSettings, learn_ranking
from tagloom.structures.rankers import LinearRanker, Ranker, VotedRanker, restore_ranker
from tests.core.test_ranking import FEATURES, best_of, examples, lists_of, random_examples
from tests.oracle.ranking import Example, perceptron_vectors
from tests.strategies import unhurried

ROUNDS = {"boosting": {"rounds": 60, "smoothing": 0.01}}
NUMBERS: dict[str, dict[str, Any]] = {method: ROUNDS.get(method, {"passes": 6, "beta": 0.5}) for method in METHODS}


def data_of(given_examples: list[Example]) -> RankingData:
    """Three spans in every sequence; the best candidate has them all, others lack some by their number."""
    lists = lists_of(given_examples)
    first = np.cumsum([0, *(len(example.candidates) for example in given_examples)]).astype(np.int64)
    correct = [3 if k == example.best else k % 3 for example in given_examples for k in range(len(example.candidates))]
    proposed = np.full(len(correct), 3, np.int64)
    best = best_of(given_examples)
    return RankingData(lists, best, np.array(correct, np.int64), proposed, 3 * len(given_examples), first)


TRAIN, DEV = data_of(random_examples(50)), data_of(random_examples(40, seed=8))


def learned(method: str, dev: RankingData | None = DEV, **numbers: Any) -> LearnedRanking:
    return learn_ranking(TRAIN, dev, RankingSettings(method, **{**NUMBERS[method], **numbers}))


def assert_same(one: Ranker, other: Ranker) -> None:
    mine, its = one.to_tensors(), other.to_tensors()
    assert mine.keys() == its.keys()
    for name in mine:
        np.testing.assert_array_equal(mine[name], its[name])


# -- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"method": "bosting"}, "unknown method 'bosting'; did you mean 'boosting'?"),
        ({"method": None}, "unknown method None"),
        ({"method": ["voted"]}, "unknown method"),
        ({"rounds": 0}, "rounds: expected a whole number from 1"),
        ({"rounds": 2.0}, "rounds: expected"),
        ({"rounds": True}, "rounds: expected"),
        ({"passes": "3"}, "passes: expected"),
        ({"passes": 10_001}, "passes: expected"),
        ({"beta": -0.1}, "beta: expected a number from 0 to 1e"),
        ({"beta": float("nan")}, "beta: expected"),
        ({"beta": float("inf")}, "beta: expected"),
        ({"beta": "0.2"}, "beta: expected"),
        ({"beta": None}, "beta: expected"),
        ({"beta": True}, "beta: expected"),
        ({"beta": ()}, "beta: expected one or several numbers, got none"),
        ({"beta": (0.1, -1)}, "beta: expected"),
        ({"beta": np.zeros((2, 2))}, "beta: expected"),
        ({"beta": {0.1: 1}}, "beta: expected"),
        ({"smoothing": 1.5}, "smoothing: expected"),
        ({"C": [1, "x"]}, "C: expected"),
    ],
)
def test_settings_that_are_none_are_refused_in_one_line(numbers: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        RankingSettings(**numbers)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_choices_are_the_combinations_of_the_numbers_of_the_method() -> None:
    settings = RankingSettings("margin", beta=(1, 2.0), C=(0, 3), smoothing=(0.1, 0.2))
    stated = [choice.list_stated() for choice in settings.choices()]
    assert stated == [{"method": "margin", "beta": b, "C": c} for b in (1.0, 2.0) for c in (0.0, 3.0)]
    assert RankingSettings(beta=np.array([0.5, 2.0])).choices() == RankingSettings(beta=(0.5, 2.0)).choices()
    assert len(RankingSettings("boosting", beta=(1, 2)).choices()) == 1  # boosting finds its own weight of the score


@pytest.mark.parametrize("method", METHODS)
def test_several_values_need_development_data(method: str) -> None:
    several = {"smoothing": (0.01, 0.1)} if method == "boosting" else {"beta": (0.1, 1.0)}
    with pytest.raises(ConfigError, match="need development data"):
        learned(method, None, **several)
    found = learned(method, **several)
    assert len(found.tried) == 2
    scores = [score for _, score in found.tried]
    assert found.dev_score == max(scores)
    assert found.tried[scores.index(max(scores))][0] == found.settings.list_stated()


# -- what is chosen --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_the_best_of_the_curve_is_kept(method: str) -> None:
    found = learned(method)
    scores = {point.round: point.dev_score for point in found.curve}
    assert found.dev_score == scores[found.round] == max(scores.values())
    assert found.round == min(number for number, score in scores.items() if score == found.dev_score)
    assert DEV.f_measure(found.ranker.winners(DEV.lists)) == pytest.approx(found.dev_score)
    number = "rounds" if method == "boosting" else "passes"
    if found.round:
        assert_same(found.ranker, learned(method, None, **{number: found.round}).ranker)


@pytest.mark.parametrize("method", METHODS)
def test_without_development_data_all_rounds_are_kept(method: str) -> None:
    found = learned(method, None)
    assert found.dev_score is None
    assert found.round == found.curve[-1].round
    assert all(point.dev_score is None for point in found.curve)


@pytest.mark.parametrize("method", METHODS)
def test_development_lists_on_which_nothing_is_gained(method: str) -> None:
    """Lists of one candidate: every round has the same score, so that the first is kept."""
    lonely = data_of([Example([(0.0, frozenset({1}))], 0), Example([], -1)])
    assert learned(method, lonely).round == (0 if method == "boosting" else 1)


@pytest.mark.parametrize("method", METHODS)
def test_lists_that_teach_nothing(method: str) -> None:
    alone, undecided = Example([(0.0, frozenset({1}))], 0), Example([(0.0, frozenset()), (-1.0, frozenset({2}))], -1)
    dull = data_of([alone, Example([], -1), undecided])
    for dev in (None, DEV):
        found = learn_ranking(dull, dev, RankingSettings(method, **NUMBERS[method]))
        assert not found.ranker.used().any()
        assert found.ranker.winners(dull.lists).tolist() == [0, -1, 0]


def test_a_curve_of_many_rounds_is_thinned_and_has_the_chosen_point() -> None:
    losses, scores = np.arange(12_345, 0, -1.0), np.zeros(12_345)
    for best in (0, 1, 7, 6_001, 12_345):
        rounds = [point.round for point in ranking._thin(losses, scores, best)]
        assert len(rounds) <= ranking._MOST_POINTS + 2
        assert rounds == sorted(set(rounds))
        assert {best, 12_345} - {0} <= set(rounds)
        assert all(point.loss == losses[point.round - 1] for point in ranking._thin(losses, scores, best))


def test_stretches_of_rounds_are_one_training(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = learned("boosting")
    monkeypatch.setattr(ranking, "_STRETCH", 7)
    parts = learned("boosting")
    assert_same(whole.ranker, parts.ranker)
    assert parts.curve == whole.curve


def test_ctrl_c_keeps_the_rounds_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_STRETCH", 10)

    def report(text: str) -> None:
        if text.startswith("round 20"):
            raise KeyboardInterrupt

    settings = RankingSettings("boosting", **ROUNDS["boosting"])
    found = learn_ranking(TRAIN, None, settings, report=report)
    assert found.round == 20
    assert_same(found.ranker, learned("boosting", None, rounds=20).ranker)


def test_ctrl_c_before_anything_is_there_ends_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        base_weight, loss = 0.0, 1.0

        def run(self, rounds: int) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ranking._rounds(Interrupted(), 5, lambda _: None)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_ranker() -> None:
    for method in METHODS:
        settings = RankingSettings(method, **NUMBERS[method])
        one, two, other = (learn_ranking(TRAIN, None, settings, seed=seed).ranker for seed in (5, 5, 6))
        assert_same(one, two)
        if method != "boosting":  # has no order of examples
            assert any(not np.array_equal(a, b) for a, b in zip(one.to_tensors().values(), other.to_tensors().values()))


# -- rankers ---------------------------------------------------------------------------------------------------------


@unhurried
@given(examples(), st.sampled_from([0.0, 0.25, 1.0]), st.integers(1, 3))
def test_mean_weights_are_the_mean_of_the_naive_vectors(given_examples: list[Example], beta: float, passes: int):
    perceptron = _core.RankingPerceptron(lists_of(given_examples), best_of(given_examples), beta, None)
    for _ in range(passes):
        perceptron.run(np.arange(len(given_examples)))
    weights, base = VotedRanker(*perceptron.trajectory()).mean_weights()
    vectors = perceptron_vectors(given_examples, FEATURES, beta, passes)
    np.testing.assert_allclose(weights, np.mean([each for _, each in vectors], axis=0), atol=1e-12)
    assert base == pytest.approx(beta * np.mean([each for each, _ in vectors]), abs=1e-12)
    np.testing.assert_allclose(weights, perceptron.mean()[0], atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_used_features_alone_decide_the_same(method: str) -> None:
    few = data_of(random_examples(4, features=5))  # of the twelve, some never move
    ranker = learn_ranking(few, None, RankingSettings(method, **NUMBERS[method])).ranker
    rows = np.flatnonzero(ranker.used())
    assert 0 < len(rows) < FEATURES
    kept = ranker.only(rows)
    assert kept.features == len(rows)
    test = random_examples(60, seed=11)
    number = {row: k for k, row in enumerate(rows.tolist())}
    less = [
        Example([(score, frozenset(number[k] for k in on if k in number)) for score, on in e.candidates], e.best)
        for e in test
    ]
    assert kept.winners(lists_of(less, len(rows))).tolist() == ranker.winners(lists_of(test)).tolist()
    np.testing.assert_allclose(kept.values(lists_of(less, len(rows))), ranker.values(lists_of(test)), atol=1e-12)
    np.testing.assert_array_equal(kept.mean_weights()[0], ranker.mean_weights()[0][rows])


@pytest.mark.parametrize("method", METHODS)
def test_no_feature_at_all(method: str) -> None:
    ranker = learned(method, None).ranker.only(np.zeros(0, np.int64))
    test = random_examples(5)
    bare = lists_of([Example([(score, frozenset()) for score, _ in e.candidates], e.best) for e in test], 0)
    assert len(ranker.winners(bare)) == 5
    assert_same(restore_ranker(ranker.to_tensors()), ranker)


@pytest.mark.parametrize("method", METHODS)
def test_arrays_there_and_back(method: str) -> None:
    ranker = learned(method).ranker
    back = restore_ranker({name: array.copy() for name, array in ranker.to_tensors().items()})
    assert type(back) is type(ranker)
    assert_same(back, ranker)
    assert back.winners(DEV.lists).tolist() == ranker.winners(DEV.lists).tolist()


def test_threads_change_nothing() -> None:
    for method in METHODS:
        ranker = learned(method).ranker
        assert ranker.winners(DEV.lists, 3).tolist() == ranker.winners(DEV.lists, 1).tolist()
        assert ranker.values(DEV.lists, 3).tolist() == ranker.values(DEV.lists, 1).tolist()


def test_winners_have_the_highest_value_and_the_first_of_equals_wins() -> None:
    for method in METHODS:
        ranker = learned(method).ranker
        values, winners = ranker.values(DEV.lists), ranker.winners(DEV.lists)
        assert winners.tolist() == [int(np.argmax(values[b:e])) for b, e in zip(DEV.first[:-1], DEV.first[1:])]


F64, I64, U32 = np.float64, np.int64, np.uint32
VOTED = {"offsets": ([0, 1], I64), "events": ([2], U32), "base": ([0.0, 1.0], F64), "votes": ([1, 1], I64)}
LINEAR = {"weights": ([1.0, 2.0], F64), "base": ([0.5], F64)}


@pytest.mark.parametrize(
    ("good", "broken"),
    [
        (LINEAR, {"base": (1.0, F64)}),
        (VOTED, {"offsets": ([0, 2], I64)}), (VOTED, {"offsets": ([], I64)}), (VOTED, {"offsets": ([1, 1], I64)}),
        (VOTED, {"events": ([4], U32)}), (VOTED, {"events": ([0], U32)}),
        (VOTED, {"base": ([0.0, np.nan], F64)}), (VOTED, {"base": ([0.0], F64)}),
        (VOTED, {"votes": ([1, -1], I64)}), (VOTED, {"votes": ([1, 1, 1], I64)}),
    ],
)  # fmt: skip
def test_crafted_arrays_are_refused(good: dict[str, Any], broken: dict[str, Any]) -> None:
    def arrays(values: dict[str, Any]) -> dict[str, Any]:
        return {name: np.array(value, kind) for name, (value, kind) in values.items()}

    assert isinstance(restore_ranker(arrays(good)), LinearRanker | VotedRanker)
    with pytest.raises((ValueError, LookupError)):
        restore_ranker(arrays({**good, **broken}))
    for name in good:
        with pytest.raises((ValueError, LookupError)):
            restore_ranker({key: array for key, array in arrays(good).items() if key != name})
