"""``tagloom reproduce`` on a made-up paper: rows, cache, selection, missing data."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tagloom as library
from tagloom.cli.main import run
from tagloom.recipes import BEST, PAPERS, Paper, get_default_cache
from tagloom.report import PlotsMissingError
from tests.recipes import tiny

ROW = ["table", "corpus", "system", "metric", "paper", "ours", "seconds", "signature"]


class Tiny:
    """The made-up paper run from the command line."""

    def __init__(self, data: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.data, self.cache, self.capsys = data, cache, capsys
        self.err = ""

    def __call__(self, *options: object, code: int = 0) -> str:
        tiny.RUNS.clear()
        tiny.OPENED.clear()
        arguments = ["reproduce", tiny.KEY, "--data", self.data, "--cache", self.cache, *options]
        self.capsys.readouterr()
        assert run([str(argument) for argument in arguments]) == code
        out, self.err = self.capsys.readouterr()
        return out

    def rows(self, *options: object) -> list[dict[str, Any]]:
        made = json.loads(self("--json", *options))
        assert list(made) == ["paper", "rows"]
        assert made["paper"] == tiny.KEY
        rows: list[dict[str, Any]] = made["rows"]
        return rows

    def names(self, *options: object) -> list[str]:
        return [f"{row['corpus']}/{row['system']}" for row in self.rows(*options)]


@pytest.fixture(scope="session")
def made_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make_data(tmp_path_factory.mktemp("made") / "data")


@pytest.fixture
def paper(
    made_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Tiny]:
    monkeypatch.setitem(PAPERS, tiny.KEY, Paper("Nothing", "tests.recipes.tiny"))
    data = Path(shutil.copytree(made_data, tmp_path / "data"))
    yield Tiny(data, tmp_path / "cache", capsys)
    tiny.FAILURES.clear()


# -- rows --------------------------------------------------------------------------------------------------------------


def test_rows_are_what_a_training_gives(paper: Tiny) -> None:
    rows = paper.rows()
    assert [list(row) for row in rows] == [ROW] * 6
    assert [row["table"] for row in rows] == ["1", "1", "2", "2", "2", "2"]
    assert len({row["signature"] for row in rows}) == 6
    train, test = (
        library.read(paper.data / "news" / f"{part}.txt", columns="form pos chunk") for part in ("train", "test")
    )
    assert rows[0]["ours"] == train.token_count
    # the last pass counts, not the best one
    for row, learner, epochs in ((rows[2], "averaged-perceptron", 2), (rows[3], "perceptron", 3)):
        model = library.train(train, templates="chunking", learner=learner, scheme="data", epochs=epochs)
        assert row["ours"] == pytest.approx(model.evaluate(test).overall.f1)
        assert f"|learner:{learner}|epochs:{epochs}|" in row["signature"]


def test_each_corpus_is_opened_once(paper: Tiny) -> None:
    paper()
    assert tiny.OPENED == ["news", "more"]


def test_jobs_change_nothing_but_seconds(paper: Tiny) -> None:
    alone, together = paper.rows("--fresh"), paper.rows("--fresh", "--jobs", 3)
    assert [{**row, "seconds": 0} for row in alone] == [{**row, "seconds": 0} for row in together]


def test_table_has_ours_and_the_papers(paper: Tiny) -> None:
    out = paper("--only", "news")
    titles = [line for line in out.splitlines() if line.startswith("Table")]
    assert titles == ["Table 1: sizes; ours (paper)", "Table 2: scores; ours (paper)"]
    assert out.count("(90.50)") == 2
    assert "(100)" in out


# -- the cache ---------------------------------------------------------------------------------------------------------


def test_finished_rows_are_not_run_again(paper: Tiny) -> None:
    first = paper.rows()
    assert len(tiny.RUNS) == 6
    assert paper.rows() == first
    assert (tiny.RUNS, tiny.OPENED) == ([], [])
    assert paper.err.count("(from the cache)") == 6
    paper.rows("--fresh")
    assert len(tiny.RUNS) == 6


def test_changed_data_are_run_again(paper: Tiny) -> None:
    paper()
    test = paper.data / "news" / "test.txt"
    test.write_bytes(test.read_bytes() * 2)
    paper()
    assert tiny.OPENED == ["news"]
    assert len(tiny.RUNS) == 3


def test_damaged_cache_is_run_again(paper: Tiny) -> None:
    first = paper.rows("--only", "news/AP")
    (file,) = (paper.cache / tiny.KEY).iterdir()
    for text in ("", "{}", '{"row": 1, "curve": []}', file.read_text().replace("seed:1", "seed:2"), "[]"):
        file.write_text(text)
        assert paper.rows("--only", "news/AP")[0]["ours"] == first[0]["ours"]
        assert len(tiny.RUNS) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stopped_run_goes_on(paper: Tiny, jobs: int) -> None:
    tiny.FAILURES["more/statistics"] = KeyboardInterrupt()
    assert paper("--jobs", jobs, code=130) == ""
    assert paper.err.splitlines()[-1] == "stopped; finished rows are kept: the same command continues from there"
    done = {run for run in tiny.RUNS if run.startswith("news")}
    assert len(done) == 3
    tiny.FAILURES.clear()
    assert len(paper.rows()) == 6
    assert done.isdisjoint(tiny.RUNS)


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_killed_run_goes_on(paper: Tiny) -> None:
    register = f"from tagloom.recipes import PAPERS, Paper; PAPERS[{tiny.KEY!r}] = Paper('', 'tests.recipes.tiny')"
    start = f"import sys; {register}; from tagloom.cli import main; sys.exit(main())"
    arguments = ["reproduce", tiny.KEY, "--data", str(paper.data), "--cache", str(paper.cache)]
    process = subprocess.Popen(
        [sys.executable, "-c", start, *arguments],
        env={**os.environ, tiny.HANG: "news/slow net"},
        cwd=Path(__file__).parents[2],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("news/AP"):
            process.send_signal(signal.SIGKILL)
            break
    process.wait(timeout=30)
    process.stderr.close()
    assert len(paper.rows()) == 6
    assert tiny.RUNS[0] == "news/slow net:F1"
    assert len(tiny.RUNS) == 4


def test_default_cache_follows_xdg(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert get_default_cache() == tmp_path / "tagloom" / "reproduce"
    monkeypatch.setenv("HOME", str(tmp_path))
    for relative in ("", "here"):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert get_default_cache() == tmp_path / ".cache" / "tagloom" / "reproduce"


# -- selection ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--only", "more"], ["more/statistics", "more/AP", "more/slow net"]),
        (["--only", "ap"], ["news/AP", "more/AP"]),
        (["--only", "news/slow-net,more/AP"], ["news/slow net", "more/AP"]),
        (["--only", "news/perceptron", "--only", "more/slow net"], ["news/slow net", "more/slow net"]),
        (["--table", "1"], ["news/statistics", "more/statistics"]),
        (["--table", "2", "--only", "news"], ["news/AP", "news/slow net"]),
    ],
)
def test_only_and_table(paper: Tiny, options: list[str], names: list[str]) -> None:
    assert paper.names(*options) == names


def test_list(paper: Tiny) -> None:
    shutil.rmtree(paper.data / "more")
    out = paper("--list").splitlines()
    assert out[0].split() == ["table", "name", "metric", "paper", "data"]
    assert len(out) == 7
    assert out[1].split() == ["1", "news/statistics", "tokens", "100", "there"]
    assert out[-1].endswith(f"no more/train.txt in {paper.data}")
    listed = json.loads(paper("--list", "--json", "--only", "AP"))
    assert listed == {
        "paper": tiny.KEY,
        "experiments": [
            {"name": f"{corpus}/AP", "table": "2", "corpus": corpus, "system": "AP", "metric": "F1", "paper": 90.5,
             "data": corpus == "news"}
            for corpus in ("news", "more")
        ],
    }  # fmt: skip
    assert tiny.OPENED == []


def test_missing_corpora_are_skipped_with_a_reason(paper: Tiny) -> None:
    (paper.data / "news" / "test.txt").unlink()
    assert set(paper.names()) == {"more/statistics", "more/AP", "more/slow net"}
    assert paper.err.splitlines()[0] == f"news: skipped, no news/test.txt in {paper.data}"
    assert paper.rows("--only", "news") == []


def test_compressed_files_are_found(paper: Tiny) -> None:
    corpus = library.read(paper.data / "news" / "train.txt", columns="form pos chunk")
    (paper.data / "news" / "train.txt").unlink()
    library.write(corpus, paper.data / "news" / "train.txt.xz", "conll")
    assert paper.rows("--only", "news/statistics")[0]["ours"] == corpus.token_count


# -- files -------------------------------------------------------------------------------------------------------------


def test_output_folder(paper: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "papers"
    printed = json.loads(paper("--json", "-o", folder))
    assert json.loads((folder / f"{tiny.KEY}.json").read_text()) == printed
    curves = json.loads((folder / f"{tiny.KEY}.curves.json").read_text())["curves"]
    assert [(c["corpus"], c["system"], len(c["points"])) for c in curves] == [
        ("news", "AP", 2), ("news", "slow net", 3), ("more", "AP", 2), ("more", "slow net", 3),
    ]  # fmt: skip
    last, row = curves[0]["points"][-1], printed["rows"][2]
    assert (last["epoch"], last["score"], last["seconds"]) == (2, row["ours"], row["seconds"])
    assert (folder / "figure.svg").read_text().splitlines()[2:4] == ["AP 2", "slow net 3"]
    page = (folder / f"{tiny.KEY}.md").read_text()
    for text in (
        "# tiny-1999",
        "| corpus | AP | slow net |",
        "- all of it",
        "- more: made up",
        "![figure](figure.svg)",
    ):
        assert text in page


def test_without_matplotlib_all_but_the_figures_is_written(
    paper: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(finished: object, folder: object) -> list[Path]:
        raise PlotsMissingError("no figures")

    monkeypatch.setattr(tiny, "RECIPE", replace(tiny.RECIPE, figures=refuse))
    paper("-o", tmp_path / "papers", "--table", "1")
    assert paper.err.splitlines()[-1] == "no figures"
    assert "figure.svg" not in (tmp_path / "papers" / f"{tiny.KEY}.md").read_text()


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce"], "name a paper or a task: kazama-torisawa-2007, "),
        (["reproduce", "he-wang"], "unknown paper or task 'he-wang'; did you mean 'he-wang-2012'? (known: "),
        (
            ["reproduce", "he-wang-2012"],
            "name the folder that holds the corpora: tagloom reproduce he-wang-2012 --data",
        ),
        (["reproduce", "he-wang-2012", "--data", "nowhere"], "nowhere: no such directory; name the folder"),
        (
            ["reproduce", "he-wang-2012", "--only", "pa,PB"],
            "unknown experiment of he-wang-2012 'PB'; did you mean 'PA'?",
        ),
        (["reproduce", "he-wang-2012", "--only", "pa,,dca"], "expected names separated by commas, got 'pa,,dca'"),
        (["reproduce", "he-wang-2012", "--table", "6"], "unknown table of he-wang-2012 '6' (known: 4, 5)"),
        (["reproduce", "he-wang-2012", "--table", "4", "--only", "pa"], "he-wang-2012: no experiment pa in table 4"),
    ],
)
def test_one_line_errors(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.delenv("TAGLOOM_DATA", raising=False)
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith(f"tagloom: error: {message}")


def test_nothing_is_written_into_the_data(paper: Tiny) -> None:
    paper.cache = paper.data / "cache"
    paper(code=2)
    assert "lies in the data; choose another folder with --cache" in paper.err
    assert not paper.cache.exists()
    assert tiny.RUNS == []


def test_the_output_folder_is_tried_before_the_work(paper: Tiny, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    paper("-o", tmp_path / "file", code=2)
    assert paper.err == f"tagloom: error: {tmp_path / 'file'}: cannot make this folder: is a file, expected a folder\n"
    assert tiny.RUNS == []


def test_list_of_papers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "--list", "--json"]) == 0
    papers = json.loads(capsys.readouterr().out)["papers"]
    keys = [paper["paper"] for paper in papers if paper["recipe"]]
    assert keys[:5] == [
        "kazama-torisawa-2007", "collins-2002", "tsuruoka-2011", "carreras-2003", "he-wang-2012",
    ]  # fmt: skip
    assert keys[5:] == list(BEST)
