"""Benches: corpora encoded for the trials of a search, shared by those that agree in what shapes the features."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from tagloom.corpus import Corpus
from tagloom.evaluate import score
from tagloom.experiments.grid import Plan
from tagloom.learners import cost_matrix
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.learn import WeightScorer
from tagloom.systems.tagger.task import Task

_MOST_KEPT = 4  # or as many as there are trials at the same time


@dataclass(frozen=True)
class Bench:
    """An encoded corpus with the scorer of development data."""

    encoded: Encoded
    dev_score: WeightScorer
    metric: str
    rule: str
    seconds: float

    @classmethod
    def prepare(cls, train: Corpus, dev: Corpus, plan: Plan) -> Bench:
        started = time.perf_counter()
        task = Task.plan(train, plan.options)
        cost_matrix(plan.options.cost, task.structure.labels)  # refused before the long work
        encoded = Encoded.encode(task, plan.options)
        scorer = WeightScorer(encoded, dev, plan.options.threads)
        perfect = score(scorer.gold, scorer.gold, dev.sentences, scheme=scorer.scheme)  # only to know how it is scored
        return cls(encoded, scorer, perfect.metric, perfect.rule, time.perf_counter() - started)


class Encodings:
    """Benches by what tells them apart: each made when first asked for, the latest few kept."""

    def __init__(self, train: Corpus, dev: Corpus, jobs: int) -> None:
        self.train, self.dev, self.most = train, dev, max(jobs, _MOST_KEPT)
        self._made: dict[tuple[object, ...], _Once] = {}
        self._lock = threading.Lock()

    def bench(self, plan: Plan) -> tuple[Bench, bool]:
        """The bench of a trial, and whether it was made just now."""
        key = plan.encoding()
        with self._lock:
            once = self._made.pop(key, None) or _Once(lambda: Bench.prepare(self.train, self.dev, plan))
            self._made[key] = once  # the latest is last
            while len(self._made) > self.most:
                del self._made[next(iter(self._made))]
        return once.get()


class _Once:
    """A bench that the first of several threads makes while the others wait."""

    def __init__(self, make: Callable[[], Bench]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._value: Bench | None = None

    def get(self) -> tuple[Bench, bool]:
        with self._lock:
            is_new = self._value is None
            if self._value is None:
                self._value = self._make()
            return self._value, is_new
