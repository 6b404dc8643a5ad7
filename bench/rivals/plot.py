"""The plot of a run: CPU seconds of training against the score, and speed of tagging, for every task."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.rivals.tasks import Task
from tagloom.report.figure import INK, render

OURS, THEIRS = "#0b6e4f", "#7a869a"
SMALL = 8  # points of the font of names
NEAR, STEP, FAR = 5, 3, 60  # distances in points from a mark to its name: the first, the next, the last that is tried
ROW = 0.24  # inches of a line of tools


def draw(tasks: Sequence[Task], records: Sequence[Mapping[str, Any]]) -> bytes:
    """Draw two panels per task as SVG; the traces of tagloom are lines."""
    return render(lambda: _build(tasks, records), "svg")


def _build(tasks: Sequence[Task], records: Sequence[Mapping[str, Any]]) -> Any:
    from matplotlib.figure import Figure

    rows = [[each for each in records if each["task"] == task.name and "failure" not in each] for task in tasks]
    heights = [max(2.9, ROW * len(own) + 0.9) for own in rows]
    figure = Figure(figsize=(9.0, sum(heights)), layout="constrained")
    grid = figure.subplots(len(tasks), 2, squeeze=False, height_ratios=heights, width_ratios=(1.25, 1))
    for task, own, (left, right) in zip(tasks, rows, grid):
        _draw_training(left, task, own)
        _draw_tagging(right, own)
    figure.draw_without_rendering()  # names are placed where the layout has put the panels
    figure.set_layout_engine("none")
    for left, _ in grid:
        _place_names(left)
    return figure


def _draw_training(axes: Any, task: Task, rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        if row["ours"] and "trace" in row:
            axes.plot(row["trace"]["seconds"], row["trace"]["scores"], "-", color=OURS, linewidth=0.8, alpha=0.6)
        if "train_cpu" not in row:  # tags with the model of another row
            continue
        place = row["train_cpu"]["median"], row["score"]["median"]
        axes.plot(*place, "o", color=OURS if row["ours"] else THEIRS, markersize=5)
        axes.annotate(_name(row), place, xytext=(NEAR, 0), textcoords="offset points", fontsize=SMALL, va="center")
    axes.margins(x=0.25, y=0.12)  # room for names
    axes.set_title(task.corpus, loc="left")
    axes.set(xscale="log", xlabel="training, CPU seconds", ylabel=f"test {task.metric} (%)")
    _write_plain_numbers(axes)


def _draw_tagging(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    ordered = sorted(rows, key=lambda row: row["tokens_per_second"]["median"])
    for place, row in enumerate(ordered):
        speed, colour = row["tokens_per_second"]["median"], OURS if row["ours"] else THEIRS
        axes.plot([speed], [place], "o", color=colour, markersize=6)
        axes.annotate(_shorten(speed), (speed, place), xytext=(6, 0), textcoords="offset points", fontsize=SMALL,
                      va="center")  # fmt: skip
    axes.set_yticks(range(len(ordered)), [_name(row) for row in ordered], fontsize=SMALL)
    axes.margins(x=0.18)
    axes.set(xscale="log", xlabel="tagging, tokens per CPU second", ylabel="tool")
    _write_plain_numbers(axes)


def _write_plain_numbers(axes: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.xaxis.set_major_locator(LogLocator(numticks=5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _shorten(value)))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _shorten(value: float) -> str:
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


# -- names beside marks ------------------------------------------------------------------------------------------------


def _place_names(axes: Any) -> None:
    """Move names to the nearest free place; a thin line leads from the mark to a name that is not beside it.

    Tools with the same learner have nearly the same place.
    """
    frame = axes.get_window_extent()
    taken = [_box(*axes.transData.transform(text.xy), 4) for text in axes.texts]
    taken += [_box(*place, 1) for line in axes.get_lines() for place in axes.transData.transform(line.get_xydata())]
    for name in sorted(axes.texts, key=lambda text: -text.xy[1]):
        for offset, side in _list_places():
            name.set(position=offset, ha=side)
            box = name.get_window_extent().padded(1)
            if _is_inside(box, frame) and not any(box.overlaps(other) for other in taken):
                break
        taken.append(name.get_window_extent().padded(1))
        if max(map(abs, offset)) > 2 * NEAR:
            _draw_leader(axes, name, offset)
        name.set_color(INK)


def _list_places() -> Iterator[tuple[tuple[float, float], str]]:
    """List offsets from a mark, and the side of the name that is there: the nearest first."""
    distances = range(0, FAR, STEP)
    places = [(x, y) for x, y in itertools.product(distances, distances)]
    for x, y in sorted(places, key=lambda place: place[0] + place[1]):
        for up in (y, -y):
            yield (NEAR + x, up), "left"
            yield (-NEAR - x, up), "right"


def _draw_leader(axes: Any, name: Any, offset: tuple[float, float]) -> None:
    line = {"arrowstyle": "-", "color": THEIRS, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
    axes.annotate("", name.xy, xytext=offset, textcoords="offset points", zorder=1, arrowprops=line)


def _box(x: float, y: float, half: float) -> Any:
    from matplotlib.transforms import Bbox

    return Bbox.from_extents(x - half, y - half, x + half, y + half)


def _is_inside(box: Any, frame: Any) -> bool:
    return bool(frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1)


def _name(row: Mapping[str, Any]) -> str:
    part = "" if row["sentences"] is None else f" ({row['sentences']:,})"
    return f"{row['system']}{part}"
