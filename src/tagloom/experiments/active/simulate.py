"""Active learning on a corpus whose labels are known: how many labelled tokens reach which score.

Every round trains a model on the sentences that are labelled so far, scores it, and labels the sentences that it
suggests. Nobody is asked: the labels are those of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from math import exp, log
from typing import Any

import numpy as np

from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError, unknown_name
from tagloom.experiments.active.strategies import DISAGREEMENT
from tagloom.experiments.active.suggest import CANDIDATES, suggest
from tagloom.experiments.active.uncertainty import MEASURES
from tagloom.systems.base import Model
from tagloom.systems.data import Data, read_training_data
from tagloom.systems.options import check_whole_number
from tagloom.systems.train import train

TOKENS, SENTENCES = "tokens", "sentences"
UNITS = (TOKENS, SENTENCES)


@dataclass(frozen=True)
class Round:
    """One round: how much was labelled, and the scores of the model that was trained on it."""

    sentences: int
    tokens: int
    scores: Mapping[str, float]  # by the name of the test data

    def get_score(self, name: str | None = None) -> float:
        """Get the score on some test data; on the first by default."""
        chosen = next(iter(self.scores)) if name is None else name
        if chosen not in self.scores:
            raise unknown_name("test data", chosen, self.scores)
        return self.scores[chosen]


@dataclass(frozen=True)
class Simulation:
    """The rounds of one simulation."""

    strategy: str
    seed: int
    rounds: tuple[Round, ...]

    def find_size(self, score: float, name: str | None = None, unit: str = TOKENS) -> float | None:
        """Find how much had to be labelled to reach a score; None if it was not reached.

        Args:
            score: The score.
            name: Which test data it is about; the first by default.
            unit: "tokens" or "sentences".

        Returns:
            The number, read off the straight line between two rounds, with numbers on a logarithmic axis.
        """
        if unit not in UNITS:
            raise unknown_name("unit", unit, UNITS)
        points = [(float(getattr(each, unit)), each.get_score(name)) for each in self.rounds]
        before = points[0]
        for point in points:
            if point[1] >= score:
                return _interpolate(before, point, score)
            before = point
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"strategy": self.strategy, "seed": self.seed, "rounds": [asdict(each) for each in self.rounds]}


def _interpolate(before: tuple[float, float], after: tuple[float, float], score: float) -> float:
    part = (score - before[1]) / (after[1] - before[1]) if after[1] > before[1] else 1.0
    return exp(log(before[0]) + part * (log(after[0]) - log(before[0])))


@check_arguments
def simulate(
    data: Data,
    test: Mapping[str, Any],
    *,
    strategy: str | None = None,
    by: str | None = None,
    combine: str | None = None,
    candidates: int = CANDIDATES,
    first: int = 1000,
    growth: float = 1.5,
    most: int | None = None,
    committee: int = 3,
    seed: int = 1,
    threads: int = 1,
    on_round: Callable[[Round], None] | None = None,
    **options: Any,
) -> Simulation:
    """Simulate active learning with a corpus whose labels are known.

    Args:
        data: The corpus: it is the pool, and its labels are the answers.
        test: Data to score every model on, by name.
        strategy: As for :func:`tagloom.suggest`.
        by: As for :func:`tagloom.suggest`.
        combine: As for :func:`tagloom.suggest`.
        candidates: As for :func:`tagloom.suggest`.
        first: Most tokens of the sentences of the first round, which are drawn by chance.
        growth: How many times as many tokens are labelled in every round as in the one before.
        most: Most tokens to label; all of the corpus by default.
        committee: Number of models that "disagreement" compares. Each is trained on sentences that are drawn from the
            labelled ones, with replacement (query by bagging).
        seed: Seed of the first round, of ties, and of all trainings.
        threads: Number of threads. Does not change the result.
        on_round: Function that is called after every round.
        **options: Options of :func:`tagloom.train`.

    Returns:
        The scores of all rounds.
    """
    check_whole_number("first", first, 1, 10**9)
    check_whole_number("committee", committee, 2, 100)
    check_whole_number("seed", seed, 0, 2**32 - 1)
    if not growth > 1:
        raise ConfigError(f"growth: expected a number above 1, got {growth}")
    corpus = read_training_data(data)
    limit = corpus.token_count if most is None else min(most, corpus.token_count)
    choice = {"strategy": strategy, "by": by, "combine": combine, "candidates": candidates}
    run = _Run(corpus, test, choice, committee, seed, threads, options)
    rounds: list[Round] = []
    run.draw(min(first, limit))
    while True:
        rounds.append(run.score())
        if on_round is not None:
            on_round(rounds[-1])
        target = min(int(rounds[-1].tokens * growth) + 1, limit)
        if rounds[-1].tokens >= limit or not run.label(target - rounds[-1].tokens):
            return Simulation(run.strategy, seed, tuple(rounds))


class _Run:
    """The state of a simulation: which sentences are labelled, and the model that was trained on them."""

    def __init__(
        self, corpus: Corpus, test: Mapping[str, Any], choice: Mapping[str, Any], committee: int, seed: int,
        threads: int, options: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.corpus, self.test, self.choice = corpus, test, choice
        self.committee, self.seed, self.threads, self.options = committee, seed, threads, options
        self.labelled: IntArray = np.zeros(0, np.int64)  # ascending
        self.strategy = str(choice["strategy"])
        self.model: Any = None

    def draw(self, tokens: int) -> None:
        """Label the sentences of the first round."""
        order = np.random.default_rng(self.seed).permutation(len(self.corpus))
        ends = np.cumsum(np.diff(self.corpus.sentences)[order])
        self.labelled = np.sort(order[: max(1, int(np.searchsorted(ends, tokens, side="right")))])

    def score(self) -> Round:
        """Train a model on what is labelled, and score it."""
        known = self.corpus.select(self.labelled)
        self.model = self._train(known)
        scores = {
            name: float(self.model.evaluate(data, threads=self.threads).value) for name, data in self.test.items()
        }
        return Round(len(known), known.token_count, scores)

    def _train(self, corpus: Corpus, number: int = 0) -> Model:
        model: Model = train(corpus, **{"seed": self.seed + number, "threads": self.threads, **self.options})
        return model

    def label(self, tokens: int) -> bool:
        """Label sentences that the model suggests; False if there are none left."""
        known = self.corpus.select(self.labelled)
        found = suggest(
            self._list_models(known), self.corpus, tokens=max(tokens, 1), exclude=known, seed=self.seed,
            threads=self.threads, **self.choice,
        )  # fmt: skip
        self.strategy = found.strategy
        numbers = [each.record["sentence"] - 1 for each in found]
        self.labelled = np.union1d(self.labelled, np.array(numbers, np.int64))
        return bool(numbers)

    def _list_models(self, known: Corpus) -> list[Model]:
        """List the models that suggest: the one that was scored, or a committee."""
        by = MEASURES.get(self.choice["by"])
        if self.choice["strategy"] != DISAGREEMENT and (by is None or not by.is_committee):
            return [self.model]
        random = np.random.default_rng([self.seed, len(known)])
        draws = [np.sort(random.integers(len(known), size=len(known))) for _ in range(self.committee)]
        return [self._train(known.select(draw), number) for number, draw in enumerate(draws, 1)]
