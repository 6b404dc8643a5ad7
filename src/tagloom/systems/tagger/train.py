"""Training of taggers: plan, encode, learn, freeze."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tagloom._version import __version__
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.layers import LABELS, Layer
from tagloom.errors import ConfigError
from tagloom.evaluate import Score, Signature, score
from tagloom.features import load_templates
from tagloom.features.matched import STAGE
from tagloom.features.tensors import Tensors
from tagloom.learners import build_cost_matrix, name_costs
from tagloom.schema import Misfit, Text
from tagloom.schema.limits import LARGEST_WEIGHT
from tagloom.structures.consistency import check_families
from tagloom.structures.sequences import DOCUMENTS, SENTENCES
from tagloom.systems.alternatives import Step
from tagloom.systems.base import Passes, Training
from tagloom.systems.jackknife import Procedure, cut_into_folds, run_folds
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.learning import NOTHING_LEARNED, Learned, Learning, Progress, Report
from tagloom.systems.line import Provision
from tagloom.systems.resources import list_built_parts
from tagloom.systems.tagger.alternatives import list_alternatives
from tagloom.systems.tagger.decode import is_calibrated, is_first_order
from tagloom.systems.tagger.defaults import choose_options
from tagloom.systems.tagger.encode import Encoded, encode_corpus, identify_training
from tagloom.systems.tagger.freeze import freeze
from tagloom.systems.tagger.learn import WeightScorer, begin_learner
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.options import OF_DATA, TaggerOptions
from tagloom.systems.tagger.spec import TaggerSpec
from tagloom.systems.tagger.stages import complete_templates, drop_stage, list_first_stage, restore_conditions
from tagloom.systems.tagger.task import Task


class TaggerTraining(Training[Tagger]):
    """A tagger that is ready to learn."""

    options: TaggerOptions

    def __init__(self, encoded: Encoded, options: TaggerOptions) -> None:
        self.encoded, self.options = encoded, options
        # Shared by trainings on the same features: the encoded corpus by layout, and scorers by held-out corpus.
        self._layouts = {options.layout: encoded}
        self._scorers: dict[int, list[WeightScorer]] = {}
        self._lock = threading.Lock()

    @classmethod
    def complete_options(
        cls, corpus: Corpus, options: TaggerOptions, provided: Sequence[str] = ()
    ) -> tuple[TaggerOptions, list[str]]:
        """Choose templates, learner and scheme from the data, where the user states none."""
        if options.stages == 1:
            return choose_options(corpus, options, provided)
        plain = drop_stage(corpus)
        options, notes = choose_options(plain, replace(options, label=options.label or plain.label), provided)
        return replace(options, templates=complete_templates(load_templates(options.templates or ""))), notes

    @classmethod
    def prepare(
        cls, corpus: Corpus, options: TaggerOptions, *, dev: Corpus | None = None, **others: Any
    ) -> TaggerTraining:
        """Plan a training; development data gives scores that are no probabilities a temperature."""
        if options.learner is not None:  # refused before the long work
            options.check_threshold(dev is not None)
        training = super().prepare(corpus, options, dev=dev, **others)
        training.options.check_threshold(dev is not None)
        return training

    @classmethod
    def plan(
        cls,
        corpus: Corpus,
        options: TaggerOptions,
        *,
        start: Tagger | None = None,
        normal_form: str | None = None,
        report: Report = lambda _: None,
    ) -> TaggerTraining:
        """Check and encode the data."""
        if start is not None and options.stages > 1 and STAGE not in start.spec.columns:
            raise ConfigError("stages: the start model has one stage; leave the option out, or train without start")
        task = Task.plan(corpus, options, normal_form) if start is None else Task.resume(corpus, options, start)
        if options.threshold is not None and task.gold.decided is None:
            raise ConfigError("threshold: the labels are no spans; leave it out")
        build_cost_matrix(options.cost, task.structure.labels)  # refused before the long work
        if options.calibration_folds:
            _cut_for_calibration(task.corpus, options)  # likewise
        return cls(encode_corpus(task, options), options)

    @classmethod
    def list_alternatives(cls, corpus: Corpus, options: TaggerOptions) -> Sequence[Step]:
        """List template sets, learners and label schemes that fit the labels of the corpus."""
        return list_alternatives(corpus, options)

    @classmethod
    def list_targets(cls, corpus: Corpus, options: TaggerOptions) -> tuple[str, ...]:
        """The column of the labels."""
        return (options.label or corpus.label,)

    @classmethod
    def list_provisions(cls, corpus: Corpus, options: TaggerOptions) -> list[Provision]:
        """The probabilities of a first stage, if there are two."""
        return list_first_stage(corpus, options)

    @classmethod
    def check_gold(cls, corpus: Corpus, options: TaggerOptions, trained_on: Corpus) -> None:
        """Refuse a corpus without the column of the labels."""
        corpus.column(options.label or trained_on.label)

    def share(self, options: TaggerOptions) -> TaggerTraining:
        """Plan another training on the same features, in other sequences or another order if need be."""
        build_cost_matrix(options.cost, self.encoded.task.structure.labels)
        with self._lock:
            if options.layout not in self._layouts:
                self._layouts[options.layout] = self.encoded.adapt(options)
            other = TaggerTraining(self._layouts[options.layout], options)
        other._layouts, other._scorers, other._lock = self._layouts, self._scorers, self._lock
        other.line, other.data = self.line, self.data
        return other

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.encoded.task.encoder.main

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels."""
        return (Layer(self.encoded.task.label, LABELS, self.encoded.task.gold.written),)

    @property
    def fixed_options(self) -> dict[str, object]:
        """The column of the labels, and what was chosen from the data."""
        task, options = self.encoded.task, self.options
        return {
            "label": task.label, "learner": options.learner, "epochs": options.epochs,
            "scheme": options.scheme or OF_DATA,
            "templates": restore_conditions(task.encoder.templates), **options.settings.list_stated(),
        }  # fmt: skip

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of features and labels."""
        return {"features": self.encoded.feature_count, "labels": self.encoded.chain.labels}

    @property
    def signature(self) -> Signature:
        """The signature of the models to come."""
        return self._build_spec().signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Score predicted labels."""
        task = self.encoded.task
        gold = corpus.column(task.label)
        scheme = find_gold_scheme(gold, corpus.sentences, task.gold.written)
        return score(gold, predicted[task.label], corpus.sentences, scheme=scheme)

    @property
    def total(self) -> Any:
        """How a learner of documents chooses among candidates; made anew for every run."""
        return self.encoded.total(self.options.chosen_learner, self.options)

    @property
    def summary(self) -> str:
        """Sizes, before the weights are allocated."""
        encoded, vectors = self.encoded, 2 if self.options.chosen_learner.averaging == "lazy" else 1
        megabytes = encoded.chain.size * 4 * vectors / 1e6
        size = f"{encoded.feature_count:,} features x {encoded.chain.labels} labels, weights take {megabytes:,.0f} MB"
        if encoded.chain.has_triples:
            triples = (encoded.chain.size - encoded.chain.triple_begin) * 4 * vectors / 1e6
            size += f", of these label triples {triples:,.1f} MB"
        return size

    def list_notes(self, corpora: Sequence[Corpus]) -> list[Progress]:
        """Tell of corpora without documents, where documents are to be labelled as wholes."""
        task = self.encoded.task
        kind = DOCUMENTS if task.encoder.sees_documents else task.kind
        return [*super().list_notes(corpora), *list_undivided([kind], corpora)]

    def begin(self, total: Any = None) -> Passes:
        """Build the learner."""
        return begin_learner(self.encoded, self.options, total, on_cluster=self.on_cluster)

    def encode_gold(self, corpus: Corpus) -> WeightScorer:
        """Encode held-out data, once for all trainings whose weights have the same layout."""
        with self._lock:
            known = self._scorers.setdefault(id(corpus), [])  # scorers keep their corpus, so that its id stays its own
            fitting = [scorer for scorer in known if scorer.chain is self.encoded.chain]
            if not fitting:
                fitting = [WeightScorer(self.encoded, corpus, self.options.threads)]
                known += fitting
            is_calibrated_later = not self.options.chosen_learner.has_likelihood
            threshold = None if is_calibrated_later else self.options.threshold
            return fitting[0].adapt(self.encoded, self.options.search, threshold)

    @property
    def can_diverge(self) -> bool:
        """Whether the learner has a rate."""
        return self.options.chosen_learner.can_diverge

    def describe_divergence(self, epoch: int) -> str:
        """Name the learner and its rate."""
        learner = self.options.chosen_learner
        rate = self.options.settings.of(learner).get("rate")
        told = "" if rate is None else f" (rate {rate:g})"
        return f"{learner.name} diverged in pass {epoch}{told}; lower the rate, or leave it out"

    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Raise ValueError if weights of a checkpoint do not fit."""
        size = self.encoded.chain.size
        least = size if total is None or not total.has_second else 2 * size
        most = least if total is None else least + len(total.parts.feature_names())
        if isinstance(weights, Mapping) or weights.dtype != np.float32 or not least <= len(weights) <= most:
            raise Misfit("tensor best.weights", f"{least:,} to {most:,} weights", Text("others"))
        if len(weights) and not np.abs(weights).max() <= LARGEST_WEIGHT:
            raise Misfit("tensor best.weights", f"weights of at most {LARGEST_WEIGHT:g}", Text("larger ones"))

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned."""
        identity = identify_training(self.encoded, self.options, dev)
        if self.on_cluster and self.options.chosen_learner.is_batch:
            identity["sums"] = "of shards"  # which rounds otherwise than the sum over all sentences
        return identity

    def freeze(self, learned: Learned) -> Tagger:
        """Build the tagger of what was learned."""
        task, options = self.encoded.task, self.options
        names = options.names and options.buckets == 0
        parameters = freeze(self.encoded, learned.weights, learned.total, names=names, prune=options.prune)
        vocabulary = task.encoder.vocabulary
        functions = {**vocabulary.word_functions, **vocabulary.sentence_functions, **vocabulary.document_attributes,
                     **options.document_functions}  # fmt: skip
        return Tagger(self._build_spec(learned), parameters, task.resources, functions)  # type: ignore[arg-type]

    def _build_spec(self, learned: Learned = NOTHING_LEARNED) -> TaggerSpec:
        spec = build_spec(self.encoded.task, self.options, learned)
        return replace(spec, data=self.data) if self.data else spec

    def calibrate(self, model: Tagger, learned: Learned, dev: Corpus | None, report: Report) -> Tagger:
        """Calibrate scores that no likelihood has made log probabilities, on development data or on folds."""
        if is_calibrated(model.spec) or not is_first_order(model.spec):
            return model
        if dev is not None:
            return model.calibrate(dev, threads=self.options.threads)
        if self.options.calibration_folds and not learned.interrupted:
            return self._calibrate_on_folds(model, learned, report)
        return model

    def _calibrate_on_folds(self, model: Tagger, learned: Learned, report: Report) -> Tagger:
        """Take the geometric mean of the temperatures of folds, each found with a model of the others.

        These models have a little less to learn from, so that their scores, and the temperature, are a little lower.
        """
        task = self.encoded.task
        options = replace(self.options, epochs=len(learned.history), calibration_folds=0, names=False, label=task.label)

        def fit(corpus: Corpus, report: Report) -> Tagger:
            training = TaggerTraining.plan(corpus, options, start=task.start, normal_form=task.normal_form)
            return training.freeze(Learning(training, None, report, time.perf_counter()).run())

        def apply(fitted: Tagger, corpus: Corpus) -> Tensors:
            return {"temperature": np.array([fitted.calibrate(corpus, threads=options.threads).spec.temperature])}

        def tell(name: str | None, progress: Progress) -> None:
            if progress.phase == "finished":
                report(Progress("note", f"calibration, {name}: {progress.message}"))

        parts = _cut_for_calibration(task.corpus, self.options)
        try:
            found = run_folds(task.corpus, parts, Procedure(fit, apply), on_progress=tell)
        except KeyboardInterrupt:
            report(Progress("interrupted", "interrupted in calibration; the model is kept, not calibrated"))
            return model
        temperatures = np.concatenate([each.arrays["temperature"] for each in found])
        return model.with_temperature(float(f"{np.exp(np.log(temperatures).mean()):.4g}"))


def _cut_for_calibration(corpus: Corpus, options: TaggerOptions) -> list[IntArray]:
    """Cut the training data by documents, if there are enough of them, else by sentences."""
    folds = options.calibration_folds
    by = "documents" if len(corpus.documents) - 1 >= folds else "sentences"
    return cut_into_folds(corpus, folds, by, options.seed)


#: What is known of a training before its first pass.


def list_undivided(kinds: Iterable[str], corpora: Iterable[Corpus]) -> list[Progress]:
    """List a note on every corpus that has no documents, where some sequences are to be documents."""
    if all(kind == SENTENCES for kind in kinds):
        return []
    missing = "no document boundaries; every sentence is a document of its own"
    return [Progress("note", f"{each.source}: {missing}") for each in corpora if not each.has_documents]


def build_spec(task: Task, options: TaggerOptions, learned: Learned = NOTHING_LEARNED) -> TaggerSpec:
    """Write down every choice behind a tagger."""
    vocabulary, learner = task.encoder.vocabulary, options.chosen_learner
    return TaggerSpec(
        templates=task.encoder.templates,
        columns=vocabulary.columns,
        normal_form=task.normal_form,
        label=task.label,
        scheme=task.gold.decided.name if task.gold.decided else None,
        written_scheme=task.gold.written.name if task.gold.written else None,
        learner=learner.name,
        settings=options.settings.list_stated(),
        costs=name_costs(options.cost, task.structure.labels),
        seed=options.seed,
        data=task.corpus.checksum(),
        version=__version__,
        cutoff=options.cutoff,
        buckets=options.buckets,
        bags=tuple(sorted(vocabulary.bags)),
        word_functions=tuple(vocabulary.word_functions),
        sentence_functions=tuple(vocabulary.sentence_functions),
        document_attributes=tuple(vocabulary.document_attributes),
        resources={name: list(resource.names) for name, resource in task.resources.items()},
        built_resources=list_built_parts(options.resources, None if task.start is None else task.start.spec),
        edge_pairs=options.edge_pairs,
        epochs=len(learned.history) if learned.interrupted else options.most_epochs,
        sequences=task.kind,
        document_features=check_families(options.families),
        document_functions=tuple(options.document_functions),
        candidates=options.candidates,
        search=options.search,
        threshold=None if options.threshold is None else float(options.threshold),
        tag_dictionary=options.tag_dictionary,
        codec=task.codec,
        dropout=float(options.dropout),
        copies=options.copies,
        history=learned.history,
        best_epoch=learned.best_epoch,
        start=None if task.start is None else str(task.start.spec.signature),
    )
