"""Our own tags in a corpus of a recipe: on made-up corpora that lie where the real ones do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tagloom.corpus import Corpus, read, write
from tagloom.corpus.schemes import IOB1, IOB2
from tagloom.corpus.spans import convert_labels
from tagloom.datasets import newswire
from tagloom.errors import DataError
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.retagging import CHUNKS, POS, Taggers, taggers

COLUMNS = "form pos chunk ner"
NAMES = Dataset(
    "names", "names/train.txt", "names/test.txt", columns=COLUMNS, format="conll", dev="names/dev.txt", retag=True
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    parts = {POS: "form pos", CHUNKS: "form pos chunk", "names/train.txt": COLUMNS, "names/test.txt": COLUMNS}
    for seed, (name, columns) in enumerate(({**parts, "names/dev.txt": COLUMNS}).items(), 1):
        (folder / name).parent.mkdir(exist_ok=True)
        write(newswire(12, seed=seed), folder / name, "conll", columns)
    return folder


def texts(corpus: Corpus, *names: str) -> list[list[str]]:
    return [corpus.column(name).texts() for name in names]


def test_tags_are_new_and_all_else_is_as_it_was(data: Path) -> None:
    as_read = replace(NAMES, retag=False)
    for old, new in zip((*as_read.read(data), as_read.read_dev(data)), (*NAMES.read(data), NAMES.read_dev(data))):
        assert new.names == old.names
        assert texts(new, "form", "ner") == texts(old, "form", "ner")
        assert new.sentences.tolist() == old.sentences.tolist()
        assert new.documents.tolist() == old.documents.tolist()
        for name in ("pos", "chunk"):  # learned from other text: nearly right, and not copied
            pairs = list(zip(*texts(old, name), *texts(new, name)))
            assert 0.8 * len(pairs) < sum(a == b for a, b in pairs)
        blank = old.with_column("pos", ["X"] * old.token_count)
        assert texts(taggers(data).retag(blank), "pos", "chunk") == texts(new, "pos", "chunk")


def test_chunks_have_the_scheme_of_the_corpus(data: Path) -> None:
    def in_iob1(corpus: Corpus) -> Corpus:
        return corpus.with_column("chunk", convert_labels(corpus.column("chunk"), corpus.sentences, IOB2, IOB1))

    corpus = read(data / "names/test.txt", "conll", COLUMNS)
    ours = taggers(data).retag(corpus)
    assert texts(taggers(data).retag(in_iob1(corpus)), "chunk") == texts(in_iob1(ours), "chunk") != texts(ours, "chunk")


def test_the_taggers_are_the_same_every_time(data: Path) -> None:
    corpus = newswire(5, seed=9)
    assert texts(Taggers.train(data).retag(corpus), "pos", "chunk") == texts(
        taggers(data).retag(corpus), "pos", "chunk"
    )


def test_brackets_and_quotes_of_the_treebank_are_those_of_the_corpus(tmp_path: Path) -> None:
    treebank = "``\t``\nHe\tPRP\n''\t''\n-LRB-\t-LRB-\nhe\tPRP\n-RRB-\t-RRB-\n\n" * 20
    for name, text in {POS: treebank, CHUNKS: "( ( O\nHe PRP B-NP\n) ) O\n\n" * 20}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    words = ['"', "He", '"', "(", "he", ")"]
    corpus = Corpus.from_columns({"form": words}, [len(words)])
    assert texts(Taggers.train(tmp_path).retag(corpus), "pos") == [["``", "PRP", "''", "(", "PRP", ")"]]


def test_what_is_stated_of_a_corpus_that_is_retagged(data: Path, tmp_path: Path) -> None:
    plain = replace(NAMES, retag=False)
    assert plain.checksum(data) != NAMES.checksum(data)
    assert NAMES.choices() == {**plain.choices(), "retag": True}
    assert NAMES.missing(data) is None
    (tmp_path / "names").mkdir()
    for part in ("train", "test", "dev"):
        (tmp_path / f"names/{part}.txt").write_text("a X O O\n")
    assert plain.missing(tmp_path) is None
    assert NAMES.missing(tmp_path) == f"no {POS} in {tmp_path}"
    (tmp_path / "names/dev.txt").unlink()
    assert plain.missing(tmp_path) == f"no names/dev.txt in {tmp_path}"
    with pytest.raises(DataError, match=r"^names/train\.txt: has no development data$"):
        replace(NAMES, dev=None).read_dev(data)
