"""The files of a run in docs/benchmarks: rivals.jsonl, rivals.md, rivals.svg."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.rivals.goals import check_goals
from bench.rivals.tables import build_goal_table, build_task_table
from bench.rivals.tasks import Task


def build_page(header: Mapping[str, Any], tasks: Sequence[Task], records: Sequence[Mapping[str, Any]]) -> str:
    """Write the page: the command, the machine, the goals, one table per task."""
    machine, versions = header["machine"], header["versions"]
    rounds = "1 round" if header["rounds"] == 1 else f"{header['rounds']} rounds"
    parts = [
        "# Beside other tools: all numbers",
        f"`{header['command']}`, {rounds}: {machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gigabytes']} GB, {machine['system']}, Python {machine['python']}; one thread each.",
        "Versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
    ]
    findings = check_goals(records)
    if findings:
        parts += ["## Goals", build_goal_table(findings)]
    for task in tasks:
        parts += [f"## {task.name.upper() if len(task.name) == 3 else task.name.capitalize()}",
                  build_task_table(task, records)]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def write_lines(path: Path, header: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> None:
    """Write the header and every record as a line of JSON."""
    path.write_text("".join(json.dumps(each) + "\n" for each in (header, *records)), "utf-8")
