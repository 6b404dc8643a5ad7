"""Memory limits: commands of every system under limits of the address space end with a result or with one line.

Half of the runs are forked from a process that has imported everything, with little memory to spare, so that the work
itself fails. The others are new processes, whose imports may fail, too.
"""

from __future__ import annotations

import math
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tagloom.cli.main import run as run_command
from tests.faults.children import Child
from tests.faults.commands import TRAININGS, fill_in

_NER = ["--columns", "form pos ner"]
_MB = 1 << 20

#: Commands that use models, beside the trainings.
USES: dict[str, list[str]] = {
    "tag": ["tag", "DATA/tagger", "DATA/dev.txt", *_NER, "-o", "OUT/tagged"],
    "tag text": ["tag", "DATA/words", "DATA/text.txt", "--to", "jsonl", "-o", "OUT/tagged"],
    "tag with threads": ["tag", "DATA/tagger", "DATA/train.txt", *_NER, "--threads", "4", "-o", "OUT/tagged"],
    "parse": ["tag", "DATA/parser", "DATA/trees.conllu", "-o", "OUT/parsed"],
    "eval": ["eval", "DATA/tagger", "DATA/dev.txt", *_NER],
    "report": ["report", "DATA/tagger", "DATA/dev.txt", *_NER, "-o", "OUT/report.html", "--bootstrap", "20"],
    "inspect": ["inspect", "DATA/tagger"],
    "explain": ["explain", "DATA/words", "The old dog saw Bonn"],
    "convert": ["convert", "DATA/train.txt", "OUT/corpus.jsonl", *_NER],
    "jackknife": ["jackknife", "DATA/train.txt", "-o", "OUT/tagged", *_NER, "--folds", "2", "--epochs", "1"],
    "draw": ["draw", "DATA/trees.conllu", "--svg", "OUT/tree.svg", "--sentence", "1"],
}
THREADED = {
    f"{name} with threads": [*TRAININGS[name], "--threads", "4"] for name in ("tagger-batch", "phrases", "parser")
}
COMMANDS = {**TRAININGS, **THREADED, **USES}


def measure_address_space() -> int:
    """Measure the bytes of the address space that this process has taken."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _limit(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def run_forked(arguments: Sequence[str], spare: int, messages: Path) -> int:
    """Run a command in a forked process with so many bytes to spare; returns its exit code."""

    def act() -> int:
        _limit(measure_address_space() + spare)
        return run_command(arguments)

    return Child.start(act, messages).wait()


def run_new(arguments: Sequence[str], size: int, messages: Path) -> int:
    """Run a command in a new process whose address space is limited; returns its exit code."""
    command = [sys.executable, "-m", "tagloom.cli", *arguments]
    # OpenBLAS ends the process by itself if it cannot allocate the buffers of its threads.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with messages.open("wb") as stream:
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=stream, env=environment, preexec_fn=lambda: _limit(size)
        )
    return done.returncode


# A library that Python has loaded may have variables of each thread. If there is no memory for those of a new thread,
# the C library ends the process by itself, with this line: nobody can catch that.
_LAST_WORDS = "cannot allocate memory for thread-local data: ABORT"
SUCCESS, ONE_LINE, C_LIBRARY = "succeeded", "ended with one line", "ended by the C library with its line"


def classify(code: int, messages: str) -> str | None:
    """Return how a command ended, None if that is not as promised."""
    lines = [line for line in messages.splitlines() if line]
    errors = [line for line in lines if line.startswith("tagloom: error: ")]
    if code == 0:
        return SUCCESS
    if code == 2 and len(errors) == 1 and lines[-1] == errors[0]:
        return ONE_LINE
    return C_LIBRARY if code == 127 and lines[-1:] == [_LAST_WORDS] else None


def run_one(name: str, *, is_new: bool, size: float, data: Path, out: Path) -> tuple[str | None, str]:
    """Run a command under a limit of so many MB: how it ended, and what it told."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    messages = out.with_name("messages")
    start = run_new if is_new else run_forked
    code = start(fill_in(COMMANDS[name], data, out), int(size * _MB), messages)
    text = messages.read_text(errors="replace")
    left = [file.name for file in out.rglob("*.tmp")]
    ended = classify(code, text)
    return (None if left and ended in (SUCCESS, ONE_LINE) else ended), f"exit code {code}, {left} left; {text[-300:]!r}"


def run_memory(runs: int, seed: int, data: Path, out: Path, tell: Callable[[str], None]) -> bool:
    """Run commands under limits, and tell the counts."""
    draw, counts, failures = random.Random(seed), Counter[str](), 0
    for number in range(runs):
        name, is_new = list(COMMANDS)[(number + seed) % len(COMMANDS)], number % 8 == 7
        # Below 100 MB, OpenBLAS ends a new process by itself.
        size = draw.uniform(100, 300) if is_new else math.exp(draw.uniform(math.log(0.1), math.log(50)))
        ended, told = run_one(name, is_new=is_new, size=size, data=data, out=out)
        if ended is None:
            failures += 1
            tell(f"FAILED {name}, {'new process' if is_new else 'forked'}, {size:.1f} MB: {told}")
        else:
            counts[ended] += 1
    shown = ", ".join(f"{count} {how}" for how, count in counts.most_common())
    tell(f"{runs} runs under memory limits: {shown}, {failures} not as promised")
    return not failures
