"""Results: scores of spans, of tags and of word segmentation, in percent, with the counts behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from tagloom.errors import unknown_name
from tagloom.evaluate.counts import METRICS, PRF, Counts
from tagloom.evaluate.signature import Signature

KNOWN, UNKNOWN = "known", "unknown"
IN_VOCABULARY, OUT_OF_VOCABULARY = "in vocabulary", "out of vocabulary"

AnyScore = TypeVar("AnyScore", bound="Score")


@dataclass(frozen=True, kw_only=True)
class Score:
    """What all kinds of score share. Percentages: 93.48 means 93.48 %."""

    kind: ClassVar[str]
    metric: ClassVar[str] = "f1"  # the one number to compare systems by

    counts: Counts  # of the scored units
    tokens: Counts  # of labels, by known and unknown words where these were told apart
    rule: str
    signature: Signature | None = None

    @property
    def overall(self) -> PRF:
        return self.counts.overall()

    @property
    def value(self) -> float:
        """The number that ``metric`` names: what systems are compared by."""
        return float(METRICS[self.metric](self.counts_of(self.metric).by_sentence().sum(axis=0)))

    def counts_of(self, metric: str) -> Counts:
        """The counts that a metric is computed from."""
        counts = self._counts_by_metric()
        if metric not in counts:
            raise unknown_name(f"metric of {self.kind}", metric, counts)
        return counts[metric]

    def _counts_by_metric(self) -> Mapping[str, Counts]:
        return {**dict.fromkeys(("f1", "precision", "recall"), self.counts), "accuracy": self.tokens}

    @property
    def accuracy(self) -> float:
        """Percent of tokens with the right label."""
        return self.tokens.overall().recall

    @property
    def known(self) -> float | None:
        """Accuracy on known words."""
        return self.tokens.recall_of(KNOWN)

    @property
    def unknown(self) -> float | None:
        """Accuracy on unknown words."""
        return self.tokens.recall_of(UNKNOWN)

    def signed(self: AnyScore, signature: Signature) -> AnyScore:
        """The same score with the signature of what made it; the scorer's rule is filled in."""
        return replace(self, signature=replace(signature, rule=self.rule))

    def to_dict(self) -> dict[str, object]:
        """Numbers for a machine; percentages are not rounded."""
        values: dict[str, object] = {"kind": self.kind, "rule": self.rule, **self.overall.to_dict()}
        optional = {"accuracy": self.accuracy, "known": self.known, "unknown": self.unknown, **self._details()}
        values.update({name: value for name, value in optional.items() if value is not None})
        return {**values, "signature": str(self.signature)} if self.signature else values

    def __str__(self) -> str:
        lines = [*self._table(), f"{self._summary()}; rule {self.rule}"]
        return "\n".join([*lines, str(self.signature)] if self.signature else lines)

    def _summary(self) -> str:
        accuracy = f"accuracy {self.accuracy:.2f} of {self.tokens.overall().gold} tokens"
        return ", ".join(
            [accuracy, *(f"{kind} {row.recall:.2f} of {row.gold}" for kind, row in self._known_and_unknown())]
        )

    def _known_and_unknown(self) -> list[tuple[str, PRF]]:
        return [(kind, row) for kind, row in self.tokens.by_kind().items() if kind in (KNOWN, UNKNOWN)]

    def _details(self) -> Mapping[str, object]:
        return {}

    def _table(self) -> list[str]:
        return []


@dataclass(frozen=True, kw_only=True)
class SpanScore(Score):
    """Phrases, entities: exact match of boundaries and type, overall and for each type."""

    kind: ClassVar[str] = "spans"

    @property
    def by_type(self) -> dict[str, PRF]:
        return self.counts.by_kind()

    def _details(self) -> Mapping[str, object]:
        return {"types": {name: prf.to_dict() for name, prf in self.by_type.items()}}

    def _table(self) -> list[str]:
        return prf_table([*self.by_type.items(), ("all", self.overall)])


@dataclass(frozen=True, kw_only=True)
class TagScore(Score):
    """One tag a token: accuracy, to which micro-averaged precision, recall and F1 are equal."""

    kind: ClassVar[str] = "tags"
    metric: ClassVar[str] = "accuracy"


@dataclass(frozen=True, kw_only=True)
class SegmentationScore(Score):
    """Words cut from characters; with a lexicon also the recall in and out of vocabulary."""

    kind: ClassVar[str] = "segmentation"

    @property
    def oov_recall(self) -> float | None:
        return self.counts.recall_of(OUT_OF_VOCABULARY)

    @property
    def iv_recall(self) -> float | None:
        return self.counts.recall_of(IN_VOCABULARY)

    @property
    def oov_rate(self) -> float | None:
        """Percent of gold words that the lexicon lacks."""
        if OUT_OF_VOCABULARY not in self.counts.kinds:
            return None
        unseen = self.counts.by_kind().get(OUT_OF_VOCABULARY, PRF(0, 0, 0)).gold
        return PRF(unseen, 0, self.overall.gold).recall

    def _details(self) -> Mapping[str, object]:
        return {"oov_recall": self.oov_recall, "iv_recall": self.iv_recall, "oov_rate": self.oov_rate}

    def _table(self) -> list[str]:
        recalls = [
            f"recall {row.recall:.2f} of {row.gold} words {kind}"
            for kind, row in self.counts.by_kind().items()
            if kind in (IN_VOCABULARY, OUT_OF_VOCABULARY)
        ]
        return [*prf_table([("words", self.overall)]), *recalls]


def prf_table(rows: Sequence[tuple[str, PRF]]) -> list[str]:
    """Lines of a table, a row a name; the first is the head."""
    width = max(len(name) for name, _ in rows)
    head = f"{'':{width}}  precision  recall      F1     gold    found  correct"
    return [head, *(_prf_row(f"{name:{width}}", row) for name, row in rows)]


def _prf_row(name: str, row: PRF) -> str:
    percents = f"{row.precision:9.2f}  {row.recall:6.2f}  {row.f1:6.2f}"
    return f"{name}  {percents}  {row.gold:7d}  {row.predicted:7d}  {row.correct:7d}"
