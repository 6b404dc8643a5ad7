"""The chain: one label per token, label pairs between neighbours, and only sequences that the scheme allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import is_iterable
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import Scheme, find_allowed_transitions
from tagloom.errors import ConfigError, unknown_name
from tagloom.structures.history import LEFT_TO_RIGHT, RIGHT_TO_LEFT

PairArray = NDArray[np.uint32]
NO_OFFSETS: IntArray = np.zeros(1, np.int64)
NO_PAIRS: PairArray = np.zeros(0, np.uint32)
NO_CONSTRAINTS: NDArray[np.uint8] = np.zeros(0, np.uint8)

# Masks and transitions are [L][L]; more distinct labels than this are usually words or numbers in the label column.
_MOST_LABELS = 4096
# Label triples are [L][L][L].
_MOST_LABELS_OF_TRIPLES = 512

#: What is known about the label of one token: nothing, the label, or the labels that it may take.
Constraint = str | Iterable[str] | None


@dataclass(frozen=True)
class Chain:
    """The labels of a sequence model, and which other labels a label is scored with."""

    labels: tuple[str, ...]
    scheme: Scheme | None = None  # None: plain tags
    direction: str = LEFT_TO_RIGHT  # a label is scored with labels before it or, from right to left, after it
    history: int = 1  # number of these labels, 1 or 2

    def __repr__(self) -> str:
        scheme = "" if self.scheme is None else f", scheme={self.scheme.name}"
        order = "" if self.is_first_order else f", direction={self.direction}, history={self.history}"
        return f"Chain({len(self.labels)} labels{scheme}{order})"

    def __post_init__(self) -> None:
        if len(self.labels) > _MOST_LABELS:
            raise ConfigError(
                f"expected at most {_MOST_LABELS} distinct labels, got {len(self.labels)}; check the label column"
            )
        if self.history == 2 and len(self.labels) > _MOST_LABELS_OF_TRIPLES:
            raise ConfigError(
                f"history: expected at most {_MOST_LABELS_OF_TRIPLES} labels for history=2, got {len(self.labels)} "
                f"with {len(self.labels) ** 3:,} triples; use history=1"
            )

    @property
    def is_first_order(self) -> bool:
        """Whether a label is scored only with the one before it, as Viterbi and forward-backward assume."""
        return self.direction == LEFT_TO_RIGHT and self.history == 1

    @property
    def is_backwards(self) -> bool:
        """Whether labels are scored with those after them."""
        return self.direction == RIGHT_TO_LEFT

    def compile(
        self, node_rows: int, transitions: bool = True, edge_offsets: IntArray = NO_OFFSETS,
        edge_pairs: PairArray = NO_PAIRS,
    ) -> _core.Chain:  # fmt: skip
        """Compile the layout of the weights and the masks of the scheme for the core."""
        masks = find_allowed_transitions(self.labels, self.scheme)
        pairs, start, end = (np.ascontiguousarray(mask, dtype=np.uint8).ravel() for mask in masks)
        edges = edge_offsets, edge_pairs
        return _core.Chain(len(self.labels), node_rows, transitions, *edges, start, end, pairs, self.history == 2)

    def replacements(self, labels: CodeArray) -> NDArray[np.bool_]:
        """[T][L]: the labels that the scheme allows at every place of a labelling if its neighbours stay the same."""
        pairs, start, end = find_allowed_transitions(self.labels, self.scheme)
        allowed = np.ones((len(labels), len(self.labels)), np.bool_)
        if len(labels):
            allowed[0] &= start
            allowed[-1] &= end
        allowed[1:] &= pairs[labels[:-1]]
        allowed[:-1] &= pairs[:, labels[1:]].T
        return allowed

    def constraint_flags(
        self, constraints: Sequence[Sequence[Constraint]], written: Mapping[str, Sequence[int]] | None = None
    ) -> NDArray[np.uint8]:
        """Build the flags of the labels that the tokens of some sentences may take: [N][L], flattened.

        ``written`` has the numbers of the labels that are written in another way, by what is written.
        """
        flags = np.ones((sum(map(len, constraints)), len(self.labels)), np.uint8)
        tokens = (constraint for sentence in constraints for constraint in sentence)
        for row, constraint in zip(flags, tokens, strict=True):
            if constraint is not None:
                row[:] = 0
                row[self._numbers(constraint, written or {})] = 1
        return flags.ravel()

    def _numbers(self, constraint: str | Iterable[str], written: Mapping[str, Sequence[int]]) -> list[int]:
        if not is_iterable(constraint):
            raise ConfigError(f"constraint: expected None, a label or several labels, got {constraint!r}")
        names = [constraint] if isinstance(constraint, str) else constraint
        numbers = [number for name in names for number in written.get(name) or [self._number(name)]]
        if not numbers:
            raise ConfigError("constraint: expected at least one label, got none")
        return numbers

    def _number(self, name: str) -> int:
        if name not in self.labels:
            raise unknown_name("label", str(name), self.labels)
        return self.labels.index(name)
