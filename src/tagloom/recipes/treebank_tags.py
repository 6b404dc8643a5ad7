"""Part-of-speech tags of our own in the place of gold ones, as a parser will see them in use.

The tags of the training part are jackknifed: a tagger that has seen a sentence gives it better tags than it will give
to new text. Development and test data are tagged by the tagger of the whole training part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tagloom.corpus import Column, Corpus
from tagloom.recipes.recipe import GoOn
from tagloom.recipes.splits import Split
from tagloom.systems import Progress, jackknife, train

FORM, TAG, HEAD, RELATION = "form", "pos", "head", "deprel"


@dataclass(frozen=True)
class TagOptions:
    """How the tagger learns, and in how many folds the training part is tagged."""

    learning: Mapping[str, Any]  # options of tagloom.train
    folds: int = 10

    def choices(self) -> dict[str, object]:
        """For a signature."""
        return {f"tagger_{name}": value for name, value in self.learning.items()} | {"tagger_folds": self.folds}


def with_our_tags(split: Split, options: TagOptions, go_on: GoOn) -> Split:
    """The same corpora with predicted tags in the column pos."""

    def status(name: str | None, progress: Progress) -> None:
        go_on(f"tags, {progress.message}" if name is None else f"tags, {name}: {progress.message}")

    def report(progress: Progress) -> None:
        if progress.phase == "interrupted":
            raise KeyboardInterrupt
        go_on(f"tags: {progress.message}")

    words = tagged_words(split.train)
    learning = {**options.learning, "label": TAG}
    tags = jackknife(words, folds=options.folds, on_progress=status, **learning).tags
    tagger = train(words, on_progress=report, **learning)
    held_out = {
        name: corpus.with_column(TAG, tagger.tag_corpus(tagged_words(corpus)))
        for name, corpus in split.held_out.items()
    }
    return Split(split.train.with_column(TAG, tags), held_out)


def tagged_words(corpus: Corpus) -> Corpus:
    """Words and tags alone: no feature of the tagger can see a tree."""
    return _with_columns(corpus, {name: corpus.column(name) for name in (FORM, TAG)})


def treebank(corpus: Corpus, tag: str) -> Corpus:
    """Words, tags (of the column ``tag``), heads and, where there are any, relations; no other annotation by hand."""
    names = {FORM: FORM, TAG: tag, HEAD: HEAD, RELATION: RELATION}
    return _with_columns(
        corpus, {name: corpus.column(old) for name, old in names.items() if old in corpus.columns or name != RELATION}
    )


def _with_columns(corpus: Corpus, columns: Mapping[str, Column]) -> Corpus:
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)
