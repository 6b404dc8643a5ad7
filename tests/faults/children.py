"""Commands in processes of their own, forked from one that has imported everything, so that each starts at once."""

from __future__ import annotations

import os
import pkgutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path


def import_everything() -> None:
    """Import all modules but those for other tools, so that children find them; nothing is run."""
    for folder in ("cli", "experiments", "systems", "files", "learners", "features", "evaluate", "corpus", "text"):
        package = import_module(f"tagloom.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "__main__" not in module.name and "spacy" not in module.name:
                import_module(module.name)


@dataclass
class Child:
    """A process that runs a function; the exit code is the one that it returns."""

    process: int

    @classmethod
    def start(cls, act: Callable[[], int], messages: Path) -> Child:
        """Fork; standard output is dropped, and what goes to stderr is kept in a file."""
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
            os._exit(_run_protected(act))
        return cls(process)

    def wait(self) -> int:
        """Return the exit code, or minus the number of the signal that ended the process."""
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def kill_after(self, seconds: float) -> int:
        """Kill the process at a moment, unless it ends before; return its exit code."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                return os.waitstatus_to_exitcode(status)
            time.sleep(min(0.001, max(0.0, end - time.monotonic())))
        os.kill(self.process, signal.SIGKILL)
        return self.wait()


def _run_protected(act: Callable[[], int]) -> int:
    """Run a function; whatever escapes it is shown as a traceback, with an exit code that no command has."""
    try:
        code = act()
        sys.stdout.flush()
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 99
    return code
