"""The machine and the versions that a measurement ran on; no names of hosts or users."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe_machine() -> dict[str, object]:
    """Return the model of the processor, its cores, the memory, the system and the version of Python."""
    return {
        "processor": _find_field("/proc/cpuinfo", "model name") or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gigabytes": round(int((_find_field("/proc/meminfo", "MemTotal") or "0").split()[0]) / 1024**2),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def _find_field(path: str, name: str) -> str:
    """Return the value of the first line ``name : value`` of a file, or nothing."""
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
