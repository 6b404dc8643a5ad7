"""ParserSpec: every choice behind a parser, as one frozen value that is written into the model file as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from tagloom.evaluate import Signature
from tagloom.features.state_templates import StateTemplateSet, state_templates_from_json
from tagloom.files.records import EpochRecord
from tagloom.structures.projective import NON_PROJECTIVE, SKIP
from tagloom.systems.parser.options import LIMITS, TAGS

SYSTEM = "parser"


@dataclass(frozen=True)
class ParserSpec:
    """What a parser was made of and from. Relations, weights and word lists stand beside it, as arrays."""

    templates: StateTemplateSet
    columns: tuple[str, ...]  # of the corpus that attributes may be of
    tag: str  # column of part-of-speech tags
    tags: str  # "predicted" by the tagger in the model, or "gold"
    head: str
    relation: str
    root: str | None  # relation of the root; None: trees have no relations
    learner: str
    seed: int
    data: str  # checksum of the training corpus
    version: str  # of the library
    non_projective: str
    system: str = SYSTEM
    settings: dict[str, float | str] = field(default_factory=dict)  # of the learner, where they are not its defaults
    search: dict[str, int] = field(default_factory=dict)  # depth or beam
    word_functions: tuple[str, ...] = ()
    sentence_functions: tuple[str, ...] = ()
    resources: dict[str, list[str]] = field(default_factory=dict)  # name -> names of its lists
    history: tuple[EpochRecord, ...] = ()
    best_epoch: int = 0

    @property
    def has_relations(self) -> bool:
        return self.root is not None

    @property
    def signature(self) -> Signature:
        settings = [f"{name}={_short(value)}" for name, value in sorted(self.settings.items())]
        return Signature(
            system=",".join([self.system, *self._restrictions()]),
            learner=",".join([self.learner, *settings]),
            passes=self.best_epoch or None,
            templates=f"{self.templates.name},tags={self.tags}",
            search=",".join(f"{name}={number}" for name, number in self.search.items()),
            seed=self.seed,
            data=self.data,
            version=self.version,
        )

    def _restrictions(self) -> list[str]:
        """What the parser leaves out."""
        skips = ["no-non-projective"] if self.non_projective == SKIP else []
        return skips if self.has_relations else ["no-relations", *skips]

    def to_json(self) -> str:
        templates = {"name": self.templates.name, "text": str(self.templates)}
        return json.dumps({**asdict(self), "templates": templates}, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ParserSpec:
        """The inverse of ``to_json``; raises a built-in error or ConfigError on anything else."""
        values: dict[str, Any] = json.loads(text)
        values["templates"] = state_templates_from_json(values["templates"])
        values["history"] = tuple(EpochRecord(**record) for record in values["history"])
        for name in ("columns", "word_functions", "sentence_functions"):
            values[name] = tuple(values[name])
        spec = cls(**values)
        spec.check()
        return spec

    def check(self) -> None:
        """Raise ValueError on values that no training gives."""
        texts = [*self.columns, *self.word_functions, *self.sentence_functions, self.tag, self.head, self.relation]
        texts += [self.learner, "" if self.root is None else self.root]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("names are texts")
        if self.tag not in self.columns:
            raise ValueError("tags are not among the columns")
        if self.tags not in TAGS or self.non_projective not in NON_PROJECTIVE or self.system != SYSTEM:
            raise ValueError("unknown tags, system or way with non-projective trees")
        if set(self.search) not in ({"depth"}, {"beam"}) or not all(
            type(number) is int and least <= number <= most
            for number, (least, most) in zip(self.search.values(), [LIMITS[name] for name in self.search])
        ):
            raise ValueError("no such search")
        if not all(isinstance(value, (int, float, str)) for value in self.settings.values()):
            raise ValueError("settings of the learner are numbers and names")


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
