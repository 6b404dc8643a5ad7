"""Scores of spans, tags and word segmentation, in percent, with the counts that they are computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import ClassVar, TypeVar

from tagloom.arguments import check_arguments, check_methods
from tagloom.errors import unknown_name
from tagloom.evaluate.counts import METRICS, PRF, Counts
from tagloom.evaluate.signature import Signature

KNOWN, UNKNOWN = "known", "unknown"
IN_VOCABULARY, OUT_OF_VOCABULARY = "in vocabulary", "out of vocabulary"

AnyScore = TypeVar("AnyScore", bound="Score")


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class Score:
    """What all kinds of score have in common. Numbers are percentages: 93.48 means 93.48 %."""

    kind: ClassVar[str]
    metric: ClassVar[str] = "f1"  # the number by which systems are compared

    counts: Counts  # of the scored units
    tokens: Counts  # of labels; known and unknown words separately, if these were distinguished
    rule: str
    signature: Signature | None = None

    @property
    def overall(self) -> PRF:
        """Precision, recall and F1 of all scored units."""
        return self.counts.overall()

    @property
    def value(self) -> float:
        """The value of ``metric``, the number by which systems are compared."""
        return float(METRICS[self.metric](self.counts_of(self.metric).by_sentence().sum(axis=0)))

    def counts_of(self, metric: str) -> Counts:
        """The counts that a metric is computed from.

        Raises:
            ConfigError: This kind of score has no such metric.
        """
        counts = self._counts_by_metric()
        if metric not in counts:
            raise unknown_name(f"metric of {self.kind}", metric, counts)
        return counts[metric]

    def _counts_by_metric(self) -> Mapping[str, Counts]:
        return {**dict.fromkeys(("f1", "precision", "recall"), self.counts), "accuracy": self.tokens}

    @property
    def accuracy(self) -> float:
        """Percentage of tokens with the correct label."""
        return self.tokens.overall().recall

    @property
    def known(self) -> float | None:
        """Accuracy on known words; None if these were not distinguished."""
        return self.tokens.recall_of(KNOWN)

    @property
    def unknown(self) -> float | None:
        """Accuracy on unknown words; None if these were not distinguished."""
        return self.tokens.recall_of(UNKNOWN)

    def with_signature(self: AnyScore, signature: Signature) -> AnyScore:
        """Add the signature of the system to the score; the scoring rule is filled in."""
        return replace(self, signature=replace(signature, rule=self.rule))

    def to_dict(self) -> dict[str, object]:
        """Return all numbers by name; percentages are not rounded."""
        values: dict[str, object] = {"kind": self.kind, "rule": self.rule, **self.overall.to_dict()}
        optional = {"accuracy": self.accuracy, "known": self.known, "unknown": self.unknown, **self._details()}
        values.update({name: value for name, value in optional.items() if value is not None})
        return {**values, "signature": str(self.signature)} if self.signature else values

    def __repr__(self) -> str:
        count = self.counts_of(self.metric).overall().gold
        values = ", ".join(f"{name}={value:.2f}" for name, value in self._main_values().items())
        return f"{type(self).__name__}({values}, {self._unit()}={count}, rule={self.rule!r})"

    def main_values(self) -> dict[str, float]:
        """Return the values that a short description shows, in percent, the metric first."""
        return self._main_values()

    def _main_values(self) -> dict[str, float]:
        overall = self.overall
        return {"f1": overall.f1, "precision": overall.precision, "recall": overall.recall}

    def _unit(self) -> str:
        """What the metric counts."""
        return self.kind

    def _repr_html_(self) -> str:
        head, rows = self._cells()
        signature = f"; {self.signature}" if self.signature else ""
        return _render_table(head, rows, f"{self._summary()}; rule {self.rule}{signature}")

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Head and rows of the table in a notebook."""
        rows = [("all tokens", self.tokens.overall()), *self._known_and_unknown()]
        return ["", "accuracy", "tokens"], [[name, f"{row.recall:.2f}", str(row.gold)] for name, row in rows]

    def __str__(self) -> str:
        lines = [*self._table(), f"{self._summary()}; rule {self.rule}"]
        return "\n".join([*lines, str(self.signature)] if self.signature else lines)

    def _summary(self) -> str:
        parts = [f"{kind} {row.recall:.2f} of {row.gold}" for kind, row in self._known_and_unknown()]
        return ", ".join([f"accuracy {self.accuracy:.2f} of {self.tokens.overall().gold} tokens", *parts])

    def _known_and_unknown(self) -> list[tuple[str, PRF]]:
        return _rows_of(self.tokens, KNOWN, UNKNOWN)

    def _details(self) -> Mapping[str, object]:
        return {}

    def _table(self) -> list[str]:
        return []


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class SpanScore(Score):
    """Score of spans such as phrases and entities: exact match of boundaries and type, overall and by type."""

    kind: ClassVar[str] = "spans"

    @property
    def by_type(self) -> dict[str, PRF]:
        """Precision, recall and F1 of every span type."""
        return self.counts.by_kind()

    def _details(self) -> Mapping[str, object]:
        return {"types": {name: prf.to_dict() for name, prf in self.by_type.items()}}

    def _table(self) -> list[str]:
        return format_prf_table(self._rows())

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        return format_prf_cells(self._rows())

    def _rows(self) -> list[tuple[str, PRF]]:
        return [*self.by_type.items(), ("all", self.overall)]


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class TagScore(Score):
    """Score of one tag per token: accuracy. Micro-averaged precision, recall and F1 are equal to it."""

    kind: ClassVar[str] = "tags"
    metric: ClassVar[str] = "accuracy"

    def _main_values(self) -> dict[str, float]:
        values = {"accuracy": self.accuracy, "known": self.known, "unknown": self.unknown}
        return {name: value for name, value in values.items() if value is not None}

    def _unit(self) -> str:
        return "tokens"


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class SegmentationScore(Score):
    """Score of words that are segmented from characters; with a lexicon also recall in and out of vocabulary."""

    kind: ClassVar[str] = "segmentation"

    def _unit(self) -> str:
        return "words"

    @property
    def oov_recall(self) -> float | None:
        """Recall of gold words that the lexicon does not have."""
        return self.counts.recall_of(OUT_OF_VOCABULARY)

    @property
    def iv_recall(self) -> float | None:
        """Recall of gold words that the lexicon has."""
        return self.counts.recall_of(IN_VOCABULARY)

    @property
    def oov_rate(self) -> float | None:
        """Percentage of gold words that the lexicon does not have; None without a lexicon."""
        if OUT_OF_VOCABULARY not in self.counts.kinds:
            return None
        unseen = self.counts.by_kind().get(OUT_OF_VOCABULARY, PRF(0, 0, 0)).gold
        return PRF(unseen, 0, self.overall.gold).recall

    def _details(self) -> Mapping[str, object]:
        return {"oov_recall": self.oov_recall, "iv_recall": self.iv_recall, "oov_rate": self.oov_rate}

    def _table(self) -> list[str]:
        recalls = [f"recall {row.recall:.2f} of {row.gold} words {kind}" for kind, row in self._by_vocabulary()]
        return [*format_prf_table([("words", self.overall)]), *recalls]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        return format_prf_cells([*self._by_vocabulary(), ("words", self.overall)])

    def _by_vocabulary(self) -> list[tuple[str, PRF]]:
        return _rows_of(self.counts, IN_VOCABULARY, OUT_OF_VOCABULARY)


def _render_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Render a table whose first column holds names and whose other columns hold numbers."""
    body = ""
    for name, *numbers in rows:
        cells = "".join(f'<td style="text-align: right">{escape(text)}</td>' for text in numbers)
        body += f"<tr><th>{escape(name)}</th>{cells}</tr>"
    titles = "".join(f"<th>{escape(text)}</th>" for text in head)
    table = f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody>"
    return f"<table><caption>{escape(caption)}</caption>{table}</table>"


def _rows_of(counts: Counts, *kinds: str) -> list[tuple[str, PRF]]:
    return [(kind, row) for kind, row in counts.by_kind().items() if kind in kinds]


def format_prf_cells(rows: Sequence[tuple[str, PRF]]) -> tuple[list[str], list[list[str]]]:
    """Format the head and the rows of a table with one row per name."""
    head = ["", "precision", "recall", "F1", "gold", "found", "correct"]
    cells = []
    for name, row in rows:
        percents = [f"{value:.2f}" for value in (row.precision, row.recall, row.f1)]
        cells.append([name, *percents, *map(str, (row.gold, row.predicted, row.correct))])
    return head, cells


def format_prf_table(rows: Sequence[tuple[str, PRF]]) -> list[str]:
    """Format the lines of a text table with one row per name; the first line is the head."""
    width = max(len(name) for name, _ in rows)
    lines = [f"{'':{width}}  precision  recall      F1     gold    found  correct"]
    for name, row in rows:
        percents = f"{row.precision:9.2f}  {row.recall:6.2f}  {row.f1:6.2f}"
        lines.append(f"{name:{width}}  {percents}  {row.gold:7d}  {row.predicted:7d}  {row.correct:7d}")
    return lines


@check_arguments
def format_conlleval(score: Score) -> str:
    """Format a span score as ``conlleval.pl`` prints it."""
    overall, tokens = score.overall, score.tokens.overall().gold
    lines = [
        f"processed {tokens} tokens with {overall.gold} phrases; "
        f"found: {overall.predicted} phrases; correct: {overall.correct}."
    ]
    if tokens:
        lines.append(f"accuracy: {score.accuracy:6.2f}%; {_percents(overall)}")
    rows = score.counts.by_kind().items()
    return "\n".join([*lines, *(f"{kind:>17}: {_percents(row)}  {row.predicted}" for kind, row in rows), ""])


def _percents(row: PRF) -> str:
    return f"precision: {row.precision:6.2f}%; recall: {row.recall:6.2f}%; FB1: {row.f1:6.2f}"
