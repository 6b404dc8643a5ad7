"""Counts of the spans of candidates and of gold, from which the F-measure of chosen candidates is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tagloom.corpus.corpus import CodeArray, IntArray, ranges
from tagloom.corpus.schemes import Scheme
from tagloom.corpus.spans import Spans, decode_spans
from tagloom.structures.candidates import CandidateLists, count_correct_tags

_LONGEST = 2**20 - 1  # tokens; longer spans are not distinguished by their length


@dataclass(frozen=True)
class CandidateCounts:
    """Counts of spans, or of tokens if labels are plain tags.

    Attributes:
        correct: [C] spans of every candidate that gold has, too.
        proposed: [C] spans of every candidate.
        gold: Spans of gold.
    """

    correct: IntArray
    proposed: IntArray
    gold: int


def count_candidates(
    lists: CandidateLists,
    gold: CodeArray,
    sentences: IntArray,
    sequences: IntArray,
    labels: Sequence[str],
    scheme: Scheme | None,
) -> CandidateCounts:
    """Count the spans of the candidates of sequences.

    Args:
        lists: The candidates.
        gold: [N] gold labels, -1 for labels that the lists do not have.
        sentences: Offsets of the tokens of sentences. No span crosses them.
        sequences: [S + 1] offsets of the sentences of sequences.
        labels: Names of the labels.
        scheme: Scheme of the labels; None for plain tags.
    """
    offsets = sentences[sequences]
    if scheme is None:
        return CandidateCounts(count_correct_tags(lists, gold, offsets), np.diff(lists.begins), len(gold))
    names = [*labels, scheme.outside]
    known = np.where(gold < 0, len(labels), gold).astype(np.int32)
    right = decode_spans(names, known, sentences, scheme)
    owner = np.repeat(np.arange(len(lists)), np.diff(lists.first))  # sequence of every candidate
    found = decode_spans(names, lists.labels, _sentences(lists, owner, sentences, sequences), scheme)
    candidate = np.searchsorted(lists.begins, found.start, side="right") - 1
    shift = offsets[owner[candidate]] - lists.begins[candidate]  # from the labels of a candidate to the text
    is_right = np.isin(_keys(found, shift, names), _keys(right, np.zeros(len(right), np.int64), names))
    count = len(lists.scores)
    correct = np.bincount(candidate[is_right], minlength=count).astype(np.int64)
    return CandidateCounts(correct, np.bincount(candidate, minlength=count).astype(np.int64), len(right))


def _sentences(lists: CandidateLists, owner: IntArray, sentences: IntArray, sequences: IntArray) -> IntArray:
    """Compute the offsets of sentences in the concatenated labels of all candidates."""
    numbers = ranges(sequences[owner], np.diff(sequences)[owner])
    return np.concatenate([[0], np.cumsum(np.diff(sentences)[numbers])]).astype(np.int64)


def _keys(spans: Spans, shift: IntArray, names: Sequence[str]) -> IntArray:
    """Encode start, length and type of every span as one number; ``shift`` is added to its start."""
    types = sorted({name.partition("-")[2] for name in names})
    numbers = np.array([types.index(name) for name in spans.types] or [0], np.int64)
    length = np.minimum(spans.stop - spans.start, _LONGEST)
    keys: IntArray = ((spans.start + shift) * (_LONGEST + 1) + length) * len(types) + numbers[spans.type]
    return keys
