"""Documents as user functions see them, and the rows of the features that such functions return."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.arguments import is_iterable
from tagloom.errors import ConfigError, show_value
from tagloom.features.encoder import Batch, FeatureEncoder
from tagloom.features.tensors import Tensors
from tagloom.schema import Layout, describe_strings

MOST_STRINGS = 1_000_000  # distinct strings that functions may return
_MOST_KEPT = 200_000  # labellings whose features are cached
_TEXT, _ENDS = "document_names.text", "document_names.ends"


@dataclass(frozen=True)
class Document:
    """The words and sentences of a document."""

    words: tuple[str, ...]
    sentences: tuple[tuple[int, int], ...]  # (start, stop) into the words
    columns: Mapping[str, tuple[str, ...]]  # the other columns that the model reads, by name

    def __repr__(self) -> str:
        return f"Document({len(self.words):,} words, {len(self.sentences):,} sentences, columns={list(self.columns)})"


def extract_document(encoder: FeatureEncoder, batch: Batch, start: int, stop: int) -> Document:
    """Build the document that consists of a range of tokens of a batch."""
    bounds = batch.sentences
    inside = bounds[np.searchsorted(bounds, start) : np.searchsorted(bounds, stop) + 1] - start
    texts = {name: tuple(batch.texts(i, start, stop)) for i, name in enumerate(encoder.columns) if i not in batch.bags}
    words = texts.pop(encoder.main, ())
    return Document(words, tuple(itertools.pairwise(inside.tolist())), texts)


#: Returns features of a document and its labels, as strings; a string that is returned twice counts twice.
DocumentFunction = Callable[[Document, Sequence[str]], Iterable[str]]


class DocumentTexts:
    """Calls functions on labelled documents; a feature is ``"name=string"``, the function and what it returned.

    A function is None if it was not loaded with the model. ``documents`` builds the document of a number; all of them
    are kept in memory, rather than the last one, if ``keeps_all``. Messages show ``kind`` of functions and ``unit``.
    """

    def __init__(
        self,
        functions: Mapping[str, DocumentFunction | None],
        documents: Callable[[int], Document],
        labels: Sequence[str],
        *,
        kind: str = "document",
        unit: str = "document",
        keeps_all: bool = False,
    ) -> None:
        self.functions: dict[str, DocumentFunction] = {}
        for name, function in functions.items():
            if function is None:
                raise ConfigError(f"the model needs its function {name!r}: load it with functions={{{name!r}: ...}}")
            self.functions[name] = function
        self.labels, self.kind, self.unit, self.keeps_all = labels, kind, unit, keeps_all
        self._document = documents
        self._made: dict[int, Document] = {}

    def __call__(self, number: int, codes: NDArray[np.int32]) -> list[str]:
        """Call all functions on one labelling."""
        if number not in self._made:
            self._made = {**(self._made if self.keeps_all else {}), number: self._document(number)}
        labels = [self.labels[code] for code in codes.tolist()]
        texts: list[str] = []
        for name, function in self.functions.items():
            texts += (f"{name}={text}" for text in self._check_returned(name, function, number, list(labels)))
        return texts

    def _check_returned(self, name: str, function: DocumentFunction, number: int, labels: list[str]) -> list[str]:
        where = f"{self.kind} function {name!r}, {self.unit} {number + 1}"
        try:
            returned = function(self._made[number], labels)
            values = list(returned) if is_iterable(returned) and not isinstance(returned, str) else None
        except Exception as error:
            text = " ".join(str(error).split())  # one line
            raise ConfigError(f"{where}: {type(error).__name__}: {text:.160}") from error
        if values is None:
            raise ConfigError(f"{where}: expected an iterable of strings, got {show_value(returned)}")
        for value in values:
            if not isinstance(value, str):
                raise ConfigError(f"{where}: expected strings, got {show_value(value)}")
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ConfigError(f"{where}: expected valid Unicode, got {show_value(value)}") from None
        return values


class DocumentRows:
    """Numbers the strings that functions return on labelled documents.

    Training documents add new strings to ``names`` (``grows``); other documents only look them up.
    """

    layout: ClassVar[Layout] = describe_strings("document_names", "d", "Strings that functions returned")

    def __init__(
        self,
        functions: Mapping[str, DocumentFunction | None],
        documents: Callable[[int], Document],
        labels: Sequence[str],
        names: StringTable,
        *,
        grows: bool,
    ) -> None:
        self.texts = DocumentTexts(functions, documents, labels, keeps_all=grows)
        self.names, self.grows = names, grows
        self._known: dict[bytes, NDArray[np.uint32]] = {}

    def __call__(self, number: int, codes: NDArray[np.int32]) -> NDArray[np.uint32]:
        """The rows of the features of one labelling; results of training documents are cached."""
        key = blake2b(codes.tobytes(), digest_size=16, key=number.to_bytes(8, "big")).digest()
        rows = self._known.get(key)
        if rows is None:
            rows = self._rows(self.texts(number, codes))
            if self.grows and len(self._known) < _MOST_KEPT:  # other documents are seen only once
                self._known[key] = rows
        return rows

    def _rows(self, texts: list[str]) -> NDArray[np.uint32]:
        if self.grows:
            rows = self.names.intern_all(texts).astype(np.uint32)
            if len(self.names) > MOST_STRINGS:
                raise ConfigError(f"document functions returned more than {MOST_STRINGS:,} different strings")
            return rows
        found = np.array([self.names.find(text) for text in texts], np.int64)
        return found[found >= 0].astype(np.uint32)

    def to_tensors(self) -> Tensors:
        """Return the strings as arrays."""
        text, ends = self.names.to_blob()
        return {_TEXT: text, _ENDS: ends}

    def restore(self, tensors: Tensors) -> None:
        """Restore the strings from what ``to_tensors`` returned."""
        self._known.clear()
        self.names.intern_all(StringTable.from_blob(tensors[_TEXT], tensors[_ENDS]).strings())
