"""Training of rankers: boosting and perceptrons (collins-2002, section 4; kazama-torisawa-2007 for the margin).

Development lists, if there are any, choose what the paper tunes: the number of rounds of boosting, from one run, and
the best of several values of beta, smoothing or margin.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.learners.blocks import shuffle_order
from tagloom.structures.rankers import METHODS, CurvePoint, LinearRanker, Ranker, VotedRanker

Number = float | Sequence[float]
# Settings that accept several values to choose from -> least and largest value.
_TUNED = {"beta": (0.0, 1e6), "smoothing": (0.0, 1.0), "C": (0.0, 1e9)}
_NUMBERS_OF = {"voted": ("beta",), "averaged": ("beta",), "boosting": ("smoothing",), "margin": ("beta", "C")}
_LENGTH_OF = {"voted": "passes", "averaged": "passes", "boosting": "rounds", "margin": "passes"}
_WHOLE = {"rounds": (1, 10_000_000), "passes": (1, 10_000)}
_STRETCH = 2000  # rounds of boosting without a check for Ctrl-C
_MOST_POINTS = 500  # points of a curve


def list_numbers(method: str) -> tuple[str, ...]:
    """List the settings that a method takes; refuse an unknown method."""
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_name("method", method, METHODS)
    return *_NUMBERS_OF[method], _LENGTH_OF[method]


@dataclass(frozen=True)
class RankingData:
    """Training or development lists of candidates; units are spans, or tokens if labels are plain tags."""

    lists: _core.RankingLists
    best: IntArray  # [S] number of the best candidate x_i1 in its list, -1 if the list is not used
    correct: IntArray  # [C] correct units of every candidate
    proposed: IntArray  # [C] units of every candidate
    gold: int  # units in gold
    first: IntArray  # [S + 1] first candidate of every list

    def __repr__(self) -> str:
        return f"RankingData({len(self.best):,} lists, {len(self.correct):,} candidates, {self.gold:,} gold units)"

    def f_measure(self, winners: IntArray) -> float:
        """The F1 of the chosen candidates."""
        chosen = (self.first[:-1] + winners)[winners >= 0]
        everything = int(self.proposed[chosen].sum()) + self.gold
        return 200.0 * int(self.correct[chosen].sum()) / everything if everything else 0.0


@dataclass(frozen=True)
class RankingSettings:
    """A method and its settings; the best of several values is chosen on development data."""

    method: str = "voted"  # a name of METHODS
    beta: Number = 0.2  # factor of the base score L(x) in the perceptrons
    rounds: int = 100_000  # most rounds of boosting; without development data, the number of rounds
    smoothing: Number = 0.001  # epsilon of boosting
    passes: int = 1  # most passes of perceptrons
    C: Number = 1.0  # margin of the margin perceptron

    def __post_init__(self) -> None:
        list_numbers(self.method)
        for name, (least, most) in _WHOLE.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ConfigError(f"{name}: expected a whole number from {least} to {most:,}, got {show_value(value)}")
        for name, (low, high) in _TUNED.items():
            for value in self.values(name):
                if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                    raise ConfigError(f"{name}: expected a number from {low:g} to {high:g}, got {show_value(value)}")

    def values(self, name: str) -> tuple[float, ...]:
        """The values of a setting that accepts several."""
        given = getattr(self, name)
        if isinstance(given, (np.ndarray, np.generic)):
            given = given.tolist()
        values = (given,) if isinstance(given, (int, float)) or not isinstance(given, Sequence) else tuple(given)
        if not values:
            raise ConfigError(f"{name}: expected one or several numbers, got none")
        return values

    def choices(self) -> list[RankingSettings]:
        """Build the settings of every combination of values."""
        names = _NUMBERS_OF[self.method]
        numbers = itertools.product(*(self.values(name) for name in names))
        return [replace(self, **dict(zip(names, map(float, each)))) for each in numbers]  # type: ignore[arg-type]

    def require_one(self) -> None:
        """Refuse several values, because there is no development data to choose by."""
        for name in _NUMBERS_OF[self.method]:
            if len(self.values(name)) > 1:
                raise ConfigError(
                    f"{name}: several values need development data to choose from; pass dev, or one value"
                )

    def list_stated(self) -> dict[str, float | str]:
        """The method and its settings, as plain values."""
        numbers = {name: float(self.values(name)[0]) for name in _NUMBERS_OF[self.method]}
        return {"method": self.method, **numbers}


@dataclass(frozen=True)
class LearnedRanking:
    """A ranker, its settings, and the course of its training."""

    ranker: Ranker
    settings: RankingSettings  # one value each
    round: int  # the chosen number of rounds or passes
    dev_score: float | None
    curve: tuple[CurvePoint, ...] = field(repr=False)
    tried: tuple[tuple[dict[str, float | str], float | None], ...] = ()
    interrupted: bool = False  # Ctrl-C ended training; the best ranker so far is kept
    seconds: float = field(default=0.0, compare=False)  # of training with the chosen settings


Report = Callable[[str], None]


def learn_ranking(
    train: RankingData, dev: RankingData | None, settings: RankingSettings, *,
    seed: int = 1, threads: int = 1, report: Report = lambda _: None,
) -> LearnedRanking:  # fmt: skip
    """Train a ranker with every choice of the settings, and keep the best on development data.

    ``report`` is called with one line per stretch of training. Ctrl-C keeps the best ranker so far, if there is one.
    """
    if dev is None:
        settings.require_one()
    found: LearnedRanking | None = None
    tried = []
    interrupted = False
    choices = settings.choices()
    for choice in choices:
        told = report if len(choices) == 1 else _naming(choice, report)
        begun = time.perf_counter()
        try:
            if choice.method == "boosting":
                learned = _boost(train, dev, choice, told)
            else:
                learned = _walk(train, dev, choice, seed, threads, told)
        except KeyboardInterrupt:
            if found is None:
                raise
            interrupted = True
            break
        tried.append((choice.list_stated(), learned.dev_score))
        if found is None or (learned.dev_score or 0.0) > (found.dev_score or 0.0):
            found = replace(learned, seconds=time.perf_counter() - begun)
        if learned.interrupted:
            interrupted = True
            break
    assert found is not None
    return replace(found, tried=tuple(tried), interrupted=interrupted)


def _naming(choice: RankingSettings, report: Report) -> Report:
    """Build a report that names the values it is about."""
    numbers = ", ".join(f"{name} {value:g}" for name, value in choice.list_stated().items() if name != "method")
    return lambda text: report(f"{numbers}: {text}")


def _boost(train: RankingData, dev: RankingData | None, settings: RankingSettings, report: Report) -> LearnedRanking:
    boosting = _core.Boosting(train.lists, train.best, settings.values("smoothing")[0])
    start = CurvePoint(0, boosting.loss)
    if dev is not None:
        boosting.watch(dev.lists, dev.correct, dev.proposed, dev.gold)
        zeros = LinearRanker(np.zeros(train.lists.features), boosting.base_weight)
        start = replace(start, dev_score=dev.f_measure(zeros.winners(dev.lists)))
    (features, deltas, losses, scores), interrupted = _rounds(boosting, settings.rounds, report)
    best = len(features)
    if dev is not None:
        best = int(np.argmax(scores)) + 1 if len(scores) and scores.max() > (start.dev_score or 0.0) else 0
    weights = np.zeros(train.lists.features)
    np.add.at(weights, features[:best], deltas[:best])
    curve = [start, *_thin(losses, scores, best)]
    dev_score = None if dev is None else float(scores[best - 1]) if best else start.dev_score
    ranker = LinearRanker(weights, boosting.base_weight)
    return LearnedRanking(ranker, settings, best, dev_score, tuple(curve), interrupted=interrupted)


Rounds = tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _rounds(boosting: _core.Boosting, rounds: int, report: Report) -> tuple[Rounds, bool]:
    """Run the rounds; return features, deltas, losses and development scores, and whether Ctrl-C ended them."""
    parts: list[Rounds] = []
    done, interrupted = 0, False
    try:
        while done < rounds:
            parts.append(boosting.run(min(_STRETCH, rounds - done)))
            done += len(parts[-1][0])
            scores = parts[-1][3]
            report(f"round {done:,}: loss {boosting.loss:,.1f}" + (f", dev F1 {scores[-1]:.2f}" if len(scores) else ""))
            if len(parts[-1][0]) < _STRETCH:
                break
    except KeyboardInterrupt:
        if not parts:
            raise
        interrupted = True
    features, deltas, losses, scores = (np.concatenate(arrays) for arrays in zip(*parts))
    return (features, deltas, losses, scores), interrupted


def _thin(losses: NDArray[np.float64], scores: NDArray[np.float64], best: int) -> Iterator[CurvePoint]:
    """Select points of a curve with one point per round: evenly, on a logarithmic scale, the best and the last."""
    count = len(losses)
    step = max(1, math.ceil(2 * count / _MOST_POINTS))
    early = np.geomspace(1, max(count, 1), _MOST_POINTS // 2).astype(int).tolist() if count else []
    for number in sorted({*range(step, count + 1, step), *early, best, count} - {0}):
        yield CurvePoint(number, float(losses[number - 1]), float(scores[number - 1]) if len(scores) else None)


def _walk(
    train: RankingData, dev: RankingData | None, settings: RankingSettings, seed: int, threads: int, report: Report
) -> LearnedRanking:
    """Run the passes of a perceptron, each in another order; ``dev`` chooses the pass."""
    margin = settings.values("C")[0] if settings.method == "margin" else None
    perceptron = _core.RankingPerceptron(train.lists, train.best, settings.values("beta")[0], margin)
    curve: list[CurvePoint] = []
    kept: tuple[int, float | None, Ranker] | None = None
    for number in range(1, settings.passes + 1):
        updates, errors, _ = perceptron.run(shuffle_order(len(train.lists), seed, number))
        last = number == settings.passes or updates == 0
        if dev is None and not last:
            curve.append(CurvePoint(number, errors))
            continue
        ranker = (
            VotedRanker(*perceptron.trajectory()) if settings.method == "voted" else LinearRanker(*perceptron.mean())
        )
        score = None if dev is None else dev.f_measure(ranker.winners(dev.lists, threads))
        curve.append(CurvePoint(number, errors, score))
        report(f"pass {number}: {updates:,} updates" + ("" if score is None else f", dev F1 {score:.2f}"))
        if kept is None or (score or 0.0) > (kept[1] or 0.0) or dev is None:
            kept = number, score, ranker
        if last:
            break
    assert kept is not None
    return LearnedRanking(kept[2], settings, kept[0], kept[1], tuple(curve))
