"""Scores of a phrase chunker's votes on held-out phrases."""

from __future__ import annotations

from typing import Any

from tagloom.corpus import Corpus
from tagloom.evaluate import Score, score
from tagloom.features.tensors import Tensors
from tagloom.learners.voted import VotedVectors
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.phrases.gold import labels_of
from tagloom.systems.phrases.model import PhraseParameters, Recognition
from tagloom.systems.phrases.options import PhraseOptions
from tagloom.systems.phrases.task import EncodedPhrases


def build_parameters(encoded: EncodedPhrases, vectors: Tensors) -> PhraseParameters:
    """Build the parameters of a model from what was learned, in the features of the training data."""
    filters, scorers = (
        VotedVectors.from_tensors(
            {name.removeprefix(kind): array for name, array in vectors.items() if name.startswith(kind)}
        )
        for kind in ("filters.", "scorers.")
    )
    words, phrases = encoded.words.keys(), encoded.phrases.keys()
    return PhraseParameters(encoded.gold.categories, words, phrases, filters, scorers)


def build_recognition(encoded: EncodedPhrases, vectors: Any, options: PhraseOptions) -> Recognition:
    """Build what recognises phrases from what was learned."""
    parameters = build_parameters(encoded, vectors)
    return Recognition(parameters, options.degree, encoded.longest, dual=options.is_dual)


class PhraseScorer:
    """Scores votes on a held-out corpus that is encoded once."""

    def __init__(self, encoded: EncodedPhrases, corpus: Corpus, options: PhraseOptions) -> None:
        self.encoded, self.corpus, self.options = encoded, corpus, options
        self.data = encoded.encoder.encode(corpus, encoded.words)
        self.gold = corpus.column(encoded.gold.label)
        self.scheme = find_gold_scheme(self.gold, corpus.sentences, encoded.gold.scheme)

    def __call__(self, weights: Any, total: object = None) -> float:
        """Return F1."""
        return self.score(weights).value

    def score(self, weights: Any, total: object = None) -> Score:
        """Count what votes recognise."""
        found = build_recognition(self.encoded, weights, self.options)
        spans = found.spans(self.data, self.corpus, self.options.threads)
        predicted = labels_of(spans, self.corpus.token_count, self.encoded.gold.scheme)
        return score(self.gold, predicted, self.corpus.sentences, scheme=self.scheme)
