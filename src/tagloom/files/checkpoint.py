"""Checkpoints: one file after every pass, from which a killed training continues to byte-identical results."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom._version import __version__
from tagloom.corpus.replace import remove_file
from tagloom.errors import ConfigError, ModelFileError
from tagloom.features.tensors import Tensors
from tagloom.files.container import Container, select_tensors, short


@dataclass(frozen=True)
class EpochRecord:
    """What one pass over the training data did."""

    epoch: int
    updates: int
    token_errors: int
    loss: float = 0.0  # sum over the examples, without regularizer
    dev_score: float | None = None


CHECKPOINT_FILE = Container("tagloom-checkpoint", "checkpoint", version=1, remedy="delete it to train from the start")


@dataclass(frozen=True)
class Best:
    """The weights with the best development score so far, and the pass they come from."""

    score: float
    epoch: int
    weights: Any  # an array, or arrays by name

    def to_tensors(self) -> Tensors:
        """Convert the weights to arrays by name."""
        return dict(self.weights) if isinstance(self.weights, Mapping) else {"weights": self.weights}


@dataclass(frozen=True)
class Snapshot:
    """A training after one of its passes: everything that later passes depend on."""

    epoch: int
    history: tuple[EpochRecord, ...]
    best: Best | None
    state: Tensors  # of the learner, one-dimensional arrays by name


@dataclass(frozen=True)
class Checkpoint:
    """The file of one training."""

    path: Path
    training: Mapping[str, str]  # the identity of the training
    every: float = 0.0  # least number of seconds between two saves

    def load(self) -> Snapshot | None:
        """Return the last pass that was saved, or None if there is no file; refuse the file of another training."""
        if not os.path.lexists(self.path):
            return None
        header, tensors = CHECKPOINT_FILE.read(self.path)
        try:
            self._require_same(header["training"])
            return _snapshot(header, tensors)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self.unusable(error) from None

    def unusable(self, error: Exception) -> ModelFileError:
        """Build the error for a file whose values make no sense."""
        return ModelFileError(f"{self.path}: not a usable checkpoint: {short(error)}; {CHECKPOINT_FILE.remedy}")

    def _require_same(self, there: Mapping[str, str]) -> None:
        names = [name for name in {**self.training, **there} if self.training.get(name) != there.get(name)]
        if names:
            told = [f"{name} {_clip(there.get(name))} there, {_clip(self.training.get(name))} here" for name in names]
            raise ConfigError(
                f"{self.path}: a checkpoint of another training ({'; '.join(told[:3])}); "
                "train as that one did, name another file, or delete this one"
            )

    def save(self, snapshot: Snapshot) -> None:
        """Replace the file by that of a later pass."""
        best = snapshot.best
        header = {
            "library_version": __version__,
            "training": dict(self.training),
            "epoch": snapshot.epoch,
            "history": [asdict(record) for record in snapshot.history],
            "best": None if best is None else {"score": best.score, "epoch": best.epoch},
        }
        tensors = {f"state.{name}": array for name, array in snapshot.state.items()}
        if best is not None:
            tensors |= {f"best.{name}": array for name, array in best.to_tensors().items()}
        CHECKPOINT_FILE.write(self.path, header, tensors)

    def remove(self) -> None:
        """Delete the file, if there is one."""
        remove_file(self.path)


def _snapshot(header: dict[str, Any], tensors: Tensors) -> Snapshot:
    """Copy the arrays, so that the file can be replaced."""
    best, epoch = header["best"], header["epoch"]
    if type(epoch) is not int or epoch != len(header["history"]):
        raise ValueError("the number of the pass does not fit the history")
    copies = {name: np.array(array) for name, array in tensors.items()}
    state, kept = select_tensors(copies, "state."), select_tensors(copies, "best.")
    history = tuple(EpochRecord(**record) for record in header["history"])
    if best is not None:
        best = Best(best["score"], best["epoch"], kept if len(kept) > 1 else kept["weights"])
    return Snapshot(epoch, history, best, state)


def _clip(text: str | None) -> str:
    if text is None:
        return "none"
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:37]}..."


def compute_checksum(arrays: Iterable[NDArray[Any]]) -> str:
    """Compute eight hexadecimal digits that identify the content of some arrays."""
    total = 0
    for array in arrays:
        total = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, total)
    return f"{total:08x}"
