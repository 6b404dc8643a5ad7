"""`make bench`: tagloom beside other tools on five tasks; writes docs/benchmarks/rivals.*.

Every measurement has a process of its own and is kept in build/bench-rivals, so that a run that was stopped goes on.
`--only`, `--task` and `--quick` print their tables, and write them if `--output` names a folder.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import ROOT
from bench.machine import describe_machine
from bench.rivals.adapters import list_adapters
from bench.rivals.adapters.adapter import Adapter
from bench.rivals.plan import QUICK, Entry, Runner, Size, list_entries
from bench.rivals.plot import draw
from bench.rivals.report import build_page, write_lines
from bench.rivals.summary import compare, summarise
from bench.rivals.tasks import TASKS, Task, find_data

TARGET = ROOT / "docs" / "benchmarks"
ROUNDS = 3
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


def choose_adapters(only: Sequence[str]) -> list[Adapter]:
    """Return tagloom and the tools whose names begin with one of the given ones, or all."""
    found = list(list_adapters().values())
    chosen = [each for each in found if not only or any(each.name.lower().startswith(name.lower()) for name in only)]
    if not chosen:
        sys.exit(f"--only: no tool is called so; the tools are {', '.join(each.name for each in found)}")
    return [each for each in found if each.is_ours or each in chosen]


def measure(tasks: Sequence[Task], adapters: Sequence[Adapter], size: Size, cache: Path) -> list[Entry]:
    """Run all rounds of all tasks, one task after the other."""
    runner, data, entries = Runner(cache, size.passes), find_data(), []
    for task in tasks:
        own = list_entries(task, adapters, size, data, cache / "data")
        models: dict[int | None, dict[str, Path]] = {}
        for number in range(size.rounds):
            for entry in own:
                runner.run_round(entry, number, models.setdefault(entry.sentences, {}))
        entries += own
    return entries


def name_choice(options: argparse.Namespace) -> list[str]:
    """List the options that chose a part of the bench."""
    chosen = [*(f"--task {name}" for name in options.task), *(f"--only {name}" for name in options.only)]
    return [*chosen, *["--quick"] * options.quick, *([f"--rounds {options.rounds}"] * (options.rounds != ROUNDS))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.rivals")
    parser.add_argument("--only", action="append", default=[], metavar="RIVAL", help="a tool; tagloom is always there")
    parser.add_argument("--task", action="append", default=[], choices=TASKS, help="a task; all by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often everything is measured")
    parser.add_argument("--quick", action="store_true", help="little data, one round: to see that everything works")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "bench-rivals", help="keeps finished parts")
    parser.add_argument("--output", type=Path, help="folder for rivals.*; docs/benchmarks if everything is measured")
    options = parser.parse_args()
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    size = QUICK if options.quick else Size(None, None, options.rounds)
    tasks = [TASKS[name] for name in options.task or TASKS]
    adapters = choose_adapters(options.only)
    entries = measure(tasks, adapters, size, options.cache)
    records = compare([summarise(entry) for entry in entries])
    versions = {each.package or each.name: each.version for each in adapters if each.version}
    is_whole = not (options.only or options.task or options.quick)
    command = "make bench" if is_whole else f'make bench BENCH="{" ".join(name_choice(options))}"'
    header = {"command": command, "machine": describe_machine(), "versions": versions, "rounds": size.rounds}
    page = build_page(header, tasks, records)
    print(page)
    target = options.output or (TARGET if is_whole else None)
    if target is not None:
        target.mkdir(exist_ok=True)
        write_lines(target / "rivals.jsonl", header, records)
        (target / "rivals.md").write_text(page, "utf-8")
        (target / "rivals.svg").write_bytes(draw(tasks, records))


if __name__ == "__main__":
    main()
