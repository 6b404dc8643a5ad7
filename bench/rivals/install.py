"""Install the packages of the extra `bench` one by one: `python -m bench.rivals.install`.

A package that cannot be installed here is named, and the others are measured without it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]


def list_packages(extra: str = "bench") -> list[str]:
    """Return what an extra of tagloom requires."""
    found = (each.partition(";") for each in metadata.requires("tagloom") or [])
    return [name.strip() for name, _, marker in found if re.search(rf"extra\s*==\s*['\"]{extra}['\"]", marker)]


def main() -> None:
    for package in list_packages():
        if subprocess.run([*PIP, package]).returncode:
            print(f"{package}: cannot be installed here; the bench goes on without it", file=sys.stderr)


if __name__ == "__main__":
    main()
