"""How uncertain models are of sentences: one score per sentence, higher where an annotation would teach more.

Measures of tokens are combined to one of the sentence. A sum favours long sentences, which hold more tokens to be
uncertain of; a mean does not, and a sum that is divided by the root of the length lies between (see Settles and Craven
2008, section 3, on measures and length). A maximum looks at the most uncertain token only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.systems.base import CONFIDENCE, MARGINALS, NBEST, Model
from tagloom.systems.text import predict_scored

FloatArray = NDArray[np.float64]

SUM, ROOT, MEAN, MAX = "sum", "root", "mean", "max"
COMBINATIONS = (SUM, ROOT, MEAN, MAX)
_POWERS = {SUM: 0.0, ROOT: 0.5, MEAN: 1.0}  # of the length, by which a sum is divided


@dataclass(frozen=True)
class Measured:
    """The uncertainty of the sentences of a batch, and what was predicted on the way, if anything was."""

    scores: FloatArray  # [S]
    predicted: Mapping[str, Column] | None = None  # the columns of the first model
    confidences: FloatArray | None = None  # [N] of the labels of the first model


@dataclass(frozen=True)
class Measure:
    """A way to measure uncertainty, and what models need for it."""

    name: str
    help: str
    compute: Callable[[Sequence[Any], Corpus, str, int], Measured]  # models, batch, combination, threads
    capability: str | None  # that every model must have
    combination: str  # the default where sentences are counted
    token_combination: str  # the default where tokens are counted, so that long sentences cost more
    of_tokens: bool = True  # False: of whole sentences, which have no maximum
    is_committee: bool = False  # compares models


def combine_tokens(values: FloatArray, sentences: IntArray, how: str) -> FloatArray:
    """Combine one value per token to one per sentence; a sentence without tokens has zero."""
    lengths = np.diff(sentences)
    if how == MAX:
        highest = np.zeros(len(lengths))
        filled = lengths > 0
        if filled.any():
            highest[filled] = np.maximum.reduceat(values, sentences[:-1][filled])
        return highest
    owners = np.repeat(np.arange(len(lengths)), lengths)
    sums = np.asarray(np.bincount(owners, values, len(lengths)), np.float64)
    return divide_by_length(sums, lengths, how)


def divide_by_length(values: FloatArray, lengths: IntArray, how: str) -> FloatArray:
    """Divide one value per sentence by a power of its length."""
    divided: FloatArray = values / np.maximum(lengths, 1) ** _POWERS[how]
    return divided


# -- one model ---------------------------------------------------------------------------------------------------------


def measure_confidence(models: Sequence[Model], batch: Corpus, how: str, threads: int) -> Measured:
    """Measure 1 - P(label) of every label that the model gives."""
    predicted, sure = predict_scored(models[0], batch, threads=threads, confidence=True)
    values = np.zeros(0) if sure is None else 1 - sure
    return Measured(combine_tokens(values, batch.sentences, how), predicted, sure)


def measure_margin(models: Sequence[Any], batch: Corpus, how: str, threads: int) -> Measured:
    """Measure 1 / (1 + d), where the best labelling scores d more than the second one.

    The scores of learners with a likelihood are log probabilities, up to a constant, so that d is the log of
    P(best) / P(second). Sentences are labelled one by one, also by models of documents.
    """
    alone = replace(batch, documents=np.array([0, len(batch)], np.int64), has_documents=False)
    lists = models[0].nbest_corpus(alone, 2, threads)
    margins = [each[0].score - each[1].score if len(each) > 1 else math.inf for each in lists]
    scores = 1 / (1 + np.maximum(np.array(margins, np.float64), 0))
    return Measured(divide_by_length(scores, np.diff(batch.sentences), how))


def measure_entropy(models: Sequence[Any], batch: Corpus, how: str, threads: int) -> Measured:
    """Measure the entropy of the probabilities of all labels of every token."""
    entropies = _compute_entropy(models[0].marginals_corpus(batch, threads).astype(np.float64))
    return Measured(combine_tokens(entropies, batch.sentences, how))


def _compute_entropy(probabilities: FloatArray) -> FloatArray:
    """Compute the entropy of every row, in nats."""
    logs = np.log(probabilities, out=np.zeros_like(probabilities), where=probabilities > 0)
    entropies: FloatArray = -(probabilities * logs).sum(axis=1)
    return entropies


# -- several models ----------------------------------------------------------------------------------------------------


def measure_votes(models: Sequence[Model], batch: Corpus, how: str, threads: int) -> Measured:
    """Measure the entropy of the votes of all models for the output of every token, from 0 to 1.

    It is divided by the log of the number of models (vote entropy, Dagan and Engelson 1995).
    """
    found = [model.predict_columns(batch, threads=threads) for model in models]
    names = [layer.column for layer in models[0].own_layers]
    entropies = np.mean([_compute_vote_entropy([each[name] for each in found]) for name in names], axis=0)
    return Measured(combine_tokens(entropies, batch.sentences, how), found[0])


def _compute_vote_entropy(columns: Sequence[Column]) -> FloatArray:
    strings = StringTable()
    votes = np.stack([strings.intern_all(each.strings.strings())[each.codes] for each in columns])  # [M][N]
    agreeing = [(votes == vote).mean(axis=0) for vote in votes]  # part of the models that say the same
    entropy: FloatArray = -np.mean(np.log(agreeing), axis=0) / math.log(len(columns))
    return entropy


def measure_divergence(models: Sequence[Any], batch: Corpus, how: str, threads: int) -> Measured:
    """Measure how far the probabilities of the models lie from their mean: the average KL divergence to it.

    It is the entropy of the mean less the mean of the entropies (McCallum and Nigam 1998).
    """
    labels = list(dict.fromkeys(label for model in models for label in model.labels))
    places = {label: place for place, label in enumerate(labels)}
    total, entropies = np.zeros((batch.token_count, len(labels))), np.zeros(batch.token_count)
    for model in models:
        found = model.marginals_corpus(batch, threads).astype(np.float64)
        total[:, [places[label] for label in model.labels]] += found
        entropies += _compute_entropy(found)
    divergence = np.maximum(_compute_entropy(total / len(models)) - entropies / len(models), 0)
    return Measured(combine_tokens(divergence, batch.sentences, how))


#: Defaults are those that need the fewest sentences or tokens on development data, see docs/active-learning.md.
MEASURES = {
    row.name: row
    for row in (
        Measure("least-confident", "probability of the labels that the model gives", measure_confidence, CONFIDENCE,
                ROOT, MEAN),
        Measure("margin", "how close the second best labelling comes to the best", measure_margin, NBEST, SUM, ROOT,
                of_tokens=False),
        Measure("entropy", "entropy of the probabilities of all labels", measure_entropy, MARGINALS, ROOT, MEAN),
        Measure("vote", "entropy of the votes of several models", measure_votes, None, ROOT, MEAN, is_committee=True),
        Measure("divergence", "KL divergence of the probabilities of several models to their mean", measure_divergence,
                MARGINALS, ROOT, MEAN, is_committee=True),
    )
}  # fmt: skip
