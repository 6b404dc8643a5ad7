"""The actions of a parser as a table or as JSON: state, action, the best other one, features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tagloom.cli.console import put_json, put_rich, table

if TYPE_CHECKING:
    from tagloom.systems import Parser
    from tagloom.systems.parser.explain import ParserStep

_WORDS = 3  # of stack and queue, in the table


def put_steps(parser: Parser, path: str, tokens: Sequence[object], top: int, json: bool) -> None:
    steps = parser.explain(tokens)
    if json:
        found = parser.parse(tokens)
        tree = {"tokens": found.forms, "tags": found.tags, "heads": found.heads, "relations": found.relations}
        signature = str(parser.spec.signature)
        put_json({"model": path, **tree, "actions": [_to_dict(step, top) for step in steps], "signature": signature})
    else:
        headers = ("stack", "queue", "action", "rival", "margin", "because of")
        put_rich(table(headers, [_row(step, top) for step in steps], right=["margin"]))


def _row(step: ParserStep, top: int) -> tuple[str, ...]:
    state = _end(step.stack), _beginning(step.queue), step.action
    if step.rival is None:
        return *state, "", "", "nothing else is possible"
    features = ", ".join(f"{name} {weight:+.2f}" for name, weight in step.contributions[:top])
    return *state, step.rival, f"{step.margin:.2f}", features


def _end(words: Sequence[str]) -> str:
    return " ".join([*["..."] * (len(words) > _WORDS), *words[-_WORDS:]])


def _beginning(words: Sequence[str]) -> str:
    return " ".join([*words[:_WORDS], *["..."] * (len(words) > _WORDS)])


def _to_dict(step: ParserStep, top: int) -> dict[str, object]:
    return {
        "stack": step.stack,
        "queue": step.queue,
        "action": step.action,
        "rival": step.rival,
        "margin": None if step.rival is None else step.margin,
        "features": [{"name": name, "weight": weight} for name, weight in step.contributions[:top]],
    }
