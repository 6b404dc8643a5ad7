"""Corpora for models: read with a note about the guessed format, and with the columns that a model knows."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tagloom.corpus import Corpus, Format, read, read_batches
from tagloom.corpus.formats import CHARACTERS, COLUMNS, CRFSUITE, WORDS
from tagloom.corpus.guess import could_be_sentences
from tagloom.corpus.io import BATCH_BYTES, Part, load_content, read_in_batches, read_part, settle_source
from tagloom.corpus.layout import ColumnNames
from tagloom.corpus.request import Adapt, Choice, Request
from tagloom.corpus.spill import spill_batches
from tagloom.systems import base
from tagloom.systems.base import Model, Reads
from tagloom.text import Tokenizer


class _NamedBytes(io.BytesIO):
    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(data)
        self.name = name


@dataclass(frozen=True)
class Input:
    """A corpus to read, what the user said about it, and a list that takes notes to tell later."""

    path: str  # ``-`` for stdin
    format: str | None = None  # None to guess it
    columns: str | None = None
    notes: list[str] = field(default_factory=list)
    normalise: str | None = None
    tokenizer: Tokenizer | None = None  # of running text; None for that of the model
    keeps_text: bool = False  # places in the text are needed, also by models that cut words
    skips_columns: bool = False  # records need not have all named columns, only words and labels
    _bytes: list[tuple[str, bytes]] = field(default_factory=list)  # the text, once it was read

    @classmethod
    def of_bytes(cls, name: str, data: bytes, format_name: str) -> Input:
        """Return the input of a text that is in memory."""
        return cls(name, format_name, _bytes=[(name, data)])

    def read(self, model: Model | None = None, *, gold: bool = False) -> Corpus:
        """Read the corpus; for a model, with the columns that it reads and, if ``gold``, those it is scored against."""
        adapt = self._choose_adapter(model, gold=gold)
        if not self._bytes:
            self._bytes.append(load_content(self.path))  # stdin can be read only once
        source, form = _NamedBytes(*self._bytes[0]), self.normalise
        corpus = read(
            source, self.format, self.columns, normalise=form, on_guess=self._note, adapt=adapt,
            tokenizer=self._choose_tokenizer(model),
        )  # fmt: skip
        return corpus if model is None else self._adopt(corpus, model.reads, gold=gold)

    def spill(self, model: Model | None = None) -> Corpus:
        """Read a labelled corpus in batches, into temporary files."""
        adapt = self._choose_adapter(model, gold=True)
        batches = read_batches(
            self.path, self.format, self.columns, normalise=self.normalise, on_guess=self._note, adapt=adapt,
            tokenizer=self._choose_tokenizer(model),
        )  # fmt: skip
        corpus = spill_batches(batches)
        return corpus if model is None else self._adopt(corpus, model.reads, gold=True)

    def stream_for(self, model: Model, part: Part | None = None) -> Iterator[Corpus]:
        """Read the corpus, or a part of its file, in batches, with the columns that a model reads."""
        request, source = self._request(model), _NamedBytes(*self._bytes[0]) if self._bytes else self.path
        batches = (
            read_in_batches(source, request, BATCH_BYTES, whole_documents=model.reads.whole_documents)
            if part is None
            else read_part(self.path, part, request)
        )
        return (self._adopt(batch, model.reads) for batch in batches)

    def settle(self, model: Model) -> Choice:
        """Decide on format and columns, as the beginning of the file shows them."""
        return settle_source(self.path, self._request(model))

    def _choose_adapter(self, model: Model | None, *, gold: bool) -> Adapt | None:
        if model is not None:
            return _Adapter(self, model.reads, gold)
        return _skip_columns(self.columns) if self.skips_columns and self.columns is not None else None

    def _request(self, model: Model) -> Request:
        adapt, tokenizer = _Adapter(self, model.reads, False), self._choose_tokenizer(model)
        return Request.check(self.format, self.columns, None, None, None, self._note, adapt, tokenizer)

    @property
    def names_text(self) -> bool:
        """Whether the name is that of a text, which only clear columns contradict."""
        return ".txt" in Path(self.path).suffixes and self.columns is None

    def _choose_tokenizer(self, model: Model | None) -> Tokenizer | None:
        return self.tokenizer or (None if model is None else model.tokenizer)

    def _adopt(self, corpus: Corpus, reads: Reads, *, gold: bool = False) -> Corpus:
        adopted = reads.adopt(corpus, gold=gold)
        if adopted is not corpus:
            self._note(f"{corpus.source}: columns taken as the model's: {' '.join(adopted.names)}")
        return adopted

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _skip_columns(columns: str) -> Adapt:
    """Return what chooses the named columns of records that the first record has, and those of words and labels."""

    def adapt(found: Format, data: bytes) -> tuple[Format, ColumnNames]:
        if not found.is_record:
            return found, columns
        names, first = columns.split(), data.lstrip().partition(b"\n")[0].decode("utf-8", "replace")
        kept = [name for name in names if name in (names[0], names[-1]) or f'"{name}"' in first]
        return found, " ".join(kept)

    return adapt


@dataclass(frozen=True)
class _Adapter:
    """Chooses the format and the columns of a text for a model."""

    source: Input
    reads: Reads
    gold: bool

    def __call__(self, found: Format, data: bytes) -> tuple[Format, ColumnNames]:
        columns, needed = self.source.columns, (*self.reads.columns, *(self.reads.gold if self.gold else ()))
        if found.is_record and columns is None:
            return found, needed
        if self.source.format is not None:
            return found, columns
        return self._choose(found, data, len(needed)), columns

    def _choose(self, found: Format, data: bytes, width: int) -> Format:
        """Choose another format than the guessed one where the model needs words, characters, bags or columns."""
        if self.reads.bags and found is COLUMNS and b"\t" in data.partition(b"\n")[0]:
            return CRFSUITE  # two fields per line could be either
        if self.reads.unit == base.CHARACTERS and self.source.keeps_text and found in (WORDS, CHARACTERS):
            return WORDS
        if self.reads.unit == base.WORDS and found.has_character_tokens:
            return WORDS
        if self.reads.unit is None and found is CHARACTERS and width == 1 and not self.gold:
            return WORDS
        if self.reads.unit == base.CHARACTERS and found.is_running_text and not self.gold:
            self.source._note(f"{self.source.path}: read as unsegmented text, for a model that cuts words")
            return CHARACTERS
        if found is COLUMNS and width == 1 and not self.gold and self.source.names_text and could_be_sentences(data):
            return WORDS
        if found is WORDS and width > 1 and len(data.split(b"\n", 2)) > 2:
            return COLUMNS  # too short for the guess to tell tokens from sentences, but the model reads columns
        return found
