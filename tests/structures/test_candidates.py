"""Lists of candidates as arrays: the best of each list, parts taken and joined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.structures import candidates as module
from tagloom.structures.candidates import (
    CandidateLists,
    concatenate_lists,
    count_correct_tags,
    find_best_candidates,
    labels_of,
)
from tests.oracle.candidates import Scored, best_candidate

Sequence = tuple[list[int], list[Scored]]  # gold, and candidates


@st.composite
def sequences(draw: st.DrawFn) -> list[Sequence]:
    """Some with no candidates, some with one, some of no tokens; scores in no order, with ties."""
    found: list[Sequence] = []
    for length in draw(st.lists(st.integers(0, 4), max_size=6)):
        labels = st.lists(st.integers(0, 2), min_size=length, max_size=length)
        scored = st.tuples(labels, st.sampled_from([-1.5, 0.0, 0.5]))
        found.append((draw(st.lists(st.integers(-1, 2), min_size=length, max_size=length)), draw(st.lists(scored))))
    return found


def lists_of(drawn: list[Sequence]) -> CandidateLists:
    flat = [each for _, candidates in drawn for each in candidates]
    return CandidateLists(
        np.cumsum([0, *(len(candidates) for _, candidates in drawn)], dtype=np.int64),
        np.cumsum([0, *(len(labels) for labels, _ in flat)], dtype=np.int64),
        np.array([label for labels, _ in flat for label in labels], np.int32),
        np.array([score for _, score in flat], np.float64),
    )


def read_back(lists: CandidateLists) -> list[list[Scored]]:
    found = []
    for number in range(len(lists)):
        lengths, labels, scores = lists.of(number)
        ends = np.cumsum(lengths).tolist()
        found.append([(labels[end - length : end].tolist(), score)
                      for length, end, score in zip(lengths.tolist(), ends, scores.tolist(), strict=True)])  # fmt: skip
    return found


@pytest.mark.parametrize("block", [2, 4_000_000])
@given(drawn=sequences())
def test_the_best_candidates_are_those_of_a_plain_loop(block: int, drawn: list[Sequence]) -> None:
    gold = np.array([label for labels, _ in drawn for label in labels], np.int32)
    offsets = np.cumsum([0, *(len(labels) for labels, _ in drawn)], dtype=np.int64)
    lists = lists_of(drawn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        best = find_best_candidates(lists, gold, offsets)
    expected = [best_candidate(candidates, labels) for labels, candidates in drawn]
    assert [None if n < 0 else n - first for n, first in zip(best.tolist(), lists.first.tolist())] == expected
    chosen = [candidates[rank][0] for (_, candidates), rank in zip(drawn, expected) if rank is not None]
    assert labels_of(lists, best[best >= 0]).tolist() == [label for labels in chosen for label in labels]


@given(sequences(), st.data())
def test_lists_are_taken_and_joined(drawn: list[Sequence], data: st.DataObject) -> None:
    lists = lists_of(drawn)
    order = data.draw(st.permutations(range(len(drawn))))
    taken = lists.take(np.array(order, np.int64))
    assert read_back(taken) == [drawn[number][1] for number in order]
    cut = data.draw(st.integers(0, len(drawn)))
    parts = [lists.take(np.arange(start, stop)) for start, stop in ((0, cut), (cut, len(drawn)))]
    assert read_back(concatenate_lists(parts)) == read_back(lists)


def test_candidates_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="candidates and sequences have different lengths"):
        count_correct_tags(lists_of([([0], [([0, 1], 1.0)])]), np.zeros(1, np.int32), np.array([0, 1]))
