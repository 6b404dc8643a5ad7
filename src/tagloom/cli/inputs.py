"""Corpora for commands: loaded once, the guess of the format noted, columns named as a model reads them."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tagloom.errors import DataError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.model import Model

# Formats that name their columns themselves; all others are known by position.
_NAMED = frozenset({"conllu", "crfsuite", "jsonl"})
_RUNNING_TEXT = frozenset({"text", "segmented"})


class _NamedBytes(io.BytesIO):
    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(data)
        self.name = name


@dataclass(frozen=True)
class Input:
    """The text of a corpus, what the user said about it, and a list that takes what is to be told about it later.

    Notes wait until the work has succeeded, so that an error stands alone on its line.
    """

    name: str
    data: bytes
    format: str | None
    columns: str | None
    notes: list[str]
    normalise: str | None = None

    @classmethod
    def load(
        cls, path: str, format_name: str | None, columns: str | None, notes: list[str], normalise: str | None = None
    ) -> Input:
        from tagloom.corpus.files import load

        return cls(*load(path), format_name, columns, notes, normalise)

    def read(self) -> Corpus:
        from tagloom.corpus import read

        source = _NamedBytes(self.name, self.data)
        return read(source, self.format, self.columns, normalise=self.normalise, on_guess=self._note)

    def read_for(self, model: Model, *, gold: bool = False) -> Corpus:
        """The corpus with the columns the model reads, and with ``gold`` its label column too."""
        needed = (*model.columns, model.spec.label) if gold else model.columns
        kind = self.format or self._guess()
        if kind == "jsonl" and self.columns is None:
            corpus = replace(self, columns=" ".join(needed)).read()
        elif self.format is None and not gold and kind in _RUNNING_TEXT and is_segmenter(model):
            self.notes.append(f"{self.name}: read as unsegmented text, for a model that cuts words")
            corpus = replace(self, format="characters").read()
        elif self.format is None and kind == "text" and len(needed) > 1 and self._has_lines():
            # Too short for the guess to tell tokens from sentences, but the model reads several columns.
            corpus = replace(self, format="conll").read()
        else:
            corpus = self.read()
        if self.columns or kind in _NAMED or set(needed) <= set(corpus.names):
            return corpus
        names = _names_by_count(model, corpus, needed)
        self._note(f"{self.name}: columns taken as the model's: {' '.join(names)}")
        return corpus.renamed(names)

    def _has_lines(self) -> bool:
        return len(self.data.split(b"\n", 2)) > 2

    def _guess(self) -> str:
        from tagloom.corpus import guess

        return guess(self.data).format

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _names_by_count(model: Model, corpus: Corpus, needed: tuple[str, ...]) -> tuple[str, ...]:
    """Names for as many columns as there are: all of the training data, or those in use; with or without label."""
    spec = model.spec
    for names in (spec.columns, (*spec.columns, spec.label), model.columns, (*model.columns, spec.label)):
        if len(names) == len(corpus.names) and set(needed) <= set(names):
            return names
    found = f"{len(corpus.names)} column{'s' * (len(corpus.names) != 1)}"
    raise DataError(
        f"{corpus.source}: the model reads the columns {' '.join(needed)}, found {found}; name with --columns"
    )


def is_segmenter(model: Model) -> bool:
    """Whether the model cuts characters into words."""
    return model.spec.written_scheme == "BMES" and set(model.labels) <= set("BMES")


def undivided_note(model: Model, corpus: Corpus) -> list[str]:
    """One line if the model labels documents as wholes and the corpus has none."""
    if model.spec.sequences == "sentences" or corpus.has_documents:
        return []
    return [f"{corpus.source}: no document boundaries; every sentence is a document of its own"]


def is_model_file(path: str) -> bool:
    """Whether a file begins like a safetensors file: eight bytes of length, some of them zero, and an object."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as stream:
        head = stream.read(9)
    return 0 in head[:8] and head[8:] == b"{"
