"""Scores of a parser's weights on held-out trees."""

from __future__ import annotations

from typing import Any

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.trees import Trees
from tagloom.evaluate import AttachmentScore, score_trees
from tagloom.learners.history import get_search
from tagloom.systems.parser.encode import encode_sentences, restored
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.parser.treebank import Treebank


class TreeScorer:
    """Scores weights on held-out trees: LAS, or UAS without relations, of all tokens."""

    def __init__(self, bank: Treebank, corpus: Corpus, gold: Trees, options: ParserOptions) -> None:
        self.gold, self.threads, self.non_projective = gold, options.threads, options.non_projective
        self.relations, self.templates = bank.relations, bank.templates.compile(bank.tag)
        self.search = build_search(options)
        self.data, self.sentences = encode_sentences(bank.encoder, corpus, bank.relations), corpus.sentences

    def __call__(self, weights: Any, total: object = None) -> float:
        """Return the attachment score."""
        return self.score(weights).value

    def score(self, weights: Any, total: object = None) -> AttachmentScore:
        """Parse and count."""
        core = _core.ParserCore(self.templates, self.relations.count, **weights)
        heads, numbers, _ = core.parse(self.data, self.search, self.threads)
        found = restored(heads, self.relations.column(numbers, heads), self.sentences, self.non_projective)
        return score_trees(self.gold, found)


def build_search(options: ParserOptions) -> _core.SearchSettings:
    """Build the search of learning."""
    learner = options.chosen_learner
    numbers = options.settings.of(learner)
    return get_search(learner, numbers).core(numbers.get("C", 0.0), max_violation=numbers.get("update") != "early")
