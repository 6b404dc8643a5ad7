"""Checks the licences of everything that is installed with tagloom and its extras against a list of allowed ones."""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

ROOT = "tagloom[plots,sklearn,spacy,huggingface]"
#: Licences that ask for nothing but their notice, and weak copyleft of files, which a dependency may have.
ALLOWED = (
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CNRI-Python", "HPND", "ISC", "MIT", "MIT-CMU",
    "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib", "CC0-1.0", "bzip2-1.0.6", "Unicode-3.0", "libtiff",
    "LicenseRef-matplotlib",
)  # fmt: skip
#: Names in older metadata -> identifiers of SPDX.
NAMES = {
    "apache": "Apache-2.0", "apache 2": "Apache-2.0", "apache 2.0": "Apache-2.0", "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0", "apache license, version 2.0": "Apache-2.0", "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause", "3-clause bsd license": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause", "isc license (iscl)": "ISC", "mit license": "MIT", "the mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0", "python software foundation license": "PSF-2.0",
    "psf": "PSF-2.0", "psfl": "PSF-2.0", "historical permission notice and disclaimer (hpnd)": "HPND",
    "mpl2": "MPL-2.0",
}  # fmt: skip
_OPERATORS = re.compile(r"\s+(?:AND|WITH\s+[\w.-]+\s+AND)\s+|[()]")


def list_licences(package: Distribution) -> list[str]:
    """List what the metadata of a package says: an expression of SPDX, classifiers, or a line of text."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return [expression]
    classifiers = [each for each in metadata.get_all("Classifier", []) if each.startswith("License :: ")]
    texts = [each.rpartition(" :: ")[2] for each in classifiers if each != "License :: OSI Approved"]
    return texts or [metadata.get("License", "").strip().partition("\n")[0]]


def is_allowed(licence: str) -> bool:
    """Check an expression: every part that is joined by AND, and one of those that are joined by OR.

    >>> is_allowed("MIT OR GPL-3.0-only"), is_allowed("MIT AND GPL-3.0-only")
    (True, False)
    """
    named = NAMES.get(licence.lower(), licence)
    parts = [part for part in _OPERATORS.split(named) if part.strip()]
    return bool(parts) and all(any(each.strip() in ALLOWED for each in part.split(" OR ")) for part in parts)


def collect(root: str) -> tuple[dict[str, Distribution], list[str]]:
    """Collect the packages that a requirement needs here, and the names of those that are not installed."""
    found: dict[str, Distribution] = {}
    missing, waiting, seen = list[str](), [Requirement(root)], set[str]()
    while waiting:
        wanted = waiting.pop()
        if str(wanted) in seen:
            continue
        seen.add(str(wanted))
        try:
            package = found.setdefault(wanted.name.lower(), distribution(wanted.name))
        except PackageNotFoundError:
            missing.append(wanted.name)
            continue
        extras = ["", *wanted.extras]
        needed = map(Requirement, package.requires or [])
        waiting += [
            each for each in needed if each.marker is None or any(each.marker.evaluate({"extra": e}) for e in extras)
        ]
    return found, sorted(set(missing))


def main() -> int:
    """Print the packages whose licences are not allowed, and the number of those that are; returns the exit code."""
    found, missing = collect(ROOT)
    licences = {name: list_licences(package) for name, package in sorted(found.items())}
    bad = {name: names for name, names in licences.items() if not all(map(is_allowed, names))}
    for name, names in bad.items():
        sys.stdout.write(f"{name} {found[name].version}: licence not allowed: {'; '.join(names) or 'none'}\n")
    if missing:
        sys.stdout.write(f"not installed, so not checked: {' '.join(missing)}\n")
    sys.stdout.write(f"{len(found) - len(bad)} of {len(found)} packages have allowed licences\n")
    return 1 if bad or missing else 0


if __name__ == "__main__":
    sys.exit(main())
