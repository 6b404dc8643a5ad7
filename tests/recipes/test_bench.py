"""The workbench of chain models and its dataset: what is measured, what ends it, how a corpus is split."""

from __future__ import annotations

import lzma
from dataclasses import replace
from pathlib import Path

import pytest

from tagloom.errors import ConfigError
from tagloom.recipes.bench import ChainBench
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.recipe import Experiment
from tests.recipes import tiny


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.make_data(tmp_path_factory.mktemp("bench") / "data")


@pytest.fixture(scope="module")
def bench(data: Path) -> ChainBench:
    return ChainBench(tiny.DATASETS["news"], data)


def experiment(**options: object) -> Experiment:
    return Experiment("2", "news", "AP", "F1", None, {"learner": "perceptron", "epochs": 3, **options})


def test_the_curve_has_a_point_a_pass(bench: ChainBench) -> None:
    told: list[str] = []
    measured = bench.run(experiment(), told.append)
    assert [point.epoch for point in measured.curve] == [1, 2, 3]
    assert sorted(point.seconds for point in measured.curve) == [point.seconds for point in measured.curve]
    assert (measured.ours, measured.seconds) == (measured.curve[-1].score, measured.curve[-1].seconds)
    assert len(told) == 3


def test_half_a_training_is_no_row(bench: ChainBench) -> None:
    def stop(text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(experiment(), stop)


def test_an_unknown_option_is_named(bench: ChainBench) -> None:
    with pytest.raises(ConfigError, match="unknown option 'epoch'; did you mean 'epochs'"):
        bench.run(experiment(epoch=3), print)


def test_without_a_test_file_the_last_sentences_test(data: Path) -> None:
    whole = Dataset("chunking", "news/train.txt", "news/train.txt", columns="form pos chunk").read(data)[0]
    train, test = Dataset("chunking", "news/train.txt", columns="form pos chunk", train_share=0.75).read(data)
    assert len(train) == int(0.75 * len(whole))
    forms = [list(corpus.iter_sentences("form")) for corpus in (train, test, whole)]
    assert forms[0] + forms[1] == forms[2]


def test_the_checksum_sees_every_file(data: Path, tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "places").write_text("Paris\n")
    for part in ("train", "test"):
        (tmp_path / f"{part}.txt").write_text("a X\n")
    dataset = Dataset("names", "train.txt", "test.txt", resources={"gazetteer": "lists"})
    seen = {dataset.checksum(tmp_path)}
    for file in ("train.txt", "test.txt", "lists/places", "lists/people"):
        (tmp_path / file).write_text(f"{file} X\n")
        seen.add(dataset.checksum(tmp_path))
    assert len(seen) == 5


def test_lists_by_class(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("a X\n")
    for name in ("firms.xz", "clubs", "people"):
        (tmp_path / name).write_bytes(lzma.compress(b"Acme\n") if name.endswith("xz") else b"Acme\n")
    classes = {"ORG": ["firms", "clubs"], "PER": ["people", "train"]}
    dataset = Dataset("names", "train.txt", resources={"gazetteer": classes, "lexicon": "train"})
    assert dataset.options(tmp_path)["resources"] == {
        "gazetteer": {"ORG": [tmp_path / "firms.xz", tmp_path / "clubs"], "PER": [tmp_path / "people", "train"]},
        "lexicon": "train",
    }
    other = replace(
        dataset, resources={"gazetteer": {"ORG": ["firms"], "PER": ["clubs", "people", "train"]}, "lexicon": "train"}
    )
    assert other.choices() != dataset.choices()
    before = dataset.checksum(tmp_path)
    (tmp_path / "clubs").write_text("United\n")
    assert dataset.checksum(tmp_path) != before
    (tmp_path / "clubs").unlink()
    assert dataset.missing(tmp_path) == f"no clubs in {tmp_path}"
