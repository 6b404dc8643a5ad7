"""TaggerSpec: every choice behind a tagger, as one frozen value that is written into the model file as JSON."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tagloom.corpus.schemes import Scheme, get_scheme
from tagloom.evaluate import Signature
from tagloom.features import TemplateSet
from tagloom.structures.consistency import FAMILIES, check_families
from tagloom.structures.history import LEFT_TO_RIGHT, HistorySearch
from tagloom.structures.sequences import SENTENCES, SEQUENCES
from tagloom.systems.options import MOST_CANDIDATES
from tagloom.systems.spec import Spec, restore_shared, restore_templates, shorten_number
from tagloom.systems.tagger.rerank.spec import RerankerSpec


@dataclass(frozen=True, kw_only=True, repr=False)
class TaggerSpec(Spec):
    """What a tagger was made of and from. Labels, weights and word lists stand beside it, as arrays."""

    system: ClassVar[str] = "tagger"

    templates: TemplateSet
    label: str  # name of the label column
    scheme: str | None  # of the labels the model decides on
    written_scheme: str | None  # of the labels it writes: that of the training data
    learner: str
    settings: dict[str, float | str] = field(default_factory=dict)  # of the learner, where they are not its defaults
    costs: dict[str, dict[str, float]] = field(default_factory=dict)  # of (gold, other label), where they are not 1
    cutoff: int = 1
    buckets: int = 0
    bags: tuple[str, ...] = ()  # columns that hold bags of attributes
    edge_pairs: str = "seen"  # label pairs that edge templates have weights for, or "all"
    sequences: str = SENTENCES  # what is labelled as one
    document_features: tuple[str, ...] = ()  # native families of non-local features
    document_functions: tuple[str, ...] = ()
    candidates: int = 100  # n', among which non-local features choose
    search: HistorySearch | None = None  # of history-based models; None: a chain
    tag_dictionary: int = 0  # occurrences after which a word takes only labels seen with it; 0 for never
    codec: str | None = None  # "edits": labels are scripts that make lemmas from words
    start: str | None = None  # signature of the model that training began from
    reranker: RerankerSpec | None = None  # that chooses among candidates
    temperature: float | None = None  # divides scores that become probabilities; None: not calibrated

    @property
    def order(self) -> tuple[str, int]:
        """Direction and history: which other labels a label is scored with."""
        return (LEFT_TO_RIGHT, 1) if self.search is None else (self.search.direction, self.search.history)

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        costs = {"cost": _checksum(json.dumps(self.costs, sort_keys=True))} if self.costs else {}
        settings = sorted({**self.settings, **costs}.items())
        return Signature(
            system=self.system,
            learner=",".join([self.learner, *(f"{name}={shorten_number(value)}" for name, value in settings)]),
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

    @property
    def decided(self) -> Scheme | None:
        """The scheme of the labels that the model decides on."""
        return get_scheme(self.scheme) if self.scheme else None

    @property
    def written(self) -> Scheme | None:
        """The scheme of the labels that the model writes."""
        return get_scheme(self.written_scheme) if self.written_scheme else None

    def to_values(self) -> dict[str, Any]:
        """Convert to plain values."""
        return {**super().to_values(), "reranker": None if self.reranker is None else self.reranker.to_json()}

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> TaggerSpec:
        """Build from plain values; raises a built-in error or ConfigError where they make no sense."""
        found = restore_shared(values)
        found["templates"] = restore_templates(values["templates"])
        for name in ("bags", "document_features", "document_functions"):
            found[name] = tuple(values[name])
        found["search"] = None if values["search"] is None else HistorySearch(**values["search"])
        if values["reranker"] is not None:
            found["reranker"] = RerankerSpec.from_json(values["reranker"])
        return cls(**found)

    def check(self) -> None:
        """Raise ValueError or ConfigError on values that no training gives."""
        super().check()
        check_families(self.document_features)
        if self.sequences not in SEQUENCES:
            raise ValueError(f"no sequences {self.sequences!r}")
        if type(self.candidates) is not int or not 1 <= self.candidates <= MOST_CANDIDATES:
            raise ValueError(f"{self.candidates!r} candidates")
        if self.codec not in (None, "edits"):
            raise ValueError(f"unknown codec {self.codec!r}")
        if type(self.tag_dictionary) is not int or self.tag_dictionary < 0:
            raise ValueError(f"tag dictionary of words seen {self.tag_dictionary!r} times")
        if not all(isinstance(value, (int, float, str)) for value in self.settings.values()):
            raise ValueError("settings of the learner must be numbers and names")
        if self.edge_pairs not in ("seen", "all"):
            raise ValueError(f"edge pairs {self.edge_pairs!r}")
        if self.temperature is not None and not (isinstance(self.temperature, float) and 0 < self.temperature < 1e9):
            raise ValueError(f"temperature {self.temperature!r}")
        for name in (self.scheme, self.written_scheme):
            if name is not None:
                get_scheme(name)


def _checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
