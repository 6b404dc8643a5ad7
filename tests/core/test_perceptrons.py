"""Voted perceptrons: the primal, the dual and the plain sums over all vectors agree."""

from __future__ import annotations

from contextlib import AbstractContextManager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core
from tests.oracle.phrases import PlainPerceptrons

few = settings(deadline=None, max_examples=25)

FEATURES, FUNCTIONS = 9, 3
KINDS = [(degree, dual) for degree in range(1, 6) for dual in (False, True) if dual or degree <= 2]

Step = tuple[frozenset[int], int, int]  # instance, function, sign; sign 0: a decision without a mistake

instances = st.frozensets(st.integers(0, FEATURES - 1))
steps = st.lists(st.tuples(instances, st.integers(0, FUNCTIONS - 1), st.sampled_from([-1, 0, 0, 1])), max_size=30)


def rows(x: frozenset[int]) -> np.ndarray:
    return np.array(sorted(x), np.uint32)


def learned(done: list[Step], degree: int, dual: bool) -> tuple[_core.Perceptrons, PlainPerceptrons]:
    fast, plain = _core.Perceptrons(FEATURES, FUNCTIONS, degree, dual), PlainPerceptrons(FUNCTIONS, degree)
    for x, function, sign in done:
        fast.decide(function)
        plain.decide(function)
        if sign:
            fast.add(rows(x), function, sign)
            plain.add(x, function, sign)
    return fast, plain


@pytest.mark.parametrize(("degree", "dual"), KINDS)
@given(done=steps, x=instances)
@few
def test_scores_are_those_of_the_plain_sums(degree: int, dual: bool, done: list[Step], x: frozenset[int]) -> None:
    fast, plain = learned(done, degree, dual)
    for voted, score in ((False, plain.current), (True, plain.voted)):
        expected = [score(x, function) for function in range(FUNCTIONS)]
        np.testing.assert_allclose(fast.scores(rows(x), voted), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_many_instances(degree: int) -> None:
    """More than a block of instances, features of all frequencies, and more of them in common than a counter holds."""
    random = np.random.default_rng(degree)
    share = np.concatenate([np.full(170, 0.95), random.random(100) ** 4])
    kinds = [dual for d, dual in KINDS if d == degree]
    fast = [_core.Perceptrons(len(share), 2, degree, dual) for dual in kinds]
    seen = random.random((1500, len(share))) < share
    functions, signs, x = random.integers(0, 2, 1500), random.choice([-1, 1], 1500), random.random(len(share)) < share
    for has, function, sign in zip(seen, functions.tolist(), signs.tolist()):
        for perceptrons in fast:
            perceptrons.add(np.flatnonzero(has).astype(np.uint32), function, sign)
            perceptrons.decide(function)
    powers = ((seen & x).sum(axis=1) + 1.0) ** degree * signs
    for function in range(2):
        mine = powers[functions == function]
        votes = np.arange(len(mine), 0, -1)
        for perceptrons in fast:
            scores = [
                perceptrons.scores(np.flatnonzero(x).astype(np.uint32), voted)[function] for voted in (False, True)
            ]
            np.testing.assert_allclose(scores, [mine.sum(), (mine * votes).sum()], rtol=1e-9)


@pytest.mark.parametrize(("degree", "dual"), KINDS)
@given(done=steps, more=steps, x=instances)
@few
def test_what_was_kept_goes_on_as_before(
    degree: int, dual: bool, done: list[Step], more: list[Step], x: frozenset[int]
) -> None:
    fast, _ = learned(done, degree, dual)
    again = _core.Perceptrons(FEATURES, FUNCTIONS, degree, dual)
    again.restore(*fast.vectors())
    for y, function, sign in more:
        for perceptrons in (fast, again):
            perceptrons.decide(function)
            if sign:
                perceptrons.add(rows(y), function, sign)
    for ours, theirs in zip(fast.vectors(), again.vectors(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for voted in (False, True):
        np.testing.assert_array_equal(fast.scores(rows(x), voted), again.scores(rows(x), voted))


def refused() -> AbstractContextManager[object]:
    return pytest.raises(ValueError, match=r"\w")


@pytest.mark.parametrize("arguments", [(9, 0, 1, True), (9, 1, 0, True), (9, 1, 10, True), (9, 1, 3, False)])
def test_perceptrons_that_do_not_exist(arguments: tuple[int, int, int, bool]) -> None:
    with refused():
        _core.Perceptrons(*arguments)


@pytest.mark.parametrize("x", [[9], [1, 1], [2, 1]])
def test_instances_that_are_none(x: list[int]) -> None:
    perceptrons = _core.Perceptrons(9, 2, 2, True)
    with refused():
        perceptrons.scores(np.array(x, np.uint32), False)
    with refused():
        perceptrons.add(np.array(x, np.uint32), 0, 1)


@pytest.mark.parametrize(("function", "sign"), [(2, 1), (0, 0), (0, 2)])
def test_updates_that_are_none(function: int, sign: int) -> None:
    with refused():
        _core.Perceptrons(9, 2, 2, True).add(np.array([1], np.uint32), function, sign)


TYPES = {
    "decisions": np.int64,
    "offsets": np.int64,
    "rows": np.uint32,
    "functions": np.uint32,
    "signs": np.int32,
    "when": np.int64,
}
GOOD = dict(zip(TYPES, ([3, 1], [0, 2, 3], [1, 4, 0], [0, 1], [1, -1], [3, 0])))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("decisions", [3]),
        ("decisions", [3, -1]),
        ("decisions", [2, 1]),
        ("offsets", [0, 2]),
        ("offsets", [0, 4, 3]),
        ("offsets", [1, 2, 3]),
        ("rows", [4, 1, 0]),
        ("rows", [1, 9, 0]),
        ("rows", [1, 4]),
        ("functions", [0, 2]),
        ("functions", [0]),
        ("signs", [1, 0]),
        ("when", [3, -1]),
        ("when", [4, 0]),
        ("when", [3]),
    ],
)
def test_vectors_that_do_not_fit(name: str, values: list[int]) -> None:
    arrays = {key: np.array(value, TYPES[key]) for key, value in GOOD.items()}
    _core.Perceptrons(9, 2, 2, True).restore(**arrays)
    with refused():
        _core.Perceptrons(9, 2, 2, True).restore(**{**arrays, name: np.array(values, TYPES[name])})


def test_nothing_is_restored_over_what_was_learned() -> None:
    perceptrons = _core.Perceptrons(9, 2, 2, True)
    perceptrons.restore(**{key: np.array(value, TYPES[key]) for key, value in GOOD.items()})
    with refused():
        perceptrons.restore(*perceptrons.vectors())
