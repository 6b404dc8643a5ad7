"""Builds the package of a revision, or of the working tree, into a folder of its own."""

from __future__ import annotations

import io
import subprocess
import sys
import sysconfig
import tarfile
from dataclasses import dataclass
from pathlib import Path

from bench import ROOT

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps"]
DONE = "done.txt"


@dataclass(frozen=True)
class Core:
    """A package that was built, and how to run a worker with it."""

    name: str
    site: Path

    def start(self) -> subprocess.Popen[str]:
        """Start a worker. Without ``site``, Python does not find the editable installation first."""
        path = [str(ROOT), str(self.site), sysconfig.get_path("purelib")]
        environment = {"PYTHONPATH": ":".join(path), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-S", "-m", "bench.core.worker"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True)


def find_revision(name: str) -> str:
    """Return the full name of a revision, or end with a line that says what is wrong."""
    done = subprocess.run(
        ["git", "rev-parse", "--verify", f"{name}^{{commit}}"], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"BASE: {name} is no revision of this repository; name another, or fetch its history")
    return done.stdout.strip()


def build_revision(revision: str, folder: Path) -> Core:
    """Build a revision from its files, or take what an earlier run has built."""
    short = revision[:12]
    own = folder / short
    if not (own / DONE).exists():
        archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(own / "source", filter="data")
        _install(own / "source", own)
        (own / DONE).write_text(revision + "\n", "utf-8")
    return Core(short, own / "site")


def build_working_tree(folder: Path) -> Core:
    """Build the working tree in the same way; objects that did not change are reused."""
    _install(ROOT, folder / "now")
    return Core("now", folder / "now" / "site")


def _install(source: Path, own: Path) -> None:
    print(f"building {source}", file=sys.stderr)
    place = ["--upgrade", "--target", str(own / "site"), f"--config-settings=build-dir={own / 'objects'}"]
    subprocess.run([*PIP, "--no-build-isolation", *place, str(source)], check=True)
