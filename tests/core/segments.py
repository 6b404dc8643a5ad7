"""Segments for tests: hypothesis strategies of small problems, and the arrays in which the core takes them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from tagloom import _core
from tagloom.corpus.schemes import BIOES, IOB2, Scheme
from tagloom.structures import Chain
from tagloom.systems.segments.encode import find_roles
from tests.oracle.segments import Scores, segmentations

_SEGMENT_FEATURES = 3


@dataclass(frozen=True)
class Problem:
    """One sentence; every token has a feature of its own, and segments share a few."""

    scheme: Scheme
    types: int
    longest: int
    length: int
    features: dict[tuple[int, int], tuple[int, ...]]  # of segments (first, last)
    weights: np.ndarray  # [rows + L][L]: tokens, features of segments by type, transitions
    gold: tuple[int, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        prefixes = dict.fromkeys([self.scheme.begin, self.scheme.inside, self.scheme.end, self.scheme.single])
        return ("O", *(f"{prefix}-{kind}" for kind in range(self.types) for prefix in prefixes))

    @property
    def rows(self) -> int:
        return self.length + _SEGMENT_FEATURES

    @property
    def roles(self) -> np.ndarray:
        return find_roles(self.labels, self.scheme)[1]

    def scores(self, weights: np.ndarray | None = None) -> Scores:
        given = self.weights if weights is None else weights
        own = given[self.length : self.rows]
        segments = {
            (first, last, kind): float(sum(own[f, kind] for f in features))
            for (first, last), features in self.features.items()
            for kind in range(self.types)
        }
        roles = [tuple(each) for each in self.roles.reshape(-1, 4).tolist()]
        return Scores(given[: self.length], given[self.rows :], segments, roles, 0)  # type: ignore[arg-type]

    def chain(self) -> _core.Chain:
        return Chain(self.labels, self.scheme).compile(self.rows)

    def data(self, *, plain: bool = False, copies: int = 1) -> _core.ChainData:
        """The sentence, or several copies of it; plain: as a chain without segments."""
        tokens = self.length * copies
        rows = np.tile(np.arange(self.length, dtype=np.uint32), copies)
        nodes = np.arange(tokens + 1), rows, np.zeros(0, np.float32)
        edges = np.zeros(tokens + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
        sentences = np.arange(copies + 1) * self.length
        gold = np.tile(np.array(self.gold, np.int32), copies)
        data = _core.ChainData(self.chain(), *nodes, *edges, sentences, gold)
        if plain:
            return data
        listed = [
            self.features.get((first, first + count), ())
            for first in range(self.length)
            for count in range(1, self.longest + 1)
        ] * copies
        offsets = np.cumsum([0, *map(len, listed)])
        own = np.array([self.length + f for each in listed for f in each], np.uint32)
        return data.with_segments(self.longest, offsets, own, self.roles)

    def flat(self, dtype: type = np.float64, weights: np.ndarray | None = None) -> np.ndarray:
        """The weights as the core lays them out."""
        given, chain = self.weights if weights is None else weights, self.chain()
        found = np.zeros((self.rows + chain.labels, chain.stride), dtype)
        found[:, : chain.labels] = given
        return found.ravel()

    def unfold(self, flat: np.ndarray) -> np.ndarray:
        """The inverse of ``flat``."""
        chain = self.chain()
        return flat.reshape(-1, chain.stride)[:, : chain.labels]

    def without_segments(self) -> Problem:
        return replace(self, features={})


@st.composite
def problems(draw: st.DrawFn, *, most_tokens: int = 5) -> Problem:
    scheme, types = draw(st.sampled_from([BIOES, IOB2])), draw(st.integers(1, 2))
    longest, length = draw(st.integers(2, 4)), draw(st.integers(1, most_tokens))
    places = [(first, first + n) for first in range(length) for n in range(1, longest + 1) if first + n <= length]
    some = st.lists(st.integers(0, _SEGMENT_FEATURES - 1), max_size=2).map(tuple)
    features = {place: draw(some) for place in places}
    labels = 1 + types * (4 if scheme is BIOES else 2)
    shape = length + _SEGMENT_FEATURES + labels, labels
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    weights = rng.integers(-8, 9, shape) / 4 if draw(st.booleans()) else rng.normal(0, 2, shape)
    weights[length : length + _SEGMENT_FEATURES, types:] = 0  # columns that no type has
    found = Problem(scheme, types, longest, length, features, weights)
    scores = found.scores()
    gold = draw(st.sampled_from(list(segmentations(min(length, 6), types)))) if length <= 6 else ()
    return replace(found, gold=tuple(scores.labels(gold)) if length <= 6 else (0,) * length)
