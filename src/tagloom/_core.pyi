"""
Native core of tagloom: no I/O, no logging, no random numbers; arrays in, arrays out.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class StringTable:
    """Distinct strings numbered in order of first appearance."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def __getitem__(self, id: int) -> str: ...

    def __contains__(self, arg: str, /) -> bool: ...

    def find(self, text: str) -> int:
        """Number of the string, or -1."""

    def intern(self, text: str) -> int:
        """Number of the string, added if new."""

    def intern_all(self, words: Sequence[str]) -> NDArray[numpy.int32]:
        """Numbers of many strings, int32."""

    def strings(self) -> list[str]: ...

    def hashes(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
        """64-bit hashes of all strings."""

    def to_blob(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]:
        """(bytes, offsets) for saving."""

    @staticmethod
    def from_blob(blob: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> StringTable: ...

def hash_string(text: str) -> int: ...

def mix(a: int, b: int) -> int: ...

def parse_columns(data: bytes, columns: int, separator: str, comment: str) -> dict[str, object] | tuple[int, str]:
    """The parsed text, or (line, what is wrong)."""
