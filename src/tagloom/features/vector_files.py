"""Files of dense vectors of words: text of word2vec, GloVe and fastText, binary word2vec, and NumPy arrays.

A header (number of words, number of dimensions) is believed only as far as the file goes: no memory is taken for what
is not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import MAX_COMBINATIONS, StringTable
from tagloom.corpus.replace import find_reason
from tagloom.corpus.streams import BOM, load_lines, open_input
from tagloom.errors import DataError, show_value

MOST_DIMENSIONS = MAX_COMBINATIONS  # features of one template at one token
_CHUNK_BYTES = 1 << 20
_LONGEST_LINE = 1 << 20  # bytes of a line, or of a word of a binary file
_BLOCK = 4096  # vectors that become one array
_HEADER = re.compile(rb"\s*([0-9]{1,18})[ \t]+([0-9]{1,18})\s*")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x0c\x0e-\x1f]")
#: Endings of the file with the words of an array, in the place of ``.npy``.
_WORDS_FILES = (".words", ".vocab", ".txt")

Matrix = NDArray[np.float32]


def iterate_blocks(matrix: Matrix) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Iterate over parts of a matrix in double precision, without a copy of the whole."""
    for begin in range(0, len(matrix), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        yield part, matrix[part].astype(np.float64)


@dataclass
class WordMatrix:
    """Words and their vectors as a file has them; of equal words the first."""

    source: str
    words: StringTable = field(default_factory=StringTable)
    matrix: Matrix = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def __len__(self) -> int:
        """Number of words."""
        return len(self.words)


def read_vectors(path: Path) -> WordMatrix:
    """Read a file of vectors; its content tells the format.

    An array ``NAME.npy`` has one row per word of ``NAME.words``, ``NAME.vocab`` or ``NAME.txt``, one word per line.

    Raises:
        DataError: The file is damaged, cut off, or holds something else.
    """
    if path.suffix == ".npy":
        return _read_array(path)
    with open_input(path) as opened:
        data = _Bytes(opened.chunks(_CHUNK_BYTES, (b"",)))
        first = data.take_line(_LONGEST_LINE).removeprefix(BOM)
        header = _HEADER.fullmatch(first)
        collected = _Collected(opened.name)
        if header is None:
            collected.read_text(first, data, 1)
        else:
            collected.expect(int(header[1]), int(header[2]))
            if data.looks_binary():
                collected.read_binary(data)
            else:
                collected.read_text(data.take_line(_LONGEST_LINE), data, 2)
        return collected.finish()


@dataclass
class _Bytes:
    """Bytes that arrive in chunks, taken line by line or by number."""

    chunks: Iterator[bytes]
    buffer: bytes = b""
    at: int = 0

    def _fetch(self) -> bool:
        chunk = next(self.chunks, b"")
        self.buffer, self.at = self.buffer[self.at :] + chunk, 0
        return bool(chunk)

    @property
    def is_empty(self) -> bool:
        return self.at == len(self.buffer) and not self._fetch()

    def take_line(self, longest: int, end: bytes = b"\n") -> bytes:
        """Take up to the next line end, or another character; what is longer ends there."""
        while (found := self.buffer.find(end, self.at, self.at + longest)) < 0:
            if len(self.buffer) - self.at >= longest or not self._fetch():
                found = min(len(self.buffer), self.at + longest)
                line, self.at = self.buffer[self.at : found], found
                return line
        line, self.at = self.buffer[self.at : found], found + 1
        return line

    def take(self, size: int) -> bytes:
        """Take so many bytes, or what is left."""
        parts, missing = list[bytes](), size
        while missing and not self.is_empty:
            part = self.buffer[self.at : self.at + missing]
            self.at, missing = self.at + len(part), missing - len(part)
            parts.append(part)
        return b"".join(parts)

    def looks_binary(self) -> bool:
        """Tell whether the next line is no text that ends in a number."""
        while len(self.buffer) - self.at < _LONGEST_LINE and self._fetch():
            pass
        line = self.buffer[self.at : self.at + _LONGEST_LINE].partition(b"\n")[0]
        try:
            text = line.decode()
        except UnicodeDecodeError:
            return True
        if _CONTROLS.search(text):
            return True
        try:
            float(text.rstrip().replace("\t", " ").rpartition(" ")[2] or 0)
        except ValueError:
            return True
        return False


@dataclass
class _Collected:
    """Vectors that were read so far."""

    source: str
    count: int | None = None  # of words, as the header says
    dimensions: int = 0
    words: StringTable = field(default_factory=StringTable)
    _blocks: list[Matrix] = field(default_factory=list)
    _rows: list[Matrix] = field(default_factory=list)
    _repeated: int = 0  # words that were read again

    def expect(self, count: int, dimensions: int) -> None:
        """Take what the header says."""
        self.count = count
        self._set_dimensions(dimensions, 1)

    def _set_dimensions(self, dimensions: int, line: int) -> None:
        if not 1 <= dimensions <= MOST_DIMENSIONS:
            raise DataError(f"{self.source}:{line}: expected 1 to {MOST_DIMENSIONS:,} dimensions, found {dimensions:,}")
        self.dimensions = dimensions

    def read_text(self, line: bytes, data: _Bytes, number: int) -> None:
        """Read lines of a word and its numbers."""
        while True:
            if text := line.rstrip():
                self._read_line(text, number)
            if data.is_empty:
                break
            line, number = data.take_line(_LONGEST_LINE), number + 1
        found = sum(map(len, self._blocks)) + len(self._rows) + self._repeated
        if self.count is not None and found != self.count:
            raise DataError(
                f"{self.source}: expected {self.count:,} words as the header says, found {found:,}; "
                "fetch the file again"
            )

    def _read_line(self, line: bytes, number: int) -> None:
        place = f"{self.source}:{number}"
        fields = line.replace(b"\t", b" ").split(b" ")
        if not self.dimensions:
            self._set_dimensions(max(len(fields) - 1, 0), number)
        # A word may contain blanks; its numbers are the last fields.
        word, numbers = b" ".join(fields[: -self.dimensions]), fields[-self.dimensions :]
        try:
            values = [float(text) for text in numbers] if word else []
        except ValueError:
            values = []
        if not values:
            found = show_value(line.decode("utf-8", "replace"))
            raise DataError(f"{place}: expected a word and {self.dimensions} numbers, found {found}")
        try:
            self._add(word.decode(), values, place)
        except UnicodeDecodeError:
            raise DataError(f"{place}: not valid UTF-8") from None

    def read_binary(self, data: _Bytes) -> None:
        """Read words that are each followed by a blank and 32-bit numbers; words that are not UTF-8 are left out."""
        size = 4 * self.dimensions
        for number in range(1, (self.count or 0) + 1):
            word = data.take_line(_LONGEST_LINE, b" ").lstrip(b"\n")
            values = data.take(size)
            if len(values) < size:
                raise DataError(
                    f"{self.source}: cut off in the vector of word {number:,} of {self.count:,}; fetch the file again"
                )
            with suppress(UnicodeDecodeError):
                self._add(word.decode(), np.frombuffer(values, "<f4"), f"{self.source}: word {number:,}")
        if data.take(2).strip(b"\n"):
            raise DataError(f"{self.source}: more than the {self.count:,} words of the header; fetch the file again")

    def _add(self, word: str, values: Any, place: str) -> None:
        before = len(self.words)
        if self.words.intern(word) < before:
            self._repeated += 1
            return
        with np.errstate(over="ignore"):
            row = np.asarray(values, np.float32)
        if not np.isfinite(row).all():
            raise DataError(f"{place}: a number is not finite in the vector of {show_value(word)}; fix the file")
        self._rows.append(row)
        if len(self._rows) == _BLOCK:
            self._blocks.append(np.array(self._rows, np.float32))
            self._rows = []

    def finish(self) -> WordMatrix:
        """Join all vectors."""
        if self._rows:
            self._blocks.append(np.array(self._rows, np.float32))
        if not self._blocks:
            raise DataError(f"{self.source}: no vectors found")
        return WordMatrix(self.source, self.words, np.concatenate(self._blocks))


def _read_array(path: Path) -> WordMatrix:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise DataError(f"{path}: {find_reason(error)}") from None
    except Exception:  # of many kinds, whatever is wrong with the header
        raise DataError(f"{path}: expected a NumPy array; the file is damaged or something else") from None
    if array.ndim != 2 or array.dtype.kind != "f" or not 1 <= array.shape[1] <= MOST_DIMENSIONS:
        raise DataError(
            f"{path}: expected one vector of 1 to {MOST_DIMENSIONS:,} numbers per word, "
            f"found {array.dtype} of shape {show_value(array.shape)}"
        )
    file = _find_words_file(path)
    lines = load_lines(file)
    if lines and not lines[-1]:
        lines.pop()
    if len(lines) != len(array):
        raise DataError(f"{file}: expected {len(array):,} words, one per row of {path.name}, found {len(lines):,}")
    return build_matrix(lines, array, str(path))


def _find_words_file(path: Path) -> Path:
    for ending in _WORDS_FILES:
        for compression in ("", ".gz", ".xz"):
            file = path.with_suffix(ending + compression)
            if file.exists():
                return file
    names = " or ".join(path.with_suffix(ending).name for ending in _WORDS_FILES)
    raise DataError(f"{path}: expected its words, one per line, in {names} beside it")


def build_matrix(words: list[str], array: NDArray[Any], source: str) -> WordMatrix:
    """Build the vectors of words; of equal words the first is kept."""
    table, rows = StringTable(), list[int]()
    for row, word in enumerate(words):
        if table.intern(word) == len(rows):
            rows.append(row)
    with np.errstate(over="ignore"):
        matrix = np.ascontiguousarray(array, np.float32) if len(rows) == len(array) else array[rows].astype(np.float32)
    if not len(matrix):
        raise DataError(f"{source}: no vectors found")
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        word = table[int(np.argmin(finite))]
        raise DataError(f"{source}: a number is not finite in the vector of {show_value(word)}; fix the file")
    return WordMatrix(source, table, matrix)
