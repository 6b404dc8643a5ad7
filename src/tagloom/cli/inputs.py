"""Corpora for commands: loaded once, the guess of the format noted, columns named as a model reads them."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tagloom.errors import DataError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.systems import Model, Parser, PhraseChunker

# Formats that name their columns themselves; all others are known by position.
_NAMED = frozenset({"conllu", "crfsuite", "jsonl"})
_CHARACTERS = frozenset({"characters", "segmented"})
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
        from tagloom.corpus.streams import load

        return cls(*load(path), format_name, columns, notes, normalise)

    def read(self) -> Corpus:
        from tagloom.corpus import read

        source = _NamedBytes(self.name, self.data)
        return read(source, self.format, self.columns, normalise=self.normalise, on_guess=self._note)

    def read_for(self, model: Model | Parser | PhraseChunker, *, gold: bool = False) -> Corpus:
        """The corpus with the columns the model reads, and with ``gold`` those of its labels or trees too."""
        from tagloom.systems import Parser

        reads = Reads.of_parser(model) if isinstance(model, Parser) else Reads.of_tagger(model)
        needed = (*reads.columns, *reads.gold) if gold else reads.columns
        kind = self.format or self._guess()
        if kind == "jsonl" and self.columns is None:
            corpus = replace(self, columns=" ".join(needed)).read()
        elif self.format is None and kind in _CHARACTERS and isinstance(model, Parser):
            corpus = replace(self, format="text").read()
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
        names = _names_by_count(reads, corpus, needed)
        self._note(f"{self.name}: columns taken as the model's: {' '.join(names)}")
        return corpus.renamed(names)

    def _has_lines(self) -> bool:
        return len(self.data.split(b"\n", 2)) > 2

    def _guess(self) -> str:
        from tagloom.corpus import guess_format

        return guess_format(self.data).format

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


@dataclass(frozen=True)
class Reads:
    """What a model reads, what is gold for it, and how the columns of a file without names may be called."""

    columns: tuple[str, ...]
    gold: tuple[str, ...]
    layouts: tuple[tuple[str, ...], ...]

    @classmethod
    def of_tagger(cls, model: Model | PhraseChunker) -> Reads:
        """All columns of the training data, or those in use; with or without label."""
        spec = model.spec
        layouts = (spec.columns, (*spec.columns, spec.label), model.columns, (*model.columns, spec.label))
        return cls(model.columns, (spec.label,), layouts)

    @classmethod
    def of_parser(cls, parser: Parser) -> Reads:
        """All columns of the training data, words and tags, or those in use; each with trees or without."""
        spec = parser.spec
        trees = (spec.head, spec.relation) if spec.has_relations else (spec.head,)
        ends = ((), (spec.head,), (spec.head, spec.relation))
        tagged = tuple(name for name in spec.columns if name in (*parser.columns, spec.tag))
        names = (spec.columns, tagged, parser.columns)
        return cls(parser.columns, trees, tuple((*begin, *end) for begin in names for end in ends))


def _names_by_count(reads: Reads, corpus: Corpus, needed: tuple[str, ...]) -> tuple[str, ...]:
    """Names for as many columns as there are."""
    for names in reads.layouts:
        if len(names) == len(corpus.names) and set(needed) <= set(names):
            return names
    found = f"{len(corpus.names)} column{'s' * (len(corpus.names) != 1)}"
    raise DataError(
        f"{corpus.source}: the model reads the columns {' '.join(needed)}, found {found}; name with --columns"
    )


def is_segmenter(model: object) -> bool:
    """Whether the model cuts characters into words."""
    from tagloom.systems import Model

    return isinstance(model, Model) and model.spec.written_scheme == "BMES" and set(model.labels) <= set("BMES")


def undivided_note(model: Model | PhraseChunker, corpus: Corpus) -> list[str]:
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
