"""gzip and xz: recognised by the first bytes when read, chosen by the suffix of the file when written."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, cast

from tagloom.errors import DataError

_OUTPUT_BYTES = 1 << 20  # decompressed at a time: a small file can hold a very large text

_OPEN: Mapping[bytes, tuple[str, Callable[[Any], IO[bytes]]]] = {
    b"\x1f\x8b": ("gzip", lambda stream: cast("IO[bytes]", gzip.GzipFile(fileobj=stream))),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
}

MAGICS = tuple(_OPEN)  # the first bytes of each kind

# The gzip header has neither a time nor a name: equal corpora give equal bytes.
COMPRESSIONS: Mapping[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda stream: cast("IO[bytes]", gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)),
    ".xz": lambda stream: lzma.LZMAFile(stream, "wb"),  # noqa: SIM115
}


def decompress(name: str, head: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decompress a stream of bytes, unless it is neither gzip nor xz.

    Args:
        name: Name of the source, for messages.
        head: The first bytes, enough to compare them with ``MAGICS``.
        chunks: The bytes after them.

    Yields:
        The text, in pieces of bounded size.
    """
    for magic, (kind, open_stream) in _OPEN.items():
        if head.startswith(magic):
            yield from _read_compressed(name, kind, open_stream(_ChunkStream(head, chunks)))
            return
    yield head
    yield from chunks


def _read_compressed(name: str, kind: str, stream: IO[bytes]) -> Iterator[bytes]:
    try:
        while data := stream.read1(_OUTPUT_BYTES):  # type: ignore[attr-defined]
            yield data
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        raise DataError(f"{name}: the {kind} data is damaged or cut off; fetch the file again") from None


class _ChunkStream(io.RawIOBase):
    """Chunks of bytes as a binary stream that gives out what has arrived."""

    def __init__(self, head: bytes, chunks: Iterator[bytes]) -> None:
        self._chunk, self._at, self._chunks = head, 0, chunks

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._at == len(self._chunk):
            self._chunk, self._at = next(self._chunks, b""), 0
        start = self._at
        self._at = len(self._chunk) if size < 0 else min(start + size, len(self._chunk))
        return self._chunk[start : self._at]
