"""Tuning: a search over options of training on development data. Trials run side by side; hopeless ones stop early."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from tagloom.arguments import check_arguments
from tagloom.corpus.replace import make_folder
from tagloom.errors import ConfigError
from tagloom.experiments.compare import Part
from tagloom.experiments.grid import check_grid, complete_plans, plan_trials
from tagloom.experiments.search import Encodings, Search, TrialRunner, TuneReport, check_keep, tell_notes_once
from tagloom.experiments.trials import TrialFiles, Tuning
from tagloom.systems.data import Data, read_training_data
from tagloom.systems.learning import Progress
from tagloom.systems.parallel import open_pool
from tagloom.systems.registry import get_system


@check_arguments
def tune(
    train: Data,
    dev: Data,
    grid: Mapping[str, Iterable[object]],
    *,
    system: str = "tagger",
    keep: float = 0.5,
    folder: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    ray: bool | str | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: TuneReport | None = None,
    **options: object,
) -> Tuning:
    """Train with every combination of some options, and find the one with the best score on development data.

    Trials that agree in the options that shape the features share the encoded corpus. Ctrl-C ends every trial after
    its current pass, and the result has the passes that were made.

    Args:
        train: Training data, as for :func:`tagloom.train`.
        dev: Development data, on which trials are compared.
        grid: Values to try, by the name of the option, such as ``{"C": [0.01, 0.1, 1], "cutoff": [1, 2]}``.
        system: Name of the system.
        keep: Trials are compared after an eighth, a quarter and half of their passes. Each time, this part of them, by
            the best score so far, continues. 1 runs all trials to their end.
        folder: Folder that keeps the trials. If the search is killed, or called with a larger grid, the same call makes
            only the missing passes and ends with the same result.
        jobs: Number of trials that run at the same time; as many as there are cores if None. Scores do not depend on
            it.
        ray: Run the trials on the workers of a Ray cluster: its address, or True for workers on this machine. They must
            see the same ``folder``. Scores do not depend on it.
        columns: As for :func:`tagloom.train`.
        format: As for :func:`tagloom.train`.
        normalise: As for :func:`tagloom.train`.
        on_progress: Function that is called with the name of a trial and its :class:`Progress`.
        **options: Options of :func:`tagloom.train`, the same for all trials.

    Examples:
        >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
        >>> tuning = tune(sentences, sentences, {"C": [0.01, 0.1]}, learner="pa", epochs=3)
        >>> tuning.best, tuning.best_trial.score
        ({'system': 'tagger', 'learner': 'pa', 'epochs': 3, 'C': 0.01}, 100.0)
    """
    check_keep(keep)
    row = get_system(system)
    row.load_training().require_columns(row.noun, "tune")
    values = check_grid(grid, row)
    plans = plan_trials(values, options, row)
    pool = open_pool(ray, tell_notes_once(on_progress))
    jobs = pool.count_jobs(jobs, max(plan.options.threads for plan in plans), len(plans))
    corpora = {
        name: read_training_data(data, columns, format, normalise) for name, data in (("train", train), ("dev", dev))
    }
    row.load_training().check_gold(corpora["dev"], plans[0].options, corpora["train"])
    plans, notes = complete_plans(plans, corpora["train"], row)
    for note in notes:
        pool.tell(None, Progress("note", note))
    with _open_folder(folder) as path:
        encodings = Encodings(row, corpora["train"], corpora["dev"], jobs)
        search = Search(TrialRunner(encodings, TrialFiles(Path(path))), pool)
        trials = search.run(plans, keep, jobs)
    if not any(trial.history for trial in trials):
        raise KeyboardInterrupt
    return Tuning(
        trials=tuple(trials),
        grid=values,
        options={"system": system, **options},
        keep=keep,
        metric=search.metric,
        parts={name: Part.of(corpus) for name, corpus in corpora.items()},
        checksum=corpora["dev"].checksum(),
        jobs=jobs,
    )


def _open_folder(folder: str | os.PathLike[str] | None) -> AbstractContextManager[str | Path]:
    """Open the folder of the trials; if None, paused trials are kept in a temporary one, not in memory."""
    if folder is None:
        return TemporaryDirectory(prefix="tagloom-tune-")
    if not isinstance(folder, (str, os.PathLike)):
        raise ConfigError(f"folder: expected a path, got {folder!r}")
    return nullcontext(make_folder(Path(folder), "trials"))
