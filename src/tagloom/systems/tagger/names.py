"""Names of features. They share most of their parts (``form[0]=the pos[1]=NN``), so every part is kept once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray, ranges

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors

_COUNTS = (np.uint8, np.uint16, np.uint32)


@dataclass(frozen=True)
class FeatureNames:
    """Names in row order: name r is the parts ``parts[ends[r]:ends[r + 1]]``, written one after the other."""

    text: NDArray[np.uint8]  # the parts, UTF-8
    part_ends: IntArray  # [distinct parts + 1] into text
    parts: NDArray[Any]  # unsigned numbers of parts
    ends: IntArray  # [rows + 1] into parts

    @classmethod
    def from_texts(cls, text: NDArray[np.uint8], ends: IntArray) -> FeatureNames:
        """Build from UTF-8 bytes and the ends of the names; every name is one part."""
        return cls(text, ends, np.arange(len(ends) - 1, dtype=np.uint32), np.arange(len(ends), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, row: int) -> str:
        parts = self.parts[self.ends[row] : self.ends[row + 1]].tolist()
        return b"".join(self.text[self.part_ends[p] : self.part_ends[p + 1]].tobytes() for p in parts).decode()

    def take(self, rows: NDArray[np.uint32]) -> FeatureNames:
        """Select the names of some rows."""
        places, ends = _gather(self.ends, rows)
        return FeatureNames(self.text, self.part_ends, self.parts[places], ends)

    def __add__(self, other: FeatureNames) -> FeatureNames:
        count = np.uint32(len(self.part_ends) - 1)
        return FeatureNames(
            np.concatenate([self.text, other.text]),
            np.concatenate([self.part_ends, other.part_ends[1:] + self.part_ends[-1]]),
            np.concatenate([self.parts, other.parts.astype(np.uint32) + count]),
            np.concatenate([self.ends, other.ends[1:] + self.ends[-1]]),
        )

    def texts(self) -> tuple[NDArray[np.uint8], IntArray]:
        """Convert to UTF-8 bytes and the ends of the names."""
        if np.array_equal(self.parts, np.arange(len(self.part_ends) - 1)):  # nothing is shared, nothing moves
            return self.text, self.part_ends[self.ends]
        places, part_ends = _gather(self.part_ends, self.parts)
        return self.text[places], part_ends[self.ends]

    def share_parts(self) -> FeatureNames:
        """Cut the names after every blank and keep each distinct part once, in order of appearance."""
        return FeatureNames(*_core.split_parts(*self.texts()))

    def to_tensors(self) -> Tensors:
        """Convert to the arrays of a model file, with numbers as narrow as possible."""
        shared = self.share_parts()
        return {
            "text": shared.text,
            "lengths": narrow_numbers(np.diff(shared.part_ends)),
            "parts": narrow_numbers(shared.parts),
            "counts": narrow_numbers(np.diff(shared.ends)),
        }

    @classmethod
    def from_tensors(cls, tensors: Tensors) -> FeatureNames:
        """Invert ``to_tensors``."""
        return cls(tensors["text"], _ends(tensors["lengths"]), tensors["parts"], _ends(tensors["counts"]))


def _ends(lengths: NDArray[Any]) -> IntArray:
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, dtype=np.int64, out=ends[1:])
    return ends


def _gather(ends: IntArray, rows: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """List the places of all items of some rows, and the ends of the rows among them."""
    lengths = np.diff(ends)[rows]
    return ranges(ends[:-1][rows], lengths), _ends(lengths)


def narrow_numbers(numbers: NDArray[Any]) -> NDArray[Any]:
    """Convert to the narrowest unsigned type that holds all of the numbers."""
    return numbers.astype(next(dtype for dtype in _COUNTS if numbers.max(initial=0) <= np.iinfo(dtype).max))
