"""Run a recipe corpus by corpus: rows in the cache are skipped, the others run side by side and are kept at once."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tagloom.corpus.replace import make_folder, replace_file
from tagloom.errors import ConfigError, DataError
from tagloom.experiments.grid import pick
from tagloom.recipes.layout import format_mean, number
from tagloom.recipes.recipe import Experiment, Finished, Point, Recipe, Row, Tell, Workbench
from tagloom.recipes.seeds import run_seeds
from tagloom.systems.learning import Progress
from tagloom.systems.parallel import Pool, Watch, open_pool


@dataclass(frozen=True)
class RowCache:
    """A folder with one small file per finished row. A damaged file, or one of another signature, is ignored."""

    folder: Path

    def load(self, signature: str) -> Finished | None:
        """Return the row with this signature, or None."""
        try:
            values = json.loads(self._file(signature).read_text("utf-8"))
            found = Finished(Row(**values["row"]), tuple(Point(*point) for point in values["curve"]))
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return found if found.row.signature == signature else None

    def store(self, finished: Finished) -> None:
        """Write a row under its signature."""
        make_folder(self.folder, "finished rows (--cache)")
        values = {"row": finished.row.to_dict(), "curve": finished.curve}
        replace_file(self._file(finished.row.signature), json.dumps(values, ensure_ascii=False).encode())

    def _file(self, signature: str) -> Path:
        return self.folder / f"{hashlib.blake2b(signature.encode(), digest_size=12).hexdigest()}.json"


def get_default_cache() -> Path:
    """Return ``tagloom/reproduce`` in the user's cache directory (XDG base directories ignore a relative path)."""
    path = Path(os.environ.get("XDG_CACHE_HOME", ""))
    base = path if path.is_absolute() else Path.home() / ".cache"
    return base / "tagloom" / "reproduce"


def reproduce(
    recipe: Recipe,
    experiments: Sequence[Experiment],
    data: Path,
    cache: RowCache,
    *,
    fresh: bool = False,
    jobs: int = 1,
    ray: bool | str | None = None,
    tell: Tell = lambda _: None,
    status: Tell = lambda _: None,
) -> list[Finished]:
    """Run experiments of a recipe on the corpora in a folder. Corpora that are not there are skipped.

    Args:
        recipe: The recipe that the experiments belong to.
        experiments: What to run, see ``select``.
        data: The folder that holds the corpora.
        cache: Where every row is stored as soon as it is finished, and found again by a later run.
        fresh: Run finished rows again.
        jobs: Number of rows of a corpus that run at the same time. Scores do not depend on it, but seconds do.
        ray: Run the rows on the workers of a Ray cluster: its address, or True for workers on this machine. They must
            see the same folders.
        tell: Receives one line for every row and for every corpus that is skipped.
        status: Receives the progress of rows that are running.

    Returns:
        The finished rows in the order of the experiments.

    Raises:
        ConfigError: ``jobs`` is less than 1, or the cache lies in the data folder.
        DataError: The data folder does not exist, or the cache cannot be written.
    """
    if jobs < 1:
        raise ConfigError(f"jobs: expected a whole number from 1 on, got {jobs}")
    if not data.is_dir():
        raise DataError(f"{data}: no such directory; name the folder that holds the corpora")
    if cache.folder.resolve().is_relative_to(data.resolve()):
        raise ConfigError(f"{cache.folder}: lies in the data; choose another folder with --cache")
    pool = open_pool(ray, lambda name, progress: (status if name else tell)(progress.message))
    run = _Run(recipe, data, cache, fresh, jobs, tell, pool)
    finished: dict[Experiment, Finished] = {}
    for corpus in dict.fromkeys(experiment.corpus for experiment in experiments):
        finished |= run.run_corpus(corpus, [e for e in experiments if e.corpus == corpus])
    return [finished[e] for e in experiments if e in finished]


@dataclass(frozen=True)
class _Run:
    recipe: Recipe
    data: Path
    cache: RowCache
    fresh: bool
    jobs: int
    tell: Tell
    pool: Pool

    def run_corpus(self, corpus: str, experiments: Sequence[Experiment]) -> dict[Experiment, Finished]:
        """Run all rows of one corpus. It is opened only if a row is not in the cache."""
        dataset = self.recipe.datasets[corpus]
        reason = dataset.missing(self.data)
        if reason is not None:
            self.tell(f"{corpus}: skipped, {reason}")
            return {}
        checksum = dataset.checksum(self.data)
        signatures = {e: self.recipe.signature(e, checksum) for e in experiments}
        finished = {} if self.fresh else self._load(signatures)
        waiting = {e: signature for e, signature in signatures.items() if e not in finished}
        if waiting:
            self.tell(f"{corpus}: reading and encoding")
            folds = None if self.fresh else self.cache.folder / "folds"
            finished |= self._run_all(_RowRunner(self.recipe, corpus, self.data, folds, self.cache), waiting)
        return finished

    def _load(self, signatures: dict[Experiment, str]) -> dict[Experiment, Finished]:
        """Rows of an earlier run; the paper's number is that of the recipe."""
        found = {}
        for experiment, signature in signatures.items():
            cached = self.cache.load(signature)
            if cached is not None:
                found[experiment] = replace(cached, row=replace(cached.row, paper=experiment.paper))
                self.tell(f"{_describe(found[experiment].row)} (from the cache)")
        return found

    def _run_all(self, runner: _RowRunner, waiting: dict[Experiment, str]) -> dict[Experiment, Finished]:
        jobs = self.pool.count_jobs(self.jobs, 1, len(waiting))
        found = self.pool.run(runner, list(waiting.items()), jobs)
        if self.pool.is_stopped:
            raise KeyboardInterrupt
        return {experiment: row for experiment, row in zip(waiting, found) if row is not None}


class _RowRunner:
    """Runs rows of one corpus, in the process where it is called; the corpus is opened by the first of them."""

    def __init__(self, recipe: Recipe, corpus: str, data: Path, folds: Path | None, cache: RowCache) -> None:
        self.recipe, self.corpus, self.data, self.folds, self.cache = recipe, corpus, data, folds, cache
        self._lock = threading.Lock()
        self._bench: Workbench | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process opens the corpus for itself."""
        return _RowRunner, (self.recipe, self.corpus, self.data, self.folds, self.cache)

    def _open(self) -> Workbench:
        with self._lock:
            if self._bench is None:
                self._bench = self.recipe.open(self.recipe.datasets[self.corpus], self.data, self.folds)
            return self._bench

    def __call__(self, waiting: tuple[Experiment, str], watch: Watch) -> Finished:
        """Run one row, and keep it."""
        experiment, signature = waiting

        def tell(text: str) -> None:
            if watch.is_stopped:
                raise KeyboardInterrupt
            watch.tell(experiment.name, Progress("epoch", f"{experiment.name}: {text}"))

        measured = run_seeds(self._open(), experiment, tell)
        place = pick(experiment, "table corpus system metric paper")
        row = Row(**place, **pick(measured, "ours seconds spread"), signature=signature)
        finished = Finished(row, measured.curve)
        self.cache.store(finished)
        watch.tell(None, Progress("finished", _describe(row)))
        return finished


def _describe(row: Row) -> str:
    ours = format_mean(row.ours, row.spread)
    return f"{row.corpus}/{row.system}: {row.metric} {ours}, paper {number(row.paper)}, {row.seconds:.1f} s"
