"""Boosting, perceptron and voting over candidate lists against the plain algorithms of collins-2002."""

from __future__ import annotations

import itertools
from contextlib import AbstractContextManager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom import _core
from tests.oracle.ranking import Example, PlainBoosting, base_loss, perceptron_vectors, votes
from tests.strategies import unhurried

FEATURES = 12


def refused() -> AbstractContextManager[object]:
    """An error of the checks of arrays, whatever it says; never a crash."""
    return pytest.raises(ValueError, match=r".")


NO_VALUES = np.zeros(0, np.float32)


def lists_of(examples: list[Example], features: int = FEATURES) -> _core.RankingLists:
    candidates = [candidate for example in examples for candidate in example.candidates]
    first = np.cumsum([0, *(len(example.candidates) for example in examples)])
    offsets = np.cumsum([0, *(len(rows) for _, rows in candidates)])
    rows = np.array([row for _, rows in candidates for row in sorted(rows)], np.uint32)
    scores = np.array([score for score, _ in candidates], np.float64)
    return _core.RankingLists(first.astype(np.int64), scores, offsets.astype(np.int64), rows, features, NO_VALUES)


def best_of(examples: list[Example]) -> np.ndarray:
    return np.array([example.best for example in examples], np.int64)


@st.composite
def examples(draw: st.DrawFn) -> list[Example]:
    """Lists with none, one and several candidates, with and without a best one."""
    # Multiples of 1/8: sums are exact, so that ties are ties however they are added up.
    score = st.integers(-80, 0).map(lambda n: n / 8)
    rows = st.frozensets(st.integers(0, FEATURES - 1), max_size=6)
    found = []
    for size in draw(st.lists(st.integers(0, 5), min_size=1, max_size=8)):
        candidates = sorted(draw(st.lists(st.tuples(score, rows), min_size=size, max_size=size)), key=lambda c: -c[0])
        found.append(Example(candidates, draw(st.integers(-1, size - 1))))
    return found


def random_examples(
    count: int, seed: int = 3, features: int = FEATURES, signal: float = 0.6, most: int = 5
) -> list[Example]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        size = int(rng.integers(2, most + 1))
        scores = np.sort(rng.normal(size=size))[::-1]
        # features below a third of them speak for the best candidate
        best = int(rng.integers(size))
        rows = [
            frozenset(
                k for k in range(features) if rng.random() < (signal if (j == best) == (k < features // 3) else 0.25)
            )
            for j in range(size)
        ]
        found.append(Example(list(zip(scores.tolist(), rows)), best))
    return found


@unhurried
@given(examples(), st.sampled_from([0.001, 0.01, 0.1]))
def test_every_round_is_that_of_figure_2(given_examples: list[Example], smoothing: float):
    """The feature is the argmax of a full scan, the step is delta*, the sums are those of all pairs."""
    boosting = _core.Boosting(lists_of(given_examples), best_of(given_examples), smoothing)
    plain = PlainBoosting(given_examples, FEATURES, smoothing, boosting.base_weight)
    assert boosting.loss == pytest.approx(plain.loss(), rel=1e-9)
    before = plain.loss()
    for _ in range(15):
        gains = plain.gains()
        features, deltas, losses, _ = boosting.run(1)
        if not len(features):
            assert gains.max(initial=0) <= 1e-6 * max(before, 1) ** 0.5
            break
        feature, delta = int(features[0]), float(deltas[0])
        assert gains[feature] >= gains.max() * (1 - 1e-9) - 1e-12  # all gains may be noise of rounding
        assert delta == pytest.approx(plain.delta(feature), rel=1e-6, abs=1e-9)
        plain.weights[feature] += delta
        assert losses[0] == pytest.approx(plain.loss(), rel=1e-9)
        assert losses[0] <= before * (1 + 1e-12)
        before = losses[0]
        if before < 1e-30:  # all pairs are in order
            break


def test_the_bookkeeping_does_not_drift():
    """After thousands of rounds W+, W- and Z are those of a recomputation, to 1e-9."""
    data = random_examples(60)
    boosting = _core.Boosting(lists_of(data), best_of(data), 0.001)
    plain = PlainBoosting(data, FEATURES, 0.001, boosting.base_weight)
    features, deltas, losses, _ = boosting.run(5000)
    np.add.at(plain.weights, features, deltas)
    assert (np.diff(losses) <= losses[:-1] * 1e-12).all()
    assert boosting.loss == pytest.approx(plain.loss(), rel=1e-9)
    plus, minus = plain.sums()
    kept = boosting.features()
    sums = boosting.sums().reshape(-1, 2)
    np.testing.assert_allclose(sums[:, 0], plus[kept], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sums[:, 1], minus[kept], rtol=1e-9, atol=1e-9)


def test_the_loss_bounds_the_ranking_errors():
    """ExpLoss is an upper bound of the pairs in the wrong order (collins-2002, section 4.2)."""
    data = random_examples(50)
    lists, best = lists_of(data), best_of(data)
    boosting = _core.Boosting(lists, best, 0.01)
    features, deltas, losses, _ = boosting.run(300)
    weights = np.zeros(FEATURES)
    for round_, (feature, delta, loss) in enumerate(zip(features, deltas, losses)):
        weights[feature] += delta
        if round_ % 50 == 0:
            values = lists.score(weights, boosting.base_weight, 1)
            begins = np.cumsum([0, *(len(example.candidates) for example in data)])
            errors = sum(int((values[b:e] >= values[b + k]).sum()) - 1 for b, e, k in zip(begins, begins[1:], best))
            assert loss >= errors


@unhurried
@given(examples())
def test_the_base_weight_minimises_the_loss(given_examples: list[Example]):
    weight = _core.Boosting(lists_of(given_examples), best_of(given_examples), 0.01).base_weight
    least = base_loss(given_examples, weight)
    for other in (weight - 0.5, weight - 0.01, weight + 0.01, weight + 0.5, 0.0):
        if abs(other) <= 20:
            assert least <= base_loss(given_examples, other) * (1 + 1e-9) + 1e-9


def test_equal_features_stand_for_each_other():
    """Of features with the same pairs only the first moves: a tie goes to the first."""
    data = [Example([(0.0, frozenset({1})), (-1.0, frozenset({0, 2, 5}))], 1) for _ in range(3)]
    boosting = _core.Boosting(lists_of(data), best_of(data), 0.1)
    assert boosting.features().tolist() == [0, 1]
    assert set(boosting.run(10)[0].tolist()) <= {0, 1}


@unhurried
@given(examples(), examples(), st.data())
def test_the_watched_f_measure_is_that_of_the_winners(train: list[Example], dev: list[Example], data: st.DataObject):
    boosting = _core.Boosting(lists_of(train), best_of(train), 0.05)
    dev_lists = lists_of(dev)
    count = sum(len(example.candidates) for example in dev)
    proposed = np.array(data.draw(st.lists(st.integers(0, 4), min_size=count, max_size=count)), np.int64)
    correct = np.array([data.draw(st.integers(0, p)) for p in proposed.tolist()], np.int64)
    boosting.watch(dev_lists, correct, proposed, 10)
    begins = np.cumsum([0, *(len(example.candidates) for example in dev)])
    weights = np.zeros(FEATURES)
    for _ in range(10):
        features, deltas, _, measures = boosting.run(1)
        if not len(features):
            break
        weights[features[0]] += deltas[0]
        values = dev_lists.score(weights, boosting.base_weight, 1)
        chosen = [b + int(np.argmax(np.round(values[b:e], 9))) for b, e in itertools.pairwise(begins) if b < e]
        expected = 200 * correct[chosen].sum() / (proposed[chosen].sum() + 10)
        runner_up = [np.sort(values[b:e])[-2:] for b, e in itertools.pairwise(begins) if e - b > 1]
        if all(abs(a - b) > 1e-9 for a, b in runner_up):  # ties are decided by the last bit of a sum
            assert measures[0] == pytest.approx(expected)


@unhurried
@given(examples(), examples(), st.sampled_from([0.0, 0.25, 1.0]), st.integers(1, 3))
def test_voting_equals_the_naive_vote(train: list[Example], test: list[Example], beta: float, passes: int):
    perceptron = _core.RankingPerceptron(lists_of(train), best_of(train), beta, None)
    for _ in range(passes):
        perceptron.run(np.arange(len(train)))
    vectors = perceptron_vectors(train, FEATURES, beta, passes)
    base, weights = vectors[-1]
    np.testing.assert_allclose(perceptron.weights()[0], weights)
    assert perceptron.weights()[1] == pytest.approx(base * beta)
    np.testing.assert_allclose(perceptron.mean()[0], np.mean([w for _, w in vectors], axis=0), atol=1e-12)
    assert perceptron.mean()[1] == pytest.approx(np.mean([b for b, _ in vectors]) * beta, abs=1e-12)
    trajectory = _core.Trajectory(*perceptron.trajectory())
    lists = lists_of(test)
    expected = [count for example in test for count in votes(example.candidates, vectors, beta)]
    assert trajectory.vote(lists, False, 1).tolist() == expected
    assert trajectory.vote(lists, False, 3).tolist() == expected
    some = trajectory.vote(lists, True, 1)
    assert lists.winners(some).tolist() == lists.winners(np.array(expected, np.int64)).tolist()


def test_voting_over_many_updates():
    """More updates than a block has, and lists that are decided before the last of them."""
    train = random_examples(600, features=40, signal=0.3)
    test = random_examples(40, seed=9, features=40, signal=0.3, most=150)  # sets of more than 64 bits
    perceptron = _core.RankingPerceptron(lists_of(train, 40), best_of(train), 0.5, None)
    updates, errors, _ = perceptron.run(np.arange(len(train)))
    assert updates == errors > 150
    vectors = perceptron_vectors(train, 40, 0.5)
    trajectory = _core.Trajectory(*perceptron.trajectory())
    expected = [count for example in test for count in votes(example.candidates, vectors, 0.5)]
    lists = lists_of(test, 40)
    assert trajectory.vote(lists, False, 2).tolist() == expected
    winners = lists.winners(np.array(expected, np.int64))
    assert lists.winners(trajectory.vote(lists, True, 2)).tolist() == winners.tolist()


def test_the_margin_perceptron_moves_until_the_best_win_by_the_margin():
    data = random_examples(30, features=60)
    lists, best = lists_of(data, 60), best_of(data)
    perceptron = _core.RankingPerceptron(lists, best, 1.0, 3.0)
    for _ in range(200):
        updates, _, _ = perceptron.run(np.arange(len(data)))
        if updates == 0:
            break
    assert updates == 0
    values = lists.score(*perceptron.weights(), 1)
    begins = np.cumsum([0, *(len(example.candidates) for example in data)])
    for b, e, k in zip(begins, begins[1:], best):
        others = np.delete(values[b:e], k)
        assert values[b + k] - others.max() > 3.0


def test_one_candidate_and_none():
    lonely = [Example([(0.0, frozenset({1}))], 0), Example([], -1)]
    lists, best = lists_of(lonely), best_of(lonely)
    assert _core.Boosting(lists, best, 0.01).run(5)[0].tolist() == []
    perceptron = _core.RankingPerceptron(lists, best, 1.0, None)
    assert perceptron.run(np.arange(2)) == (0, 0, 0.0)
    assert _core.Trajectory(*perceptron.trajectory()).vote(lists, False, 1).tolist() == [2]
    assert lists.winners(np.zeros(1)).tolist() == [0, -1]


I64, U32, F64 = np.int64, np.uint32, np.float64


@pytest.mark.parametrize(
    "broken",
    [
        {"first": [0, 3]}, {"first": [1, 2]}, {"first": []}, {"offsets": [0, 2]}, {"offsets": [0, 3, 2]},
        {"rows": [1, 1, 0]}, {"rows": [0, 12, 3]}, {"scores": [0.0, np.nan]}, {"scores": [0.0, np.inf]},
        {"values": [1.0]}, {"values": [1, np.nan, 1]},
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit_are_refused(broken: dict[str, list[float]]):
    good = {"first": [0, 2], "scores": [0.0, -1.0], "offsets": [0, 2, 3], "rows": [0, 1, 0], "values": []}
    kinds = {"first": I64, "scores": F64, "offsets": I64, "rows": U32, "values": np.float32}
    arrays = {name: np.array(value, kinds[name]) for name, value in {**good, **broken}.items()}
    with refused():
        _core.RankingLists(arrays["first"], arrays["scores"], arrays["offsets"], arrays["rows"], 12, arrays["values"])


def test_what_does_not_belong_to_the_lists_is_refused():
    data = random_examples(3)
    lists, best = lists_of(data), best_of(data)
    for bad in (best[:2], best + 9):
        with refused():
            _core.Boosting(lists, bad, 0.01)
        with refused():
            _core.RankingPerceptron(lists, bad, 1.0, None)
    with refused():
        _core.Boosting(lists, best, float("nan"))
    with refused():
        _core.RankingPerceptron(lists, best, 1.0, None).run(np.array([3]))
    for costs in (np.zeros(1, I64), np.full(sum(len(e.candidates) for e in data), -1, I64)):
        with refused():
            _core.RankingPerceptron(lists, best, 1.0, 1.0, costs)
    weights, moments, numbers = _core.RankingPerceptron(lists, best, 1.0, 1.0).state()
    for bad_state in ((weights[1:], moments, numbers), (weights, moments[1:], numbers), (weights, moments, numbers[1:]),
                      (weights + np.nan, moments, numbers), (weights, moments, numbers - 1)):  # fmt: skip
        with refused():
            _core.RankingPerceptron(lists, best, 1.0, 1.0).restore(*bad_state)
    with refused():
        lists.score(np.zeros(FEATURES - 1), 1.0, 1)
    with refused():
        lists.winners(np.zeros(1))
    boosting = _core.Boosting(lists, best, 0.01)
    with refused():
        boosting.watch(lists_of(data, FEATURES + 1), np.zeros(1, I64), np.zeros(1, I64), 1)
    with refused():
        boosting.watch(lists, np.zeros(1, I64), np.zeros(1, I64), 1)


@pytest.mark.parametrize(
    ("offsets", "events", "base", "voting"),
    [
        ([0, 1], [2], [0.0], [1]), ([0, 1], [0], [0.0, 1.0], [1, 1]), ([0, 2], [2, 3], [0.0, 1.0], [1, 1]),
        ([0, 2], [2], [0.0, 1.0], [1, 1]), ([0, 1], [2], [0.0, np.nan], [1, 1]), ([0, 1], [2], [0.0, 1.0], [1, -1]),
        ([0, 1], [2], [0.0, 1.0], [1]), ([0, 1], [2], [], []), ([0, 1], [2], [0.0, 1.0], [2**63 - 1, 1]),
    ],
)  # fmt: skip
def test_trajectories_that_do_not_fit_are_refused(offsets, events, base, voting):
    with refused():
        _core.Trajectory(np.array(offsets, I64), np.array(events, U32), np.array(base, F64), np.array(voting, I64))
    good = _core.Trajectory(np.array([0, 1], I64), np.array([2], U32), np.array([0.0, 1.0]), np.array([1, 1], I64))
    with refused():
        good.vote(lists_of(random_examples(2)), False, 1)
