"""The decoder of spans against enumeration: probabilities of spans, the best set of them, and labels that write it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.chains import Problem, core_chain, core_data, flat_weights, problems, split
from tests.core.test_forward_backward import ANY, PRECISIONS, constraints, precisions, scaled
from tests.oracle.chain import Space, Token
from tests.oracle.crf import distribution
from tests.oracle.span_decoding import Roles, sets_without_overlap, span_probabilities, value

THRESHOLDS = st.sampled_from([0.05, 0.2, 0.35, 0.5, 0.9])


@st.composite
def roles(draw: st.DrawFn, labels: int) -> Roles:
    flags = st.tuples(*[st.booleans()] * labels)
    return Roles(draw(st.tuples(*[st.integers(0, min(2, labels))] * labels)), draw(flags), draw(flags))


def decode(
    problem: Problem, known: Roles, threshold: float, precision: str = "", allowed: np.ndarray = ANY, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    chain = core_chain(problem.space, problem.features)
    data, weights = core_data(chain, problem.sentences), flat_weights(problem, chain, PRECISIONS[precision][0])
    listed = [list(known.classes), list(map(int, known.begins)), list(map(int, known.ends))]
    return getattr(data, "decode_spans" + precision)(weights, *listed, threshold, allowed, threads)


@precisions
@settings(max_examples=80)
@given(problem=problems(most_tokens=4), data=st.data(), constrained=st.booleans(), threshold=THRESHOLDS)
def test_the_chosen_spans_have_the_highest_sum_above_the_threshold(
    precision: str, problem: Problem, data: st.DataObject, constrained: bool, threshold: float
):
    allowed, flags = constraints(data, problem) if constrained else ([None] * len(problem.sentences), ANY)
    known = data.draw(roles(problem.labels))
    labels, sums = decode(problem, known, threshold, precision, flags)
    close = 100 * PRECISIONS[precision][1]
    for sentence, choices, found, total in zip(
        problem.sentences, allowed, split(labels, problem.lengths), sums.tolist(), strict=True
    ):
        likely, _ = distribution(problem.space, problem.weights, sentence, choices)
        if not likely:
            assert total == -math.inf
            continue
        of_span = span_probabilities(likely, known)
        good = [span for span, probability in of_span.items() if probability > threshold - close]
        values = {chosen: value(chosen, of_span, threshold) for chosen in sets_without_overlap(good)}
        best = max(values.values())
        assert total == pytest.approx(best, abs=close)
        assert found in likely  # a sequence that masks and constraints allow
        if value(known.find_spans(found), of_span, threshold) < best - close:  # the labels cannot write the best set
            writable = {known.find_spans(each) for each in likely}
            assert not {chosen for chosen, each in values.items() if each > best - close} <= writable
            assert likely[found] == pytest.approx(max(likely.values()), rel=1e-3)


@settings(max_examples=40)
@given(problem=problems(most_tokens=5, masked=False), data=st.data())
def test_labels_are_the_most_probable_ones_that_write_the_spans(problem: Problem, data: st.DataObject):
    known = data.draw(roles(problem.labels))
    labels, _ = decode(problem, known, 0.5, "_f64")
    for sentence, found in zip(problem.sentences, split(labels, problem.lengths)):
        likely, _ = distribution(problem.space, problem.weights, sentence)
        same = [each for labelling, each in likely.items() if known.find_spans(labelling) == known.find_spans(found)]
        assert likely[found] == pytest.approx(max(same), rel=1e-9)


@settings(max_examples=30)
@given(problem=problems(most_tokens=5), data=st.data(), threads=st.integers(2, 4))
def test_threads_and_wild_scores(problem: Problem, data: st.DataObject, threads: int):
    """Scores of hundreds, for which probabilities are computed by logarithms, and any number of threads."""
    known, wild = data.draw(roles(problem.labels)), scaled(problem, 250.0)
    one, several = (decode(wild, known, 0.4, threads=count) for count in (1, threads))
    assert [each.tobytes() for each in one] == [each.tobytes() for each in several]
    assert not np.isnan(one[1]).any()


def test_a_low_threshold_finds_what_the_best_labelling_leaves_out():
    """Outside has 0.4, two classes 0.3 each: the best labelling has no span, a threshold below 0.3 takes one."""
    space = Space((True,) * 3, (True,) * 3, ((True,) * 3,) * 3)
    weights = {("node", 0, y): math.log(each) for y, each in enumerate((0.4, 0.3, 0.3))}
    problem = Problem(space, 1, weights, [[Token(((0, 1.0),))]])
    known = Roles((0, 1, 2), (True,) * 3, (True,) * 3)
    assert decode(problem, known, 0.35)[0].tolist() == [0]
    labels, sums = decode(problem, known, 0.2)
    assert labels.tolist() == [1]
    assert sums[0] == pytest.approx(0.1, abs=1e-6)


def test_arguments_must_fit():
    two = Space((True,) * 2, (True,) * 2, ((True,) * 2,) * 2)
    for known, threshold, message in (
        (Roles((0,), (False,), (False,)), 0.5, "roles do not fit"),
        (Roles((0, 3), (False,) * 2, (False,) * 2), 0.5, "more classes"),
        (Roles((0, 1), (False,) * 2, (False,) * 2), 1.5, "threshold"),
        (Roles((0, 1), (False,) * 2, (False,) * 2), math.nan, "threshold"),
    ):
        with pytest.raises(ValueError, match=message):
            decode(Problem(two, 1, {}, [[Token()]]), known, threshold)
