"""Corpora for commands: read with a note about the guessed format, and with the columns that a model knows.

Notes wait until the work has succeeded, so that an error stands alone on its line.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tagloom.corpus import Corpus, Format, read, read_batches
from tagloom.corpus.formats import CHARACTERS, COLUMNS, CRFSUITE, WORDS, get_format
from tagloom.corpus.guess import could_be_sentences
from tagloom.corpus.io import load_content
from tagloom.corpus.layout import ColumnNames
from tagloom.corpus.spill import spill_batches
from tagloom.errors import ConfigError, DataError
from tagloom.systems import base
from tagloom.systems.base import Model, Reads
from tagloom.systems.file import FOREIGN
from tagloom.text import Tokenizer

_MARK = b"{"  # what follows the eight bytes of length at the beginning of a model file


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
    _bytes: list[tuple[str, bytes]] = field(default_factory=list)  # the text, once it was read

    def read(self, model: Model | None = None, *, gold: bool = False) -> Corpus:
        """Read the corpus; for a model, with the columns that it reads and, if ``gold``, those it is scored against."""
        adapt = None if model is None else _Adapter(self, model.reads, gold)
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
        adapt = None if model is None else _Adapter(self, model.reads, True)
        batches = read_batches(
            self.path, self.format, self.columns, normalise=self.normalise, on_guess=self._note, adapt=adapt,
            tokenizer=self._choose_tokenizer(model),
        )  # fmt: skip
        corpus = spill_batches(batches)
        return corpus if model is None else self._adopt(corpus, model.reads, gold=True)

    def stream_for(self, model: Model) -> Iterator[Corpus]:
        """Read the corpus in batches, with the columns that a model reads."""
        batches = read_batches(
            self.path, self.format, self.columns, on_guess=self._note, adapt=_Adapter(self, model.reads, False),
            tokenizer=self._choose_tokenizer(model), whole_documents=model.reads.whole_documents
        )  # fmt: skip
        return (self._adopt(batch, model.reads) for batch in batches)

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


def read_corpora(
    files: Mapping[str, str | None],
    format_name: str | None,
    columns: str | None,
    notes: list[str],
    start: Model | None = None,
    normalise: str | None = None,
    tokenizer: Tokenizer | None = None,
    on_disk: Collection[str] = (),
) -> dict[str, Corpus]:
    """Read the corpora of the files that were named, by part; with the columns of a model to begin from.

    The columns of the parts ``on_disk`` are in temporary files.
    """
    found = {}
    for part, name in files.items():
        if name:
            source = Input(name, format_name, columns, notes, normalise, tokenizer)
            found[part] = require_labels(source.spill(start) if part in on_disk else source.read(start, gold=True))
    return found


def require_labels(corpus: Corpus) -> Corpus:
    """Refuse a corpus that has nothing to learn."""
    if len(corpus.names) < 2:
        name = get_format(corpus).name
        raise DataError(
            f"{corpus.source}: read as {name} with one column, so there are no labels; fix the file, or pass --format"
        )
    return corpus


def open_tokenizer(name: str | None) -> Tokenizer | None:
    """Open the tokenizer that the user names, or its file; None if there is none."""
    if name is None:
        return None
    from tagloom.systems.provide import choose_tokenizer  # here, because it imports what only training needs

    return choose_tokenizer(name)


def prefer_columns(model: Model, columns: str | None, notes: list[str]) -> Model:
    """Let a model read the columns that the user names instead of predicting them, with a note."""
    named = (columns or "").split()
    names = [layer.column for layer in model.line.layers if layer.column in named]
    if not names:
        return model
    notes.append(f"--columns: {' '.join(names)} as in the input, not as the model would predict")
    return model.without_providers(*names)


def note_undivided(model: Model, source: str, *, has_documents: bool) -> list[str]:
    """List a note if a model labels documents as wholes and the text has none."""
    if not model.reads.whole_documents or has_documents:
        return []
    return [f"{source}: no document boundaries; every sentence is a document of its own"]


def split_sentences(model: Model, text: str) -> list[list[str | list[str]]]:
    """Split a text into sentences and tokens as a model reads them.

    The tokenizer of the model cuts text for models of words or characters; for others, rows of columns or bags of
    attributes stand between blanks.
    """
    if len(model.columns) == 1 and not model.reads.bags:
        cut = model.tokenizer.segment(text)
        sentences: list[list[str | list[str]]] = [list(sentence) for sentence in cut.split_sentences()]
    else:
        sentences = [[_split_token(model.reads, word) for word in text.split()]]
    if not any(sentences):
        raise DataError("expected a sentence, found nothing")
    return sentences


def split_sentence(model: Model, text: str) -> list[str | list[str]]:
    """Split one sentence into tokens, also if the tokenizer of the model takes it for several."""
    return [token for sentence in split_sentences(model, text) for token in sentence]


def _split_token(reads: Reads, word: str) -> str | list[str]:
    columns = reads.columns
    if reads.bags:
        return word.split("|")
    if len(columns) == 1:
        return word
    for separator in "/|":
        parts = word.rsplit(separator, len(columns) - 1)
        if len(parts) == len(columns) and all(parts):
            return parts
    raise DataError(f"expected {'/'.join(columns)}, the columns that the model reads, found {word!r}")


# -- files before they are opened --------------------------------------------------------------------------------------


def is_model_file(path: str) -> bool:
    """Tell whether a file begins like a model: eight bytes of length, some of them zero, and an object; or CRFsuite."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as stream:
        head = stream.read(9)
    return head.startswith(tuple(FOREIGN)) or (0 in head[:8] and head[8:] == _MARK)


def require_writable(output: str, inputs: Iterable[str | None] = ()) -> None:
    """Refuse, before hours of work, a path that could not be written later, or that is one of the inputs."""
    if output == "-":
        return
    target = Path(output).resolve()
    reason = _find_obstacle(target)
    if reason:
        raise DataError(f"{output}: cannot write: {reason}")
    for name in inputs:
        if name is not None and target.exists() and Path(name).exists() and target.samefile(name):
            raise ConfigError(f"{output}: is an input, too; choose another name for the output")


def _find_obstacle(target: Path) -> str | None:
    if target.is_dir():
        return "is a directory, expected a file"
    if not target.parent.is_dir():
        return "no such directory"
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        return "permission denied"
    return None
