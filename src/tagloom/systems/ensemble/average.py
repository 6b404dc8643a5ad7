"""Averaged weights: several taggers become one, whose weight of a feature is the mean of theirs.

A feature that a tagger does not have has weight zero in it. The tagger that comes out is as fast as one of them. Its
score of a labelling is the mean of their scores, so that its distribution is the geometric mean of theirs, up to a
constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_arguments
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError
from tagloom.files.checkpoint import compute_checksum
from tagloom.systems.ensemble.members import check_equal
from tagloom.systems.tagger.decode import is_calibrated
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.parameters import HashArray, Parameters, WeightViews


def _sum_resources(model: Tagger) -> str:
    arrays = [array for name in sorted(model.resources) for array in model.resources[name].to_tensors().values()]
    return compute_checksum(arrays)


def _sum_dictionary(model: Tagger) -> object:
    found = model.parameters.tag_dictionary
    return None if found is None else compute_checksum([found.words, found.bits])


def _read(name: str) -> Callable[[Tagger], object]:
    return lambda each: getattr(each.spec, name)


#: What must be equal beside labels and columns, so that a feature means the same in all taggers.
_EQUAL: dict[str, Callable[[Tagger], object]] = {
    "set of labels": lambda each: " ".join(sorted(each.labels)),
    "list of columns": lambda each: " ".join(each.spec.columns),
    "set of templates": lambda each: str(each.spec.templates),
    "content of resources": _sum_resources,
    "set of functions": lambda each: " ".join([*each.spec.word_functions, *each.spec.sentence_functions]),
    "number of buckets": lambda each: each.spec.buckets,
    "search": lambda each: str(each.spec.search),
    "tag dictionary": _sum_dictionary,
    **{
        name.replace("_", " "): _read(name)
        for name in ("label", "scheme", "written_scheme", "codec", "normal_form", "sequences", "bags", "threshold")
    },
}


@check_arguments
def average_taggers(models: Sequence[Tagger]) -> Tagger:
    """Average the weights of taggers; features of any of them are kept.

    Args:
        models: Taggers that were trained alike, such as with several seeds. Weights of learners that scale their
            scores differently are brought to one scale by their temperatures, if they are calibrated.

    Raises:
        ConfigError: The taggers differ in what their features mean.

    Examples:
        >>> from tagloom.systems.train import train
        >>> data = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
        >>> average_taggers([train(data, seed=seed) for seed in (1, 2)]).tag(["a", "dog"])
        ['DT', 'NN']
    """
    if len(models) == 0:  # an empty array has no truth value
        raise ConfigError("expected at least one tagger, got none")
    check_equal(models, _EQUAL)
    for number, each in enumerate(models, 1):
        if each.total is not None or each.reranker is not None:
            raise ConfigError(f"tagger {number}: weights of documents and re-rankers are not averaged; leave it out")
        if each.line != models[0].line and _identify_line(each) != _identify_line(models[0]):
            raise ConfigError(f"tagger {number}: its line differs from that of tagger 1; join them instead")
    divisors, temperature = _find_scales(models)
    union = _Union(models)
    weights = union.average(divisors)
    first = models[0]
    sources = " ".join(str(each.spec.signature) for each in models)
    spec = replace(first.spec, history=(), best_epoch=0, epochs=0, temperature=temperature, start=f"mean of {sources}")
    return Tagger(spec, union.build_parameters(weights), first.resources, first.functions).with_line(first.line)


def _identify_line(model: Tagger) -> list[str]:
    return [each.spec.to_json() for each in model.line.providers]


def _find_scales(models: Sequence[Tagger]) -> tuple[list[float], float | None]:
    """What the weights of every tagger are divided by, and the temperature of the result."""
    temperatures = [each.spec.temperature for each in models]
    if len(set(temperatures)) == 1:
        return [1.0] * len(models), temperatures[0]
    for number, each in enumerate(models, 1):
        if not is_calibrated(each.spec):
            raise ConfigError(f"tagger {number}: it is not calibrated, but others are; calibrate all of them")
    return [temperature or 1.0 for temperature in temperatures], 1.0


class _Union:
    """The features and label pairs of all taggers, and where those of each of them are."""

    def __init__(self, models: Sequence[Tagger]) -> None:
        self.models, self.first = models, models[0]
        self.labels = self.first.labels
        self.numbers = [np.array([self.labels.index(label) for label in each.labels]) for each in models]
        self.node_keys, self.node_rows = _unite_keys([each.parameters.node_keys for each in models])
        self.edge_keys, self.edge_rows = _unite_keys([each.parameters.edge_keys for each in models])
        edges = len(self.first.parameters.edge_offsets) - 1 if self.first.spec.buckets else len(self.edge_keys)
        nodes = self.first.chain.node_rows if self.first.spec.buckets else len(self.node_keys)
        if self.first.spec.buckets:  # rows have no keys, and are the same everywhere
            self.node_rows, self.edge_rows = [np.arange(nodes)] * len(models), [np.arange(edges)] * len(models)
        square = len(self.labels) ** 2
        self._pairs = [self._flatten_pairs(number) for number in range(len(models))]
        united: IntArray = np.unique(np.concatenate(self._pairs))
        self.offsets = np.searchsorted(united, np.arange(edges + 1) * square).astype(np.int64)
        self.pairs = (united % square).astype(np.uint32)
        self._places = [np.searchsorted(united, each) for each in self._pairs]
        transitions = self.first.spec.templates.transitions
        self.chain = self.first.structure.compile(nodes, transitions, self.offsets, self.pairs)

    def _flatten_pairs(self, number: int) -> IntArray:
        """Number the label pairs of edge features in the rows and labels of the union."""
        parameters, count = self.models[number].parameters, len(self.labels)
        feature = np.repeat(self.edge_rows[number], np.diff(parameters.edge_offsets)).astype(np.int64)
        before, after = np.divmod(parameters.edge_pairs.astype(np.int64), count)
        own = self.numbers[number]
        flat: IntArray = feature * count * count + own[before] * count + own[after]
        return flat

    def average(self, divisors: Sequence[float]) -> NDArray[np.float32]:
        """Compute the mean weights."""
        total: NDArray[Any] = np.zeros(self.chain.size)
        views = WeightViews(self.chain, total)
        for number, (model, divisor) in enumerate(zip(self.models, divisors)):
            own = self.numbers[number]
            scaled: NDArray[Any] = model.parameters.weights.astype(np.float64) / divisor
            old = WeightViews(model.chain, scaled)
            views.nodes[np.ix_(self.node_rows[number], own)] += old.nodes
            rows = own if len(old.transitions) == len(own) else np.arange(len(old.transitions))
            views.transitions[np.ix_(rows, own)] += old.transitions
            views.edges[self._places[number]] += old.edges
            if self.chain.has_triples:
                views.triples[np.ix_(own, own, own)] += old.triples
        return (total / len(self.models)).astype(np.float32)

    def build_parameters(self, weights: NDArray[np.float32]) -> Parameters:
        """Build the arrays of the tagger."""
        own = [each.parameters for each in self.models]
        return Parameters(
            labels=self.labels,
            weights=weights,
            node_keys=self.node_keys,
            edge_keys=self.edge_keys,
            edge_offsets=self.offsets,
            edge_pairs=self.pairs,
            known_words=reduce(np.union1d, [each.known_words for each in own]),
            tag_dictionary=own[0].tag_dictionary,
            node_names=_unite_names([each.node_names for each in own], self.node_rows),
            edge_names=_unite_names([each.edge_names for each in own], self.edge_rows),
        )


def _unite_keys(keys: Sequence[HashArray]) -> tuple[HashArray, list[IntArray]]:
    """Unite keys, those of the first tagger first; also return the places of the keys of each."""
    united = keys[0]
    for each in keys[1:]:
        united = np.concatenate([united, each[~np.isin(each, united)]])
    order = np.argsort(united)
    return united, [order[np.searchsorted(united, each, sorter=order)] for each in keys]


def _unite_names(names: Sequence[FeatureNames | None], rows: Sequence[IntArray]) -> FeatureNames | None:
    """Unite the names of features; None if a tagger does not keep them."""
    found: FeatureNames | None = None
    for own, places in zip(names, rows):
        if own is None:
            return None
        known = 0 if found is None else len(found)
        fresh = np.flatnonzero(places >= known).astype(np.uint32)
        found = own if found is None else found + own.take(fresh)
    return found
