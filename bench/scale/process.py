"""Measurements in processes of their own, which print what they have used as JSON on the last line of stderr."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from bench import ROOT
from bench.parts import get_environment

Record = dict[str, Any]
_SIZES = re.compile(r"^([\d,]+) features x ([\d,]+) labels", re.MULTILINE)  # what `tagloom train` tells
_SIGNS_OF_MEMORY = ("MemoryError", "bad_alloc", "Cannot allocate", "out of memory")


class ProcessError(Exception):
    """A process that has failed; the text is its last line."""


def run_module(
    module: str, arguments: Sequence[str], seconds: float | None = None, gigabytes: float | None = None
) -> Record:
    """Run a module and return its record.

    Args:
        module: The module.
        arguments: Its arguments.
        seconds: It is stopped after this time.
        gigabytes: It gets no more memory than that.

    Raises:
        ProcessError: It has failed, or reached a limit.
    """
    command = [sys.executable, "-m", module, *arguments]
    process = subprocess.Popen(
        command, cwd=ROOT, env=get_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=None if gigabytes is None else lambda: _limit_memory(gigabytes),
    )  # fmt: skip
    try:
        told = process.communicate(timeout=seconds)[1].strip()
    except subprocess.TimeoutExpired:
        raise ProcessError(f"stopped after {(seconds or 0) / 60:.0f} minutes") from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)  # the commands that it runs, too
            process.wait()
    if process.returncode:
        raise ProcessError(_explain(told, gigabytes))
    record: Record = json.loads(told.splitlines()[-1])
    if sizes := _SIZES.search(told):
        record |= {"features": int(sizes[1].replace(",", "")), "labels": int(sizes[2].replace(",", ""))}
    return record


def run_command(arguments: Sequence[str]) -> Record:
    """Run a command of tagloom; return seconds, CPU seconds and peak megabytes, and the sizes of a training."""
    return run_module("bench.scale.worker", arguments)


def _limit_memory(gigabytes: float) -> None:
    most = int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _explain(told: str, gigabytes: float | None) -> str:
    if gigabytes is not None and any(sign in told for sign in _SIGNS_OF_MEMORY):
        return f"needs more than {gigabytes:g} GB"
    errors = [line for line in told.splitlines() if not line.startswith("{")]
    return errors[-1] if errors else "no message"
