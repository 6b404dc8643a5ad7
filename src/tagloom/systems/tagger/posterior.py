"""Probabilities under a model: marginals of tokens, of whole label sequences, and decoding by marginals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column
from tagloom.corpus.corpus import CodeArray
from tagloom.corpus.spans import convert_labels
from tagloom.errors import ConfigError, unknown_name
from tagloom.features import Batch

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger
    from tagloom.systems.tagger.session import Session

NO_GOLD: CodeArray = np.zeros(0, np.int32)


def encoded(
    session: Session, batch: Batch, chain: _core.Chain, tables: Sequence[_core.FeatureTable], gold: CodeArray = NO_GOLD
) -> _core.ChainData:
    """The features of a batch, looked up in the tables of a model."""
    nodes, edges = _core.encode(session.store, batch.codes, batch.sentences, *tables)
    return _core.ChainData(chain, *nodes, *edges, batch.sentences, gold)


def divide_weights(weights: NDArray[np.float32], temperature: float) -> NDArray[np.float32]:
    """Divide all weights by a temperature; they cannot be written to."""
    scaled: NDArray[np.float32] = weights / np.float32(temperature)
    scaled.flags.writeable = False
    return scaled


def require_sequences(scores: NDArray[np.floating], scheme: str | None) -> None:
    """Refuse constraints that leave a sentence (score minus infinity) without any label sequence."""
    if np.isneginf(scores).any():
        sentence = int(np.argmax(np.isneginf(scores))) + 1
        raise ConfigError(f"sentence {sentence}: no label sequence of {scheme} meets the constraints")


def encode_labels(model: Tagger, labels: Sequence[str], batch: Batch) -> CodeArray:
    """Labels as the model writes them, as numbers of those it decides on."""
    count = int(batch.sentences[-1])
    if isinstance(labels, str) or not isinstance(labels, (Sequence, np.ndarray)):
        raise ConfigError(f"labels: expected a list of {count}, one a token, got {labels!r}")
    if len(labels) != count:
        raise ConfigError(f"labels: expected {count}, one a token, got {len(labels)}")
    column = Column.from_strings([str(label) for label in labels])
    decided, written = model.spec.decided, model.spec.written
    if decided is not None and written is not None and decided != written:
        column = convert_labels(column, batch.sentences, written, decided)
    numbers = {label: number for number, label in enumerate(model.labels)}
    for name in column.strings.strings():
        if name not in numbers:
            raise unknown_name("label", name, model.labels)
    return np.array([numbers[text] for text in column.texts()], np.int32)
