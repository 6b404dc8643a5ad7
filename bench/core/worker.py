"""Runs benchmarks on request: one name per line in, one line of JSON out, with the CPU seconds of a call or an error.

The parent asks the workers of both cores in turns. Whatever the cases print goes to stderr.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable

from bench.core.cases import CASES

CALLS = 3  # in one turn; the fastest counts
LEAST_SECONDS = 0.02  # of a turn; faster cases are called more often


def measure(run: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of some calls."""
    times: list[float] = []
    gc.collect()
    while len(times) < CALLS or sum(times) < LEAST_SECONDS:
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr
    prepared: dict[str, Callable[[], object]] = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in prepared:
                prepared[name] = CASES[name]()
                prepared[name]()  # warms up
            answer: dict[str, object] = {"seconds": measure(prepared[name])}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
