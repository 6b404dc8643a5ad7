"""Counts for Prometheus, summed over all workers of a server.

Every worker has a row of numbers in memory that all share, and writes to its own only, so that no locks are needed. Any
worker can add the rows up. A worker that replaces a dead one goes on with its row, so that counters never fall.
"""

from __future__ import annotations

import array
import multiprocessing
import os
import time
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagloom._version import __version__
from tagloom.serve.problems import STATUSES

#: Upper bounds of the classes of a histogram.
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
REQUESTS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
GONE = 499  # the status of requests whose clients went away
OTHER = "other"  # the endpoint of paths that nobody serves

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Family:
    """A metric: its name, what it means, and the values that its labels can have."""

    name: str
    kind: str  # counter, gauge or histogram
    help: str
    labels: Sequence[Labels] = ((),)
    bounds: Sequence[float] = ()  # of a histogram

    @property
    def width(self) -> int:
        """Numbers per combination of labels: one; of a histogram, its classes and the sum."""
        return len(self.bounds) + 2 if self.bounds else 1


def list_families(endpoints: Sequence[str], models: Sequence[str]) -> list[Family]:
    """List the metrics of a server."""
    paths = [*endpoints, OTHER]
    statuses = [(("endpoint", path), ("status", str(code))) for path in paths for code in (200, 304, *STATUSES, GONE)]
    by_path: list[Labels] = [(("endpoint", path),) for path in paths]
    by_model: list[Labels] = [(("model", name),) for name in models]
    outcomes = [(("model", name), ("outcome", outcome)) for name in models for outcome in ("ok", "failed")]
    return [
        Family("tagloom_requests_total", "counter", "Requests by endpoint and status.", statuses),
        Family("tagloom_request_seconds", "histogram", "Time from a request to its answer.", by_path, SECONDS),
        Family("tagloom_requests_under_way", "gauge", "Requests that wait for their answers."),
        Family("tagloom_batch_requests", "histogram", "Requests that one call of a model answers.", ((),), REQUESTS),
        Family("tagloom_inputs_total", "counter", "Texts and sentences by model.", by_model),
        Family("tagloom_tokens_total", "counter", "Tokens by model.", by_model),
        Family("tagloom_reloads_total", "counter", "Changed model files by outcome, in all workers.", outcomes),
        Family("tagloom_workers", "gauge", "Workers that run."),
        Family("tagloom_memory_bytes", "gauge", "Resident memory of all workers."),
        Family("tagloom_cpu_seconds_total", "counter", "Processor time of all workers."),
    ]


@dataclass
class Rows:
    """The numbers of all workers, and the process that each row belongs to."""

    width: int
    numbers: Any
    owners: Any
    lock: Any = field(default_factory=nullcontext)

    @classmethod
    def share(cls, width: int, workers: int) -> Rows:
        """Build rows for some workers, which see the same memory, and for those that replace them."""
        if workers == 1:
            return cls(width, array.array("d", bytes(8 * width)), array.array("q", [0]))
        context, rows = multiprocessing.get_context("spawn"), 2 * workers
        return cls(width, context.RawArray("d", width * rows), context.RawArray("q", rows), context.Lock())

    def claim(self) -> int:
        """Find the first number of a row that no living process owns."""
        with self.lock:
            row = next((row for row, owner in enumerate(self.owners) if not _is_alive(owner)), 0)
            self.owners[row] = os.getpid()
        return row * self.width

    def add_up(self, gauges: Collection[int]) -> list[float]:
        """Sum the rows; of gauges those of processes that live."""
        living = [row for row, owner in enumerate(self.owners) if _is_alive(owner)]
        every = range(len(self.owners))
        return [
            sum(self.numbers[row * self.width + place] for row in (living if place in gauges else every))
            for place in range(self.width)
        ]


def _is_alive(process: int) -> bool:
    if not process:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class Metrics:
    """The row of this worker, and the text that Prometheus reads."""

    def __init__(self, families: Sequence[Family], rows: Rows | None = None) -> None:
        self._families = families
        self._places: dict[tuple[str, Labels], int] = {}
        self._gauges: set[int] = set()
        self._bounds = {family.name: family.bounds for family in families}
        at = 0
        for family in families:
            for labels in family.labels:
                self._places[family.name, labels] = at
                self._gauges |= {at} if family.kind == "gauge" else set()
                at += family.width
        self._rows = rows or Rows.share(at, 1)
        self._first = self._rows.claim()
        self._numbers = self._rows.numbers
        self._cpu = self._numbers[self._place("tagloom_cpu_seconds_total", ())]  # of those that had the row before
        for name in ("tagloom_requests_under_way", "tagloom_workers"):  # a worker runs once its models are loaded
            self._numbers[self._place(name, ())] = 0

    @staticmethod
    def measure_width(families: Iterable[Family]) -> int:
        """Count the numbers of a row."""
        return sum(len(family.labels) * family.width for family in families)

    def _place(self, name: str, labels: Labels) -> int:
        return self._first + self._places[name, labels]

    def add(self, name: str, amount: float = 1, labels: Labels = ()) -> None:
        """Add to a counter or gauge."""
        self._numbers[self._first + self._places[name, labels]] += amount

    def observe(self, name: str, value: float, labels: Labels = ()) -> None:
        """Count a value in a histogram."""
        bounds = self._bounds[name]
        first = self._first + self._places[name, labels]
        self._numbers[first + bisect_left(bounds, value)] += 1
        self._numbers[first + len(bounds) + 1] += value

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        labels: Labels = (("endpoint", path), ("status", str(status)))
        if ("tagloom_requests_total", labels) in self._places:
            self.add("tagloom_requests_total", 1, labels)
            self.observe("tagloom_request_seconds", seconds, labels[:1])

    def measure_process(self) -> None:
        """Measure memory and processor time of this worker."""
        self._numbers[self._place("tagloom_memory_bytes", ())] = measure_memory()
        self._numbers[self._place("tagloom_cpu_seconds_total", ())] = self._cpu + time.process_time()
        self._numbers[self._place("tagloom_workers", ())] = 1

    def render(self) -> str:
        """Write the sums over all workers in the text format of Prometheus."""
        self.measure_process()
        sums = self._rows.add_up(self._gauges)
        lines = [
            "# HELP tagloom_info The version of tagloom.",
            "# TYPE tagloom_info gauge",
            f'tagloom_info{{version="{__version__}"}} 1',
        ]
        for family in self._families:
            lines += [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {family.kind}"]
            for labels in family.labels:
                first = self._places[family.name, labels]
                lines += _write(family, labels, sums[first : first + family.width])
        return "\n".join(lines) + "\n"


def _write(family: Family, labels: Labels, numbers: Sequence[float]) -> Iterator[str]:
    """Write one combination of labels; those of requests that nobody made are left out."""
    if not family.bounds:
        if numbers[0] or len(labels) < 2:
            yield f"{family.name}{_write_labels(dict(labels))} {_write_number(numbers[0])}"
        return
    *classes, total = numbers
    so_far = 0.0
    for bound, count in zip([*map(_write_number, family.bounds), "+Inf"], classes, strict=True):
        so_far += count
        yield f"{family.name}_bucket{_write_labels({**dict(labels), 'le': bound})} {_write_number(so_far)}"
    yield f"{family.name}_sum{_write_labels(dict(labels))} {_write_number(total)}"
    yield f"{family.name}_count{_write_labels(dict(labels))} {_write_number(so_far)}"


def _write_labels(labels: Mapping[str, str]) -> str:
    inside = ",".join(f'{name}="{value}"' for name, value in labels.items())  # names of models need no escapes
    return f"{{{inside}}}" if inside else ""


def _write_number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(round(value, 9))


def measure_memory() -> int:
    """Measure the resident memory of this process in bytes; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
