"""Numbers that identify sentences: equal words have equal keys, wherever the sentence stands.

A key is the same in every batch, file and process. Duplicates are found by keys, and ties are broken by them, so that
the order of suggestions does not depend on how a pool is cut into batches.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Corpus
from tagloom.corpus.corpus import ranges

KeyArray = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64 (Steele et al. 2014)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LARGEST = float(2**64)


def compute_keys(corpus: Corpus, main: str) -> KeyArray:
    """Compute one key per sentence from its words: [S]. The order of the words counts."""
    words = corpus.column(main)
    lengths = np.diff(corpus.sentences)
    places = ranges(np.zeros(len(lengths), np.int64), lengths).astype(np.uint64)
    mixed = _mix(words.strings.hashes()[words.codes] + places * _STEP)
    return _mix(_add_up(mixed, corpus.sentences) + lengths.astype(np.uint64))


def draw_ties(keys: KeyArray, seed: int) -> KeyArray:
    """Draw one random number per key; another seed draws other numbers."""
    return _mix(keys ^ _mix(np.array([seed], np.uint64)))


def scale_keys(keys: KeyArray) -> NDArray[np.float64]:
    """Turn random numbers of 64 bits into numbers from 0 to 1."""
    return keys.astype(np.float64) / _LARGEST


def _mix(numbers: KeyArray) -> KeyArray:
    """Spread every bit of a number over all bits, as splitmix64 does."""
    with np.errstate(over="ignore"):
        found = numbers + _STEP
        found = (found ^ (found >> np.uint64(30))) * _FIRST
        found = (found ^ (found >> np.uint64(27))) * _SECOND
        mixed: KeyArray = found ^ (found >> np.uint64(31))
    return mixed


def _add_up(numbers: KeyArray, bounds: NDArray[np.int64]) -> KeyArray:
    """Add up the numbers of every range, modulo 2^64; an empty range has zero."""
    sums = np.zeros(len(bounds) - 1, np.uint64)
    filled = np.diff(bounds) > 0
    if filled.any():
        sums[filled] = np.add.reduceat(numbers, bounds[:-1][filled])
    return sums
