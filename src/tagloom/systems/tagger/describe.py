"""Descriptions of taggers: facts, sizes, passes, and the heaviest weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_arguments
from tagloom.corpus import Column, Corpus
from tagloom.corpus.schemes import detect_scheme
from tagloom.errors import unknown_name
from tagloom.systems.labels import convert_scheme
from tagloom.systems.tables import Description, Parts, Table, Weights, tabulate_history
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.parameters import WeightViews

if TYPE_CHECKING:
    from tagloom.systems.tagger.model import Tagger

_NUMBERS = ("weight",)


@check_arguments
def describe_tagger(tagger: Tagger, *, top: int = 5, label: str | None = None) -> Description:
    """Describe a tagger with the ``top`` weights of every kind, of all labels or of one ``label``."""
    tables, spec = HeaviestWeights(tagger), tagger.spec
    if label is not None and label not in tagger.labels:
        raise unknown_name("label", label, tagger.labels)
    labels = tagger.labels if label is None else (label,)
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
    weights = _tabulate_weights(tables, labels, top, has_names=tagger.parameters.node_names is not None)
    parts = [tabulate_history(spec.history, spec.best_epoch), *weights, *ranked]
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
    return [("score of the tagger", base), *_name_rows(parameters.names, weights, count)]


def _tabulate_weights(tables: HeaviestWeights, labels: Sequence[str], top: int, has_names: bool) -> Parts:
    parts: list[Table | str] = []
    if not has_names:
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


class HeaviestWeights:
    """The heaviest weights of a model, by name: of features, label pairs, label triples, edges and documents."""

    def __init__(self, model: Tagger) -> None:
        self._model, self._labels, self._parameters = model, model.labels, model.parameters
        self._weights = WeightViews(model.chain, model.parameters.weights)

    def top_features(self, label: str, count: int) -> list[tuple[str, float]]:
        """List the features with the largest weights for or against a label."""
        column = self._weights.nodes[:, self._labels.index(label)]
        return _name_rows(self._parameters.node_names, column, count)

    def top_transitions(self, count: int) -> list[tuple[str, str, float]]:
        """List the heaviest label pairs: (label before, label, weight)."""
        flat, labels = self._weights.transitions.ravel(), self._labels
        pairs = [(*divmod(place, len(labels)), float(flat[place])) for place in _largest(flat, count)]
        return [(labels[before], labels[after], weight) for before, after, weight in pairs]

    def top_triples(self, count: int) -> list[tuple[str, str, str, float]]:
        """List the heaviest label triples: (label before the previous one, previous label, label, weight)."""
        triples, labels = self._weights.triples, self._labels
        places = [np.unravel_index(place, triples.shape) for place in _largest(triples.ravel(), count)]
        return [(labels[i], labels[j], labels[k], float(triples[i, j, k])) for i, j, k in places]

    def top_edges(self, count: int) -> list[tuple[str, str, str, float]]:
        """List the heaviest edge features: (name, label before, label, weight)."""
        parameters, labels = self._parameters, self._labels
        found = []
        for index in _largest(self._weights.edges, count):
            row = int(np.searchsorted(parameters.edge_offsets, index, side="right")) - 1
            before, after = divmod(int(parameters.edge_pairs[index]), len(labels))
            name = _name_row(parameters.edge_names, row)
            found.append((name, labels[before], labels[after], float(self._weights.edges[index])))
        return found

    def top_document_features(self, count: int) -> list[tuple[str, float]]:
        """List the heaviest features of documents."""
        weights = self._model.nonlocal_weights()
        return sorted(weights.items(), key=lambda pair: -abs(pair[1]))[:count]


def _name_row(names: FeatureNames | None, row: int) -> str:
    return names[row] if names else f"row {row}"


def _name_rows(names: FeatureNames | None, weights: NDArray[np.floating], count: int) -> list[tuple[str, float]]:
    return [(_name_row(names, row), float(weights[row])) for row in _largest(weights, count)]


def _largest(values: NDArray[np.floating], count: int) -> list[int]:
    """List the places of the largest absolute values other than zero."""
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return [int(place) for place in order if values[place] != 0]


def summarise_weights(tagger: Tagger, top: int) -> Weights | None:
    """List the heaviest weights of every label, and all of label pairs; None if features have no names."""
    if tagger.parameters.node_names is None:
        return None
    heaviest = HeaviestWeights(tagger)
    transitions = WeightViews(tagger.chain, tagger.parameters.weights).transitions
    features = {label: heaviest.top_features(label, top) for label in tagger.labels}
    return Weights(features, tagger.labels, transitions if transitions.any() else None)


def read_decided_labels(tagger: Tagger, corpus: Corpus) -> Column:
    """Read the gold labels of a corpus in the scheme in which the tagger decides."""
    gold = corpus.column(tagger.spec.label)
    scheme = detect_scheme(gold.strings.strings(), gold.codes, corpus.sentences)
    return convert_scheme(gold, corpus.sentences, scheme, tagger.spec.decided)


def list_unseen_labels(tagger: Tagger, corpus: Corpus) -> list[str]:
    """List one warning with the labels that did not occur in training, and how many tokens have them."""
    gold, decided = corpus.column(tagger.spec.label), read_decided_labels(tagger, corpus)
    new = [label not in set(tagger.labels) for label in decided.strings.strings()]
    found = [token for token, code in enumerate(decided.codes.tolist()) if new[code]] if any(new) else []
    counts = Counter(gold.strings[code] for code in gold.codes[found].tolist())
    if not counts:
        return []
    labels = ", ".join(f"{label} {count}" for label, count in counts.most_common())
    return [f"{corpus.source}: labels never seen in training, and how often: {labels}"]
