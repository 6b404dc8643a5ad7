"""What voted perceptrons have learned, frozen: instances, and how much each counts for each function.

Of T decisions in total, an instance that was added at decision t counts T - t times in the vote (perceptrons.hpp).
Equal instances are merged by adding their counts. All numbers are whole, so that this is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray, ranges
from tagloom.learners.online import Tensors
from tagloom.schema import Array, Layout
from tagloom.structures.candidates import to_offsets

#: The arrays of _core.Perceptrons.vectors(), in its order.
VECTORS = ("decisions", "offsets", "rows", "functions", "signs", "when")
_LARGEST = 2**53 - 1  # amounts up to it are exact in double precision

Rows = NDArray[np.uint32]
_LAYOUT = Layout(
    (
        Array("decisions", "I64", "f", "Decisions of every function in training.", 0, _LARGEST),
        Array("offsets", "I64", "i + 1", "First feature of every instance.", cuts="r"),
        Array("rows", "U32", "r", "Features of the instances."),
        Array("instances", "I64", "v", "Instances of the votes.", below="i"),
        Array("functions", "U32", "v", "Functions of the votes.", below="f"),
        Array("amounts", "I64", "v", "How much each vote counts.", -_LARGEST, _LARGEST),
    )
)


@dataclass(frozen=True)
class VotedVectors:
    """The score of a function is the sum over its v of ``amounts[v]`` K(x, ``instances[v]``)."""

    decisions: IntArray  # [F] decisions of every function in training: divides a sum to the score of the mean vector
    offsets: IntArray  # [U + 1] first row of every instance
    rows: Rows  # features of the instances, ascending in each
    instances: IntArray  # [V] ascending
    functions: Rows  # [V]
    amounts: IntArray  # [V] none is 0

    def __repr__(self) -> str:
        return f"VotedVectors({len(self.decisions)} functions, {len(self.offsets) - 1:,} instances)"

    @classmethod
    def of(cls, perceptrons: _core.Perceptrons) -> VotedVectors:
        """Freeze trained perceptrons."""
        decisions, offsets, rows, functions, signs, when = perceptrons.vectors()
        numbers, first = _distinct(offsets, rows)
        pairs, places = np.unique(numbers * len(decisions) + functions, return_inverse=True)  # (instance, function)
        amounts = np.zeros(len(pairs), np.int64)
        np.add.at(amounts, places.ravel(), signs * (decisions[functions] - when))
        pairs, amounts = pairs[amounts != 0], amounts[amounts != 0]
        instances, used = pairs // len(decisions), (pairs % len(decisions)).astype(np.uint32)
        return cls(decisions, *_taken(offsets, rows, first), instances, used, amounts)._without_unused()

    @classmethod
    def from_tensors(cls, tensors: Tensors) -> VotedVectors:
        """Restore the vectors from what ``to_tensors`` returned; raises ValueError if the arrays do not fit."""
        _LAYOUT.check_all(tensors)
        found = cls(**{name: tensors[name] for name in cls.__dataclass_fields__})
        found.check()
        return found

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def check(self) -> None:
        """Raise ValueError for an instance that does not count."""
        if not self.amounts.all():
            raise ValueError("an amount of voted vectors is 0")

    def perceptrons(self, features: int, degree: int, *, dual: bool) -> _core.Perceptrons:
        """Build perceptrons with these votes: every instance was added once and lasted for ``amount`` decisions."""
        counts = np.abs(self.amounts)
        most = np.zeros(len(self.decisions), np.int64)
        np.maximum.at(most, self.functions, counts)
        offsets, rows = _taken(self.offsets, self.rows, self.instances)
        made = _core.Perceptrons(features, len(self.decisions), degree, dual)
        signs = np.sign(self.amounts).astype(np.int32)
        made.restore(most, offsets, rows, self.functions, signs, most[self.functions] - counts)
        return made

    def linear(self) -> VotedVectors:
        """Rewrite vectors of degree 1 as weights: one instance per feature, and an instance without features as bias.

        K(x, {r}) = x · {r} + 1 is the feature r plus a constant, which the instance without features compensates.
        """
        functions, lengths = len(self.decisions), np.diff(self.offsets)[self.instances]
        _, rows = _taken(self.offsets, self.rows, self.instances)
        features = int(self.rows.max()) + 1 if len(self.rows) else 0
        weights = np.zeros((features + 1) * functions, np.int64)
        np.add.at(weights, rows * np.int64(functions) + np.repeat(self.functions, lengths),
                  np.repeat(self.amounts, lengths))  # fmt: skip
        table = weights.reshape(-1, functions)
        np.add.at(table[-1], self.functions, self.amounts)
        table[-1] -= table[:-1].sum(axis=0)
        used = np.flatnonzero(table[:-1].any(axis=1))
        instances, of_function = np.nonzero(table[[*used, -1]])
        offsets = np.append(np.arange(len(used) + 1), len(used)).astype(np.int64)
        amounts = table[[*used, -1]][instances, of_function]
        whole = replace(self, offsets=offsets, rows=used.astype(np.uint32), instances=instances.astype(np.int64),
                        functions=of_function.astype(np.uint32), amounts=amounts)  # fmt: skip
        return whole._without_unused()

    def prune(self) -> tuple[VotedVectors, IntArray]:
        """Keep only features that occur in an instance; also return which these are, ascending."""
        used, rows = np.unique(self.rows, return_inverse=True)
        return replace(self, rows=rows.ravel().astype(np.uint32)), used.astype(np.int64)

    def _without_unused(self) -> VotedVectors:
        """Remove instances whose amounts cancelled out."""
        used, numbers = np.unique(self.instances, return_inverse=True)
        offsets, rows = _taken(self.offsets, self.rows, used)
        return replace(self, offsets=offsets, rows=rows, instances=numbers.ravel().astype(np.int64))


def _distinct(offsets: IntArray, rows: Rows) -> tuple[IntArray, IntArray]:
    """Number the distinct instances by their first appearance: the number of every instance, and the places."""
    known: dict[bytes, int] = {}
    data, ends = rows.tobytes(), (4 * offsets).tolist()
    numbers, first = np.zeros(len(offsets) - 1, np.int64), list[int]()
    for j in range(len(offsets) - 1):
        numbers[j] = number = known.setdefault(data[ends[j] : ends[j + 1]], len(known))
        if number == len(first):
            first.append(j)
    return numbers, np.array(first, np.int64)


def _taken(offsets: IntArray, rows: Rows, chosen: IntArray) -> tuple[IntArray, Rows]:
    """Offsets and rows of some instances, one after the other."""
    lengths = np.diff(offsets)[chosen]
    return to_offsets(lengths), rows[ranges(offsets[:-1][chosen], lengths)]
