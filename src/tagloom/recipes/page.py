"""What a run leaves in a folder: the tables as a page, the rows and the curves as JSON, and the figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tagloom.corpus.streams import replace_file
from tagloom.errors import DataError
from tagloom.recipes.layout import Grid
from tagloom.recipes.recipe import Finished, Point, Recipe, Row

_BAR = r"\|"  # a bar inside a cell of a Markdown table


def rows_object(recipe: Recipe, finished: Sequence[Finished]) -> dict[str, object]:
    """The rows for a machine."""
    notes = recipe.notes(finished)
    rows = [each.row.to_dict() for each in finished]
    return {"paper": recipe.key, "rows": rows, **({"notes": list(notes)} if notes else {})}


def grids(recipe: Recipe, finished: Sequence[Finished]) -> list[Grid]:
    """The paper's tables, as far as there are rows of them."""
    rows = [each.row for each in finished]
    return [grid for layout in recipe.layouts if (grid := layout.of(rows))]


def make_folder(folder: Path) -> Path:
    """The folder, made if it is not there: to be called before hours of work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "is a file" if folder.is_file() else (error.strerror or str(error)).lower()
        raise DataError(f"{folder}: cannot make this folder: {reason}") from None
    return folder


def write_page(recipe: Recipe, finished: Sequence[Finished], folder: Path) -> tuple[list[Path], str | None]:
    """Write KEY.md, KEY.json, KEY.curves.json and what the recipe draws.

    Gives the files, and a line about the figures if they could not be drawn.
    """
    figures, note = _figures(recipe, finished, folder)
    texts = {
        f"{recipe.key}.md": _page(recipe, finished, figures),
        f"{recipe.key}.json": _json(rows_object(recipe, finished)),
        f"{recipe.key}.curves.json": _curves_json(recipe, finished),
    }
    for name, text in texts.items():
        replace_file(folder / name, text.encode())
    return [*(folder / name for name in texts), *figures], note


def _figures(recipe: Recipe, finished: Sequence[Finished], folder: Path) -> tuple[Sequence[Path], str | None]:
    from tagloom.report.curves import PlotsMissingError

    try:
        return recipe.figures(finished, folder) if recipe.figures else [], None
    except PlotsMissingError as missing:
        return [], str(missing)


def _json(value: object) -> str:
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n"


def _curves_json(recipe: Recipe, finished: Sequence[Finished]) -> str:
    """Learning curves, one a line: score and seconds of training after every pass."""
    lines = [
        json.dumps({**_place(each.row), "points": [_point(point) for point in each.curve]}, ensure_ascii=False)
        for each in finished
        if each.curve
    ]
    return f'{{"paper": {json.dumps(recipe.key)}, "curves": [\n' + ",\n".join(lines) + "\n]}\n"


def _point(point: Point) -> dict[str, float]:
    """What is known of it."""
    return {name: value for name, value in point._asdict().items() if value is not None}


def _place(row: Row) -> dict[str, str]:
    return {"table": row.table, "corpus": row.corpus, "system": row.system}


def _page(recipe: Recipe, finished: Sequence[Finished], figures: Sequence[Path]) -> str:
    parts = [f"# {recipe.key}", recipe.citation, f"Made by `tagloom reproduce {recipe.key} --data DIR -o DIR`."]
    for grid in grids(recipe, finished):
        parts += [f"## {grid.title}", grid.to_markdown()]
    parts += recipe.notes(finished)
    parts += [f"![{figure.stem}]({figure.name})" for figure in figures if figure.suffix in (".png", ".svg")]
    parts += ["## Deviations from the paper", "\n".join(_deviations(recipe, finished))]
    parts += ["## Signatures", _signatures([each.row for each in finished])]
    return "\n\n".join(parts) + "\n"


def _deviations(recipe: Recipe, finished: Sequence[Finished]) -> Iterator[str]:
    yield from (f"- {text}" for text in recipe.deviations)
    for corpus in dict.fromkeys(each.row.corpus for each in finished):
        yield from (f"- {corpus}: {text}" for text in recipe.datasets[corpus].deviations)


def _signatures(rows: Sequence[Row]) -> str:
    """One line for the rows that differ in their metric only; the file of rows has them all."""
    together: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        signature = row.signature.replace(f"|metric:{row.metric}", "")
        together.setdefault((f"{row.corpus}/{row.system}", signature), []).append(row)
    lines = [
        [
            name,
            ", ".join(row.metric for row in mine),
            f"{sum(row.seconds for row in mine):.1f}",
            f"`{signature.replace('|', _BAR)}`",
        ]
        for (name, signature), mine in together.items()
    ]
    return Grid("", ["row", "metrics", "seconds", "signature"], lines).to_markdown()
