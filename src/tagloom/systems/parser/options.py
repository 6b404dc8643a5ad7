"""ParserOptions: the choices of training a parser, with their defaults and checks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import fields as fields_of

from tagloom.corpus.trees import HEAD, RELATION
from tagloom.errors import ConfigError, unknown_name
from tagloom.features import Source
from tagloom.features.attributes import SentenceFunction, WordFunction
from tagloom.features.state_templates import RESERVED, StateTemplateSet
from tagloom.learners import Learner, Settings, learner_named
from tagloom.learners.learner import SEARCHING_OPPONENTS
from tagloom.structures.projective import LIFT, NON_PROJECTIVE
from tagloom.systems.numbers import MOST_THREADS, check_whole_number
from tagloom.systems.tagger.options import Options

GOLD, PREDICTED = "gold", "predicted"
TAGS = {
    PREDICTED: "a tagger is trained on them and goes into the model; the parser learns from jackknifed tags",
    GOLD: "as they stand in their column, in training and in use",
}
#: C of lookahead: a state has several times as many features as a token of a tagger.
MARGIN = 100.0
#: Least and most. States of a parser do not meet again as those of a tagger do: time grows by the depth's power.
LIMITS = {"depth": (0, 16), "beam": (1, 100_000)}
#: Of taggers, which a parser does not have.
_NOT_OF_PARSERS = ("direction", "history")
#: Options of the tagger that are not its own, and what says them.
_NOT_OF_TAGGERS = {"label": "tag", "folds": "tag_folds"}
_FOLDS = 10


@dataclass(frozen=True)
class ParserOptions(Settings):
    """What :func:`tagloom.train_parser` takes by keyword. The learner's settings come first.

    templates: state templates: "zhang-nivre", "huang-sagae", a file or a text.
    learner: "lookahead-perceptron" (depth, C) or "beam-perceptron" (beam, update).
    head, relation: columns of the trees. relations: False leaves relations out.
    tag: column of part-of-speech tags; "upos", "pos" or "xpos", if None. tags: "predicted" (a tagger is trained and
        goes into the model) or "gold". tagger: options of that tagger. tag_folds: of jackknifing the tags of the data,
        10 if None.
    non_projective: "lift" trees that are not projective (Nivre & Nilsson 2005), or "skip" them.
    """

    templates: str | os.PathLike[str] | StateTemplateSet = "zhang-nivre"
    learner: str | Learner = "lookahead-perceptron"
    head: str = HEAD
    relation: str = RELATION
    relations: bool = True
    tag: str | None = None
    tags: str = PREDICTED
    tagger: Mapping[str, object] = field(default_factory=dict)
    tag_folds: int | None = None
    non_projective: str = LIFT
    epochs: int | None = None
    patience: int = 5
    seed: int = 1
    threads: int = 1
    attributes: Mapping[str, WordFunction] = field(default_factory=dict)
    sentence_attributes: Mapping[str, SentenceFunction] = field(default_factory=dict)
    resources: Mapping[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, least, most in (("patience", 1, None), ("seed", 0, None), ("threads", 1, MOST_THREADS)):
            check_whole_number(name, getattr(self, name), least, most)
        if self.epochs is not None:
            check_whole_number("epochs", self.epochs, 1)
        if str(self.tags) not in TAGS:
            raise unknown_name("tags", str(self.tags), TAGS)
        if str(self.non_projective) not in NON_PROJECTIVE:
            raise unknown_name("way with non-projective trees", str(self.non_projective), NON_PROJECTIVE)
        self._check_names()
        self._check_trees()
        self._check_tagger()
        if self.chosen_learner.opponent not in SEARCHING_OPPONENTS:
            raise ConfigError(
                f"learner {self.chosen_learner.name!r} does not parse; choose lookahead-perceptron or beam-perceptron"
            )
        for name in _NOT_OF_PARSERS:
            if getattr(self, name) is not None:
                raise ConfigError(f"a parser has no {name!r}; leave it out")
        check_depth(self.depth)
        self.settings.of(self.chosen_learner)

    def _check_names(self) -> None:
        for name in ("head", "relation", "tag"):
            value = getattr(self, name)
            if not isinstance(value, str) and (name != "tag" or value is not None):
                raise ConfigError(f"{name}: expected the name of a column, got {value!r}")
        for name in RESERVED:
            if name in self.attributes or name in self.sentence_attributes:
                raise ConfigError(f"attribute {name!r}: state templates have this name already; choose another")

    def _check_trees(self) -> None:
        if not isinstance(self.relations, bool):
            raise ConfigError(f"relations: expected True or False, got {self.relations!r}")
        if self.relations and self.relation == self.head:
            raise ConfigError(
                f"relation: {self.relation!r} is the column of the heads; name another, or relations=False"
            )

    def _check_tagger(self) -> None:
        if not isinstance(self.tagger, Mapping):
            raise ConfigError(f"tagger: expected options by name, got {self.tagger!r:.60}")
        for name in sorted(map(str, self.tagger)):
            if name in _NOT_OF_TAGGERS:
                raise ConfigError(f"tagger: {name!r} is set by {_NOT_OF_TAGGERS[name]} of the parser; leave it out")
            if name not in Options.__dataclass_fields__:
                raise unknown_name("option of the tagger", name, Options.__dataclass_fields__)
        if self.tag_folds is not None:
            check_whole_number("tag_folds", self.tag_folds, 2, 1000)
        for name in ("tagger", "tag_folds"):
            if self.tags == GOLD and getattr(self, name):
                raise ConfigError(f"{name}: with tags='gold' no tagger is trained; leave it out, or predict tags")

    @property
    def folds_of_tags(self) -> int:
        return _FOLDS if self.tag_folds is None else self.tag_folds

    @property
    def chosen_learner(self) -> Learner:
        return learner_named(self.learner).averaged(self.averaging)

    @property
    def settings(self) -> Settings:
        """The learner's part of the options."""
        chosen = {field.name: getattr(self, field.name) for field in fields_of(Settings)}
        if chosen["C"] is None and self.chosen_learner.opponent == "lookahead":
            chosen["C"] = MARGIN
        return Settings(**chosen)

    @property
    def most_epochs(self) -> int:
        return self.epochs or self.chosen_learner.epochs


def check_depth(depth: int | None) -> None:
    """Refuse what would take longer than anyone waits."""
    least, most = LIMITS["depth"]
    if depth is not None and (type(depth) is not int or not least <= depth <= most):
        raise ConfigError(f"depth: expected a whole number from {least} to {most} for a parser, got {depth!r}")


def checked_parser_options(options: Mapping[str, object]) -> ParserOptions:
    unknown = set(options) - set(ParserOptions.__dataclass_fields__)
    if unknown:
        raise unknown_name("option of a parser", min(unknown), ParserOptions.__dataclass_fields__)
    return ParserOptions(**options)  # type: ignore[arg-type]
