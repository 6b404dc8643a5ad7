"""The plot of a run: CPU seconds of training against the score, and speed of tagging, for every task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.rivals.tasks import Task

OURS, THEIRS = "#0b6e4f", "#8d99ae"
FIRST_OFFSET = 4  # points from a mark to its name


def draw(tasks: Sequence[Task], records: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw two panels per task into an SVG file; the traces of tagloom are lines."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "tagloom", "font.size": 8})
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(tasks), 2, figsize=(10, 3 * len(tasks)), squeeze=False)
    for task, (left, right) in zip(tasks, axes):
        rows = [each for each in records if each["task"] == task.name and "failure" not in each]
        _draw_training(left, task, rows)
        _draw_tagging(right, rows)
    figure.tight_layout()
    for left, _ in axes:
        _separate_names(left)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _draw_training(axes: Any, task: Task, rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        if row["ours"] and "trace" in row:
            axes.plot(row["trace"]["seconds"], row["trace"]["scores"], "-", color=OURS, linewidth=0.8)
        if "train_cpu" not in row:  # tags with the model of another row
            continue
        place = row["train_cpu"]["median"], row["score"]["median"]
        axes.plot(*place, "o", color=OURS if row["ours"] else THEIRS, markersize=4)
        axes.annotate(_name(row), place, xytext=(FIRST_OFFSET, 2), textcoords="offset points", fontsize=6)
    axes.margins(x=0.2)  # room for the names of slow tools
    axes.set(title=task.corpus, xscale="log", xlabel="training, CPU seconds", ylabel=f"test {task.metric}")


def _separate_names(axes: Any) -> None:
    """Move names downwards until none lies on another: tools with the same learner have nearly the same place."""
    done: list[Any] = []
    for name in sorted(axes.texts, key=lambda text: -text.xy[1]):
        while any(name.get_window_extent().overlaps(other) for other in done):
            name.set_position((FIRST_OFFSET, name.get_position()[1] - 1))
        done.append(name.get_window_extent())


def _draw_tagging(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    ordered = sorted(rows, key=lambda row: row["tokens_per_second"]["median"])
    speeds = [row["tokens_per_second"]["median"] for row in ordered]
    axes.barh([_name(row) for row in ordered], speeds, color=[OURS if row["ours"] else THEIRS for row in ordered])
    axes.set(xscale="log", xlabel="tokens per CPU second, feature extraction included")


def _name(row: Mapping[str, Any]) -> str:
    part = "" if row["sentences"] is None else f" ({row['sentences']:,})"
    return f"{row['system']}{part}"
