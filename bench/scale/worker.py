"""One measurement in a process of its own: runs a command of tagloom and prints what it has used as JSON."""

from __future__ import annotations

import json
import sys
import time

from bench.usage import read_cpu, read_peak
from tagloom.cli.main import run

if __name__ == "__main__":
    started = time.perf_counter()
    code = run(sys.argv[1:])
    record = {"seconds": time.perf_counter() - started, "cpu_seconds": read_cpu(), "megabytes": read_peak()}
    print(json.dumps(record), file=sys.stderr)
    sys.exit(code)
