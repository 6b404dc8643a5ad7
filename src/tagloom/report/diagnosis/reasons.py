"""Why a model made its errors: the decisions behind them, from ``explain``."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from tagloom.corpus import RestoredText, restore_text
from tagloom.errors import TagloomError
from tagloom.report.diagnosis.run import Run
from tagloom.report.diagnosis.task import TOKENS, Error, Task
from tagloom.report.diagnosis.tokens import NO_END, WRONG_END
from tagloom.systems.tables import Decision

_MOST_DECISIONS = 4  # of an error
_TOP = 6  # features of a decision


class Explainer:
    """Explains the errors of a run; a sentence is explained once."""

    def __init__(self, run: Run) -> None:
        self._run, self._model = run, run.model
        self._gold = None if run.projection else run.model.read_gold_labels(run.gold)
        self._known: dict[tuple[str, int], list[Decision]] = {}

    def can_explain(self, task: Task) -> bool:
        """Tell whether the explanations of the model speak of this task."""
        if self._model.reads.whole_documents:
            return False  # a sentence alone may get other labels than in its document
        if task.kind == TOKENS:
            return self._model.is_tokenizer
        columns = {layer.column for layer in self._model.explained_layers}
        return task.name in columns or (task.name == "trees" and any(
            layer.kind == "heads" for layer in self._model.explained_layers))  # fmt: skip

    def explain(self, task: Task, error: Error) -> list[Decision]:
        """List the decisions about the tokens of an error."""
        if error.kind in (NO_END, WRONG_END):
            return []  # another model decides where sentences end
        first, last = error.place
        near = [each for each in self._decide(task, error.sentence) if each.first < last and first < each.last]
        gold = self._read_gold(error.sentence)
        if gold is not None:
            near = [each for each in near if each.choice != gold[each.first]] or near
        if len(near) > _MOST_DECISIONS:  # those that nearly went another way
            near = sorted(sorted(near, key=_read_margin)[:_MOST_DECISIONS], key=lambda each: each.first)
        return near

    def _decide(self, task: Task, sentence: int) -> list[Decision]:
        key = (task.kind, sentence)
        if key not in self._known:
            self._known[key] = self._ask(task, sentence)
        return self._known[key]

    def _ask(self, task: Task, sentence: int) -> list[Decision]:
        tokens = self._read_text(sentence) if task.kind == TOKENS else self._read_tokens(sentence)
        if not tokens:
            return []
        try:
            found = self._model.explain(tokens).list_decisions(_TOP, self._read_gold(sentence))
        except TagloomError:
            return []  # what cannot be explained is shown without reasons
        return _drop_blanks(found, str(tokens)) if task.kind == TOKENS else found

    def _read_gold(self, sentence: int) -> Sequence[str] | None:
        return None if self._gold is None else self._gold.texts(*self._run.gold.span(sentence))

    def _read_tokens(self, sentence: int) -> Sequence[object]:
        """Read the tokens of a sentence; none if the model cut it otherwise."""
        run, start, stop = self._run, *self._run.gold.span(sentence)
        if run.projection is not None:
            partners = run.projection.partners[start:stop]
            if (partners < 0).any() or (np.diff(partners) != 1).any():
                return []
        columns = [_read_column(run, name, start, stop) for name in self._model.columns]
        return columns[0] if len(columns) == 1 else list(zip(*columns))

    @cached_property
    def _restored(self) -> RestoredText:
        return restore_text(self._run.gold)

    def _read_text(self, sentence: int) -> str:
        """Read the text of a sentence, with single blanks."""
        text = self._restored
        first, last = text.sentences[sentence : sentence + 2].tolist()
        return " ".join(text.text[text.starts[first] : text.ends[last - 1]].split()) if first < last else ""


def _read_margin(decision: Decision) -> float:
    return float("inf") if decision.margin is None else decision.margin


def _drop_blanks(decisions: list[Decision], text: str) -> list[Decision]:
    """Count the characters that decisions are about without blanks, as the errors of tokens do."""
    if len(decisions) != len(text):
        return []
    kept = [each for each in decisions if text[each.first] != " "]
    return [replace(each, first=place, last=place + 1) for place, each in enumerate(kept)]


def _read_column(run: Run, name: str, start: int, stop: int) -> Sequence[Any]:
    column = run.gold.column(name)
    if not column.is_bag:
        return column.texts(start, stop)
    assert column.offsets is not None
    bounds = column.offsets[start : stop + 1].tolist()
    return [_read_bag(column, a, b) for a, b in itertools.pairwise(bounds)]


def _read_bag(column: Any, start: int, stop: int) -> Mapping[str, float]:
    names = [column.strings[code] for code in column.codes[start:stop].tolist()]
    values = [1.0] * len(names) if column.values is None else column.values[start:stop].tolist()
    return dict(zip(names, values, strict=True))
