"""Scoring files: which of them is the model, which column is gold, and whether the tokens are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tagloom._version import __version__
from tagloom.cli.clock import Clock
from tagloom.cli.inputs import Input, is_model_file, undivided_note
from tagloom.cli.models import OpenModels
from tagloom.cli.unseen import unseen_categories, unseen_note
from tagloom.corpus import Column, Corpus
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import Score, Signature, score
from tagloom.systems import Model, PhraseChunker

CONLLEVAL = "conlleval"


@dataclass
class Scorer:
    """The options of ``tagloom eval``; scores systems, and notes what is to be told about their files."""

    rule: str | None  # None: conlleval's
    label: str | None
    scheme: str | None
    format: str | None
    columns: str | None
    threads: int
    normalise: str | None = None
    search: Mapping[str, Any] = field(default_factory=dict)  # candidates, depth, beam, where they were given
    notes: list[str] = field(default_factory=list)
    models: OpenModels = field(default_factory=OpenModels)
    _gold: dict[str, Input] = field(default_factory=dict)

    @property
    def clock(self) -> Clock:
        return self.models.clock

    def roles(self, first: str, second: str | None) -> tuple[str, str | None]:
        """Which file is gold, and which file or model is scored; None: two columns of the gold file."""
        if not is_model_file(first):
            if self.search and (second is None or not is_model_file(second)):
                raise ConfigError(f"--{next(iter(self.search))}: no model tags here; leave it out")
            return first, second
        if second is None:
            raise ConfigError(f"{first} is a model: name the corpus to score it on too")
        return second, first

    def score(self, gold: str, system: str | None) -> Score:
        with self.clock.phase("read"):
            source = self._gold.get(gold) or self._gold.setdefault(gold, self._load(gold))
        if system is None:
            return self._score_columns(source)
        return self._score_model(source, system) if is_model_file(system) else self._score_file(source, system)

    def _load(self, path: str) -> Input:
        return Input.load(path, self.format, self.columns, self.notes, self.normalise)

    def _score_model(self, source: Input, path: str) -> Score:
        if self.scheme is not None:
            raise ConfigError("--scheme: a model knows the scheme of its labels; leave it out")
        model = self.models.open(path)
        assert isinstance(model, (Model, PhraseChunker))  # trees are scored by a TreeScorer
        if isinstance(model, PhraseChunker) and self.search:
            raise ConfigError(f"--{next(iter(self.search))} is for labels, {path} is a phrase chunker; leave it out")
        with self.clock.phase("read"):
            corpus = source.read_for(model, gold=self.label is None)
        if self.label is not None:
            corpus = corpus.with_column(model.spec.label, corpus.column(self.label))
        unseen = unseen_note(model, corpus) if isinstance(model, Model) else unseen_categories(model, corpus)
        self.notes += [*undivided_note(model, corpus), *unseen]
        with self.clock.phase("evaluate"):
            return model.evaluate(corpus, rule=self.rule or CONLLEVAL, threads=self.threads, **self.search)

    def _score_file(self, source: Input, path: str) -> Score:
        with self.clock.phase("read"):
            gold, predicted = source.read(), replace(self._load(path), columns=None).read()
        require_equal_tokens(gold, predicted)
        label = self.label or gold.label
        return self._score_labels(gold, gold.column(label), _predicted_column(predicted, gold, label))

    def _score_columns(self, source: Input) -> Score:
        with self.clock.phase("read"):
            corpus = source.read()
        if len(corpus.names) < 2:
            raise DataError(f"{corpus.source}: one column, expected gold and predicted labels as the last two")
        gold, predicted = corpus.column(self.label or corpus.names[-2]), corpus.column(corpus.names[-1])
        if not set(_used(gold)) & set(_used(predicted)):
            raise DataError(
                f"{corpus.source}: the last two columns have no label in common, expected gold and predicted labels; "
                "or name the file with the predicted ones"
            )
        return self._score_labels(corpus, gold, predicted)

    def _score_labels(self, corpus: Corpus, gold: Column, predicted: Column) -> Score:
        with self.clock.phase("evaluate"):
            result = score(gold, predicted, corpus.sentences, rule=self.rule or CONLLEVAL, scheme=self.scheme)
            return result.signed(Signature(data=corpus.checksum(), version=__version__))


def _predicted_column(predicted: Corpus, gold: Corpus, label: str) -> Column:
    """The column in gold's place of labels; of more columns than gold has, the last: taggers append it."""
    if len(predicted.names) == len(gold.names):
        return predicted.renamed(gold.names).column(label)
    return predicted.column(predicted.label)


def _used(column: Column) -> list[str]:
    return [column.strings[code] for code in np.unique(column.codes).tolist()]


def require_equal_tokens(gold: Corpus, predicted: Corpus) -> None:
    """Refuse two corpora that do not have the same words in the same sentences."""
    if len(gold) != len(predicted):
        raise DataError(f"{predicted.source}: {len(predicted)} sentences, but {gold.source} has {len(gold)}")
    differing = np.flatnonzero(np.diff(gold.sentences) != np.diff(predicted.sentences))
    if len(differing):
        number = int(differing[0])
        lengths = [int(np.diff(corpus.span(number))[0]) for corpus in (predicted, gold)]
        raise DataError(
            f"{predicted.source}: sentence {number + 1} has {lengths[0]} tokens, but {lengths[1]} in {gold.source}"
        )
    words = [_words(corpus) for corpus in (gold, predicted)]
    for token, (expected, found) in enumerate(zip(*words)):
        if expected != found:
            sentence = int(np.searchsorted(gold.sentences, token, side="right"))
            raise DataError(
                f"{predicted.source}: sentence {sentence}: token {found!r}, but {expected!r} in {gold.source}"
            )


def _words(corpus: Corpus) -> list[str]:
    column = corpus.columns.get("form", corpus.columns[corpus.names[0]])
    return [] if column.is_bag else column.texts()
