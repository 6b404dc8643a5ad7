"""Column files as CRF++ reads them.

Fields stand between blanks and tabs. A sentence ends at an empty line, or at a line that begins with a blank or tab. No
line is a comment or the mark of a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tagloom.corpus import Corpus
from tagloom.corpus.layout import choose_names
from tagloom.corpus.streams import Piece, Source, open_input
from tagloom.errors import DataError

_CHUNK_BYTES = 1 << 17


@dataclass
class Rows:
    """Sentences: the fields of every token, and where it stands in the file."""

    source: str
    fields: list[list[str]] = field(default_factory=list)  # [N]
    lines: list[int] = field(default_factory=list)  # [N]
    lengths: list[int] = field(default_factory=list)  # [S]

    def __repr__(self) -> str:
        return f"Rows({self.source!r}, {len(self.lengths)} sentences, {len(self.fields)} tokens)"

    def to_training_corpus(self) -> Corpus:
        """Build a corpus of all columns, of which the last one is the label; refuse rows of unequal length."""
        if not self.fields:
            raise DataError(f"{self.source}: no tokens found")
        width = len(self.fields[0])
        if width < 2:
            raise DataError(f"{self.source}:{self.lines[0]}: expected 2 columns or more, the last one being the label")
        for row, line in zip(self.fields, self.lines):
            if len(row) != width:
                raise DataError(
                    f"{self.source}:{line}: expected {width} columns as in line {self.lines[0]}, found {len(row)}"
                )
        return self._to_corpus(enumerate(choose_names(width)))

    def to_corpus(self, columns: Sequence[tuple[int, str]]) -> Corpus:
        """Build a corpus of some columns, each given by its number and its name; refuse rows that are too short."""
        least = max(number for number, _ in columns) + 1
        for row, line in zip(self.fields, self.lines):
            if len(row) < least:
                message = f"expected {least} or more columns, which the model reads, found {len(row)}"
                raise DataError(f"{self.source}:{line}: {message}")
        return self._to_corpus(columns)

    def _to_corpus(self, columns: Iterable[tuple[int, str]]) -> Corpus:
        texts = {name: [row[number] for row in self.fields] for number, name in columns}
        return Corpus.from_columns(texts, self.lengths, source=self.source)


def read_rows(source: Source) -> Rows:
    """Read a whole file."""
    pieces = list(stream_rows(source))
    return Rows(
        pieces[0].source if pieces else str(source),
        [row for piece in pieces for row in piece.fields],
        [line for piece in pieces for line in piece.lines],
        [length for piece in pieces for length in piece.lengths],
    )


def stream_rows(source: Source) -> Iterator[Rows]:
    """Read a file, or stdin if it is ``-``, and give out complete sentences as they arrive."""
    with open_input(source) as opened:
        reader = _Reader(opened.name)
        for chunk in opened.chunks(_CHUNK_BYTES):
            yield from reader.take(chunk)
        yield from reader.finish()


class _Reader:
    """The lines that have arrived, and the sentence that is not complete yet."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.buffer = b""
        self.line = 0  # number of lines read
        self.open = 0  # tokens of the last sentence
        self.rows = Rows(name)

    def take(self, chunk: bytes) -> Iterator[Rows]:
        """Add some bytes; give out the sentences that they complete."""
        whole, mark, self.buffer = (self.buffer + chunk).rpartition(b"\n")
        if mark:
            yield from self._take_lines(whole + mark)

    def finish(self) -> Iterator[Rows]:
        """Give out what is left at the end of the file."""
        yield from self._take_lines(self.buffer + b"\n\n")

    def _take_lines(self, data: bytes) -> Iterator[Rows]:
        for line in Piece(data, self.name, self.line + 1).lines()[:-1]:
            self.line += 1
            if not line or line[0] in " \t":
                self._end_sentence()
            else:
                self._add(line)
        done = len(self.rows.fields) - self.open
        if done:
            rows, rest = self.rows, slice(done, None)
            self.rows = Rows(self.name, rows.fields[rest], rows.lines[rest])
            yield Rows(self.name, rows.fields[:done], rows.lines[:done], rows.lengths)

    def _add(self, line: str) -> None:
        fields = line.replace("\t", " ").split(" ")
        self.rows.fields.append([field for field in fields if field])
        self.rows.lines.append(self.line)
        self.open += 1

    def _end_sentence(self) -> None:
        if self.open:
            self.rows.lengths.append(self.open)
            self.open = 0
