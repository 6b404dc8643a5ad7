"""ModelSpec: every choice behind a model, as one frozen value that is written into the model file as JSON."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tagloom._core import MAX_OFFSET
from tagloom.corpus.schemes import Scheme, scheme_named
from tagloom.evaluate import Signature
from tagloom.features import Part, Template, TemplateSet
from tagloom.files.records import EpochRecord
from tagloom.structures.consistency import FAMILIES, checked_families
from tagloom.structures.history import LEFT_TO_RIGHT, HistorySearch
from tagloom.structures.sequences import SENTENCES, SEQUENCES
from tagloom.systems.numbers import MOST_CANDIDATES
from tagloom.systems.tagger.rerank.spec import RerankerSpec

#: What of a resource is made of training data: all; all of its lists, which were named; or a part.
WHOLE, LISTS, PART = MADE = ("whole", "lists", "part")


@dataclass(frozen=True)
class ModelSpec:
    """What a model was made of and from. Labels, weights and word lists stand beside it, as arrays."""

    templates: TemplateSet
    columns: tuple[str, ...]  # of the corpus, without the label
    label: str  # name of the label column
    scheme: str | None  # of the labels the model decides on
    written_scheme: str | None  # of the labels it writes: that of the training data
    learner: str
    seed: int
    data: str  # checksum of the training corpus
    version: str  # of the library
    system: str = "chain"
    settings: dict[str, float | str] = field(default_factory=dict)  # of the learner, where they are not its defaults
    costs: dict[str, dict[str, float]] = field(default_factory=dict)  # of (gold, other label), where they are not 1
    cutoff: int = 1
    buckets: int = 0
    bags: tuple[str, ...] = ()
    word_functions: tuple[str, ...] = ()
    sentence_functions: tuple[str, ...] = ()
    resources: dict[str, list[str]] = field(default_factory=dict)  # name -> names of its lists
    made_resources: dict[str, str] = field(default_factory=dict)  # of training data: name -> one of MADE
    edge_pairs: str = "seen"  # label pairs that edge templates have weights for, or "all"
    epochs: int = 0  # most passes that training could make; 0: not known
    history: tuple[EpochRecord, ...] = ()
    best_epoch: int = 0
    sequences: str = SENTENCES  # what is labelled as one
    document_features: tuple[str, ...] = ()  # native families of non-local features
    document_functions: tuple[str, ...] = ()
    candidates: int = 100  # n', among which non-local features choose
    search: HistorySearch | None = None  # of history-based models; None: a chain
    tag_dictionary: int = 0  # words seen so often take only labels seen with them; 0: no word does
    start: str | None = None  # signature of the model that training began from
    reranker: RerankerSpec | None = None  # that chooses among candidates

    @property
    def order(self) -> tuple[str, int]:
        """Direction and history: which other labels a label is scored with."""
        return (LEFT_TO_RIGHT, 1) if self.search is None else (self.search.direction, self.search.history)

    @property
    def signature(self) -> Signature:
        return Signature(
            system=self.system,
            learner=",".join(
                [self.learner, *(f"{name}={_short(value)}" for name, value in sorted(self._stated().items()))]
            ),
            passes=self.best_epoch or None,
            templates=self.templates.name,
            scheme=self.scheme if self.scheme != self.written_scheme else None,
            sequences=self.sequences if self.sequences != SENTENCES else None,
            document_features=self._nonlocal(),
            search=None if self.search is None else str(self.search),
            tag_dictionary=self.tag_dictionary or None,
            reranker=None if self.reranker is None else str(self.reranker),
            seed=self.seed,
            data=self.data,
            start=None if self.start is None else _checksum(str(self.start)),
            version=self.version,
        )

    def _nonlocal(self) -> str | None:
        """Non-local features, "all" for all native ones, with the number of candidates."""
        if not (self.document_features or self.document_functions):
            return None
        native = ("all",) if self.document_features == FAMILIES else self.document_features
        return f"{','.join([*native, *self.document_functions])},n={self.candidates}"

    def _stated(self) -> dict[str, float | str]:
        """The settings, with a checksum of the costs."""
        costs = {"cost": _checksum(json.dumps(self.costs, sort_keys=True))} if self.costs else {}
        return {**self.settings, **costs}

    @property
    def decided(self) -> Scheme | None:
        return scheme_named(self.scheme) if self.scheme else None

    @property
    def written(self) -> Scheme | None:
        return scheme_named(self.written_scheme) if self.written_scheme else None

    def to_json(self) -> str:
        reranker = None if self.reranker is None else self.reranker.to_json()
        return json.dumps({**asdict(self), "reranker": reranker}, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ModelSpec:
        """The inverse of ``to_json``; raises a built-in error or ConfigError on anything else."""
        values = json.loads(text)
        values["templates"] = template_set(values["templates"])
        values["history"] = tuple(EpochRecord(**record) for record in values["history"])
        for name in (
            "columns",
            "bags",
            "word_functions",
            "sentence_functions",
            "document_features",
            "document_functions",
        ):
            values[name] = tuple(values.get(name, ()))
        checked_families(values["document_features"])
        if values.get("sequences", SENTENCES) not in SEQUENCES:
            raise ValueError(f"no sequences {values['sequences']!r}")
        candidates = values.get("candidates", 1)
        if type(candidates) is not int or not 1 <= candidates <= MOST_CANDIDATES:
            raise ValueError(f"{candidates!r} candidates")
        values["search"] = None if values.get("search") is None else HistorySearch(**values["search"])
        least = values.get("tag_dictionary", 0)
        if type(least) is not int or least < 0:
            raise ValueError(f"tag dictionary of words seen {least!r} times")
        if not all(isinstance(value, (int, float, str)) for value in values.get("settings", {}).values()):
            raise ValueError("settings of the learner are numbers and names")
        _check_retraining(values)
        if values.get("reranker") is not None:
            values["reranker"] = RerankerSpec.from_json(values["reranker"])
        for name in ("scheme", "written_scheme"):
            if values[name] is not None:
                scheme_named(values[name])
        return cls(**values)


def _check_retraining(values: Mapping[str, Any]) -> None:
    """What only a training of the same kind on other data looks at."""
    made, epochs = values.get("made_resources", {}), values.get("epochs", 0)
    if not set(made) <= set(values.get("resources", {})) or not set(made.values()) <= set(MADE):
        raise ValueError(f"made resources {made!r}")
    if values.get("edge_pairs", "seen") not in ("seen", "all"):
        raise ValueError(f"edge pairs {values['edge_pairs']!r}")
    if type(epochs) is not int or epochs < 0:
        raise ValueError(f"{epochs!r} epochs")


def _checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"


def _short(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def template_set(values: dict[str, Any]) -> TemplateSet:
    """From JSON; raises a built-in error on anything else."""
    templates = [
        Template(tuple(map(_part, template["parts"])), template["edge"], template["tag"])
        for template in values["templates"]
    ]
    return TemplateSet(values["name"], tuple(templates), values["transitions"])


def _part(values: dict[str, Any]) -> Part:
    part = Part(**values)
    if not -MAX_OFFSET <= part.offset <= MAX_OFFSET:
        raise ValueError(f"template offset {part.offset} out of range")
    return part
