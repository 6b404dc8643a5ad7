"""The fault harness: ``python -m tests.faults COMMAND``. Prints counts; exits with 1 if anything fails."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.faults.shim import Shim, require_shim


def _run_kills(arguments: argparse.Namespace) -> bool:
    from tests.faults.commands import TRAININGS
    from tests.faults.kills import run_kills

    return _run_under_shim(TRAININGS, arguments, run_kills, arguments.kills)


def _run_writes(arguments: argparse.Namespace) -> bool:
    from tests.faults.writes import OPERATIONS, run_sweep

    return _run_under_shim(OPERATIONS, arguments, run_sweep, arguments.every)


def _run_memory(arguments: argparse.Namespace) -> bool:
    from tests.faults.memory import run_memory

    return _with_data(lambda data, out: run_memory(arguments.runs, arguments.seed, data, out, _tell))


def _run_quick(_: argparse.Namespace) -> bool:
    require_shim()
    from tests.faults.quick import run_quick

    return _with_data(lambda data, out: run_quick(data, out, _tell))


def _run_soak(arguments: argparse.Namespace) -> bool:
    from tests.faults.soak import CASES, run_in_child

    cases = {case.name: case for case in CASES}
    flat = [run_in_child(cases[name], arguments.scale, _tell) for name in _select(cases, arguments.only)]
    return all(flat)


def _select(names: Iterable[str], only: str | None) -> list[str]:
    """Select the names that the user lists; all if there is no list."""
    wanted = None if only is None else only.split(",")
    return [name for name in names if wanted is None or name in wanted]


def _run_under_shim(
    names: Iterable[str], arguments: argparse.Namespace, check: Callable[..., bool], amount: int
) -> bool:
    """Check one system or operation after the other."""
    require_shim()

    def check_all(data: Path, out: Path) -> bool:
        kept = [check(name, amount, data, out, Shim(), _tell) for name in _select(names, arguments.only)]
        return all(kept)

    return _with_data(check_all)


def _with_data(check: Callable[[Path, Path], bool]) -> bool:
    """Check something with a folder of inputs and one for outputs; a child makes the inputs."""
    from tests.faults.children import Child, import_everything
    from tests.faults.commands import write_data

    import_everything()
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder, "data"), Path(folder, "out")
        data.mkdir()
        if Child.start(lambda: write_data(data), Path(folder, "messages")).wait() != 0:
            sys.exit(Path(folder, "messages").read_text())
        return check(data, out)


def _tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    commands = parser.add_subparsers(required=True)
    kills = commands.add_parser("kills", help="trainings that are killed and continued")
    kills.add_argument("--kills", type=int, default=200, help="kills of each system")
    kills.set_defaults(run=_run_kills)
    writes = commands.add_parser("writes", help="calls of the file system that fail")
    writes.add_argument("--every", type=int, default=1, help="let only each so-manieth call fail")
    writes.set_defaults(run=_run_writes)
    memory = commands.add_parser("memory", help="commands with little memory")
    memory.add_argument("--runs", type=int, default=400, help="number of commands")
    memory.add_argument("--seed", type=int, default=1, help="of the limits")
    memory.set_defaults(run=_run_memory)
    quick = commands.add_parser("quick", help="a small part of kills, writes and memory, for the tests")
    quick.set_defaults(run=_run_quick)
    soak = commands.add_parser("soak", help="resident memory of models that serve new words without end")
    soak.add_argument("--scale", type=float, default=1.0, help="part of the calls to make")
    soak.set_defaults(run=_run_soak)
    for command in (kills, writes, soak):
        command.add_argument("--only", metavar="NAME,...", help="what to run; default: everything")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    chosen = _parse(sys.argv[1:])
    sys.exit(0 if chosen.run(chosen) else 1)
