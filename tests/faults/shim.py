"""Build the file layer with faults, start Python under it, and choose which call fails."""

from __future__ import annotations

import ctypes
import enum
import os
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.cpp")
LIBRARY = Path("build/faults/shim.so").absolute()


class Mode(enum.IntEnum):
    """What happens at the chosen call; the numbers are those of the shim."""

    COUNT = 0
    FAIL_ONCE = 1
    FAIL_FROM = 2
    KILL_BEFORE = 3
    KILL_AFTER = 4


def build() -> Path:
    """Compile the shim, unless it is newer than its source."""
    if not LIBRARY.exists() or LIBRARY.stat().st_mtime < SOURCE.stat().st_mtime:
        LIBRARY.parent.mkdir(parents=True, exist_ok=True)
        compiler = os.environ.get("CXX", "c++")
        made = LIBRARY.with_suffix(f".{os.getpid()}")
        options = ["-std=c++20", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([compiler, *options, str(SOURCE), "-o", str(made), "-ldl"], check=True)
        made.replace(LIBRARY)
    return LIBRARY


def build_environment() -> dict[str, str]:
    """Return the environment of a process that runs under the shim."""
    return {**os.environ, "LD_PRELOAD": str(build())}


def require_shim() -> None:
    """Start this program again under the shim, unless it runs there already."""
    if str(LIBRARY) not in os.environ.get("LD_PRELOAD", ""):
        command = [sys.executable, *sys.orig_argv[1:]]
        os.execve(command[0], command, build_environment())


class Shim:
    """The shim of this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(str(LIBRARY))
        self._library.faults_disarm.restype = ctypes.c_long

    def arm(self, folder: Path, mode: Mode, chosen: int = 0, error: int = 0) -> None:
        """Count the calls that change files below a folder from now on; calls are counted from 1."""
        self._library.faults_arm(os.fsencode(folder), int(mode), ctypes.c_long(chosen), error)

    def disarm(self) -> int:
        """End counting, and return how many calls there were."""
        return int(self._library.faults_disarm())
