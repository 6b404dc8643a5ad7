"""Reliability: how often labels and units are right, by the confidence that the model has in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.schemes import BoolArray
from tagloom.evaluate import expected_calibration_error
from tagloom.report.diagnosis.run import Run
from tagloom.report.diagnosis.spans import SpanTask
from tagloom.report.diagnosis.tags import TagTask

BINS = 15


@dataclass(frozen=True)
class Bin:
    """Decisions with similar confidence."""

    low: float
    high: float
    count: int
    confidence: float  # mean
    accuracy: float  # share that is right


@dataclass(frozen=True)
class Reliability:
    """Confidences against the truth, for one kind of decision."""

    title: str
    unit: str
    bins: tuple[Bin, ...]  # those that are not empty
    error: float  # expected calibration error
    count: int


def measure_reliability(run: Run) -> list[Reliability]:
    """Compare the confidences of a run with the truth: of labels, and of the spans that they make."""
    sure, task = run.confidences, run.main
    if sure is None:
        return []
    if isinstance(task, TagTask):
        return [compare(f"Labels of {task.name}", "tokens", sure, task.right)]
    if not isinstance(task, SpanTask):
        return []
    spans = task.guess
    own = spans_confidence(sure, spans.start, spans.stop)
    labels = mark_right_labels(task, len(sure))
    return [compare("Predicted spans", task.unit, own, task.found), compare("Labels", "tokens", sure, labels)]


def spans_confidence(
    sure: NDArray[np.float64], start: NDArray[np.int64], stop: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the least confidence of the tokens of every span, which bounds that of the span from above: [P]."""
    if not len(start):
        return np.zeros(0)
    bounds = np.stack([start, stop], axis=1).ravel()
    return np.minimum.reduceat(np.append(sure, 1.0), bounds)[::2]


def mark_right_labels(task: SpanTask, tokens: int) -> BoolArray:
    """Mark the tokens that are in the same place of a span of the same type on both sides, or outside on both: [N]."""
    sides = []
    for spans in (task.gold, task.guess):
        inside = np.zeros(tokens, np.int64)  # 0 outside; otherwise the type, twice for tokens that begin a span
        lengths = spans.stop - spans.start
        number = {name: place for place, name in enumerate(sorted({*task.gold.types, *task.guess.types}), 1)}
        types = np.array([number[name] for name in spans.types], np.int64)[spans.type] if len(spans) else spans.start
        places = np.repeat(spans.start - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        inside[places] = np.repeat(2 * types, lengths)
        inside[spans.start] += 1
        sides.append(inside)
    return np.asarray(sides[0] == sides[1])


def compare(title: str, unit: str, sure: NDArray[np.float64], right: BoolArray, bins: int = BINS) -> Reliability:
    """Put decisions into bins of equal width by their confidence."""
    chances = np.clip(sure, 0.0, 1.0)
    place = np.minimum((chances * bins).astype(np.int64), bins - 1)
    counts, sums = np.bincount(place, minlength=bins), np.bincount(place, chances, bins)
    hits = np.bincount(place, right.astype(np.float64), bins)
    found = tuple(
        Bin(b / bins, (b + 1) / bins, int(counts[b]), float(sums[b] / counts[b]), float(hits[b] / counts[b]))
        for b in np.flatnonzero(counts).tolist()
    )
    return Reliability(title, unit, found, expected_calibration_error(chances, right, bins), len(chances))
