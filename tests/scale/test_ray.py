"""What runs on the workers of Ray gives what one process gives, also when a worker is killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.cli.main import run
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.errors import ConfigError, DataError
from tagloom.experiments.compare import compare_learners
from tagloom.learners import sharded
from tagloom.scale import tag_dataset
from tests.scale.processes import kill_worker

ray = pytest.importorskip("ray", reason="Ray is not installed: make test-ray")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ray uses what it has deprecated itself

PART = 30_000  # bytes
TRAINING: dict[str, Any] = {"label": "chunk", "learner": "averaged-perceptron", "epochs": 3, "mix": 3}


@pytest.fixture(scope="module")
def news() -> Corpus:
    return newswire(12, seed=1)


@pytest.fixture(scope="module")
def model() -> Any:
    return tagloom.train(newswire(10, seed=3), label="chunk", learner="pa", epochs=2)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, model: Any) -> Path:
    """A model, records, and the records as ``tagloom tag`` writes them."""
    folder, corpus = tmp_path_factory.mktemp("files"), newswire(20, seed=5)
    model.save(folder / "model")
    records = [
        {"id": number, "tokens": corpus.sentence(number, "form"), "pos": corpus.sentence(number, "pos")}
        for number in range(len(corpus))
    ]
    lines = [json.dumps(record, ensure_ascii=number % 2 == 0) for number, record in enumerate(records)]
    (folder / "in.jsonl").write_text("\n".join([*lines[:50], "", *lines[50:]]))  # a blank line, no line end at the end
    assert run(["tag", str(folder / "model"), str(folder / "in.jsonl"), "-o", str(folder / "out.jsonl")]) == 0
    return folder


def join(tagged: Any) -> bytes:
    return b"".join(file.read_bytes() for file in tagged.files)


def test_records_are_those_of_tag_and_a_restart_makes_only_missing_parts(files: Path, tmp_path: Path) -> None:
    expected = (files / "out.jsonl").read_bytes()
    tagged = tag_dataset(files / "model", files / "in.jsonl", tmp_path / "parts", part_bytes=PART)
    assert len(tagged.files) > 3
    assert (tagged.made, join(tagged)) == (len(tagged.files), expected)
    for file in tagged.files[1:3]:
        file.unlink()
    stamps = {file: file.stat().st_mtime_ns for file in tagged.files if file.exists()}
    again = tag_dataset(files / "model", files / "in.jsonl", tmp_path / "parts", part_bytes=PART)
    assert (again.made, join(again)) == (2, expected)
    assert {file: file.stat().st_mtime_ns for file in stamps} == stamps
    with pytest.raises(ConfigError, match="parts of another tagging"):
        tag_dataset(files / "model", files / "in.jsonl", tmp_path / "parts", part_bytes=2 * PART)


def test_a_killed_worker_changes_nothing_in_tagging(files: Path, tmp_path: Path) -> None:
    killed: list[bool] = []

    def kill_once(_: Any) -> None:
        if not killed:
            killed.append(kill_worker("MapWorker"))

    tagged = tag_dataset(
        files / "model", files / "in.jsonl", tmp_path / "parts", part_bytes=PART // 3, on_progress=kill_once
    )
    assert killed == [True]
    assert join(tagged) == (files / "out.jsonl").read_bytes()


def test_parquet_and_data_sets_have_the_same_annotations(files: Path, tmp_path: Path, model: Any) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    records = [json.loads(line) for line in (files / "out.jsonl").read_text().split("\n") if line]
    tagged = tag_dataset(model, files / "in.jsonl", tmp_path / "parts", to="parquet", part_bytes=2 * PART)
    rows = [row for file in tagged.files for row in parquet.read_table(file).to_pylist()]
    assert [(row["id"], row["tags"]) for row in rows] == [(record["id"], record["tags"]) for record in records]
    spans = [[(span["start"], span["end"], span["label"]) for span in row["spans"]] for row in rows]
    assert spans == [list(map(tuple, record["spans"])) for record in records]
    found = tag_dataset(model, ray.data.read_json(str(files / "in.jsonl"))).take_all()
    assert {row["id"]: list(row["tags"]) for row in found} == {row["id"]: row["tags"] for row in records}


def test_text_and_errors_are_those_of_tag(files: Path, tmp_path: Path) -> None:
    words = tagloom.train(newswire(4, seed=3), label="pos", templates="pos", learner="pa", epochs=1)
    words.save(tmp_path / "words")
    text = "".join(f"The bank of Bonn number {number} sleeps in the sun.\n" for number in range(800))
    (tmp_path / "in.txt").write_text(text)
    given = ["tag", str(tmp_path / "words"), str(tmp_path / "in.txt"), "--text", "-o"]
    assert run([*given, str(tmp_path / "one.conll")]) == 0
    assert run([*given, str(tmp_path / "two.conll"), "--ray"]) == 0
    assert (tmp_path / "two.conll").read_bytes() == (tmp_path / "one.conll").read_bytes()
    assert not (tmp_path / "two.conll.parts").exists()
    lines = (files / "in.jsonl").read_bytes().split(b"\n")
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join([*lines[:-1], b"{", lines[-1]]))
    with pytest.raises(DataError, match=f"bad.jsonl:{len(lines)}: expected one JSON object per line"):
        tag_dataset(files / "model", tmp_path / "bad.jsonl", tmp_path / "parts", part_bytes=PART)


def test_mixing_on_workers_is_mixing_in_threads_bit_by_bit_also_if_one_is_killed(news: Corpus) -> None:
    killed: list[bool] = []

    def kill_once(progress: Any) -> None:
        if progress.phase == "epoch" and not killed:
            killed.append(kill_worker("Holder"))

    on_workers = tagloom.train(news, ray=True, on_progress=kill_once, **TRAINING)
    assert killed == [True]
    assert on_workers.to_bytes() == tagloom.train(news, **TRAINING).to_bytes()


def test_rates_on_workers_are_those_of_all_data(news: Corpus) -> None:
    options = {**TRAINING, "learner": "madf"}
    assert tagloom.train(news, ray=True, **options).to_bytes() == tagloom.train(news, **options).to_bytes()


@pytest.mark.parametrize("learner", ["lbfgs", "maxent-gis"])
def test_batch_gradients_do_not_depend_on_workers(news: Corpus, learner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"label": "chunk", "learner": learner, "epochs": 3}
    two = tagloom.train(news, ray=True, **options)
    monkeypatch.setattr(sharded, "count_workers", lambda most: 1)
    assert tagloom.train(news, ray=True, **options).to_bytes() == two.to_bytes()
    losses = [record.loss for record in tagloom.train(news, **options).spec.history]
    assert [record.loss for record in two.spec.history] == pytest.approx(losses, rel=1e-5)


def drop_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: drop_seconds(each) for name, each in value.items() if "seconds" not in name}
    return [drop_seconds(each) for each in value] if isinstance(value, list) else value


def test_trials_on_workers_have_the_results_of_threads_also_if_one_is_killed(news: Corpus) -> None:
    killed: list[bool] = []

    def kill_once(_: Any, progress: Any) -> None:
        if progress.phase == "epoch" and not killed:
            killed.append(kill_worker("ray::Worker"))

    dev, options = newswire(3, seed=2), {"label": "chunk", "learner": "pa", "epochs": 8, "jobs": 2}
    grid = {"C": [0.01, 0.1, 1]}
    on_workers = tagloom.tune(news, dev, grid, ray=True, on_progress=kill_once, **options)
    assert killed == [True]
    assert drop_seconds(on_workers.to_dict()) == drop_seconds(tagloom.tune(news, dev, grid, **options).to_dict())


def test_comparisons_and_folds_on_workers_are_those_of_threads(news: Corpus) -> None:
    options: dict[str, Any] = {"label": "chunk", "epochs": 2, "jobs": 2}
    one, two = (
        compare_learners(news, newswire(3, seed=2), "perceptron,pa", ray=ray, **options) for ray in (None, True)
    )
    assert drop_seconds(two.to_dict()) == drop_seconds(one.to_dict())
    folds, others = (tagloom.jackknife(news, folds=2, learner="pa", ray=ray, **options) for ray in (None, True))
    assert others.tags.texts() == folds.tags.texts()
    assert str(others.score) == str(folds.score)


def test_errors_on_workers_are_one_line(news: Corpus) -> None:
    with pytest.raises(ConfigError, match="set mix=N"):
        tagloom.train(news, ray=True, label="chunk", learner="perceptron")
    with pytest.raises(ConfigError, match="trains on one machine only"):
        tagloom.train(news, ray=True, system="phrases", label="chunk")
