"""Viterbi search against enumeration of all label sequences, masks and ties included."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.chains import Problem, core_chain, core_data, flat_weights, problems, split
from tests.oracle.chain import Space, Token, best

PRECISIONS = {"f32": ("decode", np.float32), "f64": ("decode_f64", np.float64)}
precisions = pytest.mark.parametrize("precision", PRECISIONS)


def decode(problem: Problem, precision: str, threads: int = 1) -> tuple[list[tuple[int, ...]], list[float]]:
    method, dtype = PRECISIONS[precision]
    chain = core_chain(problem.space, problem.features)
    data = core_data(chain, problem.sentences)
    labels, scores = getattr(data, method)(flat_weights(problem, chain, dtype), threads)
    return split(labels, problem.lengths), scores.tolist()


@precisions
@given(problem=problems())
def test_best_sequence_is_that_of_enumeration(precision: str, problem: Problem):
    for sentence, labels, score in zip(problem.sentences, *decode(problem, precision)):
        expected, expected_score = best(problem.space, problem.weights, sentence)
        assert score == expected_score
        if expected is not None:
            assert labels == expected
        assert all(0 <= y < problem.labels for y in labels)


@precisions
def test_of_equal_sequences_the_lowest_labels_from_the_end_win(precision: str):
    # (1, 0) and (0, 1) score 1, all others 0: the one with the lower last label wins.
    yes = (True, True)
    space = Space(yes, yes, (yes, yes))
    problem = Problem(space, 0, {("pair", 0, 1): 1, ("pair", 1, 0): 1}, [[Token(), Token()]])
    assert decode(problem, precision) == ([(1, 0)], [1.0])


@precisions
@pytest.mark.parametrize("mask", ["start", "end", "pairs"])
def test_where_no_sequence_exists_the_score_is_minus_infinity(precision: str, mask: str):
    yes, no = (True,) * 3, (False,) * 3
    flags = {"start": yes, "end": yes, "pairs": (yes,) * 3} | {mask: (no,) * 3 if mask == "pairs" else no}
    problem = Problem(Space(**flags, transitions=False), 0, {}, [[Token()] * 2, []])
    labels, scores = decode(problem, precision)
    assert scores == [-math.inf, 0.0]
    assert all(0 <= y < 3 for y in labels[0])


@precisions
@given(problem=problems(most_tokens=0))
def test_empty_sentences_score_zero_under_any_mask(precision: str, problem: Problem):
    assert decode(problem, precision) == ([()] * len(problem.sentences), [0.0] * len(problem.sentences))


WILD = st.sampled_from([math.nan, math.inf, -math.inf, 3e38, -3e38, 0.0, 1.0])


@precisions
@given(problem=problems(), data=st.data())
def test_wild_weights_never_give_a_wild_label(precision: str, problem: Problem, data: st.DataObject):
    wild = {part: data.draw(WILD) for part in problem.weights}
    labels, scores = decode(Problem(problem.space, problem.features, wild, problem.sentences), precision)
    assert len(scores) == len(problem.sentences)
    assert all(0 <= y < problem.labels for sentence in labels for y in sentence)
