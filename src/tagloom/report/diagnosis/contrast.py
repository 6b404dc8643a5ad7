"""Two models on the same data: differences with their significance, and the sentences that one of them gets right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import Score, Significance, compare
from tagloom.evaluate.significance import compare_kinds
from tagloom.report.diagnosis.run import Run
from tagloom.report.diagnosis.task import Task


@dataclass(frozen=True)
class Contest:
    """A sentence in which one model has fewer wrong units than the other."""

    sentence: int
    task: int  # number of the task
    wrong: int  # units of the first model
    rival_wrong: int


@dataclass(frozen=True)
class Contrast:
    """The first model beside the second."""

    metrics: tuple[Significance, ...]
    types: dict[str, dict[str, Significance]]  # by task and type
    won: tuple[Contest, ...]  # sentences of the first model; the clearest first
    lost: tuple[Contest, ...]
    won_count: int
    lost_count: int


def pair_runs(first: Run, second: Run) -> None:
    """Check that two models can be compared.

    Raises:
        ConfigError: They make different things.
        DataError: They were not applied to the same sentences.
    """
    if (first.score.kind, first.main.name) != (second.score.kind, second.main.name):
        kinds = " and ".join(f"{run.main.title.lower()} ({run.name})" for run in (first, second))
        raise ConfigError(f"two models can be compared if both make the same, got {kinds}; report on each alone")
    if not np.array_equal(first.main.sentences, second.main.sentences):
        raise DataError("the two models read different sentences from the data; report on each alone")


def contrast_runs(first: Run, second: Run, metrics: Sequence[str], samples: int, most: int) -> Contrast:
    """Compare two runs: every metric, every type, and every sentence.

    Args:
        first: The model that the report is about.
        second: The model that it is compared with.
        metrics: Names of the metrics.
        samples: Number of samples of the paired bootstrap.
        most: Most sentences to list for either side.
    """
    tests = [compare(first.score, second.score, metric=name, samples=samples) for name in metrics
             if _has_metric(second.score, name)]  # fmt: skip
    tasks = list(_pair_tasks(first, second))
    types = {mine.name: compare_kinds(mine.counts, theirs.counts, mine.metric, samples) for _, mine, theirs in tasks}
    contests = [each for number, mine, theirs in tasks for each in _list_contests(number, mine, theirs)]
    won = [each for each in contests if each.wrong < each.rival_wrong]
    lost = [each for each in contests if each.wrong > each.rival_wrong]
    return Contrast(tuple(tests), types, _rank(won, most), _rank(lost, most), len(won), len(lost))


def _has_metric(score: Score, name: str) -> bool:
    try:
        score.counts_of(name)
    except ConfigError:
        return False
    return True


def _pair_tasks(first: Run, second: Run) -> list[tuple[int, Task, Task]]:
    others = {task.name: task for task in second.tasks}
    pairs = [(n, task, others.get(task.name)) for n, task in enumerate(first.tasks)]
    return [(n, task, other) for n, task, other in pairs if other is not None and other.kind == task.kind]


def _list_contests(number: int, mine: Task, theirs: Task) -> list[Contest]:
    wrong, rival = mine.count_wrong(), theirs.count_wrong()
    return [
        Contest(sentence, number, int(wrong[sentence]), int(rival[sentence]))
        for sentence in np.flatnonzero(wrong != rival).tolist()
    ]


def _rank(contests: list[Contest], most: int) -> tuple[Contest, ...]:
    return tuple(sorted(contests, key=lambda each: (-abs(each.wrong - each.rival_wrong), each.sentence))[:most])
