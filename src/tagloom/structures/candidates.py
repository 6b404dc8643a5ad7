"""Lists of candidates: a few labellings of every sequence, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import IntArray


@dataclass(frozen=True)
class CandidateLists:
    """Candidates of some sequences: where each sequence's and each candidate's labels begin, labels, scores."""

    first: IntArray  # [S + 1]
    begins: IntArray  # [C + 1]
    labels: NDArray[np.int32]
    scores: NDArray[np.float64]  # [C]

    def __len__(self) -> int:
        """The number of sequences."""
        return len(self.first) - 1

    def of(self, sequence: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Lengths, labels and scores of the candidates of one sequence."""
        first, last = self.first[sequence : sequence + 2]
        begin, end = self.begins[first], self.begins[last]
        return np.diff(self.begins[first : last + 1]), self.labels[begin:end], self.scores[first:last]


def joined_lists(found: Sequence[CandidateLists], owner: IntArray) -> CandidateLists:
    """The candidates of every sequence as its owner, one of several finders, has found them."""
    parts = [found[number].of(sequence) for sequence, number in enumerate(owner.tolist())]
    return CandidateLists(
        np.concatenate([[0], np.cumsum([len(part[2]) for part in parts])]).astype(np.int64),
        np.concatenate([[0], np.cumsum(np.concatenate([part[0] for part in parts]))]).astype(np.int64),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
    )
