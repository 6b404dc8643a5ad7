"""Counts per sentence; precision, recall and F1 are computed from them, over any choice of sentences.

All scores are percentages, as conlleval prints them; the ratio 0 / 0 is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import IntArray

FloatArray = NDArray[np.float64]

# Columns of a table of totals [..., 3].
CORRECT, PREDICTED, GOLD = range(3)


def precision(totals: NDArray[np.generic]) -> FloatArray:
    """Compute the percentage of predicted units that are correct."""
    return _percent(totals[..., CORRECT], totals[..., PREDICTED])


def recall(totals: NDArray[np.generic]) -> FloatArray:
    """Compute the percentage of gold units that were found."""
    return _percent(totals[..., CORRECT], totals[..., GOLD])


def f1(totals: NDArray[np.generic]) -> FloatArray:
    """Compute the harmonic mean of precision and recall, in percent."""
    p, r = precision(totals), recall(totals)
    return _ratio(2 * p * r, p + r)


def dice(totals: NDArray[np.generic]) -> FloatArray:
    """Compute F1 from the counts alone; where all units are predicted once, it is the accuracy to the last bit."""
    table = np.asarray(totals, np.float64)
    return _percent(2 * table[..., CORRECT], table[..., PREDICTED] + table[..., GOLD])


def _percent(part: NDArray[np.generic], whole: NDArray[np.generic]) -> FloatArray:
    return _ratio(100.0 * np.asarray(part, np.float64), np.asarray(whole, np.float64))


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


Metric = Callable[[NDArray[np.generic]], FloatArray]

# Scores of treebanks that were made from raw text, in the order of the CoNLL shared task 2018.
TEXT_METRICS = {
    "tokens": "Tokens",
    "sentences": "Sentences",
    "words": "Words",
    "upos": "UPOS",
    "xpos": "XPOS",
    "ufeats": "UFeats",
    "alltags": "AllTags",
    "lemmas": "Lemmas",
    "uas": "UAS",
    "las": "LAS",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}

# Every token has one predicted label, so that accuracy is recall of tokens. Attachment scores are F1: of given tokens
# this is recall, too; of tokens found in raw text it is what the shared tasks count.
METRICS: Mapping[str, Metric] = {
    "f1": f1,
    "precision": precision,
    "recall": recall,
    "accuracy": recall,
    **dict.fromkeys(TEXT_METRICS, dice),
}


@dataclass(frozen=True)
class PRF:
    """Precision, recall and F1 in percent, from three counts.

    >>> round(PRF(correct=2, predicted=3, gold=4).f1, 2)
    57.14
    """

    correct: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Percentage of predicted units that are correct."""
        return float(precision(self._totals))

    @property
    def recall(self) -> float:
        """Percentage of gold units that were found."""
        return float(recall(self._totals))

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return float(f1(self._totals))

    @property
    def _totals(self) -> IntArray:
        return np.array([self.correct, self.predicted, self.gold])

    def to_dict(self) -> dict[str, float | int]:
        """Return percentages and counts by name; nothing is rounded."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "correct": self.correct,
            "predicted": self.predicted,
            "gold": self.gold,
        }


@dataclass(frozen=True)
class Counts:
    """Numbers of correct, predicted and gold units of each kind (span type, known tokens ...) in each sentence."""

    kinds: tuple[str, ...]  # [T]
    correct: IntArray  # [T, S]
    predicted: IntArray  # [T, S]
    gold: IntArray  # [T, S]

    def __repr__(self) -> str:
        kinds = len(self.kinds)
        return f"Counts({self.overall()}, {kinds} kind{'s' * (kinds != 1)}, {self.gold.shape[1]} sentences)"

    def by_sentence(self) -> IntArray:
        """[S, 3]: correct, predicted and gold units of each sentence, all kinds together."""
        return np.stack([table.sum(axis=0) for table in (self.correct, self.predicted, self.gold)], axis=1)

    def overall(self) -> PRF:
        """The counts of all kinds and sentences together."""
        return PRF(*self.by_sentence().sum(axis=0).tolist())

    def by_kind(self) -> dict[str, PRF]:
        """The kinds that occur, in alphabetical order."""
        totals = np.stack([table.sum(axis=1) for table in (self.correct, self.predicted, self.gold)], axis=1)
        rows = {kind: PRF(*row) for kind, row in zip(self.kinds, totals.tolist())}
        return {kind: rows[kind] for kind in sorted(rows) if rows[kind].predicted or rows[kind].gold}

    def recall_of(self, kind: str) -> float | None:
        """Recall of one kind; None if gold has no unit of this kind."""
        row = self.by_kind().get(kind)
        return row.recall if row and row.gold else None


def tally(kinds: NDArray[np.integer], sentences: NDArray[np.integer], shape: tuple[int, int]) -> IntArray:
    """Count the units of each kind in each sentence: [T, S]."""
    cells = kinds.astype(np.int64) * shape[1] + sentences
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
