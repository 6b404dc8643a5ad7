"""ParserSpec: every choice behind a parser, as one frozen value that is written into the model file as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from tagloom.corpus import layers
from tagloom.corpus.layers import Layer
from tagloom.errors import ConfigError
from tagloom.evaluate import Signature
from tagloom.features.state_templates import StateTemplateSet, restore_state_templates
from tagloom.features.stored_templates import TemplateText
from tagloom.schema import Field, Misfit
from tagloom.structures.projective import NON_PROJECTIVE, SKIP
from tagloom.systems.options import SEARCH, Row, SearchOptions
from tagloom.systems.spec import Settings, Spec, shorten_number

GOLD, PREDICTED = "gold", "predicted"
TAGS = {
    PREDICTED: "a tagger is trained on them and goes into the model; the parser learns from jackknifed tags",
    GOLD: "as they stand in their column, in training and in use",
}
ARC_STANDARD, ARC_HYBRID = "arc-standard", "arc-hybrid"
TRANSITIONS = {
    ARC_STANDARD: "arcs join the two topmost subtrees of the stack (Nivre 2004)",
    ARC_HYBRID: "arcs to the left come from the first word of the queue (Kuhlmann et al. 2011)",
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


#: Most sequences of actions that one decision may look at.
MOST_FUTURES = 1 << 21


def check_depth(depth: int | None, relations: int = 1) -> None:
    """Raise :class:`ConfigError` for a depth that would take too long with a number of relations."""
    least, most = LIMITS["depth"]
    if depth is None:
        return
    if type(depth) is not int or not least <= depth <= most:
        raise ConfigError(f"depth: expected a whole number from {least} to {most} for a parser, got {depth!r}")
    actions = 2 * relations + 1  # shift, and two arcs per relation
    if actions**depth > MOST_FUTURES:
        fitting = next(less for less in range(depth, -1, -1) if actions**less <= MOST_FUTURES)
        raise ConfigError(
            f"depth: {depth} of {actions} actions are more than {MOST_FUTURES:,} sequences per decision; "
            f"choose at most {fitting}"
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class ParserSpec(Spec):
    """What a parser was made of and from. Relations, weights and word lists stand beside it, as arrays."""

    system: ClassVar[str] = "parser"

    templates: Annotated[
        StateTemplateSet, Field("Templates of states.", stored=TemplateText, restore=restore_state_templates)
    ]
    tag: Annotated[str, Field("Column of part-of-speech tags; one of `columns`.")]
    tags: Annotated[str, Field("Where tags come from.", choices=TAGS)]
    head: Annotated[str, Field("Column of heads.")]
    relation: Annotated[str, Field("Column of relations.")]
    root: Annotated[str | None, Field("Relation of the root; null: trees have no relations.")]
    learner: Annotated[str, Field("Name of the learner.")]
    non_projective: Annotated[str, Field("What was done with non-projective trees.", choices=NON_PROJECTIVE)]
    transitions: Annotated[str, Field("Transition system.", choices=TRANSITIONS)]
    settings: Settings = field(default_factory=dict)
    search: Annotated[
        dict[str, int],
        Field("Either `depth` (0 to 16 actions to look ahead) or `beam` (1 to 100,000 hypotheses).", 0, 100_000, 1, 1),
    ] = field(default_factory=dict)

    @property
    def has_relations(self) -> bool:
        """Whether trees have relations."""
        return self.root is not None

    @property
    def is_hybrid(self) -> bool:
        """Whether the transition system is arc-hybrid."""
        return self.transitions == ARC_HYBRID

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
        restrictions += [self.transitions] if self.is_hybrid else []
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

    def check(self) -> None:
        """Raise :class:`Misfit` for values that do not fit each other."""
        super().check()
        if self.tag not in self.columns:
            raise Misfit("spec.tag", "one of the columns", self.tag)
        ((name, number),) = self.search.items()
        if name not in LIMITS:
            raise Misfit("spec.search", " or ".join(LIMITS), name)
        least, most = LIMITS[name]
        if not least <= number <= most:
            raise Misfit(f"spec.search.{name}", f"a whole number from {least} to {most:,}", number)
