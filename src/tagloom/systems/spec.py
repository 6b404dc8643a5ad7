"""Spec: what a model was made of and from, as one frozen value that is written into its file as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tagloom._core import MAX_OFFSET
from tagloom._version import __version__
from tagloom.evaluate import Signature
from tagloom.features import Part, Resource, Template, TemplateSet, Vocabulary
from tagloom.features.wapiti import MacroPart
from tagloom.files.checkpoint import EpochRecord, compute_checksum

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.systems.learning import Learned
    from tagloom.systems.options import TrainingOptions

#: How much of a resource is built from training data: all of it, all of its named lists, or a part.
WHOLE, LISTS, PART = BUILT = ("whole", "lists", "part")

SpecT = TypeVar("SpecT", bound="Spec")


@dataclass(frozen=True, kw_only=True, repr=False)
class Spec:
    """The choices that all systems have. Weights, labels and word lists stand beside it, as arrays."""

    system: ClassVar[str]

    columns: tuple[str, ...]  # of the training corpus that features may read
    seed: int  # of the training
    data: str  # checksum of the training corpus
    version: str  # of the library
    normal_form: str | None = None  # Unicode normal form in which the model reads words; None: as they are
    word_functions: tuple[str, ...] = ()  # names of the user's attributes of words
    sentence_functions: tuple[str, ...] = ()  # names of the user's attributes of tokens in a sentence
    resources: dict[str, list[str]] = field(default_factory=dict)  # names of the lists of every resource
    built_resources: dict[str, str] = field(default_factory=dict)  # those built from training data: one of BUILT each
    epochs: int = 0  # most passes that the training could make; 0 if not known
    history: tuple[EpochRecord, ...] = ()  # what every pass did
    best_epoch: int = 0  # the pass whose weights were kept

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>"

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        raise NotImplementedError

    @property
    def trained_epochs(self) -> int:
        """Passes that train the same model again: the pass that development data chose, or else all of them."""
        if any(record.dev_score is not None for record in self.history):
            return self.best_epoch
        return self.epochs or max(self.best_epoch, 1)  # an interrupted training may have none

    def build_vocabulary(self, resources: Mapping[str, Resource], functions: Mapping[str, Any] | None) -> Vocabulary:
        """Build the vocabulary of the features; a function that is not given is missed only where it is called."""
        known = functions or {}
        words, sentences = ({name: known.get(name) for name in names}
                            for names in (self.word_functions, self.sentence_functions))  # fmt: skip
        return Vocabulary(self.columns, frozenset(), words, sentences, resources)

    def to_values(self) -> dict[str, Any]:
        """Convert to plain values."""
        return asdict(self)

    @classmethod
    def from_values(cls: type[SpecT], values: dict[str, Any]) -> SpecT:
        """Build from plain values; raises a built-in error or ConfigError where they make no sense."""
        return cls(**restore_shared(values))

    def to_json(self) -> str:
        """Convert to JSON."""
        return json.dumps(self.to_values(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls: type[SpecT], text: str) -> SpecT:
        """Build from JSON; raises a built-in error or ConfigError on anything that ``to_json`` does not write."""
        spec = cls.from_values(json.loads(text))
        spec.check()
        return spec

    def check(self) -> None:
        """Raise ValueError on values that no training gives."""
        names = [*self.columns, *self.word_functions, *self.sentence_functions]
        if not self.columns or not all(isinstance(name, str) for name in names):
            raise ValueError("names must be texts")
        if self.normal_form not in (None, "NFC", "NFKC"):
            raise ValueError(f"unknown normal form {self.normal_form!r}")
        built = self.built_resources
        if not set(built) <= set(self.resources) or not set(built.values()) <= set(BUILT):
            raise ValueError(f"resources built from training data: {built!r}")
        if type(self.epochs) is not int or self.epochs < 0:
            raise ValueError(f"{self.epochs!r} epochs")


def list_shared(vocabulary: Vocabulary, options: TrainingOptions, learned: Learned) -> dict[str, Any]:
    """List the values of a spec that come from the vocabulary, the shared options and the passes of a training."""
    return {
        "columns": vocabulary.columns,
        "seed": options.seed,
        "version": __version__,
        "word_functions": tuple(vocabulary.word_functions),
        "sentence_functions": tuple(vocabulary.sentence_functions),
        "resources": {name: list(resource.names) for name, resource in vocabulary.resources.items()},
        "epochs": len(learned.history) if learned.interrupted else options.most_epochs,
        "history": learned.history,
        "best_epoch": learned.best_epoch,
    }


def identify_shared(
    system: str, corpus: Corpus, dev: Corpus | None, normal_form: str | None, vocabulary: Vocabulary
) -> dict[str, str]:
    """List what decides what is learned in every system: version, data, resources and the user's functions."""
    resources = vocabulary.resources
    return {
        "tagloom": __version__,
        "system": system,
        "data": corpus.checksum(),
        "dev": "none" if dev is None else dev.checksum(),
        "normal form": str(normal_form),
        "resources": compute_checksum(a for name in sorted(resources) for a in resources[name].to_tensors().values()),
        "functions": " ".join([*vocabulary.word_functions, *vocabulary.sentence_functions]),
    }


def restore_shared(values: Mapping[str, Any]) -> dict[str, Any]:
    """Turn lists of JSON back into the tuples and records of a spec."""
    found = dict(values)
    found["history"] = tuple(EpochRecord(**record) for record in values["history"])
    for name in ("columns", "word_functions", "sentence_functions"):
        if not isinstance(values[name], list):
            raise TypeError(f"{name} is not a list")
        found[name] = tuple(values[name])
    return found


def restore_templates(values: dict[str, Any]) -> TemplateSet:
    """Build a template set from plain values; raises a built-in error on anything else."""
    templates = [
        Template(tuple(map(_restore_part, template["parts"])), template["edge"], template["tag"])
        for template in values["templates"]
    ]
    return TemplateSet(values["name"], tuple(templates), values["transitions"])


def _restore_part(values: dict[str, Any]) -> Part:
    part = MacroPart(**values) if "command" in values else Part(**values)
    if not -MAX_OFFSET <= part.offset <= MAX_OFFSET:
        raise ValueError(f"template offset {part.offset} out of range")
    return part


def shorten_number(value: float | str) -> str:
    """Write a setting as signatures do."""
    return value if isinstance(value, str) else f"{value:g}"
