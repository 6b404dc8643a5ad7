"""Training of segment taggers: segments are checked, features counted, and the learners are those of taggers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import LABELS, Layer
from tagloom.evaluate import Score, Signature, score
from tagloom.files.checkpoint import compute_checksum
from tagloom.learners import begin_training, build_cost_matrix, name_costs
from tagloom.learners.blocks import WholeData
from tagloom.schema import Misfit, Text
from tagloom.schema.limits import LARGEST_WEIGHT
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.systems.base import Passes, Training
from tagloom.systems.labels import convert_scheme, find_gold_scheme
from tagloom.systems.learning import NOTHING_LEARNED, Learned, Progress, Report
from tagloom.systems.resources import list_built_parts
from tagloom.systems.segments.model import SegmentModel, SegmentParameters
from tagloom.systems.segments.options import SegmentOptions
from tagloom.systems.segments.spec import SegmentSpec
from tagloom.systems.segments.task import EncodedSegments
from tagloom.systems.spec import identify_shared, list_shared
from tagloom.systems.tagger.defaults import choose_templates, find_kind


class SegmentScorer:
    """Scores weights on a held-out corpus that is encoded once."""

    def __init__(self, encoded: EncodedSegments, corpus: Corpus, threads: int) -> None:
        self.labels, self.corpus, self.threads = encoded.task.gold, corpus, threads
        self.data = encoded.tables.encode(encoded.encoder, corpus, threads)
        self.gold = corpus.column(encoded.task.label)
        self.scheme = find_gold_scheme(self.gold, corpus.sentences, self.labels.written)

    def __call__(self, weights: Any, total: object = None) -> float:
        """Return F1."""
        return self.score(weights).value

    def score(self, weights: Any, total: object = None) -> Score:
        """Decode and count."""
        codes, _ = self.data.decode_allowed(weights, NO_CONSTRAINTS, self.threads)
        found = Column(codes, self.labels.column.strings)
        predicted = convert_scheme(found, self.corpus.sentences, self.labels.decided, self.labels.written)
        return score(self.gold, predicted, self.corpus.sentences, scheme=self.scheme)


#: Options that the identity holds in the form that they were resolved to.
_RESOLVED = ("templates", "segment_templates", "attributes", "sentence_attributes", "resources", "label", "longest",
             "learner")  # fmt: skip


class SegmentTraining(Training[SegmentModel]):
    """A segment tagger that is ready to learn."""

    options: SegmentOptions

    def __init__(self, encoded: EncodedSegments, options: SegmentOptions) -> None:
        self.encoded, self.options = encoded, options

    @classmethod
    def complete_options(
        cls, corpus: Corpus, options: SegmentOptions, provided: Sequence[str] = ()
    ) -> tuple[SegmentOptions, list[str]]:
        """Choose the templates of tokens from the data, where the user states none."""
        if options.templates is not None:
            return options, []
        label = options.label or corpus.label
        column = corpus.column(label)
        scheme = None if column.is_bag else find_gold_scheme(column, corpus.sentences, None)
        chosen = choose_templates(corpus, find_kind(corpus, label, scheme))
        return replace(options, templates=chosen), [f"features: {chosen}; chosen from the data"]

    @classmethod
    def plan(
        cls, corpus: Corpus, options: SegmentOptions, *,
        start: None = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> SegmentTraining:  # fmt: skip
        """Check and encode the data."""
        encoded = EncodedSegments.encode(corpus, options, normal_form)
        build_cost_matrix(options.cost, encoded.task.structure.labels)  # refused before the long work
        return cls(encoded, options)

    @classmethod
    def list_targets(cls, corpus: Corpus, options: SegmentOptions) -> tuple[str, ...]:
        """The column of the labels."""
        return (options.label or corpus.label,)

    @classmethod
    def check_gold(cls, corpus: Corpus, options: SegmentOptions, trained_on: Corpus) -> None:
        """Refuse a corpus without the column of the labels."""
        corpus.column(options.label or trained_on.label)

    @property
    def summary(self) -> str:
        """The numbers of segments, types and features."""
        encoded = self.encoded
        nodes, segments = len(encoded.tables.nodes), len(encoded.tables.segments)
        size = f"{encoded.segments:,} segments of {len(encoded.types)} types; {nodes:,} features of tokens, "
        return size + f"{segments:,} of segments of at most {encoded.tables.longest} tokens"

    def list_notes(self, corpora: Sequence[Corpus]) -> list[Progress]:
        """Tell how many segments are too long to have features of their own."""
        notes, encoded = super().list_notes(corpora), self.encoded
        if encoded.longer:
            text = f"{encoded.longer:,} of {encoded.segments:,} segments have more than {encoded.tables.longest} tokens"
            notes = [*notes, Progress("note", f"{text}; they have features of their tokens only (see longest)")]
        return notes

    def begin(self, total: Any = None) -> Passes:
        """Build the learner."""
        encoded, options = self.encoded, self.options
        return begin_training(
            options.chosen_learner, options.settings, encoded.task.structure.labels, encoded.tables.chain,
            WholeData(encoded.data, len(encoded.task.corpus)), seed=options.seed, threads=options.threads,
            epochs=options.most_epochs,
        )  # fmt: skip

    def encode_gold(self, corpus: Corpus) -> SegmentScorer:
        """Encode held-out data."""
        return SegmentScorer(self.encoded, corpus, self.options.threads)

    @property
    def can_diverge(self) -> bool:
        """Whether the learner has a rate."""
        return self.options.chosen_learner.can_diverge

    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Raise ValueError if weights of a checkpoint do not fit."""
        size = self.encoded.tables.chain.size
        if isinstance(weights, Mapping) or weights.dtype != np.float32 or len(weights) != size:
            raise Misfit("tensor best.weights", f"{size:,} weights", Text("others"))
        if len(weights) and not np.abs(weights).max() <= LARGEST_WEIGHT:
            raise Misfit("tensor best.weights", f"weights of at most {LARGEST_WEIGHT:g}", Text("larger ones"))

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned."""
        encoded, options, task = self.encoded, self.options, self.encoded.task
        return {
            **identify_shared("segments", task.corpus, dev, task.normal_form, encoded.encoder.vocabulary),
            "label": task.label,
            "learner": repr(options.chosen_learner),
            "longest": str(encoded.tables.longest),
            "templates": f"{encoded.encoder.tokens.templates}{encoded.encoder.segments}",
            "features": compute_checksum([encoded.tables.nodes.keys(), encoded.tables.segments.keys()]),
            **{name: repr(value) for name, value in options.list_deciding(_RESOLVED).items()},
        }

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoded.encoder.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels."""
        return (Layer(self.encoded.task.label, LABELS, self.encoded.task.gold.written),)

    @property
    def fixed_options(self) -> dict[str, object]:
        """The column of the labels, and what was chosen from the data."""
        options = self.options
        return {"label": self.encoded.task.label, "templates": self.encoded.encoder.tokens.templates,
                "learner": options.learner, "epochs": options.epochs}  # fmt: skip

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of features and labels."""
        return {"features": self.encoded.tables.chain.node_rows, "labels": self.encoded.tables.chain.labels}

    @property
    def signature(self) -> Signature:
        """The signature of the models to come."""
        return self._build_spec().signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Score predicted segments."""
        label = self.encoded.task.label
        gold = corpus.column(label)
        scheme = find_gold_scheme(gold, corpus.sentences, self.encoded.task.gold.written)
        return score(gold, predicted[label], corpus.sentences, scheme=scheme)

    def freeze(self, learned: Learned) -> SegmentModel:
        """Build the model of what was learned, without features whose weights are all zero."""
        encoded, task = self.encoded, self.encoded.task
        tables, weights = encoded.tables, learned.weights
        rows, kept = _core.compact_rows(tables.chain, weights)
        tokens = int(np.searchsorted(rows, len(tables.nodes)))
        parameters = SegmentParameters(
            labels=task.structure.labels,
            weights=weights if kept is None else kept,
            node_keys=_take(tables.nodes, rows[:tokens]),
            segment_keys=_take(tables.segments, rows[tokens:] - np.uint32(len(tables.nodes))),
            known_words=task.known_words(),
        )
        vocabulary = encoded.encoder.vocabulary
        functions: dict[str, Any] = {**vocabulary.word_functions, **vocabulary.sentence_functions}
        return SegmentModel(self._build_spec(learned), parameters, task.resources, functions)

    def _build_spec(self, learned: Learned = NOTHING_LEARNED) -> SegmentSpec:
        encoded, options, task = self.encoded, self.options, self.encoded.task
        assert task.gold.decided is not None
        assert task.gold.written is not None
        return SegmentSpec(
            **list_shared(encoded.encoder.vocabulary, options, learned),
            templates=encoded.encoder.tokens.templates,
            segment_templates=encoded.encoder.segments,
            label=task.label,
            scheme=task.gold.decided.name,
            written_scheme=task.gold.written.name,
            longest=encoded.tables.longest,
            learner=options.chosen_learner.name,
            settings=options.settings.list_stated(),
            costs=name_costs(options.cost, task.structure.labels),
            cutoff=options.cutoff,
            segment_cutoff=options.segment_cutoff,
            data=self.data or task.corpus.checksum(),
            normal_form=task.normal_form,
            built_resources=list_built_parts(options.resources, None),
        )


def _take(table: _core.FeatureTable, rows: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(table.keys()[rows])
