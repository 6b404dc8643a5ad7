"""Files that are found again by the identity of a training: by everything that decides what is learned."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from tagloom._version import __version__
from tagloom.corpus.replace import make_folder
from tagloom.errors import ConfigError, ModelFileError
from tagloom.features.tensors import Tensors
from tagloom.files.container import Container, Header
from tagloom.schema import Field, limits
from tagloom.schema.arrays import TYPES

Identity = Mapping[str, str]  # everything that decides what is learned, by name


def find_file_of(folder: Path, identity: Identity, kind: str) -> Path:
    """Return the path of a training's file in a folder; ``kind`` is its suffix."""
    text = json.dumps(dict(identity), sort_keys=True).encode()
    return folder / f"{hashlib.blake2b(text, digest_size=12).hexdigest()}.{kind}"


def open_folder(path: object, option: str) -> Path:
    """Return a path that a user named as a folder; raises :class:`ConfigError` for anything else."""
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigError(f"{option}: expected the path of a folder, got {path!r}")
    return Path(path)


@dataclass(frozen=True, kw_only=True)
class FoldHeader(Header):
    """What the header of a fold says."""

    training: Annotated[
        dict[str, str], Field("Identity of the training: what decides the result.", length=limits.LONGEST_TEXT)
    ]


FOLD_FILE = Container("tagloom-fold", "fold", 1, "delete it to compute the fold again", FoldHeader)
_KINDS = frozenset(np.dtype(kind) for kind in TYPES.values())


@dataclass(frozen=True)
class FoldFiles:
    """Arrays of folds by their identity. A file that is damaged, does not fit or has another identity is missing."""

    folder: Path

    @classmethod
    def open(cls, folder: Path) -> FoldFiles:
        """Open a folder; make it if it does not exist."""
        return cls(make_folder(folder, "folds"))

    def load(self, identity: Identity, check: Callable[[Tensors], None]) -> Tensors | None:
        """Load the arrays of a fold, None if there are none; ``check`` raises ValueError for those that do not fit."""
        file = find_file_of(self.folder, identity, "fold")
        try:
            header, arrays = FOLD_FILE.read(file)
            check(arrays)
        except (ModelFileError, ValueError):
            return None
        if header.training != dict(identity):
            return None
        return {name: np.array(array) for name, array in arrays.items()}

    def store(self, identity: Identity, arrays: Tensors) -> None:
        """Store the arrays of a fold."""
        for name, array in arrays.items():
            if array.ndim != 1 or array.dtype not in _KINDS:
                raise ValueError(f"{name}: a fold holds one-dimensional arrays of numbers, got {array.dtype}")
        header = {"library_version": __version__, "training": dict(identity)}
        FOLD_FILE.write(find_file_of(self.folder, identity, "fold"), header, arrays)
