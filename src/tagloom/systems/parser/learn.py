"""The passes of a parser, and its score on held-out trees after each of them."""

from __future__ import annotations

from typing import Any

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.trees import Trees
from tagloom.evaluate import score_trees
from tagloom.files.checkpoint import Best, Checkpoint
from tagloom.learners.history import search_of
from tagloom.learners.parsing import ParserTraining, check_weights
from tagloom.systems.learning import Learning, Report
from tagloom.systems.parser.encode import encode_sentences, restored
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.parser.treebank import Treebank


class TreeScorer:
    """Scores weights on held-out trees: LAS, or UAS without relations, of all tokens."""

    def __init__(self, bank: Treebank, corpus: Corpus, gold: Trees, options: ParserOptions) -> None:
        self.gold, self.threads, self.non_projective = gold, options.threads, options.non_projective
        self.relations, self.templates = bank.relations, bank.templates.compile(bank.tag)
        self.search = _search(options)
        self.data, self.sentences = encode_sentences(bank.encoder, corpus, bank.relations), corpus.sentences

    def __call__(self, weights: Any, total: object = None) -> float:
        core = _core.ParserCore(self.templates, self.relations.count, **weights)
        heads, numbers, _ = core.parse(self.data, self.search, self.threads)
        found = restored(heads, self.relations.column(numbers, heads), self.sentences, self.non_projective)
        return score_trees(self.gold, found).value


def _search(options: ParserOptions) -> _core.SearchSettings:
    learner = options.chosen_learner
    numbers = options.settings.of(learner)
    return search_of(learner, numbers).core(numbers.get("C", 0.0), max_violation=numbers.get("update") != "early")


class ParserLearning(Learning):
    """The passes of a parser: those of all learners, with weights that come with their features."""

    def __init__(
        self,
        bank: Treebank,
        options: ParserOptions,
        scorer: TreeScorer | None,
        report: Report,
        started: float,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.bank, self.learner, self.search = bank, options.chosen_learner, _search(options)
        super().__init__(options, scorer, report, started, checkpoint=checkpoint)

    def _begin(self) -> ParserTraining:
        bank, templates = self.bank, self.bank.templates.compile(self.bank.tag)
        return ParserTraining(self.learner, self.search, templates, bank.relations.count, bank.data, bank.examples)

    def _check_best(self, best: Best) -> None:
        arrays: Any = best.weights
        check_weights(arrays["weights"])
        _core.ParserCore(self.bank.templates.compile(self.bank.tag), self.bank.relations.count, **arrays)
