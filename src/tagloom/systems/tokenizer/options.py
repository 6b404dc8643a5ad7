"""Options of learned tokenizers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, ClassVar

from tagloom.features import TemplateSet
from tagloom.learners import Learner
from tagloom.systems.options import FEATURES, Row, TrainingOptions
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tokenizer import characters, sentences


@dataclass(frozen=True, kw_only=True)
class TokenizerOptions(TrainingOptions):
    """Options of training a tokenizer; the rest is what taggers of characters and tokens have by default."""

    noun: ClassVar[str] = "tokenizer"

    epochs: Annotated[int | None, Row("Most passes over the data. Default: 10.", low=1, metavar="N")] = None
    learner: Annotated[
        str | Learner,
        Row(
            "Learner of the labels of characters and of tokens, see docs/learners.md.",
            expects="a name or a Learner",
            metavar="NAME",
        ),
    ] = "pa"
    templates: Annotated[
        str | os.PathLike[str] | TemplateSet,
        Row(
            "Templates of token boundaries over the columns form (a character), unicode and ptb (what these "
            "tokenizers decide).",
            expects="a name, a file or template text", metavar="NAME|FILE", panel=FEATURES, shapes_features=True,
        ),
    ] = "tokenizer"  # fmt: skip
    sentence_templates: Annotated[
        str | os.PathLike[str] | TemplateSet,
        Row(
            "Templates of sentence boundaries over the columns form (a token), gap (what stands before it: P, a "
            "paragraph, _, a blank, or 0, nothing), unicode and ptb.",
            expects="a name, a file or template text", metavar="NAME|FILE", panel=FEATURES, shapes_features=True,
        ),
    ] = "sentences"  # fmt: skip
    cutoff: Annotated[
        int, Row("Drop features that occur less often.", low=1, metavar="N", panel=FEATURES, shapes_features=True)
    ] = 2

    def check(self) -> None:
        """Check the options of the taggers."""
        assert self.tagger
        assert self.sentence_tagger

    @property
    def tagger(self) -> TaggerOptions:
        """The options of the tagger of characters."""
        return self._build_options(characters.LABEL, self.templates)

    @property
    def sentence_tagger(self) -> TaggerOptions:
        """The options of the tagger of tokens."""
        return self._build_options(sentences.LABEL, self.sentence_templates)

    def _build_options(self, label: str, templates: str | os.PathLike[str] | TemplateSet) -> TaggerOptions:
        return TaggerOptions(
            label=label, templates=templates, learner=self.learner, cutoff=self.cutoff, epochs=self.most_epochs,
            patience=self.patience, seed=self.seed, threads=self.threads, attributes=self.attributes,
            sentence_attributes=self.sentence_attributes,
            document_attributes=self.document_attributes, names=False,
        )  # fmt: skip

    @property
    def most_epochs(self) -> int:
        """The number of passes after which training ends at the latest."""
        return self.epochs or 10
