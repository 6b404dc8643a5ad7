"""Session: the words a model has met so far, with their attributes. A cache: results never depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tagloom import _core
from tagloom.corpus import Column
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.errors import DataError
from tagloom.features import Batch, FeatureEncoder

# Above this many distinct words a session is thrown away; a new one fills again in no time.
_MOST_WORDS = 1_000_000


class Session:
    """String tables and attribute values of one user of a model at a time; not shared by threads."""

    def __init__(self, encoder: FeatureEncoder) -> None:
        self.encoder = encoder
        self.tables = [_core.StringTable() for _ in encoder.columns]
        self.store = encoder.new_store()

    @property
    def is_full(self) -> bool:
        return max(map(len, self.tables)) > _MOST_WORDS

    def read(self, sentences: Sequence[object]) -> Batch:
        """A batch of sentences: lists of words, lists of rows, or mappings from column to words."""
        if self.encoder.vocabulary.bags:
            batch = self._read_bags(sentences)
        else:
            codes, offsets = self._intern([self._rows(s) if isinstance(s, Mapping) else s for s in sentences])
            batch = Batch(codes, self.tables, offsets, {})
        self.encoder.prepare(self.store, batch)
        return batch

    def _intern(self, sentences: Sequence[object]) -> tuple[list[CodeArray], IntArray]:
        try:
            return _core.intern_sentences(self.tables, sentences)
        except ValueError as error:
            columns = " ".join(self.encoder.columns)
            raise DataError(f"{error} (this model reads: {columns})") from None

    def _rows(self, sentence: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
        missing = [name for name in self.encoder.columns if name not in sentence]
        if missing:
            raise DataError(f"this model reads the columns {' '.join(self.encoder.columns)}; missing: {missing[0]}")
        columns = [sentence[name] for name in self.encoder.columns]
        if len({len(column) for column in columns}) > 1:
            raise DataError("the columns of a sentence differ in length")
        return list(zip(*columns, strict=True))

    def _read_bags(self, sentences: Sequence[object]) -> Batch:
        """Sentences of tokens that are {attribute: weight} or lists of attributes (models of CRFsuite files)."""
        codes: list[int] = []
        weights: list[float] = []
        ends = [0]
        offsets = [0]
        strings = _core.StringTable()
        for sentence in sentences:
            for token in sentence:  # type: ignore[attr-defined]
                weighted = token.items() if isinstance(token, Mapping) else ((name, 1.0) for name in token)
                for name, weight in weighted:
                    codes.append(strings.intern(name))
                    weights.append(weight)
                ends.append(len(codes))
            offsets.append(len(ends) - 1)
        bag = Column(np.array(codes, np.int32), strings, np.array(ends, np.int64), np.array(weights, np.float32))
        return Batch.of_bag(bag, np.array(offsets, np.int64))
