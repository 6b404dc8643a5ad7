"""Runs the test suites of python-crfsuite and sklearn-crfsuite against tagloom.compat.crfsuite: `make test-rivals`.

The suites come from the source distributions, which pip fetches into build/rivals. Imports of either package find ours.
Tests that are left out are listed, with the reason, in a table of docs/compat.md.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "rivals"
SUITES = ("python-crfsuite", "sklearn-crfsuite")
PAGE = ROOT / "docs" / "compat.md"
RUN = """
import sys, pytest
from tagloom.compat.crfsuite import replace_imports
replace_imports()
sys.exit(pytest.main(sys.argv[1:]))
"""


def fetch_suite(name: str) -> Path:
    """Return the folder of the unpacked source distribution."""
    prefix = name.replace("-", "_")
    if not list(FOLDER.glob(f"{prefix}-*.tar.gz")):
        FOLDER.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download", "--no-deps"]
        subprocess.run([*command, "--no-binary", ":all:", "--dest", str(FOLDER), name], check=True)
    archive = max(FOLDER.glob(f"{prefix}-*.tar.gz"))
    folder = FOLDER / archive.name.removesuffix(".tar.gz")
    if not folder.is_dir():
        with tarfile.open(archive) as file:
            file.extractall(FOLDER, filter="data")
    return folder


def list_left_out(name: str) -> list[str]:
    """List the tests of a suite that the table of the page names: `| suite | test | reason |`."""
    rows = re.findall(r"^\| ([\w-]+) \| `(tests/[^`]+)` \| .+ \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [test for suite, test in rows if suite == name]


def run_suite(name: str) -> int:
    """Run one suite; return the exit code of pytest."""
    folder = fetch_suite(name)
    left_out = list_left_out(name)
    print(f"{folder.name}: {len(left_out)} tests left out", flush=True)  # noqa: T201
    command = [sys.executable, "-c", RUN, "-q", "-ra", "-c", "/dev/null", "--rootdir", str(folder)]
    command += [
        "--runxfail",
        "--doctest-modules",
        "-p",
        "no:cacheprovider",
        "tests",
        *(f"--deselect={test}" for test in left_out),
    ]
    return subprocess.run(command, cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(max([run_suite(name) for name in SUITES]))
