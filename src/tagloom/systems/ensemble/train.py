"""Training of ensembles: taggers on the same data, one after the other, that differ in their seeds."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from tagloom._version import __version__
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import LABELS, Layer
from tagloom.corpus.schemes import Scheme
from tagloom.errors import ConfigError
from tagloom.evaluate import Score, Signature, score
from tagloom.systems.base import NO_PARTS, Model, Passes, Scorer, Training
from tagloom.systems.ensemble.average import average_taggers
from tagloom.systems.ensemble.model import Ensemble
from tagloom.systems.ensemble.options import DEFAULT_LEARNER, WEIGHTS, EnsembleOptions
from tagloom.systems.labels import find_gold_scheme, prepare_labels
from tagloom.systems.learning import Learned, Progress, Report
from tagloom.systems.line import Provision
from tagloom.systems.parts import PartFiles
from tagloom.systems.registry import get_system
from tagloom.systems.single_pass import ModelScorer, SinglePass
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.task import encode_labels
from tagloom.systems.tagger.train import TaggerTraining


class EnsembleTraining(Training[Model]):
    """An ensemble whose taggers are trained when the training begins."""

    unit = "parts"
    options: EnsembleOptions
    dev: Corpus | None = None  # chooses the passes of the taggers, and calibrates them
    files: PartFiles = NO_PARTS
    _members: tuple[Tagger, ...] = ()

    def __init__(self, corpus: Corpus, options: EnsembleOptions, normal_form: str | None, report: Report) -> None:
        self.corpus, self.options, self.normal_form, self.report = corpus, options, normal_form, report

    @classmethod
    def prepare(
        cls, corpus: Corpus, options: EnsembleOptions, *, dev: Corpus | None = None, parts: PartFiles = NO_PARTS,
        **others: Any,
    ) -> EnsembleTraining:  # fmt: skip
        """Plan a training; development data is for the taggers."""
        training = super().prepare(corpus, options, dev=dev, parts=parts, **others)
        training.files = parts
        training.dev = None if dev is None else training.line.provide(dev, options.threads)
        training.check_probabilities()
        return training

    @classmethod
    def plan(
        cls, corpus: Corpus, options: EnsembleOptions, *,
        start: None = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> EnsembleTraining:  # fmt: skip
        """Take the data; the taggers check and encode it."""
        return cls(corpus, options, normal_form, report)

    @classmethod
    def complete_options(
        cls, corpus: Corpus, options: EnsembleOptions, provided: Sequence[str] = ()
    ) -> tuple[EnsembleOptions, list[str]]:
        """Choose templates and scheme from the data; the learner is one with probabilities."""
        options = options if options.learner is not None else replace(options, learner=DEFAULT_LEARNER)
        chosen, notes = TaggerTraining.complete_options(corpus, options, provided)
        assert isinstance(chosen, EnsembleOptions)
        return chosen, notes

    @classmethod
    def list_targets(cls, corpus: Corpus, options: EnsembleOptions) -> tuple[str, ...]:
        """The column of the labels."""
        return TaggerTraining.list_targets(corpus, options)

    @classmethod
    def list_provisions(cls, corpus: Corpus, options: EnsembleOptions) -> list[Provision]:
        """The probabilities of a first stage, if there are two stages."""
        return TaggerTraining.list_provisions(corpus, options.to_tagger_options())

    @classmethod
    def check_gold(cls, corpus: Corpus, options: EnsembleOptions, trained_on: Corpus) -> None:
        """Refuse a corpus without the column of the labels."""
        TaggerTraining.check_gold(corpus, options, trained_on)

    def check_probabilities(self) -> None:
        """Refuse a learner that would give no probabilities to average, before the long work."""
        learner, options = self.options.chosen_learner, self.options
        options.check_threshold(self.dev is not None)
        if options.average == WEIGHTS:
            return
        is_normalised = options.search is not None and options.search.normalised
        if learner.has_likelihood or is_normalised or self.dev is not None or options.calibration_folds:
            return
        raise ConfigError(
            f"learner {learner.name!r}: an ensemble averages probabilities, and its scores are none; choose a learner "
            "such as sgd, or pass development data or calibration_folds"
        )

    def share(self, options: EnsembleOptions) -> EnsembleTraining:
        """Plan another training on the same data."""
        other = copy.copy(self)
        other.options, other._members = options, ()
        other.check_probabilities()
        return other

    @property
    def members(self) -> tuple[Tagger, ...]:
        """The taggers, which are trained when they are first needed."""
        if not self._members:
            self._members = tuple(self._train(number) for number in range(self.options.members))
        return self._members

    def _join(self) -> Ensemble | Tagger:
        """Build the ensemble, or the tagger with the mean weights."""
        return average_taggers(self.members) if self.options.average == WEIGHTS else Ensemble(self.members)

    def _train(self, number: int) -> Tagger:
        from tagloom.systems.train import run_training

        name = f"tagger {number + 1} of {self.options.members}"
        self.report(Progress("tagging", f"{name}: training"))
        model = run_training(
            get_system("tagger"), self.corpus, self.dev, self.options.build_member(number),
            normal_form=self.normal_form, report=self._tell(name), parts=self.files,
        )  # fmt: skip
        assert isinstance(model, Tagger)
        return model.without_line()

    def _tell(self, name: str) -> Report:
        def tell(progress: Progress) -> None:
            if progress.phase == "interrupted":
                raise KeyboardInterrupt
            if progress.phase == "note":
                self.report(Progress("note", f"{name}: {progress.message}"))

        return tell

    @property
    def main(self) -> str:
        """The column of the words."""
        names = [name for name in self.corpus.names if name != self._label]
        return "form" if "form" in names else names[0]

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """One column of labels."""
        return (Layer(self._label, LABELS, self._scheme),)

    @property
    def _label(self) -> str:
        return self.options.label or self.corpus.label

    @cached_property
    def _scheme(self) -> Scheme | None:
        """The scheme of the labels of the data."""
        corpus = encode_labels(self.corpus, self._label, self.options.choose_codec(self._label))
        return prepare_labels(corpus, self._label, self.options.chosen_scheme).written

    @property
    def summary(self) -> str:
        """The number of taggers."""
        return f"{self.options.members} taggers"

    def begin(self, total: Any) -> Passes:
        """Train the taggers; return a learner of one pass that learns nothing."""
        assert self.members
        return SinglePass()

    def encode_gold(self, corpus: Corpus) -> Scorer:
        """Score the ensemble on held-out data."""
        return ModelScorer(self._join(), corpus)

    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Accept anything: there are none."""

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned."""
        deciding = {name: repr(value) for name, value in self.options.list_deciding(()).items()}
        data = {"data": self.corpus.checksum(), "dev": "none" if dev is None else dev.checksum()}
        form = str(self.normal_form)
        return {"tagloom": __version__, "system": "ensemble", "normal form": form, **data, **deciding}

    @property
    def fixed_options(self) -> dict[str, object]:
        """The column of the labels, and what was chosen from the data."""
        options = self.options
        chosen = {"learner": options.learner, "scheme": options.scheme, "templates": options.templates}
        return {"label": self._label, **chosen}

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of features and labels."""
        found = self._join().sizes
        return {name: found[name] for name in ("features", "labels")}

    @property
    def signature(self) -> Signature:
        """The signature of the models to come."""
        return self._join().spec.signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Score predicted labels."""
        gold = corpus.column(self._label)
        scheme = find_gold_scheme(gold, corpus.sentences, self._scheme)
        return score(gold, predicted[self._label], corpus.sentences, scheme=scheme)

    def freeze(self, learned: Learned) -> Ensemble | Tagger:
        """Build the ensemble, or the tagger with the mean weights."""
        return self._join()
