"""What a process has used; measured inside it, because the usage of a child counts what its parent had before it."""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path
from typing import Any


def write_usage(path: str, started: float, **details: Any) -> None:
    """Write CPU seconds (children included), seconds since ``started`` and peak memory of this process as JSON."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    record = {
        "cpu_seconds": sum(each.ru_utime + each.ru_stime for each in used),
        "seconds": time.time() - started,
        "peak_megabytes": peak / 1024,
        **details,
    }
    Path(path).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
