"""The processes of Ray's workers, to kill one of them."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def kill_worker(title: str) -> bool:
    """Kill a worker of this process whose title has some text; return whether there was one."""
    for process in _list_descendants(os.getpid()):
        if title in _read(process, "cmdline"):
            os.kill(process, signal.SIGKILL)
            return True
    return False


def _list_descendants(process: int) -> list[int]:
    parents = {int(each.name): _find_parent(int(each.name)) for each in Path("/proc").iterdir() if each.name.isdigit()}
    found, level = [], [process]
    while level:
        level = [child for child, parent in parents.items() if parent in level]
        found += level
    return found


def _find_parent(process: int) -> int:
    fields = _read(process, "stat").rpartition(")")[2].split()
    return int(fields[1]) if fields else 0


def _read(process: int, name: str) -> str:
    try:
        return (Path("/proc") / str(process) / name).read_text(errors="replace")
    except OSError:
        return ""
