"""The files of a report: numbers, tables, drawings and the page, in one folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tagloom.corpus.streams import replace_file
from tagloom.errors import DataError
from tagloom.experiments.comparison import Comparison
from tagloom.report.curves import PlotsMissingError, draw_curves
from tagloom.report.page import html_page
from tagloom.report.table import comparison_csv, curves_csv


def make_folder(folder: str | os.PathLike[str]) -> Path:
    """The folder, made if it is not there. Commands call it before hours of work."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "is a file, expected a folder" if path.is_file() else (error.strerror or str(error)).lower()
        raise DataError(f"{folder}: cannot make this folder: {reason}") from None
    if not os.access(path, os.W_OK):
        raise DataError(f"{folder}: cannot write: permission denied")
    return path


def write_report(comparison: Comparison, folder: str | os.PathLike[str]) -> tuple[list[Path], str | None]:
    """Write all files; returns their paths, and a line about the curves if they could not be drawn.

    ``comparison.json`` has everything, ``comparison.csv`` a line a learner, ``curves.csv`` a line a pass;
    ``curves.svg`` and ``curves.png`` are the learning curves; ``report.html`` shows all of it on one page.
    """
    path = make_folder(folder)
    numbers = json.dumps(comparison.to_dict(), ensure_ascii=False, indent=2) + "\n"
    drawings, page_curves, note = _drawings(comparison)
    files = {
        "comparison.json": numbers.encode(),
        "comparison.csv": comparison_csv(comparison).encode(),
        "curves.csv": curves_csv(comparison).encode(),
        **drawings,
        "report.html": html_page(comparison, page_curves).encode(),
    }
    for name, data in files.items():
        replace_file(path / name, data)
    return [path / name for name in files], note


def _drawings(comparison: Comparison) -> tuple[dict[str, bytes], bytes | None, str | None]:
    try:
        drawings = {f"curves.{kind}": draw_curves(comparison, kind) for kind in ("svg", "png")}
        return drawings, draw_curves(comparison, embedded=True), None
    except PlotsMissingError as missing:
        return {}, None, str(missing)
