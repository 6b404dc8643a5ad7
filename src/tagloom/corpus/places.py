"""Where a token stands: file and line, or sentence and word where no line is known (corpora of objects, slices)."""

from __future__ import annotations

import numpy as np

from tagloom.corpus.corpus import FIRST_LINES, Corpus
from tagloom.corpus.formats.conllu import TreebankLines


def place(corpus: Corpus, token: int) -> str:
    """``file:LINE`` of a token, else ``source: sentence S, word W``.

    >>> place(Corpus.from_columns({"form": ["He", "left", "Yes"]}, [2, 1]), 1)
    '<memory>: sentence 1, word 2'
    """
    sentence = sentence_of(corpus, token)
    line = line_of(corpus, token)
    if line is not None:
        return f"{corpus.source}:{line}"
    return f"{corpus.source}: sentence {sentence + 1}, word {token - corpus.span(sentence)[0] + 1}"


def sentence_of(corpus: Corpus, token: int) -> int:
    return int(np.searchsorted(corpus.sentences, token, side="right")) - 1


def line_of(corpus: Corpus, token: int) -> int | None:
    """The line of a token's file, counted from 1. The rows of a sentence stand on lines without a gap."""
    first_lines = corpus.extras.get(FIRST_LINES)
    if not isinstance(first_lines, np.ndarray) or len(first_lines) != len(corpus):
        return None
    sentence = sentence_of(corpus, token)
    word = token - corpus.span(sentence)[0]
    kept = corpus.extras.get("conllu")
    others = kept.rows if isinstance(kept, TreebankLines) else ()
    return int(first_lines[sentence]) + word + sum(row[0] == sentence and row[1] <= word for row in others)
