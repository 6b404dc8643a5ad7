"""Runs cases in child processes, so that a crash, a hang or a lost gigabyte is an outcome and not the end."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from typing import IO, Any

from tests.fuzz.outcome import CRASH, SLOW, Outcome, Target

BATCH = 500  # cases per process: a fork costs some milliseconds
PATIENCE = 10  # times the seconds of a target, of processor time, after which a case is killed
_STANDSTILL = 600.0  # seconds without an outcome after which a process is taken to wait for something


def run_cases(target: Target, seed: int, numbers: range, log: Path) -> Iterator[tuple[int, Outcome]]:
    """Run cases and give the outcome of each, in order.

    Args:
        target: What is fuzzed. It has been prepared.
        seed: Seed of all cases.
        numbers: Numbers of the cases.
        log: File for what the processes print to standard error, such as reports of sanitizers.
    """
    first = numbers.start
    while first < numbers.stop:
        for outcome in _run_batch(target, seed, range(first, min(first + BATCH, numbers.stop)), log):
            yield first, outcome
            first += 1


def shrink_case(target: Target, case: Any, outcome: Outcome, log: Path, seconds: float = 3.0) -> Any:
    """Find a smaller case that fails in the same place, as far as the time allows."""
    end = time.monotonic() + seconds
    proposals = iter(target.shrink(case))
    while time.monotonic() < end and (smaller := next(proposals, None)) is not None:
        if _fails_alike(target, smaller, outcome, log):
            case, proposals = smaller, iter(target.shrink(smaller))
    return case


def _fails_alike(target: Target, case: Any, outcome: Outcome, log: Path) -> bool:
    return run_alone(target, case, log).place == outcome.place


def run_alone(target: Target, case: Any, log: Path) -> Outcome:
    """Run one case in a process of its own."""
    return next(_outcomes(target, map(target.run, [case]), 1, log))


def _run_batch(target: Target, seed: int, numbers: range, log: Path) -> Iterator[Outcome]:
    outcomes = (target.run(target.make_case(seed, number)) for number in numbers)
    return _outcomes(target, outcomes, len(numbers), log)


def _outcomes(target: Target, outcomes: Iterator[Outcome], count: int, log: Path) -> Iterator[Outcome]:
    """Fork, and give what the child reports. A child that dies or stands still reports its last outcome by that."""
    with tempfile.TemporaryDirectory(prefix="tagloom-fuzz-") as folder:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _serve(target, outcomes, writing, folder, log)
        os.close(writing)
        with os.fdopen(reading, "rb") as lines:
            given = 0
            for outcome in _listen(lines):
                given += 1
                yield outcome
        if given < count:
            yield _bury(child)
        else:
            os.waitpid(child, 0)


def _serve(target: Target, outcomes: Iterator[Outcome], pipe: int, folder: str, log: Path) -> None:
    """In the child: run the cases and never return."""
    code = 1
    try:
        os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666), 2)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 0)
        os.chdir(folder)
        warnings.simplefilter("default")  # a warning is no failure, though tests may make it one
        if target.memory and "TAGLOOM_SANITIZED" not in os.environ:
            resource.setrlimit(resource.RLIMIT_AS, (target.memory, target.memory))
        _allow(target)
        for outcome in outcomes:
            _allow(target)
            os.write(pipe, json.dumps(astuple(outcome)).encode() + b"\n")
        code = 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code)


def _allow(target: Target) -> None:
    """Let the next case begin: the process dies of SIGPROF if it takes too much processor time."""
    signal.setitimer(signal.ITIMER_PROF, target.seconds * PATIENCE)


def _listen(lines: IO[bytes]) -> Iterator[Outcome]:
    rest = b""
    while select.select([lines], [], [], _STANDSTILL)[0]:
        piece = os.read(lines.fileno(), 1 << 16)
        if not piece:
            return
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield Outcome(*json.loads(line))


def _bury(child: int) -> Outcome:
    """Say why a child stopped before its time, and kill it if it still runs."""
    done, status = os.waitpid(child, os.WNOHANG)
    if not done:
        done, status = _wait_briefly(child)
    if not done:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if not done or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF):
        return Outcome(SLOW, "killed", "the case did not end")
    ended = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit code {os.WEXITSTATUS(status)}"
    return Outcome(CRASH, ended, f"the process ended with {ended}")


def _wait_briefly(child: int) -> tuple[int, int]:
    """Its end of the pipe closes a moment before a child is gone."""
    descriptor = os.pidfd_open(child)
    try:
        select.select([descriptor], [], [], 1.0)
    finally:
        os.close(descriptor)
    return os.waitpid(child, os.WNOHANG)
