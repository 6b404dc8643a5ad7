"""What a user says about a text to read, completed by what the beginning of the text shows: once for a whole stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.formats import FORMATS, MARKS, Format, find_format
from tagloom.corpus.formats.format import FORMAT, NOTES, find_line_end, find_paragraph_end
from tagloom.corpus.guess import Guess, guess_format
from tagloom.corpus.layout import ColumnNames, Layout, check_width, split_names
from tagloom.corpus.normalise import normal_form, normalise_corpus
from tagloom.corpus.streams import Piece
from tagloom.errors import ConfigError
from tagloom.text import Tokenizer, get_tokenizer

# Chooses another format and other column names, given the format and the beginning of the text.
Adapt: TypeAlias = Callable[[Format, bytes], tuple[Format, ColumnNames]]

_LONGEST_PARAGRAPH = 1 << 22  # bytes; a longer one is cut after a line, so that memory stays bounded


@dataclass(frozen=True)
class Choice:
    """The format of a text, what the user says about its layout, and the guess if the format was guessed.

    It can read any piece of the text when ``Request.settle`` has completed the layout.
    """

    format: Format
    layout: Layout
    guess: Guess | None = None
    is_named: bool = False  # the user has named the columns

    def find_end(self, data: bytes | bytearray, start: int) -> int:
        """Get the offset after the last complete sentence or paragraph at or after ``start``; 0 if there is none."""
        if not self.layout.has_paragraphs:
            return self.format.find_end(data, start)
        return find_paragraph_end(data, start) or (find_line_end(data) if len(data) > _LONGEST_PARAGRAPH else 0)

    def read(self, piece: Piece) -> Corpus:
        """Read a piece of the text."""
        corpus = self.format.read(piece, self.layout)
        names, form = self.layout.columns, self.layout.normal_form
        if names is not None and corpus.names != list(names):
            check_width(names, len(corpus.names), corpus.source)
            corpus = corpus.rename(names)
        extras, label = {**corpus.extras, FORMAT: self.format.name}, corpus.default_label or self.format.default_label
        corpus = replace(corpus, extras=extras, default_label=label, other_names=self._other_names(corpus))
        return corpus if form is None else normalise_corpus(corpus, form)

    def _other_names(self, corpus: Corpus) -> Mapping[str, str | None]:
        """Get what the text calls the columns, of those that are not named by it or by the user."""
        if self.is_named:
            return {}
        return corpus.other_names if self.format.names_columns else dict.fromkeys(corpus.names)


@dataclass(frozen=True)
class Request:
    """What a user says about the text to read."""

    format: Format | None
    layout: Layout
    on_guess: Callable[[str], None] | None
    adapt: Adapt | None

    @property
    def marks(self) -> tuple[bytes, ...]:
        """How files of the binary formats begin that the text may be in."""
        if self.format is None:
            return MARKS
        return () if self.format.mark is None else (self.format.mark,)

    @classmethod
    def check(
        cls,
        format_name: str | None,
        columns: ColumnNames,
        separator: str | None,
        comment: str | None,
        normalise: str | None,
        on_guess: Callable[[str], None] | None,
        adapt: Adapt | None,
        tokenizer: str | Tokenizer | None = None,
    ) -> Request:
        """Check the arguments of ``io.read``."""
        if separator not in (None, " ", "\t"):
            raise ConfigError(f"separator must be a blank or a tab, got {separator!r}")
        form = None if normalise is None else normal_form(normalise)
        cutter = get_tokenizer(tokenizer) if isinstance(tokenizer, str) else tokenizer
        layout = Layout(split_names(columns), separator, comment, form, tokenizer=cutter)
        return cls(None if format_name is None else find_format(format_name), layout, on_guess, adapt)

    def choose(self, data: bytes) -> Choice:
        """Choose the format by the beginning of the text."""
        if self.format is None:
            guess = guess_format(data, self.layout)
            choice = Choice(FORMATS[guess.format], self.layout, guess)
        else:
            choice = Choice(self.format, self.layout)
        if self.adapt is None:
            return choice
        adapted, columns = self.adapt(choice.format, data)
        guessed = choice.guess if adapted is choice.format else None
        return Choice(adapted, replace(self.layout, columns=split_names(columns)), guessed)

    def settle(self, piece: Piece, choice: Choice) -> Choice:
        """Complete the layout; ``piece`` is the beginning of the text."""
        layout, guess = choice.layout, choice.guess
        if guess is not None and self.on_guess is not None:
            names = " ".join(layout.columns or guess.columns)
            cut = layout.tokenizer if choice.format.is_running_text else None
            why = guess.reason if cut is None else f"tokenizer {cut.name}"
            reason = ": ".join(filter(None, [why, names]))
            self.on_guess(f"{piece.source}: guessed {choice.format.description} ({reason})")
        return replace(choice, layout=choice.format.settle(piece, layout), is_named=layout.columns is not None)

    def tell_notes(self, corpus: Corpus, told: set[str]) -> None:
        """Pass on what a reader had to say, once; ``told`` has what was said before."""
        notes = corpus.extras.get(NOTES, ())
        assert isinstance(notes, tuple)
        for note in notes:
            if self.on_guess is not None and note not in told:
                self.on_guess(note)
            told.add(note)
