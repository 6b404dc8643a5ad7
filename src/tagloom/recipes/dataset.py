"""A corpus of a paper as it lies in the folder of the data: its files, how they are read, with which features."""

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
from tagloom.recipes.locating import files_of, located
from tagloom.recipes.retagging import SOURCES, taggers

TRAIN = "train"  # a resource that is made from the training text
#: A file, a folder, "train" for the training text, or several of them by the name of their list.
Place = str | Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Dataset:
    """Paths are relative to the folder of the data, without the ending of a compressed file.

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
    scheme: str | None = None  # the labels that are decided on
    cutoff: int = 1
    resources: Mapping[str, Place] = field(default_factory=dict)
    deviations: tuple[str, ...] = ()  # from the paper
    dev: str | None = None  # development data
    retag: bool = False  # put our own tags into the columns pos and chunk
    boundaries: bool = False  # drop the types of entities: labels S, C and N
    dev_share: float = 0.0  # last part of the training data that is held out, where there is no development data

    def choices(self) -> dict[str, object]:
        """What determines a result beside the files themselves, for a signature."""
        templates = load_templates(self.templates)
        found: dict[str, object] = {"templates": f"{templates.name}@{_digest(templates)}", "cutoff": self.cutoff}
        found |= {name: path for name, path in self.resources.items() if path == TRAIN}
        found |= {name: _digest(place) for name, place in self.resources.items() if isinstance(place, Mapping)}
        found |= {name: True for name in ("retag", "boundaries") if getattr(self, name)}
        optional = {"scheme": self.scheme, "columns": self.columns, "normalise": self.normalise, "format": self.format,
                    "train_share": None if self.test else self.train_share,
                    "dev_share": self.dev_share or None}  # fmt: skip
        return found | {name: value for name, value in optional.items() if value is not None}

    def options(self, data: Path) -> dict[str, Any]:
        """The fields of ``tagloom.systems.tagger.options.Options`` that the corpus fixes."""
        resources = {name: _placed(data, place) for name, place in self.resources.items()}
        return {"templates": self.templates, "scheme": self.scheme, "cutoff": self.cutoff, "resources": resources}

    def read(self, data: Path) -> tuple[Corpus, Corpus]:
        """Train and test."""
        train = self._read(data, self.train)
        if self.test is not None:
            return train, self._read(data, self.test)
        border = int(len(train) * self.train_share)
        return train.slice(0, border), train.slice(border, len(train))

    def read_dev(self, data: Path) -> Corpus:
        """The development data."""
        if self.dev is None:
            raise DataError(f"{self.train}: has no development data")
        return self._read(data, self.dev)

    def missing(self, data: Path) -> str | None:
        """Why the corpus cannot be used, in a few words; None if all its files are there."""
        for name in self._names():
            try:
                located(data, name)
            except DataError as error:
                return str(error)
        return None

    def checksum(self, data: Path) -> str:
        """Twelve hexadecimal digits that identify the content of all files, resources included."""
        digest = hashlib.blake2b(digest_size=6)
        for name in self._names():
            for file in files_of(located(data, name)):
                content = file.read_bytes()
                digest.update(f"{name}/{file.name}:{len(content)}:".encode())
                digest.update(content)
        return digest.hexdigest()

    def _names(self) -> list[str]:
        """All files and folders that decide a result."""
        corpora = [name for name in (self.train, self.test, self.dev) if name is not None]
        resources = [path for place in self.resources.values() for path in _paths(place)]
        return [*corpora, *(SOURCES if self.retag else ()), *resources]

    def _read(self, data: Path, name: str) -> Corpus:
        reading: dict[str, Any] = {} if self.normalise is None else {"normalise": self.normalise}
        corpus = read(located(data, name), self.format, self.columns, **reading)
        corpus = corpus.with_column(corpus.label, _boundaries(corpus)) if self.boundaries else corpus
        return taggers(data).retag(corpus) if self.retag else corpus


def _boundaries(corpus: Corpus) -> Column:
    column = corpus.column(corpus.label)
    scheme = detect_scheme(column.strings.strings(), column.codes, corpus.sentences)
    if scheme is None:
        raise DataError(f"{corpus.source}: column {corpus.label!r} marks no entities; expected labels such as B-PER")
    return boundaries(column, corpus.sentences, scheme)


def _paths(place: Place) -> list[str]:
    paths = [place] if isinstance(place, str) else [path for paths in place.values() for path in paths]
    return [path for path in paths if path != TRAIN]


def _placed(data: Path, place: Place) -> str | Path | dict[str, list[str | Path]]:
    def placed(path: str) -> str | Path:
        return path if path == TRAIN else located(data, path)

    if isinstance(place, str):
        return placed(place)
    return {name: [placed(path) for path in paths] for name, paths in place.items()}


def _digest(value: object) -> str:
    return hashlib.blake2b(repr(value).encode(), digest_size=4).hexdigest()
