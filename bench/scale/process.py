"""Measurements in processes of their own, which print what they have used as JSON on the last line of stderr."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from bench import ROOT
from bench.parts import get_environment

Record = dict[str, Any]


def run_module(module: str, arguments: Sequence[str]) -> Record:
    """Run a module and return its record; end with its last line if it fails."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=get_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    lines = done.stderr.decode().strip().splitlines()
    if done.returncode:
        errors = [line for line in lines if not line.startswith("{")]
        sys.exit(f"{module} {' '.join(arguments)}: {errors[-1] if errors else 'no message'}")
    record: Record = json.loads(lines[-1])
    return record


def run_command(arguments: Sequence[str]) -> Record:
    """Run a command of tagloom; return seconds, CPU seconds and peak megabytes."""
    return run_module("bench.scale.worker", arguments)
