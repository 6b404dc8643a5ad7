"""Training of tokenizers: the boundaries of a text as labels of its characters, learned by a tagger."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from tagloom._version import __version__
from tagloom.corpus import Column, Corpus, RestoredText, restore_text
from tagloom.corpus.layers import Layer
from tagloom.errors import DataError
from tagloom.evaluate import Score, Signature
from tagloom.systems.base import Passes, Scorer, Training
from tagloom.systems.learning import Learned, Report
from tagloom.systems.tagger.train import TaggerTraining
from tagloom.systems.tokenizer.characters import label_characters, read_characters
from tagloom.systems.tokenizer.model import LearnedTokenizer, TokenizerSpec
from tagloom.systems.tokenizer.multiwords import MultiwordTokens
from tagloom.systems.tokenizer.options import TokenizerOptions


class TokenizerTraining(Training[LearnedTokenizer]):
    """A tokenizer that is ready to learn: the training of a tagger of characters, and the multiword tokens."""

    unit = "characters"
    scores_columns = False
    options: TokenizerOptions

    def __init__(
        self, corpus: Corpus, options: TokenizerOptions, tagger: TaggerTraining, restored: RestoredText,
        normal_form: str | None,
    ) -> None:  # fmt: skip
        self.corpus, self.options, self.tagger, self.normal_form = corpus, options, tagger, normal_form
        self.multiwords = _count_multiwords(corpus, restored)

    @classmethod
    def plan(
        cls, corpus: Corpus, options: TokenizerOptions, *,
        start: None = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> TokenizerTraining:  # fmt: skip
        """Restore the text and encode its characters."""
        restored = restore_text(corpus, _find_words(corpus))
        if len(restored.sentences) < 3:
            raise DataError(f"{corpus.source}: one sentence, too few to learn where sentences begin; add some")
        tagger = TaggerTraining.plan(_label(corpus, restored), options.tagger)
        return cls(corpus, options, tagger, restored, normal_form)

    def share(self, options: TokenizerOptions) -> TokenizerTraining:
        """Plan another training on the same characters."""
        other = copy.copy(self)
        other.options, other.tagger = options, self.tagger.share(options.tagger)
        return other

    @property
    def main(self) -> str:
        """The column of the words."""
        return _find_words(self.corpus)

    @property
    def own_layers(self) -> tuple[Layer, ...]:
        """None."""
        return ()

    @property
    def summary(self) -> str:
        """The sizes of the encoded characters."""
        return f"characters: {self.tagger.summary}"

    def begin(self, total: Any) -> Passes:
        """Build the learner of the labels."""
        return self.tagger.begin(total)

    def encode_gold(self, corpus: Corpus) -> Scorer:
        """Encode the characters of held-out text."""
        return self.tagger.build_scorer(_label(corpus, restore_text(corpus, _find_words(corpus))))

    @property
    def can_diverge(self) -> bool:
        """Whether the learner of the labels has a rate."""
        return self.tagger.can_diverge

    def describe_divergence(self, epoch: int) -> str:
        """Say what the learner of the labels says."""
        return self.tagger.describe_divergence(epoch)

    def check_weights(self, weights: Any) -> None:
        """Raise ValueError if weights of a checkpoint do not fit."""
        self.tagger.check_weights(weights)

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned."""
        found = {**self.tagger.identify(None), "system": "tokenizer", "words": self.corpus.checksum()}
        return {**found, "dev": "none" if dev is None else dev.checksum(), "normal form": str(self.normal_form)}

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of features and labels."""
        return self.tagger.sizes

    @property
    def signature(self) -> Signature:
        """The signature of the models to come."""
        return self._build_spec(Learned(None, (), 0)).signature

    def score_columns(self, corpus: Corpus, predicted: Mapping[str, Column]) -> Score:
        """Refuse: a tokenizer predicts no columns."""
        raise DataError(f"{corpus.source}: a tokenizer has no columns to score; use tagloom eval with text")

    def freeze(self, learned: Learned) -> LearnedTokenizer:
        """Build the tokenizer of what was learned."""
        return LearnedTokenizer(self._build_spec(learned), self.tagger.freeze(learned), self.multiwords)

    def _build_spec(self, learned: Learned) -> TokenizerSpec:
        options = self.options
        return TokenizerSpec(
            columns=(self.main,), seed=options.seed, data=self.corpus.checksum(), version=__version__,
            normal_form=self.normal_form, epochs=len(learned.history) if learned.interrupted else options.most_epochs,
            history=learned.history, best_epoch=learned.best_epoch, learner=options.tagger.chosen_learner.name,
            templates=self.tagger.encoded.task.encoder.templates.name,
        )  # fmt: skip


def _find_words(corpus: Corpus) -> str:
    return "form" if "form" in corpus.columns else corpus.names[0]


def _label(corpus: Corpus, restored: RestoredText) -> Corpus:
    words = corpus.column(_find_words(corpus)).texts()
    return label_characters(read_characters(restored.text, corpus.source), restored, words)


def _count_multiwords(corpus: Corpus, restored: RestoredText) -> MultiwordTokens:
    words, tokens = corpus.column(_find_words(corpus)).texts(), restored.tokens()
    bounds = list(zip(restored.words[:-1].tolist(), restored.words[1:].tolist()))
    return MultiwordTokens.count(
        (token, tuple(words[start:stop])) for token, (start, stop) in zip(tokens, bounds) if stop - start > 1
    )
