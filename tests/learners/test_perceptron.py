"""The perceptrons of the core against the plain ones, weight by weight, and the bound on their mistakes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tests.core.chains import NUMBERS, all_parts, core_chain, core_data, positions, spaces, tokens
from tests.oracle import perceptron as oracle
from tests.oracle.chain import Part, Space, best, dot, sequences

FEATURES = 3
PLAIN = _core.StepSettings(), np.zeros(0)  # no numbers, no costs
STATES = {"f64": _core_double.OnlineState, "f32": _core.OnlineState}


@st.composite
def examples(draw: st.DrawFn, space: Space) -> list[oracle.Example]:
    """Sentences with gold labels that the masks allow."""
    found = []
    for sentence in draw(
        st.lists(st.lists(tokens(FEATURES, len(space.edge_pairs)), max_size=4), min_size=1, max_size=4)
    ):
        legal = list(sequences(space, len(sentence)))
        assume(legal)
        found.append((sentence, draw(st.sampled_from(legal))))
    return found


def by_part(vector: np.ndarray, places: dict[Part, int]) -> dict[Part, float]:
    return {part: float(vector[place]) for part, place in places.items()}


def assert_same_weights(found: dict[Part, float], expected: dict[Part, float]) -> None:
    for part, weight in found.items():
        assert weight == pytest.approx(expected.get(part, 0.0), abs=1e-12, rel=1e-12), part


@given(data=st.data())
def test_weights_and_their_mean_are_those_of_the_plain_perceptron(data: st.DataObject):
    space = data.draw(spaces(most_labels=3))
    problem = data.draw(examples(space))
    order = data.draw(st.lists(st.integers(0, len(problem) - 1), max_size=12))
    vectors = list(oracle.train(space, [problem[i] for i in order]))

    chain = core_chain(space, FEATURES)
    places = positions(chain, space, FEATURES)
    encoded = core_data(chain, [x for x, _ in problem], [y for _, y in problem])
    for averaged in (False, True):
        state = _core_double.OnlineState(chain.size, averaged)
        state.epoch(encoded, np.array(order, np.int64), "best", "unit", *PLAIN)
        last = vectors[-1] if vectors else {}
        assert_same_weights(by_part(state.weights(), places), last)
        expected = oracle.average(vectors) if averaged and vectors else last
        assert_same_weights(by_part(state.mean(), places), expected)
        assert not np.delete(state.weights(), list(places.values())).any()  # padding has not moved
        assert state.mean().tobytes() == state.take_mean().tobytes()


@given(data=st.data(), cuts=st.sets(st.integers(0, 12)))
def test_an_epoch_in_stretches_is_the_same_epoch(data: st.DataObject, cuts: set[int]):
    space = data.draw(spaces(most_labels=3))
    problem = data.draw(examples(space))
    order = np.array(data.draw(st.lists(st.integers(0, len(problem) - 1), min_size=1, max_size=12)), np.int64)
    chain = core_chain(space, FEATURES)
    encoded = core_data(chain, [x for x, _ in problem], [y for _, y in problem])

    whole, pieces = (_core.OnlineState(chain.size, True) for _ in range(2))
    report = whole.epoch(encoded, order, "best", "unit", *PLAIN)
    reports = [pieces.epoch(encoded, part, "best", "unit", *PLAIN) for part in np.split(order, sorted(cuts))]
    assert tuple(map(sum, zip(*reports))) == report
    assert whole.weights().tobytes() == pieces.weights().tobytes()
    assert whole.mean().tobytes() == pieces.mean().tobytes()


@pytest.mark.parametrize("precision", STATES)
@settings(max_examples=50)
@given(data=st.data())
def test_mistakes_stay_under_the_bound_of_theorem_1(precision: str, data: st.DataObject):
    """Collins 2002, Theorem 1: at most (R / delta)^2 mistakes in all on data separable with margin delta."""
    space = data.draw(spaces(most_labels=3))
    truth = {part: data.draw(NUMBERS) for part in all_parts(space, FEATURES)}
    problem = [(x, best(space, truth, x)[0]) for x, _ in data.draw(examples(space))]
    margins, distances = zip(*[rival for example in problem for rival in rivals(space, truth, example)] or [(1, 0)])
    assume(min(margins) > 0)
    bound = (max(distances) * math.sqrt(dot(truth, truth)) / min(margins)) ** 2

    chain = core_chain(space, FEATURES)
    encoded = core_data(chain, [x for x, _ in problem], [y for _, y in problem])
    state = STATES[precision](chain.size, True)
    order = np.arange(len(problem))
    mistakes = 0
    while (updates := state.epoch(encoded, order, "best", "unit", *PLAIN)[0]) > 0:
        mistakes += updates
        assert mistakes <= bound * (1 + 1e-9)
    labels, _ = encoded.decode_f64(state.weights().astype(np.float64), 1)
    assert labels.tolist() == [label for _, gold in problem for label in gold]


def rivals(space: Space, truth: dict[Part, float], example: oracle.Example) -> list[tuple[float, float]]:
    """(margin, distance) of gold to every other label sequence of the sentence."""
    sentence, gold = example
    right = space.parts(sentence, gold)
    found = []
    for other in sequences(space, len(sentence)):
        if other != gold:
            difference = right.copy()
            difference.subtract(space.parts(sentence, other))
            found.append((dot(truth, difference), math.sqrt(dot(difference, difference))))
    return found


def test_reports_count_examples_and_tokens_in_error():
    yes = (True, True)
    space = Space(yes, yes, (yes, yes))
    chain = core_chain(space, 0)
    encoded = core_data(chain, [[oracle.Token()] * 3, [oracle.Token()] * 2], [(1, 0, 1), (0, 0)])
    # From zero weights the guess is all 0: the first example has two wrong tokens, the second is right.
    assert _core.OnlineState(chain.size, False).epoch(encoded, np.array([0]), "best", "unit", *PLAIN) == (1, 2, 0.0)
    assert _core.OnlineState(chain.size, False).epoch(encoded, np.array([1]), "best", "unit", *PLAIN) == (0, 0, 0.0)
