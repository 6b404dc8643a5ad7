"""Structure "chain": a label a token, label pairs between neighbours, and only the sequences the scheme allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.schemes import Scheme, allowed_transitions
from tagloom.errors import ConfigError, unknown_name

PairArray = NDArray[np.uint32]
NO_OFFSETS: IntArray = np.zeros(1, np.int64)
NO_PAIRS: PairArray = np.zeros(0, np.uint32)
NO_CONSTRAINTS: NDArray[np.uint8] = np.zeros(0, np.uint8)

# Masks and transitions are [L][L]; more distinct labels than this are words or numbers taken for labels.
_MOST_LABELS = 4096

#: What is known of one token's label: nothing, the label, or the labels it may take.
Constraint = str | Iterable[str] | None


@dataclass(frozen=True)
class Chain:
    """The label inventory of a sequence model and the scheme its labels follow (None: plain tags)."""

    labels: tuple[str, ...]
    scheme: Scheme | None = None

    def __post_init__(self) -> None:
        if len(self.labels) > _MOST_LABELS:
            raise ConfigError(
                f"{len(self.labels)} distinct labels, expected at most {_MOST_LABELS}; is it the right column?"
            )

    def compile(
        self,
        node_rows: int,
        transitions: bool = True,
        edge_offsets: IntArray = NO_OFFSETS,
        edge_pairs: PairArray = NO_PAIRS,
    ) -> _core.Chain:
        pairs, start, end = allowed_transitions(self.labels, self.scheme)
        flags = [np.ascontiguousarray(mask, dtype=np.uint8).ravel() for mask in (start, end, pairs)]
        return _core.Chain(len(self.labels), node_rows, transitions, edge_offsets, edge_pairs, *flags)

    def constraint_flags(self, constraints: Sequence[Sequence[Constraint]]) -> NDArray[np.uint8]:
        """[N][L] flags of the labels that the tokens of some sentences may take, flattened."""
        flags = np.ones((sum(map(len, constraints)), len(self.labels)), np.uint8)
        tokens = (constraint for sentence in constraints for constraint in sentence)
        for row, constraint in zip(flags, tokens, strict=True):
            if constraint is not None:
                row[:] = 0
                row[self._numbers(constraint)] = 1
        return flags.ravel()

    def _numbers(self, constraint: str | Iterable[str]) -> list[int]:
        if not isinstance(constraint, Iterable):
            raise ConfigError(f"a constraint is None, a label or several labels, got {constraint!r}")
        numbers = [self._number(name) for name in ([constraint] if isinstance(constraint, str) else constraint)]
        if not numbers:
            raise ConfigError("a constraint leaves a token without any label")
        return numbers

    def _number(self, name: str) -> int:
        if name not in self.labels:
            raise unknown_name("label", str(name), self.labels)
        return self.labels.index(name)
