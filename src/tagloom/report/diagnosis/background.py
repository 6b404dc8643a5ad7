"""What the training data say about test data: which words and units they have, and how often."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tagloom.corpus import Corpus
from tagloom.corpus.layers import Layer
from tagloom.corpus.schemes import BoolArray
from tagloom.corpus.spans import decode_spans
from tagloom.systems.base import CHARACTERS, Model
from tagloom.systems.labels import find_gold_scheme


@dataclass(frozen=True)
class Background:
    """Words and units of training data; without these, the words that the model itself knows."""

    source: str  # the training data, for the page; empty if it is not at hand
    knows: Callable[[str], bool] | None = None
    words: Mapping[str, int] | None = None  # how often each word occurs
    units: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # by column: texts of spans, and how often

    @property
    def note(self) -> str:
        """What known words are."""
        return (
            f"Known words are those of {self.source}." if self.source else "Known words are those that the model keeps."
        )

    def mark_known(self, words: Sequence[str]) -> BoolArray | None:
        """Mark the words that training had: [N]; None if that is not known."""
        if self.knows is None:
            return None
        distinct = dict.fromkeys(words)
        seen = {word: self.knows(word) for word in distinct}
        return np.array([seen[word] for word in words], np.bool_)

    def count_words(self, words: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]] | None:
        """Count how often training had each word: [N]; None without training data."""
        return None if self.words is None else np.array([self.words.get(word, 0) for word in words], np.int64)


def find_background(model: Model, train: Corpus | None) -> Background:
    """Find what is known about training: from its data, or else from the model."""
    if train is None:
        return _ask_model(model)
    words = read_words(train, model.main)
    units = {
        layer.column: Counter(_list_units(train, layer, words, cuts_text=model.reads.unit == CHARACTERS))
        for layer in model.layers
        if layer.scheme is not None and layer.column in train.columns
    }
    # The words of a model that cuts text are not its tokens, which are characters.
    counts = units[model.layers[-1].column] if units and model.reads.unit == CHARACTERS else Counter(words)
    return Background(Path(train.source).name, counts.__contains__, counts, units)


def read_words(corpus: Corpus, column: str) -> list[str]:
    """Read the words of a corpus; tokens that are bags of attributes are shown by their first attributes."""
    found = corpus.column(column)
    if not found.is_bag:
        return found.texts()
    assert found.offsets is not None
    texts, codes = found.strings.strings(), found.codes.tolist()
    bounds = found.offsets.tolist()
    return [" ".join(texts[code] for code in codes[a : min(b, a + 2)]) for a, b in itertools.pairwise(bounds)]


def join_words(words: Sequence[str], start: int, stop: int, *, cuts_text: bool) -> str:
    """Join the tokens of a unit: characters without, words with blanks."""
    return ("" if cuts_text else " ").join(words[start:stop])


def _ask_model(model: Model) -> Background:
    known, form = model.known_words, model.spec.normal_form
    if known is None:
        return Background("", None)
    normalise = (lambda word: word) if form is None else (lambda word: unicodedata.normalize(form, word))  # type: ignore[arg-type]
    return Background("", lambda word: normalise(word) in known)


def _list_units(corpus: Corpus, layer: Layer, words: Sequence[str], *, cuts_text: bool) -> list[str]:
    gold = corpus.column(layer.column)
    scheme = find_gold_scheme(gold, corpus.sentences, layer.scheme)
    if scheme is None:
        return []
    spans = decode_spans(gold.strings.strings(), gold.codes, corpus.sentences, scheme)
    bounds = zip(spans.start.tolist(), spans.stop.tolist())
    return [join_words(words, start, stop, cuts_text=cuts_text) for start, stop in bounds]
