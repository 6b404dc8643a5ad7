"""Options: the choices of a training run, with their defaults and checks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as fields_of

from tagloom.errors import ConfigError, unknown_name
from tagloom.features import DocumentFunction, Source, TemplateSet
from tagloom.features.attributes import SentenceFunction, WordFunction
from tagloom.learners import Learner, Settings, learner_named, search_of
from tagloom.structures.consistency import FAMILIES, checked_families
from tagloom.structures.history import LEFT_TO_RIGHT, HistorySearch
from tagloom.structures.sequences import DOCUMENTS, SENTENCES, SEQUENCES
from tagloom.systems.numbers import MOST_CANDIDATES, MOST_THREADS, check_whole_number

_UINT32 = 2**32 - 1  # counts and rows are 32 bits wide in the core

# name: least, most
_WHOLE_NUMBERS: Mapping[str, tuple[int, int | None]] = {
    "patience": (1, None),
    "seed": (0, None),
    "threads": (1, MOST_THREADS),
    "cutoff": (1, _UINT32),
    "buckets": (0, _UINT32),
    "candidates": (1, MOST_CANDIDATES),
    "tag_dictionary": (0, _UINT32),
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
    "document_features": ((str, Sequence, type(None)), "names"),
    "document_functions": ((Mapping,), "functions by name"),
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
    sequences: str | None = None
    document_features: str | Sequence[str] | None = None
    document_functions: Mapping[str, DocumentFunction] = field(default_factory=dict)
    candidates: int = 100
    tag_dictionary: int = 0

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
        self._check_documents()

    def _check_documents(self) -> None:
        learner = self.chosen_learner
        if self.sequences is not None and self.sequences not in SEQUENCES:
            raise unknown_name("sequences", str(self.sequences), SEQUENCES)
        if self.chosen_sequences == DOCUMENTS and (learner.has_likelihood or learner.is_history_based):
            raise ConfigError(
                f"learner {learner.name!r} learns from sentences: sequences must be 'sentences' or 'joined', "
                "got 'documents'"
            )
        for name in ("document_features", "document_functions"):
            if getattr(self, name) and getattr(self, name) != "none" and not learner.sees_documents:
                raise ConfigError(
                    f"learner {learner.name!r} has no {name!r}; it goes with nonlocal-perceptron, "
                    "candidate-perceptron, reranking-1 and reranking-2"
                )
        if learner.sees_documents and not self.families and not self.document_functions:
            raise ConfigError(f"learner {learner.name!r}: expected document features or document functions, got none")
        taken = {**dict.fromkeys(FAMILIES, "document feature"), **dict.fromkeys(self.attributes, "attribute"),
                 **dict.fromkeys(self.sentence_attributes, "sentence attribute")}  # fmt: skip
        for name in self.document_functions:
            if name in taken:
                raise ConfigError(f"document function {name!r}: a {taken[name]} is called so; choose another name")
        for name, function in self.document_functions.items():
            if function is None:
                raise ConfigError(f"the model needs its function {name!r}: load it with functions={{{name!r}: ...}}")
            if not callable(function):
                raise ConfigError(f"document function {name!r}: expected a function, got {function!r:.60}")
        checked_families(self.families)

    @property
    def chosen_sequences(self) -> str:
        return self.sequences or (DOCUMENTS if self.chosen_learner.sees_documents else SENTENCES)

    @property
    def search(self) -> HistorySearch | None:
        """How a history-based learner decides, in learning and in use."""
        learner = self.chosen_learner
        return search_of(learner, self.settings.of(learner)) if learner.is_history_based else None

    @property
    def order(self) -> tuple[str, int]:
        """Direction and history: which other labels a label is scored with."""
        search = self.search
        return (LEFT_TO_RIGHT, 1) if search is None else (search.direction, search.history)

    @property
    def layout(self) -> tuple[str, str, int]:
        """In what trainings differ that share the rows of their features: sequences, direction, history."""
        return (self.chosen_sequences, *self.order)

    @property
    def families(self) -> tuple[str, ...]:
        """The native non-local features; all of them, unless the user says otherwise."""
        if not self.chosen_learner.sees_documents:
            return ()
        if self.document_features is None:
            return FAMILIES
        names = () if self.document_features == "none" else self.document_features
        return tuple(filter(None, map(str.strip, names.split(",")))) if isinstance(names, str) else tuple(names)

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
