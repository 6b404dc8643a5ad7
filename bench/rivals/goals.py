"""What tagloom should reach beside other tools, and whether the records show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]
TASKS = ("chunking", "ner")
CRFS = ("python-crfsuite", "libwapiti", "wapiti")
MAIN, DICTS, OTHER_FILES, RIVAL_DICTS = (
    "tagloom", "tagloom, feature dicts", "tagloom, .crfsuite file", "python-crfsuite, dicts",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """A goal on a task: what was wanted, what was found, and with which tool."""

    task: str
    goal: str
    wanted: float
    found: float | None  # None: never reached
    tool: str
    at_most: bool = False  # the value should be small

    @property
    def is_reached(self) -> bool:
        if self.found is None:
            return False
        return self.found <= self.wanted if self.at_most else self.found >= self.wanted


def check_goals(records: Sequence[Record]) -> list[Finding]:
    """Compare the records of chunking and entities with the goals; the tool that is closest decides."""
    found: list[Finding] = []
    for task in TASKS:
        rows = {each["system"]: each for each in reversed(records) if each["task"] == task and "failure" not in each}
        others = [each for each in rows.values() if not each["ours"]]
        if MAIN in rows and others:
            found += _check_task(task, rows, others)
    return found


def _check_task(task: str, rows: Mapping[str, Record], others: Sequence[Record]) -> Iterable[Finding]:
    crfs = [each for each in others if each["system"] in CRFS]
    full = [each for each in others if each["sentences"] == rows[MAIN]["sentences"] and "train_cpu" in each]
    yield from _find_least(task, "times as fast to the score of the other, at least", 20, full, _get_time)
    yield from _find_least(task, "times as fast in tagging, CRFsuite and Wapiti, at least", 10, crfs, _get_speed)
    yield from _find_least(task, "times as fast in tagging, all tools, at least", 4, others, _get_speed)
    for job, key in (("training", "train_megabytes"), ("tagging", "tag_megabytes")):
        leanest = min(full, key=lambda each: each[key]["median"])
        ratio = rows[MAIN][key]["median"] / leanest[key]["median"]
        yield Finding(task, f"memory in {job}, as a part of the leanest, at most", 1, ratio, leanest["system"], True)
    yield from _check_dicts(task, rows)


def _check_dicts(task: str, rows: Mapping[str, Record]) -> Iterable[Finding]:
    """Compare what tagloom does with feature dicts with python-crfsuite, which makes them in the same way."""
    rival, speed = CRFS[0], "extracted_tokens_per_second"
    if DICTS in rows and rival in rows:
        ratio = rows[rival]["train_cpu"]["median"] / rows[DICTS]["train_cpu"]["median"]
        yield Finding(task, "times as fast from feature dicts to a model, at least", 3, ratio, rival)
    for name, wanted, goal in (
        (DICTS, 3, "times as fast from feature dicts to labels, at least"),
        (OTHER_FILES, 5, "times as fast from feature dicts to labels with the .crfsuite file, at least"),
    ):
        if name in rows and RIVAL_DICTS in rows:
            ratio = rows[name][speed]["median"] / rows[RIVAL_DICTS][speed]["median"]
            yield Finding(task, goal, wanted, ratio, RIVAL_DICTS)


def _get_time(record: Record) -> float | None:
    return record["faster_to_score"]  # type: ignore[no-any-return]


def _get_speed(record: Record) -> float | None:
    return record["faster_tagging"]["median"]  # type: ignore[no-any-return]


def _find_least(
    task: str, goal: str, wanted: float, records: Sequence[Record], get: Callable[[Record], float | None]
) -> Iterable[Finding]:
    """Find the tool with the least ratio; one whose score is never reached comes first."""
    if records:
        least = min(records, key=lambda each: get(each) or 0.0)
        yield Finding(task, goal, wanted, get(least), least["system"])
