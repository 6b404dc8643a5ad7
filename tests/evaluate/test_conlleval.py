"""conlleval's numbers: what conlleval.pl printed for stored label sequences, and the plain rule for random ones."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus.corpus import Column
from tagloom.evaluate import SpanScore, format_conlleval, score
from tests.oracle import conlleval as oracle

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "conlleval.json").read_text(encoding="utf-8"))
LABELS = ["O", "B-X", "I-X", "B-a-b", "I-a-b"]


def score_sentences(gold: list[list[str]], predicted: list[list[str]], **options: object) -> SpanScore:
    columns = (Column.from_strings(itertools.chain.from_iterable(side)) for side in (gold, predicted))
    return score(*columns, np.cumsum([0, *map(len, gold)]), **options)


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_report_is_letter_by_letter_that_of_conlleval(case: dict):
    gold, predicted = ([sentence.split() for sentence in case[side]] for side in ("gold", "predicted"))
    scheme = "BIOES" if case["name"] == "ioe" else "IOB2"
    # conlleval.pl repeats the line of phrases without type.
    expected = list(dict.fromkeys(case["report"]))
    assert format_conlleval(score_sentences(gold, predicted, scheme=scheme)).splitlines() == expected


@given(pairs=st.lists(st.lists(st.tuples(*[st.sampled_from(LABELS)] * 2), max_size=8), max_size=6))
def test_counts_are_those_of_the_plain_rule(pairs: list[list[tuple[str, str]]]):
    gold, predicted = ([[pair[side] for pair in sentence] for sentence in pairs] for side in (0, 1))
    result = score_sentences(gold, predicted, scheme="IOB2")
    assert {kind: (p.correct, p.predicted, p.gold) for kind, p in result.by_type.items()} == oracle.count(
        gold, predicted
    )
    assert result.tokens.overall().correct == sum(a == b for sentence in pairs for a, b in sentence)
    for number, (truth, guess) in enumerate(zip(gold, predicted)):
        counts = np.sum(list(oracle.count([truth], [guess]).values()) or [(0, 0, 0)], axis=0)
        assert result.counts.by_sentence()[number].tolist() == counts.tolist()


def test_report_of_nothing():
    empty = Column.from_strings([])
    report = format_conlleval(score(empty, empty, np.array([0]), scheme="IOB2"))
    assert report == "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"
