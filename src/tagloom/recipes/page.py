"""The files of a run: the tables as a page, the rows and the learning curves as JSON, and the figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tagloom.experiments.grid import pick
from tagloom.recipes.layout import Grid
from tagloom.recipes.recipe import Finished, Point, Recipe, Row
from tagloom.report import Panel, PlotsMissingError, draw_panels
from tagloom.report.files import write_files

_PLACE = "table corpus system"  # what a curve is of


def rows_to_dict(recipe: Recipe, finished: Sequence[Finished]) -> dict[str, object]:
    """Return the rows as an object for JSON."""
    notes = recipe.notes(finished)
    rows = [each.row.to_dict() for each in finished]
    return {"paper": recipe.key, "rows": rows, **({"notes": list(notes)} if notes else {})}


def grids(recipe: Recipe, finished: Sequence[Finished]) -> list[Grid]:
    """Return the tables of the paper that have rows."""
    rows = [each.row for each in finished]
    return [grid for layout in recipe.layouts if (grid := layout.build(rows))]


def write_page(recipe: Recipe, finished: Sequence[Finished], folder: Path) -> tuple[list[Path], str | None]:
    """Write KEY.md, KEY.json and the figures of the recipe; if rows have learning curves, KEY.curves.json, too.

    Returns:
        The files, and a line about the figures if they could not be drawn.
    """
    figures: Sequence[Path] = []
    note = None
    try:
        figures = recipe.figures(finished, folder) if recipe.figures else []
    except PlotsMissingError as missing:
        note = str(missing)
    rows = f"{json.dumps(rows_to_dict(recipe, finished), ensure_ascii=False, indent=2)}\n"
    texts = {
        f"{recipe.key}.md": _build_page(recipe, finished, figures),
        f"{recipe.key}.json": rows,
    }
    if any(each.curve for each in finished):
        texts[f"{recipe.key}.curves.json"] = _build_curves(recipe, finished)
    return [*write_files(folder, {name: text.encode() for name, text in texts.items()}), *figures], note


def read_finished(key: str, folder: Path) -> list[Finished]:
    """Read rows and curves back from the files that :func:`write_page` writes.

    A curve file does not say which of the rows of a system a curve belongs to: it is the one that the curve ends at.
    """
    rows = [Row(**row) for row in json.loads((folder / f"{key}.json").read_text("utf-8"))["rows"]]
    found: dict[int, tuple[Point, ...]] = {}
    for curve in json.loads((folder / f"{key}.curves.json").read_text("utf-8"))["curves"]:
        points = tuple(Point(each["epoch"], each.get("seconds"), each["score"], each.get("loss"))
                       for each in curve["points"])  # fmt: skip
        own = [number for number, row in enumerate(rows) if pick(row, _PLACE) == {n: curve[n] for n in _PLACE.split()}]
        found[min(own, key=lambda number: abs(rows[number].ours - points[-1].score))] = points
    return [Finished(row, found.get(number, ())) for number, row in enumerate(rows)]


def redraw(recipe: Recipe, folder: Path) -> Sequence[Path]:
    """Draw the figures of a recipe from the files in a folder, without running anything."""
    return recipe.figures(read_finished(recipe.key, folder), folder) if recipe.figures else []


# -- figures -----------------------------------------------------------------------------------------------------------


def write_figure(folder: Path, name: str, panels: Sequence[Panel], axis: str, *, log: bool = False) -> list[Path]:
    """Draw panels with the given x axis into a file; returns no file if there are no panels."""
    return write_files(folder, {name: draw_panels(panels, axis, log=log)}) if panels else []


def draw_curves(key: str, finished: Sequence[Finished], folder: Path, most_passes: int) -> list[Path]:
    """Draw the score against passes (KEY.passes.svg) and against seconds (KEY.seconds.svg).

    Each corpus has a panel and each system a curve. Passes are cut after ``most_passes``, because batch learners make
    many more of them.
    """
    passes, seconds = _build_panels(finished, "epoch", most_passes), _build_panels(finished, "seconds")
    return [
        *write_figure(folder, f"{key}.passes.svg", passes, "pass"),
        *write_figure(folder, f"{key}.seconds.svg", seconds, "seconds of learning", log=True),
    ]


def _build_panels(finished: Sequence[Finished], x: str, most: int | None = None) -> list[Panel]:
    curves: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for each in finished:
        if each.curve:
            points = [(getattr(point, x), point.score) for point in each.curve[:most]]
            curves.setdefault(each.row.corpus, {})[each.row.system] = points
    metrics = {each.row.corpus: each.row.metric for each in finished if each.curve}
    return [Panel(corpus, systems, f"{metrics[corpus]} (%)") for corpus, systems in curves.items()]


# -- texts -------------------------------------------------------------------------------------------------------------


def _build_curves(recipe: Recipe, finished: Sequence[Finished]) -> str:
    """JSON with one learning curve per line: score and seconds of training after every pass."""
    lines = []
    for each in finished:
        if each.curve:
            place = pick(each.row, _PLACE)
            lines.append(json.dumps({**place, "points": list(map(_describe, each.curve))}, ensure_ascii=False))
    return f'{{"paper": {json.dumps(recipe.key)}, "curves": [\n' + ",\n".join(lines) + "\n]}\n"


def _describe(point: Point) -> dict[str, float]:
    return {name: value for name, value in point._asdict().items() if value is not None}


def _build_page(recipe: Recipe, finished: Sequence[Finished], figures: Sequence[Path]) -> str:
    parts = [f"# {recipe.key}", recipe.citation, f"Made by `tagloom reproduce {recipe.key} --data DIR -o DIR`."]
    for grid in grids(recipe, finished):
        parts += [f"## {grid.title}", grid.to_markdown()]
    parts += recipe.notes(finished)
    parts += [f"![{figure.stem}]({figure.name})" for figure in figures if figure.suffix in (".png", ".svg")]
    parts += [f"## {recipe.remarks}", "\n".join(_list_deviations(recipe, finished))]
    parts += ["## Signatures", _list_signatures([each.row for each in finished])]
    return "\n\n".join(parts) + "\n"


def _list_deviations(recipe: Recipe, finished: Sequence[Finished]) -> Iterator[str]:
    yield from (f"- {text}" for text in recipe.deviations)
    if any(each.row.spread is not None for each in finished):
        yield "- numbers with ± are means of several seeds, with their standard deviation; their p values are medians"
    for corpus in dict.fromkeys(each.row.corpus for each in finished):
        yield from (f"- {corpus}: {text}" for text in recipe.datasets[corpus].deviations)


def _list_signatures(rows: Sequence[Row]) -> str:
    """One line for all rows that differ only in their metric; the file of rows has each signature."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        signature = row.signature.replace(f"|metric:{row.metric}", "")
        groups.setdefault((f"{row.corpus}/{row.system}", signature), []).append(row)
    lines = []
    for (name, signature), mine in groups.items():
        metrics, seconds = ", ".join(row.metric for row in mine), f"{sum(row.seconds for row in mine):.1f}"
        escaped = signature.replace("|", r"\|")  # a bar would end the cell
        lines.append([name, metrics, seconds, f"`{escaped}`"])
    return Grid("", ["row", "metrics", "seconds", "signature"], lines).to_markdown()
