"""The best label sequences of a sentence, or of a document, with their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError
from tagloom.structures.candidates import CandidateLists, labels_of
from tagloom.systems.options import MOST_CANDIDATES, check_threads, check_whole_number
from tagloom.systems.tagger.decode import (
    build_history_search,
    has_likelihood,
    is_first_order,
    is_normalised,
    require_sequences,
)

if TYPE_CHECKING:
    from tagloom.systems.tagger.documents import EncodedDocuments
    from tagloom.systems.tagger.inference import Inference


_MOST_LABELS = 500_000_000  # of all candidates, four bytes each


@dataclass(frozen=True)
class Candidate:
    """One labelling: its labels, its score and, under a model with a likelihood, its probability.

    The score of a model that is normalised label by label is the log of the probability.
    """

    labels: list[str]
    score: float
    probability: float | None = None


def find_candidates(
    model: Inference, documents: EncodedDocuments, n: int, flags: NDArray[np.uint8], threads: int = 1
) -> CandidateLists:
    """Find the n best labellings of every sequence by local features, best first, or all if fewer exist.

    They are exact where scores are of label pairs, else the best hypotheses of a beam of n or of the model's own width.
    """
    require_room(n, int(documents.sequences.offsets[-1]))
    weights, data = model.parameters.weights, documents.data
    search = None if is_first_order(model.spec) else build_history_search(model.spec, "beam", None, None)
    if search is None:
        lists = CandidateLists(*data.nbest(weights, flags, n, threads))
    else:
        lists = CandidateLists(*data.nbest_history(weights, search.core(), flags, n, threads))
    if len(flags):
        require_sequences(np.where(np.diff(lists.first) > 0, 0.0, -np.inf), model.spec.scheme)
    return lists


def require_room(n: int, tokens: int) -> None:
    """Refuse a number of candidates that is not positive, or too large for a text of so many tokens."""
    check_whole_number("n", n, 1, MOST_CANDIDATES)
    if n * tokens > _MOST_LABELS:
        most = max(1, _MOST_LABELS // tokens)
        raise ConfigError(
            f"n: {n:,} candidates of {tokens:,} tokens take too much memory; ask for {most:,}, or part the text"
        )


def find_candidate_lists(model: Inference, corpus: Corpus, n: int, threads: int = 1) -> CandidateLists:
    """Find the n best labellings of every sequence of a corpus, best first, in the numbers of ``model.labels``.

    Sequences are what the model labels as one: sentences, or documents. Labels are those that it decides on, not those
    that it writes. With features of documents, the n best by local features are in the order of their total scores.
    """
    check_threads(threads)
    documents, flags = model.encoded_corpus(corpus)
    return find_ranked_lists(model, documents, n, flags, threads)


def find_ranked_lists(
    model: Inference, documents: EncodedDocuments, n: int, flags: NDArray[np.uint8], threads: int = 1
) -> CandidateLists:
    """Find the n best by local features, ordered by total scores; a re-ranker chooses from them."""
    return _ranked(model, documents, find_candidates(model, documents, n, flags, threads))


def _ranked(model: Inference, documents: EncodedDocuments, found: CandidateLists) -> CandidateLists:
    """Order lists by total scores, if the model has features of documents."""
    if model.total is None or not len(found.scores):
        return found
    features, totals = documents.features(model.total.parts)[0], np.zeros(len(found.scores))
    for number in range(len(found)):
        lengths, codes, scores = found.of(number)
        if len(lengths):
            labellings, place = np.split(codes, np.cumsum(lengths)[:-1]), slice(*found.first[number : number + 2])
            totals[place] = _totals(model, features, documents, number, labellings, scores.tolist())
    owner = np.repeat(np.arange(len(found)), np.diff(found.first))
    order = np.lexsort((-totals, owner))  # stable; the candidates of a sequence are equally long
    return replace(found, labels=labels_of(found, order), scores=totals[order])


def nbest(
    model: Inference, documents: EncodedDocuments, n: int, flags: NDArray[np.uint8], threads: int = 1
) -> list[list[Candidate]]:
    """Find the n best labellings of every sequence, best first, or all if fewer exist."""
    found = find_ranked_lists(model, documents, n, flags, threads)
    return write_candidates(model, documents, found, _log_normalisers(model, documents, flags, threads))


def write_candidates(
    model: Inference, documents: EncodedDocuments, found: CandidateLists, log_z: NDArray[np.float64] | None
) -> list[list[Candidate]]:
    """Write lists as labels; ``log_z`` is subtracted from scores over the temperature to give log probabilities."""
    lists, temperature = [], model.spec.temperature or 1.0
    for number in range(len(found)):
        lengths, codes, scores = found.of(number)
        labellings = np.split(codes, np.cumsum(lengths)[:-1]) if len(lengths) else []
        z = None if log_z is None else float(log_z[number])
        texts = _texts(model, labellings, documents.bounds(number))
        lists.append(
            [_candidate(labels, score, temperature, z) for labels, score in zip(texts, scores.tolist(), strict=True)]
        )
    return lists


def _log_normalisers(
    model: Inference, documents: EncodedDocuments, flags: NDArray[np.uint8], threads: int
) -> NDArray[np.float64] | None:
    """Compute what turns scores over the temperature into log probabilities; None if scores have no likelihood."""
    if is_normalised(model.spec):
        return np.zeros(len(documents.sequences))
    if not has_likelihood(model.spec):
        return None
    return documents.data.marginals(model.probability_weights, flags, threads)[1]


def _texts(model: Inference, labellings: Sequence[NDArray[np.int32]], bounds: IntArray) -> list[list[str]]:
    """Write the labels of some candidates of one sequence, whose sentences are ``bounds``."""
    length = int(bounds[-1])
    if not labellings or length == 0:
        return [[] for _ in labellings]
    starts = length * np.arange(len(labellings))
    sentences = np.append((starts[:, None] + bounds[None, :-1]).ravel(), length * len(labellings))
    column = model.to_label_column(np.concatenate(labellings), sentences)
    return _core.label_lists(column.codes, np.append(starts, len(column)), column.strings.strings())


def _candidate(labels: list[str], score: float, temperature: float, log_z: float | None) -> Candidate:
    return Candidate(labels, score, None if log_z is None else min(math.exp(score / temperature - log_z), 1.0))


def _totals(
    model: Inference,
    features: _core.NonlocalFeatures,
    documents: EncodedDocuments,
    number: int,
    labellings: Sequence[NDArray[np.int32]],
    locals_: list[float],
) -> list[float]:
    """Add the scores of non-local features."""
    parameters = model.parameters
    weights = parameters.nonlocal_weights.astype(np.float64)  # added up as the core does
    if len(parameters.second_weights) and locals_:
        locals_ = documents.data.scores(parameters.second_weights, number, np.concatenate(labellings)).tolist()
    found = []
    for codes, local in zip(labellings, locals_):
        rows, counts = features.count(number, codes)
        known = rows < len(weights)
        found.append(local + float(weights[rows[known]] @ counts[known]))
    return found
