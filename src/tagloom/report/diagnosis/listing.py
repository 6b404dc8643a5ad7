"""Which errors the page lists, with what is known about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tagloom.report.diagnosis.background import Background
from tagloom.report.diagnosis.reasons import Explainer
from tagloom.report.diagnosis.run import Run
from tagloom.report.diagnosis.task import Error
from tagloom.systems.tables import Decision

_SEED = 1


@dataclass(frozen=True)
class ListedError:
    """An error of a task, by the number of the task."""

    task: int
    error: Error
    confidence: float | None  # of what the model said
    has_unknown: bool | None  # whether an unknown word is part of it
    reasons: tuple[Decision, ...] | None  # None: not explained


@dataclass(frozen=True)
class Listing:
    """The errors that the page lists, and what it leaves out."""

    errors: tuple[ListedError, ...]
    totals: Mapping[str, int]  # errors of each task, listed or not
    notes: tuple[str, ...]


def list_errors(run: Run, background: Background, most: int, most_reasons: int) -> Listing:
    """Choose the errors to list; if there are more than ``most``, at random. The sentences of some are explained."""
    chosen = [_choose(task.list_errors(), share) for task, share in zip(run.tasks, _share(run, most))]
    explained = _choose_explained(run, chosen, most_reasons)
    explainer, known = Explainer(run), background.mark_known(run.words)
    listed = []
    for number, (task, errors) in enumerate(zip(run.tasks, chosen)):
        for error in errors:
            wanted = (number, error.sentence) in explained
            reasons = tuple(explainer.explain(task, error)) if wanted else None
            listed.append(ListedError(number, error, _find_confidence(run, number, error),
                                      _find_unknown(run, error, known), reasons))  # fmt: skip
    totals = {task.name: len(task.list_errors()) for task in run.tasks}
    notes = _write_notes(run, len(listed), sum(totals.values()), explained, chosen)
    return Listing(tuple(listed), totals, notes)


def _share(run: Run, most: int) -> list[int]:
    """Share the places among the tasks; what one does not need, the others get."""
    counts = [len(task.list_errors()) for task in run.tasks]
    shares = [0] * len(counts)
    left = most
    for rank, number in enumerate(sorted(range(len(counts)), key=lambda n: counts[n])):
        shares[number] = min(counts[number], left // (len(counts) - rank))
        left -= shares[number]
    return shares


def _choose(errors: Sequence[Error], most: int) -> list[Error]:
    if len(errors) <= most:
        return list(errors)
    numbers = np.sort(np.random.default_rng(_SEED).permutation(len(errors))[:most])
    return [errors[number] for number in numbers.tolist()]


def _choose_explained(run: Run, chosen: Sequence[Sequence[Error]], most: int) -> set[tuple[int, int]]:
    """Choose the sentences to explain, as (task, sentence); the main task comes first."""
    explainer = Explainer(run)
    found: list[tuple[int, int]] = []
    for number in reversed(range(len(chosen))):
        if explainer.can_explain(run.tasks[number]):
            found += dict.fromkeys((number, error.sentence) for error in chosen[number])
    if len(found) <= most:
        return set(found)
    order = np.random.default_rng(_SEED).permutation(len(found))[:most]
    return {found[number] for number in order.tolist()}


def _find_confidence(run: Run, number: int, error: Error) -> float | None:
    if run.confidences is None or error.guess_at is None or number != len(run.tasks) - 1:
        return None
    start = run.gold.span(error.sentence)[0]
    return float(run.confidences[start + error.guess_at[0] : start + error.guess_at[1]].min())


def _find_unknown(run: Run, error: Error, known: np.ndarray[tuple[int], np.dtype[np.bool_]] | None) -> bool | None:
    if known is None or run.projection is not None:
        return None
    start, (first, last) = run.gold.span(error.sentence)[0], error.place
    return bool(not known[start + first : start + last].all())


def _write_notes(
    run: Run, listed: int, total: int, explained: set[tuple[int, int]], chosen: Sequence[Sequence[Error]]
) -> tuple[str, ...]:
    notes = []
    if listed < total:
        notes.append(f"{listed:,} of {total:,} errors are listed, drawn at random with seed {_SEED}.")
    sentences = len({(n, error.sentence) for n, errors in enumerate(chosen) for error in errors})
    if run.model.reads.whole_documents:
        notes.append("Errors are not explained: the model sees documents as wholes, and explains single sentences.")
    elif not explained:
        notes.append(f"Errors are not explained: a {run.model.noun} explains something else.") if sentences else None
    elif len(explained) < sentences:
        notes.append(f"The errors of {len(explained):,} sentences are explained, those of the others are not.")
    return tuple(notes)
