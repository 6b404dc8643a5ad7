"""`make bench-core`: micro benchmarks of the core beside those of a base revision, in the same run.

The base is the revision in docs/benchmarks/core.json unless BASE names another. Both cores are built and run in turns.
A case that is 20 % slower than the base is measured again; if it is still slower, the command names it and fails.
`--record` writes the results and makes the last commit that changed the package the base of later runs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.core.build import Core, build_revision, build_working_tree, find_revision
from bench.core.cases import CASES
from bench.core.verdict import Verdict, build_table, judge, judge_all
from bench.machine import describe_machine

RECORD = ROOT / "docs" / "benchmarks" / "core.json"
SOURCES = ("src", "cpp", "CMakeLists.txt")
ROUNDS = 9


class Worker:
    """A process that runs cases with one core."""

    def __init__(self, core: Core) -> None:
        self.process = core.start()

    def ask(self, name: str) -> dict[str, Any]:
        """Run a case once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{name}: the process of the core has ended; its message stands above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Timings:
    """Seconds of both cores round by round, of the new core alone, and errors."""

    pairs: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    new: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def run(self, names: Iterable[str], base: Worker, now: Worker, rounds: int) -> None:
        """Run cases in turns; which core goes first changes from round to round."""
        for name in names:
            print(name, file=sys.stderr)
            for number in range(rounds):
                workers = (base, now) if number % 2 == 0 else (now, base)
                answers = {worker: worker.ask(name) for worker in workers}
                self._take(name, answers[base], answers[now])

    def _take(self, name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        if "error" in after:
            self.errors[name] = after["error"]
        elif "error" in before:
            self.new.setdefault(name, []).append(after["seconds"])
        else:
            self.pairs.setdefault(name, []).append((before["seconds"], after["seconds"]))


def measure(base: Core, now: Core, names: list[str], rounds: int) -> tuple[list[Verdict], dict[str, str]]:
    """Measure all cases, and those that seem slower once more with twice the rounds; only that counts for them."""
    with ExitStack() as stack:
        workers = Worker(base), Worker(now)
        for worker in workers:
            stack.callback(worker.close)
        first = Timings()
        first.run(names, *workers, rounds)
        slower = [name for name, pairs in first.pairs.items() if judge(name, pairs).is_slower]
        again = Timings()
        again.run(slower, *workers, 2 * rounds)
    return judge_all({**first.pairs, **again.pairs}, first.new), {**first.errors, **again.errors}


def read_record() -> dict[str, Any]:
    if not RECORD.exists():
        sys.exit(f"{RECORD.relative_to(ROOT)} is missing: run make bench-core BASE=REVISION")
    found: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return found


def run_git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def write_record(verdicts: list[Verdict]) -> None:
    """Write the seconds of this run, and the last commit that changed the package as the base of later runs."""
    if run_git("status", "--porcelain", *SOURCES):
        sys.exit("--record: src or cpp has changes that are not committed; commit them first")
    record = {
        "command": "make bench-core",
        "revision": run_git("log", "-1", "--format=%H", "--", *SOURCES),
        "machine": describe_machine(),
        "milliseconds": {each.name: round(1000 * each.now, 4) for each in verdicts},
    }
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.core")
    parser.add_argument("--base", metavar="REVISION", help="what to compare with; that of the record by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of both cores per case")
    parser.add_argument("--case", action="append", default=[], help="a case whose name begins so; all by default")
    parser.add_argument("--record", action="store_true", help="make the committed package the base of later runs")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "bench-core", help="where cores are built")
    options = parser.parse_args()
    revision = find_revision(options.base or read_record()["revision"])
    names = [name for name in CASES if not options.case or name.lower().startswith(tuple(map(str.lower, options.case)))]
    base, now = build_revision(revision, options.cache), build_working_tree(options.cache)
    verdicts, errors = measure(base, now, names, options.rounds)
    print(build_table(verdicts, base.name))
    for name, error in errors.items():
        print(f"{name}: {error}")
    if options.record:
        write_record(verdicts)
    slower = [each.name for each in verdicts if each.is_slower]
    if slower or errors:
        sys.exit(f"slower than {base.name}: {', '.join(slower) or 'none'}; failed: {', '.join(errors) or 'none'}")


if __name__ == "__main__":
    main()
