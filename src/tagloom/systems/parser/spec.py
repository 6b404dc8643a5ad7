"""ParserSpec: every choice behind a parser, as one frozen value that is written into the model file as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from tagloom.corpus import layers
from tagloom.corpus.layers import Layer
from tagloom.errors import ConfigError
from tagloom.evaluate import Signature
from tagloom.features.state_templates import StateTemplateSet, restore_state_templates
from tagloom.structures.projective import NON_PROJECTIVE, SKIP
from tagloom.systems.options import SEARCH, Row, SearchOptions
from tagloom.systems.spec import Spec, restore_shared, shorten_number

GOLD, PREDICTED = "gold", "predicted"
TAGS = {
    PREDICTED: "a tagger is trained on them and goes into the model; the parser learns from jackknifed tags",
    GOLD: "as they stand in their column, in training and in use",
}
#: Least and most. Unlike states of a tagger, those of a parser do not meet again: time is exponential in the depth.
LIMITS = {"depth": (0, 16), "beam": (1, 100_000)}
_NUMBER = {"metavar": "N", "panel": SEARCH}


@dataclass(frozen=True, kw_only=True, repr=False)
class ParserSearch(SearchOptions):
    """Options of parsing: how a parser decides."""

    noun: ClassVar[str] = "parser"

    depth: Annotated[
        int | None,
        Row("Number of actions to look ahead. Default: the model's.", low=0, high=LIMITS["depth"][1], **_NUMBER),
    ] = None
    beam: Annotated[
        int | None,
        Row("Number of hypotheses of a beam. Default: the model's.", low=1, high=LIMITS["beam"][1], **_NUMBER),
    ] = None


def check_depth(depth: int | None) -> None:
    """Raise :class:`ConfigError` for a depth that would take too long."""
    least, most = LIMITS["depth"]
    if depth is not None and (type(depth) is not int or not least <= depth <= most):
        raise ConfigError(f"depth: expected a whole number from {least} to {most} for a parser, got {depth!r}")


@dataclass(frozen=True, kw_only=True, repr=False)
class ParserSpec(Spec):
    """What a parser was made of and from. Relations, weights and word lists stand beside it, as arrays."""

    system: ClassVar[str] = "parser"

    templates: StateTemplateSet
    tag: str  # column of part-of-speech tags
    tags: str  # "predicted" by the tagger in the model, or "gold"
    head: str
    relation: str
    root: str | None  # relation of the root; None: trees have no relations
    learner: str
    non_projective: str
    settings: dict[str, float | str] = field(default_factory=dict)  # of the learner, where they are not its defaults
    search: dict[str, int] = field(default_factory=dict)  # depth or beam

    @property
    def has_relations(self) -> bool:
        """Whether trees have relations."""
        return self.root is not None

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The columns that the parser adds to a corpus: heads and relations."""
        relations = (Layer(self.relation, layers.RELATIONS),) if self.has_relations else ()
        return (Layer(self.head, layers.HEADS), *relations)

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        restrictions = [] if self.has_relations else ["no-relations"]
        restrictions += ["no-non-projective"] if self.non_projective == SKIP else []
        settings = [f"{name}={shorten_number(value)}" for name, value in sorted(self.settings.items())]
        return Signature(
            system=",".join([self.system, *restrictions]),
            learner=",".join([self.learner, *settings]),
            passes=self.best_epoch or None,
            templates=f"{self.templates.name},tags={self.tags}",
            search=",".join(f"{name}={number}" for name, number in self.search.items()),
            seed=self.seed,
            data=self.data,
            version=self.version,
        )

    def to_values(self) -> dict[str, Any]:
        """Convert to plain values."""
        return {**super().to_values(), "templates": {"name": self.templates.name, "text": str(self.templates)}}

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> ParserSpec:
        """Build from plain values; raises a built-in error or ConfigError where they make no sense."""
        return cls(**{**restore_shared(values), "templates": restore_state_templates(values["templates"])})

    def check(self) -> None:
        """Raise ValueError on values that no training gives."""
        super().check()
        texts = [self.tag, self.head, self.relation, self.learner, "" if self.root is None else self.root]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("names must be texts")
        if self.tag not in self.columns:
            raise ValueError("tags are not among the columns")
        if self.tags not in TAGS or self.non_projective not in NON_PROJECTIVE:
            raise ValueError("unknown tags, or unknown way with non-projective trees")
        if set(self.search) not in ({"depth"}, {"beam"}):
            raise ValueError("no such search")
        ((name, number),) = self.search.items()
        if type(number) is not int or not LIMITS[name][0] <= number <= LIMITS[name][1]:
            raise ValueError("no such search")
        if not all(isinstance(value, (int, float, str)) for value in self.settings.values()):
            raise ValueError("settings of the learner must be numbers and names")
