"""Blocks: the examples of a chain as learners visit them, all at once or part by part.

A pass goes through the blocks in a shuffled order, and through the examples of each block in a shuffled order. Blocks
that are in a file are opened one at a time, so that training needs the memory of one block, not that of the corpus.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError


def shuffle_order(count: int, *seeds: int) -> IntArray:
    """Draw an order, such as that of a pass: the order of random 64-bit numbers, which the seeds determine."""
    bits = np.random.PCG64(np.random.SeedSequence(seeds)).random_raw(count)
    return np.argsort(bits, kind="stable").astype(np.int64)


def build_refusal(what: str) -> ConfigError:
    """Build the error for something that cannot do with a block at a time."""
    return ConfigError(
        f"{what} needs all data in memory: leave out memory and block, or choose a learner such as "
        "averaged-perceptron, margin-perceptron, pa, sgd or adf"
    )


class Blocks(ABC):
    """Examples in blocks."""

    bounds: IntArray  # [B + 1] number of the first example of each block, and the number of all examples

    @abstractmethod
    def open(self, block: int) -> tuple[_core.ChainData, int]:
        """Return the data that holds a block, and the number that its first example has there."""

    @abstractmethod
    def cut(self, block: int) -> _core.ChainData:
        """Return the examples of a block alone."""

    def open_all(self, learner: str) -> _core.ChainData:
        """Return all examples at once, for a learner that looks at them before the first pass."""
        if len(self) > 1:
            raise build_refusal(f"learner {learner!r}")
        return self.open(0)[0]

    @property
    def count(self) -> int:
        """The number of examples."""
        return int(self.bounds[-1])

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def visit(self, seed: int, epoch: int) -> Iterator[tuple[_core.ChainData, IntArray]]:
        """Give the blocks in the order of a pass, each with the order of its examples."""
        if len(self) == 1:  # without blocks, the order of a pass is that of seed and pass alone
            data, first = self.open(0)
            yield data, first + shuffle_order(self.count, seed, epoch)
            return
        for block in shuffle_order(len(self), seed, epoch).tolist():
            data, first = self.open(block)
            size = int(self.bounds[block + 1] - self.bounds[block])
            yield data, first + shuffle_order(size, seed, epoch, block)

    def take_sample(self, most: int, seed: int) -> tuple[_core.Chain, _core.ChainData, int]:
        """Draw at most so many examples of the first block: a chain of their features, their data, and their number."""
        data, first = self.open(0)
        order = first + shuffle_order(int(self.bounds[1]), seed, 0)[:most]
        return (*data.sample(order), len(order))


class WholeData(Blocks):
    """Examples that are in memory."""

    def __init__(self, data: _core.ChainData, bounds: IntArray | int) -> None:
        """Take the bounds of blocks, or the number of examples if they are one block."""
        self.data = data
        self.bounds = np.array([0, bounds]) if isinstance(bounds, int) else bounds

    def open(self, block: int) -> tuple[_core.ChainData, int]:
        """Return all data, and the number of the first example of the block."""
        return self.data, int(self.bounds[block])

    def cut(self, block: int) -> _core.ChainData:
        """Copy the examples of a block, unless they are all."""
        return self.data if len(self) == 1 else self.data.select(np.arange(*self.bounds[block : block + 2]))


def count_gold(chain: _core.Chain, blocks: Blocks, *, is_backwards: bool = False) -> _core.GoldCounts:
    """Count how often features and label pairs occur with the gold labels."""
    counts = _core.GoldCounts(chain, is_backwards)
    for block in range(len(blocks)):
        counts.add(blocks.cut(block))
    return counts
