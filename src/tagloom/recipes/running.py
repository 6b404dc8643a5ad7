"""Running a recipe: corpus by corpus, rows that are in the cache left out, the others in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

from tagloom.errors import ConfigError, DataError
from tagloom.recipes.cache import RowCache
from tagloom.recipes.layout import number
from tagloom.recipes.recipe import Experiment, Finished, Recipe, Row, Workbench

Tell = Callable[[str], None]


def reproduce(
    recipe: Recipe,
    experiments: Sequence[Experiment],
    data: Path,
    cache: RowCache,
    *,
    fresh: bool = False,
    jobs: int = 1,
    tell: Tell = lambda _: None,
    status: Tell = lambda _: None,
) -> list[Finished]:
    """Run experiments of a recipe on the corpora in ``data``; corpora that are not there are skipped.

    cache: every row is stored as soon as it is finished, and not run again, unless ``fresh``.
    jobs: rows of a corpus that run at the same time; results are the same, seconds are not.
    tell: takes one line for every row and for every corpus that is skipped. status: how rows are getting on.
    """
    if jobs < 1:
        raise ConfigError(f"jobs: expected a whole number from 1 on, got {jobs}")
    if not data.is_dir():
        raise DataError(f"{data}: no such directory; name the folder that holds the corpora")
    if cache.folder.resolve().is_relative_to(data.resolve()):
        raise ConfigError(f"{cache.folder}: lies in the data; choose another folder with --cache")
    run = _Run(recipe, data, cache, fresh, jobs, tell, status)
    finished: dict[Experiment, Finished] = {}
    for corpus in dict.fromkeys(experiment.corpus for experiment in experiments):
        finished |= run.corpus(corpus, [e for e in experiments if e.corpus == corpus])
    return [finished[e] for e in experiments if e in finished]


@dataclass(frozen=True)
class _Run:
    recipe: Recipe
    data: Path
    cache: RowCache
    fresh: bool
    jobs: int
    tell: Tell
    status: Tell
    stopped: threading.Event = field(default_factory=threading.Event)

    def corpus(self, corpus: str, experiments: Sequence[Experiment]) -> dict[Experiment, Finished]:
        """All rows of one corpus. It is opened only if there is something left to run."""
        dataset = self.recipe.datasets[corpus]
        reason = dataset.missing(self.data)
        if reason is not None:
            self.tell(f"{corpus}: skipped, {reason}")
            return {}
        checksum = dataset.checksum(self.data)
        signatures = {e: self.recipe.signature(e, checksum) for e in experiments}
        finished = {} if self.fresh else self._cached(signatures)
        waiting = [e for e in experiments if e not in finished]
        if waiting:
            self.tell(f"{corpus}: reading and encoding")
            bench = self.recipe.open(corpus, self.data, None if self.fresh else self.cache.folder / "folds")
            finished |= self._run_all(bench, {e: signatures[e] for e in waiting})
        return finished

    def _cached(self, signatures: dict[Experiment, str]) -> dict[Experiment, Finished]:
        """Rows of an earlier run; what the paper says is not theirs to keep."""
        found = {}
        for experiment, signature in signatures.items():
            cached = self.cache.load(signature)
            if cached is not None:
                found[experiment] = replace(cached, row=replace(cached.row, paper=experiment.paper))
                self.tell(f"{_line(found[experiment].row)} (from the cache)")
        return found

    def _run_all(self, bench: Workbench, waiting: dict[Experiment, str]) -> dict[Experiment, Finished]:
        if self.jobs == 1:
            return {e: self._run_one(bench, e, signature) for e, signature in waiting.items()}
        with ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(self._run_one, bench, e, signature): e for e, signature in waiting.items()}
            try:
                return {running[done]: done.result() for done in as_completed(running)}
            except BaseException:
                self.stopped.set()  # rows in work end at their next pass
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _run_one(self, bench: Workbench, experiment: Experiment, signature: str) -> Finished:
        def go_on(text: str) -> None:
            if self.stopped.is_set():
                raise KeyboardInterrupt
            self.status(f"{experiment.name}: {text}")

        measured = bench.run(experiment, go_on)
        row = Row(experiment.table, experiment.corpus, experiment.system, experiment.metric, experiment.paper,
                  measured.ours, measured.seconds, signature)  # fmt: skip
        finished = Finished(row, measured.curve)
        self.cache.store(finished)
        self.tell(_line(row))
        return finished


def _line(row: Row) -> str:
    return f"{row.corpus}/{row.system}: {row.metric} {number(row.ours)}, paper {number(row.paper)}, {row.seconds:.1f} s"
