"""Corpora that several papers share: where their files are, how they are read, and tags of our own for them.

Some papers replace the part-of-speech and chunk tags that a corpus comes with (Kazama and Torisawa 2007, Table 5, use
those of TagChunk). Here a tagger learns from the sample of the Penn Treebank, and a chunker learns from CoNLL-2000 with
the tags of that tagger, because these are the tags that it reads in use. (F1 of chunks on the last tenth of the
training data of CoNLL-2000: 93.2 if trained this way, 92.5 if trained on the tags of the corpus.) None of this text is
part of CoNLL-2003, so training and test text are tagged equally well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tagloom.corpus import Corpus, read
from tagloom.corpus.schemes import IOB2, detect_scheme
from tagloom.corpus.spans import convert_labels
from tagloom.errors import DataError
from tagloom.systems import Tagger
from tagloom.systems.train import train

# -- fields of a Dataset -----------------------------------------------------------------------------------------------


def describe_conll(columns: str, train: str, test: str | None = None, dev: str | None = None) -> dict[str, Any]:
    """Return the fields of a corpus in files with one token per line."""
    return {"train": train, "test": test, "dev": dev, "format": "conll", "columns": columns}


CONLL_2000 = describe_conll("form pos chunk", "conll2000/train.txt", "conll2000/test.txt")
CONLL_2003_ENGLISH = describe_conll(
    "form pos chunk ner", "conll2003-en/eng.train", "conll2003-en/eng.testb", dev="conll2003-en/eng.testa"
)
CONLL_2002_DUTCH = describe_conll(
    "form pos ner", "conll2002-nl/ned.train", "conll2002-nl/ned.testb", dev="conll2002-nl/ned.testa"
)
#: Both texts are normalised, because the training text writes digits full-width, and the test half-width.
PKU: dict[str, Any] = {
    "train": "pfr199801/199801.seg.utf8", "test": "sighan2005/pku_test_gold.utf8", "format": "segmented",
    "normalise": "NFKC",
}  # fmt: skip
JNLPBA = describe_conll("form ner", "jnlpba/train.docstart.iob2", "jnlpba/Genia4EReval1.iob2")
GAZETTEERS = "resources/gazetteers"
#: The richest features for English entities: Brown clusters, entity lists, labels BIOES.
EXTENDED_ENTITIES: dict[str, Any] = {
    "templates": "ner-extended",
    "scheme": "BIOES",
    "resources": {"brown": "resources/brown/brown-rcv1-c3200.paths.txt", "gazetteer": GAZETTEERS},
}

# -- files -------------------------------------------------------------------------------------------------------------


def find_file(data: Path, name: str) -> Path:
    """Return the path of a file or folder in the data; a file may be compressed."""
    for ending in ("", ".xz", ".gz"):
        path = data / f"{name}{ending}"
        if path.exists():
            return path
    raise DataError(f"no {name} in {data}")


def list_files(path: Path) -> Iterator[Path]:
    """Yield the file itself, or all files of a folder in the order of their names."""
    if path.is_dir():
        yield from sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    else:
        yield path


# -- tags of our own ---------------------------------------------------------------------------------------------------

POS, CHUNKS = "ptb-sample/wsj_sample.pos.tsv", CONLL_2000["train"]
TAG_SOURCES: tuple[str, ...] = (POS, CHUNKS)  # all files that decide what the taggers learn

# CoNLL-2003 writes brackets and quotes differently from the treebank.
_MARKS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}
_BRACKET_TAGS = {"-LRB-": "(", "-RRB-": ")"}


@dataclass(frozen=True)
class Taggers:
    """A part-of-speech tagger that reads words, and a chunker (IOB2) that reads words and tags."""

    pos: Tagger
    chunks: Tagger

    @classmethod
    def train(cls, data: Path) -> Taggers:
        """Train both on the corpora in the data folder."""
        treebank = read_treebank(data)
        options: dict[str, Any] = {"learner": "averaged-perceptron", "scheme": "data", "epochs": 10, "seed": 1}
        pos = train(treebank, label="pos", templates="pos", **options)
        chunked = _normalise_marks(read(find_file(data, CHUNKS), "conll", "form pos chunk"))
        retagged = chunked.with_column("pos", pos.tag_corpus(chunked))
        return cls(pos, train(retagged, label="chunk", templates="chunking", **options))

    def retag(self, corpus: Corpus) -> Corpus:
        """Return the corpus with our tags in the columns pos and chunk; the scheme of its chunks stays."""
        tagged = corpus.with_column("pos", self.pos.tag_corpus(corpus))
        chunks, old = self.chunks.tag_corpus(tagged), corpus.columns.get("chunk")
        scheme = None if old is None else detect_scheme(old.strings.strings(), old.codes, corpus.sentences)
        if scheme not in (None, IOB2):
            chunks = convert_labels(chunks, corpus.sentences, IOB2, scheme)
        return tagged.with_column("chunk", chunks)


def read_treebank(data: Path, tag: str = "pos") -> Corpus:
    """Read the sample of the Penn Treebank with the marks of CoNLL-2003, and its tags in a column of some name."""
    return _normalise_marks(read(find_file(data, POS), "conll", f"form {tag}"), tag)


@lru_cache(maxsize=1)
def train_taggers(data: Path) -> Taggers:
    """Train the taggers once for a data folder; this takes a few seconds and always gives the same taggers."""
    return Taggers.train(data)


def _normalise_marks(corpus: Corpus, tag: str = "pos") -> Corpus:
    forms, tags = corpus.column("form").texts(), corpus.column(tag).texts()
    plain = corpus.with_column("form", [_MARKS.get(form, form) for form in forms])
    return plain.with_column(tag, [_BRACKET_TAGS.get(tag, tag) for tag in tags])
