"""Spans of candidates against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom.corpus.schemes import get_scheme
from tagloom.structures.candidates import CandidateLists
from tagloom.systems.tagger.rerank.train import count_candidates
from tests.oracle import spans as schemes
from tests.strategies import unhurried


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[list[int]], int]:
    """Lengths of the sentences of every sequence."""
    return draw(st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=1, max_size=3)), draw(st.integers(0, 3))


@pytest.mark.parametrize("scheme", ["IOB2", "BIOES", "SCN", None])
@given(data=st.data())
@settings(unhurried, max_examples=40)
def test_spans_of_candidates_are_counted_sentence_by_sentence(scheme: str | None, data: st.DataObject) -> None:
    layout, _ = data.draw(documents())
    names = schemes.inventory(scheme, [""] if scheme == "SCN" else ["X", "Y"]) if scheme else ["D", "E"]
    code = st.integers(0, len(names) - 1)
    lengths = [length for sequence in layout for length in sequence]
    gold = data.draw(st.lists(st.integers(-1, len(names) - 1), min_size=sum(lengths), max_size=sum(lengths)))
    found = []
    for sequence in layout:
        labelling = st.lists(code, min_size=sum(sequence), max_size=sum(sequence))
        found.append(data.draw(st.lists(labelling, max_size=3)))
    flat = [labelling for each in found for labelling in each]
    lists = CandidateLists(
        np.cumsum([0, *map(len, found)], dtype=np.int64),
        np.cumsum([0, *map(len, flat)], dtype=np.int64),
        np.array([number for labelling in flat for number in labelling], np.int32),
        np.zeros(len(flat)),
    )
    counts = count_candidates(
        lists,
        np.array(gold, np.int32),
        np.cumsum([0, *lengths], dtype=np.int64),
        np.cumsum([0, *map(len, layout)], dtype=np.int64),
        names,
        get_scheme(scheme) if scheme else None,
    )
    expected, begin, in_gold = [], 0, 0
    for sequence, labellings in zip(layout, found):
        right = things(gold[begin : begin + sum(sequence)], sequence, names, scheme)
        in_gold += sum(sequence) if scheme is None else len(right)
        for labelling in labellings:
            mine = things(labelling, sequence, names, scheme)
            expected.append((len(mine & right), len(mine)))
        begin += sum(sequence)
    assert list(zip(counts.correct.tolist(), counts.proposed.tolist())) == expected
    assert counts.gold == in_gold


def things(codes: list[int], sentences: list[int], names: list[str], scheme: str | None) -> set[tuple[int, int, str]]:
    """Spans of a sequence, by its sentences; tokens with their tags where there is no scheme."""
    outside = schemes.SCHEMES[scheme][4] if scheme else "?"
    labels = [names[number] if number >= 0 else outside for number in codes]
    if scheme is None:
        return {(i, i + 1, label) for i, label in enumerate(labels) if label != "?"}
    found, begin = set(), 0
    for length in sentences:
        spans = schemes.read_lenient(labels[begin : begin + length], scheme)
        found |= {(begin + start, begin + stop, kind) for start, stop, kind in spans}
        begin += length
    return found
