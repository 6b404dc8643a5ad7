"""Tagger: labels and probabilities of sequences by a model file, of tagloom or of CRFsuite."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_arguments
from tagloom.compat.crfsuite.dump import ParsedDump, describe_model, write_dump
from tagloom.compat.crfsuite.errors import raise_as
from tagloom.compat.crfsuite.items import ItemSequence, copy_sequence
from tagloom.compat.crfsuite_file import read_crfsuite_model
from tagloom.corpus.replace import replace_file
from tagloom.errors import DataError, show_value
from tagloom.systems.file import load, restore_model
from tagloom.systems.tagger.model import Tagger as Model

_MAGIC = b"lCRF"  # of the files of CRFsuite


class Tagger:
    """Labels sequences.

    >>> import tempfile
    >>> from tagloom.compat.crfsuite import Trainer
    >>> trainer = Trainer(verbose=False)
    >>> trainer.append([{"word": "the"}, {"word": "dog"}], ["DT", "NN"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trainer.train(folder + "/model")
    ...     with Tagger().open(folder + "/model") as tagger:
    ...         tagger.tag([{"word": "dog"}])
    ['NN']
    """

    def __init__(self) -> None:
        self._model: Model | None = None
        self._size = 0
        self._current: list[Any] | None = None  # the items of the sequence that was tagged or set last
        self._found: NDArray[np.floating[Any]] | None = None  # its marginals

    @classmethod
    @check_arguments
    def of_model(cls, model: Model) -> Tagger:
        """Build a tagger of a model in memory."""
        tagger = cls()
        tagger._set_model(model, len(model.to_bytes()))
        return tagger

    # -- opening and closing -----------------------------------------------------------------------------------------

    def open(self, name: str | os.PathLike[str]) -> contextlib.closing[Tagger]:
        """Open a model file that ``Trainer.train`` or CRFsuite wrote.

        Raises:
            OSError: The file cannot be read.
            ValueError: It is no model file, or no model of feature dicts.
        """
        path = Path(name)
        with path.open("rb"), raise_as(ValueError):
            self._set_model(load(path, system="tagger"), path.stat().st_size)
        return contextlib.closing(self)

    def open_inmemory(self, value: bytes) -> contextlib.closing[Tagger]:
        """Open the content of a model file; raises ValueError if it is none."""
        with raise_as(ValueError):
            model: Any = read_crfsuite_model(value) if value.startswith(_MAGIC) else restore_model(value)
            self._set_model(model, len(value))
        return contextlib.closing(self)

    def close(self) -> None:
        """Close the model."""
        self._model = self._current = self._found = None

    def _set_model(self, model: Model, size: int) -> None:
        if len(model.reads.columns) != 1 or not model.reads.bags:
            raise ValueError(f"the model reads {' '.join(model.reads.columns)}; expected one of feature dicts")
        self._model, self._size = model, size
        self._current = self._found = None

    @property
    def model(self) -> Model:
        """The model of tagloom; raises RuntimeError if none is open."""
        if self._model is None:
            raise RuntimeError("the tagger is closed: open a model first")
        return self._model

    # -- labels and probabilities ------------------------------------------------------------------------------------

    def labels(self) -> list[str]:
        """List the labels of the model."""
        if self._model is None:
            raise ValueError("the tagger is closed: open a model first")
        return list(self._model.labels)

    def set(self, xseq: Iterable[Any] | ItemSequence) -> None:
        """Set the sequence that :meth:`tag`, :meth:`probability` and :meth:`marginal` are about."""
        self._current, self._found = copy_sequence(xseq), None

    def tag(self, xseq: Iterable[Any] | ItemSequence | None = None) -> list[str]:
        """Label a sequence; without one, that of :meth:`set`."""
        if xseq is not None:
            self._current, self._found = xseq if type(xseq) is list else copy_sequence(xseq), None
        return tag_sequences(self.model, [self._sequence])[0]

    def probability(self, yseq: Sequence[str]) -> float:
        """Compute P(labels | sequence) of the current sequence.

        Raises:
            ValueError: There is no sequence, or the number of labels is another.
            RuntimeError: The model has no such label.
        """
        length = len(self._sequence)
        if len(yseq) != length:
            raise ValueError(f"expected one label per item, {length}; got {len(yseq)}")
        for label in yseq:
            self._find_label(label)
        return self.model.probability(self._sequence, list(yseq), calibrated=False)

    def marginal(self, y: str, pos: int) -> float:
        """Compute P(label at a position | sequence) of the current sequence.

        Raises:
            ValueError: There is no sequence, or no such position.
            RuntimeError: The model has no such label.
        """
        length = len(self._sequence)
        if not isinstance(pos, (int, np.integer)) or not 0 <= pos < length:
            raise ValueError(f"expected a position from 0 to {length - 1}, got {show_value(pos)}")
        number = self._find_label(y)
        if self._found is None:
            self._found = self.model.marginals(self._sequence, calibrated=False)
        return float(self._found[pos, number])

    @property
    def _sequence(self) -> list[Any]:
        if self._current is None:
            raise ValueError("no sequence: pass one to tag or set")
        return self._current

    def _find_label(self, label: str) -> int:
        try:
            return self.model.labels.index(label)
        except ValueError:
            raise RuntimeError(f"the model has no label {show_value(label)}") from None

    # -- what the model holds ----------------------------------------------------------------------------------------

    def info(self) -> ParsedDump:
        """List the weights of the model by names."""
        return describe_model(self.model, self._size)

    def dump(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Write the weights of the model as text, to a file or to the standard output."""
        lines = write_dump(self.info())
        if filename is None:
            sys.stdout.writelines(lines)
            sys.stdout.flush()
        else:
            with raise_as(OSError):
                replace_file(filename, *map(str.encode, lines))


def tag_sequences(model: Model, sequences: Sequence[Any], threads: int = 1) -> list[list[str]]:
    """Label sequences; raises ValueError for items that are no feature dicts."""
    try:
        return model.tag_many(sequences, threads=threads)
    except DataError as error:
        raise ValueError(str(error)) from None
