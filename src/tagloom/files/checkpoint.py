"""Checkpoints: one file after every pass, from which a killed training continues to byte-identical results."""

from __future__ import annotations

import itertools
import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from tagloom._version import __version__
from tagloom.corpus.replace import remove_file
from tagloom.errors import ConfigError, ModelFileError
from tagloom.features.tensors import Tensors
from tagloom.files.container import Container, Header, select_tensors
from tagloom.schema import Field, Misfit, Text, limits


@dataclass(frozen=True)
class EpochRecord:
    """What one pass over the training data did."""

    epoch: Annotated[int, Field("Number of the pass, from 1.", low=0, high=limits.MOST_PASSES)]
    updates: Annotated[int, Field("Examples that moved the weights.", low=0)]
    token_errors: Annotated[int, Field("Tokens (parsers: words, chunkers: phrases) in error.", low=0)]
    loss: Annotated[float, Field("Sum over the examples, without regularizer.")] = 0.0
    dev_score: Annotated[float | None, Field("Score on development data.")] = None


History = Annotated[tuple[EpochRecord, ...], Field("What every pass did.", most=limits.MOST_RECORDS)]


@dataclass(frozen=True)
class BestPass:
    """The pass with the best development score."""

    score: Annotated[float, Field("Its score.")]
    epoch: Annotated[int, Field("Its number.", low=1, high=limits.MOST_PASSES)]


@dataclass(frozen=True, kw_only=True)
class CheckpointHeader(Header):
    """What the header of a checkpoint says."""

    training: Annotated[
        dict[str, str],
        Field("Identity of the training: everything that decides what is learned.", length=limits.LONGEST_TEXT),
    ]
    epoch: Annotated[
        int, Field("Number of the last pass: that of records in `history`.", low=0, high=limits.MOST_PASSES)
    ]
    history: History
    best: Annotated[BestPass | None, Field("The best pass, if there is development data.")]


CHECKPOINT_FILE = Container(
    "tagloom-checkpoint", "checkpoint", 1, "delete it to train from the start", CheckpointHeader
)


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
        self._require_same(header.training)
        try:
            check_checkpoint(header, tensors)
        except Misfit as error:
            raise self.unusable(error) from None
        return _copy_snapshot(header, tensors)

    def unusable(self, error: Exception) -> ModelFileError:
        """Build the error for a file whose values make no sense."""
        return CHECKPOINT_FILE.refuse(self.path, error)

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


def check_checkpoint(header: CheckpointHeader, tensors: Tensors) -> None:
    """Raise :class:`Misfit` unless the parts of a checkpoint fit each other; learners know which arrays they need."""
    if header.epoch != len(header.history):
        raise Misfit("epoch", f"{len(header.history):,}, the number of records in history", header.epoch)
    for number, record in enumerate(header.history, 1):
        if record.epoch != number:
            raise Misfit(f"history.{number - 1}.epoch", f"{number:,}", record.epoch)
    if header.best is not None and header.best.epoch > header.epoch:
        raise Misfit("best.epoch", f"a pass of at most {header.epoch:,}", header.best.epoch)
    has_best = any(name.startswith("best.") for name in tensors)
    if has_best != (header.best is not None):
        raise Misfit("best", "weights and a score of the best pass, or neither", Text("one of them"))
    for name in tensors:
        if not name.startswith(("state.", "best.")):
            raise Misfit("tensors", "names that begin with state. or best.", name)
    for names in _ALIKE:
        _require_same_length({name: array for name, array in tensors.items() if _NUMBER.sub("", name) in names})


#: Arrays of learners that have one number each per weight, variable, feature or action, so that they are equally long.
_ALIKE = (
    ("state.weights", "state.sums", "state.variances", "state.penalties", "state.actions"),
    ("state.nonlocal_weights", "state.nonlocal_sums"),
    ("state.ranking_weights", "state.ranking_moments"),
    ("state.row_rates", "state.row_counts"),
    ("state.x", "state.gradient", "state.steps", "state.changes"),
    ("state.keys", "state.templates", "state.counts"),
    ("best.keys", "best.counts"),
    ("best.actions", "best.weights"),
)
_NUMBER = re.compile(r"\.[0-9]+$")


def _require_same_length(arrays: Tensors) -> None:
    for (first, one), (name, other) in itertools.pairwise(sorted(arrays.items())):
        if len(one) != len(other):
            raise Misfit(f"tensor {name}", f"{len(one):,} numbers, as {first} has", Text(f"{len(other):,}"))


def _copy_snapshot(header: CheckpointHeader, tensors: Tensors) -> Snapshot:
    """Copy the arrays, so that the file can be replaced."""
    copies = {name: np.array(array) for name, array in tensors.items()}
    best, kept = None, select_tensors(copies, "best.")
    if header.best is not None:
        weights = kept["weights"] if kept.keys() == {"weights"} else kept
        best = Best(header.best.score, header.best.epoch, weights)
    return Snapshot(header.epoch, header.history, best, select_tensors(copies, "state."))


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
