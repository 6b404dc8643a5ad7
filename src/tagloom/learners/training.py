"""Builds the training of a learner from its settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.errors import ConfigError
from tagloom.features import DocumentRows
from tagloom.learners.batch import BatchTraining, ScalingTraining
from tagloom.learners.blocks import Blocks, build_refusal, count_gold
from tagloom.learners.history import HistoryTraining, get_search
from tagloom.learners.learner import RERANKING_OPPONENTS, SEARCHING_OPPONENTS, Learner
from tagloom.learners.margin import Documents, MarginTraining
from tagloom.learners.mixing import MixedTraining
from tagloom.learners.objective import SummedObjective, find_support
from tagloom.learners.online import ChainTraining, OnlineTraining, Pass, State, Tensors
from tagloom.learners.rates import search_rate
from tagloom.learners.reranking import RerankingTraining
from tagloom.learners.settings import Settings, build_cost_matrix


class Training(Protocol):
    """A learner at work on some data."""

    @property
    def state(self) -> State:
        """What the learner keeps between passes."""

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros."""

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned."""

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on."""


def begin_training(
    learner: Learner, settings: Settings, labels: Sequence[str], chain: _core.Chain, blocks: Blocks, *, seed: int,
    threads: int, features: _core.NonlocalFeatures | None = None, rows: DocumentRows | None = None,
    epochs: int | None = None, on_cluster: bool = False,
) -> Training:  # fmt: skip
    """Build the training of a learner; a learning rate that is not set is searched for.

    Args:
        learner: The learner.
        settings: Its settings.
        labels: The names of the labels.
        chain: The layout of the weights.
        blocks: The encoded examples, with gold labels.
        seed: Fixes the order of the examples.
        threads: Number of threads. Does not change the result.
        features: Non-local features, for learners that see documents.
        rows: Rows of the non-local features of user functions.
        epochs: Largest number of passes of the first models of re-ranking.
        on_cluster: Train on the workers of the Ray cluster that is connected.

    Raises:
        ConfigError: A setting is not legal, or the learner cannot learn from the data.
    """
    numbers = settings.of(learner)
    objective = _check_cluster(learner, numbers) if on_cluster else SummedObjective
    if learner.has_margin:
        data = blocks.open(0)[0] if features is None else blocks.open_all(learner.name)
        documents = Documents(data, blocks.count, data.gold, features, rows)
        if learner.opponent in RERANKING_OPPONENTS:
            most = epochs or learner.epochs
            return RerankingTraining(learner, numbers, chain, documents, seed=seed, epochs=most, threads=threads)
        return MarginTraining(learner, numbers, chain, documents, threads=threads, blocks=blocks)
    if learner.step == "gis":
        return ScalingTraining(learner, numbers, chain, blocks, threads, objective)
    if learner.is_batch:
        return BatchTraining(learner, numbers, chain, blocks, threads, objective)
    if numbers.get("rate", 0.0) is None:
        numbers["rate"] = search_rate(learner, numbers, blocks, seed, threads)
    if numbers["mix"] > 1 and len(blocks) > 1:
        raise build_refusal(f"mix={numbers['mix']}")  # shards are drawn from all examples
    whole = _Whole.find(learner, numbers, chain, blocks)
    build = partial(_begin_online, learner, settings, numbers, labels, chain, whole)
    copies = [build(blocks) for _ in range(numbers["mix"])]
    if on_cluster:
        from tagloom.learners.sharded import RemoteMixing

        return RemoteMixing(copies, numbers["mixes"], threads, build, blocks.open_all(learner.name), seed)
    return copies[0] if len(copies) == 1 else MixedTraining(copies, numbers["mixes"], threads)


def _check_cluster(learner: Learner, numbers: dict[str, Any]) -> type[SummedObjective]:
    """Refuse what cannot be divided among workers; return the objective of what can."""
    from tagloom.learners.sharded import ShardedObjective, refuse_serial

    if learner.has_margin or learner.sees_documents:
        raise ConfigError(f"ray: learner {learner.name!r} trains on one machine only; leave ray out")
    if not learner.is_batch and learner.step != "gis" and numbers.get("mix", 1) < 2:
        raise refuse_serial(learner)
    return ShardedObjective


@dataclass(frozen=True)
class _Whole:
    """What the learner of a shard has to know of all data."""

    examples: int
    counts: _core.GoldCounts | None  # for learners whose rates depend on them
    support: NDArray[np.float32] | None  # the weights that exist, if a learner is limited to some

    @classmethod
    def find(cls, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks) -> _Whole:
        is_limited = learner.takes_support and "seen" in (numbers.get("node_labels"), numbers.get("transition_pairs"))
        return cls(
            blocks.count,
            count_gold(chain, blocks) if learner.step == "madf" else None,
            find_support(learner, numbers, chain, blocks) if is_limited else None,
        )


def _begin_online(
    learner: Learner, settings: Settings, numbers: dict[str, Any], labels: Sequence[str], chain: _core.Chain,
    whole: _Whole, blocks: Blocks,
) -> ChainTraining:  # fmt: skip
    """Build an online learner, or one of those that are mixed, of some of the examples."""
    if learner.opponent in SEARCHING_OPPONENTS:
        return HistoryTraining(learner, numbers, chain, blocks)
    costs = build_cost_matrix(settings.cost, labels) if learner.opponent == "cost-augmented" else None
    search = get_search(learner, numbers) if learner.is_locally_normalised else None
    training = OnlineTraining(
        learner, numbers, chain, blocks, costs=costs, total=whole.examples, search=search, counts=whole.counts
    )
    if whole.support is not None:
        training.state.restrict(whole.support)
    return training
