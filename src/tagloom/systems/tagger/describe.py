"""Descriptions of taggers: facts, sizes, passes, and the heaviest weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus
from tagloom.corpus.schemes import detect_scheme
from tagloom.corpus.spans import convert_labels
from tagloom.errors import unknown_name
from tagloom.systems.tables import Description, Parts, Table, tabulate_history

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger

_NUMBERS = ("weight",)


def describe_tagger(tagger: Tagger, *, top: int = 5, label: str | None = None) -> Description:
    """Describe a tagger.

    Args:
        tagger: The tagger.
        top: Number of features of every label, and of transitions, to list.
        label: The only label to list features of; all if None.
    """
    tables, spec = WeightTables(tagger), tagger.spec
    labels = tagger.labels if label is None else (tables.checked(label),)
    global_features = list_global_features(tagger, top)
    details = {
        "labels": list(tagger.labels),
        "top_features": {name: tables.top_features(name, top) for name in labels},
        "top_transitions": tables.top_transitions(top),
        "top_triples": tables.top_triples(top),
        "top_edges": tables.top_edges(top),
        "top_document_features": tables.top_document_features(top),
        "top_global_features": global_features,
    }
    rows = [(f"{weight:+.3f}", name) for name, weight in global_features] if label is None else []
    ranked = [Table(("weight", "feature of whole labellings"), rows, _NUMBERS)] if rows else []
    parts = [tabulate_history(spec.history, spec.best_epoch), *_tabulate_weights(tables, labels, top), *ranked]
    return Description(_list_facts(tagger), list_sizes(tagger), parts, details)


def list_sizes(tagger: Tagger) -> dict[str, int]:
    """Count what the tagger consists of."""
    parameters = tagger.parameters
    return {
        "labels": len(tagger.labels),
        "features": tagger.spec.buckets or len(parameters.node_keys),
        "edge_features": len(parameters.edge_offsets) - 1,
        "weights": len(parameters.weights),
        "known_words": len(parameters.known_words),
        **({} if parameters.reranker is None else {"global_features": len(parameters.reranker.keys)}),
    }


def _list_facts(tagger: Tagger) -> dict[str, str]:
    spec = tagger.spec
    written = f", written as {spec.written_scheme}" if spec.written_scheme != spec.scheme else ""
    facts = {
        "writes": spec.label,
        "scheme": f"{spec.scheme}{written}" if spec.scheme else "plain tags",
        "labels": " ".join(tagger.labels),
        "templates": "; ".join(str(spec.templates).splitlines()),
    }
    if spec.search is not None:
        facts["decides"] = f"{spec.search.direction}, {spec.search}, history={spec.search.history}"
    facts |= _list_document_facts(tagger) | _list_reranker_facts(tagger)
    dictionary = tagger.parameters.tag_dictionary
    if dictionary is not None:
        facts["tag dictionary"] = f"{len(dictionary):,} words seen {spec.tag_dictionary:,} times or more"
    if tagger.confidence_note:
        facts["confidences"] = tagger.confidence_note
    if spec.start is not None:
        facts["started from"] = spec.start
    return facts


def _list_document_facts(tagger: Tagger) -> dict[str, str]:
    """List what is labelled as one, and how the tagger chooses among labellings of it."""
    spec = tagger.spec
    if tagger.total is None:
        return {} if spec.sequences == "sentences" else {"sequences": spec.sequences}
    names = ", ".join([*spec.document_features, *spec.document_functions])
    return {"sequences": spec.sequences, "candidates": f"{spec.candidates:,}", "document features": names}


def _list_reranker_facts(tagger: Tagger) -> dict[str, str]:
    spec, parameters = tagger.spec.reranker, tagger.parameters.reranker
    if spec is None or parameters is None:
        return {}
    score = "" if spec.dev_score is None else f", dev score {spec.dev_score:.2f}"
    facts = {
        "re-ranker": f"{spec.described()}{score}; {spec.candidates:,} candidates, {spec.folds} folds, "
        f"{len(parameters.keys):,} global features, cutoff {spec.cutoff}"
    }
    if spec.templates is not None:
        facts["global templates"] = "; ".join(str(spec.templates).splitlines())
    if spec.functions:
        facts["global functions"] = " ".join(spec.functions)
    return facts


def list_global_features(tagger: Tagger, count: int) -> list[tuple[str, float]]:
    """List the heaviest features of whole labellings; of a voted re-ranker by the mean of its vectors."""
    parameters = tagger.parameters.reranker
    if parameters is None:
        return []
    weights, base = parameters.ranker.mean_weights()
    order = np.argsort(-np.abs(weights), kind="stable")[:count].tolist()
    names = parameters.names
    found = [(names[row] if names else f"row {row}", float(weights[row])) for row in order if weights[row] != 0]
    return [("score of the tagger", base), *found]


def _tabulate_weights(tables: WeightTables, labels: Sequence[str], top: int) -> Parts:
    parts: list[Table | str] = []
    if not tables.has_names:
        parts.append("The features have no names in this model: it was trained with names=false or buckets.")
    for label in labels:
        rows = [(label, f"{weight:+.2f}", name) for name, weight in tables.top_features(label, top)]
        parts.append(Table(("label", "weight", "feature"), rows, _NUMBERS))
    transitions = [(before, after, f"{weight:+.2f}") for before, after, weight in tables.top_transitions(top)]
    parts.append(Table(("label before", "label", "weight"), transitions, _NUMBERS))
    triples = [(*names, f"{weight:+.2f}") for *names, weight in tables.top_triples(top)]
    edges = [(f"{before} {after}", f"{weight:+.2f}", name) for name, before, after, weight in tables.top_edges(top)]
    documents = [(f"{weight:+.2f}", name) for name, weight in tables.top_document_features(top)]
    others: list[tuple[tuple[str, ...], Sequence[Sequence[str]]]] = [
        (("before that", "label before", "label", "weight"), triples),
        (("label pair", "weight", "feature"), edges),
        (("weight", "feature of documents"), documents),
    ]
    return [*parts, *(Table(headers, rows, _NUMBERS) for headers, rows in others if rows)]


class WeightTables:
    """Views of a model's flat weight vector: features by label, label by label, edge features by label pair."""

    def __init__(self, model: Tagger) -> None:
        self._model, parameters = model, model.parameters
        chain, weights = model.chain, parameters.weights
        count = chain.labels
        self.nodes = weights[: chain.transition_begin].reshape(-1, chain.stride)[:, :count]  # [F, L]
        self.transitions = weights[chain.transition_begin : chain.edge_begin].reshape(-1, chain.stride)[:, :count]
        self.edges = weights[chain.edge_begin : chain.triple_begin]  # one per label pair of an edge feature
        self.triples = np.zeros((0, 0, 0), np.float32)
        if chain.has_triples:  # [L, L, L] label decided before the previous one, previous one, label
            triples = weights[chain.triple_begin :].reshape(count, count, chain.stride)[..., :count]
            self.triples = triples.transpose(2, 0, 1)

    @property
    def has_names(self) -> bool:
        """Whether the model has the texts of its features."""
        return self._model.parameters.node_names is not None

    def checked(self, label: str) -> str:
        """Return a label of the model; refuse any other."""
        if label not in self._model.labels:
            raise unknown_name("label", label, self._model.labels)
        return label

    def top_features(self, label: str, count: int) -> list[tuple[str, float]]:
        """List the features with the largest weights for or against a label."""
        names = self._model.parameters.node_names
        column = self.nodes[:, self._model.labels.index(label)]
        return [(names[row] if names else f"row {row}", float(column[row])) for row in _largest(column, count)]

    def top_transitions(self, count: int) -> list[tuple[str, str, float]]:
        """List the heaviest label pairs: (label before, label, weight)."""
        flat, labels = self.transitions.ravel(), self._model.labels
        return [
            (labels[pair // len(labels)], labels[pair % len(labels)], float(flat[pair]))
            for pair in _largest(flat, count)
        ]

    def top_triples(self, count: int) -> list[tuple[str, str, str, float]]:
        """List the heaviest label triples: (label before the previous one, previous label, label, weight)."""
        flat, labels = self.triples.ravel(), self._model.labels
        found = []
        for place in _largest(flat, count):
            before, previous, label = (int(number) for number in np.unravel_index(place, self.triples.shape))
            found.append((labels[before], labels[previous], labels[label], float(flat[place])))
        return found

    def top_edges(self, count: int) -> list[tuple[str, str, str, float]]:
        """List the heaviest edge features: (name, label before, label, weight)."""
        parameters, labels = self._model.parameters, self._model.labels
        found = []
        for index in _largest(self.edges, count):
            row = int(np.searchsorted(parameters.edge_offsets, index, side="right")) - 1
            before, after = divmod(int(parameters.edge_pairs[index]), len(labels))
            name = parameters.edge_names[row] if parameters.edge_names else f"row {row}"
            found.append((name, labels[before], labels[after], float(self.edges[index])))
        return found

    def top_document_features(self, count: int) -> list[tuple[str, float]]:
        """List the heaviest features of documents."""
        weights = self._model.nonlocal_weights()
        return sorted(weights.items(), key=lambda pair: -abs(pair[1]))[:count]


def _largest(values: NDArray[np.float32], count: int) -> list[int]:
    """List the places of the largest absolute values other than zero."""
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return [int(place) for place in order if values[place] != 0]


def list_unseen_labels(tagger: Tagger, corpus: Corpus) -> list[str]:
    """List one warning with the labels that did not occur in training, and how many tokens have them."""
    gold = corpus.column(tagger.spec.label)
    decided = _convert_to_decided(tagger, gold, corpus)
    new = [label not in set(tagger.labels) for label in decided.strings.strings()]
    found = [token for token, code in enumerate(decided.codes.tolist()) if new[code]] if any(new) else []
    counts = Counter(gold.strings[code] for code in gold.codes[found].tolist())
    if not counts:
        return []
    labels = ", ".join(f"{label} {count}" for label, count in counts.most_common())
    return [f"{corpus.source}: labels never seen in training, and how often: {labels}"]


def _convert_to_decided(tagger: Tagger, gold: Column, corpus: Corpus) -> Column:
    """Convert labels to the scheme that the tagger decides on."""
    found, decided = detect_scheme(gold.strings.strings(), gold.codes, corpus.sentences), tagger.spec.decided
    if found is None or decided is None or found == decided:
        return gold
    return convert_labels(gold, corpus.sentences, found, decided)
