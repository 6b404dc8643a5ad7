"""Tables and facts that a model tells about itself, for people and for machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_methods
from tagloom.files.checkpoint import EpochRecord


@dataclass(frozen=True)
class Table:
    """Rows of texts under headers; columns named in ``right`` are aligned to the right."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[str] = ()

    def __repr__(self) -> str:
        return f"<Table: {len(self.rows)} rows of {', '.join(self.headers)}>"

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(header)}</th>" for header in self.headers)
        rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __str__(self) -> str:
        """Lay out the table in plain text."""
        lines = [list(self.headers), *map(list, self.rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.headers))]
        is_right = [header in self.right for header in self.headers]
        return "\n".join(
            "  ".join(
                text.rjust(width) if right else text.ljust(width)
                for text, width, right in zip(line, widths, is_right, strict=True)
            ).rstrip()
            for line in lines
        )


#: What is shown one after the other: tables, and lines of text between them.
Parts = Sequence[Table | str]


def render_parts(parts: Parts) -> str:
    """Write tables and lines of text as HTML, for notebooks."""
    from html import escape

    return "".join(part._repr_html_() if isinstance(part, Table) else f"<p>{escape(part)}</p>" for part in parts)


class Shown:
    """Base of what consists of tables: all of them as text, and in notebooks."""

    def to_parts(self) -> Parts:
        """Build the tables."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Show the tables."""
        return "\n\n".join(map(str, self.to_parts()))

    def _repr_html_(self) -> str:
        return render_parts(self.to_parts())


@check_methods()
@dataclass(frozen=True)
class Description:
    """What a model was made of: facts by name, sizes, tables; and all of it for a machine."""

    facts: Mapping[str, str]  # short texts by name
    sizes: Mapping[str, int]  # counts by name: features, labels and the like
    parts: Parts = ()  # to show after the facts
    details: Mapping[str, object] = field(default_factory=dict)  # everything as plain values for JSON

    def __repr__(self) -> str:
        sizes = ", ".join(f"{count:,} {name}" for name, count in self.sizes.items())
        return f"<Description {' '.join(map(str, list(self.facts.values())[:1]))}: {sizes}>"

    def _repr_html_(self) -> str:
        return render_parts([Table(("", ""), list(self.facts.items())), *self.parts])

    def __str__(self) -> str:
        """Show facts, then tables."""
        facts = "\n".join(f"{name}: {fact}" for name, fact in self.facts.items())
        return "\n\n".join([facts, *map(str, self.parts)])


def tabulate_history(history: Sequence[EpochRecord], best_epoch: int, errors: str = "tokens in error") -> Table:
    """Tabulate what every pass did; the pass whose weights were kept has a star."""
    rows = [
        (
            f"{record.epoch}{' *' if record.epoch == best_epoch else ''}",
            f"{record.updates:,}",
            f"{record.token_errors:,}",
            "" if record.dev_score is None else f"{record.dev_score:.2f}",
        )
        for record in history
    ]
    return Table(("pass", "updates", errors, "dev score"), rows, ["updates", errors, "dev score"])


@dataclass(frozen=True)
class Decision:
    """One decision of a model, in a form that all systems share.

    Attributes:
        first: First token that the decision is about; models that cut text count characters.
        last: One past the last token.
        choice: What was chosen.
        rival: The best other choice; None if there was none, or if the model does not compare.
        margin: By how much the choice won; None without a rival.
        features: Features with their weight for the choice (above zero) or against it, the largest first.
        note: What else is to be said, such as that a proposed phrase was beaten by another.
    """

    first: int
    last: int
    choice: str
    rival: str | None = None
    margin: float | None = None
    features: Sequence[tuple[str, float]] = ()
    note: str = ""


@dataclass(frozen=True)
class Weights:
    """The heaviest weights of a model by name: features of every label, and pairs of neighbouring labels."""

    features: Mapping[str, Sequence[tuple[str, float]]]  # by label
    labels: tuple[str, ...] = ()  # of the rows and columns of ``transitions``
    transitions: NDArray[np.float32] | None = None  # [label before][label]


class Explanation(Protocol):
    """Why a model annotated a sentence as it did."""

    def to_parts(self, top: int | None = None) -> Parts:
        """Build tables for people with at most ``top`` features each."""

    def to_dict(self, top: int | None = None) -> dict[str, object]:
        """Build plain values for JSON with at most ``top`` features each."""

    def list_decisions(self, top: int | None = None, gold: Sequence[str] | None = None) -> list[Decision]:
        """List the decisions in the order of the sentence, with at most ``top`` features each; None: all of them.

        ``gold`` has one label per token, as :meth:`Model.read_gold_labels` gives them. A model that decides on labels
        compares what it chose with these where both differ, instead of with the runner-up.
        """
