"""A corpus of a paper: its files in the data folder, how they are read and split, and with which features."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagloom.corpus import Column, Corpus, read
from tagloom.corpus.schemes import detect_scheme
from tagloom.corpus.spans import boundaries
from tagloom.errors import DataError
from tagloom.features import load_templates
from tagloom.recipes.corpora import TAG_SOURCES, find_file, list_files, train_taggers

DEV, TEST = "dev", "test"  # the parts that are held out
TRAIN = "train"  # a resource that is built from the training text
#: A file, a folder, "train" for the training text, or several of them by the name of their list.
Place = str | Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Split:
    """A training corpus, and the corpora that its model is applied to."""

    train: Corpus
    held_out: Mapping[str, Corpus]  # DEV, TEST, or both


@dataclass(frozen=True)
class Dataset:
    """A corpus and its features. Paths are relative to the data folder, without the ending of a compressed file.

    Without a test file the last part of the training file is the test: ``train_share`` is the part that trains.
    """

    task: str
    train: str
    test: str | None = None
    train_share: float = 0.9
    format: str | None = None
    columns: str | None = None
    normalise: str | None = None  # Unicode normalisation of the text
    templates: str = "words"
    scheme: str | None = None  # of the labels that a model predicts
    cutoff: int = 1
    resources: Mapping[str, Place] = field(default_factory=dict)
    deviations: tuple[str, ...] = ()  # from the paper
    dev: str | None = None  # development data
    retag: bool = False  # replace the columns pos and chunk by tags of our own
    boundaries: bool = False  # drop the types of entities: labels S, C and N
    others: tuple[str, ...] = ()  # files beside these that decide a result
    dev_share: float = 0.0  # last part of the training data that is held out if there is no development data

    def choices(self) -> dict[str, object]:
        """Return what determines a result besides the files themselves, for a signature."""
        templates = load_templates(self.templates).fit({*(self.columns or "form").split(), *self.resources})
        found: dict[str, object] = {"templates": f"{templates.name}@{_digest(str(templates))}", "cutoff": self.cutoff}
        found |= {name: path for name, path in self.resources.items() if path == TRAIN}
        found |= {name: _digest(place) for name, place in self.resources.items() if isinstance(place, Mapping)}
        found |= {name: True for name in ("retag", "boundaries") if getattr(self, name)}
        optional = {"scheme": self.scheme, "columns": self.columns, "normalise": self.normalise, "format": self.format,
                    "train_share": None if self.test else self.train_share,
                    "dev_share": self.dev_share or None}  # fmt: skip
        return found | {name: value for name, value in optional.items() if value is not None}

    def options(self, data: Path) -> dict[str, Any]:
        """Return the options of training that the corpus fixes."""
        resources = {name: _locate(data, place) for name, place in self.resources.items()}
        return {
            "templates": self.templates,
            "scheme": self.scheme or "data",
            "cutoff": self.cutoff,
            "resources": resources,
        }

    def label(self, corpus: Corpus) -> str:
        """Return the column to learn: the last one that is read, since tags of our own may come after it."""
        return self.columns.split()[-1] if self.columns else corpus.label

    def read(self, data: Path) -> dict[str, Corpus]:
        """Read the corpora: TRAIN, TEST and, if there is a file of development data, DEV."""
        train = self._read(data, self.train)
        dev = {} if self.dev is None else {DEV: self._read(data, self.dev)}
        if self.test is not None:
            return {TRAIN: train, **dev, TEST: self._read(data, self.test)}
        border = int(len(train) * self.train_share)
        return {TRAIN: train.slice(0, border), **dev, TEST: train.slice(border, len(train))}

    def split(self, data: Path) -> tuple[Split, ...]:
        """Read the corpora as one split for development and test, or as one split for each.

        Without development data the last ``dev_share`` of the training data is held out for development (whole
        documents, if there are any), and the model that is tested learns from all training data.
        """
        held_out = self.read(data)
        train = held_out.pop(TRAIN)
        if DEV in held_out or not self.dev_share:
            return (Split(train, held_out),)
        border = int(len(train) * (1 - self.dev_share))
        if train.has_documents:
            border = int(train.documents[train.documents.searchsorted(border)])
        return Split(train.slice(0, border), {DEV: train.slice(border, len(train))}), Split(train, held_out)

    def missing(self, data: Path) -> str | None:
        """Return why the corpus cannot be used, in a few words, or None if all its files are there."""
        for name in self._names():
            try:
                find_file(data, name)
            except DataError as error:
                return str(error)
        return None

    def checksum(self, data: Path) -> str:
        """Return twelve hexadecimal digits that identify the content of all files, including resources."""
        digest = hashlib.blake2b(digest_size=6)
        for name in self._names():
            for file in list_files(find_file(data, name)):
                content = file.read_bytes()
                digest.update(f"{name}/{file.name}:{len(content)}:".encode())
                digest.update(content)
        return digest.hexdigest()

    def _names(self) -> list[str]:
        """All files and folders that decide a result."""
        corpora = [name for name in (self.train, self.test, self.dev) if name is not None]
        lists = [({"": [place]} if isinstance(place, str) else place).values() for place in self.resources.values()]
        resources = [path for each in lists for paths in each for path in paths if path != TRAIN]
        return [*corpora, *(TAG_SOURCES if self.retag else ()), *self.others, *resources]

    def _read(self, data: Path, name: str) -> Corpus:
        reading: dict[str, Any] = {} if self.normalise is None else {"normalise": self.normalise}
        corpus = read(find_file(data, name), self.format, self.columns, **reading)
        corpus = corpus.with_column(corpus.label, _keep_boundaries(corpus)) if self.boundaries else corpus
        return train_taggers(data).retag(corpus) if self.retag else corpus


def _keep_boundaries(corpus: Corpus) -> Column:
    column = corpus.column(corpus.label)
    scheme = detect_scheme(column.strings.strings(), column.codes, corpus.sentences)
    if scheme is None:
        raise DataError(f"{corpus.source}: column {corpus.label!r} marks no entities; expected labels such as B-PER")
    return boundaries(column, corpus.sentences, scheme)


def _locate(data: Path, place: Place) -> str | Path | dict[str, list[Any]]:
    """The place in the data folder."""
    if isinstance(place, Mapping):
        return {name: [_locate(data, path) for path in paths] for name, paths in place.items()}
    return place if place == TRAIN else find_file(data, place)


def _digest(value: object) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=4).hexdigest()
