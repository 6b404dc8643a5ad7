"""What tagloom should reach beside other tools, and whether the records show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]
TASKS = ("chunking", "ner")
CRFS = ("python-crfsuite", "libwapiti", "wapiti")
MAIN, DICTS, OTHER_FILES = "tagloom", "tagloom, feature dicts", "tagloom, .crfsuite file"


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
        rows = {each["system"]: each for each in records if each["task"] == task and "failure" not in each}
        others = [each for each in rows.values() if not each["ours"]]
        if MAIN in rows and others:
            found += _check_task(task, rows, others)
    return found


def _check_task(task: str, rows: Mapping[str, Record], others: Sequence[Record]) -> Iterable[Finding]:
    crfs = [each for each in others if each["system"] in CRFS]
    full = [each for each in others if each["sentences"] == rows[MAIN]["sentences"]]
    yield from _find_least(task, "times as fast to the score of the other, at least", 20, full, _get_time)
    yield from _find_least(task, "times as fast in tagging, CRFsuite and Wapiti, at least", 10, crfs, _get_speed)
    yield from _find_least(task, "times as fast in tagging, all tools, at least", 4, others, _get_speed)
    for job, key in (("training", "train_megabytes"), ("tagging", "tag_megabytes")):
        leanest = min(full, key=lambda each: each[key]["median"])
        ratio = rows[MAIN][key]["median"] / leanest[key]["median"]
        yield Finding(task, f"memory in {job}, as a part of the leanest, at most", 1, ratio, leanest["system"], True)
    if (rival := rows.get("python-crfsuite")) is not None:
        for name, wanted, goal in (
            (DICTS, 3, "times as fast from feature dicts, training, at least"),
            (OTHER_FILES, 5, "times as fast with a .crfsuite file from feature dicts, at least"),
        ):
            if name in rows:
                yield Finding(task, goal, wanted, _compare_dicts(name, rows[name], rival), rival["system"])


def _compare_dicts(name: str, own: Record, rival: Record) -> float:
    key = "train_cpu" if name == DICTS else "extracted_tokens_per_second"
    ours, theirs = own[key]["median"], rival[key]["median"]
    return float(theirs / ours if key == "train_cpu" else ours / theirs)


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
