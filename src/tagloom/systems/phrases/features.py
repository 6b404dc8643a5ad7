"""The features of a phrase, Phi_p, with names and keys, as phrase_features.hpp computes them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.features import FeatureEncoder
from tagloom.systems.phrases.encode import PREDICATES, PhraseEncoder, compute_entity_key, prepared

_BEFORE, _AFTER, _, _WITHIN, _PATTERN, _FORM, _WHOLE_PATTERN, _ENTRY, _WORD = range(1, 10)  # PhraseFeatures::Role
_OUTSIDE = 0x9216D5D98979FB1B
_SIZES = (2, 3, 4)  # of patterns in a phrase

Named = tuple[str, int]  # a feature: name and key


class PhraseWords:
    """The words of one sentence with their predicates, by name and number."""

    def __init__(self, encoder: PhraseEncoder, corpus: Corpus, categories: Sequence[str]) -> None:
        self.window, self.categories = encoder.window, categories
        self.words = corpus.sentence(0, encoder.main)
        self.around, self.inside = (_predicates(each, corpus) for each in encoder.predicates)
        forms = corpus.column(encoder.main)
        self.types = encoder.word_types(forms.strings)[forms.codes].tolist()
        self.lists = _Lists.of(encoder, corpus)
        self.forms = [_core.hash_string(word) for word in self.words]

    def features(self, s: int, e: int, left: Sequence[int]) -> Iterator[Named]:
        """List the features of the phrase from word s to e; ``left`` has the categories before it, nearest first."""
        for place in range(self.window + 1):
            yield from self._beside(s - place, _core.mix(_BEFORE, place), f"s-{place}" if place else "s")
            yield from self._beside(e + place, _core.mix(_AFTER, place), f"e+{place}" if place else "e")
        for place, category in enumerate(left[: self.window], 1):
            if category >= 0:
                yield f"phrase[s-{place}]={self.categories[category]}", compute_entity_key(place, category)
        within = _core.mix(_WITHIN, 0)
        for word in range(s, e + 1):
            yield from ((_placed(name, "s..e"), _core.mix(within, number)) for name, number in self.inside[word])
        yield from self._patterns(s, e)
        yield from self._whole(s, e)
        if self.lists is not None:
            yield from self.lists.features(s, e)

    def _beside(self, word: int, place: int, name: str) -> Iterator[Named]:
        if not 0 <= word < len(self.words):
            yield f"outside[{name}]", _core.mix(place, _OUTSIDE)
            return
        yield from ((_placed(text, name), _core.mix(place, number)) for text, number in self.around[word])

    def _patterns(self, s: int, e: int) -> Iterator[Named]:
        for first in range(s, e + 1):
            for size in _SIZES:
                if first + size - 1 <= e:
                    types = self.types[first : first + size]
                    yield f"pattern{size}={_text(types)}", _core.mix(_core.mix(_PATTERN, size), _chain(*types))

    def _whole(self, s: int, e: int) -> Iterator[Named]:
        words, types = self.forms[s : e + 1], self.types[s : e + 1]
        yield f"whole={' '.join(self.words[s : e + 1])}", _chain(_core.mix(_FORM, 0), *words)
        yield f"pattern={_text(types)}", _chain(_core.mix(_WHOLE_PATTERN, 0), *types)


@dataclass(frozen=True)
class _Lists:
    """Lists of the gazetteer, as bits, of the words of a sentence and of entries in it."""

    names: Sequence[str]
    words: list[int]
    entries: list[dict[int, int]]  # of every word: length of an entry that begins there -> lists

    @classmethod
    def of(cls, encoder: PhraseEncoder, corpus: Corpus) -> _Lists | None:
        if encoder.gazetteer is None:
            return None
        words, offsets, lengths, lists = encoder.lists(corpus)
        bounds = itertools.pairwise(offsets.tolist())
        entries = [dict(zip(lengths[a:b].tolist(), lists[a:b].tolist(), strict=True)) for a, b in bounds]
        return cls(encoder.gazetteer.names, words.tolist(), entries)

    def features(self, s: int, e: int) -> Iterator[Named]:
        yield from self._named(self.entries[s].get(e - s + 1, 0), _ENTRY, "entry")
        for word in range(s, e + 1):
            yield from self._named(self.words[word], _WORD, "listed[s..e]")

    def _named(self, lists: int, role: int, name: str) -> Iterator[Named]:
        place = _core.mix(role, 0)
        for number, each in enumerate(self.names):
            if lists >> number & 1:
                yield f"{name}={each}", _core.mix(place, number)


def _predicates(encoder: FeatureEncoder, corpus: Corpus) -> list[list[Named]]:
    store, batch = prepared(encoder, corpus)
    described = encoder.describe(store, batch, 0)
    return [[(each.name, PREDICATES.find(each.key)) for each in word if not each.edge] for word in described]


def _placed(name: str, place: str) -> str:
    return name.replace("[0]=", f"[{place}]=")


def _chain(first: int, *others: int) -> int:
    for other in others:
        first = _core.mix(first, other)
    return first


def _text(types: Sequence[int]) -> str:
    return "".join(map(chr, types))
