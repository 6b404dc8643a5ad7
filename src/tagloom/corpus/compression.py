"""gzip and xz: recognised by their first bytes when read, chosen by suffix when written."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable, Mapping
from functools import partial

from tagloom.errors import DataError

_DECOMPRESS = {b"\x1f\x8b": ("gzip", gzip.decompress), b"\xfd7zXZ\x00": ("xz", lzma.decompress)}
# No time of writing in the gzip header: equal corpora give equal bytes.
COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {".gz": partial(gzip.compress, mtime=0), ".xz": lzma.compress}


def decompressed(name: str, raw: bytes) -> bytes:
    """The bytes themselves unless they are gzip or xz data."""
    for magic, (kind, decompress) in _DECOMPRESS.items():
        if raw.startswith(magic):
            try:
                return decompress(raw)
            except (OSError, EOFError, zlib.error, lzma.LZMAError):
                raise DataError(f"{name}: the {kind} data is damaged or cut off; fetch the file again") from None
    return raw
