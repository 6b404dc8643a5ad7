"""Files that are found again by the identity of a training: by everything that decides what is learned."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tagloom._version import __version__
from tagloom.corpus.replace import make_folder
from tagloom.errors import ConfigError, ModelFileError
from tagloom.features.tensors import Tensors
from tagloom.files.container import NUMPY, Container

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


FOLD_FILE = Container("tagloom-fold", "fold", version=1, remedy="delete it to compute the fold again")
_KINDS = frozenset(np.dtype(kind) for kind in NUMPY.values())


@dataclass(frozen=True)
class FoldFiles:
    """Arrays of folds by their identity. A file that is damaged or has another identity counts as missing."""

    folder: Path

    @classmethod
    def open(cls, folder: Path) -> FoldFiles:
        """Open a folder; make it if it does not exist."""
        return cls(make_folder(folder, "folds"))

    def load(self, identity: Identity) -> Tensors | None:
        """Load the arrays of a fold, None if there are none."""
        file = find_file_of(self.folder, identity, "fold")
        try:
            header, arrays = FOLD_FILE.read(file)
            is_mine = header["training"] == dict(identity)
        except (ModelFileError, LookupError, TypeError):
            return None
        return {name: np.array(array) for name, array in arrays.items()} if is_mine else None

    def store(self, identity: Identity, arrays: Tensors) -> None:
        """Store the arrays of a fold."""
        for name, array in arrays.items():
            if array.ndim != 1 or array.dtype not in _KINDS:
                raise ValueError(f"{name}: a fold holds one-dimensional arrays of numbers, got {array.dtype}")
        header = {"library_version": __version__, "training": dict(identity)}
        FOLD_FILE.write(find_file_of(self.folder, identity, "fold"), header, arrays)
