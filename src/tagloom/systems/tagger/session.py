"""Session: the words a model has met so far, with their attributes. A cache: results never depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import tagloom._core as _core
from tagloom.arguments import is_iterable
from tagloom.corpus.feature_dicts import ATTRIBUTES, from_feature_dicts
from tagloom.corpus.normalise import list_word_columns, normalise_corpus, normalise_text
from tagloom.errors import DataError, show_value
from tagloom.features import Batch, FeatureEncoder

# Above this many bytes a session is thrown away; a new one fills again in no time. A million words of news with the
# attributes of `ner` take about as much.
_MOST_BYTES = 1 << 28


class Session:
    """String tables and attribute values of one user of a model at a time; not shared by threads."""

    def __init__(self, encoder: FeatureEncoder, normal_form: str | None = None) -> None:
        self.encoder, self.normal_form = encoder, normal_form
        self.tables = [_core.StringTable() for _ in encoder.columns]
        self.store = encoder.new_store()
        self.global_store: _core.AttributeStore | None = None  # of the attributes that a re-ranker looks at

    @property
    def is_full(self) -> bool:
        """Whether the session takes so much memory that it should be replaced."""
        most = _MOST_BYTES - (0 if self.global_store is None else self.global_store.memory())
        return sum(table.memory() for table in self.tables) + self.store.memory() > most

    def read(self, sentences: Sequence[object]) -> Batch:
        """A batch of sentences: lists of words, of rows or of feature dicts, or mappings from column to words."""
        if not is_iterable(sentences):
            raise DataError(f"expected a list of sentences, got {show_value(sentences)}")
        columns, bags = self.encoder.columns, self.encoder.vocabulary.bags
        if bags.intersection(columns) and len(columns) > 1:
            several = " ".join(name for name in columns if name in bags)
            raise DataError(
                f"this model reads the columns {' '.join(columns)}, of which {several} holds several strings per "
                "token; pass a Corpus to annotate"
            )
        if bags:
            batch = self._read_items(sentences)
        else:
            rows = [self._rows(n, s) if isinstance(s, Mapping) else s for n, s in enumerate(sentences, 1)]
            rows = rows if self.normal_form is None else list(map(self._normalise, rows))
            try:
                codes, offsets = _core.intern_sentences(self.tables, rows)
            except ValueError as error:
                raise DataError(f"{error} (this model reads: {' '.join(self.encoder.columns)})") from None
            batch = Batch(codes, self.tables, offsets, {})
        self.encoder.prepare(self.store, batch)
        return batch

    def _normalise(self, sentence: object) -> object:
        """The words of a sentence in the normal form of the model, as corpora are normalised."""
        if not _is_list(sentence):
            return sentence  # interning says what is wrong with it
        words = list_word_columns(self.encoder.vocabulary.columns)
        is_word = [name in words for name in self.encoder.columns]
        return [self._normalise_token(token, is_word) for token in sentence]  # type: ignore[attr-defined]

    def _normalise_token(self, token: object, is_word: Sequence[bool]) -> object:
        form: Any = self.normal_form
        if isinstance(token, str):
            return normalise_text(token, form) if is_word[0] else token
        if not isinstance(token, (list, tuple)) or len(token) != len(is_word):
            return token
        return [
            normalise_text(text, form) if word and isinstance(text, str) else text
            for text, word in zip(token, is_word, strict=True)
        ]

    def _rows(self, number: int, sentence: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
        """A sentence given as columns, as rows."""
        names = self.encoder.columns
        for name in names:
            if name not in sentence:
                raise DataError(f"sentence {number}: this model reads the columns {' '.join(names)}; missing: {name}")
            if not _is_list(sentence[name]):
                raise DataError(f"sentence {number}: expected a list of words as column {name!r}")
        columns = [list(sentence[name]) for name in names]
        if len(set(map(len, columns))) > 1:
            lengths = ", ".join(f"{name} {len(column)}" for name, column in zip(names, columns))
            raise DataError(f"sentence {number}: the columns differ in length: {lengths}")
        return list(zip(*columns, strict=True))

    def _read_items(self, sentences: Iterable[object]) -> Batch:
        """Sentences of feature dicts, or of lists of attributes."""
        corpus = from_feature_dicts(sentences)
        if self.normal_form is not None:
            corpus = normalise_corpus(corpus, cast(Any, self.normal_form))
        return Batch.of_bag(corpus.column(ATTRIBUTES), corpus.sentences)


def _is_list(value: object) -> bool:
    return is_iterable(value) and not isinstance(value, (str, bytes))
