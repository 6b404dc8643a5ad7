"""Reports of a comparison: well-formed, the same numbers everywhere, self-contained, the same bytes each time."""

from __future__ import annotations

import csv
import functools
import io
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tagloom.datasets import newswire
from tagloom.errors import DataError
from tagloom.experiments.compare import Comparison, compare_learners
from tagloom.report import (
    build_comparison_csv,
    build_curves_csv,
    build_html_page,
    build_table_rows,
    draw_curves,
    write_report,
)
from tagloom.report.curves import find_score_limits
from tagloom.report.figure import choose_style
from tagloom.report.files import open_folder

FILES = ["comparison.json", "comparison.csv", "curves.csv", "curves.svg", "curves.png", "report.html"]
VOID = {"meta"}


@functools.cache
def comparison() -> Comparison:
    return compare_learners(newswire(4, seed=1), newswire(3, seed=2), "all", label="chunk", epochs=4, jobs=1)


@functools.cache
def page_curves() -> bytes:
    return draw_curves(comparison(), embedded=True)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_csv_has_the_numbers_of_the_runs():
    table = rows(build_comparison_csv(comparison()))
    assert [row["learner"] for row in table] == [run.learner for run in comparison().runs]
    for row, run in zip(table, comparison().runs):
        assert float(row["score"]) == run.score.value
        assert float(row["seconds"]) == run.seconds
        assert (int(row["epochs"]), int(row["model_bytes"])) == (run.epochs, run.model_bytes)
        assert row["signature"] == str(run.score.signature)


def test_the_csv_of_the_curves_has_every_pass():
    table = rows(build_curves_csv(comparison()))
    points = [(run.learner, point) for run in comparison().runs for point in run.curve]
    found = [(row["learner"], int(row["epoch"]), float(row["score"]), float(row["seconds"])) for row in table]
    assert found == [(learner, point.record.epoch, point.score, point.seconds) for learner, point in points]


class Page(HTMLParser):
    """Fails on tags that do not match; collects the texts of the cells and all references."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.references: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        self.references += [str(value) for name, value in attrs if name in ("href", "xlink:href", "src", "action")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.references += [str(value) for name, value in attrs if name in ("href", "xlink:href", "src")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data


def test_the_page_is_well_formed_and_self_contained():
    text = build_html_page(comparison(), page_curves())
    page = Page(text)
    assert page.references
    assert all(reference.startswith("#") for reference in page.references)
    assert not re.search(r"@import|url\((?!#)|<link|<img|<iframe", text)
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    expected = [cell for row in build_table_rows(comparison()) for cell in row]
    assert page.cells[-len(expected) :] == expected
    assert all(str(run.score.signature) in text for run in comparison().runs)
    assert "prefers-color-scheme: dark" in text


def test_names_from_outside_are_escaped():
    part = replace(comparison().parts["test"], name="<b>&'\".txt")
    hostile = replace(comparison(), parts={**comparison().parts, "test": part}, templates="<script>")
    text = build_html_page(hostile, draw_curves(hostile, embedded=True))
    Page(text)
    assert "<b>&'" not in text
    assert re.findall(r"<script[^>]*>", text) == ['<script type="module">']


def test_drawings_have_the_same_bytes_each_time_whatever_the_settings_of_matplotlib(tmp_path: Path):
    import matplotlib

    write_report(comparison(), tmp_path)
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        for kind in ("svg", "png"):
            assert draw_curves(comparison(), kind) == (tmp_path / f"curves.{kind}").read_bytes()
        assert matplotlib.rcParams["font.size"] == 30
    svg, png = ((tmp_path / f"curves.{kind}").read_bytes() for kind in ("svg", "png"))
    ids = {element.get("id") for element in ElementTree.fromstring(svg).iter()}
    assert {f"{panel}-{run}" for panel in ("passes", "seconds") for run in range(len(comparison().runs))} <= ids
    assert b"<dc:date>" not in svg
    assert png.startswith(b"\x89PNG")
    assert b"tIME" not in png


def test_every_learner_looks_different():
    """Even if there were twice as many, and without their marks."""
    styles = [choose_style(number) for number in range(21)]
    assert len({(style["color"], str(style["linestyle"])) for style in styles}) == 21


def test_final_scores_are_inside_the_axis():
    low, high = find_score_limits(comparison())
    assert all(low < run.score.value < high for run in comparison().runs)
    assert 0 <= low < high


def test_one_learner_with_one_pass_can_be_drawn():
    run = comparison().runs[0]
    single = replace(comparison(), runs=(replace(run, curve=run.curve[:1], best_epoch=1),))
    assert b"passes-0" in draw_curves(single)


def test_all_files(tmp_path: Path):
    written, note = write_report(comparison(), tmp_path / "a" / "b")
    assert (sorted(path.name for path in written), note) == (sorted(FILES), None)
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == sorted(FILES)
    assert json.loads((tmp_path / "a" / "b" / "comparison.json").read_text("utf-8")) == comparison().to_dict()


def test_without_matplotlib_everything_but_the_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    written, note = write_report(comparison(), tmp_path)
    assert [path.name for path in written] == [name for name in FILES if Path(name).suffix not in (".svg", ".png")]
    assert note == "learning curves need matplotlib: pip install 'tagloom[plots]'"
    assert "<svg" not in Page((tmp_path / "report.html").read_text("utf-8")).rawdata


def test_a_file_in_the_place_of_the_folder(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="file: cannot make this folder: is a file, expected a folder"):
        open_folder(tmp_path / "file")
