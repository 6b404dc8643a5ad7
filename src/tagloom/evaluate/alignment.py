"""Words of two treebanks of the same text, aligned as in the CoNLL shared tasks 2017 and 2018 (Zeman et al. 2018, §6).

Tokens and sentences are spans of the characters that are no white space. A word that is a token of its own is aligned
with the word that has the same span. Multiword tokens have words that the text does not show: where the spans of
multiword tokens of one or both sides overlap, the words of both sides inside these spans are aligned by the longest
common subsequence of their forms, without regard to case.

The script of the tasks walks through both sides at once. Where tokens before a multiword token are cut differently, it
has not passed all of them when it reaches that token; they take part in the alignment by forms, and words that share no
character may be aligned. Here they do not, and cannot.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Corpus, RestoredText, restore_text
from tagloom.corpus.corpus import IntArray, place, ranges
from tagloom.corpus.schemes import BoolArray
from tagloom.errors import DataError

_SHOWN = 20  # characters of two texts that differ, in the message


@dataclass(frozen=True)
class Segmentation:
    """The tokens, words and sentences of a corpus as spans of its characters without white space."""

    characters: NDArray[np.uint32]  # [C] code points
    tokens: IntArray  # [T, 2] start and end
    sentences: IntArray  # [S, 2] start and end; equal for sentences without words
    token_of_word: IntArray  # [W]
    word_count_of_token: IntArray  # [T]
    forms: list[str]  # [W]

    @property
    def words(self) -> IntArray:
        """The span of the token of every word: [W, 2]."""
        return self.tokens[self.token_of_word]


def segment(corpus: Corpus) -> Segmentation:
    """Find the spans of tokens and sentences of a corpus.

    Raises:
        DataError: A token has no character besides white space.
    """
    restored = restore_text(corpus)
    points = np.frombuffer(restored.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    counted = np.zeros(len(points) + 1, dtype=np.bool_)
    counted[ranges(restored.starts, restored.ends - restored.starts)] = True
    counted[:-1] &= ~_find_blanks(points)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counted)])  # [text + 2] characters before each one
    tokens = np.stack([before[restored.starts], before[restored.ends]], axis=1)
    _refuse_empty_tokens(corpus, restored, tokens)
    borders = np.append(tokens[:, 0], before[-1])[restored.sentences]
    counts = np.diff(restored.words)
    return Segmentation(
        points[counted[:-1]],
        tokens,
        np.stack([borders[:-1], borders[1:]], axis=1),
        np.repeat(np.arange(len(tokens)), counts),
        counts,
        corpus.column("form").texts(),
    )


def _find_blanks(points: NDArray[np.uint32]) -> BoolArray:
    """Find the characters of the Unicode category Zs, the white space that a form may hold."""
    distinct, where = np.unique(points, return_inverse=True)
    blank = [unicodedata.category(chr(point)) == "Zs" for point in distinct.tolist()]
    return np.array(blank, dtype=np.bool_)[where]


def _refuse_empty_tokens(corpus: Corpus, restored: RestoredText, tokens: IntArray) -> None:
    empty = np.flatnonzero(tokens[:, 0] == tokens[:, 1])
    if len(empty):
        where = place(corpus, int(restored.words[empty[0]]))
        raise DataError(f"{where}: the token has no character besides white space; give its form, or remove it")


@dataclass(frozen=True)
class Alignment:
    """Pairs of words, in the order of the text."""

    gold: IntArray  # [A] words of the gold corpus
    system: IntArray  # [A] their partners


def align_words(gold: Segmentation, system: Segmentation) -> Alignment:
    """Align the words of two segmentations of the same characters."""
    regions = _merge_multiwords(gold, system)
    inside = [_find_regions(side.words, regions) for side in (gold, system)]
    plain = [np.flatnonzero(region < 0) for region in inside]
    common = match_spans(gold.words[plain[0]], system.words[plain[1]])
    pairs = np.stack([plain[0][common[0]], plain[1][common[1]]], axis=1)
    pairs = np.concatenate([pairs, _align_regions(gold, system, inside, len(regions))])
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    return Alignment(pairs[:, 0], pairs[:, 1])


def match_spans(gold: IntArray, system: IntArray) -> tuple[IntArray, IntArray]:
    """Find the spans that two sides have in common, as their numbers on each; no span of a side occurs twice."""
    mine, theirs = (side[:, 0] << 32 | side[:, 1] for side in (gold, system))
    _, first, second = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    return first, second


def _merge_multiwords(gold: Segmentation, system: Segmentation) -> IntArray:
    """Merge the spans of multiword tokens of both sides where they overlap: [R, 2], in the order of the text."""
    spans = np.concatenate([side.tokens[side.word_count_of_token > 1] for side in (gold, system)])
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    ends = np.maximum.accumulate(spans[:, 1])
    apart = spans[1:, 0] >= ends[:-1]  # the span begins where all before it have ended
    borders = np.concatenate([[True], apart, [True]])[: len(spans) + 1]
    return np.stack([spans[borders[:-1], 0], ends[borders[1:]]], axis=1)


def _find_regions(words: IntArray, regions: IntArray) -> IntArray:
    """Get the region that each word stands in as a whole, -1 for none: [W]."""
    number = np.searchsorted(regions[:, 0], words[:, 0], side="right") - 1
    ends = np.append(regions[:, 1], -1)[number]  # -1 also for words before the first region
    return np.where(words[:, 1] <= ends, number, -1)


def _align_regions(gold: Segmentation, system: Segmentation, inside: list[IntArray], count: int) -> IntArray:
    """Align the words inside regions by their forms: [A, 2]."""
    members = [np.flatnonzero(region >= 0) for region in inside]  # ordered by region, as regions do not overlap
    bounds = [np.searchsorted(region[word], np.arange(count + 1)) for region, word in zip(inside, members)]
    pairs: list[tuple[int, int]] = []
    for (a, b), (c, d) in zip(pairwise(bounds[0].tolist()), pairwise(bounds[1].tolist())):
        mine, theirs = members[0][a:b].tolist(), members[1][c:d].tolist()
        forms = [gold.forms[word].lower() for word in mine], [system.forms[word].lower() for word in theirs]
        pairs.extend((mine[i], theirs[j]) for i, j in find_common_subsequence(*forms))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def find_common_subsequence(first: list[str], second: list[str]) -> list[tuple[int, int]]:
    """Find a longest common subsequence as pairs of places; of several, that with the earliest places in ``second``.

    >>> find_common_subsequence(["do", "n't", "go"], ["do", "not", "go"])
    [(0, 0), (2, 2)]
    """
    longest = np.zeros((len(first) + 1, len(second) + 1), dtype=np.int64)  # of the rests of both
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            together = longest[i + 1, j + 1] + 1 if first[i] == second[j] else 0
            longest[i, j] = max(together, longest[i + 1, j], longest[i, j + 1])
    pairs, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1, j] == longest[i, j]:
            i += 1
        else:
            j += 1
    return pairs


def require_same_text(gold: Corpus, system: Corpus, mine: Segmentation, theirs: Segmentation) -> None:
    """Raise DataError at the first character in which two texts differ."""
    if np.array_equal(mine.characters, theirs.characters):
        return
    shared = min(len(mine.characters), len(theirs.characters))
    at = int(np.append(mine.characters[:shared] != theirs.characters[:shared], True).argmax())
    expected, found = (_show(side, at) for side in (mine, theirs))
    raise DataError(
        f"{_find_place(system, theirs, at)}: expected {expected} as in {_find_place(gold, mine, at)}, found {found}; "
        "score two treebanks of the same text"
    )


def _show(side: Segmentation, at: int) -> str:
    characters = side.characters[at : at + _SHOWN].tolist()
    return repr("".join(map(chr, characters))) if characters else "the end of the text"


def _find_place(corpus: Corpus, side: Segmentation, at: int) -> str:
    if not len(side.token_of_word):
        return corpus.source
    word = int(np.searchsorted(side.words[:, 1], at, side="right"))
    return place(corpus, min(word, len(side.token_of_word) - 1))
