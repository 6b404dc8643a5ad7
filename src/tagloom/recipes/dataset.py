"""A corpus of a paper as it lies in the folder of the data: its files, how they are read, with which features."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagloom.corpus import Corpus, read
from tagloom.errors import DataError
from tagloom.features import load_templates

TRAIN = "train"  # a resource that is made from the training text
_ENDINGS = ("", ".xz", ".gz")  # a file may be compressed


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
    resources: Mapping[str, str] = field(default_factory=dict)  # a file, a folder, or "train" for the training text
    deviations: tuple[str, ...] = ()  # from the paper

    def choices(self) -> dict[str, object]:
        """What determines a result beside the files themselves, for a signature."""
        templates = load_templates(self.templates)
        digest = hashlib.blake2b(repr(templates).encode(), digest_size=4).hexdigest()
        found: dict[str, object] = {"templates": f"{templates.name}@{digest}", "cutoff": self.cutoff}
        found |= {name: path for name, path in self.resources.items() if path == TRAIN}
        optional = {"scheme": self.scheme, "columns": self.columns, "normalise": self.normalise, "format": self.format,
                    "train_share": None if self.test else self.train_share}  # fmt: skip
        return found | {name: value for name, value in optional.items() if value is not None}

    def options(self, data: Path) -> dict[str, Any]:
        """The fields of ``tagloom.model.options.Options`` that the corpus fixes."""
        resources = {name: path if path == TRAIN else located(data, path) for name, path in self.resources.items()}
        return {"templates": self.templates, "scheme": self.scheme, "cutoff": self.cutoff, "resources": resources}

    def read(self, data: Path) -> tuple[Corpus, Corpus]:
        """Train and test."""
        train = self._read(data, self.train)
        if self.test is not None:
            return train, self._read(data, self.test)
        border = int(len(train) * self.train_share)
        return train.slice(0, border), train.slice(border, len(train))

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
            for file in _files(located(data, name)):
                content = file.read_bytes()
                digest.update(f"{name}/{file.name}:{len(content)}:".encode())
                digest.update(content)
        return digest.hexdigest()

    def _names(self) -> list[str]:
        resources = [path for path in self.resources.values() if path != TRAIN]
        return [self.train, *([self.test] if self.test else []), *resources]

    def _read(self, data: Path, name: str) -> Corpus:
        reading: dict[str, Any] = {} if self.normalise is None else {"normalise": self.normalise}
        return read(located(data, name), self.format, self.columns, **reading)


def located(data: Path, name: str) -> Path:
    """A file or folder of the data, compressed or not."""
    for ending in _ENDINGS:
        path = data / f"{name}{ending}"
        if path.exists():
            return path
    raise DataError(f"no {name} in {data}")


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    else:
        yield path
