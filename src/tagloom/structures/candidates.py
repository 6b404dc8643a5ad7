"""Lists of candidates: several labellings of every sequence, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import IntArray, ranges

_BLOCK = 4_000_000  # labels that are compared with gold at a time, to bound the memory


@dataclass(frozen=True)
class CandidateLists:
    """The candidates of some sequences, one after the other."""

    first: IntArray  # [S + 1] the first candidate of every sequence
    begins: IntArray  # [C + 1] the first label of every candidate
    labels: NDArray[np.int32]
    scores: NDArray[np.float64]  # [C]

    def __repr__(self) -> str:
        return f"CandidateLists({len(self):,} sequences, {len(self.scores):,} candidates)"

    def __len__(self) -> int:
        """The number of sequences."""
        return len(self.first) - 1

    def of(self, sequence: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Lengths, labels and scores of the candidates of one sequence."""
        first, last = self.first[sequence : sequence + 2]
        begin, end = self.begins[first], self.begins[last]
        return np.diff(self.begins[first : last + 1]), self.labels[begin:end], self.scores[first:last]

    def take(self, sequences: IntArray) -> CandidateLists:
        """The lists of some sequences, in the given order."""
        counts = np.diff(self.first)[sequences]
        candidates = ranges(self.first[sequences], counts)
        lengths = np.diff(self.begins)[candidates]
        labels = self.labels[ranges(self.begins[candidates], lengths)]
        return CandidateLists(to_offsets(counts), to_offsets(lengths), labels, self.scores[candidates])


def to_offsets(lengths: IntArray | Sequence[int]) -> IntArray:
    """Add up lengths to the offsets of stretches that lie one after the other, with the end of the last."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def concatenate_lists(parts: Sequence[CandidateLists]) -> CandidateLists:
    """Concatenate lists of candidates."""
    return CandidateLists(
        to_offsets(np.concatenate([np.diff(part.first) for part in parts])),
        to_offsets(np.concatenate([np.diff(part.begins) for part in parts])),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )


def join_lists(found: Sequence[CandidateLists], owner: IntArray) -> CandidateLists:
    """Join lists of the same sequences: the candidates of a sequence come from its owner, a number in ``found``."""
    return concatenate_lists(found).take(owner * len(owner) + np.arange(len(owner)))


def find_best_candidates(lists: CandidateLists, gold: NDArray[np.int32], offsets: IntArray) -> IntArray:
    """Find the candidate nearest to gold in every list, x_{i,1} of collins-2002.

    The nearest candidate has the most correct tags; ties go to the highest score, then to the first candidate. Gold
    labels are [N], ``offsets`` are [S + 1] first tokens. Returned are [S] numbers among the candidates of all lists, -1
    for empty lists; the rank of a candidate in its list is ``best - lists.first[:-1]``.
    """
    found = np.full(len(lists), -1, np.int64)
    if len(lists.scores) == 0:
        return found
    owner = np.repeat(np.arange(len(lists)), np.diff(lists.first))
    order = np.lexsort((-lists.scores, -count_correct_tags(lists, gold, offsets), owner))  # stable
    some = np.diff(lists.first) > 0
    found[some] = order[lists.first[:-1][some]]
    return found


def count_correct_tags(lists: CandidateLists, gold: NDArray[np.int32], offsets: IntArray) -> IntArray:
    """Count the correct labels of every candidate: [C]."""
    starts, lengths = np.repeat(offsets[:-1], np.diff(lists.first)), np.diff(lists.begins)
    if not np.array_equal(lengths, np.repeat(np.diff(offsets), np.diff(lists.first))):
        raise ValueError("candidates and sequences have different lengths")
    found = np.zeros(len(lengths), np.int64)
    stop = 0
    while stop < len(lengths):
        start = stop
        stop = max(start + 1, int(np.searchsorted(lists.begins, lists.begins[start] + _BLOCK, side="right")) - 1)
        begin, end = lists.begins[start], lists.begins[stop]
        right = lists.labels[begin:end] == gold[ranges(starts[start:stop], lengths[start:stop])]
        sums = np.concatenate([[0], np.cumsum(right)])
        found[start:stop] = np.diff(sums[lists.begins[start : stop + 1] - begin])
    return found


def labels_of(lists: CandidateLists, candidates: IntArray) -> NDArray[np.int32]:
    """The labels of the candidates with these numbers, one after the other."""
    return lists.labels[ranges(lists.begins[candidates], np.diff(lists.begins)[candidates])]
