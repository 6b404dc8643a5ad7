"""Fuzzes one part of tagloom: ``python -m tests.fuzz TARGET --count N --seed S``.

It prints how many cases had which outcome, and writes one case of every kind of failure to build/fuzz. It ends with 1
if there was a failure.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.batches import BATCH, run_alone, run_cases, shrink_case
from tests.fuzz.outcome import KINDS, RAW, WRONG, Outcome, Target
from tests.fuzz.records import write_record
from tests.fuzz.targets import TARGETS, open_target


def main() -> int:
    """Run the cases that the command line names."""
    options = _parse_options()
    target = open_target(options.target)
    options.output.mkdir(parents=True, exist_ok=True)
    keeper = Keeper(target, options.target, options.seed, options.output)
    if options.only is not None:
        print(run_alone(target, target.make_case(options.seed, options.only), keeper.log).detail or "ok")  # noqa: T201
        return 0
    begun = time.monotonic()
    counts = run(target, options.seed, options.count, options.seconds, keeper)
    if options.records is not None:
        outcomes = {kind: counts[kind] for kind in KINDS}
        write_record(
            options.records / f"{options.target}.json", options.target, TARGETS[options.target], outcomes,
            time.monotonic() - begun, seed=options.seed,
        )  # fmt: skip
    print(f"{options.target} seed {options.seed}: {_describe(counts)}")  # noqa: T201
    return int(bool(keeper.places))


def run(target: Target, seed: int, count: int, seconds: float, keeper: Keeper) -> Counter[str]:
    """Run cases until there were enough or the time is over, and count their outcomes."""
    end, counts, first = time.monotonic() + seconds, Counter[str](), 0
    while first < count and time.monotonic() < end:
        batch = range(first, min(first + BATCH, count))
        for number, outcome in run_cases(target, seed, batch, keeper.log):
            counts[outcome.kind] += 1
            if outcome.failed:
                keeper.keep(number, outcome)
        first = batch.stop
    return counts


class Keeper:
    """Keeps the first case of every place where one failed."""

    def __init__(self, target: Target, name: str, seed: int, folder: Path) -> None:
        self.target, self.name, self.seed, self.folder = target, name, seed, folder.resolve()
        self.log = self.folder / f"{name}.log"
        self.places = Counter[str]()

    def keep(self, number: int, outcome: Outcome) -> None:
        """Write a failing case, made as small as it can be, and what came of it."""
        self.places[outcome.place] += 1
        if self.places[outcome.place] > 1:
            return
        case = self.target.make_case(self.seed, number)
        if outcome.kind in (RAW, WRONG):  # the others take their time
            case = shrink_case(self.target, case, outcome, self.log)
        base = self.folder / f"{self.name}-{self.seed}-{number}"
        base.with_suffix(".case").write_bytes(self.target.dump(case))
        base.with_suffix(".txt").write_text(f"{outcome.kind}: {outcome.place}\n{outcome.detail}\n", errors="replace")
        print(f"{outcome.kind}: {outcome.place}: {base}.case", file=sys.stderr)  # noqa: T201


def _describe(counts: Counter[str]) -> str:
    return f"{counts.total():,} cases: " + ", ".join(f"{counts[kind]:,} {kind}" for kind in KINDS)


class _ListTargets(argparse.Action):
    """Prints the names of all targets, one per line, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print("\n".join(TARGETS))  # noqa: T201
        parser.exit()


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description="Fuzz one part of tagloom.")
    parser.add_argument("--list", action=_ListTargets, nargs=0, help="print the names of all targets")
    parser.add_argument("target", choices=TARGETS, help="; ".join(": ".join(row) for row in TARGETS.items()))
    parser.add_argument("--count", type=int, default=10_000, help="number of cases")
    parser.add_argument("--seed", type=int, default=1, help="seed of all cases")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="run one case and print what came of it")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="folder for cases that failed")
    parser.add_argument("--records", type=Path, help="folder for a record of the run")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
