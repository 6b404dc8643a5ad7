"""The phrases of a corpus, from labels of any scheme, and labels from phrases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray, ranges, spread
from tagloom.corpus.schemes import IOB2, Scheme, detect_scheme, get_scheme, labels_in_use
from tagloom.corpus.spans import Spans, decode_spans, label_spans
from tagloom.errors import ConfigError, DataError
from tagloom.learners.phrases import GoldPhrases

_MOST_CATEGORIES = 10_000  # the limit of the core


@dataclass(frozen=True)
class Gold:
    """Phrases of training data, and the scheme their labels are written in."""

    label: str
    scheme: Scheme
    spans: Spans
    categories: tuple[str, ...]
    sentences: IntArray

    @classmethod
    def of(cls, corpus: Corpus, label: str | None, scheme: str | None) -> Gold:
        """Read the phrases of a corpus from its labels."""
        name = label or corpus.label
        column = corpus.column(name)
        if column.is_bag:
            raise ConfigError(f"column {name!r} holds attributes, not labels")
        found = _scheme(column, corpus, name, scheme)
        try:
            spans = decode_spans(column.strings.strings(), column.codes, corpus.sentences, found)
        except DataError as error:
            raise DataError(f"{corpus.source}: column {name!r}: {error}") from None
        if not len(spans):
            raise DataError(f"{corpus.source}: no phrase to learn from in column {name!r}")
        categories = sorted({spans.types[number] for number in np.unique(spans.type).tolist()})
        if len(categories) > _MOST_CATEGORIES:
            raise DataError(
                f"{corpus.source}: {len(categories):,} categories in column {name!r}, a chunker has at most "
                f"{_MOST_CATEGORIES:,}; name another column with label"
            )
        return cls(name, found, spans, tuple(categories), corpus.sentences)

    @property
    def longest(self) -> int:
        """The number of words of the longest phrase."""
        return int((self.spans.stop - self.spans.start).max())

    def phrases(self) -> GoldPhrases:
        """Convert to what the core reads: categories as numbers, places within sentences."""
        spans, numbers = self.spans, {name: number for number, name in enumerate(self.categories)}
        of_type = np.array([numbers.get(name, -1) for name in spans.types], np.int32)
        counts = np.bincount(spans.sentence, minlength=len(self.sentences) - 1)
        first = self.sentences[spans.sentence]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return GoldPhrases(offsets, spans.start - first, spans.stop - first, of_type[spans.type])

    def flags(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32]]:
        """Flag words that begin a phrase and words inside one after its first, with the category or -1."""
        tokens = int(self.sentences[-1])
        words, phrases = self.words()
        begins, insides = np.zeros(tokens, np.uint8), np.zeros(tokens, np.uint8)
        categories = np.full(tokens, -1, np.int32)
        insides[words] = 1
        begins[self.spans.start], insides[self.spans.start] = 1, 0
        categories[words] = self.phrases().categories[phrases]
        return begins, insides, categories

    def words(self) -> tuple[IntArray, IntArray]:
        """List the words of all phrases, and the number of the phrase of each."""
        lengths = self.spans.stop - self.spans.start
        return ranges(self.spans.start, lengths), np.repeat(np.arange(len(lengths)), lengths)


def _scheme(column: Column, corpus: Corpus, name: str, scheme: str | None) -> Scheme:
    """Return the scheme that was named, or the one that the labels show."""
    if scheme is not None:
        return get_scheme(scheme)
    found = detect_scheme(column.strings.strings(), column.codes, corpus.sentences)
    if found is not None:
        return found
    used = labels_in_use(column.strings.strings(), column.codes)
    if used == [IOB2.outside]:
        raise DataError(f"{corpus.source}: no phrase to learn from in column {name!r}: all labels are O")
    raise DataError(
        f"{corpus.source}: column {name!r} holds plain tags such as {used[0]!r}, no phrases; expected labels such as "
        "B-NP I-NP O, or name the column with label"
    )


def labels_of(spans: Spans, tokens: int, scheme: Scheme) -> Column:
    """Write the phrases of a corpus as labels."""
    return spread(*label_spans(spans, tokens, scheme))
