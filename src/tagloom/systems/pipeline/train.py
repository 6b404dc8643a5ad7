"""Training of pipelines: one part after the other, each on what the parts before it predict.

Universal tags are jackknifed, because features, lemmas and trees read them. Those are read by nothing else, so that
each is trained once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom._version import __version__
from tagloom.corpus import Column, Corpus
from tagloom.corpus.layers import Layer
from tagloom.corpus.normalise import list_word_columns
from tagloom.corpus.trees import HEAD, NOTHING, RELATION
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import Score, Signature
from tagloom.systems.base import NO_PARTS, Model, Passes, Scorer, Training
from tagloom.systems.learning import NOTHING_LEARNED, Learned, Progress, Report
from tagloom.systems.line import Line, Provision
from tagloom.systems.parser.tags import TAGGER
from tagloom.systems.parts import PartFiles
from tagloom.systems.pipeline.feats import list_attributes, name_column, split_feats
from tagloom.systems.pipeline.model import Pipeline, PipelineSpec
from tagloom.systems.pipeline.options import ATTRIBUTES, FEATS, LEMMA, PARTS, TOKENS, TREES, UPOS, XPOS, PipelineOptions
from tagloom.systems.registry import get_system
from tagloom.systems.single_pass import ModelScorer, SinglePass

if TYPE_CHECKING:
    from tagloom.text import Tokenizer

#: Options of the parts, unless the user says otherwise (chosen on the development data of UD English EWT).
_GREEDY = {"learner": "lookahead-perceptron", "depth": 0, "epochs": 10}
_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    TOKENS: {},
    UPOS: TAGGER,
    XPOS: {**TAGGER, "templates": "morphology"},
    FEATS: {**_GREEDY, "templates": "morphology"},
    LEMMA: {**_GREEDY, "templates": "lemma"},
    TREES: {},
}


#: Columns that parts are learned from, and systems that are not taggers.
_COLUMNS = {UPOS: UPOS, XPOS: XPOS, FEATS: FEATS, LEMMA: LEMMA, TREES: HEAD}
_SYSTEMS = {TOKENS: "tokenizer", TREES: "parser"}


class PipelineTraining(Training[Pipeline]):
    """A pipeline whose parts are trained."""

    unit = "parts"
    scores_columns = False
    options: PipelineOptions

    def __init__(self, corpus: Corpus, options: PipelineOptions, parts: tuple[str, ...], form: str | None) -> None:
        self.corpus, self.options, self.parts, self.normal_form = corpus, options, parts, form

    @classmethod
    def prepare(
        cls, corpus: Corpus, options: PipelineOptions, *, provide: Any = (), tokenizer: Tokenizer | None = None,
        dev: Corpus | None = None, start: None = None, normal_form: str | None = None,
        report: Report = lambda _: None, parts: PartFiles = NO_PARTS,
    ) -> PipelineTraining:  # fmt: skip
        """Train the parts; a ``tokenizer`` that is there takes the place of the one to learn."""
        from tagloom.systems.provide import guess_tokenizer

        if provide:
            raise ConfigError("provide: a pipeline predicts all its columns itself; leave it out")
        names = choose_parts(corpus, options, has_tokenizer=tokenizer is not None)
        training = cls(corpus, options, names, normal_form)
        course = _Course(options, dev, normal_form, report, parts)
        course.check(names)
        line = course.run(corpus, names)
        training.line = replace(line, tokenizer=tokenizer or line.tokenizer or guess_tokenizer(corpus))
        training.data = corpus.checksum()
        return training

    @classmethod
    def plan(
        cls, corpus: Corpus, options: PipelineOptions, *,
        start: None = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> PipelineTraining:  # fmt: skip
        """Do the same as ``prepare``: a pipeline is all line."""
        return cls.prepare(corpus, options, normal_form=normal_form, report=report)

    @classmethod
    def check_gold(cls, corpus: Corpus, options: PipelineOptions, trained_on: Corpus) -> None:
        """Refuse a corpus without the columns that are learned."""
        for part in choose_parts(trained_on, options):
            if part in _COLUMNS:
                corpus.column(_COLUMNS[part])

    @property
    def main(self) -> str:
        """The column of the words."""
        return list_word_columns(self.corpus.names)[0]

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """None beside those of the models."""
        return ()

    @property
    def summary(self) -> str:
        """The parts."""
        return f"{len(self.parts)} parts: {' '.join(self.parts)}"

    def begin(self, total: Any) -> Passes:
        """Return a learner of one pass that learns nothing."""
        return SinglePass()

    def build_scorer(self, corpus: Corpus) -> Scorer:
        """Score the pipeline on the text of held-out data."""
        return self.encode_gold(corpus)

    def encode_gold(self, corpus: Corpus) -> Scorer:
        """Do the same."""
        return ModelScorer(self.build_model(NOTHING_LEARNED), corpus)

    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Accept anything: there are none."""

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned."""
        deciding = {name: repr(value) for name, value in self.options.list_deciding(("parts",)).items()}
        data = {"data": self.corpus.checksum(), "dev": "none" if dev is None else dev.checksum()}
        return {"tagloom": __version__, "system": "pipeline", "parts": " ".join(self.parts), **data, **deciding}

    @property
    def sizes(self) -> dict[str, int]:
        """The number of parts."""
        return {"features": len(self.parts), "labels": len(self.line.layers)}

    @property
    def signature(self) -> Signature:
        """The signature of the models to come."""
        return self._build_spec(NOTHING_LEARNED).signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Refuse: the parts are scored one by one."""
        raise DataError(f"{corpus.source}: a pipeline is scored on text; use tagloom eval MODEL FILE")

    def freeze(self, learned: Learned) -> Pipeline:
        """Build the pipeline."""
        return Pipeline(self._build_spec(learned))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The morphological attributes that have a tagger of their own."""
        if FEATS not in self.parts or self.options.feats != ATTRIBUTES:
            return ()
        return tuple(list_attributes(self.corpus.column(FEATS)))

    def _build_spec(self, learned: Learned) -> PipelineSpec:
        return PipelineSpec(
            columns=(self.main,), seed=self.options.seed, data=self.corpus.checksum(), version=__version__,
            normal_form=self.normal_form, epochs=1, history=learned.history, best_epoch=learned.best_epoch,
            parts=self.parts, attributes=self.attributes,
        )  # fmt: skip


def choose_parts(corpus: Corpus, options: PipelineOptions, *, has_tokenizer: bool = False) -> tuple[str, ...]:
    """Choose what to learn: what was named, or what the columns of the data hold."""
    if has_tokenizer and TOKENS in options.chosen_parts:
        raise ConfigError("tokenizer: the part tokens learns one; leave one of them out")
    columns = _COLUMNS
    missing = [part for part in options.chosen_parts if part in columns and not _is_filled(corpus, columns[part])]
    if missing:
        raise DataError(f"{corpus.source}: the column {columns[missing[0]]} is empty; leave {missing[0]} out of parts")
    if options.chosen_parts:
        return tuple(part for part in PARTS if part in options.chosen_parts)
    found = tuple(part for part in PARTS if part in columns and _is_filled(corpus, columns[part]))
    return found if has_tokenizer else (TOKENS, *found)


def _is_filled(corpus: Corpus, name: str) -> bool:
    if name not in corpus.columns or corpus.columns[name].is_bag:
        return False
    column = corpus.columns[name]
    return bool(np.any(column.codes != column.strings.find(NOTHING)))


@dataclass(frozen=True)
class _Course:
    """Trains the parts in their order."""

    options: PipelineOptions
    dev: Corpus | None
    normal_form: str | None
    report: Report
    files: PartFiles

    def check(self, parts: tuple[str, ...]) -> None:
        """Refuse options of parts before the first one is trained."""
        for part in parts:
            get_system(_SYSTEMS.get(part, "tagger")).load_options().parse(self._choose(part))

    def run(self, corpus: Corpus, parts: tuple[str, ...]) -> Line:
        """Train the parts; return the line."""
        from tagloom.systems.provide import build_line

        tokenizer: Any = self._train("tokenizer", TOKENS, corpus, self.dev, {}) if TOKENS in parts else None
        line, read, held_out = Line(), corpus, self.dev
        if UPOS in parts:
            provision = Provision(UPOS, options=self._choose(UPOS), folds=self.options.folds, noun=UPOS)
            line, read = build_line(
                corpus, [provision], self.normal_form, self.options.threads, self.report, self.files
            )
            held_out = None if held_out is None else line.provide(held_out, self.options.threads)
        models: list[Model] = []
        for part in (XPOS, FEATS, LEMMA):
            if part in parts:
                models += self._train_labels(part, read, held_out, has_tags=UPOS in parts)
        if TREES in parts:
            tagged = {"tag": UPOS, "tags": "gold"} if UPOS in parts else {}
            models.append(self._train("parser", TREES, _keep_trees(read, (HEAD, RELATION)), held_out, tagged))
        return Line.join([*line.providers, *models], tokenizer)

    def _train_labels(self, part: str, corpus: Corpus, dev: Corpus | None, *, has_tags: bool) -> list[Model]:
        columns = [part]
        if part == FEATS and self.options.feats == ATTRIBUTES:
            names = list_attributes(corpus.column(FEATS))
            corpus, dev = (None if each is None else split_feats(each, names) for each in (corpus, dev))  # type: ignore[assignment]
            columns = [name_column(name) for name in names]
        options = {} if has_tags else {"templates": "pos-affixes"}
        return [
            self._train(
                "tagger", part, _select(corpus, column, has_tags),
                None if dev is None else _select(dev, column, has_tags), {**options, "label": column},
            )
            for column in columns
        ]  # fmt: skip

    def _train(self, system: str, part: str, corpus: Corpus, dev: Corpus | None, options: Mapping[str, Any]) -> Model:
        from tagloom.systems.train import run_training

        row = get_system(system)
        self.report(Progress("tagging", f"{part}: training a {row.noun}"))
        chosen = row.load_options().parse({**self._choose(part), **options})
        model = run_training(
            row, corpus, dev, chosen, normal_form=self.normal_form, report=self._tell(part), parts=self.files
        )
        best = model.spec.history[model.spec.best_epoch - 1] if model.spec.best_epoch else None
        score = "" if best is None or best.dev_score is None else f", dev {best.dev_score:.2f}"
        self.report(Progress("tagging", f"{part}: {len(model.spec.history)} passes{score}"))
        return model

    def _tell(self, part: str) -> Report:
        def tell(progress: Progress) -> None:
            if progress.phase == "interrupted":
                raise KeyboardInterrupt
            if progress.phase == "note":
                self.report(Progress("note", f"{part}: {progress.message}"))

        return tell

    def _choose(self, part: str) -> dict[str, Any]:
        own, given = self.options, dict(self.options.options.get(part, {}))
        shared: dict[str, Any] = {"seed": own.seed, "threads": own.threads, "patience": own.patience}
        if own.epochs is not None:
            shared["epochs"] = own.epochs
        return {**({} if "learner" in given else _DEFAULTS[part]), **shared, **given}


def _select(corpus: Corpus, part: str, has_tags: bool) -> Corpus:
    """Select words, tags and the column to learn, so that no feature can see anything else."""
    names = (list_word_columns(corpus.names)[0], *((UPOS,) if has_tags else ()), part)
    columns = {name: corpus.column(name) for name in names}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


def _keep_trees(corpus: Corpus, kept: tuple[str, ...]) -> Corpus:
    """Keep words, tags and trees."""
    names = (list_word_columns(corpus.names)[0], UPOS, *kept)
    columns = {name: corpus.column(name) for name in names if name in corpus.columns}
    return replace(corpus, columns=columns)
