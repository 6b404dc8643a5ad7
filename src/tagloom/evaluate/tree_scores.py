"""Scores of parsing: attachment, exact match, roots and relations, in percent, with their counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from tagloom.arguments import check_methods
from tagloom.evaluate.counts import PRF, Counts
from tagloom.evaluate.scores import Score, format_prf_cells, format_prf_table

WORDS, PUNCTUATION = "words", "punctuation"
ALL_TOKENS, NO_PUNCTUATION = "all tokens", "without punctuation"


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class AttachmentScore(Score):
    """Score of heads: unlabelled attachment score, exact match of sentences, roots.

    ``counts`` and ``tokens`` count the scored tokens: all tokens, or all but punctuation. ``heads`` counts words and
    punctuation separately if the punctuation is known.
    """

    kind: ClassVar[str] = "trees"
    metric: ClassVar[str] = "uas"

    heads: Counts  # correct heads of words and of punctuation
    sentences: Counts  # sentences with all heads correct
    roots: Counts  # words with head 0
    punctuation: str | None = None  # the rule that says what punctuation is

    @property
    def uas(self) -> float:
        """Percentage of tokens with the correct head."""
        return self.accuracy

    @property
    def exact(self) -> float:
        """Percentage of sentences with all heads correct."""
        return self.sentences.overall().recall

    @property
    def root_accuracy(self) -> float:
        """Percentage of the gold roots that were found."""
        return self.roots.overall().recall

    def _counts_by_metric(self) -> Mapping[str, Counts]:
        return {**super()._counts_by_metric(), "uas": self.tokens}

    def _attachment(self) -> Mapping[str, Counts]:
        """The counts of words and punctuation behind each attachment score."""
        return {"uas": self.heads}

    def _with_and_without(self) -> dict[str, dict[str, PRF]]:
        """Attachment scores of all tokens and, if the punctuation is known, of all other tokens."""
        counts = self._attachment()
        rows = {ALL_TOKENS: {name: each.overall() for name, each in counts.items()}}
        if PUNCTUATION in self.heads.kinds:
            none = PRF(0, 0, 0)
            rows[NO_PUNCTUATION] = {name: each.by_kind().get(WORDS, none) for name, each in counts.items()}
        return rows

    def _main_values(self) -> dict[str, float]:
        return {"uas": self.uas, "exact": self.exact}

    def _unit(self) -> str:
        return "tokens"

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = list(self._attachment())
        rows = [
            [row, *(f"{cells[name].recall:.2f}" for name in names), str(cells["uas"].gold)]
            for row, cells in self._with_and_without().items()
        ]
        return ["", *(name.upper() for name in names), "tokens"], rows

    def _details(self) -> Mapping[str, object]:
        rows: dict[str, object] = {
            row.replace(" ", "_"): {**{name: prf.recall for name, prf in cells.items()}, "tokens": cells["uas"].gold}
            for row, cells in self._with_and_without().items()
        }
        scores = {"uas": self.uas, "exact": self.exact, "root_accuracy": self.root_accuracy}
        return {**scores, **rows, "punctuation": self.punctuation}

    def _table(self) -> list[str]:
        names = list(self._attachment())
        names_of_rows = {ALL_TOKENS: ALL_TOKENS, NO_PUNCTUATION: f"{NO_PUNCTUATION} ({self.punctuation})"}
        width = max(len(names_of_rows[row]) for row in self._with_and_without())
        lines = [f"{'':{width}}  " + "  ".join(f"{name.upper():>6}" for name in names) + "   tokens"]
        for row, cells in self._with_and_without().items():
            percents = "  ".join(f"{cells[name].recall:6.2f}" for name in names)
            lines.append(f"{names_of_rows[row]:{width}}  {percents}  {cells['uas'].gold:7d}")
        return [*lines, self._sentence_line()]

    def _sentence_line(self) -> str:
        count = self.sentences.overall().gold
        return f"exact match {self.exact:.2f} of {count} sentences, root {self.root_accuracy:.2f}"

    def _summary(self) -> str:
        return f"UAS {self.uas:.2f} of {self.tokens.overall().gold} tokens"


@check_methods()
@dataclass(frozen=True, kw_only=True, repr=False)
class LabelledAttachmentScore(AttachmentScore):
    """Score of heads and relations: labelled attachment score, and precision and recall by relation."""

    metric: ClassVar[str] = "las"

    arcs: Counts  # correct heads and relations of words and of punctuation
    labelled_sentences: Counts  # sentences with all heads and relations correct

    @property
    def las(self) -> float:
        """Percentage of tokens with the correct head and relation."""
        return self.overall.recall

    @property
    def labelled_exact(self) -> float:
        """Percentage of sentences with all heads and relations correct."""
        return self.labelled_sentences.overall().recall

    @property
    def by_relation(self) -> dict[str, PRF]:
        """Precision, recall and F1 of every relation."""
        return self.counts.by_kind()

    def _main_values(self) -> dict[str, float]:
        return {"las": self.las, "uas": self.uas, "exact": self.exact}

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        return format_prf_cells([*self.by_relation.items(), ("all", self.overall)])

    def _counts_by_metric(self) -> Mapping[str, Counts]:
        return {**super()._counts_by_metric(), "las": self.counts}

    def _attachment(self) -> Mapping[str, Counts]:
        return {**super()._attachment(), "las": self.arcs}

    def _details(self) -> Mapping[str, object]:
        relations = {name: prf.to_dict() for name, prf in self.by_relation.items()}
        labelled = {"las": self.las, "labelled_exact": self.labelled_exact}
        return {**super()._details(), **labelled, "relations": relations}

    def _table(self) -> list[str]:
        return [*format_prf_table([*self.by_relation.items(), ("all", self.overall)]), *super()._table()]

    def _sentence_line(self) -> str:
        return f"{super()._sentence_line()}, exact with relations {self.labelled_exact:.2f}"

    def _summary(self) -> str:
        return f"LAS {self.las:.2f}, {super()._summary()}"
