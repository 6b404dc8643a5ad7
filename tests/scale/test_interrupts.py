"""Ctrl-C while workers of Ray are at work: what is finished stays, and the same call goes on from there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.recipes import RowCache, reproduce
from tagloom.scale import tag_dataset
from tests.recipes import tiny

pytest.importorskip("ray", reason="Ray is not installed: make test-ray")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray uses what it has deprecated itself


class Interrupter:
    """Presses Ctrl-C at the first report of a kind."""

    def __init__(self, phase: str) -> None:
        self.phase, self.is_pressed = phase, False

    def __call__(self, *report: Any) -> None:
        if not self.is_pressed and report[-1].phase == self.phase:
            self.is_pressed = True
            os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(scope="module")
def news() -> Corpus:
    return newswire(12, seed=1)


def test_tagging_leaves_finished_parts(tmp_path: Path, news: Corpus) -> None:
    model = tagloom.train(newswire(10, seed=3), label="chunk", learner="pa", epochs=1)
    records = [{"tokens": news.sentence(n, "form"), "pos": news.sentence(n, "pos")} for n in range(len(news))]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    given: Any = (model, tmp_path / "in.jsonl", tmp_path / "parts")
    with pytest.raises(KeyboardInterrupt):
        tag_dataset(*given, part_bytes=2000, on_progress=Interrupter("part"))
    there = {file: file.stat().st_mtime_ns for file in (tmp_path / "parts").glob("part-*")}
    assert there
    tagged = tag_dataset(*given, part_bytes=2000)
    assert 0 < tagged.made < len(tagged.files)
    assert {file: file.stat().st_mtime_ns for file in there} == there
    lines = [json.loads(line) for file in tagged.files for line in file.read_text().splitlines()]
    assert [line["tags"] for line in lines] == [model.tag(list(zip(*record.values()))) for record in records]


@pytest.mark.parametrize("options", [{"learner": "averaged-perceptron", "mix": 3}, {"learner": "lbfgs"}])
def test_training_keeps_the_passes_that_are_done(news: Corpus, options: dict[str, Any]) -> None:
    interrupted = tagloom.train(news, label="chunk", epochs=500, ray=True, on_progress=Interrupter("epoch"), **options)
    passes = len(interrupted.spec.history)
    assert 0 < passes < 500
    whole = tagloom.train(news, label="chunk", epochs=passes, ray=True, **options)
    assert interrupted.parameters.weights.tobytes() == whole.parameters.weights.tobytes()


def test_a_search_continues_where_it_was_stopped(tmp_path: Path, news: Corpus) -> None:
    options: dict[str, Any] = {"label": "chunk", "learner": "pa", "epochs": 40, "jobs": 2, "patience": 40}
    given: Any = (news, newswire(3, seed=2), {"C": [0.01, 0.1, 1]})
    stopped = tagloom.tune(*given, ray=True, folder=tmp_path, on_progress=Interrupter("epoch"), **options)
    assert stopped.interrupted
    again = tagloom.tune(*given, ray=True, folder=tmp_path, **options)
    plain = tagloom.tune(*given, **options)
    assert [trial.score for trial in again.trials] == [trial.score for trial in plain.trials]


def test_rows_of_a_paper_are_those_of_threads(tmp_path: Path) -> None:
    data = tiny.make_data(tmp_path / "data")
    ours = [
        [
            each.row.ours
            for each in reproduce(tiny.RECIPE, tiny.RECIPE.experiments, data, RowCache(cache), jobs=2, ray=ray)
        ]
        for cache, ray in ((tmp_path / "one", None), (tmp_path / "two", True))
    ]
    assert ours[0] == ours[1]
    told: list[str] = []
    reproduce(tiny.RECIPE, tiny.RECIPE.experiments, data, RowCache(tmp_path / "two"), ray=True, tell=told.append)
    assert all(line.endswith("(from the cache)") for line in told)  # workers have kept them


_PROGRAM = """
import sys
from tagloom.cli.main import run
from tagloom.recipes import PAPERS, Paper
from tests.recipes import tiny
PAPERS[tiny.KEY] = Paper("Nothing", "tests.recipes.tiny")
sys.exit(run(sys.argv[1:]))
"""


def test_ctrl_c_in_a_terminal_keeps_rows(tmp_path: Path) -> None:
    """The terminal sends the signal to all processes of the command, those of Ray included."""
    data, rows = tiny.make_data(tmp_path / "data"), len(tiny.RECIPE.experiments)
    given = ["reproduce", tiny.KEY, "--data", str(data), "--cache", str(tmp_path / "cache")]
    command, told = [sys.executable, "-c", _PROGRAM, *given], list[str]()
    with subprocess.Popen([*command, "--ray"], stderr=subprocess.PIPE, text=True, start_new_session=True) as started:
        assert started.stderr is not None
        for line in started.stderr:
            told.append(line)
            if line.startswith("news/statistics"):  # other rows follow
                os.killpg(started.pid, signal.SIGINT)
    assert (started.returncode, told[-1][:8]) == (130, "stopped;")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert 1 <= done.stderr.count("(from the cache)") < rows
    assert done.stderr.count("paper 90.50") == len(tiny.DATASETS) * len(tiny.SYSTEMS)
