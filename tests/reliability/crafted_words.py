"""Words whose hashes collide: the hash of the core is public, and every step of it can be inverted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_FACTOR, _SEED = np.uint64(0x9E3779B97F4A7C15), 0x243F6A8885A308D3
_SIZE = 16  # characters of a word


def craft_words(count: int, equal_bits: int) -> list[str]:
    """Make words of sixteen ASCII characters whose hashes agree in their lowest bits."""
    random, found = np.random.default_rng(1), dict[str, None]()
    with np.errstate(over="ignore"):
        while len(found) < count:
            begins = random.integers(0x21, 0x7F, (1 << 20, 8), dtype=np.uint8)
            states = _avalanche(np.uint64(_SEED ^ _SIZE) * _FACTOR + begins.view("<u8").ravel())
            hashes = random.integers(0, 1 << 32, len(begins), dtype=np.uint64) << np.uint64(equal_bits)
            ends = (_invert(_invert(hashes)) - states * _FACTOR).astype("<u8").view(np.uint8).reshape(-1, 8)
            ascii_ends = np.flatnonzero(((ends > 0) & (ends < 0x80)).all(1))
            found |= dict.fromkeys((begins[i].tobytes() + ends[i].tobytes()).decode() for i in ascii_ends)
    return list(found)[:count]


def _avalanche(x: Any) -> Hashes:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_FIRST)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_SECOND)
    return np.asarray(x ^ (x >> np.uint64(31)))


def _invert(x: Hashes) -> Hashes:
    x = _unshift(x, 31) * np.uint64(pow(_SECOND, -1, 1 << 64))
    x = _unshift(x, 27) * np.uint64(pow(_FIRST, -1, 1 << 64))
    return _unshift(x, 30)


def _unshift(x: Hashes, bits: int) -> Hashes:
    found = x
    for _ in range(64 // bits):
        found = x ^ (found >> np.uint64(bits))
    return found
