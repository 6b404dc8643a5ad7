"""The tasks: which corpus, which columns, which features, and the plain files that all tools read."""

from __future__ import annotations

import itertools
import lzma
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench import ROOT
from bench.rivals.templates import FeatureSet

Row = tuple[str, ...]
Sentence = list[Row]
TRAIN, DEV, TEST = "train", "dev", "test"
F1, ACCURACY, LAS = "F1", "accuracy", "LAS"
#: Fields of a line of CoNLL-U.
FORM, UPOS, FEATS, HEAD, DEPREL = 1, 3, 5, 6, 7


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes:
        name: What ``--task`` takes.
        corpus: What the table says.
        columns: Columns that models read; the files have one more, the label. For trees, the files are CoNLL-U.
        templates: The template set whose features all tools have that take features.
        metric: F1 of spans or words, accuracy, or labelled attachment score.
        read: Reads a part of the corpus: the folder of the corpora and ``train``, ``dev`` or ``test``.
    """

    name: str
    corpus: str
    columns: tuple[str, ...]
    templates: str | None
    metric: str
    read: Callable[[Path, str], list[Sentence]]

    @cached_property
    def features(self) -> FeatureSet:
        """The features of the task."""
        assert self.templates is not None
        return FeatureSet.load(self.templates, self.columns)

    def find_label(self, row: Row) -> str:
        """Return what is to be predicted for a token, as text."""
        return f"{row[HEAD]}\t{row[DEPREL]}" if self.metric == LAS else row[-1]

    def hide_label(self, row: Row) -> Row:
        """Return what a model may see of a token."""
        return (row[FORM], row[UPOS], row[FEATS]) if self.metric == LAS else row[:-1]


def find_data() -> Path:
    """Return the folder of the corpora, or end with a line that says how to name it."""
    folder = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set TAGLOOM_DATA to the folder of the corpora")
    return folder


def read_text(path: Path) -> str:
    """Read a text that may be packed (``.xz``)."""
    packed = path.with_name(path.name + ".xz")
    return lzma.decompress(packed.read_bytes()).decode() if packed.exists() else path.read_text("utf-8")


def split_sentences(lines: Iterable[str], comment: str | None = None) -> Iterator[list[list[str]]]:
    """Yield the sentences of a column file: fields of lines; lines that begin with ``comment`` are left out."""
    sentence: list[list[str]] = []
    for line in lines:
        if line.strip():
            if comment is None or not line.startswith(comment):
                sentence.append(line.rstrip("\n").split("\t") if "\t" in line else line.split())
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def stream_sentences(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a file that ``write_sentences`` wrote, for tools that take them one by one."""
    with path.open(encoding="utf-8", newline="\n") as lines:
        for sentence in split_sentences(lines):
            yield [tuple(fields) for fields in sentence]


def read_sentences(path: Path, most: int | None = None) -> list[Sentence]:
    """Read such a file, or its first sentences."""
    return list(itertools.islice(stream_sentences(path), most))


def write_sentences(path: Path, sentences: Sequence[Sequence[Row]]) -> None:
    """Write columns with tabs between them, and an empty line after every sentence."""
    blocks = ("\n".join("\t".join(row) for row in sentence) + "\n\n" for sentence in sentences)
    path.write_text("".join(blocks), "utf-8")


def _hold_out(sentences: list[Sentence], part: str) -> list[Sentence]:
    """Cut the last tenth off as development data, where a corpus has none; training keeps all."""
    return sentences if part == TRAIN else sentences[len(sentences) * 9 // 10 :]


def read_chunks(data: Path, part: str) -> list[Sentence]:
    """Read CoNLL-2000: word, part of speech, chunk."""
    text = read_text(data / "conll2000" / ("test.txt" if part == TEST else "train.txt"))
    found = [[tuple(fields) for fields in sentence] for sentence in split_sentences(text.split("\n"))]
    return found if part == TEST else _hold_out(found, part)


def read_entities(data: Path, part: str) -> list[Sentence]:
    """Read CoNLL-2003: word, part of speech, entity, with entities in IOB2 and without document lines."""
    name = {TRAIN: "eng.train", DEV: "eng.testa", TEST: "eng.testb"}[part]
    sentences = split_sentences(read_text(data / "conll2003-en" / name).split("\n"))
    return [
        [(fields[0], fields[1], label) for fields, label in zip(sentence, to_iob2([each[3] for each in sentence]))]
        for sentence in sentences
        if sentence[0][0] != "-DOCSTART-"
    ]


def to_iob2(labels: Sequence[str]) -> list[str]:
    """Turn IOB1 into IOB2: every entity begins with B-."""
    found: list[str] = []
    for before, label in zip(["O", *labels], labels):
        begins = label.startswith("I-") and before[2:] != label[2:]
        found.append(f"B-{label[2:]}" if begins else label)
    return found


def read_treebank(data: Path, part: str) -> list[Sentence]:
    """Read the words of UD English EWT; multiword tokens and empty nodes are left out."""
    text = read_text(data / "ud-en-ewt" / f"en_ewt-ud-{part}.conllu")
    return [
        [tuple(fields) for fields in sentence if fields[0].isdigit()]
        for sentence in split_sentences(text.split("\n"), "#")
    ]


def read_tags(data: Path, part: str) -> list[Sentence]:
    """Read words and universal tags of UD English EWT. Blanks inside words are left out: columns cannot hold them."""
    treebank = read_treebank(data, part)
    return [[(row[FORM].replace(" ", ""), row[UPOS]) for row in sentence] for sentence in treebank]


def read_characters(data: Path, part: str) -> list[Sentence]:
    """Read the MSR slices of SIGHAN 2005: characters with the labels B, M, E, S of their words."""
    text = read_text(data / "sighan2005" / "slices-normalised" / ("msr_test" if part == TEST else "msr_dev"))
    found = [list(label_characters(line.split())) for line in text.split("\n") if line.split()]
    return found if part == TEST else _hold_out(found, part)


def label_characters(words: Sequence[str]) -> Iterator[Row]:
    """Yield the characters of words with their labels."""
    for word in words:
        labels = "S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E"
        yield from zip(word, labels)


TASKS = {
    task.name: task
    for task in (
        Task("chunking", "CoNLL-2000", ("form", "pos"), "chunking", F1, read_chunks),
        Task("ner", "CoNLL-2003 English", ("form", "pos"), "ner-basic", F1, read_entities),
        Task("pos", "UD English EWT, UPOS from words", ("form",), "pos", ACCURACY, read_tags),
        Task("segmentation", "SIGHAN 2005 MSR, slices", ("form",), "segmentation", F1, read_characters),
        Task("parsing", "UD English EWT, words with gold UPOS", (), None, LAS, read_treebank),
    )
}


@dataclass(frozen=True)
class Files:
    """The files of a task, with all sentences or with the first ones of the training data."""

    train: Path
    dev: Path
    test: Path

    @classmethod
    def write(cls, task: Task, data: Path, folder: Path, sentences: int | None, test_sentences: int | None) -> Files:
        """Write the files unless they are there; development data is cut like the training data."""
        folder.mkdir(parents=True, exist_ok=True)
        found = []
        for part, most in ((TRAIN, sentences), (DEV, sentences), (TEST, test_sentences)):
            path = folder / f"{task.name}-{part}-{most or 'all'}.txt"
            if not path.exists():
                write_sentences(path, task.read(data, part)[:most])
            found.append(path)
        return cls(*found)
