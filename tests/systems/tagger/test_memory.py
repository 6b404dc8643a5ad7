"""Training with limited memory: the data is in files, and what is learned is what the same order learns in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.cli.main import run
from tagloom.corpus import Corpus, read, read_batches
from tagloom.corpus.mapped import SpilledArray, count_codes, is_mapped, iterate_slices
from tagloom.corpus.spill import spill_batches
from tagloom.datasets import newswire
from tagloom.errors import ConfigError, DataError
from tagloom.systems import inputs, memory

COLUMNS = "form pos chunk ner head"
NEWS = newswire(25, seed=3)
LEARNERS = (
    "averaged-perceptron",
    "pa",
    "sgd",
    "adf",
    "madf",
    "arow",
    "lookahead-perceptron",
    "maxent-sgd",
    "margin-perceptron",
    "lbfgs",
    "owlqn",
    "maxent",
    "maxent-gis",
)
EDGES = "form[0]\nform[-1] pos[0]\npos[0] / edge\n/ edge\n"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory") / "news.conll"
    tagloom.write(NEWS, path)
    return path


def train(path: Path, **options: Any) -> bytes:
    given = {"label": "chunk", "epochs": 2, "names": False, "templates": "chunking", **options}
    return tagloom.train(path, columns=COLUMNS, **given).to_bytes()


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_same_order_learns_the_same_model(path: Path, learner: str) -> None:
    in_memory = train(path, learner=learner, block=700)
    assert train(path, learner=learner, block=700, memory="1MB") == in_memory
    assert train(path, learner=learner, block=700, memory="1MB", threads=3) == in_memory


@pytest.mark.parametrize(
    "options", [{"buckets": 500}, {"cutoff": 3}, {"templates": EDGES}, {"templates": EDGES, "edge_pairs": "all"}]
)
def test_features_of_every_kind_are_the_same(path: Path, options: dict[str, Any]) -> None:
    given = {"learner": "averaged-perceptron", "block": 900, **options}
    assert train(path, **given, memory="1MB", threads=2) == train(path, **given)


def test_blocks_change_the_order_and_little_else(path: Path) -> None:
    whole = tagloom.train(path, columns=COLUMNS, label="chunk", epochs=3)
    blocks = tagloom.train(path, columns=COLUMNS, label="chunk", epochs=3, block=500)
    assert whole.to_bytes() != blocks.to_bytes()
    assert blocks.evaluate(NEWS).value > whole.evaluate(NEWS).value - 1


def test_a_start_model_and_a_checkpoint_go_along(path: Path, tmp_path: Path) -> None:
    first = tagloom.train(path, columns=COLUMNS, label="chunk", epochs=1, names=False, learner="averaged-perceptron")
    given = {"start": first, "block": 700, "epochs": 2, "names": False}
    one = tagloom.train(path, columns=COLUMNS, memory="1MB", **given).to_bytes()
    assert one == tagloom.train(path, columns=COLUMNS, **given).to_bytes()
    kept = tmp_path / "state"
    train(path, memory="1MB", block=700, epochs=2, checkpoint=kept, keep_checkpoint=True)
    assert train(path, memory="1MB", block=700, epochs=2, checkpoint=kept) == train(path, block=700, epochs=2)


def test_memory_is_limited_where_a_file_is_too_large(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "measure_available", lambda: 4_000_000)
    notes: list[str] = []
    given = {"label": "chunk", "columns": COLUMNS, "epochs": 1, "on_progress": lambda done: notes.append(done.message)}
    small = tagloom.train(path, **given)
    assert not any("too large" in note for note in notes)
    monkeypatch.setattr(memory, "measure_available", lambda: 1_500_000)
    large = tagloom.train(path, **given)
    assert any(note.endswith("too large for the memory; trains with --memory 1MB") for note in notes)
    assert large.parameters.node_names is None
    assert large.evaluate(NEWS).value == small.evaluate(NEWS).value


def test_the_command_reads_in_batches(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load_all(path: str) -> None:
        raise AssertionError(f"all of {path} was read at once")

    monkeypatch.setattr(inputs, "load_content", load_all)
    model = tmp_path / "model.tagloom"
    given = ["--columns", COLUMNS, "--label", "chunk", "--epochs", "2", "--templates", "chunking", "--no-names"]
    limits = ["--memory", "1MB", "--block", "700"]
    assert run(["train", str(path), "-o", str(model), "--learner", "pa", *given, *limits]) == 0
    assert model.read_bytes() == train(path, learner="pa", block=700)
    monkeypatch.setattr(memory, "measure_available", lambda: 1_500_000)
    assert (
        run(["train", str(path), "-o", str(model), "--start", str(model), "--columns", COLUMNS, "--epochs", "1"]) == 0
    )


@pytest.mark.parametrize("learner", ["nonlocal-perceptron", "reranking-1"])
def test_learners_that_need_all_data_say_so(path: Path, learner: str) -> None:
    with pytest.raises(ConfigError, match="all data in memory"):
        train(path, learner=learner, memory="1MB", block=700)


@pytest.mark.parametrize("size", ["2 bananas", "12", 0, -1, "1e9", True])
def test_sizes_that_are_none(path: Path, size: Any) -> None:
    with pytest.raises(ConfigError, match=r"^memory: expected a size"):
        train(path, memory=size)


def test_a_spilled_corpus_is_the_corpus(path: Path) -> None:
    spilled = spill_batches(read_batches(path, columns=COLUMNS, batch_bytes=2000))
    whole = read(path, columns=COLUMNS)
    assert all(is_mapped(column.codes) for column in spilled.columns.values())
    assert_same(spilled, whole)


def test_documents_and_bags_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("-DOCSTART-\tX\n\n" + "a\tA\nb\tB\n\nc\tC\n\n" * 40 + "-DOCSTART-\tX\n\nd\tD\n\n")
    given = {"columns": "form label"}
    spilled = spill_batches(read_batches(tmp_path / "a.conll", batch_bytes=50, **given))
    assert_same(spilled, read(tmp_path / "a.conll", **given))
    (tmp_path / "b.txt").write_text("A\tw=a\tx:0.5\nB\tw=b\n\n" + "B\tw=c\tw=a:2\n\n" * 30)
    spilled = spill_batches(read_batches(tmp_path / "b.txt", "crfsuite", batch_bytes=40))
    assert_same(spilled, read(tmp_path / "b.txt", "crfsuite"))


def assert_same(found: Corpus, wanted: Corpus) -> None:
    assert found.checksum() == wanted.checksum()
    assert found.names == wanted.names
    assert found.has_documents == wanted.has_documents
    for name in wanted.names:
        assert found.column(name).strings.strings() == wanted.column(name).strings.strings()


def test_slices_of_mapped_arrays() -> None:
    spilled = SpilledArray(np.int32)
    for part in np.array_split(np.arange(10_000) % 7, 3):
        spilled.append(part)
    whole = spilled.view()
    assert np.array_equal(np.concatenate(list(iterate_slices(whole, 999))), np.arange(10_000) % 7)
    assert count_codes(whole, 8).tolist() == [1429, 1429, 1429, 1429, 1428, 1428, 1428, 0]
    assert spilled.view(7, 10).tolist() == [0, 1, 2]
    assert not len(spilled.view(3, 3))


def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    spilled = SpilledArray(np.int32)
    message = "cannot write the training data to a temporary file: No space left"
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr(spilled, "_file", full)
        with pytest.raises(DataError, match=message):
            spilled.append(np.arange(10_000))
