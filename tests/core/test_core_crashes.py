"""Calls that could end the process, each in a process of its own: an error is raised, and nothing else happens."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Few threads fit into the memory that is left: the rest cannot be started.
TOO_MANY_THREADS = """
import resource, tagloom
model = tagloom.train([(["the", "dog"], ["DT", "NN"])])
sentences = [["a"]] * 20_000
alone = model.tag_many(sentences)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 200 * 2**20,) * 2)
try:
    assert model.tag_many(sentences, threads=500) == alone
except (RuntimeError, MemoryError):
    pass
"""

GOLD_OUT_OF_RANGE = """
import numpy as np
from tagloom import _core
offsets, rows = np.array([0, 1, 2]), np.zeros(2, np.uint32)
for gold, labels in (([-5, 100], 2), ([30_000, 30_000], 2), ([0, 0], 0)):
    try:
        _core.edge_support(offsets, rows, np.array([0, 2]), np.array(gold, np.int32), labels, 1, False)
    except ValueError:
        continue
    raise SystemExit(f"labels {gold} of {labels} were accepted")
"""

OFFSET_WITHOUT_ABSOLUTE_VALUE = """
from tagloom import _core
encoder = _core.Encoder()
encoder.add_native("form", 0, 0)
try:
    encoder.add_template("form[0]", [(0, -2**31)], False)
except ValueError:
    pass
else:
    raise SystemExit("the offset was accepted")
"""

MISSING_TABLE = """
from tagloom import _core
try:
    _core.intern_sentences([None], [["a"]])
except (TypeError, ValueError):
    pass
else:
    raise SystemExit("None was accepted as a table")
"""


# A sanitizer reserves far more memory than any limit would leave.
LIMITED_MEMORY = pytest.mark.skipif(
    sys.platform != "linux" or "TAGLOOM_SANITIZED" in os.environ, reason="needs a limit of memory"
)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(TOO_MANY_THREADS, marks=LIMITED_MEMORY),
        GOLD_OUT_OF_RANGE,
        OFFSET_WITHOUT_ABSOLUTE_VALUE,
        MISSING_TABLE,
    ],
    ids=["too many threads", "gold out of range", "offset without absolute value", "missing table"],
)
def test_the_process_survives(program: str):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-300:]}"
