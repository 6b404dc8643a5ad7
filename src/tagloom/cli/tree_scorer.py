"""Scoring trees: those of a parser, or heads and relations of one file against those of another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tagloom._version import __version__
from tagloom.cli.console import warning
from tagloom.cli.inputs import Input
from tagloom.cli.scorer import Scorer, require_equal_tokens
from tagloom.corpus import Corpus, Trees, trees_of
from tagloom.corpus.trees import HEAD, RELATION
from tagloom.errors import ConfigError
from tagloom.evaluate import Score, Signature, punctuation_of, score_trees
from tagloom.evaluate.attachment import UNIVERSAL, WHOLE
from tagloom.evaluate.punctuation import told_apart
from tagloom.systems import Parser


@dataclass
class TreeScorer(Scorer):
    """The options of ``tagloom eval --trees``."""

    punctuation: str | None = None
    universal: bool = False

    def __post_init__(self) -> None:
        given = {"--rule": self.rule, "--label": self.label, "--scheme": self.scheme}
        for option, value in {**given, "--candidates": self.search.get("candidates")}.items():
            if value is not None:
                raise ConfigError(f"{option} is for labels, trees have none; leave it out")

    def _score_columns(self, source: Input) -> Score:
        raise ConfigError("--trees needs two files: name the one with the predicted trees too")

    def _score_model(self, source: Input, path: str) -> Score:
        parser = self.models.open(path)
        if not isinstance(parser, Parser):
            noun = "phrase chunker" if parser.spec.system == "phrases" else "tagger"
            raise ConfigError(f"{path}: a {noun} makes no trees; name a parser or a file with trees, or score labels")
        with self.clock.phase("read"):
            gold = source.read_for(parser, gold=True)
        with self.clock.phase("evaluate"):
            return parser.evaluate(
                gold,
                self.threads,
                punctuation=self.punctuation,
                leave_out=self.punctuation is not None,
                relations=UNIVERSAL if self.universal else WHOLE,
                **self.search,
            )

    def _score_file(self, source: Input, path: str) -> Score:
        with self.clock.phase("read"):
            gold, predicted = source.read(), replace(self._load(path), columns=None).read()
            truth = trees_of(gold)
            predicted = _named_as(predicted, gold, truth)
            require_equal_tokens(gold, predicted)
            guess = trees_of(predicted, strict=False)
        self._note_lacks(predicted, truth, guess)
        with self.clock.phase("evaluate"):
            result = score_trees(
                truth,
                guess,
                punctuation=punctuation_of(gold, self.punctuation) if self.punctuation else told_apart(gold),
                leave_out=self.punctuation is not None,
                relations=UNIVERSAL if self.universal else WHOLE,
            )
            return result.signed(Signature(data=gold.checksum(), version=__version__))

    def _note_lacks(self, predicted: Corpus, truth: Trees, guess: Trees) -> None:
        others = int(np.count_nonzero(~guess.are_trees()))
        if others:
            text = (
                f"{predicted.source}: {others} of {len(guess)} sentences are no trees with one root; scored as they are"
            )
            self.notes.append(warning(text))
        if truth.relations is not None and guess.relations is None:
            self.notes.append(warning(f"{predicted.source}: no relations, so that heads alone are scored"))


def _named_as(predicted: Corpus, gold: Corpus, truth: Trees) -> Corpus:
    """Predicted columns by the names of gold's; of more columns than gold has, the last: parsers append them."""
    if len(predicted.names) == len(gold.names):
        return predicted.renamed(gold.names)
    if len(predicted.names) < len(gold.names) or HEAD in predicted.columns:
        return predicted
    last = [HEAD] if truth.relations is None else [HEAD, RELATION]
    return predicted.renamed([*predicted.names[: -len(last)], *last])
