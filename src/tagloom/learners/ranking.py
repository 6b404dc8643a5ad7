"""Learning to rank candidates: boosting and perceptrons (collins-2002, section 4; kazama-torisawa-2007 for the margin).

What is tuned in the paper is chosen here on development lists, if there are any: the number of rounds of boosting from
one run, and the best of the values that are given for beta, the smoothing or the margin.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError, unknown_name
from tagloom.learners.online import shuffled_order
from tagloom.learners.rankers import LinearRanker, Ranker, VotedRanker

#: method -> what it is
METHODS = {
    "voted": "every vector of the perceptron votes (Figures 3 and 4)",
    "averaged": "the mean of the same vectors",
    "boosting": "one feature a round, by the exponential loss (Figure 2)",
    "margin": "the averaged perceptron that also moves where the best candidate wins by C or less",
}
Number = float | Sequence[float]
#: Numbers of which several may be given, to choose from: least, most.
_TUNED = {"beta": (0.0, 1e6), "smoothing": (0.0, 1.0), "C": (0.0, 1e9)}
_NUMBERS_OF = {"voted": ("beta",), "averaged": ("beta",), "boosting": ("smoothing",), "margin": ("beta", "C")}
_WHOLE = {"rounds": (1, 10_000_000), "passes": (1, 10_000)}
_STRETCH = 2000  # rounds, between two looks at Ctrl-C
_MOST_POINTS = 500  # of a curve


@dataclass(frozen=True)
class RankingData:
    """Lists to learn from or to choose on.

    ``best`` is the number of x_i1 in its list, -1 where a list teaches nothing. ``correct`` and ``proposed`` count the
    spans of every candidate (tokens, where labels are plain tags), ``gold`` those that there are.
    """

    lists: _core.RankingLists
    best: IntArray  # [S]
    correct: IntArray  # [C]
    proposed: IntArray  # [C]
    gold: int
    first: IntArray  # [S + 1] candidates of every list

    def f_measure(self, winners: IntArray) -> float:
        """Of the candidates that were chosen."""
        chosen = (self.first[:-1] + winners)[winners >= 0]
        everything = int(self.proposed[chosen].sum()) + self.gold
        return 200.0 * int(self.correct[chosen].sum()) / everything if everything else 0.0


@dataclass(frozen=True)
class RankingSettings:
    """A method and its numbers; of several values the best on development data is taken.

    beta: what L(x) is multiplied by in the perceptron's representation. rounds: of boosting, at most; all of them
    without development data. smoothing: epsilon of boosting. passes: of perceptrons, at most. C: the margin.
    """

    method: str = "voted"
    beta: Number = 0.2
    rounds: int = 100_000
    smoothing: Number = 0.001
    passes: int = 1
    C: Number = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise unknown_name("method", self.method, METHODS)
        for name, (least, most) in _WHOLE.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ConfigError(f"{name}: expected a whole number from {least} to {most:,}, got {value!r}")
        for name, (low, high) in _TUNED.items():
            for value in self.values(name):
                if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                    raise ConfigError(f"{name}: expected a number from {low:g} to {high:g}, got {value!r}")

    def values(self, name: str) -> tuple[float, ...]:
        given = getattr(self, name)
        if isinstance(given, (np.ndarray, np.generic)):
            given = given.tolist()
        values = (given,) if isinstance(given, (int, float)) or not isinstance(given, Sequence) else tuple(given)
        if not values:
            raise ConfigError(f"{name}: expected a number or several, got none")
        return values

    def choices(self) -> list[RankingSettings]:
        """One setting for every combination of the numbers that the method has."""
        names = _NUMBERS_OF[self.method]
        numbers = itertools.product(*(self.values(name) for name in names))
        return [replace(self, **dict(zip(names, map(float, each)))) for each in numbers]  # type: ignore[arg-type]

    def stated(self) -> dict[str, float | str]:
        """The method and the numbers that belong to it."""
        numbers = {name: float(self.values(name)[0]) for name in _NUMBERS_OF[self.method]}
        return {"method": self.method, **numbers}


@dataclass(frozen=True)
class CurvePoint:
    """The training after so many rounds (boosting) or passes (perceptrons)."""

    round: int
    loss: float  # ExpLoss; of perceptrons the lists whose winner was not the best candidate
    dev_score: float | None = None


@dataclass(frozen=True)
class LearnedRanking:
    """A ranker, the settings that were chosen, and how its training went."""

    ranker: Ranker
    settings: RankingSettings  # one number each
    round: int  # rounds or passes, as chosen
    dev_score: float | None
    curve: tuple[CurvePoint, ...] = field(repr=False)
    tried: tuple[tuple[dict[str, float | str], float | None], ...] = ()


Report = Callable[[str], None]


def learn_ranking(
    train: RankingData,
    dev: RankingData | None,
    settings: RankingSettings,
    *,
    seed: int = 1,
    report: Report = lambda _: None,
) -> LearnedRanking:
    """Learn with every choice of the settings; keep the best on ``dev``."""
    choices = settings.choices()
    if len(choices) > 1 and dev is None:
        raise ConfigError(f"{settings.method}: several values to choose from need development data; give one, or --dev")
    found: LearnedRanking | None = None
    tried = []
    for choice in choices:
        learned = (
            _boost(train, dev, choice, report)
            if choice.method == "boosting"
            else _walk(train, dev, choice, seed, report)
        )
        tried.append((choice.stated(), learned.dev_score))
        if found is None or (learned.dev_score or 0.0) > (found.dev_score or 0.0):
            found = learned
    assert found is not None
    return replace(found, tried=tuple(tried))


def _boost(train: RankingData, dev: RankingData | None, settings: RankingSettings, report: Report) -> LearnedRanking:
    boosting = _core.Boosting(train.lists, train.best, settings.values("smoothing")[0])
    start = CurvePoint(0, boosting.loss)
    if dev is not None:
        boosting.watch(dev.lists, dev.correct, dev.proposed, dev.gold)
        zeros = LinearRanker(np.zeros(train.lists.features), boosting.base_weight)
        start = replace(start, dev_score=dev.f_measure(zeros.winners(dev.lists)))
    features, deltas, losses, scores = _rounds(boosting, settings.rounds, report)
    best = len(features)
    if dev is not None:
        best = int(np.argmax(scores)) + 1 if len(scores) and scores.max() > (start.dev_score or 0.0) else 0
    weights = np.zeros(train.lists.features)
    np.add.at(weights, features[:best], deltas[:best])
    curve = [start, *_thinned(losses, scores, best)]
    dev_score = None if dev is None else float(scores[best - 1]) if best else start.dev_score
    return LearnedRanking(LinearRanker(weights, boosting.base_weight), settings, best, dev_score, tuple(curve))


Rounds = tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _rounds(boosting: _core.Boosting, rounds: int, report: Report) -> Rounds:
    """Features, deltas, losses and development scores of all rounds; Ctrl-C ends them."""
    parts: list[Rounds] = []
    done = 0
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
        report(f"interrupted after {done:,} rounds")
    features, deltas, losses, scores = (np.concatenate(arrays) for arrays in zip(*parts))
    return features, deltas, losses, scores


def _thinned(losses: NDArray[np.float64], scores: NDArray[np.float64], best: int) -> Iterator[CurvePoint]:
    """Some points of a curve of one a round, the chosen one among them."""
    count = len(losses)
    step = max(1, math.ceil(count / _MOST_POINTS))
    for number in sorted({*range(step, count + 1, step), best, count} - {0}):
        yield CurvePoint(number, float(losses[number - 1]), float(scores[number - 1]) if len(scores) else None)


def _walk(
    train: RankingData, dev: RankingData | None, settings: RankingSettings, seed: int, report: Report
) -> LearnedRanking:
    """Passes of a perceptron; with ``dev`` the best pass is kept. The first pass goes through the text as it stands."""
    margin = settings.values("C")[0] if settings.method == "margin" else None
    perceptron = _core.RankingPerceptron(train.lists, train.best, settings.values("beta")[0], margin)
    curve: list[CurvePoint] = []
    kept: tuple[int, float | None, Ranker] | None = None
    for number in range(1, settings.passes + 1):
        count = len(train.lists)
        order = np.arange(count, dtype=np.int64) if number == 1 else shuffled_order(count, seed, number)
        updates, errors, _ = perceptron.run(order)
        last = number == settings.passes or updates == 0
        if dev is None and not last:
            curve.append(CurvePoint(number, errors))
            continue
        ranker = (
            VotedRanker(*perceptron.trajectory()) if settings.method == "voted" else LinearRanker(*perceptron.mean())
        )
        score = None if dev is None else dev.f_measure(ranker.winners(dev.lists))
        curve.append(CurvePoint(number, errors, score))
        report(f"pass {number}: {updates:,} updates" + ("" if score is None else f", dev F1 {score:.2f}"))
        if kept is None or (score or 0.0) > (kept[1] or 0.0) or dev is None:
            kept = number, score, ranker
        if last:
            break
    assert kept is not None
    return LearnedRanking(kept[2], settings, kept[0], kept[1], tuple(curve))
