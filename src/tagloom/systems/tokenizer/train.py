"""Training of tokenizers: a tagger of characters learns where tokens begin, a tagger of tokens where sentences begin.

The passes of the training are those of the first one. The second one learns from the tokens of the data, in a moment,
when a model is built.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tagloom._version import __version__
from tagloom.corpus import Column, Corpus, RestoredText, restore_text
from tagloom.corpus.layers import Layer
from tagloom.errors import DataError
from tagloom.evaluate import Score, Signature
from tagloom.systems.base import Passes, Scorer, Training
from tagloom.systems.learning import Learned, Learning, Report
from tagloom.systems.tagger.model import Tagger
from tagloom.systems.tagger.train import TaggerTraining
from tagloom.systems.tokenizer.characters import LABEL, label_characters, read_boundaries, read_characters
from tagloom.systems.tokenizer.model import LearnedTokenizer, TokenizerSpec
from tagloom.systems.tokenizer.multiwords import MultiwordTokens
from tagloom.systems.tokenizer.options import TokenizerOptions
from tagloom.systems.tokenizer.sentences import label_tokens, read_tokens


class TokenizerTraining(Training[LearnedTokenizer]):
    """A tokenizer that is ready to learn: the trainings of its taggers, and the multiword tokens."""

    unit = "characters"
    scores_columns = False
    options: TokenizerOptions
    dev: Corpus | None = None  # chooses the pass of the tagger of tokens

    def __init__(
        self, corpus: Corpus, options: TokenizerOptions, tagger: TaggerTraining, sentences: TaggerTraining,
        restored: RestoredText, normal_form: str | None,
    ) -> None:  # fmt: skip
        self.corpus, self.options, self.normal_form = corpus, options, normal_form
        self.tagger, self.sentences = tagger, sentences
        self.multiwords = _count_multiwords(corpus, restored)

    @classmethod
    def prepare(
        cls, corpus: Corpus, options: TokenizerOptions, *, dev: Corpus | None = None, **others: Any
    ) -> TokenizerTraining:
        """Plan a training, and keep the development data for the tagger of tokens."""
        training = super().prepare(corpus, options, dev=dev, **others)
        training.dev = dev
        return training

    @classmethod
    def plan(
        cls, corpus: Corpus, options: TokenizerOptions, *,
        start: None = None, normal_form: str | None = None, report: Report = lambda _: None,
    ) -> TokenizerTraining:  # fmt: skip
        """Restore the text, and encode its characters and tokens."""
        restored = restore_text(corpus, _find_words(corpus))
        if len(restored.sentences) < 3:
            raise DataError(f"{corpus.source}: one sentence, too few to learn where sentences begin; add some")
        characters, tokens = _label(corpus, restored)
        tagger = TaggerTraining.plan(characters, options.tagger)
        sentences = TaggerTraining.plan(tokens, options.sentence_tagger)
        return cls(corpus, options, tagger, sentences, restored, normal_form)

    def share(self, options: TokenizerOptions) -> TokenizerTraining:
        """Plan another training on the same characters and tokens."""
        other = copy.copy(self)
        other.__dict__.pop("sentence_tagger", None)
        other.options, other.tagger = options, self.tagger.share(options.tagger)
        other.sentences = self.sentences.share(options.sentence_tagger)
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
        """The sizes of the encoded characters and tokens."""
        return f"characters: {self.tagger.summary}; sentences: {self.sentences.summary}"

    def begin(self, total: Any) -> Passes:
        """Build the learner of the labels."""
        return self.tagger.begin(total)

    def encode_gold(self, corpus: Corpus) -> Scorer:
        """Encode the characters of held-out text."""
        return self.tagger.build_scorer(_label(corpus, restore_text(corpus, _find_words(corpus))).characters)

    @property
    def can_diverge(self) -> bool:
        """Whether the learner of the labels has a rate."""
        return self.tagger.can_diverge

    def describe_divergence(self, epoch: int) -> str:
        """Say what the learner of the labels says."""
        return self.tagger.describe_divergence(epoch)

    def check_weights(self, weights: Any, total: Any = None) -> None:
        """Raise ValueError if weights of a checkpoint do not fit."""
        self.tagger.check_weights(weights, total)

    def identify(self, dev: Corpus | None) -> dict[str, str]:
        """List everything that decides what is learned."""
        found = {**self.tagger.identify(None), "system": "tokenizer", "words": self.corpus.checksum()}
        found |= {f"sentences: {name}": value for name, value in self.sentences.identify(None).items()}
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
        """Build the tokenizer of what was learned, with the tagger of tokens."""
        taggers = self.tagger.freeze(learned), self.sentence_tagger
        return LearnedTokenizer(self._build_spec(learned), *taggers, self.multiwords)

    @cached_property
    def sentence_tagger(self) -> Tagger:
        """The tagger of tokens, trained when it is first asked for."""
        scorer = None
        if self.dev is not None:
            scorer = self.sentences.build_scorer(_label(self.dev, restore_text(self.dev, _find_words(self.dev))).tokens)
        learning = Learning(self.sentences, scorer, lambda _: None, time.perf_counter())
        return self.sentences.freeze(learning.run())

    def _build_spec(self, learned: Learned) -> TokenizerSpec:
        options = self.options
        return TokenizerSpec(
            columns=(self.main,), seed=options.seed, data=self.corpus.checksum(), version=__version__,
            normal_form=self.normal_form, epochs=len(learned.history) if learned.interrupted else options.most_epochs,
            history=learned.history, best_epoch=learned.best_epoch, learner=options.tagger.chosen_learner.name,
            templates=self.tagger.encoded.task.encoder.templates.name,
            sentence_templates=self.sentences.encoded.task.encoder.templates.name,
        )  # fmt: skip


def _find_words(corpus: Corpus) -> str:
    return "form" if "form" in corpus.columns else corpus.names[0]


class _Labelled(NamedTuple):
    characters: Corpus
    tokens: Corpus


def _label(corpus: Corpus, restored: RestoredText) -> _Labelled:
    """Label the characters of a text and its tokens."""
    words = corpus.column(_find_words(corpus)).texts()
    characters = read_characters(restored.text, corpus.source)
    labelled = label_characters(characters, restored, words)
    found = read_boundaries(characters, labelled.column(LABEL))
    firsts = restored.sentences[:-1][np.diff(restored.sentences) > 0]
    tokens = read_tokens(restored.text, characters, found)
    return _Labelled(labelled, label_tokens(tokens, np.isin(found.starts, restored.starts[firsts])))


def _count_multiwords(corpus: Corpus, restored: RestoredText) -> MultiwordTokens:
    words, tokens = corpus.column(_find_words(corpus)).texts(), restored.tokens()
    bounds = list(zip(restored.words[:-1].tolist(), restored.words[1:].tolist()))
    return MultiwordTokens.count(
        (token, tuple(words[start:stop])) for token, (start, stop) in zip(tokens, bounds) if stop - start > 1
    )
