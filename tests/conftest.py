"""Fixtures shared by all tests."""

from __future__ import annotations

import importlib.util
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Machines and sanitizers differ in speed; what is tested is the result. No example database: runs leave nothing behind.
# CI draws the same examples every time, so that a change passes or fails for what it changes; other runs draw new ones.
# TAGLOOM_EXAMPLES is the number of examples of a property that does not say how many it needs.
settings.register_profile(
    "tagloom", deadline=None, database=None, derandomize=bool(os.environ.get("CI")),
    max_examples=int(os.environ.get("TAGLOOM_EXAMPLES") or 50),
)  # fmt: skip
settings.load_profile("tagloom")

# A process in the background of a shell script ignores Ctrl-C, and so would all that the tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Double precision is built for development only; importing it gives ChainData its methods in double precision. An
# installed package goes without, and so do its tests.
if importlib.util.find_spec("tagloom._core_double"):
    importlib.import_module("tagloom._core_double")
else:
    collect_ignore = ["core", "golden", "learners"]


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real corpora: TAGLOOM_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("TAGLOOM_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no corpora in {folder}: set TAGLOOM_DATA to the folder that holds them")
    return folder
