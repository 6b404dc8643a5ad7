"""Tokens of a text as a corpus, and beginnings of sentences as their labels.

Sentences are decided when tokens are known, because words and their shapes to both sides tell more than characters: a
full stop that is a token of its own ends most sentences, that of an abbreviation none. Every paragraph is a sequence,
and its first token begins a sentence.
"""

from __future__ import annotations

import unicodedata

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.systems.tokenizer.characters import RULES, Boundaries, Characters

LABEL = "sentence"
BEGINS, GOES_ON = "S", "T"
#: Columns beside those of the rules: the token, and what stands before it.
TOKEN, GAP = "form", "gap"
_NOTHING, _BLANK, _PARAGRAPH = _GAPS = ("0", "_", "P")


def read_tokens(text: str, characters: Characters, found: Boundaries, form: str | None = None) -> Corpus:
    """Build a corpus of tokens, with paragraphs as its sentences; features see the tokens in a normal form."""
    tokens = [text[start:end] for start, end in zip(found.starts.tolist(), found.ends.tolist())]
    if form is not None:
        tokens = [unicodedata.normalize(form, token) for token in tokens]  # type: ignore[arg-type]
    where = np.searchsorted(characters.places, found.starts)
    rules = {name: characters.corpus.column(name) for name in RULES}
    columns = {
        TOKEN: Column.from_strings([token.encode("utf-8", "replace").decode() for token in tokens]),
        GAP: _find_gaps(found),
        **{name: Column(column.codes[where], column.strings) for name, column in rules.items()},
    }
    documents = np.array([0, len(found.paragraphs) - 1])
    return Corpus(columns, found.paragraphs, documents, source=characters.corpus.source)


def _find_gaps(found: Boundaries) -> Column:
    """Tell for every token whether it follows another one at once, after white space, or begins a paragraph."""
    glued = np.concatenate([[False], found.starts[1:] == found.ends[:-1]])[: len(found.starts)]
    codes = np.where(glued, _GAPS.index(_NOTHING), _GAPS.index(_BLANK)).astype(np.int32)
    codes[found.paragraphs[:-1]] = _GAPS.index(_PARAGRAPH)
    strings = StringTable()
    strings.intern_all(list(_GAPS))
    return Column(codes, strings)


def label_tokens(tokens: Corpus, begins: NDArray[np.bool_]) -> Corpus:
    """Add the labels of tokens for which it is known whether they begin a sentence."""
    strings = StringTable()
    strings.intern_all([GOES_ON, BEGINS])
    return tokens.with_column(LABEL, Column(begins.astype(np.int32), strings))


def read_sentences(tokens: Corpus, labels: Column) -> IntArray:
    """Turn labels into the token offsets of sentences [S + 1]; whatever they are, a paragraph begins a sentence."""
    begins = np.array([name == BEGINS for name in labels.strings.strings()], np.bool_)[labels.codes]
    begins[tokens.sentences[:-1]] = True
    return np.append(np.flatnonzero(begins), tokens.token_count)
