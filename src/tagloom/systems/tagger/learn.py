"""Learning of taggers: the learner of an encoded corpus, and scores of weights on a held-out corpus."""

from __future__ import annotations

from copy import copy
from functools import cached_property

import numpy as np

from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray
from tagloom.evaluate import Score, score
from tagloom.learners import Training, begin_training
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.structures.consistency import SpanClasses
from tagloom.structures.edit_scripts import decode_scripts
from tagloom.structures.history import HistorySearch
from tagloom.structures.sequences import JOINED, build_sequences, join_documents
from tagloom.systems.labels import convert_scheme, find_gold_scheme
from tagloom.systems.tagger.documents import Total, Weights
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.warm_start import build_first_nonlocal, build_first_weights


class WeightScorer:
    """Scores weights on a held-out corpus that is encoded once; shared freely by threads."""

    def __init__(
        self, encoded: Encoded, corpus: Corpus, threads: int, search: HistorySearch | None = None,
        threshold: float | None = None,
    ) -> None:  # fmt: skip
        self.source, self.chain, self.kind, self.search = corpus, encoded.chain, encoded.task.kind, search
        self.threshold = threshold
        self.sentences = corpus.sentences  # joined documents are scored by their original sentences
        self.labels, self.threads = encoded.task.gold, threads
        self.gold, self.codec = corpus.column(encoded.task.label), encoded.task.codec
        self.words = corpus.column(encoded.task.encoder.main)
        self.scheme = find_gold_scheme(self.gold, self.sentences, self.labels.written)
        self.corpus = join_documents(corpus) if self.kind == JOINED else corpus
        self.documents, self.size = encoded.encode_other(self.corpus, threads), encoded.chain.size
        self.allowed, dictionary, batch = NO_CONSTRAINTS, encoded.task.dictionary, self.documents.batch
        if dictionary is not None:
            words = encoded.task.encoder.words(batch)
            self.allowed = dictionary.flags(encoded.chain, words, batch.sentences, NO_CONSTRAINTS)

    def adapt(self, encoded: Encoded, search: HistorySearch | None, threshold: float | None = None) -> WeightScorer:
        """Return a scorer of the same data for the same features in other sequences or in another chain."""
        if encoded.chain is not self.chain:
            return WeightScorer(encoded, self.source, self.threads, search, threshold)
        other = copy(self)
        other.search, other.kind, other.threshold = search, encoded.task.kind, threshold
        if other.kind != self.kind:
            other.documents = self.documents.cut_into(build_sequences(self.corpus, other.kind))
        return other

    @cached_property
    def _roles(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        return SpanClasses.of(self.labels.column.strings.strings(), self.labels.decided).roles

    def __call__(self, weights: Weights, total: Total | None = None) -> float:
        """Return the value of the score."""
        return self.score(weights, total).value

    def score(self, weights: Weights, total: Total | None = None) -> Score:
        """Decode and count."""
        column = Column(self._decode(weights, total), self.labels.column.strings)
        predicted = convert_scheme(column, self.corpus.sentences, self.labels.decided, self.labels.written)
        if self.codec is not None:
            predicted = decode_scripts(self.words, predicted)
        return score(self.gold, predicted, self.sentences, scheme=self.scheme)

    def decode(self, weights: Weights) -> tuple[list[str], list[str]]:
        """Decode with some weights; return the gold labels and those found, for labels that are decided as written."""
        return self.gold.texts(), Column(self._decode(weights, None), self.labels.column.strings).texts()

    def _decode(self, weights: Weights, total: Total | None) -> CodeArray:
        data = self.documents.data
        if self.search is not None:
            codes, _ = data.decode_history(weights, self.search.core(), self.allowed, self.threads)
        elif self.threshold is not None:
            codes, _ = data.decode_spans(weights, *self._roles, self.threshold, self.allowed, self.threads)
        elif total is None:
            codes, _ = data.decode_allowed(weights, self.allowed, self.threads)
        else:
            split = total.split(weights, self.size)
            codes, _ = self.documents.decode(total, split, self.allowed, self.threads)
        return codes


def begin_learner(
    encoded: Encoded, options: TaggerOptions, total: Total | None, *, on_cluster: bool = False
) -> Training:
    """Build the learner of a tagger with the weights that it begins from."""
    features, rows = (None, None) if total is None else encoded.documents().features(total.parts, grows=True)
    training = begin_training(
        options.chosen_learner, options.settings, encoded.task.structure.labels, encoded.chain,
        encoded.cut_into_blocks(options.block), seed=options.seed, threads=options.threads, features=features,
        rows=rows, epochs=options.most_epochs, on_cluster=on_cluster,
    )  # fmt: skip
    start = encoded.task.start
    if start is not None:  # a batch learner needs the first weights when it continues, too
        first = build_first_weights(encoded.chain, encoded.edge_offsets, encoded.edge_pairs, start)
        more = [] if total is None else [build_first_nonlocal(total.parts, start)]
        training.start(np.concatenate([first, *more]))
    return training
