"""The passes of a phrase chunker, and its score on held-out phrases after each of them."""

from __future__ import annotations

from typing import Any

from tagloom.corpus import Corpus
from tagloom.evaluate import Score, score
from tagloom.features.tensors import Tensors
from tagloom.files.checkpoint import Best, Checkpoint
from tagloom.learners.phrases import PhraseTraining
from tagloom.learners.voted import VotedVectors
from tagloom.systems.labels import gold_scheme
from tagloom.systems.learning import Learning, Report
from tagloom.systems.phrases.gold import labels_of
from tagloom.systems.phrases.model import PhraseParameters, Recognition
from tagloom.systems.phrases.options import PhraseOptions
from tagloom.systems.phrases.task import EncodedPhrases


def learned_parameters(encoded: EncodedPhrases, vectors: Tensors) -> PhraseParameters:
    """What a model keeps of what was learned, in the features of the training data."""
    filters, scorers = (
        VotedVectors.from_tensors(
            {name.removeprefix(kind): array for name, array in vectors.items() if name.startswith(kind)}
        )
        for kind in ("filters.", "scorers.")
    )
    words, phrases = encoded.words.keys(), encoded.phrases.keys()
    return PhraseParameters(encoded.gold.categories, words, phrases, filters, scorers)


def recognition_of(encoded: EncodedPhrases, vectors: Any, options: PhraseOptions) -> Recognition:
    parameters = learned_parameters(encoded, vectors)
    return Recognition(parameters, options.degree, encoded.longest, dual=options.is_dual)


class PhraseScorer:
    """F1 of what votes recognise in a held-out corpus, encoded once."""

    def __init__(self, encoded: EncodedPhrases, corpus: Corpus, options: PhraseOptions) -> None:
        self.encoded, self.corpus, self.options = encoded, corpus, options
        self.data = encoded.encoder.encode(corpus, encoded.words)
        self.gold = corpus.column(encoded.gold.label)
        self.scheme = gold_scheme(self.gold, corpus.sentences, encoded.gold.scheme)

    def __call__(self, vectors: Any, total: object = None) -> float:
        return self.score(vectors).value

    def score(self, vectors: Any, total: object = None) -> Score:
        """Count what votes recognise."""
        found = recognition_of(self.encoded, vectors, self.options)
        spans = found.spans(self.data, self.corpus, self.options.threads)
        predicted = labels_of(spans, self.corpus.token_count, self.encoded.gold.scheme)
        return score(self.gold, predicted, self.corpus.sentences, scheme=self.scheme)


class PhraseLearning(Learning):
    """The passes of a chunker: those of all learners, with votes of support vectors in the place of weights."""

    unit = "phrases"

    def __init__(
        self,
        encoded: EncodedPhrases,
        options: PhraseOptions,
        scorer: PhraseScorer | None,
        report: Report,
        started: float,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.encoded, self.chosen = encoded, options
        super().__init__(options, scorer, report, started, checkpoint=checkpoint)

    def _begin(self) -> PhraseTraining:
        encoded, options = self.encoded, self.chosen
        return PhraseTraining(
            encoded.data, encoded.phrases, encoded.gold.phrases(), word_features=len(encoded.words),
            categories=len(encoded.gold.categories), longest=encoded.longest, degree=options.degree,
            dual=options.is_dual,
        )  # fmt: skip

    def _check_best(self, best: Best) -> None:
        recognition_of(self.encoded, best.weights, self.chosen)
