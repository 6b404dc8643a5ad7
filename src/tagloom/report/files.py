"""The files of a comparison: numbers, tables, figures and the page, in one folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from tagloom.arguments import check_arguments
from tagloom.corpus.replace import make_folder, replace_file
from tagloom.errors import DataError
from tagloom.experiments.compare import Comparison
from tagloom.report.comparison_page import build_html_page
from tagloom.report.curves import draw_curves
from tagloom.report.figure import PlotsMissingError
from tagloom.report.table import build_comparison_csv, build_curves_csv


def open_folder(folder: str | os.PathLike[str]) -> Path:
    """Return the folder, created if it does not exist. Commands call this before hours of work."""
    path = make_folder(folder)
    if not os.access(path, os.W_OK):
        raise DataError(f"{folder}: cannot write: permission denied")
    return path


def write_files(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write files by name and return their paths. No file is ever half written."""
    for name, content in files.items():
        replace_file(folder / name, content)
    return [folder / name for name in files]


@check_arguments
def write_report(comparison: Comparison, folder: str | os.PathLike[str]) -> tuple[list[Path], str | None]:
    """Write all files of a comparison.

    ``comparison.json`` has everything, ``comparison.csv`` one line per learner, ``curves.csv`` one line per pass;
    ``curves.svg`` and ``curves.png`` are the learning curves; ``report.html`` shows all of it on one page.

    Returns:
        The files, and a line about the curves if they could not be drawn.
    """
    path = open_folder(folder)
    figures: dict[str, bytes] = {}
    embedded, note = None, None
    try:
        figures = {f"curves.{kind}": draw_curves(comparison, kind) for kind in ("svg", "png")}
        embedded = draw_curves(comparison, embedded=True)
    except PlotsMissingError as missing:
        note = str(missing)
    numbers = json.dumps(comparison.to_dict(), ensure_ascii=False, indent=2) + "\n"
    files = {
        "comparison.json": numbers.encode(),
        "comparison.csv": build_comparison_csv(comparison).encode(),
        "curves.csv": build_curves_csv(comparison).encode(),
        **figures,
        "report.html": build_html_page(comparison, embedded).encode(),
    }
    return write_files(path, files), note
