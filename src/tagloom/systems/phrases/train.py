"""Training of phrase chunkers: phrases checked, features counted, passes, the best votes kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import LABELS, Layer
from tagloom.evaluate import Score, Signature, score
from tagloom.features.tensors import Tensors
from tagloom.files.checkpoint import compute_checksum
from tagloom.files.container import select_tensors
from tagloom.learners.phrases import PhraseTraining as Passes
from tagloom.learners.voted import VotedVectors
from tagloom.schema import Misfit, Text
from tagloom.systems.base import Training
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.learning import NOTHING_LEARNED, Learned, Report
from tagloom.systems.phrases.encode import labels_of
from tagloom.systems.phrases.model import PhraseChunker, PhraseParameters, Recognition
from tagloom.systems.phrases.options import DUAL, PRIMAL, PhraseOptions
from tagloom.systems.phrases.spec import PhraseSpec
from tagloom.systems.phrases.task import EncodedPhrases
from tagloom.systems.spec import identify_shared, list_shared


def build_parameters(encoded: EncodedPhrases, vectors: Tensors) -> PhraseParameters:
    """Build the parameters of a model from what was learned, in the features of the training data."""
    votes = [VotedVectors.from_tensors(select_tensors(vectors, kind)) for kind in ("filters.", "scorers.")]
    return PhraseParameters(encoded.gold.categories, encoded.words.keys(), encoded.phrases.keys(), *votes)


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


#: Options that the identity holds in the form that they were resolved to.
_RESOLVED = ("templates", "around", "inside", "attributes", "sentence_attributes", "document_attributes",
             "resources", "label", "scheme",
             "longest")  # fmt: skip


class PhraseTraining(Training[PhraseChunker]):
    """A phrase chunker that is ready to learn."""

    unit = "phrases"
    options: PhraseOptions

    def __init__(self, encoded: EncodedPhrases, options: PhraseOptions, normal_form: str | None = None) -> None:
        self.encoded, self.options, self.normal_form = encoded, options, normal_form

    @classmethod
    def plan(
        cls, corpus: Corpus, options: PhraseOptions, *,
        start: None = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> PhraseTraining:  # fmt: skip
        """Check and encode the data."""
        return cls(EncodedPhrases.encode(corpus, options), options, normal_form)

    @classmethod
    def list_targets(cls, corpus: Corpus, options: PhraseOptions) -> tuple[str, ...]:
        """The column of the labels."""
        return (options.label or corpus.label,)

    @classmethod
    def check_gold(cls, corpus: Corpus, options: PhraseOptions, trained_on: Corpus) -> None:
        """Refuse a corpus without the column of the labels."""
        corpus.column(options.label or trained_on.label)

    @property
    def summary(self) -> str:
        """The numbers of phrases, categories and features."""
        encoded = self.encoded
        gold, words, phrases = encoded.gold, len(encoded.words), len(encoded.phrases)
        size = f"{len(gold.spans):,} phrases of {len(gold.categories)} categories, {encoded.longest} words at most"
        return f"{size}; {words:,} features of words, {phrases:,} of phrases"

    def begin(self, total: Any) -> Passes:
        """Build the learner."""
        encoded, options = self.encoded, self.options
        return Passes(
            encoded.data, encoded.phrases, encoded.gold.phrases(), word_features=len(encoded.words),
            categories=len(encoded.gold.categories), longest=encoded.longest, degree=options.degree,
            dual=options.is_dual,
        )  # fmt: skip

    def encode_gold(self, corpus: Corpus) -> PhraseScorer:
        """Encode held-out data."""
        return PhraseScorer(self.encoded, corpus, self.options)

    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Raise ValueError if votes of a checkpoint do not fit."""
        if not isinstance(weights, Mapping):
            raise Misfit("tensors", "best.filters.decisions", Text("best.weights"))
        build_recognition(self.encoded, weights, self.options)

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned."""
        encoded, options = self.encoded, self.options
        encoder = encoded.encoder
        return {
            **identify_shared("phrases", encoded.corpus, dev, self.normal_form, encoder.vocabulary),
            "label": encoded.gold.label,
            "scheme": encoded.gold.scheme.name,
            "longest": str(encoded.longest),
            "templates": f"{encoder.templates}{encoder.around}{encoder.inside}",
            "features": compute_checksum([encoded.words.keys(), encoded.phrases.keys()]),
            **{name: repr(value) for name, value in options.list_deciding(_RESOLVED).items()},
        }

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoded.encoder.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels."""
        return (Layer(self.encoded.gold.label, LABELS, self.encoded.gold.scheme),)

    @property
    def fixed_options(self) -> dict[str, object]:
        """The column of the labels."""
        return {"label": self.encoded.gold.label}

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of features and categories."""
        return {"features": len(self.encoded.phrases), "labels": len(self.encoded.gold.categories)}

    @property
    def signature(self) -> Signature:
        """The signature of the models to come."""
        return self._build_spec().signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Score predicted phrases."""
        gold = corpus.column(self.encoded.gold.label)
        scheme = find_gold_scheme(gold, corpus.sentences, self.encoded.gold.scheme)
        return score(gold, predicted[self.encoded.gold.label], corpus.sentences, scheme=scheme)

    def freeze(self, learned: Learned) -> PhraseChunker:
        """Build the chunker of what was learned."""
        options, resources = self.options, self.encoded.encoder.vocabulary.resources
        functions = {**options.attributes, **options.sentence_attributes, **options.document_attributes}
        parameters = _drop_unused(build_parameters(self.encoded, learned.weights), options.degree)
        return PhraseChunker(self._build_spec(learned), parameters, resources, functions)

    def _build_spec(self, learned: Learned = NOTHING_LEARNED) -> PhraseSpec:
        encoded, options, encoder = self.encoded, self.options, self.encoded.encoder
        return PhraseSpec(
            **list_shared(encoder.vocabulary, options, learned),
            templates=encoder.templates,
            around=encoder.around,
            inside=encoder.inside,
            label=encoded.gold.label,
            written_scheme=encoded.gold.scheme.name,
            degree=options.degree,
            form=DUAL if options.is_dual else PRIMAL,
            window=options.window,
            longest=encoded.longest,
            cutoff=options.cutoff,
            phrase_cutoff=options.least_of_phrases,
            data=self.data or encoded.corpus.checksum(),
            normal_form=self.normal_form,
            built_resources=dict(encoded.made),
        )


def _drop_unused(learned: PhraseParameters, degree: int) -> PhraseParameters:
    """Drop features that no instance has; at degree 1 replace instances by weights."""
    filters, scorers = learned.filters, learned.scorers
    if degree == 1:
        filters, scorers = filters.linear(), scorers.linear()
    (filters, words), (scorers, phrases) = filters.prune(), scorers.prune()
    word_keys, phrase_keys = map(np.ascontiguousarray, (learned.word_keys[words], learned.phrase_keys[phrases]))
    return PhraseParameters(learned.categories, word_keys, phrase_keys, filters, scorers)
