"""Projective trees, and pseudo-projective parsing of other trees (Nivre and Nilsson, 2005).

A tree is projective if no two of its arcs cross when they are drawn above the words, with the root to the left of the
words. Lifting moves a non-projective arc to the head of its head, the shortest arc first, until all are projective. In
the encoding "Head", the relation ``d`` of a lifted arc becomes ``d|h``, where ``h`` is the relation of its original
head. The inverse searches for a word with relation ``h`` below the new head, breadth first.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tagloom.corpus.corpus import CodeArray, Column, IntArray, spread
from tagloom.corpus.schemes import BoolArray
from tagloom.corpus.trees import Trees
from tagloom.errors import DataError, unknown_name

SKIP, LIFT = "skip", "lift"
NON_PROJECTIVE = {
    SKIP: "do not train on sentences with non-projective trees",
    LIFT: "lift arcs until the trees are projective",
}
LIFTED = "|"  # between the relation of a lifted arc and the relation of its original head

Heads = list[int]
Relations = list[str]


def projective(trees: Trees) -> BoolArray:
    """Find the projective trees: [S], whether no two arcs of the sentence cross.

    A tree is projective if the words between the two ends of every arc have their heads between or at these ends.
    """
    first = trees.firsts()
    own = np.arange(len(trees.heads)) - first + 1
    low, high = np.minimum(own, trees.heads), np.maximum(own, trees.heads)
    inner = high - low > 1
    crossed = np.zeros(len(trees.heads), dtype=np.bool_)
    start, stop = (first + low)[inner], (first + high - 1)[inner]  # of the tokens between
    crossed[inner] = _range(np.minimum, trees.heads, start, stop) < low[inner]
    crossed[inner] |= _range(np.maximum, trees.heads, start, stop) > high[inner]
    good = np.ones(len(trees), dtype=np.bool_)
    good[trees.sentence_numbers()[crossed]] = False
    return good


def _range(extreme: Callable[..., CodeArray], values: CodeArray, start: IntArray, stop: IntArray) -> CodeArray:
    """The minimum or maximum of ``values[start:stop]``, none empty, from two stretches of 2^k values that cover it."""
    power = np.frexp(stop - start)[1] - 1  # the largest k such that 2^k is within the length
    found = np.empty(len(start), dtype=np.int32)
    for k in range(int(power.max(initial=0)) + 1):
        here = power == k
        found[here] = extreme(values[start[here]], values[stop[here] - (1 << k)])
        values = extreme(values[: -(1 << k)], values[1 << k :])
    return found


@dataclass(frozen=True)
class ProjectiveTrees:
    """Trees for a parser that builds only projective trees."""

    trees: Trees
    used: BoolArray  # [S] sentences to train on
    non_projective: int  # number of sentences that were lifted, or are not used

    def __repr__(self) -> str:
        used = int(self.used.sum())
        return f"ProjectiveTrees({used:,} of {len(self.used):,} sentences used, {self.non_projective:,} not projective)"


def make_projective(trees: Trees, how: str = LIFT) -> ProjectiveTrees:
    """Prepare trees to train on: trees that are not projective are lifted, or marked as not used (``how``)."""
    if how not in NON_PROJECTIVE:
        raise unknown_name("treatment of non-projective trees", how, NON_PROJECTIVE)
    good = projective(trees)
    count = int(np.count_nonzero(~good))
    if how == SKIP:
        return ProjectiveTrees(trees, good, count)
    return ProjectiveTrees(projectivize(trees), np.ones_like(good), count)


def projectivize(trees: Trees) -> Trees:
    """Lift the arcs of trees that are not projective; the relations, if there are any, record which arcs."""
    _require_trees(trees)
    if trees.relations is not None:
        _refuse_marked(trees.relations)
    return _change(trees, np.flatnonzero(~projective(trees)), _lift)


def deprojectivize(trees: Trees) -> Trees:
    """Undo :func:`projectivize` as far as the relations allow; trees without relations stay the same."""
    if trees.relations is None:
        return trees
    _require_trees(trees)
    marked = np.array([LIFTED in text for text in trees.relations.strings.strings()], dtype=np.bool_)
    touched = marked[trees.relations.codes]
    return _change(trees, np.unique(trees.sentence_numbers()[touched]), _lower)


def _require_trees(trees: Trees) -> None:
    wrong = np.flatnonzero(~trees.are_trees())
    if len(wrong):
        raise DataError(f"sentence {wrong[0] + 1} is not a tree: expected one root that all words lead to")


def _refuse_marked(relations: Column) -> None:
    for code in np.unique(relations.codes).tolist():
        if LIFTED in relations.strings[code]:
            raise DataError(
                f"relation {relations.strings[code]!r} contains {LIFTED!r}, which marks lifted arcs; rename it, or "
                f"choose {SKIP!r} for trees that are not projective"
            )


def _change(trees: Trees, chosen: IntArray, change: Callable[[Heads, Relations | None], None]) -> Trees:
    """Copy the trees with some sentences changed by a function."""
    heads, column = trees.heads.copy(), trees.relations
    relations = None if column is None else spread(column.strings.strings(), column.codes)  # its own table and codes
    for index in chosen.tolist():
        start, stop = trees.span(index)
        new_heads, new_relations = trees.heads_of(index), trees.relations_of(index)
        change(new_heads, new_relations)
        heads[start:stop] = new_heads
        if relations is not None and new_relations is not None:
            relations.codes[start:stop] = relations.strings.intern_all(new_relations)
    return Trees(heads, relations, trees.sentences)


def _lift(heads: Heads, relations: Relations | None) -> None:
    """Lift the shortest non-projective arc, the leftmost of equally short arcs, until all arcs are projective."""
    original = None if relations is None else list(relations)
    syntactic = list(heads)  # the heads before any lifting
    while (word := min(_list_crossed_arcs(heads), default=(0, 0))[1]) > 0:
        heads[word - 1] = heads[heads[word - 1] - 1]
        if relations is not None and original is not None:
            relations[word - 1] = original[word - 1] + LIFTED + original[syntactic[word - 1] - 1]


def _list_crossed_arcs(heads: Heads) -> Iterator[tuple[int, int]]:
    """(length, dependent) of every arc that covers a word which does not descend from its head."""
    for word, head in enumerate(heads, 1):
        low, high = sorted((word, head))
        if head and any(not _descends(heads, inner, head) for inner in range(low + 1, high)):
            yield high - low, word


def _descends(heads: Sequence[int], word: int, ancestor: int) -> bool:
    while word and word != ancestor:
        word = heads[word - 1]
    return word == ancestor


def _lower(heads: Heads, relations: Relations | None) -> None:
    """Move every lifted word to the first word below its current head that has the relation of its original head.

    The lowest words are moved first: on UD English EWT this restores more trees than starting at the root. A word whose
    original head was itself lifted out of reach is tried again after other words have moved.
    """
    assert relations is not None
    marks = {word: relation.partition(LIFTED) for word, relation in enumerate(relations, 1) if LIFTED in relation}
    for word, (relation, _, _) in marks.items():
        relations[word - 1] = relation
    known, dependents = set(relations), _dependents(heads)
    order = reversed(list(_breadth_first(dependents, 0)))
    waiting = [word for word in order if word in marks and marks[word][2] in known]
    while waiting:
        left = [word for word in waiting if not _lower_one(word, marks[word][2], heads, relations, dependents)]
        waiting = left if len(left) < len(waiting) else []


def _lower_one(word: int, wanted: str, heads: Heads, relations: Relations, dependents: Sequence[list[int]]) -> bool:
    """Move one word; return whether there is a word to move it to."""
    for other in _breadth_first(dependents, heads[word - 1], without=word):
        if relations[other - 1] == wanted:
            dependents[heads[word - 1]].remove(word)
            insort(dependents[other], word)
            heads[word - 1] = other
            return True
    return False


def _dependents(heads: Sequence[int]) -> list[list[int]]:
    """The dependents of each word, from left to right; those of 0 are the roots."""
    dependents: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, 1):
        dependents[head].append(word)
    return dependents


def _breadth_first(dependents: Sequence[Sequence[int]], top: int, without: int = 0) -> Iterator[int]:
    """The words below ``top``, level by level from left to right, without the subtree ``without``."""
    waiting = deque([top])
    while waiting:
        new = [word for word in dependents[waiting.popleft()] if word != without]
        yield from new
        waiting += new
