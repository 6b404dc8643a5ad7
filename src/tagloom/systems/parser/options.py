"""Options of parsers: the choices of a training, and those of a search."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from tagloom.corpus.trees import HEAD, RELATION
from tagloom.errors import ConfigError, unknown_name
from tagloom.features.state_templates import RESERVED, StateTemplateSet
from tagloom.learners import Learner, Settings, get_learner
from tagloom.learners.learner import SEARCHING_OPPONENTS
from tagloom.structures.projective import LIFT, NON_PROJECTIVE
from tagloom.systems.options import COLUMN, DATA, TEMPLATES, Resources, Row, TrainingOptions, list_options
from tagloom.systems.parser.spec import ARC_HYBRID, ARC_STANDARD, GOLD, PREDICTED, TAGS, TRANSITIONS, check_depth
from tagloom.systems.resources import choose_seed
from tagloom.systems.tagger.options import Epochs, TaggerOptions

#: C of lookahead: a state has several times as many features as a token of a tagger.
MARGIN = 100.0
#: Learners, and the templates of the transition systems.
BEAM, LOOKAHEAD = "beam-perceptron", "lookahead-perceptron"
STANDARD, HYBRID = "parsing", "parsing-hybrid"
#: Options of the tagger that the parser sets, and the options that set them.
_NOT_OF_TAGGERS = {"label": "tag", "folds": "tag_folds"}


@dataclass(frozen=True, kw_only=True, repr=False)
class ParserOptions(TrainingOptions):
    """Options of training a parser. Those without a row are settings of its learner."""

    noun: ClassVar[str] = "parser"

    epochs: Epochs = None
    templates: Annotated[
        str | os.PathLike[str] | StateTemplateSet | None,
        Row("State templates: parsing, parsing-extended, zhang-nivre, huang-sagae, a file or a text. Default: parsing, "
            "or parsing-hybrid for arc-hybrid.", **TEMPLATES),
    ] = None  # fmt: skip
    resources: Resources = field(default_factory=dict)
    learner: Annotated[
        str | Learner | None,
        Row("Learner: beam-perceptron or lookahead-perceptron. Default: beam-perceptron; lookahead-perceptron if "
            "depth, C or exploration is set.", expects="a name or a Learner", metavar="NAME"),
    ] = None  # fmt: skip
    head: Annotated[str, Row("Column of the heads.", **COLUMN)] = HEAD
    relation: Annotated[str, Row("Column of the relations.", **COLUMN)] = RELATION
    relations: Annotated[bool, Row("Learn relations, not only heads.", panel=DATA, shapes_features=True)] = True
    tag: Annotated[str | None, Row("Column of part-of-speech tags. Default: upos, pos or xpos.", **COLUMN)] = None
    tags: Annotated[
        str,
        Row("Where tags come from: predicted (a tagger is trained and goes into the model) or gold.",
            choices=TAGS, metavar="KIND", panel=DATA, shapes_features=True),
    ] = PREDICTED  # fmt: skip
    tagger: Annotated[
        Mapping[str, object],
        Row("Options of the tagger that predicts the tags, by name. On the command line --set tagger.NAME=VALUE.",
            expects="options by name", flag="", shapes_features=True),
    ] = field(default_factory=dict)  # fmt: skip
    tag_folds: Annotated[
        int | None,
        Row("Folds of jackknifing the tags of the training data. Default: 10.", low=2, high=1000, metavar="N",
            shapes_features=True),
    ] = None  # fmt: skip
    non_projective: Annotated[
        str,
        Row("Trees that are not projective: lift them (Nivre and Nilsson 2005), or skip them.",
            choices=NON_PROJECTIVE, metavar="NAME", panel=DATA, shapes_features=True),
    ] = LIFT  # fmt: skip
    transitions: Annotated[
        str,
        Row("Transition system: arc-standard, or arc-hybrid, which has a dynamic oracle.", choices=TRANSITIONS,
            metavar="NAME", shapes_features=True),
    ] = ARC_STANDARD  # fmt: skip
    exploration: Annotated[
        int | None,
        Row("Passes after which training follows the parser's own decisions instead of the gold tree. Arc-hybrid with "
            "depth 0 only. Default: never.", low=0, high=1000, metavar="N"),
    ] = None  # fmt: skip

    C: float | None = None
    averaging: str | None = None
    depth: int | None = None
    beam: int | None = None
    update: str | None = None

    def check(self) -> None:
        """Check the learner with its settings, the names of columns and the options of the tagger."""
        for name in RESERVED:
            if name in self.attributes or name in self.sentence_attributes:
                raise ConfigError(f"attribute {name!r}: state templates have this name already; choose another")
        if self.relations and self.relation == self.head:
            raise ConfigError(
                f"relation: {self.relation!r} is the column of the heads; name another, or relations=False"
            )
        self._check_tagger()
        if self.chosen_learner.opponent not in SEARCHING_OPPONENTS:
            raise ConfigError(f"learner {self.chosen_learner.name!r} does not parse; choose {LOOKAHEAD} or {BEAM}")
        check_depth(self.depth)
        self.settings.of(self.chosen_learner)
        numbers = self.settings.of(self.chosen_learner)
        if self.exploration is not None and (self.transitions != ARC_HYBRID or numbers.get("depth") != 0):
            raise ConfigError(
                "exploration: a dynamic oracle needs transitions='arc-hybrid', learner='lookahead-perceptron', depth=0"
            )

    def _check_tagger(self) -> None:
        for name in sorted(map(str, self.tagger)):
            if name in _NOT_OF_TAGGERS:
                raise ConfigError(f"tagger: {name!r} is set by {_NOT_OF_TAGGERS[name]} of the parser; leave it out")
            if name not in list_options(TaggerOptions):
                raise unknown_name("option of the tagger", name, list_options(TaggerOptions))
        for name in ("tagger", "tag_folds"):
            if self.tags == GOLD and getattr(self, name):
                raise ConfigError(f"{name}: with tags='gold' no tagger is trained; leave it out, or predict tags")

    @property
    def feature_seed(self) -> int | None:
        """The seed, if it decides predicted tags or resources."""
        return self.seed if self.tags == PREDICTED else choose_seed(self.resources, self.seed)

    @property
    def chosen_learner(self) -> Learner:
        """The learner with its averaging."""
        ahead = (self.depth, self.C, self.exploration)
        default = BEAM if all(number is None for number in ahead) else LOOKAHEAD
        return get_learner(self.learner or default).with_averaging(self.averaging)

    @property
    def chosen_templates(self) -> str | os.PathLike[str] | StateTemplateSet:
        """The templates. The default reads no relations, so that lookahead has one future per kind of arc."""
        if self.templates is not None:
            return self.templates
        return HYBRID if self.transitions == ARC_HYBRID else STANDARD

    @property
    def settings(self) -> Settings:
        """The learner's part of the options."""
        margin = MARGIN if self.C is None and self.chosen_learner.opponent == "lookahead" else self.C
        return Settings(C=margin, averaging=self.averaging, depth=self.depth, beam=self.beam, update=self.update)

    @property
    def most_epochs(self) -> int:
        """The number of passes after which training ends at the latest."""
        return self.epochs or self.chosen_learner.epochs
