"""Where a token stands: file and line, or sentence and word where no line is known (corpora of objects, slices)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tagloom.corpus.corpus import Corpus

# Keys of Corpus.extras.
FIRST_LINES = "first_lines"  # [S] the line of the file on which each sentence begins
OTHER_LINES = "other_lines"  # (sentence, its tokens before) of lines inside sentences that hold no token
FIRST_SENTENCE = "first_sentence"  # number of sentences of the file before the first one of a batch


def place(corpus: Corpus, token: int) -> str:
    """Get ``file:LINE`` of a token, or ``source: sentence S, word W``.

    >>> place(Corpus.from_columns({"form": ["He", "left", "Yes"]}, [2, 1]), 1)
    '<memory>: sentence 1, word 2'
    """
    line = line_of(corpus, token)
    if line is not None:
        return f"{corpus.source}:{line}"
    sentence, before = sentence_of(corpus, token), corpus.extras.get(FIRST_SENTENCE, 0)
    assert isinstance(before, int)
    return f"{corpus.source}: sentence {before + sentence + 1}, word {token - corpus.span(sentence)[0] + 1}"


def sentence_of(corpus: Corpus, token: int) -> int:
    """Get the number of the sentence that a token stands in, from 0."""
    return int(np.searchsorted(corpus.sentences, token, side="right")) - 1


def line_of(corpus: Corpus, token: int) -> int | None:
    """Get the line of a token in its file, counted from 1; None if it is not known."""
    first_lines = corpus.extras.get(FIRST_LINES)
    if not isinstance(first_lines, np.ndarray) or len(first_lines) != len(corpus):
        return None
    sentence = sentence_of(corpus, token)
    word = token - corpus.span(sentence)[0]
    others = corpus.extras.get(OTHER_LINES, ())
    assert isinstance(others, Sequence)
    return int(first_lines[sentence]) + word + len([row for row in others if row[0] == sentence and row[1] <= word])
