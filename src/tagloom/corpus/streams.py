"""Bytes in and out: paths, streams and pipes; decompression and checks.

Everything that is read goes through ``Input.chunks``, whether it is taken at once (``load``) or as it arrives.
"""

from __future__ import annotations

import gzip
import io
import itertools
import lzma
import os
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from tagloom.arguments import check_arguments
from tagloom.corpus.replace import Replacement, find_reason
from tagloom.errors import ConfigError, DataError, show_value

Source: TypeAlias = str | os.PathLike[str] | IO[bytes] | IO[str]
Target: TypeAlias = Source
Content: TypeAlias = str | bytes  # what a format writes: text, or the bytes of a binary one

BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Piece:
    """Whole lines of a file as UTF-8 bytes, or all of a binary one, and where they stand, for messages."""

    data: bytes
    source: str
    first_line: int = 1

    def place(self, line: int) -> str:
        """Get ``file:LINE`` of a line, counted from 1 within the piece."""
        return f"{self.source}:{line + self.first_line - 1}"

    def decode(self) -> str:
        """Decode the text, with line ends as they are."""
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            raise DataError(f"{self.place(self.data.count(10, 0, error.start) + 1)}: not valid UTF-8") from None

    def lines(self) -> list[str]:
        r"""Decode the lines, without line ends (``\n`` or ``\r\n``)."""
        return self.decode().replace("\r\n", "\n").removesuffix("\r").split("\n")


def load(source: Source, marks: Sequence[bytes] = ()) -> tuple[str, bytes]:
    """Read all of a source: its name, for messages, and its text as UTF-8 bytes, decompressed, without BOM and NUL.

    Content that begins with one of the marks is binary, and is read as it is.
    """
    with open_input(source) as opened:
        return opened.name, b"".join(opened.chunks(None, marks))


def load_lines(source: Source) -> list[str]:
    """Read the lines of a source, without line ends."""
    name, data = load(source)
    return Piece(data, name).lines()


@contextmanager
def open_input(source: Source) -> Iterator[Input]:
    """Open a path (``-``: stdin) or take a stream; a file that was opened here is closed again."""
    if source == "-":
        yield Input("<stdin>", getattr(sys.stdin, "buffer", sys.stdin))
    elif not isinstance(source, (str, os.PathLike)):
        yield Input(str(getattr(source, "name", "<stream>")), source)
    else:
        name = os.fspath(source)
        try:
            stream = Path(source).open("rb", buffering=0)  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise DataError(f"{name}: {find_reason(error)}") from None
        with stream:
            yield Input(name, stream)


class Input:
    """A source of bytes that is read once."""

    def __init__(self, name: str, stream: Any) -> None:
        self.name = name
        self._stream = stream
        self._live = _live_file(stream)

    def is_idle(self) -> bool:
        """Check whether nothing more has arrived yet: reading would wait for whoever writes to the pipe."""
        if self._live is None:
            return False
        try:
            return not select.select([self._live], [], [], 0)[0]
        except (OSError, ValueError):  # a system that cannot tell
            return True

    def chunks(self, size: int | None, marks: Sequence[bytes] = ()) -> Iterator[bytes]:
        """Read the text as UTF-8 bytes: decompressed, without BOM; UTF-16 and NUL bytes are refused.

        ``size`` bytes are read at a time, less if a pipe holds less; None reads everything at once. What begins with
        one of the marks is not text, and is not checked.
        """
        raw = self._raw_chunks(size)
        chunks = decompress(self.name, _take_head(raw, _OPEN), raw)
        head = _take_head(chunks, (BOM, *_UTF16_BOMS, *marks))
        return itertools.chain([head], chunks) if head.startswith(tuple(marks)) else self._check(head, chunks)

    def _raw_chunks(self, size: int | None) -> Iterator[bytes]:
        read = self._stream.read if size is None else getattr(self._stream, "read1", self._stream.read)
        arguments = () if size is None else (size,)
        try:
            while content := read(*arguments):
                yield content.encode() if isinstance(content, str) else content
        except UnicodeError:
            raise DataError(f"{self.name}: not valid UTF-8") from None
        except ValueError as error:  # a closed stream
            raise DataError(f"{self.name}: {error}") from None
        except OSError as error:
            raise DataError(f"{self.name}: {find_reason(error)}") from None

    def _check(self, head: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
        if head.startswith(_UTF16_BOMS):
            raise DataError(f"{self.name}: UTF-16 text, expected UTF-8; convert it (iconv -f UTF-16 -t UTF-8)")
        lines, data = 1, head.removeprefix(BOM)
        while True:
            nul = data.find(b"\0")
            if nul >= 0:
                place = f"{self.name}:{lines + data.count(10, 0, nul)}"
                raise DataError(f"{place}: NUL byte, expected UTF-8 text; convert the file if it is UTF-16")
            yield data
            following = next(chunks, None)
            if following is None:
                return
            lines, data = lines + data.count(10), following


def _take_head(chunks: Iterator[bytes], marks: Iterable[bytes]) -> bytes:
    """Join the first chunks until they show whether the text begins with one of the marks."""
    head = next(chunks, b"")
    while any(mark.startswith(head) and mark != head for mark in marks) and (more := next(chunks, b"")):
        head += more
    return head


def _live_file(stream: Any) -> int | None:
    """Get the descriptor of a pipe, terminal or socket; None for files and streams in memory."""
    try:
        number = int(stream.fileno())
        return None if stat.S_ISREG(os.fstat(number).st_mode) else number
    except (OSError, ValueError, AttributeError, TypeError):
        return None


class Writer:
    """Where pieces of a text go; made by ``open_writer``."""

    def __init__(self, stream: Any, *, flushes: bool) -> None:
        self._stream, self._flushes, self._is_text = stream, flushes, hasattr(stream, "encoding")
        self._is_first = True

    def write(self, content: Content) -> None:
        """Write a piece of text as UTF-8, or bytes as they are."""
        if isinstance(content, bytes):
            self._write_bytes(content)
        else:
            self._write_text(content)
        if self._flushes:
            getattr(self._stream, "flush", bool)()

    def _write_text(self, text: str) -> None:
        if self._is_first and text:
            # Readers drop one BOM; a text that begins with U+FEFF gets a second one, so that its own survives.
            text = "\ufeff" + text if text.startswith("\ufeff") else text
            self._is_first = False
        self._put(text if self._is_text else text.encode())

    def _put(self, content: Content) -> None:
        try:
            self._stream.write(content)
        except ValueError as error:  # a closed stream, or one that cannot write these characters
            raise ConfigError(f"cannot write to {show_value(self._stream)}: {error}") from None

    def _write_bytes(self, data: bytes) -> None:
        if self._is_text:
            raise ConfigError("a binary format cannot be written to a stream of text; open the stream with mode 'wb'")
        self._put(data)


@check_arguments
@contextmanager
def open_writer(target: Target) -> Iterator[Writer]:
    """Open a path or stream for pieces of text.

    A path is written under another name and renamed at the end: if anything fails, the old file stays as it was. It is
    compressed if it ends in ``.gz`` or ``.xz``. Standard output (``-``) and streams are flushed after each piece.
    """
    if target == "-":
        target = getattr(sys.stdout, "buffer", sys.stdout)
    if not isinstance(target, (str, os.PathLike)):
        yield Writer(target, flushes=True)
        return
    compress = COMPRESSIONS.get(Path(target).suffix)
    with Replacement(target) as replacement:
        if compress is None:
            yield Writer(replacement, flushes=replacement.is_device)
        else:
            with compress(cast("IO[bytes]", replacement)) as compressed:
                yield Writer(compressed, flushes=False)


def store(target: Target, content: Content) -> None:
    """Write a whole text, or the bytes of a binary format, as ``open_writer`` does."""
    with open_writer(target) as writer:
        writer.write(content)


_OUTPUT_BYTES = 1 << 20  # decompressed at a time: a small file can hold a very large text
# Text that is longer than this, and than so many times its compressed form, is not what people write.
_TRUSTED_BYTES, _LARGEST_RATIO = 1 << 26, 200

# The first bytes of each kind of compression -> its name, and how its text is read.
_OPEN: Mapping[bytes, tuple[str, Callable[[Any], IO[bytes]]]] = {
    b"\x1f\x8b": ("gzip", lambda stream: cast("IO[bytes]", gzip.GzipFile(fileobj=stream))),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
}

# The gzip header has neither a time nor a name: equal corpora give equal bytes.
COMPRESSIONS: Mapping[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda stream: cast("IO[bytes]", gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)),
    ".xz": lambda stream: lzma.LZMAFile(stream, "wb"),  # noqa: SIM115
}


def is_compressed(path: Path) -> bool:
    """Tell whether a file is compressed, by its first bytes."""
    with path.open("rb") as file:
        return file.read(max(map(len, _OPEN))).startswith(tuple(_OPEN))


def decompress(name: str, head: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress gzip and xz in pieces of bounded size; ``chunks`` has the bytes that follow ``head``."""
    for magic, (kind, open_stream) in _OPEN.items():
        if head.startswith(magic):
            packed = _ChunkStream(head, chunks)
            yield from _check_ratio(name, packed, _read_compressed(name, kind, open_stream(packed)))
            return
    yield head
    yield from chunks


def _read_compressed(name: str, kind: str, stream: IO[bytes]) -> Iterator[bytes]:
    try:
        while data := stream.read1(_OUTPUT_BYTES):  # type: ignore[attr-defined]
            yield data
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        raise DataError(f"{name}: the {kind} data is damaged or cut off; fetch the file again") from None


def _check_ratio(name: str, packed: _ChunkStream, unpacked: Iterator[bytes]) -> Iterator[bytes]:
    """Refuse a small file that would fill the memory."""
    total = 0
    for data in unpacked:
        total += len(data)
        if total > max(_TRUSTED_BYTES, _LARGEST_RATIO * packed.taken):
            raise DataError(
                f"{name}: expands to more than {_LARGEST_RATIO} times its size; if you trust it, decompress it first"
            )
        yield data


class _ChunkStream(io.RawIOBase):
    """Chunks of bytes as a binary stream that gives out what has arrived."""

    def __init__(self, head: bytes, chunks: Iterator[bytes]) -> None:
        self._chunk, self._at, self._chunks = head, 0, chunks
        self.taken = 0  # bytes that were read

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._at == len(self._chunk):
            self._chunk, self._at = next(self._chunks, b""), 0
        start = self._at
        self._at = len(self._chunk) if size < 0 else min(start + size, len(self._chunk))
        self.taken += self._at - start
        return self._chunk[start : self._at]
