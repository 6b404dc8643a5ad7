"""Counts of the units of a score per sentence: tokens, typed spans, words in and out of a lexicon."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from tagloom.corpus.corpus import CodeArray, Column, IntArray
from tagloom.corpus.schemes import BoolArray
from tagloom.corpus.spans import Spans
from tagloom.errors import ConfigError
from tagloom.evaluate.counts import Counts, tally
from tagloom.evaluate.scores import IN_VOCABULARY, KNOWN, OUT_OF_VOCABULARY, UNKNOWN


def compare_labels(gold: Column, predicted: Column) -> BoolArray:
    """Compare two columns token by token: [N]."""
    number = np.array([gold.strings.find(name) for name in predicted.strings.strings()], dtype=np.int32)
    return np.asarray(gold.codes == number[predicted.codes])


def count_tokens(
    right: BoolArray, sentences: IntArray, first: BoolArray | None, kinds: tuple[str, ...] = (KNOWN, UNKNOWN)
) -> Counts:
    """Count tokens and correct tokens; those of the mask ``first`` and all others separately, as two kinds."""
    kinds = ("tokens",) if first is None else kinds
    kind = np.zeros(len(right), dtype=np.int32) if first is None else (~first).astype(np.int32)
    sentence = np.repeat(np.arange(len(sentences) - 1), np.diff(sentences))
    shape = (len(kinds), len(sentences) - 1)
    everything = tally(kind, sentence, shape)
    return Counts(kinds, tally(kind[right], sentence[right], shape), everything, everything)


def mask_known(known: BoolArray | Collection[str], forms: Column | None, token_count: int) -> BoolArray:
    """Build the mask [N] of known tokens from a mask, or from a set of words."""
    if isinstance(known, np.ndarray):
        if known.shape != (token_count,) or known.dtype != np.bool_:
            raise ConfigError(
                f"known: expected a mask of {token_count} booleans, got an array of {known.dtype} {known.shape}"
            )
        return known
    if forms is None:
        raise ConfigError("known: a set of words needs the words of the corpus; pass forms, the column of words")
    return np.array([form in known for form in forms.strings.strings()], dtype=np.bool_)[forms.codes]


def count_spans(gold: Spans, predicted: Spans, sentence_count: int) -> Counts:
    """Count spans by type; a predicted span is correct if a gold span has the same boundaries and type."""
    types = list(dict.fromkeys([*gold.types, *predicted.types]))
    return _count(tuple(types), _with_types(gold, types), _with_types(predicted, types), sentence_count)


def count_words(gold: Spans, predicted: Spans, sentence_count: int, text: Column, lexicon: Collection[str]) -> Counts:
    """Count words in and out of the lexicon; ``text`` is the column of characters."""
    characters = text.texts()
    gold, predicted = (replace(words, type=_mark_unseen(words, characters, lexicon)) for words in (gold, predicted))
    return _count((IN_VOCABULARY, OUT_OF_VOCABULARY), gold, predicted, sentence_count)


def _with_types(spans: Spans, types: list[str]) -> Spans:
    number = np.array([types.index(name) for name in spans.types], dtype=np.int32)
    return replace(spans, type=number[spans.type], types=types)


def _mark_unseen(words: Spans, characters: list[str], lexicon: Collection[str]) -> CodeArray:
    """[K]: 0 for words of the lexicon, 1 for others."""
    text = "".join(characters)
    ends = np.cumsum([0, *map(len, characters)])
    bounds = zip(ends[words.start].tolist(), ends[words.stop].tolist())
    return np.array([text[start:stop] not in lexicon for start, stop in bounds], dtype=np.int32)


def _count(kinds: tuple[str, ...], gold: Spans, predicted: Spans, sentence_count: int) -> Counts:
    shape = (len(kinds), sentence_count)
    tables = (tally(spans.type, spans.sentence, shape) for spans in (_common(gold, predicted), predicted, gold))
    return Counts(kinds, *tables)


def _common(gold: Spans, predicted: Spans) -> Spans:
    """The gold spans that were predicted. Spans of one side do not overlap, so that the start identifies a span."""
    partner = np.searchsorted(predicted.start, gold.start)
    # A gold span after the last predicted one has no partner.
    reached = np.flatnonzero(partner < len(predicted))
    gold, predicted = gold.where(reached), predicted.where(partner[reached])
    same = (gold.start == predicted.start) & (gold.stop == predicted.stop) & (gold.type == predicted.type)
    return gold.where(same)
