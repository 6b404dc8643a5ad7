"""What a process has used; measured inside it, because the usage of a child counts what its parent had before it."""

from __future__ import annotations

import json
import os
import resource
import time
from pathlib import Path
from typing import Any


def read_peak() -> float:
    """Return the peak memory of this process in megabytes."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def read_cpu() -> float:
    """Return the CPU seconds of this process and of its ended children, user and system time."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def list_descendants(process: int) -> list[int]:
    """List the processes that a process has started, and those that they have started."""
    parents = {int(each.name): _read_fields(int(each.name)) for each in Path("/proc").iterdir() if each.name.isdigit()}
    found, level = list[int](), [process]
    while level:
        level = [child for child, fields in parents.items() if fields and int(fields[1]) in level]
        found += level
    return found


def read_cpu_of(process: int) -> float:
    """Return the CPU seconds of another process, user and system time; 0 if it is gone."""
    fields = _read_fields(process)
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _read_fields(process: int) -> list[str]:
    """Read what the system tells of a process, from its state on."""
    try:
        return Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def write_usage(path: str, started: float, **details: Any) -> None:
    """Write CPU seconds (children included), seconds since ``started`` and peak memory of this process as JSON."""
    record = {
        "cpu_seconds": read_cpu(),
        "seconds": time.time() - started,
        "peak_megabytes": read_peak(),
        **details,
    }
    Path(path).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
