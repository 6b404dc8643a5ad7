"""TaggerSpec: every choice behind a tagger, as one frozen value that is written into the model file as JSON."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from tagloom.corpus.schemes import SCHEMES, Scheme, get_scheme
from tagloom.evaluate import Signature
from tagloom.features.masking import MOST_COPIES
from tagloom.features.stored_templates import Templates
from tagloom.schema import Field, Misfit, limits
from tagloom.structures.consistency import FAMILIES
from tagloom.structures.history import LEFT_TO_RIGHT, HistorySearch
from tagloom.structures.sequences import SENTENCES, SEQUENCES
from tagloom.systems.spec import Settings, Spec, shorten_number
from tagloom.systems.tagger.rerank.spec import RerankerSpec

_SCHEMES = tuple(SCHEMES)


@dataclass(frozen=True, kw_only=True, repr=False)
class TaggerSpec(Spec):
    """What a tagger was made of and from. Labels, weights and word lists stand beside it, as arrays."""

    system: ClassVar[str] = "tagger"

    templates: Templates
    label: Annotated[str, Field("Name of the label column.")]
    scheme: Annotated[str | None, Field("Scheme of the labels that the model decides on.", choices=_SCHEMES)]
    written_scheme: Annotated[
        str | None, Field("Scheme of the labels that it writes: that of the training data.", choices=_SCHEMES)
    ]
    learner: Annotated[str, Field("Name of the learner.")]
    settings: Settings = field(default_factory=dict)
    costs: Annotated[
        dict[str, dict[str, float]],
        Field("Costs of (gold, other label) that are not 1.", most=limits.MOST_LABELS),
    ] = field(default_factory=dict)
    cutoff: Annotated[int, Field("Times that a feature had to occur.", low=0)] = 1
    buckets: Annotated[int, Field("Rows of feature hashing; 0: features have rows of their own.", 0, 2**32 - 1)] = 0
    bags: Annotated[tuple[str, ...], Field("Columns that hold bags of attributes.", most=limits.MOST_COLUMNS)] = ()
    edge_pairs: Annotated[str, Field("Label pairs that edge templates have weights for.", choices=("seen", "all"))] = (
        "seen"
    )
    sequences: Annotated[str, Field("What is labelled as one.", choices=SEQUENCES)] = SENTENCES
    document_features: Annotated[
        tuple[str, ...], Field("Native families of non-local features.", most=len(FAMILIES), choices=FAMILIES)
    ] = ()
    document_functions: Annotated[
        tuple[str, ...], Field("Names of the user's non-local features.", most=limits.MOST_FUNCTIONS)
    ] = ()
    candidates: Annotated[
        int, Field("Labellings among which non-local features choose.", 1, limits.MOST_CANDIDATES)
    ] = 100
    search: Annotated[HistorySearch | None, Field("Search of history-based models; null: a chain.")] = None
    threshold: Annotated[
        float | None,
        Field("Least probability of the spans that the model takes; null: the best labelling.", 0, 1, may_miss=True),
    ] = None
    tag_dictionary: Annotated[
        int, Field("Occurrences after which a word takes only labels seen with it; 0: never.", low=0)
    ] = 0
    codec: Annotated[
        str | None, Field("`edits`: labels are scripts that make lemmas from words.", choices=("edits",))
    ] = None
    dropout: Annotated[
        float, Field("Probability with which groups of features were masked in training.", 0, 1, may_miss=True)
    ] = 0.0
    copies: Annotated[
        int, Field("Copies of the training data, each masked by itself.", 1, MOST_COPIES, may_miss=True)
    ] = 1
    start: Annotated[
        str | None, Field("Signature of the model that training began from.", length=limits.LONGEST_TEXT)
    ] = None
    reranker: Annotated[RerankerSpec | None, Field("How candidates are re-ranked.")] = None
    provides: Annotated[
        str | None,
        Field("Column of the probabilities of the labels, which a first stage provides instead of labels.",
              length=limits.LONGEST_TEXT),
    ] = None  # fmt: skip
    provides_folds: Annotated[
        int, Field("Folds by which this column was jackknifed for the next stage; 0: not at all.", 0, 1000)
    ] = 0
    temperature: Annotated[
        float | None, Field("Divides scores that become probabilities; null: not calibrated.", 1e-9, 1e9)
    ] = None

    @property
    def order(self) -> tuple[str, int]:
        """Direction and history: which other labels a label is scored with."""
        return (LEFT_TO_RIGHT, 1) if self.search is None else (self.search.direction, self.search.history)

    @property
    def signature(self) -> Signature:
        """The line that goes with every score of the model."""
        costs = {"cost": _checksum(json.dumps(self.costs, sort_keys=True))} if self.costs else {}
        settings = sorted({**self.settings, **costs, **self._list_masking()}.items())
        return Signature(
            system=self.system,
            learner=",".join([self.learner, *(f"{name}={shorten_number(value)}" for name, value in settings)]),
            passes=self.best_epoch or None,
            templates=self.templates.name,
            scheme=self.scheme if self.scheme != self.written_scheme else None,
            sequences=self.sequences if self.sequences != SENTENCES else None,
            document_features=self._nonlocal(),
            search=self._describe_search(),
            tag_dictionary=self.tag_dictionary or None,
            reranker=None if self.reranker is None else str(self.reranker),
            seed=self.seed,
            data=self.data,
            start=None if self.start is None else _checksum(str(self.start)),
            version=self.version,
        )

    def _describe_search(self) -> str | None:
        """Describe a search that goes from label to label, or chooses spans."""
        if self.threshold is not None:
            return f"spans,threshold={shorten_number(self.threshold)}"
        return None if self.search is None else str(self.search)

    def _list_masking(self) -> dict[str, float]:
        """List dropout and copies, if the training data was masked or repeated."""
        return {"dropout": self.dropout, "copies": self.copies} if self.dropout or self.copies > 1 else {}

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
        values = super().to_values()
        if not self._list_masking():  # which may miss
            del values["dropout"], values["copies"]
        if self.threshold is None:  # likewise
            del values["threshold"]
        return {**values, "reranker": None if self.reranker is None else self.reranker.to_json()}

    def check(self) -> None:
        """Raise :class:`Misfit` for values that do not fit each other."""
        super().check()
        for name in self.bags:
            if name not in self.columns:
                raise Misfit("spec.bags", "names of columns", name)


def _checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
