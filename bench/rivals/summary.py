"""From rounds to one record per tool: medians with their spread, the score, and ratios to tagloom."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rivals.plan import Entry
from bench.rivals.tasks import LAS, Task, read_sentences

#: Measured values that a record has, in this order.
MEASURES = (
    "train_cpu", "pass_seconds", "train_megabytes", "model_bytes", "tokens_per_second", "extracted_tokens_per_second",
    "latency_microseconds", "tag_megabytes", "start_cpu", "start_seconds", "score",
)  # fmt: skip


@dataclass(frozen=True)
class Spread:
    """The median of a value in all rounds, the lowest and the highest, and the value of every round."""

    median: float
    low: float
    high: float
    rounds: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(statistics.median(values), min(values), max(values), tuple(values))


def summarise(entry: Entry) -> dict[str, Any]:
    """Return the record of a tool."""
    adapter = entry.adapter
    record: dict[str, Any] = {
        "task": entry.task.name, "system": adapter.name, "version": adapter.version, "settings": adapter.settings,
        "ours": adapter.is_ours, "takes_features": adapter.features, "sentences": entry.sentences,
    }  # fmt: skip
    if entry.failure is not None:
        return {**record, "failure": entry.failure}
    rounds = [_add_pass(each) for each in entry.rounds]
    for each, labels in zip(rounds, entry.outputs):
        each["score"] = compute_score(entry.task, entry.files.test, labels)
    for name in MEASURES:
        values = [each[name] for each in rounds if name in each]
        if values:
            record[name] = vars(Spread.of(values))
    record["passes"] = rounds[0].get("passes")
    if entry.traces:
        record["trace"] = summarise_traces(entry.traces)
    return record


def _add_pass(found: Mapping[str, Any]) -> dict[str, Any]:
    """Add the seconds of one pass, where the tool tells how many it made and how long all of them took."""
    if found.get("passes") and "learning_seconds" in found:
        return {**found, "pass_seconds": found["learning_seconds"] / found["passes"]}
    return dict(found)


def summarise_traces(traces: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Return median seconds and the scores after every pass; scores are the same in all rounds."""
    return {
        "seconds": [statistics.median(each) for each in zip(*(trace["trace_seconds"] for trace in traces))],
        "scores": list(traces[0]["trace_scores"]),
    }


def find_time(trace: Mapping[str, Sequence[float]], score: float) -> float | None:
    """Return the CPU seconds after which a score was reached for the first time, or None."""
    return next((seconds for seconds, found in zip(trace["seconds"], trace["scores"]) if found >= score), None)


def compute_score(task: Task, test: Path, labels: Path) -> float:
    """Score predicted labels as the task is scored."""
    gold = [[task.find_label(row) for row in sentence] for sentence in read_sentences(test)]
    predicted = [block.split("\n") for block in labels.read_text("utf-8").split("\n\n")[:-1]]
    if list(map(len, gold)) != list(map(len, predicted)):
        raise ValueError(f"{labels}: expected one label per token of {test}")
    if task.metric == LAS:
        pairs = [pair for one, other in zip(gold, predicted) for pair in zip(one, other)]
        return 100 * sum(one == other for one, other in pairs) / len(pairs)
    return _score_labels(gold, predicted)


def _score_labels(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> float:
    import numpy as np

    from tagloom.corpus import Column
    from tagloom.evaluate import score

    offsets = np.cumsum([0, *map(len, gold)])
    truth, guess = (Column.from_strings(label for labels in side for label in labels) for side in (gold, predicted))
    return float(score(truth, guess, offsets).value)


def compare(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Add to the records of other tools what tagloom needs for the same, trained on the same sentences.

    ``reached_in`` has the CPU seconds in which the learners of tagloom reach their score, and ``faster_to_score`` how
    often those of the first learner go into their training. ``faster_tagging`` has ratios of the rounds, each within
    one round.
    """
    return [{**record, **_compare(record, find_ours(records, record))} for record in records]


def _compare(record: Mapping[str, Any], learners: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    if record["ours"] or "failure" in record or not learners:
        return {}
    mine = learners[0]
    speeds = zip(mine["tokens_per_second"]["rounds"], record["tokens_per_second"]["rounds"])
    tagging = {"faster_tagging": vars(Spread.of([ours / theirs for ours, theirs in speeds]))}
    if "train_cpu" not in record:  # the model of another tool
        return tagging
    reached = {each["system"]: find_time(each["trace"], record["score"]["median"]) for each in learners}
    first = reached[mine["system"]]
    ratio = None if first is None else record["train_cpu"]["median"] / first
    return {"reached_in": reached, "faster_to_score": ratio, **tagging}


def find_ours(records: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the learners of tagloom for the task and training data of a record."""
    same = [each for each in records if all(each[key] == record[key] for key in ("task", "sentences"))]
    return [each for each in same if "trace" in each]
