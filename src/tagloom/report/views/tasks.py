"""The section of a task: every type, what is taken for what, and scores of parts of the units."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tagloom.evaluate import Counts, Interval, Significance, bootstrap_kinds
from tagloom.report.charts.bars import draw_score
from tagloom.report.diagnosis.background import Background
from tagloom.report.diagnosis.model_report import ModelReport
from tagloom.report.diagnosis.task import NOTHING, Group, Matrix, Task
from tagloom.report.markup import element, paragraph, scrolling, table, text
from tagloom.report.views.section import (
    build_card,
    build_section,
    chance_cell,
    count_cell,
    difference_cell,
    percent_cell,
)
from tagloom.text.html import escape_html

_NARROW = 5  # columns of a table of pairs that needs half of the page
_MOST_TYPES = 60  # rows of the table of types


def build_tasks(report: ModelReport) -> str:
    """Build the sections of all tasks, the main one first."""
    return "".join(_build_task(task, report) for task in reversed(report.run.tasks))


def _build_task(task: Task, report: ModelReport) -> str:
    tests = {} if report.contrast is None else report.contrast.types.get(task.name, {})
    cards = [
        _build_types(task, report.samples, tests, [run.name for run in report.runs]),
        *(_build_matrix(matrix, task) for matrix in task.list_matrices()),
        *_build_groups(task, report.background, report.samples),
    ]
    return build_section(f"task-{task.name}", task.title, element("div", *cards, class_="cards"))


# -- types -------------------------------------------------------------------------------------------------------------


def _build_types(task: Task, samples: int, tests: Mapping[str, Significance], names: list[str]) -> str:
    counts, left_out = _choose_types(task.counts)
    if len(counts.kinds) < 2 and task.beside is None:
        return ""  # the overview says it
    intervals = bootstrap_kinds(counts, task.metric, samples)
    beside = {} if task.beside is None else task.beside[1].by_kind()
    headers = ["type", "gold", "found", "precision", *(["recall"] if task.metric != "recall" else [])]
    headers += [task.beside[0]] if task.beside else []
    score = f"{task.metric_name} and its interval"
    headers += [score, *(["difference", "p"] if tests else [])]
    rows = []
    for kind, prf in sorted(counts.by_kind().items(), key=lambda row: -row[1].gold):
        row = [escape_html(kind), count_cell(prf.gold), count_cell(prf.predicted)]
        row += [percent_cell(value) for value in (prf.precision, prf.recall)[: 1 + (task.metric != "recall")]]
        row += [percent_cell(beside[kind].recall) if kind in beside else "<td></td>"] if task.beside else []
        row.append(_build_interval(kind, intervals[kind]))
        row += [difference_cell(tests.get(kind)), chance_cell(tests.get(kind))] if tests else []
        rows.append(row)
    note = f"The {len(counts.kinds)} types with the most errors; {left_out:,} others are left out." if left_out else ""
    title = "By type" if task.kind != "trees" else "By relation"
    if tests:
        note += (
            f" Differences are those of {task.metric_name} between {' and '.join(names)}; significant ones stand out."
        )
    shown = table(f"{task.title}, {title.lower()}", headers, rows, sortable=True, left=score)
    return build_card(title, scrolling(shown, title), paragraph(note.strip(), "note"), class_="card broad")


def _choose_types(counts: Counts) -> tuple[Counts, int]:
    """Choose the types with the most errors, and count the others."""
    wrong = (counts.gold + counts.predicted - 2 * counts.correct).sum(axis=1)
    used = np.flatnonzero((counts.gold + counts.predicted).sum(axis=1) > 0)
    if len(used) <= _MOST_TYPES:
        return _take(counts, used), 0
    chosen = used[np.argsort(-wrong[used], kind="stable")[:_MOST_TYPES]]
    return _take(counts, np.sort(chosen)), len(used) - _MOST_TYPES


def _take(counts: Counts, places: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Counts:
    kinds = tuple(counts.kinds[place] for place in places.tolist())
    return Counts(kinds, *(each[places] for each in (counts.correct, counts.predicted, counts.gold)))


def _build_interval(name: str, interval: Interval) -> str:
    shown = text("span", f"{interval.value:.2f}", class_="value")
    bounds = text("small", f"{interval.low:.1f}–{interval.high:.1f}")
    return element("td", shown, draw_score(name, interval.value, interval.low, interval.high), bounds,
                   class_="bar", data_value=f"{interval.value:.6g}")  # fmt: skip


# -- pairs -------------------------------------------------------------------------------------------------------------


def _build_matrix(matrix: Matrix, task: Task) -> str:
    """Build a table of counts whose wrong pairs are buttons: they filter the list of errors."""
    if not matrix.counts.any():
        return ""
    is_square = matrix.rows == matrix.columns
    wrong = matrix.counts.copy()
    if is_square:
        np.fill_diagonal(wrong, 0)
    largest = int(wrong.max(initial=0)) or 1
    rows = []
    for number, name in enumerate(matrix.rows):
        cells = [
            _build_pair(matrix, task, number, column, largest, is_right=is_square and number == column)
            for column in range(len(matrix.columns))
        ]
        rows.append([escape_html(name), *cells])
    corner = "gold ↓ predicted →" if is_square else "predicted"
    shown = table(f"{matrix.title}: rows are gold, columns are predicted", [corner, *matrix.columns], rows)
    parts = scrolling(shown, matrix.title, "wide matrix"), paragraph(matrix.note, "note")
    return build_card(matrix.title, *parts, class_="card broad" if len(matrix.columns) > _NARROW else "card")


def _build_pair(matrix: Matrix, task: Task, row: int, column: int, largest: int, *, is_right: bool) -> str:
    count = int(matrix.counts[row, column])
    if is_right or not count:
        return element("td", f"{count:,}" if count else "", class_="same" if is_right else "none")
    gold, guess = matrix.rows[row], matrix.columns[column]
    shade = f"--heat: {0.08 + 0.5 * count / largest:.2f}"
    if matrix.rows != matrix.columns:
        return element("td", f"{count:,}", class_="pair", style=shade)
    button = element("button", f"{count:,}", type="button", class_="pick", data_task=task.name,
                     data_gold="" if gold == NOTHING else gold, data_guess="" if guess == NOTHING else guess,
                     aria_label=f"{count:,} times gold {gold}, predicted {guess}: show the errors")  # fmt: skip
    return element("td", button, class_="pair", style=shade)


# -- groups ------------------------------------------------------------------------------------------------------------


def _build_groups(task: Task, background: Background, samples: int) -> list[str]:
    return [_build_group(group, task.unit, samples) for group in task.list_groups(background) if group.counts.kinds]


def _build_group(group: Group, unit: str, samples: int) -> str:
    intervals = bootstrap_kinds(group.counts, group.metric, samples)
    beside = {} if group.beside is None else group.beside[1].by_kind()
    totals, rows = group.counts.by_kind(), []
    for kind in group.counts.kinds:
        row = [escape_html(kind), count_cell(totals[kind].gold)]
        row += [percent_cell(beside[kind].recall) if kind in beside else "<td></td>"] if group.beside else []
        rows.append([*row, _build_interval(kind, intervals[kind])])
    headers = [group.part, unit, *([group.beside[0]] if group.beside else []), group.name]
    shown = table(f"{group.name} by {group.title.lower()}", headers, rows, left=group.name)
    return build_card(group.title, scrolling(shown, group.title), paragraph(group.note, "note"))
