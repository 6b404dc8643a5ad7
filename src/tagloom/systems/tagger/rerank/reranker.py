"""Reranker: chooses among the candidates of a model by features of whole labellings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray
from tagloom.corpus.schemes import Scheme
from tagloom.errors import ConfigError
from tagloom.features import Batch, DocumentFunction, Vocabulary
from tagloom.features.global_templates import GlobalTemplateSet
from tagloom.features.tensors import Tensors
from tagloom.structures.candidates import CandidateLists
from tagloom.structures.global_features import GlobalFeatures, PreparedFeatures
from tagloom.structures.rankers import Ranker, restore_ranker
from tagloom.systems.file import select_tensors
from tagloom.systems.tagger.candidates import Candidate, choose_labels, order_lists
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.rerank.spec import RerankerSpec

_STRETCH = 4096  # number of sequences whose features are in memory at a time
NO_VALUES: NDArray[np.float32] = np.zeros(0, np.float32)


@dataclass(frozen=True)
class RankerParameters:
    """The arrays of a re-ranker."""

    keys: NDArray[np.uint64]  # [m] of its features, ascending
    ranker: Ranker  # what was learned about them
    names: FeatureNames | None = None  # [m] of the features; None if they were left out

    def to_tensors(self, *, names: bool) -> Tensors:
        """Convert to arrays by name."""
        tensors = {"keys": self.keys, **{f"ranker.{name}": array for name, array in self.ranker.to_tensors().items()}}
        if names and self.names is not None:
            tensors |= {f"names.{name}": array for name, array in self.names.to_tensors().items()}
        return tensors

    @classmethod
    def from_tensors(cls, tensors: Tensors) -> RankerParameters:
        """Restore what ``to_tensors`` returned; raises ValueError if the updates of a ranker are out of range."""
        ranker = restore_ranker(select_tensors(tensors, "ranker."))
        names = FeatureNames.from_tensors(select_tensors(tensors, "names.")) if "names.text" in tensors else None
        return cls(tensors["keys"], ranker, names)


class Reranker:
    """Chooses among candidates. Does not change, and can be shared by threads."""

    def __init__(
        self,
        spec: RerankerSpec,
        parameters: RankerParameters,
        vocabulary: Vocabulary,
        labels: tuple[str, ...],
        scheme: Scheme | None,
        functions: Mapping[str, DocumentFunction | None],
    ) -> None:
        if len(parameters.keys) != parameters.ranker.features:
            raise ValueError("the weights of the re-ranker do not fit its features")
        self.spec, self.parameters = spec, parameters
        self.features = global_features(spec.templates, functions, vocabulary, labels, scheme)
        self.table = _core.FeatureTable(parameters.keys)

    def choose(self, prepared: PreparedFeatures, found: CandidateLists, threads: int) -> CodeArray:
        """Return [N] labels of the chosen candidates; sequences without candidates get label 0."""
        winners = np.full(len(found), -1, np.int64)
        for begin, end, part in _stretches(found):
            lists = encode_ranking_lists(prepared, part, self.table, threads)
            winners[begin:end] = self.parameters.ranker.winners(lists, threads)[begin:end]
        chosen = np.where(winners >= 0, found.first[:-1] + winners, -1)
        return choose_labels(found, chosen, prepared.sequences.offsets, 0)

    def rank(self, prepared: PreparedFeatures, found: CandidateLists, threads: int) -> CandidateLists:
        """Sort the candidates of every list by the values of the ranker, which become their scores."""
        return order_lists(found, self.values(prepared, found, threads))

    def values(self, prepared: PreparedFeatures, found: CandidateLists, threads: int = 1) -> NDArray[np.float64]:
        """Compute [C] values of all candidates."""
        parts = (encode_ranking_lists(prepared, part, self.table, threads) for _, _, part in _stretches(found))
        return np.concatenate([np.zeros(0), *(self.parameters.ranker.values(part, threads) for part in parts)])


def encode_ranking_lists(
    prepared: PreparedFeatures, lists: CandidateLists, table: _core.FeatureTable, threads: int
) -> _core.RankingLists:
    """Encode candidates by the rows of their features."""
    offsets, rows = prepared.rows(lists, table, threads)
    return _core.RankingLists(lists.first, lists.scores, offsets, rows, len(table), NO_VALUES)


def global_features(
    templates: GlobalTemplateSet | None,
    functions: Mapping[str, DocumentFunction | None],
    vocabulary: Vocabulary,
    labels: tuple[str, ...],
    scheme: Scheme | None,
) -> GlobalFeatures:
    """Build the features of a re-ranker; templates may be None if there are functions."""
    if templates is None and not functions:
        raise ConfigError("re-ranking: expected global templates or functions, got none")
    return GlobalFeatures(templates or GlobalTemplateSet("none", ()), functions, vocabulary, labels, scheme)


def select_batch_columns(batch: Batch, columns: tuple[str, ...], wanted: tuple[str, ...]) -> Batch:
    """Select some columns of a batch."""
    for name in wanted:
        if name not in columns:
            raise ConfigError(
                f"global templates: column {name!r} is none that the tagger reads ({', '.join(columns)}); "
                "train a tagger whose templates look at it, or leave it out"
            )
    places = [columns.index(name) for name in wanted]
    bags = {new: batch.bags[old] for new, old in enumerate(places) if old in batch.bags}
    return Batch([batch.codes[i] for i in places], [batch.tables[i] for i in places], batch.sentences, bags)


def _stretches(found: CandidateLists) -> Iterator[tuple[int, int, CandidateLists]]:
    """Yield the lists of some sequences at a time; the lists of all other sequences are empty."""
    for begin in range(0, len(found), _STRETCH):
        end = min(begin + _STRETCH, len(found))
        low, high = found.first[begin], found.first[end]
        begins = found.begins[low : high + 1]
        labels, first = found.labels[begins[0] : begins[-1]], np.clip(found.first, low, high) - low
        yield begin, end, CandidateLists(first, begins - begins[0], labels, found.scores[low:high])


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate with its scores and the weights of its features."""

    candidate: Candidate
    base_score: float  # of the tagger
    base_weight: float  # factor of that score
    value: float  # F(x, a); for the voted perceptron the share of votes
    weights: dict[str, float]  # of its features, by name; for the voted perceptron the means of all vectors

    def against(self, other: RankedCandidate) -> dict[str, float]:
        """List the weights for this candidate and against another one, by feature, the largest first."""
        base = self.base_weight * (self.base_score - other.base_score)
        own = {name: weight for name, weight in self.weights.items() if name not in other.weights}
        others = {name: -weight for name, weight in other.weights.items() if name not in self.weights}
        found = {"score of the tagger": base, **own, **others}
        return {name: found[name] for name in sorted(found, key=lambda name: -abs(found[name])) if found[name]}


def rank_candidates(
    reranker: Reranker, prepared: PreparedFeatures, found: CandidateLists, candidates: list[Candidate]
) -> list[RankedCandidate]:
    """Rank the candidates of one sequence, the best first; ``candidates`` are those of ``found`` in the same order."""
    ranked = reranker.values(prepared, found)
    weights, base = reranker.parameters.ranker.mean_weights()
    rows = {key: row for row, key in enumerate(reranker.parameters.keys.tolist())}
    made = []
    for k, candidate in enumerate(candidates):
        labels = found.labels[slice(*found.begins[k : k + 2])]
        described = {text: weights[rows[key]] for key, text in prepared.describe(0, labels) if key in rows}
        own = {text: float(weight) for text, weight in described.items() if weight}
        made.append(RankedCandidate(candidate, candidate.score, base, float(ranked[k]), own))
    return sorted(made, key=lambda each: -each.value)
