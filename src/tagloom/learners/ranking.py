"""Learning to rank candidates: boosting and perceptrons (collins-2002, section 4; kazama-torisawa-2007 for the margin).

What is tuned in the paper is chosen here on development lists, if there are any: the number of rounds of boosting from
one run, and the best of the values that are given for beta, the smoothing or the margin.
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
from tagloom.errors import ConfigError, unknown_name
from tagloom.learners.online import shuffled_order
from tagloom.structures.rankers import METHODS, CurvePoint, LinearRanker, Ranker, VotedRanker

Number = float | Sequence[float]
#: Numbers of which several may be given, to choose from: least, most.
_TUNED = {"beta": (0.0, 1e6), "smoothing": (0.0, 1.0), "C": (0.0, 1e9)}
_NUMBERS_OF = {"voted": ("beta",), "averaged": ("beta",), "boosting": ("smoothing",), "margin": ("beta", "C")}
_LENGTH_OF = {"voted": "passes", "averaged": "passes", "boosting": "rounds", "margin": "passes"}
_WHOLE = {"rounds": (1, 10_000_000), "passes": (1, 10_000)}
_STRETCH = 2000  # rounds, between two looks at Ctrl-C
_MOST_POINTS = 500  # of a curve


def numbers_of(method: str) -> tuple[str, ...]:
    """The numbers that a method takes."""
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_name("method", method, METHODS)
    return *_NUMBERS_OF[method], _LENGTH_OF[method]


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

    def require_one(self) -> None:
        """Refuse several values where nothing can choose among them."""
        for name in _NUMBERS_OF[self.method]:
            if len(self.values(name)) > 1:
                raise ConfigError(f"{name}: several values are chosen from on development data; give dev, or one value")

    def stated(self) -> dict[str, float | str]:
        """The method and the numbers that belong to it."""
        numbers = {name: float(self.values(name)[0]) for name in _NUMBERS_OF[self.method]}
        return {"method": self.method, **numbers}


@dataclass(frozen=True)
class LearnedRanking:
    """A ranker, the settings that were chosen, and how its training went."""

    ranker: Ranker
    settings: RankingSettings  # one number each
    round: int  # rounds or passes, as chosen
    dev_score: float | None
    curve: tuple[CurvePoint, ...] = field(repr=False)
    tried: tuple[tuple[dict[str, float | str], float | None], ...] = ()
    interrupted: bool = False  # Ctrl-C ended it; the best until then is kept
    seconds: float = field(default=0.0, compare=False)  # of learning with the chosen settings


Report = Callable[[str], None]


def learn_ranking(
    train: RankingData,
    dev: RankingData | None,
    settings: RankingSettings,
    *,
    seed: int = 1,
    threads: int = 1,
    report: Report = lambda _: None,
) -> LearnedRanking:
    """Learn with every choice of the settings; keep the best on ``dev``. Ctrl-C keeps the best until then."""
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
            learned = (
                _boost(train, dev, choice, told)
                if choice.method == "boosting"
                else _walk(train, dev, choice, seed, threads, told)
            )
        except KeyboardInterrupt:
            if found is None:
                raise
            interrupted = True
            break
        tried.append((choice.stated(), learned.dev_score))
        if found is None or (learned.dev_score or 0.0) > (found.dev_score or 0.0):
            found = replace(learned, seconds=time.perf_counter() - begun)
        if learned.interrupted:
            interrupted = True
            break
    assert found is not None
    return replace(found, tried=tuple(tried), interrupted=interrupted)


def _naming(choice: RankingSettings, report: Report) -> Report:
    """A report that says which of several choices it is about."""
    numbers = ", ".join(f"{name} {value:g}" for name, value in choice.stated().items() if name != "method")
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
    curve = [start, *_thinned(losses, scores, best)]
    dev_score = None if dev is None else float(scores[best - 1]) if best else start.dev_score
    ranker = LinearRanker(weights, boosting.base_weight)
    return LearnedRanking(ranker, settings, best, dev_score, tuple(curve), interrupted=interrupted)


Rounds = tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _rounds(boosting: _core.Boosting, rounds: int, report: Report) -> tuple[Rounds, bool]:
    """Features, deltas, losses and development scores of all rounds, and whether Ctrl-C ended them."""
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


def _thinned(losses: NDArray[np.float64], scores: NDArray[np.float64], best: int) -> Iterator[CurvePoint]:
    """Some points of a curve of one a round: half of them evenly, half as a logarithmic axis needs them; the best."""
    count = len(losses)
    step = max(1, math.ceil(2 * count / _MOST_POINTS))
    early = np.geomspace(1, max(count, 1), _MOST_POINTS // 2).astype(int).tolist() if count else []
    for number in sorted({*range(step, count + 1, step), *early, best, count} - {0}):
        yield CurvePoint(number, float(losses[number - 1]), float(scores[number - 1]) if len(scores) else None)


def _walk(
    train: RankingData, dev: RankingData | None, settings: RankingSettings, seed: int, threads: int, report: Report
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
        score = None if dev is None else dev.f_measure(ranker.winners(dev.lists, threads))
        curve.append(CurvePoint(number, errors, score))
        report(f"pass {number}: {updates:,} updates" + ("" if score is None else f", dev F1 {score:.2f}"))
        if kept is None or (score or 0.0) > (kept[1] or 0.0) or dev is None:
            kept = number, score, ranker
        if last:
            break
    assert kept is not None
    return LearnedRanking(kept[2], settings, kept[0], kept[1], tuple(curve))
