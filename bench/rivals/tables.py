"""The tables of a run in Markdown: one per task, and one of the goals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.rivals.goals import Finding
from bench.rivals.tasks import Task

Record = Mapping[str, Any]
MEGABYTE = 1024**2


def _write(record: Record, key: str, form: str, scale: float = 1.0, spread: bool = False) -> str:
    """Write a median, with the spread as a part of it if there was more than one round."""
    value = record.get(key)
    if value is None:
        return ""
    text = format(value["median"] * scale, form)
    if not spread or len(value["rounds"]) < 2 or not value["median"]:
        return text
    return f"{text} ±{50 * (value['high'] - value['low']) / value['median']:.0f} %"


def _write_number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _write_reached(record: Record) -> str:
    if "reached_in" not in record:
        return ""
    main, *others = record["reached_in"].items()
    also = (f"{name.rpartition(' ')[2]} {_write_seconds(seconds)}" for name, seconds in others)
    return "; ".join([_write_seconds(main[1]), *also])


def _write_seconds(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.2f}"


def _write_speed(record: Record) -> str:
    return "" if record["ours"] else _write(record, "faster_tagging", ".1f", spread=True)


COLUMNS: dict[str, Callable[[Record], str]] = {
    "score": lambda record: _write(record, "score", ".2f"),
    "training, CPU s": lambda record: _write(record, "train_cpu", ",.2f", spread=True),
    "passes": lambda record: "" if record.get("passes") is None else str(record["passes"]),
    "one pass, s": lambda record: _write(record, "pass_seconds", ".3f"),
    "tagloom reaches that score in, CPU s": _write_reached,
    "times as fast": lambda record: _write_number(record.get("faster_to_score"), ".0f"),
    "tokens/s": lambda record: _write(record, "tokens_per_second", ",.0f", spread=True),
    "tagloom tags times as fast": _write_speed,
    "tokens/s, features given": lambda record: _write(record, "extracted_tokens_per_second", ",.0f"),
    "one sentence, µs": lambda record: _write(record, "latency_microseconds", ",.0f"),
    "start, CPU s": lambda record: _write(record, "start_cpu", ".2f"),
    "training, MB": lambda record: _write(record, "train_megabytes", ",.0f"),
    "tagging, MB": lambda record: _write(record, "tag_megabytes", ",.0f"),
    "model, MB": lambda record: _write(record, "model_bytes", ".1f", 1 / MEGABYTE),
}


def build_task_table(task: Task, records: Sequence[Record]) -> str:
    """Lay the records of one task out, the training data with most sentences first; failures come last."""
    own = [each for each in records if each["task"] == task.name]
    done = [each for each in own if "failure" not in each]
    names = [name for name, write in COLUMNS.items() if any(write(each) for each in done)]
    lines = [
        f"| {task.corpus} | sentences | trained with | {' | '.join(_rename(name, task) for name in names)} |",
        "|---|---|---|" + "---|" * len(names),
    ]
    for each in done:
        cells = [COLUMNS[name](each) for name in names]
        head = [each["system"], _write_sentences(each["sentences"]), each["settings"]]
        lines.append(f"| {' | '.join([*head, *cells])} |")
    failed = [f"- {each['system']}: not measured, {each['failure']}" for each in own if "failure" in each]
    return "\n".join([*lines, *([""] if failed else []), *failed])


def _rename(name: str, task: Task) -> str:
    return f"test {task.metric}" if name == "score" else name


def _write_sentences(number: int | None) -> str:
    return "all" if number is None else f"first {number:,}"


def build_goal_table(findings: Sequence[Finding]) -> str:
    """Lay the goals out, with what was found."""
    lines = ["| task | goal | wanted | found | beside | reached |", "|---|---|---|---|---|---|"]
    for each in findings:
        found = "never" if each.found is None else f"{each.found:.2f}"
        reached = "yes" if each.is_reached else "no"
        lines.append(f"| {each.task} | {each.goal} | {each.wanted:g} | {found} | {each.tool} | {reached} |")
    return "\n".join(lines)
