"""Structures print one short line, without raw arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tagloom.corpus import Column
from tagloom.corpus.schemes import IOB2
from tagloom.corpus.trees import Trees
from tagloom.structures import Chain
from tagloom.structures.candidates import CandidateLists
from tagloom.structures.consistency import SpanClasses
from tagloom.structures.history import HistorySearch
from tagloom.structures.projective import make_projective
from tagloom.structures.rankers import LinearRanker, VotedRanker
from tagloom.structures.sequences import Sequences
from tagloom.structures.tag_dictionary import TagDictionary

LABELS = ("B-PER", "I-PER", "O")
OFFSETS = np.array([0, 1, 3], np.int64)
TREES = Trees(np.array([2, 0], np.int32), None, np.array([0, 2]))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Chain(LABELS, IOB2), "Chain(3 labels, scheme=IOB2)"),
        (Chain(LABELS, None, "right-to-left", 2), "Chain(3 labels, direction=right-to-left, history=2)"),
        (
            CandidateLists(OFFSETS, np.arange(4), np.zeros(3, np.int32), np.zeros(3)),
            "CandidateLists(2 sequences, 3 candidates)",
        ),
        (SpanClasses.of(LABELS, IOB2), "SpanClasses(2 classes of 3 labels)"),
        (Sequences.of_sentences(OFFSETS), "Sequences(2 sequences, 3 tokens)"),
        (
            TagDictionary.count(Column.from_strings(["a", "b", "a"]), np.zeros(3, np.int32), 3, 2),
            "TagDictionary(1 words, 3 labels)",
        ),
        (make_projective(TREES), "ProjectiveTrees(1 of 1 sentences used, 0 not projective)"),
        (LinearRanker(np.zeros(4), 0.25), "LinearRanker(4 features, base weight 0.25)"),
        (
            VotedRanker(OFFSETS, np.zeros(3, np.uint32), np.zeros(2), np.ones(2, np.int64)),
            "VotedRanker(2 features, 2 vectors)",
        ),
        (
            HistorySearch(),
            "HistorySearch(depth=1, beam=None, direction='left-to-right', history=1, normalised=False)",
        ),
    ],
)
def test_a_short_line(value: object, text: str):
    assert repr(value) == text
