"""A tuning as files: numbers, a table that begins with the best trial, and a figure of the scores."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tagloom.arguments import check_arguments
from tagloom.experiments.grid import format_trial_name, plain
from tagloom.experiments.trials import Trial, Tuning
from tagloom.report.figure import (
    COLOURS,
    DASHES,
    PlotsMissingError,
    add_legend,
    add_margin,
    choose_style,
    draw_ring,
    render,
)
from tagloom.report.files import open_folder, write_files
from tagloom.report.table import METRIC_NAMES, format_csv

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_RESULTS = ("score", "best_epoch", "epochs", "seconds", "status", "signature")
_MOST_SPREAD = 10  # times the distance from the best score to the median
_MOST_TICKS = 12
_LEGEND_LINE = 0.2  # inches
_MOST_LINES = len(COLOURS) * len(DASHES)  # that can be told apart


@check_arguments
def write_tuning(tuning: Tuning, folder: str | os.PathLike[str]) -> tuple[list[Path], str | None]:
    """Write ``tune.json``, ``tune.csv`` and ``tune.svg``.

    Returns:
        The files, and a line about the figure if it could not be drawn.
    """
    path, note = open_folder(folder), None
    numbers = json.dumps(tuning.to_dict(), ensure_ascii=False, indent=2) + "\n"
    files = {"tune.json": numbers.encode(), "tune.csv": build_tuning_csv(tuning).encode()}
    try:
        files["tune.svg"] = draw_tuning(tuning)
    except PlotsMissingError as missing:
        note = str(missing)
    return write_files(path, files), note


# -- the table ---------------------------------------------------------------------------------------------------------


def list_tuning_headers(tuning: Tuning) -> tuple[str, ...]:
    """Return the headers of the table."""
    return ("trial", *tuning.grid, f"dev {METRIC_NAMES[tuning.metric]}", "pass", "passes", "seconds", "status")


def build_tuning_rows(tuning: Tuning) -> list[tuple[str, ...]]:
    """Return one row of texts per trial, the best first."""
    return [_build_row(trial) for trial in tuning.rank()]


def _build_row(trial: Trial) -> tuple[str, ...]:
    return (
        str(trial.number),
        *(" ".join(str(value).split()) for value in trial.options.values()),
        "-" if trial.score is None else f"{trial.score:.2f}",
        str(trial.best_epoch or "-"),
        str(len(trial.history)),
        f"{trial.seconds:.2f}",
        trial.status,
    )


@check_arguments
def build_tuning_csv(tuning: Tuning) -> str:
    """Return CSV with one line per trial, the best first; numbers are not rounded.

    An option that has the same name as a result is called ``options.NAME``.
    """
    columns = {name: f"options.{name}" if name in ("trial", *_RESULTS) else name for name in tuning.grid}
    trials = tuning.rank()
    rows = [{**dict(zip(columns.values(), trial.options.values())), **trial.to_dict()} for trial in trials]
    return format_csv(["trial", *columns.values(), *_RESULTS], rows)


# -- the figure --------------------------------------------------------------------------------------------------------


@check_arguments
def draw_tuning(tuning: Tuning, kind: str = "svg") -> bytes:
    """Draw the development score against one parameter, with one line for every choice of the others.

    Marks are filled if the trial finished and hollow otherwise; a ring marks the best trial.

    Raises:
        PlotsMissingError: matplotlib is not installed.
    """
    return render(lambda: _build_figure(tuning), kind)


def choose_parameter(tuning: Tuning) -> str:
    """Return what the x axis shows: the numeric option with the most values, else the first option."""
    numeric = {name: len(values) for name, values in tuning.grid.items() if _is_numeric(values)}
    return max(numeric or dict.fromkeys(tuning.grid, 0), key=lambda name: numeric.get(name, 0))


def is_geometric(values: Sequence[float]) -> bool:
    """Return whether values are spaced more evenly on a logarithmic axis.

    >>> is_geometric([0.01, 0.1, 1]), is_geometric([1, 2, 3, 4]), is_geometric([1, 2]), is_geometric([0, 1, 10])
    (True, False, False, False)
    """
    ordered = np.sort(np.asarray(values, float))
    if ordered[0] <= 0 or len(ordered) < 2:
        return False
    if len(ordered) == 2:
        return bool(ordered[1] / ordered[0] >= 10)
    steps, ratios = np.diff(ordered), np.diff(np.log(ordered))
    return bool(ratios.std() / ratios.mean() < steps.std() / steps.mean())


def find_limits(scores: Sequence[float]) -> tuple[float, float]:
    """Return the range of scores to show; very bad trials may lie below it, so that the others can be told apart.

    >>> find_limits([90.0, 89.0, 80.0]), find_limits([90.0, 89.0, 0.0])
    ((79.5, 90.5), (79.5, 90.5))
    """
    high = max(scores)
    low = max(min(scores), high - _MOST_SPREAD * max(high - float(np.median(scores)), 0.5))
    return add_margin(low, high)


def _is_numeric(values: Sequence[object]) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _group_trials(tuning: Tuning, parameter: str) -> dict[str, list[Trial]]:
    """The trials that made a pass by their other options; the line with the best trial comes first."""
    lines: dict[str, list[Trial]] = {}
    for trial in tuning.rank():
        if trial.score is not None:
            rest = {name: value for name, value in trial.options.items() if name != parameter}
            lines.setdefault(format_trial_name(rest), []).append(trial)
    return lines


def _place_values(values: Sequence[object]) -> dict[object, float]:
    """Where values are on the x axis: numbers at their value, names one after another."""
    if _is_numeric(values):
        return {value: float(value) for value in values}  # type: ignore[arg-type]
    return {value: float(number) for number, value in enumerate(values)}


def _build_figure(tuning: Tuning) -> Figure:
    from matplotlib.figure import Figure

    parameter = choose_parameter(tuning)
    places = _place_values(tuning.grid[parameter])
    lines = list(_group_trials(tuning, parameter).items())[:_MOST_LINES]
    figure = Figure(figsize=(7.5, 4.4 + _LEGEND_LINE * (len(lines) > 1) * len(lines)), layout="constrained")
    axes = figure.subplots()
    for number, (name, trials) in enumerate(lines):
        points = sorted(((places[trial.chosen[parameter]], trial) for trial in trials), key=lambda point: point[0])
        _draw_line(axes, number, name, points, connect=_is_numeric(tuning.grid[parameter]))
    best = tuning.best_trial
    draw_ring(axes, places[best.chosen[parameter]], best.score or 0.0, 0, "best", size=13)
    _label_axes(axes, tuning, parameter, places)
    if len(tuning.grid) > 1:
        handles = [line for line in axes.get_lines() if str(line.get_gid()).startswith("line-")]
        add_legend(figure, handles, [str(line.get_label()) for line in handles])
    return figure


def _draw_line(axes: Axes, number: int, name: str, points: list[tuple[float, Trial]], *, connect: bool) -> None:
    """Draw hollow marks, connected unless the x axis shows names, and fill those of finished trials."""
    style = choose_style(number)
    style = style if connect else {**style, "linestyle": "none"}
    x, scores = [place for place, _ in points], [trial.score or 0.0 for _, trial in points]
    axes.plot(x, scores, **style, linewidth=1.5, markersize=5, markerfacecolor="white", label=name,
              gid=f"line-{number}", zorder=2)  # fmt: skip
    finished = [(place, trial.score or 0.0) for place, trial in points if trial.status == "finished"]
    if finished:
        axes.plot(*zip(*finished), **{**style, "linestyle": "none"}, markersize=5, gid=f"finished-{number}", zorder=3)


def _label_axes(axes: Axes, tuning: Tuning, parameter: str, places: dict[object, float]) -> None:
    from matplotlib.ticker import NullLocator

    if is_geometric(list(places.values())) and _is_numeric(tuning.grid[parameter]):
        axes.set_xscale("log")
    if len(places) <= _MOST_TICKS:
        ticks = [f"{value:g}" if isinstance(value, float) else str(plain(value)) for value in places]
        axes.set_xticks(list(places.values()), ticks)
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(find_limits([trial.score for trial in tuning.trials if trial.score is not None]))
    axes.set_xlabel(parameter)
    axes.set_ylabel(f"{METRIC_NAMES[tuning.metric]} on {tuning.parts['dev'].name} (%)")
