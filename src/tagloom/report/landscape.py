"""The scores of a tuning drawn: development score against one parameter, a line for every value of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tagloom.experiments.grid import plain, trial_name
from tagloom.experiments.trials import Trial, Tuning
from tagloom.report.curves import COLOURS, DASHES, MARKS, rendered
from tagloom.report.table import METRIC_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_SPREAD = 10  # times the distance from the best score to the median
_MOST_TICKS = 12
_MOST_LINES = len(COLOURS) * len(DASHES)  # that can be told apart


def draw_tuning(tuning: Tuning, kind: str = "svg") -> bytes:
    """The figure as "svg" or "png". Filled marks finished, hollow ones did not; a ring marks the best."""
    return rendered(lambda: _figure(tuning), kind)


def main_parameter(tuning: Tuning) -> str:
    """What the x axis shows: of the options that are numbers the one with most values, else the first."""
    numeric = {name: len(values) for name, values in tuning.grid.items() if _is_numeric(values)}
    return max(numeric or dict.fromkeys(tuning.grid, 0), key=lambda name: numeric.get(name, 0))


def _is_numeric(values: Sequence[object]) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def is_geometric(values: Sequence[float]) -> bool:
    """Whether values are spaced more evenly on a logarithmic axis.

    >>> is_geometric([0.01, 0.1, 1]), is_geometric([1, 2, 3, 4]), is_geometric([1, 2]), is_geometric([0, 1, 10])
    (True, False, False, False)
    """
    ordered = np.sort(np.asarray(values, float))
    if ordered[0] <= 0 or len(ordered) < 2:
        return False
    if len(ordered) == 2:
        return bool(ordered[1] / ordered[0] >= 10)
    plain, logarithmic = np.diff(ordered), np.diff(np.log(ordered))
    return bool(logarithmic.std() / logarithmic.mean() < plain.std() / plain.mean())


def _lines(tuning: Tuning, parameter: str) -> dict[str, list[Trial]]:
    """The trials that made a pass by the other options, the line with the best trial first."""
    lines: dict[str, list[Trial]] = {}
    for trial in tuning.ranked():
        if trial.score is not None:
            rest = {name: value for name, value in trial.options.items() if name != parameter}
            lines.setdefault(trial_name(rest), []).append(trial)
    return lines


def shown_scores(scores: Sequence[float]) -> tuple[float, float]:
    """The stretch of scores worth seeing: hopeless trials may lie below it, lest they press all others together.

    >>> shown_scores([90.0, 89.0, 80.0]), shown_scores([90.0, 89.0, 0.0])
    ((79.5, 90.5), (79.5, 90.5))
    """
    high = max(scores)
    low = max(min(scores), high - _MOST_SPREAD * max(high - float(np.median(scores)), 0.5))
    margin = max(0.05 * (high - low), 0.05)
    return max(0.0, low - margin), high + margin


def _places(values: Sequence[object]) -> dict[object, float]:
    """Where the values stand on the axis: numbers where they are, names one after another."""
    if _is_numeric(values):
        return {value: float(value) for value in values}  # type: ignore[arg-type]
    return {value: float(number) for number, value in enumerate(values)}


def _figure(tuning: Tuning) -> Figure:
    from matplotlib.figure import Figure

    parameter = main_parameter(tuning)
    places = _places(tuning.grid[parameter])
    figure = Figure(figsize=(7.5, 4.4), layout="constrained")
    axes = figure.subplots()
    for number, (name, trials) in enumerate(list(_lines(tuning, parameter).items())[:_MOST_LINES]):
        points = [(places[trial.chosen[parameter]], trial) for trial in trials]
        _draw(axes, number, name, points, joined=_is_numeric(tuning.grid[parameter]))
    best = tuning.best_trial
    axes.plot(places[best.chosen[parameter]], best.score or 0.0, marker="o", markersize=13, markerfacecolor="none",
              markeredgecolor=COLOURS[0], markeredgewidth=1.4, linestyle="none", gid="best", zorder=4)  # fmt: skip
    _finish(axes, tuning, parameter, places)
    if len(tuning.grid) > 1:
        handles = [line for line in axes.get_lines() if str(line.get_gid()).startswith("line-")]
        figure.legend(handles, [str(line.get_label()) for line in handles], loc="outside right upper", frameon=False)
    return figure


def _draw(axes: Axes, number: int, name: str, points: list[tuple[float, Trial]], *, joined: bool) -> None:
    """One line, or marks alone between names; hollow marks for trials that did not run to their end."""
    points = sorted(points, key=lambda point: point[0])
    colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
    dash = DASHES[number // len(COLOURS)] if joined else "none"
    x, scores = [place for place, _ in points], [trial.score or 0.0 for _, trial in points]
    axes.plot(x, scores, color=colour, linestyle=dash, linewidth=1.5, marker=mark, markersize=5,
              markerfacecolor="white", label=name, gid=f"line-{number}", zorder=2)  # fmt: skip
    finished = [(place, trial.score or 0.0) for place, trial in points if trial.status == "finished"]
    if finished:
        axes.plot(*zip(*finished), color=colour, marker=mark, markersize=5, linestyle="none",
                  gid=f"finished-{number}", zorder=3)  # fmt: skip


def _finish(axes: Axes, tuning: Tuning, parameter: str, places: dict[object, float]) -> None:
    from matplotlib.ticker import NullLocator

    if is_geometric(list(places.values())) and _is_numeric(tuning.grid[parameter]):
        axes.set_xscale("log")
    if len(places) <= _MOST_TICKS:
        axes.set_xticks(list(places.values()), [_tick(value) for value in places])
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(shown_scores([trial.score for trial in tuning.trials if trial.score is not None]))
    axes.set_xlabel(parameter)
    axes.set_ylabel(f"{METRIC_NAMES[tuning.metric]} on {tuning.parts['dev'].name} (%)")
    axes.grid(True)
    axes.set_axisbelow(True)


def _tick(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(plain(value))
