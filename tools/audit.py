"""Looks up known vulnerabilities of the locked requirements with pip-audit, and checks the locks themselves.

Exits with 1 if a package has a known vulnerability or a lock is loose, and with 3 if the vulnerability service did not
answer for some packages: nothing is known about those.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PINNED = re.compile(r"[A-Za-z0-9._-]+(\[[a-z,]+\])?==[^ ;\\]+( ;[^\\]+)?( \\)?")
_HASH = "    --hash=sha256:"


def find_loose(file: Path, *, hashed: bool) -> list[str]:
    """List the requirements of a lock that are not pinned to one version, or that have no hash."""
    lines = file.read_text().splitlines()
    loose = [line for line in lines if line and not line.startswith((_HASH, "#")) and not _PINNED.fullmatch(line)]
    follows = [*lines[1:], ""]
    bare = [line for line, after in zip(lines, follows) if _PINNED.fullmatch(line) and not after.startswith(_HASH)]
    return loose + (bare if hashed else [])


def ask_service(file: Path) -> list[dict[str, Any]]:
    """Ask for the vulnerabilities of the packages of a lock; an empty list if there is no answer at all."""
    command = ["pip-audit", "--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json", "-r"]
    path = str(Path(sys.executable).with_name(command[0]))
    done = subprocess.run([path, *command[1:], str(file)], capture_output=True, text=True)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, LookupError):
        return []
    return found


def audit(file: Path) -> tuple[int, str]:
    """Audit one lock: the exit code, and a line about it."""
    if loose := find_loose(file, hashed=file.name != "runtime.txt"):
        return 1, f"{file}: not pinned, or without a hash: {', '.join(loose)[:500]}"
    found = ask_service(file)
    known = [package for package in found if "skip_reason" not in package]
    bad = [f"{each['name']} {each['version']} ({flaw['id']})" for each in known for flaw in each["vulns"]]
    if bad:
        return 1, f"{file}: known vulnerabilities: {', '.join(bad)}"
    if not found or len(known) < len(found):
        asked = f"{len(found) - len(known)} of {len(found)} packages" if found else "any package"
        return 3, f"{file}: pinned; not audited, because the vulnerability service did not answer about {asked}"
    return 0, f"{file}: pinned; no known vulnerability in {len(known)} packages"


def main(files: Sequence[str]) -> int:
    """Audit locks and print one line each; returns the exit code."""
    results = [audit(Path(file)) for file in files]
    sys.stdout.writelines(f"{line}\n" for _, line in results)
    codes = {code for code, _ in results}
    return 1 if 1 in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
