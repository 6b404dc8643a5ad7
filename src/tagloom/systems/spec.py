"""Spec: what a model was made of and from, as one frozen value that is written into its file as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

from tagloom._version import __version__
from tagloom.evaluate import Signature
from tagloom.features import Resource, Vocabulary
from tagloom.features.resources import KINDS, is_name
from tagloom.files.checkpoint import History, compute_checksum
from tagloom.schema import Field, Misfit, Text, limits, parse_json, read_record

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.systems.learning import Learned
    from tagloom.systems.options import TrainingOptions

#: How much of a resource is built from training data: all of it, all of its named lists, or a part.
WHOLE, LISTS, PART = BUILT = ("whole", "lists", "part")

_FORMS = ("NFC", "NFKC")
#: Settings of a learner, where they are not its defaults.
Settings = Annotated[
    dict[str, float | str], Field("Settings of the learner that are not its defaults.", most=limits.MOST_SETTINGS)
]

SpecT = TypeVar("SpecT", bound="Spec")


@dataclass(frozen=True, kw_only=True, repr=False)
class Spec:
    """The choices that all systems have. Weights, labels and word lists stand beside it, as arrays."""

    system: ClassVar[str]

    columns: Annotated[
        tuple[str, ...],
        Field("Columns of the training corpus that features may read.", least=1, most=limits.MOST_COLUMNS),
    ]
    seed: Annotated[int, Field("Seed of the training.", low=0, high=limits.LARGEST_SEED)]
    data: Annotated[str, Field("Checksum of the training corpus.")]
    version: Annotated[str, Field("Version of tagloom that trained the model.", length=100)]
    normal_form: Annotated[
        str | None, Field("Unicode normal form in which the model reads words; null: as they are.", choices=_FORMS)
    ] = None
    word_functions: Annotated[
        tuple[str, ...], Field("Names of the user's attributes of words.", most=limits.MOST_FUNCTIONS)
    ] = ()
    sentence_functions: Annotated[
        tuple[str, ...], Field("Names of the user's attributes of tokens in a sentence.", most=limits.MOST_FUNCTIONS)
    ] = ()
    document_attributes: Annotated[
        tuple[str, ...], Field("Names of the user's attributes of tokens in a document.", most=limits.MOST_FUNCTIONS)
    ] = ()
    resources: Annotated[
        dict[str, list[str]], Field("Names of the lists of every resource.", most=limits.MOST_RESOURCES)
    ] = field(default_factory=dict)
    built_resources: Annotated[
        dict[str, str],
        Field("Resources built from training data, and how much of each.", most=limits.MOST_RESOURCES, choices=BUILT),
    ] = field(default_factory=dict)
    epochs: Annotated[int, Field("Most passes that the training could make; 0 if not known.", low=0)] = 0
    history: History = ()
    best_epoch: Annotated[int, Field("The pass whose weights were kept.", low=0, high=limits.MOST_PASSES)] = 0

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
        own = self.word_functions, self.sentence_functions, self.document_attributes
        words, sentences, documents = ({name: known.get(name) for name in names} for names in own)
        return Vocabulary(self.columns, frozenset(), words, sentences, resources, documents)

    def to_values(self) -> dict[str, Any]:
        """Convert to plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Convert to JSON."""
        return json.dumps(self.to_values(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls: type[SpecT], text: str) -> SpecT:
        """Build from JSON; raises :class:`Misfit` or ConfigError on anything that ``to_json`` does not write."""
        spec = read_record(cls, parse_json(text, "spec"), "spec")
        spec.check()
        return spec

    def check(self) -> None:
        """Raise :class:`Misfit` for values that do not fit each other."""
        for name, lists in self.resources.items():
            if not is_name(name):
                raise Misfit("spec.resources", f"names that begin with some of {', '.join(KINDS)}", name)
            if len(lists) > limits.MOST_LISTS:
                raise Misfit(f"spec.resources.{name}", f"at most {limits.MOST_LISTS} lists", lists)
        for name in self.built_resources:
            if name not in self.resources:
                raise Misfit("spec.built_resources", "names of resources", name)
        functions = [*self.word_functions, *self.sentence_functions, *self.document_attributes]
        if len(set(functions)) < len(functions):
            raise Misfit("spec.word_functions", "distinct names", Text("one twice"))
        if len(set(self.columns)) < len(self.columns):
            raise Misfit("spec.columns", "distinct names", Text("one twice"))


def list_shared(vocabulary: Vocabulary, options: TrainingOptions, learned: Learned) -> dict[str, Any]:
    """List the values of a spec that come from the vocabulary, the shared options and the passes of a training."""
    return {
        "columns": vocabulary.columns,
        "seed": options.seed,
        "version": __version__,
        "word_functions": tuple(vocabulary.word_functions),
        "sentence_functions": tuple(vocabulary.sentence_functions),
        "document_attributes": tuple(vocabulary.document_attributes),
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
        "functions": " ".join(
            [*vocabulary.word_functions, *vocabulary.sentence_functions, *vocabulary.document_attributes]
        ),
    }


def shorten_number(value: float | str) -> str:
    """Write a setting as signatures do."""
    return value if isinstance(value, str) else f"{value:g}"
