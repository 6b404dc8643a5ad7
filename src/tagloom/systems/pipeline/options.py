"""Options of pipelines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.systems.options import DATA, Row, TrainingOptions

#: What a pipeline can learn, in the order in which it is predicted.
TOKENS, UPOS, XPOS, FEATS, LEMMA, TREES = PARTS = ("tokens", "upos", "xpos", "feats", "lemma", "trees")
_SYSTEMS = {TOKENS: "tokenizer", **dict.fromkeys((UPOS, XPOS, FEATS, LEMMA), "tagger"), TREES: "parser"}
WHOLE, ATTRIBUTES = FEATS_KINDS = ("whole", "attributes")


@dataclass(frozen=True, kw_only=True)
class PipelineOptions(TrainingOptions):
    """Options of training a pipeline. ``options`` has those of its parts."""

    noun: ClassVar[str] = "pipeline"

    parts: Annotated[
        str | None,
        Row("What to learn, joined by commas: tokens, upos, xpos, feats, lemma, trees. Default: what the data has.",
            expects="names joined by commas", metavar="NAMES", panel=DATA),
    ] = None  # fmt: skip
    feats: Annotated[
        str,
        Row("Morphological features: as one label (whole), or one label per attribute.", choices=FEATS_KINDS,
            metavar="KIND"),
    ] = WHOLE  # fmt: skip
    folds: Annotated[
        int, Row("Folds of jackknifing the tags that other parts read.", low=2, high=1000, metavar="N")
    ] = 5
    options: Annotated[
        Mapping[str, Mapping[str, object]],
        Row("Options of parts by name. On the command line --set upos.NAME=VALUE.", expects="options by part", flag="",
            parts=_SYSTEMS),
    ] = field(default_factory=dict)  # fmt: skip

    def check(self) -> None:
        """Check the names of parts."""
        for name in [*self.chosen_parts, *self.options]:
            if name not in PARTS:
                raise unknown_name("part of a pipeline", name, PARTS)
        for name in ("attributes", "sentence_attributes", "document_attributes"):
            if getattr(self, name):
                raise ConfigError(
                    f"{name}: pass them to the part that reads them: options={{'upos': {{{name!r}: ...}}}}"
                )
        for name, values in self.options.items():
            if not isinstance(values, Mapping):
                raise ConfigError(f"options: {name}: expected options by name, got {show_value(values)}")

    @property
    def chosen_parts(self) -> tuple[str, ...]:
        """The parts that were named; none if the data decides."""
        return tuple(filter(None, map(str.strip, (self.parts or "").split(","))))

    @property
    def most_epochs(self) -> int:
        """A pipeline itself learns nothing: its parts do."""
        return 1
