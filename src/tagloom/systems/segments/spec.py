"""SegmentSpec: every choice behind a segment tagger, as one frozen value that is written into its file as JSON."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from tagloom.corpus.schemes import SCHEMES, Scheme, get_scheme
from tagloom.evaluate import Signature
from tagloom.features.segment_templates import SegmentTemplateSet, restore_segment_templates
from tagloom.features.stored_templates import Templates, TemplateText
from tagloom.learners import LEARNERS
from tagloom.schema import Field, limits
from tagloom.systems.segments.options import LONGEST
from tagloom.systems.spec import Settings, Spec, shorten_number

_SCHEMES = tuple(SCHEMES)


@dataclass(frozen=True, kw_only=True, repr=False)
class SegmentSpec(Spec):
    """What a model was made of and from. Labels, weights and word lists stand beside it, as arrays."""

    system: ClassVar[str] = "segments"

    templates: Templates
    segment_templates: Annotated[
        SegmentTemplateSet,
        Field("Templates of segments.", stored=TemplateText, restore=restore_segment_templates),
    ]
    label: Annotated[str, Field("Name of the label column.")]
    scheme: Annotated[str, Field("Scheme of the labels in which tokens are scored.", choices=_SCHEMES)]
    written_scheme: Annotated[str, Field("Scheme of the labels that it writes.", choices=_SCHEMES)]
    longest: Annotated[int, Field("Most tokens of a segment with features.", *LONGEST)]
    learner: Annotated[str, Field("Name of the learner.")]
    settings: Settings = field(default_factory=dict)
    costs: Annotated[
        dict[str, dict[str, float]],
        Field("Costs of (gold, other label) that are not 1.", most=limits.MOST_LABELS),
    ] = field(default_factory=dict)
    cutoff: Annotated[int, Field("Times that a feature of tokens had to occur.", low=0)] = 1
    segment_cutoff: Annotated[int, Field("Times that a feature of segments had to occur.", low=0)] = 1

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        costs = {"cost": f"{zlib.crc32(json.dumps(self.costs, sort_keys=True).encode()):08x}"} if self.costs else {}
        settings = sorted({**self.settings, **costs, "longest": self.longest}.items())
        return Signature(
            system=self.system,
            learner=",".join([self.learner, *(f"{name}={shorten_number(value)}" for name, value in settings)]),
            passes=self.best_epoch or None,
            templates=f"{self.templates.name}+{self.segment_templates.name}",
            scheme=self.scheme if self.scheme != self.written_scheme else None,
            seed=self.seed,
            data=self.data,
            version=self.version,
        )

    @property
    def decided(self) -> Scheme:
        """The scheme of the labels in which tokens are scored."""
        return get_scheme(self.scheme)

    @property
    def written(self) -> Scheme:
        """The scheme of the labels that the model writes."""
        return get_scheme(self.written_scheme)

    @property
    def has_likelihood(self) -> bool:
        """Whether the scores are log probabilities, up to a constant of the sentence."""
        return self.learner in LEARNERS and LEARNERS[self.learner].has_likelihood

    def to_values(self) -> dict[str, Any]:
        """Convert to plain values."""
        own = {"name": self.segment_templates.name, "text": str(self.segment_templates)}
        return {**super().to_values(), "segment_templates": own}
