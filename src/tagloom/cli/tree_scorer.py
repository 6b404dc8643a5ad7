"""Scoring trees of files: heads and relations of one file against those of another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tagloom._version import __version__
from tagloom.cli.console import warning
from tagloom.cli.inputs import Input
from tagloom.cli.scorer import Scorer, require_equal_tokens
from tagloom.corpus import Corpus, Trees, trees_of
from tagloom.errors import ConfigError
from tagloom.evaluate import Punctuation, Score, Signature, punctuation_of, score_trees
from tagloom.evaluate.attachment import UNIVERSAL, WHOLE


@dataclass
class TreeScorer(Scorer):
    """The options of ``tagloom eval --trees``."""

    punctuation: str | None = None
    universal: bool = False

    def __post_init__(self) -> None:
        for option, value in (("--label", self.label), ("--scheme", self.scheme)):
            if value is not None:
                raise ConfigError(f"{option} is for labels, trees have none; leave it out")

    def _score_columns(self, source: Input) -> Score:
        raise ConfigError("--trees needs two files: name the one with the predicted trees too")

    def _score_model(self, source: Input, path: str) -> Score:
        raise ConfigError(f"{path}: a model of labels makes no trees; leave --trees out, or name a file with trees")

    def _score_file(self, source: Input, path: str) -> Score:
        with self.clock.phase("read"):
            gold, predicted = source.read(), replace(self._load(path), columns=None).read()
            if len(predicted.names) == len(gold.names):
                predicted = predicted.renamed(gold.names)
            require_equal_tokens(gold, predicted)
            truth, guess = trees_of(gold), trees_of(predicted, strict=False)
        self._note_lacks(predicted, truth, guess)
        with self.clock.phase("evaluate"):
            result = score_trees(
                truth,
                guess,
                punctuation=self._told_apart(gold),
                leave_out=self.punctuation is not None,
                relations=UNIVERSAL if self.universal else WHOLE,
            )
            return result.signed(Signature(data=gold.checksum(), version=__version__))

    def _told_apart(self, gold: Corpus) -> Punctuation | None:
        """Punctuation by the rule asked for; without one by UPOS, where there are such tags, to show both scores."""
        if self.punctuation is not None:
            return punctuation_of(gold, self.punctuation)
        found = punctuation_of(gold, "upos") if "upos" in gold.columns else None
        return found if found is not None and found.tokens.any() else None

    def _note_lacks(self, predicted: Corpus, truth: Trees, guess: Trees) -> None:
        others = int(np.count_nonzero(~guess.are_trees()))
        if others:
            text = (
                f"{predicted.source}: {others} of {len(guess)} sentences are no trees with one root; scored as they are"
            )
            self.notes.append(warning(text))
        if truth.relations is not None and guess.relations is None:
            self.notes.append(warning(f"{predicted.source}: no relations, so that heads alone are scored"))
