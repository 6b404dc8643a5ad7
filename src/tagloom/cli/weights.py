"""The weights of a model as tables, and the heaviest entries of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tagloom.errors import unknown_name
from tagloom.systems import Model


class WeightTables:
    """Views of a model's flat weight vector: features by label, label by label, edge features by label pair."""

    def __init__(self, model: Model) -> None:
        self._model, parameters = model, model.parameters
        chain, weights = model.chain, parameters.weights
        count = chain.labels
        self.nodes = weights[: chain.transition_begin].reshape(-1, chain.stride)[:, :count]  # [F, L]
        self.transitions = weights[chain.transition_begin : chain.edge_begin].reshape(-1, chain.stride)[:, :count]
        self.edges = weights[chain.edge_begin : chain.triple_begin]  # one a label pair of an edge feature
        self.triples = np.zeros((0, 0, 0), np.float32)
        if chain.has_triples:  # [L, L, L] label decided before the previous one, previous one, label
            triples = weights[chain.triple_begin :].reshape(count, count, chain.stride)[..., :count]
            self.triples = triples.transpose(2, 0, 1)

    @property
    def has_names(self) -> bool:
        return self._model.parameters.node_names is not None

    def checked(self, label: str) -> str:
        if label not in self._model.labels:
            raise unknown_name("label", label, self._model.labels)
        return label

    def top_features(self, label: str, count: int) -> list[tuple[str, float]]:
        """The features that speak loudest for or against a label."""
        names = self._model.parameters.node_names
        column = self.nodes[:, self._model.labels.index(label)]
        return [(names[row] if names else f"row {row}", float(column[row])) for row in _largest(column, count)]

    def top_transitions(self, count: int) -> list[tuple[str, str, float]]:
        """The heaviest label pairs: (label before, label, weight)."""
        flat, labels = self.transitions.ravel(), self._model.labels
        return [
            (labels[pair // len(labels)], labels[pair % len(labels)], float(flat[pair]))
            for pair in _largest(flat, count)
        ]

    def top_triples(self, count: int) -> list[tuple[str, str, str, float]]:
        """The heaviest label triples: (label before the previous one, previous label, label, weight)."""
        flat, labels = self.triples.ravel(), self._model.labels
        found = []
        for place in _largest(flat, count):
            before, previous, label = (int(number) for number in np.unravel_index(place, self.triples.shape))
            found.append((labels[before], labels[previous], labels[label], float(flat[place])))
        return found

    def top_edges(self, count: int) -> list[tuple[str, str, str, float]]:
        """The heaviest edge features: (name, label before, label, weight)."""
        parameters, labels = self._model.parameters, self._model.labels
        found = []
        for index in _largest(self.edges, count):
            row = int(np.searchsorted(parameters.edge_offsets, index, side="right")) - 1
            before, after = divmod(int(parameters.edge_pairs[index]), len(labels))
            name = parameters.edge_names[row] if parameters.edge_names else f"row {row}"
            found.append((name, labels[before], labels[after], float(self.edges[index])))
        return found

    def top_document_features(self, count: int) -> list[tuple[str, float]]:
        """The heaviest features of documents."""
        weights = self._model.nonlocal_weights()
        return sorted(weights.items(), key=lambda pair: -abs(pair[1]))[:count]


def _largest(values: NDArray[np.float32], count: int) -> list[int]:
    """Places of the values other than zero that are farthest from it."""
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return [int(place) for place in order if values[place] != 0]
