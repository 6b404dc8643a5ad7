"""Spans of candidates counted against gold: what an F-measure of chosen candidates is added up from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tagloom.corpus.corpus import CodeArray, IntArray, ranges
from tagloom.corpus.schemes import Scheme
from tagloom.corpus.spans import Spans, spans_from_labels
from tagloom.structures.candidates import CandidateLists, correct_tags

_LONGEST = 2**20 - 1  # tokens of a span that is told from longer ones


@dataclass(frozen=True)
class CandidateCounts:
    """Spans of every candidate, those of them that are gold's, and all of gold; tokens, where labels are plain tags."""

    correct: IntArray  # [C]
    proposed: IntArray  # [C]
    gold: int


def count_candidates(
    lists: CandidateLists,
    gold: CodeArray,
    sentences: IntArray,
    sequences: IntArray,
    labels: Sequence[str],
    scheme: Scheme | None,
) -> CandidateCounts:
    """Counts of the candidates of sequences.

    gold: [N], -1 for labels that the lists do not have. sentences: offsets of tokens; spans end with them.
    sequences: [S + 1] offsets of sentences.
    """
    offsets = sentences[sequences]
    if scheme is None:
        return CandidateCounts(correct_tags(lists, gold, offsets), np.diff(lists.begins), len(gold))
    names = [*labels, scheme.outside]
    known = np.where(gold < 0, len(labels), gold).astype(np.int32)
    right = spans_from_labels(names, known, sentences, scheme)
    owner = np.repeat(np.arange(len(lists)), np.diff(lists.first))  # sequence of every candidate
    found = spans_from_labels(names, lists.labels, _sentences(lists, owner, sentences, sequences), scheme)
    candidate = np.searchsorted(lists.begins, found.start, side="right") - 1
    shift = offsets[owner[candidate]] - lists.begins[candidate]  # from the labels of a candidate to the text
    is_right = np.isin(_keys(found, shift, names), _keys(right, np.zeros(len(right), np.int64), names))
    count = len(lists.scores)
    correct = np.bincount(candidate[is_right], minlength=count).astype(np.int64)
    return CandidateCounts(correct, np.bincount(candidate, minlength=count).astype(np.int64), len(right))


def _sentences(lists: CandidateLists, owner: IntArray, sentences: IntArray, sequences: IntArray) -> IntArray:
    """Where sentences begin in the labels of all candidates, one after the other."""
    numbers = ranges(sequences[owner], np.diff(sequences)[owner])
    return np.concatenate([[0], np.cumsum(np.diff(sentences)[numbers])]).astype(np.int64)


def _keys(spans: Spans, shift: IntArray, names: Sequence[str]) -> IntArray:
    """One number for start, length and type of every span; the shift leads from its tokens to those of the text."""
    types = sorted({name.partition("-")[2] for name in names})
    numbers = np.array([types.index(name) for name in spans.types] or [0], np.int64)
    length = np.minimum(spans.stop - spans.start, _LONGEST)
    keys: IntArray = ((spans.start + shift) * (_LONGEST + 1) + length) * len(types) + numbers[spans.type]
    return keys
