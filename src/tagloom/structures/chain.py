"""Structure "chain": a label a token, label pairs between neighbours, and only the sequences the scheme allows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import Scheme, allowed_transitions
from tagloom.errors import ConfigError, unknown_name
from tagloom.structures.history import LEFT_TO_RIGHT, RIGHT_TO_LEFT

PairArray = NDArray[np.uint32]
NO_OFFSETS: IntArray = np.zeros(1, np.int64)
NO_PAIRS: PairArray = np.zeros(0, np.uint32)
NO_CONSTRAINTS: NDArray[np.uint8] = np.zeros(0, np.uint8)

# Masks and transitions are [L][L]; more distinct labels than this are words or numbers taken for labels.
_MOST_LABELS = 4096
# Label triples are [L][L][L].
_MOST_LABELS_OF_TRIPLES = 512

#: What is known of one token's label: nothing, the label, or the labels it may take.
Constraint = str | Iterable[str] | None


@dataclass(frozen=True)
class Chain:
    """The label inventory of a sequence model, the scheme its labels follow (None: plain tags), and which other labels
    a label is scored with: those of the tokens before it or, from right to left, after it; one of them or two."""

    labels: tuple[str, ...]
    scheme: Scheme | None = None
    direction: str = LEFT_TO_RIGHT
    history: int = 1

    def __post_init__(self) -> None:
        if len(self.labels) > _MOST_LABELS:
            raise ConfigError(
                f"{len(self.labels)} distinct labels, expected at most {_MOST_LABELS}; is it the right column?"
            )
        if self.history == 2 and len(self.labels) > _MOST_LABELS_OF_TRIPLES:
            raise ConfigError(
                f"history: {len(self.labels)} labels have {len(self.labels) ** 3:,} triples, expected at most "
                f"{_MOST_LABELS_OF_TRIPLES} labels; take history=1"
            )

    @property
    def is_first_order(self) -> bool:
        """Whether a label is scored with the one before it only: what Viterbi and forward-backward assume."""
        return self.direction == LEFT_TO_RIGHT and self.history == 1

    @property
    def is_backwards(self) -> bool:
        return self.direction == RIGHT_TO_LEFT

    def compile(
        self,
        node_rows: int,
        transitions: bool = True,
        edge_offsets: IntArray = NO_OFFSETS,
        edge_pairs: PairArray = NO_PAIRS,
    ) -> _core.Chain:
        masks = allowed_transitions(self.labels, self.scheme)
        pairs, start, end = (np.ascontiguousarray(mask, dtype=np.uint8).ravel() for mask in masks)
        edges = edge_offsets, edge_pairs
        return _core.Chain(len(self.labels), node_rows, transitions, *edges, start, end, pairs, self.history == 2)

    def replacements(self, labels: CodeArray) -> NDArray[np.bool_]:
        """[T][L]: the labels that the scheme allows at every place of a labelling, its neighbours being as they are."""
        pairs, start, end = allowed_transitions(self.labels, self.scheme)
        allowed = np.ones((len(labels), len(self.labels)), np.bool_)
        if len(labels):
            allowed[0] &= start
            allowed[-1] &= end
        allowed[1:] &= pairs[labels[:-1]]
        allowed[:-1] &= pairs[:, labels[1:]].T
        return allowed

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
