"""The best label sequences of a sentence, or of a document, with their scores."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import CodeArray, IntArray, ranges
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
from tagloom.systems.tagger.writer import LabelWriter

if TYPE_CHECKING:
    from tagloom.systems.tagger.documents import EncodedDocuments, Total
    from tagloom.systems.tagger.inference import Inference


_MOST_LABELS = 500_000_000  # of all candidates, four bytes each


@dataclass(frozen=True)
class Candidate:
    """One labelling: its labels, its score and, if the model has a likelihood or is calibrated, its probability.

    The score of a model that is normalised label by label is the log of the probability.
    """

    labels: list[str]
    score: float
    probability: float | None = None


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
    _, documents, flags = model.encode_corpus(corpus)
    return find_ranked_lists(model, documents, n, flags, threads)


def find_ranked_lists(
    model: Inference, documents: EncodedDocuments, n: int, flags: NDArray[np.uint8], threads: int = 1
) -> CandidateLists:
    """Find the n best of every sequence by local features, or all if fewer exist, ordered by total scores.

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
    return lists if model.total is None else _order_by_totals(model, model.total, documents, lists)


def _order_by_totals(
    model: Inference, total: Total, documents: EncodedDocuments, found: CandidateLists
) -> CandidateLists:
    """Add the scores of non-local features, and order every list by the sums."""
    features, totals = documents.features(total.parts)[0], found.scores.copy()
    second = model.parameters.second_weights
    weights = model.parameters.nonlocal_weights.astype(np.float64)  # added up as the core does
    for number, (begin, end) in enumerate(itertools.pairwise(found.first.tolist())):
        if len(second) and end > begin:
            totals[begin:end] = documents.data.scores(second, number, found.of(number)[1])
        for candidate in range(begin, end):
            rows, counts = features.count(number, found.labels[slice(*found.begins[candidate : candidate + 2])])
            known = rows < len(weights)
            totals[candidate] += float(weights[rows[known]] @ counts[known])
    return order_lists(found, totals)


def order_lists(found: CandidateLists, scores: NDArray[np.float64]) -> CandidateLists:
    """Order the candidates of every list by other scores; candidates with equal scores keep their order."""
    owner = np.repeat(np.arange(len(found)), np.diff(found.first))
    order = np.lexsort((-scores, owner))  # stable; the candidates of a sequence are equally long
    return replace(found, labels=labels_of(found, order), scores=scores[order])


def choose_labels(lists: CandidateLists, candidates: IntArray, offsets: IntArray, none: int) -> CodeArray:
    """Return [N] labels of one candidate per sequence; ``none`` for sequences without a candidate (-1)."""
    has = candidates >= 0
    codes = np.full(int(offsets[-1]), none, np.int32)
    codes[np.repeat(has, np.diff(offsets))] = labels_of(lists, candidates[has])
    return codes


def compute_probabilities(
    model: Inference, documents: EncodedDocuments, found: CandidateLists, flags: NDArray[np.uint8], threads: int
) -> list[float] | None:
    """Compute the probabilities of all candidates; None if scores have no likelihood and are not calibrated."""
    if is_normalised(model.spec):
        log_z = np.zeros(len(found))
    elif has_likelihood(model.spec) or (model.total is None and model.spec.temperature and is_first_order(model.spec)):
        log_z = documents.data.marginals(model.probability_weights, flags, threads)[1]
    else:
        return None
    pairs = zip(found.scores.tolist(), np.repeat(log_z, np.diff(found.first)).tolist())
    temperature = model.spec.temperature or 1.0
    return [min(math.exp(score / temperature - z), 1.0) for score, z in pairs]


def write_candidates(
    writer: LabelWriter,
    found: CandidateLists,
    sentences: IntArray,
    offsets: IntArray,
    probabilities: Sequence[float] | None = None,
) -> list[list[Candidate]]:
    """Write lists as labels; ``sentences`` and ``offsets`` are the first tokens of sentences and of sequences."""
    bounds = repeat_sentences(found, sentences, np.searchsorted(sentences, offsets))
    column = writer.write_column(found.labels, bounds)
    texts = _core.label_lists(column.codes, found.begins, column.strings.strings())
    written = list(map(Candidate, texts, found.scores.tolist(), probabilities or itertools.repeat(None)))
    return [written[start:stop] for start, stop in itertools.pairwise(found.first.tolist())]


def repeat_sentences(lists: CandidateLists, sentences: IntArray, sequences: IntArray) -> IntArray:
    """Compute the offsets of sentences in the labels of all candidates; ``sequences`` are offsets of sentences."""
    owner = np.repeat(np.arange(len(lists)), np.diff(lists.first))
    numbers = ranges(sequences[owner], np.diff(sequences)[owner])
    return np.concatenate([[0], np.cumsum(np.diff(sentences)[numbers])]).astype(np.int64)
