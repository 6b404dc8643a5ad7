"""Benches: corpora encoded for the trials of a search. Trials that agree in the options of features share them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tagloom.corpus import Corpus
from tagloom.experiments.grid import Plan
from tagloom.systems.base import Training
from tagloom.systems.registry import System

_MOST_KEPT = 4  # or as many as trials run at the same time


@dataclass(frozen=True)
class Bench:
    """An encoded corpus, and how development data is scored."""

    training: Training[Any]
    metric: str
    rule: str
    seconds: float

    @classmethod
    def prepare(cls, row: System, train: Corpus, dev: Corpus, plan: Plan) -> Bench:
        """Encode the corpus for a trial."""
        started = time.perf_counter()
        training = row.load_training().plan(train, plan.options)
        training.build_scorer(dev)
        perfect = training.score_columns(dev, dev.columns)  # only to learn the metric and the rule
        return cls(training, perfect.metric, perfect.rule, time.perf_counter() - started)


class Encodings:
    """Benches by their encoding. Each is built when it is needed first, and the latest few are kept."""

    def __init__(self, row: System, train: Corpus, dev: Corpus, jobs: int) -> None:
        self.row, self.train, self.dev, self.most = row, train, dev, max(jobs, _MOST_KEPT)
        self._made: dict[tuple[object, ...], _Once] = {}
        self._lock = threading.Lock()

    def get(self, plan: Plan) -> tuple[Bench, bool]:
        """Return the bench of a trial, and whether it was built just now."""
        key = plan.encoding()
        with self._lock:
            once = self._made.pop(key, None) or _Once(lambda: Bench.prepare(self.row, self.train, self.dev, plan))
            self._made[key] = once  # the latest is last
            while len(self._made) > self.most:
                del self._made[next(iter(self._made))]
        return once.get()


class _Once:
    """A bench that the first of several threads builds while the others wait."""

    def __init__(self, make: Callable[[], Bench]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._value: Bench | None = None

    def get(self) -> tuple[Bench, bool]:
        with self._lock:
            is_new = self._value is None
            if self._value is None:
                self._value = self._make()
            return self._value, is_new
