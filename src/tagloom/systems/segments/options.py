"""Options of training segment taggers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Annotated, ClassVar

from tagloom.corpus.schemes import get_scheme
from tagloom.errors import ConfigError
from tagloom.features import TemplateSet, load_templates
from tagloom.features.segment_templates import SegmentTemplateSet, load_segment_templates
from tagloom.learners import LEARNERS, Learner, Settings, get_learner
from tagloom.systems.options import COLUMN, FEATURES, TEMPLATES, Resources, Row, TrainingOptions
from tagloom.systems.resources import choose_seed
from tagloom.systems.tagger.options import Epochs, TaggerOptions

#: Least and most tokens of a segment with features.
LONGEST = (2, 100)
#: The limit without a statement of the user: time and memory grow with it, and few spans are longer.
LONGEST_DEFAULT = 20
DEFAULT_LEARNER = "sgd"
_OPPONENTS = ("best", "cost-augmented", "predicted", "expected")
_UINT32 = 2**32 - 1
_NUMBER = {"metavar": "N", "panel": FEATURES, "shapes_features": True}


def fits_segments(learner: Learner) -> bool:
    """Tell whether a learner compares gold with other segmentations, found by search or by forward-backward."""
    return learner.opponent in _OPPONENTS and learner.step != "madf"


SEGMENT_LEARNERS: Sequence[str] = tuple(name for name, learner in LEARNERS.items() if fits_segments(learner))


@dataclass(frozen=True, kw_only=True, repr=False)
class SegmentOptions(TrainingOptions, Settings):
    """Options of training a segment tagger. The settings of its learner are among them."""

    noun: ClassVar[str] = "segment tagger"

    epochs: Epochs = None
    label: Annotated[
        str | None, Row("Column of the labels that write the segments. Default: label, or the last column.", **COLUMN)
    ] = None
    scheme: Annotated[str | None, Row(
        "Label scheme in which tokens are scored, such as BIOES or IOB2. The model always writes the scheme of the "
        "training data.", expects="the name of a label scheme", metavar="NAME", shapes_features=True,
    )] = "BIOES"  # fmt: skip
    templates: Annotated[
        str | os.PathLike[str] | TemplateSet | None,
        Row("Templates of tokens. Default: chosen from the labels and columns, as for taggers.", **TEMPLATES),
    ] = None
    segment_templates: Annotated[str | os.PathLike[str] | SegmentTemplateSet | None, Row(
        "Templates of segments: a shipped set, a file or template text. Default: entities, and the entries of the "
        "resource gazetteer, if there is one.", expects="a name, a file or template text", metavar="NAME|FILE",
        panel=FEATURES, shapes_features=True,
    )] = None  # fmt: skip
    longest: Annotated[int | None, Row(
        "Most tokens of a segment that has features of its own; longer ones are scored by their tokens. Default: as "
        f"many as the longest segment of the training data has, at most {LONGEST_DEFAULT}.", low=LONGEST[0],
        high=LONGEST[1], **_NUMBER,
    )] = None  # fmt: skip
    resources: Resources = field(default_factory=dict)
    learner: Annotated[str | Learner | None, Row(
        f"Learner: {', '.join(SEGMENT_LEARNERS)}. Default: {DEFAULT_LEARNER}, a semi-Markov CRF.",
        expects="a name or a Learner", metavar="NAME",
    )] = None  # fmt: skip
    cutoff: Annotated[int, Row("Drop features of tokens that occur less often.", low=1, high=_UINT32, **_NUMBER)] = 1
    segment_cutoff: Annotated[
        int, Row("Drop features of segments that occur less often in gold segments.", low=1, high=_UINT32, **_NUMBER)
    ] = 1

    def check(self) -> None:
        """Check names and the settings of the learner."""
        if self.scheme is not None:
            get_scheme(self.scheme)
        if self.templates is not None:
            load_templates(self.templates)
        if self.segment_templates is not None:
            load_segment_templates(self.segment_templates)
        learner = self.chosen_learner
        if not fits_segments(learner):
            raise ConfigError(
                f"learner {learner.name!r} does not learn segments; choose one of {', '.join(SEGMENT_LEARNERS)}"
            )
        self.settings.of(learner)

    @property
    def feature_seed(self) -> int | None:
        """The seed, if a share of training entities is drawn for the training data to see."""
        return choose_seed(self.resources, self.seed)

    @property
    def chosen_learner(self) -> Learner:
        """The learner with its averaging."""
        return get_learner(self.learner or DEFAULT_LEARNER).with_averaging(self.averaging)

    @property
    def settings(self) -> Settings:
        """The learner's part of the options."""
        return Settings(**{each.name: getattr(self, each.name) for each in fields(Settings)})

    @property
    def most_epochs(self) -> int:
        """The number of passes after which training ends at the latest."""
        return self.epochs or self.chosen_learner.epochs

    @cached_property
    def of_tokens(self) -> TaggerOptions:
        """The same choices for the labels and features of tokens, which are those of a tagger."""
        shared = {each.name for each in fields(TaggerOptions)} & {each.name for each in fields(self)}
        return TaggerOptions(**{**{name: getattr(self, name) for name in shared}, "learner": self.chosen_learner})
