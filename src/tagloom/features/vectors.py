"""Vectors: dense vectors of words as a resource; every dimension is a real-valued feature (Turian et al. 2010)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tagloom._core import StringTable, WordVectors
from tagloom.arguments import check_methods
from tagloom.errors import ConfigError
from tagloom.features.tensors import Tensors
from tagloom.features.vector_files import MOST_DIMENSIONS, WordMatrix, build_matrix, iterate_blocks, read_vectors
from tagloom.schema import Array, Layout, describe_strings
from tagloom.schema.misfit import Misfit, Text

#: Root mean square of the numbers. Other features are 1; vectors of this size get along with them (Turian et al. 2010,
#: section 7.1, who scale to this standard deviation).
SCALE = 0.1
_LARGEST = float(np.finfo(np.float16).max)


def _check_vectors(arrays: Any, prefix: str) -> None:
    words, count = len(arrays[f"{prefix}word_ends"]) - 1, len(arrays[f"{prefix}values"])
    if count and (not words or count % words or count // words > MOST_DIMENSIONS):
        raise Misfit(f"tensor {prefix}values", "vectors of one size", Text(f"{count:,} numbers for {words:,} words"))


@check_methods()
@dataclass(frozen=True, eq=False)
class Vectors:
    """Vectors of words, in the precision of model files (16 bits per number)."""

    core: WordVectors
    names: ClassVar[tuple[str, ...]] = ()  # of lists, of which it has none
    layout: ClassVar[Layout] = Layout(
        (
            describe_strings("", "n", "Words", text="words", ends="word_ends"),
            Array("values", "F16", "", "Vectors of the words, one after the other.", low=-_LARGEST, high=_LARGEST),
        ),
        check=_check_vectors,
    )

    def __repr__(self) -> str:
        return f"Vectors({len(self.core):,} words, {self.core.dimensions} dimensions)"

    @classmethod
    def read(cls, path: Path, *, scale: float | None = SCALE) -> Vectors:
        """Read a file of vectors: text of word2vec, GloVe or fastText, binary word2vec, or ``.npy``.

        Args:
            path: The file. The words of ``NAME.npy`` are in ``NAME.words``, ``NAME.vocab`` or ``NAME.txt``.
            scale: Root mean square that all numbers are brought to by one factor; None to leave them as they are.
        """
        return cls._scale(read_vectors(path), scale)

    @classmethod
    def build(cls, words: Sequence[str], vectors: ArrayLike, *, scale: float | None = SCALE) -> Vectors:
        """Build vectors from an array with one row per word.

        >>> Vectors.build(["cat", "dog"], [[1.0, 0.0], [0.6, 0.8]])
        Vectors(2 words, 2 dimensions)
        """
        try:
            array = np.asarray(vectors, np.float32)
        except (TypeError, ValueError):
            raise ConfigError("vectors: expected an array of numbers with one row per word") from None
        if array.ndim != 2 or len(array) != len(words) or not 1 <= array.shape[1] <= MOST_DIMENSIONS:
            raise ConfigError(
                f"vectors: expected one row of 1 to {MOST_DIMENSIONS:,} numbers for each of {len(words):,} words, "
                f"got an array of shape {array.shape}"
            )
        return cls._scale(build_matrix(list(words), array, "vectors"), scale)

    @classmethod
    def _scale(cls, found: WordMatrix, scale: float | None) -> Vectors:
        factor, narrow = _choose_factor(found, scale), np.empty(found.matrix.shape, np.float16)
        for part, numbers in iterate_blocks(found.matrix):
            numbers *= factor
            if np.abs(numbers).max() > _LARGEST:
                raise ConfigError(f"{found.source}: expected numbers of at most {_LARGEST:,.0f}; pass a scale")
            narrow[part] = numbers
        return cls(WordVectors(found.words, narrow.astype(np.float32).ravel()))

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        words, ends = self.core.words().to_blob()
        return {"words": words, "word_ends": ends, "values": self.core.values().astype(np.float16)}

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Vectors:
        """Restore the vectors from what ``to_tensors`` returned."""
        words = StringTable.from_blob(tensors["words"], tensors["word_ends"])
        return cls(WordVectors(words, tensors["values"].astype(np.float32)))


def _choose_factor(found: WordMatrix, scale: float | None) -> float:
    total = sum(float(np.square(numbers).sum()) for _, numbers in iterate_blocks(found.matrix))
    size = math.sqrt(total / found.matrix.size)
    return 1.0 if scale is None or size == 0 else scale / size
