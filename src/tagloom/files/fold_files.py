"""Folds on disk, one small file per fold: jackknifing that was stopped continues with the missing folds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tagloom._version import __version__
from tagloom.errors import ModelFileError
from tagloom.features.tensors import Tensors
from tagloom.files.cache import Identity, find_file_of, make_folder
from tagloom.files.container import NUMPY, Container

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
