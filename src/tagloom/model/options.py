"""Options: the choices of a training run, with their defaults and checks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import fields as fields_of

from tagloom.errors import ConfigError
from tagloom.features import Source, TemplateSet
from tagloom.features.attributes import SentenceFunction, WordFunction
from tagloom.learners import Learner, Settings, learner_named
from tagloom.model.numbers import MOST_THREADS, check_whole_number

_UINT32 = 2**32 - 1  # counts and rows are 32 bits wide in the core

# name: least, most
_WHOLE_NUMBERS: Mapping[str, tuple[int, int | None]] = {
    "patience": (1, None),
    "seed": (0, None),
    "threads": (1, MOST_THREADS),
    "cutoff": (1, _UINT32),
    "buckets": (0, _UINT32),
}
# name: its types, in words
_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "templates": ((str, os.PathLike, TemplateSet, type(None)), "a name, a file or template text"),
    "learner": ((str, Learner), "a name or a Learner"),
    "averaging": ((str, type(None)), "a name"),
    "label": ((str, type(None)), "the name of a column"),
    "scheme": ((str, type(None)), "the name of a label scheme"),
    "attributes": ((Mapping,), "functions by name"),
    "sentence_attributes": ((Mapping,), "functions by name"),
    "resources": ((Mapping,), "files by name"),
}


@dataclass(frozen=True)
class Options(Settings):
    """The choices of a training run: what :func:`tagloom.train` takes by keyword. The learner's settings come first."""

    templates: str | os.PathLike[str] | TemplateSet | None = None
    learner: str | Learner = "averaged-perceptron"
    label: str | None = None
    scheme: str | None = None
    epochs: int | None = None
    patience: int = 5
    seed: int = 1
    threads: int = 1
    cutoff: int = 1
    buckets: int = 0
    edge_pairs: str = "seen"
    names: bool = True
    attributes: Mapping[str, WordFunction] = field(default_factory=dict)
    sentence_attributes: Mapping[str, SentenceFunction] = field(default_factory=dict)
    resources: Mapping[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, limits in _WHOLE_NUMBERS.items():
            check_whole_number(name, getattr(self, name), *limits)
        for name, (types, expected) in _TYPES.items():
            if not isinstance(getattr(self, name), types):
                raise ConfigError(f"{name}: expected {expected}, got {getattr(self, name)!r}")
        if self.edge_pairs not in ("seen", "all"):
            raise ConfigError(f"edge_pairs: expected 'seen' or 'all', got {self.edge_pairs!r}")
        if self.epochs is not None:
            check_whole_number("epochs", self.epochs, 1)
        self.settings.of(self.chosen_learner)

    @property
    def chosen_learner(self) -> Learner:
        return learner_named(self.learner).averaged(self.averaging)

    @property
    def settings(self) -> Settings:
        """The learner's part of the options."""
        return Settings(**{field.name: getattr(self, field.name) for field in fields_of(Settings)})

    @property
    def most_epochs(self) -> int:
        return self.epochs or self.chosen_learner.epochs
