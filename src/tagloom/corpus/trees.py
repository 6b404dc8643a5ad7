"""Dependency trees: the head of every word and, where there are any, relations; read from columns and written back.

A head is the number of a word of the same sentence, counted from 1; 0 is the root. A tree has one root, and every word
leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.corpus import CodeArray, Column, Corpus, IntArray, line_of, place, spread
from tagloom.errors import ConfigError, DataError, unknown_name

HEAD, RELATION = "head", "deprel"
NOTHING = "_"  # of a column file, where a word has no head or no relation

_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_MISSING, _NO_NUMBER = -1, -2


@check_methods()
@dataclass(frozen=True)
class Trees:
    """One dependency tree per sentence."""

    heads: CodeArray  # [N] counted from 1 within the sentence, 0 = root
    relations: Column | None  # [N] of each word to its head
    sentences: IntArray  # [S + 1] token offsets

    def __len__(self) -> int:
        return len(self.sentences) - 1

    def __repr__(self) -> str:
        relations = "no relations" if self.relations is None else f"{len(self.relations.strings):,} relations"
        return f"<Trees: {len(self):,} sentences, {len(self.heads):,} words, {relations}>"

    @property
    def lengths(self) -> IntArray:
        """Number of words of each sentence: [S]."""
        return np.diff(self.sentences)

    def span(self, index: int) -> tuple[int, int]:
        """Get the token range of one sentence."""
        return int(self.sentences[index]), int(self.sentences[index + 1])

    def heads_of(self, index: int) -> list[int]:
        """Get the heads of the words of one sentence."""
        heads: list[int] = self.heads[slice(*self.span(index))].tolist()
        return heads

    def relations_of(self, index: int) -> list[str] | None:
        """Get the relations of the words of one sentence."""
        return None if self.relations is None else self.relations.texts(*self.span(index))

    def firsts(self) -> IntArray:
        """Get the first token of the sentence that each token stands in: [N]."""
        return np.repeat(self.sentences[:-1], self.lengths)

    def are_trees(self) -> NDArray[np.bool_]:
        """Check which sentences have one root that every word leads to: [S]. Heads read leniently may not."""
        roots = np.bincount(self.sentence_numbers()[self.heads == 0], minlength=len(self))  # [S]
        good = (roots == 1) | (self.lengths == 0)
        good[self.sentence_numbers()[~_reach_root(self)]] = False
        return np.asarray(good)

    def sentence_numbers(self) -> IntArray:
        """Get the number of the sentence that each token stands in, from 0: [N]."""
        return np.repeat(np.arange(len(self)), self.lengths)


@check_arguments
def read_trees(corpus: Corpus, head: str = HEAD, relation: str | None = RELATION, *, strict: bool = True) -> Trees:
    """Read and check the trees in two columns of a corpus.

    A corpus without a column ``deprel``, or with ``_`` only in it, has trees without relations. Unless ``strict``, any
    head that is a word of the sentence is accepted: the output of a parser can be scored even if it is not a tree.

    >>> corpus = Corpus.from_columns({"form": ["He", "left"], "head": ["2", "0"]}, [2])
    >>> read_trees(corpus).heads.tolist()
    [2, 0]
    >>> read_trees(corpus.with_column("head", ["0", "0"]))
    Traceback (most recent call last):
        ...
    tagloom.errors.DataError: <memory>: sentence 1, word 2: second root 'left', 'He' is one already; keep one head 0
    """
    trees = Trees(_heads(corpus, head), _relations(corpus, relation), corpus.sentences)
    _check_range(corpus, trees)
    if strict:
        _check_shape(corpus, trees)
    return trees


@check_arguments
def add_trees(corpus: Corpus, trees: Trees, head: str = HEAD, relation: str | None = RELATION) -> Corpus:
    """Return the corpus with these trees in its columns; without relations an existing column gets ``_``."""
    if not np.array_equal(corpus.sentences, trees.sentences):
        raise DataError(f"{corpus.source}: the trees are not of these sentences; pass trees of the same tokens")
    used, codes = np.unique(trees.heads, return_inverse=True)
    corpus = corpus.with_column(head, spread(list(map(str, used.tolist())), codes.astype(np.int32)))
    if relation is None or (trees.relations is None and relation not in corpus.columns):
        return corpus
    return corpus.with_column(relation, trees.relations or spread([NOTHING], np.zeros(len(trees.heads), np.int32)))


def _heads(corpus: Corpus, name: str) -> CodeArray:
    if name not in corpus.columns:
        error = unknown_name(f"column of {corpus.source}", name, corpus.columns)
        raise ConfigError(f'{error}; name the column of the heads when reading, as in columns="form pos head"')
    column = _get_plain_column(corpus, name)
    texts = column.strings.strings()
    heads = np.array([_number(text) for text in texts], dtype=np.int32)[column.codes]
    if len(heads) and heads.min() < 0:
        token = int(np.argmax(heads < 0))
        what = (
            f"head of {_word(corpus, token)} is missing"
            if heads[token] == _MISSING
            else f"head {texts[column.codes[token]]!r} of {_word(corpus, token)} is not a number"
        )
        raise DataError(f"{place(corpus, token)}: {what}; give the number of a word of the sentence, or 0 for the root")
    return heads


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text):
        return int(text)
    return _MISSING if text.strip() in ("", NOTHING) else _NO_NUMBER


def _get_plain_column(corpus: Corpus, name: str) -> Column:
    column = corpus.column(name)
    if column.is_bag:
        raise DataError(f"{corpus.source}: column {name!r} holds several strings per token, expected one")
    return column


def _relations(corpus: Corpus, name: str | None) -> Column | None:
    if name is None or (name == RELATION and name not in corpus.columns):
        return None
    column = _get_plain_column(corpus, name)
    nothing = column.strings.find(NOTHING)
    return None if nothing >= 0 and bool(np.all(column.codes == nothing)) else column


def _check_range(corpus: Corpus, trees: Trees) -> None:
    length = np.repeat(trees.lengths, trees.lengths)
    own = np.arange(len(trees.heads)) - trees.firsts() + 1
    wrong = (trees.heads > length) | (trees.heads == own)
    if not wrong.any():
        return
    token = int(np.argmax(wrong))
    head, word = int(trees.heads[token]), _word(corpus, token)
    if head == own[token]:
        raise DataError(f"{place(corpus, token)}: {word} is its own head; give another word, or 0 for the root")
    raise DataError(
        f"{place(corpus, token)}: head {head} of {word} is out of range, expected 0 (root) to {length[token]}, "
        "the words of the sentence"
    )


def _check_shape(corpus: Corpus, trees: Trees) -> None:
    """Raise DataError at the first sentence that is not a tree."""
    wrong = np.flatnonzero(~trees.are_trees())
    if not len(wrong):
        return
    start, stop = trees.span(int(wrong[0]))
    roots = (start + np.flatnonzero(trees.heads[start:stop] == 0)).tolist()
    if not roots:
        raise DataError(f"{place(corpus, start)}: the sentence that begins here has no root; give one word head 0")
    if len(roots) > 1:
        line = line_of(corpus, roots[0])
        known = _word(corpus, roots[0]) + (f" on line {line}" if line else "")
        second = f"{place(corpus, roots[1])}: second root {_word(corpus, roots[1])}"
        raise DataError(f"{second}, {known} is one already; keep one head 0")
    lost = start + int(np.argmax(~_reach_root(trees)[start:stop]))
    cycle = _cycle(trees.heads, start, lost)
    words = " -> ".join(_word(corpus, each) for each in [*cycle, cycle[0]])
    raise DataError(f"{place(corpus, cycle[0])}: cycle of heads {words}; let one of them lead to the root")


def _reach_root(trees: Trees) -> NDArray[np.bool_]:
    """Find the words that lead to a root: [N]. Paths are doubled until the longest possible one is walked."""
    end = len(trees.heads)  # an imagined token above all roots
    above = np.append(np.where(trees.heads > 0, trees.firsts() + trees.heads - 1, end), end)
    for _ in range(int(trees.lengths.max(initial=0)).bit_length()):
        above = above[above]
    return np.asarray(above[:-1] == end)


def _cycle(heads: CodeArray, first: int, token: int) -> Sequence[int]:
    """Get the tokens of the cycle that a token leads into, from the first in the text."""
    path: list[int] = []
    while token not in path:
        path.append(token)
        token = first + int(heads[token]) - 1
    cycle = path[path.index(token) :]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def _word(corpus: Corpus, token: int) -> str:
    column = corpus.columns.get("form", corpus.columns[corpus.names[0]])
    return "a word" if column.is_bag else repr(column.texts(token, token + 1)[0])
