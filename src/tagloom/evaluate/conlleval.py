"""The report of conlleval.pl (Tjong Kim Sang, 2004-01-26), character by character."""

from __future__ import annotations

from tagloom.evaluate.counts import PRF
from tagloom.evaluate.scores import Score


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
