"""Scores of treebanks made from raw text: one row of counts per score of the CoNLL shared task 2018."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tagloom.arguments import check_methods
from tagloom.evaluate.counts import PRF, TEXT_METRICS, Counts
from tagloom.evaluate.scores import Score, format_prf_cells, format_prf_table


def choose_metric(rows: Mapping[str, Row]) -> str:
    """Choose the score that stands for all."""
    names = ("las", "uas", "alltags", "upos", "xpos", "ufeats", "lemmas", "tokens")
    return next(name for name in names if name in rows)


@dataclass(frozen=True)
class Row:
    """The counts of one score, and the number of aligned words that it could find right; None for spans."""

    counts: Counts
    aligned: int | None = None

    @property
    def accuracy(self) -> float | None:
        """Percentage of the aligned words that are right: the score without errors of tokenisation."""
        return PRF(self.counts.overall().correct, 0, self.aligned).recall if self.aligned is not None else None


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class TextScore(Score):
    """Score of tokens, sentences, words, tags, features and lemmas found in raw text. All values are F1.

    ``counts`` are those of the metric, ``tokens`` those of universal tags, or of words if there are no tags.
    """

    kind: ClassVar[str] = "text"

    rows: Mapping[str, Row]  # by metric

    @property
    def metric(self) -> str:  # type: ignore[override]
        """The most telling score that there is: of trees, tags, lemmas, or tokens."""
        return choose_metric(self.rows)

    @property
    def by_metric(self) -> dict[str, PRF]:
        """Precision, recall and F1 of every score, in the order of the shared task."""
        return {name: self.rows[name].counts.overall() for name in TEXT_METRICS if name in self.rows}

    @property
    def aligned_accuracy(self) -> dict[str, float]:
        """Percentage of the aligned words that are right, of every score of words."""
        accuracies = {name: self.rows[name].accuracy for name in TEXT_METRICS if name in self.rows}
        return {name: value for name, value in accuracies.items() if value is not None}

    def to_dict(self) -> dict[str, object]:
        """Return all numbers by name; percentages are not rounded."""
        accuracy = self.aligned_accuracy
        scores = {
            name: {**prf.to_dict(), **({"aligned_accuracy": accuracy[name]} if name in accuracy else {})}
            for name, prf in self.by_metric.items()
        }
        values = {"kind": self.kind, "rule": self.rule, "metric": self.metric, "value": self.value, "scores": scores}
        return {**values, "signature": str(self.signature)} if self.signature else values

    def _counts_by_metric(self) -> Mapping[str, Counts]:
        return {**super()._counts_by_metric(), **{name: row.counts for name, row in self.rows.items()}}

    def _main_values(self) -> dict[str, float]:
        return self._get_values("alltags", "upos", "lemmas")

    def _get_values(self, *names: str) -> dict[str, float]:
        found = {name: prf.f1 for name, prf in self.by_metric.items()}
        return {name: found[name] for name in names if name in found} or {self.metric: found[self.metric]}

    def _unit(self) -> str:
        return "tokens" if self.metric == "tokens" else "words"

    def _list_rows(self) -> list[tuple[str, PRF]]:
        return [(TEXT_METRICS[name], prf) for name, prf in self.by_metric.items()]

    def _accuracy_cells(self) -> list[str]:
        accuracy = self.aligned_accuracy
        return [f"{accuracy[name]:.2f}" if name in accuracy else "" for name in self.by_metric]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        head, rows = format_prf_cells(self._list_rows())
        return [*head, "aligned"], [[*row, cell] for row, cell in zip(rows, self._accuracy_cells())]

    def _table(self) -> list[str]:
        column = ["aligned", *self._accuracy_cells()]
        return [f"{line}  {cell:>7}".rstrip() for line, cell in zip(format_prf_table(self._list_rows()), column)]

    def _summary(self) -> str:
        return f"{TEXT_METRICS[self.metric]} {self.value:.2f} of {self.overall.gold} {self._unit()}"


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class TreebankScore(TextScore):
    """Score of a treebank made from raw text: also heads and relations."""

    @property
    def uas(self) -> float:
        """F1 of words with the correct head."""
        return self.by_metric["uas"].f1

    @property
    def las(self) -> float:
        """F1 of words with the correct head and relation."""
        return self.by_metric["las"].f1

    def _main_values(self) -> dict[str, float]:
        return self._get_values("las", "mlas", "blex")
