"""A tuning as files: numbers, a table that begins with the best trial, and the drawing of scores."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tagloom.corpus.streams import replace_file
from tagloom.experiments.trials import Trial, Tuning
from tagloom.report.curves import PlotsMissingError
from tagloom.report.files import make_folder
from tagloom.report.landscape import draw_tuning
from tagloom.report.table import METRIC_NAMES, csv_text

_RESULTS = ("score", "best_epoch", "epochs", "seconds", "status", "signature")


def tuning_headers(tuning: Tuning) -> tuple[str, ...]:
    return ("trial", *tuning.grid, f"dev {METRIC_NAMES[tuning.metric]}", "pass", "passes", "seconds", "status")


def tuning_rows(tuning: Tuning) -> list[tuple[str, ...]]:
    """A row of texts for every trial, the best first."""
    return [_row(trial) for trial in tuning.ranked()]


def _row(trial: Trial) -> tuple[str, ...]:
    return (
        str(trial.number),
        *(" ".join(str(value).split()) for value in trial.options.values()),
        "-" if trial.score is None else f"{trial.score:.2f}",
        str(trial.best_epoch or "-"),
        str(len(trial.history)),
        f"{trial.seconds:.2f}",
        trial.status,
    )


def tuning_csv(tuning: Tuning) -> str:
    """One line a trial, the best first; numbers are not rounded. An option that has the name of a result gets a dot."""
    columns = {name: f"options.{name}" if name in ("trial", *_RESULTS) else name for name in tuning.grid}
    rows = [
        {**{columns[name]: value for name, value in trial.options.items()}, **trial.to_dict()}
        for trial in tuning.ranked()
    ]
    return csv_text(["trial", *columns.values(), *_RESULTS], rows)


def write_tuning(tuning: Tuning, folder: str | os.PathLike[str]) -> tuple[list[Path], str | None]:
    """Write ``tune.json``, ``tune.csv`` and ``tune.svg``; returns their paths, and a line if nothing could be drawn."""
    path, note = make_folder(folder), None
    numbers = json.dumps(tuning.to_dict(), ensure_ascii=False, indent=2) + "\n"
    files = {"tune.json": numbers.encode(), "tune.csv": tuning_csv(tuning).encode()}
    try:
        files["tune.svg"] = draw_tuning(tuning)
    except PlotsMissingError as missing:
        note = str(missing)
    for name, data in files.items():
        replace_file(path / name, data)
    return [path / name for name in files], note
