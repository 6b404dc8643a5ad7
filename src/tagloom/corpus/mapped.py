"""Large arrays: in temporary files, and visited slice by slice.

The files have no names, so that the system removes them whatever ends the process. Arrays are mapped into memory. Pages
that were read are given back as work proceeds, so that they take room in the page cache of the system only, as long as
there is some. Work on slices also keeps temporary arrays small.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Iterator
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tagloom.errors import DataError

_SLICE = 1 << 20  # tokens

Scalar = TypeVar("Scalar", bound=np.generic)
IntArray = NDArray[np.int64]
CodeArray = NDArray[np.int32]


def iterate_slices(array: NDArray[Scalar], length: int = _SLICE) -> Iterator[NDArray[Scalar]]:
    """Iterate over an array slice by slice; memory of mapped slices is given back.

    >>> [part.tolist() for part in iterate_slices(np.arange(5), 2)]
    [[0, 1], [2, 3], [4]]
    """
    for start in range(0, len(array), length):
        yield array[start : start + length]
        release(array)


def release(array: NDArray[Any]) -> None:
    """Give back the memory that the read pages of a mapped array take; they are read again when they are needed."""
    mapped = getattr(array, "_mmap", None)
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def count_codes(codes: NDArray[np.int32], size: int) -> IntArray:
    """Count how often each of ``size`` codes occurs.

    >>> count_codes(np.array([0, 2, 2], np.int32), 4).tolist()
    [1, 0, 2, 0]

    Raises:
        DataError: A code is out of range.
    """
    counts = np.zeros(size, np.int64)
    for part in iterate_slices(codes):
        if part.size and not 0 <= part.min() <= part.max() < size:
            raise DataError(f"codes: expected numbers from 0 to {size - 1}, got {part.min()} to {part.max()}")
        counts += np.bincount(part, minlength=size)
    return counts


def cut_sentences(sentences: IntArray, tokens: int = _SLICE) -> IntArray:
    """Cut sentences into parts of at least so many tokens each, the last one excepted; return the offsets of the parts.

    >>> cut_sentences(np.array([0, 3, 4, 9, 10]), 4).tolist()
    [0, 2, 3, 4]
    """
    bounds, last = [0], len(sentences) - 1
    while bounds[-1] < last:
        wanted = sentences[bounds[-1]] + tokens
        bounds.append(min(int(np.searchsorted(sentences, wanted)), last))
    return np.array(bounds, np.int64)


class SpilledArray:
    """Numbers that are appended to a file without a name, and read as arrays that are mapped from it."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._dtype = np.dtype(dtype)
        try:
            self._file: IO[bytes] = tempfile.TemporaryFile(prefix="tagloom-")  # noqa: SIM115
        except OSError as error:
            raise DataError(_explain_failure(error)) from None
        self._length = 0
        weakref.finalize(self, self._file.close)  # what was mapped stays

    def __len__(self) -> int:
        return self._length

    def append(self, values: NDArray[Any]) -> None:
        """Write numbers behind those that are there."""
        data = np.ascontiguousarray(values, self._dtype)
        try:
            self._file.write(data.data)
            self._file.flush()
        except OSError as error:
            raise DataError(_explain_failure(error)) from None
        self._length += len(data)

    def view(self, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Map the numbers ``start:stop``; the memory is free when nobody uses the array any more."""
        stop = self._length if stop is None else stop
        if start >= stop:
            return np.zeros(0, self._dtype)
        return np.memmap(self._file, self._dtype, "r", offset=start * self._dtype.itemsize, shape=(stop - start,))


def _explain_failure(error: OSError) -> str:
    return (
        f"cannot write the training data to a temporary file: {os.strerror(error.errno or 0)}; free some space, or set "
        "TMPDIR to another folder"
    )


def is_mapped(array: NDArray[Any]) -> bool:
    """Tell whether the numbers of an array are in a file."""
    return isinstance(getattr(array, "_mmap", None), mmap.mmap)


class CodeParts:
    """Codes that are made part by part: in a file if the codes that they are made from are in one."""

    def __init__(self, source: CodeArray) -> None:
        self._spilled = SpilledArray(np.int32) if is_mapped(source) else None
        self._parts: list[CodeArray] = []

    def append(self, codes: CodeArray) -> None:
        """Add the next part."""
        if self._spilled is None:
            self._parts.append(codes)
        else:
            self._spilled.append(codes)

    def join(self) -> CodeArray:
        """Return all parts as one array."""
        if self._spilled is not None:
            return self._spilled.view()
        return self._parts[0] if len(self._parts) == 1 else np.concatenate([np.zeros(0, np.int32), *self._parts])
