"""Datasets: what is read, held out and retagged, and what identifies a corpus."""

from __future__ import annotations

import lzma
from dataclasses import replace
from pathlib import Path

import pytest

from tagloom.corpus import Corpus, read
from tagloom.corpus.schemes import IOB1, IOB2
from tagloom.corpus.spans import convert_labels
from tagloom.datasets import newswire
from tagloom.recipes.corpora import CHUNKS, POS, Taggers, train_taggers
from tagloom.recipes.dataset import DEV, TEST, TRAIN, Dataset
from tests.recipes.generate import write_corpora

COLUMNS = "form pos chunk ner"
NAMES = Dataset(
    "names", "names/train.txt", "names/test.txt", columns=COLUMNS, format="conll", dev="names/dev.txt", retag=True
)
PLAIN = replace(NAMES, retag=False)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora({"names": NAMES}, tmp_path_factory.mktemp("data"), documents=12)


def texts(corpus: Corpus, *names: str) -> list[list[str]]:
    return [corpus.column(name).texts() for name in names]


# -- splits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["names/test.txt", None])
@pytest.mark.parametrize("dev", ["names/dev.txt", None])
@pytest.mark.parametrize("dev_share", [0.0, 0.3])
def test_what_is_held_out_is_not_trained_on(data: Path, test: str | None, dev: str | None, dev_share: float) -> None:
    dataset = replace(PLAIN, test=test, dev=dev, dev_share=dev_share, train_share=0.75)
    splits = dataset.split(data)
    two = dev is None and dev_share > 0
    assert [sorted(split.held_out) for split in splits] == (
        [[DEV], [TEST]] if two else [[DEV, TEST]] if dev else [[TEST]]
    )
    whole = splits[-1].train
    if test is None:
        everything = PLAIN.read(data)[TRAIN]
        assert len(whole) == int(0.75 * len(everything))
        parts = [list(corpus.iter_sentences("form")) for corpus in (whole, splits[-1].held_out[TEST], everything)]
        assert parts[0] + parts[1] == parts[2]
    if two:
        parts = [list(c.iter_sentences("form")) for c in (splits[0].train, splits[0].held_out[DEV], whole)]
        assert parts[0] + parts[1] == parts[2]
        assert len(splits[0].train) in whole.documents.tolist()  # whole documents are held out
        assert len(parts[1]) <= dev_share * len(whole)


def test_types_are_dropped(data: Path) -> None:
    old, new = (texts(replace(PLAIN, boundaries=flag).read(data)[TRAIN], "ner")[0] for flag in (False, True))
    assert set(new) == {"S", "C", "N"}
    assert [label == "N" for label in new] == [label == "O" for label in old]


# -- what identifies a corpus ------------------------------------------------------------------------------------------


def test_the_checksum_sees_every_file(tmp_path: Path) -> None:
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
    others = {"ORG": ["firms"], "PER": ["clubs", "people", "train"]}
    assert replace(dataset, resources={"gazetteer": others, "lexicon": "train"}).choices() != dataset.choices()
    before = dataset.checksum(tmp_path)
    (tmp_path / "clubs").write_text("United\n")
    assert dataset.checksum(tmp_path) != before
    (tmp_path / "clubs").unlink()
    assert dataset.missing(tmp_path) == f"no clubs in {tmp_path}"


def test_a_retagged_corpus_depends_on_more_files(data: Path, tmp_path: Path) -> None:
    assert PLAIN.checksum(data) != NAMES.checksum(data)
    assert NAMES.choices() == {**PLAIN.choices(), "retag": True}
    assert NAMES.missing(data) is None
    (tmp_path / "names").mkdir()
    for part in ("train", "test", "dev"):
        (tmp_path / f"names/{part}.txt").write_text("a X O O\n")
    assert PLAIN.missing(tmp_path) is None
    assert NAMES.missing(tmp_path) == f"no {POS} in {tmp_path}"


# -- tags of our own ---------------------------------------------------------------------------------------------------


def test_only_tags_change(data: Path) -> None:
    plain, retagged = PLAIN.read(data), NAMES.read(data)
    for old, new in ((plain[part], retagged[part]) for part in (TRAIN, DEV, TEST)):
        assert new.names == old.names
        assert texts(new, "form", "ner") == texts(old, "form", "ner")
        assert new.sentences.tolist() == old.sentences.tolist()
        assert new.documents.tolist() == old.documents.tolist()
        for name in ("pos", "chunk"):  # learned from other text: nearly right, and not copied
            pairs = list(zip(*texts(old, name), *texts(new, name)))
            assert 0.8 * len(pairs) < sum(a == b for a, b in pairs)
        blank = old.with_column("pos", ["X"] * old.token_count)
        assert texts(train_taggers(data).retag(blank), "pos", "chunk") == texts(new, "pos", "chunk")


def test_chunks_have_the_scheme_of_the_corpus(data: Path) -> None:
    def to_iob1(corpus: Corpus) -> Corpus:
        return corpus.with_column("chunk", convert_labels(corpus.column("chunk"), corpus.sentences, IOB2, IOB1))

    corpus, retag = read(data / "names/test.txt", "conll", COLUMNS), train_taggers(data).retag
    ours = retag(corpus)
    assert texts(retag(to_iob1(corpus)), "chunk") == texts(to_iob1(ours), "chunk") != texts(ours, "chunk")


def test_the_taggers_are_the_same_every_time(data: Path) -> None:
    corpus = newswire(5, seed=9)
    first, second = (taggers.retag(corpus) for taggers in (Taggers.train(data), train_taggers(data)))
    assert texts(first, "pos", "chunk") == texts(second, "pos", "chunk")


def test_brackets_and_quotes_of_the_treebank_are_those_of_the_corpus(tmp_path: Path) -> None:
    treebank = "``\t``\nHe\tPRP\n''\t''\n-LRB-\t-LRB-\nhe\tPRP\n-RRB-\t-RRB-\n\n" * 20
    for name, text in {POS: treebank, CHUNKS: "( ( O\nHe PRP B-NP\n) ) O\n\n" * 20}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    words = ['"', "He", '"', "(", "he", ")"]
    corpus = Corpus.from_columns({"form": words}, [len(words)])
    assert texts(Taggers.train(tmp_path).retag(corpus), "pos") == [["``", "PRP", "''", "(", "PRP", ")"]]
