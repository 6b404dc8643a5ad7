"""Learning curves as in Figure 1 of He and Wang (2012): of a comparison, and on many corpora with one panel each."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tagloom.arguments import check_arguments, check_methods
from tagloom.errors import ConfigError
from tagloom.experiments.compare import Comparison, Run
from tagloom.report.figure import add_legend, add_margin, choose_style, draw_ring, render
from tagloom.report.table import METRIC_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_ACROSS = 3  # panels side by side
_WIDTH, _HEIGHT = 9.0, 2.6  # inches: of a figure, which stays readable at 600 pixels, and of one row of panels
_LEAST_HEIGHT = 3.0
_LEGEND_NAMES, _LEGEND_LINE = 4, 0.25  # names in a line of the legend, and its height
_TITLE = 98  # characters that stand side by side in titles
_MOST_PANEL_MARKS = 4  # on a curve of a panel
_MOST_MARKS = 15  # on a curve
_LOG_RATIO = 40.0  # an axis that spans more than this is logarithmic


def find_limits(curves: Sequence[Sequence[float]], finals: Sequence[float]) -> tuple[float, float]:
    """Return the range of scores to show: every final score, and what a typical learner has after its first passes.

    The start of a slow learner may lie below the range. Otherwise the differences at the end could not be seen.
    """
    worst, high = min(finals), max(map(max, curves))
    typical = float(np.median([np.percentile(curve, 10) for curve in curves]))
    low = max(min(typical, high - 3 * (high - worst)), min(map(min, curves)))
    return add_margin(low, high)


# -- a comparison ------------------------------------------------------------------------------------------------------


@check_arguments
def draw_curves(comparison: Comparison, kind: str = "svg", *, embedded: bool = False) -> bytes:
    """Draw the score against passes and against seconds of learning.

    Args:
        comparison: The learners to draw; a ring marks the pass that was kept.
        kind: "svg" or "png".
        embedded: For a page: texts stay texts, and there is no background.

    Raises:
        PlotsMissingError: matplotlib is not installed.
    """
    return render(lambda: _build_comparison(comparison), kind, embedded=embedded)


def find_score_limits(comparison: Comparison) -> tuple[float, float]:
    """Return the range of scores that the curves of a comparison show."""
    curves = [[point.score for point in run.curve] for run in comparison.runs]
    return find_limits(curves, [run.score.value for run in comparison.runs])


def _build_comparison(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH, 4.2 + _LEGEND_LINE * -(-len(comparison.runs) // 3)), layout="constrained")
    by_pass, by_seconds = figure.subplots(1, 2, sharey=True)
    for number, run in enumerate(comparison.runs):
        _draw_run(by_pass, run, number, [point.record.epoch for point in run.curve], "passes")
        _draw_run(by_seconds, run, number, [point.seconds for point in run.curve], "seconds")
    _label_axes(by_pass, by_seconds, comparison)
    handles = [line for line in by_pass.get_lines() if "kept" not in str(line.get_gid())]
    ranked = sorted(zip(comparison.runs, handles), key=lambda pair: -pair[0].score.value)
    texts = [f"{run.score.value:.2f}  {run.learner}" for run, _ in ranked]
    add_legend(figure, [line for _, line in ranked], texts)
    return figure


def _draw_run(axes: Axes, run: Run, number: int, x: Sequence[float], panel: str) -> None:
    scores = [point.score for point in run.curve]
    every = max(1, -(-len(x) // _MOST_MARKS))
    axes.plot(x, scores, **choose_style(number), linewidth=1.7, markersize=4, markevery=every, markeredgewidth=0,
              gid=f"{panel}-{number}", zorder=3)  # fmt: skip
    kept = [point.record.epoch for point in run.curve].index(run.best_epoch)
    draw_ring(axes, x[kept], scores[kept], number, f"{panel}-kept-{number}", size=9)


def _label_axes(by_pass: Axes, by_seconds: Axes, comparison: Comparison) -> None:
    from matplotlib.ticker import MaxNLocator

    by_pass.set_ylabel(f"{METRIC_NAMES[comparison.metric]} on {comparison.parts['test'].name} (%)")
    by_seconds.set_ylabel(by_pass.get_ylabel())
    by_pass.set_title("ring: the pass that was kept; legend: its score", loc="left", fontsize=9)
    by_pass.set_ylim(find_score_limits(comparison))
    by_pass.xaxis.set_major_locator(MaxNLocator(integer=True))
    _scale(by_pass, "pass", 1, max(run.epochs for run in comparison.runs))
    seconds = [point.seconds for run in comparison.runs for point in run.curve]
    by_seconds.xaxis.set_major_locator(MaxNLocator(5))
    _scale(by_seconds, "seconds of learning", min(seconds), max(seconds))


def _scale(axes: Axes, name: str, first: float, last: float) -> None:
    """Make the x axis logarithmic if one learner has long finished when another one begins."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xlabel(name)
    if first > 0 and last / first > _LOG_RATIO:
        axes.set_xscale("log")
        axes.set_xlim(first / 1.25, last * 1.25)
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if last / first < 500 else (1.0,)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.set_xlim(0, last * 1.04)


# -- many corpora ------------------------------------------------------------------------------------------------------


@check_methods()
@dataclass(frozen=True)
class Panel:
    """The curves of one corpus: name -> (pass or seconds, score) after every pass; ``score`` is what y shows."""

    title: str
    curves: Mapping[str, Sequence[tuple[float, float]]]
    score: str = "score (%)"


@check_arguments
def draw_panels(panels: Sequence[Panel], axis: str, kind: str = "svg", *, log: bool = False) -> bytes:
    """Draw all panels in one figure; a curve with the same name has the same colour and mark in each.

    Args:
        panels: At least one panel.
        axis: What the x axis shows.
        kind: "svg" or "png".
        log: Make the x axis logarithmic.

    Raises:
        ConfigError: There is no panel.
        PlotsMissingError: matplotlib is not installed.
    """
    if not panels:
        raise ConfigError("panels: expected at least one panel, got none")
    return render(lambda: _build_panels(panels, axis, log), kind)


def _build_panels(panels: Sequence[Panel], axis: str, log: bool) -> Figure:
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    across = 2 if len(panels) == 4 else min(_ACROSS, len(panels))
    down = -(-len(panels) // across)
    lines = -(-len(names) // _LEGEND_NAMES) if len(names) > 1 else 0
    height = max(_HEIGHT * down, _LEAST_HEIGHT) + _LEGEND_LINE * lines
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    handles: dict[str, Line2D] = {}
    for place, panel in enumerate(panels, 1):
        axes = figure.add_subplot(down, across, place)
        _draw_panel(axes, panel, names, axis, log)
        axes.set_title("\n".join(textwrap.wrap(panel.title, _TITLE // across - 3)))
        handles |= {str(line.get_label()): line for line in axes.get_lines()}
    if len(names) > 1:
        add_legend(figure, [handles[name] for name in names], names)
    return figure


def _draw_panel(axes: Axes, panel: Panel, names: Sequence[str], axis: str, log: bool) -> None:
    for name, curve in panel.curves.items():
        x, y = zip(*curve)
        number = names.index(name)
        marked = _choose_marked(x, log, number, len(names))
        axes.plot(x, y, **choose_style(number), linewidth=1.5, label=name, markersize=4, markeredgewidth=0,
                  markevery=marked, gid=f"{panel.title}-{name}")  # fmt: skip
    scores = [[score for _, score in curve] for curve in panel.curves.values()]
    axes.set_ylim(find_limits(scores, [curve[-1] for curve in scores]))
    axes.set(xlabel=axis, ylabel=panel.score)
    if log:
        axes.set_xscale("log")
        _write_plain_numbers(axes)
    axes.yaxis.set_major_formatter("{x:,g}")


def _choose_marked(x: Sequence[float], log: bool, number: int, count: int) -> list[int]:
    """Choose the points with marks: few, evenly spread over the axis, and not those of the other curves."""
    if count == 1 or len(x) <= _MOST_PANEL_MARKS + 1:
        return list(range(len(x))) if count > 1 else []
    spread = np.log(np.maximum(x, 1e-12)) if log else np.asarray(x, float)
    share = (np.arange(_MOST_PANEL_MARKS) + (number + 1) / (count + 1)) / _MOST_PANEL_MARKS
    return sorted(set(np.abs(spread - (spread[0] + share * np.ptp(spread))[:, None]).argmin(axis=1).tolist()))


def _write_plain_numbers(axes: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.xaxis.set_major_locator(LogLocator(numticks=4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
