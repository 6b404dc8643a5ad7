"""Files of the parts of a training, in a folder beside its checkpoint, so that a killed training does not start over.

Pipelines and models with a line train other models first. Finished models and folds, and the checkpoint of the model
that is being trained, are found again by the identity of each training.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tagloom.corpus.replace import make_folder, remove_file
from tagloom.errors import DataError, TagloomError
from tagloom.files.cache import FoldFiles, Identity, find_file_of

if TYPE_CHECKING:
    from tagloom.systems.base import Model

_MODEL, _CHECKPOINT = "tagloom", "checkpoint"
_KINDS = (_MODEL, _CHECKPOINT, "fold")


@dataclass(frozen=True)
class PartFiles:
    """The files of finished parts, and of the part in work; without a folder, nothing is kept."""

    folder: Path | None = None

    @classmethod
    def beside(cls, checkpoint: Path | None) -> PartFiles:
        """Return the files that belong to a checkpoint."""
        return cls() if checkpoint is None else cls(checkpoint.with_name(f"{checkpoint.name}.parts"))

    def open_folds(self) -> FoldFiles | None:
        """Return the files of finished folds."""
        return None if self.folder is None else FoldFiles.open(self.folder)

    def load(self, identity: Identity) -> Model | None:
        """Return a model that was finished before; one that cannot be opened again counts as missing."""
        from tagloom.systems.file import load

        if self.folder is None or not (file := find_file_of(self.folder, identity, _MODEL)).exists():
            return None
        try:
            model: Model = load(file)
        except TagloomError:  # such as one with functions of the user
            return None
        return model

    def find_checkpoint(self, identity: Identity) -> Path | None:
        """Return the path of the checkpoint of a part."""
        if self.folder is None:
            return None
        return find_file_of(make_folder(self.folder, "parts of the training"), identity, _CHECKPOINT)

    def store(self, identity: Identity, model: Model) -> None:
        """Keep a finished model."""
        if self.folder is not None:
            model.save(find_file_of(make_folder(self.folder, "parts of the training"), identity, _MODEL))

    def remove(self) -> None:
        """Delete the files, and the folder if nothing else is in it."""
        if self.folder is None or not self.folder.is_dir():
            return
        for kind in _KINDS:
            for file in self.folder.glob(f"*.{kind}"):
                remove_file(file)
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def remove_checkpoint(path: Path) -> str | None:
    """Delete the checkpoint of a training, and the files of its parts.

    Returns:
        A line about what could not be deleted; that is no reason to lose a model that was trained.
    """
    try:
        remove_file(path)
        PartFiles.beside(path).remove()
    except DataError as error:
        return f"{error}; delete it, or the same training will continue from it"
    return None
